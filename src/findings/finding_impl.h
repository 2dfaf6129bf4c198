/* finding_impl.h - the rules of findings as they are read; shared by rulebook.c, finding*.c and metric*.c */
#ifndef FINDINGS_FINDING_IMPL_H
#define FINDINGS_FINDING_IMPL_H

#include "base/sbuf.h"
#include "findings/metric.h"
#include "rules/rules_impl.h"

enum metric_family { FAMILY_GAPS, FAMILY_CALLS, FAMILY_OPS, FAMILY_FRAMES, FAMILY_KERNELS, FAMILY_COPIES, FAMILY_N };
enum metric_measure { MEASURE_COUNT, MEASURE_TIME, MEASURE_IDLE, MEASURE_BYTES, MEASURE_N };

struct pattern_metric {
	const char *name, *file;
	int line;
	enum metric_family family;
	enum metric_measure measure;
	struct globs match;
};

enum finding_severity { SEV_AUTO, SEV_INFO, SEV_MINOR, SEV_MAJOR, SEV_CRITICAL };
const char *finding_severity_name(enum finding_severity s);

enum { FINDING_WORDS = 8 };
struct finding_lines {			/* lines of one key */
	const char **v;
	int *line;
	uint32_t n, cap;
};
struct finding_rule {
	const char *id, *file;
	uint64_t check;			/* of the text of its file, see rules.h */
	int line;
	bool stage;			/* of the guided path */
	const char *title, *verdict, *says, *otherwise, *fix, *confirm, *capture;	/* N_() marked in the file; NULL */
	struct finding_lines when, unless;	/* conditions: all must hold; none may */
	struct finding_lines whatif;	/* changes that mend it, made together (replay/change.h) */
	struct finding_lines advise;	/* CONDITION => text: follows `fix` where the condition holds */
	const char *lost, *at, *every, *often;	/* expression; metric; metric; metric. NULL */
	enum finding_severity severity;
	const char *section;		/* input, sync, launch, memory, compute, comm, offload, meta */
	const char *replaces;		/* words: ids that are explained by this one */
	const char *overlaps;		/* words: ids that lose the same time as this one, as far as this one goes */
	const char *panes;
	struct finding_lines samples, nots;	/* NAME=VALUE ... : must fire, must not */
};
/* The text of a line of `advise`, which itself is the condition. */
const char *advice_text(const char *advice);
struct finding_ignore {
	const char *id, *reason;
};
struct finding_rules {
	struct pattern_metric *metrics;	/* in the order in which files were added; of equal names the one added last counts */
	uint32_t n_metrics, cap_metrics;
	struct finding_rule *v;		/* in order of trial: user rules before ours */
	uint32_t n, cap;
	struct finding_ignore *ignored;
	uint32_t n_ignored, cap_ignored;
};

/* Reads the table `findings` of a rule file into fr (struct table_reader in rules.h is its first member). */
struct finding_reader {
	struct table_reader t;
	struct finding_rules *fr;
	struct err *e;
};
void finding_reader_init(struct finding_reader *p, struct finding_rules *fr);
/* Whether no family of both together has more measures than FAMILY_METRICS: each has a bit of its own in a struct metric_set. */
enum { FAMILY_METRICS = 64 };
bool finding_rules_fit(const struct finding_rules *to, const struct finding_rules *add, struct err *e);
/* Puts `add` before `to` and empties it. */
void finding_rules_prepend(struct finding_rules *to, struct finding_rules *add);
void finding_rules_fini(struct finding_rules *fr);
/* Whether every expression of `add` is understood and every name in it known, there or in `base`. */
bool finding_rules_link(const struct finding_rules *base, const struct finding_rules *add, struct err *e);

/* ---- expressions: expression.c ---- */

struct value {
	bool known;
	double v;
	bool exact;			/* one metric alone, or a number: i holds it */
	int64_t i;
	enum metric_unit unit;
	const char *why, *name;		/* unknown: what is missing, of which metric */
};
/* m NULL: syntax and names only. False with *e set for a malformed text. */
bool finding_eval(const struct finding_rules *fr, const struct metrics *m, const char *text, struct value *out, struct err *e);
enum truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN };
/* "EXPR OP EXPR or EXPR OP EXPR": what of it decided goes to `told` (may be NULL) with the values. */
bool finding_holds(const struct finding_rules *fr, const struct metrics *m, const char *text, enum truth *out, struct sbuf *told,
	const char **missing, struct err *e);
/* The first metric that an expression names, ID_NONE. */
uint32_t finding_first_metric(const struct finding_rules *fr, const char *text);
/* A text with its {EXPR} and {EXPR:FORMAT} replaced. Unknown values are written "?". */
bool finding_fill(const struct finding_rules *fr, const struct metrics *m, const char *text, struct sbuf *out, struct err *e);

#endif
