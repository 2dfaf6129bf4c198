/* nodes.c - own times of trees whose nodes have totals, see pyi.h */
#include "base/i18n.h"
#include "load/sampler/pyinstrument/pyi.h"

struct settle {
	struct builder *b;
	struct frame_node *a;	/* preorder */
	size_t n;
	ns_t excess_ns;		/* largest amount by which children exceed their parent */
};

/* What the whole tree lacks in the end: the largest self time has it to spare. */
static void settle_root(struct settle *r, ns_t lack)
{
	struct frame_node *a = r->a;
	size_t largest = 0;

	for (size_t i = 1; i < r->n; i++)
		if (a[i].self_ns > a[largest].self_ns)
			largest = i;
	if (a[largest].self_ns < lack)
		builder_damage(r->b, N_("frames whose children took longer than all of the run"), -1, 1);
	else
		a[largest].self_ns -= lack;
}

/* self = total - children; what a frame lacks is taken from above. Preorder, so backwards means children first. */
static void settle_self(struct settle *r)
{
	struct frame_node *a = r->a;

	for (size_t i = 1; i < r->n; i++)	/* a text may have several roots */
		if (a[i].parent >= 0 && __builtin_sub_overflow(a[a[i].parent].self_ns, a[i].total_ns, &a[a[i].parent].self_ns))
			a[a[i].parent].self_ns = INT64_MIN / 2;
	for (size_t i = r->n; i-- > 0;) {
		ns_t lack = a[i].self_ns < 0 ? -a[i].self_ns : 0;

		if (!lack)
			continue;
		if (lack > r->excess_ns)
			r->excess_ns = lack;
		a[i].self_ns = 0;
		if (a[i].parent < 0)
			settle_root(r, lack);
		else if (__builtin_sub_overflow(a[a[i].parent].self_ns, lack, &a[a[i].parent].self_ns))
			a[a[i].parent].self_ns = INT64_MIN / 2;
	}
}

void pyi_nodes_emit(struct pyi_nodes *t, struct builder *b, ns_t rounding)
{
	struct settle s = { .b = b, .a = t->v.a, .n = t->v.n };

	for (size_t i = 0; i < s.n; i++)
		s.a[i].self_ns = s.a[i].total_ns;
	settle_self(&s);
	for (size_t i = 0; i < s.n; i++)
		builder_frame(b, &s.a[i]);
	if (s.excess_ns > rounding)
		builder_damage(b, N_("frames whose children took longer than they did"), -1, 1);
}
