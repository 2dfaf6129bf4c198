/* gain.c - what the change that a finding names would gain: the recorded run replayed with it; see finding.h */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "findings/finding.h"
#include "replay/replay.h"
#include "scope/columns.h"

#define GAIN_MIN 0.01	/* of the step: less is no gain */

/* The steps of one process that are in the window, as indices of the graph's steps. */
struct gain_replayed {
	const struct replay_graph *g;
	const struct metrics *m;
	uint32_t *at, n;	/* steps of the window */
	ns_t *times;		/* of all steps of the graph, scratch */
	ns_t *sorted;		/* n, scratch */
	ns_t before;		/* median as recorded */
};

static int by_time(const void *a, const void *b)
{
	const ns_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static ns_t median_of(struct gain_replayed *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		r->sorted[i] = r->times[r->at[i]];
	qsort(r->sorted, r->n, sizeof(*r->sorted), by_time);
	return r->sorted[(r->n - 1) / 2];
}

/* The process whose steps are those of the metrics, or whose whole time is the window. */
static bool find_steps(struct gain_replayed *r)
{
	const struct facts *f = r->m->k.f;
	bool *wanted = xcalloc((size_t)f->n_steps + 1, sizeof(*wanted));
	uint32_t n;
	const struct replay_step *s = replay_steps(r->g, &n);

	for (uint32_t i = 0; i < r->m->n_steps; i++)
		wanted[r->m->steps[i] - f->steps] = true;
	r->at = xcalloc((size_t)n + 1, sizeof(*r->at));
	r->times = xcalloc((size_t)n + 1, sizeof(*r->times));
	r->sorted = xcalloc((size_t)n + 1, sizeof(*r->sorted));
	for (uint32_t i = 0; i < n; i++)
		if ((s[i].step == ID_NONE ? !r->m->n_steps : wanted[s[i].step]) && (!r->n || s[i].proc == s[r->at[0]].proc))
			r->at[r->n++] = i;
	free(wanted);
	return r->n > 0;
}

static void replayed_fini(struct gain_replayed *r)
{
	free(r->at);
	free(r->times);
	free(r->sorted);
}

static bool read_changes(const struct finding_rule *rule, struct change *c, struct err *e)
{
	for (uint32_t i = 0; i < rule->whatif.n; i++)
		if (!change_parse(rule->whatif.v[i], &c[i], e))
			return false;
	return true;
}

/* The gain of one finding; what matches nothing gains nothing that could be told. */
static bool gain_of(struct gain_replayed *r, struct finding *x, struct err *e)
{
	uint32_t n = x->rule->whatif.n;
	struct change *c = xcalloc((size_t)n + 1, sizeof(*c));
	uint64_t *found = xcalloc((size_t)n + 1, sizeof(*found)), all = 0;
	bool ok = read_changes(x->rule, c, e) && replay_step_times(r->g, &r->m->k, c, n, r->times, found, e);

	for (uint32_t i = 0; i < n; i++) {
		all += found[i];
		change_fini(&c[i]);
	}
	if (ok && all) {
		x->gain_ns = r->before - median_of(r);
		x->gain_share = r->before > 0 ? (double)x->gain_ns / (double)r->before : 0;
	}
	free(found);
	free(c);
	return ok;
}

bool findings_replay(struct findings *f, struct err *e)
{
	struct gain_replayed r = { .m = f->m };
	struct replay_trust trust;
	uint32_t n, asked = 0;
	bool ok = true;

	for (uint32_t i = 0; i < f->n; i++)
		asked += f->v[i].state == FINDING_FOUND && f->v[i].rule->whatif.n;
	if (!asked)
		return true;
	r.g = replay_graph(f->m->k.f);
	if (!find_steps(&r))
		goto out;
	replay_trust(r.g, &f->m->k, replay_steps(r.g, &n)[r.at[0]].proc, &trust);
	if (!trust.trusted)
		goto out;
	ok = replay_step_times(r.g, &f->m->k, NULL, 0, r.times, NULL, e);
	r.before = ok ? median_of(&r) : 0;
	for (uint32_t i = 0; i < f->n && ok; i++)
		if (f->v[i].state == FINDING_FOUND && f->v[i].rule->whatif.n)
			ok = gain_of(&r, &f->v[i], e);
out:
	replayed_fini(&r);
	return ok;
}

enum gain_rank gain_rank_of(double share)
{
	return share >= GAIN_MIN ? GAIN_TOLD : GAIN_NONE;
}

enum gain_rank finding_gain_rank(const struct finding *x)
{
	return x->gain_ns == I64_UNKNOWN ? GAIN_UNKNOWN : gain_rank_of(x->gain_share);
}
