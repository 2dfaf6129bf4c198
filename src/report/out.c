/* out.c - picks the writer of a format; see out.h */
#include "report/out.h"

#include <errno.h>
#include <string.h>

#include "report/out_impl.h"

typedef void (*write_fn)(FILE *f, const struct table *t, const struct table_view *v);

static const struct {
	const char *name;
	write_fn write;
} formats[] = {
	[OUT_TABLE] = {"table", out_text_write},
	[OUT_CSV] = {"csv", out_csv_write},
	[OUT_JSON] = {"json", out_json_write},
	[OUT_MD] = {"md", out_md_write},
};

bool out_format_find(const char *name, enum out_format *fmt)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i].name, name)) {
			*fmt = (enum out_format)i;
			return true;
		}
	}
	return false;
}

bool out_table(FILE *f, enum out_format fmt, const struct table *t, const struct table_view *v,
	       struct err *e)
{
	struct table_view all = {0};
	bool done = true;

	if (!v)
		table_view_make(&all, t, -1, false, NULL, 0);
	errno = 0;
	formats[fmt].write(f, t, v ? v : &all);
	if (fflush(f) || ferror(f))
		done = err_sys(e, errno, "writing %s", t->view);
	table_view_fini(&all);
	return done;
}
