/* profile.c - reading a frozen profile, see profile.h */
#include "model/profile.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/pages.h"
#include "base/search.h"
#include "base/work.h"

struct profile *profile_ref(struct profile *p)
{
	if (p)
		atomic_fetch_add(&p->refs, 1);
	return p;
}

static void free_columns(struct profile *p)
{
	pages_free(p->start, p->n * sizeof(*p->start));
	pages_free(p->dur, p->n * sizeof(*p->dur));
	pages_free(p->self, p->n * sizeof(*p->self));
	pages_free(p->name, p->n * sizeof(*p->name));
	pages_free(p->parent, p->n * sizeof(*p->parent));
	pages_free(p->link, p->n * sizeof(*p->link));
	pages_free(p->aux, p->n * sizeof(*p->aux));
	free(p->by_launch);
}

/* Of a mapped profile only these two are its own; the texts of the notes lie in the map. */
static void free_mapped(struct profile *p)
{
	free(p->damages);
	free(p->notes);
	guard_unmap(p->map, p->map_bytes, 0);
	free(p);
}

/* See `base` in profile.h; a map is that of the base. */
static void free_copy(struct profile *p)
{
	if (p->name != p->base->name)
		free(p->name);
	free(p->str_blob);
	free(p->str_off);
	for (uint32_t i = 0; i < p->n_notes; i++)
		free(p->notes[i]);
	free(p->notes);
	profile_unref(p->base);
	free(p);
}

void profile_unref(struct profile *p)
{
	if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
		return;
	if (p->base) {
		free_copy(p);
		return;
	}
	if (p->map) {
		free_mapped(p);
		return;
	}
	free_columns(p);
	free(p->tracks);
	free(p->threads);
	free(p->processes);
	free(p->devices);
	free(p->copies);
	free(p->kernels);
	free(p->collectives);
	free(p->op_details);
	free(p->ums);
	free(p->event_waits);
	free(p->frames);
	free(p->frame_lines);
	free(p->frame_samples);
	free(p->reports.launches);
	free(p->reports.metrics);
	free(p->reports.instances);
	free(p->reports.lines);
	free(p->reports.rules);
	free(p->reports.roofs);
	free(p->memory.series);
	free(p->memory.entries);
	free(p->memory.segments);
	free(p->memory.blocks);
	free(p->memory.frames);
	free(p->memory.stacks);
	free(p->memory.stack_frames);
	free(p->memory.marks);
	free(p->str_blob);
	free(p->str_off);
	free(p->damages);
	free(p->contents);
	free(p->options);
	free(p->cmdlines);
	for (uint32_t i = 0; i < p->n_notes; i++)
		free(p->notes[i]);
	free(p->notes);
	free(p);
}

const char *profile_str(const struct profile *p, str_id id, size_t *n)
{
	if (id >= p->n_strs) {
		*n = 0;
		return "";
	}
	*n = p->str_off[id + 1] - p->str_off[id] - 1;
	return p->str_blob + p->str_off[id];
}

bool profile_name_short(const struct profile *p, str_id id)
{
	size_t n;
	const char *s = profile_str(p, id, &n);

	if (!(p->caps & CAP_SHORT_NAMES) || id >= p->n_strs - p->n_repaired)
		return false;
	return !memchr(s, '(', n) && !memchr(s, '<', n) && !(n > 2 && memcmp(s, "_Z", 2) == 0);
}

str_id profile_str_find(const struct profile *p, const char *s, size_t n)
{
	for (str_id id = 0; id < p->n_strs; id++) {
		size_t len;
		const char *x = profile_str(p, id, &len);

		if (len == n && !memcmp(x, s, n))
			return id;
	}
	return ID_NONE;
}

track_id profile_track_of(const struct profile *p, ev_id e)
{
	track_id i;

	/* the last track with first <= e and count > 0; empty tracks share their first with the next one */
	LOWER_BOUND(i, 1, p->n_tracks, p->tracks[i].first <= e);
	while (--i && !p->tracks[i].count)
		;
	return i;
}

/* The tracks of a layer are in order of process, then of thread: whether one stands before all those of thread t. */
static bool track_before(const struct track *tr, int64_t pid, thread_id t)
{
	return tr->pid != pid ? tr->pid < pid : tr->thread < t;
}

track_id profile_host_tracks(const struct profile *p, enum layer l, thread_id t, uint32_t *n)
{
	track_id i, end;

	LOWER_BOUND(i, p->layer_track[l], p->layer_track[l + 1], track_before(&p->tracks[i], p->threads[t].pid, t));
	for (end = i; end < p->layer_track[l + 1] && p->tracks[end].thread == t; end++)
		;
	work_count(end - i + 1);
	*n = end - i;
	return i;
}

track_id profile_host_track(const struct profile *p, enum layer l, thread_id t)
{
	uint32_t n;
	track_id first = profile_host_tracks(p, l, t, &n);

	return n ? first : ID_NONE;
}

ev_id track_lower_bound(const struct profile *p, const struct track *tr, ns_t t)
{
	ev_id i;

	LOWER_BOUND(i, tr->first, tr->first + tr->count, p->start[i] < t);
	return i;
}

/*
 * Among the events that started by t take the last one and climb: an event that started earlier and is still active
 * was active when each later one started, so the latest active one is always an ancestor of the last started.
 */
ev_id track_event_at(const struct profile *p, const struct track *tr, ns_t t)
{
	ev_id e = t == INT64_MAX ? tr->first + tr->count : track_lower_bound(p, tr, t + 1);

	if (e == tr->first)
		return ID_NONE;
	e--;
	while (e != ID_NONE && ev_end(p, e) <= t)
		e = p->parent[e];
	return e;
}

unsigned profile_depth(const struct profile *p, ev_id e)
{
	unsigned d = 0;

	for (; p->parent[e] != ID_NONE; e = p->parent[e])
		d++;
	return d;
}

uint32_t profile_launch_from(const struct profile *p, ev_id runtime_call)
{
	uint32_t i;

	LOWER_BOUND(i, 0, p->n_by_launch, p->link[p->by_launch[i]] < runtime_call);
	return i;
}

uint32_t profile_launched_by(const struct profile *p, ev_id runtime_call, uint32_t *first)
{
	uint32_t n = 0;

	*first = profile_launch_from(p, runtime_call);
	while (*first + n < p->n_by_launch && p->link[p->by_launch[*first + n]] == runtime_call)
		n++;
	return n;
}
