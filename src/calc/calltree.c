/* calltree.c - nested events merged by call path, see calltree.h */
#include "calc/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/work.h"

uint32_t calltree_node(struct calltree *t, uint32_t parent, uint32_t name, uint32_t sample)
{
	return calltree_split_node(t, parent, name, sample, 0);
}

uint32_t calltree_split_node(struct calltree *t, uint32_t parent, uint32_t name, uint32_t sample, int64_t split)
{
	uint32_t i = groups_add(&t->index, &(struct group_key){ .k = { parent, name, (uint64_t)split } });

	if (i < t->n)
		return i;
	if (t->n == t->cap) {
		t->cap = (uint32_t)mem_grow(t->cap, t->n + 1);
		t->a = xreallocarray(t->a, t->cap, sizeof(*t->a));
	}
	t->a[t->n++] = (struct call_node){
		.parent = parent, .name = name, .sample = sample, .depth = parent == ID_NONE ? 0 : t->a[parent].depth + 1,
		.split = split,
	};
	return i;
}

struct sibling {
	uint32_t parent, node;
	ns_t total;
};

/* By parent, the largest last: they are pushed in this order and popped from the end. */
static int sibling_cmp(const void *pa, const void *pb)
{
	const struct sibling *a = pa, *b = pb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->total != b->total)
		return a->total < b->total ? -1 : 1;
	return a->node > b->node ? -1 : 1;
}

/* Index of the first sibling with that parent. */
static uint32_t first_child(const struct sibling *s, uint32_t n, uint32_t parent)
{
	uint32_t i;

	LOWER_BOUND(i, 0, n, s[i].parent < parent);
	return i;
}

static uint32_t push_children(const struct sibling *s, uint32_t n, uint32_t parent, uint32_t *stack, uint32_t depth)
{
	for (uint32_t i = first_child(s, n, parent); i < n && s[i].parent == parent; i++)
		stack[depth++] = s[i].node;
	return depth;
}

void calltree_order(const struct calltree *t, uint32_t **order, uint32_t **rank)
{
	struct sibling *s = xreallocarray(NULL, t->n, sizeof(*s));
	uint32_t *stack = xreallocarray(NULL, t->n, sizeof(*stack)), depth, place = 0;

	*order = xreallocarray(NULL, t->n, sizeof(**order));
	*rank = xreallocarray(NULL, t->n, sizeof(**rank));
	for (uint32_t i = 0; i < t->n; i++)
		s[i] = (struct sibling){ t->a[i].parent, i, t->a[i].total };
	if (t->n)
		qsort(s, t->n, sizeof(*s), sibling_cmp);
	depth = push_children(s, t->n, ID_NONE, stack, 0);
	while (depth) {
		uint32_t node = stack[--depth];

		(*order)[place] = node;
		(*rank)[node] = place++;
		depth = push_children(s, t->n, node, stack, depth);
	}
	free(stack);
	free(s);
}

/* ---- from the leaves ---- */

#define ROWS_ALWAYS (1u << 17)		/* of a tree from the leaves, however few the stacks are */
#define ROWS_MAX (1u << 20)
#define ROWS_PER_STACK 64
#define STEPS_ALWAYS ((size_t)1 << 25)	/* a second */

/* A stack that is being unwound: where it has got to, and the node that it was added to last. */
struct stack_at {
	uint32_t leaf, at, node;
};

/* Whether another level fits: at most a row and a step per stack. */
static bool next_fits(const struct calltree *t, uint32_t levels, size_t steps, size_t left, size_t stacks)
{
	size_t rows = stacks < ROWS_MAX / ROWS_PER_STACK ? stacks * ROWS_PER_STACK : ROWS_MAX;
	size_t most = stacks * ROWS_PER_STACK > STEPS_ALWAYS ? stacks * ROWS_PER_STACK : STEPS_ALWAYS;

	if (!levels)
		return true;
	return levels < CALLTREE_LEVELS && t->n + left <= (rows > ROWS_ALWAYS ? rows : ROWS_ALWAYS) && steps + left <= most;
}

bool calltree_unwind(const struct calltree *t, const struct unwinding *u, const uint32_t *leaves, size_t n, const struct job *job,
	struct unwound *out)
{
	struct stack_at *open = xreallocarray(NULL, n, sizeof(*open));
	size_t left = n, steps = 0;

	*out = (struct unwound){ 0 };
	for (size_t i = 0; i < n; i++)
		open[i] = (struct stack_at){ leaves[i], leaves[i], ID_NONE };
	for (; left && next_fits(t, out->levels, steps, left, n) && !job_cancelled(job); out->levels++) {
		size_t go_on = 0;

		steps += left;
		for (size_t i = 0; i < left; i++) {
			struct stack_at s = open[i];

			s.node = u->add(u->arg, s.leaf, s.at, s.node);
			s.at = u->caller(u->arg, s.at);
			if (s.at != ID_NONE)
				open[go_on++] = s;
		}
		left = go_on;
	}
	work_count(steps);
	out->cut = left;
	free(open);
	return !job_cancelled(job);
}

void calltree_note_cut(struct table *t, const char *path, const struct unwound *un)
{
	if (un->cut)
		table_note(t, ngettext("%s: callers beyond level %u are not listed: %zu stack is deeper; its time counts there",
			"%s: callers beyond level %u are not listed: %zu stacks are deeper; their time counts there", un->cut), path,
			un->levels - 1, un->cut);
}

uint32_t calltree_row(struct table *t, const struct calltree *tree, const uint32_t *order, const uint32_t *rank, uint32_t i, uint32_t base,
	const struct names *names)
{
	enum { ID, PARENT, NAME, DEPTH, COUNT };
	const struct call_node *n = &tree->a[order[i]];
	uint32_t row = table_row(t);
	size_t len;
	const char *name = names_str(names, n->name, &len);

	table_set_parent(t, row, n->parent == ID_NONE ? ROW_NONE : base + rank[n->parent]);
	table_i64(t, row, ID, row);
	if (n->parent != ID_NONE)
		table_i64(t, row, PARENT, base + rank[n->parent]);
	table_str(t, row, NAME, name ? name : "", len);
	table_i64(t, row, DEPTH, n->depth);
	table_i64(t, row, COUNT, n->count);
	return row;
}

void calltree_fini(struct calltree *t)
{
	free(t->a);
	groups_fini(&t->index);
	memset(t, 0, sizeof(*t));
}
