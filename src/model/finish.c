/* finish.c - from a filled builder to an immutable profile: order, nest, link, freeze. See builder.h, profile.h. */
#include <limits.h>
#include <string.h>

#include "base/par.h"
#include "model/builder_impl.h"
#include "model/link.h"
#include "model/nest.h"

/* Tracks by layer, then host threads in order of pid and tid, streams by device, context, stream. */
static int track_cmp(const void *pa, const void *pb)
{
	const struct raw_track *const *ra = pa, *const *rb = pb;
	const struct track *a = &(*ra)->key, *b = &(*rb)->key;
	const int64_t x[] = { a->layer, a->pid, a->device, a->context, a->stream, a->thread, a->domain, (int64_t)a->link_group };
	const int64_t y[] = { b->layer, b->pid, b->device, b->context, b->stream, b->thread, b->domain, (int64_t)b->link_group };

	for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return *ra < *rb ? -1 : 1;
}

/* What the threads that place tracks share. */
struct placing {
	struct profile *p;
	struct linker *ln;
	struct raw_track **order;	/* in track order */
	const track_id *by_size;	/* the long ones first: they are what one waits for */
	bool consume;
};

static bool in_order(const struct raw_track *r)
{
	for (size_t i = 1; i < r->ev.n; i++) {
		const struct raw_event *a = &r->ev.a[i - 1], *b = &r->ev.a[i];

		if (a->start > b->start || (a->start == b->start && a->dur < b->dur))
			return false;
	}
	return true;
}

/* The positions in order; NULL if that is how they lie. The caller frees. */
static struct sort_key *ordered_keys(const struct raw_track *r)
{
	struct sort_key *k, *tmp;

	if (in_order(r))
		return NULL;
	k = xreallocarray(NULL, r->ev.n, sizeof(*k));
	tmp = xreallocarray(NULL, r->ev.n / 2 + 1, sizeof(*tmp));
	for (size_t i = 0; i < r->ev.n; i++)
		k[i] = (struct sort_key){ r->ev.a[i].start, r->ev.a[i].start + r->ev.a[i].dur, (uint32_t)i };
	sort_keys(k, tmp, (uint32_t)r->ev.n);
	free(tmp);
	return k;
}

/* Copies one track into the columns in track order, tells the linker, and nests it. */
static void place_track(void *arg, size_t piece)
{
	const struct placing *pl = arg;
	struct profile *p = pl->p;
	track_id t = pl->by_size[piece];
	struct raw_track *r = pl->order[t];
	struct track *tr = &p->tracks[t];
	struct sort_key *k = ordered_keys(r);
	struct nest_result nr;
	ev_id first = tr->first;

	for (uint32_t i = 0; i < tr->count; i++) {
		const struct raw_event *e = &r->ev.a[k ? k[i].pos : i];

		p->start[first + i] = e->start;
		p->dur[first + i] = e->dur;
		p->name[first + i] = e->name;
		p->aux[first + i] = e->aux;
		linker_event(pl->ln, p, tr, first + i, e->corr, e->ext);
	}
	free(k);
	if (pl->consume)
		VEC_FREE(&r->ev);
	nr = nest_track(p->start + first, p->dur + first, tr->count, first, p->self + first, p->parent + first);
	tr->overlaps = nr.overlaps;
	tr->depth_max = nr.depth_max;
}

static void alloc_columns(struct profile *p)
{
	p->start = xreallocarray(NULL, p->n, sizeof(*p->start));
	p->dur = xreallocarray(NULL, p->n, sizeof(*p->dur));
	p->self = xreallocarray(NULL, p->n, sizeof(*p->self));
	p->name = xreallocarray(NULL, p->n, sizeof(*p->name));
	p->parent = xreallocarray(NULL, p->n, sizeof(*p->parent));
	p->link = xreallocarray(NULL, p->n, sizeof(*p->link));
	p->aux = xreallocarray(NULL, p->n, sizeof(*p->aux));
}

static void time_range(struct profile *p)
{
	p->first_ns = INT64_MAX;
	p->last_ns = INT64_MIN;
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];

		if (!layer_counts_for_range(tr->layer) || !tr->count)
			continue;
		if (p->start[tr->first] < p->first_ns)
			p->first_ns = p->start[tr->first];
		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			if (ev_end(p, e) > p->last_ns)
				p->last_ns = ev_end(p, e);
	}
}

/* Where each track begins, and each layer. */
static void lay_out(struct profile *p, struct raw_track **order)
{
	ev_id first = 0;
	track_id t = 0;

	for (unsigned l = 0; l < LAYER_N; l++) {
		p->layer_track[l] = t;
		p->layer_first[l] = first;
		for (; t < p->n_tracks && order[t]->key.layer == l; t++) {
			p->tracks[t] = order[t]->key;
			p->tracks[t].first = first;
			p->tracks[t].count = (uint32_t)order[t]->ev.n;
			first += p->tracks[t].count;
		}
		p->layer_track[l + 1] = t;
		p->layer_first[l + 1] = first;
	}
}

struct sized {
	uint32_t count;
	track_id track;
};

static int sized_cmp(const void *pa, const void *pb)
{
	const struct sized *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->track < b->track ? -1 : 1;
}

static track_id *tracks_by_size(const struct profile *p)
{
	struct sized *s = xreallocarray(NULL, p->n_tracks, sizeof(*s));
	track_id *t = xreallocarray(NULL, p->n_tracks, sizeof(*t));

	for (track_id i = 0; i < p->n_tracks; i++)
		s[i] = (struct sized){ p->tracks[i].count, i };
	if (p->n_tracks)
		qsort(s, p->n_tracks, sizeof(*s), sized_cmp);
	for (track_id i = 0; i < p->n_tracks; i++)
		t[i] = s[i].track;
	free(s);
	return t;
}

#define PARALLEL_FROM 20000	/* fewer events are sorted before a thread has begun */

static void place_tracks(struct profile *p, struct builder *b, bool consume)
{
	struct raw_track **order = xreallocarray(NULL, b->tracks.n, sizeof(*order));
	unsigned workers = p->n < PARALLEL_FROM ? 1 : par_workers(b->workers);
	struct placing pl = { .p = p, .order = order, .consume = consume };
	track_id *by_size;

	for (size_t i = 0; i < b->tracks.n; i++)
		order[i] = &b->tracks.a[i];
	if (b->tracks.n)
		qsort(order, b->tracks.n, sizeof(*order), track_cmp);
	lay_out(p, order);
	by_size = tracks_by_size(p);
	pl.by_size = by_size;
	pl.ln = linker_new(p);
	par_each(workers, p->n_tracks, place_track, &pl);
	linker_finish(pl.ln, p, workers);
	free(by_size);
	free(order);
}

#define COPY_TABLE(p, dst, cnt, src) do {						\
	(p)->dst = xreallocarray(NULL, (src).n, sizeof(*(src).a));			\
	(p)->cnt = (uint32_t)(src).n;							\
	if ((src).n)									\
		memcpy((p)->dst, (src).a, (src).n * sizeof(*(src).a));			\
} while (0)

static void copy_tables(struct profile *p, const struct builder *b)
{
	COPY_TABLE(p, threads, n_threads, b->threads);
	COPY_TABLE(p, processes, n_processes, b->processes);
	COPY_TABLE(p, devices, n_devices, b->devices);
	COPY_TABLE(p, copies, n_copies, b->copies);
	COPY_TABLE(p, kernels, n_kernels, b->kernels);
	COPY_TABLE(p, collectives, n_collectives, b->collectives);
	COPY_TABLE(p, op_details, n_op_details, b->op_details);
	COPY_TABLE(p, ums, n_ums, b->ums);
	COPY_TABLE(p, frames, n_frames, b->frames);
	COPY_TABLE(p, frame_lines, n_frame_lines, b->frame_lines);
	COPY_TABLE(p, frame_samples, n_frame_samples, b->frame_samples);
	COPY_TABLE(p, damages, n_damages, b->damages);
	COPY_TABLE(p, contents, n_contents, b->contents);
	COPY_TABLE(p, options, n_options, b->options);
	p->notes = xcalloc(b->notes.n, sizeof(*p->notes));
	p->n_notes = (uint32_t)b->notes.n;
	for (size_t i = 0; i < b->notes.n; i++)
		p->notes[i] = xstrdup(b->notes.a[i]);
	p->format = b->format;
	p->producer = b->producer;
	p->version = b->version;
	p->bytes = b->bytes;
	p->epoch_ns = b->epoch_ns;
	p->rank = b->rank;
	p->world = b->world;
	p->sampled_wall_ns = b->sampled_wall_ns;
	p->sampled_cpu_ns = b->sampled_cpu_ns;
}

static void freeze_strings(struct profile *p, struct builder *b, bool consume)
{
	struct strtab *s = &b->str;

	p->n_strs = s->n;
	if (consume) {
		p->str_blob = s->blob;
		p->str_off = s->off;
		s->blob = NULL;
		s->off = NULL;
		strtab_fini(s);
		return;
	}
	p->str_blob = xmalloc(s->blob_len);
	p->str_off = xreallocarray(NULL, (size_t)s->n + 1, sizeof(*p->str_off));
	if (s->n) {
		memcpy(p->str_blob, s->blob, s->blob_len);
		memcpy(p->str_off, s->off, ((size_t)s->n + 1) * sizeof(*p->str_off));
	}
}

static void derive_caps(struct profile *p, unsigned caps)
{
	static const struct { enum layer layer; unsigned cap; } table[] = {
		{ LAYER_OP, CAP_OPS }, { LAYER_RUNTIME, CAP_RUNTIME }, { LAYER_PYTHON, CAP_PYTHON }, { LAYER_SYNC, CAP_SYNC },
		{ LAYER_KERNEL, CAP_GPU }, { LAYER_MEMCPY, CAP_GPU }, { LAYER_MEMSET, CAP_GPU }, { LAYER_NVTX, CAP_NVTX },
		{ LAYER_NVTX_SE, CAP_NVTX },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (p->layer_first[table[i].layer] < p->layer_first[table[i].layer + 1])
			caps |= table[i].cap;
	p->caps = caps | (p->n_frames ? CAP_SAMPLES : 0);
}

static void add_missing_devices(struct builder *b)
{
	struct map known = { 0 };

	for (size_t d = 0; d < b->devices.n; d++)
		map_put(&known, (uint64_t)b->devices.a[d].device, 0, 0);
	for (size_t i = 0; i < b->tracks.n; i++) {
		const struct track *k = &b->tracks.a[i].key;

		if (!layer_on_gpu(k->layer) || k->layer == LAYER_COUNTER || map_find(&known, (uint64_t)k->device, 0) != MAP_NONE)
			continue;
		VEC_PUSH(&b->devices, (struct device){ .device = k->device, .name = ID_NONE, .board = -1 });
		map_put(&known, (uint64_t)k->device, 0, 0);
	}
	map_fini(&known);
}

static struct profile *freeze(struct builder *b, bool consume)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	add_missing_devices(b);
	p->refs = 1;
	p->n = (uint32_t)b->n_events;
	p->n_tracks = (uint32_t)b->tracks.n;
	p->tracks = xcalloc(p->n_tracks, sizeof(*p->tracks));
	alloc_columns(p);
	copy_tables(p, b);
	freeze_strings(p, b, consume);
	place_tracks(p, b, consume);
	time_range(p);
	derive_caps(p, b->caps);
	return p;
}

struct profile *builder_snapshot(struct builder *b, bool partial)
{
	struct profile *p = freeze(b, false);

	p->partial = partial;
	return p;
}

struct profile *builder_finish(struct builder *b)
{
	return freeze(b, true);
}
