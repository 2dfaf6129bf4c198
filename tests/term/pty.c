/*
 * pty.c - what a program writes to its terminal per key press, in bytes, and how long until it begins to. For tests and for comparing
 * with other programs, see traffic.sh.
 *
 *	pty WIDTHxHEIGHT QUIET_MS COMMAND [ARGUMENT...] <KEYS
 *
 * A line of KEYS is "LABEL<tab>BYTES": the bytes (with \e, \r, \t, \ooo) are typed at once, then everything is read until nothing has
 * come for QUIET_MS. Prints "LABEL<tab>bytes<tab>ms to the first of them" a line, "-" where nothing came; the first line is the start. The
 * terminal answers nothing. Bytes that come later than that are counted with the next key.
 *
 *	pty WIDTHxHEIGHT --until TEXT COMMAND [ARGUMENT...]
 *
 * Prints the seconds from the start until the program has written TEXT; 1 if it ends before.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/pty.h"

static int quiet_ms;

static pid_t start(const char *tty, int parent, char **argv)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	close(parent);
	if (pty_take(tty) < 0)
		_exit(127);
	execvp(argv[0], argv);
	_exit(127);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

/* Reads until nothing has come for quiet_ms, or the program is gone; prints what came since the key. */
static void drain(int fd, const char *label, double since)
{
	char buf[65536];
	double first = -1;
	long sum = 0;

	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };
		ssize_t n = poll(&p, 1, quiet_ms) > 0 ? read(fd, buf, sizeof(buf)) : 0;

		if (n <= 0)
			break;
		if (first < 0)
			first = now_ms() - since;
		sum += n;
	}
	if (first < 0)
		printf("%s\t%ld\t-\n", label, sum);
	else
		printf("%s\t%ld\t%.3f\n", label, sum, first);
}

static size_t unescape(char *s)
{
	char *to = s, *from = s;

	while (*from) {
		unsigned v;

		if (*from != '\\' || !from[1]) {
			*to++ = *from++;
		} else if (sscanf(from + 1, "%3o", &v) == 1) {
			*to++ = (char)v;
			from += 4;
		} else {
			*to++ = from[1] == 'e' ? 27 : from[1] == 'r' ? '\r' : from[1] == 't' ? '\t' : from[1];
			from += 2;
		}
	}
	return (size_t)(to - s);
}

static void type_lines(int fd)
{
	char *line = NULL, *tab;
	size_t cap = 0, n;
	double since;

	drain(fd, "start", now_ms());
	while (getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		tab = strchr(line, '\t');
		if (!tab)
			continue;
		*tab++ = '\0';
		n = unescape(tab);
		since = now_ms();
		if (write(fd, tab, n) != (ssize_t)n)
			break;
		drain(fd, line, since);
	}
	free(line);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Whether TEXT came; what was read before is kept as far as it may be the beginning of it. */
static bool until(int fd, const char *text)
{
	static char buf[65536];
	size_t want = strlen(text), have = 0;
	ssize_t n;

	while (want < sizeof(buf) / 2 && (n = read(fd, buf + have, sizeof(buf) - have)) > 0) {
		have += (size_t)n;
		if (memmem(buf, have, text, want))
			return true;
		if (have >= want) {
			memmove(buf, buf + have - want + 1, want - 1);
			have = want - 1;
		}
	}
	return false;
}

static int time_until(const char *size, const char *text, char **command)
{
	double began = seconds();
	char tty[128];
	int w, h, fd;
	pid_t pid;
	bool came;

	if (sscanf(size, "%dx%d", &w, &h) != 2 ||
	    (fd = pty_open(w, h, tty, sizeof(tty))) < 0 || (pid = start(tty, fd, command)) < 0)
		return 2;
	came = until(fd, text);
	printf("%.3f\n", seconds() - began);
	kill(pid, SIGTERM);
	close(fd);
	waitpid(pid, NULL, 0);
	return !came;
}

int main(int argc, char **argv)
{
	char tty[128];
	int w, h, fd;
	pid_t pid;

	if (argc > 4 && !strcmp(argv[2], "--until"))
		return time_until(argv[1], argv[3], argv + 4);
	if (argc < 4 || sscanf(argv[1], "%dx%d", &w, &h) != 2 || (quiet_ms = atoi(argv[2])) < 1) {
		fprintf(stderr, "usage: pty WIDTHxHEIGHT QUIET_MS COMMAND [ARGUMENT...] <KEYS\n");
		return 2;
	}
	fd = pty_open(w, h, tty, sizeof(tty));
	if (fd < 0 || (pid = start(tty, fd, argv + 3)) < 0) {
		perror("pty");
		return 1;
	}
	type_lines(fd);
	kill(pid, SIGTERM);
	close(fd);
	waitpid(pid, NULL, 0);
	return 0;
}
