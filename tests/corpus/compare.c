/*
 * compare.c - holds one profile against the reference values of another program: compare PROFILE EXPECTED.json; or against the
 * tables of the vendor's own tool: compare PROFILE REPORT.csv... (official.h)
 *
 * The file is loaded once; every view is run over the whole file (--window all), written as JSON as `print --format json` writes
 * it, read back, and compared value by value. What each key of the expected file means stands beside the files. One line tells
 * what agrees; differences are TAP comments:
 *
 *	agree kernels runtime memcpy …
 *	sums cpu-breakdown …	hold in this profile, whatever the reference says
 *	differ nvtx
 *
 * Exit status: 0 nothing differs, 1 something does, 2 could not compare.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "tests/corpus/official.h"
#include "tests/corpus/shares.h"
#include "tests/corpus/sheet.h"
#include "tests/corpus/views.h"

#define EXPECTED_MAX (256u << 20)

#define MOST 6		/* differences shown per view */

struct compare {
	struct views *views;
	const struct jval *expected;
	struct sbuf agree, sums, differ;
};

static void verdict(struct compare *c, const char *what, bool agrees)
{
	sbuf_printf(agrees ? &c->agree : &c->differ, " %s", what);
}

static const struct { const char *what; bool (*hold)(struct views *v); } sums[] = {
	{ "cpu-breakdown", views_cpu_sums }, { "gpu-breakdown", views_gpu_sums }, { "parts", views_part_sums },
};

static void check_sums(struct compare *c)
{
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		sbuf_printf(sums[i].hold(c->views) ? &c->sums : &c->differ, " %s", sums[i].what);
}

/* ---- views whose expected value is an object: name -> values ---- */

struct want {
	const char *what;		/* in the messages */
	const char *key;		/* in the expected file */
	const char *kind;		/* only in files of this kind, NULL any */
	const char *view;
	enum by_dim by;
	const char *keys[3];		/* columns that make the name, joined by / */
	const char *cols[8];		/* columns of the values, in the order of the expected ones */
	void (*word)(struct sbuf *b, const struct jval *cell, size_t column);	/* writes a key column, NULL as it is */
	bool (*extra)(const struct sheet_row *r);	/* rows that the expected file leaves out */
};

/* nsys numbers of memory kinds and copy kinds, by the words of cli.md. */
static void copy_number(struct sbuf *b, const struct jval *cell, size_t column)
{
	static const char *const kinds[] = { "unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP",
		"UVM-HtoD", "UVM-DtoH", "UVM-DtoD", NULL };
	static const char *const memories[] = { "pageable", "pinned", "device", "array", "managed", "device-static", "managed-static",
		"unknown", NULL };
	const char *const *words = column ? memories : kinds;
	size_t n;
	const char *s = jval_text(cell, &n);

	for (size_t i = 0; words[i]; i++) {
		if (s && strlen(words[i]) == n && memcmp(words[i], s, n) == 0) {
			sbuf_printf(b, "%zu", i);
			return;
		}
	}
	sbuf_puts(b, "?");
}

/* Ops without any runtime call are not listed: sync, launch, memcpy and the rest are 0, or unknown where none are recorded. */
static bool no_runtime(const struct sheet_row *r)
{
	for (int i = 1; i < 5; i++)
		if (r->v[i] && r->v[i] != SHEET_UNKNOWN)
			return false;
	return true;
}

/* The reference was made before copies that block counted as waits; they stand in rows of their own. */
static bool copy_wait(const struct sheet_row *r)
{
	return !strcmp(r->key, "copy");
}

static const struct want wants[] = {
	{ "kernels", "kernels", NULL, "kernels", BY_NONE, { "name" }, { "count", "total_ns", "min_ns", "max_ns" }, NULL, NULL },
	{ "runtime", "runtime", NULL, "runtime", BY_NONE, { "name" }, { "count", "total_ns", "min_ns", "max_ns" }, NULL, NULL },
	{ "memcpy", "memcpy", "nsys", "memcpy", BY_NONE, { "kind", "src", "dst" }, { "count", "bytes", "time_ns" }, copy_number, NULL },
	{ "sync", "sync", NULL, "sync", BY_NONE, { "type" }, { "count", "time_ns" }, NULL, copy_wait },
	{ "nvtx", "nvtx", NULL, "nvtx", BY_NONE, { "name" }, { "count", "total_ns", "min_ns", "max_ns" }, NULL, NULL },
	{ "nvtx-self", "nvtx_self", NULL, "nvtx", BY_NONE, { "name" }, { "self_ns" }, NULL, NULL },
	{ "nvtx-open", "nvtx_open", NULL, "nvtx", BY_NONE, { "name" }, { "open" }, NULL, NULL },
	{ "ops", "ops", NULL, "ops", BY_NONE, { "name" }, { "count", "total_ns", "self_ns" }, NULL, NULL },
	{ "attribution", "attribution", NULL, "ops", BY_NONE, { "name" },
	  { "self_ns", "sync_ns", "launch_ns", "memcpy_ns", "other_runtime_ns" }, NULL, no_runtime },
	{ "threads", "threads", NULL, "ops", BY_THREAD, { "process", "by" }, { "count", "self_ns" }, NULL, NULL },
};

static void put_key(struct sbuf *b, const struct want *w, const struct jval *row)
{
	for (size_t i = 0; i < 3 && w->keys[i]; i++) {
		const struct jval *cell = jval_get(row, w->keys[i]);
		size_t n;
		const char *s = jval_text(cell, &n);

		if (i)
			sbuf_putc(b, '/');
		if (w->word)
			w->word(b, cell, i);
		else
			sbuf_put(b, s ? s : "?", s ? n : 1);
	}
}

static unsigned count_titles(const char *const *titles)
{
	unsigned n = 0;

	while (titles[n])
		n++;
	return n;
}

static void sheet_of_view(struct sheet *s, const struct want *w, const struct jval *root)
{
	const struct jval *rows = jval_get(root, "rows");
	struct sbuf key = { 0 };

	for (const struct jval *r = jval_first(rows); r; r = jval_next(r)) {
		int64_t *v;

		sbuf_reset(&key);
		put_key(&key, w, r);
		v = sheet_add(s, sbuf_str(&key), key.n);
		for (unsigned i = 0; i < s->width; i++)
			v[i] = sheet_int(r, w->cols[i]);
		/* no closed range: min and max are unknown, the row is of the open ones only */
		if (strcmp(w->what, "nvtx") == 0 && !v[0])
			v[2] = v[3] = 0;
	}
	sbuf_fini(&key);
	sheet_pack(s);
}

static void sheet_of_expected(struct sheet *s, const struct jval *object)
{
	for (const struct jval *m = jval_first(object); m; m = jval_next(m)) {
		int64_t *v = sheet_add(s, jval_key(m), strlen(jval_key(m)));
		const struct jval *x = jval_kind(m) == JVAL_ARRAY ? jval_first(m) : m;

		for (unsigned i = 0; i < s->width; i++) {
			v[i] = sheet_number(x);
			x = jval_kind(m) == JVAL_ARRAY ? jval_next(x) : NULL;
		}
	}
	sheet_pack(s);
}

static bool is_kind(const struct compare *c, const char *kind)
{
	size_t n;
	const char *s = jval_text(jval_get(c->expected, "kind"), &n);

	return !kind || (s && strlen(kind) == n && memcmp(kind, s, n) == 0);
}

static bool compare_sheets(struct compare *c, const char *what, struct sheet *got, struct sheet *want,
	bool (*extra)(const struct sheet_row *))
{
	bool agrees = sheet_compare(what, got, want, extra, MOST) == 0;

	verdict(c, what, agrees);
	sheet_fini(got);
	sheet_fini(want);
	return agrees;
}

static void compare_named(struct compare *c, const struct want *w)
{
	struct sheet got = { .width = count_titles(w->cols), .titles = w->cols };
	struct sheet want = got;
	const struct jval *object = jval_get(c->expected, w->key);
	const struct jval *root;

	if (!object || !is_kind(c, w->kind))
		return;
	root = views_json(c->views, w->view, w->by, "");
	if (!root) {
		verdict(c, w->what, false);
		return;
	}
	sheet_of_view(&got, w, root);
	sheet_of_expected(&want, object);
	compare_sheets(c, w->what, &got, &want, w->extra);
}

/* ---- memset, and torch's memcpy which has no memory kinds ---- */

static const char *const copy_titles[] = { "count", "bytes", "time_ns", NULL };

static void add_copies(struct sheet *s, const struct jval *root, const char *key_col, const char *key)
{
	for (const struct jval *r = jval_first(jval_get(root, "rows")); r; r = jval_next(r)) {
		size_t n = strlen(key ? key : "");
		const char *name = key ? key : jval_text(jval_get(r, key_col), &n);
		int64_t *v = sheet_add(s, name ? name : "?", name ? n : 1);

		for (int i = 0; i < 3; i++)
			v[i] = sheet_int(r, copy_titles[i]);
	}
}

/* Where the file gives no sizes the reference has 0; here that is unknown, and must be. */
static void unknown_bytes(struct sheet *got, const struct sheet *want)
{
	for (size_t i = 0; i < got->n && i < want->n; i++) {
		if (got->rows[i].v[1] != SHEET_UNKNOWN || want->rows[i].v[1])
			continue;
		printf("# memcpy: %s: the file gives no sizes: unknown here, 0 in the reference\n", got->rows[i].key);
		got->rows[i].v[1] = 0;
	}
}

static void compare_copies(struct compare *c)
{
	struct sheet got = { .width = 3, .titles = copy_titles }, want = got;

	if (is_kind(c, "nsys")) {
		int64_t *v = sheet_add(&want, "memset", 6);
		const struct jval *x = jval_first(jval_get(c->expected, "memset"));

		for (int i = 0; i < 3; i++, x = jval_next(x))
			v[i] = sheet_number(x);
		sheet_pack(&want);
	} else {
		sheet_of_expected(&want, jval_get(c->expected, "memcpy"));
		add_copies(&got, views_json(c->views, "memcpy", BY_NONE, ""), "kind", NULL);
	}
	add_copies(&got, views_json(c->views, "memset", BY_NONE, ""), NULL, "memset");
	sheet_pack(&got);
	unknown_bytes(&got, &want);
	compare_sheets(c, is_kind(c, "nsys") ? "memset" : "memcpy", &got, &want, NULL);
}

/* ---- devices ---- */

/* Member of the expected object, our column. The first EXACT must agree always. */
static const struct { const char *theirs, *ours; } gpu_values[] = {
	{ "window", "window_ns" }, { "kernels", "kernels" }, { "kernel_sum", "kernel_sum_ns" }, { "kernel_union", "kernel_busy_ns" },
	{ "exposed_memcpy", "exposed_memcpy_ns" }, { "exposed_htod", "exposed_htod_ns" }, { "exposed_dtoh", "exposed_dtoh_ns" },
	{ "exposed_both", "exposed_both_ns" }, { "exposed_ptop", "exposed_ptop_ns" }, { "exposed_dtod", "exposed_dtod_ns" },
	{ "exposed_memset", "exposed_memset_ns" }, { "idle", "idle_ns" }, { "compute", "compute_ns" },
	{ "exposed_comm", "exposed_comm_ns" }, { "comm_sum", "comm_sum_ns" },
};
enum { GPU_N = sizeof(gpu_values) / sizeof(*gpu_values), GPU_COMPUTE = GPU_N - 3, GPU_BUSY = GPU_N, GPU_COMM, GPU_WALL, GPU_WIDTH };

/* Columns that follow from others: both sides of busy = window - idle, compute + communication, and the four parts = window. */
static void gpu_derive(int64_t *v, int64_t busy)
{
	v[GPU_BUSY] = busy;
	v[GPU_COMM] = v[GPU_COMPUTE] + v[GPU_COMPUTE + 1];
	v[GPU_WALL] = v[GPU_COMM] + v[4] + v[11];
}

static bool is_nccl(const char *s, size_t n)
{
	for (size_t i = 0; i + 4 <= n; i++)
		if ((s[i] | 32) != 'x' && (s[i + 1] | 32) == 'c' && (s[i + 2] | 32) == 'c' && (s[i + 3] | 32) == 'l' &&
		    ((s[i] | 32) == 'n' || (s[i] | 32) == 'r'))
			return true;
	return false;
}

/* Whether a rule calls a kernel communication whose name holds neither nccl nor rccl. */
static bool more_communication(struct compare *c)
{
	const struct jval *rows = jval_get(views_json(c->views, "kernels", BY_NONE, ""), "rows");

	for (const struct jval *r = jval_first(rows); r; r = jval_next(r)) {
		size_t n, m;
		const char *class = jval_text(jval_get(r, "class"), &n), *name = jval_text(jval_get(r, "name"), &m);

		if (class && n == 13 && memcmp(class, "Communication", n) == 0 && name && !is_nccl(name, m))
			return true;
	}
	return false;
}

static void compare_gpu(struct compare *c)
{
	const char *titles[GPU_WIDTH + 1] = { [GPU_BUSY] = "busy", [GPU_COMM] = "compute+comm", [GPU_WALL] = "parts" };
	struct sheet got = { .width = GPU_WIDTH, .titles = titles }, want = got;
	bool loose = more_communication(c);
	int skip = loose ? 3 : 0;

	for (int i = 0; i < GPU_N; i++)
		titles[i] = gpu_values[i].ours;
	for (const struct jval *m = jval_first(jval_get(c->expected, "gpu")); m; m = jval_next(m)) {
		int64_t *v = sheet_add(&want, jval_key(m), strlen(jval_key(m)));

		for (int i = 0; i < GPU_N; i++)
			v[i] = sheet_int(m, gpu_values[i].theirs);
		gpu_derive(v, sheet_int(m, "busy"));
		v[GPU_WALL] = sheet_int(m, "end") - sheet_int(m, "start");
		memset(v + GPU_COMPUTE, 0, (size_t)skip * sizeof(*v));
	}
	for (const struct jval *r = jval_first(jval_get(views_json(c->views, "gpu", BY_NONE, ""), "rows")); r; r = jval_next(r)) {
		size_t n;
		const char *device = jval_text(jval_get(r, "device"), &n);
		int64_t *v = sheet_add(&got, device ? device : "?", device ? n : 1);

		for (int i = 0; i < GPU_N; i++)
			v[i] = sheet_int(r, gpu_values[i].ours);
		gpu_derive(v, v[0] - v[11]);
		memset(v + GPU_COMPUTE, 0, (size_t)skip * sizeof(*v));
	}
	sheet_pack(&want);
	sheet_pack(&got);
	if (loose)
		printf("# gpu: rules know more communication kernels than nccl and rccl: compute + communication compared\n");
	compare_sheets(c, "gpu", &got, &want, NULL);
}

/* ---- steps and categories ---- */

static void compare_steps(struct compare *c)
{
	static const char *const titles[] = { "dur_ns", NULL };
	static const char prefix[] = "ProfilerStep#";
	struct sheet got = { .width = 1, .titles = titles }, want = got;
	const struct jval *steps = jval_get(c->expected, "steps");
	struct sbuf key = { 0 };

	if (!steps)
		return;
	for (const struct jval *s = jval_first(steps); s; s = jval_next(s)) {
		const struct jval *x = jval_first(s);
		size_t n;
		const char *name = jval_text(x, &n);

		sbuf_reset(&key);
		sbuf_put(&key, name, n);
		x = jval_next(x);
		sbuf_printf(&key, " at %" PRId64, sheet_number(x));
		*sheet_add(&want, sbuf_str(&key), key.n) = sheet_number(jval_next(x));
	}
	for (const struct jval *r = jval_first(jval_get(views_json(c->views, "steps", BY_NONE, ""), "rows")); r; r = jval_next(r)) {
		size_t n;
		const char *name = jval_text(jval_get(r, "marker"), &n);

		if (!name || strncmp(name, prefix, sizeof(prefix) - 1) != 0)
			continue;	/* steps by another marker: the expected file knows ProfilerStep only */
		sbuf_reset(&key);
		sbuf_put(&key, name, n);
		sbuf_printf(&key, " at %" PRId64, sheet_int(r, "start_ns") + views_zero(c->views));
		*sheet_add(&got, sbuf_str(&key), key.n) = sheet_int(r, "dur_ns");
	}
	sbuf_fini(&key);
	sheet_pack(&got);
	sheet_pack(&want);
	compare_sheets(c, "steps", &got, &want, NULL);
}

/* "cpu_op 359, cuda_runtime 361": name, blank, count. */
static void add_contents(struct sheet *s, const char *text, size_t n)
{
	while (n) {
		const char *end = memchr(text, ',', n), *blank;
		size_t len = end ? (size_t)(end - text) : n;
		int64_t *v;

		for (blank = text + len; blank > text && blank[-1] != ' '; blank--)
			;
		v = sheet_add(s, text, blank > text ? (size_t)(blank - text - 1) : 0);
		*v = strtoll(blank, NULL, 10);
		len = len + 2 < n ? len + 2 : n;
		text += len;
		n -= len;
	}
}

/* Events without a category are listed by their phase: "(metadata)". */
static bool no_category(const struct sheet_row *r)
{
	return r->key[0] == '(';
}

static void compare_contents(struct compare *c)
{
	static const char *const titles[] = { "events", NULL };
	struct sheet got = { .width = 1, .titles = titles }, want = got;
	const struct jval *cats = jval_get(c->expected, "cats"), *row;
	const char *text;
	size_t n;

	if (!cats)
		return;
	row = jval_first(jval_get(views_json(c->views, "sources", BY_NONE, ""), "rows"));
	text = jval_text(jval_get(row, "contents"), &n);
	if (text)
		add_contents(&got, text, n);
	sheet_of_expected(&want, cats);
	sheet_pack(&got);
	compare_sheets(c, "contents", &got, &want, no_category);
}

/* ---- */

static void compare_all(struct compare *c)
{
	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++)
		compare_named(c, &wants[i]);
	compare_copies(c);
	if (jval_get(c->expected, "gpu"))
		compare_gpu(c);
	compare_steps(c);
	compare_contents(c);
}

static int compare_files(const char *profile, const char *expected)
{
	struct compare c = { 0 };
	struct err e = ERR_INIT;
	size_t n;
	char *text = file_read_all(expected, EXPECTED_MAX, &n, &e);
	struct jtree *doc = text ? jtree_parse(text, n, &e) : NULL;
	int status = 2;

	if (doc)
		c.views = views_new(profile, &e);
	if (c.views) {
		c.expected = jtree_root(doc);
		compare_all(&c);
		check_sums(&c);
		printf("agree%s\nsums%s\ndiffer%s\n", sbuf_str(&c.agree), sbuf_str(&c.sums), sbuf_str(&c.differ));
		status = c.differ.n ? 1 : 0;
	} else {
		printf("# %s\n", e.text);
	}
	views_free(c.views);
	jtree_free(doc);
	free(text);
	sbuf_fini(&c.agree);
	sbuf_fini(&c.sums);
	sbuf_fini(&c.differ);
	return status;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--shares") == 0)
		return shares_check(argv[2]) < 0 ? 3 : 0;
	if (argc > 2 && strstr(argv[2], ".csv"))
		return official_compare(argv[1], argv + 2, argc - 2);
	if (argc != 3) {
		fprintf(stderr, "usage: compare PROFILE EXPECTED.json | REPORT.csv... | --shares PROFILE\n");
		return 2;
	}
	return compare_files(argv[1], argv[2]);
}
