/*
 * pytree.h - the Python call tree of one source, of a sampler's file or merged of torch's python_function events, with what the
 * rules say of every frame: what all views of stacks are made of (definitions.md §11).
 *
 * Times are the time that a node owns (self) and that with all below it (total), so totals are sums of selfs. A scope that chooses
 * an op, a runtime call or a kernel narrows events to the instants inside those ops and calls. A sampler's tree knows none of these; its
 * threads narrow it, and a window where it says when its samples were and a source on its clock has the window (py_by_step.h).
 */
#ifndef MEASURE_PYTREE_H
#define MEASURE_PYTREE_H

#include "base/vec.h"
#include "calc/calltree.h"
#include "model/strtab.h"
#include "scope/selection.h"

#define PY_USER_CODE "user code"		/* library of what is in none that is known or installed */

/* What a frame is called, where it lives and what the rules say; texts point into the profile. */
struct py_frame {
	const char *func, *file, *cls;
	size_t func_len, file_len, cls_len;	/* cls: of self or cls, where the sampler looked */
	int64_t line;			/* <= 0 unknown */
	uint32_t kind;			/* enum node_kind */
	struct host_class hc, elsewhere, alone;	/* what it is where nothing around it loads data; without threads of autograd's */
	uint32_t lib;			/* index in pytree.libs; ID_NONE: the caller's (a built-in says nothing by itself) */
	bool body;			/* "<module>": a script, or below another one an import */
	bool runs;			/* runpy, importlib: what runs modules */
	bool imports;			/* what an import statement calls */
};
/* A thread, or all that a sampler merged into one. Numbers as in its label, SCOPE_ANY unknown. */
struct py_thread {
	int64_t pid, tid;
	enum role role;			/* ROLE_N unknown */
	bool autograd;			/* its process has threads of autograd's */
};
struct py_node {
	uint32_t parent;		/* ID_NONE at roots; before its children */
	uint32_t frame;
	uint32_t source;		/* frame of the profile, of a trace the first event */
	uint32_t decides;		/* frame whose class holds here: its own, else the next outer one that has one; ID_NONE none */
	uint32_t lib;			/* index in pytree.libs */
	uint32_t thread, process;	/* nodes above that stand for these; ID_NONE unknown */
	uint32_t owner;			/* index in pytree.threads; ID_NONE at processes, and in a trace */
	char letter;			/* framework, own or the caller's where it says nothing; 0 of threads and processes */
	uint8_t phase;			/* enum phase; PHASE_N unknown. Forward work below backward is recompute */
	bool import;			/* module bodies that run because something imports them, and all below */
	bool loads;			/* this frame or a caller loads data */
	bool elsewhere;			/* the deciding rule means data loading only below such a frame, and there is none */
	int64_t total, self;		/* ns; samples where the tree is not timed */
	int64_t count, self_count;	/* samples, or calls; I64_UNKNOWN */
};
struct pytree {
	struct py_node *a;		/* depth first, siblings in falling order of total */
	uint32_t n;
	int64_t *split;			/* per node: value of scope.by, SPLIT_NONE */
	VEC(struct py_frame) frames;
	VEC(struct py_thread) threads;	/* of a sampler's file */
	struct strtab libs;
	bool sampled;
	bool autograd;			/* a trace has threads of autograd's: this one, beside a sampler any of the session */
	const char *split_by;		/* path of the source by whose steps samples are split; NULL: they are not */
	const char *cut_by;		/* the same, by whose window they are cut */
	bool no_device;			/* a trace, the same way, has no device: what its frames do is told in other words */
	bool native;			/* native samples without Python frames; "library" is then the shared object */
	bool timed;			/* false: a source of counts without an interval */
	int64_t wall;			/* what shares are of, in the unit of total; I64_UNKNOWN */
	ns_t no_frame;			/* narrowed: time of the chosen ops or calls on threads that show no Python frame */
	uint32_t *func_of;		/* per frame: equal for equal function, file, class and kind */
	uint32_t n_funcs;
};

/* False when cancelled, *e set. pytree_fini() must follow in either case. */
bool pytree_make(struct pytree *st, const struct selection *k, struct err *e);
void pytree_fini(struct pytree *st);

/* The class that holds at a node; never NULL. */
const struct host_class *pytree_class(const struct pytree *st, const struct py_node *nd);
/* "gradient checkpoint recompute": its level 2 in full, into buf. Empty where nothing is known. */
const char *pytree_operation(const struct pytree *st, const struct py_node *nd, char *buf, size_t cap);
/* First record of a frame among profile.frame_lines, which are sorted by frame: largest first. n_frame_lines: it may be that of no frame. */
uint32_t frame_lines_of(const struct profile *p, uint32_t frame);
/* The line of a sampler's node that took most where it ran; 0 unknown. */
int64_t pytree_ran(const struct profile *p, const struct py_node *nd);
/* The caller of a node in the same process: none of what a forked process runs first. ID_NONE: none. */
uint32_t pytree_caller(const struct pytree *st, uint32_t node);
/* The innermost function that is the user's own, the node itself or a caller in the same process; ID_NONE: none. */
uint32_t pytree_user_frame(const struct pytree *st, uint32_t node);
/* Whether the function is the user's own: in no library that is known or installed. */
bool pytree_is_user(const struct pytree *st, const struct py_node *nd);
/* The name of a Python event of a trace without what changes from call to call: what a frame is told by. For names.cut. */
size_t py_name_cut(const char *s, size_t n);
/*
 * Calls fn for every node in order; outermost: no caller is the same function, so that its total counts (a recursive frame once,
 * definitions.md §11).
 */
void pytree_each(const struct pytree *st, void (*fn)(void *arg, uint32_t node, bool outermost), void *arg);

/* The picks of a view of stacks: as NEED_STACKS, and a sampler's file over all windows that do not narrow it. May change sc->window. */
bool pytree_pick(struct selection *k, struct scope *sc, const struct an_ctx *cx, uint32_t source, struct err *e);
/* True when the scope chooses an op, a call or a kernel. */
bool pytree_narrowed(const struct scope *sc);

#endif
