/*
 * gunzip.h - members of a gzip stream → bytes, piece by piece. By zlib, or by ISA-L where profdive was built with it: that takes half the
 * time or less, but what it makes of a damaged stream, and how much of it comes out, zlib is to say.
 */
#ifndef BASE_GUNZIP_H
#define BASE_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

enum gunzip_end {
	GUNZIP_MORE,		/* all input was taken, or there is no room left */
	GUNZIP_MEMBER,		/* a member is complete, its checksum right */
	GUNZIP_CUT,		/* there was no input, and the member is not complete */
	GUNZIP_BAD
};

struct gunzip;
/* fast: by ISA-L, if it is there. NULL: no memory. */
struct gunzip *gunzip_new(bool fast);
bool gunzip_is_fast(const struct gunzip *z);
/* Takes from *in and moves it on; *room > 0 bytes at `out`, of which *room are left. What came before a GUNZIP_BAD is at `out`. */
enum gunzip_end gunzip_run(struct gunzip *z, const unsigned char **in, size_t *in_n, void *out, size_t *room);
void gunzip_next_member(struct gunzip *z);
void gunzip_free(struct gunzip *z);	/* NULL is fine */

#endif
