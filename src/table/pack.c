/* pack.c - a table as bytes, see pack.h */
#include "table/pack.h"

#include <string.h>

/* ---- writing --------------------------------------------------------------------------------------------- */

static void put_u32(struct sbuf *b, uint32_t v)
{
	sbuf_put(b, &v, sizeof(v));
}

static void put_i64(struct sbuf *b, int64_t v)
{
	sbuf_put(b, &v, sizeof(v));
}

static void put_text(struct sbuf *b, const char *s, size_t n)
{
	put_u32(b, (uint32_t)n);
	sbuf_put(b, s, n);
}

static void put_cell(struct sbuf *b, const struct cell *c)
{
	sbuf_putc(b, (char)c->type);
	switch ((enum cell_type)c->type) {
	case CELL_MISSING:
		break;
	case CELL_I64:
		put_i64(b, c->v.i);
		break;
	case CELL_F64:
		sbuf_put(b, &c->v.f, sizeof(c->v.f));
		break;
	case CELL_STR:
		put_text(b, c->v.s, c->len);
		break;
	case CELL_BOOL:
		sbuf_putc(b, c->v.b);
		break;
	}
}

static void put_ref(struct sbuf *b, const struct row_ref *r)
{
	sbuf_putc(b, (char)r->kind);
	put_u32(b, r->source);
	put_i64(b, r->a);
	put_i64(b, r->b);
	put_u32(b, r->name_col);
}

static void put_columns(struct sbuf *b, const struct column_def *cols, uint32_t n)
{
	put_u32(b, n);
	for (uint32_t i = 0; i < n; i++) {
		put_text(b, cols[i].id, strlen(cols[i].id));
		put_u32(b, cols[i].unit);
	}
}

void table_pack(const struct table *t, struct sbuf *b)
{
	put_text(b, t->view, strlen(t->view));
	put_columns(b, t->cols, t->n_cols);
	put_u32(b, t->n_rows);
	sbuf_putc(b, t->parents != NULL);
	for (uint32_t r = 0; r < t->n_rows; r++) {
		put_ref(b, &t->refs[r]);
		if (t->parents)
			put_u32(b, t->parents[r]);
		for (uint32_t c = 0; c < t->n_cols; c++)
			put_cell(b, table_cell(t, r, c));
	}
	put_u32(b, t->n_notes);
	for (uint32_t i = 0; i < t->n_notes; i++)
		put_text(b, t->notes[i], strlen(t->notes[i]));
	put_u32(b, t->n_sources);
	for (uint32_t i = 0; i < t->n_sources; i++)
		put_text(b, t->sources[i], strlen(t->sources[i]));
	sbuf_putc(b, t->window_kind != NULL);
	if (t->window_kind)
		put_text(b, t->window_kind, strlen(t->window_kind));
	put_i64(b, t->start_ns);
	put_i64(b, t->end_ns);
	put_i64(b, t->wall_ns);
	put_i64(b, (int64_t)t->row_from);
	put_i64(b, (int64_t)t->row_max);
	put_i64(b, (int64_t)t->rows_seen);
	sbuf_putc(b, t->partial);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

struct pack_reader {
	const char *s;
	size_t n;	/* bytes left */
	bool bad;
};

/* Behind the end everything reads as 0, and `bad` says so. */
static void get(struct pack_reader *r, void *to, size_t n)
{
	if (r->bad || n > r->n) {
		r->bad = true;
		memset(to, 0, n);
		return;
	}
	memcpy(to, r->s, n);
	r->s += n;
	r->n -= n;
}

static uint8_t get_u8(struct pack_reader *r)
{
	uint8_t v;

	get(r, &v, sizeof(v));
	return v;
}

static bool get_bool(struct pack_reader *r)
{
	uint8_t v = get_u8(r);

	r->bad |= v > 1;
	return v == 1;
}

static uint32_t get_u32(struct pack_reader *r)
{
	uint32_t v;

	get(r, &v, sizeof(v));
	return v;
}

static int64_t get_i64(struct pack_reader *r)
{
	int64_t v;

	get(r, &v, sizeof(v));
	return v;
}

/* Borrowed from the bytes. */
static const char *get_text(struct pack_reader *r, size_t *n)
{
	const char *s = r->s;

	*n = get_u32(r);
	s = r->s;
	if (r->bad || *n > r->n) {
		r->bad = true;
		*n = 0;
		return "";
	}
	r->s += *n;
	r->n -= *n;
	return s;
}

/* A text that readers take for a C string. */
static const char *get_cstr(struct pack_reader *r, struct arena *a)
{
	size_t n;
	const char *s = get_text(r, &n);

	r->bad |= n && memchr(s, '\0', n);
	return arena_strndup(a, s, n);
}

static bool is_text(struct pack_reader *r, const char *want)
{
	size_t n;
	const char *s = get_text(r, &n);

	return n == strlen(want) && !memcmp(s, want, n);
}

static bool same_columns(struct pack_reader *r, const struct column_def *cols, uint32_t n)
{
	bool same = get_u32(r) == n;

	for (uint32_t i = 0; same && i < n; i++)
		same = is_text(r, cols[i].id) && get_u32(r) == (uint32_t)cols[i].unit;
	return same && !r->bad;
}

/* Readers of a column rely on the type of its cells, missing ones aside. */
static bool type_fits(const struct column_def *c, uint8_t type)
{
	switch (c->unit) {
	case UNIT_TEXT:
		return type == CELL_STR || (c->flags & COL_MIXED && (type == CELL_I64 || type == CELL_F64));
	case UNIT_ID:
		return type == CELL_I64 || type == CELL_STR;
	case UNIT_RATIO:
	case UNIT_FACTOR:
	case UNIT_GBPS:
		return type == CELL_F64;
	case UNIT_BOOL:
		return type == CELL_BOOL;
	case UNIT_NS:
	case UNIT_TIME:
	case UNIT_BYTES:
	case UNIT_COUNT:
		return type == CELL_I64 || type == CELL_F64;
	}
	return false;
}

static void get_cell(struct pack_reader *r, struct table *t, uint32_t row, uint32_t col)
{
	uint8_t type = get_u8(r);
	const char *s;
	size_t n;
	double f;

	if (type == CELL_MISSING)
		return;
	if (!type_fits(&t->cols[col], type)) {
		r->bad = true;
		return;
	}
	if (type == CELL_I64) {
		table_i64(t, row, col, get_i64(r));
	} else if (type == CELL_F64) {
		get(r, &f, sizeof(f));
		table_f64(t, row, col, f);
	} else if (type == CELL_BOOL) {
		table_bool(t, row, col, get_bool(r));
	} else {
		s = get_text(r, &n);
		table_str(t, row, col, s, n);
	}
}

static struct row_ref get_ref(struct pack_reader *r, uint32_t n_cols)
{
	struct row_ref x = { .kind = get_u8(r) };
	uint32_t col;

	x.source = get_u32(r);
	x.a = get_i64(r);
	x.b = get_i64(r);
	col = get_u32(r);
	r->bad |= x.kind > REF_VIEW || (col && col >= n_cols);
	x.name_col = (uint16_t)col;
	return x;
}

static void get_rows(struct pack_reader *r, struct table *t)
{
	uint32_t n = get_u32(r);
	bool tree = get_bool(r);

	for (uint32_t i = 0; i < n && !r->bad; i++) {
		uint32_t row = table_row(t), parent = ROW_NONE;

		t->refs[row] = get_ref(r, t->n_cols);
		if (tree)
			parent = get_u32(r);
		r->bad |= parent != ROW_NONE && parent >= row;
		if (tree && !r->bad)
			table_set_parent(t, row, parent);
		for (uint32_t c = 0; c < t->n_cols && !r->bad; c++)
			get_cell(r, t, row, c);
	}
}

static void get_rest(struct pack_reader *r, struct table *t)
{
	uint32_t n = get_u32(r);

	for (uint32_t i = 0; i < n && !r->bad; i++)
		table_note(t, "%s", get_cstr(r, &t->arena));
	n = get_u32(r);
	for (uint32_t i = 0; i < n && !r->bad; i++)
		table_source(t, get_cstr(r, &t->arena));
	if (get_bool(r))
		t->window_kind = get_cstr(r, &t->arena);
	t->start_ns = get_i64(r);
	t->end_ns = get_i64(r);
	t->wall_ns = get_i64(r);
	t->row_from = (uint64_t)get_i64(r);
	t->row_max = (uint64_t)get_i64(r);
	t->rows_seen = (uint64_t)get_i64(r);
	t->partial = get_bool(r);
}

struct table *table_unpack(const void *bytes, size_t n, const char *view, const struct column_def *cols, uint32_t n_cols)
{
	struct pack_reader r = { bytes, n, false };
	struct table *t;

	if (!is_text(&r, view) || !same_columns(&r, cols, n_cols))
		return NULL;
	t = table_new(view, cols, n_cols);
	get_rows(&r, t);
	get_rest(&r, t);
	if (!r.bad && !r.n)
		return t;
	table_free(t);
	return NULL;
}
