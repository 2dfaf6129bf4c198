/* buildid.c - the linker's build id, see buildid.h */
#include "base/buildid.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

struct find {
	char *out;
	size_t cap;
};

#define ALIGN4(n) (((size_t)(n) + 3) & ~(size_t)3)

static void put_hex(struct find *f, const unsigned char *s, size_t n)
{
	for (size_t i = 0; i < n && 2 * i + 2 < f->cap; i++)
		snprintf(f->out + 2 * i, 3, "%02x", s[i]);
}

/* Notes: three words, the owner's name, the content. */
static void find_note(struct find *f, const unsigned char *s, size_t n)
{
	ElfW(Nhdr) h;

	while (n >= sizeof(h)) {
		size_t name, all;

		memcpy(&h, s, sizeof(h));
		name = sizeof(h) + ALIGN4(h.n_namesz);
		all = name + ALIGN4(h.n_descsz);
		if (all > n)
			return;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && !memcmp(s + sizeof(h), "GNU", 4))
			put_hex(f, s + name, h.n_descsz);
		s += all;
		n -= all;
	}
}

/* The first object is the program. */
static int first_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_NOTE)
			find_note(arg, (const unsigned char *)(info->dlpi_addr + h->p_vaddr), h->p_memsz);
	}
	return 1;
}

const char *build_id(char *out, size_t cap)
{
	struct find f = { out, cap };

	out[0] = '\0';
	dl_iterate_phdr(first_object, &f);
	return out;
}
