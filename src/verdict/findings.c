/*
 * findings.c - views `findings` (what loses time, the largest first), `checks` (every rule, and why it did not fire) and `guide`
 * (the way from the verdict down). All of their words and conditions stand in rule files; see finding.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "findings/finding.h"
#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_ID, C_SEVERITY, C_SAVES, C_SHARE, C_TITLE, C_EVIDENCE, C_FIX, C_CONFIRM, C_CAPTURE, C_PANES, C_SECTION, C_CONFIDENCE, C_PER,
	C_MEDIAN, C_P90, C_PRESENCE, C_WINDOW, C_VERDICT, C_CAUTION, C_SEEN, C_LARGEST, C_GAIN, C_GAIN_SHARE, C_WHATIF };

static const struct column_def cols[] = {
	[C_ID] = { "id", N_("Finding"), UNIT_TEXT, COL_KEY, 0, N_("id of the rule") },
	[C_SEVERITY] = { "severity", N_("Severity"), UNIT_TEXT, 0, 0,
		N_("by the share of the window that is lost: info below 2 %, minor below 5 %, major below 15 %, else critical; critical needs 20 steps") },
	[C_TITLE] = { "title", N_("What"), UNIT_TEXT, 0, 2, N_("in a few words") },
	[C_SAVES] = { "saves_ns", N_("At most"), UNIT_NS, COL_BAR, 0,
		N_("upper bound of what a fix gains: per step, or in the window where there are no steps; those of different findings do not add up") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 1, N_("of the window, or of the step") },
	[C_EVIDENCE] = { "evidence", N_("Evidence"), UNIT_TEXT, COL_NAME, 3, N_("the figures that it was found by, and its largest instances") },
	[C_FIX] = { "fix", N_("Fix"), UNIT_TEXT, COL_JSON_ONLY, 5, N_("what to do") },
	[C_CONFIRM] = { "confirm", N_("Confirm"), UNIT_TEXT, COL_JSON_ONLY, 6, N_("how to make sure") },
	[C_CAPTURE] = { "capture", N_("Next capture"), UNIT_TEXT, COL_JSON_ONLY, 7, N_("command to run next") },
	[C_PANES] = { "panes", N_("Panes"), UNIT_TEXT, 0, 2, N_("where it is seen") },
	[C_SECTION] = { "section", N_("About"), UNIT_TEXT, COL_JSON_ONLY, 6, N_("error, input, sync, launch, memory, compute, comm, offload or meta") },
	[C_CONFIDENCE] = { "confidence", N_("Confidence"), UNIT_TEXT, 0, 3,
		/* xgettext:no-c-format */ N_("low: fewer than 3 steady steps, less than 80 % of the host recorded, or a damaged file; likely: fewer than 20 steps; firm") },
	[C_PER] = { "per", N_("Per"), UNIT_TEXT, 0, 4, N_("what the loss is given for: step or window") },
	[C_MEDIAN] = { "median_ns", N_("Median"), UNIT_NS, COL_JSON_ONLY, 6, N_("median over the steps of what is lost") },
	[C_P90] = { "p90_ns", N_("p90"), UNIT_NS, COL_JSON_ONLY, 6, N_("90th percentile over the steps") },
	[C_PRESENCE] = { "presence", N_("In steps"), UNIT_RATIO, COL_JSON_ONLY, 6, N_("share of the steps in which it occurs") },
	[C_WINDOW] = { "window_loss_ns", N_("In all"), UNIT_NS, COL_JSON_ONLY, 7, N_("the same upper bound over the whole window") },
	[C_VERDICT] = { "verdict", N_("Verdict"), UNIT_TEXT, COL_JSON_ONLY, 9, N_("the sentence that it puts first, if nothing larger does") },
	[C_CAUTION] = { "caution", N_("Caution"), UNIT_TEXT, COL_JSON_ONLY, 9, N_("why the confidence is low") },
	[C_SEEN] = { "seen", N_("Seen"), UNIT_TEXT, COL_JSON_ONLY, 9, N_("the evidence without its largest instances") },
	[C_LARGEST] = { "largest", N_("Largest"), UNIT_TEXT, COL_JSON_ONLY, 9, N_("its largest instances, when they were and who made them") },
	[C_GAIN] = { "gain_ns", N_("Gain"), UNIT_NS, 0, 1,
		N_("what the median step gains when the recorded run is replayed with the change; empty: not replayed, at most counts") },
	[C_GAIN_SHARE] = { "gain_share", N_("Gain %"), UNIT_RATIO, COL_JSON_ONLY, 6, N_("of the median step") },
	[C_WHATIF] = { "whatif", N_("Change"), UNIT_TEXT, COL_JSON_ONLY, 6, N_("the change that was replayed, as whatif --change takes it") },
	SOURCE_COLS
};

static void put_text(struct table *t, uint32_t row, uint32_t col, const struct findings *f, const char *text)
{
	struct sbuf b = { 0 };

	finding_text(f, text, &b);
	if (b.n)
		table_str(t, row, col, b.s, b.n);
	sbuf_fini(&b);
}

static void put_advice(struct table *t, uint32_t row, const struct findings *f, const struct finding *x)
{
	struct sbuf b = { 0 };

	finding_advice(f, x, &b);
	if (b.n)
		table_str(t, row, C_FIX, b.s, b.n);
	sbuf_fini(&b);
}

static int64_t source_pid(const struct findings *f)
{
	return f->m->k.f->n_procs == 1 ? f->m->k.f->procs[0].pid : -1;
}

/* In two parts for those who have little room, and as one text. */
static void put_evidence(struct table *t, uint32_t row, const struct findings *f, const struct finding *x)
{
	struct sbuf seen = { 0 }, where = { 0 };

	finding_seen(f, x, &seen);
	finding_instances(f, x, &where);
	table_str(t, row, C_SEEN, sbuf_str(&seen), seen.n);
	if (where.n) {
		table_str(t, row, C_LARGEST, where.s, where.n);
		sbuf_printf(&seen, _(" Largest: %s."), where.s);
	}
	table_str(t, row, C_EVIDENCE, sbuf_str(&seen), seen.n);
	sbuf_fini(&seen);
	sbuf_fini(&where);
}

static void put_gain(struct table *t, uint32_t row, const struct finding *x)
{
	struct sbuf b = { 0 };

	table_i64(t, row, C_GAIN, x->gain_ns);
	if (x->gain_share >= 0)	/* longer than recorded is no share */
		table_f64(t, row, C_GAIN_SHARE, x->gain_share);
	for (uint32_t i = 0; i < x->rule->whatif.n; i++)
		sbuf_printf(&b, "%s%s", i ? "; " : "", x->rule->whatif.v[i]);
	table_str(t, row, C_WHATIF, sbuf_str(&b), b.n);
	sbuf_fini(&b);
}

static void put_finding(struct table *t, const struct findings *f, const struct finding *x)
{
	uint32_t row = table_row(t), per = findings_per(f);
	const struct finding_rule *r = x->rule;
	const struct instance *at = finding_instance(f, x);

	table_cstr(t, row, C_ID, r->id);
	table_cstr(t, row, C_SEVERITY, finding_severity_name(x->severity));
	put_text(t, row, C_TITLE, f, r->title);
	put_evidence(t, row, f, x);
	put_advice(t, row, f, x);
	put_text(t, row, C_CONFIRM, f, r->confirm);
	put_text(t, row, C_CAPTURE, f, r->capture);
	put_text(t, row, C_VERDICT, f, r->verdict);
	table_cstr(t, row, C_PANES, r->panes);
	table_cstr(t, row, C_SECTION, r->section);
	table_cstr(t, row, C_CONFIDENCE, confidence_name(f->confidence));
	table_cstr(t, row, C_CAUTION, f->caution);
	if (x->lost_ns != I64_UNKNOWN) {
		table_i64(t, row, C_SAVES, per ? x->lost_ns / per : x->lost_ns);
		table_i64(t, row, C_WINDOW, x->lost_ns);
		table_f64(t, row, C_SHARE, x->share);
		table_cstr(t, row, C_PER, per ? "step" : "window");
	}
	if (x->gain_ns != I64_UNKNOWN)
		put_gain(t, row, x);
	if (x->spread != ID_NONE) {
		table_i64(t, row, C_MEDIAN, metric_step_median(f->m, x->spread));
		table_i64(t, row, C_P90, metric_step_p90(f->m, x->spread));
		table_f64(t, row, C_PRESENCE, metric_presence(f->m, x->spread));
	}
	if (at)
		an_ref(t, row, REF_TIME, f->m->source, selection_session_time(&f->m->k, at->start), selection_session_time(&f->m->k, at->end), C_ID);
	an_row_source(t, row, &f->m->k, source_pid(f));
}

/* ---- what the three views share: one source after the other ---- */

typedef void (*put_fn)(struct table *t, const struct findings *f);

static bool each_source(const struct an_ctx *cx, const struct scope *sc, struct table *t, put_fn put, struct err *e)
{
	uint32_t n, told = 0, *src = finding_sources(cx, sc, &n, t);
	bool ok = true;

	/* a source without the wanted step is left out, unless all are */
	for (uint32_t i = 0; i < n && ok; i++) {
		struct err own = ERR_INIT;
		const struct findings *f = findings_get(cx, sc, src[i], &own);

		told += f != NULL;
		ok = f || (own.code == ERR_USAGE && (told || i + 1 < n));
		if (!ok && e)
			*e = own;
		if (f) {
			selection_describe(&f->m->k, t);
			put(t, f);
		}
		findings_put(cx, f);
	}
	if (!n)
		table_note(t, _("nothing to look at: no source with GPU work, host work or Python stacks"));
	free(src);
	return ok;
}

/* Too few steps are told by selection_describe() already. */
static void put_caution(struct table *t, const struct findings *f)
{
	if (f->caution && (!f->m->n_steps || f->m->n_steps >= FINDING_STEPS))
		table_note(t, "%s: %s", f->m->k.src->path, f->caution);
}

static void put_found(struct table *t, const struct findings *f)
{
	uint32_t abstained = 0;

	for (uint32_t i = 0; i < f->n_found; i++)
		put_finding(t, f, &f->v[f->rank[i]]);
	for (uint32_t i = 0; i < f->n; i++)
		abstained += f->v[i].state == FINDING_ABSTAINS;
	put_caution(t, f);
	if (f->m->v[METRIC_devices].i > 1)
		table_note(t, _("%s: figures of several devices or processes are means of them"), f->m->k.src->path);
	table_note(t, ngettext("%s: %u of %u rule fired, %u could not be tested (view checks says why)",
		"%s: %u of %u rules fired, %u could not be tested (view checks says why)", f->n), f->m->k.src->path, f->n_found, f->n,
		abstained);
}

static bool run_findings(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return each_source(cx, sc, t, put_found, e);
}

const struct analysis an_findings = {
	.id = "findings", .title = N_("Findings"), .doc = N_("what loses time and what to do about it, the largest first"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run_findings,
};

/* ---- checks ---- */

enum { K_ID, K_STATE, K_WHY, K_TITLE, K_SECTION, K_FILE };

static const struct column_def check_cols[] = {
	[K_ID] = { "id", N_("Rule"), UNIT_TEXT, COL_KEY, 0, N_("id of the rule") },
	[K_STATE] = { "state", N_("State"), UNIT_TEXT, COL_KEY, 0,
		N_("found; explained: another finding is the cause; accepted: the rules in use ignore it; not found; not tested: data is missing") },
	[K_WHY] = { "why", N_("Because"), UNIT_TEXT, COL_NAME, 0, N_("the condition that decided, with its value; or what is missing") },
	[K_TITLE] = { "title", N_("What"), UNIT_TEXT, 0, 2, N_("what it looks for") },
	[K_SECTION] = { "section", N_("About"), UNIT_TEXT, 0, 3, N_("error, input, sync, launch, memory, compute, comm, offload or meta") },
	[K_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 6, N_("rule file") },
	SOURCE_COLS
};

static void put_checks(struct table *t, const struct findings *f)
{
	for (int state = 0; state < FINDING_STATE_N; state++) {
		for (uint32_t i = 0; i < f->n; i++) {
			const struct finding *x = &f->v[i];
			uint32_t row;

			if ((int)x->state != state)
				continue;
			row = table_row(t);
			table_cstr(t, row, K_ID, x->rule->id);
			table_cstr(t, row, K_STATE, finding_state_name(x->state));
			table_cstr(t, row, K_WHY, x->why);
			put_text(t, row, K_TITLE, f, x->rule->title);
			table_cstr(t, row, K_SECTION, x->rule->section);
			table_cstr(t, row, K_FILE, x->rule->file);
			an_row_source(t, row, &f->m->k, source_pid(f));
		}
	}
}

static bool run_checks(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return each_source(cx, sc, t, put_checks, e);
}

const struct analysis an_checks = {
	.id = "checks", .title = N_("Checks"), .doc = N_("every rule of the findings: whether it fired, what decided, what data it misses"),
	.cols = check_cols, .n_cols = N_COLS(check_cols), .run = run_checks,
};

/* ---- guided path ---- */

enum { G_STAGE, G_ANSWER, G_QUESTION, G_MEASURE, G_SAYS, G_NEXT, G_PANES };

static const struct column_def guide_cols[] = {
	[G_STAGE] = { "stage", N_("Stage"), UNIT_TEXT, COL_KEY, 0, N_("id of the stage, in the order in which they are asked") },
	[G_ANSWER] = { "answer", N_("Answer"), UNIT_TEXT, COL_KEY, 0, N_("yes, no, or unknown where data is missing") },
	[G_QUESTION] = { "question", N_("Question"), UNIT_TEXT, 0, 1, N_("what is asked") },
	[G_MEASURE] = { "measure", N_("Measure"), UNIT_TEXT, 0, 2, N_("the measure that decides, with its bound") },
	[G_SAYS] = { "says", N_("It means"), UNIT_TEXT, COL_NAME, 0, N_("what follows from the answer") },
	[G_NEXT] = { "capture", N_("Next capture"), UNIT_TEXT, 0, 4, N_("command that tells more") },
	[G_PANES] = { "panes", N_("Panes"), UNIT_TEXT, 0, 1, N_("where it is seen") },
	SOURCE_COLS
};

static void put_stage(struct table *t, const struct findings *f, const struct finding_rule *r)
{
	static const char *const words[] = { [TRUTH_NO] = "no", [TRUTH_YES] = "yes", [TRUTH_UNKNOWN] = "unknown" };
	uint32_t row = table_row(t), id = r->at ? metric_find(f->m->fr, r->at, strlen(r->at)) : ID_NONE;
	enum truth all = TRUTH_YES;
	const char *missing = NULL;
	struct sbuf told = { 0 };

	for (uint32_t i = 0; i < r->when.n && all == TRUTH_YES; i++)
		finding_holds(f->m->fr, f->m, r->when.v[i], &all, &told, &missing, NULL);
	table_cstr(t, row, G_STAGE, r->id);
	table_cstr(t, row, G_ANSWER, words[all]);
	put_text(t, row, G_QUESTION, f, r->title);
	if (told.n)
		table_str(t, row, G_MEASURE, told.s, told.n);
	sbuf_reset(&told);
	if (all == TRUTH_UNKNOWN)
		sbuf_printf(&told, _("not known: %s"), missing ? _(missing) : r->id);
	else
		finding_text(f, all == TRUTH_YES || !r->otherwise ? r->says : r->otherwise, &told);
	table_str(t, row, G_SAYS, told.s, told.n);
	sbuf_fini(&told);
	put_text(t, row, G_NEXT, f, r->capture);
	table_cstr(t, row, G_PANES, r->panes);
	if (id != ID_NONE && f->m->v[id].n_top)
		an_ref(t, row, REF_TIME, f->m->source, selection_session_time(&f->m->k, f->m->v[id].top[0].start),
			selection_session_time(&f->m->k, f->m->v[id].top[0].end), G_STAGE);
	an_row_source(t, row, &f->m->k, source_pid(f));
}

static void put_guide(struct table *t, const struct findings *f)
{
	for (uint32_t i = 0; i < f->m->fr->n; i++)
		if (f->m->fr->v[i].stage)
			put_stage(t, f, &f->m->fr->v[i]);
	put_caution(t, f);
}

static bool run_guide(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return each_source(cx, sc, t, put_guide, e);
}

const struct analysis an_guide = {
	.id = "guide", .title = N_("Guided path"), .doc = N_("from the slow step down: the questions, what decides each, and what to run next"),
	.cols = guide_cols, .n_cols = N_COLS(guide_cols), .run = run_guide,
};
