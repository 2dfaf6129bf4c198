/* settings.c - the table of settings, and "NAME VALUE". */
#include "ui/screen/settings.h"

#include <string.h>

#include "base/i18n.h"

static const struct setting_def defs[SET_N] = {
#define SETTING(id, name, words, help) [SET_##id] = { name, words, help },
	SETTINGS(SETTING)
#undef SETTING
};

const struct setting_def *setting_get(enum setting_id id)
{
	return &defs[id];
}

enum setting_id setting_find(const char *name, size_t n)
{
	for (enum setting_id id = 0; id < SET_N; id++)
		if (strlen(defs[id].name) == n && !memcmp(defs[id].name, name, n))
			return id;
	return n == 5 && !memcmp(name, "color", n) ? SET_COLOR : SET_N;
}

const char *setting_word(enum setting_id id, unsigned value, size_t *n)
{
	const char *w = defs[id].words;

	for (; *w; w += strspn(w, " ")) {
		*n = strcspn(w, " ");
		if (!value--)
			return w;
		w += *n;
	}
	return NULL;
}

bool settings_on(const struct settings *s, enum setting_id id)
{
	size_t n = 0;
	const char *w = setting_word(id, s->v[id], &n);

	return w && n == 2 && !memcmp(w, "on", 2);
}

static bool is_switch(enum setting_id id)
{
	return !strcmp(defs[id].words, "off on") || !strcmp(defs[id].words, "on off");
}

static bool value_of(enum setting_id id, const char *text, uint8_t *value)
{
	size_t n;
	const char *w;

	for (uint8_t v = 0; (w = setting_word(id, v, &n)); v++) {
		if (strlen(text) == n && !memcmp(w, text, n)) {
			*value = v;
			return true;
		}
	}
	return false;
}

bool settings_set(struct settings *s, const char *text, enum setting_id *id_out, struct err *e)
{
	size_t n = strcspn(text, " ="), k;
	const char *value = text + n + strspn(text + n, " =");
	enum setting_id id = setting_find(text, n);
	uint8_t v = 0;

	if (id == SET_N)
		return err_set(e, ERR_USAGE, _("no setting \"%.*s\""), (int)(n < 60 ? n : 60), text);
	if (!*value && is_switch(id))
		value = "on";
	if (!*value)
		v = setting_word(id, s->v[id] + 1u, &k) ? (uint8_t)(s->v[id] + 1) : 0;
	else if (!value_of(id, value, &v))
		return err_set(e, ERR_USAGE, _("%s is one of: %s"), defs[id].name, defs[id].words);
	s->v[id] = v;
	if (id_out)
		*id_out = id;
	return true;
}
