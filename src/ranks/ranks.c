/* ranks.c - a run of several ranks, stage by stage, and who waited for whom in it; see ranks.h */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "ranks/ranks_impl.h"

/* ---- waits ---- */

static int by_start(const void *pa, const void *pb)
{
	const struct rank_arrival *const *a = pa, *const *b = pb;

	return ((*a)->start > (*b)->start) - ((*a)->start < (*b)->start);
}

static int by_ns(const void *pa, const void *pb)
{
	const ns_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* Its members in the order of their arrival say who is first and last, as far as the clocks can tell. */
static void name_first_and_last(const struct rank_arrival **at, struct rank_instance *in)
{
	uint32_t n = in->n;

	qsort(at, n, sizeof(*at), by_start);
	in->last_ns = at[n - 1]->start;
	in->skew = in->last_ns - at[0]->start;
	in->first_rank = at[1]->start - at[0]->start > in->unc_ns ? at[0]->rank : ID_NONE;
	in->last_rank = at[n - 1]->start - at[n - 2]->start > in->unc_ns ? at[n - 1]->rank : ID_NONE;
}

static void wait_in(struct rank_run *r, struct rank_instance *in, const struct rank_arrival **at, ns_t *transfers)
{
	struct rank_arrival *a = &r->arrivals[in->first];

	in->bytes = -1;
	in->in = a->in;
	for (uint32_t i = 0; i < in->n; i++) {
		const struct rank_clock *c = &r->ranks[a[i].rank].clock;

		at[i] = &a[i];
		in->unc_ns = c->unc_ns > in->unc_ns ? c->unc_ns : in->unc_ns;
		in->bytes = a[i].bytes > in->bytes ? a[i].bytes : in->bytes;
	}
	name_first_and_last(at, in);
	for (uint32_t i = 0; i < in->n; i++) {
		ns_t until = in->last_ns < a[i].end ? in->last_ns : a[i].end;

		a[i].wait = until - a[i].start;
		a[i].transfer = a[i].end - until;
		transfers[i] = a[i].transfer;
		in->wait += a[i].wait;
	}
	qsort(transfers, in->n, sizeof(*transfers), by_ns);
	in->transfer = transfers[(in->n - 1) / 2];
}

/* A kernel keeps its duration: both its times move by what its end does, which is what the clocks are known by. */
static void to_common_clock(struct rank_run *r)
{
	for (uint32_t i = 0; i < r->n_arrivals; i++) {
		struct rank_arrival *a = &r->arrivals[i];
		ns_t offset = clock_offset(&r->ranks[a->rank].clock, a->end);

		a->start -= offset;
		a->end -= offset;
	}
}

static void add_to_ranks(struct rank_run *r, const struct rank_instance *in)
{
	for (uint32_t i = 0; i < in->n; i++) {
		const struct rank_arrival *a = &r->arrivals[in->first + i];
		struct rank_source *rs = &r->ranks[a->rank];

		rs->instances++;
		rs->kernel_ns += a->end - a->start;
		rs->wait_ns += a->wait;
		rs->transfer_ns += a->transfer;
	}
	if (in->last_rank != ID_NONE) {
		r->ranks[in->last_rank].last++;
		r->ranks[in->last_rank].waited_for_ns += in->wait;
	}
}

void ranks_wait(struct rank_run *r)
{
	const struct rank_arrival **at = xreallocarray(NULL, r->n_ranks, sizeof(*at));
	ns_t *transfers = xreallocarray(NULL, r->n_ranks, sizeof(*transfers));

	to_common_clock(r);
	for (uint32_t i = 0; i < r->n_instances; i++) {
		wait_in(r, &r->instances[i], at, transfers);
		if (r->instances[i].in)
			add_to_ranks(r, &r->instances[i]);
	}
	free(at);
	free(transfers);
}

/* ---- what is said of it ---- */

static const char *group_text(struct table *t, const struct rank_group *g)
{
	return *g->name ? arena_printf(&t->arena, "%s (%s)", g->kind, g->name) : g->kind;
}

static void say_break(const struct rank_run *r, const struct rank_group *g, struct table *t)
{
	if (g->break_step == SPLIT_NONE)
		table_note(t, _("%s: rank %" PRId64 " has %" PRId64 " where most others have %" PRId64 ": not matched from there on"),
			group_text(t, g), r->ranks[g->break_rank].rank, g->break_calls, g->usual_calls);
	else
		table_note(t, _("%s: rank %" PRId64 " has %" PRId64 " where most others have %" PRId64 " in step %" PRId64
			": not matched from there on"), group_text(t, g), r->ranks[g->break_rank].rank, g->break_calls, g->usual_calls,
			g->break_step);
}

static void say_groups(const struct rank_run *r, struct table *t)
{
	for (uint32_t i = 0; i < r->n_groups; i++) {
		const struct rank_group *g = &r->groups[i];

		if (g->n_ranks < 2)
			continue;
		if (g->break_rank != ID_NONE)
			say_break(r, g, t);
		else if (g->how == RANK_MATCH_ENDS)
			table_note(t, _("%s: matched by their ends, %" PRIu32 " of %" PRIu32 " kernels: the order of the calls does not fit (samples?)"),
				group_text(t, g), g->matched, g->calls);
		else if (g->how == RANK_MATCH_NONE)
			table_note(t, _("%s: %" PRIu32 " kernels of %" PRIu32 " ranks could not be matched: neither their order nor their ends fit"),
				group_text(t, g), g->calls, g->n_ranks);
	}
}

static void say_clocks(const struct rank_run *r, struct table *t)
{
	ns_t unc = 0;
	uint32_t alone = 0;
	char num[NUM_TEXT_MAX];

	for (uint32_t i = 0; i < r->n_ranks; i++) {
		unc = r->ranks[i].clock.unc_ns > unc ? r->ranks[i].clock.unc_ns : unc;
		alone += r->ranks[i].clock.reference == i && r->ranks[i].clock.ends == 0 && i > 0;
	}
	if (r->n_instances)
		table_note(t, _("clocks are aligned by the ends of matched collectives, to %s: who arrives nearer to the next than that is not resolved"),
			num_ns(unc, num));
	if (alone)
		table_note(t, ngettext("%" PRIu32 " rank has no matched collective with the first: its clock is not aligned",
			"%" PRIu32 " ranks have no matched collective with the first: their clocks are not aligned", alone), alone);
}

struct rank_run *rank_run_new(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct rank_run *r = xcalloc(1, sizeof(*r));
	struct scope *all = arena_zalloc(&r->arena, sizeof(*all));	/* the picks keep it */

	*all = *sc;
	all->rank = SCOPE_ANY;
	all->source = -1;
	if (!selections_open(&r->ps, cx, all, NEED_GPU, t, _(NO_GPU_WORK), e)) {
		rank_run_free(r);
		return NULL;
	}
	if (!r->ps.n || !ranks_identify(r, t))
		return r;
	if (!ranks_collect(r, e)) {
		rank_run_free(r);
		return NULL;
	}
	ranks_match_order(r);
	ranks_align(r);
	ranks_match_ends(r);
	ranks_align(r);
	ranks_wait(r);
	say_groups(r, t);
	say_clocks(r, t);
	return r;
}

void rank_run_free(struct rank_run *r)
{
	if (!r)
		return;
	selections_close(&r->ps);
	free(r->ranks);
	free(r->groups);
	free(r->arrivals);
	free(r->instances);
	arena_free(&r->arena);
	free(r);
}
