/*
 * finding.h - what to fix first: the rules of data/findings.rules (and a user's) tried on the metrics of one source.
 *
 * Every rule ends in one state, so that what was tested, what could not be and why is as visible as what was found. Losses are upper
 * bounds of what a fix can gain; those of different findings do not add up. Where the recorded run can be replayed with the change that a
 * rule names, the gain is what the median step then loses.
 */
#ifndef FINDINGS_FINDING_H
#define FINDINGS_FINDING_H

#include "base/sbuf.h"
#include "findings/finding_impl.h"

enum { FINDING_STEPS = 3 };	/* fewer steady steps: no verdict */

enum finding_state {
	FINDING_FOUND,		/* the conditions hold */
	FINDING_EXPLAINED,	/* they hold, but another finding is the cause */
	FINDING_ACCEPTED,	/* they hold, but the user's rules ignore it */
	FINDING_ABSTAINS,	/* some data is missing */
	FINDING_NOT,		/* they do not hold */
	FINDING_STATE_N
};
const char *finding_state_name(enum finding_state s);

/* How far a finding can be trusted: few steps, a host that was not recorded, a damaged file. */
enum confidence { CONFIDENCE_LOW, CONFIDENCE_LIKELY, CONFIDENCE_FIRM };
const char *confidence_name(enum confidence c);

struct finding {
	const struct finding_rule *rule;
	enum finding_state state;
	enum finding_severity severity;	/* never SEV_AUTO once found */
	int64_t lost_ns;		/* over the window, found or not; I64_UNKNOWN where the rule names no time, or data is missing */
	int64_t told_ns;		/* what other findings tell of its loss already, and lost_ns leaves out */
	double share;			/* of the window */
	ns_t gain_ns;			/* of the median step (of the window, where it has none), replayed; I64_UNKNOWN: not replayed */
	double gain_share;		/* of that step */
	uint32_t at;			/* metric whose instants prove it, ID_NONE */
	uint32_t spread;		/* metric that is lost, if it is one alone and known per step; ID_NONE */
	char *why;			/* what decided: the condition with its value, what is missing, who explains it; UTF-8 */
};
struct findings {
	struct metrics *m;
	struct finding *v;		/* by rule, stages left out */
	uint32_t n;
	uint32_t *rank;			/* indexes into v of what was found: largest gain first, then largest loss, remarks (info) last */
	uint32_t n_found;
	enum confidence confidence;
	char *caution;			/* what it is low for, and what else is bad about the data, translated; NULL */
};

/* In the order in which findings are told. A loss that is not replayed may be hidden behind another one; one that gains nothing is. */
enum gain_rank { GAIN_TOLD, GAIN_UNKNOWN, GAIN_NONE };
enum gain_rank gain_rank_of(double share);	/* of the step, known */
enum gain_rank finding_gain_rank(const struct finding *x);
/*
 * Replays the run with the change of each finding (gain.c), where the replay can be trusted; elsewhere gains stay unknown. False when
 * cancelled. findings_new() calls it.
 */
bool findings_replay(struct findings *f, struct err *e);

/* The findings of one source in a scope. NULL with *e set: cancelled, or a window that the source lacks. */
struct findings *findings_new(const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct err *e);
void findings_free(struct findings *f);
/*
 * The same for views of which several ask for one thing, from any thread: the last few are kept by the context, which must outlive
 * them; who asks while another one computes them waits. findings_put() hands them back.
 */
const struct findings *findings_get(const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct err *e);
void findings_put(const struct an_ctx *cx, const struct findings *f);

/* Steps by which a loss is divided to be one per step; 0: the window has no steps, it is one for the window. */
uint32_t findings_per(const struct findings *f);
/* Appends a text of a rule (says, fix ...), translated and filled in. NULL appends nothing. */
void finding_text(const struct findings *f, const char *text, struct sbuf *out);
/* Appends `fix`, and the advice whose conditions hold. */
void finding_advice(const struct findings *f, const struct finding *x, struct sbuf *out);
/* Appends `says`, and how the loss is spread: per step, in how many of them. */
void finding_seen(const struct findings *f, const struct finding *x, struct sbuf *out);
/* Appends the largest instances with time and caller; nothing where there are none. */
void finding_instances(const struct findings *f, const struct finding *x, struct sbuf *out);
/* The largest instance of a finding, NULL none. */
const struct instance *finding_instance(const struct findings *f, const struct finding *x);
/* Appends what an instance was: event, op, Python line. */
void finding_who(const struct findings *f, const struct instance *at, struct sbuf *out);
/* Whether it says that the run itself failed (section `error`): such findings come before all others, whatever these lose. */
bool finding_is_fault(const struct finding *x);

/* rules_each() for the rules of findings. */
struct rule_info;
void finding_rules_each(const struct finding_rules *fr, void (*fn)(void *arg, const struct rule_info *u), void *arg);
/*
 * Tests every rule with its samples (rules.h: rules_check). *n grows by the samples tried; returns how many failed.
 */
struct rules_failure;
size_t finding_rules_check(const struct finding_rules *fr, void (*fail)(void *ctx, const struct rules_failure *f), void *ctx, size_t *n);

/*
 * Sources that findings are told of, one per run and rank: those with host and GPU on one clock, else with host work, else with Python
 * stacks. The caller frees. Adds notes on what was left out.
 */
uint32_t *finding_sources(const struct an_ctx *cx, const struct scope *sc, uint32_t *n, struct table *notes);

#endif
