/* part.c - a part of a file, see part.h */
#include "load/read/part.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"

static bool parse_steps(struct load_part *p, const char *s)
{
	const char *dash = *s ? strchr(s + 1, '-') : NULL;
	size_t n = dash ? (size_t)(dash - s) : strlen(s);

	p->steps = true;
	if (!num_parse_i64(s, n, &p->step_a))
		return false;
	p->step_b = p->step_a;
	return !dash || (num_parse_i64(dash + 1, strlen(dash + 1), &p->step_b) && p->step_b >= p->step_a);
}

bool load_part_parse(struct load_part *p, const char *steps, const char *from, const char *to, struct err *e)
{
	*p = (struct load_part){ .to = INT64_MAX };
	if (steps && (from || to))
		return err_set(e, ERR_USAGE, _("--steps and --from or --to are two ways to say it: one of them"));
	if (steps)
		return parse_steps(p, steps) || err_set(e, ERR_USAGE, _("steps '%s': A-B is wanted, as in 3-5"), steps);
	if (from && (!num_parse_ns(from, strlen(from), &p->from) || p->from < 0))
		return err_set(e, ERR_USAGE, _("time '%s': 12.5ms or the like is wanted"), from);
	if (to && (!num_parse_ns(to, strlen(to), &p->to) || p->to < 0))
		return err_set(e, ERR_USAGE, _("time '%s': 12.5ms or the like is wanted"), to);
	return p->from < p->to || err_set(e, ERR_USAGE, _("--from must be before --to"));
}

void load_part_text(const struct load_part *p, char *buf, size_t cap)
{
	char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX];

	if (p->steps && p->step_a == p->step_b)
		snprintf(buf, cap, _("step %" PRId64), p->step_a);
	else if (p->steps)
		snprintf(buf, cap, _("steps %" PRId64 "-%" PRId64), p->step_a, p->step_b);
	else if (p->to == INT64_MAX)
		snprintf(buf, cap, _("from %s on"), num_ns(p->from, a));
	else
		snprintf(buf, cap, _("%s to %s"), num_ns(p->from, a), num_ns(p->to, b));
}

/* From the first step of the range that is there to the step behind it, of all processes together. */
static bool steps_window(const struct load_part *p, const struct builder_survey *s, ns_t *from, ns_t *to)
{
	ns_t next = INT64_MAX;
	bool any = false;

	for (size_t i = 0; i < s->steps.n; i++) {
		const struct builder_step *x = &s->steps.a[i];

		if (x->number < p->step_a || x->number > p->step_b)
			continue;
		*from = !any || x->start < *from ? x->start : *from;
		*to = !any || x->end > *to ? x->end : *to;
		any = true;
	}
	for (size_t i = 0; any && i < s->steps.n; i++)
		if (s->steps.a[i].number > p->step_b && s->steps.a[i].start >= *from && s->steps.a[i].start < next)
			next = s->steps.a[i].start;
	if (any && next != INT64_MAX && next > *to)
		*to = next;
	return any;
}

static ns_t behind(ns_t first, ns_t t)
{
	ns_t at;

	return __builtin_add_overflow(first, t, &at) ? INT64_MAX : at;
}

bool load_part_window(const struct load_part *p, const struct builder_survey *s, ns_t *from, ns_t *to, struct err *e)
{
	char num[NUM_TEXT_MAX];

	if (p->steps && steps_window(p, s, from, to))
		return true;
	if (p->steps && !s->steps.n)
		return err_set(e, ERR_USAGE, _("it has no ProfilerStep annotations, by which --steps goes: use --from and --to"));
	if (p->steps)
		return err_set(e, ERR_USAGE, _("it has no step %" PRId64 " to %" PRId64), p->step_a, p->step_b);
	if (s->first > s->last)
		return err_set(e, ERR_USAGE, _("it has no events at any time"));
	*from = behind(s->first, p->from);
	*to = behind(s->first, p->to);
	return *from <= s->last || err_set(e, ERR_USAGE, _("it ends before --from: it lasts %s"), num_ns(s->last - s->first, num));
}
