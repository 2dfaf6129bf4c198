/* keymap.c - names of keys, and the binding of keys to actions. */
#include "ui/screen/keymap.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
	const char *name;
	ui_key key;
} names[] = {
	{ "Enter", KEY_ENTER_ }, { "Esc", KEY_ESC_ }, { "Tab", KEY_TAB_ }, { "S-Tab", UK_BTAB }, { "Space", ' ' },
	{ "Backspace", KEY_BS_ }, { "Up", UK_UP }, { "Down", UK_DOWN }, { "Left", UK_LEFT }, { "Right", UK_RIGHT },
	{ "Home", UK_HOME }, { "End", UK_END }, { "PgUp", UK_PGUP }, { "PgDn", UK_PGDN }, { "Del", UK_DEL },
	{ "Ins", UK_INS },
	/* doubles that only scripts use */
	{ "BS", KEY_BS_ }, { "Return", KEY_ENTER_ },
};

static bool is_name(const char *name, size_t n, const char *want)
{
	return strlen(want) == n && !memcmp(name, want, n);
}

ui_key keymap_key(const char *name, size_t n)
{
	uint32_t cp;

	if (n > 2 && name[1] == '-' && (name[0] == 'C' || name[0] == 'M')) {
		ui_key k = keymap_key(name + 2, n - 2);

		if (name[0] == 'M')
			return k ? k | KEY_ALT : 0;
		return k >= '?' && k <= 'z' ? k & 0x1f : 0;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_name(name, n, names[i].name))
			return names[i].key;
	if (n >= 2 && n <= 3 && name[0] == 'F') {
		unsigned f = (unsigned)(name[1] - '0');

		if (n == 3)
			f = f * 10 + (unsigned)(name[2] - '0');
		return f >= 1 && f <= 12 ? UK_F1 + f - 1 : 0;
	}
	return n && text_decode(name, n, &cp) == n ? cp : 0;
}

char *keymap_key_name(ui_key k, char *buf, size_t cap)
{
	const char *alt = k & KEY_ALT ? "M-" : "";
	char utf8[5] = "";

	k &= ~(ui_key)KEY_ALT;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].key == k) {
			snprintf(buf, cap, "%s%s", alt, names[i].name);
			return buf;
		}
	}
	if (k >= UK_F1 && k <= UK_F12) {
		snprintf(buf, cap, "%sF%u", alt, (unsigned)(k - UK_F1 + 1));
	} else if (k < 32) {
		char c = (char)(k + '@');

		snprintf(buf, cap, "%sC-%c", alt, c >= 'A' && c <= 'Z' ? c + 32 : c);
	} else {
		if (k < KEY_SPECIAL)
			text_encode(utf8, k);
		snprintf(buf, cap, "%s%s", alt, utf8);
	}
	return buf;
}

void keymap_bind(struct keymap *m, ui_key k, enum action a)
{
	for (unsigned i = 0; i < m->n; i++) {
		if (m->v[i].key == k) {
			m->v[i].action = a;
			return;
		}
	}
	if (!k || m->n == KEYMAP_MAX)
		return;
	m->v[m->n].key = k;
	m->v[m->n++].action = a;
}

void keymap_init(struct keymap *m)
{
	m->n = 0;
	for (enum action a = ACT_NONE + 1; a < ACT_N; a++) {
		const char *s = action_get(a)->keys;

		while (*s) {
			size_t n = strcspn(s, " ");

			keymap_bind(m, keymap_key(s, n), a);
			s += n;
			s += strspn(s, " ");
		}
	}
}

enum action keymap_find(const struct keymap *m, ui_key k)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].key == k)
			return m->v[i].action;
	return ACT_NONE;
}

char *keymap_keys(const struct keymap *m, enum action a, char *buf, size_t cap)
{
	size_t n = 0;
	char name[16];

	buf[0] = '\0';
	for (unsigned i = 0; i < m->n && n < cap; i++) {
		if (m->v[i].action != a)
			continue;
		n += (size_t)snprintf(buf + n, cap - n, "%s%s", n ? " " : "", keymap_key_name(m->v[i].key, name, sizeof(name)));
	}
	return buf;
}
