/*
 * py_bench.h - Python call trees and traces that a test builds, and the views of them. Included by tests only.
 */
#ifndef TESTS_PY_BENCH_H
#define TESTS_PY_BENCH_H

#include <string.h>

#include "base/err.h"
#include "catalog/views.h"
#include "model/builder.h"
#include "rules/rules.h"
#include "tests/lib/tap.h"

#define TORCH "/usr/lib/python3/dist-packages/torch/"

static inline str_id name(struct builder *b, const char *s)
{
	return s ? builder_intern(b, s, strlen(s)) : ID_NONE;
}

static int32_t n_frames;

static inline int32_t frame(struct builder *b, int32_t parent, const char *func, const char *file, ns_t total, ns_t self)
{
	struct frame_node f = { .parent = parent, .function = name(b, func), .file = name(b, file), .total_ns = total, .self_ns = self,
		.samples = total / 10 };

	builder_frame(b, &f);
	return n_frames++;
}

static inline struct builder *sampler(ns_t wall)
{
	struct builder *b = builder_new();

	n_frames = 0;
	builder_set_format(b, FORMAT_PYINSTRUMENT);
	builder_caps(b, CAP_SAMPLES);
	builder_sampled_wall(b, wall, NS_UNKNOWN);
	return b;
}

static inline struct profile *finished(struct builder *b)
{
	struct profile *p = builder_finish(b);

	builder_free(b);
	return p;
}

struct bench {
	struct session *s;
	struct rulebook *r;
	struct an_ctx *cx;
};

static inline struct bench bench_new(struct profile *p, struct profile *q)
{
	struct bench be = { session_new(), NULL, NULL };
	struct err e = ERR_INIT;

	session_put(be.s, session_add(be.s, "a.json"), p, SOURCE_READY);
	if (q)
		session_put(be.s, session_add(be.s, "b.json"), q, SOURCE_READY);
	be.r = rulebook_new(&e);
	be.cx = an_ctx_new(be.s, be.r, NULL, NULL);
	return be;
}

static inline void bench_end(struct bench *be)
{
	an_ctx_free(be->cx);
	rulebook_free(be->r);
	session_free(be->s);
}

static inline struct table *view_scoped(const struct bench *be, const struct analysis *a, const struct scope *sc)
{
	struct err e = ERR_INIT;
	struct table *t = analysis_table(a, be->cx, sc, &e);

	ok(t != NULL, "%s: %s", a->id, t ? "there" : e.text);
	return t;
}

static inline struct table *view(const struct bench *be, const struct analysis *a)
{
	struct scope sc;

	scope_init(&sc);
	sc.window = WINDOW_ALL;
	return view_scoped(be, a, &sc);
}

static inline const struct cell *cell(const struct table *t, uint32_t row, const char *col)
{
	static const struct cell none = { .type = CELL_MISSING };
	int c = table_col(t, col);

	return c < 0 || row >= t->n_rows ? &none : table_cell(t, row, (uint32_t)c);
}

static inline int64_t num(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *c = cell(t, row, col);

	return c->type == CELL_I64 ? c->v.i : I64_UNKNOWN;
}

static inline const char *text(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *c = cell(t, row, col);

	return c->type == CELL_STR ? c->v.s : "";
}

static inline void put(struct builder *b, track_id t, const char *s, ns_t start, ns_t end)
{
	builder_add(b, t, &(struct builder_event){ start, end - start, name(b, s), CORR_NONE, CORR_NONE, ID_NONE });
}

#endif
