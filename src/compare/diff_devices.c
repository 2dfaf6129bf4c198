/*
 * diff_devices.c - which device stands beside which: by rank and order, for a run may see its devices under other numbers than another
 * run; see diff_impl.h
 */
#include <stdlib.h>
#include <string.h>

#include "compare/diff_impl.h"

static int64_t number_at(const struct table *t, uint32_t row, const char *id)
{
	int col = table_col(t, id);
	const struct cell *c = col < 0 ? NULL : table_cell(t, row, (uint32_t)col);

	return c && c->type == CELL_I64 ? c->v.i : -1;
}

static int by_rank(const void *x, const void *y)
{
	const struct diff_device *a = x, *b = y;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

void diff_list_devices(struct diff_devices *l, const struct table *t)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < t->n_rows; row++)
		VEC_PUSH(&l->v, (struct diff_device){ .rank = number_at(t, row, "rank"), .number = number_at(t, row, "device"), .pair = ID_NONE });
	if (l->v.n)
		qsort(l->v.a, l->v.n, sizeof(*l->v.a), by_rank);
	for (uint32_t i = 0; i < l->v.n; i++)
		if (!n || by_rank(&l->v.a[n - 1], &l->v.a[i]))
			l->v.a[n++] = l->v.a[i];
	l->v.n = n;
}

/* The devices of the rank at `from` end there. */
static uint32_t rank_end(const struct diff_devices *l, uint32_t from)
{
	uint32_t i = from;

	while (i < l->v.n && l->v.a[i].rank == l->v.a[from].rank)
		i++;
	return i;
}

static uint32_t rank_begin(const struct diff_devices *l, int64_t rank)
{
	uint32_t i = 0;

	while (i < l->v.n && l->v.a[i].rank != rank)
		i++;
	return i;
}

/* The first rank that has no pairs yet and is none of the other side's, where `own` is not to be met. */
static uint32_t next_alone(const struct diff_devices *l, const struct diff_devices *other)
{
	uint32_t i = 0;

	while (i < l->v.n && (l->v.a[i].pair != ID_NONE || rank_begin(other, l->v.a[i].rank) < other->v.n))
		i = rank_end(l, i);
	return i;
}

/* The i-th of one rank beside the i-th of the other; `at` behind the last device: that side has none. */
static void pair_ranks(struct diff_devices *d[2], const uint32_t at[2], uint32_t *pairs)
{
	uint32_t n[2];

	for (int s = 0; s < 2; s++)
		n[s] = at[s] < d[s]->v.n ? rank_end(d[s], at[s]) - at[s] : 0;
	for (uint32_t i = 0; i < n[0] || i < n[1]; i++, ++*pairs)
		for (int s = 0; s < 2; s++)
			if (i < n[s])
				d[s]->v.a[at[s] + i].pair = *pairs;
}

void diff_pair_devices(struct diff *d)
{
	struct diff_devices *l[2] = { &d->devices[0], &d->devices[1] };
	uint32_t pairs = 0, at[2];

	for (at[0] = 0; at[0] < l[0]->v.n; at[0] = rank_end(l[0], at[0])) {
		at[1] = rank_begin(l[1], l[0]->v.a[at[0]].rank);
		if (at[1] < l[1]->v.n)
			pair_ranks(l, at, &pairs);
	}
	for (;;) {
		at[0] = next_alone(l[0], l[1]);
		at[1] = next_alone(l[1], l[0]);
		if (at[0] == l[0]->v.n && at[1] == l[1]->v.n)
			return;
		pair_ranks(l, at, &pairs);
	}
}

uint32_t diff_device_pair(const struct diff_devices *l, int64_t rank, int64_t number)
{
	for (uint32_t i = 0; i < l->v.n; i++)
		if (l->v.a[i].number == number && l->v.a[i].rank == rank)
			return l->v.a[i].pair;
	return ID_NONE;
}

static int64_t number_of(const struct diff_devices *l, uint32_t pair)
{
	for (uint32_t i = 0; i < l->v.n; i++)
		if (l->v.a[i].pair == pair)
			return l->v.a[i].number;
	return -1;
}

int64_t diff_pair_number(const struct diff *d, uint32_t pair, int64_t *other)
{
	int64_t before = number_of(&d->devices[0], pair), after = number_of(&d->devices[1], pair);

	*other = before >= 0 && after >= 0 && before != after ? after : -1;
	return before >= 0 ? before : after;
}
