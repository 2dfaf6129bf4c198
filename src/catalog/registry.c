/* registry.c - the list of all views, see views.h */
#include "catalog/views.h"

#include <string.h>

const struct analysis *const analyses[] = {
#define V(name) &an_##name,
	VIEWS(V)
#undef V
		NULL};

const struct analysis *analysis_find(const char *id)
{
	for (const struct analysis *const *a = analyses; *a; a++)
		if (!strcmp((*a)->id, id))
			return *a;
	return NULL;
}

struct an_ctx *an_ctx_new(const struct session *s, const struct rulebook *r, struct job *job,
			  const struct an_ctx *reuse)
{
	return context_new(
		s,
		&(struct an_parts){.rules = r->names, .findings = r->findings, .views = analyses},
		job, reuse);
}

struct an_ctx *an_ctx_bare(const struct session *s, const struct rulebook *r, struct job *job)
{
	return context_bare(
		s,
		&(struct an_parts){.rules = r->names, .findings = r->findings, .views = analyses},
		job);
}
