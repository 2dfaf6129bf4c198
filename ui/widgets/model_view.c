/* model_view.c - sources, steps, windows and phases as the explorer shows them. */
#include "ui/widgets/model_view.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"

#include "base/search.h"

const struct profile *mv_profile(const struct ui_ctx *ui, uint32_t source)
{
	return ui->session && source < ui->session->n_sources ? ui->session->sources[source].profile : NULL;
}

const struct facts *mv_facts(const struct ui_ctx *ui, uint32_t source)
{
	if (!ui->an || !ui->an->facts || !ui->an->session || source >= ui->an->session->n_sources)
		return NULL;
	return ui->an->facts[source];
}

ns_t mv_shift(const struct ui_ctx *ui, uint32_t source)
{
	return ui->session && source < ui->session->n_sources ? ui->session->sources[source].shift_ns : 0;
}

static uint32_t gpu_events(const struct profile *p)
{
	return p->layer_first[LAYER_MEMSET + 1] - p->layer_first[LAYER_KERNEL];
}

/* A source with GPU work and ops links kernels to code: that is what the walk needs. */
static int walk_grade(const struct profile *p)
{
	if (!gpu_events(p))
		return 0;
	return p->layer_first[LAYER_OP + 1] > p->layer_first[LAYER_OP] ? 2 : 1;
}

/* Of equal ones the lowest rank, as in the views; where ranks are not known that with most events. */
static bool better_source(const struct profile *a, const struct profile *b)
{
	if (walk_grade(a) != walk_grade(b))
		return walk_grade(a) > walk_grade(b);
	if (a->rank >= 0 && b->rank >= 0 && a->rank != b->rank)
		return a->rank < b->rank;
	return a->n > b->n;
}

uint32_t mv_source(const struct ui_ctx *ui, const struct scope *sc)
{
	uint32_t best = UINT32_MAX;

	if (!ui->session)
		return UINT32_MAX;
	if (sc->source >= 0 && mv_profile(ui, (uint32_t)sc->source))
		return (uint32_t)sc->source;
	for (uint32_t i = 0; i < ui->session->n_sources; i++) {
		const struct profile *p = mv_profile(ui, i);

		if (p && (best == UINT32_MAX || better_source(p, mv_profile(ui, best))))
			best = i;
	}
	return best;
}

uint32_t mv_proc(const struct facts *f)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < f->n_procs; i++)
		if (f->procs[i].n_steps)
			return i;
	for (uint32_t i = 0; i < f->n_procs && best == UINT32_MAX; i++)
		if (f->procs[i].training && f->procs[i].main != ID_NONE)
			best = i;
	return best;
}

const struct step *mv_steps(const struct ui_ctx *ui, const struct scope *sc, uint32_t *n, uint32_t *source)
{
	const struct facts *f;
	uint32_t proc;

	*n = 0;
	*source = mv_source(ui, sc);
	f = mv_facts(ui, *source);
	if (!f || !f->n_steps)
		return NULL;
	proc = mv_proc(f);
	if (proc == UINT32_MAX || !f->procs[proc].n_steps) {
		*n = f->n_steps;
		return f->steps;
	}
	*n = f->procs[proc].n_steps;
	return f->steps + f->procs[proc].first_step;
}

const struct step *mv_step(const struct ui_ctx *ui, const struct scope *sc, int64_t number, uint32_t *source)
{
	uint32_t n;
	const struct step *s = mv_steps(ui, sc, &n, source);

	for (uint32_t i = 0; i < n; i++)
		if (s[i].number == number)
			return &s[i];
	return NULL;
}

bool mv_step_in_scope(const struct scope *sc, const struct step *s, ns_t shift)
{
	switch (sc->window) {
	case WINDOW_ALL:
		return true;
	case WINDOW_STEADY:
		return !s->warmup && !s->partial;
	case WINDOW_STEPS:
		return s->number >= sc->step_a && s->number <= sc->step_b;
	case WINDOW_TIME:
		return s->start + shift < sc->end_ns && s->next + shift > sc->start_ns;
	}
	return false;
}

static bool steps_window(const struct ui_ctx *ui, const struct scope *sc, ns_t *start, ns_t *end)
{
	uint32_t n, source;
	const struct step *s = mv_steps(ui, sc, &n, &source);
	ns_t shift = mv_shift(ui, source);
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		if (!mv_step_in_scope(sc, &s[i], shift))
			continue;
		if (!any || s[i].start + shift < *start)
			*start = s[i].start + shift;
		if (!any || s[i].next + shift > *end)
			*end = s[i].next + shift;
		any = true;
	}
	return any;
}

bool mv_window(const struct ui_ctx *ui, const struct scope *sc, ns_t *start, ns_t *end)
{
	uint32_t source = mv_source(ui, sc);
	const struct profile *p = mv_profile(ui, source);
	ns_t shift = mv_shift(ui, source);

	if (sc->window == WINDOW_TIME) {
		*start = sc->start_ns;
		*end = sc->end_ns;
		return true;
	}
	if (sc->window != WINDOW_ALL && steps_window(ui, sc, start, end))
		return true;
	if (!p || p->first_ns > p->last_ns)
		return false;
	*start = p->first_ns + shift;
	*end = p->last_ns + shift;
	if (*end <= *start)
		*end = *start + 1;
	return true;
}

/* Both ends in one unit, with as many digits as tell them apart. */
static void time_window_text(const struct scope *sc, char *buf, size_t cap)
{
	ns_t width = sc->end_ns - sc->start_ns;
	bool us = width < 10000;
	int digits = width >= 100000000 ? 0 : width >= 10000000 ? 1 : width >= 1000000 ? 2 : us ? 2 : 3;
	double unit = us ? 1e3 : 1e6;

	snprintf(buf, cap, "%.*f .. %.*f %s", digits, (double)sc->start_ns / unit, digits, (double)sc->end_ns / unit,
		us ? "\xc2\xb5s" : "ms");
}

char *mv_window_text(const struct scope *sc, char *buf, size_t cap)
{
	if (sc->window == WINDOW_STEADY)
		snprintf(buf, cap, "%s", _("steady"));
	else if (sc->window == WINDOW_ALL)
		snprintf(buf, cap, "%s", _("all"));
	else if (sc->window == WINDOW_STEPS && sc->step_a == sc->step_b)
		snprintf(buf, cap, _("step %" PRId64), sc->step_a);
	else if (sc->window == WINDOW_STEPS)
		snprintf(buf, cap, _("steps %" PRId64 "-%" PRId64), sc->step_a, sc->step_b);
	else
		time_window_text(sc, buf, cap);
	return buf;
}

const struct kernel_class *mv_kclass(const struct ui_ctx *ui, uint32_t source, ev_id e)
{
	const struct facts *f = mv_facts(ui, source);

	return f && f->p == mv_profile(ui, source) && f->kclass_of ? facts_kclass(f, e) : NULL;
}

const struct mark *mv_event_mark(const struct ui_ctx *ui, uint32_t source, ev_id e, enum layer l)
{
	const struct kernel_class *k;

	if (l == LAYER_MEMCPY || l == LAYER_MEMSET)
		return style_copy_mark(l == LAYER_MEMSET);
	k = mv_kclass(ui, source, e);
	return style_class_mark(k ? k->class : KCLASS_UNCLASSIFIED);
}

bool mv_phase_at(const struct facts *f, uint32_t proc, ns_t t, enum phase *phase, ns_t *from, ns_t *to)
{
	const struct proc_facts *pf;
	uint32_t i;

	if (!f || proc >= f->n_procs || !f->procs[proc].n_phases)
		return false;
	pf = &f->procs[proc];
	LOWER_BOUND(i, 1, pf->n_phases, pf->phases[i].start <= t);
	*phase = (enum phase)pf->phases[i - 1].phase;
	*from = pf->phases[i - 1].start;
	*to = i < pf->n_phases ? pf->phases[i].start : INT64_MAX;
	return true;
}

const char *mv_ev_name(const struct profile *p, ev_id e, size_t *n)
{
	return profile_str(p, p->name[e], n);
}

uint32_t mv_file_number(const struct ui_ctx *ui, const struct cell *path)
{
	const struct session *ss = ui->session;

	for (uint32_t i = 0; ss && path->type == CELL_STR && i < ss->n_sources; i++)
		if (strlen(ss->sources[i].path) == path->len && !memcmp(ss->sources[i].path, path->v.s, path->len))
			return i + 1;
	return 0;
}
