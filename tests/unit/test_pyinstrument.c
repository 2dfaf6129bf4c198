/* test_pyinstrument.c - pyinstrument JSON: exact times, self times that sum to the root, [self], null, damage */
#include <unistd.h>

#include "base/fileio.h"
#include "base/outfile.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "tests/lib/tap.h"

static const char *scratch;

/* Loads these bytes as a file. */
static struct profile *load(const void *text, size_t n, struct err *e)
{
	struct load_ctx lx = { .builder = builder_new() };
	struct job job = { 0 };
	struct profile *p = NULL;

	lx.job = &job;
	outfile_write(scratch, text, n, NULL);
	if (loader_pyinstrument.load(&lx, scratch, e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	return p;
}

static struct profile *load_text(const char *text, struct err *e)
{
	return load(text, strlen(text), e);
}

static int probe(const char *text)
{
	struct probe p = { .path = "x.json", .head = text, .head_len = strlen(text), .size_bytes = (int64_t)strlen(text) };

	return loader_pyinstrument.probe(&p);
}

static ns_t self_sum(const struct profile *p)
{
	ns_t sum = 0;

	for (uint32_t i = 0; i < p->n_frames; i++)
		sum += p->frames[i].self_ns;
	return sum;
}

static const char *str(const struct profile *p, str_id id)
{
	size_t n;

	return id == ID_NONE ? NULL : profile_str(p, id, &n);
}

#define HEAD "{\"start_time\": 1795967786.918471,\"duration\": 21.181488,\"sample_count\": 1281," \
	"\"target_description\": \"Program: train.py 3 0\",\"cpu_time\": 20.802527,\"root_frame\": "
#define FRAME(fn, t, children) "{\"function\": \"" fn "\",\"file_path_short\": \"train.py\",\"file_path\": \"/x/train.py\"," \
	"\"line_no\": 12,\"time\": " t ",\"await_time\": 0.0,\"is_application_code\": true,\"children\": [" children "]}"
#define SELF(t) "{\"function\": \"[self]\",\"file_path_short\": \"train.py\",\"file_path\": \"\",\"line_no\": 0,\"time\": " t \
	",\"children\": []}"

static void test_plain(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_text(HEAD FRAME("<module>", "10.000001",
		FRAME("main", "7.000000", SELF("1.5") "," FRAME("step", "5.500000", "")) "," FRAME("[await]", "3.000000", "")) "}", &e);

	if (!ok(p != NULL, "a plain file loads: %s", e.text))
		return;
	is_int(p->format, FORMAT_PYINSTRUMENT, "its format");
	is_str(str(p, p->producer), "pyinstrument", "its producer");
	is_str(str(p, p->version), "4.7 or later", "its version, by target_description");
	is_int(p->epoch_ns, 1795967786918471000, "start_time as UTC ns, exactly");
	is_int(p->sampled_wall_ns, 21181488000, "duration");
	is_int(p->sampled_cpu_ns, 20802527000, "cpu_time");
	is_int(p->n_damages, 0, "no damage");
	is_int(p->n_frames, 4, "[self] is no frame, [await] is one");
	is_int(p->frames[0].parent, -1, "the root has no parent");
	is_int(p->frames[0].total_ns, 10000001000, "total of the root");
	is_int(p->frames[0].self_ns, 1000, "self of the root: 10.000001 - 7 - 3");
	is_str(str(p, p->frames[1].function), "main", "preorder");
	is_int(p->frames[1].self_ns, 1500000000, "[self] is self time of its parent");
	is_int(p->frames[2].parent, 1, "the children of main");
	is_int(p->frames[2].line, 12, "first line of the function");
	is_str(str(p, p->frames[2].file), "/x/train.py", "the whole path");
	is_int(p->frames[2].self_ns, 5500000000, "a leaf owns its time");
	is_str(str(p, p->frames[3].function), "[await]", "waiting is a frame");
	ok(p->frames[3].samples == I64_UNKNOWN, "samples per frame are unknown, not 0");
	is_int(self_sum(p), p->frames[0].total_ns, "all self times sum to the root");
	profile_unref(p);
}

/* Children that exceed their parent by rounding: the sum stays exact, nobody becomes negative. */
static void test_rounding(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_text(HEAD FRAME("a", "1.000000", FRAME("b", "0.500000",
		FRAME("c", "0.250001", "") "," FRAME("d", "0.250001", "")) "," FRAME("e", "0.400000", "")) "}", &e);

	if (!ok(p != NULL, "loads"))
		return;
	is_int(p->frames[1].self_ns, 0, "b is 2 us short: 0");
	is_int(p->frames[0].self_ns, 99998000, "its parent pays: 100 ms - 2 us");
	is_int(self_sum(p), 1000000000, "the sum is the root's time");
	is_int(p->n_damages, 0, "and that is no damage");
	profile_unref(p);
	p = load_text(HEAD FRAME("a", "1.000000", FRAME("b", "1.000001", FRAME("c", "0.600000", "") "," FRAME("d", "0.400001", "")))
		"}", &e);
	if (ok(p != NULL, "loads")) {
		is_int(p->frames[2].self_ns, 599999000, "no frame above has time: the largest self time pays");
		is_int(self_sum(p), 1000000000, "the sum is the root's time again");
		is_int(p->n_damages, 0, "and that is no damage");
		profile_unref(p);
	}
	p = load_text(HEAD FRAME("a", "1.0", FRAME("b", "3.0", "")) "}", &e);
	ok(p && p->n_damages > 0 && p->frames[0].self_ns == 0, "children of three times the root are damage");
	profile_unref(p);
}

static void test_null_and_unknown(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_text("{\"start_time\": 1, \"duration\": 0.5, \"sample_count\": 0, \"program\": \"x.py\", "
				      "\"cpu_time\": null, \"root_frame\": null}", &e);

	if (ok(p != NULL, "root_frame null loads: %s", e.text)) {
		is_int(p->n_frames, 0, "no frames");
		is_int(p->n_notes, 1, "a note says so");
		ok(p->sampled_cpu_ns == NS_UNKNOWN, "cpu_time null is unknown, not 0");
		ok(p->version == ID_NONE, "nothing tells the version");
		profile_unref(p);
	}
	p = load_text("{\"root_frame\": {\"function\": \"f\", \"time\": 1.0000000005, \"children\": [{\"function\": \"g\"}]}}", &e);
	if (ok(p != NULL, "missing keys are survived")) {
		ok(p->epoch_ns == NS_UNKNOWN && p->sampled_wall_ns == NS_UNKNOWN, "no start, no duration: unknown");
		is_int(p->frames[0].total_ns, 1000000001, "more than six decimals round to the ns");
		ok(p->frames[0].file == ID_NONE && p->frames[0].line == 0, "no file, no line");
		is_int(p->n_damages, 1, "a frame without a time is damage");
		is_int(p->frames[1].total_ns, 0, "it has none");
		profile_unref(p);
	}
	ok(!load_text("{\"root_frame\": 5}", &e) && e.code == ERR_FORMAT, "a number is no tree");
	ok(!load_text("{\"a\": 5}", &e) && e.code == ERR_FORMAT, "JSON of another kind is refused");
	ok(!load_text("", &e) && e.code == ERR_FORMAT, "so is nothing at all");
}

static void test_versions(void)
{
	static const struct {
		const char *keys, *want;
	} cases[] = {
		{ "\"class_name\": \"A\", \"await_time\": 0, \"is_application_code\": true,", "4.4-4.6" },
		{ "\"await_time\": 0, \"is_application_code\": true,", "4.0-4.6" },
		{ "\"is_application_code\": true,", "3.1-3.4" },
		{ "", "3.0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];
		struct profile *p;

		snprintf(text, sizeof(text), "{\"program\": \"x\", \"root_frame\": {%s \"function\": \"f\", \"time\": 1, \"children\": []}}",
			 cases[i].keys);
		p = load_text(text, NULL);
		is_str(p ? str(p, p->version) : NULL, cases[i].want, "version by the keys");
		if (p)
			profile_unref(p);
	}
}

static void test_damage(void)
{
	static const char whole[] = HEAD FRAME("a", "2.000000", FRAME("b", "1.500000", FRAME("c", "1.000000", ""))) "}";
	struct err e = ERR_INIT;
	struct profile *p = load(whole, sizeof(whole) - 1 - 20, &e);

	if (ok(p != NULL, "a file that ends early is used: %s", e.text)) {
		is_int(p->n_damages, 1, "and says so");
		ok(p->n_damages && p->damages[0].offset > 300, "with the place");
		is_int(self_sum(p), 2000000000, "what is there sums to the root");
		profile_unref(p);
	}
	p = load_text("{\"root_frame\": {\"function\": \"a\", \"line_no\": 7, \"time\": 1.5", &e);
	ok(p && p->n_frames == 1 && p->frames[0].line == 7 && !p->frames[0].total_ns && p->n_damages == 2,
	   "a number at the cut is not trusted: the time is unknown, and both are told");
	if (p)
		profile_unref(p);
	p = load_text("{\"root_frame\": {\"function\": \"a\\u0000b\", \"time\": 1, \"children\": []}}", &e);
	if (ok(p != NULL, "NUL in a name loads")) {
		size_t n;
		const char *s = profile_str(p, p->frames[0].function, &n);

		is_mem(s, n, "a\0b", 3, "and stays");
		profile_unref(p);
	}
}

/* Keys in any order, [self] with children, children that are none. */
static void test_order(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_text("{\"root_frame\": {\"children\": [{\"children\": [{\"time\": 1, \"children\": [], \"function\": \"g\"}], "
		"\"time\": 3, \"function\": \"[self]\"}, 5, [{\"function\": \"h\"}], {\"time\": 2, \"function\": \"f\", \"x\": {\"children\": [{}]}}], "
		"\"function\": \"main\", \"time\": 7}, \"duration\": 8}", &e);

	if (!ok(p != NULL, "keys in another order load: %s", e.text))
		return;
	is_int(p->n_frames, 3, "main, g and f");
	is_str(str(p, p->frames[0].function), "main", "its name comes last");
	is_int(p->frames[0].self_ns, 4000000000, "7 s less 1 and 2");
	is_str(str(p, p->frames[1].function), "g", "the child of [self] ...");
	is_int(p->frames[1].parent, 0, "... is one of main");
	is_int(p->sampled_wall_ns, 8000000000, "what follows the tree is read");
	is_int(p->n_damages, 1, "one kind of damage");
	is_uint(p->n_damages ? p->damages[0].count : 0, 2, "a number and a list are no frames");
	profile_unref(p);
}

/* 2.x: the document is the frame. */
static void test_bare(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_text("{\"function\": \"a\", \"file_path\": \"/x.py\", \"line_no\": 3, \"time\": 2.5, \"children\": ["
		"{\"function\": \"b\", \"time\": 1.5, \"children\": []}]}", &e);

	if (!ok(p != NULL, "a bare frame loads: %s", e.text))
		return;
	is_int(p->n_frames, 2, "it and its child");
	is_int(p->frames[0].self_ns, 1000000000, "its own time");
	is_int(p->frames[0].line, 3, "its line");
	is_str(str(p, p->version), "2", "of 2.x");
	profile_unref(p);
	ok(!load_text("{\"function\": \"a\", \"time\": 1}", &e) && e.code == ERR_FORMAT, "without children it could be anything");
}

/* As deep as a program may be: every frame is read, whole or cut. */
static void test_deep(void)
{
	size_t deep = 20000;
	char *text = malloc(deep * 60 + 100), *at = text;
	struct err e = ERR_INIT;
	struct profile *p;

	at += sprintf(at, "{\"root_frame\": ");
	for (size_t i = 0; i < deep; i++)
		at += sprintf(at, "{\"function\": \"f\", \"time\": 1.0, \"children\": [");
	p = load(text, (size_t)(at - text), &e);
	if (ok(p != NULL, "a deep tree that is cut loads: %s", e.text)) {
		is_uint(p->n_frames, deep, "every frame of it");
		is_int(self_sum(p), 1000000000, "one second in all");
		is_int(p->n_damages, 1, "the cut is told");
		is_int(p->n_damages ? p->damages[0].offset : 0, at - text, "with its place");
		profile_unref(p);
	}
	for (size_t i = 0; i < deep; i++)
		at += sprintf(at, "]}");
	at += sprintf(at, "}\n ]");
	p = load(text, (size_t)(at - text), &e);
	if (ok(p != NULL, "whole, with a bracket behind it")) {
		is_uint(p->n_frames, deep, "every frame");
		is_int(p->n_damages, 1, "what follows is told");
		is_int(p->n_damages ? p->damages[0].offset : 0, at - text - 1, "with its place");
		profile_unref(p);
	}
	free(text);
}

static void test_utf16(void)
{
	static const char text[] = "{\"root_frame\": {\"function\": \"f\", \"time\": 2, \"children\": []}}";
	char wide[2 * sizeof(text)] = { (char)0xff, (char)0xfe };
	struct err e = ERR_INIT;
	struct profile *p;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		wide[2 + 2 * i] = text[i];
	p = load(wide, 2 * sizeof(text), &e);
	ok(p && p->n_frames == 1 && p->frames[0].total_ns == 2000000000, "UTF-16 with a mark, as PowerShell writes it: %s", e.text);
	if (p)
		profile_unref(p);
}

static void test_probe(void)
{
	ok(probe(HEAD "{") > 90, "a file of the JSON renderer is certain");
	is_int(probe("{\"frame_records\": [\"root_frame\"], \"duration\": 1}"), 0, "a session is not one");
	is_int(probe("{\"traceEvents\": [], \"root_frame\": 1}"), 0, "a trace is not one");
	is_int(probe("{\"a\": {\"root_frame\": 1}}"), 0, "the key counts at the top only");
	is_int(probe("root_frame"), 0, "nor is text");
}

int main(void)
{
	char path[] = "test_pyinstrument.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	scratch = path;
	test_plain();
	test_rounding();
	test_null_and_unknown();
	test_versions();
	test_damage();
	test_order();
	test_bare();
	test_deep();
	test_utf16();
	test_probe();
	unlink(path);
	return done_testing();
}
