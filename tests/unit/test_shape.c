/* test_shape.c - projections, groups and matrices of a table (table/shape.h) */
#include "table/shape.h"

#include "tests/lib/tap.h"

enum {
	C_A,
	C_B,
	C_NS,
	C_SHARE,
	C_NOTE,
	N_COLS
};

static const struct column_def cols[] = {
	[C_A] = {"a", "A", UNIT_TEXT, COL_NAME | COL_KEY, 0, ""},
	[C_B] = {"b", "B", UNIT_TEXT, 0, 0, ""},
	[C_NS] = {"time_ns", "Time", UNIT_NS, 0, 0, ""},
	[C_SHARE] = {"share", "Share", UNIT_RATIO, 0, 0, ""},
	[C_NOTE] = {"note", "Note", UNIT_TEXT, COL_JSON_ONLY, 0, ""},
};

static void add(struct table *t, const char *a, const char *b, int64_t ns, double share)
{
	uint32_t r = table_row(t);

	table_cstr(t, r, C_A, a);
	table_cstr(t, r, C_B, b);
	table_i64(t, r, C_NS, ns);
	table_f64(t, r, C_SHARE, share);
}

static struct table *make(void)
{
	struct table *t = table_new("breakdown", cols, N_COLS);

	add(t, "gpu", "sync", 700, 0.5);
	add(t, "idle", "sync", 20, 0.25);
	add(t, "gpu", "python", 3, 0.125);
	add(t, "gpu", "sync", INT64_C(9007199254740993), 0.125); /* 2^53 + 1: no double holds it */
	table_note(t, "a note");
	table_source(t, "x.sqlite");
	t->window_kind = "steady";
	t->wall_ns = 42;
	return t;
}

static int64_t i64(const struct table *t, uint32_t row, uint32_t col)
{
	const struct cell *c = table_cell(t, row, col);

	return c->type == CELL_I64 ? c->v.i : -1;
}

static const char *str(const struct table *t, uint32_t row, uint32_t col)
{
	const struct cell *c = table_cell(t, row, col);

	return c->type == CELL_STR ? c->v.s : NULL;
}

static void test_project(void)
{
	struct table *t = make(), *p;
	const struct shape_col want[] = {{C_NS, true}, {C_NOTE, false}, {C_A, false}};
	uint32_t rows[] = {2, 0};
	struct table_view v = {rows, 2};

	p = table_project(t, &v, want, 3);
	table_free(t);
	is_uint(p->n_cols, 3, "three columns");
	is_uint(p->n_rows, 2, "the rows of the view");
	is_int(i64(p, 0, 0), 3, "in the order of the view");
	is_str(str(p, 1, 2), "gpu", "texts outlive the old table");
	is_str(p->cols[0].title, "Time, ns", "a plain column says its unit");
	is_int(p->cols[0].unit, UNIT_COUNT, "and shows all digits");
	ok(!(p->cols[1].flags & COL_JSON_ONLY), "every column is shown");
	ok(p->cols[2].flags & COL_NAME, "a name at the end stays the wide column");
	is_str(p->notes[0], "a note", "notes come along");
	is_str(p->sources[0], "x.sqlite", "and sources");
	is_str(p->window_kind, "steady", "and the window");
	is_int(p->wall_ns, 42, "and the wall");
	table_free(p);
}

static void test_project_order(void)
{
	struct table *t = make(), *p;
	const struct shape_col want[] = {{C_A, false}, {C_NS, false}};

	p = table_project(t, NULL, want, 2);
	ok(!(p->cols[0].flags & COL_NAME), "a name before other columns keeps its place");
	is_int(p->cols[1].unit, UNIT_NS, "units stay");
	table_free(p);
	table_free(t);
}

/* root(10) -> mid(8) -> leaf(7); other(1) */
static void test_project_tree(void)
{
	struct table *t = table_new("optree", cols, N_COLS), *p;
	const struct shape_col want[] = {{C_A, false}};
	uint32_t rows[] = {0, 2, 3};
	struct table_view v = {rows, 3};

	add(t, "root", NULL, 10, 0);
	add(t, "mid", NULL, 8, 0);
	add(t, "leaf", NULL, 7, 0);
	add(t, "other", NULL, 1, 0);
	table_set_parent(t, 1, 0);
	table_set_parent(t, 2, 1);
	table_set_parent(t, 3, 0);
	p = table_project(t, &v, want, 1);
	is_uint(p->parents[0], ROW_NONE, "a root");
	is_uint(p->parents[1], ROW_NONE, "a row without its parent becomes a root");
	is_uint(p->parents[2], 0, "parents are rows of the new table");
	table_free(p);
	table_free(t);
}

static void test_rest(void)
{
	struct table *t = make(), *p;
	const struct shape_col want[] = {{C_NS, false}, {C_SHARE, false}, {C_B, false}};
	const bool sum[] = {true, false, false};
	struct table_view v;

	table_view_make(&v, t, C_NS, true, NULL, 0);
	v.n = 1;
	p = table_project(t, &v, want, 3);
	v.n = 4;
	table_add_rest(p, t, &v, 1, want, sum, "3 more");
	is_uint(p->n_rows, 2, "one row for the rest");
	is_int(i64(p, 0, 0), INT64_C(9007199254740993), "the largest stands");
	is_int(i64(p, 1, 0), 700 + 20 + 3, "the rest is the sum of the others");
	is_int(table_cell(p, 1, 1)->type, CELL_MISSING, "what does not add up stays unknown");
	is_str(str(p, 1, 2), "3 more", "the label stands in the first text");
	table_view_fini(&v);
	table_free(p);
	table_free(t);
}

static void test_group(void)
{
	struct table *t = make(), *g;
	const uint32_t keys[] = {C_A}, sums[] = {C_NS, C_SHARE};

	add(t, NULL, "x", INT64_MIN, 0.5);
	g = table_group(t, NULL, keys, 1, sums, 2, "Rows");
	is_uint(g->n_rows, 3, "one row per key, unknown is one too");
	is_str(str(g, 0, 0), "gpu", "in the order of first sight");
	is_int(i64(g, 0, 1), 700 + 3 + INT64_C(9007199254740993), "sums are exact beyond 2^53");
	is_near(table_cell(g, 0, 2)->v.f, 0.75, 1e-12, "ratios too");
	is_int(i64(g, 0, 3), 3, "rows of the group");
	is_int(i64(g, 1, 1), 20, "the other group");
	is_int(table_cell(g, 2, 1)->type, CELL_MISSING, "a sum of unknowns is unknown");
	table_free(g);
	g = table_group(t, NULL, keys, 1, sums, 1, NULL);
	is_uint(g->n_cols, 2, "without a count");
	table_free(g);
	table_free(t);
}

static void test_pivot(void)
{
	struct table *t = make(), *m = table_pivot(t, NULL, C_A, C_B, C_NS, "Sum");

	is_uint(m->n_cols, 4, "a, two texts of b, the sum");
	is_uint(m->n_rows, 3, "two texts of a, the sum");
	is_str(m->cols[1].title, "sync", "columns are named by the texts");
	is_int(i64(m, 0, 1), 700 + INT64_C(9007199254740993), "gpu, sync");
	is_int(i64(m, 0, 2), 3, "gpu, python");
	is_int(i64(m, 1, 2), 0, "no row falls there: 0, not unknown");
	is_int(i64(m, 1, 3), 20, "sum of a row");
	is_int(i64(m, 2, 1), 720 + INT64_C(9007199254740993), "sum of a column");
	is_int(i64(m, 2, 3), 723 + INT64_C(9007199254740993), "sum of all");
	is_str(str(m, 2, 0), "Sum", "its label");
	table_free(m);
	m = table_pivot(t, NULL, C_A, C_B, C_SHARE, "Sum");
	is_near(table_cell(m, 2, 3)->v.f, 1.0, 1e-12, "ratios sum to 1");
	table_free(m);
	table_free(t);
	t = table_new("breakdown", cols, N_COLS);
	m = table_pivot(t, NULL, C_A, C_B, C_NS, "Sum");
	is_uint(m->n_rows, 0, "nothing of nothing");
	table_free(m);
	table_free(t);
}

static void test_sum(void)
{
	struct table *t = make();
	int64_t sum;

	ok(table_sum(t, NULL, C_NS, &sum) && sum == 723 + INT64_C(9007199254740993),
	   "a column has a sum");
	ok(!table_sum(t, NULL, C_SHARE, &sum), "of integers only");
	ok(table_varies(t, C_B) && !table_varies(t, C_NOTE), "columns that vary, and that do not");
	add(t, "x", "y", INT64_MAX, 0);
	ok(!table_sum(t, NULL, C_NS, &sum), "an overflow is no sum");
	table_free(t);
	t = make();
	add(t, "x", "y", INT64_MIN, 0);
	ok(!table_sum(t, NULL, C_NS, &sum), "nor is one with unknowns");
	table_free(t);
}

int main(void)
{
	test_project();
	test_project_order();
	test_project_tree();
	test_rest();
	test_group();
	test_pivot();
	test_sum();
	return done_testing();
}
