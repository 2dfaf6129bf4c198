/*
 * cache.c - the tables of a report: sections of several documents show the same view, which is
 * computed once
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "catalog/views.h"
#include "report/section.h"

struct cached {
	const struct analysis *a;
	struct scope scope;
	struct table *t;
};
struct table_cache {
	VEC(struct cached) v;
};

static const struct table *find(const struct table_cache *c, const struct analysis *a,
				const struct scope *sc)
{
	for (size_t i = 0; i < c->v.n; i++)
		if (c->v.a[i].a == a && !memcmp(&c->v.a[i].scope, sc, sizeof(*sc)))
			return c->v.a[i].t;
	return NULL;
}

const struct table *report_table(struct report *r, const char *view, const struct scope *sc,
				 struct err *e)
{
	const struct analysis *a = analysis_find(view);
	const struct table *known;
	struct cached x = {.a = a};

	if (!a)
		return NULL;
	if (!r->cache)
		r->cache = xcalloc(1, sizeof(*r->cache));
	known = find(r->cache, a, sc);
	if (known)
		return known;
	if (job_cancelled(r->cx->job)) {
		err_set(e, ERR_CANCELLED, "cancelled");
		return NULL;
	}
	memcpy(&x.scope, sc, sizeof(x.scope)); /* with its padding: scopes are compared by bytes */
	x.t = analysis_table(a, r->cx, sc, e);
	if (!x.t)
		return NULL;
	VEC_PUSH(&r->cache->v, x);
	return x.t;
}

void table_cache_free(struct table_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->v.n; i++)
		table_free(c->v.a[i].t);
	VEC_FREE(&c->v);
	free(c);
}
