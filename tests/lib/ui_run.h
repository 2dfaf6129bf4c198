/*
 * ui_run.h - the explorer on a session that is all there, without a terminal: where it gets the session, and turns until it rests.
 */
#ifndef TESTS_LIB_UI_RUN_H
#define TESTS_LIB_UI_RUN_H

#include <poll.h>
#include <string.h>

#include "ui/app/app_impl.h"

static inline uint64_t made_poll(void *arg, struct ui_progress *pr)
{
	const struct session *s = arg;

	memset(pr, 0, sizeof(*pr));
	return s->generation;
}

static inline struct session *made_take(void *arg)
{
	return session_clone(arg);
}

static inline void made_cancel(void *arg)
{
	(void)arg;
}

/* The session stays the caller's and outlives the explorer. */
static inline struct ui_provider made_provider(struct session *s)
{
	return (struct ui_provider){ .arg = s, .poll = made_poll, .take = made_take, .cancel = made_cancel };
}

/* Turns until nothing is left to do, or it has been left; false: still busy after minutes. */
static inline bool settle(struct app *a)
{
	for (int i = 0; i < 10000; i++) {
		struct pollfd fd = { work_fd(a->work), POLLIN, 0 };

		app_turn(a);
		if (a->quit || app_idle(a))
			return true;
		poll(&fd, 1, 20);
	}
	return false;
}

#endif
