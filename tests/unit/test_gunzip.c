/*
 * test_gunzip.c - what comes out of a gzip stream that is cut or spoilt anywhere is what zlib makes of it, whoever inflates, and in
 * whatever pieces it is read; in one member and behind another
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fileio.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/sbuf.h"
#include "tests/lib/tap.h"

enum { OUT = 1 << 16 };

static char path[] = "test_gunzip.XXXXXX";

/* Text as traces are: what repeats, numbers that do not. */
static void put_text(struct sbuf *b)
{
	uint64_t seed = 5;

	for (unsigned i = 0; i < 120; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		sbuf_printf(b, "{\"ph\": \"X\", \"name\": \"aten::mm\", \"ts\": %u.%03u, \"args\": {\"External id\": %u}},\n",
			(unsigned)(seed >> 40), (unsigned)(seed >> 20) % 1000, i);
	}
}

static void add_member(struct sbuf *gz, const struct sbuf *text, int level, int strategy)
{
	z_stream z = { 0 };
	size_t room = text->n + 1000;

	deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, strategy);
	z.next_in = (Bytef *)text->s;
	z.avail_in = (uInt)text->n;
	z.next_out = (Bytef *)sbuf_reserve(gz, room);
	z.avail_out = (uInt)room;
	deflate(&z, Z_FINISH);
	gz->n += room - z.avail_out;
	deflateEnd(&z);
}

/* What zlib makes of it: members one behind the other, up to the first thing that is none. True: all of it is whole. */
static bool by_zlib(const char *gz, size_t n, char *out, size_t *out_n)
{
	z_stream z = { 0 };
	int rc = Z_STREAM_END;

	inflateInit2(&z, 15 + 16);
	z.next_in = (Bytef *)(uintptr_t)gz;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)out;
	z.avail_out = OUT;
	while (rc == Z_STREAM_END && z.avail_in && *z.next_in == 0x1f) {
		inflateReset(&z);
		rc = inflate(&z, Z_NO_FLUSH);
	}
	*out_n = OUT - z.avail_out;
	inflateEnd(&z);
	return rc == Z_STREAM_END && !z.avail_in;
}

static bool by_us(size_t step, char *out, size_t *out_n)
{
	struct err e = ERR_INIT;
	struct file_src *s = file_src_open(path, &e);
	size_t got = 1;
	bool whole;

	*out_n = 0;
	while (s && got && file_src_read(s, out + *out_n, step, &got, &e))
		*out_n += got;
	whole = s && !file_src_damage(s, NULL);
	file_src_close(s);
	return whole;
}

/* NULL, or what differs. */
static const char *differs(const char *gz, size_t n)
{
	static const size_t steps[] = { 17, 4096, OUT / 2 };
	static char a[OUT], b[2 * OUT];
	struct err e = ERR_INIT;
	size_t na, nb;
	bool whole = by_zlib(gz, n, a, &na);

	if (!outfile_write(path, gz, n, &e))
		return e.text[0] ? "the file" : "?";
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (by_us(steps[i], b, &nb) != whole)
			return "whether it is whole";
		if (na != nb || memcmp(a, b, na) != 0)
			return "the text";
	}
	return NULL;
}

static void cut_and_spoil(const char *name, struct sbuf *gz)
{
	const char *bad = differs(gz->s, gz->n);
	size_t n;

	ok(!bad, "%s: %zu bytes (%s)", name, gz->n, bad ? bad : "the same");
	for (n = 2; n < gz->n && !bad; n++)
		bad = differs(gz->s, n);
	ok(!bad, "%s: cut anywhere (%s, at %zu)", name, bad ? bad : "the same", n);
	bad = NULL;
	for (n = 2; n < gz->n && !bad; n++) {
		gz->s[n] = (char)(gz->s[n] ^ 1 << n % 8);
		bad = differs(gz->s, gz->n);
		gz->s[n] = (char)(gz->s[n] ^ 1 << n % 8);
	}
	ok(!bad, "%s: spoilt anywhere (%s, at %zu)", name, bad ? bad : "the same", n);
}

int main(void)
{
	static const struct { const char *name; int level, strategy; } ways[] = {
		{ "stored", 0, Z_DEFAULT_STRATEGY }, { "fixed codes", 6, Z_FIXED }, { "best", 9, Z_DEFAULT_STRATEGY },
	};
	struct gunzip *z = gunzip_new(true);
	struct sbuf text = { 0 }, two = { 0 };
	int fd = mkstemp(path);

	close(fd);
	diag("%s", gunzip_is_fast(z) ? "inflated by ISA-L, and by zlib what it gives up" : "inflated by zlib");
	gunzip_free(z);
	put_text(&text);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct sbuf gz = { 0 };

		add_member(&gz, &text, ways[i].level, ways[i].strategy);
		if (i)
			cut_and_spoil(ways[i].name, &gz);
		sbuf_fini(&gz);
	}
	text.n = 1000;
	add_member(&two, &text, 6, Z_DEFAULT_STRATEGY);
	add_member(&two, &text, 0, Z_DEFAULT_STRATEGY);
	cut_and_spoil("two members", &two);
	sbuf_fini(&two);
	sbuf_fini(&text);
	unlink(path);
	return done_testing();
}
