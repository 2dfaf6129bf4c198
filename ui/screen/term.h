/*
 * term.h - where a grid is shown and keys come from: a real terminal through curses, or nothing (scripts and tests).
 * Only the UI thread may use it, between signals_open(true) and signals_close().
 */
#ifndef UI_SCREEN_TERM_H
#define UI_SCREEN_TERM_H

#include <stdbool.h>

#include "base/err.h"
#include "ui/screen/canvas.h"
#include "ui/screen/keymap.h"

struct term_opts {
	int width, height;	/* null terminal */
};
struct term_event {
	ui_key key;		/* 0: none waiting; UK_MOUSE: the members below */
	int x, y, button;	/* button 1 left, 4 wheel up, 5 wheel down */
};
struct term_ops {
	/* false: unknown terminal and the like (ERR_USAGE) */
	bool (*open)(const struct term_opts *o, struct err *e);
	void (*close)(void);
	void (*size)(int *w, int *h);		/* as it is now: the terminal is asked */
	int (*fd)(void);			/* to poll for keys; -1 none */
	struct term_event (*read)(void);	/* never blocks */
	void (*flush)(const struct grid *g, bool all);
	bool (*ascii)(void);			/* the terminal or the locale cannot show more */
	void (*mouse)(bool on);
	void (*look)(int color, int theme);	/* values of settings.h; what is shown next is drawn whole */
	void (*suspend)(bool group);		/* see signals_stop(); the next flush must be of all */
	void (*resume)(void);			/* after SIGCONT without suspend(); the same */
	bool (*run)(char *const argv[], struct err *e);	/* a program that has the terminal until it ends; false: none could be started */
	bool (*copy)(const char *s, size_t n);	/* to the terminal's clipboard; false: not possible */
};
extern const struct term_ops term_curses, term_null;

#endif
