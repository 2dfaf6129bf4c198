/*
 * critical.c - view `critical`: the chain of events that decides how long the steps are, by what they are and who owns them. Each ns of a
 * step is in one row (replay.h); host time has the leaves of the breakdown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/vec.h"
#include "measure/device_state.h"
#include "measure/host_partition.h"
#include "replay/replay.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_CATEGORY, C_OWNER, C_TIME, C_STEP, C_SHARE, C_PIECES, C_TRUSTED, C_WHY, C_BY };

static const struct column_def cols[] = {
	[C_CATEGORY] = { "category", N_("Kind"), UNIT_TEXT, COL_KEY, 0,
		N_("host, launch latency, compute, communication, copy, wait return, data loading; residual: what nothing explains") },
	[C_OWNER] = { "owner", N_("Owner"), UNIT_TEXT, COL_NAME, 0, N_("what the host did, class of the kernel, kind of copy, call that waits") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_NS, 0, 0, N_("on the critical path; the rows of a process sum to its steps") },
	[C_STEP] = { "per_step_ns", N_("Per step"), UNIT_NS, 0, 2, N_("the same, divided by the steps") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 0, N_("of the steps") },
	[C_PIECES] = { "pieces", N_("Pieces"), UNIT_COUNT, 0, 5, N_("stretches that the time consists of") },
	[C_TRUSTED] = { "trusted", N_("Trusted"), UNIT_BOOL, 0, 6, N_("whether what waits for what explains enough of the recorded run") },
	[C_WHY] = { "why_not", N_("Why not"), UNIT_TEXT, 0, 6, N_("why it does not") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

struct critical_sum {
	int64_t by;		/* number of the step, SPLIT_NONE */
	const char *category;
	uint32_t owner;		/* in names */
	ns_t ns;
	int64_t pieces;
};
struct critical {
	const struct selection *k;
	const struct replay_graph *g;
	struct table *t;
	uint32_t proc;
	int64_t by;		/* of the step at hand */
	struct host_leaves ls;
	struct strtab names;
	struct map index;
	VEC(struct critical_sum) sums;
	struct spans host;	/* pieces of the host that have no owner yet */
	ns_t total;
	int64_t n_steps;
};

static void add(struct critical *v, const char *category, const char *owner, size_t n, ns_t ns)
{
	uint32_t id = strtab_intern(&v->names, owner, n);
	uint64_t key = (uint64_t)(uintptr_t)category;
	uint32_t i = map_get_or_put(&v->index, key ^ (uint64_t)v->by << 1, id, (uint32_t)v->sums.n);

	if (i == v->sums.n)
		VEC_PUSH(&v->sums, (struct critical_sum){ .by = v->by, .category = category, .owner = id });
	v->sums.a[i].ns += ns;
	v->sums.a[i].pieces++;
	v->total += ns;
}

static void add_piece(void *arg, const struct path_piece *x)
{
	struct critical *v = arg;
	const struct profile *p = v->k->p;
	const char *owner;
	size_t n;

	if (x->kind == PATH_HOST || x->kind == PATH_CALL) {
		spans_add(&v->host, x->start, x->end);
		return;
	}
	if (x->ev != ID_NONE && layer_on_gpu(p->tracks[profile_track_of(p, x->ev)].layer)) {
		owner = gpu_work_class(v->k, x->ev);
		n = strlen(owner);
	} else {
		owner = profile_str(p, x->ev == ID_NONE ? ID_NONE : p->name[x->ev], &n);
	}
	add(v, path_category(v->k->f, x), owner, n, x->end - x->start);
}

static void add_leaf(void *arg, ns_t start, ns_t end, uint32_t leaf)
{
	struct critical *v = arg;
	const struct host_leaf *l = &v->ls.a[leaf];
	size_t n = 0;
	const char *owner = l->l2 == ID_NONE ? "" : host_leaves_str(&v->ls, l->l2, &n);

	add(v, path_category(v->k->f, &(struct path_piece){ .kind = PATH_HOST }), leaf == HOST_UNTRACED ? "untraced" : owner,
		leaf == HOST_UNTRACED ? 8 : n, end - start);
}

static void add_host(struct critical *v)
{
	spans_norm(&v->host);
	host_partition_each(&v->ls, v->k, v->proc, &v->host, add_leaf, v);
	v->host.n = 0;
}

static void add_steps(struct critical *v, const struct replay_paths *ps)
{
	bool by_step = v->k->sc->by == BY_STEP;
	uint32_t n;
	const struct replay_step *steps = replay_steps(v->g, &n);
	struct spans w = { 0 };

	selection_proc_window(v->k, v->proc, &w);
	v->by = SPLIT_NONE;
	for (uint32_t i = 0; i < n; i++) {
		if (steps[i].proc != v->proc || (steps[i].step != ID_NONE && !spans_contain(&w, steps[i].start)))
			continue;
		v->by = by_step && steps[i].step != ID_NONE ? v->k->f->steps[steps[i].step].number : SPLIT_NONE;
		replay_path(ps, i, add_piece, v);
		v->n_steps++;
		if (by_step)
			add_host(v);
	}
	add_host(v);
	spans_fini(&w);
}

static int sum_cmp(const void *pa, const void *pb)
{
	const struct critical_sum *a = pa, *b = pb;

	if (a->by != b->by)
		return split_cmp(a->by, b->by);
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->owner > b->owner) - (a->owner < b->owner);
}

static void put_rows(struct critical *v)
{
	struct table *t = v->t;
	struct replay_trust trust;

	replay_trust(v->g, v->k, v->proc, &trust);
	if (v->sums.n)
		qsort(v->sums.a, v->sums.n, sizeof(*v->sums.a), sum_cmp);
	for (size_t i = 0; i < v->sums.n; i++) {
		const struct critical_sum *s = &v->sums.a[i];
		uint32_t row = table_row(t);
		size_t n;
		const char *owner = strtab_get(&v->names, s->owner, &n);

		table_cstr(t, row, C_CATEGORY, s->category);
		if (n)
			table_str(t, row, C_OWNER, owner, n);
		table_i64(t, row, C_TIME, s->ns);
		table_i64(t, row, C_STEP, s->by == SPLIT_NONE ? s->ns / v->n_steps : s->ns);
		table_share(t, row, C_SHARE, (double)s->ns, (double)v->total);
		table_i64(t, row, C_PIECES, s->pieces);
		table_bool(t, row, C_TRUSTED, trust.trusted);
		table_cstr(t, row, C_WHY, trust.why_not ? _(trust.why_not) : NULL);
		if (s->by != SPLIT_NONE)
			split_set(t, row, C_BY, v->k, s->by);
		an_row_source(t, row, v->k, v->k->f->procs[v->proc].pid);
	}
}

static bool put_source(const struct selection *k, struct table *t, struct err *e)
{
	const struct replay_graph *g = replay_graph(k->f);
	struct replay_paths *ps = replay_paths_new(g, k, NULL, 0, e);

	for (uint32_t p = 0; ps && p < k->f->n_procs; p++) {
		struct critical v = { .k = k, .g = g, .t = t, .proc = p };

		if (!k->f->procs[p].training)
			continue;
		host_leaves_init(&v.ls, k->cx->rules);
		add_steps(&v, ps);
		put_rows(&v);
		host_leaves_fini(&v.ls);
		strtab_fini(&v.names);
		map_fini(&v.index);
		VEC_FREE(&v.sums);
		spans_fini(&v.host);
	}
	replay_paths_free(ps);
	return ps != NULL;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_JOINT, t, _("no source with both host and device work"), e);

	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = put_source(&ps.a[i], t, e);
	selections_close(&ps);
	return ok;
}

const struct analysis an_critical = {
	.id = "critical", .title = N_("Critical path"), .doc = N_("the chain of events that decides how long the steps are, by what they are"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
