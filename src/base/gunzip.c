/* gunzip.c - see gunzip.h */
#include "base/gunzip.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include "base/mem.h"

struct gunzip {
	bool fast;
	z_stream z;
#ifdef HAVE_ISAL
	struct inflate_state isal;
#endif
};

static unsigned at_most(size_t n)
{
	return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

#ifdef HAVE_ISAL
static void isal_begin(struct gunzip *z)
{
	isal_inflate_init(&z->isal);
	z->isal.crc_flag = ISAL_GZIP;
}

static enum gunzip_end isal_run(struct gunzip *z, const unsigned char **in, size_t *in_n, void *out, size_t *room)
{
	struct inflate_state *s = &z->isal;
	unsigned n = at_most(*in_n), cap = at_most(*room);
	int rc;

	s->next_in = (uint8_t *)(uintptr_t)*in;
	s->avail_in = n;
	s->next_out = out;
	s->avail_out = cap;
	rc = isal_inflate(s);
	*in += n - s->avail_in;
	*in_n -= n - s->avail_in;
	*room -= cap - s->avail_out;
	if (rc != ISAL_DECOMP_OK && rc != ISAL_END_INPUT)
		return GUNZIP_BAD;
	if (s->block_state == ISAL_BLOCK_FINISH)
		return GUNZIP_MEMBER;
	return n || s->avail_out != cap ? GUNZIP_MORE : GUNZIP_CUT;
}
#endif

static enum gunzip_end zlib_run(struct gunzip *z, const unsigned char **in, size_t *in_n, void *out, size_t *room)
{
	unsigned n = at_most(*in_n), cap = at_most(*room);
	int rc;

	z->z.next_in = (z_const Bytef *)(uintptr_t)*in;
	z->z.avail_in = n;
	z->z.next_out = out;
	z->z.avail_out = cap;
	rc = inflate(&z->z, Z_NO_FLUSH);
	*in += n - z->z.avail_in;
	*in_n -= n - z->z.avail_in;
	*room -= cap - z->z.avail_out;
	return rc == Z_STREAM_END ? GUNZIP_MEMBER : rc == Z_OK ? GUNZIP_MORE : rc == Z_BUF_ERROR ? GUNZIP_CUT : GUNZIP_BAD;
}

struct gunzip *gunzip_new(bool fast)
{
	struct gunzip *z = xcalloc(1, sizeof(*z));

#ifdef HAVE_ISAL
	z->fast = fast;
	if (fast) {
		isal_begin(z);
		return z;
	}
#else
	(void)fast;
#endif
	if (inflateInit2(&z->z, 15 + 16) == Z_OK)
		return z;
	free(z);
	return NULL;
}

bool gunzip_is_fast(const struct gunzip *z)
{
	return z->fast;
}

enum gunzip_end gunzip_run(struct gunzip *z, const unsigned char **in, size_t *in_n, void *out, size_t *room)
{
#ifdef HAVE_ISAL
	if (z->fast)
		return isal_run(z, in, in_n, out, room);
#endif
	return zlib_run(z, in, in_n, out, room);
}

void gunzip_next_member(struct gunzip *z)
{
#ifdef HAVE_ISAL
	if (z->fast) {
		isal_begin(z);
		return;
	}
#endif
	inflateReset(&z->z);
}

void gunzip_free(struct gunzip *z)
{
	if (z && !z->fast)
		inflateEnd(&z->z);
	free(z);
}
