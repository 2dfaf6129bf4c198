/* stage.h - the explorer over a session that is there already, for benches: its provider, and waiting until all is computed. */
#ifndef TESTS_PERF_STAGE_H
#define TESTS_PERF_STAGE_H

#include <errno.h>
#include <poll.h>

#include "ui/app/app_impl.h"
#include "ui/work/work.h"

static inline uint64_t poll_session(void *arg, struct ui_progress *pr)
{
	(void)arg;
	*pr = (struct ui_progress){ 0 };
	return 1;
}

static inline struct session *take_session(void *arg)
{
	return session_clone(arg);
}

static inline void settle(struct app *a)
{
	do {
		struct pollfd fd = { work_fd(a->work), POLLIN, 0 };

		app_turn(a);
		if (!app_idle(a) && poll(&fd, 1, 50) < 0 && errno != EINTR)
			return;
	} while (!app_idle(a));
}

#endif
