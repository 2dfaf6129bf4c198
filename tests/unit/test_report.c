/*
 * test_report.c - the documents of the report: columns exist, partitions are stated, names cannot
 * break the Markdown
 */
#include "report/report.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "catalog/views.h"
#include "report/section.h"
#include "rules/rules.h"
#include "table/filter.h"
#include "tests/lib/tap.h"

#define EVIL "evil|name\x1b[2J\n*x* <b>"

static char dir[] = "/tmp/profdive-report-XXXXXX";

/*
 * ---- the tables of sections
 * ----------------------------------------------------------------------
 */

static bool column_known(const struct analysis *a, const char *word, size_t len)
{
	size_t n = strcspn(word, "+?# ");

	if (n > len)
		n = len;
	for (uint32_t i = 0; i < a->n_cols; i++)
		if (strlen(a->cols[i].id) == n && !memcmp(a->cols[i].id, word, n))
			return true;
	return false;
}

static void check_columns(const struct document *d, const struct section *s,
			  const struct analysis *a, const char *spec)
{
	for (; spec && *spec; spec += strcspn(spec, " ") + (spec[strcspn(spec, " ")] == ' ')) {
		size_t len = strcspn(spec, " ");

		if (!column_known(a, spec, len))
			fail("%s: %s: view %s has no column %.*s", d->file, s->heading, s->view,
			     (int)len, spec);
	}
}

static void check_section(const struct document *d, const struct section *s)
{
	const struct analysis *a = s->view ? analysis_find(s->view) : NULL;

	if (!s->view)
		return;
	ok(a != NULL, "%s: %s: view %s exists", d->file, s->heading, s->view);
	if (!a)
		return;
	check_columns(d, s, a, s->cols);
	check_columns(d, s, a, s->sort);
	if (!s->write)
		check_columns(d, s, a, s->group);
	if (s->filter) {
		struct filter *f = filter_parse(s->filter, a->cols, a->n_cols, NULL);

		ok(f != NULL, "%s: %s: its filter is valid", d->file, s->heading);
		filter_free(f);
	}
}

static void test_sections(void)
{
	int n = 0;

	for (const struct document *const *d = documents; *d; d++, n++)
		for (const struct section *s = (*d)->sections; s->level >= 0; s++)
			check_section(*d, s);
	is_int(n, 6, "six documents");
}

/*
 * ---- a small session
 * ------------------------------------------------------------------------------
 */

static void event(struct builder *b, track_id t, const char *name, size_t n, ns_t start, ns_t dur,
		  uint64_t corr)
{
	struct builder_event e = {
		.start = start, .dur = dur, .corr = corr, .ext = CORR_NONE, .aux = ID_NONE};

	e.name = builder_intern(b, name, n);
	builder_add(b, t, &e);
}

/*
 * One op [0, 100) that launches a kernel [50, 90) by a call [10, 20); a second kernel [90, 120). By
 * hand, window all: the device computes from 50 to 120, wall 70; the host is known from 0 to 100,
 * its own wall is 120 less what the file does not reach: the events end at 120.
 */
static struct profile *small(void)
{
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 7, 7);
	struct profile *p;

	builder_set_format(b, FORMAT_TORCH);
	builder_caps(b, CAP_RUNTIME | CAP_OPS | CAP_GPU);
	event(b, builder_host_track(b, LAYER_OP, th, ID_NONE, 0), EVIL, strlen(EVIL), 0, 100,
	      CORR_NONE);
	event(b, builder_host_track(b, LAYER_RUNTIME, th, ID_NONE, 0), "cudaLaunchKernel", 16, 10,
	      10, 1);
	event(b, builder_gpu_track(b, LAYER_KERNEL, -1, 0, -1, 7, 0), "gemm_kernel", 11, 50, 40, 1);
	event(b, builder_gpu_track(b, LAYER_KERNEL, -1, 0, -1, 7, 0), "a|b", 3, 90, 30, 2);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

struct seen {
	int calls, last_done, total;
};

static void count(void *arg, const char *file, int done, int total)
{
	struct seen *s = arg;

	(void)file;
	s->calls++;
	s->last_done = done;
	s->total = total;
}

static char *read_doc(char *const *files, int i)
{
	size_t n;

	return file_read_all(files[i], 1 << 24, &n, NULL);
}

static void free_files(char **files)
{
	for (int i = 0; files && files[i]; i++) {
		unlink(files[i]);
		free(files[i]);
	}
	free(files);
}

static bool clean(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' && *s != '\n')
			return false;
	return true;
}

static void check_documents(char *const *files)
{
	char *md = read_doc(files, 5);

	ok(md && strstr(md, "Sum of the rows: 70 ns. Wall: 70 ns. The two are equal"),
	   "the device's partition sums to its wall of 70 ns");
	ok(md && strstr(md, "Sum of the rows: 120 ns. Wall: 120 ns. The two are equal"),
	   "the host's to 120 ns");
	ok(md && !strstr(md, "differs by"), "nothing differs");
	free(md);
	for (int i = 0; i < 6; i++) {
		md = read_doc(files, i);
		ok(md && clean(md), "%s has no control bytes", files[i]);
		ok(md && !strstr(md, " | evil|name") && !strstr(md, "<b> |"),
		   "and a hostile name breaks no table");
		free(md);
	}
	md = read_doc(files, 4);
	ok(md && strstr(md, "No Python stacks: add a pyinstrument JSON file"),
	   "what is missing is told with the file that would provide it");
	ok(md && strstr(md, "evil\\|name\\x1b[2J"), "names are escaped, not dropped");
	free(md);
}

static void test_write(const struct an_ctx *cx)
{
	char path[sizeof(dir) + 32];
	struct seen seen = {0};
	struct err e = ERR_INIT;
	struct scope sc;
	char **files = NULL;

	snprintf(path, sizeof(path), "%s/new", dir);
	scope_init(&sc);
	ok(report_write(cx, &sc, path, NULL, count, &seen, &files, &e), "the report is written: %s",
	   e.text);
	is_int(seen.calls, 7, "progress: once per document and at the end");
	is_int(seen.last_done, 6, "all done");
	is_int(seen.total, 6, "of six");
	if (files)
		check_documents(files);
	free_files(files);
	rmdir(path);
}

static void test_failures(const struct an_ctx *cx)
{
	struct err e = ERR_INIT;
	struct job job = {0};
	struct an_ctx cancelled = *cx;
	struct scope sc;
	char **files = NULL;

	scope_init(&sc);
	ok(!report_write(cx, &sc, "/dev/null/no", NULL, NULL, NULL, &files, &e) && e.code == ERR_IO && !files,
	   "a folder below a file: ERR_IO");
	e = (struct err)ERR_INIT;
	ok(scope_parse_window(&sc, "step:99", NULL), "a window");
	ok(!report_write(cx, &sc, dir, NULL, NULL, NULL, &files, &e) && e.code == ERR_USAGE,
	   "no such step: ERR_USAGE");
	e = (struct err)ERR_INIT;
	scope_init(&sc);
	atomic_store(&job.cancel, true);
	cancelled.job = &job;
	ok(!report_write(&cancelled, &sc, dir, NULL, NULL, NULL, &files, &e) && e.code == ERR_CANCELLED,
	   "cancelled: ERR_CANCELLED");
}

/*
 * ---- statistics over steps
 * --------------------------------------------------------------------------
 */

/*
 * Steps of 100, 300, 200 and 400 ns: the lower middle one is 200, p90 (nearest rank, the 4th of 4)
 * 400.
 */
static struct profile *four_steps(void)
{
	static const ns_t len[] = {100, 300, 200, 400};
	struct builder *b = builder_new();
	thread_id th = builder_thread(b, 7, 7);
	track_id ann = builder_host_track(b, LAYER_ANNOT, th, ID_NONE, 0);
	struct profile *p;
	ns_t at = 0;

	builder_set_format(b, FORMAT_TORCH);
	for (int i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof(name), "ProfilerStep#%d", i + 5);
		event(b, ann, name, strlen(name), at, len[i], CORR_NONE);
		at += len[i];
	}
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_stepstats(struct rulebook *r)
{
	struct session *s = session_new();
	struct an_ctx *cx;
	struct table *t;
	struct scope sc;

	session_put(s, session_add(s, "steps"), four_steps(), SOURCE_READY);
	cx = an_ctx_new(s, r, NULL, NULL);
	scope_init(&sc);
	scope_parse_window(&sc, "all", NULL);
	t = analysis_table(analysis_find("stepstats"), cx, &sc, NULL);
	if (ok(t && t->n_rows > 0, "statistics of four steps")) {
		is_mem(table_cell(t, 0, 0)->v.s, table_cell(t, 0, 0)->len, "period", 6,
		       "the period comes first");
		is_int(table_cell(t, 0, (uint32_t)table_col(t, "n"))->v.i, 4, "four");
		is_int(table_cell(t, 0, (uint32_t)table_col(t, "median_ns"))->v.i, 200,
		       "the lower of the two middle ones");
		is_int(table_cell(t, 0, (uint32_t)table_col(t, "p90_ns"))->v.i, 400, "p90");
		is_int(table_cell(t, 0, (uint32_t)table_col(t, "min_ns"))->v.i, 100, "min");
		is_int(table_cell(t, 0, (uint32_t)table_col(t, "total_ns"))->v.i, 1000, "total");
	}
	table_free(t);
	an_ctx_free(cx);
	session_free(s);
}

int main(void)
{
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);
	struct session *s = session_new();
	struct an_ctx *cx;

	if (!r || !mkdtemp(dir))
		return 99;
	session_put(s, session_add(s, "dir/small_*.json"), small(), SOURCE_READY);
	cx = an_ctx_new(s, r, NULL, NULL);
	test_sections();
	test_write(cx);
	test_failures(cx);
	test_stepstats(r);
	an_ctx_free(cx);
	session_free(s);
	rulebook_free(r);
	rmdir(dir);
	return done_testing();
}
