/*
 * fuzz_sqlite.c - the loader of nsys exports on damaged files: any bytes, and (what a mutation leaves of a database) pages whose
 * header is mended so that SQLite opens them and meets the damage further down. However many threads read them, they say the same, or all
 * tell of damage: what SQLite makes of a damaged tree depends on what the connection has read before.
 */
#include <string.h>

#include "load/nsys/db.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/same_profile.h"

enum { HEADER = 100, PAGE = 512 };

static void put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* What https://sqlite.org/fileformat.html §1.3 asks of the first 100 bytes; the rest stays as it is. */
static void mend_header(uint8_t *p, size_t size)
{
	memcpy(p, "SQLite format 3", 16);
	p[16] = PAGE >> 8;
	p[17] = PAGE & 255;
	p[18] = p[19] = 1;
	p[20] = 0;
	p[21] = 64;
	p[22] = p[23] = 32;
	put32(p + 28, (uint32_t)(size / PAGE));
	put32(p + 44, 4);
	put32(p + 56, 1);
	memcpy(p + 92, p + 24, 4);
	if (p[HEADER] != 5)
		p[HEADER] = 13;	/* the first page of the schema's tree: a leaf of a table */
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	size_t n = size;

	if (seed % 8 == 0 || size < 2 * PAGE) {
		n = LLVMFuzzerMutate(data, size, max_size);
	} else {
		/* inside one page, so that pages stay in place */
		size_t page = seed / 8 % (size / PAGE) * PAGE, skip = page ? 0 : HEADER;
		uint8_t copy[PAGE];
		size_t len = PAGE - skip;

		memcpy(copy, data + page + skip, len);
		len = LLVMFuzzerMutate(copy, len, len);
		memcpy(data + page + skip, copy, len);
	}
	if (n >= PAGE && seed % 16)
		mend_header(data, n);
	return n;
}

static void check_threads(const uint8_t *data, size_t size, const struct profile *p, bool loaded)
{
	struct profile *q;
	bool again = fuzz_load_on(&loader_nsys_sqlite, 3, data, size, &q);
	const char *differs = loaded && again ? same_profile(p, q) : NULL;

	fuzz_hold(loaded == again, "loaded by one thread %d, by three %d", loaded, again);
	fuzz_hold(!differs || (p->n_damages && q->n_damages), "read by three threads it differs: %s", differs);
	profile_unref(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;
	bool loaded;

	nsys_db_piece_rows = 8;
	loaded = fuzz_load_on(&loader_nsys_sqlite, 1, data, size, &p);

	check_threads(data, size, p, loaded);
	if (loaded && p->n)
		fuzz_check_views(p, size);
	else
		profile_unref(p);
	return 0;
}
