/*
 * host_partition.h - the leaves of the breakdown (definitions.md §8): what the issuing thread did at each instant, in three levels.
 */
#ifndef MEASURE_HOST_PARTITION_H
#define MEASURE_HOST_PARTITION_H

#include "base/map.h"
#include "calc/owners.h"
#include "model/strtab.h"
#include "scope/selection.h"

#define HOST_UNTRACED 0u	/* index of the leaf "other / untraced" */

struct host_leaf {
	enum level1 l1;
	uint32_t l2, l3;	/* strings of leaves.names; ID_NONE none */
	bool keeps;		/* its level 2 says more than that of an owner around it could */
};
/* The distinct leaves met so far; leaf 0 is untraced. */
struct host_leaves {
	struct strtab names;
	struct host_leaf *a;
	uint32_t n, cap;
	struct map index;	/* (l1 and l2, l3) -> leaf */
	struct map memo;	/* (layer and name, op name) -> leaf */
	const struct rules *rules;
};

void host_leaves_init(struct host_leaves *ls, const struct rules *r);
void host_leaves_fini(struct host_leaves *ls);
/* The leaf of a level 1, level 2 and level 3 (NULL: none), made on first use. keeps: as in struct host_leaf. */
uint32_t host_leaf_intern(struct host_leaves *ls, enum level1 l1, const char *l2, const char *l3, size_t n3, bool keeps);
/* Whether nothing is known of its time but the marker of a step or a micro-batch. */
bool leaf_is_marker(const struct host_leaves *ls, uint32_t leaf);
const char *host_leaves_str(const struct host_leaves *ls, uint32_t id, size_t *n);

/* A piece of time and the index of its leaf. */
typedef void host_leaf_fn(void *arg, ns_t start, ns_t end, uint32_t leaf);
/*
 * The host partition of one process: disjoint pieces in the order of time that cover exactly `window` (source time, normalised);
 * what one leaf owns without a break may come in several. host_partition() appends it to out, joined, owner = leaf index.
 */
void leaf_keep(void *segs, ns_t start, ns_t end, uint32_t leaf);	/* a host_leaf_fn: appends the piece, joined to the last one where it can be */
void host_partition_each(struct host_leaves *ls, const struct selection *k, uint32_t proc, const struct spans *window, host_leaf_fn *fn, void *arg);
void host_partition(struct host_leaves *ls, const struct selection *k, uint32_t proc, const struct spans *window, struct owner_list *out);
/* The part of the window that is untraced, ns: what host_partition_each() gives to HOST_UNTRACED. */
ns_t host_untraced(const struct selection *k, uint32_t proc, const struct spans *window);

#endif
