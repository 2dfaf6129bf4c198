/* kernel_report.c - launches that a kernel profiler measured: into a builder, out of a profile; see kernel_report.h */
#include "model/kernel_report.h"

#include <math.h>
#include <string.h>

#include "model/builder_impl.h"

/* How many of a table no earlier launch owns, and where they begin. */
#define OWN_RUN(first, count, last, last_first, last_count, table) do {			\
	(first) = (last) ? (last)->last_first + (last)->last_count : 0;			\
	(count) = (uint32_t)(table).n - (first);					\
} while (0)

uint32_t builder_metric(struct builder *b, str_id name, enum metric_kind kind, uint64_t bits)
{
	VEC_PUSH(&b->metrics, (struct kernel_metric){ .bits = bits, .name = name, .kind = kind,
		.first_instance = (uint32_t)b->metric_instances.n });
	return (uint32_t)b->metrics.n - 1;
}

void builder_instance(struct builder *b, const struct metric_instance *i)
{
	VEC_PUSH(&b->metric_instances, *i);
	b->metrics.a[b->metrics.n - 1].n_instances++;
}

void builder_section_line(struct builder *b, const struct section_line *l)
{
	VEC_PUSH(&b->section_lines, *l);
}

void builder_kernel_rule(struct builder *b, const struct kernel_rule *r)
{
	VEC_PUSH(&b->kernel_rules, *r);
}

void builder_roof(struct builder *b, const struct kernel_roof *r)
{
	VEC_PUSH(&b->roofs, *r);
}

void builder_launch(struct builder *b, const struct profiled_launch *l)
{
	const struct profiled_launch *last = b->launches.n ? &b->launches.a[b->launches.n - 1] : NULL;
	struct profiled_launch own = *l;

	OWN_RUN(own.first_metric, own.n_metrics, last, first_metric, n_metrics, b->metrics);
	OWN_RUN(own.first_line, own.n_lines, last, first_line, n_lines, b->section_lines);
	OWN_RUN(own.first_rule, own.n_rules, last, first_rule, n_rules, b->kernel_rules);
	OWN_RUN(own.first_roof, own.n_roofs, last, first_roof, n_roofs, b->roofs);
	own.more = 0;
	VEC_PUSH(&b->launches, own);
}

double metric_number(enum metric_kind kind, uint64_t bits)
{
	union { double f; uint64_t u; } x = { .u = bits };

	return kind == METRIC_REAL ? x.f : kind == METRIC_WHOLE ? (double)bits : NAN;
}

const struct kernel_metric *launch_metric(const struct profile *p, const struct profiled_launch *l, const char *name)
{
	size_t want = strlen(name), n;

	for (uint32_t i = l->first_metric; i < l->first_metric + l->n_metrics; i++) {
		const char *s = profile_str(p, p->reports.metrics[i].name, &n);

		if (n == want && memcmp(s, name, n) == 0)
			return &p->reports.metrics[i];
	}
	return NULL;
}

double launch_number(const struct profile *p, const struct profiled_launch *l, const char *name)
{
	const struct kernel_metric *m = launch_metric(p, l, name);

	return m ? metric_number(m->kind, m->bits) : NAN;
}
