/*
 * no_verdict.h - sentences for the first line of the overview where nothing can be told to bind the
 * run: too little work of the GPU, or none. They are written from what the files hold.
 */
#ifndef VERDICT_NO_VERDICT_H
#define VERDICT_NO_VERDICT_H

#include "base/sbuf.h"
#include "scope/analysis.h"

/*
 * The GPU works for next to nothing: its window is below 1 ms, or, without steps, its work is below
 * 1 ms or 1 % of the capture. Appends for how long it works, and what takes most of the capture
 * instead. False: there is more, or the scope asks for a part of the capture. gpu: the view of that
 * name in the scope.
 */
bool no_verdict_small(const struct an_ctx *cx, const struct scope *sc, const struct table *gpu,
		      struct sbuf *out);
/*
 * Appends that, and why, it is not known when a device is idle (facts/records.h). False: it is
 * known of each. out may be NULL.
 */
bool no_verdict_doubt(const struct table *gpu, struct sbuf *out);
/*
 * Appends what the files of the scope hold, which is no GPU work. False where they hold nothing at
 * all.
 */
bool no_verdict_host(const struct an_ctx *cx, const struct scope *sc, struct sbuf *out);
/*
 * Appends what speaks against the verdict of any source of the scope, in brackets behind a blank;
 * nothing where nothing does.
 */
void no_verdict_caution(const struct an_ctx *cx, const struct scope *sc, struct sbuf *out);

#endif
