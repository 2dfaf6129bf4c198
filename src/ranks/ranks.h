/*
 * ranks.h - the ranks of one run, seen together: which source is which rank, one clock for all of them, which kernels are the same
 * collective, who arrives last in it and who waits how long (definitions.md §10).
 *
 *	struct rank_run *run = rank_run_new(cx, sc, t, e);
 *
 * Times of arrivals and instances are on the common clock of the run: the axis of the reference, the lowest rank that a chain of
 * matched collectives connects with. Ranks without such a chain keep their own clock, and nothing compares them with others.
 */
#ifndef RANKS_RANKS_H
#define RANKS_RANKS_H

#include "base/arena.h"
#include "scope/selections.h"

enum rank_evidence { RANK_BY_CONTENT, RANK_BY_FILE_NAME };
const char *rank_evidence_name(enum rank_evidence by);	/* "file", "file name" */

/* Kernels whose ends differ by more than this on the clocks of their ranks are not taken for one collective by their ends alone. */
#define RANK_END_TOLERANCE_NS INT64_C(300000)

/* What to take away from a time of a rank's file (base_ns added) to get the common clock: offset_ns + drift * (time - at). */
struct rank_clock {
	ns_t offset_ns;		/* on clocks that share an epoch: how far ahead it is; else from the first events of the files */
	ns_t unc_ns;		/* median absolute deviation of the ends from it, added up along the chain */
	double drift;		/* 0: explains no more than the noise */
	ns_t at;		/* in the middle of its collectives */
	uint32_t reference;	/* index of the rank whose clock it is brought to; itself: it is one, or nothing aligns it */
	uint32_t ends;		/* matched collectives that say so */
};
struct rank_source {		/* by rank, ascending */
	int64_t rank;
	uint32_t pick;		/* index in run->ps */
	enum rank_evidence by;
	ns_t base_ns;		/* source time + base_ns: the axis that the files say they share, or each file's own */
	struct rank_clock clock;
	/* in the window, over matched collectives: kernel_ns = wait_ns + transfer_ns */
	uint32_t instances, last;	/* and those in which it certainly came last */
	ns_t kernel_ns, wait_ns, transfer_ns;
	ns_t waited_for_ns;		/* what the others waited in these */
};

enum rank_match { RANK_MATCH_NONE, RANK_MATCH_ORDER, RANK_MATCH_ENDS };
struct rank_group {		/* a kind of collective of a process group */
	const char *kind, *name, *members;	/* "" not recorded */
	int64_t size;				/* of the group as recorded, -1 unknown */
	uint32_t n_ranks;			/* open ones that take part */
	uint32_t calls, matched;		/* kernels, and those that are part of an instance */
	enum rank_match how;
	/* the first step in which the ranks differ in number or size: from there on nothing is matched. break_rank ID_NONE: there is none */
	uint32_t break_rank;			/* index of the one that differs most */
	int64_t break_step, break_calls, usual_calls;
};
struct rank_arrival {		/* a kernel of an instance; by instance, then rank */
	uint32_t group, rank;	/* indices */
	int64_t step;		/* number of the step that launched it, SPLIT_NONE */
	uint32_t k;		/* k-th of the group in the step, from 0 */
	ev_id e;
	ns_t start, end;	/* common clock; end - start is the kernel's duration */
	ns_t wait, transfer;	/* until the last arrived, but not beyond its own end; and the rest */
	int64_t bytes;		/* the larger of what it gives and gets, -1 unknown */
	bool in;		/* in the window */
};
struct rank_instance {		/* by start of the last arrival within its group's match */
	uint32_t group, k;
	int64_t step;
	uint32_t first, n;		/* arrivals */
	uint32_t first_rank, last_rank;	/* ID_NONE: nearer to the next one than the clocks are known */
	ns_t last_ns;			/* last arrival */
	ns_t skew, wait, transfer;	/* last - first arrival; sum of the waits; lower median of the transfers */
	ns_t unc_ns;			/* the worst clock's of its ranks */
	int64_t bytes;			/* -1 unknown */
	bool in;			/* its first rank in the order of ranks has it in the window */
};
struct rank_run {
	struct selections ps;
	struct arena arena;
	struct rank_source *ranks;
	uint32_t n_ranks;
	int64_t world;			/* -1 unknown */
	uint32_t missing;		/* ranks of it that are not open */
	struct rank_group *groups;
	uint32_t n_groups;
	struct rank_arrival *arrivals;
	struct rank_instance *instances;
	uint32_t n_arrivals, n_instances;
};

/*
 * Reads all collectives of the sources of a scope, whatever its rank and source, and describes them in the table: paths, missing ranks,
 * what was not matched and why. No ranks, with a note that says why: fewer than two sources say their rank, two claim one, or they
 * are of worlds of several sizes. NULL with *e set: cancelled, or a window that no source has. rank_run_free() frees.
 */
struct rank_run *rank_run_new(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e);
void rank_run_free(struct rank_run *r);

/* A time of the source of a rank on the common clock. */
ns_t rank_common_time(const struct rank_run *r, uint32_t rank, ns_t source_time);
/* Whether a rank is of interest in rows about ranks: all, or the one that the scope names. */
static inline bool rank_shown(const struct scope *sc, const struct rank_source *rs)
{
	return sc->rank == SCOPE_ANY || sc->rank == rs->rank;
}
static inline const struct selection *rank_pick(const struct rank_run *r, uint32_t rank)
{
	return &r->ps.a[r->ranks[rank].pick];
}

/* Where the way of a rank to a collective went: what its device did, or how late the way began. */
enum { RANK_LEAVES = 16 };
const char *rank_leaf_name(int leaf);	/* "compute", "exposed copy HtoD", …, "idle", "late begin"; NULL below 0 */
/*
 * What a rank did more than the median of the others on its way to the collectives in which it came last: from the end of its previous
 * matched collective, or the begin of the step where there is none, to its arrival.
 */
struct rank_cause {
	uint32_t instances;		/* those for which the begin of the way is known */
	ns_t late_ns;			/* sum over them of its arrival less the lower median of the others' */
	ns_t more_ns[RANK_LEAVES];	/* its time less the lower median of the others' */
	int leaf;			/* the one with the most; -1: none accounts for a quarter of late_ns */
	str_id kernel;			/* leaf compute: what it ran most longer than the rank that arrived in the middle; ID_NONE */
	ns_t kernel_more_ns;
};
/* One for each rank, which the caller frees. */
struct rank_cause *rank_causes(const struct rank_run *r);

#endif
