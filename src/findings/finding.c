/* finding.c - trying the rules; see finding.h */
#include "findings/finding.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "measure/quality.h"
#include "scope/columns.h"

#define STEPS_FIRM 20
#define COVERAGE_MIN 0.8
#define PRESENCE_MIN 0.8
#define OFTEN_MIN 0.3
#define WINDOW_MIN_NS 100000

const char *finding_state_name(enum finding_state s)
{
	static const char *const names[FINDING_STATE_N] = { "found", "explained", "accepted", "not tested", "not found" };

	return names[s];
}

const char *confidence_name(enum confidence c)
{
	static const char *const names[] = { "low", "likely", "firm" };

	return names[c];
}

bool finding_is_fault(const struct finding *x)
{
	return !strcmp(x->rule->section, "error");
}

/* ---- one rule ---- */

struct trial {
	const struct finding_rules *fr;
	const struct metrics *m;
	struct finding *x;
	struct sbuf why;
};

/* Whether every `when` holds and no `unless`; else the state and what decided. */
static bool conditions(struct trial *t)
{
	const struct finding_rule *r = t->x->rule;
	const char *missing = NULL;

	for (uint32_t i = 0; i < r->when.n; i++) {
		enum truth holds = TRUTH_UNKNOWN;
		struct sbuf told = { 0 };

		finding_holds(t->fr, t->m, r->when.v[i], &holds, &told, &missing, NULL);
		if (holds != TRUTH_YES || !t->why.n) {
			sbuf_reset(&t->why);
			sbuf_put(&t->why, sbuf_str(&told), told.n);
		}
		sbuf_fini(&told);
		if (holds == TRUTH_YES)
			continue;
		t->x->state = holds == TRUTH_NO ? FINDING_NOT : FINDING_ABSTAINS;
		if (holds == TRUTH_UNKNOWN) {
			sbuf_reset(&t->why);
			if (missing && !strncmp(missing, FINDING_FEW, sizeof(FINDING_FEW) - 1))
				sbuf_puts(&t->why, _(missing));
			else
				sbuf_printf(&t->why, _("not known: %s"), missing ? _(missing) : r->when.v[i]);
		}
		return false;
	}
	for (uint32_t i = 0; i < r->unless.n; i++) {
		enum truth holds = TRUTH_UNKNOWN;
		struct sbuf told = { 0 };

		finding_holds(t->fr, t->m, r->unless.v[i], &holds, &told, NULL, NULL);
		if (holds == TRUTH_YES) {
			sbuf_reset(&t->why);
			sbuf_printf(&t->why, _("speaks against it: %s"), sbuf_str(&told));
			t->x->state = FINDING_NOT;
		}
		sbuf_fini(&told);
		if (holds == TRUTH_YES)
			return false;
	}
	return true;
}

/* Rejects losses caused by a few steps: the median step must lose at least half the mean. */
static bool typical(struct trial *t)
{
	uint32_t id = t->x->spread;
	int64_t median = id == ID_NONE ? 0 : metric_step_median(t->m, id), mean;
	char med[NUM_TEXT_MAX], avg[NUM_TEXT_MAX];

	if (id == ID_NONE)
		return true;
	mean = t->m->v[id].i / t->m->n_steps;
	if (median >= mean / 2)
		return true;
	sbuf_reset(&t->why);
	sbuf_printf(&t->why, _("in single steps: the median is %s, the mean %s (%s)"), num_ns(median, med), num_ns(mean, avg),
		metric_name(t->fr, id));
	t->x->state = FINDING_NOT;
	return false;
}

/* Where there are no steps: a loss that one event of many makes is that of this event, not of a loop. */
static bool repeated(struct trial *t)
{
	const char *lost = t->x->rule->lost;
	uint32_t id = lost ? metric_find(t->fr, lost, strlen(lost)) : ID_NONE;
	const struct metric *v = id == ID_NONE ? NULL : &t->m->v[id];
	char one[NUM_TEXT_MAX], all[NUM_TEXT_MAX];

	if (!v || t->m->n_steps || v->events < 3 || !v->n_top || v->top[0].amount <= v->i / 2)
		return true;
	sbuf_reset(&t->why);
	sbuf_printf(&t->why, _("one event makes %s of %s (%s)"), num_ns(v->top[0].amount, one), num_ns(v->i, all), metric_name(t->fr, id));
	t->x->state = FINDING_NOT;
	return false;
}

/* What a per-step claim needs: the event in four of five steps, and a loss that is not that of single steps. */
static bool in_every_step(struct trial *t)
{
	const char *every = t->x->rule->every;
	uint32_t id = every ? metric_find(t->fr, every, strlen(every)) : ID_NONE;
	double share;

	if (id == ID_NONE || t->m->n_steps < FINDING_STEPS)
		return id == ID_NONE || repeated(t);
	share = metric_presence(t->m, id);
	if (share >= PRESENCE_MIN)
		return typical(t);
	sbuf_reset(&t->why);
	sbuf_printf(&t->why, _("in %.0f of %u steps only (%s)"), share * t->m->n_steps, t->m->n_steps, every);
	t->x->state = FINDING_NOT;
	return false;
}

/* What a claim about many steps needs: a loss that is not that of single ones. */
static bool in_many_steps(struct trial *t)
{
	const char *often = t->x->rule->often;
	uint32_t id = often ? metric_find(t->fr, often, strlen(often)) : ID_NONE;
	double share;

	if (id == ID_NONE || t->m->n_steps < FINDING_STEPS)
		return id == ID_NONE || repeated(t);
	share = metric_step_often(t->m, id);
	if (share >= OFTEN_MIN)
		return true;
	sbuf_reset(&t->why);
	sbuf_printf(&t->why, _("in %.0f of %u steps only (%s)"), share * t->m->n_steps, t->m->n_steps, often);
	t->x->state = FINDING_NOT;
	return false;
}

/* What is lost is told of every rule, so that two runs can be compared where only one of them has the finding. */
static void measure_loss(struct trial *t, struct value *v)
{
	struct finding *x = t->x;
	int64_t window = t->m->v[METRIC_window].i;

	x->lost_ns = I64_UNKNOWN;
	x->share = (double)NAN;
	if (!x->rule->lost || !finding_eval(t->fr, t->m, x->rule->lost, v, NULL) || !v->known)
		return;
	x->lost_ns = v->exact ? v->i : (int64_t)llround(v->v);
	if (window > 0)
		x->share = (double)x->lost_ns / (double)window;
}

/* Shares of next to nothing say nothing: a memory set alone on a device is not a run that copies all the time. */
static bool long_enough(struct trial *t)
{
	const struct metric *w = &t->m->v[METRIC_window];
	char text[NUM_TEXT_MAX];

	if (!t->x->rule->lost || !w->known || w->i >= WINDOW_MIN_NS)
		return true;
	sbuf_reset(&t->why);
	sbuf_printf(&t->why, _("the window is %s long, less than 100 µs"), num_ns(w->i, text));
	t->x->state = FINDING_ABSTAINS;
	return false;
}

static bool loses(struct trial *t, const struct value *v)
{
	struct finding *x = t->x;
	const struct finding_rule *r = x->rule;

	if (!r->lost)
		return true;
	if (x->lost_ns == I64_UNKNOWN) {
		sbuf_reset(&t->why);
		sbuf_printf(&t->why, _("not known: %s"), v->why ? _(v->why) : r->lost);
		x->state = FINDING_ABSTAINS;
		return false;
	}
	if (x->lost_ns > 0 || r->severity == SEV_INFO)
		return true;
	x->state = FINDING_NOT;
	return false;
}

static enum finding_severity severity_of(const struct finding *x)
{
	double share = x->gain_ns == I64_UNKNOWN ? x->share : x->gain_share;

	if (x->rule->severity != SEV_AUTO)
		return x->rule->severity;
	if (isnan(share))
		return SEV_INFO;
	return share >= 0.15 ? SEV_CRITICAL : share >= 0.05 ? SEV_MAJOR : share >= 0.02 ? SEV_MINOR : SEV_INFO;
}

static uint32_t instants_of(const struct finding_rules *fr, const struct finding_rule *r)
{
	if (r->at)
		return metric_find(fr, r->at, strlen(r->at));
	return r->lost ? finding_first_metric(fr, r->lost) : ID_NONE;
}

static void try_rule(const struct finding_rules *fr, const struct metrics *m, struct finding *x)
{
	struct trial t = { .fr = fr, .m = m, .x = x };
	struct value v = { .known = false };

	x->gain_ns = I64_UNKNOWN;
	x->gain_share = (double)NAN;
	x->at = instants_of(fr, x->rule);
	x->spread = x->rule->lost ? metric_find(fr, x->rule->lost, strlen(x->rule->lost)) : ID_NONE;
	if (x->spread != ID_NONE && (!m->v[x->spread].by_step || metric_unit(fr, x->spread) != MU_NS))
		x->spread = ID_NONE;
	measure_loss(&t, &v);
	if (long_enough(&t) && conditions(&t) && in_every_step(&t) && in_many_steps(&t) && loses(&t, &v)) {
		x->state = FINDING_FOUND;
		x->severity = severity_of(x);
	}
	x->why = xstrdup(sbuf_str(&t.why));
	sbuf_fini(&t.why);
}

/* ---- all rules of a source ---- */

static void set_why(struct finding *x, enum finding_state s, const char *fmt, const char *what)
{
	struct sbuf b = { 0 };

	sbuf_puts(&b, fmt);
	sbuf_puts(&b, what);
	free(x->why);
	x->why = xstrdup(sbuf_str(&b));
	x->state = s;
	sbuf_fini(&b);
}

static bool names(const char *words, const char *id)
{
	size_t n = strlen(id);

	for (const char *s = words; s && *s; s += strspn(s, " ")) {
		size_t len = strcspn(s, " ");

		if (len == n && !memcmp(s, id, n))
			return true;
		s += len;
	}
	return false;
}

/* A small cause does not explain a large loss. */
static bool large_enough(const struct finding *by, const struct finding *x)
{
	return by->lost_ns == I64_UNKNOWN || x->lost_ns == I64_UNKNOWN || by->lost_ns >= x->lost_ns / 2;
}

/*
 * One cause, one finding: what is explained by a finding is not told apart, also where that one is explained in turn. Of two that
 * explain each other the first stays.
 */
static void explain(struct findings *f)
{
	bool *held = xcalloc((size_t)f->n + 1, sizeof(*held));

	for (uint32_t i = 0; i < f->n; i++)
		held[i] = f->v[i].state == FINDING_FOUND;
	for (uint32_t i = 0; i < f->n; i++) {
		for (uint32_t j = 0; j < f->n && f->v[i].state == FINDING_FOUND; j++) {
			const struct finding_rule *by = f->v[j].rule;

			if (j != i && held[j] && names(by->replaces, f->v[i].rule->id) && large_enough(&f->v[j], &f->v[i]) &&
			    !(i < j && names(f->v[i].rule->replaces, by->id)))
				set_why(&f->v[i], FINDING_EXPLAINED, _("explained by "), by->id);
		}
	}
	free(held);
}

/* ---- one cost is told once ---- */

/* What is left of a loss may be too little to be told by itself. */
#define LEFT_MIN 0.25		/* of the loss */
#define LEFT_SHARE_MIN 0.02	/* of the window */

static bool loses_time(const struct finding *x)
{
	return x->state == FINDING_FOUND && x->lost_ns != I64_UNKNOWN && x->lost_ns > 0;
}

static void take_from(const struct metrics *m, struct finding *x, int64_t ns)
{
	if (ns <= 0)
		return;
	x->lost_ns -= ns;
	x->told_ns += ns;
	x->spread = ID_NONE;	/* how all of it is spread is not how the rest is */
	if (m->v[METRIC_window].i > 0)
		x->share = (double)x->lost_ns / (double)m->v[METRIC_window].i;
	x->severity = severity_of(x);
}

/* The largest finding that overlaps y and was not looked at yet; NULL. */
static struct finding *next_overlapped(const struct findings *f, const struct finding *y, const bool *seen)
{
	struct finding *best = NULL;

	for (uint32_t i = 0; i < f->n; i++)
		if (!seen[i] && loses_time(&f->v[i]) && names(y->rule->overlaps, f->v[i].rule->id) &&
		    (!best || f->v[i].lost_ns > best->lost_ns))
			best = &f->v[i];
	return best;
}

static void take_overlaps(struct findings *f)
{
	bool *seen = xcalloc((size_t)f->n + 1, sizeof(*seen));

	for (uint32_t j = 0; j < f->n; j++) {
		const struct finding *y = &f->v[j];
		int64_t left = y->lost_ns;
		struct finding *x;

		if (!y->rule->overlaps || !loses_time(y))
			continue;
		memset(seen, 0, f->n * sizeof(*seen));
		while (left > 0 && (x = next_overlapped(f, y, seen))) {
			int64_t ns = left < x->lost_ns ? left : x->lost_ns;

			seen[x - f->v] = true;
			take_from(f->m, x, ns);
			left -= ns;
		}
	}
	free(seen);
}

/* What several small causes explain of a large loss. */
static void take_causes(struct findings *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		struct finding *x = &f->v[i];
		int64_t ns = 0;

		if (!loses_time(x))
			continue;
		for (uint32_t j = 0; j < f->n; j++)
			if (j != i && loses_time(&f->v[j]) && names(f->v[j].rule->replaces, x->rule->id))
				ns += f->v[j].lost_ns;
		take_from(f->m, x, ns < x->lost_ns ? ns : x->lost_ns);
	}
}

static void put_tellers(const struct findings *f, const struct finding *x, struct sbuf *out)
{
	for (uint32_t j = 0; j < f->n; j++) {
		const struct finding_rule *r = f->v[j].rule;

		if (f->v[j].state == FINDING_FOUND && (names(r->replaces, x->rule->id) || names(r->overlaps, x->rule->id)))
			sbuf_printf(out, out->n ? ", %s" : "%s", r->id);
	}
}

/* No millisecond is lost in two findings: what is left of the larger one is its loss, and too little is none. */
static void tell_once(struct findings *f)
{
	take_overlaps(f);
	take_causes(f);
	for (uint32_t i = 0; i < f->n; i++) {
		struct finding *x = &f->v[i];
		double all = (double)x->lost_ns + (double)x->told_ns;
		struct sbuf by = { 0 };

		if (x->state != FINDING_FOUND || !x->told_ns ||
		    ((double)x->lost_ns >= LEFT_MIN * all && x->share >= LEFT_SHARE_MIN))
			continue;
		put_tellers(f, x, &by);
		set_why(x, FINDING_EXPLAINED, _("explained by "), sbuf_str(&by));
		sbuf_fini(&by);
	}
}

static void accept(struct findings *f, const struct finding_rules *fr)
{
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t j = 0; j < fr->n_ignored && f->v[i].state == FINDING_FOUND; j++)
			if (!strcmp(fr->ignored[j].id, f->v[i].rule->id))
				set_why(&f->v[i], FINDING_ACCEPTED, _("accepted by the rules in use: "), fr->ignored[j].reason);
}

/* Faults of the run come first and remarks last; then by gain, then by loss; then in the order of the rules. */
static int found_cmp(const struct finding *a, const struct finding *b)
{
	bool ia = a->severity == SEV_INFO, ib = b->severity == SEV_INFO;
	bool fa = finding_is_fault(a), fb = finding_is_fault(b);

	if (fa != fb)
		return fa ? -1 : 1;

	if (ia != ib)
		return ia ? 1 : -1;
	if (finding_gain_rank(a) != finding_gain_rank(b))
		return finding_gain_rank(a) < finding_gain_rank(b) ? -1 : 1;
	if (finding_gain_rank(a) == GAIN_TOLD && a->gain_ns != b->gain_ns)
		return a->gain_ns > b->gain_ns ? -1 : 1;
	return (a->lost_ns < b->lost_ns) - (a->lost_ns > b->lost_ns);
}

static void rank(struct findings *f)
{
	f->rank = xcalloc((size_t)f->n + 1, sizeof(*f->rank));
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t at = f->n_found;

		if (f->v[i].state != FINDING_FOUND)
			continue;
		for (; at && found_cmp(&f->v[i], &f->v[f->rank[at - 1]]) < 0; at--)
			f->rank[at] = f->rank[at - 1];
		f->rank[at] = i;
		f->n_found++;
	}
}

static void put_reason(struct sbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put_reason(struct sbuf *b, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sbuf_puts(b, b->n ? _("; ") : "");
	sbuf_puts(b, text);
}

/* What makes a verdict none. */
static void put_reasons(const struct metrics *m, struct sbuf *b)
{
	const struct metric *cover = &m->v[METRIC_coverage];
	char pct[NUM_TEXT_MAX];

	if (m->idle_doubt)
		put_reason(b, "%s", m->idle_doubt);
	if (m->n_steps < FINDING_STEPS)
		put_reason(b, m->n_steps ? _("steady steps: %u, a verdict needs 3") : _("no steps, this is what one window shows"), m->n_steps);
	else if (cover->known && cover->f < COVERAGE_MIN)
		put_reason(b, _("the issuing threads have events in %s of the time only, a verdict needs 80 %%"), num_pct(cover->f, pct));
	if (m->v[METRIC_damaged].i)
		put_reason(b, _("parts of the file could not be read"));
}

/* What else is bad about the data: figures of the source are off, and what is concluded from them may be. */
static void put_bad(void *arg, const struct quality *q)
{
	char pct[NUM_TEXT_MAX];

	if (q->verdict == QUALITY_BAD)
		put_reason(arg, "%s, %s", _(q->check), num_pct(q->share, pct));
}

static void judge(struct findings *f)
{
	const struct metrics *m = f->m;
	struct sbuf b = { 0 };

	f->confidence = m->n_steps >= STEPS_FIRM ? CONFIDENCE_FIRM : CONFIDENCE_LIKELY;
	put_reasons(m, &b);
	if (b.n)
		f->confidence = CONFIDENCE_LOW;
	quality_measure(&m->k, put_bad, &b);
	f->caution = b.n ? xstrdup(sbuf_str(&b)) : NULL;
	sbuf_fini(&b);
	for (uint32_t i = 0; i < f->n; i++)
		if (f->v[i].severity == SEV_CRITICAL && f->v[i].rule->severity == SEV_AUTO && f->confidence != CONFIDENCE_FIRM)
			f->v[i].severity = SEV_MAJOR;
}

static struct findings *try_all(const struct finding_rules *fr, struct metrics *m, struct err *e)
{
	struct findings *f = xcalloc(1, sizeof(*f));

	f->m = m;
	f->v = xcalloc((size_t)fr->n + 1, sizeof(*f->v));
	for (uint32_t i = 0; i < fr->n; i++) {
		if (fr->v[i].stage)
			continue;
		f->v[f->n].rule = &fr->v[i];
		try_rule(fr, m, &f->v[f->n++]);
	}
	accept(f, fr);
	explain(f);
	tell_once(f);
	if (!findings_replay(f, e)) {
		findings_free(f);
		return NULL;
	}
	for (uint32_t i = 0; i < f->n; i++)
		if (f->v[i].gain_ns != I64_UNKNOWN)
			f->v[i].severity = severity_of(&f->v[i]);
	judge(f);
	rank(f);
	return f;
}

struct findings *findings_new(const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct err *e)
{
	struct metrics *m = metrics_new(cx, sc, source, e);

	return m ? try_all(cx->findings, m, e) : NULL;
}

void findings_free(struct findings *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->n; i++)
		free(f->v[i].why);
	free(f->v);
	free(f->rank);
	free(f->caution);
	metrics_free(f->m);
	free(f);
}

uint32_t *finding_sources(const struct an_ctx *cx, const struct scope *sc, uint32_t *n, struct table *notes)
{
	static const enum source_need kinds[] = { NEED_JOINT, NEED_HOST, NEED_STACKS };
	uint32_t *out = NULL;

	*n = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !*n; i++) {
		free(out);
		out = view_sources(cx, sc, kinds[i], n, notes);
	}
	return out;
}

uint32_t findings_per(const struct findings *f)
{
	return f->m->n_steps;
}

/* ---- samples ---- */

static bool sample_value(const struct finding_rules *fr, const char *text, struct value *v, struct err *e)
{
	return (finding_eval(fr, NULL, text, v, e) && v->known) || err_set(e, ERR_FORMAT, "not a value: %s", text);
}

static int64_t rounded(const struct value *v)
{
	return v->exact ? v->i : (int64_t)llround(v->v);
}

/* NAME=VALUE, NAME=VALUE@K: in the first K steps only, or NAME=VALUE+MORE@K: VALUE in all, MORE in these. Kept as the first instance. */
static bool set_sample(const struct finding_rules *fr, struct metrics *m, char *word, struct err *e)
{
	char *text = strchr(word, '='), *steps = strchr(word, '@'), *plus = steps ? strchr(word, '+') : NULL;
	uint32_t id;
	struct value v, more = { .exact = true, .i = 0 };
	int64_t in = 0;

	if (!text)
		return err_set(e, ERR_FORMAT, "a sample is NAME=VALUE: %s", word);
	*text++ = '\0';
	if (steps) {
		*steps++ = '\0';
		num_parse_i64(steps, strlen(steps), &in);
	}
	if (plus)
		*plus++ = '\0';
	id = metric_find(fr, word, strlen(word));
	if (id == ID_NONE)
		return err_set(e, ERR_FORMAT, "no such metric: %s", word);
	if (!sample_value(fr, text, &v, e) || (plus && !sample_value(fr, plus, &more, e)))
		return false;
	m->v[id].known = true;
	m->v[id].i = rounded(&v) + rounded(&more);
	m->v[id].f = v.v;
	m->v[id].events = in;
	m->v[id].top[0].amount = plus ? rounded(&v) : 0;
	return true;
}

/* Values of a sample are spread evenly over the steps, 20 of them where it does not say. */
static void spread(struct metrics *m)
{
	m->n_steps = m->v[METRIC_steps].known ? (uint32_t)m->v[METRIC_steps].i : STEPS_FIRM;
	for (uint32_t id = 0; id < m->n; id++) {
		struct metric *v = &m->v[id];
		int64_t in = v->events > 0 && v->events < m->n_steps ? v->events : m->n_steps, all = v->top[0].amount, rest = v->i - all;

		if (!v->known || !v->i || !m->n_steps)
			continue;
		v->by_step = xcalloc(m->n_steps, sizeof(int64_t));
		for (int64_t s = 0; s < m->n_steps; s++)
			v->by_step[s] = all / m->n_steps + (s < in ? rest / in + (s < rest % in) : 0);
	}
}

static bool read_sample(const struct finding_rules *fr, const char *text, struct metrics *m, struct err *e)
{
	char *copy = xstrdup(text);
	bool ok = true;

	for (char *save, *w = strtok_r(copy, " ", &save); w && ok; w = strtok_r(NULL, " ", &save))
		ok = set_sample(fr, m, w, e);
	free(copy);
	spread(m);
	return ok;
}

static bool sample_fires(const struct finding_rules *fr, const struct finding_rule *r, const char *text, struct sbuf *got)
{
	struct metrics *m = xcalloc(1, sizeof(*m));
	struct finding x = { .rule = r };
	struct err e = ERR_INIT;
	bool ok;

	m->fr = fr;
	m->n = METRIC_N + fr->n_metrics;
	m->v = xcalloc(m->n, sizeof(*m->v));
	ok = read_sample(fr, text, m, &e);
	if (ok)
		try_rule(fr, m, &x);
	else
		sbuf_puts(got, e.text);
	if (ok && x.state != FINDING_FOUND)
		sbuf_puts(got, x.why);
	free(x.why);
	metrics_free(m);
	return ok && x.state == FINDING_FOUND;
}

size_t finding_rules_check(const struct finding_rules *fr, void (*fail)(void *ctx, const struct rules_failure *f), void *ctx, size_t *n)
{
	size_t bad = 0;

	for (uint32_t i = 0; i < fr->n; i++) {
		const struct finding_rule *r = &fr->v[i];

		for (uint32_t j = 0; j < r->samples.n + r->nots.n; j++, ++*n) {
			bool is_not = j >= r->samples.n;
			const struct finding_lines *l = is_not ? &r->nots : &r->samples;
			uint32_t at = is_not ? j - r->samples.n : j;
			struct sbuf got = { 0 };

			if (sample_fires(fr, r, l->v[at], &got) == is_not) {
				bad++;
				if (fail)
					fail(ctx, &(struct rules_failure){ r->file, l->line[at], r->id, l->v[at], strlen(l->v[at]), sbuf_str(&got),
						is_not });
			}
			sbuf_fini(&got);
		}
	}
	return bad;
}
