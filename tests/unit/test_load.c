/* test_load.c - recognising files, searching folders, facts of a run, loading several files on threads */
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "load/identify.h"
#include "session/discover.h"
#include "session/run_facts.h"
#include "session/session_load.h"
#include "tests/lib/tap.h"

#define PYI "{\"start_time\": 5, \"duration\": 2, \"sample_count\": 3, \"program\": \"x\", \"cpu_time\": 1, \"root_frame\": " \
	"{\"function\": \"f\", \"time\": 2, \"children\": []}}"
#define TRACE "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", " \
	"\"pid\": 7, \"tid\": 7, \"ts\": 1000, \"dur\": 50, \"args\": {}}]}"

static void write_file(const char *path, const void *text, size_t n)
{
	ok(outfile_write(path, text, n, NULL), "writing %s", path);
}

static void write_text(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

static void test_identify(void)
{
	static const struct {
		const char *text;
		size_t n;		/* 0 = strlen */
		const char *name;	/* NULL: no loader */
		bool read;
	} cases[] = {
		{ PYI, 0, "pyinstrument", true },
		{ TRACE, 0, "torch", true },
		{ "SQLite format 3\0\20\0", 18, "nsys-sqlite", true },
		{ "NVIDIA Tegra Profiler Report 2024.1\n\0", 0, "nsys-rep", false },
		{ "NVR\0\2\0\0\0", 8, "ncu-rep", true },
		{ "==PROF== Connected\n\"ID\",\"Process ID\",\"Process Name\",\"Host Name\"\n", 0, "ncu-csv", true },
		{ "{\"frame_records\": [[[\"a\\u0000b\"], 0.1]], \"duration\": 1}", 0, "pyinstrument-session", true },
		{ "<!DOCTYPE html>\n<script>window.profileSession = {}", 0, "pyinstrument-html", true },
		{ "{\"function\": \"f\", \"time\": 1, \"children\": []}", 0, "pyinstrument", true },
		{ "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\", \"exporter\": \"pyinstrument\"}", 0,
			"speedscope", true },
		{ "{\"exporter\": \"py-spy\", \"$schema\": \"https://www.speedscope.app/file-format-schema.json\"}", 0,
			"speedscope", true },
		{ "# made by hand\na;b;c 12\na;b 3\n", 0, "collapsed", true },
		{ "<module> (x.py:3) 7\n", 0, "collapsed", true },
		{ "\xff\xfe" "a\0;\0b\0 \0" "1\0\n\0", 14, "collapsed", true },
		{ "<?xml version=\"1.0\"?><svg><!-- flamegraph --></svg>", 0, "flamegraph", true },
		{ "Process 7: python x.py\nThread 7 (active+gil): \"MainThread\"\n    f (x.py:3)\n", 0, "pyspy-dump", true },
		{ "[\n [1, 2, 3],\n [4, 5, 6]\n]", 0, "memory-timeline", false },
		{ "{\"schema\": \"1.0.1\", \"pid\": 1, \"nodes\": []}", 0, "execution-trace", false },
		{ "\x80\4\x95\0\0\0\0", 7, "memory-snapshot", true },
		{ "{\"id\":1,\"table\":\"StringIds\",\"value\":\"a\"}\n", 0, "nsys-jsonlines", true },
		{ "{\"type\":\"String\",\"id\":\"1\",\"value\":\"a\"}\n", 0, "nsys-json", true },
		{ "[{\"name\": \"k\", \"ph\": \"X\", \"cat\": \"cuda_api\", \"ts\": 1.5, \"dur\": 1, \"tid\": \"CUDA API Thread 1\", "
			"\"pid\": \"Device 0\"}]", 0, "nsys-chrome", true },
		{ "\x89HDF\r\n\x1a\n", 0, "hdf5", false },
		{ "{\"a\": 1}", 0, NULL, false },
		{ "The trace took 12; that is 3\n", 0, NULL, false },
		{ "\1\2\3\4", 0, NULL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct identity id = { 0 };
		struct err e = ERR_INIT;
		const struct loader *l;

		outfile_write("x", cases[i].text, cases[i].n ? cases[i].n : strlen(cases[i].text), NULL);
		ok(loader_identify("x", &id, &e), "file %zu can be read", i);
		is_str(id.loader ? id.loader->name : NULL, cases[i].name, "what file %zu is", i);
		l = loader_probe("x", &e);
		is_int(l != NULL, cases[i].read, "whether we read it");
		ok(l || (e.code == ERR_FORMAT && strlen(e.text) > 10), "if not, a sentence: %s", e.text);
	}
	unlink("x");
}

/* A number and a clear word for what holds nothing. */
static void test_nothing(void)
{
	struct identity id = { 0 };
	struct err e = ERR_INIT;

	write_text("empty.sqlite", "");
	ok(loader_identify("empty.sqlite", &id, &e) && id.empty && !id.loader, "an empty file is nothing, whatever its name");
	is_str(id.what, "the file is empty", "and is said to be");
	ok(!loader_identify("nowhere", &id, &e) && e.code == ERR_IO, "no file is an error of the system");
	ok(!loader_identify(".", &id, &e) && e.code == ERR_IO, "so is a folder");
}

static const char *base(const char *path)
{
	return path + (strncmp(path, "d/", 2) == 0 ? 2 : 0);
}

static void test_discover(void)
{
	const char *const dir[] = { "d", "d/b.json", "d/notes.txt" }, *const none[] = { "d/hollow" };
	struct discovery d;

	mkdir("d", 0777);
	mkdir("d/sub", 0777);
	mkdir("d/sub/deep", 0777);
	mkdir("d/.hidden", 0777);
	mkdir("d/hollow", 0777);
	write_text("d/b.json", PYI);
	write_text("d/a.json", TRACE);
	write_text("d/s.nsys-rep", "NVIDIA Tegra Profiler Report 2024.1\n");
	write_text("d/notes.txt", "nothing here\n");
	write_text("d/tool.py", "print(1)\n");
	write_text("d/empty.txt", "");
	write_text("d/lost.sqlite", "");
	write_text("d/ds_config.json", "{\"a\": 1}");
	write_text("d/sub/c.json", PYI);
	write_text("d/sub/deep/z.json", PYI);
	write_text("d/.hidden/h.json", PYI);
	ok(symlink("b.json", "d/link.json") == 0, "a link to a file");

	discover(&d, dir, 1, false);
	is_uint(d.n_sources, 4, "one level deep: four sources");
	is_str(base(d.sources[0]), "a.json", "by name");
	is_str(base(d.sources[1]), "b.json", "a link to the same file is no second source");
	is_str(base(d.sources[2]), "lost.sqlite", "an empty file with the name of a profile is lost input");
	is_str(base(d.sources[3]), "sub/c.json", "then the subfolders");
	is_uint(d.n_facts, 1, "the configuration");
	is_uint(d.n_notes, 1, "a profile that is not read is noted, text is not");
	ok(d.n_notes && d.notes[0].err.code == ERR_FORMAT && !strcmp(base(d.notes[0].path), "s.nsys-rep"), "by its path");
	discovery_fini(&d);

	discover(&d, dir, 1, true);
	is_uint(d.n_sources, 5, "to the bottom: five");
	discovery_fini(&d);

	discover(&d, dir + 1, 2, false);
	ok(d.n_sources == 2 && !strcmp(base(d.sources[1]), "notes.txt"), "a file that is named is a source, whatever it is");
	discovery_fini(&d);

	discover(&d, dir, 3, false);
	is_uint(d.n_sources, 5, "a file that was found and is named too is taken once");
	discovery_fini(&d);

	discover(&d, none, 1, false);
	ok(d.n_sources == 0 && d.n_notes == 1 && d.notes[0].err.code == ERR_IO, "a folder without profiles is told");
	discovery_fini(&d);
}

/* 1 MB of name before each of 2000 elements would be 2 GB. */
static void test_fact_limits(struct session *s)
{
	size_t n = 1u << 20;
	char *text = malloc(n + 2000 * 2 + 100);
	struct err e = ERR_INIT;
	uint32_t before = s->n_facts;

	memset(text, 'k', n);
	memcpy(text, "{\"", 2);
	strcpy(text + n, "\": [");
	for (size_t i = 0; i < 2000; i++)
		strcat(text + n, "1,");
	strcat(text + n, "1], \"z\": 1}");
	write_text("ds_config.json", text);
	ok(!run_facts_read(s, "ds_config.json", &e) && e.code == ERR_LIMIT, "a name without end is refused: %s", e.text);
	is_uint(s->n_facts, before + 1, "and what is below it");
	memset(text, '[', 5000);
	memcpy(text, "{\"a\":", 5);
	text[5000] = '\0';
	write_text("ds_config.json", text);
	ok(!run_facts_read(s, "ds_config.json", &e) && e.code == ERR_FORMAT, "so are 5000 brackets");
	free(text);
}

static void test_facts(void)
{
	struct session *s = session_new();
	struct err e = ERR_INIT;

	write_text("ds_config.json", "{\"zero_optimization\": {\"stage\": 3, \"offload\": {\"device\": \"cpu\"}}, \"fp16\": {\"enabled\": true},"
		" \"betas\": [0.9, 0.95], \"none\": null, \"bucket\": 5e8, \"eps\": 1e-08, \"exact\": 9007199254740991}");
	ok(run_facts_read(s, "ds_config.json", &e), "a configuration is read: %s", e.text);
	is_uint(s->n_facts, 8, "null is no fact");
	is_str(session_fact(s, "zero_optimization.stage"), "3", "an integer");
	is_str(session_fact(s, "zero_optimization.offload.device"), "cpu", "nested keys are joined by dots");
	is_str(session_fact(s, "fp16.enabled"), "true", "a truth value");
	is_str(session_fact(s, "betas.1"), "0.95", "an element of a list");
	is_str(session_fact(s, "bucket"), "500000000", "an integer with an exponent");
	is_str(session_fact(s, "eps"), "1e-08", "a small number");
	is_str(session_fact(s, "exact"), "9007199254740991", "2^53 - 1");
	write_text("ds_config.json", "{\"a\": 9007199254740993, \"b\": 1e999, \"c\": 4}");
	ok(!run_facts_read(s, "ds_config.json", &e) && strstr(e.text, "fact a "), "2^53 + 1 is not exact, and refused: %s", e.text);
	ok(!session_fact(s, "a") && !session_fact(s, "b"), "it is no fact, nor is what is beyond a double");
	is_str(session_fact(s, "c"), "4", "the others are");
	test_fact_limits(s);
	write_text("facts.txt", "# by hand\n parameters = 7e9 \n\ntokens=2048\r\n");
	ok(run_facts_read(s, "facts.txt", &e), "lines are read: %s", e.text);
	is_str(session_fact(s, "parameters"), "7e9", "blanks around do not count");
	is_str(session_fact(s, "tokens"), "2048", "nor do CR");
	is_str(s->facts[s->n_facts - 1].origin, "facts.txt", "a fact knows where it comes from");
	write_text("facts.txt", "a = 1\nb\n");
	ok(!run_facts_read(s, "facts.txt", &e) && strstr(e.text, "line 2"), "a line without = is refused by number: %s", e.text);
	write_text("facts.txt", "{\"a\": }");
	ok(!run_facts_read(s, "facts.txt", &e) && e.offset == 6, "broken JSON is refused");
	session_free(s);
}

enum { FILES = 9 };

static void test_loading(unsigned jobs)
{
	char name[FILES][16];
	const char *paths[FILES];
	struct session *s = session_new();
	struct session_load_opts o = { .jobs = jobs, .snapshots = true };
	struct session_loader *l;
	struct load_progress pr;
	struct err e = ERR_INIT;
	unsigned good = 0;

	for (int i = 0; i < FILES; i++) {
		snprintf(name[i], sizeof(name[i]), "in%d.json", i);
		outfile_write(name[i], i % 3 == 2 ? "no" : i % 3 ? TRACE : PYI, i % 3 == 2 ? 2 : strlen(i % 3 ? TRACE : PYI), NULL);
		paths[i] = name[i];
	}
	l = session_loader_start(s, paths, FILES, &o);
	ok(session_loader_wait(l, s, NULL, &e), "%u at a time: waiting ends", jobs);
	session_loader_progress(l, &pr);
	ok(!pr.loading && !s->loading, "nothing is left to load");
	is_uint(pr.events, 3, "three traces of one event");
	for (uint32_t i = 0; i < s->n_sources; i++)
		good += s->sources[i].state == (i % 3 == 2 ? SOURCE_FAILED : SOURCE_READY) && !strcmp(s->sources[i].path, name[i]) &&
			(i % 3 == 2 ? s->sources[i].err.code == ERR_FORMAT : i % 3 ? s->sources[i].profile->n == 1 :
			 s->sources[i].profile->n_frames == 1);
	is_uint(good, FILES, "each source is what its file holds, in the order given");
	session_loader_free(l);
	session_free(s);
}

static void test_cancel(void)
{
	const char *const paths[] = { "in0.json", "in1.json" };
	struct session *s = session_new();
	struct session_load_opts o = { .jobs = 1 };
	struct session_loader *l = session_loader_start(s, paths, 2, &o);
	atomic_bool stop = true;
	struct err e = ERR_INIT;

	ok(!session_loader_wait(l, s, &stop, &e) && e.code == ERR_CANCELLED, "a cancelled load is told from a finished one");
	ok(!s->loading, "and nothing goes on");
	session_loader_free(l);
	session_free(s);
	s = session_new();
	session_loader_free(session_loader_start(s, paths, 2, &o));
	session_free(s);
	pass("freeing a loader at work ends it");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st, (void)type, (void)f;
	return remove(path);
}

int main(void)
{
	char dir[] = "test_load.XXXXXX";

	i18n_init();
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	test_identify();
	test_nothing();
	test_discover();
	test_facts();
	test_loading(1);
	test_loading(2);
	test_loading(0);
	test_cancel();
	if (chdir("..") == 0)
		nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
