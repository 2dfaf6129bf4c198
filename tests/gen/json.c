/* Files and JSON text: only what the writers need. */
#include "gen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void json_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20)
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

char *gen_path(const char *dir, const char *name)
{
	size_t n = strlen(dir) + strlen(name) + 2;
	char *p = malloc(n);

	if (!p)
		die("out of memory");
	snprintf(p, n, "%s/%s", dir, name);
	return p;
}

FILE *gen_create(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		die("%s: %s", path, strerror(errno));
	return f;
}

void gen_close(FILE *f, const char *path)
{
	if (ferror(f) || fclose(f) != 0)
		die("%s: write failed", path);
}
