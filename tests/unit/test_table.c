/* test_table.c - tables, views of them and cells as text (table/) */
#include "table/table.h"

#include "base/text.h"
#include "table/cell.h"
#include "table/filter.h"
#include "tests/lib/tap.h"

static const struct column_def cols[] = {
	{"name", "Name", UNIT_TEXT, COL_NAME | COL_KEY, 0, ""},
	{"total_ns", "Total", UNIT_NS, 0, 1, ""},
	{"share", "Share", UNIT_RATIO, 0, 2, ""},
	{"tc", "TC", UNIT_BOOL, 0, 3, ""},
};
enum {
	C_NAME,
	C_TOTAL,
	C_SHARE,
	C_TC,
	N_COLS
};

static uint32_t add(struct table *t, const char *name, int64_t total, double share)
{
	uint32_t r = table_row(t);

	table_cstr(t, r, C_NAME, name);
	table_i64(t, r, C_TOTAL, total);
	table_f64(t, r, C_SHARE, share);
	return r;
}

/* The names of a view in one string: "b a c". */
static const char *order(const struct table *t, int col, bool desc, const char *filter,
			 uint32_t limit)
{
	static char text[256];
	struct filter *f = filter ? filter_parse(filter, t->cols, t->n_cols, NULL) : NULL;
	struct table_view v;

	text[0] = '\0';
	table_view_make(&v, t, col, desc, f, limit);
	for (uint32_t i = 0; i < v.n; i++) {
		if (i)
			strcat(text, " ");
		strcat(text, table_cell(t, v.rows[i], C_NAME)->v.s);
	}
	table_view_fini(&v);
	filter_free(f);
	return text;
}

static void test_build(void)
{
	struct table *t = table_new("ops", cols, N_COLS);
	char name[] = "a\0b";
	uint32_t r;

	ok(t->n_rows == 0 && !t->parents && !strcmp(t->view, "ops"), "an empty table");
	r = table_row(t);
	is_int(table_cell(t, r, C_TOTAL)->type, CELL_MISSING, "new cells are missing");
	is_int(t->refs[r].kind, REF_NONE, "no reference");
	is_uint(t->refs[r].source, UINT32_MAX, "no source");
	table_i64(t, r, C_TOTAL, INT64_MIN);
	table_f64(t, r, C_SHARE, NAN);
	table_str(t, r, C_NAME, NULL, 3);
	for (uint32_t c = 0; c < N_COLS; c++)
		is_int(table_cell(t, r, c)->type, CELL_MISSING,
		       "unknown values stay missing, column %u", c);
	table_str(t, r, C_NAME, name, 3);
	name[0] = 'x';
	is_mem(table_cell(t, r, C_NAME)->v.s, table_cell(t, r, C_NAME)->len, "a\0b", 3,
	       "a text is copied, NUL and all");
	table_bool(t, r, C_TC, false);
	ok(table_cell(t, r, C_TC)->type == CELL_BOOL && !table_cell(t, r, C_TC)->v.b,
	   "false is not missing");
	table_i64(t, r, C_TOTAL, 0);
	ok(table_cell(t, r, C_TOTAL)->type == CELL_I64 && !table_cell(t, r, C_TOTAL)->v.i,
	   "0 is not missing");
	is_int(table_col(t, "share"), C_SHARE, "column by id");
	is_int(table_col(t, "sha"), -1, "only whole ids");
	table_note(t, "%d events lost in %s", 3, "x");
	table_note(t, "second");
	table_source(t, "a.sqlite");
	ok(t->n_notes == 2 && !strcmp(t->notes[0], "3 events lost in x") &&
		   !strcmp(t->notes[1], "second"),
	   "notes");
	ok(t->n_sources == 1 && !strcmp(t->sources[0], "a.sqlite"), "sources");
	table_free(t);
	table_free(NULL);
}

static void test_growth(void)
{
	struct table *t = table_new("x", cols, N_COLS);
	int bad = 0;

	for (int i = 0; i < 5000; i++) {
		uint32_t r = add(t, "n", i, i);

		if (i == 100)
			table_set_parent(t, r, 7);
		t->refs[r].a = i;
	}
	for (uint32_t i = 0; i < 5000; i++)
		bad += table_cell(t, i, C_TOTAL)->v.i != i || t->refs[i].a != i ||
		       t->parents[i] != (i == 100 ? 7 : ROW_NONE);
	is_int(bad, 0, "5000 rows; a parent set late leaves all others roots");
	table_free(t);
}

static void test_sort(void)
{
	struct table *t = table_new("x", cols, N_COLS);

	add(t, "a", 5, 0.5);
	add(t, "b", INT64_MIN, 0.1);
	add(t, "c", 9, 0.5);
	add(t, "d", 5, NAN);
	add(t, "e", INT64_MIN, 0.9);
	add(t, "f", -1, 0.5);
	is_str(order(t, -1, false, NULL, 0), "a b c d e f", "as it is");
	is_str(order(t, C_TOTAL, false, NULL, 0), "f a d c b e",
	       "ascending, equal rows keep their order, missing last");
	is_str(order(t, C_TOTAL, true, NULL, 0), "c a d f b e", "descending too");
	is_str(order(t, C_SHARE, true, NULL, 0), "e a c f b d", "doubles");
	is_str(order(t, C_NAME, true, NULL, 2), "f e", "limit");
	is_str(order(t, C_TOTAL, true, "total_ns > 0", 2), "c a", "filter, sort, limit");
	is_str(order(t, -1, false, "zzz", 0), "", "nothing left");
	is_str(order(t, 99, false, NULL, 0), "a b c d e f",
	       "a column that does not exist sorts nothing");
	table_free(t);
	t = table_new("x", cols, N_COLS);
	is_str(order(t, 1, true, NULL, 3), "", "a table without rows");
	table_free(t);
}

static void test_tree(void)
{
	struct table *t = table_new("x", cols, N_COLS);
	uint32_t a = add(t, "a", 10, 0), b = add(t, "b", 30, 0), a1, b1, r;

	/* Children stand apart from their parents here: views must bring them together. */
	a1 = add(t, "a1", 4, 0), table_set_parent(t, a1, a);
	b1 = add(t, "b1", 9, 0), table_set_parent(t, b1, b);
	r = add(t, "a2", 6, 0), table_set_parent(t, r, a);
	r = add(t, "b2", 21, 0), table_set_parent(t, r, b);
	r = add(t, "a11", 4, 0), table_set_parent(t, r, a1);
	add(t, "c", 20, 0);
	is_str(order(t, -1, false, NULL, 0), "a a1 a11 a2 b b1 b2 c",
	       "children below their parents");
	is_str(order(t, C_TOTAL, true, NULL, 0), "b b2 b1 c a a2 a1 a11",
	       "sorted among their siblings");
	is_str(order(t, C_TOTAL, false, NULL, 0), "a a1 a11 a2 c b b1 b2", "both ways");
	is_str(order(t, -1, false, "a11", 0), "a a1 a11", "what matches keeps its ancestors");
	is_str(order(t, C_TOTAL, true, "b", 0), "b b2 b1", "and its order");
	is_str(order(t, -1, false, "b1 or c", 0), "b b1 c", "siblings that do not match go");
	is_str(order(t, C_TOTAL, true, NULL, 4), "b b2 b1 c", "limit counts rows as shown");
	table_free(t);
}

static void test_deep(void)
{
	struct table *t = table_new("x", cols, N_COLS);
	struct table_view v;
	bool held = true;

	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t r = add(t, "n", i, 0);

		if (i)
			table_set_parent(t, r, r - 1);
	}
	table_view_make(&v, t, C_TOTAL, true, NULL, 0);
	for (uint32_t i = 0; i < v.n; i++)
		held = held && v.rows[i] == i;
	ok(held && v.n == 100000, "a chain of 100000 keeps its order and needs no stack");
	table_view_fini(&v);
	table_free(t);
}

/* Against the definition: a permutation, keys in order, equal keys by row. */
static void test_sort_random(void)
{
	struct table *t;
	int bad = 0;

	srand(2);
	for (uint32_t n = 0; n < 130; n++) {
		struct table_view v;

		t = table_new("x", cols, N_COLS);
		for (uint32_t i = 0; i < n; i++)
			add(t, "n", rand() % 10, 0);
		table_view_make(&v, t, C_TOTAL, n % 2, NULL, 0);
		bad += v.n != n;
		for (uint32_t i = 1; i < v.n; i++) {
			int64_t x = table_cell(t, v.rows[i - 1], C_TOTAL)->v.i,
				y = table_cell(t, v.rows[i], C_TOTAL)->v.i;

			bad += n % 2 ? x < y : x > y;
			bad += x == y && v.rows[i - 1] >= v.rows[i];
		}
		table_view_fini(&v);
		table_free(t);
	}
	is_int(bad, 0, "tables of 0 to 129 rows: in order, stable");
}

static void test_cmp(void)
{
	struct cell none = {0}, i5 = {.type = CELL_I64, .v.i = 5},
		    f5 = {.type = CELL_F64, .v.f = 5.5};
	struct cell big = {.type = CELL_I64, .v.i = INT64_C(9007199254740993)},
		    less = {.type = CELL_I64, .v.i = INT64_C(9007199254740992)};
	struct cell ab = {.type = CELL_STR, .len = 2, .v.s = "ab"},
		    abc = {.type = CELL_STR, .len = 3, .v.s = "abc"};

	ok(cell_cmp(&none, &i5) > 0 && cell_cmp(&i5, &none) < 0 && !cell_cmp(&none, &none),
	   "missing behind everything");
	ok(cell_cmp(&i5, &f5) < 0 && cell_cmp(&f5, &i5) > 0, "integers and doubles");
	ok(cell_cmp(&big, &less) > 0, "neighbours beyond 2^53");
	ok(cell_cmp(&ab, &abc) < 0 && cell_cmp(&abc, &ab) > 0 && !cell_cmp(&ab, &ab), "texts");
}

static void shows(struct cell c, enum unit u, int width, const char *want)
{
	struct column_def col = {"x", "X", u, 0, 0, ""};
	char buf[CELL_TEXT_MAX];
	int w = cell_text(&c, &col, width, buf, sizeof(buf));

	is_str(buf, want, "unit %d: %s", (int)u, want);
	is_int(w, (int64_t)text_width(want, strlen(want)), "%s: columns", want);
}

static void test_cell(void)
{
#define I(x) (struct cell){.type = CELL_I64, .v.i = (x)}
#define F(x)                                 \
	(struct cell)                        \
	{                                    \
		.type = CELL_F64, .v.f = (x) \
	}
#define S(x)                                                       \
	(struct cell)                                              \
	{                                                          \
		.type = CELL_STR, .len = sizeof(x) - 1, .v.s = (x) \
	}
	shows((struct cell){0}, UNIT_NS, 0, "\xe2\x80\x93");
	shows(I(12340000), UNIT_NS, 0, "12.34 ms");
	shows(I(0), UNIT_NS, 0, "0");
	shows(F(0.2), UNIT_NS, 0, "1 ns");
	shows(F(1500.4), UNIT_NS, 0, "1.50 \xc2\xb5s");
	shows(I(1500000), UNIT_TIME, 0, "0.001500 s");
	shows(I(50950000000), UNIT_BYTES, 0, "50.95 GB");
	shows(I(1240), UNIT_COUNT, 0, "1240");
	shows(F(2.5), UNIT_COUNT, 0, "2.50");
	shows(I(4711), UNIT_ID, 0, "4711");
	shows(F(0.97), UNIT_RATIO, 0, "97.0 %");
	shows(I(1), UNIT_RATIO, 0, "100.0 %");
	shows(F(1.02), UNIT_FACTOR, 0, "1.02");
	shows(F(27.7), UNIT_GBPS, 0, "27.7 GB/s");
	shows((struct cell){.type = CELL_BOOL, .v.b = true}, UNIT_BOOL, 0, "yes");
	shows(S("a\x1b[m"), UNIT_TEXT, 0, "a\\x1b[m");
	shows(S("abcdefgh"), UNIT_TEXT, 5, "ab\xe2\x80\xa6gh");
	shows(I(1234567), UNIT_COUNT, 4, "123\xe2\x80\xa6");
#undef I
#undef F
#undef S
}

static void test_share(void)
{
	static const struct column_def share[] = { { "share", "Share", UNIT_RATIO, 0, 0, "" } };
	static const struct { double part, whole, want; } all[] = {
		{ 1, 4, 0.25 }, { 0, 4, 0 }, { 4, 4, 1 }, { 1 + 1e-12, 1, 1 },		/* rounded parts */
		{ 5, 4, -1 }, { 1, 0, -1 }, { 0, 0, -1 }, { -1, 4, -1 }, { 1, -4, -1 }, { (double)NAN, 4, -1 },
	};
	struct table *t = table_new("x", share, 1);

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		uint32_t row = table_row(t);
		const struct cell *c;

		table_share(t, row, 0, all[i].part, all[i].whole);
		c = table_cell(t, row, 0);
		if (all[i].want < 0)
			is_int(c->type, CELL_MISSING, "%g of %g is no share", all[i].part, all[i].whole);
		else
			is_near(c->v.f, all[i].want, 0, "%g of %g", all[i].part, all[i].whole);
	}
	table_free(t);
}

int main(void)
{
	test_share();
	test_build();
	test_growth();
	test_sort();
	test_tree();
	test_deep();
	test_sort_random();
	test_cmp();
	test_cell();
	return done_testing();
}
