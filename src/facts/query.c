/* query.c - the questions that facts answer, also while they are being made; see facts.h */
#include "base/search.h"
#include "facts/facts.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "facts/parts.h"

const enum layer marker_layers[4] = {LAYER_ANNOT, LAYER_OP, LAYER_NVTX, LAYER_NVTX_SE};

struct per_name per_name_new(const struct profile *p)
{
	struct per_name m = {xmalloc(p->n_strs)};

	memset(m.v, MEMO_NONE, p->n_strs);
	return m;
}

/*
 * The last of n segments that begins at t or before, the first if none does. Who asks goes through time: the search begins where this
 * thread's last one of the same list ended, and widens from there.
 */
struct last_search {
	const void *list;
	uint32_t at;
};

static uint32_t segment_at(struct last_search *last, const void *list, size_t size, uint32_t n,
			   ns_t t)
{
	const char *a = list;
	uint32_t lo = last->list == list && last->at < n ? last->at : 0, hi, step = 1;

#define START(i) (*(const ns_t *)(const void *)(a + (i)*size))
	if (START(lo) <= t) {
		for (hi = lo + 1; hi < n && START(hi) <= t; step *= 2) {
			lo = hi;
			hi = n - lo > step ? lo + step : n;
		}
	} else {
		for (hi = lo; lo && START(lo) > t; step *= 2) {
			hi = lo;
			lo = lo > step ? lo - step : 0;
		}
	}
	LOWER_BOUND(lo, lo + 1, hi, START(lo) <= t);
	lo--;
#undef START
	*last = (struct last_search){list, lo};
	return lo;
}

uint32_t facts_phase_index(const struct proc_facts *pf, ns_t t)
{
	static _Thread_local struct last_search last;

	_Static_assert(offsetof(struct phase_seg, start) == 0, "segments begin with their start");
	return pf->n_phases ? segment_at(&last, pf->phases, sizeof(*pf->phases), pf->n_phases, t)
			    : 0;
}

enum phase facts_phase_at(const struct facts *f, uint32_t proc, ns_t t)
{
	const struct proc_facts *pf = &f->procs[proc];

	return pf->n_phases ? (enum phase)pf->phases[facts_phase_index(pf, t)].phase : PHASE_OTHER;
}

uint32_t facts_issue_index(const struct proc_facts *pf, ns_t t)
{
	static _Thread_local struct last_search last;

	_Static_assert(offsetof(struct issue_seg, start) == 0, "segments begin with their start");
	return pf->n_issue ? segment_at(&last, pf->issue, sizeof(*pf->issue), pf->n_issue, t) : 0;
}

thread_id facts_issuer_at(const struct facts *f, uint32_t proc, ns_t t)
{
	const struct proc_facts *pf = &f->procs[proc];

	return pf->n_issue ? pf->issue[facts_issue_index(pf, t)].thread : pf->main;
}

const struct kernel_class *facts_kclass(const struct facts *f, ev_id kernel)
{
	static const struct kernel_class unknown = {
		.class = KCLASS_UNCLASSIFIED,
		.subclass = "",
		.tensor_core = -1,
		.rule_id = "",
	};
	str_id name = f->p->name[kernel];

	return name < f->p->n_strs && f->kclass_of[name] != ID_NONE
		       ? &f->kclasses[f->kclass_of[name]]
		       : &unknown;
}

enum rt_class facts_rt(const struct facts *f, ev_id call)
{
	str_id name = f->p->name[call];

	return name < f->p->n_strs && f->rt_class_of[name] != RT_N
		       ? (enum rt_class)f->rt_class_of[name]
		       : RT_OTHER;
}

uint32_t facts_op_of_call(const struct facts *f, ev_id call)
{
	return f->call_op[call - f->p->layer_first[LAYER_RUNTIME]];
}

thread_id facts_launch_thread(const struct facts *f, ev_id gpu)
{
	ev_id call = f->p->link[gpu];

	return call == ID_NONE ? ID_NONE : f->call_thread[call - f->p->layer_first[LAYER_RUNTIME]];
}

const struct device_facts *facts_device(const struct facts *f, int64_t device)
{
	uint32_t i;

	LOWER_BOUND(i, 0, f->n_devices, f->devices[i].device < device);
	return i < f->n_devices && f->devices[i].device == device ? &f->devices[i] : NULL;
}
