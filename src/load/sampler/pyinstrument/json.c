/*
 * json.c - reads files of pyinstrument's JSON renderer (pyinstrument -r json), 2.x to 5.x.
 *
 * 2.x: the root frame itself, with function, file_path, file_path_short, line_no, time, children. 3.x and later:
 * Top level: start_time (unix s), duration, sample_count, cpu_time (s, null possible), program (to 4.6) or target_description,
 * root_frame (null = no samples). A frame: function, file_path, file_path_short, line_no, time (total s, six decimals),
 * children, and later is_application_code, await_time, group_id, class_name.
 *
 * Times are read digit by digit to ns. A frame's self time is its time minus that of its children; `[self]` children are self
 * time of their parent and no frames; [await], [out-of-context] and [root] are kept. As each time is rounded to a microsecond
 * on its own, children can exceed their parent by a few: such a frame has self time 0, and the excess is taken from the self
 * time of the nearest frame above that has it, or, where there is none, of the frame with the most. So all self times sum
 * exactly to the time of the root. An excess of more than 1 ms is no rounding and is counted as damage.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"
#include "load/read/head.h"
#include "load/read/loader.h"
#include "load/sampler/pyinstrument/pyi.h"

#define EXCESS_MAX_NS 1000000

enum {
	HAS_FUNCTION = 1,
	HAS_TIME = 2,
	HAS_CHILDREN = 4,
	BARE_FRAME = 7
};

/* An object whose end has not been read yet: a frame, or the document. */
struct json_open_frame {
	int32_t node;	/* -1: the document, when it has a root_frame */
	uint32_t depth; /* of the object */
	bool in_children, self;
	unsigned has;
	ns_t given; /* time of its children */
};
struct json_reader {
	struct builder *b;
	struct jtok *t;
	struct stacktree none; /* of the facts: there are no stacks */
	struct pyi_stacks facts;
	struct pyi_nodes tree; /* total_ns NS_UNKNOWN: a [self], which drop_selfs() takes out */
	VEC(struct json_open_frame) open;
	bool class_names, await, app_code;
	enum {
		ROOT_ABSENT,
		ROOT_FRAME,
		ROOT_NULL,
		ROOT_WRONG
	} root; /* root_frame */
};

/* ---- frames ------------------------------------------------------------------------------------ */

static void open_frame(struct json_reader *r, int32_t parent)
{
	struct frame_node f = {.parent = parent,
			       .samples = I64_UNKNOWN,
			       .total_ns = NS_UNKNOWN,
			       .function = ID_NONE,
			       .file = ID_NONE,
			       .class_name = ID_NONE,
			       .kind = NODE_CODE};
	struct json_open_frame o = {.node = (int32_t)r->tree.v.n, .depth = r->t->depth};

	VEC_PUSH(&r->tree.v, f);
	VEC_PUSH(&r->open, o);
}

/* What a file does not say of a frame's time is what its children have. */
static void close_frame(struct json_reader *r)
{
	struct json_open_frame o = r->open.a[--r->open.n],
			  *up = r->open.n ? &r->open.a[r->open.n - 1] : NULL;
	struct frame_node *f = o.node < 0 ? NULL : &r->tree.v.a[o.node];

	if (!f)
		return;
	if (f->total_ns == NS_UNKNOWN) {
		if (!o.self)
			builder_damage(r->b, N_("frames without a time"), -1, 1);
		f->total_ns = o.given;
	}
	if (up && __builtin_add_overflow(up->given, f->total_ns, &up->given))
		up->given = NS_LIMIT;
	if (o.self && f->parent >= 0)
		f->total_ns = NS_UNKNOWN;
}

/* Takes the next value if it is a text that is not empty. */
static bool text(struct json_reader *r, str_id *id)
{
	const char *s;
	size_t n;

	if (!jtok_string(r->t, &s, &n) || !n)
		return false;
	*id = builder_intern(r->b, s, n);
	return true;
}

static void read_function(struct json_reader *r, struct json_open_frame *o, struct frame_node *f)
{
	const char *s;
	size_t n;

	if (!jtok_string(r->t, &s, &n) || !n)
		return;
	o->self = text_is(s, n, "[self]");
	f->kind = pyi_kind(s, n);
	f->function = builder_intern(r->b, s, n);
}

static void read_line(struct jtok *t, struct frame_node *f)
{
	int64_t line;

	if (jtok_scaled(t, 0, &line) && line > 0 && line <= INT32_MAX)
		f->line = (int32_t)line;
}

static void read_total(struct jtok *t, struct frame_node *f)
{
	ns_t v;

	if (jtok_scaled(t, 9, &v) && v >= 0)
		f->total_ns = v;
}

/* A key of a frame; its value is taken. */
static void read_frame_key(struct json_reader *r, struct json_open_frame *o)
{
	struct frame_node *f = &r->tree.v.a[o->node];
	uint32_t depth;
	str_id file;

	if (jtok_is(r->t, "function")) {
		o->has |= HAS_FUNCTION;
		read_function(r, o, f);
	} else if (jtok_is(r->t, "file_path")) {
		text(r, &f->file);
	} else if (jtok_is(r->t, "file_path_short")) {
		if (text(r, &file) && f->file == ID_NONE)
			f->file = file;
	} else if (jtok_is(r->t, "line_no")) {
		read_line(r->t, f);
	} else if (jtok_is(r->t, "time")) {
		o->has |= HAS_TIME;
		read_total(r->t, f);
	} else if (jtok_is(r->t, "class_name")) {
		r->class_names |= text(r, &f->class_name);
	} else if (jtok_is(r->t, "children")) {
		o->has |= HAS_CHILDREN;
		o->in_children = jtok_open(r->t, JT_ARR, &depth);
	} else {
		r->await |= jtok_is(r->t, "await_time");
		r->app_code |= jtok_is(r->t, "is_application_code");
		jtok_skip(r->t);
	}
}

static void read_child(struct json_reader *r, struct json_open_frame *o)
{
	if (!jtok_element(r->t, o->depth + 1))
		o->in_children = false;
	else if (r->t->kind == JT_OBJ)
		open_frame(r, o->node);
	else
		builder_damage(r->b, N_("frames that are no objects"), textwin_offset(r->t->w), 1);
}

/* The children of a [self] frame are those of the frame above. */
static void drop_selfs(struct pyi_nodes *t)
{
	struct frame_node *a = t->v.a;
	int32_t *to = xcalloc(t->v.n + 1, sizeof(*to));
	size_t n = 0;

	for (size_t i = 0; i < t->v.n; i++) {
		int32_t parent = a[i].parent < 0 ? -1 : to[a[i].parent];

		if (a[i].total_ns == NS_UNKNOWN) {
			to[i] = parent;
			continue;
		}
		to[i] = (int32_t)n;
		a[n] = a[i];
		a[n++].parent = parent;
	}
	t->v.n = n;
	free(to);
}

static bool dispatches(const struct json_reader *r, const struct frame_node *f)
{
	static const char *const names[] = {"_call_impl", "_wrapped_call_impl", "_slow_forward"};
	size_t n;
	const char *s = f->function == ID_NONE ? "" : builder_str(r->b, f->function, &n);

	for (size_t i = 0; f->function != ID_NONE && i < sizeof(names) / sizeof(*names); i++)
		if (text_is(s, n, names[i]))
			return true;
	return false;
}

/*
 * Frames are one for all classes, and the class is the one seen most often: of torch's Module._call_impl, which all modules share,
 * it says nothing where a method of another class is called.
 */
static void drop_classes(struct json_reader *r)
{
	for (size_t i = 0; i < r->tree.v.n; i++) {
		const struct frame_node *f = &r->tree.v.a[i];
		struct frame_node *up = f->parent < 0 ? NULL : &r->tree.v.a[f->parent];

		if (up && f->class_name != ID_NONE && up->class_name != f->class_name &&
		    dispatches(r, up))
			up->class_name = ID_NONE;
	}
}

/* ---- the document ------------------------------------------------------------------------------ */

/* root_frame: what was read as if the document were a frame itself (2.x) is void. */
static void read_root(struct json_reader *r, struct json_open_frame *document)
{
	jtok_next(r->t);
	r->tree.v.n = 0;
	document->node = -1;
	if (r->t->kind == JT_OBJ) {
		r->root = ROOT_FRAME;
		open_frame(r, -1);
	} else {
		r->root = r->t->kind == JT_WORD && jtok_is(r->t, "null") ? ROOT_NULL : ROOT_WRONG;
		jtok_skip_rest(r->t);
	}
}

static void read_key(struct json_reader *r, struct json_open_frame *o)
{
	if (r->open.n > 1)
		read_frame_key(r, o);
	else if (jtok_is(r->t, "root_frame"))
		read_root(r, o);
	else if (pyi_stacks_fact(&r->facts, r->t))
		return;
	else if (o->node >= 0)
		read_frame_key(r, o);
	else
		jtok_skip(r->t);
}

/* Without recursion: the tree is as deep as the program was. Returns what a bare frame has. */
static unsigned read_document(struct json_reader *r)
{
	unsigned has = 0;

	if (jtok_next(r->t) != JT_OBJ)
		return 0;
	open_frame(r, -1);
	while (r->open.n) {
		struct json_open_frame *o = &r->open.a[r->open.n - 1];

		if (r->open.n == 1)
			has = o->node < 0 ? 0 : o->has;
		if (o->in_children)
			read_child(r, o);
		else if (jtok_key(r->t, o->depth))
			read_key(r, o);
		else
			close_frame(r);
	}
	return has;
}

/* No file says its version; the keys tell the range (formats: target_description came with 4.7, class_name with 4.4, …). */
static const char *version_of(const struct json_reader *r)
{
	if (r->facts.described)
		return "4.7 or later";
	if (r->class_names)
		return "4.4-4.6";
	if (r->await)
		return "4.0-4.6";
	if (r->app_code)
		return "3.1-3.4";
	return r->tree.v.n ? "3.0" : NULL;
}

static void use(struct json_reader *r, bool bare)
{
	builder_set_format(r->b, FORMAT_PYINSTRUMENT);
	pyi_stacks_tell(&r->facts);
	drop_selfs(&r->tree);
	drop_classes(r);
	pyi_nodes_emit(&r->tree, r->b, EXCESS_MAX_NS);
	if (r->root == ROOT_NULL)
		builder_note(r->b, "%s", _("pyinstrument took no samples: there are no stacks"));
	builder_set_producer(r->b, "pyinstrument", bare ? "2" : version_of(r));
	builder_content(r->b, "frames", 6, r->tree.v.n);
}

static bool use_document(struct json_reader *r, struct err *e)
{
	bool bare = read_document(r) == BARE_FRAME;

	if (r->t->w->failed)
		return false;
	if (r->root == ROOT_WRONG)
		return err_set(e, ERR_FORMAT, _("pyinstrument's root_frame is no frame"));
	if (!bare && r->root == ROOT_ABSENT)
		return err_set(e, ERR_FORMAT, _("this is JSON without pyinstrument's root_frame"));
	use(r, bare);
	return true;
}

bool pyi_use_json(struct jtok *t, struct err *e)
{
	struct json_reader r = {.b = t->w->lx->builder, .t = t};
	bool ok;

	t->cut = N_("the JSON text ends early: frames after this place are missing");
	stacktree_init(&r.none, r.b);
	pyi_stacks_init(&r.facts, &r.none);
	ok = use_document(&r, e);
	pyi_stacks_fini(&r.facts);
	stacktree_fini(&r.none);
	VEC_FREE(&r.tree.v);
	VEC_FREE(&r.open);
	return ok;
}

/* ---- the file ---------------------------------------------------------------------------------- */

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct textwin w;
	struct jtok t;
	bool ok = textwin_open(&w, lx, path, e);

	jtok_init(&t, &w);
	ok = ok && pyi_use_json(&t, e);
	if (ok) {
		jtok_finish(&t);
		jtok_behind(&t);
		textwin_finish(&w);
	}
	ok = ok && !w.failed;
	jtok_fini(&t);
	textwin_close(&w);
	return ok;
}

static int probe(const struct probe *p)
{
	if (head_key(p, "traceEvents"))
		return 0;
	if (!head_key(p, "root_frame"))
		return head_key(p, "function") && head_key(p, "time") && head_key(p, "children")
			       ? 95
			       : 0;
	return head_key(p, "sample_count") || head_key(p, "duration") || head_key(p, "start_time")
		       ? 98
		       : 80;
}

const struct loader loader_pyinstrument = {
	.name = "pyinstrument",
	.what = N_("pyinstrument JSON (-r json)"),
	.probe = probe,
	.load = load,
};
