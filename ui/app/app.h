/* app.h - the explorer: everything between a session that fills up and a person at a terminal. */
#ifndef UI_APP_APP_H
#define UI_APP_APP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "ui/work/provider.h"

enum {
	UI_FILE_MAX = 16 << 20
}; /* bytes of a script, a session, a configuration */

/*
 * Runs until the user quits, the script ends, or SIGINT, SIGTERM, SIGHUP or SIGQUIT comes. Returns
 * the exit status: 0, else with *e set: 2 unknown terminal, 1 a script expectation failed; without:
 * 130 quit with ^C while nothing was shown yet or a file is read, 128 + N ended by signal N, which
 * is then in *ended_by (else 0): the caller cleans up and dies of it. After 130 or a signal the
 * process ends within SIGNALS_END_MS (signals.h) even where that takes longer. Restores the
 * terminal in every case.
 */
int ui_run(const struct ui_opts *o, int *ended_by, struct err *e);

/* The files that a session of :w names; the caller frees each and the array, also after false. */
bool ui_session_paths(const char *path, char ***paths, size_t *n, struct err *e);

#endif
