/*
 * finding_file.c - `table findings` of a rule file.
 *
 *	metric NAME FAMILY.MEASURE PATTERN | PATTERN ...	a measure: a sum over names, see metric.h
 *	ignore ID REASON			a finding that is accepted: it is not reported, the list of checks says why
 *
 *	id NAME					starts a rule; `stage NAME` starts a stage of the guided path. A blank line ends it
 *	  section WORD				error, input, sync, launch, memory, compute, comm, offload or meta
 *	  title _("...")			a few words
 *	  when COND				all lines must hold; see expression.c
 *	  unless COND				none may hold
 *	  every METRIC				it must occur in at least 80 % of the steps
 *	  often METRIC				at least half of its mean must occur in 30 % of the steps
 *	  lost EXPR				time that could be gained at most; the findings are ranked by it
 *	  whatif CHANGE				the change that mends it, as --change takes it (replay/change.h); all lines are made together. What
 *						the replayed run then gains ranks the finding, before those without one
 *	  severity WORD				info, minor, major or critical; without it: by the share of the window that is lost
 *	  at METRIC				whose largest events are the instants to look at (default: the first one of `lost`)
 *	  replaces ID ID			findings that this one explains
 *	  overlaps ID ID			findings over the same time: they lose what this one leaves of them
 *	  verdict _("...")			the first sentence of the overview, if nothing costs more
 *	  says _("...") fix _("...") confirm _("...")	evidence with figures; what to do; how to make sure
 *	  advise COND => _("...")		a sentence that `fix` goes on with where the condition holds
 *	  otherwise _("...")			stages: what it means when the condition does not hold
 *	  capture COMMAND			the command to run next, with {EXPR} filled in
 *	  panes 2 7				where it is seen
 *	  sample NAME=VALUE NAME=VALUE		with these metrics, and no others known, the rule must fire (a stage: hold)
 *	  not NAME=VALUE NAME=VALUE		and with these it must not
 *						values are spread over the steps (20, or those of steps=N); VALUE@K: over K of them;
 *						VALUE+MORE@K: over all, and more over K of them
 *
 * Texts in _("...") are translated.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sbuf.h"
#include "findings/finding.h"
#include "replay/change.h"

static bool fail(const struct finding_reader *p, int line, const char *what, const char *word)
{
	return err_set(p->e, ERR_FORMAT, "%s: line %d: %s: %s", p->t.file, line, what, word);
}

static struct finding_rule *current(struct finding_reader *p)
{
	return &p->fr->v[p->fr->n - 1];
}

/* ---- values ---- */

static void add_line(struct finding_lines *l, const char *s, int line)
{
	if (l->n == l->cap) {
		l->cap = (uint32_t)mem_grow(l->cap, l->n + 1);
		l->v = xreallocarray(l->v, l->cap, sizeof(*l->v));
		l->line = xreallocarray(l->line, l->cap, sizeof(*l->line));
	}
	l->v[l->n] = s;
	l->line[l->n++] = line;
}

/* _("text") with \" and \\ in it, or the text as it stands. */
static const char *unquote(char *s)
{
	char *to = s, *from = s;
	size_t n = strlen(s);

	if (n < 5 || memcmp(s, "_(\"", 3) || strcmp(s + n - 2, "\")"))
		return s;
	s[n - 2] = '\0';
	for (from = s + 3; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return s;
}

enum key_kind { KEY_TEXT, KEY_WORD, KEY_LINES, KEY_ADVICE };
static const struct {
	const char *name;
	enum key_kind kind;
	size_t at;
} keys[] = {
#define AT(member) offsetof(struct finding_rule, member)
	{ "title", KEY_TEXT, AT(title) }, { "verdict", KEY_TEXT, AT(verdict) }, { "says", KEY_TEXT, AT(says) },
	{ "otherwise", KEY_TEXT, AT(otherwise) }, { "fix", KEY_TEXT, AT(fix) }, { "confirm", KEY_TEXT, AT(confirm) },
	{ "capture", KEY_WORD, AT(capture) }, { "lost", KEY_WORD, AT(lost) }, { "at", KEY_WORD, AT(at) }, { "every", KEY_WORD, AT(every) },
	{ "often", KEY_WORD, AT(often) },
	{ "section", KEY_WORD, AT(section) }, { "replaces", KEY_WORD, AT(replaces) }, { "overlaps", KEY_WORD, AT(overlaps) }, { "panes", KEY_WORD, AT(panes) },
	{ "when", KEY_LINES, AT(when) }, { "unless", KEY_LINES, AT(unless) }, { "advise", KEY_ADVICE, AT(advise) }, { "sample", KEY_LINES, AT(samples) },
	{ "not", KEY_LINES, AT(nots) }, { "whatif", KEY_LINES, AT(whatif) },
#undef AT
};

const char *finding_severity_name(enum finding_severity s)
{
	static const char *const names[] = { "auto", "info", "minor", "major", "critical" };

	return names[s];
}

static bool set_severity(struct finding_reader *p, int line, const char *s)
{
	for (int i = SEV_INFO; i <= SEV_CRITICAL; i++) {
		if (strcmp(finding_severity_name((enum finding_severity)i), s) == 0) {
			current(p)->severity = (enum finding_severity)i;
			return true;
		}
	}
	return fail(p, line, "severity is info, minor, major or critical", s);
}

/* "COND => _("text")" becomes "COND\0text": advice_text() finds the text behind the condition. */
static bool add_advice(struct finding_reader *p, struct finding_lines *l, int line, char *value)
{
	static const char arrow[] = " => ";
	char *at = strstr(value, arrow);
	const char *text;

	if (!at)
		return fail(p, line, "advise is CONDITION => TEXT", value);
	*at = '\0';
	text = unquote(at + sizeof(arrow) - 1);
	memmove(at + 1, text, strlen(text) + 1);
	add_line(l, value, line);
	return true;
}

const char *advice_text(const char *advice)
{
	return advice + strlen(advice) + 1;
}

static bool is_change(struct finding_reader *p, int line, const char *text)
{
	struct err e = ERR_INIT;
	struct change c;
	bool ok = change_parse(text, &c, &e);

	if (ok)
		change_fini(&c);
	return ok || fail(p, line, "no change", e.text);
}

static bool set_key(struct finding_reader *p, int line, const char *key, char *value)
{
	if (!*value)
		return fail(p, line, "nothing after", key);
	if (!strcmp(key, "severity"))
		return set_severity(p, line, value);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		char *member = (char *)current(p) + keys[i].at;
		const char *text;

		if (strcmp(keys[i].name, key) != 0)
			continue;
		if (keys[i].kind == KEY_ADVICE)
			return add_advice(p, (struct finding_lines *)(void *)member, line, value);
		if (!strcmp(key, "whatif") && !is_change(p, line, value))
			return false;
		if (keys[i].kind == KEY_LINES) {
			add_line((struct finding_lines *)(void *)member, value, line);
			return true;
		}
		text = keys[i].kind == KEY_TEXT ? unquote(value) : value;
		memcpy(member, &text, sizeof(text));
		return true;
	}
	return fail(p, line, "unknown key", key);
}

/* ---- metrics ---- */

static int word_of(const char *const *words, int n, const char *s, size_t len)
{
	for (int i = 0; i < n; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return i;
	return -1;
}

static bool add_patterns(struct finding_reader *p, int line, struct globs *to, char *s)
{
	while (s) {
		char *next = strstr(s, " | ");
		size_t n = next ? (size_t)(next - s) : strlen(s);

		while (n && *s == ' ')
			s++, n--;
		while (n && s[n - 1] == ' ')
			n--;
		if (!n)
			return fail(p, line, "an empty pattern", "write * to match everything");
		glob_add(to, s, n, false);
		s = next ? next + 3 : NULL;
	}
	return true;
}

/* A later definition of a name counts; what an earlier one was found by stays. */
static struct pattern_metric *metric_slot(struct finding_rules *fr, const char *name)
{
	for (uint32_t i = 0; i < fr->n_metrics; i++) {
		if (strcmp(fr->metrics[i].name, name) != 0)
			continue;
		globs_fini(&fr->metrics[i].match);
		return &fr->metrics[i];
	}
	if (fr->n_metrics == fr->cap_metrics) {
		fr->cap_metrics = (uint32_t)mem_grow(fr->cap_metrics, fr->n_metrics + 1);
		fr->metrics = xreallocarray(fr->metrics, fr->cap_metrics, sizeof(*fr->metrics));
	}
	return &fr->metrics[fr->n_metrics++];
}

static const char *const families[FAMILY_N] = { "gaps", "calls", "ops", "frames", "kernels", "copies" };

static bool has_metric(const struct finding_rules *fr, const char *name)
{
	for (uint32_t i = 0; i < fr->n_metrics; i++)
		if (!strcmp(fr->metrics[i].name, name))
			return true;
	return false;
}

bool finding_rules_fit(const struct finding_rules *to, const struct finding_rules *add, struct err *e)
{
	unsigned n[FAMILY_N] = { 0 };

	for (uint32_t i = 0; i < to->n_metrics; i++)
		n[to->metrics[i].family] += !has_metric(add, to->metrics[i].name);
	for (uint32_t i = 0; i < add->n_metrics; i++) {
		const struct pattern_metric *m = &add->metrics[i];

		if (++n[m->family] > FAMILY_METRICS)
			return err_set(e, ERR_FORMAT, "%s: line %d: more than %d measures of the family %s: %s", m->file, m->line,
				FAMILY_METRICS, families[m->family], m->name);
	}
	return true;
}

static bool parse_metric(struct finding_reader *p, int line, char *s)
{
	static const char *const measures[MEASURE_N] = { "count", "time", "idle", "bytes" };
	char *what = s + strcspn(s, " "), *patterns, *dot;
	struct pattern_metric m = { .name = s, .file = p->t.file, .line = line }, *slot;
	int family, measure;

	if (*what)
		*what++ = '\0';
	what += strspn(what, " ");
	patterns = what + strcspn(what, " ");
	if (*patterns)
		*patterns++ = '\0';
	dot = what + strcspn(what, ".");
	if (!*s || s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return fail(p, line, "a metric's name has small letters, digits and _", s);
	family = word_of(families, FAMILY_N, what, (size_t)(dot - what));
	measure = *dot ? word_of(measures, MEASURE_N, dot + 1, strlen(dot + 1)) : -1;
	if (family < 0 || measure < 0 || (measure == MEASURE_BYTES && family != FAMILY_COPIES) ||
	    (measure == MEASURE_IDLE && family == FAMILY_KERNELS))
		return fail(p, line, "no such FAMILY.MEASURE", what);
	m.family = (enum metric_family)family;
	m.measure = (enum metric_measure)measure;
	if (metric_find(p->fr, s, strlen(s)) < METRIC_N)
		return fail(p, line, "the program has a metric of this name", s);
	if (!add_patterns(p, line, &m.match, patterns)) {
		globs_fini(&m.match);
		return false;
	}
	slot = metric_slot(p->fr, s);
	*slot = m;
	return true;
}

/* ---- rules ---- */

static bool open_rule(struct finding_reader *p, int line, const char *id, bool stage)
{
	struct finding_rules *fr = p->fr;

	if (!*id)
		return fail(p, line, "id without a name", id);
	if (fr->n == fr->cap) {
		fr->cap = (uint32_t)mem_grow(fr->cap, fr->n + 1);
		fr->v = xreallocarray(fr->v, fr->cap, sizeof(*fr->v));
	}
	fr->v[fr->n++] = (struct finding_rule){ .id = id, .file = p->t.file, .check = p->t.check, .line = line,
		.stage = stage };
	p->t.open = true;
	return true;
}

static void add_ignore(struct finding_rules *fr, char *s)
{
	char *reason = s + strcspn(s, " ");

	if (*reason)
		*reason++ = '\0';
	if (fr->n_ignored == fr->cap_ignored) {
		fr->cap_ignored = (uint32_t)mem_grow(fr->cap_ignored, fr->n_ignored + 1);
		fr->ignored = xreallocarray(fr->ignored, fr->cap_ignored, sizeof(*fr->ignored));
	}
	fr->ignored[fr->n_ignored++] = (struct finding_ignore){ s, reason + strspn(reason, " ") };
}

static bool close_rule(struct finding_reader *p)
{
	const struct finding_rule *r;
	const char *missing;

	if (!p->t.open)
		return true;
	p->t.open = false;
	r = current(p);
	missing = !r->title ? "title" : !r->when.n ? "when" : !r->says ? "says" : r->stage ? NULL :
		!r->section ? "section" : !r->lost && r->severity == SEV_AUTO ? "lost (or severity)" : !r->samples.n ? "sample" :
		!r->nots.n ? "not" : NULL;
	return !missing || err_set(p->e, ERR_FORMAT, "%s: line %d: finding %s: %s is missing", r->file, r->line, r->id, missing);
}

static bool read_line(struct finding_reader *p, int line, char *key, char *value)
{
	if (!strcmp(key, "id") || !strcmp(key, "stage"))
		return close_rule(p) && open_rule(p, line, value, *key == 's');
	if (p->t.open)
		return set_key(p, line, key, value);
	if (!strcmp(key, "metric"))
		return parse_metric(p, line, value);
	if (!strcmp(key, "ignore") && *value) {
		add_ignore(p->fr, value);
		return true;
	}
	return fail(p, line, "expected id, stage, metric, ignore or table", key);
}

/* The reader by its first member. */
static struct finding_reader *reader_of(struct table_reader *t, struct err *e)
{
	struct finding_reader *p = (struct finding_reader *)(void *)t;

	p->e = e;
	return p;
}

static bool take_line(struct table_reader *t, int line, char *key, char *value, struct err *e)
{
	return read_line(reader_of(t, e), line, key, value);
}

static bool take_end(struct table_reader *t, struct err *e)
{
	return close_rule(reader_of(t, e));
}

void finding_reader_init(struct finding_reader *p, struct finding_rules *fr)
{
	*p = (struct finding_reader){ .t = { .line = take_line, .close = take_end }, .fr = fr };
}

/* ---- sets ---- */

static void lines_fini(struct finding_lines *l)
{
	free(l->v);
	free(l->line);
}

static void rule_fini(struct finding_rule *r)
{
	lines_fini(&r->when);
	lines_fini(&r->unless);
	lines_fini(&r->advise);
	lines_fini(&r->whatif);
	lines_fini(&r->samples);
	lines_fini(&r->nots);
}

void finding_rules_fini(struct finding_rules *fr)
{
	for (uint32_t i = 0; i < fr->n; i++)
		rule_fini(&fr->v[i]);
	for (uint32_t i = 0; i < fr->n_metrics; i++)
		globs_fini(&fr->metrics[i].match);
	free(fr->v);
	free(fr->metrics);
	free(fr->ignored);
	memset(fr, 0, sizeof(*fr));
}

/* A rule of the same id is replaced: a user's file changes thresholds that way. */
static bool has_rule(const struct finding_rules *fr, const char *id)
{
	for (uint32_t i = 0; i < fr->n; i++)
		if (!strcmp(fr->v[i].id, id))
			return true;
	return false;
}

void finding_rules_prepend(struct finding_rules *to, struct finding_rules *add)
{
	struct finding_rules out = { 0 };

	out.n_metrics = to->n_metrics;
	out.cap_metrics = to->cap_metrics;
	out.metrics = to->metrics;
	for (uint32_t i = 0; i < add->n_metrics; i++) {
		struct pattern_metric *slot = metric_slot(&out, add->metrics[i].name);

		*slot = add->metrics[i];
	}
	out.cap = out.n = 0;
	out.v = xcalloc((size_t)to->n + add->n + 1, sizeof(*out.v));
	out.cap = to->n + add->n + 1;
	for (uint32_t i = 0; i < add->n; i++)
		out.v[out.n++] = add->v[i];
	for (uint32_t i = 0; i < to->n; i++) {
		if (has_rule(add, to->v[i].id))
			rule_fini(&to->v[i]);
		else
			out.v[out.n++] = to->v[i];
	}
	out.ignored = xcalloc((size_t)to->n_ignored + add->n_ignored + 1, sizeof(*out.ignored));
	out.cap_ignored = to->n_ignored + add->n_ignored + 1;
	for (uint32_t i = 0; i < add->n_ignored; i++)
		out.ignored[out.n_ignored++] = add->ignored[i];
	for (uint32_t i = 0; i < to->n_ignored; i++)
		out.ignored[out.n_ignored++] = to->ignored[i];
	free(add->v);
	free(add->metrics);
	free(add->ignored);
	free(to->v);
	free(to->ignored);
	memset(add, 0, sizeof(*add));
	*to = out;
}

void finding_rules_each(const struct finding_rules *fr, void (*fn)(void *arg, const struct rule_info *u), void *arg)
{
	for (uint32_t i = 0; i < fr->n; i++) {
		const struct finding_rule *u = &fr->v[i];

		fn(arg, &(struct rule_info){ u->file, "findings", u->id, u->check, u->line, (size_t)u->samples.n + u->nots.n });
	}
}

/* ---- everything that a rule names must be there ---- */

static bool text_ok(const struct finding_rules *fr, const char *text, struct err *e)
{
	struct sbuf b = { 0 };
	bool ok = !text || finding_fill(fr, NULL, text, &b, e);

	sbuf_fini(&b);
	return ok;
}

static bool rule_ok(const struct finding_rules *fr, const struct finding_rule *r, struct err *e)
{
	struct value v;
	enum truth t;

	for (uint32_t i = 0; i < r->when.n; i++)
		if (!finding_holds(fr, NULL, r->when.v[i], &t, NULL, NULL, e))
			return false;
	for (uint32_t i = 0; i < r->unless.n; i++)
		if (!finding_holds(fr, NULL, r->unless.v[i], &t, NULL, NULL, e))
			return false;
	for (uint32_t i = 0; i < r->advise.n; i++)
		if (!finding_holds(fr, NULL, r->advise.v[i], &t, NULL, NULL, e) || !text_ok(fr, advice_text(r->advise.v[i]), e))
			return false;
	if (r->lost && !finding_eval(fr, NULL, r->lost, &v, e))
		return false;
	if (r->at && metric_find(fr, r->at, strlen(r->at)) == ID_NONE)
		return err_set(e, ERR_FORMAT, "no such metric: %s", r->at);
	if (r->every && metric_find(fr, r->every, strlen(r->every)) == ID_NONE)
		return err_set(e, ERR_FORMAT, "no such metric: %s", r->every);
	if (r->often && metric_find(fr, r->often, strlen(r->often)) == ID_NONE)
		return err_set(e, ERR_FORMAT, "no such metric: %s", r->often);
	return text_ok(fr, r->verdict, e) && text_ok(fr, r->says, e) && text_ok(fr, r->otherwise, e) && text_ok(fr, r->fix, e) &&
		text_ok(fr, r->confirm, e) && text_ok(fr, r->capture, e);
}

bool finding_rules_link(const struct finding_rules *base, const struct finding_rules *add, struct err *e)
{
	struct finding_rules both = { .n_metrics = base->n_metrics + add->n_metrics };
	bool ok = true;

	both.metrics = xcalloc((size_t)both.n_metrics + 1, sizeof(*both.metrics));
	if (base->n_metrics)
		memcpy(both.metrics, base->metrics, base->n_metrics * sizeof(*both.metrics));
	if (add->n_metrics)
		memcpy(both.metrics + base->n_metrics, add->metrics, add->n_metrics * sizeof(*both.metrics));
	for (uint32_t i = 0; i < add->n && ok; i++) {
		const struct finding_rule *r = &add->v[i];
		struct err own = ERR_INIT;

		ok = rule_ok(&both, r, &own) ||
			err_set(e, ERR_FORMAT, "%s: line %d: finding %s: %s", r->file, r->line, r->id, own.text);
	}
	free(both.metrics);
	return ok;
}
