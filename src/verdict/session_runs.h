/*
 * session_runs.h - the runs of a session, which have nothing to do with each other: its clock groups that have a source.
 */
#ifndef VERDICT_SESSION_RUNS_H
#define VERDICT_SESSION_RUNS_H

#include <stdint.h>

#include "base/vec.h"
#include "scope/analysis.h"

struct run {
	int group;
	const char *path; /* of its first source; the session's */
	uint8_t part; /* as much of the path as tells it from the others, see run_short_name() */
};
typedef VEC(struct run) run_list;

/* Appends the runs in the order of their clock groups; VEC_FREE() it. */
void session_runs(const struct an_ctx *cx, run_list *runs);
/* The shortest part of the path that no other run has: its stem, file, folder and file, or all of it. *len bytes, no NUL behind. */
const char *run_short_name(const struct run *r, int *len);

#endif
