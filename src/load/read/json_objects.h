/*
 * json_objects.h - a window that moves over a (plain or gzip) JSON text and hands out whole objects, either
 * the lines of JSON Lines or the members of one list. Without a DOM: memory is the window, which
 * grows to the longest object. Progress, cancel and batches are told on the way.
 */
#ifndef LOAD_READ_JSON_OBJECTS_H
#define LOAD_READ_JSON_OBJECTS_H

#include "base/jscan.h"
#include "load/read/text_window.h"

struct jwin {
	struct textwin t;
	struct jscan js; /* its unread text */
	bool quiet;	 /* another pass tells the damage */
	uint64_t reported_events;
};

/* As textwin_open_again(). jwin_close() must follow. */
bool jwin_open(struct jwin *w, struct load_ctx *lx, const char *path, struct err *e);
void jwin_close(struct jwin *w);
/* To the beginning of the same file, for another pass, in which damage is told. False as jwin_open(). */
bool jwin_rewind(struct jwin *w);

/*
 * The next line that begins with {, as a text of its own (which need not be whole JSON); false at
 * the end or after a failure. *obj is valid until the next call. Other lines are damage.
 */
bool jwin_line(struct jwin *w, struct jscan *obj);
/*
 * Goes into the list: that of the whole text, or of the given key of the object that the text is.
 * False if there is none.
 */
bool jwin_enter_list(struct jwin *w, const char *key);
/* The next object of the list; false at its end. Malformed text is skipped and counted. */
bool jwin_member(struct jwin *w, struct jscan *obj);
/* Reads to the end of the file, so that a gzip stream is checked, and tells its damage. */
void jwin_finish(struct jwin *w);

#endif
