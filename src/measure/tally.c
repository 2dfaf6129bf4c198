/* tally.c - rows that many events add to, see tally.h */
#include "measure/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void *tally_add(struct tally *y, const struct selection *k, int64_t by, int64_t pid,
		const struct group_key *key)
{
	bool merge = k->sc->by == BY_ALL && !y->how->apart;
	uint32_t pick = tally_pick(y, k), i;
	struct group_key whole = *key;
	struct tally_row *r;

	whole.k[2] = (uint64_t)by;
	whole.k[3] = key->k[3] << 32 | (merge ? 0 : pick);
	i = groups_add(&y->g, &whole);
	if (i == y->n) {
		if (y->n == y->cap) {
			y->cap = (uint32_t)mem_grow(y->cap, (size_t)y->n + 1);
			y->rows = xreallocarray(y->rows, y->cap, y->how->row_size);
		}
		r = memset(tally_at(y, y->n++), 0, y->how->row_size);
		r->by = by;
		r->source = r->pid = OWNER_NEW;
		r->pick = pick;
	}
	r = tally_at(y, i);
	owner_add(&r->source, pick);
	owner_add(&r->pid, pid);
	r->n++;
	return r;
}

/* Events of a host layer that start in the window, on threads in scope. */
static void each_on_host(struct tally *y, const struct selection *k, enum layer l)
{
	for (track_id i = k->p->layer_track[l]; i < k->p->layer_track[l + 1]; i++) {
		const struct track *tr = &k->p->tracks[i];

		for (ev_id e = tr->first; selects_thread(k, tr->thread) && e < tr->first + tr->count; e++)
			if (selects_at(k, k->p->start[e]))
				y->how->add(y, k, tr, e);
	}
}

static bool add_source(struct tally *y, const struct selection *k, struct table *t, struct err *e)
{
	bool ok = !an_cancelled(k->cx, e);

	for (uint32_t i = 0; i < y->how->n_names; i++)
		names_enter(&y->names[i], k->p);
	if (y->how->source)
		return ok && y->how->source(y, k, t, e);
	for (uint32_t l = 0; l < LAYER_N && ok; l++) {
		if (!(y->how->layers >> l & 1))
			continue;
		if (layer_on_gpu((enum layer)l))
			ok = selections_gpu(k, (enum layer)l, y->how->add, y, e);
		else
			each_on_host(y, k, (enum layer)l);
	}
	return ok;
}

bool tally_collect(struct tally *y, const struct an_ctx *cx, const struct scope *sc, struct table *t,
		   struct err *e)
{
	bool ok = selections_open(&y->ps, cx, sc, y->how->kind, t, _(y->how->none), e);

	for (uint32_t i = 0; i < y->ps.n && ok; i++)
		ok = add_source(y, &y->ps.a[i], t, e);
	return ok;
}

static int cmp_rows(uint32_t a, uint32_t b, const void *arg)
{
	const struct tally *y = arg;
	const struct tally_row *x = tally_at(y, a), *z = tally_at(y, b);

	return y->how->cmp ? y->how->cmp(x, z) : tally_cmp_down(x->durs.total, z->durs.total);
}

void tally_put(struct tally *y, struct table *t)
{
	uint32_t *order = groups_order(y->n, cmp_rows, y), by = t->n_cols - N_SOURCE_COLS - 1;

	y->total = 0;
	for (uint32_t i = 0; i < y->n; i++)
		y->total = i64_sum(y->total, ((struct tally_row *)tally_at(y, i))->durs.total);
	for (uint32_t i = 0; i < y->n; i++) {
		struct tally_row *r = tally_at(y, order[i]);
		uint32_t row = table_row(t);

		y->how->put(y, t, row, r);
		split_set(t, row, by, tally_source(y, r), r->by);
		selections_row_owner(t, row, &y->ps, r->source, r->pid);
	}
	free(order);
	if (y->how->empty && y->ps.n && !y->n)
		table_note(t, "%s", _(y->how->empty));
}

void tally_fini(struct tally *y)
{
	for (uint32_t i = 0; i < y->n; i++) {
		struct tally_row *r = tally_at(y, i);

		stats_fini(&r->durs);
		if (y->how->row_fini)
			y->how->row_fini(r);
	}
	free(y->rows);
	groups_fini(&y->g);
	for (uint32_t i = 0; i < TALLY_NAMES; i++)
		names_fini(&y->names[i]);
	selections_close(&y->ps);
}

bool tally_run(struct tally *y, const struct an_ctx *cx, const struct scope *sc, struct table *t,
	       struct err *e)
{
	bool ok = tally_collect(y, cx, sc, t, e);

	if (ok)
		tally_put(y, t);
	tally_fini(y);
	return ok;
}

int tally_cmp_place(const struct tally_row *a, const struct tally_row *b)
{
	return a->source != b->source ? (a->source > b->source) - (a->source < b->source) :
		split_cmp(a->by, b->by);
}

void tally_put_durs(struct table *t, uint32_t row, uint32_t col_count, uint32_t col_total,
		    uint32_t col_stats, struct tally_row *r)
{
	table_i64(t, row, col_count, (int64_t)stats_n(&r->durs));
	table_i64(t, row, col_total, r->durs.total);
	stats_put(t, row, col_stats, &r->durs);
}
