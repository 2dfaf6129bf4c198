/*
 * report.c - the six documents: folder, files, progress; see report.h. What is in them stands in
 * doc_*.c
 */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/sbuf.h"
#include "report/html.h"
#include "report/section.h"

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

/* *body: where what stands below title and links begins. */
static bool put_document(struct report *r, long *body, struct err *e)
{
	fprintf(r->f, "# %s\n\n", _(r->doc->title));
	put_links(r);
	*body = ftell(r->f);
	fprintf(r->f, "%s\n", _(r->doc->intro));
	return sections_write(r, r->doc->sections, e);
}

static bool write_document(struct report *r, struct outset *set, struct err *e)
{
	FILE *out = outset_add(set, r->doc->file, 0, e);
	char *text = NULL;
	size_t n = 0;
	long body = 0;
	bool ok;

	if (!out)
		return false;
	r->f = open_memstream(&text, &n);
	if (!r->f)
		return err_sys(e, errno, "writing %s", r->doc->file);
	groups_fini(&r->told);
	ok = put_document(r, &body, e);
	if (fclose(r->f) && ok)
		ok = err_sys(e, errno, "writing %s", r->doc->file);
	if (ok)
		(void)fwrite(text, 1, n, out); /* committing looks at the stream */
	if (ok && r->page)
		html_document(r->page, r->doc, text + body, n - (size_t)body);
	free(text);
	return ok;
}

/* The documents, then the page; the caller frees with free_paths. */
static char **make_paths(const char *dir, bool page, int *n)
{
	const char *slash = *dir && dir[strlen(dir) - 1] != '/' ? "/" : "";
	char **paths;

	for (*n = 0; documents[*n]; (*n)++)
		continue;
	paths = xcalloc((size_t)*n + 2, sizeof(*paths));
	for (int i = 0; i < *n; i++)
		paths[i] = xasprintf("%s%s%s", dir, slash, documents[i]->file);
	if (page)
		paths[*n] = xasprintf("%s%s%s", dir, slash, HTML_FILE);
	return paths;
}

static void free_paths(char **paths)
{
	for (char **p = paths; *p; p++)
		free(*p);
	free(paths);
}

static bool write_page(struct report *r, struct outset *set, struct err *e)
{
	FILE *out = outset_add(set, HTML_FILE, 0, e);

	html_end(r->page);
	if (out)
		(void)fwrite(r->page->s, 1, r->page->n, out);
	return out != NULL;
}

/* All documents into the set, and the page if there is one. */
static bool write_all(struct report *r, struct outset *set, int n,
		      void (*progress)(void *arg, const char *file, int done, int total), void *arg,
		      struct err *e)
{
	if (r->page && !html_begin(r->page, r, e))
		return false;
	for (int i = 0; i < n; i++) {
		r->doc = documents[i];
		if (progress)
			progress(arg, r->doc->file, i, n);
		if (!write_document(r, set, e))
			return false;
	}
	return !r->page || write_page(r, set, e);
}

bool report_write(const struct an_ctx *cx, const struct scope *sc, const char *dir,
		  const struct report_opts *opts,
		  void (*progress)(void *arg, const char *file, int done, int total), void *arg,
		  char ***files, struct err *e)
{
	struct sbuf page = {0};
	bool html = opts && opts->html;
	struct report r = {.cx = cx, .scope = sc, .page = html ? &page : NULL};
	struct outset *set = folder_make(dir, FOLDER_MODE, e) ? outset_open(dir, e) : NULL;
	int n;
	char **paths = make_paths(dir, html, &n);
	bool ok = set && write_all(&r, set, n, progress, arg, e) && outset_commit(set, e);

	outset_free(set);
	if (ok && progress)
		progress(arg, documents[n - 1]->file, n, n);
	table_cache_free(r.cache);
	groups_fini(&r.told);
	sbuf_fini(&page);
	if (ok && files)
		*files = paths;
	else
		free_paths(paths);
	return ok;
}
