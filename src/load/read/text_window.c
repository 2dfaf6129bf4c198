/* text_window.c - a window over a text, see text_window.h */
#include "load/read/text_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/jscan.h"
#include "base/mem.h"
#include "load/read/file_damage.h"
#include "load/read/head.h"

#ifndef TEXTWIN_BYTES
/* a build with a tiny one has every line and object cut by the window's end: for tests */
#define TEXTWIN_BYTES (1u << 20)
#endif
#define WIDE_MAX ((size_t)512 << 20)

static size_t fetch(struct textwin *w, char *to, size_t n)
{
	size_t got = 0;

	if (w->wide) {
		got = w->wide_n - w->wide_at < n ? w->wide_n - w->wide_at : n;
		memcpy(to, w->wide + w->wide_at, got);
		w->wide_at += got;
	} else if (!file_src_read(w->src, to, n, &got, w->e)) {
		w->failed = true;
		return 0;
	}
	return got;
}

/* UTF-16 text: all of it, decoded. The first bytes are in buf already. */
static bool decode(struct textwin *w)
{
	size_t cap = w->cap, n = (size_t)(w->end - w->p), got = 1;
	char *all = xmalloc(cap);

	memcpy(all, w->p, n);
	while (got && n < WIDE_MAX) {
		if (cap - n < TEXTWIN_BYTES) {
			cap *= 2;
			all = xrealloc(all, cap);
		}
		got = fetch(w, all + n, cap - n);
		n += got;
	}
	w->wide = utf16_to_utf8(all, n, &w->wide_n);
	free(all);
	if (got)
		builder_damage(w->lx->builder, N_("UTF-16 text longer than 512 MB: the rest is left out"), (int64_t)n, 1);
	w->p = w->end = w->buf;
	w->last = false;
	return !w->failed && textwin_more(w);
}

/* The first text of the file, behind a mark of its encoding. */
static bool begin(struct textwin *w)
{
	textwin_more(w);
	if (w->end - w->p >= 2 && (memcmp(w->p, "\xff\xfe", 2) == 0 || memcmp(w->p, "\xfe\xff", 2) == 0))
		decode(w);
	if (w->end - w->p >= 3 && memcmp(w->p, "\xef\xbb\xbf", 3) == 0)
		w->p += 3;
	return !w->failed;
}

bool textwin_open_again(struct textwin *w, struct load_ctx *lx, const char *path, struct err *e)
{
	*w = (struct textwin){ .lx = lx, .e = e, .cap = TEXTWIN_BYTES, .longest = TEXTWIN_LONGEST };
	w->buf = w->p = w->end = xcalloc(1, w->cap + JSCAN_PAD);
	w->src = file_src_open(path, e);
	if (!w->src) {
		w->failed = w->last = true;
		return false;
	}
	return begin(w);
}

bool textwin_rewind(struct textwin *w)
{
	if (w->failed)
		return false;
	w->p = w->end = w->buf;
	w->base = 0;
	w->reported = 0;
	w->last = false;
	w->wide_at = 0;
	w->failed = !w->wide && !file_src_rewind(w->src, w->e);
	return !w->failed && begin(w);
}

bool textwin_open(struct textwin *w, struct load_ctx *lx, const char *path, struct err *e)
{
	bool ok = textwin_open_again(w, lx, path, e);

	if (w->src) {
		builder_set_bytes(lx->builder, file_src_size(w->src));
		atomic_store(&lx->job->total, (uint64_t)file_src_size(w->src));
	}
	return ok;
}

void textwin_close(struct textwin *w)
{
	file_src_close(w->src);
	free(w->wide);
	free(w->buf);
}

/* Progress, and whether to go on. */
static bool told(struct textwin *w)
{
	int64_t done = file_src_done(w->src);

	job_add(w->lx->job, (uint64_t)(done - w->reported), 0);
	w->reported = done;
	if (!job_cancelled(w->lx->job))
		return true;
	w->failed = true;
	return err_set(w->e, ERR_CANCELLED, _("cancelled"));
}

bool textwin_more(struct textwin *w)
{
	size_t left = (size_t)(w->end - w->p), got;

	if (w->failed || w->last || left >= w->longest || !told(w))
		return false;
	w->base += w->p - w->buf;
	if (left)
		memmove(w->buf, w->p, left);
	if (left > w->cap / 2) {
		w->cap *= 2;
		w->buf = xrealloc(w->buf, w->cap + JSCAN_PAD);
	}
	got = fetch(w, w->buf + left, w->cap - left);
	w->p = w->buf;
	w->end = w->buf + left + got;
	memset(w->end, 0, JSCAN_PAD);
	w->last = !got;
	return got > 0;
}

/* What is too long for the window, up to the next line. */
static void skip_long(struct textwin *w)
{
	char *nl;

	builder_damage(w->lx->builder, N_("lines that are too long"), textwin_offset(w), 1);
	while (!(nl = memchr(w->p, '\n', (size_t)(w->end - w->p)))) {
		w->p = w->end;
		if (!textwin_more(w))
			return;
	}
	w->p = nl + 1;
}

bool textwin_line(struct textwin *w, const char **s, size_t *n, int64_t *offset)
{
	size_t looked = 0;
	char *nl;

	while (!(nl = memchr(w->p + looked, '\n', (size_t)(w->end - w->p) - looked))) {
		looked = (size_t)(w->end - w->p);
		if (textwin_more(w))
			continue;
		if (w->failed)
			return false;
		if (looked >= w->longest) {
			skip_long(w);
			looked = 0;
			continue;
		}
		nl = w->end;
		break;
	}
	if (w->p == w->end)
		return false;
	*offset = textwin_offset(w);
	*s = w->p;
	*n = (size_t)(nl - w->p);
	w->p = nl < w->end ? nl + 1 : nl;
	while (*n && (*s)[*n - 1] == '\r')
		--*n;
	return true;
}

void textwin_finish(struct textwin *w)
{
	do
		w->p = w->end;
	while (textwin_more(w));
	file_damage_tell(w->lx->builder, w->src);
}
