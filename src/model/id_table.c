/* id_table.c - see id_table.h */
#include "model/id_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define PAGE_BITS 10
#define PAGE_IDS (1u << PAGE_BITS)
#define NONE UINT32_MAX
#define SPARE 1024	/* places may be so many more than there are ids, times TIMES: a map takes 32 to 64 bytes per id */
#define TIMES 8

/* The pages from the least to the largest id; false: there is none, or they are too many. */
static bool page_range(struct idtab *t, const uint32_t *ids, size_t n)
{
	uint32_t lo = NONE, behind = 0;

	for (size_t i = 0; i < n; i++) {
		lo = ids[i] < lo ? ids[i] : lo;
		behind = ids[i] + 1 > behind ? ids[i] + 1 : behind;	/* 0 of none */
	}
	if (!behind)
		return false;
	t->first_page = lo >> PAGE_BITS;
	t->n_pages = ((behind - 1) >> PAGE_BITS) - t->first_page + 1;
	return t->n_pages <= n + SPARE;
}

/* Gives places to the pages that have ids; how many, 0: too many. */
static uint64_t give_places(struct idtab *t, const uint32_t *ids, size_t n)
{
	uint64_t places = 0, most = (uint64_t)n * TIMES + SPARE;

	if (most >= NONE)
		return 0;
	for (size_t i = 0; i < n && places <= most; i++) {
		uint32_t page = (ids[i] >> PAGE_BITS) - t->first_page;

		if (ids[i] == NONE || t->page[page] != NONE)
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

void idtab_init(struct idtab *t, const uint32_t *ids, size_t n)
{
	uint64_t places;

	if (!page_range(t, ids, n))
		return;
	t->page = empty(t->n_pages);
	places = give_places(t, ids, n);
	if (places)
		t->place = empty(places);
}

/* Of an id whose page has places. */
static uint32_t *place_of(const struct idtab *t, uint32_t id)
{
	return &t->place[t->page[(id >> PAGE_BITS) - t->first_page] + (id & (PAGE_IDS - 1))];
}

uint32_t idtab_put(struct idtab *t, uint32_t id, uint32_t val)
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

uint32_t idtab_get(const struct idtab *t, uint32_t id)
{
	uint32_t page = (id >> PAGE_BITS) - t->first_page;

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
