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

/* ---- steps ------------------------------------------------------------------------------------- */

static const struct cell *at(const struct table *t, uint32_t row, const char *id)
{
	static const struct cell none = {.type = CELL_MISSING};
	int col = table_col(t, id);

	return col < 0 ? &none : table_cell(t, row, (uint32_t)col);
}

static int64_t number_at(const struct table *t, uint32_t row, const char *id)
{
	const struct cell *c = at(t, row, id);

	return c->type == CELL_I64 ? c->v.i : INT64_MIN;
}

static bool is_set(const struct table *t, uint32_t row, const char *id)
{
	const struct cell *c = at(t, row, id);

	return c->type == CELL_BOOL && c->v.b;
}

/* Whether the row is a step of the first source and rank that is in the window and complete. */
static bool eligible(const struct table *t, uint32_t row, bool steady)
{
	return !cell_cmp(at(t, row, "source"), at(t, 0, "source")) &&
	       !cell_cmp(at(t, row, "rank"), at(t, 0, "rank")) && number_at(t, row, "step") >= 0 &&
	       number_at(t, row, "period_ns") > 0 &&
	       !(steady && (is_set(t, row, "warmup") || is_set(t, row, "partial")));
}

/* The eligible rows, outlying ones only where there are no others; the caller frees. */
static uint32_t *choose_rows(const struct table *t, bool steady, struct diff_steps *s, uint32_t *n)
{
	uint32_t *rows = xcalloc((size_t)t->n_rows + 1, sizeof(*rows)), kept = 0;

	for (uint32_t row = 0; row < t->n_rows; row++) {
		if (!eligible(t, row, steady))
			continue;
		s->of++;
		s->outliers += is_set(t, row, "outlier");
	}
	if (s->outliers == s->of)
		s->outliers = 0;
	for (uint32_t row = 0; row < t->n_rows; row++)
		if (eligible(t, row, steady) && !(s->outliers && is_set(t, row, "outlier")))
			rows[kept++] = row;
	*n = kept;
	return rows;
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

static void add_phases(struct diff *d, int side, const struct table *t, uint32_t row, uint32_t slot)
{
	static const struct {
		const char *id, *name;
	} phases[] = {{"dataload_ns", "dataload"},   {"forward_ns", "forward"},
		      {"backward_ns", "backward"},   {"recompute_ns", "recompute"},
		      {"optimizer_ns", "optimizer"}, {"other_ns", "other"}};

	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		struct quantity *q =
			quantity_of(d, GROUP_PHASE, 0, phases[i].name, strlen(phases[i].name));

		add_ns(&q->ns[side][slot], number_at(t, row, phases[i].id));
	}
	d->have[GROUP_PHASE][side] = true;
}

/* A source that does not know its rank is not narrowed away where there is but one. */
static bool several_ranks(const struct table *t)
{
	int64_t first = number_at(t, 0, "rank");

	for (uint32_t row = 1; row < t->n_rows; row++)
		if (number_at(t, row, "rank") >= 0 && first >= 0 && number_at(t, row, "rank") != first)
			return true;
	return false;
}

static void take_steps(struct diff *d, int side, const struct table *t)
{
	struct diff_steps *s = &d->steps[side];
	uint32_t n, *rows = choose_rows(t, d->scope[side].window == WINDOW_STEADY, s, &n);

	s->any = n > 0;
	s->n = n > DIFF_STEPS ? DIFF_STEPS : n ? n : 1;
	for (uint32_t i = 0; i < s->n && n; i++) {
		uint32_t row = rows[(uint64_t)i * n / s->n];

		s->number[i] = number_at(t, row, "step");
		s->period[i] = number_at(t, row, "period_ns");
		add_phases(d, side, t, row, i);
	}
	if (n && d->scope[side].rank == SCOPE_ANY && several_ranks(t))
		d->scope[side].rank = number_at(t, 0, "rank");
	if (!n)
		s->period[0] = t->wall_ns > 0 ? t->wall_ns : 0;
	d->have[GROUP_STEP][side] = s->period[0] > 0;
	free(rows);
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

static void name_of(struct sbuf *b, const struct source_view *v, const struct table *t,
		    uint32_t row)
{
	sbuf_reset(b);
	if (v->part)
		sbuf_printf(b, "GPU %" PRId64 " %s", number_at(t, row, v->part), v->label);
	for (size_t i = 0; i < 3 && v->names[i]; i++) {
		const struct cell *c = at(t, row, v->names[i]);

		if (i)
			sbuf_puts(b, " / ");
		if (c->type == CELL_STR && v->group == GROUP_KERNEL)
			diff_kernel_name(b, c->v.s, c->len);
		else if (c->type == CELL_STR)
			sbuf_put(b, c->v.s, c->len);
	}
}

/* The place of a row's step among those that are compared; -1: it is none of them. */
static int slot_of(const struct diff_steps *s, const struct table *t, uint32_t row)
{
	const struct cell *by = at(t, row, "by");
	int64_t step = by->type == CELL_I64 ? by->v.i : INT64_MIN;

	if (!s->any)
		return 0;
	if (by->type == CELL_STR && !num_parse_i64(by->v.s, by->len, &step))
		return -1;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->number[i] == step)
			return (int)i;
	return -1;
}

static void take_row(struct diff *d, int side, const struct source_view *v, const struct table *t,
		     uint32_t row, uint32_t slot, struct sbuf *name)
{
	int64_t ns = number_at(t, row, v->ns);
	struct quantity *q;

	name_of(name, v, t, row);
	q = quantity_of(d, v->group, v->part ? number_at(t, row, v->part) : 0, sbuf_str(name),
			name->n);
	add_ns(&q->ns[side][slot], ns);
	if (v->count)
		add_count(q, side, number_at(t, row, v->count));
}

static void take_rows(struct diff *d, int side, const struct source_view *v, const struct table *t)
{
	struct sbuf name = {0};

	for (uint32_t row = 0; row < t->n_rows; row++) {
		int slot = slot_of(&d->steps[side], t, row);

		if (slot >= 0)
			take_row(d, side, v, t, row, (uint32_t)slot, &name);
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

/* The breakdown is a partition of one window: step by step. */
static bool take_breakdown(struct diff *d, int side, struct err *e)
{
	const struct diff_steps *s = &d->steps[side];
	struct sbuf name = {0};
	bool ok = true;

	for (uint32_t i = 0; i < s->n && ok; i++) {
		struct scope sc = d->scope[side];
		struct table *t;

		memset(sc.partition, 0, sizeof(sc.partition));
		if (s->any) {
			sc.window = WINDOW_STEPS;
			sc.step_a = sc.step_b = s->number[i];
		}
		t = analysis_table(context_view(d->side[side].cx, "breakdown"), d->side[side].cx, &sc, e);
		for (uint32_t row = 0; t && row < t->n_rows; row++) {
			take_row(d, side, &breakdown, t, row, i, &name);
			d->have[GROUP_BREAKDOWN][side] = true;
		}
		ok = t != NULL;
		table_free(t);
	}
	sbuf_fini(&name);
	return ok;
}

static bool gather_side(struct diff *d, int side, struct err *e)
{
	struct table *t;

	d->scope[side] = d->side[side].scope;
	d->scope[side].by = BY_NONE;
	t = analysis_table(context_view(d->side[side].cx, "steps"), d->side[side].cx, &d->scope[side], e);
	if (!t)
		return false;
	take_steps(d, side, t);
	table_free(t);
	return take_views(d, side, e) && take_breakdown(d, side, e);
}

/* Recorders of the time before 2023 write whole microseconds. */
static int64_t grid_of(const struct diff *d, int side)
{
	for (size_t i = 0; i < d->q.n; i++)
		for (uint32_t s = 0; s < d->steps[side].n; s++)
			if (d->q.a[i].ns[side][s] % 1000)
				return 1;
	return 1000;
}

bool diff_gather(struct diff *d, struct err *e)
{
	if (!gather_side(d, 0, e) || !gather_side(d, 1, e))
		return false;
	for (int s = 0; s < 2; s++)
		d->grid[s] = grid_of(d, s);
	return true;
}
