/*
 * stacktree.h - stacks with weights, as samplers write them, become the call tree of a profile.
 *
 * A loader adds frames, and samples as paths of them. Equal stacks share their nodes. stacktree_emit() then merges siblings that are the same function (name, file, class, kind, first line; not
 * the line that ran), sums totals, and writes the nodes to the builder: preorder, of siblings the largest first.
 *
 * Times are ns and counts are samples; both add up exactly. Memory is one node for each distinct stack and its beginnings, at
 * most STACKTREE_NODES_MAX: what is deeper or later then becomes self time of the frame above, and is counted as damage.
 */
#ifndef LOAD_STACKS_STACKTREE_H
#define LOAD_STACKS_STACKTREE_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "model/builder.h"

#define STACKTREE_NODES_MAX (1u << 24)
#define STACK_ROOT 0u		/* the node above all stacks; weight given to it is a sample without frames */

struct stack_frame {
	str_id function, file, class_name;	/* of the builder; ID_NONE unknown */
	int32_t first_line;	/* of the function, 0 unknown */
	int32_t line;		/* that ran, 0 unknown */
	uint32_t kind;		/* enum node_kind */
};
struct stack_node {
	uint32_t parent, frame;
	uint32_t latest;	/* the child that was asked for last, 0 none: the next stack often begins alike */
	ns_t ns;		/* of the node itself; of all below it, too, while emitting */
	int64_t samples;
};
struct stack_line {		/* what a line of a node took, where the file says it of nodes and not of stacks */
	uint32_t node;
	int32_t line;
	ns_t ns;
	int64_t samples;
};
struct stack_sample {		/* a node was on top in [start, start + dur) */
	ns_t start, dur;
	uint32_t node;
};
struct stacktree {
	struct builder *b;
	VEC(struct stack_sample) samples_at;
	VEC(struct stack_line) lines;
	/*
	 * Functions from the outermost on that stand above all stacks because the sampler was started inside them: those that are
	 * there, alone and without time of their own, are left out, but for the last.
	 */
	VEC(struct stack_frame) stem;
	VEC(struct stack_frame) frames;
	VEC(struct stack_node) nodes;
	struct map children;	/* (parent, frame) -> node */
	ns_t ns;		/* sums of all weights */
	int64_t samples;
	int64_t offset;		/* of what is being read, for what is told of damage; -1 unknown. Set by the loader */
	uint64_t lost;		/* frames that found no room */
};

void stacktree_init(struct stacktree *t, struct builder *b);
void stacktree_fini(struct stacktree *t);
/* Appends a frame and returns its number: 0, 1, 2, … Equal ones are merged later: what is asked for often, the caller keeps. */
uint32_t stacktree_frame(struct stacktree *t, const struct stack_frame *f);
/* A frame of this name alone; that of a process may hold a command line (builder_command()). */
uint32_t stacktree_label(struct stacktree *t, enum node_kind kind, const char *s, size_t n);
/* The child of a node. `parent` itself when there is no room. */
uint32_t stacktree_child(struct stacktree *t, uint32_t parent, uint32_t frame);
/* Whether a weight may be added; one beyond NS_LIMIT, alone or with those before, is counted as damage. */
bool stacktree_room(struct stacktree *t, ns_t ns, int64_t samples);
/* The weight of a stack that ends at the node, >= 0. Sums beyond NS_LIMIT are left out and counted as damage. */
void stacktree_add(struct stacktree *t, uint32_t node, ns_t ns, int64_t samples);

/*
 * The same, and when it was, of a source with a time axis whose 0 has an epoch: start >= 0. Each is
 * kept by itself: how long one is says how sharp it is.
 */
void stacktree_add_at(struct stacktree *t, uint32_t node, ns_t start, ns_t dur, int64_t samples);

/* Which of the two weights the file has; the other is unknown in the profile. */
enum { STACKS_TIMED = 1, STACKS_COUNTED = 2 };
/*
 * Writes frames and lines, and how many there are as content. Weight that is on no function (STACK_ROOT, threads, processes) goes
 * to a node "(no frame)". Once, before fini.
 */
void stacktree_emit(struct stacktree *t, unsigned has);

#endif
