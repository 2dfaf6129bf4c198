/* context.c - what analyses share, and running one: see analysis.h */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/lazy.h"
#include "base/mem.h"
#include "facts/facts.h"
#include "scope/analysis.h"

/* Facts of an earlier context are shared where the profile is still the same one. */
static struct facts *take_facts(const struct an_ctx *old, uint32_t i, const struct profile *p)
{
	if (!old || i >= old->session->n_sources || !old->facts[i] || old->facts[i]->p != p)
		return NULL;
	return facts_ref(old->facts[i]);
}

struct an_ctx *context_bare(const struct session *s, const struct an_parts *of, struct job *job)
{
	struct an_ctx *cx = xcalloc(1, sizeof(*cx));

	cx->session = s;
	cx->rules = of->rules;
	cx->findings = of->findings;
	cx->views = of->views;
	cx->job = job;
	cx->origin = cx;
	cx->facts = xcalloc(s->n_sources, sizeof(*cx->facts));
	return cx;
}

struct an_ctx *context_new(const struct session *s, const struct an_parts *of, struct job *job, const struct an_ctx *reuse)
{
	struct an_ctx *cx = context_bare(s, of, job);

	cx->memo = xcalloc(1, sizeof(*cx->memo));
	lazy_init(cx->memo);
	for (uint32_t i = 0; i < s->n_sources; i++) {
		struct profile *p = s->sources[i].profile;

		if (!p)
			continue;
		cx->facts[i] = take_facts(reuse, i, p);
		if (!cx->facts[i])
			cx->facts[i] = facts_new(of->rules, p, i);
	}
	return cx;
}

void an_ctx_free(struct an_ctx *cx)
{
	if (!cx)
		return;
	if (cx->memo)
		lazy_fini(cx->memo);
	free(cx->memo);
	for (uint32_t i = 0; i < cx->session->n_sources; i++)
		facts_free(cx->facts[i]);
	free(cx->facts);
	free(cx);
}

const struct analysis *context_view(const struct an_ctx *cx, const char *id)
{
	const struct analysis *const *a = cx->views;

	while (*a && strcmp((*a)->id, id) != 0)
		a++;
	return *a;
}

/* Which rows of how many a page shows. */
static void note_page(struct table *t)
{
	uint64_t last = t->row_from + t->n_rows;

	if (!t->row_max || t->rows_seen <= t->row_max)
		return;
	table_note(t, _("rows %llu to %llu of %llu: order, filter and search look at these; go on below the last one for more"),
		(unsigned long long)t->row_from + (last > t->row_from), (unsigned long long)last, (unsigned long long)t->rows_seen);
}

struct table *analysis_chunks(const struct analysis *a, const struct an_ctx *cx, const struct scope *sc, table_take_fn take, void *arg,
	struct err *e)
{
	struct table *t = table_new(a->id, a->cols, a->n_cols);

	t->take = take;
	t->take_arg = arg;
	if (a->pages && sc->page) {
		t->row_max = SCOPE_PAGE_ROWS;
		t->row_from = (uint64_t)(sc->page - 1) * SCOPE_PAGE_ROWS;
	}
	if (a->run(cx, sc, t, e)) {
		note_page(t);
		return t;
	}
	table_free(t);
	return NULL;
}

struct table *analysis_table(const struct analysis *a, const struct an_ctx *cx, const struct scope *sc, struct err *e)
{
	return analysis_chunks(a, cx, sc, NULL, NULL, e);
}
