/* py_threads.c - which thread of a sampler is for what, see py_threads.h */
#include "measure/py_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- labels ---- */

const char *py_thread_state(const struct py_frame *f, size_t *n)
{
	const char *open = f->func_len ? memrchr(f->func, '[', f->func_len) : NULL;

	*n = open && f->func[f->func_len - 1] == ']' ? (size_t)(f->func + f->func_len - 1 - (open + 1)) : 0;
	return open ? open + 1 : f->func;
}

const char *py_thread_name(const struct py_frame *f, size_t *n)
{
	size_t state_n, end = f->func_len;
	const char *state = py_thread_state(f, &state_n), *at = f->func_len ? memmem(f->func, f->func_len, "): ", 3) : NULL;

	if (state_n)
		end = (size_t)(state - 1 - f->func);
	while (end && f->func[end - 1] == ' ')
		end--;
	if (!at && f->func_len > 7 && (!memcmp(f->func, "thread (", 8) || !memcmp(f->func, "Thread ", 7)))
		end = 0;	/* a number is no name */
	at = at ? at + 3 : f->func;
	*n = at < f->func + end ? (size_t)(f->func + end - at) : 0;
	return at;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "12", "0x1FA08F100", and austin's 7f01 without a mark; SCOPE_ANY: no number. */
static int64_t number(const char *s, size_t n)
{
	bool hex = n > 2 && s[0] == '0' && s[1] == 'x';
	size_t i = hex ? 2 : 0, from = i;
	uint64_t v = 0;

	for (size_t k = i; k < n && hex_digit(s[k]) >= 0; k++)
		hex |= hex_digit(s[k]) > 9;
	for (; i < n && i - from < 16 && hex_digit(s[i]) >= 0; i++)
		v = v * (hex ? 16 : 10) + (uint64_t)hex_digit(s[i]);
	return i == from || v > INT64_MAX ? SCOPE_ANY : (int64_t)v;
}

static int64_t label_number(const struct pytree *st, uint32_t node)
{
	static const char *const words[] = { "thread (", "Thread ", "process ", "Process ", "T", "P" };
	const struct py_frame *f = node == ID_NONE ? NULL : &st->frames.a[st->a[node].frame];

	for (size_t i = 0; f && i < sizeof(words) / sizeof(*words); i++) {
		size_t k = strlen(words[i]);

		if (f->func_len > k && !memcmp(f->func, words[i], k)) {
			/* austin: the interpreter's number stands before that of the thread */
			const char *colon = k == 1 ? memchr(f->func, ':', f->func_len) : NULL;

			k = colon ? (size_t)(colon + 1 - f->func) : k;
			return number(f->func + k, f->func_len - k);
		}
	}
	return SCOPE_ANY;
}

/* ---- roles ---- */

struct py_threads_votes {
	bool worker, pin, background, backward, script;
	uint32_t process;
};

static bool does(const struct pytree *st, const struct py_node *nd, const char *what)
{
	return nd->decides == nd->frame && !strncmp(pytree_class(st, nd)->level2, what, strlen(what));
}

/* The body of a module at the root of the stack, but for what runs modules. */
static bool is_script(const struct pytree *st, const struct py_node *nd)
{
	const struct py_frame *f = &st->frames.a[nd->frame];

	if (!f->body)
		return false;
	while (nd->parent != ID_NONE) {
		nd = &st->a[nd->parent];
		f = &st->frames.a[nd->frame];
		if (f->kind == NODE_THREAD || f->kind == NODE_PROCESS)
			return true;
		if (!f->runs)
			return false;
	}
	return true;
}

static void vote(struct py_threads_votes *v, const struct pytree *st, const struct py_node *nd)
{
	v->worker |= does(st, nd, "DataLoader worker") && !does(st, nd, "DataLoader worker start");
	v->pin |= does(st, nd, "pin_memory thread");
	v->background |= does(st, nd, "background (");
	v->script |= is_script(st, nd);
	v->backward |= nd->phase == PHASE_BACKWARD || nd->phase == PHASE_RECOMPUTE || nd->letter == 'B';
}

static enum role by_name(const struct rules *r, const struct py_frame *f)
{
	size_t n = 0;
	const char *s = f ? py_thread_name(f, &n) : NULL, *word = n ? rules_thread_role(r, s, n) : NULL;

	if (word && role_by_name(word, strlen(word)) < ROLE_N)
		return role_by_name(word, strlen(word));
	return n ? ROLE_OTHER : ROLE_N;
}

/*
 * A worker is what runs a worker's loop, though its thread is the main one of its process. Of threads without a name the one with the number
 * of its process is the main one (Linux), and work of backward says that others are autograd's. pyinstrument looks at the one thread
 * that started it.
 */
static enum role role_of(const struct pytree *st, const struct selection *k, uint32_t thread, uint32_t process, const struct py_threads_votes *v)
{
	enum role named = by_name(k->cx->rules, thread == ID_NONE ? NULL : &st->frames.a[st->a[thread].frame]);
	int64_t tid = label_number(st, thread);

	if (v->worker || v->pin)
		return v->worker ? ROLE_LOADER : ROLE_PIN;
	if (v->background)
		return named == ROLE_WATCHDOG ? named : ROLE_OTHER;
	if (named == ROLE_N && tid != SCOPE_ANY && tid == label_number(st, process))
		return ROLE_MAIN;
	if (named == ROLE_N && thread != ID_NONE && v->backward)
		return ROLE_AUTOGRAD;
	return thread == ID_NONE && source_format_pyi(k->p->format) && k->p->format != FORMAT_SPEEDSCOPE ? ROLE_MAIN : named;
}

struct py_threads_sampled_process {
	uint32_t scripts, script;	/* threads that run a script, the last of them */
	bool main, autograd;
};

/*
 * What threads tell of each other, process by process: the only one that runs a script is the main thread where none is called so, and
 * whether there are threads of autograd's.
 */
static void judge_processes(struct pytree *st, const struct py_threads_votes *v, size_t n)
{
	struct groups g = { 0 };
	VEC(struct py_threads_sampled_process) procs = { 0 };
	uint32_t *of = xcalloc(n ? n : 1, sizeof(*of));

	for (size_t i = 0; i < n; i++) {
		struct py_threads_sampled_process *p;

		of[i] = groups_add(&g, &(struct group_key){ .k = { v[i].process } });
		if (of[i] == procs.n)
			VEC_PUSH(&procs, (struct py_threads_sampled_process){ 0 });
		p = &procs.a[of[i]];
		p->main |= st->threads.a[i].role == ROLE_MAIN;
		if (v[i].script && !v[i].worker && !v[i].pin) {
			p->script = (uint32_t)i;
			p->scripts++;
		}
	}
	for (size_t i = 0; i < procs.n; i++)
		if (!procs.a[i].main && procs.a[i].scripts == 1)
			st->threads.a[procs.a[i].script].role = ROLE_MAIN;
	for (size_t i = 0; i < n; i++)
		procs.a[of[i]].autograd |= st->threads.a[i].role == ROLE_AUTOGRAD;
	for (size_t i = 0; i < n; i++)
		st->threads.a[i].autograd = procs.a[of[i]].autograd;
	groups_fini(&g);
	VEC_FREE(&procs);
	free(of);
}

/* Of several dumps a thread has a label for each of its states; it is one thread. */
static uint32_t add_owner(struct groups *g, const struct pytree *st, const struct py_node *nd)
{
	const struct py_frame *f = nd->thread == ID_NONE ? NULL : &st->frames.a[st->a[nd->thread].frame];
	size_t n = 0;
	const char *state = f ? py_thread_state(f, &n) : NULL;

	if (!n)
		return groups_add(g, &(struct group_key){ .k = { nd->thread, nd->process } });
	return groups_add(g, &(struct group_key){ .k = { 0, nd->process, 1 }, .name = f->func, .name_len = (size_t)(state - f->func) });
}

void pytree_roles(struct pytree *st, const struct selection *k)
{
	struct groups g = { 0 };
	VEC(struct py_threads_votes) votes = { 0 };
	VEC(uint32_t) first = { 0 };

	if (!st->sampled)
		return;
	for (uint32_t i = 0; i < st->n; i++) {
		struct py_node *nd = &st->a[i];
		uint32_t kind = st->frames.a[nd->frame].kind;

		if (kind == NODE_PROCESS)
			continue;
		nd->owner = add_owner(&g, st, nd);
		if (nd->owner == votes.n) {
			VEC_PUSH(&votes, (struct py_threads_votes){ .process = nd->process });
			VEC_PUSH(&first, i);
		}
		vote(&votes.a[nd->owner], st, nd);
	}
	for (size_t i = 0; i < votes.n; i++) {
		const struct py_node *nd = &st->a[first.a[i]];

		VEC_PUSH(&st->threads, (struct py_thread){ label_number(st, nd->process), label_number(st, nd->thread),
			role_of(st, k, nd->thread, nd->process, &votes.a[i]), false });
	}
	judge_processes(st, votes.a, votes.n);
	groups_fini(&g);
	VEC_FREE(&votes);
	VEC_FREE(&first);
}

/* ---- whose samples ---- */

static bool of_process(const struct py_issuers *w, const struct py_thread *t)
{
	return !w->process || t->pid == w->pid;
}

struct py_issuers py_issuers_of(const struct pytree *st, int64_t pid)
{
	struct py_issuers w = { .pid = pid };

	for (size_t i = 0; i < st->threads.n && pid >= 0; i++)
		w.process |= st->threads.a[i].pid == pid;
	for (size_t i = 0; i < st->threads.n; i++)
		w.main |= of_process(&w, &st->threads.a[i]) && st->threads.a[i].role == ROLE_MAIN;
	return w;
}

bool py_issues(const struct py_issuers *w, const struct pytree *st, const struct py_node *nd)
{
	const struct py_thread *t = nd->owner == ID_NONE ? NULL : &st->threads.a[nd->owner];

	if (!t || !of_process(w, t))
		return false;
	if (w->main)
		return t->role == ROLE_MAIN || t->role == ROLE_AUTOGRAD;
	return t->role != ROLE_LOADER && t->role != ROLE_PIN && t->role != ROLE_WATCHDOG;
}

/* ---- a choice of threads ---- */

static bool chosen(const struct scope *sc, const struct py_thread *t)
{
	return (!sc->roles || (t->role < ROLE_N && sc->roles >> t->role & 1)) && (sc->tid == SCOPE_ANY || t->tid == sc->tid) &&
		(sc->pid == SCOPE_ANY || t->pid == SCOPE_ANY || t->pid == sc->pid);
}

/* What stays: nodes of chosen threads and the processes above them. Children stand behind their parents. */
static void mark(struct pytree *st, const struct scope *sc, bool *stays)
{
	for (uint32_t i = st->n; i-- > 0;) {
		struct py_node *nd = &st->a[i];

		if (nd->owner != ID_NONE)
			stays[i] = chosen(sc, &st->threads.a[nd->owner]);
		if (nd->parent != ID_NONE && stays[i])
			stays[nd->parent] |= st->a[nd->parent].owner == ID_NONE;
		if (nd->owner == ID_NONE)
			nd->total = nd->count = 0;
	}
	for (uint32_t i = st->n; i-- > 0;) {
		const struct py_node *nd = &st->a[i];
		struct py_node *up = nd->parent == ID_NONE ? NULL : &st->a[nd->parent];

		if (!stays[i] || !up || up->owner != ID_NONE)
			continue;
		up->total += nd->total;
		up->count = nd->count == I64_UNKNOWN || up->count == I64_UNKNOWN ? I64_UNKNOWN : up->count + nd->count;
	}
}

void pytree_narrow(struct pytree *st, const struct scope *sc)
{
	bool *stays;
	uint32_t *to, n = 0;

	if (!st->sampled || !scope_of_threads(sc))
		return;
	stays = xcalloc(st->n, sizeof(*stays));
	to = xcalloc(st->n, sizeof(*to));
	mark(st, sc, stays);
	for (uint32_t i = 0; i < st->n; i++) {
		struct py_node nd = st->a[i];

		to[i] = n;
		if (!stays[i])
			continue;
		nd.parent = nd.parent == ID_NONE ? ID_NONE : to[nd.parent];
		nd.thread = nd.thread == ID_NONE ? ID_NONE : to[nd.thread];
		nd.process = nd.process == ID_NONE ? ID_NONE : to[nd.process];
		st->split[n] = st->split[i];
		st->a[n++] = nd;
	}
	st->n = n;
	free(stays);
	free(to);
}
