/* shares.c - see shares.h */
#include "tests/corpus/shares.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "catalog/views.h"
#include "load/read/loader.h"

#define TOLD_MAX 12

struct tally {
	unsigned long seen;
	int beyond;
};

/* What tells the row: its first text. */
static const char *row_name(const struct table *t, uint32_t row)
{
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (table_cell(t, row, c)->type == CELL_STR)
			return table_cell(t, row, c)->v.s;
	return "";
}

static void check_table(const struct table *t, struct tally *y)
{
	for (uint32_t c = 0; c < t->n_cols; c++) {
		if (t->cols[c].unit != UNIT_RATIO)
			continue;
		for (uint32_t r = 0; r < t->n_rows; r++) {
			const struct cell *x = table_cell(t, r, c);

			if (x->type == CELL_MISSING)
				continue;
			y->seen++;
			/* sums of quotients may be one unit of a double's last place too large */
			if (x->type == CELL_F64 && isfinite(x->v.f) && x->v.f >= 0 &&
			    x->v.f <= 1 + 1e-12)
				continue;
			if (y->beyond++ < TOLD_MAX)
				printf("beyond %s %s %.17g %.60s\n", t->view, t->cols[c].id, x->v.f,
				       row_name(t, r));
		}
	}
}

static void check_views(const struct session *s, const struct rulebook *rules, struct job *job,
			struct tally *y)
{
	static const enum window_kind windows[] = {WINDOW_ALL, WINDOW_STEADY};
	struct an_ctx *cx = an_ctx_new(s, rules, job, NULL);

	for (size_t w = 0; w < sizeof(windows) / sizeof(*windows); w++)
		for (const struct analysis *const *a = analyses; *a; a++) {
			struct err e = ERR_INIT;
			struct scope sc;
			struct table *t;

			scope_init(&sc);
			sc.window = windows[w];
			t = analysis_table(*a, cx, &sc, &e);
			if (t)
				check_table(t, y);
			table_free(t);
		}
	an_ctx_free(cx);
}

int shares_check(const char *path)
{
	struct session *s = session_new();
	struct job job = {0};
	struct err e = ERR_INIT;
	struct rulebook *rules = rulebook_new(&e);
	struct profile *p = NULL;
	struct tally y = {0, 0};
	bool ok;

	session_add(s, path);
	ok = rules && loader_load(path, &job, NULL, NULL, &p, &e);
	if (ok) {
		session_put(s, 0, p, SOURCE_READY);
		check_views(s, rules, &job, &y);
		printf("shares %lu\n", y.seen);
	}
	session_free(s);
	rulebook_free(rules);
	return ok ? y.beyond : -1;
}
