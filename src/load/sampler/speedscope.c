/*
 * speedscope.c - reads speedscope files: of py-spy, of pyinstrument's renderer, and of other tools.
 *
 * {"$schema", "profiles": [...], "shared": {"frames": [{name, file, line, col}]}, "exporter", "name", "activeProfileIndex"}, keys in
 * any order. A profile: type, name, unit (none, nanoseconds, …, seconds, bytes), startValue, endValue, and either samples (lists of
 * frame numbers, outermost first) with as many weights, or events {type O|C, at, frame}. Frames and units may stand behind what
 * uses them: the text is read twice, and never held whole.
 *
 * py-spy writes a profile for each thread, each on an axis of its own samples (gaps are lost, nothing aligns them); lines are those
 * that ran. With --subprocesses the stacks begin with frames of their processes; the thread belongs below them. pyinstrument
 * writes one profile; [self] frames are time of their parent, lines are the first of the function.
 *
 * Where an axis counts from is written nowhere. A time of this century since 1970 (DATE_MIN on) is taken for a date; everything else,
 * monotonic clocks among it, is known to no other source.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "base/text.h"
#include "load/read/head.h"
#include "load/read/json_tokens.h"
#include "load/read/loader.h"
#include "load/sampler/pyinstrument/pyi.h"
#include "load/stacks/frame_text.h"

#define NO_FRAME UINT32_MAX
#define DATE_MIN INT64_C(1000000000000000000)	/* 2001, in ns */

enum speedscope_unit { UNIT_IS_UNKNOWN, UNIT_IS_COUNT, UNIT_IS_TIME, UNIT_IS_BYTES };

struct profile_head {		/* of one profile of the file */
	str_id name;
	enum speedscope_unit unit;
	int digits;		/* of the unit's second: 9 for seconds, 0 for ns */
	bool sampled;
	ns_t start, end;	/* startValue and endValue, NS_UNKNOWN */
};
struct speedscope_open_frame {
	uint32_t frame, node;
};
struct speedscope_reader {
	struct load_ctx *lx;
	struct jtok t;
	struct stacktree tree;
	VEC(struct profile_head) heads;
	size_t at;		/* profile that is being read */
	bool pyi, pyspy;
	str_id exporter;
	char *title;		/* heap; not interned, for it holds a command line */
	uint32_t label;		/* thread frame of the profile, NO_FRAME none */
	uint32_t process;
	/* samples of one profile */
	VEC(uint32_t) path, nodes;
	VEC(int64_t) weights;
	/* events of one profile */
	VEC(struct speedscope_open_frame) open;
	ns_t now, late;		/* late: how far events lie behind the end that the profile gives */
	bool begun;
	ns_t zero, last;	/* of all axes, where they are dates: the first instant, which samples count from, and the last */
	uint64_t events, rounded;
	ns_t interval_ns;	/* NS_UNKNOWN before the first, -1 where weights differ */
};

/* ---- first pass: frames and heads -------------------------------------------------------------------------- */

static const struct unit_def {
	const char *name;
	enum speedscope_unit unit;
	int digits;
} units[] = {
	{ "seconds", UNIT_IS_TIME, 9 }, { "milliseconds", UNIT_IS_TIME, 6 }, { "microseconds", UNIT_IS_TIME, 3 },
	{ "nanoseconds", UNIT_IS_TIME, 0 }, { "none", UNIT_IS_COUNT, 0 }, { "bytes", UNIT_IS_BYTES, 0 },
};

static void read_unit(struct jtok *t, struct profile_head *h)
{
	const char *s;
	size_t n;

	if (!jtok_string(t, &s, &n))
		return;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (text_is(s, n, units[i].name)) {
			h->unit = units[i].unit;
			h->digits = units[i].digits;
		}
}

static void read_head(void *arg)
{
	struct speedscope_reader *r = arg;
	struct profile_head h = { .name = ID_NONE, .start = NS_UNKNOWN, .end = NS_UNKNOWN };
	struct jtok *t = &r->t;
	uint32_t depth = t->depth;
	const char *s;
	size_t n;

	while (jtok_key(t, depth)) {
		if (jtok_is(t, "name")) {
			if (jtok_string(t, &s, &n))
				h.name = builder_command(r->lx->builder, CMDLINE_NAME, s, n);
		} else if (jtok_is(t, "unit")) {
			read_unit(t, &h);
		} else if (jtok_is(t, "type")) {
			h.sampled = jtok_string(t, &s, &n) && text_is(s, n, "sampled");
		} else {
			jtok_skip(t);
		}
	}
	VEC_PUSH(&r->heads, h);
}

static enum node_kind kind_of(const struct builder *b, str_id name, str_id file)
{
	size_t n, m = 0;
	const char *s = builder_str(b, name, &n), *f = file == ID_NONE ? "" : builder_str(b, file, &m);
	struct frame_text text;

	if (pyi_kind(s, n) != NODE_CODE)
		return pyi_kind(s, n);
	if (m)
		return frame_text_native(s, n, f, m);
	frame_text_parse(s, n, &text);
	return text.kind;
}

static void split_class(struct builder *b, struct stack_frame *f)
{
	size_t n, m = 0;
	const char *s = builder_str(b, f->function, &n), *file = f->file == ID_NONE ? "" : builder_str(b, f->file, &m);
	size_t k = f->kind == NODE_CODE ? frame_text_class(s, n, file, m) : 0;
	char *copy;

	if (!k)
		return;
	copy = xmemdup0(s, n);	/* interning moves the strings */
	f->class_name = builder_intern(b, copy, k);
	f->function = builder_intern(b, copy + k + 1, n - k - 1);
	free(copy);
}

/* A frame that is no function: its time is that of the frame above. */
#define KIND_SELF NODE_KIND_N

static void read_frame(struct speedscope_reader *r)
{
	struct stack_frame f = { ID_NONE, ID_NONE, ID_NONE, 0, 0, NODE_CODE };
	struct jtok *t = &r->t;
	struct builder *b = r->lx->builder;
	uint32_t depth = t->depth;
	int64_t line;
	const char *s;
	size_t n;

	while (jtok_key(t, depth)) {
		if (jtok_is(t, "name")) {
			if (jtok_string(t, &s, &n))
				f.function = builder_command(b, CMDLINE_PROCESS, s, n);
		} else if (jtok_is(t, "file")) {
			if (jtok_string(t, &s, &n) && n)
				f.file = builder_intern(b, s, n);
		} else if (jtok_is(t, "line")) {
			if (jtok_scaled(t, 0, &line) && line > 0 && line <= INT32_MAX)
				f.line = (int32_t)line;
		} else {
			jtok_skip(t);
		}
	}
	if (f.function != ID_NONE) {
		s = builder_str(b, f.function, &n);
		f.kind = text_is(s, n, "[self]") ? (uint32_t)KIND_SELF : kind_of(b, f.function, f.file);
		split_class(b, &f);
	}
	stacktree_frame(&r->tree, &f);
}

static void read_shared(struct speedscope_reader *r)
{
	uint32_t depth, list;

	if (!jtok_open(&r->t, JT_OBJ, &depth))
		return;
	while (jtok_key(&r->t, depth)) {
		if (!jtok_is(&r->t, "frames")) {
			jtok_skip(&r->t);
			continue;
		}
		if (!jtok_open(&r->t, JT_ARR, &list))
			continue;
		while (jtok_element(&r->t, list)) {
			if (r->t.kind == JT_OBJ)
				read_frame(r);
			else
				stacktree_label(&r->tree, NODE_CODE, "", 0);
		}
	}
}

static void keep_text(struct speedscope_reader *r, str_id *to)
{
	const char *s;
	size_t n;

	if (jtok_string(&r->t, &s, &n))
		*to = builder_intern(r->lx->builder, s, n);
}

static void keep_title(struct speedscope_reader *r)
{
	const char *s;
	size_t n;

	if (!jtok_string(&r->t, &s, &n))
		return;
	free(r->title);
	r->title = xmemdup0(s, n);
}

static void first_pass(void *arg)
{
	struct speedscope_reader *r = arg;

	if (jtok_next(&r->t) != JT_OBJ)
		return;
	while (jtok_key(&r->t, 1)) {
		if (jtok_is(&r->t, "profiles"))
			jtok_objects(&r->t, read_head, r);
		else if (jtok_is(&r->t, "shared"))
			read_shared(r);
		else if (jtok_is(&r->t, "exporter"))
			keep_text(r, &r->exporter);
		else if (jtok_is(&r->t, "name"))
			keep_title(r);
		else
			jtok_skip(&r->t);
	}
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

/* `Process 7 Thread 8 "MainThread"` → "process 7", "thread (8): MainThread", as py-spy's other formats have them. */
static void label_pyspy(struct speedscope_reader *r, const char *s, size_t n)
{
	const char *at = text_starts(s, n, "Process ") ? memmem(s + 8, n - 8, " Thread ", 8) : NULL, *quote;
	char text[512];

	if (at) {
		snprintf(text, sizeof(text), "process %.*s", (int)(at - s - 8), s + 8);
		r->process = stacktree_label(&r->tree, NODE_PROCESS, text, strlen(text));
		n -= (size_t)(at + 1 - s);
		s = at + 1;
	}
	if (n == 7 || !text_starts(s, n, "Thread ")) {
		r->label = stacktree_label(&r->tree, NODE_THREAD, s, n);
		return;
	}
	quote = memmem(s, n, " \"", 2);
	if (quote && s + n - quote > 3 && s[n - 1] == '"')
		snprintf(text, sizeof(text), "thread (%.*s): %.*s", (int)(quote - s - 7), s + 7, (int)(s + n - quote - 3), quote + 2);
	else
		snprintf(text, sizeof(text), "thread (%.*s)", (int)((quote ? quote : s + n) - s - 7), s + 7);
	r->label = stacktree_label(&r->tree, NODE_THREAD, text, strlen(text));
}

static void label_profile(struct speedscope_reader *r)
{
	const struct profile_head *h = &r->heads.a[r->at];
	const char *s;
	char *copy;
	size_t n;

	r->label = r->process = NO_FRAME;
	if (h->name == ID_NONE || (r->heads.n == 1 && !r->pyspy))
		return;
	s = builder_str(r->lx->builder, h->name, &n);
	copy = xmemdup0(s, n);	/* interning moves the strings */
	if (r->pyspy)
		label_pyspy(r, copy, n);
	else
		r->label = stacktree_label(&r->tree, NODE_THREAD, copy, n);
	free(copy);
}

static uint32_t kind_at(const struct speedscope_reader *r, uint32_t frame)
{
	return r->tree.frames.a[frame].kind;
}

static uint32_t below(struct speedscope_reader *r, uint32_t node, uint32_t label)
{
	return label == NO_FRAME ? node : stacktree_child(&r->tree, node, label);
}

/* The node of a stack: processes, the thread, functions. */
static uint32_t node_of(struct speedscope_reader *r, const uint32_t *path, size_t n)
{
	uint32_t node = STACK_ROOT;
	size_t i = 0;

	for (; i < n && kind_at(r, path[i]) == NODE_PROCESS; i++)
		node = stacktree_child(&r->tree, node, path[i]);
	if (!i)
		node = below(r, node, r->process);
	if (i == n || kind_at(r, path[i]) != NODE_THREAD)
		node = below(r, node, r->label);
	for (; i < n; i++)
		if (kind_at(r, path[i]) != KIND_SELF)
			node = stacktree_child(&r->tree, node, path[i]);
	return node;
}

/* Weight that lasts from `at` on. Profiles of one file may begin before the first that was read: samples count from DATE_MIN till the end. */
static void add_time(struct speedscope_reader *r, uint32_t node, ns_t at, ns_t dur, int64_t samples)
{
	if (at < DATE_MIN || at > INT64_MAX - NS_LIMIT || dur > NS_LIMIT) {
		stacktree_add(&r->tree, node, dur, samples);
		return;
	}
	stacktree_add_at(&r->tree, node, at - DATE_MIN, dur, samples);
	r->zero = r->zero == NS_UNKNOWN || at < r->zero ? at : r->zero;
	r->last = r->last == NS_UNKNOWN || at + dur > r->last ? at + dur : r->last;
}

/* ---- second pass: samples ----------------------------------------------------------------------------------- */

static void damage(struct speedscope_reader *r, const char *what, uint64_t n)
{
	builder_damage(r->lx->builder, what, textwin_offset(r->t.w), n);
}

static bool frame_number(struct speedscope_reader *r, uint32_t *frame)
{
	int64_t v;

	if (!jtok_i64(&r->t, &v) || v < 0 || v >= (int64_t)r->tree.frames.n)
		return false;
	*frame = (uint32_t)v;
	return true;
}

static void read_sample(struct speedscope_reader *r)
{
	uint32_t depth = r->t.depth, frame;
	bool good = true;

	r->path.n = 0;
	while (jtok_element(&r->t, depth)) {
		if (frame_number(r, &frame))
			VEC_PUSH(&r->path, frame);
		else
			good = false;
	}
	if (!good)
		damage(r, N_("samples with frames that the file does not have"), 1);
	VEC_PUSH(&r->nodes, good ? node_of(r, r->path.a, r->path.n) : NO_FRAME);
}

static void read_samples(struct speedscope_reader *r)
{
	uint32_t depth;

	if (!jtok_open(&r->t, JT_ARR, &depth))
		return;
	while (jtok_element(&r->t, depth)) {
		if (r->t.kind == JT_ARR)
			read_sample(r);
		else
			VEC_PUSH(&r->nodes, NO_FRAME);
	}
}

static void read_weights(struct speedscope_reader *r)
{
	const struct profile_head *h = &r->heads.a[r->at];
	uint32_t depth;
	int64_t v;
	bool exact;

	if (!jtok_open(&r->t, JT_ARR, &depth))
		return;
	while (jtok_element(&r->t, depth)) {
		if (r->t.kind != JT_NUM || !decimal_scaled(r->t.s.s, r->t.s.n, h->digits, &v, &exact))
			v = -1;
		else
			r->rounded += !exact && h->unit != UNIT_IS_TIME;
		VEC_PUSH(&r->weights, v);
	}
}

static void use_samples(struct speedscope_reader *r, ns_t start)
{
	bool time = r->heads.a[r->at].unit == UNIT_IS_TIME;
	size_t n = r->nodes.n < r->weights.n ? r->nodes.n : r->weights.n;
	uint64_t wrong = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t v = r->weights.a[i];

		if (r->nodes.a[i] == NO_FRAME || v < 0) {
			wrong += v < 0;
			continue;
		}
		r->tree.offset = textwin_offset(r->t.w);
		if (!time) {
			stacktree_add(&r->tree, r->nodes.a[i], 0, v);
			continue;
		}
		add_time(r, r->nodes.a[i], start, v, 1);
		start += start >= DATE_MIN && start <= INT64_MAX - NS_LIMIT && v <= NS_LIMIT ? v : 0;
		r->interval_ns = r->interval_ns == NS_UNKNOWN || r->interval_ns == v ? v : -1;
	}
	if (wrong)
		damage(r, N_("samples whose weight is no number above 0"), wrong);
	if (r->nodes.n != r->weights.n)
		damage(r, N_("samples without a weight, or weights without a sample"),
			r->nodes.n > n ? r->nodes.n - n : r->weights.n - n);
	r->nodes.n = r->weights.n = 0;
}

/* ---- second pass: events ------------------------------------------------------------------------------------ */

static uint32_t top(const struct speedscope_reader *r)
{
	return r->open.n ? r->open.a[r->open.n - 1].node : STACK_ROOT;
}

/* Without a unit, `at` counts samples. */
static void advance(struct speedscope_reader *r, ns_t at)
{
	bool time = r->heads.a[r->at].unit == UNIT_IS_TIME;
	ns_t d;

	if (!r->begun) {
		r->begun = true;
		r->now = at;
		return;
	}
	if (__builtin_sub_overflow(at, r->now, &d) || d < 0) {
		damage(r, N_("events that go back in time"), 1);
		return;
	}
	r->tree.offset = textwin_offset(r->t.w);
	if (r->open.n && d && time)
		add_time(r, top(r), r->now, d, 0);
	else if (r->open.n && d)
		stacktree_add(&r->tree, top(r), 0, d);
	r->now = at;
}

static void open_frame(struct speedscope_reader *r, uint32_t frame)
{
	uint32_t node = r->open.n ? top(r) : node_of(r, NULL, 0);

	if (kind_at(r, frame) != KIND_SELF)
		node = stacktree_child(&r->tree, node, frame);
	VEC_PUSH(&r->open, (struct speedscope_open_frame){ frame, node });
}

static void close_frame(struct speedscope_reader *r, uint32_t frame)
{
	size_t i = r->open.n;

	while (i && r->open.a[i - 1].frame != frame)
		i--;
	if (!i || i < r->open.n)
		damage(r, N_("frames that are closed while others are open, or were not open"), 1);
	if (i)
		r->open.n = i - 1;
}

static void read_event(void *arg)
{
	struct speedscope_reader *r = arg;
	uint32_t depth = r->t.depth, frame = NO_FRAME;
	char type = '\0';
	ns_t at = NS_UNKNOWN;
	const char *s;
	size_t n;

	while (jtok_key(&r->t, depth)) {
		if (jtok_is(&r->t, "type")) {
			type = jtok_string(&r->t, &s, &n) && n ? *s : '\0';
		} else if (jtok_is(&r->t, "at")) {
			jtok_scaled(&r->t, r->heads.a[r->at].digits, &at);
		} else if (jtok_is(&r->t, "frame")) {
			jtok_next(&r->t);
			if (!frame_number(r, &frame))
				jtok_skip_rest(&r->t);
		} else {
			jtok_skip(&r->t);
		}
	}
	if ((type != 'O' && type != 'C') || at == NS_UNKNOWN || frame == NO_FRAME) {
		damage(r, N_("events without type, time or frame"), 1);
		return;
	}
	r->events++;
	advance(r, at);
	if (type == 'O')
		open_frame(r, frame);
	else
		close_frame(r, frame);
}

/* What is open at the end lasts until endValue. */
static void close_all(struct speedscope_reader *r, ns_t end)
{
	ns_t late;

	if (r->begun && end != NS_UNKNOWN && end > r->now)
		advance(r, end);
	else if (r->begun && end != NS_UNKNOWN && !__builtin_sub_overflow(r->now, end, &late) && late > r->late)
		r->late = late;
	r->open.n = 0;
	r->begun = false;
}

/* ---- loading a file ----------------------------------------------------------------------------------------- */

static void read_profile(struct speedscope_reader *r)
{
	const struct profile_head *h = &r->heads.a[r->at];
	uint32_t depth = r->t.depth;
	ns_t end = NS_UNKNOWN, start = NS_UNKNOWN;

	label_profile(r);
	while (jtok_key(&r->t, depth)) {
		if (jtok_is(&r->t, "samples") && h->sampled)
			read_samples(r);
		else if (jtok_is(&r->t, "weights") && h->sampled)
			read_weights(r);
		else if (jtok_is(&r->t, "events") && !h->sampled)
			jtok_objects(&r->t, read_event, r);
		else if (jtok_is(&r->t, "endValue"))
			jtok_scaled(&r->t, h->digits, &end);
		else if (jtok_is(&r->t, "startValue"))
			jtok_scaled(&r->t, h->digits, &start);
		else
			jtok_skip(&r->t);
	}
	use_samples(r, start);
	close_all(r, end);
	r->heads.a[r->at].start = start;
	r->heads.a[r->at].end = end;
}

/* Profiles of another unit than the first cannot be added to it. */
static void next_profile(void *arg)
{
	struct speedscope_reader *r = arg;

	if (r->at < r->heads.n && r->heads.a[r->at].unit == r->heads.a[0].unit)
		read_profile(r);
	else
		damage(r, N_("profiles of another unit than the first"), 1);
	r->at++;
}

static void second_pass(void *arg)
{
	struct speedscope_reader *r = arg;

	if (jtok_next(&r->t) != JT_OBJ)
		return;
	while (jtok_key(&r->t, 1)) {
		if (jtok_is(&r->t, "profiles"))
			jtok_objects(&r->t, next_profile, r);
		else
			jtok_skip(&r->t);
	}
}

static void say_producer(struct speedscope_reader *r)
{
	struct builder *b = r->lx->builder;
	const char *s, *at;
	size_t n;
	char name[128], version[64] = "";

	if (r->exporter == ID_NONE) {
		builder_set_producer(b, "speedscope", NULL);
		return;
	}
	s = builder_str(b, r->exporter, &n);
	at = memchr(s, '@', n);
	snprintf(name, sizeof(name), "%.*s", (int)(at ? (size_t)(at - s) : n), s);
	if (at)
		snprintf(version, sizeof(version), "%.*s", (int)(n - (size_t)(at + 1 - s)), at + 1);
	builder_set_producer(b, name, *version ? version : NULL);
}

/* "CPU profile for 'Program: train.py 3 0' at 2026-11-29T15-56-26": what ran. The clock is a local one of no known zone. */
static void say_target(struct speedscope_reader *r)
{
	static const char lead[] = "CPU profile for ";
	char text[512], *at;

	if (!r->title)
		return;
	snprintf(text, sizeof(text), "%s", r->title);
	at = NULL;
	for (char *hit = text; (hit = strstr(hit, " at ")); hit++)
		at = hit;
	if (strncmp(text, lead, sizeof(lead) - 1) != 0 || !at)
		return;
	*at = '\0';
	at = text + sizeof(lead) - 1;
	if (*at == '\'' && at[strlen(at) - 1] == '\'') {
		at[strlen(at) - 1] = '\0';
		at++;
	}
	builder_option_command(r->lx->builder, "target", CMDLINE_TARGET, at, strlen(at));
}

static void say_clock(struct speedscope_reader *r)
{
	struct builder *b = r->lx->builder;
	const struct profile_head *h = &r->heads.a[0];
	ns_t wall = NS_UNKNOWN;
	char text[64];

	if (r->pyi) {
		say_target(r);
		if (h->end != NS_UNKNOWN && h->start != NS_UNKNOWN && __builtin_sub_overflow(h->end, h->start, &wall))
			wall = NS_UNKNOWN;
		builder_sampled_wall(b, wall >= 0 ? wall : NS_UNKNOWN, NS_UNKNOWN);
	}
	if (r->zero != NS_UNKNOWN) {
		for (size_t i = 0; i < r->tree.samples_at.n; i++)
			r->tree.samples_at.a[i].start -= r->zero - DATE_MIN;
		builder_set_epoch(b, r->zero);
		builder_sampled_wall(b, r->last - r->zero, NS_UNKNOWN);
	}
	if (r->interval_ns > 0) {
		snprintf(text, sizeof(text), "%" PRId64 ".%06" PRId64 " ms", r->interval_ns / 1000000, r->interval_ns % 1000000);
		builder_option(b, "interval", text);
	}
	if (r->late > 1000000)
		builder_note(b, _("the events go on for %" PRId64 " ms behind the end that the file gives"), r->late / 1000000);
	if (r->pyspy)
		builder_note(b, "%s", _("py-spy counts the samples of running threads unless --idle was given: its times are active time, "
			"not wall time, and threads are not aligned with each other"));
}

static bool use(struct speedscope_reader *r, struct err *e)
{
	struct builder *b = r->lx->builder;
	unsigned has = 0;

	if (!r->heads.n)
		return err_set(e, ERR_FORMAT, _("a speedscope file without profiles"));
	if (r->heads.a[0].unit == UNIT_IS_BYTES)
		return err_set(e, ERR_FORMAT, _("a speedscope file of bytes: memory, not time"));
	builder_set_format(b, FORMAT_SPEEDSCOPE);
	builder_caps(b, CAP_SAMPLES);
	say_producer(r);
	say_clock(r);
	if (r->heads.a[0].unit == UNIT_IS_TIME)
		has |= STACKS_TIMED;
	else
		builder_note(b, "%s", _("counts of samples without an interval: shares are known, times are not"));
	if (!r->events || !(has & STACKS_TIMED))
		has |= STACKS_COUNTED;	/* timed events are no samples that could be counted */
	stacktree_emit(&r->tree, has);
	builder_content(b, "profiles", 8, r->heads.n);
	if (has & STACKS_COUNTED)
		builder_content(b, "samples", 7, (uint64_t)r->tree.samples);
	if (r->rounded)
		builder_damage(b, N_("fractions of a count, which were rounded"), -1, r->rounded);
	return true;
}

/* The line of pyinstrument's frames is the first of the function. */
static void look_at_exporter(struct speedscope_reader *r)
{
	size_t n = 0;
	const char *s = r->exporter == ID_NONE ? "" : builder_str(r->lx->builder, r->exporter, &n);

	r->pyi = text_is(s, n, "pyinstrument");
	r->pyspy = text_starts(s, n, "py-spy");
	for (size_t i = 0; r->pyi && i < r->tree.frames.n; i++) {
		r->tree.frames.a[i].first_line = r->tree.frames.a[i].line;
		r->tree.frames.a[i].line = 0;
	}
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct speedscope_reader r = { .lx = lx, .exporter = ID_NONE, .interval_ns = NS_UNKNOWN, .zero = NS_UNKNOWN, .last = NS_UNKNOWN };
	bool ok;

	stacktree_init(&r.tree, lx->builder);
	ok = jtok_pass(&r.t, lx, path, first_pass, &r, false, e);
	look_at_exporter(&r);
	ok = ok && jtok_pass(&r.t, lx, path, second_pass, &r, true, e) && use(&r, e);
	stacktree_fini(&r.tree);
	VEC_FREE(&r.heads);
	VEC_FREE(&r.path);
	VEC_FREE(&r.nodes);
	VEC_FREE(&r.weights);
	VEC_FREE(&r.open);
	free(r.title);
	return ok;
}

static int probe(const struct probe *p)
{
	if (head_first(p) != '{')
		return 0;
	if (head_has(p, "speedscope.app/file-format-schema.json"))
		return 98;
	/* the mark may stand behind the events */
	return head_key(p, "profiles") && head_has(p, "\"unit\"") && (head_has(p, "\"samples\"") || head_has(p, "\"events\"")) ? 70 : 0;
}

const struct loader loader_speedscope = {
	.name = "speedscope",
	.what = N_("speedscope files of py-spy, pyinstrument and others"),
	.probe = probe,
	.load = load,
};
