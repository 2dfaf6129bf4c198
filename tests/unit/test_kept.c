/*
 * test_kept.c - tables as bytes and back: every view of a session with everything in it, hand-made tables of every kind of cell, and
 * bytes that are cut, flipped, of another session or made up.
 */
#include "catalog/stored_tables.h"
#include "catalog/views.h"

#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "table/pack.h"
#include "tests/lib/cache_fake.h"
#include "tests/lib/tap.h"

static const struct column_def cols[] = {
	{ "name", "Name", UNIT_TEXT, COL_KEY, 0, "" }, { "time_ns", "Time", UNIT_NS, 0, 0, "" }, { "share", "Share", UNIT_RATIO, 0, 0, "" },
	{ "by", "By", UNIT_ID, 0, 0, "" }, { "yes", "Yes", UNIT_BOOL, 0, 0, "" },
};
enum { N_COLS = 5 };

static struct table *hand_made(void)
{
	struct table *t = table_new("hand", cols, N_COLS);
	uint32_t a = table_row(t), b = table_row(t), c = table_row(t);

	table_str(t, a, 0, "a\0b\x1b\xff", 5);
	table_i64(t, a, 1, INT64_MAX);
	table_f64(t, a, 2, 0.1);
	table_i64(t, a, 3, -1);
	table_bool(t, a, 4, true);
	table_str(t, b, 0, "", 0);
	table_cstr(t, b, 3, "forward");
	table_bool(t, b, 4, false);
	table_set_parent(t, b, a);
	table_set_parent(t, c, b);
	t->refs[b] = (struct row_ref){ REF_TIME, 3, -5, 17, 0 };
	t->refs[c] = (struct row_ref){ REF_OP, UINT32_MAX, 0, 0, 3 };
	table_note(t, "a note of %s", "100 %");
	table_note(t, "%s", "");
	table_source(t, "/a b/c");
	t->window_kind = "step:3";
	t->start_ns = -7;
	t->end_ns = 99;
	t->wall_ns = 50;
	return t;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	if (a->type != b->type)
		return false;
	switch ((enum cell_type)a->type) {
	case CELL_MISSING:
		return true;
	case CELL_I64:
		return a->v.i == b->v.i;
	case CELL_F64:
		return !memcmp(&a->v.f, &b->v.f, sizeof(double));
	case CELL_STR:
		return a->len == b->len && !memcmp(a->v.s, b->v.s, a->len) && !b->v.s[b->len];
	case CELL_BOOL:
		return a->v.b == b->v.b;
	}
	return false;
}

static bool same_row(const struct table *a, const struct table *b, uint32_t r)
{
	const struct row_ref *x = &a->refs[r], *y = &b->refs[r];
	bool same = x->kind == y->kind && x->source == y->source && x->a == y->a && x->b == y->b && x->name_col == y->name_col &&
		(!a->parents || a->parents[r] == b->parents[r]);

	for (uint32_t c = 0; c < a->n_cols; c++)
		same &= same_cell(table_cell(a, r, c), table_cell(b, r, c));
	return same;
}

static bool same_texts(char *const *a, char *const *b, uint32_t n)
{
	bool same = true;

	for (uint32_t i = 0; i < n; i++)
		same &= !strcmp(a[i], b[i]);
	return same;
}

static bool same_table(const struct table *a, const struct table *b)
{
	bool same = a && b && !strcmp(a->view, b->view) && a->cols == b->cols && a->n_cols == b->n_cols && a->n_rows == b->n_rows &&
		!a->parents == !b->parents && a->n_notes == b->n_notes && a->n_sources == b->n_sources && a->start_ns == b->start_ns &&
		a->end_ns == b->end_ns && a->wall_ns == b->wall_ns && a->partial == b->partial && !a->window_kind == !b->window_kind;

	for (uint32_t r = 0; same && r < a->n_rows; r++)
		same = same_row(a, b, r);
	return same && same_texts(a->notes, b->notes, a->n_notes) &&
		same_texts((char **)(uintptr_t)a->sources, (char **)(uintptr_t)b->sources, a->n_sources) &&
		(!a->window_kind || !strcmp(a->window_kind, b->window_kind));
}

static void test_pack(void)
{
	struct table *t = hand_made(), *back;
	struct column_def other[N_COLS];
	struct sbuf b = { 0 };
	bool cut = true;

	table_pack(t, &b);
	back = table_unpack(b.s, b.n, "hand", cols, N_COLS);
	ok(same_table(t, back), "a table with every kind of cell comes back as it was");
	table_free(back);
	for (size_t n = 0; n < b.n; n++)
		cut &= !table_unpack(b.s, n, "hand", cols, N_COLS);
	ok(cut, "cut anywhere, it does not");
	sbuf_putc(&b, '\0');
	ok(!table_unpack(b.s, b.n, "hand", cols, N_COLS), "nor with something behind it");
	b.n--;
	ok(!table_unpack(b.s, b.n, "mine", cols, N_COLS), "another view");
	ok(!table_unpack(b.s, b.n, "hand", cols, N_COLS - 1), "fewer columns");
	memcpy(other, cols, sizeof(cols));
	other[1].id = "time";
	ok(!table_unpack(b.s, b.n, "hand", other, N_COLS), "a column of another name");
	memcpy(other, cols, sizeof(cols));
	other[1].unit = UNIT_TEXT;
	ok(!table_unpack(b.s, b.n, "hand", other, N_COLS), "a column of another unit");
	sbuf_fini(&b);
	table_free(t);
}

/* What a reader of the cells relies on, though the sums were right. */
static void test_made_up(void)
{
	struct table *t = hand_made();
	struct sbuf b = { 0 };

	t->cells[1].type = CELL_STR;
	t->cells[1].len = 3;
	t->cells[1].v.s = "abc";
	table_pack(t, &b);
	ok(!table_unpack(b.s, b.n, "hand", cols, N_COLS), "a text where a time must be");
	t->cells[1] = (struct cell){ CELL_I64, 0, { 5 } };
	t->parents[1] = 2;
	sbuf_reset(&b);
	table_pack(t, &b);
	ok(!table_unpack(b.s, b.n, "hand", cols, N_COLS), "a parent behind its child");
	t->parents[1] = 0;
	t->refs[1].name_col = N_COLS;
	sbuf_reset(&b);
	table_pack(t, &b);
	ok(!table_unpack(b.s, b.n, "hand", cols, N_COLS), "a reference to a column that there is not");
	sbuf_fini(&b);
	table_free(t);
}

/* ---- all views ------------------------------------------------------------------------------------------------- */

struct run {
	struct session *s;
	struct rulebook *r;
	struct an_ctx *cx;
};

static struct run run_new(void)
{
	struct err e = ERR_INIT;
	struct run x = { session_new(), rulebook_new(&e), NULL };

	session_put(x.s, session_add(x.s, "a.json"), fake_profile(3, 60), SOURCE_READY);
	session_put(x.s, session_add(x.s, "b.json"), fake_profile(4, 60), SOURCE_READY);
	x.cx = an_ctx_new(x.s, x.r, NULL, NULL);
	return x;
}

static void run_end(struct run *x)
{
	an_ctx_free(x->cx);
	rulebook_free(x->r);
	session_free(x->s);
}

static struct scope whole(void)
{
	struct scope sc;

	scope_init(&sc);
	sc.window = WINDOW_ALL;
	return sc;
}

static void test_views(const struct run *x)
{
	struct stored_tables *k = stored_tables_new(17), *again = stored_tables_new(17);
	struct scope sc = whole(), other;
	struct sbuf b = { 0 };
	unsigned n = 0, rows = 0;
	bool taken = true, found = true;

	for (const struct analysis *const *a = analyses; *a; a++, n++) {
		struct table *t = analysis_table(*a, x->cx, &sc, NULL);

		taken &= t && stored_tables_put(k, (*a)->id, &sc, t);
		rows += t ? t->n_rows : 0;
		table_free(t);
	}
	stored_tables_pack(k, &b);
	ok(taken && n > 30 && rows > 300, "all %u views are taken in, %u rows", n, rows);
	ok(stored_tables_unpack(again, b.s, b.n) && stored_tables_n(again) == n, "and are there again out of the bytes");
	for (const struct analysis *const *a = analyses; *a; a++) {
		struct table *t = analysis_table(*a, x->cx, &sc, NULL), *back = stored_tables_find(again, (*a)->id, &sc);

		if (!same_table(t, back)) {
			diag("%s differs", (*a)->id);
			found = false;
		}
		table_free(t);
		table_free(back);
	}
	ok(found, "each as its analysis makes it");
	other = sc;
	other.device = 0;
	ok(!stored_tables_find(again, "gpu", &other), "not for another scope");
	ok(!stored_tables_find(again, "no such view", &sc), "nor for a view that there is not");
	sbuf_fini(&b);
	stored_tables_free(k);
	stored_tables_free(again);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static bool refused(uint64_t key, const char *s, size_t n)
{
	struct stored_tables *k = stored_tables_new(key);
	bool no = !stored_tables_unpack(k, s, n) && !stored_tables_n(k);

	stored_tables_free(k);
	return no;
}

static void test_bytes(const struct run *x)
{
	struct stored_tables *k = stored_tables_new(17);
	struct scope sc = whole();
	struct table *t = analysis_table(analysis_find("gpu"), x->cx, &sc, NULL);
	struct sbuf b = { 0 };
	bool flips = true, cuts = true;

	stored_tables_put(k, "gpu", &sc, t);
	ok(!stored_tables_put(k, "gpu", &sc, t), "what is there is not taken in twice");
	stored_tables_pack(k, &b);
	ok(!refused(17, b.s, b.n), "the bytes are good");
	ok(refused(18, b.s, b.n), "but not those of another session");
	for (size_t i = 0; i < b.n; i++) {
		b.s[i] ^= 1 << i % 8;
		flips &= refused(17, b.s, b.n);
		b.s[i] ^= 1 << i % 8;
		cuts &= refused(17, b.s, i);
	}
	ok(flips, "any bit that is not as it was is noticed (%zu bytes)", b.n);
	ok(cuts, "and any cut");
	sbuf_putc(&b, '\0');
	ok(refused(17, b.s, b.n), "and what lies behind");
	t->partial = true;
	sc.device = 0;
	ok(!stored_tables_put(k, "gpu", &sc, t), "a table of a session that is still loading is not taken in");
	sbuf_fini(&b);
	table_free(t);
	stored_tables_free(k);
}

static void test_limits(void)
{
	struct stored_tables *k = stored_tables_new(1);
	struct table *t = table_new("steps", analysis_find("steps")->cols, analysis_find("steps")->n_cols), *back;
	struct scope sc = whole();
	bool first = true;

	for (int i = 0; i < STORED_TABLES_MAX + 5; i++) {
		sc.device = i;
		stored_tables_put(k, "steps", &sc, t);
		sc.device = 0;
		back = stored_tables_find(k, "steps", &sc);
		first &= back != NULL;
		table_free(back);
	}
	is_uint(stored_tables_n(k), STORED_TABLES_MAX, "so many and not more");
	ok(first, "the one that is used stays");
	sc.device = 1;
	ok(!stored_tables_find(k, "steps", &sc), "the one that was used longest ago goes");
	for (size_t n = 0; n < STORED_TABLE_MAX / 26 + 1; n++)
		table_row(t);
	sc.device = 7777;
	ok(!stored_tables_put(k, "steps", &sc, t), "a table that is too large is not taken in");
	table_free(t);
	stored_tables_free(k);
}

int main(void)
{
	struct run x = run_new();

	test_pack();
	test_made_up();
	test_views(&x);
	test_bytes(&x);
	test_limits();
	run_end(&x);
	return done_testing();
}
