/*
 * kernel_report.h - single kernel launches as a kernel profiler (Nsight Compute) measured them, beside the columns of events.
 *
 * A profiled launch is no event: it has no start on a time axis, and its times are those of a replayed, serialised kernel. It
 * owns a run of each table below: metrics, lines of sections, rules, roofs; a metric owns a run of instances. Metrics keep the
 * order of the file. Units follow from a metric's name (definitions.md), values are in base units: ns, bytes, Hz, percent.
 */
#ifndef MODEL_KERNEL_REPORT_H
#define MODEL_KERNEL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/schema.h"

struct builder;
struct profile;

enum metric_kind {
	METRIC_NONE,	/* no value: what the file leaves empty is not 0 */
	METRIC_TEXT,	/* bits: a str_id */
	METRIC_REAL,	/* bits: those of a double; may be NaN or infinite */
	METRIC_WHOLE,	/* bits: an unsigned number */
	METRIC_KIND_N
};

struct kernel_metric {
	uint64_t bits;
	str_id name;
	uint32_t kind;		/* enum metric_kind */
	uint32_t first_instance, n_instances;
};
struct metric_instance {
	uint64_t at, bits;	/* `at` says where it was measured: an address, an opcode, a number of registers, … */
	uint32_t at_kind, kind;	/* enum metric_kind of each */
};
struct section_line {		/* a metric as a section of the report shows it; they stand in the order of sections and lines */
	str_id section, title;	/* identifier and display name of the section */
	str_id label;		/* of the line */
	uint32_t metric;	/* index of the launch's metric in the table of all */
};
enum rule_type { RULE_NONE, RULE_INFO, RULE_WARNING, RULE_ERROR, RULE_OPTIMIZATION, RULE_TYPE_N };
enum speedup_kind { SPEEDUP_UNKNOWN, SPEEDUP_LOCAL, SPEEDUP_GLOBAL, SPEEDUP_KIND_N };
struct kernel_rule {		/* a message of a rule of the report */
	double speedup_pct;	/* NaN unknown */
	str_id rule, section, title, text;	/* identifiers; heading and text of the message */
	str_id focus;		/* name of the metric that it is about, ID_NONE none */
	uint16_t type, speedup;	/* enum rule_type, enum speedup_kind */
};
enum memory_level { LEVEL_UNKNOWN, LEVEL_DRAM, LEVEL_L2, LEVEL_L1, LEVEL_N };
struct kernel_roof {		/* a roof of a roofline chart, and what was achieved below it; NaN unknown */
	double flops, bytes_per_s, peak_flops, peak_bytes_per_s;
	str_id roof;		/* "fp32", … */
	uint32_t level;		/* enum memory_level: what the bytes are counted at */
};
struct profiled_launch {
	int64_t pid, context, stream;	/* -1 unknown */
	int64_t when_s;			/* seconds since 1970, -1 unknown */
	int64_t offset;			/* where it begins in the file */
	str_id name, function;		/* demangled and whole; without arguments. ID_NONE unknown */
	str_id nvtx;			/* the ranges open at the launch, outermost first, '/' between them; ID_NONE none */
	uint32_t grid[3], block[3];	/* 0 unknown */
	uint32_t first_metric, n_metrics, first_line, n_lines, first_rule, n_rules, first_roof, n_roofs;
	uint32_t more;			/* 0 */
};

/*
 * Members of struct profile and of a builder. The runs of the launches stand one behind the other and cover their tables, those of the
 * metrics theirs.
 */
struct kernel_reports {
	struct profiled_launch *launches;
	struct kernel_metric *metrics;
	struct metric_instance *instances;
	struct section_line *lines;
	struct kernel_rule *rules;
	struct kernel_roof *roofs;
	uint32_t n_launches, n_metrics, n_instances, n_lines, n_rules, n_roofs;
};

/*
 * Writing. What is added belongs to the next launch that builder_launch() adds, instances to the metric added last; runs and
 * indices are set here. builder_metric() gives the index that a line refers to.
 */
uint32_t builder_metric(struct builder *b, str_id name, enum metric_kind kind, uint64_t bits);
void builder_instance(struct builder *b, const struct metric_instance *i);
void builder_section_line(struct builder *b, const struct section_line *l);
void builder_kernel_rule(struct builder *b, const struct kernel_rule *r);
void builder_roof(struct builder *b, const struct kernel_roof *r);
void builder_launch(struct builder *b, const struct profiled_launch *l);

/* Reading. The metric of a launch, NULL if the report lacks it. O(metrics of the launch). */
const struct kernel_metric *launch_metric(const struct profile *p, const struct profiled_launch *l, const char *name);
/* Its value as a number; NaN: it is missing, or no number. */
double launch_number(const struct profile *p, const struct profiled_launch *l, const char *name);
double metric_number(enum metric_kind kind, uint64_t bits);
static inline uint64_t metric_bits(double v)
{
	union { double f; uint64_t u; } x = { .f = v };

	return x.u;
}

#endif
