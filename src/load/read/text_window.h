/*
 * text_window.h - a window that moves over a (plain or gzip) text: whole lines, or the tokens of JSON (json_tokens.h). Memory is the
 * window, which grows to the longest line or string. A UTF-8 mark at the beginning is skipped; UTF-16 with a mark is turned
 * into UTF-8, for which the text is held whole.
 */
#ifndef LOAD_READ_TEXT_WINDOW_H
#define LOAD_READ_TEXT_WINDOW_H

#include "base/fileio.h"
#include "load/read/loader.h"

#define TEXTWIN_LONGEST (64u << 20)	/* longest line or string that is kept */

struct textwin {
	struct load_ctx *lx;
	struct file_src *src;
	struct err *e;
	char *buf, *p, *end;	/* unread text: [p, end) */
	char *wide;		/* UTF-16: the rest of the text, decoded */
	size_t cap, wide_n, wide_at;
	size_t longest;		/* TEXTWIN_LONGEST, unless the user of the window sets another */
	int64_t base;		/* offset of buf in the text */
	bool last;		/* nothing follows `end` */
	bool failed;		/* *e is set: the system refused, or cancelled */
	int64_t reported;
};

/*
 * False with *e set. textwin_close() must follow in either case. textwin_open() tells the size of the file to the builder and the job;
 * textwin_open_again() does not: for who knows better, or reads it once more.
 */
bool textwin_open(struct textwin *w, struct load_ctx *lx, const char *path, struct err *e);
bool textwin_open_again(struct textwin *w, struct load_ctx *lx, const char *path, struct err *e);
void textwin_close(struct textwin *w);
/* To the beginning of the same file again. False with *e set. */
bool textwin_rewind(struct textwin *w);
/*
 * Brings more text behind what is unread; p and end move. False at the end of the text, after a failure, or when `longest`
 * bytes are unread already. JSCAN_PAD zeros stand behind end.
 */
bool textwin_more(struct textwin *w);
static inline int64_t textwin_offset(const struct textwin *w)
{
	return w->base + (w->p - w->buf);
}
/* The next line without its end (\n or \r\n), valid until the next call. False at the end. *offset: where it begins. */
bool textwin_line(struct textwin *w, const char **s, size_t *n, int64_t *offset);
/* Reads to the end of the file and tells damage of its compression. */
void textwin_finish(struct textwin *w);

#endif
