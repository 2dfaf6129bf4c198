/*
 * opframes.c - view `opframes`: which line of Python an operator is called from: ops by name and by the innermost Python frame that is
 * open on their thread when they start. The self times sum to those of `ops`. Threads without frames (autograd's own) have no frame.
 */
#include <stdlib.h>

#include "measure/op_time.h"
#include "measure/pytree.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum { C_OP, C_COUNT, C_SELF, C_SHARE, C_HOST, C_FRAMEWORK, C_FUNCTION, C_FILE, C_LINE, C_OPERATION };

static const struct column_def cols[] = {
	[C_OP] = { "name", N_("Op"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the op") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("ops that start in the window") },
	[C_SELF] = { "self_ns", N_("Self"), UNIT_NS, COL_BAR, 0, N_("time in which the op is the innermost of its thread") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 2, N_("self as a share of the walls of all processes with ops") },
	[C_HOST] = { "host_ns", N_("Host"), UNIT_NS, 0, 1, N_("part of self outside runtime calls: Python and C++ scheduling") },
	[C_FRAMEWORK] = { "framework", N_("Fw"), UNIT_TEXT, 0, 3, N_("whose code the frame is, by letter (? shows them)") },
	[C_FUNCTION] = { "function", N_("Python"), UNIT_TEXT, COL_KEY, 0, N_("innermost Python function around the op; none: no frame on its thread") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 2, N_("its file, as recorded") },
	[C_LINE] = { "line", N_("Line"), UNIT_ID, 0, 2, N_("its first line") },
	[C_OPERATION] = { "operation", N_("Operation"), UNIT_TEXT, 0, 4, N_("what the frame does, by data/frames.rules") },
	SOURCE_COLS
};

struct opframes_pair {
	str_id op;
	ev_id frame;		/* ID_NONE none */
	int64_t count;
	ns_t self, host;
};
struct opframes_pairs {
	struct groups g;
	struct names ops, frames;
	VEC(struct opframes_pair) rows;
};

static void add_track(struct opframes_pairs *v, const struct selection *k, const struct op_track *tr, const struct op_split *s)
{
	const struct profile *p = k->p;
	track_id py = profile_host_track(p, LAYER_PYTHON, tr->thread);

	for (uint32_t i = tr->first; i < tr->first + tr->count; i++) {
		ev_id frame = py == ID_NONE ? ID_NONE : track_event_at(p, &p->tracks[py], k->f->ops.start[i]);
		uint32_t name = names_id(&v->ops, k->f->ops.name[i]), fname = frame == ID_NONE ? ID_NONE : names_id(&v->frames, p->name[frame]), g;

		if (!op_split_any(&s[i]) || !selects_op(k, i))
			continue;
		g = groups_add(&v->g, &(struct group_key){ .k = { name, fname } });
		if (g == v->rows.n)
			VEC_PUSH(&v->rows, (struct opframes_pair){ .op = k->f->ops.name[i], .frame = frame });
		v->rows.a[g].count += s[i].count;
		v->rows.a[g].self += s[i].self;
		v->rows.a[g].host += s[i].self;
		for (int c = 0; c < RT_N; c++)
			v->rows.a[g].host -= s[i].rt[c];
	}
}

static void put_frame(struct table *t, uint32_t row, const struct selection *k, ev_id e)
{
	size_t n;
	const char *name = profile_str(k->p, k->p->name[e], &n);
	struct frame_name fn;
	struct host_class hc;
	char letter[2] = { 0 }, op[512];

	rules_frame_name(name, n, &fn);
	rules_python(k->cx->rules, name, n, &hc);
	letter[0] = hc.framework;
	table_cstr(t, row, C_FRAMEWORK, letter);
	table_str(t, row, C_FUNCTION, fn.kind == FRAME_PYTHON ? fn.func : fn.key, fn.kind == FRAME_PYTHON ? fn.func_len : fn.key_len);
	if (fn.kind == FRAME_PYTHON)
		table_str(t, row, C_FILE, fn.file, fn.file_len);
	if (fn.kind == FRAME_PYTHON && fn.line > 0)
		table_i64(t, row, C_LINE, fn.line);
	if (!hc.known || hc.transparent)
		return;
	rules_level2(hc.level2, fn.func, fn.func_len, op, sizeof(op));
	table_cstr(t, row, C_OPERATION, op);
}

static int by_self(uint32_t a, uint32_t b, const void *arg)
{
	const struct opframes_pair *rows = arg;

	return (rows[a].self < rows[b].self) - (rows[a].self > rows[b].self);
}

static void add_source(struct table *t, const struct selection *k)
{
	struct opframes_pairs v = { .ops = { .cut = rules_op_base }, .frames = { .cut = py_name_cut } };
	struct op_split *s = op_splits(k);
	ns_t walls = selection_walls(k, LAYER_OP);
	uint32_t *order;

	names_enter(&v.ops, k->p);
	names_enter(&v.frames, k->p);
	for (uint32_t i = 0; i < k->f->ops.n_tracks; i++)
		add_track(&v, k, &k->f->ops.tracks[i], s);
	order = groups_order((uint32_t)v.rows.n, by_self, v.rows.a);
	for (size_t i = 0; i < v.rows.n; i++) {
		const struct opframes_pair *x = &v.rows.a[order[i]];
		uint32_t row = table_row(t);
		size_t n;
		const char *name = profile_str(k->p, x->op, &n);

		table_str(t, row, C_OP, name, rules_op_base(name, n));
		table_i64(t, row, C_COUNT, x->count);
		table_i64(t, row, C_SELF, x->self);
		if (walls > 0)
			table_share(t, row, C_SHARE, (double)x->self, (double)walls);
		if (split_known(k))
			table_i64(t, row, C_HOST, x->host);
		if (x->frame != ID_NONE)
			put_frame(t, row, k, x->frame);
		an_ref(t, row, REF_OP, k->f->source, 0, 0, C_OP);
		an_row_source(t, row, k, -1);
	}
	free(order);
	free(s);
	VEC_FREE(&v.rows);
	groups_fini(&v.g);
	names_fini(&v.ops);
	names_fini(&v.frames);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	bool done = selections_open(&ps, cx, sc, NEED_OPS, t, _("no operators: record with torch.profiler (CPU activities)"), e);
	uint32_t shown = 0;

	for (uint32_t i = 0; done && i < ps.n; i++) {
		if (!(ps.a[i].p->caps & CAP_PYTHON))
			continue;
		add_source(t, &ps.a[i]);
		shown++;
	}
	if (done && ps.n && !shown)
		table_note(t, _("these traces have operators but no Python frames: record with_stack=True"));
	selections_close(&ps);
	return done && !an_cancelled(cx, e);
}

const struct analysis an_opframes = {
	.id = "opframes", .title = N_("Ops by Python frame"), .doc = N_("which Python function calls which operator, and what that takes"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
