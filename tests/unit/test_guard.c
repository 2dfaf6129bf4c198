/*
 * test_guard.c - mapped files that are cut short while they are used: text becomes zeros and is told, data that is believed ends the
 * process in order, and a trace that is cut while it is read is what the file had until there
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/sbuf.h"
#include "load/torch/torch_impl.h"
#include "tests/lib/tap.h"

#define BYTES (1 << 20)
#define KEPT 8192

static char path[] = "test_guard.XXXXXX";

static int make_file(void)
{
	char *text = xmalloc(BYTES);
	struct err e = ERR_INIT;

	memset(text, 'x', BYTES);
	ok(outfile_write(path, text, BYTES, &e), "a file of x (%s)", e.text);
	free(text);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Of a large file, which the system then can map in large pieces. */
static void place_large(void)
{
	const size_t piece = 2 << 20, sizes[] = { piece, 2 * piece + 1, 3 * piece - 4096 };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const char *p, *q;
		size_t n = sizes[i];

		ok(ftruncate(fd, (off_t)n) == 0 && pwrite(fd, "x", 1, (off_t)n - 1) == 1, "a file of %zu bytes", n);
		p = guard_map(fd, n, 4096);
		q = guard_map(fd, n, 64);
		ok(p && q && (uintptr_t)p % piece == 0 && (uintptr_t)q % piece == 0, "is mapped at a multiple of 2 MiB, twice");
		ok(p[0] == 0 && p[n - 1] == 'x' && p[n] == 0 && p[n + 4095] == 0, "from its first byte to the zeros behind it");
		guard_unmap(p, n, 4096);
		ok(q[0] == 0 && q[n - 1] == 'x' && q[n + 63] == 0, "the other one stays when one is unmapped");
		guard_unmap(q, n, 64);
	}
	close(fd);
	unlink(path);
}

static void cut_text(void)
{
	int fd = make_file();
	const char *p = guard_map(fd, BYTES, 64), *q;
	unsigned bad = 0;

	ok(p && p[0] == 'x' && p[BYTES - 1] == 'x', "it is mapped");
	for (int i = 0; i < 64; i++)
		bad += p[BYTES + i] != 0;
	is_uint(bad, 0, "with zeros behind it");
	ok(!guard_was_cut(p), "whole");
	q = guard_map(fd, BYTES, 64);
	is_int(ftruncate(fd, KEPT), 0, "now it is cut");
	is_int(p[KEPT - 1], 'x', "what is left is there");
	is_int(p[KEPT], 0, "what is gone is zero");
	is_int(p[BYTES - 1], 0, "to the end");
	is_int(p[KEPT - 1], 'x', "what is left stays");
	ok(guard_was_cut(p), "which is told");
	ok(!guard_was_cut(q), "not of a map that nobody looked at");
	guard_unmap(p, BYTES, 64);
	guard_unmap(q, BYTES, 64);
	guard_unmap(NULL, BYTES, 64);
	close(fd);
}

static void brought_back(int sig)
{
	ssize_t n = write(STDERR_FILENO, sig ? "other " : "back ", sig ? 6 : 5);

	(void)n;
}

/* What a child says and ends with that touches a page that is gone. */
static void touch_in_child(bool vital, const char *want, int want_status)
{
	int fd = make_file(), out[2], status = 0;
	char said[128];
	size_t got = 0;
	ssize_t n;
	pid_t pid;

	ok(pipe(out) == 0, "a pipe");
	fflush(NULL);
	pid = fork();
	if (!pid) {
		const char *q = vital ? guard_map(fd, BYTES, 0) : (const char *)mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
		volatile const char *p = q;

		if (vital && !guard_vital(q, "gone\n", 4))
			_exit(9);

		dup2(out[1], STDERR_FILENO);
		guard_otherwise(brought_back);
		_exit(p[0] != 'x' || ftruncate(fd, KEPT) != 0 || p[KEPT]);
	}
	close(out[1]);
	while (got < sizeof(said) - 1 && (n = read(out[0], said + got, sizeof(said) - 1 - got)) > 0)
		got += (size_t)n;
	said[got] = '\0';
	waitpid(pid, &status, 0);
	is_str(said, want, "%s: last words", vital ? "data" : "another map");
	is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), want_status, "and the end");
	close(out[0]);
	close(fd);
}

/* ---- a trace ---- */

#define EVENTS 20000u
#define CUT_AT 1000000

static void write_trace(void)
{
	struct sbuf b = { 0 };
	struct err e = ERR_INIT;

	sbuf_puts(&b, "{\"traceEvents\": [");
	for (unsigned i = 0; i < EVENTS; i++)
		sbuf_printf(&b, "%s\n {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op%u\", \"pid\": 1, \"tid\": 2, \"ts\": %u.000, \"dur\": 1.500}",
			i ? "," : "", i % 100, i * 10);
	sbuf_puts(&b, "]}");
	ok(outfile_write(path, b.s, b.n, &e), "a trace of %zu bytes", b.n);
	sbuf_fini(&b);
}

/* Events that end in the first n bytes of it. */
static unsigned events_until(size_t n)
{
	struct err e = ERR_INIT;
	size_t size;
	char *text = file_read_all(path, BYTES * 16, &size, &e);
	unsigned events = 0;

	for (const char *p = text; text && (p = memmem(p, (size_t)(text + n - p), "1.500}", 6)); p += 6)
		events++;
	free(text);
	return events;
}

static void cut_now(void *arg, struct builder *b)
{
	unsigned *batches = arg;

	(void)b;
	if ((*batches)++ == 2 && truncate(path, CUT_AT) != 0)
		diag("cannot cut");
}

static void cut_trace(void)
{
	struct torch_opts o = { .workers = 1, .batch_bytes = 100000 };
	unsigned batches = 0, want;
	struct job job = { 0 };
	struct load_ctx lx = { builder_new(), &job, cut_now, &batches };
	struct err e = ERR_INIT;
	struct profile *p;

	write_trace();
	want = events_until(CUT_AT);
	ok(torch_load_with(&lx, path, &o, &e), "a trace that is cut while it is read (%s)", e.text);
	p = builder_finish(lx.builder);
	is_uint(p->n, want, "has the events that are still there, of %u", EVENTS);
	is_uint(p->n_damages, 1, "one damage");
	is_str(p->n_damages ? p->damages[0].what : "", "the file became shorter while it was read", "which says what");
	is_int(p->n_damages ? p->damages[0].offset : 0, CUT_AT, "and where");
	is_int(p->start[p->n - 1], (int64_t)(want - 1) * 10000, "the last one is right");
	profile_unref(p);
	builder_free(lx.builder);
}

int main(void)
{
	int fd = mkstemp(path);

	ok(fd >= 0, "a temporary file");
	close(fd);
	place_large();
	cut_text();
	touch_in_child(true, "back gone\n", 4);
	touch_in_child(false, "other ", -SIGBUS);
	cut_trace();
	unlink(path);
	return done_testing();
}
