/*
 * an_bench.h - views on hand-made sources: a session of profiles that a test builds, its context, and questions to tables.
 * Included by tests only.
 */
#ifndef TESTS_AN_BENCH_H
#define TESTS_AN_BENCH_H

#include <string.h>

#include "base/err.h"
#include "catalog/views.h"
#include "model/builder.h"
#include "rules/rules.h"
#include "tests/lib/tap.h"

static inline str_id name(struct builder *b, const char *s)
{
	return builder_intern(b, s, strlen(s));
}

static inline void put(struct builder *b, track_id t, const char *s, ns_t start, ns_t end, uint64_t corr, uint32_t aux)
{
	builder_add(b, t, &(struct builder_event){ start, end - start, name(b, s), corr, CORR_NONE, aux });
}

static inline uint32_t copy(struct builder *b, enum copy_kind kind, enum mem_kind src, enum mem_kind dst, int64_t bytes)
{
	return builder_copy_detail(b, &(struct copy_detail){ bytes, (uint8_t)kind, (uint8_t)src, (uint8_t)dst, 0, 0 });
}

struct bench {
	struct session *s;
	struct rulebook *r;
	struct an_ctx *cx;
};

static inline struct bench bench_new(struct profile *(*make[])(void), size_t n)
{
	static const char *const paths[] = { "a.sqlite", "b.json" };
	struct bench be = { session_new(), NULL, NULL };
	struct err e = ERR_INIT;

	for (size_t i = 0; i < n; i++)
		session_put(be.s, session_add(be.s, paths[i]), make[i](), SOURCE_READY);
	be.r = rulebook_new(&e);
	if (!be.r)
		diag("%s", e.text);
	be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
	return be;
}

static inline void bench_end(struct bench *be)
{
	an_ctx_free(be->cx);
	rulebook_free(be->r);
	session_free(be->s);
}

static inline struct table *view(const struct bench *be, const struct analysis *a, const char *window, const char *by)
{
	struct err e = ERR_INIT;
	struct scope sc;
	struct table *t;

	scope_init(&sc);
	ok(scope_parse_window(&sc, window, &e) && scope_parse_by(&sc, by, &e), "%s %s by %s", a->id, window, by);
	t = analysis_table(a, be->cx, &sc, &e);
	if (!t)
		diag("%s: %s", a->id, e.text);
	return t;
}

/* ---- looking at tables ---- */

static inline const struct cell *cell(const struct table *t, uint32_t row, const char *col)
{
	static const struct cell none = { .type = CELL_MISSING };
	int c = table_col(t, col);

	if (c < 0)
		diag("no column %s", col);
	return c < 0 || row >= t->n_rows ? &none : table_cell(t, row, (uint32_t)c);
}

/* I64_UNKNOWN for a missing cell. */
static inline int64_t num(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *c = cell(t, row, col);

	return c->type == CELL_I64 ? c->v.i : I64_UNKNOWN;
}

static inline double real(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *c = cell(t, row, col);

	return c->type == CELL_F64 ? c->v.f : -1;
}

static inline const char *text(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *c = cell(t, row, col);

	return c->type == CELL_STR ? c->v.s : NULL;
}

/* The row whose text column is s; n_rows if none. */
static inline uint32_t find(const struct table *t, const char *col, const char *s)
{
	uint32_t i = 0;

	while (i < t->n_rows && !(text(t, i, col) && !strcmp(text(t, i, col), s)))
		i++;
	return i;
}

static inline bool has_note(const struct table *t, const char *part)
{
	for (uint32_t i = 0; i < t->n_notes; i++)
		if (strstr(t->notes[i], part))
			return true;
	return false;
}

struct want {
	const char *col;
	int64_t v;
};

static inline void row_is(const struct table *t, uint32_t row, const struct want *w, size_t n, const char *what)
{
	for (size_t i = 0; i < n; i++)
		is_int(num(t, row, w[i].col), w[i].v, "%s: %s", what, w[i].col);
}
#define ROW_IS(t, row, what, ...) do {							\
	const struct want w_[] = { __VA_ARGS__ };					\
	row_is(t, row, w_, sizeof(w_) / sizeof(*w_), what);				\
} while (0)

#endif
