/*
 * json.c - the loaders of JSON exports of Nsight Systems (`nsys export --type jsonlines` and the
 * older `--type json`): one object a line, rows of all tables mixed, strings before or after their
 * users. See json_row.h for the lines.
 *
 * The text is read twice. The first pass keeps what is small and needed before or after the events
 * (strings, what the export says of itself, threads, processes, boards, NVTX domains) and counts the
 * rows of every table: that is the "database" of db.h. The second pass hands each row with an
 * event to the handlers that serve the SQLite export, as it comes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "load/nsys/json_row.h"
#include "load/nsys/nsys.h"
#include "load/read/head.h"
#include "load/read/json_objects.h"

#define NAME_BYTES 96
#define TABLES_MAX 512
#define DOMAIN_ROW 75 /* NvtxDomainCreate */

struct kept { /* a line of a table that is read as a whole */
	size_t at, n;
	int64_t offset;
};
struct jtable {
	char name[NAME_BYTES];
	int64_t rows;
	bool keep;
	bool thread_list; /* its rows are members of the legacy list */
	VEC(struct kept) kept;
};
struct json_db {
	struct nsys_db base;
	bool legacy;
	struct map string_of; /* StringIds id -> index + 1 into strings */
	VEC(struct kept) strings;
	VEC(char) text; /* of kept lines and strings */
	VEC(struct jtable) tables;
	struct jrow row;
	char *plain;
	size_t plain_cap;
};
struct json_scan { /* over kept lines */
	struct jrow_scan s;
	struct json_db *db;
	const struct jtable *t;
	size_t next;
	struct jrow row;
};

static struct json_db *db_of(struct nsys_db *base)
{
	return (struct json_db *)(void *)base;
}

/* ---- the first pass ---- */

/* Whole tables that nsys/meta.c and device.c read. */
static bool keep_table(const char *name)
{
	static const char *const names[] = {
		"EXPORT_META_DATA", "META_DATA_EXPORT",	  "META_DATA_CAPTURE",
		"TARGET_INFO_GPU",  "TARGET_INFO_CUDA_GPU",   "TARGET_INFO_CUDA_DEVICE",
		"DIAGNOSTIC_EVENT", "TARGET_INFO_SESSION_START_TIME", "ThreadNames",
		"PROCESSES",	    "MPI_RANKS"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static struct jtable *find_table(const struct json_db *db, const char *name)
{
	for (size_t i = db->tables.n; i-- > 0;)
		if (strcmp(db->tables.a[i].name, name) == 0)
			return &db->tables.a[i];
	return NULL;
}

static struct jtable *table_of(struct json_db *db, const char *name)
{
	struct jtable *t = find_table(db, name);

	if (t || db->tables.n == TABLES_MAX)
		return t;
	VEC_PUSH(&db->tables, (struct jtable){.keep = keep_table(name)});
	t = &db->tables.a[db->tables.n - 1];
	snprintf(t->name, sizeof(t->name), "%s", name);
	return t;
}

static struct kept store(struct json_db *db, const char *s, size_t n, int64_t offset)
{
	struct kept k = {db->text.n, n, offset};

	/* the scanner wants zeros behind a text */
	VEC_RESERVE(&db->text, db->text.n + n + JSCAN_PAD);
	if (n)
		memcpy(db->text.a + db->text.n, s, n);
	memset(db->text.a + db->text.n + n, 0, JSCAN_PAD);
	db->text.n += n + JSCAN_PAD;
	return k;
}

static void store_string(struct json_db *db, int64_t id, const struct jstr *s)
{
	size_t n;
	const char *p = jstr_plain(s, &db->plain, &db->plain_cap, &n);

	map_put(&db->string_of, (uint64_t)id, 0, (uint32_t)db->strings.n + 1);
	VEC_PUSH(&db->strings, store(db, p, n, 0));
}

static void string_row(struct json_db *db, const struct jrow *r)
{
	uint8_t hint = 0;
	const struct jpair *value = jrow_find(r, "value", &hint);
	int64_t id;

	if (value && value->kind == JCELL_TEXT && jrow_int(r, "id", &id))
		store_string(db, id, &value->value);
}

/* {"data":[…]}: strings in the order of their ids, or, at the end of the file, threads. */
static void legacy_list(struct json_db *db, const struct jpair *list, int64_t offset)
{
	struct jtable *threads = NULL, *strings = NULL;
	struct jscan js;
	struct jstr s;
	char c;

	jscan_init(&js, list->value.s, list->value.n, offset, true);
	if (jscan_take(&js, '[') != JS_OK)
		return;
	for (int64_t id = 0; (c = jscan_peek(&js)) && c != ']';) {
		const char *from = js.p;

		if (c == ',') {
			js.p++;
		} else if (c == '"') {
			strings = strings ? strings : table_of(db, "StringIds");
			if (jscan_string(&js, &s) != JS_OK)
				return;
			store_string(db, id++, &s);
			strings->rows++;
		} else {
			threads = threads ? threads : table_of(db, jform_thread_names.table);
			if (jscan_skip(&js) != JS_OK)
				return;
			threads->thread_list = true;
			threads->rows++;
			VEC_PUSH(&threads->kept, store(db, from, (size_t)(js.p - from), offset));
		}
	}
}

/* Creations of domains come before or after their ranges. */
static bool is_domain(const struct jrow *r, bool legacy)
{
	int64_t type;

	return jrow_int(r, legacy ? "Type" : "eventType", &type) && type == DOMAIN_ROW;
}

static void index_line(struct json_db *db, struct jscan *line)
{
	const char *from = line->p;
	uint8_t hint = 0;
	char name[NAME_BYTES];
	struct jform scratch;
	const struct jform *f;
	struct jtable *t;
	const struct jpair *list;

	if (!jrow_read(&db->row, line))
		return; /* the second pass tells */
	f = jform_of(&db->row, db->legacy, &scratch, name, sizeof(name));
	if (!f) {
		list = db->legacy ? jrow_find(&db->row, "data", &hint) : NULL;
		if (list && list->kind == JCELL_ARRAY)
			legacy_list(db, list, db->row.offset);
		return;
	}
	t = table_of(db, f->table);
	if (!t)
		return;
	t->rows++;
	if (strcmp(f->table, "StringIds") == 0)
		string_row(db, &db->row);
	else if (t->keep || (strcmp(f->table, nsys_nvtx.name) == 0 && is_domain(&db->row, db->legacy)))
		VEC_PUSH(&t->kept, store(db, from, (size_t)(line->end - from), db->row.offset));
}

static bool index_text(struct json_db *db, struct load_ctx *lx, struct jwin *w)
{
	struct jscan line;

	w->quiet = true;
	db->base.size_bytes = file_src_size(w->t.src);
	job_stage(lx->job, "reading");
	if (lx->job)
		atomic_store(&lx->job->total, (uint64_t)db->base.size_bytes * 2);
	while (jwin_line(w, &line))
		index_line(db, &line);
	if (!w->t.failed)
		jwin_finish(w);
	return !w->t.failed;
}

/* ---- the database that it makes ---- */

static void db_close(struct nsys_db *base)
{
	struct json_db *db = db_of(base);

	for (size_t i = 0; i < db->tables.n; i++)
		VEC_FREE(&db->tables.a[i].kept);
	VEC_FREE(&db->tables);
	VEC_FREE(&db->strings);
	VEC_FREE(&db->text);
	map_fini(&db->string_of);
	free(db->plain);
	free(db);
}

static size_t db_tables(const struct nsys_db *base)
{
	return ((const struct json_db *)(const void *)base)->tables.n;
}

static const char *db_table(const struct nsys_db *base, size_t i)
{
	return ((const struct json_db *)(const void *)base)->tables.a[i].name;
}

/* A row names its columns itself; which a table lacks is not known. */
static bool db_has(struct nsys_db *base, const char *table, const char *column)
{
	(void)column;
	return find_table(db_of(base), table);
}

static int64_t db_rows(struct nsys_db *base, const char *table, bool exact)
{
	const struct jtable *t = find_table(db_of(base), table);

	(void)exact;
	return t ? t->rows : 0;
}

static enum nsys_found db_string(struct nsys_db *base, int64_t id, const char **s, size_t *n)
{
	const struct json_db *db = db_of(base);
	uint32_t i = map_find(&db->string_of, (uint64_t)id, 0);

	if (i == MAP_NONE)
		return NSYS_NO_STRING;
	*s = db->text.a + db->strings.a[i - 1].at;
	*n = db->strings.a[i - 1].n;
	return NSYS_STRING;
}

static void scan_drop(struct jrow_scan *base)
{
	free(base); /* the first member */
}

static bool scan_more(struct jrow_scan *base)
{
	struct json_scan *s = (struct json_scan *)(void *)base;

	while (s->next < s->t->kept.n) {
		const struct kept *k = &s->t->kept.a[s->next++];
		struct jscan js;

		jscan_init(&js, s->db->text.a + k->at, k->n, k->offset, true);
		if (!jrow_read(&s->row, &js))
			continue;
		jrow_scan_row(base, &s->row);
		return true;
	}
	return false;
}

/* The form of a kept table. Of the threads of a legacy export, that of the members of its list. */
static struct jform form_of_table(struct json_db *db, const struct jtable *t)
{
	struct jform f = {t->name, NULL}, scratch;
	const struct jform *found = NULL;
	struct jscan js;
	char name[NAME_BYTES];

	if (t->thread_list)
		return jform_thread_names;
	if (!t->kept.n)
		return f;
	jscan_init(&js, db->text.a + t->kept.a[0].at, t->kept.a[0].n, 0, true);
	if (jrow_read(&db->row, &js))
		found = jform_of(&db->row, db->legacy, &scratch, name, sizeof(name));
	if (found)
		f.alias = found->alias;
	return f;
}

/* Only kept rows; of NVTX, those are the rows that the only filter asks for. */
static struct nsys_scan *scan_open(struct nsys_db *base, const char *table, const char *const *cols,
				   size_t n, const char *filter_col, int64_t filter, struct err *e)
{
	struct json_db *db = db_of(base);
	const struct jtable *t = find_table(db, table);
	struct json_scan *s;
	struct jform f;

	(void)filter_col;
	(void)filter;
	if (!t || n > NSYS_COLS_MAX) {
		err_set(e, ERR_FORMAT, _("table %s: missing"), table);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->db = db;
	s->t = t;
	f = form_of_table(db, t);
	jrow_scan_init(&s->s, &f, cols, n);
	s->s.more = scan_more;
	s->s.drop = scan_drop;
	return &s->s.base;
}

static const struct nsys_db_ops json_ops = {
	.close = db_close,
	.tables = db_tables,
	.table = db_table,
	.has = db_has,
	.rows = db_rows,
	.string = db_string,
	.scan = scan_open,
};

/* ---- the second pass ---- */

#define EVENT_TABLES 24

struct json_pass {
	struct nsys_ctx *cx;
	struct jrow row;
	struct jrow_scan scan[EVENT_TABLES]; /* per table of nsys_tables */
	bool begun[EVENT_TABLES];
	unsigned last;
};

static bool find_event_table(struct json_pass *ps, const char *name, unsigned *at)
{
	if (strcmp(nsys_tables[ps->last]->name, name) == 0) {
		*at = ps->last;
		return true;
	}
	for (unsigned i = 0; nsys_tables[i] && i < EVENT_TABLES; i++) {
		if (strcmp(nsys_tables[i]->name, name) == 0) {
			*at = ps->last = i;
			return true;
		}
	}
	return false;
}

static void event_line(struct json_pass *ps, struct jscan *line)
{
	bool legacy = db_of(ps->cx->db)->legacy;
	char name[NAME_BYTES];
	struct jform scratch;
	const struct jform *f;
	unsigned i;

	if (!jrow_read(&ps->row, line)) {
		builder_damage(ps->cx->b, N_("malformed lines, skipped"), ps->row.offset, 1);
		return;
	}
	f = jform_of(&ps->row, legacy, &scratch, name, sizeof(name));
	if (!f || !find_event_table(ps, f->table, &i))
		return;
	if (!ps->begun[i]) {
		jrow_scan_init(&ps->scan[i], f, nsys_tables[i]->cols, nsys_tables[i]->n_cols);
		ps->begun[i] = true;
	}
	jrow_scan_row(&ps->scan[i], &ps->row);
	nsys_tables[i]->row(ps->cx, &ps->scan[i].base);
}

static void end_pass(struct json_pass *ps)
{
	for (unsigned i = 0; nsys_tables[i] && i < EVENT_TABLES; i++) {
		const char *name = nsys_tables[i]->name;

		if (!ps->begun[i])
			continue;
		nsys_tell_wrong(ps->cx, &ps->scan[i].base);
		builder_content(ps->cx->b, name, strlen(name), (uint64_t)ps->scan[i].base.n);
		jrow_scan_fini(&ps->scan[i]);
	}
}

struct json_ctx { /* so that the second pass reads the same file */
	struct nsys_ctx cx;
	struct jwin *w;
};

static bool read_events(struct nsys_ctx *cx, struct err *e)
{
	struct json_pass *ps = xcalloc(1, sizeof(*ps));
	struct jwin *w = ((struct json_ctx *)(void *)cx)->w;
	struct jscan line;
	bool ok;

	ps->cx = cx;
	(void)e;	/* it is the window's, too */
	ok = jwin_rewind(w);
	while (ok && jwin_line(w, &line))
		event_line(ps, &line);
	if (!w->t.failed)
		jwin_finish(w);
	ok = !w->t.failed;
	end_pass(ps);
	free(ps);
	return ok;
}

static bool json_load(struct load_ctx *lx, const char *path, bool legacy, struct err *e)
{
	struct json_db *db = xcalloc(1, sizeof(*db));
	struct jwin w;
	struct json_ctx jc = {
		.cx = {.lx = lx,
		       .b = lx->builder,
		       .db = &db->base,
		       .format = legacy ? FORMAT_NSYS_JSON : FORMAT_NSYS_JSONL,
		       .only_group = NSYS_GROUP_NONE},
		.w = &w,
	};
	bool done;

	db->base.ops = &json_ops;
	db->legacy = legacy;
	done = jwin_open(&w, lx, path, e) && index_text(db, lx, &w);
	if (done && !db->tables.n)
		done = err_set(e, ERR_FORMAT,
			       _("no line of this file is a row of an Nsight Systems export"));
	done = done && nsys_read(&jc.cx, read_events, e);
	jwin_close(&w);
	nsys_db_close(&db->base);
	nsys_samples_fini(&jc.cx);
	nsys_ctx_fini(&jc.cx);
	return done;
}

static bool load_lines(struct load_ctx *lx, const char *path, struct err *e)
{
	return json_load(lx, path, false, e);
}

static bool load_legacy(struct load_ctx *lx, const char *path, struct err *e)
{
	return json_load(lx, path, true, e);
}

/* ---- recognising them ---- */

static int probe_lines(const struct probe *p)
{
	return head_key(p, "table") && !head_key(p, "traceEvents") ? 98 : 0;
}

static int probe_legacy(const struct probe *p)
{
	if (head_first(p) != '{' || head_key(p, "traceEvents"))
		return 0;
	/* the string table comes first and can be longer than the head */
	if (head_key(p, "data") &&
	    (head_has(p, "\"[kernel.kallsyms]\"") || head_has(p, "\"TraceProcessEvent\"")))
		return 98;
	return head_has(p, "\"TraceProcessEvent\":{") || head_has(p, "\"NvtxEvent\":{") ||
			       head_has(p, "\"CudaEvent\":{") ||
			       head_begins(p, "{\"type\":\"String\"")
		       ? 98
		       : 0;
}

const struct loader loader_nsys_jsonl = {
	.name = "nsys-jsonlines",
	.what = N_("Nsight Systems export (nsys export --type jsonlines)"),
	.probe = probe_lines,
	.load = load_lines,
};

const struct loader loader_nsys_json = {
	.name = "nsys-json",
	.what = N_("Nsight Systems export (nsys export --type json)"),
	.probe = probe_legacy,
	.load = load_legacy,
};
