/* stalls.c - see stalls.h */
#include "views/kernel/stalls.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define CYCLES_BEGIN "smsp__average_warps_issue_stalled_"
#define CYCLES_END "_per_issue_active.ratio"
#define SAMPLES_BEGIN "smsp__pcsamp_warps_issue_stalled_"

static struct stall *stall_of(struct stalls *s, const char *reason, size_t n)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->a[i].reason_n == n && !memcmp(s->a[i].reason, reason, n))
			return &s->a[i];
	if (s->n == STALLS_MAX)
		return NULL;
	s->a[s->n] = (struct stall){ reason, n, NAN, NAN, NAN };
	return &s->a[s->n++];
}

/* What stands between begin and end; false: the name is another one. */
static bool between(const char *name, size_t n, const char *begin, const char *end, const char **s, size_t *len)
{
	size_t b = strlen(begin), e = strlen(end);

	if (n <= b + e || !text_starts(name, n, begin) || !text_ends(name, n, end))
		return false;
	*s = name + b;
	*len = n - b - e;
	return true;
}

static void add_metric(struct stalls *s, const struct profile *p, const struct kernel_metric *m)
{
	size_t n, len;
	const char *name = metric_name(p, m, &n), *reason;
	double v = metric_number((enum metric_kind)m->kind, m->bits);
	struct stall *st;

	if (between(name, n, CYCLES_BEGIN, CYCLES_END, &reason, &len)) {
		st = stall_of(s, reason, len);
		if (st)
			st->cycles = v;
	} else if (between(name, n, SAMPLES_BEGIN, "", &reason, &len) && !text_ends(reason, len, "_not_issued")) {
		/* the same reason has two spellings */
		if (text_ends(reason, len, "no_instructions"))
			len--;
		st = stall_of(s, reason, len);
		if (st)
			st->samples = v;
	}
}

void stalls_of(struct stalls *s, const struct launch *x)
{
	double cycles = 0, samples = 0, whole;

	*s = (struct stalls){ .latency = launch_number(x->p, x->l, "smsp__average_warp_latency_per_inst_issued.ratio") };
	for (uint32_t i = 0; i < x->l->n_metrics; i++)
		add_metric(s, x->p, &x->p->reports.metrics[x->l->first_metric + i]);
	for (uint32_t i = 0; i < s->n; i++) {
		cycles += isfinite(s->a[i].cycles) ? s->a[i].cycles : 0;
		samples += isfinite(s->a[i].samples) ? s->a[i].samples : 0;
	}
	s->sampled = !(cycles > 0);
	whole = s->sampled ? samples : isfinite(s->latency) && s->latency > 0 ? s->latency : cycles;
	for (uint32_t i = 0; i < s->n && whole > 0; i++) {
		s->a[i].share = (s->sampled ? s->a[i].samples : s->a[i].cycles) / whole;
		s->sum += isfinite(s->a[i].share) ? s->a[i].share : 0;
	}
}

const struct stall *stalls_top(const struct stalls *s)
{
	const struct stall *top = NULL;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct stall *st = &s->a[i];

		if (st->share > 0 && !(st->reason_n == 8 && !memcmp(st->reason, "selected", 8)) && (!top || st->share > top->share))
			top = st;
	}
	return top;
}
