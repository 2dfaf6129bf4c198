/*
 * part.h - which part of a file is to be loaded: steps, or times. The file is read twice: once for where its steps and its beginning are,
 * and once for the events, of which those outside cost no memory.
 */
#ifndef LOAD_READ_PART_H
#define LOAD_READ_PART_H

#include "base/err.h"
#include "model/builder.h"

struct load_part {
	bool steps;
	int64_t step_a, step_b;	/* ProfilerStep#a to #b, up to where the next one begins; ERR_USAGE if the file has none of them */
	ns_t from, to;		/* else: from the first event of the file on, [from, to); to INT64_MAX: to the end */
};

/* steps "A-B" or "A", from and to "12.5ms": NULL where not given, not all of them. ERR_USAGE with the reason. */
bool load_part_parse(struct load_part *p, const char *steps, const char *from, const char *to, struct err *e);
/* "steps 3-5", "12.5 ms to 80 ms": for titles. buf has cap bytes. */
void load_part_text(const struct load_part *p, char *buf, size_t cap);

/* From what the first reading found: what the second takes. ERR_USAGE if there is no such part. */
bool load_part_window(const struct load_part *p, const struct builder_survey *s, ns_t *from, ns_t *to, struct err *e);

#endif
