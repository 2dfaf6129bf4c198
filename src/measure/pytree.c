/* pytree.c - what is asked of a Python call tree, see pytree.h */
#include "measure/pytree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/py_by_step.h"
#include "base/search.h"

bool pytree_narrowed(const struct scope *sc)
{
	return sc->op_hash || sc->runtime_hash || sc->kernel_hash || sc->kclass >= 0;
}

bool pytree_pick(struct selection *k, struct scope *sc, const struct an_ctx *cx, uint32_t source,
		 struct err *e)
{
	enum window_kind asked = sc->window;

	if (!cx->facts[source]->p->n_frames)
		return selection_init(k, cx, sc, source, e);
	sc->window = WINDOW_ALL;
	return selection_init(k, cx, sc, source, e) && pyruler_narrow(k, sc, asked, e);
}

uint32_t frame_lines_of(const struct profile *p, uint32_t frame)
{
	uint32_t i;

	LOWER_BOUND(i, 0, p->n_frame_lines, p->frame_lines[i].frame < frame);
	return i;
}

int64_t pytree_ran(const struct profile *p, const struct py_node *nd)
{
	/* of a trace, source is an event */
	uint32_t l =
		p->n_frames && p->n_frame_lines ? frame_lines_of(p, nd->source) : p->n_frame_lines;

	return l < p->n_frame_lines && p->frame_lines[l].frame == nd->source
		       ? p->frame_lines[l].line
		       : 0;
}

bool pytree_is_user(const struct pytree *st, const struct py_node *nd)
{
	uint32_t lib = st->frames.a[nd->frame].lib;
	size_t n;

	return lib != ID_NONE && !strcmp(strtab_get(&st->libs, lib, &n), PY_USER_CODE);
}

uint32_t pytree_caller(const struct pytree *st, uint32_t node)
{
	return st->frames.a[st->a[node].frame].hc.entry ? ID_NONE : st->a[node].parent;
}

uint32_t pytree_user_frame(const struct pytree *st, uint32_t node)
{
	while (node != ID_NONE && !pytree_is_user(st, &st->a[node]))
		node = pytree_caller(st, node);
	return node;
}

void pytree_fini(struct pytree *st)
{
	free(st->a);
	free(st->split);
	free(st->func_of);
	VEC_FREE(&st->frames);
	VEC_FREE(&st->threads);
	strtab_fini(&st->libs);
	memset(st, 0, sizeof(*st));
}

/* Whether threads of autograd's run the backward pass that this thread asked for: without one it does so itself, on the CPU. */
static bool engine_runs(const struct pytree *st, const struct py_node *nd)
{
	return st->autograd || (nd->owner < st->threads.n && st->threads.a[nd->owner].autograd);
}

const struct host_class *pytree_class(const struct pytree *st, const struct py_node *nd)
{
	static const struct host_class import = {
		.l1 = L1_OTHER, .level1 = "other", .level2 = "module import", .framework = 'P'};
	static const struct host_class unknown = {.l1 = L1_FRAMEWORK,
						  .level1 = "framework scheduling",
						  .level2 = "Python",
						  .framework = 'P'};
	static const struct host_class native = {
		.l1 = L1_OTHER, .level1 = "other", .level2 = "native code", .framework = 'E'};
	const struct py_frame *f;

	if (nd->import || nd->decides == ID_NONE)
		return nd->import ? &import : st->native ? &native : &unknown;
	f = &st->frames.a[nd->decides];
	return nd->elsewhere ? &f->elsewhere : f->hc.alone.level2 && !engine_runs(st, nd) ? &f->alone : &f->hc;
}

const char *pytree_operation(const struct pytree *st, const struct py_node *nd, char *buf,
			     size_t cap)
{
	const struct py_frame *f = &st->frames.a[nd->decides == ID_NONE ? nd->frame : nd->decides];

	rules_level2(pytree_class(st, nd)->level2, f->func, f->func_len, buf, cap);
	return buf;
}

void pytree_each(const struct pytree *st, void (*fn)(void *arg, uint32_t node, bool outermost),
		 void *arg)
{
	uint32_t *on_stack = xcalloc(st->n_funcs, sizeof(*on_stack));
	VEC(uint32_t) open = {0};

	for (uint32_t i = 0; i < st->n; i++) {
		while (open.n && open.a[open.n - 1] != st->a[i].parent)
			on_stack[st->func_of[st->a[open.a[--open.n]].frame]]--;
		fn(arg, i, !on_stack[st->func_of[st->a[i].frame]]++);
		VEC_PUSH(&open, i);
	}
	VEC_FREE(&open);
	free(on_stack);
}
