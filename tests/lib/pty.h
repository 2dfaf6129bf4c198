/* pty.h - a pair of pseudo terminals for test programs that are a terminal to another one. */
#ifndef TESTS_LIB_PTY_H
#define TESTS_LIB_PTY_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The terminal's own side; the name of the other one into name. -1: this machine has none. */
static inline int pty_open(int w, int h, char *name, size_t cap)
{
	struct winsize ws = {(unsigned short)h, (unsigned short)w, 0, 0};
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	const char *s;

	if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0 || !(s = ptsname(fd)))
		return -1;
	snprintf(name, cap, "%s", s);
	ioctl(fd, TIOCSWINSZ, &ws);
	return fd;
}

/*
 * In a child: a session of its own with this as its terminal, which stdin, stdout and stderr
 * are. Its descriptor, or -1.
 */
static inline int pty_take(const char *name)
{
	int fd;

	setsid();
	fd = open(name, O_RDWR);
	if (fd < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	return fd;
}

#endif
