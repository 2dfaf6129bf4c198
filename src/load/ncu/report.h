/*
 * report.h - the parts of the reader of Nsight Compute reports (.ncu-rep).
 *
 *	"NVR\0"  u32 n  n bytes of file header
 *	blocks, each: u32 n  n bytes of block header  entries, each: u32 m  m bytes
 *
 * The header of a block says how many bytes of entries follow, and how many of them are sources (cubins: skipped unread) and
 * results (one profiled launch each); others are skipped. A table of strings lies in one of the headers: metrics are named by
 * their index in it. Every field number here was read off real reports of versions 2020.3 to 2026.2.
 */
#ifndef LOAD_NCU_REPORT_H
#define LOAD_NCU_REPORT_H

#include "base/map.h"
#include "base/vec.h"
#include "load/ncu/message.h"
#include "load/read/loader.h"
#include "model/kernel_report.h"

struct report {
	struct builder *b;
	VEC(str_id) names;		/* of metrics, by the index that the file uses */
	int64_t pid;			/* of the block's process, -1 unknown */
	/* the entry that is being read, for offsets */
	struct msg entry;
	int64_t entry_at;
	bool cut;			/* it goes on behind its end, which is told once */
	uint64_t launches;
};

/* Counts damage at a byte of the entry. */
void report_damage(const struct report *r, const char *what, const unsigned char *at);
/* Counts what is left of a message, where it is no field. */
void report_rest(const struct report *r, struct msg rest);
str_id report_text(const struct report *r, struct msg text);	/* ID_NONE: empty */

/* Adds the launch of one result. False: nothing in it is one. */
bool report_result(struct report *r, struct msg entry);

/* ---- of a result: report_result() ---- */

struct result {
	struct report *r;
	struct map metrics;	/* (name, 0) -> index in the builder's table */
	VEC(struct kernel_metric) own;	/* copies of them, from first on */
	uint32_t first;
	unsigned cc;		/* 10 x major + minor of the device, 0 unknown */
	size_t lists;		/* names in lists of metrics that were looked up so far */
};
/* Adds a metric of the launch. */
void result_read_metric(struct result *x, struct msg in);
/* The metric of that name, NULL if the launch lacks it; *index in the builder's table. */
const struct kernel_metric *result_metric(const struct result *x, str_id name, uint32_t *index);
/* Adds a metric without a value: one that a section shows and the launch lacks. */
void result_lacks(struct result *x, str_id name);
double result_number(const struct result *x, struct msg name);
/* Sections (lines and roofs) and rules, from all fields of the result. */
void result_sections(struct result *x, struct msg entry);
/* Lines of a section's header; labels of its bar charts stand in for those of the header. */
void result_section_lines(struct result *x, struct msg section);
void result_roofs(struct result *x, struct msg section);
/* The messages of a rule; `add` is called for each. */
void result_rule(struct result *x, struct msg rule, void (*add)(void *arg, const struct kernel_rule *r), void *arg);

#endif
