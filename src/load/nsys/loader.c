/*
 * loader.c - the loader of Nsight Systems SQLite exports: recognises them and walks their
 * tables; and what it shares with the loader of JSON exports. See nsys.h
 */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/par.h"
#include "load/nsys/nsys.h"
#include "load/read/file_damage.h"

#define BATCH_ROWS   65536
#define LOSSES_NOTED 8
#define COUNT(a)   (sizeof(a) / sizeof(*(a)))

static const char magic[] = "SQLite format 3"; /* with its NUL: the first 16 bytes */

/* API calls first: kernels of files without globalPid need to know who made them. */
const struct nsys_table *const nsys_tables[] = {
	&nsys_runtime,	      &nsys_kernel, &nsys_graph,
	&nsys_memcpy,	      &nsys_memset, &nsys_sync,
	&nsys_event_record,
	&nsys_nvtx,	      &nsys_osrt,   &nsys_profiler_overhead,
	&nsys_cupti_overhead, &nsys_sched,  &nsys_composite,
	&nsys_chains,	      &nsys_cpu_fault, &nsys_gpu_fault,
	NULL,
};

static bool contains(const char *hay, size_t n, const char *needle)
{
	return memmem(hay, n, needle, strlen(needle));
}

/* The schema lies in the first pages. Other databases are ours too: load() says what they are. */
static int nsys_probe(const struct probe *p)
{
	if (p->head_len < sizeof(magic) || memcmp(p->head, magic, sizeof(magic)) != 0)
		return 0;
	return contains(p->head, p->head_len, "StringIds") ? 100 : 60;
}

/* ---- walking a table ---- */

static void tell_job(struct nsys_ctx *cx, uint64_t rows)
{
	uint64_t events = builder_events(cx->b);

	job_add(cx->lx->job, rows, events - cx->events_told);
	cx->events_told = events;
}

struct loader_walk {
	struct nsys_ctx *cx;
	const struct nsys_table *t;
};

/* False: cancelled. */
static bool each_row(void *arg, struct nsys_scan *s)
{
	struct loader_walk *w = arg;
	struct nsys_ctx *cx = w->cx;

	w->t->row(cx, s);
	if (s->n % BATCH_ROWS)
		return true;
	tell_job(cx, BATCH_ROWS);
	if (cx->lx->batch)
		cx->lx->batch(cx->lx->batch_arg, cx->b);
	return !job_cancelled(cx->lx->job);
}

bool nsys_each_row(struct nsys_ctx *cx, const struct nsys_table *t, struct err *e)
{
	struct loader_walk w = {cx, t};
	struct nsys_scan *s = NULL;
	bool whole;

	if (nsys_db_has(cx->db, t->name, NULL))
		s = nsys_scan_open(cx->db, t->name, t->cols, t->n_cols, NULL, 0, NULL);
	if (!s)
		return true;
	whole = nsys_scan_each(s, par_workers(cx->lx->job->workers), each_row, &w);
	tell_job(cx, (uint64_t)s->n % BATCH_ROWS);
	if (whole) {
		nsys_tell_wrong(cx, s);
		builder_content(cx->b, t->name, strlen(t->name), (uint64_t)s->n);
	}
	nsys_scan_close(s);
	return whole || err_set(e, ERR_CANCELLED, _("cancelled"));
}

/* ---- what cannot be read ---- */

/* What is known of the rows. */
static void note_rows(struct nsys_ctx *cx, const struct nsys_loss *l)
{
	bool first = l->from == INT64_MIN, last = l->to == INT64_MAX;
	const char *table = l->table, *why = _(l->why);

	if (first && last)
		builder_note(cx->b, _("table %s: no row can be read: %s"), table, why);
	else if (first)
		builder_note(cx->b, _("table %s: no row before row %" PRId64 " can be read: %s"),
			     table, l->to + 1, why);
	else if (last)
		builder_note(cx->b, _("table %s: no row from row %" PRId64 " on can be read: %s"),
			     table, l->from, why);
	else
		builder_note(cx->b,
			     _("table %s: rows %" PRId64 " to %" PRId64 " cannot be read: %s"),
			     table, l->from, l->to, why);
}

static void note_table(struct nsys_ctx *cx, const struct nsys_loss *l)
{
	builder_note(cx->b, _("table %s cannot be read: %s"), l->table, _(l->why));
}

static void note_text(struct nsys_ctx *cx, const struct nsys_loss *l)
{
	builder_note(cx->b, _("table %s, row %" PRId64 ": a part of a text is lost: %s"), l->table,
		     l->from, _(l->why));
}

static void note_string(struct nsys_ctx *cx, const struct nsys_loss *l)
{
	builder_note(cx->b, _("name %" PRId64 " of StringIds cannot be read: %s"), l->from,
		     _(l->why));
}

static const struct {
	const char *what;
	void (*note)(struct nsys_ctx *cx, const struct nsys_loss *l);
} loss_kinds[NSYS_LOSS_N] = {
	[NSYS_LOST_ROWS] = {N_("part of a table cannot be read"), note_rows},
	[NSYS_LOST_TABLE] = {N_("table cannot be read"), note_table},
	[NSYS_LOST_TEXT] = {N_("text with zero bytes, as from an erased page"), note_text},
	[NSYS_LOST_STRING] = {N_("pages of StringIds cannot be read"), note_string},
};

/* How many of a kind, where the first is; what is known of the first few. */
static void tell_losses_of(struct nsys_ctx *cx, enum nsys_loss_kind kind)
{
	const struct nsys_db *db = cx->db;
	const char *what = loss_kinds[kind].what;
	uint64_t told = 0;
	int64_t first = -1;

	for (size_t i = 0; i < db->losses.n && told < LOSSES_NOTED; i++) {
		const struct nsys_loss *l = &db->losses.a[i];

		if (l->kind != kind)
			continue;
		if (!told++ && kind != NSYS_LOST_TABLE && l->from != INT64_MIN)
			first = l->from;
		loss_kinds[kind].note(cx, l);
	}
	if (db->lost[kind])
		builder_damage(cx->b, what, first, db->lost[kind]);
	if (db->lost[kind] > told)
		builder_note(cx->b, _("and %" PRIu64 " times more: %s"), db->lost[kind] - told,
			     _(what));
}

static void tell_losses(struct nsys_ctx *cx)
{
	for (int kind = 0; kind < NSYS_LOSS_N; kind++)
		tell_losses_of(cx, (enum nsys_loss_kind)kind);
}

/* ---- the whole file ---- */

static bool has_prefixed(struct nsys_db *db, const char *prefix)
{
	for (size_t i = 0; i < nsys_db_tables(db); i++)
		if (strncmp(nsys_db_table(db, i), prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

/* What a database that is no export may be, by tables that only it has. */
static const char *other_database(struct nsys_db *db)
{
	static const struct {
		const char *table, *what;
	} known[] = {
		{"dlprof", N_("a DLProf database")},
		{"DLPROF", N_("a DLProf database")},
		{"ops_group", N_("a DLProf database")},
		{"expert_systems", N_("a DLProf database")},
		{"CUPTI_ACTIVITY_KIND_", N_("an nvprof database or a cut-down export")},
	};

	for (size_t i = 0; i < COUNT(known); i++)
		if (has_prefixed(db, known[i].table))
			return _(known[i].what);
	return nsys_db_tables(db) ? _("an SQLite database") : _("an empty SQLite database");
}

static bool recognise(struct nsys_db *db, struct err *e)
{
	static const char *const marks[] = {"META_DATA_EXPORT",	   "EXPORT_META_DATA",
					    "TARGET_INFO_GPU",	   "TARGET_INFO_CUDA_GPU",
					    "ThreadNames",	   "NVTX_EVENTS",
					    "CUPTI_ACTIVITY_KIND_"};
	const char *lacks = "StringIds";

	if (nsys_db_has(db, "StringIds", "id") && nsys_db_has(db, "StringIds", "value")) {
		for (size_t i = 0; i < COUNT(marks); i++)
			if (has_prefixed(db, marks[i]))
				return true;
		lacks = _("tables of events");
	}
	return err_set(e, ERR_FORMAT, _("%s, but no Nsight Systems export: it has no %s"),
		       other_database(db), lacks);
}

static void prepare_names(struct nsys_ctx *cx)
{
	for (int k = 0; k < COPY_KIND_N; k++)
		cx->copy_name[k] = nsys_intern(cx, "Memcpy %s", copy_kind_name((enum copy_kind)k));
	cx->memset_name = nsys_intern(cx, "Memset");
	cx->sync_name = nsys_intern(cx, "Synchronization");
}

static void announce_rows(struct nsys_ctx *cx)
{
	struct job *job = cx->lx->job;
	uint64_t total = 0;

	for (size_t i = 0; nsys_tables[i]; i++)
		if (nsys_db_has(cx->db, nsys_tables[i]->name, NULL))
			total += (uint64_t)nsys_db_rows(cx->db, nsys_tables[i]->name, false);
	job_stage(job, "reading");
	if (!job)
		return;
	atomic_store(&job->done, 0);
	atomic_store(&job->total, total);
}

static bool read_here(const char *table)
{
	for (size_t i = 0; nsys_tables[i]; i++)
		if (strcmp(table, nsys_tables[i]->name) == 0)
			return true;
	return false;
}

/* Tables that we make no events of are counted, so that "what is in there" is complete. */
static void count_others(struct nsys_ctx *cx)
{
	for (size_t i = 0; i < nsys_db_tables(cx->db); i++) {
		const char *name = nsys_db_table(cx->db, i);

		if (!read_here(name) && strncmp(name, "ENUM_", 5) != 0 &&
		    strncmp(name, "sqlite_", 7) != 0)
			builder_content(cx->b, name, strlen(name),
					(uint64_t)nsys_db_rows(cx->db, name, true));
	}
}

static void tell_findings(struct nsys_ctx *cx)
{
	static const char backtraces[] = "CUPTI_ACTIVITY_KIND_RUNTIME (call chains, class 67)";
	const char *name;
	size_t n;

	if (cx->backtraces)
		builder_content(cx->b, backtraces, strlen(backtraces), cx->backtraces);
	if (cx->graph_rows)
		builder_note(cx->b,
			     ngettext("kernels inside %" PRIu64 " CUDA graph launch were not traced: capture again with --cuda-graph-trace=node",
				      "kernels inside %" PRIu64 " CUDA graph launches were not traced: capture again with --cuda-graph-trace=node",
				      (unsigned long)cx->graph_rows),
			     cx->graph_rows);
	if (cx->untimed)
		builder_note(cx->b,
			     ngettext("%" PRIu64 " GPU row has no time (start and end 0) and is in no table",
				      "%" PRIu64 " GPU rows have no time (start and end 0) and are in no table", (unsigned long)cx->untimed),
			     cx->untimed);
	if (cx->failed_calls) {
		name = builder_str(cx->b, cx->failed_name, &n);
		builder_note(cx->b,
			     ngettext("%" PRIu64 " CUDA call returned an error: %.*s, code %" PRId64,
				      "%" PRIu64 " CUDA calls returned an error; the first: %.*s, code %" PRId64, (unsigned long)cx->failed_calls),
			     cx->failed_calls, (int)(n < 200 ? n : 200), name, cx->failed_code);
	}
	if (cx->python_samples)
		builder_note(cx->b,
			     _("Python samples whose stacks this export does not show: %" PRIu64
			       "; record py-spy or pyinstrument beside it"),
			     cx->python_samples);
	if (cx->db->busy)
		builder_note(cx->b, _("a journal lies beside this database: it is being written, "
				      "or writing was "
				      "interrupted"));
	if (cx->db->missing_bytes)
		builder_damage(cx->b, N_("bytes missing at the end of the file"),
			       cx->db->size_bytes, (uint64_t)cx->db->missing_bytes);
}

/* Table by table: a database can be asked for each. */
static bool read_tables(struct nsys_ctx *cx, struct err *e)
{
	announce_rows(cx);
	for (size_t i = 0; nsys_tables[i]; i++)
		if (job_cancelled(cx->lx->job) || !nsys_each_row(cx, nsys_tables[i], e))
			return err_set(e, ERR_CANCELLED, _("cancelled"));
	return true;
}

bool nsys_read(struct nsys_ctx *cx, bool (*events)(struct nsys_ctx *cx, struct err *e),
	       struct err *e)
{
	prepare_names(cx);
	nsys_read_meta(cx);
	if (!events(cx, e))
		return false;
	nsys_put_switches(cx);
	nsys_put_event_waits(cx);
	nsys_read_names(cx);
	nsys_put_samples(cx);
	nsys_read_devices(cx);
	count_others(cx);
	tell_findings(cx);
	tell_losses(cx);
	if (cx->db->losses.n && !builder_events(cx->b) && !cx->samples)
		return err_set(e, ERR_FORMAT,
			       _("a damaged Nsight Systems export: no event can be read"));
	return true;
}

static bool nsys_load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct nsys_ctx cx = {.lx = lx,
			      .b = lx->builder,
			      .format = FORMAT_NSYS_SQLITE,
			      .only_group = NSYS_GROUP_NONE};
	struct file_state before;
	bool done;

	file_state_read(&before, path);
	cx.db = nsys_db_open(path, e);
	if (!cx.db)
		return false;
	done = recognise(cx.db, e) && nsys_read(&cx, read_tables, e);
	file_state_tell(cx.b, &before, path);
	nsys_db_close(cx.db);
	nsys_samples_fini(&cx);
	nsys_ctx_fini(&cx);
	return done;
}

const struct loader loader_nsys_sqlite = {
	.name = "nsys-sqlite",
	.what = "Nsight Systems export (nsys export --type sqlite)",
	.probe = nsys_probe,
	.load = nsys_load,
};
