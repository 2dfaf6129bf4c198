/*
 * frameworks.c - view `frameworks`: the self time of `stacks` by whose code it is, phase and operation; the rows sum to all self
 * time. A built-in belongs to its caller; what no rule knows below a known frame does what that frame does.
 */
#include <stdlib.h>
#include <string.h>

#include "scope/analysis.h"
#include "views/python/common.h"

enum { C_FRAMEWORK, C_LIBRARY, C_PHASE, C_L1, C_OPERATION, C_SELF, C_SHARE, C_SAMPLES };

static const struct column_def cols[] = {
	[C_FRAMEWORK] = { "framework", N_("Fw"), UNIT_TEXT, COL_KEY, 0, N_("whose code it is, by letter (? shows them)") },
	[C_LIBRARY] = { "library", N_("Library"), UNIT_TEXT, COL_KEY, 0, N_("the same by name; of packages that no rule knows, the package") },
	[C_PHASE] = { "phase", N_("Phase"), UNIT_TEXT, COL_KEY, 1, N_("phase of the step that the stack stands for; none where no frame tells") },
	[C_L1] = { "level1", N_("Level 1"), UNIT_TEXT, 0, 3, N_("kind of work, as in breakdown") },
	[C_OPERATION] = { "operation", N_("Operation"), UNIT_TEXT, COL_NAME, 0, N_("what the innermost known frame does, by data/frames.rules") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, 0, 0, N_("time with such a frame on top; the rows sum to all time in Python") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 1, N_("of all time in Python") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, 0, 5, N_("samples, where the file has them") },
	SOURCE_COLS
};

struct frameworks_sum {
	const struct py_node *nd;	/* the first */
	int64_t self, samples;
};
struct frameworks_sums {
	struct groups g;
	VEC(struct frameworks_sum) rows;
	struct strtab ops;
	const struct pytree *st;
};

static void add_node(struct frameworks_sums *s, const struct py_node *nd)
{
	char op[512];
	uint64_t kind = (uint64_t)pytree_class(s->st, nd)->l1 << 8 | (uint8_t)nd->letter;
	uint32_t i;

	pytree_operation(s->st, nd, op, sizeof(op));
	i = groups_add(&s->g, &(struct group_key){ .k = { nd->lib, nd->phase, kind, strtab_intern(&s->ops, op, strlen(op)) } });
	if (i == s->rows.n)
		VEC_PUSH(&s->rows, (struct frameworks_sum){ nd, 0, 0 });
	s->rows.a[i].self += nd->self;
	if (nd->self_count == I64_UNKNOWN || s->rows.a[i].samples == I64_UNKNOWN)
		s->rows.a[i].samples = I64_UNKNOWN;
	else
		s->rows.a[i].samples += nd->self_count;
}

static int by_self(uint32_t a, uint32_t b, const void *arg)
{
	const struct frameworks_sum *rows = arg;

	return (rows[a].self < rows[b].self) - (rows[a].self > rows[b].self);
}

static void put_row(struct table *t, const struct selection *k, const struct pytree *st, const struct frameworks_sum *s, int64_t whole)
{
	char letter[2] = { s->nd->letter, '\0' }, op[512];
	uint32_t row = table_row(t);
	size_t n = 0;
	const char *lib = s->nd->lib == ID_NONE ? NULL : strtab_get(&st->libs, s->nd->lib, &n);

	table_cstr(t, row, C_FRAMEWORK, letter);
	table_str(t, row, C_LIBRARY, lib, n);
	if (s->nd->phase != PHASE_N)
		table_cstr(t, row, C_PHASE, phase_name((enum phase)s->nd->phase));
	table_cstr(t, row, C_L1, pytree_class(st, s->nd)->level1);
	pytree_operation(st, s->nd, op, sizeof(op));
	if (op[0])
		table_cstr(t, row, C_OPERATION, op);
	if (st->timed)
		table_i64(t, row, C_SELF, s->self);
	if (whole > 0)
		table_share(t, row, C_SHARE, (double)s->self, (double)whole);
	table_i64(t, row, C_SAMPLES, s->samples);
	an_row_source(t, row, k, -1);
}

static bool put_frameworks(struct table *t, const struct selection *k, const struct pytree *st, struct err *e)
{
	struct frameworks_sums s = { .st = st };
	uint32_t *order;
	int64_t whole = 0;

	(void)e;
	for (uint32_t i = 0; i < st->n; i++) {
		whole += st->a[i].self;
		if (st->a[i].self > 0)
			add_node(&s, &st->a[i]);
	}
	order = groups_order((uint32_t)s.rows.n, by_self, s.rows.a);
	for (size_t i = 0; i < s.rows.n; i++)
		put_row(t, k, st, &s.rows.a[order[i]], whole);
	free(order);
	VEC_FREE(&s.rows);
	groups_fini(&s.g);
	strtab_fini(&s.ops);
	return true;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return py_sources(cx, sc, t, put_frameworks, e);
}

const struct analysis an_frameworks = {
	.id = "frameworks", .title = N_("Frameworks"), .doc = N_("time in Python by framework, phase of the step and operation"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
