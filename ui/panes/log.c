/* log.c - what was said so far: the terminal is ours, so nothing goes to stderr. */
#include <string.h>

#include "base/i18n.h"
#include "ui/panes/panes.h"
#include "ui/widgets/text.h"

struct log_pane {
	struct wtext text;
	unsigned seen;
};

static void log_want(struct pane *p)
{
	struct log_pane *s = p->state;
	const struct ui_log *log = p->ui->log;
	unsigned first = log->n > LOG_LINES ? log->n - LOG_LINES : 0;
	const struct session *ss = p->ui->session;

	if (s->seen == log->n && s->text.lines.n)
		return;
	s->seen = log->n;
	wtext_reset(&s->text);
	for (uint32_t i = 0; ss && i < ss->n_sources; i++) {
		const struct source *src = &ss->sources[i];

		if (src->state == SOURCE_FAILED)
			wtext_add(&s->text, ST_ERROR, "%s: %s", src->path, src->err.text);
		for (uint32_t k = 0; src->profile && k < src->profile->n_notes; k++)
			wtext_add(&s->text, ST_NORMAL, "%s: %s", src->path, src->profile->notes[k]);
	}
	for (unsigned i = first; i < log->n; i++)
		wtext_add(&s->text, ST_NORMAL, "%s", log->v[i % LOG_LINES].text);
	if (!s->text.lines.n)
		wtext_add(&s->text, ST_DIM, "%s", _("no messages yet"));
}

static void log_close(struct pane *p)
{
	wtext_fini(&((struct log_pane *)p->state)->text);
}

static void log_draw(const struct pane *p, const struct canvas *c)
{
	wtext_draw(&((const struct log_pane *)p->state)->text, c);
}

static void log_act(struct pane *p, enum action a, struct outcome *out)
{
	wtext_act(&((struct log_pane *)p->state)->text, p, a, out);
}

static bool log_find(struct pane *p, const struct needle *n, int dir)
{
	return wtext_find(&((struct log_pane *)p->state)->text, n, dir, p->say, sizeof(p->say));
}

static void log_highlight(struct pane *p, const struct needle *n)
{
	((struct log_pane *)p->state)->text.needle = n;
}

const struct pane_ops pane_log = {
	.id = "log",
	.title = N_("Log"),
	.help = N_("Messages of this session, and remarks about the files."),
	.where = IN_TEXT,
	.follow = { PANE_SOURCES, PANE_OVERVIEW },
	.state_size = sizeof(struct log_pane),
	.close = log_close,
	.want = log_want,
	.draw = log_draw,
	.act = log_act,
	.find = log_find,
	.highlight = log_highlight,
};
