/* test_stacks.c - collapsed stacks and speedscope files: exact counts and times, threads and processes, lines, damage */
#include "tests/lib/sampler.h"

#define load_raw(text, e) sampler_text(&loader_collapsed, text, e)
#define load_speed(text, e) sampler_text(&loader_speedscope, text, e)

/* ---- collapsed ---- */

static void test_raw(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_raw("<module> (train.py:24);work (lib/a.py:8) 421\n# a remark: 5\n\n// another\n"
		"<module> (train.py:25);work (lib/a.py:7) 218\r\n<module> (train.py:24);quick (C:\\lib\\b.py:16) 17\n"
		"<module> (train.py:26) 1\nno number here\n 12\n", &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "loads: %s", e.text))
		return;
	is_int(p->format, FORMAT_COLLAPSED, "its format");
	is_int(p->n_frames, 4, "lines of one function are one frame");
	is_int(sampler_roots(p, false), 669, "421 + 218 + 17 + 1 samples, and 12 without a frame");
	f = sampler_at(p, "<module>;work");
	is_int(f ? f->samples : -1, 639, "421 + 218 in work");
	ok(f && f->total_ns == NS_UNKNOWN && f->self_ns == NS_UNKNOWN, "no interval: times are unknown, not 0");
	is_str(f ? sampler_str(p, f->file) : "", "lib/a.py", "its file");
	is_int(sampler_line(p, f, 8, false), 421, "samples of line 8");
	is_int(sampler_line(p, f, 7, false), 218, "samples of line 7");
	is_int(sampler_line(p, &p->frames[0], 24, false), 438, "line 24 of the root: 421 + 17");
	f = sampler_at(p, "<module>;quick");
	is_str(f ? sampler_str(p, f->file) : "", "C:\\lib\\b.py", "a path with a colon");
	is_uint(sampler_damage(p), 1, "a line without a number");
	ok(p->sampled_wall_ns == NS_UNKNOWN, "no wall");
	profile_unref(p);
	ok(!load_raw("nothing\nhere\n", &e) && e.code == ERR_FORMAT, "no stack at all is refused");
}

/* A command line holds semicolons, quotes and numbers at its end; workers lie below their parent. */
static void test_processes(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_raw(
		"process 10:\"python -c \"a;b\" 7\";thread (10): MainThread;f (x.py:1) 5\n"
		"process 10:\"python -c \"a;b\" 7\";process 11:\"python worker\";thread (11): MainThread;fetch (fetch.py:2) 3\n"
		"process 10:\"python -c \"a;b\" 7\";thread (10): MainThread;f (x.py:1);mm (libtorch.so.2) 4\n"
		"process 10:\"python -c \"a;b\" 7\";thread (12);g;h 2\n", &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "loads: %s", e.text))
		return;
	is_int(p->frames[0].kind, NODE_PROCESS, "the root is a process");
	is_str(sampler_str(p, p->frames[0].function), "process 10:\"python -c … (2 arguments: --show-args)\"",
		"with its command line, semicolon and all; arguments are hidden");
	is_int(p->frames[0].samples, 14, "with everything below it");
	is_int(p->frames[0].parent, -1, "and no parent");
	is_int(p->frames[1].kind, NODE_THREAD, "then the thread with the most samples");
	is_str(sampler_str(p, p->frames[1].function), "thread (10): MainThread", "by name");
	is_int(p->frames[3].kind, NODE_NATIVE, "a shared object is native");
	for (f = p->frames; f < p->frames + p->n_frames && f->kind != NODE_PROCESS + 100; f++)
		if (sampler_named(p, f->function, "process 11:\"python worker\"", 26))
			break;
	ok(f < p->frames + p->n_frames && f->parent == 0 && f->samples == 3, "the worker below its parent");
	is_uint(sampler_damage(p), 0, "nothing is lost");
	profile_unref(p);
}

static void test_austin(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_raw("Process 5;Thread 77;main (a.py);L7;sub (a.py);L4 7325 0 -12\nProcess 5;Thread 77 1000 0 0\n"
		"Process 5;Thread 77;main (a.py);L8 2000 1 2\n", &e);
	const struct frame_node *f = sampler_at(p, "Process 5;Thread 77;main");

	if (ok(f != NULL, "austin 1 loads: %s", e.text)) {
		is_int(f->total_ns, 9325000, "microseconds: 7325 + 2000");
		is_int(f->self_ns, 2000000, "self");
		is_int(sampler_line(p, f, 7, true), 7325000, "L7 is the line of the frame before it");
		ok(f->samples == I64_UNKNOWN, "samples are not counted");
		f = sampler_at(p, "Process 5;Thread 77;(no frame)");
		ok(f && f->kind == NODE_EMPTY && f->self_ns == 1000000, "a stack without frames is kept as such");
		is_int(sampler_self(p), 10325000, "all of it");
		is_str(sampler_str(p, p->producer), "austin", "by whom");
	}
	if (p)
		profile_unref(p);
	p = load_raw("# austin: 3.2.0\n# interval: 100\nP5;T77;a.py:main:7 50\nP5;T77;a.py:main:7 25\n", &e);
	ok(p && sampler_roots(p, true) == 75000 && p->frames[0].kind == NODE_PROCESS && p->frames[1].kind == NODE_THREAD,
		"austin 3, by its header");
	ok(p && sampler_named(p, p->frames[2].function, "main", 4) && sampler_named(p, p->frames[2].file, "a.py", 4) &&
		sampler_line(p, &p->frames[2], 7, true) == 75000, "path:name:line");
	if (p)
		profile_unref(p);
	ok(!load_raw("# austin: 3.2.0\n# mode: memory\nP5;T77;a.py:main:7 50\n", &e), "memory is no time");
}

static void test_variants(void)
{
	static const struct {
		const char *text;
		size_t n;
		int64_t sum;
		uint64_t damage;
	} cases[] = {
		{ "a;b 1.5\na 2\n", 0, 4, 1 },			/* rounded half up: 2 + 2 */
		{ "a;b 3 10\na;c 0 4\n", 0, 14, 0 },		/* differential: the later run */
		{ "a;b 3 10\na;c 4\n", 0, 14, 0 },		/* a name that ends in a number */
		{ "a;;b 3\n;c 4", 0, 7, 0 },
		{ "\xff\xfe" "a\0;\0b\0 \0" "1\0\n\0", 14, 1, 0 },
		{ "\xfe\xff" "\0a\0;\0b\0 \0" "1", 12, 1, 0 },
		{ "\xef\xbb\xbf" "a;b 6\n", 0, 6, 0 },
		{ "a\0x;b 6\na;b 1\n", 14, 7, 0 },
		{ "a;b 9223372036854775807\na;c 9223372036854775807\na 5\n", 0, 5, 2 },	/* sums must not overflow */
		{ "a;b 99999999999999999999999\na;c -4\na 5\n", 0, 5, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err e = ERR_INIT;
		struct profile *p = sampler_load(&loader_collapsed, cases[i].text, cases[i].n ? cases[i].n : strlen(cases[i].text), &e);

		if (!ok(p != NULL, "variant %zu loads: %s", i, e.text))
			continue;
		is_int(sampler_roots(p, false), cases[i].sum, "variant %zu: its sum", i);
		is_uint(sampler_damage(p), cases[i].damage, "variant %zu: its damage", i);
		profile_unref(p);
	}
}

/* 3000 deep, and a thousand stacks that share most of it: the tree is as deep, and recursion is no danger. */
static void test_deep(void)
{
	size_t cap = 40000, n = 0;
	char *text = malloc(2 * cap);
	struct err e = ERR_INIT;
	struct profile *p;

	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < 3000 - k; i++)
			n += (size_t)sprintf(text + n, "f (a.py:%d);", 1 + k);
		n += (size_t)sprintf(text + n, "g %d\n", 2 + k);
	}
	p = sampler_load(&loader_collapsed, text, n, &e);
	if (ok(p != NULL, "deep stacks load")) {
		is_int(p->n_frames, 3002, "3000 frames, two leaves");
		is_int(p->frames[0].samples, 5, "the root has all");
		is_int(p->frames[3001].samples + p->frames[3000].samples, 4, "the last frame of the longer one, and its leaf: 2 each");
		profile_unref(p);
	}
	free(text);
}

/* Qualified names, as py-spy 0.4.3 writes them: only where the code is Python. */
static void test_qualified(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_raw("Queue.get (multiprocessing/queues.py:98) 1\nouter.<locals>.inner (a.py:3) 2\n"
		"_LoaderBasics.exec_module (<frozen importlib._bootstrap_external>:940) 3\nd.part.0 (x.so) 4\nobj.method 5\n"
		"<module> (a.py:1) 6\nget (multiprocessing/queues.py:98) 7\n", &e);
	static const struct { const char *function, *class_name; int64_t samples; } want[] = {
		{ "get", NULL, 7 }, { "<module>", NULL, 6 }, { "obj.method", NULL, 5 }, { "d.part.0", NULL, 4 },
		{ "exec_module", "_LoaderBasics", 3 }, { "inner", "outer.<locals>", 2 }, { "get", "Queue", 1 },
	};

	if (!ok(p && p->n_frames == 7, "loads: %s", e.text))
		return;
	for (uint32_t i = 0; i < 7; i++) {
		is_str(sampler_str(p, p->frames[i].function), want[i].function, "function");
		is_str(sampler_str(p, p->frames[i].class_name), want[i].class_name, "class of %s", want[i].function);
		is_int(p->frames[i].samples, want[i].samples, "its samples: largest first");
	}
	profile_unref(p);
}

/* ---- speedscope ---- */

#define SCHEMA "\"$schema\": \"https://www.speedscope.app/file-format-schema.json\""
#define SHARED "\"shared\": {\"frames\": [{\"name\": \"main\", \"file\": \"t.py\", \"line\": 3, \"col\": null}, " \
	"{\"name\": \"step\", \"file\": \"t.py\", \"line\": 7}, {\"name\": \"step\", \"file\": \"t.py\", \"line\": 9}, " \
	"{\"name\": \"process 4:\\\"python t.py\\\"\", \"file\": \"\", \"line\": 0}, {\"name\": \"[self]\", \"file\": null, \"line\": null}]}"

static void test_sampled(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_speed("{" SCHEMA ", \"profiles\": [{\"type\": \"sampled\", \"name\": \"Thread 12 \\\"MainThread\\\"\", "
		"\"unit\": \"seconds\", \"startValue\": 0.0, \"endValue\": 0.04, \"samples\": [[0,1],[0,2],[],[0]], "
		"\"weights\": [0.01,0.01,0.01,0.01]}, {\"type\": \"sampled\", \"name\": \"Process 5 Thread 13 \\\"\\\"\", \"unit\": \"seconds\", "
		"\"samples\": [[3,0],[9]], \"weights\": [0.01,0.01]}], " SHARED ", \"exporter\": \"py-spy@0.4.2\"}", &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "loads: %s", e.text))
		return;
	is_str(sampler_str(p, p->producer), "py-spy", "producer");
	is_str(sampler_str(p, p->version), "0.4.2", "version");
	is_int(sampler_roots(p, true), 50000000, "5 samples of 10 ms; the sixth names a frame that is not there");
	is_int(sampler_roots(p, false), 5, "5 samples");
	is_uint(sampler_damage(p), 1, "one is lost, and said to be");
	f = sampler_at(p, "thread (12): MainThread;main;step");
	is_int(f ? f->self_ns : -1, 20000000, "two lines of one function are one frame");
	is_int(sampler_line(p, f, 9, true), 10000000, "and 10 ms on line 9");
	f = sampler_at(p, "thread (12): MainThread;(no frame)");
	ok(f && f->samples == 1 && f->kind == NODE_EMPTY, "a sample without frames is one");
	f = sampler_at(p, "process 4:\"python t.py\";thread (13);main");
	ok(f && f->total_ns == 10000000, "the thread lies below the process that its stacks name");
	ok(p->sampled_wall_ns == NS_UNKNOWN, "py-spy knows no wall");
	profile_unref(p);
}

/* Keys in the order of the alphabet: what explains the events stands behind them. */
static void test_evented(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_speed("{\"exporter\": \"pyinstrument\", \"name\": \"CPU profile for 'Program: t.py' at 2026-11-29T15-56-26\", "
		"\"profiles\": [{\"endValue\": 2.5, \"events\": [{\"at\": 0.0, \"frame\": 0, \"type\": \"O\"}, "
		"{\"at\": 0.25, \"frame\": 1, \"type\": \"O\"}, {\"at\": 1.0, \"frame\": 1, \"type\": \"C\"}, "
		"{\"at\": 1.0, \"frame\": 4, \"type\": \"O\"}, {\"at\": 1.5, \"frame\": 4, \"type\": \"C\"}], "
		"\"name\": \"x\", \"startValue\": 0.0, \"type\": \"evented\", \"unit\": \"seconds\"}], " SHARED ", " SCHEMA "}", &e);
	const struct frame_node *f = sampler_at(p, "main");

	if (!ok(f != NULL, "loads: %s", e.text))
		return;
	is_int(f->total_ns, 2500000000, "main is closed by the end");
	is_int(f->self_ns, 1750000000, "[self] is its own time: 2.5 s - 0.75 s");
	is_int(f->line, 3, "pyinstrument's lines are the first of the function");
	is_int(p->n_frame_lines, 0, "and not those that ran");
	ok(f->samples == I64_UNKNOWN, "events are no samples");
	is_int(p->sampled_wall_ns, 2500000000, "the wall");
	is_str(sampler_str(p, p->options[0].value), "Program: t.py", "what ran");
	profile_unref(p);
}

/* An axis of dates says when its samples were: from its first instant on, over all its threads. A monotonic clock says nothing to others. */
static void test_dated(void)
{
	static const char text[] = "{\"profiles\": ["
		"{\"type\": \"evented\", \"name\": \"a\", \"unit\": \"microseconds\", \"startValue\": %s000005, \"endValue\": %s000025, \"events\": ["
		"{\"type\": \"O\", \"at\": %s000005, \"frame\": 0}, {\"type\": \"O\", \"at\": %s000010.5, \"frame\": 1}, "
		"{\"type\": \"C\", \"at\": %s000020, \"frame\": 1}]}, "
		"{\"type\": \"sampled\", \"name\": \"b\", \"unit\": \"microseconds\", \"startValue\": %s000000, \"endValue\": %s000007, "
		"\"samples\": [[1], [0]], \"weights\": [3, 4]}], " SHARED ", " SCHEMA "}";
	static const struct frame_sample want[] = { { 0, 3000, 0 }, { 3000, 4000, 0 }, { 5000, 5500, 0 }, { 10500, 9500, 0 }, { 20000, 5000, 0 } };
	static const char *const names[] = { "step", "main", "main", "step", "main" };

	for (int dated = 1; dated >= 0; dated--) {
		const char *s = dated ? "1700000000" : "170000";
		struct err e = ERR_INIT;
		char buf[2048];
		struct profile *p;

		snprintf(buf, sizeof(buf), text, s, s, s, s, s, s, s);
		p = load_speed(buf, &e);
		if (!ok(p != NULL, "loads: %s", e.text))
			return;
		is_int(sampler_roots(p, true), 27000, "20 us of a, 7 us of b");
		is_int(p->epoch_ns, dated ? 1700000000000000000 : NS_UNKNOWN, "the epoch is the first instant of both");
		is_int(p->sampled_wall_ns, dated ? 25000 : NS_UNKNOWN, "up to the last");
		is_int(p->n_frame_samples, dated ? 5 : 0, "samples in time");
		for (uint32_t i = 0; i < p->n_frame_samples && i < 5; i++) {
			is_int(p->frame_samples[i].start, want[i].start, "sample %u: start", i);
			is_int(p->frame_samples[i].dur, want[i].dur, "sample %u: duration", i);
			is_str(sampler_str(p, p->frames[p->frame_samples[i].frame].function), names[i], "sample %u: function", i);
		}
		profile_unref(p);
	}
}

static void test_units(void)
{
	static const struct {
		const char *unit, *weight;
		ns_t ns;
		int64_t samples;
	} cases[] = {
		{ "milliseconds", "1.5", 1500000, 1 }, { "microseconds", "1e3", 1000000, 1 }, { "nanoseconds", "18600000000000001", 18600000000000001, 1 },
		{ "none", "7", NS_UNKNOWN, 7 },
	};
	char text[600];
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p;

		snprintf(text, sizeof(text), "{" SCHEMA ", \"profiles\": [{\"type\": \"sampled\", \"name\": \"x\", \"unit\": \"%s\", \"samples\": [[0]], "
			"\"weights\": [%s]}], " SHARED "}", cases[i].unit, cases[i].weight);
		p = load_speed(text, &e);
		if (!ok(p && p->n_frames == 1, "%s: loads", cases[i].unit))
			continue;
		is_int(p->frames[0].total_ns, cases[i].ns, "%s: time", cases[i].unit);
		is_int(p->frames[0].samples, cases[i].samples, "%s: samples", cases[i].unit);
		profile_unref(p);
	}
	snprintf(text, sizeof(text), "{" SCHEMA ", \"profiles\": [{\"unit\": \"bytes\", \"type\": \"sampled\"}], " SHARED "}");
	ok(!load_speed(text, &e) && e.code == ERR_FORMAT, "bytes are no time: %s", e.text);
}

/* "Process" and no number before " Thread ": the name as it is, not a process of that name. */
static void test_thread_names(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_speed("{" SCHEMA ", \"profiles\": [{\"type\": \"sampled\", \"name\": \"Process Thread 8\", \"unit\": \"seconds\", "
		"\"samples\": [[0]], \"weights\": [0.01]}], " SHARED ", \"exporter\": \"py-spy@0.4.2\"}", &e);

	ok(sampler_at(p, "Process Thread 8;main") != NULL, "a thread whose name looks like a process: %s", e.text);
	if (p)
		profile_unref(p);
}

/* Cut anywhere: what is whole is used, nothing crashes, and a loss is told. */
static void test_cut(void)
{
	static const char whole[] = "{" SCHEMA ", " SHARED ", \"profiles\": [{\"type\": \"sampled\", \"name\": \"Thread 1\", \"unit\": \"seconds\", "
		"\"weights\": [1,1], \"samples\": [[0,1],[0]]}], \"exporter\": \"py-spy@0.4\"}";
	unsigned used = 0, silent = 0;

	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		struct err e = ERR_INIT;
		struct profile *p = sampler_load(&loader_speedscope, whole, n, &e);

		used += p != NULL;
		silent += p ? !p->n_damages : !e.text[0];
		if (p)
			profile_unref(p);
	}
	ok(used > 50, "%u beginnings were of use", used);
	is_uint(silent, 0, "each said what it lost");
}

static void test_hostile(void)
{
	static const char *const texts[] = {
		"{" SCHEMA ", \"profiles\": 5}", "{" SCHEMA ", \"profiles\": [5, [], {}]}", "{" SCHEMA ", \"profiles\": [{\"samples\": [[0]]}]}",
		"{" SCHEMA ", \"profiles\": [{\"type\": \"evented\", \"unit\": \"seconds\", \"events\": [{}, 3, {\"type\": \"O\", \"at\": 1, \"frame\": -1}]}]}",
		"{" SCHEMA ", \"profiles\": [{\"type\": \"evented\", \"unit\": \"nanoseconds\", \"endValue\": -5, \"events\": "
			"[{\"type\": \"O\", \"at\": 9e18, \"frame\": 0}, {\"type\": \"C\", \"at\": -9e18, \"frame\": 0}, "
			"{\"type\": \"C\", \"at\": 9e18, \"frame\": 1}]}], " SHARED "}",
		"{" SCHEMA ", \"profiles\": [{\"type\": \"sampled\", \"unit\": \"seconds\", \"samples\": [0, [\"a\"], [0, [1]]], "
			"\"weights\": [1, \"x\", -1, 1e300]}], " SHARED "}",
		"{" SCHEMA ", \"shared\": {\"frames\": 7}, \"profiles\": [{}]}", "{" SCHEMA ", \"shared\": []}", "{}", "[", "",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct err e = ERR_INIT;
		struct profile *p = load_speed(texts[i], &e);

		ok(p || e.code == ERR_FORMAT, "hostile %zu is survived", i);
		if (p)
			profile_unref(p);
	}
}

static void test_probe(void)
{
	ok(sampler_probe(&loader_collapsed, "a;b;c 12\na;b 3\n") > 50, "collapsed stacks");
	ok(sampler_probe(&loader_collapsed, "<module> (x.py:3) 7\n") > 40, "one frame of Python");
	ok(sampler_probe(&loader_collapsed, "process 7:\"a; b\";f 3\n") > 40, "a command line with a blank");
	is_int(sampler_probe(&loader_collapsed, "The trace took 12; that is 3\n"), 0, "prose is not");
	is_int(sampler_probe(&loader_collapsed, "{\"a;b\": 3}\n"), 0, "nor is JSON");
	ok(sampler_probe(&loader_speedscope, "{" SCHEMA "}") > 90, "speedscope");
	is_int(sampler_probe(&loader_speedscope, "{\"profiles\": 1}"), 0, "profiles alone are not enough");
}

int main(void)
{
	test_raw();
	test_processes();
	test_austin();
	test_variants();
	test_deep();
	test_qualified();
	test_sampled();
	test_evented();
	test_dated();
	test_units();
	test_thread_names();
	test_cut();
	test_hostile();
	test_probe();
	return done_testing();
}
