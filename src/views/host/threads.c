/* threads.c - view `threads`: every host thread with events, its role and why */
#include <stdlib.h>

#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_PID, C_TID, C_NAME, C_ROLE, C_EVIDENCE, C_EVENTS, C_BUSY, C_SHARE, C_LAUNCHES };

static const struct column_def cols[] = {
	[C_PID] = { "pid", N_("Process"), UNIT_ID, COL_KEY, 1, N_("process id") },
	[C_TID] = { "tid", N_("Thread"), UNIT_ID, COL_KEY, 0, N_("thread id") },
	[C_NAME] = { "name", N_("Name"), UNIT_TEXT, COL_NAME, 1, N_("name of the thread, as recorded") },
	[C_ROLE] = { "role", N_("Role"), UNIT_TEXT, COL_KEY, 0, N_("what the thread does in a training process") },
	[C_EVIDENCE] = { "evidence", N_("Because"), UNIT_TEXT, 0, 5, N_("what the role was told by") },
	[C_EVENTS] = { "events", N_("Events"), UNIT_COUNT, 0, 2, N_("host events on the thread") },
	[C_BUSY] = { "busy_ns", N_("Busy"), UNIT_NS, 0, 2, N_("time in which the thread has an event (union)") },
	[C_SHARE] = { "busy", N_("Share"), UNIT_RATIO, 0, 3, N_("the same as a share of the whole capture: of a DataLoader worker, how busy it is") },
	[C_LAUNCHES] = { "launches", N_("Launches"), UNIT_COUNT, 0, 4, N_("kernel launch calls") },
	SOURCE_COLS
};

static void put_thread(const struct selection *k, struct table *t, thread_id id)
{
	const struct thread_facts *tf = &k->f->threads[id];
	const struct thread *th = &k->p->threads[id];
	uint32_t row = table_row(t);

	table_i64(t, row, C_PID, th->pid);
	table_i64(t, row, C_TID, th->tid);
	an_str(t, row, C_NAME, k, th->name);
	table_cstr(t, row, C_ROLE, role_name(tf->role));
	table_cstr(t, row, C_EVIDENCE, tf->evidence ? _(tf->evidence) : NULL);
	table_i64(t, row, C_EVENTS, tf->events);
	table_i64(t, row, C_BUSY, tf->busy_ns);
	if (k->wall > 0)
		table_share(t, row, C_SHARE, (double)tf->busy_ns, (double)k->wall);
	if (k->p->caps & CAP_RUNTIME)
		table_i64(t, row, C_LAUNCHES, tf->launches);
	an_ref(t, row, REF_THREAD, k->f->source, th->pid, th->tid, C_NAME);
	an_row_source(t, row, k, th->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct scope whole = *sc;
	uint32_t n, *src = view_sources(cx, sc, NEED_ANY, &n, t);

	(void)e;
	whole.window = WINDOW_ALL;	/* roles belong to the whole source */
	for (uint32_t i = 0; i < n; i++) {
		struct selection k;

		if (!selection_init(&k, cx, &whole, src[i], NULL))
			continue;
		if (k.p->n_threads)
			selection_describe(&k, t);
		/* overhead records of Kineto name no process: no thread of anybody */
		for (thread_id id = 0; id < k.p->n_threads; id++)
			if (k.f->threads[id].events && k.p->threads[id].pid != -1 && selects_thread(&k, id))
				put_thread(&k, t, id);
		selection_fini(&k);
	}
	if (!t->n_rows)
		table_note(t, _("no host threads with events: a sampler's call tree has no time axis"));
	free(src);
	return true;
}

const struct analysis an_threads = {
	.id = "threads", .title = N_("Threads"), .doc = N_("host threads, their roles and how busy they are"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
