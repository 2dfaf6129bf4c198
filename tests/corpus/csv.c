/* csv.c - see csv.h */
#include "tests/corpus/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"

#define CSV_MAX (256u << 20)

/* One field from *s on: unquotes it, ends it with a NUL, steps over its comma. True: the line goes on. */
static bool csv_field(char **s, char **field)
{
	char *in = *s, *out = *s;
	bool quoted = *in == '"';
	char end;

	*field = out;
	in += quoted;
	for (; *in; in++) {
		if (quoted && *in == '"' && in[1] == '"')
			in++;
		else if (quoted && *in == '"')
			quoted = false;
		else if (!quoted && (*in == ',' || *in == '\n' || *in == '\r'))
			break;
		if (*in != '"' || quoted)
			*out++ = *in;
	}
	end = *in;
	while (*in == '\r')
		end = *++in;
	*s = in + (*in != 0);
	*out = 0;
	return end == ',';
}

bool csv_read(struct csv *c, const char *path, struct err *e)
{
	size_t n;
	char *s;

	memset(c, 0, sizeof(*c));
	c->text = file_read_all(path, CSV_MAX, &n, e);
	if (!c->text)
		return false;
	for (s = c->text; *s;) {
		bool more = true;
		size_t before = c->fields.n;

		while (more) {
			char *field;

			more = csv_field(&s, &field);
			VEC_PUSH(&c->fields, field);
		}
		if (c->fields.n == before + 1 && !*c->fields.a[before])
			c->fields.n--;	/* an empty line */
		c->width = c->width ? c->width : c->fields.n;
		if (c->fields.n > before && c->fields.n - before != c->width)
			return err_set(e, ERR_FORMAT, "%s: a row of %zu fields", path, c->fields.n - before);
	}
	c->n_rows = c->width ? c->fields.n / c->width - 1 : 0;
	return true;
}

void csv_fini(struct csv *c)
{
	VEC_FREE(&c->fields);
	free(c->text);
}

size_t csv_col(const struct csv *c, const char *title)
{
	for (size_t i = 0; i < c->width; i++)
		if (strcmp(c->fields.a[i], title) == 0)
			return i;
	printf("# there is no column %s\n", title);
	exit(2);
}
