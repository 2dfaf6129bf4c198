/*
 * fuzz_gz.c - gzip streams: any bytes; or, after a leading 'z', the rest compressed into one or two members, cut and overwritten,
 * whose text must come out as far as it is whole.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/fileio.h"
#include "base/sbuf.h"
#include "tests/fuzz/fuzz.h"

/* Everything that comes out, read in pieces of `piece` bytes. */
static void inflate_all(const char *path, size_t piece, struct sbuf *out, bool *damaged)
{
	struct err e = ERR_INIT;
	struct file_src *s = file_src_open(path, &e);
	size_t got = 1;
	int64_t at = -2;

	fuzz_hold(s, "%s", e.text);
	while (got && out->n < (8u << 20)) {
		fuzz_hold(file_src_read(s, sbuf_reserve(out, piece), piece, &got, &e), "%s", e.text);
		fuzz_hold(got <= piece, "%zu bytes for %zu", got, piece);
		out->n += got;
		fuzz_hold(file_src_done(s) <= file_src_size(s), "more consumed than there is");
	}
	*damaged = file_src_damage(s, &at) != NULL;
	if (*damaged && !got)
		fuzz_hold(at == (int64_t)out->n, "damage at %lld, text ends at %zu", (long long)at, out->n);
	file_src_close(s);
}

static void same_in_pieces(const char *path, struct sbuf *whole, bool *damaged)
{
	static const size_t piece[] = { 1, 7, 4096 };

	inflate_all(path, 65536, whole, damaged);
	for (size_t i = whole->n > 4096 ? 1 : 0; i < sizeof(piece) / sizeof(*piece); i++) {
		struct sbuf b = { 0 };
		bool bad;

		inflate_all(path, piece[i], &b, &bad);
		fuzz_hold(b.n == whole->n && bad == *damaged, "%zu bytes in pieces of %zu, %zu at once", b.n, piece[i], whole->n);
		fuzz_hold(!b.n || memcmp(b.s, whole->s, b.n) == 0, "other bytes in pieces of %zu", piece[i]);
		sbuf_fini(&b);
	}
}

/* Appends one member. */
static void deflate_to(struct sbuf *out, const uint8_t *data, size_t size, int level)
{
	z_stream z = { 0 };
	size_t room = size + size / 100 + 100;

	fuzz_hold(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "deflateInit2");
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)size;
	z.next_out = (Bytef *)sbuf_reserve(out, room);
	z.avail_out = (uInt)room;
	fuzz_hold(deflate(&z, Z_FINISH) == Z_STREAM_END, "deflate");
	out->n += room - z.avail_out;
	deflateEnd(&z);
}

/* 'z', where to split, where to cut, the text */
static void made(const uint8_t *data, size_t size)
{
	const uint8_t *text = data + 4;
	size_t n = size - 4, split = n * data[1] / 255, cut;
	struct sbuf gz = { 0 }, out = { 0 };
	char path[FUZZ_PATH_MAX];
	bool damaged;

	deflate_to(&gz, text, split, data[3] % 10);
	deflate_to(&gz, text + split, n - split, data[3] % 10);
	cut = gz.n * data[2] / 255;
	fuzz_file((const uint8_t *)gz.s, cut, path);
	if (cut > 2) {
		same_in_pieces(path, &out, &damaged);
		fuzz_hold(out.n <= n && (!out.n || memcmp(out.s, text, out.n) == 0), "%zu bytes, not those of the text", out.n);
		fuzz_hold(cut < gz.n || (out.n == n && !damaged), "a whole file: %zu of %zu bytes", out.n, n);
	}
	fuzz_file_close(path);
	sbuf_fini(&gz);
	sbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH_MAX];
	struct sbuf whole = { 0 };
	struct err e = ERR_INIT;
	bool damaged;
	size_t n = 0;
	char *all;

	if (size > 65536)
		return 0;
	if (size >= 4 && data[0] == 'z') {
		made(data, size);
		return 0;
	}
	fuzz_file(data, size, path);
	same_in_pieces(path, &whole, &damaged);
	all = file_read_all(path, 1 << 20, &n, &e);
	fuzz_hold(all || damaged || whole.n > 1 << 20, "file_read_all: %s", e.text);
	fuzz_hold(!all || (n == whole.n && all[n] == '\0'), "file_read_all: %zu bytes of %zu", n, whole.n);
	free(all);
	sbuf_fini(&whole);
	fuzz_file_close(path);
	return 0;
}
