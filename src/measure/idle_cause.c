/* idle_cause.c - what a host thread did, as causes of an idle device, see idle_cause.h */
#include "measure/idle_cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calc/owners.h"

#define UNKNOWN 0xff		/* name not looked at yet */
#define INHERIT 0xfe		/* frames: as the frame around it */
#define INHERIT_RUN 0xfd	/* frames: the same, but not "compile" */
#define NO_CAUSE CAUSE_UNTRACED

struct thread_idle {
	bool made;
	struct spans of[CAUSE_N];	/* exclusive */
};
struct host_causes {
	const struct facts *f;
	const struct rules *r;
	struct thread_idle *threads;
	uint8_t *memo[LAYER_N];		/* per string: enum idle_cause, UNKNOWN */
};

static const char *const cause_names[CAUSE_N] = {
	"dependency", "profiler", "dataload", "sync", "allocator", "compile", "copy", "communication", "compute", "launch", "optimizer", "io", "python",
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

struct host_causes *host_causes_new(const struct facts *f, const struct rules *r)
{
	struct host_causes *d = xcalloc(1, sizeof(*d));

	d->f = f;
	d->r = r;
	d->threads = xcalloc(f->p->n_threads, sizeof(*d->threads));
	return d;
}

void host_causes_free(struct host_causes *d)
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

/* Causes that only an API call proves, where calls are recorded: an op or frame named so spends most of its time around it. */
static bool needs_call(const struct host_causes *d, uint8_t c)
{
	return (c == CAUSE_SYNC || c == CAUSE_COPY || c == CAUSE_ALLOCATOR) && (d->f->p->caps & CAP_RUNTIME);
}

static uint8_t cause_of_marker(const struct rules *r, const char *s, size_t n)
{
	const char *phase = rules_phase_marker(r, s, n);

	if (!phase)
		return UNKNOWN;
	return !strcmp(phase, "dataload") ? CAUSE_DATALOAD : !strcmp(phase, "optimizer") ? CAUSE_OPTIMIZER :
		!strcmp(phase, "other") ? CAUSE_IO : UNKNOWN;
}

/* Ranges that are not ops (annotations, a user's NVTX) only say that something is going on, unless their name tells more. */
static uint8_t cause_of_op(const struct host_causes *d, enum layer l, str_id id, const char *s, size_t n)
{
	bool op = l == LAYER_OP || rules_op_base(s, n) < n || memmem(s, n, "::", 2);
	struct host_class hc;
	uint8_t c;

	if (facts_on_cpu(d->f, id))
		return CAUSE_COMPUTE;
	rules_op(d->r, s, n, &hc);
	c = cause_by_word(hc.cause);
	if (c == UNKNOWN || !op) {
		uint8_t marked = c == UNKNOWN || c == CAUSE_LAUNCH ? cause_of_marker(d->r, s, n) : UNKNOWN;

		c = marked != UNKNOWN ? marked : c;
	}
	if (c == UNKNOWN || (!op && (c == CAUSE_LAUNCH || needs_call(d, c))))
		return CAUSE_PYTHON;
	return needs_call(d, c) ? CAUSE_LAUNCH : c;
}

/*
 * Frames: a cause of its own, or INHERIT that of the frame around it. Wrappers of compiled code run below functions of the
 * compiler, and are no compiling.
 */
static uint8_t cause_of_frame(const struct host_causes *d, const char *s, size_t n)
{
	struct host_class hc;
	uint8_t c;

	rules_python(d->r, s, n, &hc);
	c = hc.transparent ? UNKNOWN : cause_by_word(hc.cause);
	if (hc.transparent && hc.framework == 'C')
		return INHERIT_RUN;
	if (hc.phase && !hc.transparent && !strcmp(hc.phase, "optimizer"))
		return CAUSE_OPTIMIZER;
	return c == UNKNOWN || c == CAUSE_LAUNCH || c == CAUSE_PYTHON || needs_call(d, c) ? INHERIT : c;
}

static uint8_t cause_of_overhead(const struct host_causes *d, const char *s, size_t n)
{
	struct host_class hc;

	rules_overhead(d->r, s, n, &hc);
	return cause_by_word(hc.cause);
}

/* A call that does not block is part of issuing work, whatever it issues; events and queries too. */
static uint8_t cause_of_call(const struct host_causes *d, const char *s, size_t n)
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

static uint8_t cause_of_name(const struct host_causes *d, enum layer l, str_id id)
{
	size_t n;
	const char *s = profile_str(d->f->p, id, &n);

	switch (l) {
	case LAYER_OP:
	case LAYER_ANNOT:
	case LAYER_NVTX:
	case LAYER_NVTX_SE:
		return cause_of_op(d, l, id, s, n);
	case LAYER_PYTHON:
		return cause_of_frame(d, s, n);
	case LAYER_RUNTIME:
		return cause_of_call(d, s, n);
	case LAYER_OSRT:
		return cause_of_libc(s, n);
	case LAYER_OVERHEAD:
		return cause_of_overhead(d, s, n);
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

static uint8_t cause_of_event(struct host_causes *d, enum layer l, ev_id e)
{
	const struct profile *p = d->f->p;
	str_id id = p->name[e];
	uint8_t c;

	if (id >= p->n_strs)
		return l == LAYER_OVERHEAD ? CAUSE_PROFILER : l == LAYER_PYTHON ? INHERIT : CAUSE_PYTHON;
	if (l == LAYER_NVTX || l == LAYER_NVTX_SE)
		id = facts_same_op(d->f, id);
	if (!d->memo[l]) {
		d->memo[l] = xmalloc(p->n_strs);
		memset(d->memo[l], UNKNOWN, p->n_strs);
	}
	if (d->memo[l][id] == UNKNOWN)
		d->memo[l][id] = cause_of_name(d, l, id);
	c = d->memo[l][id];
	if (l == LAYER_RUNTIME && facts_first(d->f, e) == FIRST_LOADS)
		return CAUSE_COMPILE;
	return l == LAYER_RUNTIME && c == CAUSE_LAUNCH && facts_rt(d->f, e) == RT_MEMCPY && copies_pageable(p, e) ? CAUSE_COPY : c;
}

/* ---- the instants of a thread ---- */

/* Python frames: the innermost frame that has a cause decides, so each instant has one. */
static void add_frames(struct host_causes *d, const struct track *tr, struct spans one[CAUSE_N])
{
	const struct profile *p = d->f->p;
	uint8_t *cause = xmalloc(tr->count);
	struct owner_list segs = { 0 };

	for (uint32_t i = 0; i < tr->count; i++) {
		ev_id e = tr->first + i, up = p->parent[e];
		uint8_t c = cause_of_event(d, tr->layer, e), outer = up == ID_NONE ? CAUSE_PYTHON : cause[up - tr->first];

		if (c == INHERIT_RUN)
			c = outer == CAUSE_COMPILE ? CAUSE_PYTHON : outer;
		cause[i] = c == INHERIT ? outer : c;
	}
	owner_list_of_track(&segs, p->start + tr->first, p->dur + tr->first, tr->count, 0);
	for (size_t i = 0; i < segs.n; i++)
		spans_append(&one[cause[segs.a[i].owner]], segs.a[i].start, segs.a[i].end);
	owner_list_fini(&segs);
	free(cause);
}

static void add_track(struct host_causes *d, const struct track *tr, struct spans of[CAUSE_N])
{
	const struct profile *p = d->f->p;
	struct spans one[CAUSE_N] = { { 0 } }, sum = { 0 };

	if (tr->layer == LAYER_PYTHON)
		add_frames(d, tr, one);
	for (ev_id e = tr->first; tr->layer != LAYER_PYTHON && e < tr->first + tr->count; e++)
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
static bool of_all_threads(const struct profile *p, const struct track *tr)
{
	return tr->thread != ID_NONE && p->threads[tr->thread].pid < 0;
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

static const struct spans *causes_of(struct host_causes *d, thread_id t)
{
	const struct profile *p = d->f->p;
	struct thread_idle *ti = &d->threads[t];

	if (!ti->made) {
		ti->made = true;
		for (unsigned l = 0; l < LAYER_KERNEL; l++) {
			uint32_t n;
			const track_id *tracks = facts_thread_tracks(d->f, t, (enum layer)l, &n);

			for (uint32_t i = 0; i < n; i++)
				add_track(d, &p->tracks[tracks[i]], ti->of);
		}
		for (track_id i = p->layer_track[LAYER_OVERHEAD]; i < p->layer_track[LAYER_OVERHEAD + 1]; i++)
			if (p->tracks[i].thread != t && of_all_threads(p, &p->tracks[i]))
				add_track(d, &p->tracks[i], ti->of);
		make_exclusive(ti->of);
	}
	return ti->of;
}

enum idle_cause host_cause_at(struct host_causes *d, thread_id t, ns_t at)
{
	const struct spans *of = t < d->f->p->n_threads ? causes_of(d, t) : NULL;

	for (int c = 0; of && c < CAUSE_UNTRACED; c++)
		if (spans_contain(&of[c], at))
			return (enum idle_cause)c;
	return CAUSE_UNTRACED;
}

void host_causes_add(struct host_causes *d, thread_id t, ns_t start, ns_t end, ns_t out[CAUSE_N])
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
