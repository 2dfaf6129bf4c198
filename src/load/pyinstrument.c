/*
 * pyinstrument.c - reads files of pyinstrument's JSON renderer (pyinstrument -r json), 2.x to 5.x.
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

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/jdom.h"
#include "base/mem.h"
#include "base/vec.h"
#include "load/head.h"
#include "load/loader.h"
#include "load/pyi.h"

#define READ_BYTES (1u << 20)
#define EXCESS_MAX_NS 1000000

struct reader {
	struct builder *b;
	struct pyi_nodes t;
	bool class_names, await, app_code;
};

/* ---- frames ------------------------------------------------------------------------------------ */

static str_id text_of(struct reader *r, const struct jval *v, const char *key)
{
	const char *s;
	size_t n;

	return jval_get_str(v, key, &s, &n) == JGET_OK && n ? builder_intern(r->b, s, n) : ID_NONE;
}

static bool is_self(const struct jval *v)
{
	const char *s;
	size_t n;

	return jval_get_str(v, "function", &s, &n) == JGET_OK && n == 6 && memcmp(s, "[self]", 6) == 0;
}

static enum node_kind function_kind(const struct jval *v)
{
	const char *s;
	size_t n;

	return jval_get_str(v, "function", &s, &n) == JGET_OK ? pyi_kind(s, n) : NODE_CODE;
}

/* Total time of a frame; where the file does not say, what its children have. Depth as in add_frame. */
static ns_t total_of(struct reader *r, const struct jval *v)
{
	ns_t t, sum = 0;

	if (jval_get_scaled(v, "time", 9, &t) == JGET_OK && t >= 0)
		return t;
	builder_damage(r->b, N_("frames without a time"), -1, 1);
	for (const struct jval *c = jval_first(jval_get(v, "children")); c; c = jval_next(c))
		if (jval_get_scaled(c, "time", 9, &t) == JGET_OK && t >= 0 && __builtin_add_overflow(sum, t, &sum))
			return 0;
	return sum;
}

static void add_frame(struct reader *r, const struct jval *v, int32_t parent);

static void add_children(struct reader *r, const struct jval *v, int32_t parent)
{
	for (const struct jval *c = jval_first(jval_get(v, "children")); c; c = jval_next(c)) {
		if (jval_kind(c) != JDOM_OBJECT)
			builder_damage(r->b, N_("frames that are no objects"), -1, 1);
		else if (is_self(c))
			add_children(r, c, parent);
		else
			add_frame(r, c, parent);
	}
}

/* Calls itself no deeper than jdom nests: two levels for a frame. */
static void add_frame(struct reader *r, const struct jval *v, int32_t parent)
{
	struct frame_node f = { .parent = parent, .samples = I64_UNKNOWN, .class_name = ID_NONE };
	int32_t own = (int32_t)r->t.v.n;
	int64_t line = 0;

	f.function = text_of(r, v, "function");
	f.file = text_of(r, v, "file_path");
	if (f.file == ID_NONE)
		f.file = text_of(r, v, "file_path_short");
	if (jval_get_i64(v, "line_no", &line) == JGET_OK && line > 0 && line <= INT32_MAX)
		f.line = (int32_t)line;
	f.total_ns = total_of(r, v);
	f.class_name = text_of(r, v, "class_name");
	f.kind = function_kind(v);
	r->class_names |= f.class_name != ID_NONE;
	r->await |= jval_get(v, "await_time") != NULL;
	r->app_code |= jval_get(v, "is_application_code") != NULL;
	VEC_PUSH(&r->t.v, f);
	add_children(r, v, own);
}

static bool dispatches(const struct reader *r, const struct frame_node *f)
{
	static const char *const names[] = { "_call_impl", "_wrapped_call_impl", "_slow_forward" };
	size_t n;
	const char *s = f->function == ID_NONE ? "" : builder_str(r->b, f->function, &n);

	for (size_t i = 0; f->function != ID_NONE && i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && memcmp(s, names[i], n) == 0)
			return true;
	return false;
}

/*
 * Frames are one for all classes, and the class is the one seen most often: of torch's Module._call_impl, which all modules share,
 * it says nothing where a method of another class is called.
 */
static void drop_classes(struct reader *r)
{
	for (size_t i = 0; i < r->t.v.n; i++) {
		const struct frame_node *f = &r->t.v.a[i];
		struct frame_node *up = f->parent < 0 ? NULL : &r->t.v.a[f->parent];

		if (up && f->class_name != ID_NONE && up->class_name != f->class_name && dispatches(r, up))
			up->class_name = ID_NONE;
	}
}

static void add_tree(struct reader *r, const struct jval *root)
{
	add_frame(r, root, -1);
	drop_classes(r);
	pyi_nodes_emit(&r->t, r->b, EXCESS_MAX_NS);
}

/* ---- the head ---------------------------------------------------------------------------------- */

/* No file says its version; the keys tell the range (formats: target_description came with 4.7, class_name with 4.4, …). */
static const char *version_of(const struct reader *r, const struct jval *root)
{
	if (jval_get(root, "target_description"))
		return "4.7 or later";
	if (r->class_names)
		return "4.4-4.6";
	if (r->await)
		return "4.0-4.6";
	if (r->app_code)
		return "3.1-3.4";
	return r->t.v.n ? "3.0" : NULL;
}

static void add_option(struct reader *r, const struct jval *root, const char *key)
{
	const char *s;
	size_t n;

	if (jval_get_str(root, key, &s, &n) == JGET_OK && n)
		builder_option_command(r->b, "target", CMDLINE_TARGET, s, n);
}

static void add_times(struct reader *r, const struct jval *root)
{
	ns_t wall = NS_UNKNOWN, cpu = NS_UNKNOWN, start;
	int64_t samples;

	if (jval_get_scaled(root, "duration", 9, &wall) == JGET_OK && wall < 0)
		wall = NS_UNKNOWN;
	if (jval_get_scaled(root, "cpu_time", 9, &cpu) == JGET_OK && cpu < 0)
		cpu = NS_UNKNOWN;
	builder_sampled_wall(r->b, wall, cpu);
	if (jval_get_scaled(root, "start_time", 9, &start) == JGET_OK && start > 0)
		builder_set_epoch(r->b, start);
	if (jval_get_i64(root, "sample_count", &samples) == JGET_OK && samples >= 0)
		builder_content(r->b, "samples", 7, (uint64_t)samples);
}

/* 2.x: the root frame is the document. */
static bool is_bare_frame(const struct jval *root)
{
	return jval_get(root, "function") && jval_get(root, "time") && jval_get(root, "children");
}

static bool use_document(struct reader *r, const struct jval *root, struct err *e)
{
	const struct jval *tree = jval_get(root, "root_frame");
	bool bare = !tree && jval_kind(root) == JDOM_OBJECT && is_bare_frame(root);

	if (jval_kind(root) != JDOM_OBJECT || (!tree && !bare))
		return err_set(e, ERR_FORMAT, _("this is JSON without pyinstrument's root_frame"));
	builder_set_format(r->b, FORMAT_PYINSTRUMENT);
	builder_caps(r->b, CAP_SAMPLES);
	add_times(r, root);
	add_option(r, root, "target_description");
	add_option(r, root, "program");
	if (bare || jval_kind(tree) == JDOM_OBJECT)
		add_tree(r, bare ? root : tree);
	else if (jval_kind(tree) == JDOM_NULL)
		builder_note(r->b, "%s", _("pyinstrument took no samples: there are no stacks"));
	else
		return err_set(e, ERR_FORMAT, _("pyinstrument's root_frame is no frame"));
	builder_set_producer(r->b, "pyinstrument", bare ? "2" : version_of(r, root));
	builder_content(r->b, "frames", 6, r->t.v.n);
	return true;
}

bool pyi_use_json(struct builder *b, const struct jval *root, struct err *e)
{
	struct reader r = { .b = b };
	bool ok = use_document(&r, root, e);

	VEC_FREE(&r.t.v);
	return ok;
}

/* ---- the file ---------------------------------------------------------------------------------- */

static char *read_text(struct load_ctx *lx, struct file_src *src, size_t *n, struct err *e)
{
	size_t cap = READ_BYTES, got = 1;
	char *buf = xmalloc(cap);

	for (*n = 0; got && *n <= JDOM_BYTES_MAX; *n += got) {
		if (cap - *n < READ_BYTES) {
			cap *= 2;
			buf = xrealloc(buf, cap);
		}
		if (job_cancelled(lx->job)) {
			err_set(e, ERR_CANCELLED, _("cancelled"));
			goto fail;
		}
		if (!file_src_read(src, buf + *n, READ_BYTES, &got, e))
			goto fail;
		atomic_store(&lx->job->done, (uint64_t)file_src_done(src));
	}
	return buf;
fail:
	free(buf);
	return NULL;
}

static void report_damage(struct builder *b, const struct file_src *src, const struct jdom_report *rep)
{
	int64_t at = -1;
	const char *gz = file_src_damage(src, &at);

	if (gz)
		builder_damage(b, gz, at, 1);
	if (rep->cut_at >= 0)
		builder_damage(b, N_("the JSON text ends early: frames after this place are missing"), rep->cut_at, 1);
	if (rep->junk_at >= 0)
		builder_damage(b, N_("something follows the JSON value"), rep->junk_at, 1);
	if (rep->pruned)
		builder_damage(b, N_("frames nested too deep, their time is self time of those above"), rep->pruned_at, rep->pruned);
}

static bool load_from(struct load_ctx *lx, struct file_src *src, struct err *e)
{
	const struct jdom_opts opts = { .mend = true };
	struct jdom_report rep;
	struct jdom *doc;
	char *utf8;
	size_t n;
	char *text = read_text(lx, src, &n, e);
	bool ok = false;

	if (!text)
		return false;
	utf8 = utf16_to_utf8(text, n, &n);
	doc = jdom_parse(utf8 ? utf8 : text, n, &opts, &rep, e);
	free(utf8);
	free(text);
	if (doc) {
		ok = pyi_use_json(lx->builder, jdom_root(doc), e);
		report_damage(lx->builder, src, &rep);
	}
	jdom_free(doc);
	return ok;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct file_src *src = file_src_open(path, e);
	bool ok;

	if (!src)
		return false;
	builder_set_bytes(lx->builder, file_src_size(src));
	atomic_store(&lx->job->total, (uint64_t)file_src_size(src));
	ok = load_from(lx, src, e);
	file_src_close(src);
	return ok;
}

static int probe(const struct probe *p)
{
	if (head_key(p, "traceEvents"))
		return 0;
	if (!head_key(p, "root_frame"))
		return head_key(p, "function") && head_key(p, "time") && head_key(p, "children") ? 95 : 0;
	return head_key(p, "sample_count") || head_key(p, "duration") || head_key(p, "start_time") ? 98 : 80;
}

const struct loader loader_pyinstrument = {
	.name = "pyinstrument",
	.what = N_("pyinstrument JSON (-r json)"),
	.probe = probe,
	.load = load,
};
