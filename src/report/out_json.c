/*
 * out_json.c - a table as the JSON object that cli.md describes; the contract for other programs,
 * so never translated
 */
#include <stdlib.h>

#include "base/jout.h"
#include "base/mem.h"
#include "report/out_impl.h"

static void put_window(struct jout *j, const struct table *t)
{
	jout_key(j, "window");
	jout_object(j);
	jout_key(j, "kind");
	jout_cstr(j, t->window_kind);
	jout_key(j, "start_ns");
	jout_i64(j, t->start_ns);
	jout_key(j, "end_ns");
	jout_i64(j, t->end_ns);
	jout_key(j, "wall_ns");
	jout_i64(j, t->wall_ns);
	jout_end(j);
}

static void put_strings(struct jout *j, const char *key, const char *const *s, uint32_t n)
{
	jout_key(j, key);
	jout_array(j);
	for (uint32_t i = 0; i < n; i++)
		jout_cstr(j, s[i]);
	jout_end(j);
}

static void put_columns(struct jout *j, const struct table *t)
{
	jout_key(j, "columns");
	jout_array(j);
	for (uint32_t i = 0; i < t->n_cols; i++) {
		jout_object(j);
		jout_key(j, "id");
		jout_cstr(j, t->cols[i].id);
		jout_key(j, "title");
		jout_cstr(j, t->cols[i].title);
		jout_key(j, "unit");
		jout_cstr(j, unit_name(t->cols[i].unit));
		jout_end(j);
	}
	jout_end(j);
}

static void put_cell(struct jout *j, const struct cell *c)
{
	switch ((enum cell_type)c->type) {
	case CELL_MISSING:
		jout_null(j);
		break;
	case CELL_I64:
		jout_i64(j, c->v.i);
		break;
	case CELL_F64:
		jout_f64(j, c->v.f);
		break;
	case CELL_STR:
		jout_str(j, c->v.s, c->len);
		break;
	case CELL_BOOL:
		jout_bool(j, c->v.b);
		break;
	}
}

static void *open_json(const struct table *t)
{
	(void)t;
	return xcalloc(1, sizeof(struct jout));
}

static void begin(void *state, FILE *f, const struct table *t)
{
	struct jout *j = state;

	jout_init(j, f, NULL);
	jout_object(j);
	jout_key(j, "view");
	jout_cstr(j, t->view);
	put_window(j, t);
	put_strings(j, "sources", t->sources, t->n_sources);
	put_columns(j, t);
	jout_key(j, "rows");
	jout_array(j);
}

static void put_rows(void *state, FILE *f, const struct table *t, const struct table_view *v)
{
	struct jout *j = state;

	(void)f;
	for (uint32_t i = 0; i < v->n; i++) {
		jout_newline(j);
		jout_object(j);
		for (uint32_t c = 0; c < t->n_cols; c++) {
			jout_key(j, t->cols[c].id);
			put_cell(j, table_cell(t, v->rows[i], c));
		}
		jout_end(j);
	}
}

static void end(void *state, FILE *f, const struct table *t)
{
	struct jout *j = state;

	jout_end(j);
	put_strings(j, "notes", (const char *const *)t->notes, t->n_notes);
	jout_end(j);
	jout_finish(j, NULL);
	fputc('\n', f);
	free(j);
}

const struct out_way out_json = {.name = "json", .open = open_json, .begin = begin, .rows = put_rows, .end = end};
