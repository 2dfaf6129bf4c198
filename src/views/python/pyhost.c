/*
 * pyhost.c - view `pyhost`: who the host part of the ops and the time between all events belongs to, by Python function. The time of each
 * step and phase is divided by the shares that a sampler saw in that phase (py_shares.h): an estimate, and every row says so.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/host_partition.h"
#include "measure/op_time.h"
#include "scope/analysis.h"
#include "views/python/rows.h"

static const struct column_def cols[] = {
	PY_COLS("part", N_("Part"), UNIT_TEXT, N_("host part of the ops, or time in which the issuing thread shows no event"),
		N_("of the time of the part (in the step), over all phases")),
};

static void ops_pool(struct py_pools *p, const struct selection *k)
{
	struct op_split *s = op_splits(k);

	for (uint32_t t = 0; t < k->f->ops.n_tracks; t++) {
		const struct op_track *tr = &k->f->ops.tracks[t];

		for (uint32_t i = tr->first; i < tr->first + tr->count; i++) {
			ns_t host = s[i].self;

			for (int c = 0; c < RT_N; c++)
				host -= s[i].rt[c];
			/* the step and the phase in which the op starts, as `ops --by` counts it */
			if (host && selects_thread(k, tr->thread) && selects_op(k, i))
				py_pools_add_at(p, k->f, k->f->threads[tr->thread].proc, k->f->ops.start[i], host);
		}
	}
	free(s);
}

/* No event at all, or nothing inside the marker of a step: what a trace without frames shows of Python. */
static bool between_events(const struct host_leaves *ls, uint32_t leaf)
{
	return leaf == HOST_UNTRACED || leaf_is_marker(ls, leaf);
}

static void between_pool(struct py_pools *p, const struct selection *k)
{
	struct host_leaves ls;

	host_leaves_init(&ls, k->cx->rules);
	for (uint32_t i = 0; i < k->f->n_procs; i++) {
		const struct proc_facts *pf = &k->f->procs[i];
		struct spans window = { 0 };
		struct owner_list segs = { 0 };

		if (!pf->training || pf->main == ID_NONE || !selects_thread(k, pf->main) || (k->sc->pid != SCOPE_ANY && pf->pid != k->sc->pid))
			continue;
		selection_proc_window(k, i, &window);
		host_partition(&ls, k, i, &window, &segs);
		for (size_t s = 0; s < segs.n; s++)
			if (between_events(&ls, segs.a[s].owner))
				py_pools_add(p, k->f, i, segs.a[s].start, segs.a[s].end);
		spans_fini(&window);
		owner_list_fini(&segs);
	}
	host_leaves_fini(&ls);
}

/* The process that trains, where there is but one; -1. */
static int64_t training_pid(const struct selection *k)
{
	int64_t pid = -1;
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->f->n_procs; i++) {
		if (!k->f->procs[i].training || (k->sc->pid != SCOPE_ANY && k->f->procs[i].pid != k->sc->pid))
			continue;
		pid = k->f->procs[i].pid;
		n++;
	}
	return n == 1 ? pid : -1;
}

static void add_source(struct table *t, const struct selection *k, struct pyjoin *j)
{
	struct py_pools ops = { .k = k, .part = _("host part of the ops"), .pid = -1 }, rest = { .k = k, .part = _("between events"), .pid = -1 };

	pyjoin_weigh(j, k->f->source, training_pid(k));
	table_note(t, j->same_run ? _("times are of the trace, their division among functions of %s is an estimate, per phase") :
		_("times are of the trace, their division among functions of %s, another run: an estimate, per phase"), j->k.src->path);
	if (split_known(k)) {
		ops_pool(&ops, k);
		py_put_estimates(t, &ops, j);
	} else {
		table_note(t, _("%s: no runtime calls recorded: the host part of its ops is unknown"), k->src->path);
	}
	between_pool(&rest, k);
	py_put_estimates(t, &rest, j);
	t->wall_ns = ops.whole + rest.whole;
	if (k->p->caps & CAP_PYTHON)
		table_note(t, _("%s records Python frames itself: `stacks` of a chosen op are measured, these rows are not"), k->src->path);
	py_pools_fini(&ops);
	py_pools_fini(&rest);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct pyjoin j;
	struct selections ps = { 0 };
	bool done = pyjoin_open(&j, cx, sc, e);

	if (done && !j.open)
		table_note(t, _("no sampler's file: add one of pyinstrument or py-spy, of a run like this one"));
	else if (done)
		done = selections_open(&ps, cx, sc, NEED_OPS, t, _("no operators: record with torch.profiler (CPU activities)"), e);
	for (uint32_t i = 0; i < ps.n; i++)
		add_source(t, &ps.a[i], &j);
	selections_close(&ps);
	pyjoin_close(&j);
	return done && !an_cancelled(cx, e);
}

const struct analysis an_pyhost = {
	.id = "pyhost", .title = N_("Host time by Python function"),
	.doc = N_("host part of the ops, and the time between events, by Python function: an estimate by the shares of a sampler"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
