/* idtab.c - see idtab.h */
#include "model/idtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define PAGE_BITS 10
#define PAGE_IDS (UINT64_C(1) << PAGE_BITS)
#define NONE UINT32_MAX
#define SPARE 1024	/* places may be so many more than there are ids, times TIMES: a map takes 32 to 64 bytes per id */
#define TIMES 8

static uint64_t id_at(const uint64_t *ids, size_t stride, size_t i)
{
	uint64_t id;

	memcpy(&id, (const char *)ids + i * stride, sizeof(id));
	return id;
}

/* The pages from the least to the largest id; false: there is none, or they are too many. */
static bool page_range(struct idtab *t, const uint64_t *ids, size_t stride, size_t n)
{
	uint64_t lo = UINT64_MAX, hi = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t id = id_at(ids, stride, i), page = id >> PAGE_BITS;

		if (id == UINT64_MAX)
			continue;
		lo = page < lo ? page : lo;
		hi = page > hi ? page : hi;
	}
	if (lo > hi || hi - lo >= n + SPARE)
		return false;
	t->first_page = lo;
	t->n_pages = hi - lo + 1;
	return true;
}

/* Gives places to the pages that have ids; how many, 0: too many. */
static uint64_t give_places(struct idtab *t, const uint64_t *ids, size_t stride, size_t n)
{
	uint64_t places = 0, most = (uint64_t)n * TIMES + SPARE;

	if (most >= NONE)
		return 0;
	for (size_t i = 0; i < n && places <= most; i++) {
		uint64_t id = id_at(ids, stride, i), page = (id >> PAGE_BITS) - t->first_page;

		if (id == UINT64_MAX || t->page[page] != NONE)
			continue;
		t->page[page] = (uint32_t)places;
		places += PAGE_IDS;
	}
	return places <= most ? places : 0;
}

static uint32_t *empty(uint64_t n)
{
	uint32_t *a = xreallocarray(NULL, n, sizeof(*a));

	memset(a, 0xff, n * sizeof(*a));
	return a;
}

void idtab_init(struct idtab *t, const uint64_t *ids, size_t stride, size_t n)
{
	uint64_t places;

	if (!page_range(t, ids, stride, n))
		return;
	t->page = empty(t->n_pages);
	places = give_places(t, ids, stride, n);
	if (places)
		t->place = empty(places);
}

/* Of an id whose page has places. */
static uint32_t *place_of(const struct idtab *t, uint64_t id)
{
	return &t->place[t->page[(id >> PAGE_BITS) - t->first_page] + (id & (PAGE_IDS - 1))];
}

uint32_t idtab_put(struct idtab *t, uint64_t id, uint32_t val)
{
	uint32_t old;

	if (t->place) {
		uint32_t *at = place_of(t, id);

		old = *at;
		*at = val;
		return old;
	}
	old = map_find(&t->map, 0, id);
	map_put(&t->map, 0, id, val);
	return old;
}

uint32_t idtab_get(const struct idtab *t, uint64_t id)
{
	uint64_t page = (id >> PAGE_BITS) - t->first_page;

	if (!t->place)
		return map_find(&t->map, 0, id);
	if (id >> PAGE_BITS < t->first_page || page >= t->n_pages || t->page[page] == NONE)
		return NONE;
	return *place_of(t, id);
}

void idtab_fini(struct idtab *t)
{
	free(t->place);
	free(t->page);
	map_fini(&t->map);
	memset(t, 0, sizeof(*t));
}
