/*
 * test_fileio.c - plain and gzip sources (members, padding, cuts, damage), whole files,
 * lines, folders
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "tests/lib/tap.h"

static char dir[] = "test_fileio.XXXXXX";	/* below the folder where the tests run */

static char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

/* "hello, profile\n" by gzip -9 -n, and the same bytes of text */
static const char hello[] = "hello, profile\n";
static const unsigned char hello_gz[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
	0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0x28, 0x28, 0xca, 0x4f, 0xcb,
	0xcc, 0x49, 0xe5, 0x02, 0x00, 0x29, 0xb9, 0x7c, 0x38, 0x0f, 0x00, 0x00,
	0x00,
};

static void put(const char *name, const void *data, size_t n)
{
	char *path = in_dir(name);
	struct err e = ERR_INIT;

	ok(outfile_write(path, data, n, &e), "%s written (%s)", name, e.text);
	free(path);
}

/* Reads the whole source in pieces of `step` bytes; the caller frees. */
static char *slurp(const char *name, size_t step, size_t *n, const char **damage, int64_t *offset)
{
	char *path = in_dir(name), *buf = xcalloc(1, 1 << 20);
	struct err e = ERR_INIT;
	struct file_src *s = file_src_open(path, &e);
	size_t got = 1;

	*n = 0;
	while (s && got && file_src_read(s, buf + *n, step, &got, &e))
		*n += got;
	*damage = s ? file_src_damage(s, offset) : "not opened";
	if (s)
		ok(file_src_done(s) == file_src_size(s) || *damage, "%s: consumed to its end",
		   name);
	file_src_close(s);
	free(path);
	return buf;
}

static void reads_as(const char *name, const char *want, size_t want_n, bool damaged)
{
	static const size_t steps[] = { 1, 7, 4096 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const char *damage = NULL;
		int64_t offset = -1;
		size_t n;
		char *got = slurp(name, steps[i], &n, &damage, &offset);

		is_mem(got, n, want, want_n, "%s in steps of %zu", name, steps[i]);
		ok(!damage == !damaged, "%s is %s", name, damaged ? "damaged" : "whole");
		if (damaged)
			is_int(offset, (int64_t)want_n, "%s: the damage is where the text ends",
			       name);
		free(got);
	}
}

static void gzip(void)
{
	unsigned char two[2 * sizeof(hello_gz) + 600] = { 0 };
	char twice[2 * sizeof(hello)];
	size_t z = sizeof(hello_gz), h = sizeof(hello) - 1;

	memcpy(two, hello_gz, z);
	memcpy(two + z, hello_gz, z);
	memcpy(twice, hello, h);
	memcpy(twice + h, hello, h);
	put("one.json", hello_gz, z);
	reads_as("one.json", hello, h, false);
	put("two.gz", two, 2 * z);
	reads_as("two.gz", twice, 2 * h, false);
	put("padded.gz", two, sizeof(two));
	reads_as("padded.gz", twice, 2 * h, false);
	two[2 * z] = 'x';
	put("rubbish.gz", two, 2 * z + 1);
	reads_as("rubbish.gz", twice, 2 * h, true);
	put("no-sum.gz", hello_gz, z - 8);
	reads_as("no-sum.gz", hello, h, true);
	two[z - 8] ^= 1;
	put("bad-sum.gz", two, z);
	reads_as("bad-sum.gz", hello, h, true);
	put("magic.gz", hello_gz, 2);
	reads_as("magic.gz", "", 0, true);
}

static void plain(void)
{
	put("empty", "", 0);
	reads_as("empty", "", 0, false);
	put("plain.gz", hello, sizeof(hello) - 1);	/* the name says gzip, the bytes do not */
	reads_as("plain.gz", hello, sizeof(hello) - 1, false);
}

/* Longer than the buffers in between, so that every refill is met. */
static void long_file(void)
{
	size_t n = 700001, got;
	char *data = xmalloc(n), *path = in_dir("long"), *back;
	struct err e = ERR_INIT;
	bool gz = true;
	int64_t size = 0;

	for (size_t i = 0; i < n; i++)
		data[i] = (char)(i * 7919 >> 3);
	put("long", data, n);
	back = file_read_all(path, n, &got, &e);
	ok(back && got == n && memcmp(back, data, n) == 0 && !back[n],
	   "700001 bytes come back, terminated");
	free(back);
	back = file_read_all(path, n - 1, &got, &e);
	ok(!back && e.code == ERR_LIMIT, "one byte above the limit is refused");
	free(back);
	ok(file_head(path, data, 100, &got, &gz, &size, &e) && got == 100, "the head is 100 bytes");
	ok(!gz && size == (int64_t)n, "plain, with its size on disk");
	free(data);
	free(path);
}

/* ---- files that change while they are read ---- */

#define FIRST 300000
#define WHOLE 700001

struct change {
	const char *name;
	void (*make)(const char *path, int fd);
	int64_t want, offset;		/* bytes that can be read; where the damage is */
	const char *damage;
};

static void cut(const char *path, int fd)
{
	(void)fd;
	ok(truncate(path, 400000) == 0, "cut to 400000 bytes");
}

static void append(const char *path, int fd)
{
	int to = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	(void)fd;
	ok(write(to, "grown", 5) == 5, "5 bytes more");
	close(to);
}

static void replace(const char *path, int fd)
{
	struct err e = ERR_INIT;

	(void)fd;
	ok(outfile_write(path, "new", 3, &e), "another file has the name");
}

static void delete(const char *path, int fd)
{
	(void)fd;
	ok(unlink(path) == 0, "the name is gone");
}

/* What the source has open is to be written only from now on: each read fails. */
static void refuse(const char *path, int fd)
{
	int to = open(path, O_WRONLY | O_CLOEXEC);

	ok(dup2(to, fd) == fd, "the file cannot be read any more");
	close(to);
}

static const struct change changes[] = {
	{ "cut", cut, 400000, 400000, "the file became shorter while it was read" },
	{ "grown", append, WHOLE + 5, -1, "the file was written to while it was read" },
	{ "renamed over", replace, WHOLE, 0, NULL },
	{ "deleted", delete, WHOLE, 0, NULL },
	{ "refused", refuse, FIRST, FIRST, "the system cannot read the file any further" },
};

static void read_changed(const struct change *c, const char *path, const char *data)
{
	int next = dup(STDERR_FILENO);
	char *buf = xmalloc(WHOLE + 100);
	struct err e = ERR_INIT;
	struct file_src *s;
	const char *damage;
	int64_t offset = 0;
	size_t n, got = 1;

	close(next);
	s = file_src_open(path, &e);
	ok(s && file_src_read(s, buf, FIRST, &n, &e) && n == FIRST, "%s: the first bytes", c->name);
	c->make(path, next);
	while (got && file_src_read(s, buf + n, WHOLE + 100 - n, &got, &e))
		n += got;
	is_int((int64_t)n, c->want, "%s: so much can be read (%s)", c->name, e.text);
	ok(memcmp(buf, data, n < WHOLE ? n : WHOLE) == 0, "as it was");
	damage = file_src_damage(s, &offset);
	is_str(damage ? damage : "", c->damage ? c->damage : "", "what is said of it");
	is_int(offset, c->offset, "and where");
	is_int(file_src_size(s), WHOLE, "its size is what it was");
	ok(file_src_rewind(s, &e) && file_src_read(s, buf, 100, &got, &e) == (c->make != refuse),
	   "it can be read again from the beginning, if at all");
	file_src_close(s);
	free(buf);
}

static void changing(void)
{
	char *data = xmalloc(WHOLE), *path = in_dir("changing");

	for (size_t i = 0; i < WHOLE; i++)
		data[i] = (char)(i * 7919 >> 3);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		put("changing", data, WHOLE);
		read_changed(&changes[i], path, data);
	}
	free(data);
	free(path);
}

static void whole_gzip(void)
{
	char *path = in_dir("one.json"), *cut = in_dir("no-sum.gz"), *s;
	struct err e = ERR_INIT;
	size_t n;

	s = file_read_all(path, 100, &n, &e);
	is_str(s, hello, "a small gzip file as a whole");
	free(s);
	s = file_read_all(cut, 100, &n, &e);
	ok(!s && e.code == ERR_FORMAT, "a cut one is refused as a whole");
	free(s);
	free(path);
	free(cut);
}

/* Lines of every kind of end, one without any; a NUL ends what is seen of its line, not the text. */
static void lines(void)
{
	char text[] = "one\n\r\ntwo\r\nx\0y\nlast", *at = text, *end = text + sizeof(text) - 1;
	static const char *const want[] = { "one", "", "two", "x", "last" };

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		is_str(file_line(&at, end), want[i], "line %zu", i);
	ok(!file_line(&at, end) && !file_line(&at, end), "the end");
	at = end;
	ok(!file_line(&at, end), "an empty text has no line");
}

/* Nobody writes into the pipe: to wait for it would hang. */
static void no_file(void)
{
	char *path = in_dir("pipe");
	struct err e = ERR_INIT;
	size_t n;

	ok(mkfifo(path, 0600) == 0 && !file_read_all(path, 10, &n, &e) && e.code == ERR_IO,
	   "a pipe is no file (%s)", e.text);
	ok(!file_read_all("/dev/zero", 10, &n, &e) && e.code == ERR_IO, "nor is a device");
	ok(!file_read_all(dir, 10, &n, &e) && e.sys == EISDIR, "nor is a folder");
	unlink(path);
	free(path);
}

static void folders(void)
{
	static const char *const want[] = { "b", "sub/a", "sub/z" };
	char *top = in_dir("list"), *sub = in_dir("list/sub"), *hidden = in_dir("list/.h"),
	     *ring = in_dir("list/sub/ring");
	struct file_list l = { 0 };
	struct err e = ERR_INIT;

	mkdir(top, 0777);
	mkdir(sub, 0777);
	put("list/b", "", 0);
	put("list/.h", "", 0);
	put("list/sub/z", "", 0);
	put("list/sub/a", "", 0);
	ok(symlink("..", ring) == 0, "a link back up");
	ok(file_list_dir(&l, top, false, &e) && l.n == 1, "one level: one file");
	file_list_fini(&l);
	ok(file_list_dir(&l, top, true, &e), "all levels");
	if (is_uint(l.n, 3, "three files, none twice, none hidden"))
		for (size_t i = 0; i < 3; i++)
			is_str(l.paths[i] + strlen(top) + 1, want[i], "file %zu in order", i);
	file_list_fini(&l);
	ok(!file_list_dir(&l, hidden, true, &e) && e.code == ERR_IO, "a file is no folder");
	ok(!file_src_open(top, &e) && e.code == ERR_IO && e.sys == EISDIR, "a folder is no file");
	unlink(ring);
	free(top);
	free(sub);
	free(hidden);
	free(ring);
}

static void clean_up(void)
{
	char *cmd = xasprintf("rm -rf '%s'", dir);

	if (system(cmd) != 0)
		diag("%s is left", dir);
	free(cmd);
}

int main(void)
{
	if (!mkdtemp(dir))
		return skip_all("no scratch folder");
	gzip();
	plain();
	long_file();
	whole_gzip();
	lines();
	no_file();
	changing();
	folders();
	clean_up();
	return done_testing();
}
