/*
 * words.h - the fixed words that rules, facts and scopes share: phases, thread roles, level 1 of the breakdown, classes of runtime calls.
 *
 * The names are ids: machine output and rule files hold them, they are never translated. All names are static.
 */
#ifndef RULES_WORDS_H
#define RULES_WORDS_H

#include <stddef.h>

enum phase {
	PHASE_DATALOAD,
	PHASE_FORWARD,
	PHASE_BACKWARD,
	PHASE_RECOMPUTE,
	PHASE_OPTIMIZER,
	PHASE_OTHER,
	PHASE_N
};
const char *phase_name(enum phase p);		   /* "unattributed" for PHASE_N */
enum phase phase_by_name(const char *s, size_t n); /* PHASE_N if unknown */

/* What a thread is for. */
enum role {
	ROLE_OTHER,
	ROLE_MAIN,
	ROLE_AUTOGRAD,
	ROLE_LOADER,
	ROLE_PIN,
	ROLE_WATCHDOG,
	ROLE_N
};
const char *role_name(enum role r);		 /* "main", "autograd", "loader-worker", … */
enum role role_by_name(const char *s, size_t n); /* ROLE_N if unknown */

/* Level 1 of the breakdown: fixed by definition, not by rules. */
enum level1 {
	L1_COMPUTE,
	L1_DATA_MOVEMENT,
	L1_FRAMEWORK, /* "framework scheduling" */
	L1_SYNC,      /* "sync wait" */
	L1_COMM,      /* "communication" */
	L1_DATALOAD,  /* "data loading" */
	L1_OTHER,
	L1_N
};
const char *level1_name(enum level1 l);
enum level1 level1_by_name(const char *s, size_t n); /* L1_N if unknown */

/* The four classes of the runtime attribution: fixed by definition, not by rules. */
enum rt_class {
	RT_SYNC,
	RT_LAUNCH,
	RT_MEMCPY,
	RT_OTHER,
	RT_N
};
const char *rt_class_name(enum rt_class c); /* "sync", "launch", "memcpy", "other" */

/* What the letter of a framework means ("user Python", "DeepSpeed", …); NULL for an unknown letter. */
const char *rules_framework_name(char letter);

#endif
