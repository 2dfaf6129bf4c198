/*
 * scope.h - what part of a session an analysis looks at: a window, narrowed by device, thread, phase and by linked selections.
 * A scope is a plain value (fixed size, no pointers): it can be copied, compared with memcmp and hashed.
 */
#ifndef SCOPE_SCOPE_H
#define SCOPE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "rules/words.h"

enum window_kind { WINDOW_STEADY, WINDOW_ALL, WINDOW_STEPS, WINDOW_TIME };
enum by_dim { BY_NONE, BY_STEP, BY_PHASE, BY_MICROBATCH, BY_THREAD, BY_PROCESS, BY_DEVICE, BY_RANK, BY_ALL };

#define SCOPE_ANY INT64_MIN
struct scope {
	enum window_kind window;
	uint32_t page;			/* of a view with a row per event: of SCOPE_PAGE_ROWS rows, from 1 on; 0 = all rows */
	int64_t step_a, step_b;		/* WINDOW_STEPS: step NUMBERS as named by the markers, inclusive */
	int64_t start_ns, end_ns;	/* WINDOW_TIME: session time */
	enum by_dim by;
	int32_t source;			/* index in the session, -1 = the view's own choice (definitions §10) */
	int32_t clock_group;		/* sources of one run only (session.h), -1 = all */
	int32_t kclass;			/* enum kclass, -1 = all: narrows kernels, and ops / calls / frames to those that launched them */
	int64_t rank, device, pid, tid;	/* SCOPE_ANY = all */
	uint32_t phases;		/* bit set of enum phase, 0 = all */
	uint32_t roles;			/* bit set of enum role (words.h) of host threads, 0 = all */
	uint64_t subclass_hash;		/* with kclass: hash of one subclass of it, 0 = all */
	uint64_t kernel_hash, op_hash, runtime_hash;	/* hash of the selected name (map_hash_bytes), 0 = none */
	char partition[16];		/* breakdown: "cpu", "gpu:0", "joint:0"; zeros behind it */
};
enum { SCOPE_PAGE_ROWS = 10000 };
/* No byte without a name, which copies need not keep: equal scopes are equal bytes. */
_Static_assert(sizeof(struct scope) == 8 * sizeof(int32_t) + 12 * sizeof(int64_t) + 16, "struct scope has holes");

void scope_init(struct scope *s);	/* steady window, everything */
/* --window text: steady, all, step:N, steps:A-B, time:A..B (12.5ms..80ms). */
bool scope_parse_window(struct scope *s, const char *text, struct err *e);
void scope_set_partition(struct scope *s, const char *text, size_t n);
bool scope_parse_by(struct scope *s, const char *text, struct err *e);
/* --thread text: TID, PID/TID, or a role: main, autograd, loader-worker, pin-memory, comm-watchdog, other. */
bool scope_parse_thread(struct scope *s, const char *text, struct err *e);
/* "steady", "step:3", … into buf; returns buf. */
char *scope_window_text(const struct scope *s, char *buf, size_t cap);
/*
 * The options of `profdive print` that stand for the scope ("--window steady --by phase"), into buf of SCOPE_OPTIONS_MAX bytes. false
 * where it is narrowed by what only panes can select (a class, a name, phases): no option says that.
 */
enum { SCOPE_OPTIONS_MAX = 256 };
bool scope_options(const struct scope *s, char *buf);
/* Whether the scope chooses threads, by number, process or role. */
static inline bool scope_of_threads(const struct scope *s)
{
	return s->tid != SCOPE_ANY || s->pid != SCOPE_ANY || s->roles;
}
uint64_t scope_hash_name(const char *s, size_t n);	/* never 0 */

#endif
