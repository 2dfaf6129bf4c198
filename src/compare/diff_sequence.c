/*
 * diff_sequence.c - the kernels of the median step of both sides, in the order of their launches, aligned: what was put in, taken out
 * or replaced, with its time. The rows of a device sum to the kernels of the step. Equal changes (of each layer, say) are one row.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "calc/edit_script.h"
#include "compare/diff_impl.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { NAMES_SHOWN = 3 };
#define BUDGET (UINT64_C(1) << 28)	/* comparisons: about a second */

struct seq_kernel {
	ns_t at;		/* of the launch, without one of the kernel */
	ns_t start, dur;
	int64_t device;
	uint32_t name;		/* number of the name, the same on both sides */
	uint32_t slot;		/* of the step */
	ev_id e;
};
struct seq_side {
	struct selection k;
	bool open;
	VEC(struct seq_kernel) v;
	const struct seq_kernel *step;	/* kernels of the median step */
	uint32_t n;
	uint32_t steps, alike;		/* with kernels; with the very sequence of the median step */
};
/* Equal changes, and the first of them. */
struct seq_change {
	struct align_run first;
	uint32_t times;
	int64_t ns[2];
};
struct sequences {
	struct diff *d;
	struct seq_side side[2];
	int gathering;
	struct map of_string[2];	/* string id -> number of the name */
	struct map numbers;		/* hash of the canonical name -> its number */
	VEC(const char *) names;
	struct sbuf text;
};

/* ---- the kernels ---- */

static uint32_t name_number(struct sequences *q, int side, const struct profile *p, str_id id)
{
	uint32_t known = map_find(&q->of_string[side], id, 0);
	size_t n;
	const char *s;

	if (known != MAP_NONE)
		return known;
	s = profile_str(p, id, &n);
	sbuf_reset(&q->text);
	diff_kernel_name(&q->text, s, n);
	known = map_get_or_put(&q->numbers, map_hash_bytes(sbuf_str(&q->text), q->text.n), q->text.n, (uint32_t)q->names.n);
	if (known == q->names.n)
		VEC_PUSH(&q->names, arena_strndup(&q->d->arena, sbuf_str(&q->text), q->text.n));
	map_put(&q->of_string[side], id, 0, known);
	return known;
}

static void add_kernel(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct sequences *q = arg;
	const struct profile *p = k->p;
	struct diff_steps *s = &q->d->steps[q->gathering];
	uint32_t slot = s->any ? diff_step_at(s, split_gpu(k, tr, e)) : 0;

	if (slot != ID_NONE)
		VEC_PUSH(&q->side[q->gathering].v, (struct seq_kernel){ p->link[e] == ID_NONE ? p->start[e] : p->start[p->link[e]], p->start[e],
			p->dur[e], tr->device, name_number(q, q->gathering, p, p->name[e]), slot, e });
}

static int seq_cmp(const void *x, const void *y)
{
	const struct seq_kernel *a = x, *b = y;

	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->e > b->e) - (a->e < b->e);
}

static uint32_t step_end(const struct seq_side *s, uint32_t from)
{
	uint32_t i = from;

	while (i < s->v.n && s->v.a[i].slot == s->v.a[from].slot)
		i++;
	return i;
}

static bool alike(const struct seq_kernel *a, uint32_t na, const struct seq_kernel *b, uint32_t nb)
{
	bool same = na == nb;

	for (uint32_t i = 0; i < na && same; i++)
		same = a[i].name == b[i].name && a[i].device == b[i].device;
	return same;
}

/* Of the steps with kernels the one of median period; how many are alike with it. */
static void choose_step(struct sequences *q, int side)
{
	const struct diff_steps *d = &q->d->steps[side];
	struct seq_side *s = &q->side[side];
	int64_t median = diff_median(d->period, d->n);

	if (s->v.n)
		qsort(s->v.a, s->v.n, sizeof(*s->v.a), seq_cmp);
	for (uint32_t from = 0, to; from < s->v.n; from = to) {
		to = step_end(s, from);
		if (!s->step || (d->period[s->v.a[from].slot] == median && d->period[s->step->slot] != median)) {
			s->step = &s->v.a[from];
			s->n = to - from;
		}
	}
	for (uint32_t from = 0, to; from < s->v.n; from = to) {
		to = step_end(s, from);
		s->steps++;
		s->alike += alike(&s->v.a[from], to - from, s->step, s->n);
	}
}

/* Of the first source with GPU work, as the steps are. */
static bool gather(struct sequences *q, int side, struct scope *sc, struct err *e)
{
	const struct an_ctx *cx = q->d->side[side].cx;
	struct err own = ERR_INIT;
	uint32_t n, *src;
	bool ok = true;

	*sc = q->d->scope[side];
	sc->by = BY_STEP;
	src = view_sources(cx, sc, NEED_GPU, &n, NULL);
	q->gathering = side;
	if (n && selection_init(&q->side[side].k, cx, sc, src[0], &own)) {
		q->side[side].open = true;
		ok = selections_gpu(&q->side[side].k, LAYER_KERNEL, add_kernel, q, e);
	}
	free(src);
	choose_step(q, side);
	q->d->have[GROUP_SEQUENCE][side] = q->side[side].n > 0;
	return ok;
}

/* ---- rows ---- */

/* The names of a run: the first ones, and how many more. */
static void put_names(struct sequences *q, const struct seq_kernel *v, uint32_t n)
{
	for (uint32_t i = 0; i < n && i < NAMES_SHOWN; i++)
		sbuf_printf(&q->text, "%s%s", i ? " + " : "", q->names.a[v[i].name]);
	if (n > NAMES_SHOWN)
		sbuf_printf(&q->text, " + %u more", n - NAMES_SHOWN);
}

static void put_times(struct table *t, uint32_t row, const struct seq_change *c)
{
	diff_put_change(t, row, c->ns[0], c->ns[1], false, 0);
	table_f64(t, row, C_COUNT_BEFORE, (double)c->first.na * c->times);
	table_f64(t, row, C_COUNT_AFTER, (double)c->first.nb * c->times);
}

/* Which op launched the first kernel of the run, on the side that has it. */
static void put_op(struct sequences *q, int side, const struct seq_kernel *v)
{
	const struct selection *k = &q->side[side].k;
	ev_id call = k->p->link[v->e];
	uint32_t op = call == ID_NONE ? ID_NONE : facts_op_of_call(k->f, call);
	size_t n;
	const char *s;

	if (op == ID_NONE)
		return;
	s = profile_str(k->p, k->f->ops.name[op], &n);
	sbuf_puts(&q->text, _(", launched by "));
	sbuf_put(&q->text, s, k->f->ops.from_nvtx ? rules_op_base(s, n) : n);
}

/* Enter leads to where it is, or was, in the run after. */
static void put_place(struct sequences *q, struct table *t, uint32_t row, const struct seq_kernel *v, uint32_t n, const struct align_run *r)
{
	const struct selection *k = &q->side[1].k;
	uint32_t from = r->b < n ? r->b : n - 1, to = r->nb ? r->b + r->nb - 1 : from;

	an_ref(t, row, REF_TIME, k->f->source, selection_session_time(k, v[from].start), selection_session_time(k, v[to].start + v[to].dur), C_NAME);
}

static void put_changed(struct sequences *q, struct table *t, const struct seq_change *c, const struct seq_kernel *const v[2],
	const uint32_t n[2])
{
	const struct align_run *r = &c->first;
	uint32_t row = table_row(t);

	table_cstr(t, row, C_WHAT, "sequence");
	sbuf_reset(&q->text);
	put_names(q, v[0] + r->a, r->na);
	if (r->na && r->nb)
		sbuf_puts(&q->text, " → ");
	put_names(q, v[1] + r->b, r->nb);
	table_str(t, row, C_NAME, sbuf_str(&q->text), q->text.n);
	put_times(t, row, c);
	table_cstr(t, row, C_CHANGE, r->kind == ALIGN_OPEN ? "not aligned" : !r->na ? "inserted" : !r->nb ? "removed" : "replaced");
	sbuf_reset(&q->text);
	sbuf_printf(&q->text, ngettext("GPU %d, %u time; at kernel %u of %u before, %u of %u after",
		"GPU %d, %u times; first at kernel %u of %u before, %u of %u after", c->times), (int)v[0]->device, c->times, r->a + 1, n[0], r->b + 1, n[1]);
	put_op(q, r->nb ? 1 : 0, r->nb ? v[1] + r->b : v[0] + r->a);
	table_str(t, row, C_DETAIL, sbuf_str(&q->text), q->text.n);
	put_place(q, t, row, v[1], n[1], r);
}

static void put_same(struct sequences *q, struct table *t, const struct seq_change *c, int64_t device)
{
	uint32_t row = table_row(t);

	sbuf_reset(&q->text);
	sbuf_printf(&q->text, "GPU %" PRId64 " kernels in the same order", device);
	table_cstr(t, row, C_WHAT, "sequence");
	table_str(t, row, C_NAME, q->text.s, q->text.n);
	put_times(t, row, c);
	table_cstr(t, row, C_CHANGE, "same");
}

/* ---- changes ---- */

static uint64_t content(const struct seq_kernel *v, uint32_t n, uint64_t h)
{
	for (uint32_t i = 0; i < n; i++)
		h = (h ^ v[i].name) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
	return h;
}

static int64_t time_of(const struct seq_kernel *v, uint32_t n)
{
	int64_t ns = 0;

	for (uint32_t i = 0; i < n; i++)
		if (__builtin_add_overflow(ns, v[i].dur, &ns))
			return INT64_MAX;
	return ns;
}

static int by_size(const void *x, const void *y)
{
	const struct seq_change *a = x, *b = y;
	int64_t da = a->ns[1] - a->ns[0], db = b->ns[1] - b->ns[0];

	da = da < 0 ? -da : da;
	db = db < 0 ? -db : db;
	if (da != db)
		return da < db ? 1 : -1;
	return (a->first.a + a->first.b > b->first.a + b->first.b) - (a->first.a + a->first.b < b->first.a + b->first.b);
}

static void add_run(struct seq_change *c, const struct align_run *r, const struct seq_kernel *const v[2])
{
	if (!c->times++)
		c->first = *r;
	c->ns[0] += time_of(v[0] + r->a, r->na);
	c->ns[1] += time_of(v[1] + r->b, r->nb);
}

/* What stays is one, equal changes are one each. */
static void put_runs(struct sequences *q, struct table *t, const struct align_run *runs, size_t n_runs, const struct seq_kernel *const v[2],
	const uint32_t n[2])
{
	VEC(struct seq_change) changes = { 0 };
	struct seq_change same = { .times = 0 };
	struct map index = { 0 };

	for (size_t i = 0; i < n_runs; i++) {
		const struct align_run *r = &runs[i];
		uint32_t at;

		if (r->kind == ALIGN_SAME) {
			same.ns[0] += time_of(v[0] + r->a, r->na);
			same.ns[1] += time_of(v[1] + r->b, r->nb);
			same.first.na = same.first.nb += r->na;
			same.times = 1;
			continue;
		}
		at = map_get_or_put(&index, content(v[0] + r->a, r->na, r->kind), content(v[1] + r->b, r->nb, r->na), (uint32_t)changes.n);
		if (at == changes.n)
			VEC_PUSH(&changes, (struct seq_change){ .times = 0 });
		add_run(&changes.a[at], r, v);
		if (r->kind == ALIGN_OPEN)
			table_note(t, _("sequence: %u kernels before and %u after differ too much to be aligned with bounded work"), r->na, r->nb);
	}
	if (changes.n)
		qsort(changes.a, changes.n, sizeof(*changes.a), by_size);
	for (size_t i = 0; i < changes.n; i++)
		put_changed(q, t, &changes.a[i], v, n);
	if (same.times)
		put_same(q, t, &same, v[0]->device);
	VEC_FREE(&changes);
	map_fini(&index);
}

static uint32_t *numbers_of(const struct seq_kernel *v, uint32_t n)
{
	uint32_t *out = xreallocarray(NULL, (size_t)n + 1, sizeof(*out));

	for (uint32_t i = 0; i < n; i++)
		out[i] = v[i].name;
	return out;
}

static uint32_t device_end(const struct seq_side *s, uint32_t from)
{
	uint32_t i = from;

	while (i < s->n && s->step[i].device == s->step[from].device)
		i++;
	return i;
}

/* Of devices that one side alone has, nothing is aligned. */
static void note_alone(const struct sequences *q, struct table *t, int side, uint32_t from)
{
	const struct seq_side *s = &q->side[side];

	for (uint32_t at = from; at < s->n; at = device_end(s, at))
		table_note(t, side ? _("sequence: GPU %lld works only after") : _("sequence: GPU %lld works only before"),
			(long long)s->step[at].device);
}

/* The devices of both sides in the order of their numbers: a rank's may have another number in another run. They are called as before. */
static void put_devices(struct sequences *q, struct table *t)
{
	uint32_t at[2] = { 0, 0 };

	while (at[0] < q->side[0].n && at[1] < q->side[1].n) {
		const struct seq_kernel *v[2];
		uint32_t *numbers[2], n[2];
		struct align_run *runs;
		size_t n_runs;

		for (int s = 0; s < 2; s++) {
			v[s] = q->side[s].step + at[s];
			n[s] = device_end(&q->side[s], at[s]) - at[s];
			numbers[s] = numbers_of(v[s], n[s]);
			at[s] += n[s];
		}
		runs = align(numbers[0], n[0], numbers[1], n[1], BUDGET, &n_runs);
		put_runs(q, t, runs, n_runs, v, n);
		free(runs);
		free(numbers[0]);
		free(numbers[1]);
	}
	note_alone(q, t, 0, at[0]);
	note_alone(q, t, 1, at[1]);
}

static void note_step(const struct sequences *q, struct table *t, int side)
{
	const struct seq_side *s = &q->side[side];
	const char *which = side ? _("after") : _("before");

	if (!q->d->steps[side].any)
		return;
	table_note(t, _("sequence, %s: the kernels of step %lld by launch; %u of %u steps have the same ones in the same order"),
		which, (long long)q->d->steps[side].number[s->step->slot], s->alike, s->steps);
}

bool diff_sequences(struct diff *d, struct table *t, struct err *e)
{
	struct sequences q = { .d = d };
	struct scope sc[2];
	bool ok = gather(&q, 0, &sc[0], e) && gather(&q, 1, &sc[1], e);

	if (ok && q.side[0].n && q.side[1].n) {
		put_devices(&q, t);
		note_step(&q, t, 0);
		note_step(&q, t, 1);
	}
	for (int s = 0; s < 2; s++) {
		if (q.side[s].open)
			selection_fini(&q.side[s].k);
		VEC_FREE(&q.side[s].v);
		map_fini(&q.of_string[s]);
	}
	map_fini(&q.numbers);
	VEC_FREE(&q.names);
	sbuf_fini(&q.text);
	return ok;
}
