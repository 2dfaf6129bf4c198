/* idle.c - what a host thread did, as causes of an idle device, see idle.h */
#include "analyze/idle.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define UNKNOWN 0xff		/* name not looked at yet */
#define NO_CAUSE CAUSE_UNTRACED

struct thread_idle {
	bool made;
	struct spans of[CAUSE_N];	/* exclusive */
};
struct idle {
	const struct facts *f;
	const struct rules *r;
	struct thread_idle *threads;
	uint8_t *memo[LAYER_N];		/* per string: enum idle_cause, UNKNOWN */
};

static const char *const cause_names[CAUSE_N] = {
	"dependency", "profiler", "dataload", "sync", "allocator", "compile", "copy", "communication", "launch", "optimizer", "io", "python",
	"untraced",
};

const char *idle_cause_name(enum idle_cause c)
{
	return cause_names[c < CAUSE_N ? c : CAUSE_UNTRACED];
}

static uint8_t cause_by_word(const char *word)
{
	for (uint8_t i = 0; word && i < CAUSE_N; i++)
		if (!strcmp(cause_names[i], word))
			return i;
	return UNKNOWN;
}

struct idle *idle_new(const struct facts *f, const struct rules *r)
{
	struct idle *d = xcalloc(1, sizeof(*d));

	d->f = f;
	d->r = r;
	d->threads = xcalloc(f->p->n_threads, sizeof(*d->threads));
	return d;
}

void idle_free(struct idle *d)
{
	if (!d)
		return;
	for (thread_id t = 0; t < d->f->p->n_threads; t++)
		for (int c = 0; c < CAUSE_N; c++)
			spans_fini(&d->threads[t].of[c]);
	for (int l = 0; l < LAYER_N; l++)
		free(d->memo[l]);
	free(d->threads);
	free(d);
}

/* ---- the cause that a name stands for ---- */

/* What a rule says of an op, range or frame, as far as it settles the cause. */
static uint8_t cause_of_class(const struct idle *d, const struct host_class *hc)
{
	uint8_t c = cause_by_word(hc->cause);

	if (c != UNKNOWN)
		return c;
	if (hc->dataload)
		return CAUSE_DATALOAD;
	if (hc->comm)
		return CAUSE_COMM;
	if (hc->sync && !(d->f->p->caps & CAP_RUNTIME))
		return CAUSE_SYNC;	/* no calls recorded: the op stands for the wait inside it */
	return UNKNOWN;
}

static uint8_t cause_of_marker(const struct rules *r, const char *s, size_t n)
{
	const char *phase = rules_phase_marker(r, s, n);

	if (!phase)
		return UNKNOWN;
	return !strcmp(phase, "dataload") ? CAUSE_DATALOAD : !strcmp(phase, "optimizer") ? CAUSE_OPTIMIZER :
		!strcmp(phase, "other") ? CAUSE_IO : UNKNOWN;
}

static uint8_t cause_of_op(const struct idle *d, enum layer l, const char *s, size_t n)
{
	struct host_class hc;
	uint8_t c;

	rules_op(d->r, s, n, &hc);
	c = cause_of_class(d, &hc);
	if (c == CAUSE_ALLOCATOR && (d->f->p->caps & CAP_RUNTIME))
		return CAUSE_LAUNCH;	/* the calls below say when memory is really fetched */
	if (c == UNKNOWN && (l != LAYER_OP || hc.transparent))
		c = cause_of_marker(d->r, s, n);
	if (c != UNKNOWN)
		return c;
	if (hc.transparent)
		return CAUSE_PYTHON;
	if (l == LAYER_OP)
		return CAUSE_LAUNCH;
	return hc.known && (rules_op_base(s, n) < n || memmem(s, n, "::", 2)) ? CAUSE_LAUNCH : CAUSE_PYTHON;
}

static uint8_t cause_of_frame(const struct idle *d, const char *s, size_t n)
{
	struct host_class hc;
	uint8_t c;

	rules_python(d->r, s, n, &hc);
	c = hc.transparent ? UNKNOWN : cause_of_class(d, &hc);
	if (c == CAUSE_LAUNCH || c == UNKNOWN)
		return hc.phase && !strcmp(hc.phase, "optimizer") ? CAUSE_OPTIMIZER : CAUSE_PYTHON;
	return c;
}

/* A call that does not block is part of issuing work, whatever it issues; events and queries too. */
static uint8_t cause_of_call(const struct idle *d, const char *s, size_t n)
{
	struct runtime_class rc;
	uint8_t c;

	rules_runtime_class(d->r, s, n, &rc);
	c = cause_by_word(rc.cause);
	if (c == UNKNOWN || (c == CAUSE_SYNC && !rc.blocks))
		return CAUSE_LAUNCH;
	return c == CAUSE_COPY && !rc.blocks ? CAUSE_LAUNCH : c;
}

/* Calls of the C library that move data; the others only wait, which explains nothing. */
static uint8_t cause_of_libc(const char *s, size_t n)
{
	static const char *const io[] = { "read", "pread", "write", "pwrite", "open", "fread", "fwrite", "fopen", "fsync", "fgets", "sendfile" };

	for (size_t i = 0; i < sizeof(io) / sizeof(*io); i++)
		if (n >= strlen(io[i]) && !memcmp(s, io[i], strlen(io[i])))
			return CAUSE_IO;
	return NO_CAUSE;
}

static uint8_t cause_of_name(const struct idle *d, enum layer l, str_id id)
{
	size_t n;
	const char *s = profile_str(d->f->p, id, &n);

	switch (l) {
	case LAYER_OP:
	case LAYER_ANNOT:
	case LAYER_NVTX:
	case LAYER_NVTX_SE:
		return cause_of_op(d, l, s, n);
	case LAYER_PYTHON:
		return cause_of_frame(d, s, n);
	case LAYER_RUNTIME:
		return cause_of_call(d, s, n);
	case LAYER_OSRT:
		return cause_of_libc(s, n);
	case LAYER_OVERHEAD:
		return CAUSE_PROFILER;
	default:
		return NO_CAUSE;
	}
}

/* An asynchronous copy from or to pageable memory blocks the caller all the same. */
static bool copies_pageable(const struct profile *p, ev_id call)
{
	uint32_t first, n = profile_launched_by(p, call, &first);

	for (uint32_t i = first; i < first + n; i++) {
		ev_id e = p->by_launch[i];
		const struct copy_detail *cd;

		if (e < p->layer_first[LAYER_MEMCPY] || e >= p->layer_first[LAYER_MEMCPY + 1] || p->aux[e] >= p->n_copies)
			continue;
		cd = &p->copies[p->aux[e]];
		if (cd->src == MEM_PAGEABLE || cd->dst == MEM_PAGEABLE)
			return true;
	}
	return false;
}

static uint8_t cause_of_event(struct idle *d, enum layer l, ev_id e)
{
	const struct profile *p = d->f->p;
	str_id id = p->name[e];
	uint8_t c;

	if (id >= p->n_strs)
		return l == LAYER_OVERHEAD ? CAUSE_PROFILER : CAUSE_PYTHON;
	if (!d->memo[l]) {
		d->memo[l] = xmalloc(p->n_strs);
		memset(d->memo[l], UNKNOWN, p->n_strs);
	}
	if (d->memo[l][id] == UNKNOWN)
		d->memo[l][id] = cause_of_name(d, l, id);
	c = d->memo[l][id];
	return l == LAYER_RUNTIME && c == CAUSE_LAUNCH && facts_rt(d->f, e) == RT_MEMCPY && copies_pageable(p, e) ? CAUSE_COPY : c;
}

/* ---- the instants of a thread ---- */

static void add_track(struct idle *d, const struct track *tr, struct spans of[CAUSE_N])
{
	const struct profile *p = d->f->p;
	struct spans one[CAUSE_N] = { { 0 } }, sum = { 0 };

	for (ev_id e = tr->first; e < tr->first + tr->count; e++)
		spans_append(&one[cause_of_event(d, tr->layer, e)], p->start[e], ev_end(p, e));
	for (int c = 0; c < CAUSE_N; c++) {
		if (one[c].n && c != NO_CAUSE) {
			spans_union(&sum, &of[c], &one[c]);
			spans_copy(&of[c], &sum);
		}
		spans_fini(&one[c]);
	}
	spans_fini(&sum);
}

/* Overhead records of no known process concern every thread. */
static bool concerns(const struct idle *d, const struct track *tr, thread_id t)
{
	return tr->thread == t || (tr->layer == LAYER_OVERHEAD && tr->thread != ID_NONE && d->f->p->threads[tr->thread].pid < 0);
}

static void make_exclusive(struct spans of[CAUSE_N])
{
	struct spans taken = { 0 }, tmp = { 0 };

	for (int c = 0; c < CAUSE_UNTRACED; c++) {
		struct spans all = of[c];

		memset(&of[c], 0, sizeof(of[c]));
		spans_subtract(&of[c], &all, &taken);
		spans_union(&tmp, &taken, &all);
		spans_copy(&taken, &tmp);
		spans_fini(&all);
	}
	spans_fini(&taken);
	spans_fini(&tmp);
}

static const struct spans *causes_of(struct idle *d, thread_id t)
{
	const struct profile *p = d->f->p;
	struct thread_idle *ti = &d->threads[t];

	if (!ti->made) {
		ti->made = true;
		for (track_id i = 0; i < p->layer_track[LAYER_KERNEL]; i++)
			if (concerns(d, &p->tracks[i], t))
				add_track(d, &p->tracks[i], ti->of);
		make_exclusive(ti->of);
	}
	return ti->of;
}

const struct spans *idle_spans(struct idle *d, thread_id t, enum idle_cause c)
{
	return t < d->f->p->n_threads && c < CAUSE_UNTRACED ? &causes_of(d, t)[c] : NULL;
}

enum idle_cause idle_at(struct idle *d, thread_id t, ns_t at)
{
	const struct spans *of = t < d->f->p->n_threads ? causes_of(d, t) : NULL;

	for (int c = 0; of && c < CAUSE_UNTRACED; c++)
		if (spans_contain(&of[c], at))
			return (enum idle_cause)c;
	return CAUSE_UNTRACED;
}

void idle_add(struct idle *d, thread_id t, ns_t start, ns_t end, ns_t out[CAUSE_N])
{
	const struct spans *of = t < d->f->p->n_threads ? causes_of(d, t) : NULL;
	ns_t left = end - start;

	for (int c = 0; of && c < CAUSE_UNTRACED; c++) {
		ns_t ns = spans_overlap(&of[c], start, end);

		out[c] += ns;
		left -= ns;
	}
	out[CAUSE_UNTRACED] += left;
}
