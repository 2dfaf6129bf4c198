/*
 * view.c - which rows of a table are shown, and in which order: filter, stable sort, trees, limit;
 * see table_view in table.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "table/filter.h"
#include "table/table.h"

struct order {
	const struct table *t;
	uint32_t col;
	bool desc;
};

static bool is_missing(const struct order *o, uint32_t row)
{
	return table_cell(o->t, row, o->col)->type == CELL_MISSING;
}

/*
 * Whether row b must stand before row a; equal rows keep their order. Missing cells are last in
 * both directions.
 */
static bool is_before(const struct order *o, uint32_t b, uint32_t a)
{
	bool no_a = is_missing(o, a), no_b = is_missing(o, b);
	int c;

	if (no_a || no_b)
		return no_a && !no_b;
	c = cell_cmp(table_cell(o->t, b, o->col), table_cell(o->t, a, o->col));
	return o->desc ? c > 0 : c < 0;
}

static void merge(const struct order *o, const uint32_t *a, size_t na, const uint32_t *b, size_t nb,
		  uint32_t *out)
{
	size_t i = 0, j = 0;

	while (i < na && j < nb)
		*out++ = is_before(o, b[j], a[i]) ? b[j++] : a[i++];
	memcpy(out, a + i, (na - i) * sizeof(*a));
	out += na - i;
	memcpy(out, b + j, (nb - j) * sizeof(*b));
}

/*
 * Merge sort from the bottom up: stable, no recursion, no context hidden in a global as qsort()
 * would need.
 */
static void sort_rows(const struct order *o, uint32_t *rows, size_t n)
{
	uint32_t *tmp = xreallocarray(NULL, n, sizeof(*tmp));
	uint32_t *from = rows, *to = tmp;

	for (size_t run = 1; run < n; run *= 2) {
		for (size_t i = 0; i < n; i += 2 * run) {
			size_t na = n - i < run ? n - i : run;
			size_t nb = n - i - na < run ? n - i - na : run;

			merge(o, from + i, na, from + i + na, nb, to + i);
		}
		uint32_t *swap = from;

		from = to;
		to = swap;
	}
	if (from != rows && n)
		memcpy(rows, from, n * sizeof(*rows));
	free(tmp);
}

static uint32_t parent_of(const struct table *t, uint32_t row)
{
	return t->parents ? t->parents[row] : ROW_NONE;
}

/* The rows that match, in trees with all their ancestors. Returns how many. */
static uint32_t collect(const struct table *t, const struct filter *f, uint32_t *rows)
{
	bool *keep = xcalloc(t->n_rows, sizeof(*keep));
	uint32_t n = 0;

	/* From the end, because a parent stands before its children. */
	for (uint32_t r = t->n_rows; r-- > 0;) {
		keep[r] = keep[r] || !f || filter_match(f, t, r);
		if (keep[r] && parent_of(t, r) < r)
			keep[parent_of(t, r)] = true;
	}
	for (uint32_t r = 0; r < t->n_rows; r++)
		if (keep[r])
			rows[n++] = r;
	free(keep);
	return n;
}

/* Threads the sorted rows into lists of siblings: first[p + 1] (roots: 0) and next[row]. */
static void link_siblings(const struct table *t, const uint32_t *rows, uint32_t n, uint32_t *first,
			  uint32_t *next)
{
	memset(first, 0xff, ((size_t)t->n_rows + 1) * sizeof(*first));
	while (n-- > 0) {
		uint32_t r = rows[n], p = parent_of(t, r);
		uint32_t slot = p < r ? p + 1 : 0;

		next[r] = first[slot];
		first[slot] = r;
	}
}

/*
 * Puts every row behind its parent, depth first; siblings stay in the order that they have in rows.
 */
static void order_tree(const struct table *t, uint32_t *rows, uint32_t n)
{
	uint32_t *first = xreallocarray(NULL, (size_t)t->n_rows + 1, sizeof(*first));
	uint32_t *next = xreallocarray(NULL, t->n_rows, sizeof(*next));
	uint32_t r, out = 0;

	link_siblings(t, rows, n, first, next);
	for (r = first[0]; r != ROW_NONE;) {
		rows[out++] = r;
		if (first[r + 1] != ROW_NONE) {
			r = first[r + 1];
			continue;
		}
		/* Up until there is a next sibling. */
		while (r != ROW_NONE && next[r] == ROW_NONE)
			r = parent_of(t, r) < r ? parent_of(t, r) : ROW_NONE;
		if (r != ROW_NONE)
			r = next[r];
	}
	free(first);
	free(next);
}

void table_view_make(struct table_view *v, const struct table *t, int sort_col, bool desc,
		     const struct filter *f, uint32_t limit)
{
	v->rows = xreallocarray(NULL, t->n_rows, sizeof(*v->rows));
	v->n = collect(t, f, v->rows);
	if (sort_col >= 0 && (uint32_t)sort_col < t->n_cols) {
		struct order o = {t, (uint32_t)sort_col, desc};

		sort_rows(&o, v->rows, v->n);
	}
	if (t->parents)
		order_tree(t, v->rows, v->n);
	if (limit && limit < v->n)
		v->n = limit;
}

void table_view_fini(struct table_view *v)
{
	free(v->rows);
	v->rows = NULL;
	v->n = 0;
}
