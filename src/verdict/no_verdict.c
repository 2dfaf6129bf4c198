/* no_verdict.c - what is told where nothing binds the run, see no_verdict.h */
#include "verdict/no_verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "findings/finding.h"
#include "table/shape.h"
#include "views/figures.h"

#define SMALL_NS    INT64_C(1000000)
#define SMALL_SHARE 0.01
#define CONTEXT_NS  INT64_C(10000000) /* making a context takes longer, other first calls do not */

enum {
	PARTS_MAX = 3,
	PART_COLS = 60
};

__attribute__((format(printf, 2, 3))) static void part(struct sbuf *b, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sbuf_puts(b, b->n ? _(", ") : "");
	sbuf_puts(b, text);
}

/* ---- little work ---- */

/* What the sources of a scope hold together. */
struct extent {
	ns_t start, end;
	bool steps;
};

static void extend(struct extent *x, const struct an_ctx *cx, uint32_t source)
{
	const struct profile *p = cx->session->sources[source].profile;
	ns_t shift = cx->session->sources[source].shift_ns;

	if (p->first_ns <= p->last_ns) {
		x->start = p->first_ns + shift < x->start ? p->first_ns + shift : x->start;
		x->end = p->last_ns + shift > x->end ? p->last_ns + shift : x->end;
	}
	x->steps |= cx->facts[source]->n_steps > 0;
}

/* The longest window, and the longest time with work, of the devices. */
static ns_t longest(const struct table *gpu, ns_t *work)
{
	int w = table_col(gpu, "window_ns"), idle = table_col(gpu, "idle_ns");
	ns_t most = 0;

	*work = 0;
	for (uint32_t r = 0; r < gpu->n_rows; r++) {
		ns_t window = table_cell(gpu, r, (uint32_t)w)->v.i,
		     busy = window - table_cell(gpu, r, (uint32_t)idle)->v.i;

		most = window > most ? window : most;
		*work = busy > *work ? busy : *work;
	}
	return most;
}

static bool small(const struct scope *sc, const struct extent *x, ns_t window, ns_t work)
{
	if ((sc->window != WINDOW_STEADY && sc->window != WINDOW_ALL) || sc->phases || work <= 0)
		return false;
	if (window < SMALL_NS)
		return true;
	return !x->steps &&
	       (work < SMALL_NS || (double)work < SMALL_SHARE * (double)(x->end - x->start));
}

/*
 * The call that makes the context of a device: the first one of 10 ms and more before any work, but
 * launches, which load code, and waits. ID_NONE: none is seen.
 */
static ev_id context_call(const struct facts *f)
{
	const struct profile *p = f->p;
	ns_t until = INT64_MAX;
	ev_id found = ID_NONE;

	for (uint32_t i = 0; i < f->n_devices; i++)
		until = f->devices[i].first < until ? f->devices[i].first : until;
	for (track_id t = p->layer_track[LAYER_RUNTIME]; t < p->layer_track[LAYER_RUNTIME + 1]; t++)
		for (ev_id e = p->tracks[t].first;
		     e < p->tracks[t].first + p->tracks[t].count && p->start[e] < until; e++) {
			if (p->dur[e] < CONTEXT_NS || facts_rt(f, e) != RT_OTHER)
				continue;
			if (found == ID_NONE || p->start[e] < p->start[found])
				found = e;
			break;
		}
	return found;
}

static bool is_text(const struct cell *c, const char *s, size_t n)
{
	return c->type == CELL_STR && c->len == n && !memcmp(c->v.s, s, n);
}

/*
 * The part of the host's time, in the words of level 2, in which calls of a name are; empty where
 * there is none.
 */
static const struct cell *part_of_call(const struct table *rows, const char *name, size_t len)
{
	static const struct cell none = {CELL_MISSING, 0, {0}};

	for (uint32_t r = 0; r < rows->n_rows && len; r++)
		if (is_text(table_cell(rows, r, (uint32_t)table_col(rows, "level3")), name, len))
			return table_cell(rows, r, (uint32_t)table_col(rows, "level2"));
	return &none;
}

/*
 * Adds the largest parts of the host's time, of those that take 1 % and more of the capture; ns of
 * the part `but` are told already.
 */
static void put_parts(struct sbuf *b, const struct table *rows, ns_t capture,
		      const struct cell *but, ns_t ns)
{
	uint32_t l2 = (uint32_t)table_col(rows, "level2"),
		 sum = (uint32_t)table_col(rows, "time_ns");
	struct table *t = table_group(rows, NULL, &l2, 1, &sum, 1, NULL);
	struct table_view v = {0};
	int n = b->n > 0;

	table_view_make(&v, t, table_col(t, "time_ns"), true, NULL, 0);
	for (uint32_t i = 0; i < v.n && n < PARTS_MAX; i++) {
		const struct cell *name =
			table_cell(t, v.rows[i], (uint32_t)table_col(t, "level2"));
		int64_t time = table_cell(t, v.rows[i], (uint32_t)table_col(t, "time_ns"))->v.i;
		char shown[4 * PART_COLS], a[NUM_TEXT_MAX];

		if (name->type != CELL_STR)
			continue;
		time -= but->type == CELL_STR && is_text(but, name->v.s, name->len) ? ns : 0;
		if ((double)time < SMALL_SHARE * (double)capture)
			continue;
		text_fit(shown, sizeof(shown), name->v.s, name->len, PART_COLS, TEXT_CUT_MIDDLE);
		part(b, "%s %s", shown, num_ns(time, a));
		n++;
	}
	table_view_fini(&v);
	table_free(t);
}

/* What takes the capture instead: the context of the device, and what the host did. */
static void put_instead(struct sbuf *b, const struct an_ctx *cx, const struct scope *sc,
			uint32_t source, ns_t capture)
{
	const struct facts *f = cx->facts[source];
	ev_id call = context_call(f);
	struct scope whole = *sc;
	struct table *t;
	const char *name = NULL;
	char a[NUM_TEXT_MAX];
	size_t len = 0;

	whole.window = WINDOW_ALL;
	whole.by = BY_NONE;
	t = view_of_source(cx, &whole, "breakdown", source, "cpu");
	if (call != ID_NONE) {
		name = profile_str(f->p, f->p->name[call], &len);
		len = rules_runtime_base(name, len);
		part(b, _("context creation %s (%.*s)"), num_ns(f->p->dur[call], a), (int)len,
		     name);
	}
	if (t && t->n_rows)
		put_parts(b, t, capture, part_of_call(t, name, len),
			  call == ID_NONE ? 0 : f->p->dur[call]);
	table_free(t);
}

bool no_verdict_small(const struct an_ctx *cx, const struct scope *sc, const struct table *gpu,
		      struct sbuf *out)
{
	struct extent x = {INT64_MAX, INT64_MIN, false};
	struct sbuf parts = {0};
	uint32_t n, *src = view_sources(cx, sc, NEED_GPU, &n, NULL);
	ns_t work, window = longest(gpu, &work);
	char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX];
	bool is;

	for (uint32_t i = 0; i < n; i++)
		extend(&x, cx, src[i]);
	is = n && x.start < x.end && small(sc, &x, window, work);
	if (is) {
		put_instead(&parts, cx, sc, src[0], x.end - x.start);
		num_ns(work, a);
		num_ns(x.end - x.start, b);
		if (parts.n)
			sbuf_printf(out,
				    ngettext("The GPU works for %s of %s: %s.",
					     "The GPUs work for %s of %s: %s.", gpu->n_rows),
				    a, b, parts.s);
		else
			sbuf_printf(out,
				    ngettext("The GPU works for %s of %s.",
					     "The GPUs work for %s of %s.", gpu->n_rows),
				    a, b);
	}
	sbuf_fini(&parts);
	free(src);
	return is;
}

/* ---- no work ---- */

static ns_t layer_time(const struct profile *p, enum layer l)
{
	ns_t sum = 0;

	for (ev_id e = p->layer_first[l]; e < p->layer_first[l + 1]; e++)
		sum += p->dur[e];
	return sum;
}

static uint32_t layer_count(const struct profile *p, enum layer l)
{
	return p->layer_first[l + 1] - p->layer_first[l];
}

/* Samples of all threads; of a sampler that does not count them the time that they stand for. */
static void samples_of(const struct profile *p, uint64_t *n, ns_t *ns)
{
	for (uint32_t i = 0; i < p->n_frames; i++) {
		if (p->frames[i].parent >= 0)
			continue;
		*n += p->frames[i].samples == I64_UNKNOWN ? 0 : (uint64_t)p->frames[i].samples;
		*ns += p->frames[i].total_ns == NS_UNKNOWN ? 0 : p->frames[i].total_ns;
	}
}

struct recorded {
	uint64_t ops, ranges, frames, waits, calls, overhead, samples;
	ns_t wait_ns, cpu_ns, overhead_ns, sampled_ns;
};

static void count_recorded(struct recorded *r, const struct profile *p)
{
	r->ops += layer_count(p, LAYER_OP);
	r->ranges += layer_count(p, LAYER_NVTX) + layer_count(p, LAYER_NVTX_SE) +
		     layer_count(p, LAYER_NVTX_OPEN);
	r->frames += layer_count(p, LAYER_PYTHON);
	r->waits += layer_count(p, LAYER_OSRT);
	r->calls += layer_count(p, LAYER_RUNTIME);
	r->overhead += layer_count(p, LAYER_OVERHEAD);
	r->wait_ns += layer_time(p, LAYER_OSRT);
	r->cpu_ns += layer_time(p, LAYER_SCHED);
	r->overhead_ns += layer_time(p, LAYER_OVERHEAD);
	samples_of(p, &r->samples, &r->sampled_ns);
}

static void put_time(struct sbuf *out, ns_t ns)
{
	char a[NUM_TEXT_MAX];

	if (ns > 0)
		sbuf_printf(out, " (%s)", num_ns(ns, a));
}

/* "12 NVTX ranges, 340 samples"; nothing where there is nothing of these kinds. */
static void put_recorded(const struct an_ctx *cx, const struct scope *sc, struct sbuf *out)
{
	uint32_t n, *src = view_sources(cx, sc, NEED_ANY, &n, NULL);
	struct recorded r = {0};

	for (uint32_t i = 0; i < n; i++)
		count_recorded(&r, cx->session->sources[src[i]].profile);
	free(src);
	if (r.ops)
		part(out, ngettext("%" PRIu64 " operator", "%" PRIu64 " operators", r.ops), r.ops);
	if (r.ranges)
		part(out, ngettext("%" PRIu64 " NVTX range", "%" PRIu64 " NVTX ranges", r.ranges),
		     r.ranges);
	if (r.frames)
		part(out,
		     ngettext("%" PRIu64 " call of a Python function",
			      "%" PRIu64 " calls of Python functions", r.frames),
		     r.frames);
	if (r.waits)
		part(out,
		     ngettext("%" PRIu64 " OS call that waits", "%" PRIu64 " OS calls that wait",
			      r.waits),
		     r.waits);
	put_time(out, r.waits ? r.wait_ns : 0);
	if (r.samples)
		part(out, ngettext("%" PRIu64 " sample", "%" PRIu64 " samples", r.samples),
		     r.samples);
	else if (r.sampled_ns)
		part(out, _("sampled stacks"));
	put_time(out, r.sampled_ns);
	if (r.cpu_ns)
		part(out, _("the CPU use of threads"));
	put_time(out, r.cpu_ns);
	if (r.calls)
		part(out, ngettext("%" PRIu64 " CUDA call", "%" PRIu64 " CUDA calls", r.calls),
		     r.calls);
	if (!out->n && r.overhead) {
		part(out,
		     ngettext("%" PRIu64 " record of the profiler's own work",
			      "%" PRIu64 " records of the profiler's own work", r.overhead),
		     r.overhead);
		put_time(out, r.overhead_ns);
	}
}

static bool any_event(const struct an_ctx *cx)
{
	for (uint32_t i = 0; i < cx->session->n_sources; i++) {
		const struct profile *p = cx->session->sources[i].profile;

		if (p && (p->n || p->n_frames))
			return true;
	}
	return false;
}

bool no_verdict_host(const struct an_ctx *cx, const struct scope *sc, struct sbuf *out)
{
	struct sbuf held = {0};
	bool any = any_event(cx);

	put_recorded(cx, sc, &held);
	if (!any)
		sbuf_puts(out, _("Nothing was recorded: the files hold no events."));
	else if (session_caps(cx->session) & CAP_DEVICE_UNREAD)
		sbuf_puts(out,
			  _("Ascend NPU device lanes are not read: what follows is host time."));
	else if (held.n)
		sbuf_printf(out, _("Recorded is host time: %s. GPU work is missing."), held.s);
	else
		sbuf_puts(out, _("GPU work is missing: what follows is host time."));
	sbuf_fini(&held);
	return any;
}

/* ---- doubts ---- */

bool no_verdict_doubt(const struct table *gpu, struct sbuf *out)
{
	int col = table_col(gpu, "doubt");

	for (uint32_t r = 0; r < gpu->n_rows; r++) {
		const struct cell *why = table_cell(gpu, r, (uint32_t)col);

		if (why->type != CELL_STR)
			continue;
		if (out)
			sbuf_printf(
				out,
				_("No verdict: it is not known when the GPU is idle, for %.*s."),
				(int)why->len, why->v.s);
		return true;
	}
	return false;
}

void no_verdict_caution(const struct an_ctx *cx, const struct scope *sc, struct sbuf *out)
{
	uint32_t n, *src = finding_sources(cx, sc, &n, NULL);
	bool told = false;

	for (uint32_t i = 0; i < n && !told; i++) {
		const struct findings *f = findings_get(cx, sc, src[i], NULL);

		told = f && f->caution;
		if (told)
			sbuf_printf(out,
				    f->confidence == CONFIDENCE_LOW ? _(" (No verdict yet: %s.)")
								    : _(" (Doubtful: %s.)"),
				    f->caution);
		findings_put(cx, f);
	}
	free(src);
}
