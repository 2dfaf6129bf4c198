/* stacktree.c - from stacks to the call tree of a profile, see stacktree.h */
#include "load/stacks/stacktree.h"

#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "model/strtab.h"

void stacktree_init(struct stacktree *t, struct builder *b)
{
	memset(t, 0, sizeof(*t));
	t->b = b;
	t->offset = -1;
	VEC_PUSH(&t->nodes, (struct stack_node){ .frame = ID_NONE });
}

void stacktree_fini(struct stacktree *t)
{
	VEC_FREE(&t->samples_at);
	VEC_FREE(&t->lines);
	VEC_FREE(&t->stem);
	VEC_FREE(&t->frames);
	VEC_FREE(&t->nodes);
	map_fini(&t->children);
}

uint32_t stacktree_frame(struct stacktree *t, const struct stack_frame *f)
{
	VEC_PUSH(&t->frames, *f);
	return (uint32_t)t->frames.n - 1;
}

uint32_t stacktree_label(struct stacktree *t, enum node_kind kind, const char *s, size_t n)
{
	str_id name = kind == NODE_PROCESS ? builder_command(t->b, CMDLINE_PROCESS, s, n) : builder_intern(t->b, s, n);
	struct stack_frame f = { name, ID_NONE, ID_NONE, 0, 0, kind };

	return stacktree_frame(t, &f);
}

uint32_t stacktree_child(struct stacktree *t, uint32_t parent, uint32_t frame)
{
	uint32_t latest = t->nodes.a[parent].latest, fresh = (uint32_t)t->nodes.n, node;

	if (latest && t->nodes.a[latest].frame == frame)
		return latest;
	if (fresh < STACKTREE_NODES_MAX) {
		node = map_get_or_put(&t->children, parent, frame, fresh);
	} else {
		node = map_find(&t->children, parent, frame);
		if (node == MAP_NONE) {
			t->lost++;
			return parent;
		}
	}
	if (node == fresh)
		VEC_PUSH(&t->nodes, (struct stack_node){ .parent = parent, .frame = frame });
	t->nodes.a[parent].latest = node;
	return node;
}

bool stacktree_room(struct stacktree *t, ns_t ns, int64_t samples)
{
	if (ns <= NS_LIMIT - t->ns && samples <= NS_LIMIT - t->samples)
		return true;
	builder_damage(t->b, N_("samples whose weights are too large to be summed"), t->offset, 1);
	return false;
}

void stacktree_add(struct stacktree *t, uint32_t node, ns_t ns, int64_t samples)
{
	if (!stacktree_room(t, ns, samples))
		return;
	t->ns += ns;
	t->samples += samples;
	t->nodes.a[node].ns += ns;
	t->nodes.a[node].samples += samples;
}

void stacktree_add_at(struct stacktree *t, uint32_t node, ns_t start, ns_t dur, int64_t samples)
{
	if (!stacktree_room(t, dur, samples))
		return;
	stacktree_add(t, node, dur, samples);
	if (start >= 0 && start <= NS_LIMIT && dur > 0 && dur <= NS_LIMIT)
		VEC_PUSH(&t->samples_at, (struct stack_sample){ start, dur, node });
}

/* ---- siblings that are one function ---------------------------------------------------------------------- */

/* The same tree with the lines that ran told apart no longer. */
struct merged {
	struct stacktree *raw, tree;
	struct map functions;	/* -> frame of tree */
	uint32_t *node_of;	/* raw node -> node of tree */
	uint32_t *bearer_of;	/* raw node -> node of tree that has its weight */
	struct strtab numbers;	/* "thread (12)" */
	struct map names;	/* (process label, number) -> frame of tree with the thread's name; THREADS_DIFFER */
};

static uint32_t nowhere(struct stacktree *t)
{
	static const char text[] = "(no frame)";

	return stacktree_label(t, NODE_EMPTY, text, sizeof(text) - 1);
}

static uint32_t function_of(struct merged *m, const struct stack_frame *f)
{
	uint64_t a = (uint64_t)f->function << 32 | f->file;
	uint64_t b = (uint64_t)f->class_name << 32 | f->kind << 28 | ((uint32_t)f->first_line & 0xfffffff);
	uint32_t fresh = (uint32_t)m->tree.frames.n, i = map_get_or_put(&m->functions, a, b, fresh);

	if (i == fresh)
		stacktree_frame(&m->tree, f);
	return i;
}

/* Weight belongs to functions: what a thread or nothing at all has for itself is a sample that showed no frame. */
static uint32_t bearer(struct merged *m, uint32_t node, uint32_t *none)
{
	uint32_t kind = node == STACK_ROOT ? NODE_THREAD : m->tree.frames.a[m->tree.nodes.a[node].frame].kind;

	if (kind != NODE_THREAD && kind != NODE_PROCESS)
		return node;
	if (*none == ID_NONE)
		*none = nowhere(&m->tree);
	return stacktree_child(&m->tree, node, *none);
}

static void merge_weights(struct merged *m)
{
	uint32_t none = ID_NONE;

	for (size_t i = 0; i < m->raw->nodes.n; i++) {
		const struct stack_node *n = &m->raw->nodes.a[i];

		if (!n->ns && !n->samples)
			continue;
		m->bearer_of[i] = bearer(m, m->node_of[i], &none);
		stacktree_add(&m->tree, m->bearer_of[i], n->ns, n->samples);
	}
}

/* Of "thread (12)" and "thread (12): MainThread" the length up to the bracket; 0 of other labels. */
static size_t number_of_thread(const char *s, size_t n)
{
	const char *close = text_starts(s, n, "thread (") ? memchr(s, ')', n) : NULL;

	return close ? (size_t)(close - s) + 1 : 0;
}

enum { THREADS_DIFFER = ID_NONE - 1 };	/* one number, several names: a later thread has it again */

/* Number and process of a thread, as a key of m->names; false: the node is no thread with a number. */
static bool thread_key(struct merged *m, const struct stack_node *nd, uint64_t *process, uint64_t *number, bool *named)
{
	const struct stack_frame *f = &m->raw->frames.a[nd->frame];
	const struct stack_frame *up = nd->parent == STACK_ROOT ? NULL : &m->raw->frames.a[m->raw->nodes.a[nd->parent].frame];
	size_t n = 0, end;
	const char *s = f->kind == NODE_THREAD ? builder_str(m->raw->b, f->function, &n) : "";

	end = number_of_thread(s, n);
	if (!end)
		return false;
	*process = up && up->kind == NODE_PROCESS ? up->function : ID_NONE;
	*number = strtab_intern(&m->numbers, s, end);
	*named = n > end && s[end] == ':';
	return true;
}

/* py-spy knows a thread's name from when Python's threading does: what it saw before stands under the number alone. */
static void name_threads(struct merged *m, const uint32_t *function)
{
	for (size_t i = 1; i < m->raw->nodes.n; i++) {
		const struct stack_node *nd = &m->raw->nodes.a[i];
		uint32_t own = function[nd->frame];
		uint64_t process, number;
		bool named;

		if (thread_key(m, nd, &process, &number, &named) && named &&
			map_get_or_put(&m->names, process, number, own) != own)
			map_put(&m->names, process, number, THREADS_DIFFER);
	}
}

/* The frame of a raw node in the tree: of a thread without a name that with the name. */
static uint32_t frame_in_tree(struct merged *m, size_t node, const uint32_t *function)
{
	const struct stack_node *nd = &m->raw->nodes.a[node];
	uint32_t frame = MAP_NONE;
	uint64_t process, number;
	bool named;

	if (thread_key(m, nd, &process, &number, &named) && !named)
		frame = map_find(&m->names, process, number);
	return frame == MAP_NONE || frame == THREADS_DIFFER ? function[nd->frame] : frame;
}

static void merge(struct merged *m)
{
	struct stacktree *raw = m->raw;
	uint32_t *function = xcalloc(raw->frames.n + 1, sizeof(*function));

	for (size_t i = 0; i < raw->frames.n; i++)
		function[i] = function_of(m, &raw->frames.a[i]);
	m->node_of = xcalloc(raw->nodes.n, sizeof(*m->node_of));
	m->bearer_of = xcalloc(raw->nodes.n, sizeof(*m->bearer_of));
	name_threads(m, function);
	for (size_t i = 1; i < raw->nodes.n; i++)
		m->node_of[i] = stacktree_child(&m->tree, m->node_of[raw->nodes.a[i].parent], frame_in_tree(m, i, function));
	merge_weights(m);
	free(function);
}

static void sum_up(struct stacktree *t)
{
	for (size_t i = t->nodes.n; i-- > 1;) {
		struct stack_node *n = &t->nodes.a[i], *up = &t->nodes.a[n->parent];

		up->ns += n->ns;
		up->samples += n->samples;
	}
}

/* ---- into the profile -------------------------------------------------------------------------------------- */

struct rank {			/* one node below its parent */
	uint32_t parent, node;
	int64_t ns, samples;
};

static int rank_cmp(const void *pa, const void *pb)
{
	const struct rank *a = pa, *b = pb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

struct writer {
	const struct stacktree *t;
	const struct stack_node *own;	/* what each node has for itself */
	struct rank *ranks;		/* by parent */
	uint32_t *first;		/* of a parent's children in ranks; one more at the end */
	uint32_t *index;		/* node -> index in the profile */
	uint32_t n, root;		/* root: the node above what is written */
	unsigned has;
};

static void rank_children(struct writer *w)
{
	size_t n = w->t->nodes.n;

	w->ranks = xcalloc(n, sizeof(*w->ranks));
	w->first = xcalloc(n + 1, sizeof(*w->first));
	for (size_t i = 1; i < n; i++) {
		const struct stack_node *x = &w->t->nodes.a[i];

		w->ranks[i - 1] = (struct rank){ x->parent, (uint32_t)i, x->ns, x->samples };
		w->first[x->parent + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		w->first[i + 1] += w->first[i];
	qsort(w->ranks, n - 1, sizeof(*w->ranks), rank_cmp);
}

static bool same_function(const struct stack_frame *a, const struct stack_frame *b)
{
	return a->function == b->function && a->file == b->file && a->first_line == b->first_line;
}

/* Leaves out the stem: see stacktree.h. */
static void find_root(struct writer *w, const struct stacktree *raw)
{
	uint32_t at = STACK_ROOT, child;

	for (size_t i = 0; i < raw->stem.n; i++) {
		if (w->own[at].ns || w->own[at].samples || w->first[at + 1] - w->first[at] != 1)
			break;
		child = w->ranks[w->first[at]].node;
		if (!same_function(&w->t->frames.a[w->t->nodes.a[child].frame], &raw->stem.a[i]))
			break;
		w->root = at;
		at = child;
	}
}

static void write_node(struct writer *w, uint32_t node)
{
	const struct stack_node *n = &w->t->nodes.a[node];
	const struct stack_frame *f = &w->t->frames.a[n->frame];
	struct frame_node out = { .parent = n->parent == w->root ? -1 : (int32_t)w->index[n->parent], .line = f->first_line,
		.function = f->function, .file = f->file, .class_name = f->class_name, .kind = f->kind,
		.total_ns = NS_UNKNOWN, .self_ns = NS_UNKNOWN, .samples = I64_UNKNOWN };

	if (w->has & STACKS_TIMED) {
		out.total_ns = n->ns;
		out.self_ns = w->own[node].ns;
	}
	if (w->has & STACKS_COUNTED)
		out.samples = n->samples;
	builder_frame(w->t->b, &out);
	w->index[node] = w->n++;
}

/* Preorder without recursion: stacks are as deep as they like. */
static void write_nodes(struct writer *w)
{
	uint32_t at = w->root, *next = xcalloc(w->t->nodes.n, sizeof(*next));

	for (size_t i = 0; i < w->t->nodes.n; i++)
		next[i] = w->first[i];
	for (;;) {
		if (next[at] < w->first[at + 1]) {
			at = w->ranks[next[at]++].node;
			write_node(w, at);
		} else if (at == w->root) {
			break;
		} else {
			at = w->t->nodes.a[at].parent;
		}
	}
	free(next);
}

static int line_cmp(const void *pa, const void *pb)
{
	const struct frame_line *a = pa, *b = pb;

	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->line - b->line;
}

struct stacktree_lines {
	VEC(struct frame_line) v;
	struct map seen;	/* (frame, line) -> index */
};

static void add_line(struct stacktree_lines *l, uint32_t frame, int32_t line, ns_t ns, int64_t samples)
{
	uint32_t at;

	if (line <= 0 || frame == ID_NONE)
		return;
	at = map_get_or_put(&l->seen, frame, (uint32_t)line, (uint32_t)l->v.n);
	if (at == l->v.n)
		VEC_PUSH(&l->v, (struct frame_line){ .frame = frame, .line = line });
	l->v.a[at].total_ns += ns;
	l->v.a[at].samples += samples;
}

/* The raw nodes, summed up, are what each line took. */
static void write_lines(const struct writer *w, const struct merged *m)
{
	struct stacktree_lines l = { 0 };

	for (size_t i = 1; i < m->raw->nodes.n; i++) {
		const struct stack_node *n = &m->raw->nodes.a[i];

		add_line(&l, w->index[m->node_of[i]], m->raw->frames.a[n->frame].line, n->ns, n->samples);
	}
	for (size_t i = 0; i < m->raw->lines.n; i++) {
		const struct stack_line *x = &m->raw->lines.a[i];

		add_line(&l, w->index[m->node_of[x->node]], x->line, x->ns, x->samples);
	}
	map_fini(&l.seen);
	if (l.v.n)
		qsort(l.v.a, l.v.n, sizeof(*l.v.a), line_cmp);
	for (size_t i = 0; i < l.v.n; i++) {
		if (!(w->has & STACKS_TIMED))
			l.v.a[i].total_ns = NS_UNKNOWN;
		if (!(w->has & STACKS_COUNTED))
			l.v.a[i].samples = I64_UNKNOWN;
		builder_frame_line(w->t->b, &l.v.a[i]);
	}
	VEC_FREE(&l.v);
}

static int sample_cmp(const void *pa, const void *pb)
{
	const struct stack_sample *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static void write_samples(const struct writer *w, const struct merged *m)
{
	struct stack_sample *s = m->raw->samples_at.a;
	size_t n = m->raw->samples_at.n;

	if (n)
		qsort(s, n, sizeof(*s), sample_cmp);
	for (size_t i = 0; i < n; i++) {
		uint32_t frame = w->index[m->bearer_of[s[i].node]];

		if (frame != ID_NONE)
			builder_frame_sample(w->t->b, &(struct frame_sample){ s[i].start, s[i].dur, frame });
	}
}

static struct stack_node *copy_nodes(const struct stacktree *t)
{
	struct stack_node *own = xreallocarray(NULL, t->nodes.n, sizeof(*own));

	memcpy(own, t->nodes.a, t->nodes.n * sizeof(*own));
	return own;
}

static void write_tree(struct merged *m, unsigned has)
{
	struct stack_node *own = copy_nodes(&m->tree);
	struct writer w = { .t = &m->tree, .own = own, .has = has };

	sum_up(&m->tree);
	sum_up(m->raw);
	w.index = xreallocarray(NULL, m->tree.nodes.n, sizeof(*w.index));
	memset(w.index, 0xff, m->tree.nodes.n * sizeof(*w.index));
	rank_children(&w);
	find_root(&w, m->raw);
	write_nodes(&w);
	write_lines(&w, m);
	write_samples(&w, m);
	builder_content(m->raw->b, "frames", 6, w.n);
	free(w.index);
	free(w.ranks);
	free(w.first);
	free(own);
}

void stacktree_emit(struct stacktree *t, unsigned has)
{
	struct merged m = { .raw = t };

	map_fini(&t->children);
	stacktree_init(&m.tree, t->b);
	merge(&m);
	map_fini(&m.tree.children);
	write_tree(&m, has);
	if (t->lost)
		builder_damage(t->b, N_("frames beyond what fits into a tree: their time is that of the frames above"), -1, (int64_t)t->lost);
	stacktree_fini(&m.tree);
	map_fini(&m.functions);
	map_fini(&m.names);
	strtab_fini(&m.numbers);
	free(m.node_of);
	free(m.bearer_of);
}
