/*
 * jcut.h - finds where a long JSON list can be cut into pieces of whole elements, without parsing it.
 *
 * The scanner goes over the text once, 64 bytes at a time: which quotes are escaped, which bytes are inside strings, how deep
 * the brackets outside them are. It is exact for any JSON, one line or many. What it says about damaged text is a guess (a
 * missing quote turns strings inside out): whoever parses a piece has to see it end where the cut is.
 * Which instructions it uses (AVX2 with PCLMUL, SSE2, none in particular) is chosen when it first runs.
 */
#ifndef BASE_JCUT_H
#define BASE_JCUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JCUT_NONE SIZE_MAX

struct jcut {
	bool escape;		/* the next byte is escaped */
	bool in_string;
	int64_t depth;		/* open brackets inside the list; 0 = between its elements */
	bool ended;		/* the list's own closing bracket was met: nothing behind it was looked at */
};

/* Zero-initialise where an element or the end of the list comes next. */

/*
 * Goes over the n bytes at p, which follow those of the calls before. Returns the offset behind the last comma between two
 * elements that lies at `from` or later, JCUT_NONE if there is none; when the list ends, of those in front of its bracket
 * that are in the same 64 bytes or at `from` or later. A `from` near n is cheaper than 0.
 */
size_t jcut_scan(struct jcut *k, const char *p, size_t n, size_t from);

/* The ways it can run here, best first, NULL-terminated; for tests: jcut_use() fixes one, NULL the best again. */
const char *const *jcut_ways(void);
bool jcut_use(const char *way);
const char *jcut_way(void);	/* the one in use */

#endif
