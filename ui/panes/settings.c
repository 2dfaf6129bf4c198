/* settings.c - F2: every setting with its value, its words and what it does. Enter goes to the next word. */
#include <string.h>

#include "base/i18n.h"
#include "ui/panes/panes.h"

struct settings_pane {
	unsigned cursor;
};
enum { VALUE_X = 12, HELP_X = 22 };

static int draw_words(const struct canvas *c, int y, enum setting_id id, unsigned value)
{
	int x = HELP_X;
	const char *w;
	size_t n;

	for (unsigned v = 0; (w = setting_word(id, v, &n)); v++)
		x += canvas_text(c, x, y, v == value ? ST_NORMAL : ST_DIM, v == value ? ATTR_BOLD : 0, w, n, -1) + 1;
	return y + 1;
}

/* Those above the cursor that would push its help out of the pane are left out. */
static void settings_draw(const struct pane *p, const struct canvas *c)
{
	const struct settings_pane *s = p->state;
	int y = 0, first = (int)s->cursor - (c->h > 6 ? c->h - 6 : 0);

	for (unsigned i = first > 0 ? (unsigned)first : 0; i < SET_N && y < c->h; i++) {
		enum setting_id id = (enum setting_id)i;
		const struct setting_def *d = setting_get(id);
		size_t n = 0;
		const char *w = setting_word(id, p->ui->set->v[id], &n);

		canvas_puts(c, 1, y, ST_TITLE, d->name);
		canvas_text(c, VALUE_X, y, ST_NORMAL, 0, w, n, -1);
		draw_words(c, y, id, p->ui->set->v[id]);
		if (i == s->cursor)
			canvas_attr(c, 0, y, c->w, ATTR_REVERSE);
		y++;
		if (i == s->cursor)
			y = canvas_wrapped(c, HELP_X, y, ST_DIM, _(d->help));
	}
	y = y + 1 < c->h ? y + 1 : y;
	if (y < c->h)
		canvas_printf(c, 1, y++, ST_DIM, _("to keep one: a line such as \"set theme light\" in %s"),
			p->ui->opts->config ? p->ui->opts->config : "~/.config/profdive/config");
	if (y < c->h)
		canvas_puts(c, 1, y, ST_DIM, _("keys as well: \"map KEY ACTION\"; the names of actions stand in the help (?)"));
}

/* The word beside the present one, round at the ends. */
static void change(struct pane *p, int by, struct outcome *out)
{
	enum setting_id id = (enum setting_id)((struct settings_pane *)p->state)->cursor;
	unsigned words = 0, v = p->ui->set->v[id];
	const char *w;
	size_t n;

	while (setting_word(id, words, &n))
		words++;
	w = setting_word(id, (v + words + (unsigned)by) % words, &n);
	out->flags |= OUT_COMMAND;
	snprintf(out->command, sizeof(out->command), "set %s %.*s", setting_get(id)->name, (int)n, w);
}

static void move_by(struct settings_pane *s, int by, struct outcome *out)
{
	int to = (int)s->cursor + by, last = SET_N - 1;

	to = to < 0 ? 0 : to > last ? last : to;
	if (to == (int)s->cursor)
		outcome_say(out, "%s", to ? _("this is the last row") : _("this is the first row"));
	s->cursor = (unsigned)to;
}

static void settings_act(struct pane *p, enum action a, struct outcome *out)
{
	struct settings_pane *s = p->state;

	out->flags |= OUT_HANDLED;
	switch (a) {
	case ACT_DOWN: move_by(s, 1, out); break;
	case ACT_UP: move_by(s, -1, out); break;
	case ACT_PAGE_DOWN: case ACT_HALF_DOWN: case ACT_END: move_by(s, SET_N, out); break;
	case ACT_PAGE_UP: case ACT_HALF_UP: case ACT_TOP: move_by(s, -SET_N, out); break;
	case ACT_ENTER: case ACT_RIGHT: case ACT_TAG: change(p, 1, out); break;
	case ACT_LEFT: change(p, -1, out); break;
	default: out->flags = 0; break;
	}
}

static bool settings_find(struct pane *p, const struct needle *n, int dir)
{
	struct settings_pane *s = p->state;

	for (int k = dir ? 1 : 0; k <= SET_N; k++) {
		unsigned i = (s->cursor + (unsigned)(SET_N * 2 + (dir < 0 ? -k : k))) % SET_N;
		const struct setting_def *d = setting_get((enum setting_id)i);

		if (!needle_match(n, d->name, strlen(d->name), NULL, NULL) && !needle_match(n, _(d->help), strlen(_(d->help)), NULL, NULL))
			continue;
		s->cursor = i;
		return true;
	}
	return false;
}

const struct pane_ops pane_settings = {
	.id = "settings",
	.title = N_("Settings"),
	.help = N_("What can be set, and to what; Enter changes it."),
	.where = IN_TEXT,
	.follow = { PANE_OVERVIEW, PANE_TIMELINE },
	.state_size = sizeof(struct settings_pane),
	.draw = settings_draw,
	.act = settings_act,
	.find = settings_find,
};
