/* gpu_state.c - the state of a device at each instant, see gpu_state.h */
#include "analyze/gpu_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/runs.h"
#include "base/vec.h"

const char *gpu_state_name(enum gpu_state s)
{
	static const char *const names[GPU_STATE_N] = {
		"compute", "exposed communication", "exposed copy HtoD", "exposed copy DtoH", "exposed copy both ways",
		"exposed copy PtoP", "exposed copy DtoD", "exposed memset", "exposed copy other", "idle",
	};

	return names[s < GPU_STATE_N ? s : GPU_IDLE];
}

/* out = (set AND window) minus taken; taken grows by it. */
static void take(const struct spans *set, const struct spans *window, struct spans *taken, struct spans *out)
{
	struct spans in = { 0 }, more = { 0 };

	if (!set->n)
		return;
	spans_intersect(&in, set, window);
	spans_subtract(out, &in, taken);
	spans_union(&more, taken, out);
	spans_fini(&in);
	spans_fini(taken);
	*taken = more;
}

void gpu_state_spans(const struct device_facts *d, const struct spans *window, struct spans out[GPU_STATE_N])
{
	struct spans taken = { 0 }, both = { 0 }, htod = { 0 }, dtoh = { 0 };

	memset(out, 0, GPU_STATE_N * sizeof(*out));
	spans_intersect(&both, &d->busy[BUSY_HTOD], &d->busy[BUSY_DTOH]);
	spans_subtract(&htod, &d->busy[BUSY_HTOD], &both);
	spans_subtract(&dtoh, &d->busy[BUSY_DTOH], &both);
	take(&d->busy[BUSY_COMPUTE], window, &taken, &out[GPU_COMPUTE]);
	take(&d->busy[BUSY_COMM], window, &taken, &out[GPU_COMM]);
	take(&htod, window, &taken, &out[GPU_HTOD]);
	take(&dtoh, window, &taken, &out[GPU_DTOH]);
	take(&both, window, &taken, &out[GPU_BOTH]);
	take(&d->busy[BUSY_PTOP], window, &taken, &out[GPU_PTOP]);
	take(&d->busy[BUSY_DTOD], window, &taken, &out[GPU_DTOD]);
	take(&d->busy[BUSY_MEMSET], window, &taken, &out[GPU_MEMSET]);
	take(&d->busy[BUSY_COPY_REST], window, &taken, &out[GPU_COPY_REST]);
	spans_subtract(&out[GPU_IDLE], window, &taken);
	spans_fini(&taken);
	spans_fini(&both);
	spans_fini(&htod);
	spans_fini(&dtoh);
}

static int by_start(const void *pa, const void *pb)
{
	const struct seg *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

RUNS_SORT(sort_segs, struct seg, by_start)

/*
 * One event per instant: a rank above the start would be needed to respect the precedence of the states, so each kind of work is
 * laid out by itself and cut to the instants of its own states.
 */
enum work_kind { WORK_COMPUTE, WORK_COMM, WORK_COPY, WORK_N };

static enum work_kind kind_of_work(const struct pick *k, enum layer l, ev_id e)
{
	if (l != LAYER_KERNEL)
		return WORK_COPY;
	return facts_kclass(k->f, e)->class == KCLASS_COMMUNICATION ? WORK_COMM : WORK_COMPUTE;
}

static void push_piece(void *arg, const struct seg *piece)
{
	struct segs *out = arg;

	VEC_PUSH(out, *piece);
}

static void lay_out(const struct pick *k, const struct device_facts *d, enum work_kind kind, const struct spans *where,
	struct segs *out)
{
	const struct profile *p = k->p;
	VEC(struct seg_event) ev = { 0 };
	struct segs all = { 0 };
	uint32_t n;
	const track_id *t = facts_device_tracks(k->f, d, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct track *tr = &p->tracks[t[i]];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (kind_of_work(k, tr->layer, e) == kind)
				VEC_PUSH(&ev, (struct seg_event){ p->start[e], ev_end(p, e), e, 0 });
	}
	segs_of_events(&all, ev.a, ev.n);
	segs_clip(&all, where, push_piece, out);
	segs_fini(&all);
	VEC_FREE(&ev);
}

void gpu_states_make(const struct pick *k, const struct device_facts *d, const struct spans *window, struct gpu_states *out)
{
	struct spans by_state[GPU_STATE_N], copies = { 0 };

	gpu_state_spans(d, window, by_state);
	for (int s = 0; s < GPU_STATE_N; s++) {
		for (size_t i = 0; i < by_state[s].n; i++) {
			VEC_PUSH(&out->states, (struct seg){ by_state[s].a[i].start, by_state[s].a[i].end, (uint32_t)s });
			if (s > GPU_COMM && s < GPU_IDLE)
				spans_add(&copies, by_state[s].a[i].start, by_state[s].a[i].end);
		}
	}
	spans_norm(&copies);
	lay_out(k, d, WORK_COMPUTE, &by_state[GPU_COMPUTE], &out->owners);
	lay_out(k, d, WORK_COMM, &by_state[GPU_COMM], &out->owners);
	lay_out(k, d, WORK_COPY, &copies, &out->owners);
	sort_segs(out->states.a, out->states.n);
	sort_segs(out->owners.a, out->owners.n);
	for (int s = 0; s < GPU_STATE_N; s++)
		spans_fini(&by_state[s]);
	spans_fini(&copies);
}

void gpu_states_fini(struct gpu_states *st)
{
	segs_fini(&st->states);
	segs_fini(&st->owners);
}

const char *gpu_work_class(const struct pick *k, ev_id e)
{
	const struct profile *p = k->p;

	if (e < p->layer_first[LAYER_KERNEL + 1])
		return kclass_name(facts_kclass(k->f, e)->class);
	if (e >= p->layer_first[LAYER_MEMSET])
		return "Memset";
	return p->aux[e] < p->n_copies ? copy_kind_name((enum copy_kind)p->copies[p->aux[e]].kind) : "Copy";
}

void gpu_cover_add(struct gpu_cover *c, const struct device_facts *d, struct spans *work)
{
	struct spans left = { 0 }, bare = { 0 };

	spans_norm(work);
	spans_subtract(&left, work, &d->busy[BUSY_COMPUTE]);
	spans_subtract(&bare, &left, &d->busy[BUSY_COMM]);
	c->busy += spans_measure(work);
	c->outside += spans_measure(&left);
	c->bare += spans_measure(&bare);
	spans_fini(&left);
	spans_fini(&bare);
}
