/*
 * signals.h - signals that others send to the explorer. A handler notes what came and wakes who
 * polls signals_fd(); what is to be done is done by the UI thread, between two frames: no terminal
 * library is entered from a handler.
 *
 * One per process. All but signals_keep_out() is for the UI thread.
 */
#ifndef UI_SCREEN_SIGNALS_H
#define UI_SCREEN_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* How long an end in order may take; then the process ends where it is. */
enum {
	SIGNALS_END_MS = 60
};

struct signals_news {
	bool size;  /* SIGWINCH */
	bool stop;  /* SIGTSTP, and no SIGCONT behind it: signals_stop() is due */
	bool go_on; /* SIGCONT: somebody else may have had the terminal */
	int end;    /* SIGINT, SIGTERM, SIGHUP or SIGQUIT: die of it; 0 none */
};

/*
 * From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT, with `terminal` SIGTSTP, SIGCONT and SIGWINCH
 * as well, are noted; those that whoever started us wants ignored (nohup) stay so. Before a
 * terminal library is opened, so that this leaves them alone. The first signal to end leaves
 * SIGNALS_END_MS for an end in order, the second one ends at once. What was noted and not taken
 * survives close and open.
 */
void signals_open(bool terminal);
/* What was there before open counts again. An end that has begun still comes in time. */
void signals_close(void);
/*
 * fn(SIGNAL) is called in a handler where there is no end in order, fn(0) where an exit follows:
 * gives the terminal back. NULL: none.
 */
void signals_last_resort(void (*fn)(int sig));

int signals_fd(void); /* readable when there is news; -1 none */
struct signals_news signals_take(void);

/*
 * Stops this process, with `group` (a key has asked for it) all of its process group, as a shell
 * with job control expects it, and returns when it goes on. Does nothing where SIGTSTP is ignored
 * or nobody could continue us.
 */
void signals_stop(bool group);
/* The process exits with this status within SIGNALS_END_MS, if it has not by then. */
void signals_end_soon(int status);

/*
 * For threads that are made now: they get none of these signals. The old mask to be set again is
 * in *old.
 */
void signals_keep_out(sigset_t *old);

#endif
