/* py_shares.c - shares of a sampler for times of a trace, see py_shares.h */
#include "measure/py_shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/py_threads.h"

__extension__ typedef unsigned __int128 wide;

struct remainder {
	uint64_t rest;
	size_t i;
};

static int by_rest(const void *pa, const void *pb)
{
	const struct remainder *a = pa, *b = pb;

	if (a->rest != b->rest)
		return a->rest > b->rest ? -1 : 1;
	return a->i < b->i ? -1 : 1;
}

void apportion(int64_t whole, const struct py_weight *w, size_t n, int64_t *out)
{
	struct remainder *rest = xreallocarray(NULL, n, sizeof(*rest));
	uint64_t sum = 0;
	int64_t left = whole;

	for (size_t i = 0; i < n; i++)
		sum += (uint64_t)w[i].weight;
	for (size_t i = 0; i < n; i++) {
		wide part = (wide)(uint64_t)whole * (uint64_t)w[i].weight;

		out[i] = (int64_t)(part / sum);
		rest[i] = (struct remainder){ (uint64_t)(part % sum), i };
		left -= out[i];
	}
	/* fewer are left than there are parts: each lacks less than one */
	qsort(rest, n, sizeof(*rest), by_rest);
	for (size_t i = 0; left > 0; i++, left--)
		out[rest[i].i]++;
	free(rest);
}

/* ---- weights ---- */

/* PHASE_N: not a part of a step that anything can be said of. */
static enum phase phase_of_node(const struct pytree *st, const struct py_node *nd)
{
	const struct host_class *hc = pytree_class(st, nd);

	if (nd->import || nd->self <= 0 || st->frames.a[nd->frame].kind == NODE_EMPTY || hc->l1 == L1_SYNC || nd->phase == PHASE_OTHER || nd->letter == 'G' || nd->letter == 'R')
		return PHASE_N;
	return nd->phase == PHASE_N ? PHASE_OTHER : (enum phase)nd->phase;
}

static int by_weight(const void *pa, const void *pb)
{
	const struct py_weight *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

void pyjoin_weigh(struct pyjoin *j, uint32_t of, int64_t pid)
{
	struct py_issuers w = py_issuers_of(&j->st, pid);
	struct groups g = { 0 };
	VEC(uint32_t) at = { 0 };

	if (!j->open)
		return;
	j->same_run = w.process || j->k.src->clock_group == j->k.cx->session->sources[of].clock_group;
	for (int p = 0; p < PHASE_N; p++)
		j->of[p].n = 0;
	for (uint32_t i = 0; i < j->st.n; i++) {
		const struct py_node *nd = &j->st.a[i];
		enum phase p = phase_of_node(&j->st, nd);
		uint32_t n;

		if (p == PHASE_N || !py_issues(&w, &j->st, nd))
			continue;
		n = groups_add(&g, &(struct group_key){ .k = { p, j->st.func_of[nd->frame] } });
		if (n == at.n) {
			VEC_PUSH(&at, (uint32_t)j->of[p].n);
			VEC_PUSH(&j->of[p], (struct py_weight){ i, 0 });
		}
		j->of[p].a[at.a[n]].weight += nd->self;
	}
	for (int p = 0; p < PHASE_N; p++)
		if (j->of[p].n)
			qsort(j->of[p].a, j->of[p].n, sizeof(*j->of[p].a), by_weight);
	groups_fini(&g);
	VEC_FREE(&at);
}

/* Of several forms of one run that which the stacks come from, too. */
static uint32_t first_sampler(const struct an_ctx *cx)
{
	uint32_t n, *src, found = ID_NONE;
	struct scope sc;

	scope_init(&sc);
	src = view_sources(cx, &sc, NEED_STACKS, &n, NULL);
	for (uint32_t i = 0; i < n && found == ID_NONE; i++)
		if (profile_python_samples(cx->facts[src[i]]->p))
			found = src[i];
	free(src);
	return found;
}

bool pyjoin_open(struct pyjoin *j, const struct an_ctx *cx, const struct scope *sc, struct err *e)
{
	uint32_t s = first_sampler(cx);

	memset(j, 0, sizeof(*j));
	if (s == ID_NONE)
		return true;
	scope_init(&j->sc);
	j->sc.roles = sc->roles;
	j->open = true;
	return pytree_pick(&j->k, &j->sc, cx, s, e) && pytree_make(&j->st, &j->k, e);
}

void pyjoin_close(struct pyjoin *j)
{
	for (int p = 0; p < PHASE_N; p++)
		VEC_FREE(&j->of[p]);
	pytree_fini(&j->st);
	selection_fini(&j->k);
	memset(j, 0, sizeof(*j));
}
