/*
 * pyspy_chrome.c - reads py-spy's Chrome trace (-f chrometrace).
 *
 * A bare array of {"args": {"filename", "line"|null}, "cat": "py-spy", "name", "ph": "B"|"E", "pid", "tid", "ts" us}: a frame begins
 * and ends where it appears in and vanishes from the samples, so times are those between samples. A thread that goes idle
 * keeps its stack until its next sample: slices overstate, and the time is no active time. Threads have no names. One stack is kept
 * for each tid, which is an address: forked processes share it, and with --subprocesses their samples end each other.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "load/read/head.h"
#include "load/read/json_tokens.h"
#include "load/read/loader.h"
#include "load/stacks/frame_text.h"

struct pyspy_chrome_open_frame {
	uint32_t frame, node;
};
struct pyspy_chrome_lane {			/* a thread id: py-spy keeps one stack for each, even where several processes have it */
	int64_t pid;
	uint32_t label;
	bool mixed;
	VEC(struct pyspy_chrome_open_frame) open;
	ns_t now;
	bool begun;
};
struct event {
	str_id name, file;
	int64_t pid, tid, line;
	ns_t ts;
	char ph;
};
struct pyspy_chrome_reader {
	struct load_ctx *lx;
	struct jtok t;
	struct stacktree tree;
	struct map lanes_of, processes, frame_of;
	VEC(struct pyspy_chrome_lane) lanes;
	uint64_t events, bad, unbalanced, backwards;
	int64_t bad_at;
};

static struct pyspy_chrome_lane *lane_of(struct pyspy_chrome_reader *r, const struct event *ev)
{
	uint32_t fresh = (uint32_t)r->lanes.n, i = map_get_or_put(&r->lanes_of, (uint64_t)ev->tid, 0, fresh);
	char text[64];

	if (i == fresh) {
		snprintf(text, sizeof(text), "thread (%" PRId64 ")", ev->tid);
		VEC_PUSH(&r->lanes, (struct pyspy_chrome_lane){ .pid = ev->pid, .label = stacktree_label(&r->tree, NODE_THREAD, text, strlen(text)) });
	}
	r->lanes.a[i].mixed |= r->lanes.a[i].pid != ev->pid;
	return &r->lanes.a[i];
}

static uint32_t process_of(struct pyspy_chrome_reader *r, const struct event *ev)
{
	uint32_t next = (uint32_t)r->tree.frames.n, process = map_get_or_put(&r->processes, (uint64_t)ev->pid, 0, next);
	char text[64];

	if (process == next) {
		snprintf(text, sizeof(text), "process %" PRId64, ev->pid);
		stacktree_label(&r->tree, NODE_PROCESS, text, strlen(text));
	}
	return stacktree_child(&r->tree, STACK_ROOT, process);
}

/* The node that a frame opens below: process frames stand outermost, then the thread, then functions. */
static uint32_t above(struct pyspy_chrome_reader *r, const struct pyspy_chrome_lane *l, const struct event *ev, uint32_t frame)
{
	uint32_t kind = r->tree.frames.a[frame].kind;
	const struct pyspy_chrome_open_frame *top = l->open.n ? &l->open.a[l->open.n - 1] : NULL;
	uint32_t node;

	if (kind == NODE_PROCESS)
		return top ? top->node : STACK_ROOT;
	if (top && r->tree.frames.a[top->frame].kind != NODE_PROCESS)
		return top->node;
	node = top ? top->node : process_of(r, ev);
	return kind == NODE_THREAD ? node : stacktree_child(&r->tree, node, l->label);
}

/* By name, file and line: B and E name the same. */
static uint32_t frame_of(struct pyspy_chrome_reader *r, const struct event *ev)
{
	uint64_t line = ev->line > 0 && ev->line <= INT32_MAX ? (uint64_t)ev->line : 0;
	uint32_t fresh = (uint32_t)r->tree.frames.n;
	uint32_t i = map_get_or_put(&r->frame_of, (uint64_t)ev->name << 32 | ev->file, line, fresh);
	struct stack_frame f = { .file = ev->file, .class_name = ID_NONE };
	struct frame_text text;
	size_t n, m = 0;
	const char *s, *file;
	char *name, *path;

	if (i < fresh)
		return i;
	s = builder_str(r->lx->builder, ev->name, &n);
	file = ev->file == ID_NONE ? "" : builder_str(r->lx->builder, ev->file, &m);
	f.line = (int32_t)line;
	if (m) {
		f.kind = frame_text_native(s, n, file, m);
	} else {
		frame_text_parse(s, n, &text);
		f.kind = text.kind;
	}
	if (f.kind == NODE_PROCESS) {
		f.function = ev->name;
		return stacktree_frame(&r->tree, &f);
	}
	name = xmemdup0(s, n);	/* interning moves the strings */
	path = xmemdup0(file, m);
	frame_text_name(r->lx->builder, &f, name, n, path, m);
	free(name);
	free(path);
	return stacktree_frame(&r->tree, &f);
}

static void read_args(struct pyspy_chrome_reader *r, struct event *ev)
{
	uint32_t depth;
	const char *s;
	size_t n;

	if (!jtok_open(&r->t, JT_OBJ, &depth))
		return;
	while (jtok_key(&r->t, depth)) {
		if (jtok_is(&r->t, "filename")) {
			if (jtok_string(&r->t, &s, &n) && n)
				ev->file = builder_intern(r->lx->builder, s, n);
		} else if (jtok_is(&r->t, "line")) {
			jtok_scaled(&r->t, 0, &ev->line);
		} else {
			jtok_skip(&r->t);
		}
	}
}

static void read_event(struct pyspy_chrome_reader *r, struct event *ev)
{
	uint32_t depth = r->t.depth;
	const char *s;
	size_t n;

	while (jtok_key(&r->t, depth)) {
		if (jtok_is(&r->t, "name")) {
			if (jtok_string(&r->t, &s, &n))
				ev->name = builder_command(r->lx->builder, CMDLINE_PROCESS, s, n);
		} else if (jtok_is(&r->t, "ph")) {
			ev->ph = jtok_string(&r->t, &s, &n) && n ? *s : '\0';
		} else if (jtok_is(&r->t, "ts")) {
			jtok_scaled(&r->t, 3, &ev->ts);
		} else if (jtok_is(&r->t, "pid")) {
			jtok_scaled(&r->t, 0, &ev->pid);
		} else if (jtok_is(&r->t, "tid")) {
			jtok_scaled(&r->t, 0, &ev->tid);
		} else if (jtok_is(&r->t, "args")) {
			read_args(r, ev);
		} else {
			jtok_skip(&r->t);
		}
	}
}

static void advance(struct pyspy_chrome_reader *r, struct pyspy_chrome_lane *l, ns_t ts)
{
	ns_t d;

	if (!l->begun) {
		l->begun = true;
		l->now = ts;
		return;
	}
	if (__builtin_sub_overflow(ts, l->now, &d) || d < 0) {
		r->backwards++;
		return;
	}
	if (l->open.n)
		stacktree_add(&r->tree, l->open.a[l->open.n - 1].node, d, 0);
	l->now = ts;
}

static void use_event(struct pyspy_chrome_reader *r, const struct event *ev)
{
	struct pyspy_chrome_lane *l = lane_of(r, ev);
	uint32_t frame = frame_of(r, ev);
	size_t i = l->open.n;

	advance(r, l, ev->ts);
	if (ev->ph == 'B') {
		uint32_t node = stacktree_child(&r->tree, above(r, l, ev, frame), frame);

		VEC_PUSH(&l->open, (struct pyspy_chrome_open_frame){ frame, node });
		return;
	}
	while (i && l->open.a[i - 1].frame != frame)
		i--;
	r->unbalanced += !i || i < l->open.n;
	if (i)
		l->open.n = i - 1;
}

static void read_events(void *arg)
{
	struct pyspy_chrome_reader *r = arg;
	uint32_t depth;

	if (jtok_next(&r->t) != JT_ARR)
		return;
	depth = r->t.depth;
	while (jtok_element(&r->t, depth)) {
		struct event ev = { .name = ID_NONE, .file = ID_NONE, .ts = NS_UNKNOWN };
		int64_t at = textwin_offset(r->t.w);

		if (r->t.kind == JT_OBJ)
			read_event(r, &ev);
		if (ev.name != ID_NONE && ev.ts != NS_UNKNOWN && (ev.ph == 'B' || ev.ph == 'E')) {
			use_event(r, &ev);
			r->events++;
		} else if (ev.ph != 'M' && !r->bad++) {
			r->bad_at = at;
		}
	}
}

static bool use(struct pyspy_chrome_reader *r, struct err *e)
{
	struct builder *b = r->lx->builder;
	bool mixed = false;

	for (size_t i = 0; i < r->lanes.n; i++)
		mixed |= r->lanes.a[i].mixed;

	if (!r->events)
		return err_set(e, ERR_FORMAT, _("a Chrome trace of py-spy without an event"));
	builder_set_format(b, FORMAT_PYSPY_CHROME);
	builder_set_producer(b, "py-spy", NULL);
	builder_caps(b, CAP_SAMPLES);
	stacktree_emit(&r->tree, STACKS_TIMED);
	builder_content(b, "events", 6, r->events);
	builder_note(b, "%s", _("py-spy's Chrome trace: a thread that went idle keeps its last stack, so times are too long rather than too short"));
	if (mixed)
		builder_note(b, "%s", _("several processes have threads of one id, whose samples py-spy mixed: their times are not to be trusted "
			"(-f speedscope or raw tells them apart)"));
	if (r->bad)
		builder_damage(b, N_("events without name, phase or time"), r->bad_at, r->bad);
	if (r->unbalanced)
		builder_damage(b, N_("frames that are closed while others are open, or were not open"), -1, r->unbalanced);
	if (r->backwards)
		builder_damage(b, N_("events that go back in time"), -1, r->backwards);
	return true;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct pyspy_chrome_reader r = { .lx = lx };
	bool ok;

	stacktree_init(&r.tree, lx->builder);
	ok = jtok_pass(&r.t, lx, path, read_events, &r, true, e) && use(&r, e);
	stacktree_fini(&r.tree);
	map_fini(&r.lanes_of);
	map_fini(&r.processes);
	map_fini(&r.frame_of);
	for (size_t i = 0; i < r.lanes.n; i++)
		VEC_FREE(&r.lanes.a[i].open);
	VEC_FREE(&r.lanes);
	return ok;
}

static int probe(const struct probe *p)
{
	const char *at = memmem(p->head, p->head_len, "\"py-spy\"", 8);

	if (head_first(p) != '[' || !at)
		return 0;
	while (at > p->head && (at[-1] == ' ' || at[-1] == ':' || at[-1] == '\t' || at[-1] == '\n'))
		at--;
	return at - p->head >= 5 && memcmp(at - 5, "\"cat\"", 5) == 0 ? 99 : 0;
}

const struct loader loader_pyspy_chrome = {
	.name = "pyspy-chrome",
	.what = N_("py-spy's Chrome traces (-f chrometrace)"),
	.probe = probe,
	.load = load,
};
