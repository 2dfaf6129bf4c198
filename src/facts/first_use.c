/*
 * first_use.c - launches that load code: the first launch of a kernel in the file, over 100 us, on a device that is idle meanwhile.
 *
 * CUDA and HIP load a kernel's module when it is launched first, inside the launch call; few files have a record of it. A long launch
 * while the device works waits for room in the queue and is none of these, nor is the first launch of a graph.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "facts/parts.h"

#define LOADS_NS INT64_C(100000)

bool call_is_graph(const struct profile *p, ev_id call)
{
	size_t n;
	const char *s = profile_str(p, p->name[call], &n);

	return memmem(s, n, "Graph", 5) != NULL;
}

/* When any device works. */
static void all_busy(const struct facts *f, struct spans *out)
{
	for (uint32_t i = 0; i < f->n_devices; i++)
		for (size_t k = 0; k < f->devices[i].any.n; k++)
			spans_add(out, f->devices[i].any.a[k].start, f->devices[i].any.a[k].end);
	spans_norm(out);
}

void facts_first_uses(struct facts *f)
{
	const struct profile *p = f->p;
	ev_id base = p->layer_first[LAYER_RUNTIME];
	ev_id *first = xreallocarray(NULL, p->n_strs, sizeof(*first));	/* per name of a kernel: its earliest launch */
	struct spans busy = { 0 };

	f->call_first = xcalloc(p->layer_first[LAYER_RUNTIME + 1] - base, 1);
	memset(first, 0xff, p->n_strs * sizeof(*first));
	for (ev_id e = p->layer_first[LAYER_KERNEL]; e < p->layer_first[LAYER_KERNEL + 1]; e++) {
		ev_id call = p->link[e];

		if (call == ID_NONE || p->name[e] >= p->n_strs)
			continue;
		if (first[p->name[e]] == ID_NONE || p->start[call] < p->start[first[p->name[e]]])
			first[p->name[e]] = call;
	}
	all_busy(f, &busy);
	for (uint32_t i = 0; i < p->n_strs; i++) {
		ev_id call = first[i];

		if (call == ID_NONE)
			continue;
		f->call_first[call - base] = FIRST_USE;
		if (p->dur[call] > LOADS_NS && !call_is_graph(p, call) &&
			spans_overlap(&busy, p->start[call], ev_end(p, call)) < p->dur[call] / 2)
			f->call_first[call - base] = FIRST_LOADS;
	}
	spans_fini(&busy);
	free(first);
}
