/* table.c - building and reading the result type of the analyses, see table.h */
#include "table/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/work.h"

const char *unit_name(enum unit u)
{
	static const char *const names[] = {
		[UNIT_TEXT] = "",	[UNIT_NS] = "ns",	  [UNIT_TIME] = "ns",
		[UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count",	  [UNIT_ID] = "",
		[UNIT_RATIO] = "ratio", [UNIT_FACTOR] = "factor", [UNIT_GBPS] = "GB/s",
		[UNIT_BOOL] = "",
	};

	return names[u];
}

struct table *table_new(const char *view, const struct column_def *cols, uint32_t n_cols)
{
	struct table *t = xcalloc(1, sizeof(*t));

	t->view = view;
	t->cols = cols;
	t->n_cols = n_cols;
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	arena_free(&t->arena);
	arena_free(&t->text);
	free(t->cells);
	free(t->refs);
	free(t->parents);
	free(t->notes);
	free(t->sources);
	free(t);
}

static void grow_rows(struct table *t)
{
	size_t cap = mem_grow(t->cap_rows, (size_t)t->n_rows + 1);

	t->cap_rows = (uint32_t)cap;
	t->cells = xreallocarray(t->cells, cap, sizeof(*t->cells) * (t->n_cols ? t->n_cols : 1));
	t->refs = xreallocarray(t->refs, cap, sizeof(*t->refs));
	if (t->parents)
		t->parents = xreallocarray(t->parents, cap, sizeof(*t->parents));
}

uint32_t table_row(struct table *t)
{
	uint32_t row = t->n_rows;

	work_count(1);
	if (row == t->cap_rows)
		grow_rows(t);
	t->n_rows++;
	if (t->n_cols)
		memset(&t->cells[(size_t)row * t->n_cols], 0, sizeof(*t->cells) * t->n_cols);
	t->refs[row] = (struct row_ref){.kind = REF_NONE, .source = UINT32_MAX};
	if (t->parents)
		t->parents[row] = ROW_NONE;
	return row;
}

void table_row_done(struct table *t)
{
	if (!t->take || t->n_rows < TABLE_CHUNK)
		return;
	t->take(t->take_arg, t);
	t->n_rows = 0;
	arena_free(&t->text);
}

void table_set_parent(struct table *t, uint32_t row, uint32_t parent)
{
	if (!t->parents) {
		t->parents = xreallocarray(NULL, t->cap_rows, sizeof(*t->parents));
		memset(t->parents, 0xff, t->cap_rows * sizeof(*t->parents));
	}
	t->parents[row] = parent;
}

static struct cell *cell_at(struct table *t, uint32_t row, uint32_t col)
{
	return &t->cells[(size_t)row * t->n_cols + col];
}

void table_i64(struct table *t, uint32_t row, uint32_t col, int64_t v)
{
	if (v != INT64_MIN)
		*cell_at(t, row, col) = (struct cell){.type = CELL_I64, .v.i = v};
}

void table_f64(struct table *t, uint32_t row, uint32_t col, double v)
{
	if (!isnan(v))
		*cell_at(t, row, col) = (struct cell){.type = CELL_F64, .v.f = v};
}

void table_share(struct table *t, uint32_t row, uint32_t col, double part, double whole)
{
	double share = part / whole;

	if (whole > 0 && part >= 0 && share <= 1 + 1e-9)
		table_f64(t, row, col, share > 1 ? 1 : share);
}

void table_bool(struct table *t, uint32_t row, uint32_t col, bool v)
{
	*cell_at(t, row, col) = (struct cell){.type = CELL_BOOL, .v.b = v};
}

void table_str(struct table *t, uint32_t row, uint32_t col, const char *s, size_t n)
{
	if (s)
		*cell_at(t, row, col) = (struct cell){.type = CELL_STR,
						      .len = (uint32_t)n,
						      .v.s = arena_strndup(&t->text, s, n)};
}

void table_cstr(struct table *t, uint32_t row, uint32_t col, const char *s)
{
	table_str(t, row, col, s, s ? strlen(s) : 0);
}

void table_note(struct table *t, const char *fmt, ...)
{
	va_list ap, again;
	char *note;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	note = arena_alloc(&t->arena, (size_t)(n < 0 ? 0 : n) + 1);
	note[0] = '\0';
	if (n >= 0)
		vsnprintf(note, (size_t)n + 1, fmt, again);
	va_end(again);
	if (t->n_notes == t->cap_notes) {
		t->cap_notes = (uint32_t)mem_grow(t->cap_notes, (size_t)t->n_notes + 1);
		t->notes = xreallocarray(t->notes, t->cap_notes, sizeof(*t->notes));
	}
	t->notes[t->n_notes++] = note;
}

void table_source(struct table *t, const char *path)
{
	t->sources = xreallocarray(t->sources, (size_t)t->n_sources + 1, sizeof(*t->sources));
	t->sources[t->n_sources++] = arena_strndup(&t->arena, path, strlen(path));
}

const char *column_title(const struct column_def *c)
{
	return c->flags & COL_VERBATIM ? c->title : _(c->title);
}

int table_col(const struct table *t, const char *id)
{
	for (uint32_t i = 0; i < t->n_cols; i++)
		if (!strcmp(t->cols[i].id, id))
			return (int)i;
	return -1;
}

static int cmp_str(const struct cell *a, const struct cell *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->v.s, b->v.s, n) : 0;

	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static bool is_number(const struct cell *c)
{
	return c->type == CELL_I64 || c->type == CELL_F64;
}

/* Two integers are compared as such: a double would make neighbours beyond 2^53 equal. */
static int cmp_number(const struct cell *a, const struct cell *b)
{
	if (a->type == CELL_I64 && b->type == CELL_I64)
		return (a->v.i > b->v.i) - (a->v.i < b->v.i);

	long double x = a->type == CELL_I64 ? (long double)a->v.i : (long double)a->v.f;
	long double y = b->type == CELL_I64 ? (long double)b->v.i : (long double)b->v.f;

	return (x > y) - (x < y);
}

int cell_cmp(const struct cell *a, const struct cell *b)
{
	if (a->type == CELL_MISSING || b->type == CELL_MISSING)
		return (a->type == CELL_MISSING) - (b->type == CELL_MISSING);
	if (is_number(a) && is_number(b))
		return cmp_number(a, b);
	if (a->type != b->type)
		return (a->type > b->type) - (a->type < b->type);
	return a->type == CELL_STR ? cmp_str(a, b) : a->v.b - b->v.b;
}
