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

const struct pane_ops pane_log = {
	.id = "log",
	.title = N_("Log"),
	.help = N_("Messages of this session, and remarks about the files."),
	TEXT_PANE_OPS,
	.follow = { PANE_SOURCES, PANE_OVERVIEW },
	.state_size = sizeof(struct log_pane),
	.want = log_want,
};
