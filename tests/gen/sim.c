/* The machine: threads with a clock, streams in order, two copy engines.  A kernel starts no
 * earlier than its launch, work of a stream runs in order, a wait lasts until the device is done.
 */
#include "gen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("tracegen: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(3);
}

void *gen_grow(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 64;
	p = realloc(p, *cap * size);
	if (!p)
		die("out of memory");
	return p;
}

struct ev *evs_add(struct evs *s)
{
	struct ev *e;

	s->v = gen_grow(s->v, s->n, &s->cap, sizeof(*s->v));
	e = &s->v[s->n++];
	memset(e, 0, sizeof(*e));
	e->parent = -1;
	return e;
}

const char *run_str(struct run *r, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	char *copy_of;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	copy_of = strdup(buf);
	if (!copy_of)
		die("out of memory");
	r->strings = gen_grow(r->strings, r->nstrings, &r->cap_strings, sizeof(*r->strings));
	r->strings[r->nstrings++] = copy_of;
	return copy_of;
}

void run_init(struct run *r, const struct gen_opts *opt)
{
	memset(r, 0, sizeof(*r));
	r->opt = *opt;
	r->rng = opt->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	r->next_ext = 1;
	r->next_corr = GEN_FIRST_CORR;
	r->next_seq = 40;
	r->host_percent = 100;
}

void run_free(struct run *r)
{
	free(r->ops.v);
	free(r->annots.v);
	free(r->calls.v);
	free(r->pys.v);
	free(r->kernels.v);
	free(r->copies.v);
	free(r->sets.v);
	free(r->syncs.v);
	free(r->records.v);
	free(r->nvtx.v);
	for (size_t i = 0; i < r->nstrings; i++)
		free(r->strings[i]);
	free(r->strings);
	free(r->fetched);
	memset(r, 0, sizeof(*r));
}

uint64_t run_random(struct run *r, uint64_t below)
{
	uint64_t z = (r->rng += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % below;
}

ns_t run_jitter(struct run *r, ns_t base, int percent)
{
	ns_t span = base * percent / 100;

	if (span < 1)
		return base;
	return base - span + (ns_t)run_random(r, (uint64_t)(2 * span + 1));
}

void host(struct run *r, enum gen_thread th, ns_t base)
{
	r->th[th].now += run_jitter(r, base * r->host_percent / 100, 20);
}

static struct ev *begin(struct run *r, enum gen_thread th, struct evs *vec)
{
	struct thread_state *t = &r->th[th];
	struct ev *e = evs_add(vec);

	if (t->depth == GEN_MAX_DEPTH)
		die("nesting too deep");
	t->open[t->depth++] = (struct open_ev){ vec, vec->n - 1 };
	e->start = t->now;
	e->end = -1;
	e->thread = (int)th;
	t->now += 100 + (ns_t)run_random(r, 200);
	return e;
}

void end(struct run *r, enum gen_thread th)
{
	struct thread_state *t = &r->th[th];
	struct open_ev o = t->open[--t->depth];

	t->now += 100 + (ns_t)run_random(r, 250);
	o.vec->v[o.index].end = t->now;
	t->now += 40 + (ns_t)run_random(r, 60);
}

/* External id of the innermost op or annotation: what Kineto writes on calls and GPU work; 0 =
 * none. */
static int64_t innermost_ext(const struct run *r, enum gen_thread th)
{
	const struct thread_state *t = &r->th[th];

	for (int i = t->depth - 1; i >= 0; i--)
		if (t->open[i].vec == &r->ops || t->open[i].vec == &r->annots)
			return t->open[i].vec->v[t->open[i].index].ext;
	return 0;
}

void op_begin(struct run *r, enum gen_thread th, const char *name, int64_t seq)
{
	struct ev *e = begin(r, th, &r->ops);

	e->name = name;
	e->seq = seq;
	e->ext = r->next_ext++;
	host(r, th, 900);
}

void annot_begin(struct run *r, enum gen_annot kind, const char *name, const char *nvtx)
{
	struct ev *e = begin(r, TH_MAIN, &r->annots);

	e->kind = (int)kind;
	e->name = name;
	e->alt = nvtx;
	e->ext = r->next_ext++;
}

static int open_py(const struct run *r, enum gen_thread th)
{
	const struct thread_state *t = &r->th[th];

	for (int i = t->depth - 1; i >= 0; i--)
		if (t->open[i].vec == &r->pys)
			return (int)t->open[i].index;
	return -1;
}

void py_begin(struct run *r, enum gen_thread th, enum gen_py kind, const char *file, int line,
	const char *func)
{
	int parent = open_py(r, th);
	struct ev *e = begin(r, th, &r->pys);

	e->kind = (int)kind;
	e->file = file;
	e->line = line;
	e->alt = func;
	e->parent = parent;
	e->name = kind == PY_MODULE ? run_str(r, "nn.Module: %s", func)
				    : run_str(r, "%s(%d): %s", file, line, func);
	host(r, th, 700);
}

void py_builtin(struct run *r, enum gen_thread th, const char *torch_name, const char *func)
{
	int parent = open_py(r, th);
	struct ev *e = begin(r, th, &r->pys);

	e->kind = PY_FRAME;
	e->file = "<built-in>";
	e->alt = func;
	e->parent = parent;
	e->name = torch_name;
}

static size_t call_begin(struct run *r, enum gen_thread th, enum gen_api api)
{
	int64_t ext = innermost_ext(r, th);
	struct ev *e = begin(r, th, &r->calls);

	e->def = (int)api;
	e->ext = ext;
	e->corr = r->next_corr++;
	return r->calls.n - 1;
}

size_t call_plain(struct run *r, enum gen_thread th, enum gen_api api, ns_t dur)
{
	size_t i = call_begin(r, th, api);

	host(r, th, dur);
	end(r, th);
	return i;
}

/* Lazy loading: the first launch of a kernel loads its library inside the launch call (driver in
 * runtime). */
static void lazy_load(struct run *r, enum gen_thread th, enum gen_kernel k)
{
	if (!r->loaded[k]) {
		call_plain(r, th, API_LIB_LOAD, 620000);
		call_plain(r, th, API_KERNEL_FUNC, 9000);
		r->loaded[k] = true;
	} else if (run_random(r, 40) == 0) {
		call_plain(r, th, API_KERNEL_FUNC, 1300);
	}
}

const struct ev *run_call(const struct run *r, int64_t corr)
{
	int64_t i = corr - GEN_FIRST_CORR; /* calls are numbered in their own order */

	return i >= 0 && i < (int64_t)r->calls.n ? &r->calls.v[i] : NULL;
}

static ns_t later(ns_t a, ns_t b)
{
	return a > b ? a : b;
}

void launch(struct run *r, enum gen_thread th, enum gen_api api, enum gen_kernel k,
	enum gen_stream st, ns_t dur)
{
	size_t i = call_begin(r, th, api);
	bool first = !r->loaded[k];
	struct ev *e, *c;
	ns_t ready;

	host(r, th, 1100);
	lazy_load(r, th, k);
	host(r, th, 1400);
	end(r, th);
	c = &r->calls.v[i];
	ready = first ? c->end : c->start + 1900 + (ns_t)run_random(r, 900);
	e = evs_add(&r->kernels);
	e->def = (int)k;
	e->stream = (int)st;
	e->thread = (int)th;
	e->corr = c->corr;
	e->ext = c->ext;
	e->start = later(ready, r->stream_ready[st] + 700 + (ns_t)run_random(r, 500));
	e->end = e->start + run_jitter(r, dur, 4);
	r->stream_ready[st] = e->end;
}

static ns_t copy_duration(enum gen_copy kind, enum gen_mem src, int64_t bytes)
{
	if (kind == COPY_DTOD)
		return 1100 + bytes / 1300;
	if (src == MEM_PAGEABLE)
		return 1900 + bytes / 9;
	return 1300 + bytes / (kind == COPY_HTOD ? 26 : 22);
}

void copy(struct run *r, enum gen_thread th, enum gen_copy kind, enum gen_mem src, enum gen_mem dst,
	int64_t bytes, enum gen_stream st)
{
	size_t i = call_begin(r, th, API_MEMCPY);
	struct ev *e, *c;

	host(r, th, 2000);
	if (kind == COPY_HTOD && run_random(r, 6) == 0)
		call_plain(r, th, API_CU_HTOD, 1500);
	host(r, th, src == MEM_PAGEABLE || dst == MEM_PAGEABLE ? 8000 : 1700);
	end(r, th);
	c = &r->calls.v[i];
	e = evs_add(&r->copies);
	e->kind = (int)kind;
	e->src = (int)src;
	e->dst = (int)dst;
	e->bytes = bytes;
	e->stream = (int)st;
	e->thread = (int)th;
	e->corr = c->corr;
	e->ext = c->ext;
	e->start = later(c->start + 2100 + (ns_t)run_random(r, 600), r->stream_ready[st] + 900);
	e->start = later(e->start, r->engine_ready[kind] + 400 + (ns_t)run_random(r, 300));
	e->end = e->start + run_jitter(r, copy_duration(kind, src, bytes), 3);
	r->stream_ready[st] = r->engine_ready[kind] = e->end;
}

void set_memory(struct run *r, enum gen_thread th, int64_t bytes, enum gen_stream st)
{
	size_t i = call_plain(r, th, API_MEMSET, 2600);
	struct ev *c = &r->calls.v[i], *e = evs_add(&r->sets);

	e->bytes = bytes;
	e->stream = (int)st;
	e->thread = (int)th;
	e->corr = c->corr;
	e->ext = c->ext;
	e->start = later(c->start + 2000, r->stream_ready[st] + 800);
	e->end = e->start + 900 + bytes / 1900;
	r->stream_ready[st] = e->end;
}

static void blocking(
	struct run *r, enum gen_thread th, enum gen_api api, enum gen_sync kind, int st, ns_t ready)
{
	size_t i = call_begin(r, th, api);
	struct thread_state *t = &r->th[th];
	struct ev *e;

	host(r, th, 1200);
	t->now = later(t->now, ready + 1500 + (ns_t)run_random(r, 900));
	end(r, th);
	e = evs_add(&r->syncs);
	e->kind = (int)kind;
	e->stream = st;
	e->corr = r->calls.v[i].corr;
	e->ext = r->calls.v[i].ext;
	e->start = r->calls.v[i].start + 280;
	e->end = r->calls.v[i].end - 170;
}

void sync_stream(struct run *r, enum gen_thread th, enum gen_stream st)
{
	blocking(r, th, API_STREAM_SYNC, SYNC_STREAM, (int)st, r->stream_ready[st]);
}

void sync_event(struct run *r, enum gen_thread th, ns_t ready)
{
	blocking(r, th, API_EVENT_SYNC, SYNC_EVENT, -1, ready);
}

void sync_device(struct run *r, enum gen_thread th)
{
	ns_t ready = 0;

	for (int i = 0; i < ST_COUNT; i++)
		ready = later(ready, r->stream_ready[i]);
	blocking(r, th, API_DEVICE_SYNC, SYNC_CONTEXT, -1, ready);
}

ns_t event_record(struct run *r, enum gen_thread th, enum gen_stream st)
{
	call_plain(r, th, API_EVENT_RECORD, 700);
	return later(r->stream_ready[st], r->th[th].now);
}

void stream_wait(struct run *r, enum gen_thread th, enum gen_stream st, ns_t ready)
{
	size_t i = call_plain(r, th, API_STREAM_WAIT, 900);
	struct ev *c = &r->calls.v[i], *e = evs_add(&r->syncs);

	e->kind = SYNC_STREAM_WAIT;
	e->stream = (int)st;
	e->corr = c->corr;
	e->ext = c->ext;
	e->start = c->start + 210;
	e->end = c->end - 120;
	r->stream_ready[st] = later(r->stream_ready[st], ready);
}
