/*
 * diff.c - the table of the comparison; see diff.h
 */
#include "compare/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "compare/diff_impl.h"
#include "scope/analysis.h"
#include "scope/columns.h"

static const struct column_def cols[] = {
	[C_WHAT] = {"what", N_("What"), UNIT_TEXT, COL_KEY, 0,
		    N_("group of quantities: step, phase, gpu, finding, breakdown, class, kernel, "
		       "sequence, op, runtime, copy, sync")},
	[C_NAME] = {"name", N_("Name"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the quantity")},
	[C_BEFORE] = {"before_ns", N_("Before"), UNIT_NS, 0, 1, N_("time per step before")},
	[C_AFTER] = {"after_ns", N_("After"), UNIT_NS, 0, 1, N_("time per step after")},
	[C_DELTA] = {"delta_ns", N_("Change"), UNIT_NS, 0, 0, N_("after less before")},
	[C_NOISE] = {"noise_ns", N_("Noise"), UNIT_NS, 0, 2,
		     N_("a change up to this may be chance; unknown below three steps on a side")},
	[C_SIGNIFICANT] = {"significant", N_("Real"), UNIT_BOOL, 0, 0,
			   N_("whether the change is larger than the noise")},
	[C_RATIO] = {"ratio", N_("Ratio"), UNIT_FACTOR, 0, 3, N_("after divided by before")},
	[C_CONTRIBUTION] = {"contribution", N_("Of change"), UNIT_RATIO, 0, 4,
			    N_("part of the change of the mean step, where the rows of the "
			       "group sum to it")},
	[C_COUNT_BEFORE] = {"before_count", N_("Count before"), UNIT_FACTOR, 0, 5,
			    N_("events per step before")},
	[C_COUNT_AFTER] = {"after_count", N_("Count after"), UNIT_FACTOR, 0, 5,
			   N_("events per step after")},
	[C_CHANGE] = {"change", N_("Kind"), UNIT_TEXT, 0, 1,
		      N_("new: before there was none; gone: after there is none; not known: one side cannot tell; findings: stayed, or "
			 "what one side cannot tell; sequences: same, inserted, removed, replaced, or "
			 "not aligned")},
	[C_DETAIL] = {"detail", N_("Detail"), UNIT_TEXT, 0, 6,
		      N_("step: how many steps were slow; gpu: another number of the device; finding: what it is and what decided on "
			 "either side; sequence: how often, where first, and which op launched it")},
};

static const struct compare_diff_group {
	const char *id;
	bool sums; /* its rows sum to the step, per part */
	bool many; /* so many rows that chance needs a stricter test */
} groups[GROUP_N] = {
	[GROUP_STEP] = {"step", false, false},	     [GROUP_PHASE] = {"phase", true, false},
	[GROUP_GPU] = {"gpu", true, false},	     [GROUP_FINDING] = {"finding", false, false},
	[GROUP_BREAKDOWN] = {"breakdown", true, true}, [GROUP_CLASS] = {"class", false, false},
	[GROUP_KERNEL] = {"kernel", false, true},    [GROUP_SEQUENCE] = {"sequence", false, false},
	[GROUP_OP] = {"op", false, true},	     [GROUP_RUNTIME] = {"runtime", false, true},
	[GROUP_COPY] = {"copy", false, false},	     [GROUP_SYNC] = {"sync", false, false},
};

/* ---- rows -------------------------------------------------------------------------------------- */

static int64_t step_mean(const struct diff_steps *s)
{
	return diff_sum(s->period, s->n) / s->n;
}

/*
 * The values that tell what is noise: of the steps that are not slow, where slow ones are more than one, for one may be chance. A median
 * does not look at them in any case. ns: of the sampled steps, or of all.
 */
static struct diff_values usual_steps(struct diff *d, int side, const int64_t *ns, int64_t events, bool sampled, bool median)
{
	const struct diff_steps *s = &d->steps[side];
	struct diff_values v = {ns, sampled ? s->n_sample : s->n, s->n, diff_rounding(d, side, events)};
	int64_t *usual;
	uint32_t n = 0;

	if (s->outliers < (median ? 1 : 2))
		return v;
	usual = arena_alloc(&d->arena, v.n * sizeof(*usual));
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->slow[i] && (!sampled || s->sample[i] >= 0))
			usual[n++] = ns[sampled ? (uint32_t)s->sample[i] : i];
	if (n < 3)
		return v;
	v.ns = usual;
	v.n = n;
	return v;
}

static void put_slow_steps(const struct diff *d, struct table *t, uint32_t row)
{
	const struct diff_steps *b = &d->steps[0], *a = &d->steps[1];
	char text[160];

	if (!b->any || !a->any)
		return;
	snprintf(text, sizeof(text), "slow steps: %u of %u before, %u of %u after", b->outliers, b->n, a->outliers, a->n);
	table_cstr(t, row, C_DETAIL, text);
}

static void put_step_row(struct diff *d, struct table *t, const char *name, bool median)
{
	const struct diff_steps *b = &d->steps[0], *a = &d->steps[1];
	uint32_t row = table_row(t);
	int64_t noise = 0;
	const struct diff_values v[2] = {usual_steps(d, 0, b->period, 1, false, median), usual_steps(d, 1, a->period, 1, false, median)};
	bool known = diff_noise(v, false, median, &noise);

	table_cstr(t, row, C_WHAT, groups[GROUP_STEP].id);
	table_cstr(t, row, C_NAME, name);
	diff_put_change(t, row, median ? diff_median(b->period, b->n) : step_mean(b),
		   median ? diff_median(a->period, a->n) : step_mean(a), known, noise);
	if (median)
		put_slow_steps(d, t, row);
	else if (step_mean(a) != step_mean(b))
		table_f64(t, row, C_CONTRIBUTION, 1);
}

/* A quantity with its means. */
struct diff_line {
	const struct quantity *q;
	int64_t mean[2];
};

static int by_part(const void *x, const void *y)
{
	const struct quantity *a = ((const struct diff_line *)x)->q, *b = ((const struct diff_line *)y)->q;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return (a > b) - (a < b);
}

static uint64_t size_of(const struct diff_line *l)
{
	int64_t d = l->mean[1] - l->mean[0];

	return d < 0 ? -(uint64_t)d : (uint64_t)d;
}

static int by_change(const void *x, const void *y)
{
	const struct diff_line *a = x, *b = y;

	if (a->q->group != b->q->group)
		return a->q->group < b->q->group ? -1 : 1;
	if (size_of(a) != size_of(b))
		return size_of(a) < size_of(b) ? 1 : -1;
	return (a->q > b->q) - (a->q < b->q);
}

/* Lines [from, to) sum to a whole: their means are rounded so that they still do. */
static void make_means(const struct diff *d, struct diff_line *l, size_t n)
{
	int64_t *totals = xcalloc(n + 1, sizeof(*totals)), *means = xcalloc(n + 1, sizeof(*means));

	for (int s = 0; s < 2; s++) {
		uint32_t steps = d->steps[s].n;

		for (size_t i = 0; i < n; i++)
			totals[i] = l[i].q->total[s];
		if (groups[l->q->group].sums)
			diff_means(totals, n, steps, means);
		for (size_t i = 0; i < n; i++)
			l[i].mean[s] = groups[l->q->group].sums ? means[i] : totals[i] / steps;
	}
	free(totals);
	free(means);
}

static struct diff_line *make_lines(struct diff *d)
{
	struct diff_line *l = xcalloc(d->q.n + 1, sizeof(*l));
	size_t n = d->q.n, to;

	for (size_t i = 0; i < n; i++)
		l[i].q = &d->q.a[i];
	qsort(l, n, sizeof(*l), by_part);
	for (size_t from = 0; from < n; from = to) {
		for (to = from + 1; to < n && l[to].q->group == l[from].q->group &&
				    l[to].q->part == l[from].q->part;
		     to++)
			continue;
		make_means(d, l + from, to - from);
	}
	qsort(l, n, sizeof(*l), by_change);
	return l;
}

static void put_counts(const struct diff *d, struct table *t, uint32_t row,
		       const struct quantity *q)
{
	static const uint32_t count_cols[2] = {C_COUNT_BEFORE, C_COUNT_AFTER};
	bool counted = q->count[0] >= 0 || q->count[1] >= 0;

	for (int s = 0; s < 2 && counted; s++)
		table_f64(t, row, count_cols[s],
			  q->count[s] < 0 ? 0 : (double)q->count[s] / d->steps[s].n);
}

static bool occurs(const struct quantity *q, int side)
{
	return q->count[side] > 0 || q->total[side] > 0;
}

/* What a side can tell of what the other one cannot. */
static void put_known(struct table *t, uint32_t row, const struct diff_line *l)
{
	static const uint32_t cols_of[2] = {C_BEFORE, C_AFTER};

	for (int s = 0; s < 2; s++)
		if (!l->q->unknown[s])
			table_i64(t, row, cols_of[s], l->mean[s]);
	table_cstr(t, row, C_CHANGE, "not known");
}

/* A device that has another number after. */
static void put_other_number(const struct diff *d, struct table *t, uint32_t row, const struct quantity *q)
{
	char text[64];
	int64_t other;

	if (q->group != GROUP_GPU)
		return;
	diff_pair_number(d, (uint32_t)q->part, &other);
	if (other < 0)
		return;
	snprintf(text, sizeof(text), "GPU %" PRId64 " after", other);
	table_cstr(t, row, C_DETAIL, text);
}

static void put_line(struct diff *d, struct table *t, const struct diff_line *l)
{
	const struct quantity *q = l->q;
	const struct compare_diff_group *g = &groups[q->group];
	uint32_t row = table_row(t);
	int64_t noise = 0, step = step_mean(&d->steps[1]) - step_mean(&d->steps[0]);
	const struct diff_values v[2] = {usual_steps(d, 0, q->ns[0], q->count[0], true, false),
					 usual_steps(d, 1, q->ns[1], q->count[1], true, false)};
	bool known = diff_noise(v, g->many, false, &noise);

	table_cstr(t, row, C_WHAT, g->id);
	table_str(t, row, C_NAME, q->name, q->len);
	if (q->unknown[0] || q->unknown[1]) {
		put_known(t, row, l);
		return;
	}
	diff_put_change(t, row, l->mean[0], l->mean[1], known, noise);
	put_other_number(d, t, row, q);
	put_counts(d, t, row, q);
	if (g->sums && step && d->have[GROUP_STEP][0] && d->have[GROUP_STEP][1])
		table_f64(t, row, C_CONTRIBUTION, (double)(l->mean[1] - l->mean[0]) / (double)step);
	if (!occurs(q, 0) && occurs(q, 1))
		table_cstr(t, row, C_CHANGE, "new");
	else if (occurs(q, 0) && !occurs(q, 1))
		table_cstr(t, row, C_CHANGE, "gone");
}

/* ---- notes ------------------------------------------------------------------------------------- */

static void note_steps(const struct diff *d, struct table *t, int side)
{
	const struct diff_steps *s = &d->steps[side];
	const char *which = side ? _("after") : _("before");

	if (d->scope[side].rank != d->side[side].scope.rank)
		table_note(t, _("%s: of several ranks %lld alone is compared (--rank chooses another)"), which,
			   (long long)d->scope[side].rank);
	if (!s->any)
		table_note(t, _("%s: no steps, the whole window counts as one"), which);
	else
		table_note(
			t,
			ngettext("%s: %u step compared, %u of them slow",
				 "%s: %u steps compared, %u of them slow", s->n),
			which, s->n, s->outliers);
}

static void put_notes(const struct diff *d, struct table *t)
{
	note_steps(d, t, 0);
	note_steps(d, t, 1);
	if (d->steps[0].n < 3 || d->steps[1].n < 3)
		table_note(t, _("fewer than three steps on a side: the changes are exact, and "
				"there is no estimate of the noise"));
	if (d->steps[0].any != d->steps[1].any)
		table_note(t, _("one side has steps and the other none: times per step stand "
				"beside times of a whole window"));
	for (int g = 0; g < GROUP_N; g++)
		if (d->have[g][0] != d->have[g][1])
			table_note(t, _("%s: only %s has data, so nothing is compared"),
				   groups[g].id, d->have[g][0] ? _("before") : _("after"));
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < d->side[s].cx->session->n_sources; i++)
			table_source(t, d->side[s].cx->session->sources[i].path);
}

/* The quantities of a group; *at is the first line that may be one of it. */
static void put_group(struct diff *d, struct table *t, enum diff_group g, const struct diff_line *l,
		      size_t *at)
{
	for (; *at < d->q.n && l[*at].q->group == g; ++*at)
		if (d->have[g][0] && d->have[g][1] && !(l[*at].q->unknown[0] && l[*at].q->unknown[1]))
			put_line(d, t, &l[*at]);
}

static bool put_rows(struct diff *d, struct table *t, struct err *e)
{
	struct diff_line *l = make_lines(d);
	size_t at = 0;
	bool ok = true;

	if (d->have[GROUP_STEP][0] && d->have[GROUP_STEP][1]) {
		put_step_row(d, t, "median", true);
		put_step_row(d, t, "mean", false);
	}
	for (int g = 0; g < GROUP_N && ok; g++) {
		if (g == GROUP_FINDING)
			ok = diff_findings(d, t, e);
		else if (g == GROUP_SEQUENCE)
			ok = diff_sequences(d, t, e);
		put_group(d, t, (enum diff_group)g, l, &at);
	}
	put_notes(d, t);
	free(l);
	return ok;
}

/* Enter on an op or a call goes to it. */
static void put_refs(struct table *t)
{
	static const struct {
		enum diff_group group;
		enum ref_kind kind;
	} kinds[] = {{GROUP_OP, REF_OP}, {GROUP_RUNTIME, REF_RUNTIME}};

	for (uint32_t row = 0; row < t->n_rows; row++)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (diff_is_text(table_cell(t, row, C_WHAT), groups[kinds[i].group].id,
				    strlen(groups[kinds[i].group].id)))
				t->refs[row] = (struct row_ref){
					.kind = (uint8_t)kinds[i].kind, .source = UINT32_MAX, .name_col = C_NAME};
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct diff_side side[2] = {{.cx = NULL}, {.cx = cx, .scope = *sc}};
	struct diff d = {.side = side};
	bool ok;

	if (!cx->before) {
		table_note(t, _("nothing to compare with: profdive diff BEFORE AFTER opens two profiles"));
		return true;
	}
	side[0] = *cx->before;
	ok = diff_gather(&d, e);
	ok = ok && put_rows(&d, t, e);
	if (ok)
		put_refs(t);
	diff_fini(&d);
	return ok;
}

const struct analysis an_diff = {
	.id = "diff",
	.title = N_("Comparison"),
	.doc = N_("two profiles, quantity by quantity per step, and which changes are larger than the noise"),
	.cols = cols,
	.n_cols = N_COLS(cols),
	.run = run,
};

/* ---- --fail-on --------------------------------------------------------------------------------- */

struct condition {
	const char *what, *name;
	size_t what_n, name_n; /* name_n 0: any */
	int64_t ns;	       /* limit, or INT64_MIN: `ratio` is it */
	double ratio;
};

/* GROUP[:NAME]>LIMIT; blanks around the parts do not count. */
static bool parse_condition(struct condition *c, const char *s, size_t n, struct err *e)
{
	const char *gt = memchr(s, '>', n), *colon;
	size_t left;

	*c = (struct condition){.what = s, .ns = INT64_MIN};
	for (const char *p = gt; p && p + 1 < s + n; p++)
		if (p[1] == '>')
			gt = p + 1; /* names of operators may hold one */
	if (!gt)
		return err_set(
			e, ERR_USAGE,
			_("--fail-on \"%.*s\": step>3%%, op:NAME>5%% or kernel>1ms is wanted"),
			(int)n, s);
	left = (size_t)(gt - s);
	while (left && s[left - 1] == ' ')
		left--;
	colon = memchr(s, ':', left);
	c->what_n = colon ? (size_t)(colon - s) : left;
	c->name = colon ? colon + 1 : NULL;
	c->name_n = colon ? left - c->what_n - 1 : 0;
	n -= (size_t)(gt + 1 - s);
	if (memchr(gt + 1, '%', n) ? num_parse_ratio(gt + 1, n, &c->ratio)
				   : num_parse_ns(gt + 1, n, &c->ns))
		return true;
	return err_set(e, ERR_USAGE, _("--fail-on: \"%.*s\" is neither a percentage nor a time"),
		       (int)n, gt + 1);
}

static bool row_fails(const struct table *t, uint32_t row, const struct condition *c)
{
	const struct cell *real = table_cell(t, row, C_SIGNIFICANT),
			  *name = table_cell(t, row, C_NAME);
	int64_t delta = table_cell(t, row, C_DELTA)->v.i,
		before = table_cell(t, row, C_BEFORE)->v.i;

	if (!diff_is_text(table_cell(t, row, C_WHAT), c->what, c->what_n))
		return false;
	if (table_cell(t, row, C_DELTA)->type != CELL_I64 || (c->name && !diff_is_text(name, c->name, c->name_n)))
		return false;
	if (delta <= 0 || (real->type == CELL_BOOL && !real->v.b))
		return false;
	return c->ns != INT64_MIN ? delta > c->ns : (double)delta > c->ratio * (double)before;
}

static bool known_group(const struct condition *c)
{
	for (int g = 0; g < GROUP_N; g++)
		if (strlen(groups[g].id) == c->what_n && !memcmp(groups[g].id, c->what, c->what_n))
			return true;
	return false;
}

/* The condition that begins at s; *end: behind it. Commas inside of a name's brackets belong to it. */
static void condition_end(const char *s, const char **end)
{
	int depth = 0;

	for (; *s && (*s != ',' || depth > 0); s++)
		depth += (*s == '(' || *s == '<') - (*s == ')' || (*s == '>' && depth > 0));
	*end = s;
}

bool diff_fails(const struct table *t, const char *conditions, uint32_t *row, struct err *e)
{
	*row = ROW_NONE;
	for (const char *s = conditions, *end; *s; s = end + (*end == ',')) {
		struct condition c;

		condition_end(s, &end);
		if (!parse_condition(&c, s, (size_t)(end - s), e))
			return false;
		if (!known_group(&c))
			return err_set(e, ERR_USAGE, _("--fail-on: there is no group \"%.*s\""),
				       (int)c.what_n, c.what);
		for (uint32_t r = 0; r < t->n_rows && *row == ROW_NONE; r++)
			if (row_fails(t, r, &c))
				*row = r;
	}
	return true;
}
