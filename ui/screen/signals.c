/* signals.c - see signals.h. What runs in a handler is async-signal-safe and keeps errno. */
#include "ui/screen/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

enum signals_kind {
	ENDS,
	JOB
};

static const struct {
	int sig;
	enum signals_kind kind;
} owned[] = {
	{SIGINT, ENDS}, {SIGTERM, ENDS}, {SIGHUP, ENDS},  {SIGQUIT, ENDS},
	{SIGTSTP, JOB}, {SIGCONT, JOB},	 {SIGWINCH, JOB},
};
enum {
	N_OWNED = sizeof(owned) / sizeof(owned[0])
};

static struct {
	int wake[2];
	struct sigaction before[N_OWNED];
	bool on[N_OWNED];
	timer_t timer;
	bool have_timer;
} S = {.wake = {-1, -1}};

/* Shared with the handlers. */
static atomic_bool size, stop, go_on;
static atomic_int end_signal, exit_status;
static void (*_Atomic last_resort)(int sig);

/*
 * ---- handlers
 * -----------------------------------------------------------------------------------
 */

static void wake(void)
{
	ssize_t n = write(S.wake[1], "", 1);

	(void)n; /* a full pipe wakes as well */
}

static _Noreturn void end_now(int sig)
{
	void (*fn)(int) = atomic_load(&last_resort);
	sigset_t set;

	if (fn)
		fn(sig);
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
		sigemptyset(&set);
		sigaddset(&set, sig);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	_exit(sig ? 128 + sig : atomic_load(&exit_status));
}

static void start_timer(void)
{
	struct itimerspec t = {.it_value = {0, SIGNALS_END_MS * 1000000L}};

	if (S.have_timer)
		timer_settime(S.timer, 0, &t, NULL);
}

static void on_timer(int sig)
{
	(void)sig;
	end_now(atomic_load(&end_signal));
}

static void on_end(int sig)
{
	int was = 0, saved = errno;

	if (!atomic_compare_exchange_strong(&end_signal, &was, sig))
		end_now(sig);
	start_timer();
	wake();
	errno = saved;
}

/* SIGCONT takes back a stop that has not come about, as the system would. */
static void on_job(int sig)
{
	int saved = errno;

	if (sig == SIGCONT)
		atomic_store(&stop, false);
	atomic_store(sig == SIGTSTP ? &stop : sig == SIGCONT ? &go_on : &size, true);
	wake();
	errno = saved;
}

/*
 * ---- begin and end
 * ------------------------------------------------------------------------------
 */

static void open_wake(void)
{
	if (pipe(S.wake) != 0) {
		S.wake[0] = S.wake[1] = -1;
		return;
	}
	for (int i = 0; i < 2; i++) {
		fcntl(S.wake[i], F_SETFL, O_NONBLOCK);
		fcntl(S.wake[i], F_SETFD, FD_CLOEXEC);
	}
}

static void open_timer(void)
{
	struct sigaction sa = {.sa_handler = on_timer};
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};

	if (S.have_timer)
		return;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
	S.have_timer = timer_create(CLOCK_MONOTONIC, &ev, &S.timer) == 0;
}

static void catch (size_t i)
{
	int sig = owned[i].sig;
	struct sigaction sa = {
		.sa_handler = owned[i].kind == ENDS ? on_end : on_job,
		.sa_flags = SA_RESTART | SA_ONSTACK,
	};

	sigfillset(&sa.sa_mask);
	sigaction(sig, &sa, &S.before[i]);
	S.on[i] = S.before[i].sa_handler != SIG_IGN || sig == SIGCONT || sig == SIGWINCH;
	if (!S.on[i])
		sigaction(sig, &S.before[i], NULL);
}

void signals_open(bool terminal)
{
	open_wake();
	open_timer();
	for (size_t i = 0; i < N_OWNED; i++)
		if (terminal || owned[i].kind == ENDS)
			catch (i);
}

void signals_close(void)
{
	for (size_t i = 0; i < N_OWNED; i++) {
		if (S.on[i])
			sigaction(owned[i].sig, &S.before[i], NULL);
		S.on[i] = false;
	}
	for (int i = 0; i < 2; i++) {
		if (S.wake[i] >= 0)
			close(S.wake[i]);
		S.wake[i] = -1;
	}
}

void signals_last_resort(void (*fn)(int sig))
{
	atomic_store(&last_resort, fn);
}

/*
 * ---- the UI thread
 * ------------------------------------------------------------------------------
 */

int signals_fd(void)
{
	return S.wake[0];
}

struct signals_news signals_take(void)
{
	char drain[64];

	while (S.wake[0] >= 0 && read(S.wake[0], drain, sizeof(drain)) > 0)
		;
	return (struct signals_news){
		.size = atomic_exchange(&size, false),
		.stop = atomic_exchange(&stop, false),
		.go_on = atomic_exchange(&go_on, false),
		.end = atomic_load(&end_signal),
	};
}

static size_t index_of(int sig)
{
	size_t i = 0;

	while (owned[i].sig != sig)
		i++;
	return i;
}

void signals_stop(bool group)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, ours;
	size_t i = index_of(SIGTSTP);

	if (!S.on[i])
		return;
	if (group)
		atomic_store(&go_on, false);
	sigaction(SIGTSTP, &ignore, &ours);
	/* the others first: who stops itself sends nothing more */
	if (group)
		kill(0, SIGTSTP);
	sigaction(SIGTSTP, &S.before[i], NULL);
	if (!atomic_exchange(&go_on, false))
		raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	atomic_store(&go_on, false); /* the one that woke us */
}

void signals_end_soon(int status)
{
	atomic_store(&exit_status, status);
	start_timer();
}

void signals_keep_out(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	for (size_t i = 0; i < N_OWNED; i++)
		sigaddset(&set, owned[i].sig);
	pthread_sigmask(SIG_BLOCK, &set, old);
}
