/*
 * typeahead.c - keys that are typed before the table they are meant for is there wait for it, in order.
 * What leaves, stops or chooses another pane or table does not look at rows, and is done at once.
 */
#include <string.h>

#include "base/i18n.h"
#include "ui/app/app_impl.h"

/* Actions that do not look at the rows of the pane. */
static bool at_once(enum action act)
{
	static const enum action acts[] = {
		ACT_NONE,      ACT_BACK,      ACT_QUIT,	     ACT_ESCAPE,    ACT_CANCEL,
		ACT_HELP,      ACT_SETTINGS,  ACT_NEXT_PANE, ACT_PREV_PANE, ACT_PANE_SOURCES,
		ACT_PANE_LOG,  ACT_MAXIMISE,  ACT_HIST_BACK, ACT_HIST_FWD,  ACT_ABSREL,
		ACT_VIEW_NEXT, ACT_VIEW_PREV, ACT_SPLIT,     ACT_SOURCE,    ACT_WINDOW,
		ACT_DIFF,      ACT_ARGS,      ACT_REPORT,    ACT_RELOAD,    ACT_COMMAND,
		ACT_REDRAW,    ACT_SUSPEND,
	};

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (acts[i] == act)
			return true;
	return act >= ACT_PANE_1 && act <= ACT_PANE_9;
}

/* A prompt, a question and a letter after m take the next key whatever is shown. */
static bool takes_any_key(const struct app *a)
{
	return a->prompt.kind != PROMPT_NONE || a->ask_report || a->pending_mark;
}

/* Steps and findings come from the session, whichever pane is shown. */
static bool of_session(enum action act)
{
	return act >= ACT_PREV_STEP && act <= ACT_NEXT_FINDING && act != ACT_PREV_GAP &&
	       act != ACT_NEXT_GAP;
}

static bool must_wait(struct app *a, const struct term_event *ev)
{
	enum action act = ev->key == UK_MOUSE ? ACT_ENTER : app_bound(a, ev->key);
	bool comes = a->progress.loading || work_busy(a->work);

	if (!comes || (ev->key != UK_MOUSE && takes_any_key(a)))
		return false;
	if (of_session(act))
		return a->session_unanswered;
	return app_focused(a)->unanswered && !at_once(act);
}

static void handle(struct app *a, const struct term_event *ev)
{
	a->dirty = true;
	if (ev->key == UK_MOUSE)
		app_mouse(a, ev);
	else
		app_key(a, ev->key);
	/* the next key acts on the panes as they are after this one, though nothing is drawn in between */
	app_want(a);
}

static void keep(struct app *a, const struct term_event *ev)
{
	struct typeahead *t = &a->typed;

	a->dirty = true;
	if (t->n == TYPED_MAX) {
		app_fail(a, "%s", _("too many keys wait already; this one is lost"));
		return;
	}
	t->v[t->n++] = *ev;
	snprintf(a->status, sizeof(a->status),
		 ngettext("%u key waits for the table; Esc drops it",
			  "%u keys wait for the table; Esc drops them", t->n),
		 t->n);
	a->status_error = false;
}

void app_input(struct app *a, const struct term_event *ev)
{
	struct typeahead *t = &a->typed;
	enum action act = app_bound(a, ev->key);

	if (t->n && act == ACT_ESCAPE) {
		app_say(a, ngettext("%u key dropped", "%u keys dropped", t->n), t->n);
		t->n = 0;
		a->dirty = true;
	} else if (t->n && act != ACT_CANCEL && act != ACT_QUIT) {
		keep(a, ev);
	} else if (!t->n && must_wait(a, ev)) {
		keep(a, ev);
	} else {
		t->n = 0;
		handle(a, ev);
	}
}

void app_input_waiting(struct app *a)
{
	struct typeahead *t = &a->typed;

	while (t->n && !a->quit && !must_wait(a, &t->v[0])) {
		struct term_event ev = t->v[0];

		memmove(t->v, t->v + 1, --t->n * sizeof(t->v[0]));
		handle(a, &ev);
	}
}
