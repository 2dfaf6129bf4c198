/*
 * pythreads.c - view `pythreads`: a row for each thread (or process) that a sampler tells apart, or that a trace records frames of:
 * what it is, how much of its time it waits, and where it is most of the time. For DataLoader workers the busy share; for the dump of a
 * job that hangs, who waits where.
 *
 * Waiting is the self time below a frame that data/frames.rules calls a wait: of level 1 "sync wait", or of the loading of data with the
 * word in its operation; and in a dump that of the threads that py-spy found idle. How long a recording of py-spy was is written
 * nowhere: no thread ran longer than it, so shares of the longest thread's time are the most that they can be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "base/text.h"
#include "measure/py_dump.h"
#include "measure/py_threads.h"
#include "scope/analysis.h"
#include "views/python/common.h"

enum { C_PID, C_TID, C_NAME, C_PROC, C_THREAD, C_ROLE, C_TOTAL, C_SAMPLES, C_WAIT, C_BUSY, C_OF_RUN, C_STATES, C_STATE, C_FUNCTION, C_FILE, C_LINE, C_OPERATION, C_TOP, C_USER };

static const struct column_def cols[] = {
	[C_PID] = { "pid", N_("Process"), UNIT_ID, COL_KEY, 2, N_("number of the process, where the label has one") },
	[C_TID] = { "tid", N_("Thread"), UNIT_ID, COL_KEY, 0, N_("number of the thread, as the sampler or the trace counts") },
	[C_NAME] = { "name", N_("Name"), UNIT_TEXT, COL_KEY, 1, N_("name of the thread; the label of what has none") },
	[C_PROC] = { "process_label", N_("Process of"), UNIT_TEXT, COL_JSON_ONLY, 9, N_("process that the thread belongs to, as the sampler wrote it") },
	[C_THREAD] = { "thread", N_("Label"), UNIT_TEXT, COL_JSON_ONLY, 9, N_("thread, as the sampler wrote it; number of a trace's thread") },
	[C_ROLE] = { "role", N_("Role"), UNIT_TEXT, 0, 1, N_("main, autograd, loader-worker, pin-memory, …; none: unknown") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, 0, 0, N_("time of the thread in Python frames; of py-spy without --idle only that in which it ran") },
	[C_SAMPLES] = { "samples", N_("Samples"), UNIT_COUNT, 0, 3, N_("samples of the thread, where the file has them") },
	[C_WAIT] = { "wait_ns", N_("Waits"), UNIT_NS, 0, 1, N_("part of the total below frames that wait") },
	[C_BUSY] = { "busy", N_("Busy"), UNIT_RATIO, COL_BAR, 0, N_("the rest as a share of the total") },
	[C_OF_RUN] = { "busy_of_run", N_("Of the run"), UNIT_RATIO, 0, 2,
		N_("the same time as a share of the recording; of its longest thread, where its length is unknown: at most so much then") },
	[C_STATES] = { "states", N_("States"), UNIT_TEXT, 0, 4, N_("of several dumps of a thread: in how many it was in which state") },
	[C_STATE] = { "state", N_("State"), UNIT_TEXT, 0, 2, N_("there: waits for collective, device, data, queue, lock or autograd; idle, gil (runs with it), runs") },
	[C_FUNCTION] = { "function", N_("Function"), UNIT_TEXT, COL_NAME, 0, N_("on top of the stack most of the time") },
	[C_FILE] = { "file", N_("File"), UNIT_TEXT, 0, 4, N_("its file, as recorded") },
	[C_LINE] = { "line", N_("Line"), UNIT_ID, 0, 4, N_("its first line") },
	[C_OPERATION] = { "operation", N_("Operation"), UNIT_TEXT, 0, 1, N_("what it does there, by data/frames.rules") },
	[C_TOP] = { "top_share", N_("Share"), UNIT_RATIO, 0, 3, N_("share of the total with this function on top") },
	[C_USER] = { "user_frame", N_("User code"), UNIT_TEXT, 0, 2, N_("the innermost function below which this is that is the user's own") },
	SOURCE_COLS
};

static const char *const state_words[] = { "active", "active+gil", "idle" };	/* of a dump */
enum { N_STATES = sizeof(state_words) / sizeof(*state_words) };

struct thread_sum {
	uint32_t first;			/* its first node */
	int64_t total, wait, samples;
	uint32_t top;			/* index into tops, of the function with most */
	int64_t states[N_STATES];	/* samples in each */
};
struct top {
	uint32_t node;			/* with the most self of the function */
	int64_t self;
};
struct threads_view {
	const struct pytree *st;
	struct groups rows, funcs;
	struct map by_tid;		/* of a trace: tid -> the first chosen thread that has it */
	int64_t whole;			/* of the recording, in the unit of totals */
	VEC(struct thread_sum) sums;
	VEC(struct top) tops;
};

/* The row of a node: that of its caller, or a new one below every thread, or process, and for each thread of a trace. */
static uint32_t row_of(struct threads_view *v, uint32_t i)
{
	const struct py_node *nd = &v->st->a[i];
	uint32_t row = groups_add(&v->rows, &(struct group_key){ .k = { nd->owner, (uint64_t)v->st->split[i] } });

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

static void add_state(struct thread_sum *s, const struct pytree *st, const struct py_node *nd)
{
	size_t n = 0;
	const char *word = nd->thread == ID_NONE ? "" : py_thread_state(&st->frames.a[st->a[nd->thread].frame], &n);

	for (size_t i = 0; i < N_STATES; i++)
		if (text_is(word, n, state_words[i]))
			s->states[i] += nd->self;
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
	if (nd->self <= 0)
		return;
	s->total += nd->self;
	s->wait += py_waits(v->st, nd) ? nd->self : 0;
	s->samples = nd->self_count == I64_UNKNOWN || s->samples == I64_UNKNOWN ? I64_UNKNOWN : s->samples + nd->self_count;
	add_state(s, v->st, nd);
	add_top(v, s, row, i);
}

/* ---- rows ---- */

static void index_threads(struct threads_view *v, const struct selection *k)
{
	for (thread_id i = 0; !v->st->sampled && i < k->p->n_threads; i++)
		if (selects_thread(k, i))
			map_get_or_put(&v->by_tid, (uint64_t)k->p->threads[i].tid, 0, i);
}

static thread_id thread_of(const struct threads_view *v, int64_t tid)
{
	uint32_t i = map_find(&v->by_tid, (uint64_t)tid, 0);

	return i == MAP_NONE ? ID_NONE : i;
}

static enum role role_of(const struct selection *k, const struct threads_view *v, const struct thread_sum *s)
{
	const struct py_node *first = &v->st->a[s->first];
	thread_id thread = thread_of(v, v->st->split[s->first]);

	return first->owner != ID_NONE ? v->st->threads.a[first->owner].role : thread == ID_NONE ? ROLE_N : k->f->threads[thread].role;
}

/* Numbers and name, which the label of a sampled thread has; the thread is chosen by its number. */
static void put_numbers(struct table *t, uint32_t row, const struct selection *k, const struct threads_view *v, const struct thread_sum *s,
	thread_id thread)
{
	const struct py_node *first = &v->st->a[s->first];
	int64_t pid = SCOPE_ANY, tid = SCOPE_ANY;
	const char *name = NULL;
	uint32_t label = first->thread != ID_NONE ? first->thread : first->process;
	size_t n = 0;

	if (thread != ID_NONE) {
		pid = k->p->threads[thread].pid;
		tid = k->p->threads[thread].tid;
		name = profile_str(k->p, k->p->threads[thread].name, &n);
	} else if (first->owner != ID_NONE) {
		pid = v->st->threads.a[first->owner].pid;
		tid = v->st->threads.a[first->owner].tid;
		if (first->thread != ID_NONE)
			name = py_thread_name(&v->st->frames.a[v->st->a[first->thread].frame], &n);
		if (!n && label != ID_NONE) {
			name = v->st->frames.a[v->st->a[label].frame].func;
			n = v->st->frames.a[v->st->a[label].frame].func_len;
		}
	}
	if (pid != SCOPE_ANY)
		table_i64(t, row, C_PID, pid);
	if (tid != SCOPE_ANY) {
		table_i64(t, row, C_TID, tid);
		an_ref(t, row, REF_THREAD, k->f->source, pid, tid, C_THREAD);
	}
	if (n)
		table_str(t, row, C_NAME, name, n);
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
	uint32_t user = pytree_user_frame(st, top->node);
	char op[512];

	table_str(t, row, C_FUNCTION, f->func, f->func_len);
	if (f->file_len)
		table_str(t, row, C_FILE, f->file, f->file_len);
	if (f->line > 0)
		table_i64(t, row, C_LINE, f->line);
	table_cstr(t, row, C_OPERATION, pytree_operation(st, &st->a[top->node], op, sizeof(op)));
	table_cstr(t, row, C_STATE, py_state_word(py_state_of(st, &st->a[top->node])));
	table_f64(t, row, C_TOP, (double)top->self / (double)s->total);
	if (user == ID_NONE)
		return;
	f = &st->frames.a[st->a[user].frame];
	table_cstr(t, row, C_USER, f->line > 0 ? arena_printf(&t->arena, "%.*s (%.*s:%lld)", (int)f->func_len, f->func, (int)f->file_len,
		f->file, (long long)f->line) : arena_printf(&t->arena, "%.*s (%.*s)", (int)f->func_len, f->func, (int)f->file_len, f->file));
}

/* "active 3, active+gil 2" */
static void put_states(struct table *t, uint32_t row, const struct thread_sum *s)
{
	char b[96];
	size_t n = 0;
	unsigned kinds = 0;

	for (size_t i = 0; i < N_STATES; i++) {
		if (!s->states[i])
			continue;
		n += (size_t)snprintf(b + n, sizeof(b) - n, "%s%s %lld", kinds ? ", " : "", state_words[i], (long long)s->states[i]);
		kinds++;
	}
	if (kinds && s->total > 1)
		table_str(t, row, C_STATES, b, n);
}

static void put_thread(struct table *t, const struct selection *k, const struct threads_view *v, const struct thread_sum *s)
{
	const struct py_node *first = &v->st->a[s->first];
	thread_id thread = thread_of(v, v->st->split[s->first]);
	uint32_t row = table_row(t);

	put_label(t, row, C_PROC, v->st, first->process);
	put_label(t, row, C_THREAD, v->st, first->thread);
	if (thread != ID_NONE)
		table_cstr(t, row, C_THREAD, arena_printf(&t->arena, "%lld", (long long)k->p->threads[thread].tid));
	if (role_of(k, v, s) != ROLE_N)
		table_cstr(t, row, C_ROLE, role_name(role_of(k, v, s)));
	if (v->st->timed) {
		table_i64(t, row, C_TOTAL, s->total);
		table_i64(t, row, C_WAIT, s->wait);
	}
	table_i64(t, row, C_SAMPLES, v->st->timed ? s->samples : s->total);
	if (s->total > 0)
		table_f64(t, row, C_BUSY, (double)(s->total - s->wait) / (double)s->total);
	if (v->whole > 0)
		table_f64(t, row, C_OF_RUN, (double)(s->total - s->wait) / (double)v->whole);
	put_states(t, row, s);
	if (s->top != ID_NONE)
		put_top(t, row, v, s);
	put_numbers(t, row, k, v, s, thread);
	an_row_source(t, row, k, thread == ID_NONE ? -1 : k->p->threads[thread].pid);
}

static int by_total(uint32_t a, uint32_t b, const void *arg)
{
	const struct thread_sum *s = arg;

	return (s[a].total < s[b].total) - (s[a].total > s[b].total);
}

/* ---- in words ---- */

struct told {
	struct table *t;
	const char *path;
};

static void note_line(void *arg, const char *text)
{
	const struct told *to = arg;

	table_note(to->t, "%s: %s", to->path, text);
}

static void explain_dump(struct table *t, const struct selection *k, const struct pytree *st)
{
	struct pydump d;

	pydump_read(&d, st);
	pydump_say(&d, st, k->p, note_line, &(struct told){ t, k->src->path });
	pydump_fini(&d);
}

/* The workers together: whether more of them would help. */
static void note_workers(struct table *t, const struct selection *k, const struct threads_view *v)
{
	double least = 1, most = 0, sum = 0;
	uint32_t n = 0;
	char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX], c[NUM_TEXT_MAX];

	for (size_t i = 0; i < v->sums.n && v->whole > 0; i++) {
		const struct thread_sum *s = &v->sums.a[i];
		double share = (double)(s->total - s->wait) / (double)v->whole;

		if (role_of(k, v, s) != ROLE_LOADER)
			continue;
		n++;
		sum += share;
		least = share < least ? share : least;
		most = share > most ? share : most;
	}
	if (n)
		table_note(t, ngettext("%s: %u DataLoader worker, busy %s of the recording (from %s to %s)",
			"%s: %u DataLoader workers, busy %s of the recording on average (from %s to %s)", n), k->src->path, n,
			num_pct(sum / n, a), num_pct(least, b), num_pct(most, c));
}

static bool put_threads(struct table *t, const struct selection *k, const struct pytree *st, struct err *e)
{
	struct threads_view v = { .st = st };
	uint32_t *order;

	(void)e;
	index_threads(&v, k);
	for (uint32_t i = 0; i < st->n; i++)
		add_node(&v, i);
	v.whole = !st->sampled ? k->wall : k->p->sampled_wall_ns == NS_UNKNOWN ? 0 : st->wall;
	for (size_t i = 0; i < v.sums.n && st->sampled; i++)
		v.whole = v.sums.a[i].total > v.whole ? v.sums.a[i].total : v.whole;
	order = groups_order((uint32_t)v.sums.n, by_total, v.sums.a);
	for (size_t i = 0; i < v.sums.n; i++)
		put_thread(t, k, &v, &v.sums.a[order[i]]);
	if (k->p->format == FORMAT_PYSPY_DUMP)
		explain_dump(t, k, st);
	else
		note_workers(t, k, &v);
	free(order);
	groups_fini(&v.rows);
	groups_fini(&v.funcs);
	map_fini(&v.by_tid);
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
