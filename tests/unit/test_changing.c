/*
 * test_changing.c - profdive reads a file that another program cuts, overwrites, replaces, deletes or
 * appends to meanwhile: it ends by itself, keeps what it read and says what happened.
 *
 * Moments are random, from the first read after the last opening of the file on (before that it would
 * be another file that is read), a little longer than until it is closed in a run that nobody disturbs;
 * CHANGES=50 takes 50 for each combination (1 if it is not set), SEED=n other ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "tests/lib/tap.h"

#define EVENTS	  100000u
#define LIMIT_MS  60000
#define OUT_BYTES 65536

static char dir[] = "test_changing.XXXXXX";
static char *path, *other;
static bool packed; /* the file is gzip */
static uint64_t seed = 1;

enum way {
	PRINT,
	SCREEN,
	TERMINAL,
	N_WAYS
};
static const char *const way_names[] = {"print", "--screen", "in a terminal"};

struct run {
	pid_t pid;
	int fd;	 /* what it writes: its stderr, or its terminal */
	int tty; /* the other end of its terminal, -1 none */
	struct termios before;
	int watch;	 /* inotify */
	unsigned opens;	 /* of the file, so far */
	int64_t read_ns; /* the first time after that; 0 not yet */
	int64_t closed_ns;
	int status;	     /* exit status; of a signal: minus its number */
	bool restored;	     /* the terminal is as before, or there is none */
	char out[OUT_BYTES]; /* the end of what it wrote, and a NUL */
	size_t out_n;
};

static unsigned dice(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n ? (unsigned)(seed >> 33) % n : 0;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- changes ---- */

static bool write_trace(const char *to, unsigned events, const char *name)
{
	struct sbuf b = {0};
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool good;

	sbuf_puts(&b, "{\"traceEvents\": [");
	for (unsigned i = 0; i < events; i++)
		sbuf_printf(
			&b,
			"%s\n {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s%u\", \"pid\": 1, "
			"\"tid\": 2, \"ts\": %u.000, \"dur\": 1.500}",
			i ? "," : "", name, i % 100, i * 10);
	sbuf_puts(&b, "]}");
	good = write(fd, b.s, b.n) == (ssize_t)b.n;
	close(fd);
	sbuf_fini(&b);
	return good;
}

/* What is read before somebody changes it. */
static bool make_file(void)
{
	char *cmd;
	bool good = write_trace(path, EVENTS, "aten::op");

	if (!packed)
		return good;
	cmd = xasprintf("gzip -c1 '%s' >'%s' && mv '%s' '%s'", path, other, other, path);
	good = good && system(cmd) == 0;
	free(cmd);
	return good;
}

static bool cut(void)
{
	struct stat st;

	return stat(path, &st) == 0 && truncate(path, st.st_size / 100 * dice(100)) == 0;
}

/* As a program does that exports under the same name again. */
static bool overwrite(void)
{
	return write_trace(path, EVENTS / 2 + dice(EVENTS), "aten::other");
}

static bool rename_over(void)
{
	return write_trace(other, EVENTS / 10, "aten::new") && rename(other, path) == 0;
}

static bool delete (void)
{
	return unlink(path) == 0;
}

static bool grow(void)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	bool good = write(fd, "{\"ph\": \"X\"", 10) == 10;

	close(fd);
	return good;
}

static const struct change {
	const char *name;
	bool (*make)(void);
	bool damages; /* it can be seen in the file that is open */
} changes[] = {
	{"cut", cut, true},
	{"overwritten", overwrite, true},
	{"renamed over", rename_over, false},
	{"deleted", delete, false},
	{"grown", grow, true},
};
#define N_CHANGES (sizeof(changes) / sizeof(*changes))

/* ---- running ---- */

static void become(enum way way, const char *jobs, int to)
{
	const char *program = getenv("PROFDIVE");
	int null = open("/dev/null", O_RDWR);

	if (way == TERMINAL) {
		setsid();
		ioctl(to, TIOCSCTTY, 0);
		setenv("TERM", "xterm", 1);
	}
	dup2(way == TERMINAL ? to : null, STDIN_FILENO);
	dup2(way == TERMINAL ? to : null, STDOUT_FILENO);
	dup2(to, STDERR_FILENO);
	if (way == PRINT)
		execl(program, program, "print", "--no-cache", "--jobs", jobs, "sources", path,
		      (char *)NULL);
	else if (way == SCREEN)
		execl(program, program, "--no-cache", "--jobs", jobs, "--screen", "80x24", path,
		      (char *)NULL);
	else
		execl(program, program, "--no-cache", "--jobs", jobs, path, (char *)NULL);
	_exit(127);
}

static bool open_terminal(int pair[2])
{
	struct winsize ws = {24, 80, 0, 0};

	pair[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (pair[0] < 0 || grantpt(pair[0]) != 0 || unlockpt(pair[0]) != 0)
		return false;
	ioctl(pair[0], TIOCSWINSZ, &ws);
	pair[1] = open(ptsname(pair[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
	return pair[1] >= 0;
}

static bool start(struct run *r, enum way way, const char *jobs)
{
	int pair[2];

	memset(r, 0, sizeof(*r));
	r->tty = -1;
	r->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	/* with the closings, since events that are alike are told once */
	if (r->watch < 0 || inotify_add_watch(r->watch, dir, IN_OPEN | IN_ACCESS | IN_CLOSE) < 0)
		return false;
	if (way == TERMINAL ? !open_terminal(pair) : pipe(pair) != 0)
		return false;
	fflush(NULL);
	r->pid = fork();
	if (r->pid == 0)
		become(way, jobs, pair[1]);
	r->fd = pair[0];
	if (way == TERMINAL) {
		r->tty = pair[1];
		tcgetattr(r->tty, &r->before);
	} else {
		close(pair[1]);
	}
	fcntl(r->fd, F_SETFL, O_NONBLOCK);
	return r->pid > 0;
}

/* Takes what it has written; the end is kept. */
static void take_output(struct run *r)
{
	ssize_t n;

	for (;;) {
		if (r->out_n > OUT_BYTES / 2) {
			memmove(r->out, r->out + OUT_BYTES / 4, r->out_n - OUT_BYTES / 4);
			r->out_n -= OUT_BYTES / 4;
		}
		n = read(r->fd, r->out + r->out_n, OUT_BYTES / 4);
		if (n <= 0)
			break;
		r->out_n += (size_t)n;
	}
	r->out[r->out_n] = '\0';
}

/* Openings and reads. The events are those of the folder: the file may get another inode. */
static void take_events(struct run *r)
{
	char buf[4096] __attribute__((aligned(8)));
	ssize_t n = read(r->watch, buf, sizeof(buf));

	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *ev = (const void *)(buf + at);

		at += (ssize_t)(sizeof(*ev) + ev->len);
		if (!ev->len || strcmp(ev->name, strrchr(path, '/') + 1) != 0)
			continue;
		if (ev->mask & IN_OPEN) {
			r->opens++;
			r->read_ns = 0;
		} else if (!r->read_ns && (ev->mask & IN_ACCESS)) {
			r->read_ns = now_ns();
		} else if (ev->mask & IN_CLOSE) {
			r->closed_ns = now_ns();
		}
	}
}

static bool ended(struct run *r)
{
	int status;

	if (waitpid(r->pid, &status, WNOHANG) != r->pid)
		return false;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	return true;
}

/* In a terminal it ends when asked to. */
static void finish(struct run *r, int64_t began, bool changed)
{
	struct termios after;
	int64_t asked = now_ns();

	while (!ended(r)) {
		struct pollfd p[2] = {{r->watch, POLLIN, 0}, {r->fd, POLLIN, 0}};

		poll(p, 2, 20);
		take_output(r);
		if (!changed)
			take_events(r);
		if (r->tty >= 0 && now_ns() - asked > 300000000) {
			asked = now_ns();
			(void)!write(r->fd, "Q", 1);
		}
		if (now_ns() - began > LIMIT_MS * INT64_C(1000000))
			kill(r->pid, SIGKILL);
	}
	take_output(r);
	r->restored = r->tty < 0 ||
		      (tcgetattr(r->tty, &after) == 0 && after.c_lflag == r->before.c_lflag &&
		       after.c_iflag == r->before.c_iflag && after.c_oflag == r->before.c_oflag &&
		       strstr(r->out, "\033[?1049l"));
	close(r->fd);
	if (r->tty >= 0)
		close(r->tty);
}

/* c: made `after_ns` behind the first read after opening number `open_n`; NULL: none. */
static void run(struct run *r, enum way way, const char *jobs, const struct change *c,
		unsigned open_n, int64_t after_ns)
{
	int64_t began = now_ns();
	bool made = !c;

	if (!start(r, way, jobs))
		return;
	while (!made && now_ns() - began < LIMIT_MS * INT64_C(1000000)) {
		struct pollfd p[2] = {{r->watch, POLLIN, 0}, {r->fd, POLLIN, 0}};

		take_events(r);
		take_output(r);
		if (r->opens < open_n || !r->read_ns) {
			poll(p, 2, 5);
		} else if (now_ns() - r->read_ns >= after_ns) {
			made = true;
			ok(c->make(), "%s", c->name);
		}
	}
	finish(r, began, c);
	close(r->watch);
}

/* ---- what is expected ---- */

static void judge(const struct run *r, enum way way, const char *jobs, const struct change *c,
		  int64_t after_ns)
{
	bool told = strstr(r->out, "while it was read"), good;

	/* the screen of a terminal need not have room for it */
	good = r->restored &&
	       (r->status == 0 || (r->status == 1 && c->damages && (told || way == TERMINAL)));
	ok(good, "%s%s, %s jobs, %s after %d us: status %d", packed ? "gzip, " : "", way_names[way],
	   jobs, c->name, (int)(after_ns / 1000), r->status);
	if (!good)
		diag("%s%s", r->restored ? "" : "the terminal is not restored; ", r->out);
}

static void rounds(enum way way, const char *jobs, unsigned moments, unsigned seen[2])
{
	static struct run r;
	unsigned opens;
	int64_t span;

	ok(make_file(), "a trace");
	run(&r, way, jobs, NULL, 0, 0);
	opens = r.opens;
	is_int(r.status, 0, "%s, %s jobs: nobody disturbs; the file is opened %u times",
	       way_names[way], jobs, opens);
	span = (r.closed_ns - r.read_ns) / 4 * 5;
	for (unsigned i = 0; i < moments * N_CHANGES; i++) {
		const struct change *c = &changes[i % N_CHANGES];
		int64_t after = span / 1000 * dice(1000);

		if (!make_file())
			continue;
		run(&r, way, jobs, c, opens, after);
		judge(&r, way, jobs, c, after);
		if (r.status == 0 || r.status == 1)
			seen[r.status]++;
	}
}

int main(void)
{
	const char *n = getenv("CHANGES"), *s = getenv("SEED");
	unsigned moments = n ? (unsigned)atoi(n) : 1, seen[2] = {0};
	char *cmd;

	if (!getenv("PROFDIVE") || !mkdtemp(dir))
		return skip_all("no program, or no scratch folder");
	seed = s ? (uint64_t)atoi(s) : seed;
	path = xasprintf("%s/trace.json", dir);
	other = xasprintf("%s/other", dir);
	for (unsigned way = 0; way < N_WAYS; way++) {
		rounds(way, "1", moments, seen);
		rounds(way, "3", moments, seen);
	}
	packed = system("gzip -h >/dev/null 2>&1") == 0;
	if (packed) {
		rounds(PRINT, "1", moments, seen);
		rounds(PRINT, "3", moments, seen);
	}
	diag("status 0: %u runs, 1: %u", seen[0], seen[1]);
	ok(seen[0] && seen[1], "some came too late, or do no harm; others are seen");
	cmd = xasprintf("rm -rf '%s'", dir);
	if (system(cmd) != 0)
		diag("%s is left", dir);
	free(cmd);
	free(path);
	free(other);
	return done_testing();
}
