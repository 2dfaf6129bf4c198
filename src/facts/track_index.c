/* track_index.c - which threads a process has and which tracks a thread and a process have, see parts.h */
#include "facts/parts.h"

#include <stdlib.h>

#include "base/mem.h"

struct group_index group_index_new(const uint32_t *key_of, uint32_t n, uint32_t n_keys)
{
	struct group_index ix = { xcalloc((size_t)n_keys + 2, sizeof(*ix.first)), NULL };
	uint32_t *next = ix.first + 1;	/* filled as the place of the next item of a key, it ends as the first of the next key */

	for (uint32_t i = 0; i < n; i++)
		if (key_of[i] != ID_NONE)
			next[key_of[i] + 1]++;
	for (uint32_t k = 0; k < n_keys; k++)
		next[k + 1] += next[k];
	ix.v = xreallocarray(NULL, next[n_keys], sizeof(*ix.v));
	for (uint32_t i = 0; i < n; i++)
		if (key_of[i] != ID_NONE)
			ix.v[next[key_of[i]]++] = i;
	return ix;
}

void group_index_fini(struct group_index *ix)
{
	free(ix->first);
	free(ix->v);
	*ix = (struct group_index){ NULL, NULL };
}

void index_threads(struct fact_index *ix, const struct facts *f)
{
	uint32_t *key = xreallocarray(NULL, f->p->n_threads, sizeof(*key));

	for (thread_id t = 0; t < f->p->n_threads; t++)
		key[t] = f->threads[t].proc;
	ix->threads_of_proc = group_index_new(key, f->p->n_threads, f->n_procs);
	free(key);
	for (uint32_t i = 0; i < f->n_procs; i++)
		map_put(&ix->procs, (uint64_t)f->procs[i].pid, 0, i);
}

void index_tracks(struct fact_index *ix, const struct facts *f)
{
	const struct profile *p = f->p;
	uint32_t *key = xreallocarray(NULL, p->n_tracks, sizeof(*key));

	for (track_id t = 0; t < p->n_tracks; t++)
		key[t] = p->tracks[t].thread < p->n_threads ? p->tracks[t].thread : ID_NONE;
	ix->tracks_of_thread = group_index_new(key, p->n_tracks, p->n_threads);
	for (track_id t = 0; t < p->n_tracks; t++)
		if (key[t] != ID_NONE)
			key[t] = f->threads[key[t]].proc;
	ix->tracks_of_proc = group_index_new(key, p->n_tracks, f->n_procs);
	free(key);
}

void index_devices(struct fact_index *ix, const struct facts *f)
{
	const struct profile *p = f->p;
	uint32_t *key = xreallocarray(NULL, p->n_tracks, sizeof(*key));

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];
		bool work = tr->layer == LAYER_KERNEL || tr->layer == LAYER_MEMCPY || tr->layer == LAYER_MEMSET;
		const struct device_facts *d = work ? facts_device(f, tr->device) : NULL;

		key[t] = d ? (uint32_t)(d - f->devices) : ID_NONE;
	}
	ix->tracks_of_device = group_index_new(key, p->n_tracks, f->n_devices);
	free(key);
}

const track_id *facts_thread_tracks(const struct facts *f, thread_id t, enum layer l, uint32_t *n)
{
	return layer_tracks(f->p, &f->ix->tracks_of_thread, t, l, n);
}

const track_id *facts_device_tracks(const struct facts *f, const struct device_facts *d, uint32_t *n)
{
	const struct group_index *g = &f->ix->tracks_of_device;
	uint32_t i = (uint32_t)(d - f->devices);

	*n = g->first[i + 1] - g->first[i];
	return g->v + g->first[i];
}

uint32_t facts_proc_of_pid(const struct facts *f, int64_t pid)
{
	return map_find(&f->ix->procs, (uint64_t)pid, 0);
}

void fact_index_fini(struct fact_index *ix)
{
	group_index_fini(&ix->tracks_of_device);
	map_fini(&ix->procs);
	group_index_fini(&ix->threads_of_proc);
	group_index_fini(&ix->tracks_of_thread);
	group_index_fini(&ix->tracks_of_proc);
}

const track_id *layer_tracks(const struct profile *p, const struct group_index *ix, uint32_t key, enum layer l, uint32_t *n)
{
	uint32_t lo = ix->first[key], end = ix->first[key + 1], last;

	while (lo < end && ix->v[lo] < p->layer_track[l])
		lo++;
	for (last = lo; last < end && ix->v[last] < p->layer_track[l + 1]; last++)
		;
	*n = last - lo;
	return ix->v + lo;
}

track_id thread_track(const struct profile *p, const struct fact_index *ix, enum layer l, thread_id t)
{
	uint32_t n;
	const track_id *v = layer_tracks(p, &ix->tracks_of_thread, t, l, &n);

	return n ? v[0] : ID_NONE;
}
