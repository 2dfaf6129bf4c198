/*
 * fuzz_cache.c - cache files: a sound one with bytes changed, with or without sums that are right again. What is opened crashes no
 * view; a changed file whose sums were left is never opened.
 *
 * The input is a list of changes, 8 bytes each: where (3 bytes), what to (1), how (1: xor, add, a copy from elsewhere, cut), and
 * where from (3). If bytes are left over the sums are made right, so that what lies behind them is reached.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check64.h"
#include "reopen/profile_file.h"
#include "reopen/profile_file_impl.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/cache_fake.h"

enum { CHANGE_BYTES = 8, CHANGES = 64, BLOCKS = 64 };

static const struct cache_key key = { "/made/up.json", "fuzz", { 12345, 67890, 1, 2 } };

static char *sound(size_t *n)
{
	static char *bytes;
	static size_t size;
	char path[FUZZ_PATH_MAX];
	struct err e = ERR_INIT;
	struct profile *p;
	int fd;

	if (!bytes) {
		p = fake_profile(7, 30);
		fuzz_file(NULL, 0, path);
		fd = open(path, O_RDWR | O_CLOEXEC);
		fuzz_hold(fd >= 0 && cache_write(fd, p, &key, NULL, &e), "cannot write: %s", e.text);
		size = (size_t)lseek(fd, 0, SEEK_END);
		bytes = malloc(size);
		fuzz_hold(pread(fd, bytes, size, 0) == (ssize_t)size, "cannot read");
		close(fd);
		fuzz_file_close(path);
		profile_unref(p);
	}
	*n = size;
	return bytes;
}

static size_t place(const uint8_t *c, size_t whole)
{
	return (c[0] | (size_t)c[1] << 8 | (size_t)c[2] << 16) % whole;
}

/* Returns how long the file is afterwards. */
static size_t change(char *file, size_t n, size_t whole, const uint8_t *c)
{
	size_t at = place(c, whole), from = place(c + 5, whole), room = whole - (at > from ? at : from);

	switch (c[4] % 8) {
	case 0:
	case 1:
	case 2:
		file[at] = (char)(file[at] ^ c[3]);
		return n;
	case 3:
	case 4:
		file[at] = (char)(file[at] + c[3]);
		return n;
	case 7:
		return c[3] < 8 && at < n ? at : n;
	default:
		memmove(file + at, file + from, room < 32 ? room : 32);
		return n;
	}
}

static uint64_t sum_of(const char *file, const struct cache_section *s)
{
	uint64_t sums[BLOCKS], k = 0;

	for (uint64_t i = 0; i < s->count && k < BLOCKS; i += CACHE_BLOCK)
		sums[k++] = check64(file + s->offset + i * s->size, (s->count - i < CACHE_BLOCK ? s->count - i : CACHE_BLOCK) * s->size);
	return check64(sums, k * sizeof(*sums));
}

static void make_right(char *file, size_t n)
{
	struct cache_header *h = (struct cache_header *)(void *)file;
	struct cache_section *dir = (struct cache_section *)(h + 1);

	if (n < CACHE_HEAD_BYTES)
		return;
	for (unsigned i = 0; i < SEC_N; i++) {
		uint64_t bytes;

		if (!__builtin_mul_overflow(dir[i].count, dir[i].size, &bytes) && dir[i].offset <= n && bytes <= n - dir[i].offset)
			dir[i].checksum = sum_of(file, &dir[i]);
	}
	h->file_bytes = n;
	h->checksum = cache_head_sum(h);
}

/* What lies between the sections is nobody's: as it was. */
static void mend_gaps(char *file, const char *good, size_t whole)
{
	const struct cache_section *dir = (const struct cache_section *)(const void *)(good + sizeof(struct cache_header));
	size_t at = CACHE_HEAD_BYTES;

	for (unsigned i = 0; i < SEC_N; i++) {
		memcpy(file + at, good + at, dir[i].offset - at);
		at = dir[i].offset + dir[i].count * dir[i].size;
	}
	memcpy(file + at, good + at, whole - at);
}

static struct profile *open_bytes(const char *file, size_t n, struct err *e)
{
	char path[FUZZ_PATH_MAX];
	struct profile *p;
	int fd;

	fuzz_file((const uint8_t *)file, n, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	p = cache_open(fd, &key, e);
	close(fd);
	fuzz_file_close(path);
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t whole, n, left = size % CHANGE_BYTES;
	char *good = sound(&whole), *file = malloc(whole);
	struct err e = ERR_INIT;
	struct profile *p;
	bool same;

	memcpy(file, good, whole);
	n = whole;
	for (size_t i = 0; i + CHANGE_BYTES <= size && i < CHANGES * CHANGE_BYTES; i += CHANGE_BYTES)
		n = change(file, n, whole, data + i);
	mend_gaps(file, good, whole);
	same = n == whole && memcmp(file, good, whole) == 0;
	if (left)
		make_right(file, n);
	p = open_bytes(file, n, &e);
	fuzz_hold(p || e.code != ERR_NONE, "refused without a reason");
	fuzz_hold(!same || p, "the sound file is refused: %s", e.text);
	fuzz_hold(same || left || !p, "a changed file is opened");
	fuzz_hold(n == whole || !p, "a file that was cut is opened");
	free(file);
	if (!p)
		return 0;
	fuzz_show_views(p, size);
	return 0;
}
