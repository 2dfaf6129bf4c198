/*
 * html.c - reads the pages of pyinstrument's HTML renderer, and the object of 5.x pages as a file of its own.
 *
 * 3.0 to 4.5: window.profileSession = OBJECT of the JSON renderer, in the first script; 4.6 and 4.7: const sessionData = the same,
 * near the end; 5.x: const sessionData = {"session": all of a session but its records, "frame_tree": tree}. The last of the marks
 * counts, for the script that draws could hold the words too. The page ends where its value ends.
 *
 * frame_tree: {identifier, time, attributes {"cClass": s, "l23": s}, children}: calls in the order of time, import frames and
 * [self] among them, so equal siblings are merged here. A node that ran for several classes has none; the lines have seconds.
 */
#include <string.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "load/read/head.h"
#include "load/read/loader.h"
#include "load/sampler/pyinstrument/pyi.h"

#define MARK_MAX 32

struct line_time {
	int32_t line;
	ns_t ns;
};
struct open_node {
	uint32_t depth;		/* of its object */
	uint32_t above, node;	/* of the tree; node is known from its first child on */
	str_id id;		/* identifier as in the file; ID_NONE unknown */
	str_id class_name;
	uint32_t classes, frame;
	size_t first_line;	/* in lines */
	int state;		/* of the launcher, for its children */
	bool placed;
	ns_t total, given;	/* given: to children */
};
struct html_reader {
	struct load_ctx *lx;
	struct jtok t;
	struct stacktree tree;
	struct pyi_stacks s;
	VEC(struct open_node) open;
	VEC(struct line_time) lines;
	uint64_t frames, untimed, excess;
	int64_t mark;		/* offset of the value */
	bool session;		/* 5.x */
};

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

/* A frame with the class and without a line: the lines are told beside it. */
static uint32_t frame_of(struct html_reader *r, const struct open_node *o)
{
	struct builder *b = r->lx->builder;
	size_t n, m = 0;
	const char *s, *c = "";
	char *text;
	uint32_t frame;

	if (o->id == ID_NONE)
		return PYI_SKIP;
	s = builder_str(b, o->id, &n);
	if (o->classes == 1)
		c = builder_str(b, o->class_name, &m);
	text = xmalloc(n + m + 3);	/* interning moves the strings */
	memcpy(text, s, n);
	if (m) {
		memcpy(text + n, "\1c", 2);
		memcpy(text + n + 2, c, m);
		n += m + 2;
	}
	frame = pyi_stacks_frame(&r->s, text, n);
	free(text);
	return frame;
}

static void place(struct html_reader *r, struct open_node *o)
{
	if (o->placed)
		return;
	o->placed = true;
	o->frame = frame_of(r, o);
	o->node = o->above;
	if (o->frame == PYI_SKIP || pyi_stacks_launcher(&r->s, o->frame, &o->state))
		return;
	o->node = stacktree_child(&r->tree, o->above, o->frame);
	for (size_t i = o->first_line; i < r->lines.n; i++)
		VEC_PUSH(&r->tree.lines, (struct stack_line){ o->node, r->lines.a[i].line, r->lines.a[i].ns, 0 });
}

static void open_node(struct html_reader *r)
{
	struct open_node o = { .depth = r->t.depth, .above = STACK_ROOT, .id = ID_NONE, .class_name = ID_NONE, .state = PYI_BEGIN,
		.first_line = r->lines.n, .total = NS_UNKNOWN };

	if (r->open.n) {
		struct open_node *up = &r->open.a[r->open.n - 1];

		place(r, up);
		o.above = up->node;
		o.state = up->frame == PYI_SKIP ? PYI_NORMAL : up->state;
		r->lines.n = o.first_line = up->first_line;	/* the lines of what is above are told */
	}
	VEC_PUSH(&r->open, o);
	r->frames++;
}

static void close_node(struct html_reader *r)
{
	struct open_node o = r->open.a[r->open.n - 1];
	ns_t own;

	place(r, &o);
	r->lines.n = o.first_line;
	r->open.n--;
	if (o.total == NS_UNKNOWN) {
		r->untimed++;
		o.total = o.given;
	}
	own = o.total - o.given;
	if (own < 0) {
		r->excess += own < -1000000;	/* below: each time is rounded on its own */
		own = 0;
	}
	stacktree_add(&r->tree, o.node, own, 0);
	if (r->open.n && __builtin_add_overflow(r->open.a[r->open.n - 1].given, o.total, &r->open.a[r->open.n - 1].given))
		r->open.a[r->open.n - 1].given = NS_LIMIT;
}

/* "cClass" or "l23", with its seconds. */
static void read_attribute(struct html_reader *r, struct open_node *o)
{
	struct line_time l = { 0, 0 };
	int64_t line;
	size_t n;
	const char *s = jtok_text(&r->t, &n);

	if (n > 1 && *s == 'c') {
		o->classes++;
		o->class_name = builder_intern(r->lx->builder, s + 1, n - 1);
	} else if (n > 1 && *s == 'l' && decimal_scaled(s + 1, n - 1, 0, &line, NULL) && line > 0 && line <= INT32_MAX) {
		l.line = (int32_t)line;
	}
	if (jtok_scaled(&r->t, 9, &l.ns) && l.line && l.ns > 0)
		VEC_PUSH(&r->lines, l);
}

static void read_attributes(struct html_reader *r, struct open_node *o)
{
	uint32_t depth;

	if (!jtok_open(&r->t, JT_OBJ, &depth))
		return;
	while (jtok_key(&r->t, depth))
		read_attribute(r, o);
}

static void read_key(struct html_reader *r)
{
	struct open_node *o = &r->open.a[r->open.n - 1];
	const char *s;
	size_t n;
	ns_t v;

	if (jtok_is(&r->t, "children"))
		return;		/* its objects come next */
	if (jtok_is(&r->t, "identifier")) {
		if (jtok_string(&r->t, &s, &n))
			o->id = builder_intern(r->lx->builder, s, n);
	} else if (jtok_is(&r->t, "time")) {
		if (jtok_scaled(&r->t, 9, &v) && v >= 0)
			o->total = v;
	} else if (jtok_is(&r->t, "attributes")) {
		read_attributes(r, o);
	} else {
		jtok_skip(&r->t);
	}
}

/* Without recursion: the tree is as deep as the program was. */
static void read_tree(struct html_reader *r)
{
	if (jtok_next(&r->t) != JT_OBJ) {
		jtok_skip_rest(&r->t);
		return;
	}
	open_node(r);
	while (r->open.n && jtok_next(&r->t) != JT_END) {
		if (r->t.kind == JT_OBJ)
			open_node(r);
		else if (r->t.kind == JT_KEY)
			read_key(r);
		while (r->open.n && r->t.depth < r->open.a[r->open.n - 1].depth)
			close_node(r);
	}
	while (r->open.n)
		close_node(r);
}

static void read_session(struct html_reader *r)
{
	uint32_t depth;

	if (!jtok_open(&r->t, JT_OBJ, &depth))
		return;
	while (jtok_key(&r->t, depth))
		if (!pyi_stacks_fact(&r->s, &r->t))
			jtok_skip(&r->t);
}

/* ---- the page ------------------------------------------------------------------------------------------------------- */

/* Offset behind the last mark; -1 if there is none. */
static int64_t find_mark(struct textwin *w)
{
	static const char *const marks[] = { "window.profileSession = ", "const sessionData = " };
	int64_t best = -1;

	do {
		for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
			size_t n = strlen(marks[i]);
			const char *hit = w->p;

			while ((hit = memmem(hit, (size_t)(w->end - hit), marks[i], n))) {
				hit += n;
				best = w->base + (hit - w->buf) > best ? w->base + (hit - w->buf) : best;
			}
		}
		w->p = w->end - w->p > MARK_MAX ? w->end - MARK_MAX : w->p;
	} while (textwin_more(w));
	return best;
}

static bool go_to(struct textwin *w, int64_t offset)
{
	while (offset > w->base + (w->end - w->buf)) {
		w->p = w->end;
		if (!textwin_more(w))
			return false;
	}
	w->p = w->buf + (offset - w->base);
	return true;
}

static void read_object(struct html_reader *r)
{
	if (jtok_next(&r->t) != JT_OBJ)
		return;
	while (jtok_key(&r->t, 1)) {
		r->session |= jtok_is(&r->t, "frame_tree");
		if (jtok_is(&r->t, "session"))
			read_session(r);
		else if (jtok_is(&r->t, "frame_tree"))
			read_tree(r);
		else
			jtok_skip(&r->t);
	}
}

/* The JSON renderer's object. */
static bool read_old(struct html_reader *r, struct textwin *w, struct err *e)
{
	bool ok;

	jtok_init(&r->t, w);
	ok = pyi_use_json(&r->t, e);
	if (ok) {
		builder_set_format(r->lx->builder, FORMAT_PYI_HTML);
		jtok_finish(&r->t);
		textwin_finish(w);
	}
	jtok_fini(&r->t);
	return ok && !w->failed;
}

static void use_tree(struct html_reader *r)
{
	struct builder *b = r->lx->builder;

	builder_set_format(b, FORMAT_PYI_HTML);
	pyi_stacks_tell(&r->s);
	stacktree_emit(&r->tree, STACKS_TIMED);
	builder_content(b, "calls", 5, r->frames);
	if (r->untimed)
		builder_damage(b, N_("frames without a time"), -1, r->untimed);
	if (r->excess)
		builder_damage(b, N_("frames whose children took longer than they did"), -1, r->excess);
}

static bool read_value(struct html_reader *r, const char *path, struct err *e)
{
	struct textwin w;
	bool ok = textwin_open(&w, r->lx, path, e) && go_to(&w, r->mark);

	jtok_init(&r->t, &w);
	if (ok)
		read_object(r);
	if (ok && r->session) {
		jtok_finish(&r->t);
		textwin_finish(&w);
	}
	ok = ok && !w.failed;
	jtok_fini(&r->t);
	textwin_close(&w);
	if (!ok || r->session)
		return ok;
	ok = textwin_open(&w, r->lx, path, e) && go_to(&w, r->mark) && read_old(r, &w, e);
	textwin_close(&w);
	return ok;
}

static bool locate(struct html_reader *r, const char *path, struct err *e)
{
	struct textwin w;
	bool ok = textwin_open(&w, r->lx, path, e);

	while (ok && w.p < w.end && strchr(" \t\r\n", *w.p))
		w.p++;
	if (ok)
		r->mark = w.p < w.end && *w.p == '{' ? textwin_offset(&w) : find_mark(&w);
	ok = ok && !w.failed;
	textwin_close(&w);
	return ok && (r->mark >= 0 || err_set(e, ERR_FORMAT, _("a page of pyinstrument without its data (2.x draws it as text): record "
		"with pyinstrument -r session")));
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct html_reader r = { .lx = lx };
	bool ok;

	stacktree_init(&r.tree, lx->builder);
	pyi_stacks_init(&r.s, &r.tree);
	ok = locate(&r, path, e) && read_value(&r, path, e);
	if (ok && r.session)
		use_tree(&r);
	pyi_stacks_fini(&r.s);
	stacktree_fini(&r.tree);
	VEC_FREE(&r.open);
	VEC_FREE(&r.lines);
	return ok;
}

static int probe(const struct probe *p)
{
	if (head_key(p, "session") && (head_key(p, "frame_tree") || head_has(p, "\"start_call_stack\"")))
		return 98;
	return head_first(p) == '<' && (head_has(p, "window.profileSession") || head_has(p, "const sessionData = ") ||
		head_has(p, "yinstrument")) ? 90 : 0;
}

const struct loader loader_pyi_html = {
	.name = "pyinstrument-html",
	.what = N_("pyinstrument HTML pages, 3.0 and later"),
	.probe = probe,
	.load = load,
};
