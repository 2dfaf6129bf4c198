/*
 * doc_overview.c - 01_training_overview.md: what was loaded, what bounds the step, where the time
 * goes, what is missing
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "report/section.h"
#include "scope/found_on.h"
#include "table/cell.h"
#include "table/get.h"

/*
 * ---- sentences of the view `overview`
 * ------------------------------------------------------------
 */

static bool word_is(const struct cell *c, const char *word, size_t n)
{
	return c->type == CELL_STR && c->len == n && !memcmp(c->v.s, word, n);
}

static void put_cell(struct report *r, const struct table *t, uint32_t row, const char *id,
		     const char *before)
{
	const struct cell *c = get_cell(t, row, id);
	char buf[CELL_TEXT_MAX];

	if (c->type == CELL_MISSING)
		return;
	cell_text(c, &t->cols[table_col(t, id)], 0, buf, sizeof(buf));
	fprintf(r->f, "%s%s", before, buf);
}

static bool put_sentence(struct report *r, const struct table *t, uint32_t row, bool loss)
{
	const struct cell *text = get_cell(t, row, "text");

	if (text->type != CELL_STR)
		return false;
	fputs("* ", r->f);
	report_put_md(r, text->v.s, text->len);
	if (loss) {
		put_cell(r, t, row, "share", " (");
		fprintf(r->f, " %s)", _("of the window"));
	}
	fputc('\n', r->f);
	return true;
}

/* section.group names the sections of the view that are wanted, in this order. */
static bool put_sentences(struct report *r, const struct section *s, struct err *e)
{
	struct scope sc;
	const struct table *t;
	uint32_t n = 0;

	section_scope(r, s, SCOPE_ANY, &sc);
	t = report_table(r, s->view, &sc, e);
	if (!t)
		return false;
	fputc('\n', r->f);
	for (const char *w = s->group; *w;) {
		size_t len = strcspn(w, " ");

		for (uint32_t row = 0; row < t->n_rows; row++)
			if (word_is(get_cell(t, row, "section"), w, len) && n++ < DOC_LINES_MAX &&
			    !put_sentence(r, t, row, !strncmp(w, "loss", len)))
				n--;
		w += len + (w[len] == ' ');
	}
	if (!n)
		fprintf(r->f, "%s\n", s->missing ? _(s->missing) : _("Nothing to say."));
	if (n > DOC_LINES_MAX)
		report_put_more(r, n - DOC_LINES_MAX);
	return true;
}

/*
 * ---- findings
 * ------------------------------------------------------------------------------------
 */

static void put_paragraph(struct report *r, const struct table *t, uint32_t row, const char *id,
			  const char *label)
{
	const struct cell *c = get_cell(t, row, id);

	if (c->type != CELL_STR)
		return;
	fprintf(r->f, "\n%s%s", label, *label ? " " : "");
	report_put_md(r, c->v.s, c->len);
	fputc('\n', r->f);
}

/* number: of the finding, from 1 */
static void put_finding(struct report *r, const struct table *t, uint32_t row, uint32_t number)
{
	const struct cell *title = get_cell(t, row, "title"), *severity = get_cell(t, row, "severity"),
			  *capture = get_cell(t, row, "capture");
	struct sbuf who = {0};

	found_on(t, row, &who);
	fprintf(r->f, "\n### %" PRIu32 ". ", number);
	report_put_md(r, title->v.s, title->len);
	fputs("\n\n", r->f);
	report_put_md(r, severity->v.s, severity->len);
	put_cell(r, t, row, "saves_ns", _(", at most "));
	if (get_cell(t, row, "saves_ns")->type == CELL_I64)
		fputs(get_is(t, row, "per", "step") ? _(" per step") : "", r->f);
	put_cell(r, t, row, "share", ", ");
	put_cell(r, t, row, "confidence", _(", confidence: "));
	fprintf(r->f, "%s\n", sbuf_str(&who));
	sbuf_fini(&who);
	put_paragraph(r, t, row, "evidence", "");
	put_paragraph(r, t, row, "fix", _("**Fix.**"));
	put_paragraph(r, t, row, "confirm", _("**Confirm.**"));
	if (capture->type == CELL_STR)
		fprintf(r->f, "\n```\n%.*s\n```\n", (int)capture->len, capture->v.s);
}

static bool put_findings(struct report *r, const struct section *s, struct err *e)
{
	struct scope sc;
	const struct table *t;
	uint32_t n, *rows;

	section_scope(r, s, SCOPE_ANY, &sc);
	t = report_table(r, s->view, &sc, e);
	if (!t)
		return false;
	rows = found_worst(t, &n);
	for (uint32_t i = 0; i < n && i < DOC_LINES_MAX; i++)
		put_finding(r, t, rows[i], i + 1);
	free(rows);
	if (n > DOC_LINES_MAX)
		report_put_more(r, n - DOC_LINES_MAX);
	if (!t->n_rows)
		fprintf(r->f, "\n%s\n", _(s->missing));
	report_put_notes(r, t);
	return true;
}

/*
 * ---- what is missing
 * -----------------------------------------------------------------------------
 */

static const struct {
	const char *view, *what, *file;
} needs[] = {
	{"gpu", N_("GPU time, kernels, copies"),
	 N_("an nsys export (`nsys profile --trace=cuda,nvtx,osrt`, then `nsys export "
	    "--type=sqlite`) or a torch.profiler trace with CUDA activities")},
	{"stepstats", N_("steps and phases"),
	 N_("step markers: `prof.step()` with torch.profiler, or NVTX ranges named `step_N`")},
	{"ops", N_("operators and the split of their self time"),
	 N_("a torch.profiler trace with CPU activities, or an nsys export recorded with "
	    "`--pytorch=autograd-nvtx`")},
	{"runtime", N_("CUDA runtime calls"),
	 N_("an nsys export recorded with `--trace=cuda`, or a torch.profiler trace with CUDA "
	    "activities")},
	{"nvtx", N_("NVTX ranges"),
	 N_("an nsys export recorded with `--trace=nvtx` of a program that marks its code with "
	    "`torch.cuda.nvtx`")},
	{"stacks", N_("Python call stacks"),
	 N_("a pyinstrument file (`pyinstrument -r json -o stacks.json`), or a torch.profiler "
	    "trace with `with_stack=True`")},
	{"sync", N_("waits of the host for the device"),
	 N_("an nsys export recorded with `--trace=cuda`, or a torch.profiler trace with CUDA "
	    "activities")},
	{"memcpy", N_("copies"),
	 N_("an nsys export recorded with `--trace=cuda`, or a torch.profiler trace with CUDA "
	    "activities")},
};

static bool put_missing(struct report *r, const struct section *s, struct err *e)
{
	struct scope sc;
	uint32_t n = 0;

	section_scope(r, s, SCOPE_ANY, &sc);
	fputc('\n', r->f);
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		struct err own = ERR_INIT;
		const struct table *t = report_table(r, needs[i].view, &sc, &own);

		if (own.code) {
			if (e)
				*e = own;
			return false;
		}
		if (!t || t->n_rows)
			continue;
		fprintf(r->f, "* %s: %s\n", _(needs[i].what), _(needs[i].file));
		n++;
	}
	if (!n)
		fprintf(r->f, "%s\n", _("Nothing: every kind of view has data."));
	return true;
}

/*
 * ---- the document
 * --------------------------------------------------------------------------------
 */

static const struct section sections[] = {
	{
		.level = 2,
		.heading = N_("Verdict"),
		.view = "overview",
		.group = "verdict dump",
		.write = put_sentences,
	},
	{
		.level = 2,
		.heading = N_("Where the wall time of GPU {N} goes"),
		.view = "breakdown",
		.partition = "joint:{N}",
		.per_device = true,
		.shape = SHAPE_MATRIX,
		.group = "level1 level2 share",
		.text = N_("The joint partition: each instant of the window is in one state of the "
			   "device (rows) and in one kind of work of the "
			   "thread that issues it (columns). All cells sum to the wall. An idle "
			   "device beside a busy column names the cause; a "
			   "waiting host beside a computing device is no loss."),
		.missing = N_("No GPU work was recorded. An nsys export or a torch.profiler trace "
			      "with CUDA activities would provide it."),
	},
	{
		.level = 3,
		.heading = N_("The same in time, GPU {N}"),
		.view = "breakdown",
		.partition = "joint:{N}",
		.per_device = true,
		.shape = SHAPE_MATRIX,
		.group = "level1 level2 time_ns",
		.exact = true,
	},
	{
		.level = 2,
		.heading = N_("GPU time"),
		.view = "gpu",
		.cols = "device window_ns compute_ns exposed_comm_ns exposed_memcpy_ns idle_ns "
			"compute_share utilization sm_use source? rank? process? name",
		.text = N_("Compute, exposed communication, exposed copies and idle sum to the "
			   "window. *Compute %* is the headline; *Util* is what "
			   "other tools quote as GPU utilization, and counts waiting communication "
			   "kernels as busy."),
		.missing = N_("No GPU work was recorded. An nsys export or a torch.profiler trace "
			      "with CUDA activities would provide it."),
	},
	{
		.level = 2,
		.heading = N_("Largest losses"),
		.view = "overview",
		.group = "loss",
		.write = put_sentences,
		.text = N_("Each line is an upper bound of what its removal can gain, the mean "
			   "over the devices. Losses of different lines do not "
			   "add up."),
		.missing = N_("No loss was found: there is no GPU work to lose time on."),
	},
	{
		.level = 2,
		.heading = N_("What to fix first"),
		.view = "findings",
		.write = put_findings,
		.text = /* xgettext:no-c-format */ N_("The rules that fired, the largest loss first, remarks last. Severity is the "
			   "share of the window that is lost; confidence is low below 3 steady steps "
			   "or 80 % of recorded host time, firm from 20 steps on."),
		.missing = N_("No rule fired."),
	},
	{
		.level = 2,
		.heading = N_("The way down"),
		.view = "guide",
		.cols = "stage answer question measure says capture source? rank? process?",
		.text = N_("Questions in the order in which to ask them; the first *yes* is where to "
			   "stop and look."),
		.missing = N_("Nothing to ask about."),
	},
	{
		.level = 2,
		.heading = N_("What was tested"),
		.view = "checks",
		.cols = "state id title why source? rank? process?",
		.text = N_("Every rule: what decided, or what data it misses."),
		.missing = N_("No rules."),
	},
	{
		.level = 2,
		.heading = N_("Step time"),
		.view = "stepstats",
		.cols = "quantity n median_ns p90_ns min_ns max_ns total_ns share source? rank? "
			"process?",
		.text = N_("Over the steps of the window. The period of a step runs from its start "
			   "to the start of the next; the six phases sum to "
			   "it in each step (their medians need not). The median of an even number "
			   "of steps is the lower of the two middle ones."),
		.missing = N_("No step markers: the whole capture is one window. `prof.step()` "
			      "with torch.profiler or NVTX ranges named `step_N` "
			      "would provide them."),
	},
	{
		.level = 2,
		.heading = N_("Steps"),
		.bars = "step period_ns",
		.view = "steps",
		.whole = true,
		.cols = "step period_ns dur_ns dataload_ns forward_ns backward_ns recompute_ns "
			"optimizer_ns other_ns gpu_busy_ns microbatches "
			"warmup partial outlier evidence source? rank? process?",
		.text = N_("All steps, those outside the steady window marked. The six phases of a "
			   "row sum to its period."),
		.missing = N_("No step markers: the whole capture is one window. `prof.step()` "
			      "with torch.profiler or NVTX ranges named `step_N` "
			      "would provide them."),
	},
	{
		.level = 2,
		.heading = N_("In words"),
		.view = "overview",
		.group = "step gpu copies cpu",
		.write = put_sentences,
	},
	{
		.level = 2,
		.heading = N_("What was loaded"),
		.view = "sources",
		.whole = true,
		.cols = "format producer version bytes events tracks first_ns last_ns clock "
			"damaged state path",
		.text = N_("Times are on each file's own axis; sources with the same number under "
			   "*Clock* share one clock."),
	},
	{
		.level = 2,
		.heading = N_("What is missing"),
		.write = put_missing,
		.text = N_("Views without data in this session and window, and the file that would "
			   "provide it:"),
	},
	SECTIONS_END};

const struct document doc_overview = {
	.file = "01_training_overview.md",
	.title = N_("Training overview"),
	.intro = N_("Why is the step slow? What was loaded, what bounds the step, and what it "
		    "would gain to look into. Every figure is a cell of "
		    "a table that `profdive print` shows too; below each table stand the files and "
		    "the window that it comes from."),
	.sections = sections,
};
