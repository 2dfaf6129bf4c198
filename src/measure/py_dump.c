/* py_dump.c - where the threads of a hung job wait, see py_dump.h */
#include "measure/py_dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "measure/py_threads.h"

enum { PLACES_SAID = 4, HOLDERS_SAID = 3 };

static const struct {
	const char *word, *what;	/* what: behind "function: operation; " */
} states[STATE_N] = {
	[STATE_COLLECTIVE] = { "collective", N_("inside a collective, which ends when every rank has entered it") },
	[STATE_DEVICE] = { "device", N_("waiting for the GPU") },
	[STATE_DATA] = { "data", N_("waiting in the data loader, for a batch or for work") },
	[STATE_QUEUE] = { "queue", N_("waiting for a queue, a pipe or another process") },
	[STATE_LOCK] = { "lock", N_("waiting for a lock, an event or another thread") },
	[STATE_ENGINE] = { "autograd", N_("waiting for autograd's threads") },
	[STATE_IDLE] = { "idle", N_("idle: waiting in the system") },
	[STATE_GIL] = { "gil", N_("running with the GIL") },
	[STATE_RUNS] = { "runs", N_("running without the GIL, or waiting for it") },
};

const char *py_state_word(enum py_state s)
{
	return states[s].word;
}

static bool label_says(const struct pytree *st, const struct py_node *nd, const char *state)
{
	size_t n = 0;
	const char *s = nd->thread == ID_NONE ? "" : py_thread_state(&st->frames.a[st->a[nd->thread].frame], &n);

	return n == strlen(state) && !memcmp(s, state, n);
}

static enum py_state state_of_sync(const char *level2)
{
	static const struct { const char *word; enum py_state state; } words[] = {
		{ "autograd engine", STATE_ENGINE }, { "thread wait", STATE_LOCK }, { "queue", STATE_QUEUE }, { "barrier", STATE_COLLECTIVE },
		{ "all-gather", STATE_COLLECTIVE },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(level2, words[i].word))
			return words[i].state;
	return STATE_DEVICE;
}

enum py_state py_state_of(const struct pytree *st, const struct py_node *nd)
{
	const struct host_class *hc = pytree_class(st, nd);
	bool idle = label_says(st, nd, "idle");

	if (nd->decides != ID_NONE && hc->l1 == L1_COMM)
		return STATE_COLLECTIVE;
	if (nd->decides != ID_NONE && hc->l1 == L1_SYNC) {
		enum py_state s = state_of_sync(hc->level2);

		/* the lock of the loader's queue */
		return nd->loads && (s == STATE_LOCK || s == STATE_QUEUE) ? STATE_DATA : s;
	}
	if (nd->decides != ID_NONE && (idle || strstr(hc->level2, "wait"))) {
		if (hc->dataload)
			return STATE_DATA;
		if (strstr(hc->level2, "waiting for backward"))
			return STATE_ENGINE;
	}
	return idle ? STATE_IDLE : label_says(st, nd, "active+gil") ? STATE_GIL : STATE_RUNS;
}

bool py_waits(const struct pytree *st, const struct py_node *nd)
{
	enum py_state s = py_state_of(st, nd);

	return s == STATE_COLLECTIVE ? label_says(st, nd, "idle") || strstr(pytree_class(st, nd)->level2, "wait") || pytree_class(st, nd)->l1 == L1_SYNC :
		s != STATE_GIL && s != STATE_RUNS;
}

/* ---- places ---- */

static int by_threads(const void *pa, const void *pb)
{
	const struct py_place *a = pa, *b = pb;

	if (a->threads != b->threads)
		return a->threads > b->threads ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* The node that each thread has most samples of its own in, ID_NONE none. */
static uint32_t *tops_of_threads(const struct pytree *st)
{
	uint32_t *top = xreallocarray(NULL, st->threads.n ? st->threads.n : 1, sizeof(*top));

	memset(top, 0xff, st->threads.n * sizeof(*top));
	for (uint32_t i = 0; i < st->n; i++) {
		const struct py_node *nd = &st->a[i];
		uint32_t *t = nd->owner == ID_NONE ? NULL : &top[nd->owner];

		if (t && nd->self > 0 && (*t == ID_NONE || nd->self > st->a[*t].self))
			*t = i;
	}
	return top;
}

static void add_pid(struct py_place *p, int64_t pid)
{
	size_t n = strlen(p->pids);

	if (pid == SCOPE_ANY || n > sizeof(p->pids) - 24)
		return;
	snprintf(p->pids + n, sizeof(p->pids) - n, "%s%" PRId64, n ? ", " : "", pid);
}

static void add_thread(struct pydump *d, struct groups *g, const struct pytree *st, uint32_t node)
{
	const struct py_node *nd = &st->a[node];
	enum py_state s = py_state_of(st, nd);
	uint32_t i = groups_add(g, &(struct group_key){ .k = { st->func_of[nd->frame], s } });

	if (i == d->places.n)
		VEC_PUSH(&d->places, (struct py_place){ .node = node, .state = s });
	d->places.a[i].threads++;
	d->by_state[s]++;
	d->threads++;
	add_pid(&d->places.a[i], st->threads.a[nd->owner].pid);
}

/* ---- threads that do the same work ---- */

enum { WORK_UNKNOWN = ID_NONE, WORK_LAUNCHER = ID_NONE - 1 };

/*
 * What a main thread is at work on: the script at the root of its stack, or the function that its process was started for (_bootstrap calls
 * run, and that the function); as in st->func_of. A launcher waits for the processes that it started.
 */
static uint32_t work_of(const struct pytree *st, uint32_t node)
{
	uint32_t root = WORK_UNKNOWN, called = ID_NONE, called_by_run = ID_NONE;

	for (; node != ID_NONE && st->a[node].owner != ID_NONE; node = pytree_caller(st, node)) {
		const struct py_frame *f = &st->frames.a[st->a[node].frame];

		if (f->kind == NODE_THREAD)
			break;
		if (!strncmp(f->hc.level2, "launcher", 8))
			return WORK_LAUNCHER;
		if (f->hc.entry && called_by_run != ID_NONE)
			root = st->func_of[st->a[called_by_run].frame];
		else if (f->body)
			root = st->func_of[st->a[node].frame];
		called_by_run = called;
		called = node;
	}
	return root;
}

/* The work that more main threads do than any other; WORK_UNKNOWN: none is done by two, or several by as many. */
static uint32_t common_work(const uint32_t *work, size_t n, uint32_t n_funcs)
{
	uint32_t *count = xcalloc(n_funcs + 1, sizeof(*count)), best = WORK_UNKNOWN, most = 1;

	for (size_t i = 0; i < n; i++)
		if (work[i] < n_funcs)
			count[work[i]]++;
	for (uint32_t i = 0; i < n_funcs; i++) {
		if (count[i] < most || count[i] < 2)
			continue;
		best = count[i] == most ? WORK_UNKNOWN : i;
		most = count[i];
	}
	free(count);
	return best;
}

/* Of main threads, top[] of those that do other work than most becomes ID_NONE. */
static void set_aside(struct pydump *d, const struct pytree *st, uint32_t *top)
{
	size_t n = st->threads.n, launchers = 0, known = 0;
	uint32_t *work = xcalloc(n ? n : 1, sizeof(*work)), common;

	for (size_t i = 0; i < n; i++) {
		if (st->threads.a[i].role != ROLE_MAIN)
			top[i] = ID_NONE;
		work[i] = top[i] == ID_NONE ? WORK_UNKNOWN : work_of(st, top[i]);
		launchers += work[i] == WORK_LAUNCHER;
		known += top[i] != ID_NONE;
	}
	common = common_work(work, n, st->n_funcs);
	for (size_t i = 0; i < n && launchers < known; i++) {
		bool other = work[i] == WORK_LAUNCHER || (common != WORK_UNKNOWN && work[i] != WORK_UNKNOWN && work[i] != common);

		d->alike &= other || work[i] == WORK_UNKNOWN || work[i] == common;
		if (!other)
			continue;
		top[i] = ID_NONE;
		d->aside++;
	}
	free(work);
}

void pydump_read(struct pydump *d, const struct pytree *st)
{
	struct groups g = { 0 };
	uint32_t *top = tops_of_threads(st);

	*d = (struct pydump){ .alike = true };
	for (size_t i = 0; i < st->threads.n; i++)
		d->mains |= st->threads.a[i].role == ROLE_MAIN;
	if (d->mains)
		set_aside(d, st, top);
	for (size_t i = 0; i < st->threads.n; i++)
		if (top[i] != ID_NONE)
			add_thread(d, &g, st, top[i]);
	if (d->places.n)
		qsort(d->places.a, d->places.n, sizeof(*d->places.a), by_threads);
	groups_fini(&g);
	free(top);
}

void pydump_fini(struct pydump *d)
{
	VEC_FREE(&d->places);
}

/* ---- sentences ---- */

/* "func (file.py:12)", by the line that ran. */
static void put_place(struct sbuf *b, const struct pytree *st, const struct profile *p, uint32_t node)
{
	const struct py_frame *f = &st->frames.a[st->a[node].frame];
	int64_t line = pytree_ran(p, &st->a[node]);

	sbuf_put(b, f->func, f->func_len);
	if (!f->file_len)
		return;
	sbuf_printf(b, " (%.*s", (int)f->file_len, f->file);
	if (line > 0)
		sbuf_printf(b, ":%" PRId64, line);
	sbuf_puts(b, ")");
}

static void say_place(const struct pydump *d, const struct py_place *x, const struct pytree *st, const struct profile *p, struct sbuf *b)
{
	uint32_t user = pytree_user_frame(st, x->node);
	char op[512];

	sbuf_reset(b);
	sbuf_printf(b, d->mains ? ngettext("%u of %u main thread is in ", "%u of %u main threads are in ", d->threads) :
		ngettext("%u of %u thread is in ", "%u of %u threads are in ", d->threads), x->threads, d->threads);
	put_place(b, st, p, x->node);
	if (user != ID_NONE && user != x->node) {
		sbuf_puts(b, _(", called from "));
		put_place(b, st, p, user);
	}
	sbuf_printf(b, ": %s; %s", pytree_operation(st, &st->a[x->node], op, sizeof(op)), _(states[x->state].what));
	if (x->pids[0])
		sbuf_printf(b, _(" (pid %s)"), x->pids);
}

/* Of the threads that are not told as places: who holds a GIL. */
static void say_holders(const struct pydump *d, const struct pytree *st, const struct profile *p, struct sbuf *b,
	void (*line)(void *arg, const char *text), void *arg)
{
	uint32_t *top = tops_of_threads(st), said = 0;

	for (size_t i = 0; i < st->threads.n && said < HOLDERS_SAID; i++) {
		const struct py_node *nd = top[i] == ID_NONE ? NULL : &st->a[top[i]];

		if (!nd || nd->thread == ID_NONE || !label_says(st, nd, "active+gil") || !d->mains || st->threads.a[i].role == ROLE_MAIN)
			continue;
		sbuf_reset(b);
		sbuf_printf(b, _("the GIL is held by %.*s, in "), (int)st->frames.a[st->a[nd->thread].frame].func_len,
			st->frames.a[st->a[nd->thread].frame].func);
		put_place(b, st, p, top[i]);
		line(arg, sbuf_str(b));
		said++;
	}
	free(top);
}

void pydump_say(const struct pydump *d, const struct pytree *st, const struct profile *p, void (*line)(void *arg, const char *text), void *arg)
{
	struct sbuf b = { 0 };
	uint32_t inside = d->by_state[STATE_COLLECTIVE];

	for (size_t i = 0; i < d->places.n && i < PLACES_SAID; i++) {
		say_place(d, &d->places.a[i], st, p, &b);
		line(arg, sbuf_str(&b));
	}
	if (d->aside) {
		sbuf_reset(&b);
		sbuf_printf(&b, ngettext("%u main thread does other work, as a launcher or a helper: it is left out",
			"%u main threads do other work, as launchers or helpers: they are left out", d->aside), d->aside);
		line(arg, sbuf_str(&b));
	}
	say_holders(d, st, p, &b, line, arg);
	if (inside && inside < d->threads) {
		sbuf_reset(&b);
		sbuf_printf(&b, ngettext("the collective waits for the %u thread that is not in one: look there first",
			"the collective waits for the %u threads that are not in one: look there first", d->threads - inside), d->threads - inside);
		line(arg, sbuf_str(&b));
	} else if (d->alike && d->places.n > 1 && d->places.a[0].threads > d->places.a[d->places.n - 1].threads) {
		line(arg, _("the place of the fewest is where to look: the others may wait for it"));
	}
	sbuf_fini(&b);
}
