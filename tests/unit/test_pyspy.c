/* test_pyspy.c - what py-spy writes besides stacks: flame graphs, dumps, Chrome traces; other flame graphs */
#include "tests/lib/sampler.h"

#define load_svg(text, e) sampler_text(&loader_flame_svg, text, e)
#define load_dump(text, e) sampler_text(&loader_pyspy_dump, text, e)
#define load_chrome(text, e) sampler_text(&loader_pyspy_chrome, text, e)

/* ---- flame graphs ---- */

#define SVG(attrs, body) "<?xml version=\"1.0\"?><svg version=\"1.1\" xmlns:fg=\"http://github.com/jonhoo/inferno\"><!-- > --><script><![CDATA[ " \
	"<g><title>f (9 samples, 1%)</title><rect x=\"1\" y=\"2\" width=\"3\"/> ]]></script><svg id=\"frames\" x=\"10\"" attrs ">" body "</svg></svg>"
#define HEADING(text) "<text id=\"title\" fill=\"rgb(0,0,0)\" x=\"50%\" y=\"24.00\">" text "</text>"
#define BOX(title, y, x, w) "<g><title>" title "</title><rect x=\"0%\" y=\"" #y "\" width=\"1%\" height=\"15\" fg:x=\"" #x "\" fg:w=\"" #w "\"/>" \
	"<text x=\"1%\" y=\"9\">cut..</text></g>\n"
/* all 1,100: main 1,000 (f 600 of which g 250; f 300), worker 90; 10 were too narrow to be drawn */
/* clang-format off */
#define BOXES BOX("f (a.py:3) (600 samples, 54.5%)", 84, 0, 600) BOX("g (lib (x)/b.py:9) (250 samples, 22%)", 100, 350, 250) \
	BOX("all (1,100 samples, 100%)", 52, 0, 1100) BOX("&lt;module&gt; (t.py:1) (1,000 samples, 90.9%)", 68, 0, 1000) \
	BOX("f (a.py:4) (300 samples, 27%)", 84, 700, 300) BOX("a &amp;&#38; &#x3bb;;b (90 samples, 8%)", 68, 1000, 90)
/* clang-format on */

static void test_inferno(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_svg(SVG(" total_samples=\"1100\"", HEADING("py-spy record -o x.svg --rate 10 -- python t.py -r 5") BOXES), &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "loads: %s", e.text))
		return;
	is_int(sampler_roots(p, false), 1100, "all samples");
	is_int(sampler_roots(p, true), 110000000000, "ten a second: 110 s");
	f = sampler_at(p, "<module>");
	is_int(f ? f->samples : -1, 1000, "a name with entities; 1,000 samples");
	is_int(f ? f->self_ns : -1, 10000000000, "what its children do not have is its own: 100 samples");
	is_int(sampler_line(p, f, 1, false), 1000, "its line");
	f = sampler_at(p, "<module>;f");
	is_int(f ? f->samples : -1, 900, "two lines of one function are one frame");
	is_int(sampler_line(p, f, 4, false), 300, "with their samples");
	f = sampler_at(p, "<module>;f;g");
	is_str(f ? sampler_str(p, f->file) : "", "lib (x)/b.py", "a path with parentheses");
	f = sampler_at(p, "(no frame)");
	ok(f && f->samples == 10 && f->kind == NODE_EMPTY, "what was not drawn");
	is_uint(sampler_damage(p), 0, "nothing is lost");
	is_str(sampler_str(p, p->producer), "py-spy", "by its heading");
	is_str(sampler_str(p, p->options[0].value), "10", "the rate, not that of the script's own -r");
	for (uint32_t i = 0; i < p->n_frames; i++)
		if (p->frames[i].samples == 90)
			is_str(sampler_str(p, p->frames[i].function), "a && \xce\xbb;b", "entities and numbers");
	profile_unref(p);
	p = load_svg(SVG("", HEADING("v/bin/py-spy record -r 20 -- x") BOXES), &e);
	ok(p && p->frames[0].total_ns == 50000000000, "py-spy by its path: 1000 samples at 20 a second");
	if (p)
		profile_unref(p);
	p = load_svg(SVG("", HEADING("Flame Graph") BOXES), &e);
	ok(p && p->frames[0].total_ns == NS_UNKNOWN && p->frames[0].samples == 1000, "no rate is known: no times");
	if (p)
		profile_unref(p);
	p = load_svg(SVG("", HEADING("py-spy record -- python t.py --rate 7") BOXES), &e);
	ok(p && p->frames[0].total_ns == 10000000000 && p->n_notes == 3, "py-spy's default rate, and a note that says so");
	if (p)
		profile_unref(p);
	p = load_svg(SVG(" total_samples=\"1200\"", BOXES), &e);
	is_uint(p ? sampler_damage(p) : 0, 100, "samples that the file counts and no box has");
	if (p)
		profile_unref(p);
	ok(!load_svg(SVG("", BOX("all (7 bytes, 100%)", 5, 0, 7)), &e) && e.code == ERR_FORMAT, "bytes are no time");
	ok(!load_svg(SVG("", ""), &e) && e.code == ERR_FORMAT, "no boxes, no flame graph");
}

#define PIXELS(title, y, x, w) "<g class=\"func_g\" onmouseover=\"s('x')\">\n<title>" title "</title><rect x=\"" #x "\" y=\"" #y "\" width=\"" #w \
	"\" height=\"15.0\" fill=\"rgb(1,2,3)\" rx=\"2\" />\n<text x=\"3\" y=\"9\">..</text>\n</g>\n"

/* Pixels, the root at the bottom. Two parents are narrower than a pixel: the samples say whose child it is. */
static void test_pixels(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_svg("<svg><!-- flamegraph -->" PIXELS("all (2,000 samples, 100%)", 101, 10.0, 1000.0)
		PIXELS("a (1,990 samples, 99%)", 85, 10.0, 995.0) PIXELS("b (3 samples, 0.15%)", 85, 1005.0, 1.5)
		PIXELS("c (7 samples, 0.35%)", 85, 1006.5, 3.5) PIXELS("d:~/x/y.py:12 (7 samples, 0.35%)", 69, 1006.4, 3.5)
		PIXELS("e (3 samples, 0.15%)", 69, 1005.1, 1.4) PIXELS("py::f:/m.py (5 samples, 0.2%)", 53, 1006.5, 2.5) "</svg>", &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "loads: %s", e.text))
		return;
	is_int(sampler_roots(p, false), 2000, "all samples");
	f = sampler_at(p, "c;d");
	ok(f && f->samples == 7, "the child of the one that it overlaps most");
	is_str(f ? sampler_str(p, f->file) : "", "~/x/y.py", "name:path:line");
	ok(sampler_at(p, "c;d;f") && sampler_at(p, "b;e"), "a trampoline's name, and the narrow one");
	is_str(sampler_str(p, p->producer), "flamegraph.pl", "no sample offsets: an older writer");
	is_uint(sampler_damage(p), 0, "nothing is lost");
	profile_unref(p);
}

#define ONE(name) "<g><title>" name " (60 samples, 60%)</title><rect x=\"0\" y=\"2\" width=\"9\" fg:x=\"0\" fg:w=\"60\"/></g>"
#define ALL "<g><title>all (100 samples, 100%)</title><rect x='0' y='1' width='9' fg:x='0' fg:w='100'/></g>"

/* The name of the frame with 60 samples; "" if there is none. */
static const char *name_60(const struct profile *p)
{
	for (uint32_t i = 0; p && i < p->n_frames; i++)
		if (p->frames[i].samples == 60)
			return sampler_str(p, p->frames[i].function);
	return "";
}

static void test_entities(void)
{
	static const struct {
		const char *text, *name, *what;
		uint64_t damage;
	} cases[] = {
		{ "<svg>" ALL ONE("&#x1F600;&#233;&#x10FFFF;&quot;&apos;&gt;") "</svg>", "\xf0\x9f\x98\x80\xc3\xa9\xf4\x8f\xbf\xbf\"'>", "beyond U+FFFF", 0 },
		{ "<svg>" ALL ONE("a&#xD83D;&#xDE00;b") "</svg>", "", "surrogates are no characters: what follows is lost", 1 },
		{ "<svg>" ALL ONE("a") ONE("&#x110000;") "</svg>", "a", "beyond Unicode: what came before is used", 1 },
		{ "<svg>" ALL ONE("a\x1b[31m\xff\xe2\x82") "</svg>", "a?[31m???", "control bytes and broken UTF-8 are ?", 4 },
		{ "<svg>" ALL ONE("\xef\xbf\xbe\xed\xa0\x80z") "</svg>", "??????z", "U+FFFE and a surrogate in UTF-8", 6 },
		{ "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://127.0.0.1:9/svg11.dtd\"><svg>" ALL ONE("a&hellip;b") "</svg>", "a&hellip;b",
		  "an entity of a DTD that is not read", 0 },
		{ "<svg>" ALL ONE("<![CDATA[a<b>&c]]>") "</svg>", "a<b>&c", "a section", 0 },
		{ "<svg>" ALL ONE("a") "<g></svg>", "a", "tags that do not match", 1 },
		{ "<svg>" ALL ONE("a") "</svg>\n<p>", "a", "something behind it", 1 },
		{ "<svg>" ALL ONE("a"), "a", "no end", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err e = ERR_INIT;
		struct profile *p = load_svg(cases[i].text, &e);

		is_str(name_60(p), cases[i].name, "%s", cases[i].what);
		is_uint(p ? sampler_damage(p) : 99, cases[i].damage, "its damage");
		if (p)
			profile_unref(p);
	}
}

static void test_xml_places(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_svg("\xef\xbb\xbf<svg>" ALL "<g>&#xDFFF;</g></svg>", &e);

	ok(p && p->n_damages == 1 && p->damages[0].offset == (int64_t)(3 + 5 + sizeof(ALL) - 1 + 3), "the byte where the XML ends");
	if (p)
		profile_unref(p);
	p = load_svg("<svg>" ALL "\x01</svg>", &e);
	ok(p && p->n_damages == 1 && p->damages[0].offset == (int64_t)(5 + sizeof(ALL) - 1), "the first byte that is no text");
	if (p)
		profile_unref(p);
}

/* Each entity is ten of the one before: 10^9 times the first one, if it were taken. */
static void test_bomb(void)
{
	char text[4096], *at = text;
	struct err e = ERR_INIT;

	at += sprintf(at, "<!DOCTYPE svg [<!ENTITY a \"aaaaaaaaaa\">");
	for (int c = 'b'; c <= 'j'; c++) {
		at += sprintf(at, "<!ENTITY %c \"", c);
		for (int i = 0; i < 10; i++)
			at += sprintf(at, "&%c;", c - 1);
		at += sprintf(at, "\">");
	}
	sprintf(at, "]><svg>%s%s</svg>", ALL, ONE("&j;"));
	ok(!load_svg(text, &e) && e.code == ERR_FORMAT && strstr(e.text, "entities"), "entities of its own: %s", e.text);
	ok(!load_svg("<!DOCTYPE svg [<!ENTITY a \"x\">]><svg>" ALL "</svg>", &e), "however few");
}

/* A character that the end of the window (1 MiB) cuts is whole. */
static void test_window(void)
{
	size_t pad = (1u << 20) - 9 - 5 - (sizeof(ALL) - 1), wrong = 0;
	char *text = malloc(pad + 1024);
	struct err e = ERR_INIT;

	for (size_t shift = 0; shift < 24; shift++) {
		struct profile *p;
		size_t n = (size_t)sprintf(text, "<svg>%s<!--", ALL);

		memset(text + n, ' ', pad - shift);
		sprintf(text + n + pad - shift, "-->%s</svg>", ONE("\xf0\x9f\x98\x80\xf0\x9f\x98\x80"));
		p = load_svg(text, &e);
		wrong += !p || p->n_damages || strcmp(name_60(p), "\xf0\x9f\x98\x80\xf0\x9f\x98\x80") != 0;
		if (p)
			profile_unref(p);
	}
	is_uint(wrong, 0, "wherever the window is cut");
	free(text);
}

/* ---- dumps ---- */

static void test_dump(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_dump("It hangs here:\n```\nroot@x:~# py-spy dump --pid 7\nProcess 7: python train.py; x\nPython v3.10.12 (/usr/bin/python3.10)\n\n"
		"Thread 40 (active+gil): \"MainThread\"\n    all_reduce (torch/distributed/distributed_c10d.py:2709)\n        Arguments:\n"
		"            x: <Tensor at 0x7f (dead)>\n    step (t.py:5)\n    <module> (t.py:9)\nThread 41 (idle)\n"
		"\x1b[32mThread\x1b[0m 42 (idle): \"Thread-1 (_pin_memory_loop)\"\n    wait (threading.py:3)\n\n-----------\n"
		"Process 8: python worker\nPython v3.10.12 (/usr/bin/python3.10)\nParent Process 7: python train.py; x\n\nThread 50 (active): \"MainThread\"\n"
		"    fetch (torch/utils/data/_utils/fetch.py:52)\n    cudaLaunch (libcuda.so.1)\n```\nAny idea?\n", &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "loads: %s", e.text))
		return;
	is_int(sampler_roots(p, false), 4, "four threads are four samples");
	is_str(sampler_str(p, p->frames[0].function), "process 7:\"python train.py; … (1 argument: --show-args)\"", "the process");
	is_int(p->frames[0].samples, 4, "the worker lies below it");
	ok(p->frames[0].total_ns == NS_UNKNOWN, "no time");
	for (f = p->frames; f < p->frames + p->n_frames && !sampler_named(p, f->function, "all_reduce", 10); f++)
		;
	ok(f < p->frames + p->n_frames && sampler_named(p, p->frames[f->parent].function, "step", 4), "innermost first in the file, last in the tree");
	is_int(sampler_line(p, f, 2709, false), 1, "its line");
	for (f = p->frames; f < p->frames + p->n_frames && f->kind != NODE_EMPTY; f++)
		;
	ok(f < p->frames + p->n_frames && sampler_named(p, p->frames[f->parent].function, "thread (41) [idle]", 18), "a thread without name and frames");
	for (f = p->frames; f < p->frames + p->n_frames && f->kind != NODE_NATIVE; f++)
		;
	ok(f < p->frames + p->n_frames && sampler_named(p, f->function, "cudaLaunch", 10), "a native frame");
	for (f = p->frames + 1; f < p->frames + p->n_frames && f->kind != NODE_PROCESS; f++)
		;
	ok(f < p->frames + p->n_frames && f->parent == 0 && f->samples == 1, "process 8 below process 7");
	profile_unref(p);
	p = load_dump("Thread 1 (idle): \"A\"\n    f (a.py:1)\nThread 1 (idle): \"A\"\n    f (a.py:2)\n", &e);
	ok(p && p->n_frames == 2 && p->frames[1].samples == 2 && p->n_frame_lines == 2, "two dumps are two samples");
	if (p)
		profile_unref(p);
}

static void test_dump_json(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_dump("[{\"pid\": 8, \"thread_id\": 1234, \"thread_name\": null, \"os_thread_id\": 50, \"active\": false, \"owns_gil\": true, "
		"\"frames\": [{\"name\": \"get\", \"filename\": \"/l/queue.py\", \"module\": null, \"short_filename\": \"queue.py\", \"line\": 10, \"locals\": null}, "
		"{\"name\": \"nccl\", \"filename\": \"/l/libnccl.so.2\", \"module\": \"/l/libnccl.so.2\", \"short_filename\": null, \"line\": 0}, {}], "
		"\"process_info\": {\"pid\": 8, \"command_line\": \"w\", \"parent\": {\"pid\": 7, \"command_line\": \"t\", \"parent\": null}}}]", &e);
	const struct frame_node *f = sampler_at(p, "process 7:\"t\";process 8:\"w\";thread (50) [idle];nccl;get");

	ok(f && f->samples == 1 && f->kind == NODE_CODE, "loads: outermost last; idle wins over the GIL: %s", e.text);
	if (!p)
		return;
	is_str(f ? sampler_str(p, f->file) : "", "queue.py", "the short name");
	is_int(p->frames[3].kind, NODE_NATIVE, "a module makes a frame native");
	is_uint(sampler_damage(p), 1, "a frame without a name");
	profile_unref(p);
	p = load_dump("[{\"owns_gil\": true, \"active\": true, \"frames\": [{\"name\": \"f\"", &e);
	ok(p && p->n_frames == 2 && p->n_damages, "cut: what is there, and that it is cut");
	if (p)
		profile_unref(p);
	/* keys in any order: what names a frame, a thread and its process may follow what is in them */
	p = load_dump("[{\"frames\": [{\"line\": 4, \"short_filename\": \"b.py\", \"filename\": \"/x/b.py\", \"name\": \"h\"}, 5], "
		"\"process_info\": {\"parent\": {\"parent\": {\"command_line\": \"a\", \"pid\": 1}, \"command_line\": \"b\", \"pid\": 2}, \"pid\": 3}, "
		"\"owns_gil\": true, \"active\": true, \"thread_name\": \"T\", \"thread_id\": 9}, 7] x", &e);
	f = sampler_at(p, "process 1:\"a\";process 2:\"b\";process 3;thread (9): T [active+gil];h");
	ok(f && f->samples == 1, "keys in another order: %s", e.text);
	is_str(f ? sampler_str(p, f->file) : "", "b.py", "the short name, whichever comes first");
	is_uint(p ? sampler_damage(p) : 0, 3, "a frame and a thread that are none, and what follows");
	if (p)
		profile_unref(p);
	ok(!load_dump("[]", &e) && e.code == ERR_FORMAT, "no thread: refused");
}

/* ---- Chrome trace ---- */

#define EV(ph, name, line, tid, ts) "{\"args\": {\"filename\": \"a.py\", \"line\": " #line "}, \"cat\": \"py-spy\", \"name\": \"" name \
	"\", \"ph\": \"" ph "\", \"pid\": 7, \"tid\": " #tid ", \"ts\": " #ts "}"

#define PROC(ph, pid, n, ts) "{\"args\": {\"filename\": \"\", \"line\": 0}, \"cat\": \"py-spy\", \"name\": \"process " #n ":\\\"t\\\"\", \"ph\": \"" ph \
	"\", \"pid\": " #pid ", \"tid\": 1, \"ts\": " #ts "}"

static void test_chrome(void)
{
	struct err e = ERR_INIT;
	struct profile *p = load_chrome("[" EV("B", "main", 3, 1, 1000000) "," EV("B", "f", 5, 1, 1000000) "," EV("B", "main", null, 2, 1500000) ","
		EV("E", "f", 5, 1, 1200000.5) "," EV("B", "f", 6, 1, 1200000.5) "," EV("E", "f", 6, 1, 1300000) "," EV("E", "main", 3, 1, 1400000) ","
		EV("E", "main", null, 2, 1700000) "," EV("E", "g", 1, 2, 1800000) ", {\"ph\": \"B\"}, 5]", &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "loads: %s", e.text))
		return;
	f = sampler_at(p, "process 7;thread (1);main");
	is_int(f ? f->total_ns : -1, 400000000, "1.0 to 1.4 s");
	f = sampler_at(p, "process 7;thread (1);main;f");
	is_int(f ? f->total_ns : -1, 300000000, "lines of one function are one frame");
	is_int(sampler_line(p, f, 5, true), 200000500, "line 5, to the half microsecond");
	is_int(sampler_roots(p, true), 600000000, "two threads: 0.4 + 0.2 s");
	is_uint(sampler_damage(p), 3, "an end without a beginning, an event without a time, a number");
	profile_unref(p);
	/* with --subprocesses: frames of processes, and one tid for two of them, whose stacks end each other */
	p = load_chrome("[" PROC("B", 7, 7, 0) "," EV("B", "A.f", 5, 1, 0) "," EV("E", "A.f", 5, 1, 100) "," PROC("E", 8, 7, 100) "," PROC("B", 8, 8, 100) ","
		"{\"args\": {\"filename\": \"a.py\", \"line\": 3}, \"cat\": \"py-spy\", \"name\": \"g\", \"ph\": \"B\", \"pid\": 8, \"tid\": 1, \"ts\": 100},"
		EV("E", "g", 3, 1, 350) "," PROC("E", 7, 8, 350) "]", &e);
	f = sampler_at(p, "process 7:\"t\";thread (1);f");
	ok(f && f->total_ns == 100000 && f->class_name != ID_NONE, "below its process, with its class");
	f = sampler_at(p, "process 8:\"t\";thread (1);g");
	ok(f && f->total_ns == 250000, "the other process");
	ok(p && !sampler_damage(p) && p->n_notes == 2, "nothing is lost, and that the times are mixed is said");
	if (p)
		profile_unref(p);
}

static void test_damage(void)
{
	static const char svg[] = SVG(" total_samples=\"1100\"", HEADING("py-spy record -r 10 -- x") BOXES);
	static const char *const texts[] = {
		"<svg><g><title>all (1 samples, 100%)</title><rect x=\"\" y=\"1\" width=\"1\"/>", "<svg samples><title></title><rect", "<svg", "<![CDATA[",
		"<svg><title>all (1 samples, 100%)</title><rect x=\"1e300\" y=\"1\" width=\"-5\"/><title>(</title><rect/>",
		"<svg><title>all (9223372036854775807 samples, 100%)</title><rect x=\"0\" y=\"1\" width=\"5\"/>"
			"<title>b (9223372036854775807 samples, 100%)</title><rect x=\"0\" y=\"2\" width=\"5\"/>"
			"<title>c (9223372036854775807 samples, 100%)</title><rect x=\"0\" y=\"2\" width=\"5\"/>",
	};
	unsigned used = 0, unsound = 0;

	for (size_t n = 1; n < sizeof(svg) - 1; n++) {
		struct err e = ERR_INIT;
		struct profile *p = sampler_load(&loader_flame_svg, svg, n, &e);

		used += p != NULL;
		unsound += p ? sampler_roots(p, false) > 1100 : !e.text[0];
		if (p)
			profile_unref(p);
	}
	ok(used > 100, "%u beginnings of a flame graph were of use", used);
	is_uint(unsound, 0, "none has more than the whole");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct err e = ERR_INIT;
		struct profile *p = load_svg(texts[i], &e);

		ok(p || e.code == ERR_FORMAT, "hostile %zu is survived", i);
		if (p)
			profile_unref(p);
	}
}

static void test_probe(void)
{
	ok(sampler_probe(&loader_flame_svg, SVG("", BOXES)) > 80, "a flame graph");
	is_int(sampler_probe(&loader_flame_svg, "<svg><rect/></svg>"), 0, "another SVG is none");
	ok(sampler_probe(&loader_pyspy_dump, "Look:\nThread 5 (idle): \"x\"\n") > 70, "a dump between prose");
	is_int(sampler_probe(&loader_pyspy_dump, "The Thread is (active) now\n"), 0, "prose is none");
	ok(sampler_probe(&loader_pyspy_chrome, "[" EV("B", "f", 1, 1, 1) "]") > 98, "a Chrome trace of py-spy");
	is_int(sampler_probe(&loader_pyspy_chrome, "[{\"ph\": \"X\", \"name\": \"py-spy\"}]"), 0, "another one is none");
}

int main(void)
{
	test_inferno();
	test_pixels();
	test_entities();
	test_xml_places();
	test_bomb();
	test_window();
	test_dump();
	test_dump_json();
	test_chrome();
	test_damage();
	test_probe();
	return done_testing();
}
