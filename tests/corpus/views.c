/* views.c - see views.h */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "catalog/views.h"
#include "load/read/loader.h"
#include "report/out.h"
#include "rules/rules.h"
#include "tests/corpus/sheet.h"
#include "tests/corpus/views.h"

#define DOCS_MAX 64

struct doc {
	char name[48];
	struct jtree *dom;	/* NULL: failed */
};
struct views {
	struct session *session;
	struct rulebook *rules;
	struct an_ctx *cx;
	struct job job;
	struct doc docs[DOCS_MAX];
	size_t n_docs;
};

struct views *views_new(const char *path, struct err *e)
{
	struct views *v = xcalloc(1, sizeof(*v));
	struct profile *p = NULL;
	bool ok;

	v->session = session_new();
	session_add(v->session, path);
	v->rules = rulebook_new(e);
	ok = v->rules && loader_load(path, &v->job, NULL, NULL, &p, e);
	if (ok) {
		session_put(v->session, 0, p, SOURCE_READY);
		v->cx = an_ctx_new(v->session, v->rules, &v->job, NULL);
		return v;
	}
	views_free(v);
	return NULL;
}

void views_free(struct views *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n_docs; i++)
		jtree_free(v->docs[i].dom);
	an_ctx_free(v->cx);
	session_free(v->session);
	rulebook_free(v->rules);
	free(v);
}

int64_t views_zero(const struct views *v)
{
	return -v->session->sources[0].shift_ns;
}

static struct jtree *table_json(const struct table *t, struct err *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct jtree *dom = NULL;
	bool ok = f && out_table(f, OUT_JSON, t, NULL, e);

	if (f && fclose(f) == 0 && ok)
		dom = jtree_parse(text, n, e);
	free(text);
	return dom;
}

static struct jtree *make_doc(struct views *v, const char *view, enum by_dim by, const char *partition)
{
	const struct analysis *a = analysis_find(view);
	struct err e = ERR_INIT;
	struct scope sc;
	struct table *t;
	struct jtree *dom = NULL;

	if (!a) {
		printf("# %s: there is no such view\n", view);
		return NULL;
	}
	scope_init(&sc);
	sc.window = WINDOW_ALL;
	sc.by = by;
	snprintf(sc.partition, sizeof(sc.partition), "%s", partition);
	t = analysis_table(a, v->cx, &sc, &e);
	if (t)
		dom = table_json(t, &e);
	if (!dom)
		printf("# %s: %s\n", view, e.text);
	table_free(t);
	return dom;
}

const struct jval *views_json(struct views *v, const char *view, enum by_dim by, const char *partition)
{
	struct doc *d = v->docs;
	char name[sizeof(d->name)];

	snprintf(name, sizeof(name), "%s %d %s", view, (int)by, partition);
	while (d < v->docs + v->n_docs && strcmp(d->name, name) != 0)
		d++;
	if (d == v->docs + v->n_docs) {
		if (v->n_docs == DOCS_MAX)
			abort();
		v->n_docs++;
		memcpy(d->name, name, sizeof(name));
		d->dom = make_doc(v, view, by, partition);
	}
	return d->dom ? jtree_root(d->dom) : NULL;
}

/* ---- sums ---- */

static bool equal(const char *what, int64_t got, int64_t want)
{
	if (got != want)
		printf("# %s: the sum is %" PRId64 ", want %" PRId64 " (%+" PRId64 ")\n", what, got, want, got - want);
	return got == want;
}

/* Text of a cell, "" if it has none; bytes behind a NUL are not seen. */
static const char *cell_text(const struct jval *row, const char *col)
{
	size_t n;
	const char *s = jval_text(jval_get(row, col), &n);

	return s ? s : "";
}

static const struct jval *first_row(struct views *v, const char *view)
{
	return jval_first(jval_get(views_json(v, view, BY_NONE, ""), "rows"));
}

/* Sum of time_ns over the rows whose level1 is `level1` (NULL: all rows). */
static int64_t sum_level(const struct jval *root, const char *level1)
{
	int64_t sum = 0;

	for (const struct jval *r = jval_first(jval_get(root, "rows")); r; r = jval_next(r))
		if (!level1 || strcmp(cell_text(r, "level1"), level1) == 0)
			sum += sheet_int(r, "time_ns");
	return sum;
}

bool views_cpu_sums(struct views *v)
{
	const struct jval *root = views_json(v, "breakdown", BY_NONE, "cpu"), *src = first_row(v, "sources");
	int64_t wall = sheet_int(jval_get(root, "window"), "wall_ns");
	int64_t span = sheet_int(src, "last_ns") - sheet_int(src, "first_ns");
	bool ok = root && equal("cpu breakdown", sum_level(root, NULL), wall);

	if (!root || !wall || span <= 0)
		return ok;
	return equal("cpu wall by the file's own range", wall, (wall / span ? wall / span : 1) * span) && ok;
}

static const struct { const char *level1, *column; } states[] = {
	{ "compute", "compute_ns" }, { "exposed communication", "exposed_comm_ns" }, { "exposed copy HtoD", "exposed_htod_ns" },
	{ "exposed copy DtoH", "exposed_dtoh_ns" }, { "exposed copy both ways", "exposed_both_ns" },
	{ "exposed copy PtoP", "exposed_ptop_ns" }, { "exposed copy DtoD", "exposed_dtod_ns" },
	{ "exposed memset", "exposed_memset_ns" }, { "exposed copy other", "exposed_rest_ns" }, { "idle", "idle_ns" },
};

static bool device_sums(struct views *v, const struct jval *gpu, const char *partition)
{
	const struct jval *root = views_json(v, "breakdown", BY_NONE, partition);
	char what[96];
	bool ok;

	if (!root)
		return false;
	snprintf(what, sizeof(what), "breakdown %s", partition);
	ok = equal(what, sum_level(root, NULL), sheet_int(gpu, "window_ns"));
	ok &= equal(what, sheet_int(jval_get(root, "window"), "wall_ns"), sheet_int(gpu, "window_ns"));
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		snprintf(what, sizeof(what), "breakdown %s, %s", partition, states[i].level1);
		ok &= equal(what, sum_level(root, states[i].level1), sheet_int(gpu, states[i].column));
	}
	return ok;
}

bool views_gpu_sums(struct views *v)
{
	bool ok = true;

	for (const struct jval *r = first_row(v, "gpu"); r; r = jval_next(r)) {
		int64_t device = sheet_int(r, "device");
		char name[32];

		snprintf(name, sizeof(name), "gpu:%" PRId64, device);
		ok &= device_sums(v, r, name);
		snprintf(name, sizeof(name), "joint:%" PRId64, device);
		ok &= device_sums(v, r, name);
	}
	return ok;
}

/* Columns that sum to another one in every row of a view, where they are known. */
static const struct { const char *view, *whole, *parts[8]; } sums[] = {
	{ "steps", "period_ns", { "dataload_ns", "forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns" } },
	{ "classes", "total_ns", { "dataload_ns", "forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns",
		"unattributed_ns" } },
	{ "kernels", "total_ns", { "dataload_ns", "forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns",
		"unattributed_ns" } },
	{ "ops", "self_ns", { "sync_ns", "launch_ns", "memcpy_ns", "other_runtime_ns", "host_ns" } },
	{ "sync", "time_ns", { "busy_ns", "lost_ns" } },
	{ "gpu", "exposed_memcpy_ns", { "exposed_htod_ns", "exposed_dtoh_ns", "exposed_both_ns", "exposed_ptop_ns", "exposed_dtod_ns",
		"exposed_memset_ns", "exposed_rest_ns" } },
	{ "gpu", "window_ns", { "compute_ns", "exposed_comm_ns", "exposed_memcpy_ns", "idle_ns" } },
};

static bool row_sums(const struct jval *row, const char *view, const char *whole, const char *const *parts)
{
	int64_t sum = 0;
	char what[64];

	for (int i = 0; i < 8 && parts[i]; i++) {
		int64_t part = sheet_int(row, parts[i]);

		if (part == SHEET_UNKNOWN)
			return jval_kind(jval_get(row, parts[i])) == JVAL_NULL || equal(parts[i], 0, 1);
		if (part < 0)
			return equal(parts[i], part, 0);
		sum += part;
	}
	snprintf(what, sizeof(what), "%s %s", view, whole);
	return equal(what, sum, sheet_int(row, whole));
}

static int64_t column_sum(struct views *v, const char *view, const char *col)
{
	int64_t sum = 0;

	for (const struct jval *r = first_row(v, view); r; r = jval_next(r))
		sum += sheet_int(r, col);
	return sum;
}

bool views_part_sums(struct views *v)
{
	bool ok = true;

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		ok &= views_json(v, sums[i].view, BY_NONE, "") != NULL;
		for (const struct jval *r = first_row(v, sums[i].view); r; r = jval_next(r))
			ok &= row_sums(r, sums[i].view, sums[i].whole, sums[i].parts);
	}
	ok &= equal("classes against kernels, time", column_sum(v, "classes", "total_ns"), column_sum(v, "kernels", "total_ns"));
	ok &= equal("classes against kernels, count", column_sum(v, "classes", "count"), column_sum(v, "kernels", "count"));
	return ok;
}
