/*
 * session.c - reads sessions of pyinstrument (-r session, Session.save): the best of its forms.
 *
 * {start_time, duration, [min_interval, max_interval], sample_count, start_call_stack, program | target_description, cpu_time,
 * frame_records: [[[identifier, …], seconds], …]}, the records first or last: the text is read twice. A record is a stack,
 * outermost first, and the seconds since the sample before, which belong to its last frame: they sum to the duration. The number
 * of records means nothing: the sampler runs on calls and returns, and one record can be seconds inside C.
 *
 * Frames are told apart by class: Module._call_impl of two modules is two frames here, where the other forms have one.
 */
#include <string.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "load/read/head.h"
#include "load/read/loader.h"
#include "load/sampler/pyinstrument/pyi.h"

#define BEYOND_NS 1000000	/* records are rounded; so much beyond the duration is no damage */

struct session_reader {
	struct load_ctx *lx;
	struct jtok t;
	struct stacktree tree;
	struct pyi_stacks s;
	VEC(uint32_t) path;
	uint64_t records, bad, beyond;
	ns_t now;		/* from start_time on: each record begins where the one before ended */
	int64_t bad_at, beyond_at;
	bool found;
};

static void read_facts(void *arg)
{
	struct session_reader *r = arg;

	if (jtok_next(&r->t) != JT_OBJ)
		return;
	while (jtok_key(&r->t, 1)) {
		r->found |= jtok_is(&r->t, "frame_records");
		if (!pyi_stacks_fact(&r->s, &r->t))
			jtok_skip(&r->t);
	}
}

static bool same(const struct stack_frame *a, const struct stack_frame *b)
{
	return a->function == b->function && a->file == b->file && a->first_line == b->first_line;
}

/* Number of leading frames that belong to pyinstrument's own launcher. */
static size_t launcher(const struct session_reader *r)
{
	size_t i = 0, n = r->tree.stem.n;
	int state = PYI_MAIN;

	if (!r->s.launched || r->path.n < n)
		return 0;
	for (; i < n; i++)
		if (r->path.a[i] == PYI_SKIP || !same(&r->tree.frames.a[r->path.a[i]], &r->tree.stem.a[i]))
			return 0;
	while (i < r->path.n && pyi_stacks_launcher(&r->s, r->path.a[i], &state))
		i++;
	return i;
}

static void add_record(struct session_reader *r, ns_t ns)
{
	uint32_t node = STACK_ROOT;

	for (size_t i = launcher(r); i < r->path.n; i++)
		if (r->path.a[i] != PYI_SKIP)
			node = stacktree_child(&r->tree, node, r->path.a[i]);
	stacktree_add_at(&r->tree, node, r->now, ns, 0);
	r->now += r->now <= NS_LIMIT - ns ? ns : 0;
	r->records++;
}

static void read_stack(struct session_reader *r)
{
	uint32_t depth = r->t.depth;
	const char *s;
	size_t n;

	while (jtok_element(&r->t, depth)) {
		if (r->t.kind != JT_STR)
			continue;
		s = jtok_text(&r->t, &n);
		VEC_PUSH(&r->path, pyi_stacks_frame(&r->s, s, n));
	}
}

/* [[identifier, …], seconds] */
static void read_record(struct session_reader *r)
{
	uint32_t depth = r->t.depth;
	int64_t at = textwin_offset(r->t.w);
	ns_t ns = NS_UNKNOWN;
	bool stack = false;

	r->path.n = 0;
	while (jtok_element(&r->t, depth)) {
		if (r->t.kind == JT_ARR && !stack) {
			stack = true;
			read_stack(r);
		} else if (r->t.kind == JT_NUM) {
			if (!decimal_scaled(r->t.s.s, r->t.s.n, 9, &ns, NULL))
				ns = NS_UNKNOWN;
		}
	}
	r->tree.offset = at;
	if (stack && ns >= 0 && r->s.wall != NS_UNKNOWN && r->s.wall < NS_LIMIT && ns > r->s.wall + BEYOND_NS - r->now) {
		if (!r->beyond++)
			r->beyond_at = at;
	} else if (stack && ns >= 0) {
		add_record(r, ns);
	} else if (!r->bad++) {
		r->bad_at = at;
	}
}

static void read_records(void *arg)
{
	struct session_reader *r = arg;
	uint32_t depth;

	if (jtok_next(&r->t) != JT_OBJ)
		return;
	while (jtok_key(&r->t, 1)) {
		if (!jtok_is(&r->t, "frame_records")) {
			jtok_skip(&r->t);
			continue;
		}
		if (!jtok_open(&r->t, JT_ARR, &depth))
			continue;
		while (jtok_element(&r->t, depth)) {
			if (r->t.kind == JT_ARR)
				read_record(r);
			else if (!r->bad++)
				r->bad_at = textwin_offset(r->t.w);
		}
	}
}

static void use(struct session_reader *r)
{
	struct builder *b = r->lx->builder;

	builder_set_format(b, FORMAT_PYI_SESSION);
	pyi_stacks_tell(&r->s);
	stacktree_emit(&r->tree, STACKS_TIMED);
	builder_content(b, "records", 7, r->records);
	if (!r->records)
		builder_note(b, "%s", _("pyinstrument took no samples: there are no stacks"));
	if (r->beyond)
		builder_damage(b, N_("records beyond the recorded duration"), r->beyond_at, r->beyond);
	if (r->bad)
		builder_damage(b, N_("records that are no stack with its seconds"), r->bad_at, r->bad);
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct session_reader r = { .lx = lx };
	bool ok;

	stacktree_init(&r.tree, lx->builder);
	pyi_stacks_init(&r.s, &r.tree);
	ok = jtok_pass(&r.t, lx, path, read_facts, &r, false, e) &&
		(r.found || err_set(e, ERR_FORMAT, _("a pyinstrument session without frame_records"))) &&
		jtok_pass(&r.t, lx, path, read_records, &r, true, e);
	if (ok)
		use(&r);
	pyi_stacks_fini(&r.s);
	stacktree_fini(&r.tree);
	VEC_FREE(&r.path);
	return ok;
}

static int probe(const struct probe *p)
{
	return head_key(p, "frame_records") || (head_key(p, "start_call_stack") && head_key(p, "sample_count") &&
		!head_key(p, "root_frame")) ? 98 : 0;
}

const struct loader loader_pyi_session = {
	.name = "pyinstrument-session",
	.what = N_("pyinstrument sessions (-r session, .pyisession)"),
	.probe = probe,
	.load = load,
};
