/*
 * aggregate.c - `bench aggregate`: how long the tables of ops (self time by name) and of kernels take for windows of any size,
 * as every pane asks for them when the window changes. Times of single calls, in ms.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "catalog/views.h"
#include "rules/rules.h"
#include "tests/perf/bench.h"
#include "tests/perf/measure.h"

enum { PLACES = 9 };

/* Median over PLACES windows of that share of the capture. */
static bool measure_view(const struct an_ctx *cx, const char *view, double share, double *ms, double *worst, struct err *e)
{
	const struct profile *p = cx->session->sources[0].profile;
	double took[PLACES];
	ns_t zero = p->first_ns + cx->session->sources[0].shift_ns, all = p->last_ns - p->first_ns, width = (ns_t)((double)all * share);

	for (int i = 0; i < PLACES; i++) {
		double since;
		struct table *t;
		struct scope sc;

		scope_init(&sc);
		sc.window = WINDOW_TIME;
		sc.start_ns = zero + (all - width) / PLACES * i;
		sc.end_ns = sc.start_ns + width;
		since = now_s();
		t = analysis_table(analysis_find(view), cx, &sc, e);
		took[i] = (now_s() - since) * 1000;
		if (!t)
			return false;
		table_free(t);
	}
	*ms = median(took, PLACES);
	*worst = took[PLACES - 1];
	return true;
}

static bool print_views(const struct an_ctx *cx, struct err *e)
{
	static const char *const views[] = { "ops", "kernels", "runtime" };
	static const double shares[] = { 1, 0.1, 0.01, 0.001 };
	double ms, worst;

	printf("| view | window, %% of the capture | median ms | worst ms |\n|---|---|---|---|\n");
	for (size_t v = 0; v < sizeof(views) / sizeof(views[0]); v++)
		for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
			if (!measure_view(cx, views[v], shares[i], &ms, &worst, e))
				return false;
			printf("| %s | %g | %.3f | %.3f |\n", views[v], shares[i] * 100, ms, worst);
		}
	return true;
}

int bench_aggregate(int argc, char **argv)
{
	uint64_t events = synth_events(argc, argv);
	struct session *s = events ? synth_session(events) : NULL;
	struct err e = ERR_INIT;
	struct rulebook *r;
	struct an_ctx *cx;
	double since = now_s();
	bool ok;

	if (!s)
		return BENCH_USAGE;
	r = rulebook_new(&e);
	cx = r ? an_ctx_new(s, r, NULL, NULL) : NULL;
	printf("%" PRIu32 " events; facts of the run (steps, classes, phases) in %.3f s, once per load.\n\n", s->sources[0].profile->n,
		now_s() - since);
	ok = cx && print_views(cx, &e);
	if (!ok)
		fprintf(stderr, "bench aggregate: %s\n", e.text);
	an_ctx_free(cx);
	rulebook_free(r);
	session_free(s);
	return ok ? 0 : 1;
}
