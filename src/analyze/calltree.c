/* calltree.c - nested events merged by call path, see calltree.h */
#include "analyze/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint32_t calltree_node(struct calltree *t, uint32_t parent, uint32_t name, uint32_t sample)
{
	uint32_t i = groups_add(&t->index, &(struct group_key){ .k = { parent, name } });

	if (i < t->n)
		return i;
	if (t->n == t->cap) {
		t->cap = (uint32_t)mem_grow(t->cap, t->n + 1);
		t->a = xreallocarray(t->a, t->cap, sizeof(*t->a));
	}
	t->a[t->n++] = (struct call_node){
		.parent = parent, .name = name, .sample = sample, .depth = parent == ID_NONE ? 0 : t->a[parent].depth + 1,
	};
	return i;
}

void calltree_fini(struct calltree *t)
{
	free(t->a);
	groups_fini(&t->index);
	memset(t, 0, sizeof(*t));
}
