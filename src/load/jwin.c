/* jwin.c - whole JSON objects out of a moving window, see jwin.h */
#include "load/jwin.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"

#ifndef JWIN_BYTES
/* a build with a tiny one has every object cut by the window's end: for tests */
#define JWIN_BYTES (1u << 20)
#endif
#define OBJECT_MAX (512u << 20) /* the string table of an export is one object */
#define MEMBER_MAX (16u << 20)

bool jwin_open(struct jwin *w, struct load_ctx *lx, const char *path, struct err *e)
{
	*w = (struct jwin){.lx = lx, .e = e, .cap = JWIN_BYTES};
	w->src = file_src_open(path, e);
	w->buf = xcalloc(1, w->cap + JSCAN_PAD);
	jscan_init(&w->js, w->buf, 0, 0, !w->src);
	w->failed = !w->src;
	return w->src;
}

void jwin_close(struct jwin *w)
{
	file_src_close(w->src);
	free(w->buf);
}

static void damage(struct jwin *w, const char *what, int64_t offset)
{
	if (!w->quiet)
		builder_damage(w->lx->builder, what, offset, 1);
}

/* Between batches: progress, cancel, and whoever wants to look at what there is. */
static bool batch(struct jwin *w)
{
	int64_t done = file_src_done(w->src);
	uint64_t events = builder_events(w->lx->builder);

	job_add(w->lx->job, (uint64_t)(done - w->reported_bytes), events - w->reported_events);
	w->reported_bytes = done;
	w->reported_events = events;
	if (job_cancelled(w->lx->job)) {
		w->failed = true;
		return err_set(w->e, ERR_CANCELLED, _("cancelled"));
	}
	if (w->lx->batch && events)
		w->lx->batch(w->lx->batch_arg, w->lx->builder);
	return true;
}

/*
 * Brings more text behind what is left in the window. False if there is none, if what is left is
 * too long for one object, or after a failure. Pointers into the window are void afterwards.
 */
static bool more(struct jwin *w, size_t longest)
{
	size_t left = (size_t)(w->js.end - w->js.p), got;
	int64_t at = jscan_offset(&w->js);

	if (w->failed || w->js.last || left >= longest || !batch(w))
		return false;
	if (left)
		memmove(w->buf, w->js.p, left);
	if (left > w->cap / 2) {
		w->cap *= 2;
		w->buf = xrealloc(w->buf, w->cap + JSCAN_PAD);
	}
	if (!file_src_read(w->src, w->buf + left, w->cap - left, &got, w->e)) {
		w->failed = true;
		got = 0;
	}
	memset(w->buf + left + got, 0, JSCAN_PAD);
	jscan_init(&w->js, w->buf, left + got, at, got < w->cap - left);
	return !w->failed;
}

static char peek(struct jwin *w)
{
	char c;

	while (!(c = jscan_peek(&w->js)) && w->js.p == w->js.end && more(w, OBJECT_MAX))
		;
	return c;
}

static void skip_bom(struct jwin *w)
{
	if (!jscan_offset(&w->js) && peek(w) == '\xef' && w->js.end - w->js.p >= 3 &&
	    memcmp(w->js.p, "\xef\xbb\xbf", 3) == 0)
		w->js.p += 3;
}

/* A part of the window as a text of its own. */
static struct jscan part(const struct jwin *w, const char *end)
{
	struct jscan js = w->js;

	js.end = end;
	js.last = true;
	return js;
}

bool jwin_line(struct jwin *w, struct jscan *obj)
{
	skip_bom(w);
	/* a NUL is no end, but no object either */
	while ((peek(w) || w->js.p < w->js.end) && !w->failed) {
		const char *nl;
		bool object = *w->js.p == '{';

		while (!(nl = memchr(w->js.p, '\n', (size_t)(w->js.end - w->js.p))) &&
		       more(w, OBJECT_MAX))
			;
		if (w->failed)
			return false;
		if (!nl)
			nl = w->js.end;
		*obj = part(w, nl);
		w->js.p = nl;
		if (object)
			return true;
		damage(w, N_("lines that are no JSON object, skipped"), jscan_offset(obj));
	}
	return false;
}

bool jwin_enter_list(struct jwin *w, const char *key)
{
	size_t n = strlen(key);
	char c;

	skip_bom(w);
	c = peek(w);
	while (c == '{') {
		const char *hit = memmem(w->js.p, (size_t)(w->js.end - w->js.p), key, n);

		if (hit && hit[-1] == '"' && hit[n] == '"' && (size_t)(w->js.end - hit) > n + 16) {
			w->js.p = hit + n + 1;
			if (peek(w) == ':')
				w->js.p++;
			c = peek(w);
		} else if (!more(w, MEMBER_MAX)) {
			return false;
		}
	}
	if (c != '[')
		return false;
	w->js.p++;
	return true;
}

/* To the next { behind a comma that a key follows; false at the end of the text. */
static bool resync(struct jwin *w)
{
	do {
		const char *p = w->js.p, *end = w->js.end;

		while ((p = memchr(p, '{', (size_t)(end - p)))) {
			const char *b = p;

			while (b > w->js.begin && (b[-1] == ' ' || b[-1] == '\n' || b[-1] == '\r' || b[-1] == '\t'))
				b--;
			if (b > w->js.begin && b[-1] == ',' && end - p > 1 && memchr(" \n\r\t\"", p[1], 5)) {
				w->js.p = p;
				return true;
			}
			p++;
		}
		w->js.p = end - (end - w->js.p > 1);
	} while (more(w, MEMBER_MAX));
	return false;
}

bool jwin_member(struct jwin *w, struct jscan *obj)
{
	for (;;) {
		char c = peek(w);
		int64_t start = jscan_offset(&w->js);
		struct jscan js;
		enum jstat st;

		if (w->failed || c == ']' || w->js.p == w->js.end)
			return false;
		if (c == ',') {
			w->js.p++;
			continue;
		}
		do {
			js = w->js;
			st = c == '{' ? jscan_skip(&js) : JS_BAD;
		} while (st == JS_MORE && more(w, MEMBER_MAX));
		if (w->failed)
			return false;
		if (st == JS_OK) {
			*obj = part(w, js.p);
			w->js.p = js.p;
			return true;
		}
		damage(w, N_("malformed events, skipped"), start);
		w->js.p++;
		if (!resync(w))
			return false;
	}
}

void jwin_finish(struct jwin *w)
{
	int64_t offset = -1;
	const char *gz;

	do
		w->js.p = w->js.end;
	while (more(w, OBJECT_MAX));
	gz = w->failed ? NULL : file_src_damage(w->src, &offset);
	if (gz)
		damage(w, gz, offset);
	if (!w->failed)
		batch(w);
}
