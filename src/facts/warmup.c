/*
 * warmup.c - what shows that a step was one of warming up: see parts.h, definitions.md section 4
 *
 * All events that show it are listed once, by layer and start, so that a step is a binary search however many tracks there are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/search.h"
#include "base/vec.h"
#include "facts/parts.h"

/* In the order in which they are asked; the first two hold calls. */
static const enum layer layers[] = { LAYER_RUNTIME, LAYER_OVERHEAD, LAYER_OP, LAYER_ANNOT };
#define N_LAYERS (sizeof(layers) / sizeof(*layers))
#define N_CALLS 2

struct sign {
	ns_t start;
	ev_id event;
	const char *why;
};

struct warmup {
	VEC(struct sign) of[N_LAYERS];	/* by start */
};

/* What start-up work a runtime call shows, NULL for none. */
static const char *startup_evidence(const char *s, size_t n)
{
	static const struct { const char *word, *why; } table[] = {
		{ "ModuleLoad", N_("module load") }, { "LibraryLoad", N_("module load") }, { "cudaMalloc", N_("cudaMalloc") },
		{ "hipMalloc", N_("hipMalloc") }, { "hipModuleLoad", N_("module load") }, { "GraphInstantiate", N_("graph instantiation") },
		{ "Lazy Function Loading", N_("module load") },
	};
	size_t base = rules_runtime_base(s, n);

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		bool whole = !strcmp(table[i].word, "cudaMalloc") || !strcmp(table[i].word, "hipMalloc");

		if (whole ? base == strlen(table[i].word) && !memcmp(s, table[i].word, base) :
			memmem(s, n, table[i].word, strlen(table[i].word)) != NULL)
			return table[i].why;
	}
	return NULL;
}

/* The same for an op or annotation. */
static const char *compile_evidence(const char *s, size_t n)
{
	return memmem(s, n, "dynamo_timed", 12) ? N_("compile") : memmem(s, n, "autotun", 7) ? N_("autotune") : NULL;
}

static int sign_cmp(const void *pa, const void *pb)
{
	const struct sign *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->event > b->event) - (a->event < b->event);
}

static void list_layer(struct warmup *w, const struct facts *f, size_t l, const char **why)
{
	const struct profile *p = f->p;

	for (str_id id = 0; id < p->n_strs; id++) {
		size_t n;
		const char *s = profile_str(p, id, &n);

		why[id] = l < N_CALLS ? startup_evidence(s, n) : compile_evidence(s, n);
	}
	for (ev_id e = p->layer_first[layers[l]]; e < p->layer_first[layers[l] + 1]; e++) {
		const char *of_name = p->name[e] < p->n_strs ? why[p->name[e]] : NULL;
		bool loads = layers[l] == LAYER_RUNTIME && facts_first(f, e) == FIRST_LOADS;

		if (loads || of_name)
			VEC_PUSH(&w->of[l], (struct sign){ p->start[e], e, loads ? N_("first launches of kernels load their code") : of_name });
	}
	if (w->of[l].n)
		qsort(w->of[l].a, w->of[l].n, sizeof(*w->of[l].a), sign_cmp);
}

struct warmup *warmup_new(const struct facts *f)
{
	struct warmup *w = xcalloc(1, sizeof(*w));
	const char **why = xcalloc(f->p->n_strs, sizeof(*why));

	for (size_t l = 0; l < N_LAYERS; l++)
		list_layer(w, f, l, why);
	free(why);
	return w;
}

void warmup_free(struct warmup *w)
{
	for (size_t l = 0; w && l < N_LAYERS; l++)
		VEC_FREE(&w->of[l]);
	free(w);
}

const char *warmup_at(const struct warmup *w, ns_t start, ns_t end)
{
	for (size_t l = 0; l < N_LAYERS; l++) {
		const struct sign *a = w->of[l].a, *first = NULL;
		size_t i;

		LOWER_BOUND(i, 0, w->of[l].n, a[i].start < start);
		/* the first in column order: that of the first track */
		for (; i < w->of[l].n && a[i].start < end; i++)
			if (!first || a[i].event < first->event)
				first = &a[i];
		if (first)
			return first->why;
	}
	return NULL;
}
