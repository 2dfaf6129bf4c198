/*
 * test_pyi_forms.c - one run of pyinstrument in its forms: session, 5.x page, JSON, older pages, speedscope, text. All give the
 * same tree, as deep as each form keeps; the session tells the classes of Module._call_impl apart.
 */
#include "model/session.h"
#include "tests/lib/sampler.h"

/*
 * The run, in seconds: <module> t.py:1 has 4.25, of which 0.125 its own (line 5) and 0.125 in the import machinery; train t.py:7
 * 4.0: MLP 2.5 (forward 2.5), Attention 1.5 (forward 1.0 and 0.5 of its own, in linear).
 */
/* clang-format off */
#define Z "\\u0000"
#define ID(f, file, line) f Z file Z #line
#define THREAD ID("MainThread", "<thread>", 77)
#define LAUNCH "\"" THREAD "\",\"" ID("_run_code", "<frozen runpy>", 65) "\\u0001l88\",\"" ID("main", "/v/pyinstrument/__main__.py", 29) \
	"\\u0001l409\""
#define BEGIN LAUNCH ",\"" ID("<module>", "<string>", 1) "\\u0001l1\",\"" ID("run_path", "<frozen runpy>", 262) "\\u0001l291\""
#define MODULE(l) BEGIN ",\"" ID("<module>", "/x/t.py", 1) "\\u0001l" #l "\""
#define TRAIN(l) MODULE(6) ",\"" ID("train", "/x/t.py", 7) "\\u0001cTrainer\\u0001l" #l "\""
#define CALL(l, c) TRAIN(l) ",\"" ID("_call_impl", "/p/torch/nn/modules/module.py", 1188) "\\u0001c" c "\\u0001l1190\""
#define RECORDS "[[[" CALL(8, "MLP") ",\"" ID("forward", "/x/m.py", 18) "\\u0001cMLP\\u0001l19\"], 1.5]," \
	"[[" CALL(9, "Attention") ",\"" ID("forward", "/x/m.py", 8) "\\u0001cAttention\\u0001l9\"], 1.0]," \
	"[[" CALL(9, "Attention") ",\"" ID("forward", "/x/m.py", 8) "\\u0001cAttention\\u0001l10\",\"" ID("linear", "<built-in>", 0) "\"], 0.5]," \
	"[[" CALL(8, "MLP") ",\"" ID("forward", "/x/m.py", 18) "\\u0001cMLP\\u0001l19\"], 1.0]," \
	"[[" MODULE(5) "], 0.125]," \
	"[[" MODULE(2) ",\"" ID("_find_and_load", "<frozen importlib._bootstrap>", 1167) "\\u0001l1178\"], 0.125]]"
#define FACTS "\"start_time\": 1795967786.5, \"duration\": 4.25, \"sample_count\": 6, \"cpu_time\": 4.0"
#define SESSION_FACTS FACTS ", \"min_interval\": 0.001, \"max_interval\": 0.001, \"start_call_stack\": [" LAUNCH "], " \
	"\"target_description\": \"Program: t.py\", \"sys_path\": [\"/x\"]"
#define SESSION "{" SESSION_FACTS ", \"frame_records\": " RECORDS "}"
#define OLD_SESSION "{\"frame_records\": " RECORDS ", " FACTS ", \"start_call_stack\": [" LAUNCH "], \"program\": \"t.py\"}"

#define NODE(id, t, attrs, kids) "{\"identifier\": \"" id "\",\"time\": " #t ",\"attributes\": {" attrs "},\"children\": [" kids "]}"
#define TREE NODE(ID("main", "/v/pyinstrument/__main__.py", 29), 4.25, "\"l409\": 4.25", NODE(ID("<module>", "<string>", 1), 4.25, "", \
	NODE(ID("run_path", "<frozen runpy>", 262), 4.25, "", NODE(ID("<module>", "/x/t.py", 1), 4.25, "\"l6\": 4.0, \"l5\": 0.125, \"l2\": 0.125", \
	NODE(ID("train", "/x/t.py", 7), 4.0, "\"cTrainer\": 4.0, \"l8\": 2.5, \"l9\": 1.5", \
		NODE(ID("_call_impl", "/p/torch/nn/modules/module.py", 1188), 4.0, "\"cMLP\": 2.5, \"cAttention\": 1.5, \"l1190\": 4.0", \
			NODE(ID("forward", "/x/m.py", 18), 1.5, "\"cMLP\": 1.5, \"l19\": 1.5", NODE("[self]", 1.5, "", "")) "," \
			NODE(ID("forward", "/x/m.py", 8), 1.5, "\"cAttention\": 1.5, \"l9\": 1.0, \"l10\": 0.5", \
				NODE("[self]", 1.0, "", "") "," NODE(ID("linear", "<built-in>", 0), 0.5, "", "")) "," \
			NODE(ID("forward", "/x/m.py", 18), 1.0, "\"cMLP\": 1.0, \"l19\": 1.0", ""))) "," \
	NODE("[self]", 0.125, "", "") "," \
	NODE(ID("_find_and_load", "<frozen importlib._bootstrap>", 1167), 0.125, "", "")))))
#define PAGE_5 "<!DOCTYPE html><html><script>var x = \"const sessionData = 5\";</script><script>\nconst sessionData = {\"session\": {" \
	SESSION_FACTS "}, \"frame_tree\": " TREE "};\n pyinstrumentHTMLRenderer.render(x, sessionData)</script></html>"

#define FRAME(f, file, line, t, c, kids) "{\"function\": \"" f "\",\"file_path_short\": \"" file "\",\"file_path\": \"" file "\",\"line_no\": " \
	#line ",\"time\": " #t ",\"await_time\": 0.0,\"is_application_code\": true,\"children\": [" kids "]" c "}"
#define CLASS(c) ",\"class_name\": \"" c "\""
#define JSON_TREE FRAME("<module>", "/x/t.py", 1, 4.25, "", FRAME("train", "/x/t.py", 7, 4.0, CLASS("Trainer"), \
	FRAME("_call_impl", "/p/torch/nn/modules/module.py", 1188, 4.0, CLASS("MLP"), \
		FRAME("forward", "/x/m.py", 18, 2.5, CLASS("MLP"), "") "," FRAME("forward", "/x/m.py", 8, 1.5, CLASS("Attention"), \
			FRAME("[self]", "m.py", 0, 1.0, "", "") "," FRAME("linear", "<built-in>", 0, 0.5, "", "")))) "," \
	FRAME("[self]", "t.py", 0, 0.25, "", ""))
#define JSON "{" FACTS ", \"target_description\": \"Program: t.py\", \"root_frame\": " JSON_TREE "}"
#define PAGE_4 "<!DOCTYPE html><html><body><script>\nwindow.profileSession = {" FACTS ", \"program\": \"t.py\", \"root_frame\": " JSON_TREE "}\n" \
	"</script><script>pyinstrument</script></body></html>"

#define TEXT "\n  _     ._   __/__   _ _  _  _ _/_   Recorded: 15:56:26  Samples:  6\n /_//_/// /_\\ / //_// / //_'/ //     " \
	"Duration: 4.250     CPU time: 4.000\n/   _/                      v5.1.2\n\nProgram: t.py\n\n" \
	"\x1b[31m4.250\x1b[0m <module>  t.py:1\n" \
	"\xe2\x94\x9c\xe2\x94\x80 4.000 Trainer.train  t.py:7\n" \
	"\xe2\x94\x82     [2 frames hidden]  torch\n" \
	"\xe2\x94\x82        2.500 MLP.forward  m.py:18\n" \
	"\xe2\x94\x82        1.500 Attention.forward  m.py:8\n" \
	"\xe2\x94\x82        \xe2\x94\x9c\xe2\x94\x80 1.000 [self]  m.py\n" \
	"\xe2\x94\x82        \xe2\x94\x94\xe2\x94\x80 0.500 F.linear  <built-in>\n" \
	"\xe2\x94\x94\xe2\x94\x80 0.250 [self]  t.py\n\n"
/* clang-format on */

static ns_t total(const struct profile *p, const char *path)
{
	const struct frame_node *f = sampler_at(p, path);

	return f ? f->total_ns : -1;
}

/* What every form that keeps all frames says. classes: the form tells MLP and Attention apart. */
static void check_tree(const struct profile *p, const char *form, bool classes)
{
	const struct frame_node *f = sampler_at(p, "<module>;train;_call_impl");

	is_int(p->frames[0].parent, -1, "%s: the script is the root", form);
	is_int(total(p, "<module>"), 4250000000, "%s: the root", form);
	is_int(p->frames[0].self_ns, 250000000, "%s: its own time, that of imports with it", form);
	is_int(total(p, "<module>;train"), 4000000000, "%s: train", form);
	is_int(f ? f->total_ns : -1, classes ? 2500000000 : 4000000000, "%s: _call_impl", form);
	is_str(f ? sampler_str(p, f->class_name) : "", classes ? "MLP" : NULL, "%s: its class", form);
	is_int(sampler_self(p), 4250000000, "%s: selfs sum to the root", form);
	is_int(p->sampled_wall_ns, 4250000000, "%s: wall", form);
	is_uint(sampler_damage(p), 0, "%s: nothing is lost", form);
}

static void test_session(void)
{
	static const struct { const char *text, *form; } forms[] = { { SESSION, "session" }, { OLD_SESSION, "session of 4.4" } };

	for (size_t i = 0; i < 2; i++) {
		struct err e = ERR_INIT;
		struct profile *p = sampler_text(&loader_pyi_session, forms[i].text, &e);
		const struct frame_node *f;
		ns_t end;

		if (!ok(p != NULL, "%s loads: %s", forms[i].form, e.text))
			continue;
		check_tree(p, forms[i].form, true);
		is_int(p->format, FORMAT_PYI_SESSION, "format");
		is_int(p->epoch_ns, 1795967786500000000, "start_time");
		f = &p->frames[4];	/* module, train, _call_impl of MLP, forward, then that of Attention */
		is_str(sampler_str(p, f->class_name), "Attention", "the other _call_impl");
		is_int(f->total_ns, 1500000000, "has 1.5 s");
		is_int(sampler_line(p, &p->frames[0], 5, true), 125000000, "line 5 of the script");
		is_int(sampler_line(p, &p->frames[0], 6, true), 4000000000, "line 6");
		is_int(sampler_line(p, sampler_at(p, "<module>;train"), 9, true), 1500000000, "line 9 of train");
		is_int(p->frames[1].line, 7, "and the first line of it");
		end = 0;
		for (uint32_t k = 0; k < p->n_frame_samples; k++) {
			ok(p->frame_samples[k].start == end, "sample %u begins where the one before ended", k);
			end += p->frame_samples[k].dur;
		}
		is_int(end, 4250000000, "samples from the start on sum to the duration");
		profile_unref(p);
	}
}

static void test_page_5(void)
{
	struct err e = ERR_INIT;
	struct profile *p = sampler_text(&loader_pyi_html, PAGE_5, &e), *q;
	const struct frame_node *f;

	if (!ok(p != NULL, "a 5.x page loads: %s", e.text))
		return;
	check_tree(p, "5.x page", false);
	f = sampler_at(p, "<module>;train;_call_impl;forward");
	is_int(f ? f->total_ns : -1, 2500000000, "calls that come again are one frame");
	is_str(f ? sampler_str(p, f->class_name) : "", "MLP", "one class is kept");
	is_int(sampler_line(p, f, 19, true), 2500000000, "its line, over both calls");
	is_int(sampler_line(p, &p->frames[0], 2, true), 125000000, "a line of the script");
	q = sampler_text(&loader_pyi_html, " {\"frame_tree\": " TREE ", \"session\": {" SESSION_FACTS "}}", &e);
	ok(q && q->n_frames == p->n_frames && q->sampled_wall_ns == p->sampled_wall_ns, "its object alone, in another order");
	if (q)
		profile_unref(q);
	profile_unref(p);
}

static void test_json(void)
{
	struct err e = ERR_INIT;
	struct profile *p = sampler_text(&loader_pyinstrument, JSON, &e), *q = sampler_text(&loader_pyi_html, PAGE_4, &e);

	if (ok(p && q, "JSON and a 4.x page load: %s", e.text)) {
		check_tree(p, "JSON", false);
		check_tree(q, "4.x page", false);
		is_int(q->format, FORMAT_PYI_HTML, "its format");
		is_str(sampler_str(p, sampler_at(p, "<module>;train;_call_impl;forward")->class_name), "MLP", "the class of a method stays");
	}
	if (p)
		profile_unref(p);
	if (q)
		profile_unref(q);
	p = sampler_text(&loader_pyinstrument, JSON_TREE, &e);
	if (ok(p != NULL, "2.x: the frame alone")) {
		is_int(sampler_self(p), 4250000000, "with all of its time");
		ok(p->sampled_wall_ns == NS_UNKNOWN && p->epoch_ns == NS_UNKNOWN, "and no facts");
		profile_unref(p);
	}
}

static void test_text(void)
{
	struct err e = ERR_INIT;
	struct profile *p = sampler_text(&loader_pyi_text, TEXT, &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "text loads: %s", e.text))
		return;
	is_int(p->n_frames, 5, "[self] is no frame");
	is_int(p->frames[0].self_ns, 250000000, "but time of its parent");
	f = sampler_at(p, "<module>;train;forward");
	is_int(f ? f->total_ns : -1, 2500000000, "below hidden frames");
	is_str(f ? sampler_str(p, f->class_name) : "", "MLP", "class and function are told apart");
	is_str(f ? sampler_str(p, f->file) : "", "m.py", "file");
	is_int(f ? f->line : 0, 18, "line");
	ok(sampler_at(p, "<module>;train;forward") && sampler_named(p, p->frames[4].function, "F.linear", 8), "a built-in keeps its name");
	is_int(sampler_self(p), 4250000000, "selfs sum to the root");
	is_int(p->sampled_wall_ns, 4250000000, "duration");
	is_int(p->sampled_cpu_ns, 4000000000, "CPU time");
	is_str(sampler_str(p, p->version), "5.1.2", "version");
	is_int(p->n_notes, 1, "what a text lacks is said");
	profile_unref(p);
	p = sampler_text(&loader_pyi_text, "_     ._   __/__   _ _  _  _ _/_\n1.0 a  t.py:1\n|- 0.4 b  t.py:2\n2.0 c  t.py:3\n|- 2.5 d  t.py:4\n", &e);
	if (ok(p && p->n_frames == 4, "a text with two roots")) {
		is_int(p->frames[2].parent, -1, "the second has no parent");
		is_int(p->frames[0].self_ns, 600000000, "and takes nothing from the first");
		is_uint(sampler_damage(p), 1, "its child exceeds it");
		profile_unref(p);
	}
}

/* Started inside the program: the frames above it are left out while nothing else is there, as pyinstrument does. */
static void test_started_inside(void)
{
	struct err e = ERR_INIT;
	struct profile *p = sampler_text(&loader_pyi_session, "{" FACTS ", \"start_call_stack\": [\"" THREAD "\",\"" ID("<module>", "a.py", 1) "\\u0001l9\",\""
		ID("run", "a.py", 5) "\"], \"frame_records\": [[[\"" THREAD "\",\"" ID("<module>", "a.py", 1) "\\u0001l9\",\"" ID("run", "a.py", 5) "\",\""
		ID("sleep", "b.py", 2) "\",\"[await]\"], 1.0], [[\"" THREAD "\",\"" ID("<module>", "a.py", 1) "\\u0001l9\",\"" ID("run", "a.py", 5)
		"\",\"[out-of-context]" Z "<out-of-context>" Z "0\"], 0.5]]}", &e);
	const struct frame_node *f;

	if (!ok(p != NULL, "loads: %s", e.text))
		return;
	is_str(sampler_str(p, p->frames[0].function), "run", "the function that started it is the root");
	f = sampler_at(p, "run;sleep;[await]");
	ok(f && f->kind == NODE_AWAIT && f->total_ns == 1000000000 && f->file == ID_NONE, "await time has its kind");
	f = sampler_at(p, "run;[out-of-context]");
	ok(f && f->kind == NODE_ELSEWHERE && f->total_ns == 500000000, "out-of-context time, too, as 4.0 writes it");
	profile_unref(p);
	p = sampler_text(&loader_pyi_session, "{" FACTS ", \"frame_records\": [[[\"" THREAD "\",\"" ID("f", "a.py", 1) "\"], 1],[[\""
		ID("T2", "<thread>", 78) "\",\"" ID("g", "a.py", 1) "\"], 2], [5], \"x\", [[\"a\"], -1]]}", &e);
	f = sampler_at(p, "thread (78): T2");
	ok(f && f->kind == NODE_THREAD && f->total_ns == 2000000000, "threads are roots where there are several");
	is_uint(p ? sampler_damage(p) : 0, 3, "three records are none");
	if (p)
		profile_unref(p);
}

/* Cut at every byte: used or refused, never silent. */
static void cut(const struct loader *l, const char *whole, size_t size, const char *form)
{
	unsigned used = 0, silent = 0;

	for (size_t n = 1; n < size; n++) {
		struct err e = ERR_INIT;
		struct profile *p = sampler_load(l, whole, n, &e);

		used += p != NULL;
		silent += p ? 0 : !e.text[0];
		if (p) {
			for (uint32_t i = 0; i < p->n_frames; i++)
				silent += p->frames[i].parent >= (int32_t)i || p->frames[i].self_ns < 0;
			profile_unref(p);
		}
	}
	ok(used > size / 4, "%s: %u of %zu beginnings were of use", form, used, size);
	is_uint(silent, 0, "%s: the others said why not, and all trees are sound", form);
}

static void test_damage(void)
{
	static const char *const texts[] = {
		"{\"frame_records\": 5}", "{\"frame_records\": [[[5, null, [\"a\"]], 1]], \"start_call_stack\": \"x\"}",
		"{\"frame_records\": [[[\"\", \"\\u0001\\u0001\", \"\\u0000\\u0000\"], 1e300], [[], 1], [[\"a\"], 9e9], [[\"b\"], 9e9]]}",
		"const sessionData = {\"session\": 5, \"frame_tree\": [[{}]]}", "const sessionData = {\"frame_tree\": {\"children\": [{\"children\": [3]}, 5]}}",
		"const sessionData = {\"frame_tree\": {\"identifier\": 5, \"time\": -1, \"attributes\": [], \"children\": {}}}",
		"window.profileSession = 5", "const sessionData = ", "window.profileSession = {\"root_frame\": 7}",
		"_     ._   __/__   _ _  _  _ _/_\n1.0\n1.0 \n 99999999999999999999 x\n5 [3 frames hidden]\n[99999999999999999999 frames hidden]\n",
	};
	size_t deep = 20000;
	char *text = malloc(deep * 70 + 100), *at = text;
	struct err e = ERR_INIT;
	struct profile *p;

	cut(&loader_pyi_session, SESSION, sizeof(SESSION) - 1, "session");
	cut(&loader_pyi_html, PAGE_5, sizeof(PAGE_5) - 1, "page");
	cut(&loader_pyi_text, TEXT, sizeof(TEXT) - 1, "text");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct loader *l = strstr(texts[i], "__/__") ? &loader_pyi_text : *texts[i] == '{' ? &loader_pyi_session : &loader_pyi_html;

		p = sampler_text(l, texts[i], &e);
		ok(p || e.code == ERR_FORMAT, "hostile %zu is survived", i);
		if (p)
			profile_unref(p);
	}
	at += sprintf(at, "const sessionData = {\"frame_tree\": ");
	for (size_t i = 0; i < deep; i++)
		at += sprintf(at, "{\"identifier\": \"f\", \"time\": 1.0, \"children\": [");
	p = sampler_load(&loader_pyi_html, text, (size_t)(at - text), &e);
	ok(p && p->n_frames == deep, "20000 frames deep, and cut there");
	ok(p && sampler_self(p) == 1000000000, "the second is the last one's");
	if (p)
		profile_unref(p);
	free(text);
}

static void test_wide(void)
{
	size_t n = sizeof(PAGE_5) - 1;
	char *wide = malloc(2 * n + 2);
	struct err e = ERR_INIT;
	struct profile *p;

	wide[0] = (char)0xff;
	wide[1] = (char)0xfe;
	for (size_t i = 0; i < n; i++) {
		wide[2 + 2 * i] = PAGE_5[i];
		wide[3 + 2 * i] = '\0';
	}
	p = sampler_load(&loader_pyi_html, wide, 2 * n + 2, &e);
	ok(p && total(p, "<module>;train") == 4000000000, "a page in UTF-16, as PowerShell writes it: %s", e.text);
	if (p)
		profile_unref(p);
	free(wide);
}

/* A real run, where there is one: what the text calls MLP._call_impl is MLP and Attention in the session. */
static void test_corpus(void)
{
	const char *corpus = getenv("PROFDIVE_CORPUS");
	static const struct { const char *class_name; ns_t want; } classes[] = { { "MLP", 6565000000 }, { "Attention", 3930000000 } };
	struct load_ctx lx = { .job = &(struct job){ 0 } };
	struct err e = ERR_INIT;
	struct profile *p;
	char path[4096];

	if (!corpus || !*corpus)
		return;
	snprintf(path, sizeof(path), "%s/python/pyinstrument/generated/train_v5.1.2.pyisession", corpus);
	if (access(path, R_OK) != 0)
		return;
	lx.builder = builder_new();
	ok(loader_pyi_session.load(&lx, path, &e), "a real session loads: %s", e.text);
	p = builder_finish(lx.builder);
	builder_free(lx.builder);
	for (size_t k = 0; k < 2; k++) {
		ns_t sum = 0;

		for (uint32_t i = 0; i < p->n_frames; i++)
			if (sampler_named(p, p->frames[i].function, "_call_impl", 10) &&
			    sampler_named(p, p->frames[i].class_name, classes[k].class_name, strlen(classes[k].class_name)))
				sum += p->frames[i].total_ns;
		is_near((double)sum, (double)classes[k].want, 1e6, "%s._call_impl, to the millisecond", classes[k].class_name);
	}
	profile_unref(p);
}

static uint32_t put(struct session *s, const struct loader *l, const char *text, const char *name)
{
	struct err e = ERR_INIT;
	uint32_t i = session_add(s, name);

	session_put(s, i, sampler_text(l, text, &e), SOURCE_READY);
	return i;
}

/* Forms of one run find the best of them; another run does not. */
static void test_twins(void)
{
	struct session *s = session_new();
	uint32_t text = put(s, &loader_pyi_text, TEXT, "a.txt"), json = put(s, &loader_pyinstrument, JSON, "a.json"), best, other;

	is_int(s->sources[text].twin, json, "the text has JSON as its twin");
	best = put(s, &loader_pyi_session, SESSION, "a.pyisession");
	is_int(s->sources[text].twin, best, "and then the session");
	is_int(s->sources[json].twin, best, "so has JSON");
	is_int(s->sources[best].twin, -1, "nothing is better than the session");
	is_int(s->sources[text].clock_group, s->sources[best].clock_group, "they have one clock");
	other = put(s, &loader_pyinstrument, "{\"start_time\": 1795967799.5, \"duration\": 4.25, \"sample_count\": 6, \"root_frame\": " JSON_TREE "}", "b.json");
	is_int(s->sources[other].twin, -1, "another start is another run");
	other = put(s, &loader_pyinstrument, "{\"duration\": 4.25, \"sample_count\": 7, \"root_frame\": " JSON_TREE "}", "c.json");
	is_int(s->sources[other].twin, -1, "so is another number of samples");
	other = put(s, &loader_pyinstrument, "{\"duration\": 4.2501, \"root_frame\": " JSON_TREE "}", "d.json");
	is_int(s->sources[other].twin, -1, "and another duration");
	session_free(s);
}

static void test_probe(void)
{
	ok(sampler_probe(&loader_pyi_session, SESSION) > 90 && sampler_probe(&loader_pyi_session, OLD_SESSION) > 90, "sessions");
	is_int(sampler_probe(&loader_pyi_session, JSON), 0, "JSON is none");
	ok(sampler_probe(&loader_pyi_html, PAGE_5) > 80 && sampler_probe(&loader_pyi_html, PAGE_4) > 80, "pages");
	ok(sampler_probe(&loader_pyi_text, TEXT) > 90, "text");
	ok(sampler_probe(&loader_pyinstrument, JSON_TREE) > 90, "2.x");
}

int main(void)
{
	test_session();
	test_page_5();
	test_json();
	test_text();
	test_started_inside();
	test_damage();
	test_wide();
	test_twins();
	test_corpus();
	test_probe();
	return done_testing();
}
