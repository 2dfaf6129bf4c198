/*
 * diff_gather.c - the values per step of everything that is compared, from the views that show them;
 * see diff.h
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sbuf.h"
#include "compare/diff_impl.h"
#include "table/get.h"

/* ---- steps ------------------------------------------------------------------------------------- */

/* Whether the row is a step of the first source and rank that is in the window and complete. */
static bool eligible(const struct table *t, uint32_t row, bool steady)
{
	return get_same(t, row, 0, "source") && get_same(t, row, 0, "rank") &&
	       get_i64(t, row, "step") >= 0 && get_i64(t, row, "period_ns") > 0 &&
	       !(steady && (get_bool(t, row, "warmup") || get_bool(t, row, "partial")));
}

uint32_t diff_step_at(const struct diff_steps *s, int64_t number)
{
	uint32_t i = map_find(&s->index, (uint64_t)number, 0);

	return i == MAP_NONE ? ID_NONE : i;
}

static struct quantity *quantity_of(struct diff *d, enum diff_group group, int64_t part,
				    const char *name, size_t len)
{
	uint64_t a = map_hash_bytes(name, len), b = ((uint64_t)part << 8) + group;
	uint32_t i = map_get_or_put(&d->index, a, b, (uint32_t)d->q.n);
	struct quantity q = {.group = group, .part = part, .len = len, .count = {-1, -1}};

	if (i < d->q.n)
		return &d->q.a[i];
	q.name = arena_strndup(&d->arena, name, len);
	for (int s = 0; s < 2; s++)
		q.ns[s] = arena_zalloc(&d->arena, DIFF_STEPS * sizeof(*q.ns[s]));
	VEC_PUSH(&d->q, q);
	return &d->q.a[i];
}

static void add_ns(int64_t *v, int64_t ns)
{
	if (ns > 0 && __builtin_add_overflow(*v, ns, v))
		*v = INT64_MAX;
}

static void add_count(struct quantity *q, int side, int64_t n)
{
	if (n < 0)
		return;
	q->count[side] = (q->count[side] < 0 ? 0 : q->count[side]) + n;
}

/* A value in a step, by the step's place. */
static void add_value(struct diff *d, int side, struct quantity *q, uint32_t step, int64_t ns)
{
	int32_t at = d->steps[side].sample[step];

	add_ns(&q->total[side], ns);
	if (at >= 0)
		add_ns(&q->ns[side][at], ns);
}

static void add_phases(struct diff *d, int side, const struct table *t, uint32_t row, uint32_t step)
{
	static const struct {
		const char *id, *name;
	} phases[] = {{"dataload_ns", "dataload"},   {"forward_ns", "forward"},
		      {"backward_ns", "backward"},   {"recompute_ns", "recompute"},
		      {"optimizer_ns", "optimizer"}, {"other_ns", "other"}};

	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		struct quantity *q =
			quantity_of(d, GROUP_PHASE, 0, phases[i].name, strlen(phases[i].name));

		add_value(d, side, q, step, get_i64(t, row, phases[i].id));
		q->unknown[side] |= get_i64(t, row, phases[i].id) == INT64_MIN;
	}
	d->have[GROUP_PHASE][side] = true;
}

/* A source that does not know its rank is not narrowed away where there is but one. */
static bool several_ranks(const struct table *t)
{
	int64_t first = get_i64(t, 0, "rank");

	for (uint32_t row = 1; row < t->n_rows; row++)
		if (get_i64(t, row, "rank") >= 0 && first >= 0 && get_i64(t, row, "rank") != first)
			return true;
	return false;
}

static void make_steps(struct diff *d, struct diff_steps *s, uint32_t n)
{
	s->any = n > 0;
	s->n = n ? n : 1;
	s->n_sample = s->n > DIFF_STEPS ? DIFF_STEPS : s->n;
	s->number = arena_zalloc(&d->arena, s->n * sizeof(*s->number));
	s->period = arena_zalloc(&d->arena, s->n * sizeof(*s->period));
	s->slow = arena_zalloc(&d->arena, s->n * sizeof(*s->slow));
	s->sample = arena_alloc(&d->arena, s->n * sizeof(*s->sample));
	memset(s->sample, 0xff, s->n * sizeof(*s->sample));
	for (uint32_t i = 0; i < s->n_sample; i++)
		s->sample[(uint64_t)i * s->n / s->n_sample] = (int32_t)i;
}

static void take_steps(struct diff *d, int side, const struct table *t)
{
	struct diff_steps *s = &d->steps[side];
	bool steady = d->scope[side].window == WINDOW_STEADY;
	uint32_t n = 0;

	for (uint32_t row = 0; row < t->n_rows; row++)
		n += eligible(t, row, steady);
	make_steps(d, s, n);
	n = 0;
	for (uint32_t row = 0; row < t->n_rows; row++) {
		if (!eligible(t, row, steady))
			continue;
		s->number[n] = get_i64(t, row, "step");
		s->period[n] = get_i64(t, row, "period_ns");
		s->slow[n] = get_bool(t, row, "outlier");
		s->outliers += s->slow[n];
		map_get_or_put(&s->index, (uint64_t)s->number[n], 0, n);
		add_phases(d, side, t, row, n++);
	}
	if (n && d->scope[side].rank == SCOPE_ANY && several_ranks(t))
		d->scope[side].rank = get_i64(t, 0, "rank");
	if (!n)
		s->period[0] = t->wall_ns > 0 ? t->wall_ns : 0;
	d->have[GROUP_STEP][side] = s->period[0] > 0;
}

/* ---- views ------------------------------------------------------------------------------------- */

/* What is taken from a view: the columns of names, and one of time; label: part of the name. */
static const struct source_view {
	enum diff_group group;
	const char *view, *names[3], *label, *ns, *count, *part;
} views[] = {
	{GROUP_GPU, "gpu", {0}, "compute", "compute_ns", NULL, "device"},
	{GROUP_GPU, "gpu", {0}, "exposed communication", "exposed_comm_ns", NULL, "device"},
	{GROUP_GPU, "gpu", {0}, "exposed copies", "exposed_memcpy_ns", NULL, "device"},
	{GROUP_GPU, "gpu", {0}, "idle", "idle_ns", NULL, "device"},
	{GROUP_CLASS, "classes", {"class"}, NULL, "total_ns", "count", NULL},
	{GROUP_KERNEL, "kernels", {"name"}, NULL, "total_ns", "count", NULL},
	{GROUP_OP, "ops", {"name"}, NULL, "self_ns", "count", NULL},
	{GROUP_RUNTIME, "runtime", {"name"}, NULL, "total_ns", "count", NULL},
	{GROUP_COPY, "memcpy", {"kind", "src", "dst"}, NULL, "time_ns", "count", NULL},
	{GROUP_SYNC, "sync", {"type"}, NULL, "time_ns", "count", NULL},
};
static const struct source_view breakdown = {
	GROUP_BREAKDOWN, "breakdown", {"level1", "level2"}, NULL, "time_ns", NULL, NULL};

void diff_kernel_name(struct sbuf *b, const char *s, size_t n)
{
	if (n > 5 && !memcmp(s, "void ", 5)) {
		s += 5;
		n -= 5;
	}
	if (n && s[n - 1] == ')') {
		size_t open = n - 1, depth = 1;

		while (open && depth) {
			open--;
			depth += s[open] == ')';
			depth -= s[open] == '(';
		}
		n = open ? open : n;
	}
	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ')
			sbuf_putc(b, s[i]);
}

static void name_of(struct sbuf *b, const struct diff *d, const struct source_view *v, const struct table *t,
		    uint32_t row, uint32_t pair)
{
	int64_t other;

	sbuf_reset(b);
	if (v->part)
		sbuf_printf(b, "GPU %" PRId64 " %s", diff_pair_number(d, pair, &other), v->label);
	for (size_t i = 0; i < 3 && v->names[i]; i++) {
		const struct cell *c = get_cell(t, row, v->names[i]);

		if (i)
			sbuf_puts(b, " / ");
		if (c->type == CELL_STR && v->group == GROUP_KERNEL)
			diff_kernel_name(b, c->v.s, c->len);
		else if (c->type == CELL_STR)
			sbuf_put(b, c->v.s, c->len);
	}
}

/* The place of a row's step among those that are compared; ID_NONE: it is none of them. */
static uint32_t step_of(const struct diff_steps *s, const struct table *t, uint32_t row)
{
	const struct cell *by = get_cell(t, row, "by");
	int64_t step = by->type == CELL_I64 ? by->v.i : INT64_MIN;

	if (!s->any)
		return 0;
	if (by->type == CELL_STR && !num_parse_i64(by->v.s, by->len, &step))
		return ID_NONE;
	return diff_step_at(s, step);
}

static void take_row(struct diff *d, int side, const struct source_view *v, const struct table *t,
		     uint32_t row, uint32_t step, struct sbuf *name)
{
	int64_t ns = get_i64(t, row, v->ns), rank = get_i64(t, row, "rank");
	uint32_t pair = v->part ? diff_device_pair(&d->devices[side], rank < 0 ? -1 : rank, get_i64(t, row, v->part)) : 0;
	struct quantity *q;

	if (pair == ID_NONE)
		return;
	name_of(name, d, v, t, row, pair);
	q = quantity_of(d, v->group, pair, sbuf_str(name), name->n);
	add_value(d, side, q, step, ns);
	if (v->count)
		add_count(q, side, get_i64(t, row, v->count));
}

static void take_rows(struct diff *d, int side, const struct source_view *v, const struct table *t)
{
	struct sbuf name = {0};

	for (uint32_t row = 0; row < t->n_rows; row++) {
		uint32_t step = step_of(&d->steps[side], t, row);

		if (step != ID_NONE)
			take_row(d, side, v, t, row, step, &name);
		d->have[v->group][side] = true;
	}
	sbuf_fini(&name);
}

/* Every view once, for all entries that take from it; they stand next to each other. */
static bool take_views(struct diff *d, int side, struct err *e)
{
	struct scope sc = d->scope[side];
	struct table *t = NULL;
	bool ok = true;

	sc.by = d->steps[side].any ? BY_STEP : BY_NONE;
	for (size_t i = 0; i < sizeof(views) / sizeof(*views) && ok; i++) {
		if (!t || strcmp(views[i].view, views[i - 1].view)) {
			table_free(t);
			t = analysis_table(context_view(d->side[side].cx, views[i].view), d->side[side].cx, &sc, e);
		}
		ok = t != NULL;
		if (ok)
			take_rows(d, side, &views[i], t);
	}
	table_free(t);
	return ok;
}

/* Steps [a, b] of the breakdown; sample: its place, -1: they are all steps, whose totals they are. */
static bool take_partition(struct diff *d, int side, uint32_t a, uint32_t b, bool total, int32_t sample, struct err *e)
{
	const struct diff_steps *s = &d->steps[side];
	struct scope sc = d->scope[side];
	struct sbuf name = {0};
	struct table *t;

	scope_set_partition(&sc, "", 0);
	if (s->any) {
		sc.window = WINDOW_STEPS;
		sc.step_a = s->number[a];
		sc.step_b = s->number[b];
	}
	t = analysis_table(context_view(d->side[side].cx, "breakdown"), d->side[side].cx, &sc, e);
	for (uint32_t row = 0; t && row < t->n_rows; row++) {
		int64_t ns = get_i64(t, row, breakdown.ns);
		struct quantity *q;

		name_of(&name, d, &breakdown, t, row, 0);
		q = quantity_of(d, GROUP_BREAKDOWN, 0, sbuf_str(&name), name.n);
		if (total)
			add_ns(&q->total[side], ns);
		if (sample >= 0)
			add_ns(&q->ns[side][sample], ns);
		d->have[GROUP_BREAKDOWN][side] = true;
	}
	sbuf_fini(&name);
	table_free(t);
	return t != NULL;
}

/* The breakdown is a partition of one window: step by step, and where not each is looked at once over all of them. */
static bool take_breakdown(struct diff *d, int side, struct err *e)
{
	const struct diff_steps *s = &d->steps[side];
	bool all = s->n_sample == s->n, ok = all || take_partition(d, side, 0, s->n - 1, true, -1, e);

	for (uint32_t i = 0; i < s->n && ok; i++)
		ok = s->sample[i] < 0 || take_partition(d, side, i, i, all, s->sample[i], e);
	return ok;
}

static bool gather_steps(struct diff *d, int side, struct err *e)
{
	struct table *t;

	d->scope[side] = d->side[side].scope;
	d->scope[side].page = 0;
	d->scope[side].by = BY_NONE;
	t = analysis_table(context_view(d->side[side].cx, "steps"), d->side[side].cx, &d->scope[side], e);
	if (!t)
		return false;
	take_steps(d, side, t);
	table_free(t);
	t = analysis_table(context_view(d->side[side].cx, "gpu"), d->side[side].cx, &d->scope[side], e);
	if (!t)
		return false;
	diff_list_devices(&d->devices[side], t);
	table_free(t);
	return true;
}

/* Recorders of the time before 2023 write whole microseconds. */
static int64_t grid_of(const struct diff *d, int side)
{
	for (size_t i = 0; i < d->q.n; i++)
		for (uint32_t s = 0; s < d->steps[side].n_sample; s++)
			if (d->q.a[i].ns[side][s] % 1000)
				return 1;
	return 1000;
}

bool diff_gather(struct diff *d, struct err *e)
{
	if (!gather_steps(d, 0, e) || !gather_steps(d, 1, e))
		return false;
	diff_pair_devices(d);
	for (int s = 0; s < 2; s++) {
		if (!take_views(d, s, e) || !take_breakdown(d, s, e))
			return false;
		d->grid[s] = grid_of(d, s);
	}
	return true;
}

void diff_fini(struct diff *d)
{
	for (int s = 0; s < 2; s++) {
		map_fini(&d->steps[s].index);
		VEC_FREE(&d->devices[s].v);
	}
	VEC_FREE(&d->q);
	map_fini(&d->index);
	arena_free(&d->arena);
}
