/*
 * measure.h - one measurement in a process of its own: what it took, and what it left in memory.
 */
#ifndef TESTS_PERF_MEASURE_H
#define TESTS_PERF_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct figures {
	bool ok;
	char why[160];			/* if not ok */
	double load_s, first_s;		/* seconds to the loaded profile, and to the first tables after it (all from the start) */
	double cpu_s;			/* user and system time of the process */
	uint64_t events, rows;		/* of the profile; rows of the first tables, or of a database */
	uint64_t seen;			/* events of the file, those that are not kept (flows, metadata) among them */
	uint64_t text_bytes;		/* of the file, inflated */
	uint64_t read_bytes;		/* that the process asked the system for */
	uint64_t allocations;		/* calls of malloc, calloc and realloc in our own code */
	int64_t resident_bytes;		/* anonymous memory after loading, less that before it */
	int64_t peak_bytes;		/* resident at the most, less the process before loading; mapped files count */
	uint64_t column_bytes;		/* arrays of the profile: per event, and the details beside them */
};

/* Work is done in a child; false with *e set if there can be none, or it died. f->ok tells whether the work succeeded. */
typedef void (*measure_fn)(const char *path, struct figures *f);
bool measure(measure_fn fn, const char *path, struct figures *f, struct err *e);

/* The work: the file read once from end to end (inflated; a database by selecting everything), which is the base of the
 * ratios; the file loaded; the file loaded and its first tables made. */
void work_base(const char *path, struct figures *f);
void work_load(const char *path, struct figures *f);
/* The same on one thread: what is kept in reserve per thread depends on the machine's load, counts must not. */
void work_load_alone(const char *path, struct figures *f);
void work_first(const char *path, struct figures *f);
/* On one thread as above, with facts and every index of a source; resident_bytes holds them. */
void work_indexed(const char *path, struct figures *f);

double now_s(void);
int64_t anonymous_bytes(void);		/* of this process, now */
double median(double *a, size_t n);	/* sorts a; 0 if n is 0 */
double load_average(void);

#endif
