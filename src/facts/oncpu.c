/*
 * oncpu.c - ops that compute on the CPU, by their names: no trace says on which device an op works. An op of a GPU's tensors ends in a
 * launch, its own or that of an op below it; a name that launches nothing in the whole file is that of ops that do the work themselves.
 * Ops of a name that launches elsewhere are left to the device: one without a launch may have had nothing to do.
 */
#include <stdlib.h>

#include "facts/parts.h"
#include "base/mem.h"

/* Calls that hand work to a device, by what they are called or by what they did. */
static bool hands_over(const struct facts *f, ev_id call)
{
	enum rt_class rt = facts_rt(f, call);
	uint32_t first;

	return rt == RT_LAUNCH || rt == RT_MEMCPY || profile_launched_by(f->p, call, &first);
}

/* Marks the names of the ops around each call that hands work over; false: there is no such call. */
static bool find_launching(const struct facts *f, uint8_t *launches)
{
	const struct profile *p = f->p;
	ev_id base = p->layer_first[LAYER_RUNTIME];
	uint8_t *seen = xcalloc(f->ops.n, 1);
	bool any = false;

	for (ev_id e = base; e < p->layer_first[LAYER_RUNTIME + 1]; e++) {
		if (!hands_over(f, e))
			continue;
		any = true;
		for (uint32_t op = f->call_op[e - base]; op != ID_NONE && !seen[op];
		     op = f->ops.parent[op]) {
			seen[op] = 1;
			if (f->ops.name[op] < p->n_strs)
				launches[facts_same_op(f, f->ops.name[op])] = 1;
		}
	}
	free(seen);
	return any;
}

static bool computes(const struct facts *f, const struct rules *r, str_id id)
{
	struct host_class hc;
	size_t n;
	const char *s = profile_str(f->p, id, &n);

	rules_op(r, s, n, &hc);
	return hc.computes;
}

void facts_find_on_cpu(struct facts *f, const struct rules *r)
{
	const struct profile *p = f->p;
	uint8_t *launches = xcalloc(p->n_strs, 1), *asked = xcalloc(p->n_strs, 1);
	bool any = find_launching(f, launches);

	f->on_cpu = xcalloc(p->n_strs, 1);
	for (uint32_t op = 0;
	     op < f->ops.n && (any || !(p->caps & (CAP_GPU | CAP_RUNTIME | CAP_DEVICE_UNREAD)));
	     op++) {
		str_id id =
			f->ops.name[op] < p->n_strs ? facts_same_op(f, f->ops.name[op]) : ID_NONE;

		if (id == ID_NONE || asked[id])
			continue;
		asked[id] = 1;
		f->on_cpu[id] = !launches[id] && computes(f, r, id);
	}
	free(launches);
	free(asked);
}
