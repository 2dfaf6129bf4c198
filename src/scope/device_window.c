/* device_window.c - windows of a device, see device_window.h */
#include "scope/device_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"


static uint32_t proc_of_track(const struct facts *f, const struct track *tr)
{
	if (tr->pid >= 0)
		return facts_proc_of_pid(f, tr->pid);
	for (ev_id e = tr->first; e < tr->first + tr->count; e++) {
		thread_id t = facts_launch_thread(f, e);

		if (t != ID_NONE)
			return f->threads[t].proc;
	}
	return ID_NONE;
}

uint32_t device_proc(const struct selection *k, int64_t device)
{
	const struct device_facts *d = facts_device(k->f, device);
	const track_id *t = NULL;
	uint32_t n = 0;

	if (d)
		t = facts_device_tracks(k->f, d, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t proc = proc_of_track(k->f, &k->p->tracks[t[i]]);

		if (proc != ID_NONE)
			return proc;
	}
	for (uint32_t i = 0; i < k->f->n_procs; i++)
		if (k->f->procs[i].training)
			return i;
	return ID_NONE;
}

bool device_in_scope(const struct selection *k, const struct device_facts *d)
{
	bool owned = false;
	const track_id *t;
	uint32_t n;

	if (k->sc->device != SCOPE_ANY && d->device != k->sc->device)
		return false;
	if (k->sc->pid == SCOPE_ANY)
		return true;
	t = facts_device_tracks(k->f, d, &n);
	for (uint32_t i = 0; i < n; i++)
		owned |= k->p->tracks[t[i]].pid < 0 || k->p->tracks[t[i]].pid == k->sc->pid;
	return owned;
}

/* The instants of the process that are in a phase of the set. */
static void phase_spans(const struct proc_facts *pf, uint32_t set, struct spans *out)
{
	out->n = 0;
	for (uint32_t i = 0; i < pf->n_phases; i++)
		if (set >> pf->phases[i].phase & 1)
			spans_append(out, pf->phases[i].start, i + 1 < pf->n_phases ? pf->phases[i + 1].start : INT64_MAX);
}

/* Adds the part of the window that lies in `part`, if there is any. */
static void add_part(struct device_windows *out, int64_t by, const struct device_window *of, const struct spans *part)
{
	struct device_window x = { .by = by };

	spans_intersect(&x.w, &of->w, part);
	spans_intersect(&x.launched, &of->launched, part);
	if (x.w.n) {
		VEC_PUSH(out, x);
		return;
	}
	spans_fini(&x.w);
	spans_fini(&x.launched);
}

static void cut(struct spans *s, const struct spans *part)
{
	struct spans both = { 0 };

	spans_intersect(&both, s, part);
	spans_copy(s, &both);
	spans_fini(&both);
}

/* The device's window in the phases of the scope. `all` is the extent of its GPU work, and what came before launched it. */
static void whole_window(struct device_window *out, const struct selection *k, const struct device_facts *d, const struct proc_facts *pf)
{
	struct spans part = { 0 };

	memset(out, 0, sizeof(*out));
	selection_device_window(k, d, &out->w);
	if (k->all)
		spans_append(&out->launched, INT64_MIN / 2, INT64_MAX / 2);
	else
		spans_copy(&out->launched, &out->w);
	if (!k->sc->phases || !pf)
		return;
	phase_spans(pf, k->sc->phases, &part);
	cut(&out->w, &part);
	cut(&out->launched, &part);
	spans_fini(&part);
}

static void by_step(struct device_windows *out, const struct facts *f, const struct proc_facts *pf, const struct device_window *w)
{
	for (uint32_t i = pf->first_step; i < pf->first_step + pf->n_steps; i++) {
		struct span s = { f->steps[i].start, f->steps[i].next };

		add_part(out, f->steps[i].number, w, &(struct spans){ &s, s.start < s.end, 1 });
	}
}

static void by_microbatch(struct device_windows *out, const struct proc_facts *pf, const struct device_window *w)
{
	for (uint32_t i = 0; i < pf->n_microbatches; i++) {
		struct span s = { pf->microbatches[i].start, pf->microbatches[i].end };

		add_part(out, pf->microbatches[i].number < 0 ? i : pf->microbatches[i].number, w,
			&(struct spans){ &s, s.start < s.end, 1 });
	}
}

static void by_phase(struct device_windows *out, const struct proc_facts *pf, const struct device_window *w)
{
	struct spans part = { 0 };

	for (uint32_t ph = 0; ph < PHASE_N; ph++) {
		phase_spans(pf, 1u << ph, &part);
		add_part(out, ph, w, &part);
	}
	spans_fini(&part);
}

static int64_t plain_key(const struct selection *k, const struct device_facts *d, uint32_t proc)
{
	if (k->sc->by == BY_DEVICE)
		return d->device;
	if (k->sc->by == BY_RANK && k->p->rank >= 0)
		return k->p->rank;
	return k->sc->by == BY_PROCESS && proc != ID_NONE ? k->f->procs[proc].pid : SPLIT_NONE;
}

/* What lies in no other window. */
static void add_rest(struct device_windows *out, const struct device_window *of)
{
	struct device_window x = { .by = SPLIT_NONE };
	struct spans in = { 0 }, launched = { 0 };

	for (size_t i = 0; i < out->n; i++) {
		for (size_t k = 0; k < out->a[i].w.n; k++)
			spans_add(&in, out->a[i].w.a[k].start, out->a[i].w.a[k].end);
		for (size_t k = 0; k < out->a[i].launched.n; k++)
			spans_add(&launched, out->a[i].launched.a[k].start, out->a[i].launched.a[k].end);
	}
	spans_norm(&in);
	spans_norm(&launched);
	spans_subtract(&x.w, &of->w, &in);
	spans_subtract(&x.launched, &of->launched, &launched);
	spans_fini(&in);
	spans_fini(&launched);
	VEC_PUSH(out, x);
	out->rest = true;
}

void device_windows_make(struct device_windows *out, const struct selection *k, const struct device_facts *d)
{
	uint32_t proc = device_proc(k, d->device);
	const struct proc_facts *pf = proc == ID_NONE ? NULL : &k->f->procs[proc];
	struct device_window w;

	memset(out, 0, sizeof(*out));
	whole_window(&w, k, d, pf);
	if (k->sc->by == BY_STEP && pf) {
		by_step(out, k->f, pf, &w);
	} else if (k->sc->by == BY_MICROBATCH && pf) {
		by_microbatch(out, pf, &w);
	} else if (k->sc->by == BY_PHASE && pf) {
		by_phase(out, pf, &w);
	} else {
		w.by = plain_key(k, d, proc);
		VEC_PUSH(out, w);
		return;
	}
	add_rest(out, &w);
	spans_fini(&w.w);
	spans_fini(&w.launched);
}

void device_windows_fini(struct device_windows *w)
{
	for (size_t i = 0; i < w->n; i++) {
		spans_fini(&w->a[i].w);
		spans_fini(&w->a[i].launched);
	}
	VEC_FREE(w);
}
