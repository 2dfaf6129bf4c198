/*
 * records.h - whether the work of a device is in the file (definitions.md §9): launches whose work
 * must have been recorded and was not, and kernels that cannot have run as they are recorded. Where
 * either is more than a little, idle time of the device is not known.
 */
#ifndef FACTS_RECORDS_H
#define FACTS_RECORDS_H

#include "base/sbuf.h"
#include "facts/facts.h"

/*
 * Of one device in one window. A launch counts as lost when it has no work in the file, though a
 * later launch of its thread has (what lies behind the end of the capture is cut, not lost). Where
 * no launch of a thread, or none of graphs of a process, has any work, a later copy does as well.
 * Launches inside a stream capture run nothing and failed ones neither: they are not counted at
 * all. Work that names no launch is taken for that of as many lost ones.
 */
struct gpu_records {
	int64_t launches; /* calls in the window that launch kernels */
	int64_t lost;     /* of them those whose work is lost */
	int64_t graphs;   /* calls that launch graphs, each of which stands for many kernels */
	int64_t graphs_lost;
	ns_t window;  /* its length */
	ns_t overlap; /* time in which two kernels of one stream run, those of graphs aside */
	ns_t cut;     /* time before its first work, or after its last, whose launches have none */
};
void gpu_records_count(const struct device_facts *d, const struct spans *window,
		       struct gpu_records *out);
/* Whether they make idle time of the window unknown. */
bool gpu_records_doubtful(const struct gpu_records *r);
/*
 * Appends what is wrong with them, translated, as a part of a sentence; nothing where they are not
 * doubtful.
 */
void gpu_records_say(const struct gpu_records *r, struct sbuf *out);

#endif
