/*
 * jobs.c - a shell with job control and its terminal in one, for what signals and sizes do to a
 * program.
 *
 *	jobs storm ROUNDS SEED COMMAND [ARGUMENT...]
 *
 * ROUNDS times one of: a size, several at once, keys, a stop by SIGTSTP with sizes around it, by
 * ^Z, by SIGSTOP, SIGTSTP with SIGCONT behind it; what, when and how large comes of SEED alone.
 * After each stop by SIGTSTP or ^Z the terminal must be as it was before the program came; after
 * SIGCONT it must be the program's again. In the end "Q" must end it with status 0 and give the
 * terminal back. 1 and what went wrong on stderr, else 0.
 *
 *	jobs interrupt MS ^C|SIGNAL|ignored-SIGNAL COMMAND [ARGUMENT...]
 *
 * Types ^C, or sends the signal (a number), MS after the start, to a program that starts with the
 * signal's default action, or ignoring it, whatever the caller does with it. Prints the milliseconds from there
 * to the end and the status that a shell would tell; "early" instead of milliseconds if the program
 * ended before. 1 unless the terminal is as it was; 2 if it does not end.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/lib/pty.h"

enum {
	LIMIT_MS = 60000,
	ALTERNATE = 1 << 0,
	HIDDEN = 1 << 1,
	PASTE = 1 << 2,
	MOUSE = 1 << 3
};

static const struct {
	int number, flag;
	bool inverse;
} modes[] = {
	{1049, ALTERNATE, false}, {25, HIDDEN, true},	{2004, PASTE, false},
	{1000, MOUSE, false},	  {1006, MOUSE, false},
};

/* What the terminal was told, by the process that reads; the other one looks at it. */
static atomic_int *shown;
static int master, tty, out;
static struct termios before;
static uint32_t seed;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

static void rest_us(long us)
{
	nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static unsigned dice(unsigned sides)
{
	seed = seed * 1103515245u + 12345u;
	return seed / 65536 % 32768 % sides;
}

__attribute__((format(printf, 1, 2))) static bool wrong(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return false;
}

/*
 * ---- the terminal: reads everything, keeps the modes
 * ------------------------------------------------
 */

static void set_mode(long number, bool on)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (modes[i].number != number)
			continue;
		if (on != modes[i].inverse)
			atomic_fetch_or(shown, modes[i].flag);
		else
			atomic_fetch_and(shown, ~modes[i].flag);
	}
}

/* ESC [ ? N ; N h: sequences may come in pieces. */
static void understand(char c)
{
	static long numbers[8];
	static size_t n;
	static enum {
		TEXT,
		ESCAPE,
		BRACKET,
		NUMBERS
	} state;

	if (c == '\033') {
		state = ESCAPE;
	} else if (state == ESCAPE && c == '[') {
		state = BRACKET;
	} else if (state == BRACKET && c == '?') {
		state = NUMBERS;
		n = 0;
		numbers[0] = 0;
	} else if (state == NUMBERS && c >= '0' && c <= '9' && numbers[n] < 100000) {
		numbers[n] = numbers[n] * 10 + (c - '0');
	} else if (state == NUMBERS && c == ';' && n < 7) {
		numbers[++n] = 0;
	} else {
		for (size_t i = 0; state == NUMBERS && (c == 'h' || c == 'l') && i <= n; i++)
			set_mode(numbers[i], c == 'h');
		state = TEXT;
	}
}

static void be_terminal(void)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(master, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		for (ssize_t i = 0; i < n; i++)
			understand(buf[i]);
}

/*
 * ---- the shell
 * ------------------------------------------------------------------------------------
 */

/*
 * Returns when the program runs: what is sent then is for it. It starts with the default action for
 * signal `sig` (0: none) or ignoring it; what this process inherited (nohup, CI) is not passed on.
 */
static pid_t start_job(char **argv, int sig, bool ignored)
{
	int runs[2] = {-1, -1};
	char byte;
	pid_t pid;

	if (pipe(runs) != 0)
		return -1;
	fcntl(runs[1], F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		tcsetpgrp(tty, getpid());
		signal(SIGTTOU, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		if (sig)
			signal(sig, ignored ? SIG_IGN : SIG_DFL);
		close(runs[0]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(runs[1]);
	while (read(runs[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(runs[0]);
	return pid;
}

static bool soon_shown(int mask, int want)
{
	for (double since = now_ms(); (atomic_load(shown) & mask) != want; rest_us(1000))
		if (now_ms() - since > LIMIT_MS)
			return false;
	return true;
}

/* Until it stops (ends: with `stop` false). false: it did the other thing, or nothing. */
static bool soon_status(pid_t pid, bool stop, int *status)
{
	pid_t got = 0;
	double since = now_ms();

	while ((got = waitpid(pid, status, WNOHANG | WUNTRACED)) == 0) {
		if (now_ms() - since > LIMIT_MS)
			return wrong("nothing within %d ms", LIMIT_MS);
		rest_us(200);
	}
	return got == pid && (WIFSTOPPED(*status) != 0) == stop;
}

static bool given_back(void)
{
	struct termios now;

	if (!soon_shown(ALTERNATE | HIDDEN | PASTE | MOUSE, 0))
		return wrong("modes are left on: %#x", (unsigned)atomic_load(shown));
	if (tcgetattr(tty, &now) != 0 || now.c_iflag != before.c_iflag ||
	    now.c_oflag != before.c_oflag || now.c_cflag != before.c_cflag ||
	    now.c_lflag != before.c_lflag || memcmp(now.c_cc, before.c_cc, sizeof(now.c_cc)) != 0)
		return wrong("the line is not set as before");
	return true;
}

static bool taken(void)
{
	struct termios now;
	double since = now_ms();

	while (tcgetattr(tty, &now) != 0 || now.c_lflag & ICANON) {
		if (now_ms() - since > LIMIT_MS)
			return wrong("the line is not raw");
		rest_us(1000);
	}
	return soon_shown(ALTERNATE | PASTE, ALTERNATE | PASTE) ||
	       wrong("no alternate screen: %#x", (unsigned)atomic_load(shown));
}

static void size_once(void)
{
	struct winsize ws = {0};

	ws.ws_row = (unsigned short)(4 + dice(57));
	ws.ws_col = (unsigned short)(10 + dice(190));
	ioctl(tty, TIOCSWINSZ, &ws);
}

static void sizes(unsigned n)
{
	while (n--) {
		size_once();
		if (dice(2))
			rest_us(dice(3000));
	}
}

static void type_key(const char *s)
{
	ssize_t n = write(master, s, strlen(s));

	(void)n;
}

static void type_some(void)
{
	static const char *const keys[] = {
		"1", "2", "3", "4", "5", "6", "7",	 "8",	   "j",
		"k", "t", "l", "h", "?", "G", "\033[6~", "\033[B", "\033OB",
	};

	for (unsigned n = 1 + dice(4); n; n--)
		type_key(keys[dice(sizeof(keys) / sizeof(keys[0]))]);
}

/*
 * As a shell does: takes the terminal, looks, gives it back. `own` stopped by itself, and
 * cleaned up before.
 */
static bool stopped_and_on(pid_t pid, bool own)
{
	int status;
	bool ok;

	if (!soon_status(pid, true, &status))
		return wrong("it did not stop but has status %#x", (unsigned)status);
	tcsetpgrp(tty, getpgrp());
	ok = !own || given_back();
	if (!own)
		tcsetattr(tty, TCSADRAIN, &before);
	sizes(dice(3));
	tcsetpgrp(tty, pid);
	kill(-pid, SIGCONT);
	if (dice(2))
		sizes(1);
	return ok && taken();
}

/* SIGCONT may come before it has stopped, or behind that: both are right, and it goes on. */
static bool stop_and_on_at_once(pid_t pid)
{
	int status;

	kill(pid, SIGTSTP);
	rest_us(dice(4000));
	kill(pid, SIGCONT);
	for (double since = now_ms(); now_ms() - since < 100; rest_us(1000)) {
		if (waitpid(pid, &status, WNOHANG | WUNTRACED) != pid)
			continue;
		if (!WIFSTOPPED(status))
			return wrong("it ended with status %#x", (unsigned)status);
		kill(-pid, SIGCONT);
	}
	return taken();
}

static bool one_round(pid_t pid)
{
	int status;

	switch (dice(8)) {
	case 0:
		sizes(1);
		break;
	case 1:
		sizes(6);
		break;
	case 2:
		type_some();
		break;
	case 3:
		type_key("\032");
		return stopped_and_on(pid, true);
	case 4:
		kill(pid, SIGSTOP);
		return stopped_and_on(pid, false);
	case 5:
		return stop_and_on_at_once(pid);
	default:
		type_some();
		sizes(1 + dice(3));
		kill(pid, SIGTSTP);
		sizes(dice(3));
		return stopped_and_on(pid, true);
	}
	return waitpid(pid, &status, WNOHANG) == 0 ||
	       wrong("it ended with status %#x", (unsigned)status);
}

static bool ends_with(pid_t pid, int want)
{
	int status;

	if (!soon_status(pid, false, &status) || !WIFEXITED(status) || WEXITSTATUS(status) != want)
		return wrong("it should end with %d, its status is %#x", want, (unsigned)status);
	tcsetpgrp(tty, getpgrp());
	return given_back();
}

static int storm(int rounds, char **argv)
{
	pid_t pid = start_job(argv, 0, false);
	bool ok = taken();
	int i;

	for (i = 0; ok && i < rounds; i++) {
		rest_us(dice(20000));
		ok = one_round(pid);
	}
	if (ok) {
		type_key("\033\033Q");
		ok = ends_with(pid, 0);
	}
	if (!ok) {
		wrong("round %d", i);
		kill(pid, SIGKILL);
	}
	return !ok;
}

/* ^C as people type it: where something is shown the first one only stops what runs, so it is typed again after a second. */
static void type_interrupts(pid_t pid)
{
	siginfo_t info = {0};
	double since = now_ms();

	type_key("\003");
	while (now_ms() - since < 1000 &&
	       waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid)
		rest_us(200);
	if (!info.si_pid)
		type_key("\003");
}

static int interrupt(long ms, int sig, bool ignored, char **argv)
{
	pid_t pid = start_job(argv, sig, ignored);
	double since;
	int status;
	bool early, ok;

	rest_us(ms * 1000);
	early = waitpid(pid, &status, WNOHANG) == pid;
	since = now_ms();
	if (!early && sig)
		kill(pid, sig);
	else if (!early)
		type_interrupts(pid);
	if (!early && !soon_status(pid, false, &status)) {
		kill(pid, SIGKILL);
		return 2;
	}
	since = now_ms() - since;
	tcsetpgrp(tty, getpgrp());
	ok = given_back();
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (early)
		dprintf(out, "early\t%d\n", status);
	else
		dprintf(out, "%.1f\t%d\n", since, status);
	return !ok;
}

static int be_shell(const char *name, int argc, char **argv)
{
	/* what is told goes to the caller, not to the terminal; the program has neither */
	int err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
	bool ignored;

	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	tty = pty_take(name);
	if (tty < 0 || argc < 5)
		return 2;
	fcntl(tty, F_SETFD, FD_CLOEXEC);
	signal(SIGTTOU, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	tcgetattr(tty, &before);
	stderr = fdopen(err, "w");
	setvbuf(stderr, NULL, _IONBF, 0);
	if (strcmp(argv[1], "storm") == 0) {
		seed = (uint32_t)atoi(argv[3]);
		return storm(atoi(argv[2]), argv + 4);
	}
	ignored = strncmp(argv[3], "ignored-", 8) == 0;
	return interrupt(atol(argv[2]), atoi(argv[3] + (ignored ? 8 : 0)), ignored, argv + 4);
}

int main(int argc, char **argv)
{
	char name[128];
	pid_t pid;
	int status = 0;

	if (argc < 5 || (strcmp(argv[1], "storm") != 0 && strcmp(argv[1], "interrupt") != 0)) {
		fprintf(stderr, "usage: jobs storm ROUNDS SEED COMMAND...\n"
				"       jobs interrupt MS ^C|SIGNAL|ignored-SIGNAL COMMAND...\n");
		return 2;
	}
	shown = mmap(NULL, sizeof(*shown), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	master = pty_open(80, 24, name, sizeof(name));
	if (shown == MAP_FAILED || master < 0) {
		perror("jobs");
		return 2;
	}
	fcntl(master, F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (pid == 0)
		_exit(be_shell(name, argc, argv));
	be_terminal();
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
