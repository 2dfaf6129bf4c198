/* Pieces of a Kineto trace as torch 2.7-2.10 writes it.  Times are the run's; each event ends with
 * ",". */
#ifndef GEN_TORCH_TEXT_H
#define GEN_TORCH_TEXT_H

#include "gen.h"

/* What a trace says of its run; the sample's by default. */
struct torch_run {
	int world; /* ranks of the job */
	bool no_stack; /* neither with_stack nor record_shapes was on */
	ns_t late_ns; /* how much later than the run's clock it was recorded: a run of its own */
};
extern struct torch_run torch_run;

void torch_us(FILE *f, ns_t ns); /* decimal microseconds, three digits */
void torch_ts(FILE *f, ns_t t); /* the same of a time, counted from the base */
void torch_header(FILE *f); /* up to and with the opening of traceEvents */
void torch_event(FILE *f, const char *cat, const char *name, int pid, int tid, ns_t start,
	ns_t end_ns); /* up to its args */
void torch_end(FILE *f); /* closes args and event */
void torch_flow(FILE *f, const char *ph, const char *cat, int64_t id, int pid, int tid, ns_t t);
void torch_meta(
	FILE *f, const char *name, int pid, int tid, ns_t t, const char *key, const char *value);
void torch_gzip(const char *path); /* PATH becomes PATH.gz */

#endif
