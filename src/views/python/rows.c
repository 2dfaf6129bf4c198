/* rows.c - times by step and phase, and their rows, see rows.h */
#include "views/python/rows.h"

#include <stdlib.h>

#include "base/mem.h"

static uint32_t pool_of(struct py_pools *p, int64_t split)
{
	uint32_t i = groups_add(&p->g, &(struct group_key){ .k = { (uint64_t)split } });

	if (i == p->a.n)
		VEC_PUSH(&p->a, (struct py_pool){ .split = split });
	return i;
}

struct py_piece py_cut(struct py_pools *p, const struct facts *f, uint32_t proc, ns_t start, ns_t end)
{
	ns_t step = split_edge(f, proc, p->k->sc->by, start), phase = split_edge(f, proc, BY_PHASE, start), to = step < phase ? step : phase;
	bool known = proc != ID_NONE && f->procs[proc].n_phases;

	return (struct py_piece){ pool_of(p, split_proc(f, proc, p->k->sc->by, start)), known ? facts_phase_at(f, proc, start) : PHASE_OTHER,
		start, to < end ? to : end };
}

static void add_piece(struct py_pools *p, struct py_piece x, ns_t ns)
{
	p->a.a[x.pool].ns[x.phase] += ns;
	p->a.a[x.pool].whole += ns;
	p->whole += ns;
}

void py_pools_add(struct py_pools *p, const struct facts *f, uint32_t proc, ns_t start, ns_t end)
{
	while (start < end) {
		struct py_piece x = py_cut(p, f, proc, start, end);

		add_piece(p, x, x.end - start);
		start = x.end;
	}
}

void py_pools_add_at(struct py_pools *p, const struct facts *f, uint32_t proc, ns_t at, ns_t ns)
{
	add_piece(p, py_cut(p, f, proc, at, at + 1), ns);
}

void py_pools_fini(struct py_pools *p)
{
	VEC_FREE(&p->a);
	groups_fini(&p->g);
}

static int by_split(uint32_t a, uint32_t b, const void *arg)
{
	const struct py_pool *x = arg;

	return split_cmp(x[a].split, x[b].split);
}

uint32_t *py_pools_order(const struct py_pools *p)
{
	return groups_order((uint32_t)p->a.n, by_split, p->a.a);
}

/* ---- rows ---- */

uint32_t py_put_row(struct table *t, const struct py_pools *p, const struct py_pool *x, enum phase phase, ns_t ns, const char *basis)
{
	uint32_t row = table_row(t);

	split_set(t, row, PY_BY, p->k, x->split);
	if (p->part)
		table_cstr(t, row, PY_PART, p->part);
	else
		table_i64(t, row, PY_PART, p->device);
	table_cstr(t, row, PY_PHASE, phase_name(phase));
	table_i64(t, row, PY_TIME, ns);
	if (x->whole > 0)
		table_share(t, row, PY_SHARE, (double)ns, (double)x->whole);
	if (basis)
		table_cstr(t, row, PY_BASIS, basis);
	an_row_source(t, row, p->k, p->pid);
	return row;
}

void py_put_node(struct table *t, uint32_t row, const struct pytree *st, uint32_t node, const char *sampler)
{
	const struct py_node *nd = &st->a[node];
	const struct py_frame *f = &st->frames.a[nd->frame];
	char letter[2] = { nd->letter, '\0' }, op[512];

	if (letter[0])
		table_cstr(t, row, PY_FRAMEWORK, letter);
	table_str(t, row, PY_FUNCTION, f->func, f->func_len);
	if (f->file_len)
		table_str(t, row, PY_FILE, f->file, f->file_len);
	if (f->line > 0)
		table_i64(t, row, PY_LINE, f->line);
	table_cstr(t, row, PY_OPERATION, pytree_operation(st, nd, op, sizeof(op)));
	table_cstr(t, row, PY_SAMPLER, sampler);
}

/* The phase with the next most time: the first of those that are left in `todo`. */
static enum phase next_phase(const struct py_pool *p, unsigned todo)
{
	enum phase best = PHASE_N;

	for (enum phase ph = PHASE_DATALOAD; ph < PHASE_N; ph++)
		if (todo >> ph & 1 && (best == PHASE_N || p->ns[ph] > p->ns[best]))
			best = ph;
	return best;
}

static void estimate(struct table *t, const struct py_pools *p, const struct py_pool *x, const struct pyjoin *j)
{
	enum phase ph;

	for (unsigned todo = (1u << PHASE_N) - 1; (ph = next_phase(x, todo)) != PHASE_N; todo &= ~(1u << ph)) {
		size_t n = j->of[ph].n;
		int64_t *part = xcalloc(n ? n : 1, sizeof(*part));

		if (x->ns[ph] && !n)
			py_put_row(t, p, x, ph, x->ns[ph], NULL);
		else if (x->ns[ph])
			apportion(x->ns[ph], j->of[ph].a, n, part);
		for (size_t i = 0; i < n && x->ns[ph]; i++)
			if (part[i])
				py_put_node(t, py_put_row(t, p, x, ph, part[i], _("sampled estimate")), &j->st, j->of[ph].a[i].node, j->k.src->path);
		free(part);
	}
}

void py_put_estimates(struct table *t, const struct py_pools *p, const struct pyjoin *j)
{
	uint32_t *order = py_pools_order(p);

	for (size_t i = 0; i < p->a.n; i++)
		estimate(t, p, &p->a.a[order[i]], j);
	free(order);
}
