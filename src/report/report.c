/*
 * report.c - the six documents: folder, files, progress; see report.h. What is in them stands in
 * doc_*.c
 */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "report/section.h"

const struct document *const documents[] = {&doc_overview, &doc_methods,   &doc_gpu, &doc_cpu,
					    &doc_paths,	   &doc_breakdown, NULL};

static bool make_folder(const char *dir, struct err *e)
{
	struct stat st;

	if (!mkdir(dir, 0777))
		return true;
	if (errno == EEXIST && !stat(dir, &st) && S_ISDIR(st.st_mode))
		return true;
	return err_sys(e, errno, "making the folder %s", dir);
}

/* The other documents, so that a reader who opened one finds them. */
static void put_links(struct report *r)
{
	for (const struct document *const *d = documents; *d; d++)
		fprintf(r->f, (*d) == r->doc ? "%s%s" : "%s[%s]", d == documents ? "" : " · ",
			_((*d)->title));
	fputs("\n\n", r->f);
	for (const struct document *const *d = documents; *d; d++)
		fprintf(r->f, "[%s]: %s\n", _((*d)->title), (*d)->file);
	fputc('\n', r->f);
}

static bool put_document(struct report *r, struct err *e)
{
	fprintf(r->f, "# %s\n\n", _(r->doc->title));
	put_links(r);
	fprintf(r->f, "%s\n", _(r->doc->intro));
	return sections_write(r, r->doc->sections, e);
}

static bool write_document(struct report *r, const char *path, struct err *e)
{
	char *text = NULL;
	size_t n = 0;
	bool ok;

	r->f = open_memstream(&text, &n);
	if (!r->f)
		return err_sys(e, errno, "writing %s", path);
	sbuf_reset(&r->told);
	ok = put_document(r, e);
	if (fclose(r->f) && ok)
		ok = err_sys(e, errno, "writing %s", path);
	ok = ok && file_write_atomic(path, text, n, e);
	free(text);
	return ok;
}

static char **make_paths(const char *dir, int *n)
{
	char **paths;
	struct sbuf b = {0};

	for (*n = 0; documents[*n]; (*n)++)
		continue;
	paths = xcalloc((size_t)*n + 1, sizeof(*paths));
	for (int i = 0; i < *n; i++) {
		sbuf_reset(&b);
		sbuf_puts(&b, dir);
		if (*dir && dir[strlen(dir) - 1] != '/')
			sbuf_putc(&b, '/');
		sbuf_puts(&b, documents[i]->file);
		paths[i] = xstrdup(sbuf_str(&b));
	}
	sbuf_fini(&b);
	return paths;
}

static void free_paths(char **paths)
{
	for (char **p = paths; *p; p++)
		free(*p);
	free(paths);
}

bool report_write(const struct an_ctx *cx, const struct scope *sc, const char *dir,
		  void (*progress)(void *arg, const char *file, int done, int total), void *arg,
		  char ***files, struct err *e)
{
	struct report r = {.cx = cx, .scope = sc};
	bool ok = make_folder(dir, e);
	int n;
	char **paths = make_paths(dir, &n);

	for (int i = 0; i < n && ok; i++) {
		r.doc = documents[i];
		if (progress)
			progress(arg, r.doc->file, i, n);
		ok = write_document(&r, paths[i], e);
	}
	if (ok && progress)
		progress(arg, documents[n - 1]->file, n, n);
	table_cache_free(r.cache);
	sbuf_fini(&r.told);
	if (ok && files)
		*files = paths;
	else
		free_paths(paths);
	return ok;
}
