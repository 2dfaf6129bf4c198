/* json_objects.c - whole JSON objects out of a moving window, see json_objects.h */
#include "load/read/json_objects.h"

#include <string.h>

#include "base/i18n.h"

#define OBJECT_MAX (512u << 20) /* the string table of an export is one object */
#define MEMBER_MAX (16u << 20)

/* The scanner goes on where the window is. */
static void rescan(struct jwin *w)
{
	struct textwin *t = &w->t;

	jscan_init(&w->js, t->p, (size_t)(t->end - t->p), textwin_offset(t), t->last);
}

bool jwin_open(struct jwin *w, struct load_ctx *lx, const char *path, struct err *e)
{
	bool ok;

	*w = (struct jwin){0};
	ok = textwin_open_again(&w->t, lx, path, e);
	w->t.longest = OBJECT_MAX;
	rescan(w);
	return ok;
}

void jwin_close(struct jwin *w)
{
	textwin_close(&w->t);
}

bool jwin_rewind(struct jwin *w)
{
	bool ok = textwin_rewind(&w->t);

	w->quiet = false;
	rescan(w);
	return ok;
}

static void damage(struct jwin *w, const char *what, int64_t offset)
{
	if (!w->quiet)
		builder_damage(w->t.lx->builder, what, offset, 1);
}

/* Between batches: progress, and whoever wants to look at what there is. */
static void batch(struct jwin *w)
{
	struct load_ctx *lx = w->t.lx;
	uint64_t events = builder_events(lx->builder);

	job_add(lx->job, 0, events - w->reported_events);
	w->reported_events = events;
	if (lx->batch && events && !job_cancelled(lx->job))
		lx->batch(lx->batch_arg, lx->builder);
}

/*
 * Brings more text behind what is left in the window. False if there is none, if what is left is
 * too long for one object, or after a failure. Pointers into the window are void afterwards.
 */
static bool more(struct jwin *w, size_t longest)
{
	if (w->t.failed || w->js.last || (size_t)(w->js.end - w->js.p) >= longest)
		return false;
	batch(w);
	w->t.p += w->js.p - w->js.begin;
	textwin_more(&w->t);
	rescan(w);
	return !w->t.failed;
}

static char peek(struct jwin *w)
{
	char c;

	while (!(c = jscan_peek(&w->js)) && w->js.p == w->js.end && more(w, OBJECT_MAX))
		;
	return c;
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
	/* a NUL is no end, but no object either */
	while ((peek(w) || w->js.p < w->js.end) && !w->t.failed) {
		const char *nl;
		bool object = *w->js.p == '{';

		while (!(nl = memchr(w->js.p, '\n', (size_t)(w->js.end - w->js.p))) &&
		       more(w, OBJECT_MAX))
			;
		if (w->t.failed)
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

/* Skips to the next object of the list (",", "{", key). False: end of text. */
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

		if (w->t.failed || c == ']' || w->js.p == w->js.end)
			return false;
		if (c == ',') {
			w->js.p++;
			continue;
		}
		do {
			js = w->js;
			st = c == '{' ? jscan_skip(&js) : JS_BAD;
		} while (st == JS_MORE && more(w, MEMBER_MAX));
		if (w->t.failed)
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
	if (!w->quiet)
		textwin_finish(&w->t);
	if (!w->t.failed)
		batch(w);
}
