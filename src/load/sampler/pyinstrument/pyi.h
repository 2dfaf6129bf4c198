/*
 * pyi.h - what the readers of pyinstrument's forms share: the facts of a run, frame identifiers, and trees with totals.
 *
 * An identifier is function NUL file NUL first line; from 4.4 on attributes follow, each \1, a marker and a text: c class,
 * l the line that ran, h hidden by __tracebackhide__. The first element of a stack is its thread: NAME NUL <thread> NUL ident.
 * As pyinstrument's own renderers do, frames of the import machinery (<frozen importlib._bootstrap) and hidden ones are left
 * out, with their time given to the frame above; [self] is time of the frame above.
 */
#ifndef LOAD_SAMPLER_PYINSTRUMENT_PYI_H
#define LOAD_SAMPLER_PYINSTRUMENT_PYI_H

#include "load/read/json_tokens.h"
#include "load/stacks/stacktree.h"
#include "model/strtab.h"

/* ---- trees whose nodes have totals (JSON, text) ---- */
struct pyi_nodes {
	VEC(struct frame_node) v;	/* preorder, with total_ns; self_ns is set by pyi_nodes_emit() */
};
/*
 * self = total - children. As each time is rounded on its own, children can exceed their parent: it has self time 0, and what it
 * lacks is taken from above, so that all selfs sum to the root. More than `rounding` is no rounding and is told as damage.
 */
void pyi_nodes_emit(struct pyi_nodes *t, struct builder *b, ns_t rounding);

/*
 * Reads the value that comes next: the JSON renderer's object, or a bare frame of 2.x. False with *e set where it is neither, or the
 * window failed. jtok_finish() is the caller's.
 */
bool pyi_use_json(struct jtok *t, struct err *e);
enum node_kind pyi_kind(const char *function, size_t n);

/* ---- sessions and the object of 5.x pages ---- */
enum { PYI_SKIP = UINT32_MAX };		/* a frame that is left out */
struct pyi_stacks {
	struct stacktree *tree;
	struct strtab texts;		/* identifiers with attributes -> index of frame_of */
	VEC(uint32_t) frame_of;		/* frame of the tree, or PYI_SKIP */
	ns_t start, wall, cpu, interval;
	int64_t samples;
	str_id target;
	bool described;			/* target_description: 4.7 or later */
	bool launched;			/* by pyinstrument's command line */
};
void pyi_stacks_init(struct pyi_stacks *s, struct stacktree *t);
void pyi_stacks_fini(struct pyi_stacks *s);
/* Takes the value of a key of a session, if it is known: start_time, duration, start_call_stack, … false: nothing was read. */
bool pyi_stacks_fact(struct pyi_stacks *s, struct jtok *t);
/* Tells the builder what the facts are. */
void pyi_stacks_tell(const struct pyi_stacks *s);
/* The frame of an identifier, or PYI_SKIP. */
uint32_t pyi_stacks_frame(struct pyi_stacks *s, const char *text, size_t n);
/*
 * The command line runs a script below frames of its own: pyinstrument/__main__.py, <string>, runpy. `state` begins at PYI_BEGIN
 * and is what the frame above left; true if the frame is one of them.
 */
enum { PYI_NORMAL, PYI_BEGIN, PYI_MAIN, PYI_STRING };
bool pyi_stacks_launcher(const struct pyi_stacks *s, uint32_t frame, int *state);

#endif
