/* join.c - see join.h */
#include "views/kernel/join.h"

#include <ctype.h>
#include <string.h>

#include "base/sbuf.h"
#include "base/vec.h"

struct shape {			/* a row of view kernelshapes */
	char *key, *base;	/* name as it is compared; function's name */
	const char *grid, *block;	/* in the table; NULL unknown */
	int64_t count, total, median;
};
struct join {
	struct table *t;
	VEC(struct shape) a;
};

/* ---- names -------------------------------------------------------------------------------------- */

/* The length of a cast "(unsigned int)" before a number; 0: it is none. */
static size_t cast_len(const char *s, size_t n)
{
	size_t i = 1;

	if (!n || s[0] != '(')
		return 0;
	while (i < n && (isalpha((unsigned char)s[i]) || s[i] == ' ' || s[i] == '_'))
		i++;
	if (i < 2 || i + 1 >= n || s[i] != ')')
		return 0;
	return isdigit((unsigned char)s[i + 1]) || s[i + 1] == '-' ? i + 1 : 0;
}

static char *name_key(const char *s, size_t n)
{
	struct sbuf out = { 0 };
	char *key;

	for (size_t i = 0; i < n; i++) {
		size_t cast = cast_len(s + i, n - i);

		if (cast)
			i += cast - 1;
		else if (s[i] != ' ')
			sbuf_putc(&out, s[i]);
	}
	key = xmemdup0(sbuf_str(&out), out.n);
	sbuf_fini(&out);
	return key;
}

/* "void ns::scale<4>(float *)" to "scale". */
static char *base_name(const char *s, size_t n)
{
	size_t end = 0, begin;

	while (end < n && s[end] != '<' && s[end] != '(')
		end++;
	while (end && s[end - 1] == ' ')
		end--;
	for (begin = end; begin && s[begin - 1] != ' ' && s[begin - 1] != ':';)
		begin--;
	return xmemdup0(s + begin, end - begin);
}

/* ---- the kernels of the run --------------------------------------------------------------------- */

static int64_t whole(const struct table *t, uint32_t row, const char *col)
{
	int c = table_col(t, col);
	const struct cell *x = c < 0 ? NULL : table_cell(t, row, (uint32_t)c);

	return !x ? I64_UNKNOWN : x->type == CELL_I64 ? x->v.i : x->type == CELL_F64 ? (int64_t)x->v.f : I64_UNKNOWN;
}

static const char *word(const struct table *t, uint32_t row, const char *col, size_t *n)
{
	int c = table_col(t, col);
	const struct cell *x = c < 0 ? NULL : table_cell(t, row, (uint32_t)c);

	*n = x && x->type == CELL_STR ? x->len : 0;
	return x && x->type == CELL_STR ? x->v.s : NULL;
}

static bool has_kernels(const struct session *s)
{
	for (uint32_t i = 0; i < s->n_sources; i++) {
		const struct profile *p = s->sources[i].profile;

		if (p && p->layer_first[LAYER_KERNEL] < p->layer_first[LAYER_KERNEL + 1])
			return true;
	}
	return false;
}

struct join *join_new(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct scope all = *sc;
	struct join *j;

	if (!has_kernels(cx->session))
		return NULL;
	all.by = BY_ALL;
	all.source = -1;	/* the launch's own source has no kernels */
	all.kernel_hash = 0;
	j = xcalloc(1, sizeof(*j));
	j->t = analysis_table(context_view(cx, "kernelshapes"), cx, &all, e);
	if (!j->t) {
		free(j);
		return NULL;
	}
	for (uint32_t i = 0; i < j->t->n_rows; i++) {
		size_t n, unused;
		const char *s = word(j->t, i, "name", &n);

		if (s)
			VEC_PUSH(&j->a, (struct shape){ name_key(s, n), base_name(s, n), word(j->t, i, "grid", &unused),
				word(j->t, i, "block", &unused), whole(j->t, i, "count"), whole(j->t, i, "total_ns"),
				whole(j->t, i, "median_ns") });
	}
	t->start_ns = j->t->start_ns;
	t->end_ns = j->t->end_ns;
	t->wall_ns = j->t->wall_ns;
	return j;
}

void join_free(struct join *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->a.n; i++) {
		free(j->a.a[i].key);
		free(j->a.a[i].base);
	}
	VEC_FREE(&j->a);
	table_free(j->t);
	free(j);
}

/* ---- a launch ----------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static void take(struct joined *out, const struct shape *s, unsigned *groups)
{
	out->count += s->count;
	out->total_ns += s->total;
	out->median_ns = (*groups)++ ? I64_UNKNOWN : s->median;
}

/* The kernels with that key (of whole names), or all called `base`; of the launch's shape, else of any. */
static void gather(const struct join *j, const char *key, const char *base, const char *grid, const char *block, struct joined *out)
{
	struct joined any = { .median_ns = I64_UNKNOWN, .other_shape = true };
	unsigned groups = 0, all = 0;
	const char *first = NULL;

	*out = (struct joined){ .median_ns = I64_UNKNOWN };
	for (size_t i = 0; i < j->a.n; i++) {
		const struct shape *s = &j->a.a[i];

		if (key ? strcmp(s->key, key) != 0 : strcmp(s->base, base) != 0)
			continue;
		any.ambiguous |= first && strcmp(first, s->key) != 0;
		first = s->key;
		take(&any, s, &all);
		if (same(s->grid, grid) && same(s->block, block))
			take(out, s, &groups);
	}
	if (any.ambiguous)
		*out = (struct joined){ .median_ns = I64_UNKNOWN, .ambiguous = true };
	else if (!groups)
		*out = any;
}

void join_find(const struct join *j, const struct launch *x, const char *grid, const char *block, struct joined *out)
{
	size_t n;
	const char *s = profile_str(x->p, x->l->name, &n);
	char *key = name_key(s, n), *base;

	gather(j, key, NULL, grid, block, out);
	if (!out->count) {
		if (x->l->function != ID_NONE)
			s = profile_str(x->p, x->l->function, &n);
		base = base_name(s, n);
		if (*base)
			gather(j, NULL, base, grid, block, out);
		free(base);
	}
	free(key);
}
