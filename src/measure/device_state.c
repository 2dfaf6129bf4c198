/* device_state.c - the state of a device at each instant, see device_state.h */
#include "measure/device_state.h"

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

/* Whether t lies in the set; *until moves up to where that changes. *at: the first interval that ends after t, kept by the caller. */
static bool holds(const struct spans *s, size_t *at, ns_t t, ns_t *until)
{
	bool in;
	ns_t change;

	while (*at < s->n && s->a[*at].end <= t)
		++*at;
	if (*at == s->n)
		return false;
	in = s->a[*at].start <= t;
	change = in ? s->a[*at].end : s->a[*at].start;
	*until = change < *until ? change : *until;
	return in;
}

/* The kinds of work are in the order of precedence; of the two directions both may run at once. */
static enum gpu_state state_at(const struct device_facts *d, size_t at[BUSY_N], ns_t t, ns_t *until)
{
	static const enum gpu_state of[BUSY_N] = {
		[BUSY_COMPUTE] = GPU_COMPUTE, [BUSY_COMM] = GPU_COMM, [BUSY_HTOD] = GPU_HTOD, [BUSY_DTOH] = GPU_DTOH, [BUSY_PTOP] = GPU_PTOP,
		[BUSY_DTOD] = GPU_DTOD, [BUSY_MEMSET] = GPU_MEMSET, [BUSY_COPY_REST] = GPU_COPY_REST,
	};

	for (int b = 0; b < BUSY_N; b++) {
		if (!holds(&d->busy[b], &at[b], t, until))
			continue;
		if (b == BUSY_HTOD && holds(&d->busy[BUSY_DTOH], &at[BUSY_DTOH], t, until))
			return GPU_BOTH;
		return of[b];
	}
	return GPU_IDLE;
}

void gpu_state_each(const struct device_facts *d, const struct spans *window,
	void (*fn)(void *arg, ns_t start, ns_t end, enum gpu_state s), void *arg)
{
	size_t at[BUSY_N];

	for (size_t i = 0; i < window->n; i++) {
		ns_t t = window->a[i].start, until;

		for (int b = 0; b < BUSY_N; b++)
			at[b] = spans_seek(&d->busy[b], t);
		for (; t < window->a[i].end; t = until) {
			enum gpu_state s;

			until = window->a[i].end;
			s = state_at(d, at, t, &until);
			fn(arg, t, until, s);
		}
	}
}

static void add_to_state(void *arg, ns_t start, ns_t end, enum gpu_state s)
{
	struct spans *out = arg;

	spans_append(&out[s], start, end);
}

void gpu_state_spans(const struct device_facts *d, const struct spans *window, struct spans out[GPU_STATE_N])
{
	memset(out, 0, GPU_STATE_N * sizeof(*out));
	gpu_state_each(d, window, add_to_state, out);
}

static int by_start(const void *pa, const void *pb)
{
	const struct owner_span *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

RUNS_SORT(sort_segs, struct owner_span, by_start)

/*
 * Owner of each instant. States take precedence over start order, so each kind of work is swept
 * alone and clipped to its own states.
 */
enum device_state_work_kind { WORK_COMPUTE, WORK_COMM, WORK_COPY, WORK_N };

static enum device_state_work_kind kind_of_work(const struct selection *k, enum layer l, ev_id e)
{
	if (l != LAYER_KERNEL)
		return WORK_COPY;
	return facts_kclass(k->f, e)->class == KCLASS_COMMUNICATION ? WORK_COMM : WORK_COMPUTE;
}

static void push_piece(void *arg, const struct owner_span *piece)
{
	struct owner_list *out = arg;

	VEC_PUSH(out, *piece);
}

static void lay_out(const struct selection *k, const struct device_facts *d, enum device_state_work_kind kind, const struct spans *where,
	struct owner_list *out)
{
	const struct profile *p = k->p;
	VEC(struct owner_event) ev = { 0 };
	struct owner_list all = { 0 };
	uint32_t n;
	const track_id *t = facts_device_tracks(k->f, d, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct track *tr = &p->tracks[t[i]];

		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (kind_of_work(k, tr->layer, e) == kind)
				VEC_PUSH(&ev, (struct owner_event){ p->start[e], ev_end(p, e), e, 0 });
	}
	owner_list_of_events(&all, ev.a, ev.n);
	owner_list_clip(&all, where, push_piece, out);
	owner_list_fini(&all);
	VEC_FREE(&ev);
}

static void keep_state(void *arg, ns_t start, ns_t end, enum gpu_state s)
{
	struct owner_list *out = arg;
	struct owner_span *last = out->n ? &out->a[out->n - 1] : NULL;

	if (last && last->owner == (uint32_t)s && last->end == start)
		last->end = end;
	else
		VEC_PUSH(out, (struct owner_span){ start, end, (uint32_t)s });
}

static void make_owners(const struct selection *k, const struct device_facts *d, struct gpu_states *out)
{
	struct spans compute = { 0 }, comm = { 0 }, copies = { 0 };

	for (size_t i = 0; i < out->states.n; i++) {
		const struct owner_span *x = &out->states.a[i];

		if (x->owner != GPU_IDLE)
			spans_append(x->owner == GPU_COMPUTE ? &compute : x->owner == GPU_COMM ? &comm : &copies, x->start, x->end);
	}
	lay_out(k, d, WORK_COMPUTE, &compute, &out->owners);
	lay_out(k, d, WORK_COMM, &comm, &out->owners);
	lay_out(k, d, WORK_COPY, &copies, &out->owners);
	sort_segs(out->owners.a, out->owners.n);
	spans_fini(&compute);
	spans_fini(&comm);
	spans_fini(&copies);
}

void gpu_states_make(const struct selection *k, const struct device_facts *d, const struct spans *window, bool owners, struct gpu_states *out)
{
	gpu_state_each(d, window, keep_state, &out->states);
	if (owners)
		make_owners(k, d, out);
}

void gpu_states_fini(struct gpu_states *st)
{
	owner_list_fini(&st->states);
	owner_list_fini(&st->owners);
}

const char *gpu_work_class(const struct selection *k, ev_id e)
{
	const struct profile *p = k->p;

	if (e < p->layer_first[LAYER_KERNEL + 1])
		return kclass_name(facts_kclass(k->f, e)->class);
	if (e >= p->layer_first[LAYER_MEMSET])
		return "Memset";
	return p->aux[e] < p->n_copies ? copy_kind_name((enum copy_kind)p->copies[p->aux[e]].kind) : "Copy";
}

void gpu_parts_add(struct gpu_parts *p, uint32_t row, const struct selection *k, int64_t device,
		   ns_t start, ns_t end)
{
	uint32_t i = groups_add(&p->g, &(struct group_key){ .k = { row, k->f->source, (uint64_t)device } });

	if (i == p->v.n)
		VEC_PUSH(&p->v, (struct gpu_part){ .row = row, .k = k, .device = device });
	spans_add(&p->v.a[i].work, start, end);
}

void gpu_parts_fini(struct gpu_parts *p)
{
	for (size_t i = 0; i < p->v.n; i++)
		spans_fini(&p->v.a[i].work);
	VEC_FREE(&p->v);
	groups_fini(&p->g);
}

void gpu_part_cover(struct gpu_cover *c, struct gpu_part *part)
{
	const struct device_facts *d = facts_device(part->k->f, part->device);
	struct spans left = { 0 }, bare = { 0 };

	spans_norm(&part->work);
	spans_subtract(&left, &part->work, &d->busy[BUSY_COMPUTE]);
	spans_subtract(&bare, &left, &d->busy[BUSY_COMM]);
	c->busy += spans_measure(&part->work);
	c->outside += spans_measure(&left);
	c->bare += spans_measure(&bare);
	spans_fini(&left);
	spans_fini(&bare);
}
