/*
 * section.c - one section of a document: heading, method, table, source, and whether the sum holds;
 * see section.h
 */
#include "report/section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"
#include "report/chart.h"
#include "report/out.h"
#include "table/filter.h"
#include "table/shape.h"

/*
 * ---- texts --------------------------------------------------------------------------------------
 */

/* Appends a text of ours with {N} replaced; without a device the blank before it goes, too. */
static void put_with_device(struct sbuf *b, const char *text, int64_t device)
{
	const char *mark;

	for (; (mark = strstr(text, "{N}")); text = mark + 3) {
		bool blank = device == SCOPE_ANY && mark > text && mark[-1] == ' ';

		sbuf_put(b, text, (size_t)(mark - text) - blank);
		if (device != SCOPE_ANY)
			sbuf_printf(b, "%" PRId64, device);
	}
	sbuf_puts(b, text);
}

static void put_text(struct report *r, const char *text, int64_t device)
{
	struct sbuf b = {0};

	put_with_device(&b, _(text), device);
	fprintf(r->f, "\n%s\n", sbuf_str(&b));
	sbuf_fini(&b);
}

static void put_heading(struct report *r, const struct section *s, int64_t device)
{
	struct sbuf b = {0};

	if (s->heading) {
		sbuf_fill(&b, '#', (size_t)s->level);
		sbuf_putc(&b, ' ');
		put_with_device(&b, _(s->heading), device);
		fprintf(r->f, "\n%s\n", sbuf_str(&b));
	}
	sbuf_fini(&b);
}

void report_put_md(struct report *r, const char *s, size_t n)
{
	struct sbuf b = {0};

	out_md_text(&b, s, n);
	fputs(sbuf_str(&b), r->f);
	sbuf_fini(&b);
}

static void put_name(struct report *r, const char *s)
{
	struct sbuf b = {0};

	out_md_name(&b, s, strlen(s));
	fputs(sbuf_str(&b), r->f);
	sbuf_fini(&b);
}

uint32_t report_each_source(const struct table *t, void (*put)(void *arg, const char *path),
			    void *arg)
{
	struct groups seen = {0};
	uint32_t more;

	for (uint32_t i = 0; i < t->n_sources; i++) {
		const struct group_key key = {.name = t->sources[i],
					      .name_len = strlen(t->sources[i])};
		uint32_t n = seen.n;

		if (groups_add(&seen, &key) == n && n < DOC_SOURCES_MAX)
			put(arg, t->sources[i]);
	}
	more = seen.n > DOC_SOURCES_MAX ? seen.n - DOC_SOURCES_MAX : 0;

	groups_fini(&seen);
	return more;
}

/* What has the rows of the section printed again; `PATH...` stands for the paths of the session. */
static void put_command(struct report *r, const struct section *s, const struct table *t,
			const struct scope *sc)
{
	char options[SCOPE_OPTIONS_MAX];

	if (!scope_options(sc, options))
		return;
	fprintf(r->f, "%s `profdive print %s %s", _("Rows:"), t->view, options);
	if (s->filter)
		fprintf(r->f, " --filter '%s'", s->filter);
	fputs(" PATH...`\n", r->f);
}

struct source_list {
	struct report *r;
	bool any;
};

static void put_source(void *arg, const char *path)
{
	struct source_list *l = arg;

	fputs(l->any ? ", " : "", l->r->f);
	put_name(l->r, path);
	l->any = true;
}

void report_put_caption(struct report *r, const struct table *t)
{
	struct source_list l = {r, false};
	char wall[NUM_TEXT_MAX];
	uint32_t more;

	if (!t->n_sources)
		return;
	fprintf(r->f, "\n%s ", _("Source:"));
	more = report_each_source(t, put_source, &l);
	if (more)
		fprintf(r->f, ngettext(" and %u more file", " and %u more files", more), more);
	fprintf(r->f, ". %s ", _("Window:"));
	put_name(r, t->window_kind ? t->window_kind : "all");
	if (t->wall_ns > 0)
		fprintf(r->f, ", %s (%" PRId64 " ns)", num_ns(t->wall_ns, wall), t->wall_ns);
	fputs(t->partial ? _(". Files are still loading.\n") : ".\n", r->f);
}

/* Tables live as long as the report, so their notes are borrowed. */
static bool note_is_new(struct report *r, const char *note)
{
	uint32_t n = r->told.n;

	return groups_add(&r->told, &(struct group_key){.name = note, .name_len = strlen(note)}) ==
	       n;
}

void report_put_notes(struct report *r, const struct table *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_notes; i++) {
		if (!note_is_new(r, t->notes[i]) || n++ >= DOC_LINES_MAX)
			continue;
		fputs(n > 1 ? "* " : "\n* ", r->f);
		report_put_md(r, t->notes[i], strlen(t->notes[i]));
		fputc('\n', r->f);
	}
	if (n > DOC_LINES_MAX)
		fprintf(r->f, ngettext("* %u more note\n", "* %u more notes\n", n - DOC_LINES_MAX),
			n - DOC_LINES_MAX);
}

bool report_put_table(struct report *r, const struct table *t, struct err *e)
{
	struct table quiet = *t; /* notes are told by report_put_notes() */

	quiet.n_notes = 0;
	fputc('\n', r->f);
	return out_table(r->f, OUT_MD, &quiet, NULL, e);
}

/*
 * ---- columns ------------------------------------------------------------------------------------
 */

struct columns {
	VEC(struct shape_col) v;
	VEC(bool) sum;
	bool any_sum;
};

static void columns_free(struct columns *c)
{
	VEC_FREE(&c->v);
	VEC_FREE(&c->sum);
}

/* One word of section.cols: id and marks. */
static void add_column(struct columns *c, const struct table *t, const char *word, size_t len)
{
	size_t n = strcspn(word, "+?# ");
	const char *marks = word + n;
	char id[64];
	int col;
	bool sum = memchr(marks, '+', len - n) != NULL;

	if (n >= sizeof(id))
		return;
	memcpy(id, word, n);
	id[n] = '\0';
	col = table_col(t, id);
	if (col < 0 || (memchr(marks, '?', len - n) && !table_varies(t, (uint32_t)col)))
		return;
	VEC_PUSH(&c->v, (struct shape_col){(uint32_t)col, memchr(marks, '#', len - n) != NULL});
	VEC_PUSH(&c->sum, sum);
	c->any_sum |= sum;
}

static void columns_parse(struct columns *c, const struct table *t, const char *spec)
{
	while (*spec) {
		size_t len = strcspn(spec, " ");

		if (len)
			add_column(c, t, spec, len);
		spec += len + (spec[len] == ' ');
	}
}

/* The columns of c as plain indices; the caller frees. */
static uint32_t *columns_indices(const struct columns *c)
{
	uint32_t *out = xcalloc(c->v.n, sizeof(*out));

	for (size_t i = 0; i < c->v.n; i++)
		out[i] = c->v.a[i].col;
	return out;
}

/*
 * ---- rows ---------------------------------------------------------------------------------------
 */

/*
 * In trees the limit takes the largest rows and all above them, and leaves the rest where it was.
 */
static void cut_tree(struct table_view *v, const struct table *t, uint32_t col, uint32_t limit)
{
	bool *keep = xcalloc((size_t)t->n_rows + 1, sizeof(*keep));
	struct table flat = *t;
	struct table_view order;
	uint32_t n = 0;

	flat.parents = NULL;
	table_view_make(&order, &flat, (int)col, true, NULL, limit);
	for (uint32_t i = 0; i < order.n; i++)
		for (uint32_t row = order.rows[i]; row < t->n_rows && !keep[row];
		     row = t->parents[row])
			keep[row] = true;
	for (uint32_t i = 0; i < v->n; i++)
		if (keep[v->rows[i]])
			v->rows[n++] = v->rows[i];
	v->n = n;
	table_view_fini(&order);
	free(keep);
}

static bool make_view(const struct section *s, const struct table *t, struct table_view *v,
		      struct err *e)
{
	struct filter *f = s->filter ? filter_parse(s->filter, t->cols, t->n_cols, e) : NULL;

	if (s->filter && !f)
		return err_wrap(e, "report section of %s", s->view);
	table_view_make(v, t, s->sort ? table_col(t, s->sort) : -1, true, f, 0);
	filter_free(f);
	return true;
}

void report_put_more(struct report *r, uint32_t n)
{
	fputc('\n', r->f);
	fprintf(r->f, ngettext("%u more row is not shown.", "%u more rows are not shown.", n), n);
	fputc('\n', r->f);
}

/* What is printed of a view. */
struct section_shown {
	struct table *t; /* the caller frees */
	uint32_t more;	 /* rows that no row stands for */
	bool rest;	 /* the last row sums the rows beyond the limit */
};

/* Shares add up only where they are parts of one whole; those of several devices, ranks or threads are not. */
static bool parts_of_one(const struct table *t, const struct table_view *v, uint32_t col)
{
	double sum = 0;

	for (uint32_t i = 0; t->cols[col].unit == UNIT_RATIO && i < v->n; i++) {
		const struct cell *c = table_cell(t, v->rows[i], col);

		sum += c->type == CELL_F64 ? c->v.f : 0;
	}
	return sum < 1.0001;
}

/* The first column of times that is shown; -1: none. */
static int first_time(const struct table *t, const struct columns *c)
{
	for (size_t i = 0; i < c->v.n; i++)
		if (t->cols[c->v.a[i].col].unit == UNIT_NS)
			return (int)c->v.a[i].col;
	return -1;
}

/* The rows with the longest times go to the front, in the order in which they are; so do the others behind them. */
static void longest_first(struct table_view *v, const struct table *t, int col, uint32_t limit)
{
	bool *keep = xcalloc(t->n_rows, sizeof(*keep));
	uint32_t *rest = xreallocarray(NULL, v->n, sizeof(*rest)), n = 0, n_rest = 0;
	struct table_view order;

	table_view_make(&order, t, col, true, NULL, 0);
	for (uint32_t i = 0; i < v->n; i++)
		keep[v->rows[i]] = true; /* is in v */
	for (uint32_t i = 0; i < order.n; i++) {
		keep[order.rows[i]] &= n < limit;
		n += keep[order.rows[i]];
	}
	n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		if (keep[v->rows[i]])
			v->rows[n++] = v->rows[i];
		else
			rest[n_rest++] = v->rows[i];
	}
	if (n_rest)
		memcpy(v->rows + n, rest, n_rest * sizeof(*rest));
	table_view_fini(&order);
	free(rest);
	free(keep);
}

/* Takes the rows of v that are shown: as many as the section wants, or a document bears. In trees the largest, and all above them. */
static void cut_rows(const struct section *s, const struct table *t, struct table_view *v,
		     const struct columns *c, uint32_t limit)
{
	int col = s->sort ? table_col(t, s->sort) : first_time(t, c);

	if (t->parents && col >= 0) {
		cut_tree(v, t, (uint32_t)col, limit);
		return;
	}
	if (!s->sort && col >= 0)
		longest_first(v, t, col, limit);
	v->n = limit;
}

/* Whether the rest of a column may be summed: it says so, or is one of those that make up the wall. */
static bool sums_up(const struct section *s, const struct table *t, const struct columns *c,
		    size_t i)
{
	const char *id = t->cols[c->v.a[i].col].id;

	return c->sum.a[i] || (s->exact && (!strcmp(id, "time_ns") || !strcmp(id, "share")));
}

/* The first rows of v, and one that sums the others. */
static void head_of(const struct section *s, const struct table *t, struct table_view *v,
		    const struct columns *c, struct section_shown *out)
{
	uint32_t all = v->n, limit = s->limit ? s->limit : DOC_ROWS_MAX;
	bool any = false;
	char *label;
	bool *sum;

	if (limit < all)
		cut_rows(s, t, v, c, limit);
	out->t = table_project(t, v, c->v.a, (uint32_t)c->v.n);
	out->more = all - v->n;
	for (size_t i = 0; i < c->v.n; i++)
		any |= sums_up(s, t, c, i);
	if (t->parents || !any || !out->more)
		return;
	label = xasprintf(ngettext("… %u more row", "… %u more rows", out->more), out->more);
	v->n = all;
	sum = xcalloc(c->v.n, sizeof(*sum));
	for (size_t i = 0; i < c->v.n; i++)
		sum[i] = sums_up(s, t, c, i) && parts_of_one(t, v, c->v.a[i].col);
	table_add_rest(out->t, t, v, limit, c->v.a, sum, label);
	free(label);
	free(sum);
	out->more = 0;
	out->rest = true;
}

/*
 * ---- shapes -------------------------------------------------------------------------------------
 */

/* Keys and sums; the rows by `sort`, with the limit of the section. */
static void group_of(const struct section *s, const struct table *t, const struct table_view *v,
		     struct section_shown *out)
{
	struct columns keys = {0}, sums = {0}, all = {.any_sum = true};
	uint32_t *k, *c;
	struct table *groups;
	struct table_view order;

	columns_parse(&keys, t, s->group);
	columns_parse(&sums, t, s->cols);
	k = columns_indices(&keys);
	c = columns_indices(&sums);
	groups = table_group(t, v, k, (uint32_t)keys.v.n, c, (uint32_t)sums.v.n, s->count);
	for (uint32_t i = 0; i < groups->n_cols; i++) {
		VEC_PUSH(&all.v, (struct shape_col){i, false});
		VEC_PUSH(&all.sum, i >= keys.v.n);
	}
	table_view_make(&order, groups, s->sort ? table_col(groups, s->sort) : -1, true, NULL, 0);
	head_of(s, groups, &order, &all, out);
	table_view_fini(&order);
	table_free(groups);
	free(k);
	free(c);
	columns_free(&keys);
	columns_free(&sums);
	columns_free(&all);
}

/*
 * Shares of a row are those of its own partition's wall; the cells of a matrix may hold rows of several sources, so they are made of
 * the times and the wall of all.
 */
static void share_cells(struct table *out, const struct table *t, const struct table_view *v,
			const struct columns *c)
{
	int col = table_col(t, "time_ns");
	struct table *times;

	if (strcmp(t->cols[c->v.a[2].col].id, "share") || col < 0 || t->wall_ns <= 0)
		return;
	times = table_pivot(t, v, c->v.a[0].col, c->v.a[1].col, (uint32_t)col, "");
	for (uint32_t r = 0; r < times->n_rows; r++)
		for (uint32_t i = 1; i < times->n_cols; i++)
			table_f64(out, r, i, (double)table_cell(times, r, i)->v.i / (double)t->wall_ns);
	table_free(times);
}

static struct table *matrix_of(const struct section *s, const struct table *t,
			       const struct table_view *v)
{
	struct columns c = {0};
	struct table *out = NULL;

	columns_parse(&c, t, s->group);
	if (c.v.n == 3) {
		out = table_pivot(t, v, c.v.a[0].col, c.v.a[1].col, c.v.a[2].col, _("Sum"));
		share_cells(out, t, v, &c);
	}
	columns_free(&c);
	return out;
}

/* out->t stays NULL where the view has no such columns. */
static void shaped(const struct section *s, const struct table *t, struct table_view *v,
		   struct section_shown *out)
{
	struct columns c = {0};

	if (s->shape == SHAPE_GROUP) {
		group_of(s, t, v, out);
	} else if (s->shape == SHAPE_MATRIX) {
		out->t = matrix_of(s, t, v);
	} else {
		columns_parse(&c, t, s->cols);
		head_of(s, t, v, &c, out);
		columns_free(&c);
	}
}

/* Prints the sum of the rows and the wall (ns) and whether they agree. */
static void put_sum(struct report *r, const struct table *t)
{
	int col = table_col(t, "time_ns");
	int64_t sum;

	if (col < 0 || !table_sum(t, NULL, (uint32_t)col, &sum)) {
		fprintf(r->f, "\n%s\n", _("The rows have no sum: some of them are unknown."));
		return;
	}
	fprintf(r->f, "\n%s %" PRId64 " ns. %s %" PRId64 " ns. ", _("Sum of the rows:"), sum,
		_("Wall:"), t->wall_ns);
	if (sum == t->wall_ns)
		fprintf(r->f, "%s\n", _("The two are equal: every nanosecond is counted once."));
	else
		fprintf(r->f, "%s %" PRId64 " ns.\n", _("The sum differs by"), sum - t->wall_ns);
}

/*
 * ---- section ------------------------------------------------------------------------------------
 */

void section_scope(const struct report *r, const struct section *s, int64_t device,
		   struct scope *out)
{
	struct sbuf b = {0};

	memcpy(out, r->scope, sizeof(*out));
	memset(out->partition, 0, sizeof(out->partition));
	out->by = s->by;
	if (s->whole)
		out->window = WINDOW_ALL;
	if (s->per_device && !s->partition)
		out->device = device;
	if (s->partition) {
		put_with_device(&b, s->partition, device);
		if (b.n < sizeof(out->partition))
			memcpy(out->partition, b.s, b.n);
	}
	sbuf_fini(&b);
}

static bool put_rows(struct report *r, const struct section *s, const struct table *t,
		     const struct scope *sc, struct err *e)
{
	struct table_view v = {0};
	struct section_shown shown = {0};
	bool ok;

	if (!make_view(s, t, &v, e))
		return false;
	if (v.n)
		shaped(s, t, &v, &shown);
	table_view_fini(&v);
	if (!shown.t) {
		fprintf(r->f, "\n%s\n", s->missing ? _(s->missing) : _("There are no such rows."));
		report_put_notes(r, t);
		return true;
	}
	ok = report_put_table(r, shown.t, e);
	if (shown.more)
		report_put_more(r, shown.more);
	if (s->reading && !shown.more)
		chart_reading(r, shown.t, s->reading, shown.rest);
	if (s->exact)
		put_sum(r, t);
	if (s->bars)
		chart_bars(r, shown.t, s->bars);
	table_free(shown.t);
	report_put_caption(r, t);
	put_command(r, s, t, sc);
	report_put_notes(r, t);
	return ok;
}

static bool write_for(struct report *r, const struct section *s, int64_t device, struct err *e)
{
	struct scope sc;
	struct err own = ERR_INIT;
	const struct table *t;

	if (!s->view && !s->write) {
		put_heading(r, s, device);
		put_text(r, s->text, device);
		return true;
	}
	section_scope(r, s, device, &sc);
	t = s->view ? report_table(r, s->view, &sc, &own) : NULL;
	if (own.code) {
		if (e)
			*e = own;
		return false;
	}
	if (s->view && !t)
		return true; /* this build has no such view */
	put_heading(r, s, device);
	if (s->text)
		put_text(r, s->text, device);
	return s->write ? s->write(r, s, e) : put_rows(r, s, t, &sc, e);
}

/* Distinct numbers in the column `device`; the caller frees. */
static int64_t *distinct_devices(const struct table *gpu, uint32_t *n)
{
	int64_t *out = xcalloc(DOC_DEVICES_MAX, sizeof(*out));
	int col = table_col(gpu, "device");

	for (uint32_t row = 0; col >= 0 && row < gpu->n_rows && *n < DOC_DEVICES_MAX; row++) {
		const struct cell *c = table_cell(gpu, row, (uint32_t)col);
		uint32_t i = 0;

		while (i < *n && out[i] != c->v.i)
			i++;
		if (c->type == CELL_I64 && i == *n)
			out[(*n)++] = c->v.i;
	}
	return out;
}

int64_t *report_devices(struct report *r, const struct section *s, uint32_t *n, struct err *e)
{
	const struct section every = {.by = BY_NONE, .whole = s->whole};
	const struct table *gpu;
	struct scope sc;

	*n = 0;
	section_scope(r, &every, SCOPE_ANY, &sc);
	gpu = report_table(r, "gpu", &sc, e);
	return gpu ? distinct_devices(gpu, n) : NULL;
}

/* A run of n sections per device, device by device. */
static bool write_per_device(struct report *r, const struct section *s, uint32_t n, struct err *e)
{
	uint32_t n_devices;
	int64_t *devices = report_devices(r, s, &n_devices, e);
	bool ok = devices != NULL;

	for (uint32_t d = 0; d < n_devices; d++)
		for (uint32_t i = 0; i < n && ok; i++)
			ok = write_for(r, &s[i], devices[d], e);
	for (uint32_t i = 0; i < n && ok && !n_devices; i++) {
		if (!s[i].missing)
			continue;
		put_heading(r, &s[i], SCOPE_ANY);
		fprintf(r->f, "\n%s\n", _(s[i].missing));
	}
	free(devices);
	return ok;
}

bool sections_write(struct report *r, const struct section *s, struct err *e)
{
	uint32_t n;

	for (; s->level >= 0; s += n) {
		for (n = 0; s[n].level >= 0 && s[n].per_device; n++)
			continue;
		if (job_cancelled(r->cx->job))
			return err_set(e, ERR_CANCELLED, "cancelled");
		if (!(n ? write_per_device(r, s, n, e) : write_for(r, s, SCOPE_ANY, e)))
			return false;
		n += !n;
	}
	return true;
}
