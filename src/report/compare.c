/*
 * compare.c - the comparison as a document; see compare.h
 */
#include "report/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "report/out.h"
#include "table/cell.h"
#include "table/filter.h"
#include "table/get.h"
#include "table/shape.h"

enum {
	ROWS = 40 /* of a section; `profdive diff` prints all */
};

static const struct compare_part {
	const char *what, *heading, *text;
} parts[] = {
	{"step", N_("Step time"),
	 N_("The median step, and the mean step, to which the groups below sum. A change is *real* "
	    "when it is larger "
	    "than the noise between the steps of one side.")},
	{"phase", N_("By phase of the step"),
	 N_("The phases sum to the mean step, their changes to its change.")},
	{"gpu", N_("By state of the device"),
	 N_("The four states of a device sum to the mean step.")},
	{"finding", N_("Findings gone and new"),
	 N_("The rules tried on both sides, with what each loses per step at most; also where it is not found, "
	    "if it can be measured. A finding may be new although its change is within the noise: it then "
	    "was just below its threshold.")},
	{"breakdown", N_("By kind of host work"),
	 N_("The host's wall time: each instant belongs to one row; the rows sum to the mean "
	    "step.")},
	{"class", N_("Kernel classes"), NULL},
	{"kernel", N_("Kernels"),
	 N_("Matched by name, without blanks, return type and arguments, so that tools agree.")},
	{"sequence", N_("Kernel sequence of the median step"),
	 N_("The kernels of one step of each side in the order of their launches, aligned: what was put in, "
	    "taken out or replaced. Equal changes are one row. The rows of a device sum to all its kernels of "
	    "that step.")},
	{"op", N_("Operators by self time"), NULL},
	{"runtime", N_("CUDA runtime calls"), NULL},
	{"copy", N_("Copies"), NULL},
	{"sync", N_("Waits of the host for the device"), NULL},
};

static void put_text(FILE *f, const char *s)
{
	struct sbuf b = {0};

	out_md_text(&b, s, strlen(s));
	fputs(sbuf_str(&b), f);
	sbuf_fini(&b);
}

static void put_name(FILE *f, const char *s, size_t n)
{
	struct sbuf b = {0};

	out_md_name(&b, s, n);
	fputs(sbuf_str(&b), f);
	sbuf_fini(&b);
}

static void put_cell(FILE *f, const struct table *t, uint32_t row, const char *id)
{
	char buf[CELL_TEXT_MAX];

	cell_text(get_cell(t, row, id), &t->cols[table_col(t, id)], 0, buf, sizeof(buf));
	fputs(buf, f);
}

/* What one side alone has is not told as a change from or to nothing. False: both have it. */
static bool put_alone(FILE *f, const struct table *t, uint32_t row)
{
	bool gone = cell_is_word(get_cell(t, row, "change"), "gone");

	if (cell_is_word(get_cell(t, row, "what"), "finding") || (!gone && !cell_is_word(get_cell(t, row, "change"), "new")))
		return false;
	fputs(gone ? _("gone, ") : _("new, "), f);
	put_cell(f, t, row, gone ? "before_ns" : "after_ns");
	return true;
}

/* "median step 176 ms → 126 ms (-50.1 ms), larger than the noise of 9.2 ms; slow steps: 0 of 12 before, 2 of 12 after" */
static void put_verdict(FILE *f, const struct table *t, uint32_t row)
{
	const struct cell *real = get_cell(t, row, "significant");

	fputs("\n* ", f);
	put_text(f, get_cell(t, row, "what")->v.s);
	fputc(' ', f);
	put_name(f, get_cell(t, row, "name")->v.s, get_cell(t, row, "name")->len);
	if (cell_is_word(get_cell(t, row, "what"), "finding"))
		fprintf(f, " (%s)", get_cell(t, row, "change")->v.s);
	fputs(": ", f);
	if (!put_alone(f, t, row)) {
		put_cell(f, t, row, "before_ns");
		fputs(" → ", f);
		put_cell(f, t, row, "after_ns");
		fputs(" (", f);
		put_cell(f, t, row, "delta_ns");
		fputc(')', f);
	}
	fputs(", ", f);
	if (real->type == CELL_BOOL) {
		fputs(real->v.b ? _("larger than the noise of ") : _("within the noise of "), f);
		put_cell(f, t, row, "noise_ns");
	} else {
		fputs(_("without an estimate of the noise"), f);
	}
	if (cell_is_word(get_cell(t, row, "what"), "step") && get_cell(t, row, "detail")->type == CELL_STR) {
		fputs("; ", f);
		put_text(f, get_cell(t, row, "detail")->v.s);
	}
}

/* Whether the row is told: the first of a group if it is real, the first of the steps, every finding that is gone or new. */
static bool is_verdict(const struct table *t, uint32_t row, bool first)
{
	const struct cell *what = get_cell(t, row, "what"), *real = get_cell(t, row, "significant"), *change = get_cell(t, row, "change");

	if (cell_is_word(what, "finding"))
		return cell_is_word(change, "gone") || cell_is_word(change, "new");
	return first && (cell_is_word(what, "step") || (real->type == CELL_BOOL && real->v.b));
}

/* The step, then the largest real change of each group. */
static void put_verdicts(FILE *f, const struct table *t)
{
	const struct cell *last = NULL;

	for (uint32_t row = 0; row < t->n_rows; row++) {
		const struct cell *what = get_cell(t, row, "what");

		if (!is_verdict(t, row, !last || cell_cmp(last, what)))
			continue;
		put_verdict(f, t, row);
		last = what;
	}
	if (!last)
		fprintf(f, "\n%s", _("Nothing changed by more than the noise."));
	fputc('\n', f);
}

static bool has_values(const struct table *t, const struct table_view *v, uint32_t col)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (table_cell(t, v->rows[i], col)->type != CELL_MISSING)
			return true;
	return false;
}

static bool put_part(FILE *f, const struct table *t, const struct compare_part *p, struct err *e)
{
	static const char *const cols[] = {
		"before_ns",	"after_ns",	"delta_ns",    "noise_ns", "significant", "ratio",
		"contribution", "before_count", "after_count", "change",   "name", "detail"};
	struct shape_col shown[sizeof(cols) / sizeof(*cols)];
	uint32_t n_shown = 0;
	char *expr = xasprintf("what = %s", p->what);
	struct filter *filter = filter_parse(expr, t->cols, t->n_cols, e);
	struct table_view v = {0};
	struct table *out;
	bool ok = true;

	free(expr);
	if (!filter)
		return false;
	table_view_make(&v, t, -1, false, filter, 0);
	for (size_t i = 0; i < sizeof(cols) / sizeof(*cols); i++)
		if (has_values(t, &v, (uint32_t)table_col(t, cols[i])))
			shown[n_shown++] = (struct shape_col){(uint32_t)table_col(t, cols[i]), false};
	if (v.n) {
		uint32_t all = v.n;

		v.n = all < ROWS ? all : ROWS;
		out = table_project(t, &v, shown, n_shown);
		out->n_notes = 0;
		fprintf(f, "\n## %s\n", _(p->heading));
		if (p->text)
			fprintf(f, "\n%s\n", _(p->text));
		fputc('\n', f);
		ok = out_table(f, OUT_MD, out, NULL, e);
		if (v.n < all)
			fprintf(f,
				ngettext("\n%u more row is not shown.\n",
					 "\n%u more rows are not shown.\n", all - v.n),
				all - v.n);
		table_free(out);
	}
	table_view_fini(&v);
	filter_free(filter);
	return ok;
}

static bool put_document(FILE *f, const struct table *t, const char *before, const char *after,
			 struct err *e)
{
	fprintf(f, "# %s\n\n%s: ", _("Comparison"), _("Before"));
	put_name(f, before, strlen(before));
	fprintf(f, ". %s: ", _("After"));
	put_name(f, after, strlen(after));
	fprintf(f, ".\n\n## %s\n", _("Verdict"));
	put_verdicts(f, t);
	for (uint32_t i = 0; i < t->n_notes; i++) {
		fputs(i ? "* " : "\n* ", f);
		put_text(f, t->notes[i]);
		fputc('\n', f);
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!put_part(f, t, &parts[i], e))
			return false;
	return true;
}

bool compare_write(const struct table *diff, const char *before, const char *after, const char *dir,
		   char **path, struct err *e)
{
	struct outset *set = folder_make(dir, FOLDER_MODE, e) ? outset_open(dir, e) : NULL;
	FILE *f = set ? outset_add(set, COMPARE_FILE, 0, e) : NULL;
	bool ok = f && put_document(f, diff, before, after, e) && outset_commit(set, e);

	outset_free(set);
	if (ok && path)
		*path = xasprintf("%s/%s", dir, COMPARE_FILE);
	return ok;
}
