/* work_report.c - the thread that writes the reports while the explorer goes on, see work.h */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "ui/work/work_impl.h"

static void *report_thread(void *arg)
{
	struct work *w = arg;
	struct report_job *r = &w->report;
	struct an_ctx cx = *r->snap->cx;
	bool done;

	cx.job = &r->job;
	done = r->rep.write(r->rep.arg, &cx, &r->scope, r->text, sizeof(r->text), &r->err);
	atomic_store(&r->state, done ? REPORT_DONE : REPORT_FAILED);
	work_notify(w);
	return NULL;
}

/* No thread uses the session for it any more. */
static void report_end(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	work_snap_unref(w, w->report.snap);
	w->report.snap = NULL;
	pthread_mutex_unlock(&w->lock);
	atomic_store(&w->report.state, REPORT_NONE);
}

bool work_report_start(struct work *w, const struct ui_report *rep, const struct scope *sc)
{
	struct report_job *r = &w->report;

	if (r->started || !work_ctx(w))
		return false;
	memset(&r->job, 0, sizeof(r->job));
	r->rep = *rep;
	r->scope = *sc;
	r->err = (struct err)ERR_INIT;
	r->text[0] = '\0';
	pthread_mutex_lock(&w->lock);
	r->snap = w->snap;
	r->snap->users++;
	pthread_mutex_unlock(&w->lock);
	atomic_store(&r->state, REPORT_RUNNING);
	r->started = work_thread(w, &r->thread, report_thread);
	if (!r->started)
		report_end(w);
	return r->started;
}

static void report_progress(struct report_job *r, char *text, size_t cap)
{
	uint64_t done = atomic_load(&r->job.done), total = atomic_load(&r->job.total);
	const char *stage = atomic_load(&r->job.stage);

	if (total)
		snprintf(text, cap, _("writing reports: %" PRIu64 " of %" PRIu64 " %s (Esc cancels)"), done, total, stage ? stage : "");
	else
		snprintf(text, cap, _("writing reports: %s (Esc cancels)"), stage ? stage : "…");
}

enum report_state work_report_poll(struct work *w, char *text, size_t cap)
{
	struct report_job *r = &w->report;
	enum report_state st = (enum report_state)atomic_load(&r->state);

	if (st == REPORT_RUNNING)
		report_progress(r, text, cap);
	if (st != REPORT_DONE && st != REPORT_FAILED)
		return st;
	pthread_join(r->thread, NULL);
	r->started = false;
	snprintf(text, cap, "%s", st == REPORT_DONE ? r->text : r->err.text);
	report_end(w);
	return st;
}

bool work_report_running(const struct work *w)
{
	return atomic_load(&((struct work *)(uintptr_t)w)->report.state) == REPORT_RUNNING;
}
