/*
 * change.h - what could be changed about a run, as `--change` says it: a verb, what it is about, and for some a number.
 *
 *	drop SEL		device work takes no time; host ranges take none, and waits inside do not wait
 *	scale SEL FACTOR	device time, or time of the issuing thread inside, times FACTOR
 *	async SEL		waits (calls, copies that block, waits inside ranges) take their own time and do not wait
 *	overlap SEL		device work moves to a stream of its own
 *	launch NS		how long each launch call takes
 *	fuse SEL		neighbours on a stream become one launch, as long as the longest
 *
 * SEL is KIND:GLOB. The kind ends at the first colon; the glob (name_glob.h) goes to the end, blanks and all, but for the number of scale.
 */
#ifndef REPLAY_CHANGE_H
#define REPLAY_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum change_verb { CHANGE_DROP, CHANGE_SCALE, CHANGE_ASYNC, CHANGE_OVERLAP, CHANGE_LAUNCH, CHANGE_FUSE, CHANGE_VERB_N };
/* The first four are device work, the others host ranges. */
enum change_of { OF_CLASS, OF_KERNEL, OF_DTYPE, OF_COPY, OF_OP, OF_CALL, OF_LEVEL2, OF_ANNOTATION, OF_PHASE, CHANGE_OF_N };

struct change {
	enum change_verb verb;
	enum change_of of;	/* nothing for launch */
	char *text;		/* the whole, as given */
	char *glob;		/* NULL for launch */
	double factor;		/* of device and host time: scale, drop (0) */
	int64_t launch_ns;
};

/* False with ERR_USAGE, which says what is wrong and what there is. change_fini() frees. */
bool change_parse(const char *text, struct change *out, struct err *e);
void change_fini(struct change *c);

static inline bool change_of_device(enum change_of of)
{
	return of <= OF_COPY;
}

/* What a context carries (analysis.h): changes in their order. */
struct changes {
	struct change *a;
	size_t n;
};

#endif
