/*
 * no_verdict.h - sentences for the first line of the overview where nothing can be told to bind the
 * run.
 */
#ifndef ANALYZE_NO_VERDICT_H
#define ANALYZE_NO_VERDICT_H

#include "base/sbuf.h"
#include "scope/analysis.h"

/*
 * Appends that, and why, it is not known when a device is idle (facts/records.h). False: it is
 * known of each. out may be NULL.
 */
bool no_verdict_doubt(const struct table *gpu, struct sbuf *out);
/* Appends that there is no GPU work. False where the files hold nothing at all. */
bool no_verdict_host(const struct an_ctx *cx, struct sbuf *out);

#endif
