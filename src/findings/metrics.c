/* metrics.c - makes the measures of one source: what the passes need, and their order; see metric.h */
#include <stdlib.h>

#include "base/mem.h"
#include "base/par.h"
#include "findings/metric_impl.h"
#include "facts/records.h"
#include "scope/columns.h"
#include "scope/device_window.h"

enum {
	SIDE_BY_SIDE = 6
}; /* passes that wait for no other one */

static void take_means(const struct metric_work *w)
{
	static const bool on_device[FAMILY_N] = {
		[FAMILY_GAPS] = true, [FAMILY_KERNELS] = true, [FAMILY_COPIES] = true};
	struct metrics *m = w->m;

	for (uint32_t i = 0; i < m->fr->n_metrics; i++) {
		const struct pattern_metric *pm = &m->fr->metrics[i];

		metric_divide(m, METRIC_N + i,
			      on_device[pm->family]			  ? w->devices
			      : pm->family == FAMILY_FRAMES && m->sampled ? 1
									  : w->procs,
			      pm->measure == MEASURE_COUNT);
	}
}

/* ---- setting up ---- */

/* The steps of the first process that has any, as far as they are in the window. */
static void find_steps(struct metrics *m)
{
	const struct facts *f = m->k.f;
	uint32_t proc = 0;

	while (proc < f->n_procs && !f->procs[proc].n_steps)
		proc++;
	if (proc == f->n_procs)
		return;
	m->steps = xcalloc(f->procs[proc].n_steps, sizeof(*m->steps));
	for (uint32_t i = 0; i < f->procs[proc].n_steps; i++) {
		const struct step *s = &f->steps[f->procs[proc].first_step + i];

		if (m->k.all ? !s->partial && !s->warmup
			     : spans_overlap(&m->k.window, s->start, s->next) > 0)
			m->steps[m->n_steps++] = s;
	}
}

/* The process that uses each device; of those without edges it is not asked for. The caller frees. */
static uint32_t *edge_owners(const struct selection *k)
{
	uint32_t *of = xreallocarray(NULL, (size_t)k->f->n_devices + 1, sizeof(*of));

	for (uint32_t d = 0; d < k->f->n_devices; d++)
		of[d] = k->f->devices[d].edges.n ? device_proc(k, k->f->devices[d].device)
						 : ID_NONE;
	return of;
}

/* Less the edges of the records of its devices (proc ID_NONE: of all of them). */
static void cut_edges(const struct facts *f, const uint32_t *owners, uint32_t proc,
		      struct spans *idle)
{
	struct spans edges = {0}, rest = {0};

	for (uint32_t d = 0; idle->n && d < f->n_devices; d++) {
		const struct spans *x = &f->devices[d].edges;

		if (proc != ID_NONE && owners[d] != ID_NONE && owners[d] != proc)
			continue;
		for (size_t i = 0; i < x->n; i++)
			spans_add(&edges, x->a[i].start, x->a[i].end);
	}
	if (edges.n) {
		spans_norm(&edges);
		spans_subtract(&rest, idle, &edges);
		spans_fini(idle);
		*idle = rest;
	}
	spans_fini(&edges);
}

/*
 * Where no device of a process works, in the parts of the window in which it has a device and its records have begun and not ended:
 * what lies outside of them is nobody's loss.
 */
static void make_idle(struct metric_work *w)
{
	const struct facts *f = w->k->f;
	struct spans *on = &w->window, one = {0};
	uint32_t *owners = edge_owners(w->k);
	struct proc_busies busies;

	w->idle = xcalloc(f->n_procs, sizeof(*w->idle));
	for (uint32_t d = 0; d < f->n_devices; d++) {
		one.n = 0;
		selection_device_window(w->k, &f->devices[d], &one);
		for (size_t i = 0; i < one.n; i++)
			spans_add(on, one.a[i].start, one.a[i].end);
	}
	spans_norm(on);
	if (!on->n)
		spans_copy(on, &w->k->window);
	if (f->work_of_all.n)
		spans_subtract(&w->common_idle, on, &f->work_of_all);
	cut_edges(f, owners, ID_NONE, &w->common_idle);
	proc_busies_init(&busies, f);
	for (uint32_t p = 0; p < f->n_procs; p++) {
		if (proc_busy_common(f, p)) {
			w->idle[p] = w->common_idle;
			continue;
		}
		if (proc_busy(&busies, p)->n)
			spans_subtract(&w->idle[p], on, proc_busy(&busies, p));
		cut_edges(f, owners, p, &w->idle[p]);
	}
	proc_busies_fini(&busies);
	spans_fini(&one);
	free(owners);
}

static void count_owners(struct metric_work *w)
{
	const struct facts *f = w->k->f;

	for (uint32_t d = 0; d < f->n_devices; d++)
		w->devices += f->devices[d].any.n > 0;
	for (uint32_t p = 0; p < f->n_procs; p++)
		w->procs += f->procs[p].training;
	w->procs = w->procs ? w->procs : 1;
}

static void sets_fini(struct metric_sets *ms)
{
	for (uint32_t i = 0; i < ms->n; i++) {
		free(ms->a[i].id);
		free(ms->a[i].bit);
	}
	free(ms->a);
	map_fini(&ms->memo);
}

static void work_fini(struct metric_work *w)
{
	for (uint32_t p = 0; w->idle && p < w->k->f->n_procs; p++)
		if (!w->common_idle.a || w->idle[p].a != w->common_idle.a)
			spans_fini(&w->idle[p]);
	spans_fini(&w->common_idle);
	free(w->idle);
	spans_fini(&w->window);
	for (int f = 0; f < FAMILY_N; f++)
		sets_fini(&w->sets[f]);
}

/* What the records of the devices make doubtful in the window: the first device of which something is. NULL: nothing. */
static char *idle_doubt(const struct metric_work *w)
{
	struct sbuf b = { 0 };
	char *text;

	for (uint32_t i = 0; i < w->k->f->n_devices && !b.n; i++) {
		const struct device_facts *d = &w->k->f->devices[i];
		struct spans window = { 0 };
		struct gpu_records r;

		selection_device_window(w->k, d, &window);
		gpu_records_count(d, &window, &r);
		gpu_records_say(&r, &b);
		spans_fini(&window);
	}
	text = b.n ? xstrdup(sbuf_str(&b)) : NULL;
	sbuf_fini(&b);
	return text;
}

/* Nothing is lost in idle time that is not known. */
static void forget_idle(struct metrics *m)
{
	static const char why[] = N_("idle time of the GPU, for not all of its work is in the file as it ran");
	static const enum metric_id of[] = { METRIC_idle, METRIC_sync_bound, METRIC_item_bound, METRIC_optimizer_idle };

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		m->v[of[i]].known = false;
		m->v[of[i]].why = why;
	}
	for (uint32_t i = 0; i < m->fr->n_metrics; i++) {
		if (m->fr->metrics[i].family != FAMILY_GAPS && m->fr->metrics[i].measure != MEASURE_IDLE)
			continue;
		m->v[METRIC_N + i].known = false;
		m->v[METRIC_N + i].why = why;
	}
}

/* Each fills metrics and families of its own; that of the frames needs the window, which another one sets. */
static void run_pass(void *arg, size_t i)
{
	static void (*const passes[])(struct metric_work * w) = {
		metric_gpu_pass,  metric_step_pass, metric_kernel_pass,
		metric_call_pass, metric_op_pass,   metric_first_pass,
	};
	struct metric_work *w = arg;

	_Static_assert(sizeof(passes) / sizeof(*passes) == SIDE_BY_SIDE, "all passes run");
	if (!job_cancelled(w->cx->job))
		passes[i](w);
}

static bool run_passes(struct metric_work *w, struct err *e)
{
	par_each(par_workers(w->cx->job ? w->cx->job->workers : 0), SIDE_BY_SIDE, run_pass, w);
	if (an_cancelled(w->cx, e))
		return false;
	metric_frame_pass(w);
	take_means(w);
	w->m->idle_doubt = idle_doubt(w);
	if (w->m->idle_doubt)
		forget_idle(w->m);
	return true;
}

struct metrics *metrics_new(const struct an_ctx *cx, const struct scope *sc, uint32_t source,
			    struct err *e)
{
	struct metrics *m = xcalloc(1, sizeof(*m));
	struct metric_work w = {.m = m, .cx = cx};
	bool ok;

	m->fr = cx->findings;
	m->sc = *sc;
	m->sc.source = (int32_t)source;
	m->source = source;
	m->n = METRIC_N + m->fr->n_metrics;
	m->v = xcalloc(m->n, sizeof(*m->v));
	metric_whys(m);
	ok = selection_init(&m->k, cx, &m->sc, source, e);
	if (ok) {
		w.k = &m->k;
		find_steps(m);
		make_idle(&w);
		count_owners(&w);
		ok = run_passes(&w, e);
		work_fini(&w);
	}
	if (ok)
		return m;
	metrics_free(m);
	return NULL;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n; i++)
		free(m->v[i].by_step);
	free(m->v);
	free(m->steps);
	free(m->top_kernel);
	free(m->idle_doubt);
	selection_fini(&m->k);
	free(m);
}
