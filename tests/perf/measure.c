/* measure.c - a child process per measurement, see measure.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/perf/measure.h"

static uint64_t allocations;

/* The linker sends the calls of our own objects here (--wrap); those of shared libraries go their own way. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* The number behind "key" in a file of /proc/self, 0 if it is not there. */
static int64_t proc_number(const char *file, const char *key)
{
	char line[256];
	size_t n = strlen(key);
	long long value = 0;
	FILE *f = fopen(file, "re");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, n) == 0)
			value = strtoll(line + n, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

int64_t anonymous_bytes(void)
{
	return proc_number("/proc/self/status", "RssAnon:") * 1024;
}

static int double_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *a, size_t n)
{
	if (!n)
		return 0;
	qsort(a, n, sizeof(*a), double_cmp);
	return n % 2 ? a[n / 2] : (a[n / 2 - 1] + a[n / 2]) / 2;
}

double load_average(void)
{
	double load = 0;

	return getloadavg(&load, 1) == 1 ? load : 0;
}

static void in_child(measure_fn fn, const char *path, struct figures *f)
{
	int64_t anon = anonymous_bytes();
	int64_t resident = proc_number("/proc/self/status", "VmRSS:");
	int64_t read_before = proc_number("/proc/self/io", "rchar:");
	struct rusage ru;

	allocations = 0;
	fn(path, f);
	f->allocations = allocations;
	f->read_bytes = (uint64_t)(proc_number("/proc/self/io", "rchar:") - read_before);
	if (!f->resident_bytes)
		f->resident_bytes = anonymous_bytes();
	f->resident_bytes -= anon;
	getrusage(RUSAGE_SELF, &ru);
	f->peak_bytes = (ru.ru_maxrss - resident) * 1024;
	f->cpu_s = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) + (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1e-6;
}

bool measure(measure_fn fn, const char *path, struct figures *f, struct err *e)
{
	int fd[2], status = 0;
	size_t got = 0;
	ssize_t n = 1;
	pid_t pid;

	if (pipe(fd) != 0)
		return err_sys(e, errno, "pipe");
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct figures mine = { 0 };

		in_child(fn, path, &mine);
		n = write(fd[1], &mine, sizeof(mine));
		_exit(n == (ssize_t)sizeof(mine) ? 0 : 1);
	}
	close(fd[1]);
	while (pid > 0 && n > 0 && got < sizeof(*f)) {
		n = read(fd[0], (char *)f + got, sizeof(*f) - got);
		got += n > 0 ? (size_t)n : 0;
	}
	close(fd[0]);
	if (pid < 0)
		return err_sys(e, errno, "fork");
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) || got < sizeof(*f))
		return err_set(e, ERR_INTERNAL, "the measuring process died");
	return true;
}
