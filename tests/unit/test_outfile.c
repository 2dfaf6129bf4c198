/*
 * test_outfile.c - outputs in folders where something was planted under their names: modes, links,
 * pipes, devices; several files that appear together; folders that others may write to; logs. What
 * takes two users is in tests/report/outputs.t.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "tests/lib/tap.h"

static char dir[] = "test_outfile.XXXXXX";

static char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

/* By another way than what is under test. */
static void plant(const char *name, const char *text, mode_t mode)
{
	char *path = in_dir(name);
	FILE *f = fopen(path, "w");

	ok(f && fputs(text, f) >= 0 && fclose(f) == 0 && chmod(path, mode) == 0, "%s is planted",
	   name);
	free(path);
}

static void holds(const char *name, const char *want, const char *what)
{
	char *path = in_dir(name);
	struct err e = ERR_INIT;
	size_t n;
	char *got = file_read_all(path, 1000, &n, &e);

	is_str(got ? got : e.text, want, "%s: %s", name, what);
	free(got);
	free(path);
}

static void has_mode(const char *name, mode_t want)
{
	char *path = in_dir(name);
	struct stat st = {0};

	ok(lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 07777) == want,
	   "%s is a regular file of mode %o", name, (unsigned)want);
	free(path);
}

static bool put(const char *name, const char *text, struct err *e)
{
	char *path = in_dir(name);
	bool done = outfile_write(path, text, strlen(text), e);

	free(path);
	return done;
}

/* Names in the folder, hidden ones too. */
static unsigned count(const char *where)
{
	char *cmd = xasprintf("ls -A '%s' | wc -l", where);
	FILE *f = popen(cmd, "r");
	unsigned n = 0;

	ok(f && fscanf(f, "%u", &n) == 1, "%s is listed", where);
	if (f)
		pclose(f);
	free(cmd);
	return n;
}

static void modes(void)
{
	static const struct {
		mode_t umask, old, want;
	} cases[] = {
		{022, 0, 0644},	    {077, 0, 0600},	{0, 0, 0666},	    {022, 0640, 0640},
		{022, 04777, 0666}, {022, 06711, 0600}, {077, 01664, 0664}, {022, 0400, 0400},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err e = ERR_INIT;
		char *path = in_dir("mode");

		if (cases[i].old)
			plant("mode", "old", cases[i].old);
		umask(cases[i].umask);
		ok(put("mode", "new", &e), "written (%s)", e.text);
		umask(022);
		has_mode("mode", cases[i].want);
		unlink(path);
		free(path);
	}
}

/* A symbolic link, a hard link, a pipe: the name is another file afterwards, what was there is as it was. */
static void planted(void)
{
	char *target = in_dir("victim"), *sym = in_dir("sym"), *hard = in_dir("hard"),
	     *pipe = in_dir("pipe"), *lost = in_dir("lost");
	struct err e = ERR_INIT;
	struct stat was, now;

	plant("victim", "mine", 0600);
	ok(stat(target, &was) == 0 && symlink("victim", sym) == 0 &&
		   symlink("no-such", lost) == 0 && link(target, hard) == 0 &&
		   mkfifo(pipe, 0666) == 0,
	   "links and a pipe");
	ok(put("sym", "new", &e) && put("lost", "new", &e) && put("hard", "new", &e) &&
		   put("pipe", "new", &e),
	   "written (%s)", e.text);
	has_mode("sym", 0644);
	has_mode("lost", 0644);
	has_mode("hard", 0600); /* the mode that the name had */
	has_mode("pipe", 0644);
	holds("hard", "new", "under its name");
	holds("victim", "mine", "not written through a link");
	ok(stat(target, &now) == 0 && now.st_ino == was.st_ino && now.st_mode == was.st_mode,
	   "the same file");
	ok(!access(lost, F_OK) && !put("no-such/x", "new", &e) && e.sys == ENOENT,
	   "nothing at the end of a broken link");
	unlink(sym);
	ok(symlink("/dev/null", sym) == 0 && !put("sym", "new", &e) && e.code == ERR_IO,
	   "a link to a device stays (%s)", e.text);
	ok(!put("", "new", &e) && e.sys == EISDIR, "the folder is no file");
	unlink(sym);
	free(target);
	free(sym);
	free(hard);
	free(pipe);
	free(lost);
}

/* `fail`: the name of the last one is a folder by the time of the renames. */
static void set_of_three(bool fail)
{
	static const char *const names[] = {"s1", "s2", "s3"};
	char *last = in_dir("s3");
	struct err e = ERR_INIT;
	struct outset *s = outset_open(dir, &e);
	unsigned before;

	unlink(last);
	plant("s1", "old", 0644);
	before = count(dir);
	for (size_t i = 0; i < 3; i++) {
		FILE *f = outset_add(s, names[i], 0, &e);

		ok(f && fputs("new", f) >= 0, "%s (%s)", names[i], e.text);
	}
	holds("s1", "old", "not before all are there");
	if (fail)
		mkdir(last, 0777);
	ok(outset_commit(s, &e) == !fail, "committed (%s)", e.text);
	outset_free(s);
	holds("s1", fail ? "old" : "new", "afterwards");
	is_uint(count(dir), before + (fail ? 1 : 2), "nothing else is left");
	ok((access(strcat(strcpy(last, dir), "/s2"), F_OK) == 0) == !fail, "s2 is there, or not");
	unlink(last);
	strcat(strcpy(last, dir), "/s3");
	rmdir(last);
	free(last);
}

static void dropped(void)
{
	struct err e = ERR_INIT;
	struct outset *s = outset_open(dir, &e);
	unsigned before = count(dir);
	FILE *f = outset_add(s, "s1", 0, &e), *g = outset_add(s, "s9", OUT_NEW, &e);

	ok(f && g && fputs("half", f) >= 0 && fputs("half", g) >= 0, "two are begun");
	outset_free(s);
	is_uint(count(dir), before, "and dropped");
}

static void new_only(void)
{
	char *path = in_dir("only"), *link = in_dir("broken");
	struct err e = ERR_INIT;
	FILE *f;
	struct outset *s = outset_of(path, OUT_NEW, &f, &e);

	ok(s && fputs("first", f) >= 0 && outset_commit(s, &e), "a new one");
	outset_free(s);
	ok(!outset_of(path, OUT_NEW, &f, &e) && e.sys == EEXIST, "not over it");
	holds("only", "first", "as it was");
	ok(symlink("no-such", link) == 0 && !outset_of(link, OUT_NEW, &f, &e) && e.sys == EEXIST,
	   "nor over a broken link");
	unlink(link);
	free(path);
	free(link);
}

static unsigned warned;

static void count_warning(const char *text)
{
	diag("%s", text);
	warned++;
}

static void folders(void)
{
	char *deep = in_dir("a/b//c/"), *wide = in_dir("wide"), *inside = in_dir("wide/x"),
	     *mode = in_dir("a/b");
	struct err e = ERR_INIT;
	struct stat st;

	umask(0);
	ok(folder_make(deep, FOLDER_MODE, &e) && folder_make(deep, FOLDER_MODE, &e),
	   "with those above it, twice (%s)", e.text);
	ok(stat(mode, &st) == 0 && (st.st_mode & 0777) == 0755,
	   "none that others may write to, whatever the umask");
	umask(022);
	ok(!folder_make("/dev/null/x", FOLDER_MODE, &e) && e.sys == ENOTDIR, "not below a file");
	outfile_policy(false, count_warning);
	mkdir(wide, 0700);
	chmod(wide, 0777);
	ok(!outfile_write(inside, "x", 1, &e) && e.code == ERR_USAGE, "others may write (%s)",
	   e.text);
	is_uint(count(wide), 0, "nothing was written");
	chmod(wide, 01777);
	ok(outfile_write(inside, "x", 1, &e), "the sticky bit");
	chmod(wide, 0777);
	outfile_policy(true, count_warning);
	ok(outfile_write(inside, "x", 1, &e), "by force");
	is_uint(warned, 0, "no word about a folder of one's own");
	outfile_policy(false, NULL);
	free(deep);
	free(wide);
	free(inside);
	free(mode);
}

static bool append(const char *name, const char *text, struct err *e)
{
	char *path = in_dir(name);
	FILE *f = outfile_append(path, e);
	bool done = f && fputs(text, f) >= 0;

	free(path);
	return f && fclose(f) == 0 && done;
}

static void logs(void)
{
	static const char *const others[] = {"log-sym", "log-hard", "log-pipe", "log-dev"};
	char *sym = in_dir("log-sym"), *hard = in_dir("log-hard"), *pipe = in_dir("log-pipe"),
	     *dev = in_dir("log-dev"), *victim = in_dir("log-victim");
	struct err e = ERR_INIT;

	ok(append("log", "one\n", &e) && append("log", "two\n", &e), "twice (%s)", e.text);
	holds("log", "one\ntwo\n", "appended");
	has_mode("log", 0644);
	plant("log-victim", "mine", 0600);
	ok(symlink("log-victim", sym) == 0 && link(victim, hard) == 0 && mkfifo(pipe, 0600) == 0 &&
		   symlink("/dev/null", dev) == 0,
	   "links and a pipe");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ok(!append(others[i], "x", &e) && e.code == ERR_IO, "no log: %s (%s)", others[i],
		   e.text);
	holds("log-victim", "mine", "as it was");
	free(sym);
	free(hard);
	free(pipe);
	free(dev);
	free(victim);
}

static void full_disk(void)
{
	char *path = in_dir("full");
	struct err e = ERR_INIT;
	FILE *f;
	struct outset *s;
	unsigned before;

	plant("full", "old", 0644);
	before = count(dir);
	s = outset_of(path, 0, &f, &e);
	ok(s && close(fileno(f)) == 0 && fputs("new", f) >= 0, "a stream that will fail");
	ok(!outset_commit(s, &e) && e.code == ERR_IO, "is told (%s)", e.text);
	outset_free(s);
	holds("full", "old", "the old one stays");
	is_uint(count(dir), before, "nothing else is left");
	free(path);
}

int main(void)
{
	char *cmd;

	umask(022);
	if (!mkdtemp(dir))
		return skip_all("no scratch folder");
	modes();
	planted();
	set_of_three(false);
	set_of_three(true);
	dropped();
	new_only();
	folders();
	logs();
	full_disk();
	cmd = xasprintf("rm -rf '%s'", dir);
	if (system(cmd) != 0)
		diag("%s is left", dir);
	free(cmd);
	return done_testing();
}
