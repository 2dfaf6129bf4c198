/*
 * tally.h - what the aggregating views share: rows that many events add to, split by scope.by and
 * kept apart by source, from the choice of the sources to the rows of the table.
 *
 * A view is a struct tally_view (which sources, which events, how a row is filled) and two types:
 *
 *	struct acc {
 *		struct tally_row row;	// first member of a row
 *		...			// what is added up; all zero in a new row
 *	};
 *	struct view {
 *		struct tally y;		// first member of a view that has more to remember
 *		...
 *	};
 *
 * Its `add` finds the row of an event with tally_gpu(), tally_host() or tally_add(), and adds.
 * Not safe for concurrent use.
 */
#ifndef MEASURE_TALLY_H
#define MEASURE_TALLY_H

#include "calc/groups.h"
#include "calc/stats.h"
#include "scope/columns.h"
#include "scope/selections.h"

#define TALLY_NAMES 3

struct tally_row {
	int64_t by;		/* value of the split, SPLIT_NONE */
	int64_t source, pid;	/* owners, see selections.h; source: index in the picks */
	uint32_t pick;		/* of the first event */
	uint64_t n;		/* events so far: 1 when the row is new */
	struct stats durs;	/* for the view to fill; freed with the row */
};
struct tally;
/* `view` is the struct tally, or the struct that begins with it. */
struct tally_view {
	enum source_need kind;
	const char *none;	/* note where no source has what the view shows; N_() */
	const char *empty;	/* note where no event is in the window; N_(), NULL: none */
	size_t row_size;
	uint32_t layers;	/* set of layers whose events in scope go to `add` */
	selections_gpu_fn add;	/* its first argument is the view */
	/* In place of the walk over `layers`; the names have been entered. False: cancelled. */
	bool (*source)(void *view, const struct selection *k, struct table *t, struct err *e);
	uint8_t n_names;	/* how many of tally.names are used */
	bool apart;		/* no row of several sources, with --by all either */
	int (*cmp)(const void *a, const void *b);	/* of rows; NULL: largest durs.total first */
	/* Fills a row but for split, source, rank and process. */
	void (*put)(void *view, struct table *t, uint32_t row, void *acc);
	void (*row_fini)(void *acc);	/* NULL: a row owns nothing but durs */
};
struct tally {
	const struct tally_view *how;
	struct names names[TALLY_NAMES];
	/* the rest is the tally's own, to be read */
	struct selections ps;
	struct groups g;
	char *rows;
	uint32_t n, cap;
	int64_t total;		/* sum of all durs.total; known to `put` */
};

/* Opens the sources and adds their events. tally_fini() must follow in either case. */
bool tally_collect(struct tally *y, const struct an_ctx *cx, const struct scope *sc, struct table *t,
		   struct err *e);
/* Writes the rows in their order, and the note of an empty table. */
void tally_put(struct tally *y, struct table *t);
void tally_fini(struct tally *y);
/* The three of them. */
bool tally_run(struct tally *y, const struct an_ctx *cx, const struct scope *sc, struct table *t,
	       struct err *e);

#define TALLY_KEY(...) (&(struct group_key){ .k = { __VA_ARGS__ } })
/*
 * The row of an event of source k, process pid (-1 unknown), with the value `by` of the split. Of
 * `key`, k[0], k[1], the low half of k[3] and the name tell rows apart; k[2] must be 0. The row is
 * good until the next call.
 */
void *tally_add(struct tally *y, const struct selection *k, int64_t by, int64_t pid,
		const struct group_key *key);
static inline void *tally_gpu(struct tally *y, const struct selection *k, const struct track *tr, ev_id e,
			      const struct group_key *key)
{
	return tally_add(y, k, split_gpu(k, tr, e), gpu_pid(k, tr, e), key);
}
/* Of something that thread t does at `at`. */
static inline void *tally_host(struct tally *y, const struct selection *k, thread_id t, ns_t at,
			       const struct group_key *key)
{
	return tally_add(y, k, split_host(k, t, at), k->p->threads[t].pid, key);
}

/* Row i < y->n, in the order of the first events; and its number. */
static inline void *tally_at(const struct tally *y, uint32_t i)
{
	return y->rows + i * y->how->row_size;
}
static inline uint32_t tally_index(const struct tally *y, const void *row)
{
	return (uint32_t)((size_t)((const char *)row - y->rows) / y->how->row_size);
}

/* Index of a source in the selections. */
static inline uint32_t tally_pick(const struct tally *y, const struct selection *k)
{
	return (uint32_t)(k - y->ps.a);
}
/* The source of a row's first event. */
static inline const struct selection *tally_source(const struct tally *y, const struct tally_row *r)
{
	return &y->ps.a[r->pick];
}

/* Begins of orders: by source, then by split; and the larger number first. */
int tally_cmp_place(const struct tally_row *a, const struct tally_row *b);
static inline int tally_cmp_down(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

/* Number, total and the statistics (STAT_COLS from col_stats on) of a row's durs. */
void tally_put_durs(struct table *t, uint32_t row, uint32_t col_count, uint32_t col_total,
		    uint32_t col_stats, struct tally_row *r);

#endif
