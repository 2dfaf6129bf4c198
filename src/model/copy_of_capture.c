/* copy_of_capture.c - sources of one capture, and names from one for the other; see copy_of_capture.h */
#include "model/copy_of_capture.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/vec.h"

#define SAMPLES 128	/* events of a layer that are looked for */
#define HITS_MIN 2

/* ---- the same capture ---- */

static bool has_event(const struct profile *p, enum layer l, ns_t start, ns_t dur)
{
	for (track_id t = p->layer_track[l]; t < p->layer_track[l + 1]; t++) {
		const struct track *tr = &p->tracks[t];

		for (ev_id e = track_lower_bound(p, tr, start); e < tr->first + tr->count && p->start[e] == start; e++)
			if (p->dur[e] == dur)
				return true;
	}
	return false;
}

/* Events of a that b has, too. */
static bool found_in(const struct profile *a, const struct profile *b)
{
	static const enum layer layers[] = { LAYER_KERNEL, LAYER_RUNTIME, LAYER_NVTX, LAYER_OSRT };
	uint32_t looked = 0, hits = 0;

	for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++) {
		ev_id first = a->layer_first[layers[i]];
		uint32_t n = a->layer_first[layers[i] + 1] - first, by = n / SAMPLES + 1;

		/* what the other has nothing of says nothing */
		if (b->layer_first[layers[i]] == b->layer_first[layers[i] + 1])
			continue;
		for (uint32_t k = 0; k < n; k += by, looked++)
			hits += has_event(b, layers[i], a->start[first + k], a->dur[first + k]);
	}
	return hits >= HITS_MIN && 2 * hits >= looked;
}

bool twin_same_run(const struct profile *a, const struct profile *b)
{
	return found_in(a, b) || found_in(b, a);
}

/* ---- the same run of a sampler ---- */

static bool of_pyinstrument(const struct profile *p)
{
	size_t n;
	const char *s = profile_str(p, p->producer, &n);

	return source_format_pyi(p->format) && n == 12 && memcmp(s, "pyinstrument", 12) == 0;
}

static bool known_samples(const struct profile *p, uint64_t *count)
{
	size_t n;

	for (uint32_t i = 0; i < p->n_contents; i++) {
		const char *s = profile_str(p, p->contents[i].what, &n);

		if (n != 7 || memcmp(s, "samples", 7) != 0)
			continue;
		*count = p->contents[i].count;
		return true;
	}
	return false;
}

static bool apart(ns_t a, ns_t b, ns_t most)
{
	ns_t d;

	return __builtin_sub_overflow(a, b, &d) || d > most || d < -most;
}

bool twin_same_sampling(const struct profile *a, const struct profile *b)
{
	bool text = a->format == FORMAT_PYI_TEXT || b->format == FORMAT_PYI_TEXT;
	uint64_t n, m;

	if (!of_pyinstrument(a) || !of_pyinstrument(b) || a->sampled_wall_ns < 0 || b->sampled_wall_ns < 0)
		return false;
	if (apart(a->sampled_wall_ns, b->sampled_wall_ns, text ? 1000000 : 1000))
		return false;
	if (a->epoch_ns != NS_UNKNOWN && b->epoch_ns != NS_UNKNOWN && apart(a->epoch_ns, b->epoch_ns, 1000000))
		return false;
	return !known_samples(a, &n) || !known_samples(b, &m) || n == m;
}

/* ---- names ---- */

static const char unnamed[] = "(unnamed)";

struct repair {
	const struct profile *cut, *whole;
	struct map fresh;	/* string of whole -> index into added */
	VEC(str_id) added;	/* strings of whole */
	str_id *name;		/* the column */
	uint32_t repaired, left;
};

static bool fits(const struct repair *r, ev_id cut, ev_id whole)
{
	size_t n, m;
	const char *s = profile_str(r->cut, r->cut->name[cut], &n);
	const char *w = profile_str(r->whole, r->whole->name[whole], &m);

	return r->whole->name[whole] < r->whole->n_strs && (memmem(w, m, s, n) ||
		(n == sizeof(unnamed) - 1 && memcmp(s, unnamed, n) == 0));
}

/* The better of two candidates: equal start, then equal length. */
static unsigned score(const struct repair *r, ev_id cut, ev_id whole)
{
	return 1u + 2u * (r->cut->start[cut] == r->whole->start[whole]) + (r->cut->dur[cut] == r->whole->dur[whole]);
}

static void consider(const struct repair *r, ev_id cut, ev_id e, ev_id *best, unsigned *best_score)
{
	unsigned sc = fits(r, cut, e) ? score(r, cut, e) : 0;

	if (sc <= *best_score)
		return;
	*best_score = sc;
	*best = e;
}

/* The call of `whole` that is the given one: the same thread, as far as known of the same process, and start. */
static ev_id same_call(const struct repair *r, ev_id call)
{
	const struct profile *w = r->whole, *c = r->cut;
	const struct thread *th = &c->threads[c->tracks[profile_track_of(c, call)].thread];

	for (track_id t = w->layer_track[LAYER_RUNTIME]; t < w->layer_track[LAYER_RUNTIME + 1]; t++) {
		const struct track *tr = &w->tracks[t];
		const struct thread *o = &w->threads[tr->thread];
		ev_id e;

		if (o->tid != th->tid || (th->pid >= 0 && o->pid != th->pid))
			continue;
		e = track_lower_bound(w, tr, c->start[call]);
		if (e < tr->first + tr->count && w->start[e] == c->start[call])
			return e;
	}
	return ID_NONE;
}

/* Among the kernels of one launch (a graph has many) start or length must say which. */
static ev_id by_launch(const struct repair *r, ev_id cut)
{
	ev_id call = r->cut->link[cut] == ID_NONE ? ID_NONE : same_call(r, r->cut->link[cut]), best = ID_NONE;
	unsigned best_score = 0;
	uint32_t first, n;

	if (call == ID_NONE)
		return ID_NONE;
	n = profile_launched_by(r->whole, call, &first);
	for (uint32_t i = first; i < first + n; i++)
		if (r->whole->by_launch[i] >= r->whole->layer_first[LAYER_KERNEL] &&
		    r->whole->by_launch[i] < r->whole->layer_first[LAYER_KERNEL + 1])
			consider(r, cut, r->whole->by_launch[i], &best, &best_score);
	return n > 1 && best_score < 2 ? ID_NONE : best;
}

static ev_id by_stream(const struct repair *r, const struct track *tr, ev_id cut)
{
	const struct profile *w = r->whole;
	ns_t start = r->cut->start[cut];
	ev_id best = ID_NONE;
	unsigned best_score = 0;

	for (track_id t = w->layer_track[LAYER_KERNEL]; t < w->layer_track[LAYER_KERNEL + 1]; t++) {
		const struct track *o = &w->tracks[t];

		if (o->device != tr->device || o->stream != tr->stream)
			continue;
		for (ev_id e = track_lower_bound(w, o, start); e < o->first + o->count && w->start[e] == start; e++)
			consider(r, cut, e, &best, &best_score);
	}
	return best;
}

static void repair_kernel(struct repair *r, const struct track *tr, ev_id cut)
{
	ev_id e = by_launch(r, cut);
	uint32_t i;

	if (e == ID_NONE)
		e = by_stream(r, tr, cut);
	if (e == ID_NONE) {
		r->left += profile_name_short(r->cut, r->cut->name[cut]);
		return;
	}
	i = map_get_or_put(&r->fresh, r->whole->name[e], 0, (uint32_t)r->added.n);
	if (i == r->added.n)
		VEC_PUSH(&r->added, r->whole->name[e]);
	r->name[cut] = r->cut->n_strs + i;
	r->repaired++;
}

/* ---- the profile ---- */

static void add_strings(struct profile *d, const struct repair *r)
{
	const struct profile *p = r->cut;
	uint64_t at = p->n_strs ? p->str_off[p->n_strs] : 0, size = at;
	size_t n;

	for (size_t i = 0; i < r->added.n; i++) {
		profile_str(r->whole, r->added.a[i], &n);
		size += n + 1;
	}
	d->n_repaired = (uint32_t)r->added.n;
	d->n_strs = p->n_strs + d->n_repaired;
	d->str_blob = xmalloc(size);
	d->str_off = xreallocarray(NULL, (size_t)d->n_strs + 1, sizeof(*d->str_off));
	d->str_off[0] = 0;
	if (p->n_strs) {
		memcpy(d->str_blob, p->str_blob, at);
		memcpy(d->str_off, p->str_off, ((size_t)p->n_strs + 1) * sizeof(*d->str_off));
	}
	for (size_t i = 0; i < r->added.n; i++) {
		const char *s = profile_str(r->whole, r->added.a[i], &n);

		memcpy(d->str_blob + at, s, n);
		d->str_blob[at + n] = '\0';
		at += n + 1;
		d->str_off[p->n_strs + i + 1] = at;
	}
}

static struct profile *renamed(struct profile *cut, const struct repair *r, const char *path)
{
	struct profile *d = xmalloc(sizeof(*d));

	memcpy(d, cut, sizeof(*d));
	atomic_init(&d->refs, 1);
	d->base = profile_ref(cut);
	d->name = r->name;
	add_strings(d, r);
	d->notes = xcalloc((size_t)cut->n_notes + 1, sizeof(*d->notes));
	for (uint32_t i = 0; i < cut->n_notes; i++)
		d->notes[i] = xstrdup(cut->notes[i]);
	d->n_notes = cut->n_notes + 1;
	d->notes[cut->n_notes] = xasprintf(ngettext("%" PRIu32 " kernel name was repaired from %s, %" PRIu32 " stay truncated",
		"%" PRIu32 " kernel names were repaired from %s, %" PRIu32 " stay truncated", r->repaired),
		r->repaired, path, r->left);
	return d;
}

struct profile *twin_repair(struct profile *cut, const struct profile *whole, const char *whole_path)
{
	struct repair r = { .cut = cut, .whole = whole };
	struct profile *d = NULL;

	r.name = xreallocarray(NULL, cut->n, sizeof(*r.name));
	if (cut->n)
		memcpy(r.name, cut->name, cut->n * sizeof(*r.name));
	for (track_id t = cut->layer_track[LAYER_KERNEL]; t < cut->layer_track[LAYER_KERNEL + 1]; t++)
		for (ev_id e = cut->tracks[t].first; e < cut->tracks[t].first + cut->tracks[t].count; e++)
			repair_kernel(&r, &cut->tracks[t], e);
	if (r.repaired)
		d = renamed(cut, &r, whole_path);
	else
		free(r.name);
	map_fini(&r.fresh);
	VEC_FREE(&r.added);
	return d;
}
