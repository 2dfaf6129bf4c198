/* out.c - picks the writer of a format; see out.h */
#include "report/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/out_impl.h"

static const struct out_way *const ways[] = {
	[OUT_TABLE] = &out_text,
	[OUT_CSV] = &out_csv,
	[OUT_JSON] = &out_json,
	[OUT_MD] = &out_md,
};

bool out_format_find(const char *name, enum out_format *fmt)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(ways[i]->name, name)) {
			*fmt = (enum out_format)i;
			return true;
		}
	}
	return false;
}

bool out_needs_look(enum out_format fmt)
{
	return ways[fmt]->look != NULL;
}

struct out *out_begin(FILE *f, enum out_format fmt, const struct table *t)
{
	struct out *o = xcalloc(1, sizeof(*o));

	o->f = f;
	o->way = ways[fmt];
	o->state = o->way->open(t);
	errno = 0;
	return o;
}

void out_look(struct out *o, const struct table *t, const struct table_view *v)
{
	if (o->way->look)
		o->way->look(o->state, t, v);
}

static void begin(struct out *o, const struct table *t)
{
	if (!o->begun)
		o->way->begin(o->state, o->f, t);
	o->begun = true;
}

void out_rows(struct out *o, const struct table *t, const struct table_view *v)
{
	begin(o, t);
	o->way->rows(o->state, o->f, t, v);
}

bool out_end(struct out *o, const struct table *t, struct err *e)
{
	FILE *f = o->f;

	begin(o, t);
	o->way->end(o->state, f, t);
	free(o);
	return (!fflush(f) && !ferror(f)) || err_sys(e, errno, "writing %s", t->view);
}

bool out_table(FILE *f, enum out_format fmt, const struct table *t, const struct table_view *v,
	       struct err *e)
{
	struct out *o = out_begin(f, fmt, t);
	struct table_view all = {0};
	bool done;

	if (!v)
		table_view_make(&all, t, -1, false, NULL, 0);
	out_look(o, t, v ? v : &all);
	out_rows(o, t, v ? v : &all);
	done = out_end(o, t, e);
	table_view_fini(&all);
	return done;
}
