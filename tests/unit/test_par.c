/* test_par.c - which signals threads get: none that others send, all that they raise themselves */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/par.h"
#include "tests/lib/tap.h"

static const int raised[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL};
static const int sent[] = {SIGTERM, SIGINT, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT, SIGUSR1};

struct seen {
	pthread_t caller;
	atomic_uint others, raised_blocked, sent_open;
};

static void look(void *arg)
{
	struct seen *s = arg;
	sigset_t set;

	if (pthread_equal(pthread_self(), s->caller))
		return;
	atomic_fetch_add(&s->others, 1);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++)
		atomic_fetch_add(&s->raised_blocked, sigismember(&set, raised[i]) == 1);
	for (size_t i = 0; i < sizeof(sent) / sizeof(*sent); i++)
		atomic_fetch_add(&s->sent_open, sigismember(&set, sent[i]) == 0);
}

int main(void)
{
	struct seen s = {.caller = pthread_self()};
	sigset_t before, after;
	unsigned differ = 0;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	par_run(3, look, &s);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	is_uint(atomic_load(&s.others), 2, "two threads beside the caller");
	is_uint(atomic_load(&s.raised_blocked), 0, "they block nothing that they raise themselves");
	is_uint(atomic_load(&s.sent_open), 0, "they get nothing that others send");
	for (int sig = 1; sig < NSIG; sig++)
		differ += sigismember(&before, sig) != sigismember(&after, sig);
	is_uint(differ, 0, "the caller's own signals are as before");
	return done_testing();
}
