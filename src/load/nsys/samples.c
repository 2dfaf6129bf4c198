/*
 * samples.c - CPU samples (COMPOSITE_EVENTS) and their call chains (SAMPLING_CALLCHAINS) become the call tree of the profile:
 * process, thread, functions. Each sample weighs one. See nsys.h and stacktree.h
 *
 * The rows of a chain lie together, the leaf first; chains and samples may come in any order, and are joined when all were read. The
 * profiler ends a chain that it could not follow to the end with a row like "[Max depth]", whose name and module are one text; the row
 * stands in the tree, above what was seen, so that such stacks are not mixed with whole ones.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/sorted.h"
#include "load/nsys/nsys.h"
#include "load/stacks/stacktree.h"

#define COL_ID(prefix, name)   prefix##_##name,
#define COL_NAME(prefix, name) #name,

/* clang-format off */
#define SAMPLE_COLS(C) C(SAMPLE, id) C(SAMPLE, start) C(SAMPLE, globalTid)
enum { SAMPLE_COLS(COL_ID) SAMPLE_N };
static const char *const sample_cols[] = { SAMPLE_COLS(COL_NAME) };

/* clang-format off */
#define CHAIN_COLS(C) \
	C(CHAIN, id) C(CHAIN, symbol) C(CHAIN, module) C(CHAIN, unresolved) \
	C(CHAIN, specialEntry) C(CHAIN, stackDepth)
/* clang-format on */
enum { CHAIN_COLS(COL_ID) CHAIN_N };
static const char *const chain_cols[] = { CHAIN_COLS(COL_NAME) };
/* clang-format on */

struct sample {
	int64_t id, gtid;
	ns_t at;
};
struct chain {		/* of the sample of this id; node: its leaf in the tree of all chains */
	int64_t id;
	uint32_t node;
};
struct chain_row {
	int64_t depth;
	uint32_t frame;
};
struct sampled_thread {
	int64_t gtid;
	str_id name;	/* ID_NONE unknown */
	uint32_t node;	/* of the tree with threads; 0 not there yet */
};
struct samples_sampled_process {
	uint64_t group;
	str_id name;
	uint32_t node;
};
struct samples_mark {		/* of chains that are cut: the text that ends them */
	str_id text;
	uint64_t chains;
};
struct frame_note {
	bool unresolved, cuts;
};
struct nsys_samples {
	VEC(struct sample) taken;
	VEC(struct chain) chains;
	VEC(struct chain_row) open;	/* the chain that is being read */
	int64_t open_id;
	bool sorted;			/* its rows so far, by depth */
	struct stacktree tree;		/* of chains, whatever thread */
	VEC(struct frame_note) notes;	/* per frame of it */
	struct map frame_of;
	VEC(struct samples_mark) marks;
	struct map thread_of, process_of;
	VEC(struct sampled_thread) threads;
	VEC(struct samples_sampled_process) processes;
	uint64_t alone, bare, unresolved;	/* samples of one frame; without any; whose leaf has no symbol */
};

static struct nsys_samples *samples_of(struct nsys_ctx *cx)
{
	if (!cx->samples) {
		cx->samples = xcalloc(1, sizeof(*cx->samples));
		stacktree_init(&cx->samples->tree, cx->b);
	}
	return cx->samples;
}

void nsys_samples_fini(struct nsys_ctx *cx)
{
	struct nsys_samples *s = cx->samples;

	if (!s)
		return;
	VEC_FREE(&s->taken);
	VEC_FREE(&s->chains);
	VEC_FREE(&s->open);
	VEC_FREE(&s->notes);
	VEC_FREE(&s->marks);
	VEC_FREE(&s->threads);
	VEC_FREE(&s->processes);
	map_fini(&s->frame_of);
	map_fini(&s->thread_of);
	map_fini(&s->process_of);
	stacktree_fini(&s->tree);
	free(s);
	cx->samples = NULL;
}

/* ---- samples ---- */

static void note_thread(struct nsys_samples *s, int64_t gtid)
{
	uint32_t fresh = (uint32_t)s->threads.n;

	if (s->taken.n && s->taken.a[s->taken.n - 1].gtid == gtid)
		return;
	if (map_get_or_put(&s->thread_of, (uint64_t)gtid, 0, fresh) != fresh)
		return;
	VEC_PUSH(&s->threads, (struct sampled_thread){.gtid = gtid, .name = ID_NONE});
	fresh = (uint32_t)s->processes.n;
	if (map_get_or_put(&s->process_of, NSYS_GLOBAL_PID(gtid), 0, fresh) == fresh)
		VEC_PUSH(&s->processes, (struct samples_sampled_process){.group = NSYS_GLOBAL_PID(gtid), .name = ID_NONE});
}

static void sample_row(struct nsys_ctx *cx, struct nsys_scan *scan)
{
	struct nsys_samples *s = samples_of(cx);
	struct sample x;

	if (!nsys_int(scan, SAMPLE_id, &x.id) || !nsys_int(scan, SAMPLE_start, &x.at) || !nsys_time_ok(x.at)) {
		builder_damage(cx->b, N_("sample without a number or a time"), scan->row, 1);
		return;
	}
	x.gtid = nsys_int_or(scan, SAMPLE_globalTid, 0);
	if (!builder_wants(cx->b, x.at))
		return;
	note_thread(s, x.gtid);
	VEC_PUSH(&s->taken, x);
}

void nsys_sampled_name(struct nsys_ctx *cx, int64_t gtid, str_id name)
{
	struct nsys_samples *s = cx->samples;
	uint32_t thread = s ? map_find(&s->thread_of, (uint64_t)gtid, 0) : MAP_NONE;

	if (thread != MAP_NONE)
		s->threads.a[thread].name = name;
	if (NSYS_PID(gtid) == NSYS_TID(gtid))
		nsys_sampled_process_name(cx, NSYS_GLOBAL_PID(gtid), name);
}

void nsys_sampled_process_name(struct nsys_ctx *cx, uint64_t group, str_id name)
{
	struct nsys_samples *s = cx->samples;
	uint32_t process = s ? map_find(&s->process_of, group, 0) : MAP_NONE;

	if (process != MAP_NONE)
		s->processes.a[process].name = name;
}

bool nsys_is_sampled(const struct nsys_ctx *cx, int64_t g)
{
	return cx->samples && map_find(&cx->samples->process_of, NSYS_GLOBAL_PID(g), 0) != MAP_NONE;
}

/* ---- call chains ---- */

/* A function without a symbol has its address as text, which says nothing without the module. */
static str_id place_in_module(struct nsys_ctx *cx, str_id symbol, str_id module)
{
	char text[512];
	size_t n, n_symbol;
	const char *file, *address, *base;

	file = builder_str(cx->b, module, &n);
	base = memrchr(file, '/', n);
	base = base ? base + 1 : file;
	n -= (size_t)(base - file);
	address = builder_str(cx->b, symbol, &n_symbol);
	snprintf(text, sizeof(text), "%.*s!%.*s", (int)(n < 300 ? n : 300), base, (int)(n_symbol < 200 ? n_symbol : 200), address);
	return builder_intern(cx->b, text, strlen(text));
}

static bool is_address(const struct nsys_ctx *cx, str_id symbol)
{
	size_t n;
	const char *s = builder_str(cx->b, symbol, &n);

	return n > 2 && s[0] == '0' && s[1] == 'x';
}

static bool in_brackets(const struct nsys_ctx *cx, str_id text)
{
	size_t n;
	const char *s = builder_str(cx->b, text, &n);

	return n > 2 && s[0] == '[' && s[n - 1] == ']';
}

static uint32_t frame_of(struct nsys_ctx *cx, struct nsys_samples *s, struct nsys_scan *scan)
{
	str_id symbol = nsys_name(cx, scan, CHAIN_symbol, false), module = nsys_name(cx, scan, CHAIN_module, false);
	unsigned special = nsys_int_or(scan, CHAIN_specialEntry, 0) != 0, unresolved = nsys_int_or(scan, CHAIN_unresolved, 0) != 0;
	uint32_t fresh = (uint32_t)s->notes.n, at;
	struct stack_frame f = {.function = symbol, .file = module, .class_name = ID_NONE, .kind = NODE_NATIVE};
	struct frame_note note;

	if (symbol == ID_NONE)
		f.function = symbol = nsys_intern(cx, "[Unknown]");
	at = map_get_or_put(&s->frame_of, symbol, (uint64_t)module << 2 | special << 1 | unresolved, fresh);
	if (at != fresh)
		return at;
	note.cuts = special || (symbol == module && in_brackets(cx, symbol));
	note.unresolved = !note.cuts && (unresolved || is_address(cx, symbol));
	if (note.cuts)
		f.file = ID_NONE;
	else if (note.unresolved && module != ID_NONE)
		f.function = place_in_module(cx, symbol, module);
	VEC_PUSH(&s->notes, note);
	return stacktree_frame(&s->tree, &f);
}

static void count_mark(struct nsys_samples *s, str_id text)
{
	size_t i;

	for (i = 0; i < s->marks.n && s->marks.a[i].text != text; i++)
		;
	if (i == s->marks.n)
		VEC_PUSH(&s->marks, (struct samples_mark){.text = text});
	s->marks.a[i].chains++;
}

static int row_cmp(const void *pa, const void *pb)
{
	const struct chain_row *a = pa, *b = pb;

	return (a->depth > b->depth) - (a->depth < b->depth);
}

static void end_chain(struct nsys_samples *s)
{
	uint32_t node = STACK_ROOT;

	if (!s->open.n)
		return;
	if (!s->sorted)
		qsort(s->open.a, s->open.n, sizeof(*s->open.a), row_cmp);
	for (size_t i = s->open.n; i-- > 0;)
		node = stacktree_child(&s->tree, node, s->open.a[i].frame);
	VEC_PUSH(&s->chains, (struct chain){s->open_id, node});
	s->open.n = 0;
}

static void chain_row(struct nsys_ctx *cx, struct nsys_scan *scan)
{
	struct nsys_samples *s = samples_of(cx);
	struct chain_row x;
	int64_t id;

	if (!nsys_int(scan, CHAIN_id, &id) || !nsys_int(scan, CHAIN_stackDepth, &x.depth)) {
		builder_damage(cx->b, N_("row of a call chain without a number or a depth"), scan->row, 1);
		return;
	}
	if (s->open.n && s->open_id != id)
		end_chain(s);
	if (!s->open.n)
		s->sorted = true;
	else
		s->sorted &= x.depth > s->open.a[s->open.n - 1].depth;
	s->open_id = id;
	x.frame = frame_of(cx, s, scan);
	VEC_PUSH(&s->open, x);
}

/* ---- both joined ---- */

static int sample_cmp(const void *pa, const void *pb)
{
	const struct sample *a = pa, *b = pb;

	return (a->id > b->id) - (a->id < b->id);
}

static int chain_cmp(const void *pa, const void *pb)
{
	const struct chain *a = pa, *b = pb;

	if (a->id != b->id)
		return a->id > b->id ? 1 : -1;
	return (a->node > b->node) - (a->node < b->node);
}

struct samples_join {
	struct nsys_ctx *cx;
	struct nsys_samples *s;
	struct stacktree out;
	struct map node_of;	/* (thread, node of the chains' tree) -> node of out */
	VEC(uint32_t) path;
};

static uint32_t label(struct samples_join *j, enum node_kind kind, const char *word, int64_t id, str_id name)
{
	char text[512];
	size_t n = 0;
	const char *s = name == ID_NONE ? "" : builder_cmdline(j->cx->b, name, &n);
	int room = (int)(n < 256 ? n : 256);

	if (kind == NODE_PROCESS)
		snprintf(text, sizeof(text), n ? "%s %" PRId64 ":\"%.*s\"" : "%s %" PRId64, word, id, room, s);
	else
		snprintf(text, sizeof(text), n ? "%s (%" PRId64 "): %.*s" : "%s (%" PRId64 ")", word, id, room, s);
	return stacktree_label(&j->out, kind, text, strlen(text));
}

static uint32_t thread_node(struct samples_join *j, struct sampled_thread *t)
{
	struct samples_sampled_process *p;

	if (t->node)
		return t->node;
	p = &j->s->processes.a[map_find(&j->s->process_of, NSYS_GLOBAL_PID(t->gtid), 0)];
	if (!p->node)
		p->node = stacktree_child(&j->out, STACK_ROOT, label(j, NODE_PROCESS, "process", NSYS_PID(t->gtid), p->name));
	t->node = stacktree_child(&j->out, p->node, label(j, NODE_THREAD, "thread", NSYS_TID(t->gtid), t->name));
	return t->node;
}

/* The node of a chain's leaf below a thread: what is there already, and from there on down. */
static uint32_t leaf_node(struct samples_join *j, struct sampled_thread *t, uint32_t node)
{
	const struct stack_node *nodes = j->s->tree.nodes.a;
	uint32_t at = MAP_NONE;

	j->path.n = 0;
	for (; node != STACK_ROOT; node = nodes[node].parent) {
		at = map_find(&j->node_of, (uint64_t)t->gtid, node);
		if (at != MAP_NONE)
			break;
		VEC_PUSH(&j->path, node);
	}
	if (at == MAP_NONE)
		at = thread_node(j, t);
	while (j->path.n) {
		node = j->path.a[--j->path.n];
		at = stacktree_child(&j->out, at, nodes[node].frame);
		map_put(&j->node_of, (uint64_t)t->gtid, node, at);
	}
	return at;
}

/* The outermost frame says whether a chain was cut. */
static void note_chain(struct nsys_samples *s, uint32_t leaf)
{
	const struct stack_node *nodes = s->tree.nodes.a;
	uint32_t outer = leaf;

	while (nodes[outer].parent != STACK_ROOT)
		outer = nodes[outer].parent;
	if (s->notes.a[nodes[outer].frame].cuts)
		count_mark(s, s->tree.frames.a[nodes[outer].frame].function);
	s->alone += outer == leaf;
	s->unresolved += s->notes.a[nodes[leaf].frame].unresolved;
}

static void add_samples(struct samples_join *j)
{
	struct nsys_samples *s = j->s;
	uint64_t torn = 0;
	size_t c = 0;

	for (size_t i = 0; i < s->taken.n; i++) {
		struct sampled_thread *t = &s->threads.a[map_find(&s->thread_of, (uint64_t)s->taken.a[i].gtid, 0)];
		uint32_t leaf = STACK_ROOT;

		while (c < s->chains.n && s->chains.a[c].id < s->taken.a[i].id)
			c++;
		if (c < s->chains.n && s->chains.a[c].id == s->taken.a[i].id) {
			leaf = s->chains.a[c].node;
			note_chain(s, leaf);
		} else {
			s->bare++;
		}
		stacktree_add(&j->out, leaf_node(j, t, leaf), 0, 1);
	}
	for (size_t i = 1; i < s->chains.n; i++)
		torn += s->chains.a[i].id == s->chains.a[i - 1].id;
	if (torn)
		builder_damage(j->cx->b, N_("call chains in several pieces, of which one was read"), -1, torn);
}

/* ---- what is to be known of them ---- */

static int moment_cmp(const void *pa, const void *pb)
{
	const struct sample *a = pa, *b = pb;

	if (a->gtid != b->gtid)
		return a->gtid < b->gtid ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* The profiler samples by a count of cycles: its interval is what most samples of a thread are apart. */
static void say_interval(struct nsys_ctx *cx, struct nsys_samples *s)
{
	VEC(ns_t) apart = {0};
	char text[64];

	qsort(s->taken.a, s->taken.n, sizeof(*s->taken.a), moment_cmp);
	for (size_t i = 1; i < s->taken.n; i++)
		if (s->taken.a[i].gtid == s->taken.a[i - 1].gtid)
			VEC_PUSH(&apart, s->taken.a[i].at - s->taken.a[i - 1].at);
	if (apart.n) {
		i64_sort(apart.a, apart.n);
		snprintf(text, sizeof(text), "%" PRId64 ".%06" PRId64 " ms (median)", apart.a[apart.n / 2] / 1000000, apart.a[apart.n / 2] % 1000000);
		builder_option(cx->b, "interval", text);
	}
	VEC_FREE(&apart);
}

static void say_samples(struct nsys_ctx *cx, const struct nsys_samples *s)
{
	builder_note(cx->b, _("CPU samples: %zu; shares are known, times are not"), s->taken.n);
	for (size_t i = 0; i < s->marks.n; i++) {
		size_t n;
		const char *text = builder_str(cx->b, s->marks.a[i].text, &n);

		builder_note(cx->b, _("CPU samples whose call chain is cut (%.*s): %" PRIu64 " of %zu"), (int)(n < 100 ? n : 100), text,
			s->marks.a[i].chains, s->taken.n);
	}
	if (s->alone)
		builder_note(cx->b, _("CPU samples that show the running function alone, without its callers: %" PRIu64 " of %zu"), s->alone, s->taken.n);
	if (s->bare)
		builder_note(cx->b, _("CPU samples without a call chain: %" PRIu64 " of %zu"), s->bare, s->taken.n);
	if (s->unresolved)
		builder_note(cx->b, _("CPU samples in functions without a symbol, which are shown as module!address: %" PRIu64 " of %zu"),
			s->unresolved, s->taken.n);
}

void nsys_put_samples(struct nsys_ctx *cx)
{
	struct nsys_samples *s = cx->samples;
	struct samples_join j = {.cx = cx, .s = s};

	if (!s)
		return;
	end_chain(s);
	if (!s->taken.n)
		return;
	stacktree_init(&j.out, cx->b);
	for (size_t i = 0; i < s->tree.frames.n; i++)
		stacktree_frame(&j.out, &s->tree.frames.a[i]);
	qsort(s->taken.a, s->taken.n, sizeof(*s->taken.a), sample_cmp);
	if (s->chains.n)
		qsort(s->chains.a, s->chains.n, sizeof(*s->chains.a), chain_cmp);
	add_samples(&j);
	stacktree_emit(&j.out, STACKS_COUNTED);
	say_interval(cx, s);
	say_samples(cx, s);
	stacktree_fini(&j.out);
	map_fini(&j.node_of);
	VEC_FREE(&j.path);
}

const struct nsys_table nsys_composite = {"COMPOSITE_EVENTS", sample_cols, SAMPLE_N, sample_row};
const struct nsys_table nsys_chains = {"SAMPLING_CALLCHAINS", chain_cols, CHAIN_N, chain_row};
