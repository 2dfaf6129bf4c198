/*
 * host_partition.h - the leaves of the breakdown (definitions.md §8): what the issuing thread did at each instant, in three levels.
 */
#ifndef ANALYZE_LEAF_H
#define ANALYZE_LEAF_H

#include "base/map.h"
#include "calc/owners.h"
#include "model/strtab.h"
#include "scope/selection.h"

#define LEAF_UNTRACED 0u	/* index of the leaf "other / untraced" */

struct leaf {
	enum level1 l1;
	uint32_t l2, l3;	/* strings of leaves.names; ID_NONE none */
	bool keeps;		/* its level 2 says more than that of an owner around it could */
};
/* The distinct leaves met so far; leaf 0 is untraced. */
struct leaves {
	struct strtab names;
	struct leaf *a;
	uint32_t n, cap;
	struct map index;	/* (l1 and l2, l3) -> leaf */
	struct map memo;	/* (layer and name, op name) -> leaf */
	const struct rules *rules;
};

void leaves_init(struct leaves *ls, const struct rules *r);
void leaves_fini(struct leaves *ls);
/* The leaf of a level 1, level 2 and level 3 (NULL: none), made on first use. keeps: as in struct leaf. */
uint32_t leaf_intern(struct leaves *ls, enum level1 l1, const char *l2, const char *l3, size_t n3, bool keeps);
/* Whether nothing is known of its time but the marker of a step or a micro-batch. */
bool leaf_is_marker(const struct leaves *ls, uint32_t leaf);
const char *leaves_str(const struct leaves *ls, uint32_t id, size_t *n);

/* A piece of time and the index of its leaf. */
typedef void leaf_fn(void *arg, ns_t start, ns_t end, uint32_t leaf);
/*
 * The host partition of one process: disjoint pieces in the order of time that cover exactly `window` (source time, normalised);
 * what one leaf owns without a break may come in several. leaf_partition() appends it to out, joined, owner = leaf index.
 */
void leaf_keep(void *segs, ns_t start, ns_t end, uint32_t leaf);	/* a leaf_fn: appends the piece, joined to the last one where it can be */
void leaf_each(struct leaves *ls, const struct pick *k, uint32_t proc, const struct spans *window, leaf_fn *fn, void *arg);
void leaf_partition(struct leaves *ls, const struct pick *k, uint32_t proc, const struct spans *window, struct segs *out);
/* The part of the window that is untraced, ns: what leaf_each() gives to LEAF_UNTRACED. */
ns_t leaf_untraced(const struct pick *k, uint32_t proc, const struct spans *window);

#endif
