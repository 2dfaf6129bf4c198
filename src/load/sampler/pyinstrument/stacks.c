/* stacks.c - facts, identifiers and launcher frames of pyinstrument sessions, see pyi.h */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "base/text.h"
#include "load/sampler/pyinstrument/pyi.h"

void pyi_stacks_init(struct pyi_stacks *s, struct stacktree *t)
{
	*s = (struct pyi_stacks){ .tree = t, .start = NS_UNKNOWN, .wall = NS_UNKNOWN, .cpu = NS_UNKNOWN, .interval = NS_UNKNOWN,
		.samples = I64_UNKNOWN, .target = ID_NONE };
}

void pyi_stacks_fini(struct pyi_stacks *s)
{
	strtab_fini(&s->texts);
	VEC_FREE(&s->frame_of);
}

/* ---- identifiers ---------------------------------------------------------------------------------------------- */

enum node_kind pyi_kind(const char *s, size_t n)
{
	static const struct { const char *name; enum node_kind kind; } names[] = {
		{ "[await]", NODE_AWAIT }, { "[out-of-context]", NODE_ELSEWHERE },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text_is(s, n, names[i].name))
			return names[i].kind;
	return NODE_CODE;
}

struct stacks_parts {
	const char *function, *file, *line;
	size_t function_n, file_n, line_n;
	const char *class_name;
	size_t class_n;
	int32_t first_line, ran;
	bool hidden;
};

static int32_t line_number(const char *s, size_t n)
{
	int64_t v;

	while (n && *s == ' ') {
		s++;
		n--;
	}
	return decimal_scaled(s, n, 0, &v, NULL) && v > 0 && v <= INT32_MAX ? (int32_t)v : 0;
}

static void take_attribute(struct stacks_parts *p, const char *s, size_t n)
{
	if (n && *s == 'c') {
		p->class_name = s + 1;
		p->class_n = n - 1;
	} else if (n && *s == 'l') {
		p->ran = line_number(s + 1, n - 1);
	} else if (n && *s == 'h') {
		p->hidden = true;
	}
}

/* The piece up to the separator, which is taken with it. */
static const char *piece(const char **s, const char *end, char sep, size_t *n)
{
	const char *from = *s, *at = memchr(from, sep, (size_t)(end - from));

	*n = (size_t)((at ? at : end) - from);
	*s = at ? at + 1 : end;
	return from;
}

static void split(struct stacks_parts *p, const char *s, size_t n)
{
	const char *end = s + n, *id, *a;
	size_t id_n, len;

	*p = (struct stacks_parts){ 0 };
	id = piece(&s, end, '\1', &id_n);
	while (s < end) {
		a = piece(&s, end, '\1', &len);
		take_attribute(p, a, len);
	}
	end = id + id_n;
	p->function = piece(&id, end, '\0', &p->function_n);
	p->file = piece(&id, end, '\0', &p->file_n);
	p->line = id;
	p->line_n = (size_t)(end - id);
	p->first_line = line_number(p->line, p->line_n);
}

static uint32_t add_thread(struct stacktree *t, const struct stacks_parts *p)
{
	char label[256];
	int blank = p->line_n && *p->line == ' ';

	snprintf(label, sizeof(label), "thread (%.*s): %.*s", (int)p->line_n - blank, p->line + blank, (int)p->function_n, p->function);
	return stacktree_label(t, NODE_THREAD, label, strlen(label));
}

static uint32_t add_frame(struct stacktree *t, const struct stacks_parts *p)
{
	struct stack_frame f = { .file = ID_NONE, .class_name = ID_NONE, .first_line = p->first_line, .line = p->ran,
		.kind = pyi_kind(p->function, p->function_n) };

	if (text_is(p->file, p->file_n, "<thread>"))
		return add_thread(t, p);
	if (p->hidden || text_is(p->function, p->function_n, "[self]") ||
	    (p->file_n && memmem(p->file, p->file_n, "<frozen importlib._bootstrap", 28)))
		return PYI_SKIP;
	f.function = builder_intern(t->b, p->function, p->function_n);
	if (p->file_n && f.kind == NODE_CODE)
		f.file = builder_intern(t->b, p->file, p->file_n);
	if (p->class_n)
		f.class_name = builder_intern(t->b, p->class_name, p->class_n);
	return stacktree_frame(t, &f);
}

uint32_t pyi_stacks_frame(struct pyi_stacks *s, const char *text, size_t n)
{
	uint32_t id = strtab_intern(&s->texts, text, n);
	struct stacks_parts p;

	if (id == s->frame_of.n) {
		split(&p, text, n);
		VEC_PUSH(&s->frame_of, add_frame(s->tree, &p));
	}
	return s->frame_of.a[id];
}

/* ---- the launcher ---------------------------------------------------------------------------------------------- */

static bool in_file(const struct pyi_stacks *s, uint32_t frame, const char *what)
{
	str_id file = s->tree->frames.a[frame].file;
	size_t n;
	const char *f = file == ID_NONE ? NULL : builder_str(s->tree->b, file, &n);

	return f && memmem(f, n, what, strlen(what));
}

bool pyi_stacks_launcher(const struct pyi_stacks *s, uint32_t frame, int *state)
{
	int was = *state;

	*state = PYI_NORMAL;
	if (frame == PYI_SKIP || was == PYI_NORMAL)
		return false;
	if (was == PYI_BEGIN && in_file(s, frame, "pyinstrument") && in_file(s, frame, "__main__.py"))
		*state = PYI_MAIN;
	else if (was == PYI_MAIN && in_file(s, frame, "<string>"))
		*state = PYI_STRING;
	else if (was == PYI_STRING && (in_file(s, frame, "runpy.py") || in_file(s, frame, "<frozen runpy>")))
		*state = PYI_STRING;
	return *state != PYI_NORMAL;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static void read_time(struct jtok *t, ns_t *out)
{
	ns_t v;

	if (jtok_scaled(t, 9, &v) && v >= 0)
		*out = v;
}

static void read_samples(struct pyi_stacks *s, struct jtok *t)
{
	int64_t v;

	if (jtok_scaled(t, 0, &v) && v >= 0)
		s->samples = v;
}

static void read_target(struct pyi_stacks *s, struct jtok *t, bool described)
{
	const char *text;
	size_t n;

	s->described |= described;
	if (jtok_string(t, &text, &n) && n)
		s->target = builder_command(s->tree->b, CMDLINE_TARGET, text, n);
}

/* start_call_stack: where the profiler was started. */
static void read_stem(struct pyi_stacks *s, struct jtok *t)
{
	uint32_t depth, frame = PYI_SKIP;
	const char *text;
	size_t n;

	if (!jtok_open(t, JT_ARR, &depth))
		return;
	while (jtok_element(t, depth)) {
		if (t->kind != JT_STR)
			continue;
		text = jtok_text(t, &n);
		frame = pyi_stacks_frame(s, text, n);
		if (frame != PYI_SKIP)
			VEC_PUSH(&s->tree->stem, s->tree->frames.a[frame]);
	}
	s->launched = frame != PYI_SKIP && in_file(s, frame, "pyinstrument") && in_file(s, frame, "__main__.py");
}

bool pyi_stacks_fact(struct pyi_stacks *s, struct jtok *t)
{
	if (jtok_is(t, "start_time"))
		read_time(t, &s->start);
	else if (jtok_is(t, "duration"))
		read_time(t, &s->wall);
	else if (jtok_is(t, "cpu_time"))
		read_time(t, &s->cpu);
	else if (jtok_is(t, "min_interval"))
		read_time(t, &s->interval);
	else if (jtok_is(t, "sample_count"))
		read_samples(s, t);
	else if (jtok_is(t, "target_description"))
		read_target(s, t, true);
	else if (jtok_is(t, "program"))
		read_target(s, t, false);
	else if (jtok_is(t, "start_call_stack"))
		read_stem(s, t);
	else
		return false;
	return true;
}

void pyi_stacks_tell(const struct pyi_stacks *s)
{
	struct builder *b = s->tree->b;
	char text[64];

	builder_caps(b, CAP_SAMPLES);
	builder_set_producer(b, "pyinstrument", s->interval != NS_UNKNOWN ? "5.0 or later" : s->described ? "4.7 or later" : NULL);
	builder_sampled_wall(b, s->wall, s->cpu);
	if (s->start > 0)
		builder_set_epoch(b, s->start);
	if (s->samples != I64_UNKNOWN)
		builder_content(b, "samples", 7, (uint64_t)s->samples);
	if (s->target != ID_NONE)
		builder_option_id(b, "target", s->target);
	if (s->interval > 0) {
		snprintf(text, sizeof(text), "%" PRId64 ".%06" PRId64 " ms", s->interval / 1000000, s->interval % 1000000);
		builder_option(b, "interval", text);
	}
}
