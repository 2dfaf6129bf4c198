/*
 * an_pythreads.c - view `pythreads`: a row for each thread (or process) that a sampler tells apart, or that a trace records frames of:
 * what it is, how much of its time it waits, and where it is most of the time. For DataLoader workers the busy share; for the dump of a
 * job that hangs, who waits where.
 *
 * Waiting is the self time below a frame that data/frames.rules calls a wait: of level 1 "sync wait", or with the word in its operation;
 * and in a dump that of the threads that py-spy found idle.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/an_pystacks.h"
#include "analyze/analyses.h"

enum { C_PROC, C_THREAD, C_ROLE, C_TOTAL, C_SAMPLES, C_WAIT, C_BUSY, C_FUNCTION, C_FILE, C_LINE, C_OPERATION, C_TOP, C_USER };

static const struct column_def cols[] = {
	[C_PROC] = { "process_label", N_("Process of"), UNIT_TEXT, COL_KEY, 3, N_("process that the thread belongs to, as the sampler wrote it") },
	[C_THREAD] = { "thread", N_("Thread"), UNIT_TEXT, COL_KEY, 0, N_("thread, as the sampler wrote it; number of a trace's thread") },
	[C_ROLE] = { "role", N_("Role"), UNIT_TEXT, 0, 1, N_("main, autograd, loader-worker, pin-memory, …; none: unknown") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, 0, 0, N_("time of the thread in Python frames; of py-spy without --idle only that in which it ran") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, 0, 3, N_("samples of the thread, where the file has them") },
	[C_WAIT] = { "wait_ns", N_("Waits"), UNIT_NS, 0, 1, N_("part of the total below frames that wait") },
	[C_BUSY] = { "busy", N_("Busy"), UNIT_RATIO, COL_BAR, 0, N_("the rest as a share of the total") },
	[C_FUNCTION] = { "function", N_("Function"), UNIT_TEXT, COL_NAME, 0, N_("on top of the stack most of the time") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 4, N_("its file, as recorded") },
	[C_LINE] = { "line", N_("Line"), UNIT_ID, 0, 4, N_("its first line") },
	[C_OPERATION] = { "operation", N_("Operation"), UNIT_TEXT, 0, 1, N_("what it does there, by data/frames.rules") },
	[C_TOP] = { "top_share", N_("Share"), UNIT_RATIO, 0, 3, N_("share of the total with this function on top") },
	[C_USER] = { "user_frame", N_("User code"), UNIT_TEXT, 0, 2, N_("the innermost function below which this is that is the user's own") },
	SOURCE_COLS
};

struct thread_sum {
	uint32_t first;			/* its first node */
	int64_t total, wait, samples;
	uint32_t top;			/* index into tops, of the function with most */
	bool worker, pin, background, backward;
};
struct top {
	uint32_t node;			/* with the most self of the function */
	int64_t self;
};
struct threads_view {
	const struct pytree *st;
	uint32_t *row_of;		/* per node: index into sums */
	struct groups rows, funcs;
	VEC(struct thread_sum) sums;
	VEC(struct top) tops;
};

static bool waits(const struct pytree *st, const struct py_node *nd)
{
	const struct host_class *hc = pytree_class(st, nd);

	return nd->decides != ID_NONE && (hc->l1 == L1_SYNC || strstr(hc->level2, "wait"));
}

static bool is_func(const struct pytree *st, const struct py_node *nd, const char *name)
{
	const struct py_frame *f = &st->frames.a[nd->frame];

	return f->func_len == strlen(name) && !memcmp(f->func, name, f->func_len);
}

static bool label_has(const struct pytree *st, uint32_t node, const char *what)
{
	const struct py_frame *f = node == ID_NONE ? NULL : &st->frames.a[st->a[node].frame];

	return f && f->func_len && memmem(f->func, f->func_len, what, strlen(what));
}

/* The row of a node: that of its caller, or a new one below every thread, or process, and for each thread of a trace. */
static uint32_t row_of(struct threads_view *v, uint32_t i)
{
	const struct py_node *nd = &v->st->a[i];
	uint32_t holder = nd->thread != ID_NONE ? nd->thread : nd->process, row;

	row = groups_add(&v->rows, &(struct group_key){ .k = { holder, (uint64_t)v->st->split[i] } });
	if (row == v->sums.n)
		VEC_PUSH(&v->sums, (struct thread_sum){ .first = i, .top = ID_NONE });
	return row;
}

static void add_top(struct threads_view *v, struct thread_sum *s, uint32_t row, uint32_t i)
{
	const struct py_node *nd = &v->st->a[i];
	uint32_t f = groups_add(&v->funcs, &(struct group_key){ .k = { row, v->st->func_of[nd->frame] } });

	if (f == v->tops.n)
		VEC_PUSH(&v->tops, (struct top){ i, 0 });
	if (nd->self > v->st->a[v->tops.a[f].node].self)
		v->tops.a[f].node = i;
	v->tops.a[f].self += nd->self;
	if (s->top == ID_NONE || v->tops.a[f].self > v->tops.a[s->top].self)
		s->top = f;
}

static void add_node(struct threads_view *v, uint32_t i)
{
	const struct py_node *nd = &v->st->a[i];
	struct thread_sum *s;
	uint32_t row;

	if (v->st->frames.a[nd->frame].kind == NODE_THREAD || v->st->frames.a[nd->frame].kind == NODE_PROCESS)
		return;
	row = row_of(v, i);
	s = &v->sums.a[row];
	s->worker |= is_func(v->st, nd, "_worker_loop");
	s->pin |= is_func(v->st, nd, "_pin_memory_loop") || is_func(v->st, nd, "do_one_step");
	s->background |= nd->letter == 'G' && strstr(pytree_class(v->st, nd)->level2, "background");
	s->backward |= nd->phase == PHASE_BACKWARD || nd->phase == PHASE_RECOMPUTE;
	if (nd->self <= 0)
		return;
	s->total += nd->self;
	s->wait += waits(v->st, nd) || label_has(v->st, nd->thread, "[idle]") ? nd->self : 0;
	s->samples = nd->self_count == I64_UNKNOWN || s->samples == I64_UNKNOWN ? I64_UNKNOWN : s->samples + nd->self_count;
	add_top(v, s, row, i);
}

/* ---- rows ---- */

/* Of a thread without a name, work of backward says that it is autograd's. */
static const char *role_of(const struct pick *k, const struct threads_view *v, const struct thread_sum *s, thread_id thread)
{
	uint32_t holder = v->st->a[s->first].thread;

	if (thread != ID_NONE)
		return role_name(k->f->threads[thread].role);
	if (s->worker)
		return "loader-worker";
	if (s->pin)
		return "pin-memory";
	if (s->background)
		return "other";
	if (label_has(v->st, holder, "MainThread"))
		return "main";
	return s->backward && holder != ID_NONE ? "autograd" : NULL;
}

static void put_label(struct table *t, uint32_t row, uint32_t col, const struct pytree *st, uint32_t node)
{
	const struct py_frame *f = node == ID_NONE ? NULL : &st->frames.a[st->a[node].frame];

	if (f)
		table_str(t, row, col, f->func, f->func_len);
}

static void put_top(struct table *t, uint32_t row, const struct threads_view *v, const struct thread_sum *s)
{
	const struct pytree *st = v->st;
	const struct top *top = &v->tops.a[s->top];
	const struct py_frame *f = &st->frames.a[st->a[top->node].frame];
	uint32_t user = top->node;
	char op[512];

	table_str(t, row, C_FUNCTION, f->func, f->func_len);
	if (f->file_len)
		table_str(t, row, C_FILE, f->file, f->file_len);
	if (f->line > 0)
		table_i64(t, row, C_LINE, f->line);
	table_cstr(t, row, C_OPERATION, pytree_operation(st, &st->a[top->node], op, sizeof(op)));
	table_f64(t, row, C_TOP, (double)top->self / (double)s->total);
	while (user != ID_NONE && !pytree_is_user(st, &st->a[user]))
		user = st->a[user].parent;
	if (user == ID_NONE)
		return;
	f = &st->frames.a[st->a[user].frame];
	table_cstr(t, row, C_USER, f->line > 0 ? arena_printf(&t->arena, "%.*s (%.*s:%lld)", (int)f->func_len, f->func, (int)f->file_len,
		f->file, (long long)f->line) : arena_printf(&t->arena, "%.*s (%.*s)", (int)f->func_len, f->func, (int)f->file_len, f->file));
}

static thread_id thread_of(const struct pick *k, const struct pytree *st, int64_t tid)
{
	for (thread_id i = 0; !st->sampled && i < k->p->n_threads; i++)
		if (k->p->threads[i].tid == tid && pick_thread(k, i))
			return i;
	return ID_NONE;
}

static void put_thread(struct table *t, const struct pick *k, const struct threads_view *v, const struct thread_sum *s)
{
	const struct py_node *first = &v->st->a[s->first];
	thread_id thread = thread_of(k, v->st, v->st->split[s->first]);
	uint32_t row = table_row(t);

	put_label(t, row, C_PROC, v->st, first->process);
	put_label(t, row, C_THREAD, v->st, first->thread);
	if (thread != ID_NONE)
		table_cstr(t, row, C_THREAD, arena_printf(&t->arena, "%lld", (long long)k->p->threads[thread].tid));
	table_cstr(t, row, C_ROLE, role_of(k, v, s, thread));
	if (v->st->timed) {
		table_i64(t, row, C_TOTAL, s->total);
		table_i64(t, row, C_WAIT, s->wait);
	}
	table_i64(t, row, C_SAMPLES, v->st->timed ? s->samples : s->total);
	if (s->total > 0)
		table_f64(t, row, C_BUSY, (double)(s->total - s->wait) / (double)s->total);
	if (s->top != ID_NONE)
		put_top(t, row, v, s);
	an_row_source(t, row, k, thread == ID_NONE ? -1 : k->p->threads[thread].pid);
}

static int by_total(uint32_t a, uint32_t b, const void *arg)
{
	const struct thread_sum *s = arg;

	return (s[a].total < s[b].total) - (s[a].total > s[b].total);
}

/* ---- a dump: who waits where ---- */

struct place {
	uint32_t node;
	uint32_t threads;
};

static int by_threads(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->threads != b->threads)
		return a->threads > b->threads ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Of a job that hangs, most processes wait at one place; who stands elsewhere is what they may wait for. */
static void explain_dump(struct table *t, const struct pick *k, const struct threads_view *v)
{
	struct groups g = { 0 };
	VEC(struct place) at = { 0 };
	uint32_t mains = 0;

	for (size_t i = 0; i < v->sums.n; i++) {
		const struct thread_sum *s = &v->sums.a[i];
		uint32_t node, n;

		if (s->top == ID_NONE || !label_has(v->st, v->st->a[s->first].thread, "MainThread"))
			continue;
		node = v->tops.a[s->top].node;
		n = groups_add(&g, &(struct group_key){ .k = { v->st->func_of[v->st->a[node].frame] } });
		if (n == at.n)
			VEC_PUSH(&at, (struct place){ node, 0 });
		at.a[n].threads++;
		mains++;
	}
	if (at.n)
		qsort(at.a, at.n, sizeof(*at.a), by_threads);
	for (size_t i = 0; i < at.n; i++) {
		const struct py_node *nd = &v->st->a[at.a[i].node];
		const struct py_frame *f = &v->st->frames.a[nd->frame];
		char op[512];

		pytree_operation(v->st, nd, op, sizeof(op));
		table_note(t, ngettext("%s: %u of %u main thread is in %.*s (%.*s): %s",
			"%s: %u of %u main threads are in %.*s (%.*s): %s", mains), k->src->path, at.a[i].threads, mains, (int)f->func_len, f->func,
			(int)f->file_len, f->file_len ? f->file : "", op);
	}
	if (at.n > 1 && at.a[0].threads > at.a[at.n - 1].threads)
		table_note(t, _("%s: the place of the fewest is where to look: the others may wait for it"), k->src->path);
	groups_fini(&g);
	VEC_FREE(&at);
}

static bool put_threads(struct table *t, const struct pick *k, const struct pytree *st, struct err *e)
{
	struct threads_view v = { .st = st };
	uint32_t *order;

	(void)e;
	for (uint32_t i = 0; i < st->n; i++)
		add_node(&v, i);
	order = groups_order((uint32_t)v.sums.n, by_total, v.sums.a);
	for (size_t i = 0; i < v.sums.n; i++)
		put_thread(t, k, &v, &v.sums.a[order[i]]);
	if (k->p->format == FORMAT_PYSPY_DUMP)
		explain_dump(t, k, &v);
	free(order);
	groups_fini(&v.rows);
	groups_fini(&v.funcs);
	VEC_FREE(&v.sums);
	VEC_FREE(&v.tops);
	return true;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct scope own = *sc;

	own.by = BY_THREAD;
	return py_sources(cx, &own, t, put_threads, e);
}

const struct analysis an_pythreads = {
	.id = "pythreads", .title = N_("Python threads"),
	.doc = N_("what each thread or worker process does in Python, how much of it waits, and where it is most of the time"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
