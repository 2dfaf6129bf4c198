/*
 * id_table.h - from ids to numbers, for ids that lie close together in runs, as those of one process do: a table with pages, 4 bytes
 * per id of a page that has any. Where they are too far apart it is a map. Who asks in the order of ids stays in the processor's cache.
 */
#ifndef MODEL_ID_TABLE_H
#define MODEL_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct idtab {
	uint32_t *place;	/* by page and id; NULL: the map is used */
	uint32_t *page;		/* where the places of a page begin, UINT32_MAX: it has none */
	uint32_t first_page, n_pages;
	struct map map;
};

/* Makes room in *t, which is zeroed, for the n ids; UINT32_MAX is none. */
void idtab_init(struct idtab *t, const uint32_t *ids, size_t n);
/* Puts a number (not UINT32_MAX) for one of the ids that room was made for; what was there before, UINT32_MAX: nothing. */
uint32_t idtab_put(struct idtab *t, uint32_t id, uint32_t val);
/* Any id; UINT32_MAX: nothing. */
uint32_t idtab_get(const struct idtab *t, uint32_t id);
void idtab_fini(struct idtab *t);

#endif
