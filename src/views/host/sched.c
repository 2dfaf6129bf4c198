/*
 * sched.c - view `sched`: how much of the window each thread was on a CPU (context switches of Nsight Systems). A thread that is
 * runnable but not on a CPU and one that waits look the same: what it waited for stands in `osrt` and `sync`.
 */
#include "base/map.h"
#include "calc/groups.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_THREAD, C_NAME, C_ROLE, C_ON, C_SHARE, C_COUNT, C_AVG, C_MAX, C_CPUS, C_MOVES };

static const struct column_def cols[] = {
	[C_THREAD] = { "thread", N_("Thread"), UNIT_ID, COL_KEY, 0, N_("thread id") },
	[C_NAME] = { "name", N_("Name"), UNIT_TEXT, COL_NAME, 1, N_("name of the thread, as recorded") },
	[C_ROLE] = { "role", N_("Role"), UNIT_TEXT, COL_KEY, 1, N_("what the thread does in a training process") },
	[C_ON] = { "on_cpu_ns", N_("On CPU"), UNIT_NS, COL_BAR, 0, N_("time on a CPU inside the window") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 0, N_("of the window; of the whole source: of the time from the first to the last of its events and switches") },
	[C_COUNT] = { "count", N_("Stretches"), UNIT_COUNT, 0, 2, N_("stretches on a CPU that start in the window") },
	[C_AVG] = { "avg_ns", N_("Avg"), UNIT_NS, 0, 3, N_("mean length of those") },
	[C_MAX] = { "max_ns", N_("Max"), UNIT_NS, 0, 3, N_("longest, inside the window") },
	[C_CPUS] = { "cpus", N_("CPUs"), UNIT_COUNT, 0, 4, N_("different CPUs that it was on") },
	[C_MOVES] = { "moves", N_("Moves"), UNIT_COUNT, 0, 4, N_("stretches on another CPU than the one before") },
	SOURCE_COLS
};

struct sched_acc {
	ns_t on, max, whole;
	int64_t count, moves;
	uint32_t cpus;
};

static void measure(const struct selection *k, const struct track *tr, struct sched_acc *a)
{
	const struct profile *p = k->p;
	struct map cpus = { 0 };
	str_id before = ID_NONE;

	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		ns_t in = selection_clip(k, p->start[e], ev_end(p, e));
		bool counts = selects_at(k, p->start[e]);

		a->on += in;
		a->max = in > a->max ? in : a->max;
		if (counts) {
			a->count++;
			a->whole += p->dur[e];
			a->moves += before != ID_NONE && before != p->name[e];
		}
		if (counts || in)
			a->cpus += map_get_or_put(&cpus, p->name[e], 0, e) == e;
		before = p->name[e];
	}
	map_fini(&cpus);
}

/* Threads are scheduled before their first event and after the last. */
static ns_t wall_of(const struct selection *k)
{
	const struct profile *p = k->p;
	ns_t first = p->first_ns, last = p->last_ns;

	for (ev_id e = p->layer_first[LAYER_SCHED]; e < p->layer_first[LAYER_SCHED + 1] && k->all; e++) {
		first = p->start[e] < first ? p->start[e] : first;
		last = ev_end(p, e) > last ? ev_end(p, e) : last;
	}
	return k->all ? last - first : k->wall;
}

static void put(struct table *t, const struct selection *k, const struct track *tr, ns_t wall)
{
	const struct thread *th = &k->p->threads[tr->thread];
	struct sched_acc a = { 0 };
	uint32_t row = table_row(t);

	measure(k, tr, &a);
	table_i64(t, row, C_THREAD, th->tid);
	an_str(t, row, C_NAME, k, th->name);
	table_cstr(t, row, C_ROLE, role_name(k->f->threads[tr->thread].role));
	table_i64(t, row, C_ON, a.on);
	if (wall > 0)
		table_share(t, row, C_SHARE, (double)a.on, (double)wall);
	table_i64(t, row, C_COUNT, a.count);
	if (a.count)
		table_f64(t, row, C_AVG, (double)a.whole / (double)a.count);
	table_i64(t, row, C_MAX, a.max);
	table_i64(t, row, C_CPUS, a.cpus);
	table_i64(t, row, C_MOVES, a.moves);
	an_ref(t, row, REF_THREAD, k->f->source, th->pid, th->tid, C_NAME);
	an_row_source(t, row, k, th->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_SCHED, t, _("no context switches: record with --cpuctxsw (nsys)"), e);

	for (uint32_t i = 0; i < ps.n && ok; i++) {
		const struct profile *p = ps.a[i].p;
		ns_t wall = wall_of(&ps.a[i]);

		ok = !an_cancelled(cx, e);
		for (track_id tr = p->layer_track[LAYER_SCHED]; tr < p->layer_track[LAYER_SCHED + 1] && ok; tr++)
			if (selects_thread(&ps.a[i], p->tracks[tr].thread))
				put(t, &ps.a[i], &p->tracks[tr], wall);
	}
	selections_close(&ps);
	return ok;
}

const struct analysis an_sched = {
	.id = "sched", .title = N_("Scheduling"), .doc = N_("how much of the window each thread was on a CPU"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
