/* prompt.h - one line of typing: edit, history, completion. */
#ifndef UI_WIDGETS_PROMPT_H
#define UI_WIDGETS_PROMPT_H

#include "ui/screen/canvas.h"
#include "ui/screen/keymap.h"

enum { PROMPT_BYTES = 256, PROMPT_HISTORY = 32 };
enum prompt_kind { PROMPT_NONE, PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_SORT, PROMPT_KINDS };
enum prompt_result { PROMPT_GOES_ON, PROMPT_ACCEPT, PROMPT_CANCEL };

struct prompt {
	enum prompt_kind kind;		/* NONE: closed */
	char text[PROMPT_BYTES];
	size_t n, at;			/* bytes, cursor */
	struct prompt_lines {
		char v[PROMPT_HISTORY][PROMPT_BYTES];
		unsigned n;
	} history[PROMPT_KINDS];
	unsigned recall;		/* lines back from the newest, 0 = the line being typed */
	char typed[PROMPT_BYTES];
	/* the k-th completion of a line: the whole line into out; false when there are no more */
	bool (*complete)(void *arg, enum prompt_kind kind, const char *stem, unsigned k, char *out, size_t cap);
	void *complete_arg;
	unsigned completion;		/* next k */
	char stem[PROMPT_BYTES];
	bool pasting;
};
void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text);
enum prompt_result prompt_key(struct prompt *p, ui_key k);
void prompt_draw(const struct prompt *p, const struct canvas *c, const char *label);

#endif
