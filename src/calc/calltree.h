/*
 * calltree.h - nested events merged by call path: one node per (parent node, name), over all threads of a source.
 */
#ifndef CALC_CALLTREE_H
#define CALC_CALLTREE_H

#include "base/job.h"
#include "calc/groups.h"
#include "model/schema.h"
#include "table/table.h"

struct call_node {
	uint32_t parent;	/* ID_NONE at roots; a parent stands before its children */
	uint32_t name;		/* number of the caller's names */
	uint32_t sample;	/* the first event of the node, for detail */
	unsigned depth;		/* 0 = root */
	int64_t split;		/* equal below one root: trees of several threads, steps … side by side */
	int64_t count;
	ns_t total, self, device;
};
struct calltree {
	struct call_node *a;
	uint32_t n, cap;
	struct groups index;
};

/* The node of a name below a parent node, made on first use. */
uint32_t calltree_node(struct calltree *t, uint32_t parent, uint32_t name, uint32_t sample);
/* The same in one of several trees, told apart by `split`. */
uint32_t calltree_split_node(struct calltree *t, uint32_t parent, uint32_t name, uint32_t sample, int64_t split);
/*
 * The nodes depth first, siblings in falling order of total: *order[i] is the node in place i, *rank[node] its place. Both have n
 * entries and belong to the caller.
 */
void calltree_order(const struct calltree *t, uint32_t **order, uint32_t **rank);
/*
 * A tree from the leaves: the first level is what stands on top of the stacks, below each its callers. It is made level by level over all
 * stacks, so that where they are cut every stack is cut at the same depth: at CALLTREE_LEVELS, or where the next level would make more
 * than some dozens of rows or steps per stack (a recursion of 10^5 levels has 10^10 / 2 callers). What is cut counts for the last level.
 *
 * `add` puts the stack of `leaf`, which has got to the frame `at`, below the node of the level before (ID_NONE: none) and returns its node;
 * `caller` is the frame above `at`, ID_NONE: none. Returns false when the job was cancelled.
 */
#define CALLTREE_LEVELS 1000
struct unwinding {
	uint32_t (*add)(void *arg, uint32_t leaf, uint32_t at, uint32_t node);
	uint32_t (*caller)(void *arg, uint32_t at);
	void *arg;
};
/* What is not in the tree: nothing when cut is 0. */
struct unwound {
	uint32_t levels;	/* that are there */
	size_t cut;		/* stacks that go on */
};
bool calltree_unwind(const struct calltree *t, const struct unwinding *u, const uint32_t *leaves, size_t n, const struct job *job,
	struct unwound *out);
/* Says so in a note. */
void calltree_note_cut(struct table *t, const char *path, const struct unwound *un);

/*
 * Adds the row of the node in place i of an order, and fills its first five columns: id, parent, name, depth, count. `base` = rows of the
 * table before those of this tree. Returns the row.
 */
uint32_t calltree_row(struct table *t, const struct calltree *tree, const uint32_t *order, const uint32_t *rank, uint32_t i, uint32_t base,
	const struct names *names);
void calltree_fini(struct calltree *t);

#endif
