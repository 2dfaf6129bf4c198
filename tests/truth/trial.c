/* trial.c - see trial.h */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/sbuf.h"
#include "catalog/views.h"
#include "load/read/loader.h"
#include "rules/rules.h"
#include "session/run_facts.h"
#include "tests/truth/trial.h"

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n >= m && strcmp(s + n - m, tail) == 0;
}

static bool load_truth(struct trial *t, const char *path, struct err *e)
{
	size_t n;
	char *text = file_read_all(path, 64u << 20, &n, e);

	t->dom = text ? jtree_parse(text, n, e) : NULL;
	t->truth = t->dom ? jtree_root(t->dom) : NULL;
	free(text);
	return t->dom != NULL;
}

static bool load_profile(struct trial *t, const char *path, struct err *e)
{
	struct profile *p = NULL;
	uint32_t i;

	if (!loader_load(path, &t->job, NULL, NULL, &p, e))
		return false;
	i = session_add(t->session, path);
	session_put(t->session, i, p, SOURCE_READY);
	*(p->format == FORMAT_NSYS_SQLITE ? &t->nsys : p->format == FORMAT_TORCH ? &t->torch : &t->sampler) = i;
	return true;
}

static void find_steady(struct trial *t)
{
	ns_t zero = t->nsys == TRIAL_NONE ? 0 : t->session->sources[t->nsys].shift_ns;
	bool first = true;

	for (const struct jval *s = jval_first(jval_get(t->truth, "steps")); s; s = jval_next(s)) {
		int64_t start = sheet_int(s, "start_ns");

		if (jval_true(jval_get(s, "warmup")))
			continue;
		if (first)
			t->step_a = sheet_int(s, "step");
		t->step_b = sheet_int(s, "step");
		if (start != INT64_MIN) {	/* the truth of some kinds tells no times of steps */
			t->start_ns = first ? start + zero : t->start_ns;
			t->end_ns = start + sheet_int(s, "period_ns") + zero;
		}
		first = false;
	}
}

bool trial_open(struct trial *t, const char *dir, struct err *e)
{
	struct file_list files = { 0 };
	bool good;

	memset(t, 0, sizeof(*t));
	t->nsys = t->torch = t->sampler = TRIAL_NONE;
	t->session = session_new();
	t->rules = rulebook_new(e);
	good = t->rules && file_list_dir(&files, dir, false, e);
	for (size_t i = 0; good && i < files.n; i++) {
		if (ends_with(files.paths[i], "/truth.json"))
			good = load_truth(t, files.paths[i], e);
		else if (ends_with(files.paths[i], "config.json"))
			good = run_facts_read(t->session, files.paths[i], e);
		else
			good = load_profile(t, files.paths[i], e);
	}
	file_list_fini(&files);
	if (good && !t->truth)
		good = err_set(e, ERR_IO, "%s: no truth.json", dir);
	if (good)
		find_steady(t);
	if (good)
		t->cx = an_ctx_new(t->session, t->rules, &t->job, NULL);
	return good;
}

void trial_close(struct trial *t)
{
	an_ctx_free(t->cx);
	session_free(t->session);
	rulebook_free(t->rules);
	jtree_free(t->dom);
}

struct table *trial_view(const struct trial *t, const char *view, uint32_t source, enum window_kind w, enum by_dim by,
	const char *partition)
{
	const struct analysis *a = analysis_find(view);
	struct err e = ERR_INIT;
	struct scope sc;
	struct table *out;

	scope_init(&sc);
	sc.window = w;
	sc.by = by;
	sc.step_a = t->step_a;
	sc.step_b = t->step_b;
	sc.start_ns = t->start_ns;
	sc.end_ns = t->end_ns;
	sc.source = source == TRIAL_NONE ? -1 : (int32_t)source;
	snprintf(sc.partition, sizeof(sc.partition), "%s", partition);
	out = a ? analysis_table(a, t->cx, &sc, &e) : NULL;
	if (!out)
		printf("# %s: %s\n", view, a ? e.text : "there is no such view");
	return out;
}

bool trial_verdict(struct trial *t, bool agrees, const char *fmt, ...)
{
	va_list ap;

	t->differ += !agrees;
	printf("%s ", agrees ? "agree" : "differ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	return agrees;
}

bool trial_equal(const char *what, int64_t got, int64_t want)
{
	if (got != want)
		printf("# %s: got %" PRId64 ", want %" PRId64 " (%+" PRId64 ")\n", what, got, want,
			(int64_t)((uint64_t)got - (uint64_t)want));
	return got == want;
}

/* ---- cells ---- */

static const struct cell *cell_of(const struct table *t, uint32_t row, const char *col)
{
	static const struct cell missing = { .type = CELL_MISSING };
	int c = table_col(t, col);

	return c < 0 ? &missing : table_cell(t, row, (uint32_t)c);
}

int64_t cell_int(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *x = cell_of(t, row, col);

	return x->type == CELL_I64 ? x->v.i : x->type == CELL_BOOL ? x->v.b : SHEET_UNKNOWN;
}

bool cell_is(const struct table *t, uint32_t row, const char *col, const char *text)
{
	const struct cell *x = cell_of(t, row, col);

	return x->type == CELL_STR && x->len == strlen(text) && memcmp(x->v.s, text, x->len) == 0;
}

int64_t column_sum(const struct table *t, const char *col, const char *key, const char *is)
{
	int64_t sum = 0;

	for (uint32_t r = 0; r < t->n_rows; r++)
		if (!is || cell_is(t, r, key, is))
			sum += cell_int(t, r, col);
	return sum;
}

/* ---- sheets ---- */

static void put_cell(struct sbuf *b, const struct cell *x)
{
	if (x->type == CELL_STR)
		sbuf_put(b, x->v.s, x->len);
	else if (x->type == CELL_I64)
		sbuf_printf(b, "%" PRId64, x->v.i);
	else
		sbuf_putc(b, '?');
}

/* The part of "ours=theirs" for one side. */
static const char *side(const char *col, bool theirs, char *buf, size_t cap)
{
	const char *eq = strchr(col, '=');

	if (!eq)
		return col;
	if (theirs)
		return eq + 1;
	snprintf(buf, cap, "%.*s", (int)(eq - col), col);
	return buf;
}

void sheet_of_table(struct sheet *s, const struct table *t, const struct spec *sp)
{
	struct sbuf key = { 0 };
	char buf[64];

	for (uint32_t r = 0; r < t->n_rows; r++) {
		int64_t *v;

		sbuf_reset(&key);
		for (int i = 0; i < 4 && sp->keys[i]; i++) {
			sbuf_puts(&key, i ? " | " : "");
			put_cell(&key, cell_of(t, r, side(sp->keys[i], false, buf, sizeof(buf))));
		}
		v = sheet_add(s, sbuf_str(&key), key.n);
		for (int i = 0; i < SHEET_VALUES && sp->cols[i]; i++)
			v[i] = cell_int(t, r, side(sp->cols[i], false, buf, sizeof(buf)));
	}
	sbuf_fini(&key);
}

static int64_t truth_int(const struct jval *row, const char *col, ns_t shift)
{
	const struct jval *x = jval_get(row, col);
	int64_t v = jval_kind(x) == JVAL_BOOL ? jval_true(x) : sheet_number(x);

	return shift && v != SHEET_UNKNOWN && (strcmp(col, "start_ns") == 0 || strcmp(col, "end_ns") == 0) ? v + shift : v;
}

void sheet_of_truth(struct sheet *s, const struct jval *rows, const struct spec *sp)
{
	struct sbuf key = { 0 };

	for (const struct jval *m = jval_first(rows); m; m = jval_next(m)) {
		int64_t *v;

		sbuf_reset(&key);
		for (int i = 0; i < 4 && sp->keys[i]; i++) {
			size_t n = 1;
			const char *text = i == 0 && jval_key(m) ? jval_key(m) :
				jval_text(jval_get(m, side(sp->keys[i], true, NULL, 0)), &n);

			sbuf_puts(&key, i ? " | " : "");
			sbuf_put(&key, text ? text : "?", i == 0 && jval_key(m) ? strlen(jval_key(m)) : n);
		}
		v = sheet_add(s, sbuf_str(&key), key.n);
		for (int i = 0; i < SHEET_VALUES && sp->cols[i]; i++)
			v[i] = truth_int(m, side(sp->cols[i], true, NULL, 0), sp->shift);
	}
	sbuf_fini(&key);
}

bool trial_sheets(struct trial *t, const char *what, struct sheet *got, struct sheet *want)
{
	bool agrees;

	sheet_pack(got);
	sheet_pack(want);
	agrees = want->n && sheet_compare(what, got, want, NULL, 6) == 0;
	if (!want->n)
		printf("# %s: the truth has no rows\n", what);
	sheet_fini(got);
	sheet_fini(want);
	return trial_verdict(t, agrees, "%s", what);
}

bool trial_view_sheets(struct trial *t, const char *what, const char *view, uint32_t source, enum window_kind w,
	const struct jval *truth, const struct spec *sp)
{
	struct sheet got = { .titles = sp->cols }, want;
	struct table *table = trial_view(t, view, source, w, BY_NONE, "");

	while (got.width < SHEET_VALUES && sp->cols[got.width])
		got.width++;
	want = got;
	if (table)
		sheet_of_table(&got, table, sp);
	sheet_of_truth(&want, truth, sp);
	table_free(table);
	return trial_sheets(t, what, &got, &want);
}
