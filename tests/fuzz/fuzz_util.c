/* fuzz_util.c - files, and what must hold for every profile and every table; see fuzz.h */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/spans.h"
#include "base/text.h"
#include "catalog/views.h"
#include "model/session.h"

void fuzz_broken(const char *file, int line, const char *cond, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: does not hold: %s: ", file, line, cond);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	abort();
}

/* SQLite wants a name that a file really has: no memfd. */
void fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH_MAX])
{
	const char *dir = getenv("TMPDIR");
	size_t done = 0;
	int fd;

	if (!dir || strlen(dir) > FUZZ_PATH_MAX / 2)
		dir = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(path, FUZZ_PATH_MAX, "%s/profdive-fuzz-XXXXXX", dir);
	fd = mkstemp(path);
	fuzz_hold(fd >= 0, "no file in %s", dir);
	while (done < size) {
		ssize_t n = write(fd, data + done, size - done);

		fuzz_hold(n > 0, "cannot write %zu bytes", size);
		done += (size_t)n;
	}
	close(fd);
}

void fuzz_file_close(const char *path)
{
	unlink(path);
}

const struct rulebook *fuzz_rules(void)
{
	static struct rulebook *rules;
	struct err e = ERR_INIT;

	if (!rules)
		rules = rulebook_new(&e);
	fuzz_hold(rules, "built-in rules: %s", e.text);
	return rules;
}

/* ---- profiles ---------------------------------------------------------------------------------- */

static void check_event(const struct profile *p, const struct track *tr, ev_id e)
{
	fuzz_hold(p->dur[e] >= 0, "event %u: duration %" PRId64, e, p->dur[e]);
	fuzz_hold(p->dur[e] <= INT64_MAX - (p->start[e] > 0 ? p->start[e] : 0), "event %u: its end overflows", e);
	fuzz_hold(p->name[e] == ID_NONE || p->name[e] < p->n_strs, "event %u: name %u", e, p->name[e]);
	fuzz_hold(p->self[e] >= 0 && p->self[e] <= p->dur[e], "event %u: self %" PRId64 " of %" PRId64, e, p->self[e], p->dur[e]);
	fuzz_hold(p->parent[e] == ID_NONE || (p->parent[e] >= tr->first && p->parent[e] < e), "event %u: parent %u", e, p->parent[e]);
	fuzz_hold(p->link[e] == ID_NONE || p->link[e] < p->n, "event %u: link %u", e, p->link[e]);
	fuzz_hold(p->parent[e] == ID_NONE || p->start[e] < ev_end(p, p->parent[e]), "event %u begins after its parent ends", e);
	if (e > tr->first) {
		bool ordered = p->start[e] > p->start[e - 1] ||
			(p->start[e] == p->start[e - 1] && p->dur[e] <= p->dur[e - 1]);

		fuzz_hold(ordered, "event %u is out of order", e);
	}
}

static void check_track(const struct profile *p, track_id t)
{
	const struct track *tr = &p->tracks[t];
	struct spans all = { 0 };
	ns_t self = 0;

	fuzz_hold(tr->layer < LAYER_N, "track %u: layer %u", t, tr->layer);
	fuzz_hold((uint64_t)tr->first + tr->count <= p->n, "track %u: events beyond the columns", t);
	fuzz_hold(tr->thread == ID_NONE || tr->thread < p->n_threads, "track %u: thread %u", t, tr->thread);
	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		check_event(p, tr, e);
		self += p->self[e];
		spans_append(&all, p->start[e], ev_end(p, e));
	}
	fuzz_hold(self == spans_measure(&all), "track %u: selfs %" PRId64 ", union %" PRId64, t, self, spans_measure(&all));
	spans_fini(&all);
}

static void check_links(const struct profile *p)
{
	ev_id calls = p->layer_first[LAYER_RUNTIME], after = p->layer_first[LAYER_RUNTIME + 1];

	for (uint32_t i = 0; i < p->n_by_launch; i++) {
		ev_id e = p->by_launch[i];

		fuzz_hold(e < p->n && p->link[e] != ID_NONE, "launched event %u has no launch", e);
		fuzz_hold(p->link[e] >= calls && p->link[e] < after, "event %u is launched by %u, no call", e, p->link[e]);
		fuzz_hold(!i || p->link[p->by_launch[i - 1]] <= p->link[e], "launched events out of order at %u", i);
	}
}

static void check_frames(const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_frames; i++)
		fuzz_hold(p->frames[i].parent >= -1 && p->frames[i].parent < (int64_t)i, "frame %u: parent %d", i, p->frames[i].parent);
}

void fuzz_check_profile(const struct profile *p)
{
	uint64_t events = 0;

	for (track_id t = 0; t < p->n_tracks; t++) {
		check_track(p, t);
		events += p->tracks[t].count;
	}
	fuzz_hold(events == p->n, "tracks have %" PRIu64 " events, the columns %u", events, p->n);
	for (str_id s = 0; s < p->n_strs; s++) {
		size_t n;

		fuzz_hold(profile_str(p, s, &n)[n] == '\0', "string %u is not terminated", s);
	}
	check_links(p);
	check_frames(p);
}

static void on_batch(void *arg, struct builder *b)
{
	uint64_t *batches = arg;

	if ((*batches)++ == 0 && builder_events(b) < 1000) {
		struct profile *p = builder_snapshot(b, true);

		fuzz_check_profile(p);
		profile_unref(p);
	}
}

bool fuzz_load(const struct loader *l, const uint8_t *data, size_t size, struct profile **out)
{
	return fuzz_load_on(l, 0, data, size, out);
}

bool fuzz_load_on(const struct loader *l, unsigned workers, const uint8_t *data, size_t size, struct profile **out)
{
	char path[FUZZ_PATH_MAX];
	uint64_t batches = 0;
	struct job job = { .workers = workers };
	struct load_ctx lx = { builder_new(), &job, on_batch, &batches };
	struct err e = ERR_INIT;
	bool loaded;

	fuzz_file(data, size, path);
	loaded = l->load(&lx, path, &e);
	fuzz_hold(loaded || e.code != ERR_NONE, "failed without a reason");
	*out = builder_finish(lx.builder);
	fuzz_check_profile(*out);
	builder_free(lx.builder);
	fuzz_file_close(path);
	return loaded;
}

/* ---- tables ------------------------------------------------------------------------------------ */

void fuzz_check_printed(const char *s, size_t n, const char *allowed)
{
	for (size_t i = 0; i < n;) {
		uint32_t cp = 0;
		size_t len = text_decode(s + i, n - i, &cp);

		fuzz_hold(len, "invalid UTF-8 at %zu of %zu", i, n);
		if (!(cp && cp < 128 && strchr(allowed, (int)cp)))
			fuzz_hold(cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0), "control character %#x at %zu", (unsigned)cp, i);
		i += len;
	}
}

static void check_json(const char *s, size_t n, const struct table *t)
{
	cJSON *d = cJSON_ParseWithLength(s, n);
	int rows = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(d, "rows"));

	fuzz_hold(d, "view %s: output is no JSON", t->view);
	fuzz_hold((uint32_t)rows == t->n_rows, "view %s: %d rows of %u in JSON", t->view, rows, t->n_rows);
	cJSON_Delete(d);
	fuzz_check_printed(s, n, "\n");
}

void fuzz_check_format(const struct table *t, enum out_format fmt)
{
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	fuzz_hold(f && out_table(f, fmt, t, NULL, &e), "view %s: %s", t->view, e.text);
	fclose(f);
	if (fmt == OUT_JSON)
		check_json(text, n, t);
	else
		fuzz_check_printed(text, n, fmt == OUT_CSV ? "\r\n\t" : "\n");
	free(text);
}

void fuzz_check_output(const struct table *t)
{
	for (enum out_format fmt = OUT_TABLE; fmt <= OUT_MD; fmt++)
		fuzz_check_format(t, fmt);
}

/* ---- views ------------------------------------------------------------------------------------- */

static int64_t cell_of(const struct table *t, uint32_t row, const char *col)
{
	int c = table_col(t, col);

	fuzz_hold(c >= 0, "view %s has no column %s", t->view, col);
	return table_cell(t, row, (uint32_t)c)->type == CELL_I64 ? table_cell(t, row, (uint32_t)c)->v.i : 0;
}

/* Columns of which the first is the sum of the others, row by row: the partitions of definitions.md. */
static const struct {
	const char *view, *cols[12];
} sums[] = {
	{ "gpu", { "window_ns", "compute_ns", "exposed_comm_ns", "exposed_memcpy_ns", "idle_ns" } },
	{ "gpu", { "exposed_memcpy_ns", "exposed_htod_ns", "exposed_dtoh_ns", "exposed_both_ns", "exposed_dtod_ns",
		"exposed_ptop_ns", "exposed_memset_ns", "exposed_rest_ns" } },
	{ "steps", { "period_ns", "dataload_ns", "forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns" } },
};

static void check_sums(const struct table *t)
{
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		if (strcmp(sums[i].view, t->view) != 0)
			continue;
		for (uint32_t row = 0; row < t->n_rows; row++) {
			int64_t whole = cell_of(t, row, sums[i].cols[0]), parts = 0;

			for (const char *const *c = sums[i].cols + 1; *c; c++)
				parts += cell_of(t, row, *c);
			fuzz_hold(whole == parts, "view %s row %u: %s is %" PRId64 ", its parts %" PRId64, t->view, row,
				sums[i].cols[0], whole, parts);
		}
	}
}

/* The rows of the breakdown sum to the wall (definitions.md §5). */
static void check_breakdown(const struct table *t)
{
	int64_t sum = 0;

	for (uint32_t row = 0; row < t->n_rows; row++)
		sum += cell_of(t, row, "time_ns");
	fuzz_hold(sum == t->wall_ns, "breakdown: rows sum to %" PRId64 ", wall %" PRId64, sum, t->wall_ns);
}

static void check_view(const struct an_ctx *cx, const struct analysis *a, const struct scope *sc, enum out_format fmt, bool sound)
{
	struct err e = ERR_INIT;
	struct table *t = analysis_table(a, cx, sc, &e);

	if (!t) {
		fuzz_hold(e.code == ERR_USAGE, "view %s: %s", a->id, e.text);
		return;
	}
	if (sound)
		check_sums(t);
	if (sound && strcmp(a->id, "breakdown") == 0)
		check_breakdown(t);
	fuzz_check_format(t, fmt);
	table_free(t);
}

static void check_views(struct profile *p, size_t choice, bool sound)
{
	static const struct {
		enum window_kind window;
		enum by_dim by;
	} scopes[] = { { WINDOW_ALL, BY_NONE }, { WINDOW_STEADY, BY_STEP }, { WINDOW_ALL, BY_PHASE }, { WINDOW_STEADY, BY_NONE } };
	struct session *s = session_new();
	struct an_ctx *cx;
	struct scope sc;

	session_put(s, session_add(s, "made \x1b[31m\xff.json"), p, SOURCE_READY);
	cx = an_ctx_new(s, fuzz_rules(), NULL, NULL);
	scope_init(&sc);
	sc.window = scopes[choice % 4].window;
	sc.by = scopes[choice % 4].by;
	for (size_t v = 0; analyses[v]; v++)
		/* the rules are large, and the same for every profile; what may contradict itself takes time: some views each time */
		if (analyses[v] != &an_rules && (sound || v % 8 == choice % 8))
			check_view(cx, analyses[v], &sc, (enum out_format)((choice / 4 + v) % 4), sound);
	an_ctx_free(cx);
	session_free(s);
}

void fuzz_check_views(struct profile *p, size_t choice)
{
	check_views(p, choice, true);
}

void fuzz_show_views(struct profile *p, size_t choice)
{
	check_views(p, choice, false);
}
