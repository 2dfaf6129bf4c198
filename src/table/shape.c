/* shape.c - projections, groups and matrices of a table, see shape.h */
#include "table/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/mem.h"

static uint32_t rows_of(const struct table *t, const struct table_view *v)
{
	return v ? v->n : t->n_rows;
}

static uint32_t row_at(const struct table_view *v, uint32_t i)
{
	return v ? v->rows[i] : i;
}

/* An empty table like t, with columns of its own to be filled in. */
static struct table *like(const struct table *t, uint32_t n_cols, struct column_def **cols)
{
	struct table *out = table_new(t->view, NULL, n_cols);

	*cols = arena_zalloc(&out->arena, (n_cols ? n_cols : 1) * sizeof(**cols));
	out->cols = *cols;
	if (t->window_kind)
		out->window_kind =
			arena_strndup(&out->arena, t->window_kind, strlen(t->window_kind));
	out->start_ns = t->start_ns;
	out->end_ns = t->end_ns;
	out->wall_ns = t->wall_ns;
	out->partial = t->partial;
	for (uint32_t i = 0; i < t->n_sources; i++)
		table_source(out, t->sources[i]);
	for (uint32_t i = 0; i < t->n_notes; i++)
		table_note(out, "%s", t->notes[i]);
	return out;
}

static void set_cell(struct table *t, uint32_t row, uint32_t col, const struct cell *c)
{
	if (c->type == CELL_STR)
		table_str(t, row, col, c->v.s, c->len);
	else
		t->cells[(size_t)row * t->n_cols + col] = *c;
}

/* Adds c to a cell of numbers. */
static void add_cell(struct table *t, uint32_t row, uint32_t col, const struct cell *c)
{
	struct cell *sum = &t->cells[(size_t)row * t->n_cols + col];

	if (c->type != CELL_I64 && c->type != CELL_F64)
		return;
	if (sum->type == CELL_MISSING)
		*sum = *c;
	else if (sum->type == CELL_I64 && c->type == CELL_I64)
		sum->v.i += c->v.i;
	else if (sum->type == CELL_F64)
		sum->v.f += c->type == CELL_F64 ? c->v.f : (double)c->v.i;
}

/*
 * ---- projection --------------------------------------------------------------------------------
 */

static void plain_column(struct table *out, struct column_def *c)
{
	if (c->unit == UNIT_NS || c->unit == UNIT_TIME || c->unit == UNIT_BYTES)
		c->title = arena_printf(&out->arena, "%s, %s", _(c->title),
					c->unit == UNIT_BYTES ? "B" : "ns");
	c->unit = UNIT_COUNT;
}

/* The parent's row in the new table, whose rows up to `upto` are made. */
static void keep_parent(struct table *out, const struct table *t, const uint32_t *new_row,
			uint32_t row, uint32_t upto)
{
	uint32_t p = t->parents[row];

	table_set_parent(out, upto, p < row ? new_row[p] : ROW_NONE);
}

struct table *table_project(const struct table *t, const struct table_view *v,
			    const struct shape_col *cols, uint32_t n)
{
	struct column_def *defs;
	struct table *out = like(t, n, &defs);
	uint32_t *new_row = xreallocarray(NULL, (size_t)t->n_rows + 1, sizeof(*new_row));

	memset(new_row, 0xff, ((size_t)t->n_rows + 1) * sizeof(*new_row));
	for (uint32_t i = 0; i < n; i++) {
		defs[i] = t->cols[cols[i].col];
		defs[i].flags &= ~(unsigned)(i + 1 < n ? COL_JSON_ONLY | COL_NAME : COL_JSON_ONLY);
		if (cols[i].plain)
			plain_column(out, &defs[i]);
	}
	for (uint32_t i = 0; i < rows_of(t, v); i++) {
		uint32_t from = row_at(v, i), row = table_row(out);

		for (uint32_t c = 0; c < n; c++)
			set_cell(out, row, c, table_cell(t, from, cols[c].col));
		out->refs[row] = t->refs[from];
		new_row[from] = row;
		if (t->parents)
			keep_parent(out, t, new_row, from, row);
	}
	free(new_row);
	return out;
}

void table_add_rest(struct table *out, const struct table *t, const struct table_view *v,
		    uint32_t from, const struct shape_col *cols, const bool *sum, const char *label)
{
	uint32_t row = table_row(out);
	bool labelled = false;

	for (uint32_t c = 0; c < out->n_cols; c++) {
		if (!labelled && out->cols[c].unit == UNIT_TEXT) {
			table_cstr(out, row, c, label);
			labelled = true;
		}
		for (uint32_t i = from; sum[c] && i < rows_of(t, v); i++)
			add_cell(out, row, c, table_cell(t, row_at(v, i), cols[c].col));
	}
}

/*
 * ---- groups ------------------------------------------------------------------------------------
 */

struct grouping {
	const struct table *t;
	const uint32_t *keys;
	uint32_t n_keys;
	struct map index;
	struct table *out;
};

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->type == b->type && !cell_cmp(a, b);
}

static uint64_t hash_key(const struct grouping *g, uint32_t row)
{
	uint64_t h = 0;

	for (uint32_t i = 0; i < g->n_keys; i++) {
		const struct cell *c = table_cell(g->t, row, g->keys[i]);
		uint64_t part = c->type;

		if (c->type == CELL_STR)
			part ^= map_hash_bytes(c->v.s, c->len);
		else if (c->type == CELL_I64)
			part ^= map_hash_bytes(&c->v.i, sizeof(c->v.i));
		else if (c->type == CELL_F64)
			part ^= map_hash_bytes(&c->v.f, sizeof(c->v.f));
		else if (c->type == CELL_BOOL)
			part ^= c->v.b ? 2 : 1;
		h = h * 0x9e3779b97f4a7c15U + part;
	}
	return h;
}

static bool same_key(const struct grouping *g, uint32_t group, uint32_t row)
{
	for (uint32_t i = 0; i < g->n_keys; i++)
		if (!same_cell(table_cell(g->out, group, i), table_cell(g->t, row, g->keys[i])))
			return false;
	return true;
}

/*
 * The row of the group in g->out; made when it is new. Keys of equal hash are told apart by the
 * second half of the map's key.
 */
static uint32_t group_row(struct grouping *g, uint32_t row)
{
	uint64_t h = hash_key(g, row);

	for (uint64_t k = 0;; k++) {
		uint32_t fresh = g->out->n_rows, group = map_get_or_put(&g->index, h, k, fresh);

		if (group == fresh) {
			table_row(g->out);
			for (uint32_t i = 0; i < g->n_keys; i++)
				set_cell(g->out, fresh, i, table_cell(g->t, row, g->keys[i]));
			return fresh;
		}
		if (same_key(g, group, row))
			return group;
	}
}

struct table *table_group(const struct table *t, const struct table_view *v, const uint32_t *keys,
			  uint32_t n_keys, const uint32_t *sums, uint32_t n_sums,
			  const char *count_title)
{
	const struct cell one = {.type = CELL_I64, .v.i = 1};
	struct column_def *defs;
	struct grouping g = {.t = t, .keys = keys, .n_keys = n_keys};

	g.out = like(t, n_keys + n_sums + (count_title != NULL), &defs);
	for (uint32_t i = 0; i < n_keys + n_sums; i++) {
		defs[i] = t->cols[i < n_keys ? keys[i] : sums[i - n_keys]];
		defs[i].flags &= ~(unsigned)COL_JSON_ONLY;
	}
	if (count_title)
		defs[n_keys + n_sums] = (struct column_def){
			.id = "rows", .title = count_title, .unit = UNIT_COUNT, .doc = ""};
	for (uint32_t i = 0; i < rows_of(t, v); i++) {
		uint32_t from = row_at(v, i), row = group_row(&g, from);

		for (uint32_t c = 0; c < n_sums; c++)
			add_cell(g.out, row, n_keys + c, table_cell(t, from, sums[c]));
		if (count_title)
			add_cell(g.out, row, n_keys + n_sums, &one);
	}
	map_fini(&g.index);
	return g.out;
}

/*
 * ---- matrix ------------------------------------------------------------------------------------
 */

/* Number of a text among the distinct ones, in the order of first sight. */
static uint32_t text_number(struct table *texts, struct map *index, const struct cell *c)
{
	static const uint32_t key = 0;
	struct grouping g = {.keys = &key, .n_keys = 1, .index = *index, .out = texts};
	struct cell own = *c;
	struct column_def def = {.id = "", .title = "", .unit = UNIT_TEXT};
	struct table one = {.cols = &def, .n_cols = 1, .n_rows = 1, .cells = &own};
	uint32_t n;

	g.t = &one;
	n = group_row(&g, 0);
	*index = g.index;
	return n;
}

static const char *cell_title(struct table *t, const struct cell *c)
{
	/* as a missing cell is shown */
	return c->type == CELL_STR ? arena_strndup(&t->arena, c->v.s, c->len) : "–";
}

static void pivot_columns(struct table *out, struct column_def *defs, const struct table *t,
			  uint32_t row_col, uint32_t val_col, const struct table *names,
			  const char *total)
{
	uint32_t last = names->n_rows + 1;

	defs[0] = t->cols[row_col];
	defs[0].flags = COL_KEY;
	for (uint32_t i = 1; i <= last; i++) {
		defs[i] = t->cols[val_col];
		defs[i].flags = COL_VERBATIM;
		defs[i].title = i == last ? total : cell_title(out, table_cell(names, i - 1, 0));
		defs[i].id = defs[i].title;
	}
}

/* The rows with their texts, the one of the sums, and 0 in all cells. */
static void pivot_rows(struct table *out, const struct table *rows, const char *total,
		       enum unit unit)
{
	const bool real = unit == UNIT_RATIO || unit == UNIT_FACTOR || unit == UNIT_GBPS;

	for (uint32_t i = 0; rows->n_rows && i <= rows->n_rows; i++) {
		table_row(out);
		for (uint32_t c = 1; c < out->n_cols; c++) {
			if (real)
				table_f64(out, i, c, 0);
			else
				table_i64(out, i, c, 0);
		}
		if (i < rows->n_rows)
			set_cell(out, i, 0, table_cell(rows, i, 0));
		else
			table_cstr(out, i, 0, total);
	}
}

static struct table *texts_new(void)
{
	static const struct column_def def = {"text", "", UNIT_TEXT, 0, 0, ""};

	return table_new("", &def, 1);
}

struct table *table_pivot(const struct table *t, const struct table_view *v, uint32_t row_col,
			  uint32_t col_col, uint32_t val_col, const char *total)
{
	struct table *rows = texts_new(), *names = texts_new(), *out;
	struct map row_index = {0}, name_index = {0};
	struct column_def *defs;

	for (uint32_t i = 0; i < rows_of(t, v); i++) {
		text_number(rows, &row_index, table_cell(t, row_at(v, i), row_col));
		text_number(names, &name_index, table_cell(t, row_at(v, i), col_col));
	}
	out = like(t, names->n_rows + 2, &defs);
	pivot_columns(out, defs, t, row_col, val_col, names, total);
	pivot_rows(out, rows, total, t->cols[val_col].unit);
	for (uint32_t i = 0; i < rows_of(t, v); i++) {
		uint32_t from = row_at(v, i),
			 r = text_number(rows, &row_index, table_cell(t, from, row_col));
		uint32_t c = 1 + text_number(names, &name_index, table_cell(t, from, col_col));
		const struct cell *val = table_cell(t, from, val_col);

		add_cell(out, r, c, val);
		add_cell(out, r, out->n_cols - 1, val);
		add_cell(out, rows->n_rows, c, val);
		add_cell(out, rows->n_rows, out->n_cols - 1, val);
	}
	map_fini(&row_index);
	map_fini(&name_index);
	table_free(rows);
	table_free(names);
	return out;
}

/*
 * ---- questions ---------------------------------------------------------------------------------
 */

bool table_sum(const struct table *t, const struct table_view *v, uint32_t col, int64_t *sum)
{
	*sum = 0;
	for (uint32_t i = 0; i < rows_of(t, v); i++) {
		const struct cell *c = table_cell(t, row_at(v, i), col);

		if (c->type != CELL_I64 || __builtin_add_overflow(*sum, c->v.i, sum))
			return false;
	}
	return true;
}

bool table_varies(const struct table *t, uint32_t col)
{
	for (uint32_t i = 1; i < t->n_rows; i++)
		if (!same_cell(table_cell(t, i, col), table_cell(t, 0, col)))
			return true;
	return false;
}
