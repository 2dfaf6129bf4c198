/*
 * finding_bench.h - profiles as finding_plans.h plans them, and what the views of findings say of them. 20 steps of 10 ms in which the
 * device computes all the time, but for a hole of known length in each step, with known events of host and device in and beside it.
 */
#ifndef TESTS_LIB_FINDING_BENCH_H
#define TESTS_LIB_FINDING_BENCH_H

#include <string.h>

#include "base/err.h"
#include "catalog/views.h"
#include "model/builder.h"
#include "rules/rules.h"
#include "tests/lib/finding_plans.h"
#include "tests/lib/tap.h"

struct gen {
	struct builder *b;
	track_id annot, op, py, call, over, back, back_call, s7, s8, copy, copy7;
	uint64_t corr;
	int amount, left;	/* left: steps that follow */
	unsigned lacks;
};

/* A field of the plan, which may stand for the amount of the case. */
static inline int value(int field, int amount, int none)
{
	return field == AMOUNT ? amount : field ? field : none;
}

static inline str_id intern(struct gen *g, const char *s)
{
	return builder_intern(g->b, s, strlen(s));
}

static inline void put(struct gen *g, track_id t, const char *name, ns_t start, ns_t end, uint64_t corr, uint32_t aux)
{
	builder_add(g->b, t, &(struct builder_event){ start, end - start, intern(g, name), corr, CORR_NONE, aux });
}

/* Device work with its launch on a thread; the calls are 2 us long. */
static inline void put_work(struct gen *g, track_id work, const char *name, ns_t start, ns_t end, track_id calls, const char *call, ns_t launch, uint32_t aux)
{
	g->corr++;
	put(g, calls, call, launch, launch + 2 * US, g->corr, 0);
	if (!(g->lacks & CAP_GPU))
		put(g, work, name, start, end, g->corr, aux);
}

static inline uint32_t grid(struct gen *g, int blocks)
{
	if (!blocks)
		return ID_NONE;
	return builder_kernel_detail(g->b, &(struct kernel_detail){ .grid = { blocks, 1, 1 }, .block = { 128, 1, 1 },
		.registers = blocks == HEAVY ? 255 : 32, .shared_bytes = blocks == HEAVY ? 0 : -1 });
}

static inline uint32_t copy_detail(struct gen *g, enum what what)
{
	struct copy_detail cd = { what == TINY ? 100 : 2000000, COPY_HTOD, what == PINNED || what == QUEUED ? MEM_PINNED : MEM_PAGEABLE,
		MEM_DEVICE, 0, 0 };

	if (what == INSIDE) {
		cd.kind = COPY_DTOD;
		cd.src = MEM_DEVICE;
	}
	if (what == MIGRATION || what == PREFETCH) {
		cd.kind = COPY_UVM_HTOD;
		cd.src = cd.dst = MEM_MANAGED;
		cd.um = 1 + builder_um_detail(g->b, &(struct um_detail){ .device = -1, .module = ID_NONE, .file = ID_NONE,
			.what = UM_MIGRATION, .why = what == PREFETCH ? 1 : 2 });
	}
	return builder_copy_detail(g->b, &cd);
}

static inline void put_tiny(struct gen *g, const char *name, ns_t start, ns_t end)
{
	g->corr++;
	put(g, g->call, "cudaMemcpyAsync", start, end, g->corr, 0);
	put(g, g->copy, name, end, end + US, g->corr, copy_detail(g, TINY));
}

/* The name with its @ as the digit i. */
static const char *numbered(const char *name, int i, char *out)
{
	char *at = strchr(name, '@') ? out + (strchr(name, '@') - name) : NULL;

	if (!at)
		return name;
	strcpy(out, name);
	*at = (char)('0' + i % 10);
	return out;
}

static inline void put_item(struct gen *g, const struct item *it, ns_t step, ns_t hole, int hole_us)
{
	const track_id host[] = { [ANNOT] = g->annot, [OP] = g->op, [PYTHON] = g->py, [CALL] = g->call, [OVERHEAD] = g->over,
		[BACKWARD] = g->back };
	ns_t len = (ns_t)(it->len == AMOUNT ? g->amount : it->len == HOLE ? hole_us : it->len) * US, start = hole + (ns_t)it->at * US;
	int n = g->left < value(it->skip, g->amount, 0) ? 0 : value(it->n, g->amount, 1);
	bool copy = it->what >= PINNED && it->what <= PREFETCH;
	char name[256];

	for (int i = 0; i < n && it->name; i++, start += it->n ? len : 0) {
		if (it->what == RECOMPUTED)
			put_work(g, g->s8, it->name, start + 5 * US, start + 5 * US + len, g->back_call, "cudaLaunchKernel", start, grid(g, it->blocks));
		else if (it->what == KERNEL || it->what == BESIDE)
			put_work(g, it->what == KERNEL ? g->s7 : g->s8, numbered(it->name, i, name), start, start + len - (it->n > 1), g->call, "cudaLaunchKernel",
				step + (50 + 4 * i) * US, grid(g, it->blocks));
		else if (it->what == TINY)
			put_tiny(g, it->name, start, start + len);
		else if (copy)
			put_work(g, it->what == QUEUED ? g->copy7 : g->copy, it->name, start, start + len, g->call, "cudaMemcpyAsync", step + 60 * US, copy_detail(g, it->what));
		else
			put(g, host[it->what], it->name, start, start + len, CORR_NONE, it->what == CALL ? 0 : ID_NONE);
	}
}

/*
 * The device is 1 ms behind the host: [step + 1 ms, next step + 1 ms) is the work of a step, with the hole from 5 ms on. A hole that
 * is not queued ends with a kernel launched 3 us before.
 */
static inline void put_step(struct gen *g, const struct plan *p, int i, ns_t start, ns_t len, int hole_us)
{
	ns_t hole = start + 5000 * US, end = hole + (ns_t)hole_us * US, launch = p->queued || !hole_us ? start + 20 * US : end - 3 * US;
	char name[32];

	snprintf(name, sizeof(name), "ProfilerStep#%d", i);
	if (p->x.marker >= 0)
		put(g, g->annot, name, start, start + (p->x.marker ? (ns_t)p->x.marker * US : len), CORR_NONE, ID_NONE);
	put_work(g, g->s7, BUSY, start + 1000 * US, hole, g->call, "cudaLaunchKernel", start + 10 * US, ID_NONE);
	put_work(g, g->s7, BUSY, end, start + len + 1000 * US, g->call, "cudaLaunchKernel", launch, ID_NONE);
	for (size_t k = 0; k < sizeof(p->items) / sizeof(*p->items); k++)
		put_item(g, &p->items[k], start, hole, hole_us);
}

static inline void put_tracks(struct gen *g)
{
	thread_id main = builder_thread(g->b, 1, 1), back = builder_thread(g->b, 1, 2);

	g->annot = builder_host_track(g->b, LAYER_ANNOT, main, ID_NONE, 0);
	g->op = builder_host_track(g->b, LAYER_OP, main, ID_NONE, 0);
	g->py = builder_host_track(g->b, LAYER_PYTHON, main, ID_NONE, 0);
	g->call = builder_host_track(g->b, LAYER_RUNTIME, main, ID_NONE, 0);
	g->over = builder_host_track(g->b, LAYER_OVERHEAD, main, ID_NONE, 0);
	g->back = builder_host_track(g->b, LAYER_OP, back, ID_NONE, 0);
	g->back_call = builder_host_track(g->b, LAYER_RUNTIME, back, ID_NONE, 0);
	g->s7 = builder_gpu_track(g->b, LAYER_KERNEL, -1, 0, -1, 7, 0);
	g->s8 = builder_gpu_track(g->b, LAYER_KERNEL, -1, 0, -1, 8, 0);
	g->copy = builder_gpu_track(g->b, LAYER_MEMCPY, -1, 0, -1, 9, 0);
	g->copy7 = builder_gpu_track(g->b, LAYER_MEMCPY, -1, 0, -1, 7, 0);
}

/* The work of one step on one more device. */
static inline void put_device(struct gen *g, int device, ns_t start)
{
	put_work(g, builder_gpu_track(g->b, LAYER_KERNEL, -1, device, -1, 7, 0), BUSY, start + 1000 * US, start + 2000 * US, g->call,
		"cudaLaunchKernel", start + 14 * US, ID_NONE);
}

static inline struct profile *make(const struct plan *p, int amount, ns_t step)
{
	struct gen g = { .b = builder_new(), .amount = amount, .lacks = p->x.lacks };
	int hole = value(p->hole, amount, 0), steps = value(p->x.steps, amount, STEPS), devices = value(p->x.devices, amount, 1);
	struct profile *out;
	ns_t at = 0;

	put_tracks(&g);
	builder_set_format(g.b, step == STEP ? FORMAT_TORCH : FORMAT_NSYS_SQLITE);
	builder_caps(g.b, (CAP_RUNTIME | CAP_GPU | CAP_OPS | CAP_PYTHON) & ~p->x.lacks);
	for (int d = 0; d < devices; d++) {
		builder_device(g.b, d, "Test GPU", 100, 0);
		builder_device_more(g.b, d, 80, 0, -1);
	}
	for (int i = 0; i < steps; i++) {
		int more = i == 5 ? value(p->longer, amount, 0) : i ? 0 : value(p->x.first, amount, 0);

		g.left = steps - 1 - i;
		put_step(&g, p, i, at, step + (ns_t)more * US, g.left < value(p->x.gapless, amount, 0) ? 0 : hole + (i ? more : 0));
		for (int d = 1; d < devices; d++)
			put_device(&g, d, at);
		at += step + (ns_t)more * US;
	}
	out = builder_finish(g.b);
	builder_free(g.b);
	return out;
}

/* ---- asking ---- */

struct bench {
	struct session *s;
	struct rulebook *r;
	struct an_ctx *cx;
};

static inline void add_facts(struct session *s, const char *facts)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", facts ? facts : "");
	for (char *save, *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *eq = strchr(w, '=');

		*eq = '\0';
		session_add_fact(s, w, eq + 1, "test");
	}
}

static inline void open_bench(struct bench *be, const struct plan *p, int amount)
{
	struct err e = ERR_INIT;

	be->s = session_new();
	session_put(be->s, session_add(be->s, "made.json"), make(p, amount, STEP), SOURCE_READY);
	if (p->x.other)
		session_put(be->s, session_add(be->s, "other.sqlite"), make(p, amount, STEP + (ns_t)value(p->x.other, amount, 0) * US),
			SOURCE_READY);
	add_facts(be->s, p->facts);
	be->r = rulebook_new(&e);
	be->cx = an_ctx_new(be->s, be->r, NULL, NULL);
}

static inline void close_bench(struct bench *be)
{
	an_ctx_free(be->cx);
	rulebook_free(be->r);
	session_free(be->s);
}

static inline struct table *ask(const struct bench *be, const struct analysis *a)
{
	struct scope sc;
	struct err e = ERR_INIT;
	struct table *t;

	scope_init(&sc);
	t = analysis_table(a, be->cx, &sc, &e);
	ok(t != NULL, "%s", e.text);
	return t;
}

static inline uint32_t row_of(const struct table *t, const char *id)
{
	int c = table_col(t, "id");

	for (uint32_t r = 0; r < t->n_rows; r++) {
		const struct cell *x = table_cell(t, r, (uint32_t)c);

		if (x->type == CELL_STR && x->len == strlen(id) && !memcmp(x->v.s, id, x->len))
			return r;
	}
	return ROW_NONE;
}

static const char *text(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *c = row == ROW_NONE ? NULL : table_cell(t, row, (uint32_t)table_col(t, col));

	return c && c->type == CELL_STR ? c->v.s : "";
}

static inline int64_t num(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *c = row == ROW_NONE ? NULL : table_cell(t, row, (uint32_t)table_col(t, col));

	return c && c->type == CELL_I64 ? c->v.i : -1;
}

/* A rule that holds is found, or explained by another that holds. */
static inline bool holds(const struct table *checks, const char *rule)
{
	const char *state = text(checks, row_of(checks, rule), "state");

	return !strcmp(state, "found") || !strcmp(state, "explained");
}

#endif
