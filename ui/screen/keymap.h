/*
 * keymap.h - keys, their names, and which action each means. One meaning per key in every pane.
 *
 * A key is a Unicode character, or one of the codes above them; ALT is a flag. Names as in scripts and in the help:
 * "j", "Space", "Enter", "C-d", "M-Right", "F1", "S-Tab".
 */
#ifndef UI_SCREEN_KEYMAP_H
#define UI_SCREEN_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/screen/action.h"

enum {
	KEY_NONE_ = 0,
	KEY_ENTER_ = '\r', KEY_ESC_ = 27, KEY_TAB_ = '\t', KEY_BS_ = 127,
	KEY_SPECIAL = 0x110000,
	UK_UP = KEY_SPECIAL, UK_DOWN, UK_LEFT, UK_RIGHT, UK_HOME, UK_END, UK_PGUP, UK_PGDN, UK_DEL, UK_INS, UK_BTAB,
	UK_F1, UK_F12 = UK_F1 + 11,
	UK_MOUSE, UK_PASTE_BEGIN, UK_PASTE_END,
	KEY_ALT = 0x1000000
};
typedef uint32_t ui_key;

/* The key of a name of n bytes; 0 when there is no such key. */
ui_key keymap_key(const char *name, size_t n);
/* Writes the name, returns buf. */
char *keymap_key_name(ui_key k, char *buf, size_t cap);

enum { KEYMAP_MAX = 256 };
struct keymap {
	struct {
		ui_key key;
		enum action action;
	} v[KEYMAP_MAX];
	unsigned n;
};
/* The default keys of the action table. */
void keymap_init(struct keymap *m);
void keymap_bind(struct keymap *m, ui_key k, enum action a);
enum action keymap_find(const struct keymap *m, ui_key k);	/* ACT_NONE */
/* All keys of an action, "j Down"; returns buf. */
char *keymap_keys(const struct keymap *m, enum action a, char *buf, size_t cap);

#endif
