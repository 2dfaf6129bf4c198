/*
 * csv.c - what `ncu --csv` prints of a report: the pages details and raw; see kernel_report.h
 *
 * The header is the first line that begins with "ID"; messages ("==PROF== …") and the program's own output may stand around the table.
 * Columns are told by their names. A page details has a row for each metric (by its label) or message of a rule, of which either has only
 * the columns that it needs; a page raw has a row for each launch, and its first row names the units. Values are scaled to base units.
 * A file without a table holds the errors of a run that failed: they become the error.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/vec.h"
#include "load/ncu/labels.h"
#include "load/read/head.h"
#include "load/read/text_window.h"
#include "model/kernel_report.h"

/* Columns that are no metrics; on a page raw, others with a blank in their name (NVTX ranges) are none either. */
enum column { COL_ID, COL_PID, COL_PROCESS, COL_HOST, COL_KERNEL, COL_TIME, COL_CONTEXT, COL_STREAM, COL_BLOCK, COL_GRID, COL_DEVICE, COL_CC,
	COL_SECTION, COL_BODY, COL_METRIC, COL_UNIT, COL_VALUE, COL_RULE, COL_TYPE, COL_TEXT, COL_SPEEDUP_KIND, COL_SPEEDUP, COL_N };
static const char *const column_names[COL_N] = { "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context",
	"Stream", "Block Size", "Grid Size", "Device", "CC", "Section Name", "Body Item Label", "Metric Name", "Metric Unit", "Metric Value",
	"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup" };

struct field {
	size_t at, n;		/* in the text of the row */
};
struct row {
	struct sbuf text;	/* the fields, without quotes */
	VEC(struct field) f;
	int64_t offset;
};
struct csv_reader {
	struct textwin w;
	struct builder *b;
	struct sbuf line;
	struct row row;
	int at[COL_N];		/* where a column stands, -1 nowhere */
	VEC(str_id) names;	/* of a page raw: the metric of each column, ID_NONE: it is none */
	VEC(str_id) units;
	struct sbuf errors, id;	/* id: of the launch that is being read */
	struct profiled_launch launch;
	bool raw, summary, open;
	uint64_t launches, bad;
	int64_t bad_at;
};

/* ---- rows --------------------------------------------------------------------------------- */

static void split(struct row *r, const char *s, size_t n)
{
	bool quoted = false;
	struct field f = { 0, 0 };

	sbuf_reset(&r->text);
	r->f.n = 0;
	for (size_t i = 0; i <= n; i++) {
		if (i == n || (s[i] == ',' && !quoted)) {
			f.n = r->text.n - f.at;
			VEC_PUSH(&r->f, f);
			f.at = r->text.n;
		} else if (s[i] == '"' && quoted && i + 1 < n && s[i + 1] == '"') {
			sbuf_putc(&r->text, s[i++]);
		} else if (s[i] == '"') {
			quoted = !quoted;
		} else {
			sbuf_putc(&r->text, s[i]);
		}
	}
}

static bool quotes_open(const struct sbuf *b)
{
	bool open = false;

	for (size_t i = 0; i < b->n; i++)
		open ^= b->s[i] == '"';
	return open;
}

/* The next line that is a row; a quoted field may go on in the next one. Errors on the way are kept. */
static bool next_row(struct csv_reader *r)
{
	const char *s;
	size_t n;

	while (textwin_line(&r->w, &s, &n, &r->row.offset)) {
		if (text_starts(s, n, "==ERROR==") && r->errors.n < 400)
			sbuf_printf(&r->errors, "%s%.*s", r->errors.n ? "; " : "", (int)(n < 200 ? n - 9 : 191), s + 9);
		if (!n || s[0] != '"')
			continue;
		sbuf_reset(&r->line);
		sbuf_put(&r->line, s, n);
		for (int64_t at; quotes_open(&r->line) && r->line.n < TEXTWIN_LONGEST && textwin_line(&r->w, &s, &n, &at);) {
			sbuf_putc(&r->line, '\n');
			sbuf_put(&r->line, s, n);
		}
		split(&r->row, r->line.s, r->line.n);
		return true;
	}
	return false;
}

static const char *cell(const struct csv_reader *r, int col, size_t *n)
{
	const struct row *w = &r->row;

	*n = 0;
	if (col < 0 || (size_t)col >= w->f.n || !w->text.s)
		return "";
	*n = w->f.a[col].n;
	return w->text.s + w->f.a[col].at;
}

static str_id cell_text(const struct csv_reader *r, int col)
{
	size_t n;
	const char *s = cell(r, col, &n);

	return n ? builder_intern(r->b, s, n) : ID_NONE;
}

static int64_t cell_whole(const struct csv_reader *r, int col)
{
	char text[24];
	size_t n;
	const char *s = cell(r, col, &n);
	long long v;
	int used = 0;

	if (!n || n >= sizeof(text))
		return -1;
	memcpy(text, s, n);
	text[n] = '\0';
	return sscanf(text, "%lld%n", &v, &used) == 1 && (size_t)used == n && v >= 0 ? v : -1;
}

static void cell_dims(const struct csv_reader *r, int col, uint32_t out[3])
{
	char text[64];
	size_t n;
	const char *s = cell(r, col, &n);

	memset(out, 0, 3 * sizeof(*out));
	if (!n || n >= sizeof(text))
		return;
	memcpy(text, s, n);
	text[n] = '\0';
	if (sscanf(text, "(%9u, %9u, %9u)", &out[0], &out[1], &out[2]) != 3)
		memset(out, 0, 3 * sizeof(*out));
}

/* ---- launches ----------------------------------------------------------------------------- */

static void end_launch(struct csv_reader *r)
{
	if (!r->open)
		return;
	builder_launch(r->b, &r->launch);
	r->launches++;
	r->open = false;
}

static void put_capability(struct csv_reader *r)
{
	static const char *const names[] = { "device__attribute_compute_capability_major", "device__attribute_compute_capability_minor" };
	size_t n, dot;
	const char *s = cell(r, r->at[COL_CC], &n);

	for (dot = 0; dot < n && s[dot] != '.'; dot++)
		;
	if (!dot || dot + 2 != n || dot > 3 || !isdigit((unsigned char)s[0]) || !isdigit((unsigned char)s[dot + 1]))
		return;
	builder_metric(r->b, builder_intern(r->b, names[0], strlen(names[0])), METRIC_REAL, metric_bits(strtod(s, NULL) - (s[dot + 1] - '0') / 10.0));
	builder_metric(r->b, builder_intern(r->b, names[1], strlen(names[1])), METRIC_REAL, metric_bits(s[dot + 1] - '0'));
}

/* A row of another ID is of the next launch. */
static void begin_launch(struct csv_reader *r)
{
	size_t n;
	const char *id = cell(r, r->at[COL_ID], &n);

	if (r->open && !r->raw && n == r->id.n && memcmp(id, sbuf_str(&r->id), n) == 0)
		return;
	end_launch(r);
	sbuf_reset(&r->id);
	sbuf_put(&r->id, id, n);
	r->launch = (struct profiled_launch){ .pid = cell_whole(r, r->at[COL_PID]), .context = cell_whole(r, r->at[COL_CONTEXT]),
		.stream = cell_whole(r, r->at[COL_STREAM]), .when_s = -1, .offset = r->row.offset, .name = cell_text(r, r->at[COL_KERNEL]),
		.function = ID_NONE, .nvtx = ID_NONE };
	cell_dims(r, r->at[COL_BLOCK], r->launch.block);
	cell_dims(r, r->at[COL_GRID], r->launch.grid);
	r->open = true;
	put_capability(r);
}

static uint32_t put_metric(struct csv_reader *r, str_id name, const char *s, size_t n, const char *unit, size_t unit_n)
{
	double v;

	if (!n || (n == 3 && memcmp(s, "n/a", 3) == 0) || text_starts(s, n, "(!)") || (n == 3 && memcmp(s, "nan", 3) == 0) ||
	    (n == 7 && memcmp(s, "no data", 7) == 0))
		return builder_metric(r->b, name, METRIC_NONE, 0);
	if (!label_number(s, n, &v))
		return builder_metric(r->b, name, METRIC_TEXT, builder_intern(r->b, s, n));
	return builder_metric(r->b, name, METRIC_REAL, metric_bits(v * label_scale(unit, unit_n)));
}

static void read_rule(struct csv_reader *r)
{
	static const char *const types[RULE_TYPE_N] = { "", "INF", "WRN", "ERR", "OPT" };
	struct kernel_rule k = { .speedup_pct = NAN, .rule = cell_text(r, r->at[COL_RULE]), .section = cell_text(r, r->at[COL_SECTION]),
		.title = ID_NONE, .text = cell_text(r, r->at[COL_TEXT]), .focus = ID_NONE };
	size_t n;
	const char *s = cell(r, r->at[COL_TYPE], &n);

	for (unsigned i = 1; i < RULE_TYPE_N; i++)
		if (n == 3 && memcmp(s, types[i], 3) == 0)
			k.type = (uint16_t)i;
	s = cell(r, r->at[COL_SPEEDUP], &n);
	if (label_number(s, n, &k.speedup_pct)) {
		s = cell(r, r->at[COL_SPEEDUP_KIND], &n);
		k.speedup = n && tolower((unsigned char)s[0]) == 'g' ? SPEEDUP_GLOBAL : n ? SPEEDUP_LOCAL : SPEEDUP_UNKNOWN;
	}
	builder_kernel_rule(r->b, &k);
}

static void read_details(struct csv_reader *r)
{
	size_t n, unit_n, label_n, section_n;
	const char *label = cell(r, r->at[COL_METRIC], &label_n), *section = cell(r, r->at[COL_SECTION], &section_n);
	const char *unit = cell(r, r->at[COL_UNIT], &unit_n), *value = cell(r, r->at[COL_VALUE], &n), *name;
	struct section_line l;

	begin_launch(r);
	if (!label_n) {
		if (cell_text(r, r->at[COL_RULE]) != ID_NONE)
			read_rule(r);
		return;
	}
	name = label_metric(section, section_n, label, label_n);
	l.section = ID_NONE;
	l.title = cell_text(r, r->at[COL_SECTION]);
	l.label = cell_text(r, r->at[COL_METRIC]);
	l.metric = put_metric(r, name ? builder_intern(r->b, name, strlen(name)) : l.label, value, n, unit, unit_n);
	builder_section_line(r->b, &l);
}

static void read_raw(struct csv_reader *r)
{
	size_t n, unit_n;

	begin_launch(r);
	for (size_t i = 0; i < r->names.n; i++) {
		const char *s = cell(r, (int)i, &n), *unit = builder_str(r->b, i < r->units.n ? r->units.a[i] : ID_NONE, &unit_n);
		char word[32];

		if (r->names.a[i] == ID_NONE || !n || unit_n >= sizeof(word))
			continue;
		memcpy(word, unit, unit_n);	/* what builder_str() gives does not outlive the next name */
		put_metric(r, r->names.a[i], s, n, word, unit_n);
	}
}

/* ---- the header --------------------------------------------------------------------------- */

static enum column column_of(const char *s, size_t n)
{
	unsigned c = 0;

	while (c < COL_N && (strlen(column_names[c]) != n || memcmp(column_names[c], s, n) != 0))
		c++;
	return (enum column)c;
}

static bool read_header(struct csv_reader *r)
{
	size_t n;

	for (unsigned c = 0; c < COL_N; c++)
		r->at[c] = -1;
	for (size_t i = 0; i < r->row.f.n; i++) {
		const char *s = cell(r, (int)i, &n);
		enum column c = column_of(s, n);

		if (c < COL_N && r->at[c] < 0)
			r->at[c] = (int)i;
		VEC_PUSH(&r->names, c == COL_N && n && !memchr(s, ' ', n) ? builder_intern(r->b, s, n) : ID_NONE);
	}
	r->summary |= r->at[COL_ID] < 0 && r->at[COL_PID] >= 0;
	r->raw = r->at[COL_METRIC] < 0;
	return r->at[COL_ID] >= 0 && r->at[COL_KERNEL] >= 0;
}

static void read_units(struct csv_reader *r)
{
	for (size_t i = 0; i < r->names.n; i++)
		VEC_PUSH(&r->units, cell_text(r, (int)i));
}

static void read_rows(struct csv_reader *r)
{
	bool header = false, units = false;
	size_t n;

	while (next_row(r)) {
		if (!header) {
			header = read_header(r);
			if (!header)
				r->names.n = 0;
			continue;
		}
		cell(r, r->at[COL_ID], &n);
		if (r->raw && !units && !n) {
			read_units(r);
			units = true;
		} else if (!n || (size_t)r->at[COL_KERNEL] >= r->row.f.n) {
			r->bad_at = r->bad++ ? r->bad_at : r->row.offset;
		} else if (r->raw) {
			read_raw(r);
		} else {
			read_details(r);
		}
	}
	end_launch(r);
}

/* ---- the file ----------------------------------------------------------------------------- */

/* Why there is nothing: what the tool said, or which page it is. */
static bool nothing(const struct csv_reader *r, struct err *e)
{
	if (r->errors.n && strstr(r->errors.s, "ERR_NVGPUCTRPERM"))
		return err_set(e, ERR_FORMAT, _("Nsight Compute was not allowed to read the counters of the GPU (%.300s): run it as root, or load the "
			"driver with NVreg_RestrictProfilingToAdminUsers=0"), r->errors.s);
	if (r->errors.n)
		return err_set(e, ERR_FORMAT, _("Nsight Compute failed and measured nothing: %.400s"), r->errors.s);
	if (r->summary)
		return err_set(e, ERR_FORMAT, _("a summary of Nsight Compute, which has no single launches: print it with --page details or raw"));
	return err_set(e, ERR_FORMAT, _("output of Nsight Compute without a launch in it"));
}

static bool use(struct csv_reader *r, struct err *e)
{
	if (!r->launches)
		return nothing(r, e);
	builder_set_format(r->b, FORMAT_NCU_CSV);
	builder_set_producer(r->b, "Nsight Compute", NULL);
	builder_content(r->b, "launches", 8, r->launches);
	if (!r->raw)
		builder_note(r->b, "%s", _("a page of Nsight Compute as text: values have the decimals that it printed"));
	if (r->errors.n)
		builder_note(r->b, _("Nsight Compute says: %.400s"), r->errors.s);
	if (r->bad)
		builder_damage(r->b, N_("rows without a launch"), r->bad_at, r->bad);
	return true;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct csv_reader r = { .b = lx->builder };
	bool ok = textwin_open(&r.w, lx, path, e);

	if (ok) {
		read_rows(&r);
		ok = !r.w.failed && use(&r, e);
	}
	if (ok)
		textwin_finish(&r.w);
	ok = ok && !r.w.failed;
	textwin_close(&r.w);
	sbuf_fini(&r.line);
	sbuf_fini(&r.row.text);
	sbuf_fini(&r.errors);
	sbuf_fini(&r.id);
	VEC_FREE(&r.row.f);
	VEC_FREE(&r.names);
	VEC_FREE(&r.units);
	return ok;
}

static int probe(const struct probe *p)
{
	static const char *const marks[] = {
		"\"ID\",\"Process ID\",\"Process Name\"", "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\"",
	};

	if (head_has(p, marks[0]) || head_has(p, marks[1]))
		return 98;
	return head_begins(p, "==PROF==") || head_begins(p, "==ERROR==") || head_begins(p, "==WARNING==") ? 60 : 0;
}

const struct loader loader_ncu_csv = {
	.name = "ncu-csv",
	.what = N_("pages of Nsight Compute (ncu --csv --page details or raw)"),
	.probe = probe,
	.load = load,
};
