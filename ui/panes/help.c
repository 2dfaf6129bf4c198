/* help.c - help, generated from the table of actions: first what works in the pane it was called from, then the rest. */
#include <string.h>

#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/widgets/text.h"

struct help_pane {
	struct wtext text;
	int about;		/* enum pane_id + 1, 0 nothing yet */
	int cols;		/* width that it was broken for */
};

static void add_action(struct help_pane *s, const struct ui_ctx *ui, enum action a)
{
	const struct action_def *d = action_get(a);
	char keys[64], line[512];

	keymap_keys(ui->keys, a, keys, sizeof(keys));
	if (s->cols < 60) {
		snprintf(line, sizeof(line), " %s%s%s  %s", keys, keys[0] ? "" : ":", keys[0] ? "" : d->name, _(d->help));
		wtext_wrap(&s->text, ST_NORMAL, s->cols - 2, 3, line);
		return;
	}
	snprintf(line, sizeof(line), "  %-13s :%-16s %s", keys, d->name, _(d->help));
	wtext_wrap(&s->text, ST_NORMAL, s->cols - 2, 34, line);
}

static void add_legend(struct help_pane *s, const struct ui_ctx *ui)
{
	struct wtext *w = &s->text;
	char line[256];
	unsigned n;
	const struct mark *m = style_class_marks(&n);

	wtext_add(w, ST_TITLE, "%s", "");
	wtext_add(w, ST_TITLE, "%s", _("GPU work in the timeline"));
	for (unsigned i = 0; i < n; i++)
		wtext_add(w, m[i].style, "  %c %s  %s", m[i].letter, ui->ascii ? m[i].fill_ascii : m[i].fill, _(m[i].name));
	snprintf(line, sizeof(line), "  %s %s  %s", style_ramp(1, ui->ascii), style_ramp(4, ui->ascii),
		_("busy for less than half of the column: the higher, the more; a letter takes at least half of it"));
	wtext_wrap(w, ST_NORMAL, s->cols - 2, 7, line);
	wtext_add(w, ST_TITLE, "%s", "");
	wtext_add(w, ST_TITLE, "%s", _("Phases"));
	for (int i = 0; i < PHASE_N; i++) {
		const struct mark *ph = style_phase_mark((enum phase)i);

		wtext_add(w, ph->style, "  %c %s  %s", ph->letter, ui->ascii ? ph->fill_ascii : ph->fill, _(ph->name));
	}
}

static void add_wrapped(struct help_pane *s, const char *text)
{
	wtext_wrap(&s->text, ST_NORMAL, s->cols - 2, 4, text);
}

static void build(struct help_pane *s, const struct ui_ctx *ui, const struct pane_ops *about)
{
	struct wtext *w = &s->text;

	char line[512];

	wtext_reset(w);
	snprintf(line, sizeof(line), _("%s: %s"), _(about->title), _(about->help));
	wtext_wrap(w, ST_TITLE, s->cols - 2, 2, line);
	wtext_add(w, ST_NORMAL, "%s", "");
	if (about->where)
		wtext_add(w, ST_TITLE, "%s", _("Keys of this pane"));
	for (enum action a = ACT_NONE + 1; a < ACT_N; a++)
		if (action_get(a)->where & about->where)
			add_action(s, ui, a);
	if (about->where)
		wtext_add(w, ST_NORMAL, "%s", "");
	wtext_add(w, ST_TITLE, "%s", _("Keys everywhere"));
	for (enum action a = ACT_NONE + 1; a < ACT_N; a++)
		if (action_get(a)->where == IN_ALL)
			add_action(s, ui, a);
	wtext_add(w, ST_NORMAL, "%s", "");
	wtext_add(w, ST_TITLE, "%s", _("Commands after \":\" (Tab completes)"));
	add_wrapped(s, _("  every name above, and: goto 12.5ms · step N · window steady|all|step:N|steps:A-B|time:A..B · measure MARK MARK"));
	add_wrapped(s, _("  go launch|kernel|op|frame|step|gap|finding: of the row or event under the cursor"));
	add_wrapped(s, _("  filter TEXT · search TEXT · sort COLUMN · columns +ID -ID · by phase|step|device|thread · device N · thread ROLE · file N · view N"));
	add_wrapped(s, _("  set NAME VALUE (F2 shows them) · map KEY ACTION · write-pane FILE.json · w SESSION · source FILE · save-screen FILE"));
	wtext_add(w, ST_NORMAL, "%s", "");
	wtext_add(w, ST_TITLE, "%s", _("Filters"));
	add_wrapped(s, _("  gemm                rows with a text that holds it"));
	add_wrapped(s, _("  total_ns > 1ms      column, = != < <= > >= ~ !~, value with unit"));
	add_wrapped(s, _("  class = GEMM and count >= 10      and, or, not, parentheses"));
	add_legend(s, ui);
}

static void help_want(struct pane *p)
{
	struct help_pane *s = p->state;
	int about = p->ui->where.pane == PANE_HELP && p->ui->where.sub >= 0 ? p->ui->where.sub : PANE_OVERVIEW;

	if (s->about == about + 1 && s->cols == p->cols)
		return;
	if (s->about != about + 1)
		s->text.top = 0;
	s->about = about + 1;
	s->cols = p->cols;
	s->text.match = 0;
	build(s, p->ui, p->ui->panes[about < PANE_N ? about : PANE_OVERVIEW].ops);
}

const struct pane_ops pane_help = {
	.id = "help",
	.title = N_("Help"),
	.help = N_("What each key does; ? or q leaves."),
	TEXT_PANE_OPS,
	.follow = { PANE_OVERVIEW, PANE_TIMELINE },
	.state_size = sizeof(struct help_pane),
	.want = help_want,
};
