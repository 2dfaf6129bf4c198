/*
 * across.c - the way down goes on in another file of the run: the same event there, told by its name and its place in the order of the
 * step, or by the clock that both files share; and what is below it in that file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"
#include "rules/rules.h"
#include "ui/panes/timeline/pane.h"
#include "ui/widgets/model_view.h"

enum across_kind { KIND_WORK, KIND_CALL, KIND_OP, KIND_N };

/* What makes events of two files the same but for their place in the order. */
struct like {
	enum across_kind kind;
	enum layer layer;
	const char *name;	/* n bytes of it count */
	size_t n;
	enum role role;		/* of the thread; of the host alone */
	int64_t device, stream;
	uint8_t copy;		/* enum copy_kind */
};
struct hit {
	ns_t start;
	ev_id ev;
};
typedef VEC(struct hit) hit_list;

static enum across_kind kind_of(enum layer l)
{
	if (layer_on_gpu(l))
		return KIND_WORK;
	return l == LAYER_RUNTIME ? KIND_CALL : l == LAYER_OP || l == LAYER_NVTX ? KIND_OP : KIND_N;
}

static enum layer layer_of(const struct profile *p, ev_id e)
{
	return (enum layer)p->tracks[profile_track_of(p, e)].layer;
}

/* What tools write of a kernel alike: neither its result nor arguments, those of templates included. */
static size_t kernel_base(const char **s, size_t n)
{
	size_t i = 0;

	if (n > 5 && !memcmp(*s, "void ", 5)) {
		*s += 5;
		n -= 5;
	}
	while (i < n && (*s)[i] != '<' && ((*s)[i] != '(' || !i || (*s)[i - 1] == ':'))
		i++;
	return i;
}

static size_t base_of(enum across_kind k, const char **s, size_t n)
{
	return k == KIND_OP ? rules_op_base(*s, n) : k == KIND_CALL ? rules_runtime_base(*s, n) : kernel_base(s, n);
}

static uint8_t copy_of(const struct profile *p, enum layer l, ev_id e)
{
	return l == LAYER_MEMCPY && p->aux[e] < p->n_copies ? p->copies[p->aux[e]].kind : 0;
}

static bool make_like(const struct facts *f, ev_id e, struct like *w)
{
	const struct profile *p = f->p;
	const struct track *tr = &p->tracks[profile_track_of(p, e)];
	size_t n;

	*w = (struct like){ .kind = kind_of((enum layer)tr->layer), .layer = (enum layer)tr->layer, .device = tr->device, .stream = tr->stream };
	if (w->kind == KIND_N || (w->kind != KIND_WORK && tr->thread == ID_NONE))
		return false;
	w->name = mv_ev_name(p, e, &n);
	w->n = base_of(w->kind, &w->name, n);
	w->copy = copy_of(p, w->layer, e);
	if (w->kind != KIND_WORK)
		w->role = f->threads[tr->thread].role;
	return w->n > 0;
}

/* Per string of the profile: is it the name? */
static uint8_t *names_like(const struct profile *p, const struct like *w)
{
	uint8_t *is = xcalloc((size_t)p->n_strs + 1, 1);

	for (str_id i = 0; i < p->n_strs; i++) {
		size_t n;
		const char *s = profile_str(p, i, &n);

		n = base_of(w->kind, &s, n);
		/* a copy is told by its direction: tools name it differently */
		is[i] = w->layer == LAYER_MEMCPY || w->layer == LAYER_MEMSET || (n == w->n && !memcmp(s, w->name, n));
	}
	return is;
}

static int by_start(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->ev < y->ev ? -1 : x->ev > y->ev;
}

static void collect_ops(const struct facts *f, const struct like *w, const uint8_t *is, struct span in, hit_list *out)
{
	const struct op_layer *o = &f->ops;

	for (uint32_t t = 0; t < o->n_tracks; t++) {
		if (f->threads[o->tracks[t].thread].role != w->role)
			continue;
		for (uint32_t i = o->tracks[t].first; i < o->tracks[t].first + o->tracks[t].count; i++)
			if (is[o->name[i]] && o->start[i] >= in.start && o->start[i] < in.end)
				VEC_PUSH(out, ((struct hit){ o->start[i], o->ev ? o->ev[i] : i }));
	}
}

static void collect_events(const struct facts *f, const struct like *w, const uint8_t *is, struct span in, hit_list *out)
{
	const struct profile *p = f->p;

	for (track_id k = p->layer_track[w->layer]; k < p->layer_track[w->layer + 1]; k++) {
		const struct track *tr = &p->tracks[k];

		if (w->kind == KIND_WORK ? tr->device != w->device || tr->stream != w->stream : f->threads[tr->thread].role != w->role)
			continue;
		for (ev_id e = track_lower_bound(p, tr, in.start); e < tr->first + tr->count && p->start[e] < in.end; e++)
			if (p->name[e] < p->n_strs && is[p->name[e]] && copy_of(p, w->layer, e) == w->copy)
				VEC_PUSH(out, ((struct hit){ p->start[e], e }));
	}
}

static void collect(const struct facts *f, const struct like *w, struct span in, hit_list *out)
{
	uint8_t *is = names_like(f->p, w);

	out->n = 0;
	if (w->kind == KIND_OP)
		collect_ops(f, w, is, in, out);
	else
		collect_events(f, w, is, in, out);
	free(is);
	if (out->n)
		qsort(out->a, out->n, sizeof(*out->a), by_start);
}

/* The step of a source that holds t, or that has this number; the whole source where there is none. */
static struct span step_span(const struct ui_ctx *ui, uint32_t source, const ns_t *t, int64_t *number)
{
	struct scope sc = ui->where.scope;
	uint32_t n;
	const struct step *s;

	sc.source = (int32_t)source;
	s = mv_steps(ui, &sc, &n, &source);
	for (uint32_t i = 0; i < n; i++) {
		if (t ? *t < s[i].start || *t >= s[i].next : s[i].number != *number)
			continue;
		*number = s[i].number;
		return (struct span){ s[i].start, s[i].next };
	}
	*number = I64_UNKNOWN;
	return (struct span){ INT64_MIN, INT64_MAX };
}

static bool one_clock(const struct ui_ctx *ui, uint32_t a, uint32_t b)
{
	return ui->session->sources[a].clock_group == ui->session->sources[b].clock_group;
}

/* Of the events of the other file the one that runs at the same time; of several that begins nearest. */
static ev_id at_same_time(const struct ui_ctx *ui, uint32_t source, ev_id e, uint32_t other, const hit_list *hits)
{
	const struct profile *p = mv_profile(ui, source), *o = mv_profile(ui, other);
	ns_t start = p->start[e] + mv_shift(ui, source) - mv_shift(ui, other), end = start + p->dur[e], nearest = INT64_MAX;
	ev_id best = ID_NONE;

	for (size_t i = 0; i < hits->n; i++) {
		ns_t away = hits->a[i].start > start ? hits->a[i].start - start : start - hits->a[i].start;

		if (hits->a[i].start >= end || ev_end(o, hits->a[i].ev) <= start || away >= nearest)
			continue;
		nearest = away;
		best = hits->a[i].ev;
	}
	return best;
}

/*
 * The same event in another file. By order where the step has as many of its name in both, else by the clock that they share; otherwise
 * it is not known which one it is.
 */
static bool same_event(const struct ui_ctx *ui, uint32_t source, ev_id e, uint32_t other, struct across *to)
{
	const struct facts *f = mv_facts(ui, source), *o = mv_facts(ui, other);
	hit_list here = { 0 }, there = { 0 };
	struct like w;
	int64_t number;
	size_t i = 0;

	if (!f || !o || f->p != mv_profile(ui, source) || o->p != mv_profile(ui, other) || !make_like(f, e, &w))
		return false;
	collect(f, &w, step_span(ui, source, &f->p->start[e], &to->step), &here);
	number = to->step;
	collect(o, &w, step_span(ui, other, NULL, &number), &there);
	while (i < here.n && here.a[i].ev != e)
		i++;
	*to = (struct across){ other, ID_NONE, ACROSS_BY_ORDER, to->step };
	if (number == to->step && here.n == there.n && i < here.n) {
		to->ev = there.a[i].ev;
	} else if (one_clock(ui, source, other)) {
		to->ev = at_same_time(ui, source, e, other, &there);
		to->by = ACROSS_BY_CLOCK;
	}
	VEC_FREE(&here);
	VEC_FREE(&there);
	return to->ev != ID_NONE;
}

/* Two files that may be recordings of one run of one process: not two ranks, and not two traces of one tool that nothing ties together. */
static bool one_run(const struct ui_ctx *ui, uint32_t a, uint32_t b)
{
	const struct profile *p = mv_profile(ui, a), *o = mv_profile(ui, b);

	if (!p || !o || a == b || (p->rank >= 0 && o->rank >= 0 && p->rank != o->rank))
		return false;
	return one_clock(ui, a, b) || p->format != o->format || (p->rank >= 0 && p->rank == o->rank);
}

/* What is below the event itself in the other file; of a call, also by way of the work that it launched. */
static bool below_in(const struct ui_ctx *ui, uint32_t source, ev_id e, uint32_t other, struct across *to)
{
	const struct profile *p = mv_profile(ui, source), *o = mv_profile(ui, other);
	enum layer l = layer_of(p, e);
	uint32_t first;

	if (l == LAYER_RUNTIME && profile_launched_by(p, e, &first) && same_event(ui, source, p->by_launch[first], other, to) &&
	    o->link[to->ev] != ID_NONE)
		to->ev = o->link[to->ev];
	else if (!same_event(ui, source, e, other, to))
		return false;
	to->ev = timeline_below(ui, other, to->ev, layer_of(o, to->ev));
	return to->ev != ID_NONE;
}

static bool find_across(const struct ui_ctx *ui, uint32_t source, ev_id e, struct across *to)
{
	uint32_t n = ui->session ? ui->session->n_sources : 0;

	for (int clock = 1; clock >= 0; clock--)
		for (uint32_t i = 0; i < n; i++)
			if (one_run(ui, source, i) && one_clock(ui, source, i) == (clock == 1) && below_in(ui, source, e, i, to))
				return true;
	return false;
}

/* What is around a call is no more than a range or a frame: an op is wanted. */
static bool lacks_op(const struct ui_ctx *ui, uint32_t source, ev_id e, enum layer l)
{
	const struct facts *f = mv_facts(ui, source);

	return l == LAYER_RUNTIME && f && f->p->link[e] == ID_NONE && facts_op_of_call(f, e) == ID_NONE;
}

/* Which recording would have what is below an event of the layer. */
static const char *missing(const struct ui_ctx *ui, enum layer l)
{
	if (layer_on_gpu(l))
		return _("no file has its launch: nsys -t cuda and torch.profiler with CPU activity record launches");
	if (l == LAYER_RUNTIME)
		return _("no op or range around this call: torch.profiler records ops, so does emit_nvtx under nsys");
	for (uint32_t i = 0; ui->session && i < ui->session->n_sources; i++)
		if (mv_profile(ui, i) && mv_profile(ui, i)->caps & CAP_PYTHON)
			return _("no file has a Python frame around this one (autograd's threads have none)");
	return _("no file has Python stacks with times: torch.profiler with_stack=True records them");
}

bool timeline_down(const struct ui_ctx *ui, uint32_t source, ev_id e, struct across *to, const char **why)
{
	enum layer l = layer_of(mv_profile(ui, source), e);
	struct across other;
	bool here;

	*to = (struct across){ source, timeline_below(ui, source, e, l), ACROSS_NONE, I64_UNKNOWN };
	here = to->ev != ID_NONE;
	*why = missing(ui, l);
	if (l == LAYER_PYTHON || (here && !lacks_op(ui, source, e, l)) || !find_across(ui, source, e, &other))
		return here;
	if (!here || kind_of(layer_of(mv_profile(ui, other.source), other.ev)) == KIND_OP)
		*to = other;
	return true;
}

void across_text(const struct ui_ctx *ui, const struct across *to, char *buf, size_t cap)
{
	const char *path = ui->session->sources[to->source].path, *name = strrchr(path, '/');
	const char *how = to->by == ACROSS_BY_CLOCK ? _("by the clock") : _("by order");
	char file[96];

	name = name ? name + 1 : path;
	text_fit(file, sizeof(file), name, strlen(name), 40, TEXT_CUT_MIDDLE);
	if (to->step == I64_UNKNOWN)
		snprintf(buf, cap, "%s %s, %s", ui->ascii ? "->" : "\xe2\x86\x92", file, how);
	else
		snprintf(buf, cap, _("%s %s, step %" PRId64 ", %s"), ui->ascii ? "->" : "\xe2\x86\x92", file, to->step, how);
}

void across_place(const struct ui_ctx *ui, uint32_t from, const struct across *to, struct place *pl)
{
	char text[128];

	if (pl->scope.source >= 0)
		pl->scope.source = (int32_t)to->source;
	/* a time of one clock says nothing on another */
	if (pl->scope.window == WINDOW_TIME && !one_clock(ui, from, to->source)) {
		pl->scope.window = to->step == I64_UNKNOWN ? WINDOW_ALL : WINDOW_STEPS;
		pl->scope.step_a = pl->scope.step_b = to->step == I64_UNKNOWN ? 0 : to->step;
	}
	pl->t0 = pl->t1 = 0;
	across_text(ui, to, text, sizeof(text));
	place_crumb(pl, text, strlen(text));
}
