/* osrt.c - view `osrt`: OS runtime calls (blocking libc calls that nsys records) by name, as osrt_sum of `nsys stats` */
#include <stdlib.h>

#include "calc/groups.h"
#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_NAME, C_COUNT, C_TOTAL, C_MAIN, C_STATS, C_P90 = C_STATS + N_STAT_COLS, C_SHARE, C_THREADS, C_BY };

static const struct column_def cols[] = {
	[C_NAME] = { "name", N_("Call"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the call") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("calls that start in the window") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of their durations over all threads: mostly threads that wait for work") },
	[C_MAIN] = { "issuing_ns", N_("Issuing"), UNIT_NS, 0, 1, N_("part of it on main and autograd threads, which issue the work") },
	STAT_COLS(3),
	[C_P90] = { "p90_ns", N_("p90"), UNIT_NS, 0, 5, N_("90th percentile (nearest rank)") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 4, N_("of the time of all calls in the table: not of the wall time") },
	[C_THREADS] = { "threads", N_("Threads"), UNIT_COUNT, 0, 3, N_("threads that made such calls") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct acc {
	struct stats durs;
	ns_t issuing;
	int64_t split, source, pid, threads;
	uint32_t name;
	uint64_t last;		/* thread that was counted last, + 1 */
};
struct view {
	const struct picks *ps;
	struct groups groups;
	struct names names;
	VEC(struct acc) acc;
};

static void add_call(struct view *v, const struct pick *k, const struct track *tr, ev_id e)
{
	uint32_t pick = (uint32_t)(k - v->ps->a), name = names_id(&v->names, k->p->name[e]);
	int64_t split = split_host(k, tr->thread, k->p->start[e]);
	uint32_t g = groups_add(&v->groups, &(struct group_key){ .k = { name, (uint64_t)split, k->sc->by == BY_ALL ? 0 : pick } });
	enum role role = k->f->threads[tr->thread].role;
	uint64_t thread = ((uint64_t)pick << 32 | tr->thread) + 1;
	struct acc *a;

	if (g == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .split = split, .source = OWNER_NEW, .pid = OWNER_NEW, .name = name });
	a = &v->acc.a[g];
	owner_add(&a->source, pick);
	owner_add(&a->pid, tr->pid);
	stats_add(&a->durs, k->p->dur[e]);
	if (role == ROLE_MAIN || role == ROLE_AUTOGRAD)
		a->issuing += k->p->dur[e];
	a->threads += a->last != thread;	/* a thread has one track of such calls */
	a->last = thread;
}

static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct acc *x = (const struct acc *)arg + a, *y = (const struct acc *)arg + b;

	return (x->durs.total < y->durs.total) - (x->durs.total > y->durs.total);
}

static void put(const struct view *v, struct table *t, struct acc *a, ns_t sum)
{
	const struct pick *k = &v->ps->a[a->source == OWNER_MIXED ? 0 : a->source];
	uint32_t row = table_row(t);
	size_t n;
	const char *s = names_str(&v->names, a->name, &n);

	table_str(t, row, C_NAME, s ? s : "", n);
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->durs));
	table_i64(t, row, C_TOTAL, a->durs.total);
	table_i64(t, row, C_MAIN, a->issuing);
	stats_put(t, row, C_STATS, &a->durs);
	table_i64(t, row, C_P90, stats_percentile(&a->durs, 90));
	if (sum)
		table_share(t, row, C_SHARE, (double)a->durs.total, (double)sum);
	table_i64(t, row, C_THREADS, a->threads);
	split_set(t, row, C_BY, k, a->split);
	picks_row_owner(t, row, v->ps, a->source, a->pid);
}

static void put_rows(struct view *v, struct table *t)
{
	uint32_t *order = groups_order((uint32_t)v->acc.n, acc_cmp, v->acc.a);
	ns_t sum = 0;

	for (size_t i = 0; i < v->acc.n; i++)
		sum = i64_sum(sum, v->acc.a[i].durs.total);
	for (size_t i = 0; i < v->acc.n; i++)
		put(v, t, &v->acc.a[order[i]], sum);
	free(order);
}

static void add_source(struct view *v, const struct pick *k)
{
	names_enter(&v->names, k->p);
	for (track_id i = k->p->layer_track[LAYER_OSRT]; i < k->p->layer_track[LAYER_OSRT + 1]; i++) {
		const struct track *tr = &k->p->tracks[i];

		for (ev_id e = tr->first; pick_thread(k, tr->thread) && e < tr->first + tr->count; e++)
			if (pick_at(k, k->p->start[e]))
				add_call(v, k, tr, e);
	}
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct view v = { .ps = &ps };
	bool ok = picks_open(&ps, cx, sc, VIEW_OSRT, t, _("no OS runtime calls: record with --trace=osrt (nsys)"), e);

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		add_source(&v, &ps.a[i]);
		ok = !an_cancelled(cx, e);
	}
	if (ok)
		put_rows(&v, t);
	for (size_t i = 0; i < v.acc.n; i++)
		stats_fini(&v.acc.a[i].durs);
	VEC_FREE(&v.acc);
	groups_fini(&v.groups);
	names_fini(&v.names);
	picks_close(&ps);
	return ok;
}

const struct analysis an_osrt = {
	.id = "osrt", .title = N_("OS calls"), .doc = N_("OS runtime calls by name: what threads wait in"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
