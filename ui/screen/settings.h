/*
 * settings.h - what can be set, in one table: `:set`, the configuration file, the settings pane, completion and the manual page
 * read it. A setting is one of a few words; a value is the index of its word.
 */
#ifndef UI_SCREEN_SETTINGS_H
#define UI_SCREEN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* SETTING(id, name, words, what it does); the first word is the default. */
/* clang-format off */
#define SETTINGS(SETTING) \
	SETTING(COLOR, "colour", "auto always never 16 256", \
		N_("colours: as the terminal can, none, or that many")) \
	SETTING(THEME, "theme", "default light contrast mono", \
		N_("default: dark or light background; light: darker colours; contrast: bright " \
		   "on black; mono: bold, underline, reverse")) \
	SETTING(ASCII, "ascii", "off on", N_("nothing but ASCII on the screen")) \
	SETTING(MOUSE, "mouse", "off on", \
		N_("take clicks and the wheel; the terminal's own selection then needs Shift")) \
	SETTING(COUNTS, "counts", "off on", \
		N_("digits before a movement repeat it, as in 20j; panes are then reached by " \
		   "Tab and by name")) \
	SETTING(WASD, "wasd", "off on", N_("w s a d zoom and move in the timeline")) \
	SETTING(FOLLOW, "follow", "on off", \
		N_("panes beside the first show what its selected row leads to")) \
	SETTING(ARGS, "show-args", "off on", \
		N_("command lines with their arguments; what looks like a secret stays masked")) \
	SETTING(FORMAT, "format", "csv json md text", \
		N_("what w writes: a table as CSV, JSON or Markdown; text is the screen"))
/* clang-format on */

enum setting_id {
#define SETTING(id, name, words, help) SET_##id,
	SETTINGS(SETTING)
#undef SETTING
	SET_N
};
enum { SET_OFF, SET_ON };		/* of a setting whose words are "off on" */
enum { THEME_DEFAULT, THEME_LIGHT, THEME_CONTRAST, THEME_MONO, THEME_N };
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER, COLOR_16_, COLOR_256_ };
enum { FORMAT_CSV, FORMAT_JSON, FORMAT_MD, FORMAT_TEXT };

struct settings {
	uint8_t v[SET_N];
};
struct setting_def {
	const char *name, *words, *help;	/* help is N_() marked */
};
const struct setting_def *setting_get(enum setting_id id);
/* SET_N when there is none; "color" is "colour". */
enum setting_id setting_find(const char *name, size_t n);
/* The word of a value; *n its length. NULL when there are not so many. */
const char *setting_word(enum setting_id id, unsigned value, size_t *n);
bool settings_on(const struct settings *s, enum setting_id id);	/* its word is "on" */
/*
 * "NAME VALUE", "NAME=VALUE"; NAME alone switches on what is on or off, and goes to the next word else. false with *e set, and
 * *s as it was. *id (may be NULL): which one it was.
 */
bool settings_set(struct settings *s, const char *text, enum setting_id *id, struct err *e);

#endif
