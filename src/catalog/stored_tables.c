/* stored_tables.c - results that outlive the process, see stored_tables.h */
#include "catalog/stored_tables.h"
#include "catalog/views.h"

#include <stdlib.h>
#include <string.h>

#include "base/check64.h"
#include "base/vec.h"
#include "table/pack.h"

#define KEPT_MAGIC "pdkept1\n"

struct kept_head {
	char magic[8];
	uint64_t key, layout;
	uint64_t n_tables, bytes;	/* of everything behind this head */
	uint64_t checksum;		/* of everything behind this head */
	uint64_t head_sum;		/* of this head, with 0 here */
};
struct item_head {
	struct scope scope;
	char view[24];
	uint64_t bytes;
};
struct stored_tables_item {
	struct item_head h;
	char *bytes;
	uint64_t used;		/* turn of its last use */
};
struct stored_tables {
	uint64_t key, turn;
	size_t bytes;
	VEC(struct stored_tables_item) v;
};

struct stored_tables *stored_tables_new(uint64_t key)
{
	struct stored_tables *k = xcalloc(1, sizeof(*k));

	k->key = key;
	return k;
}

static void clear(struct stored_tables *k)
{
	for (size_t i = 0; i < k->v.n; i++)
		free(k->v.a[i].bytes);
	k->v.n = 0;
	k->bytes = 0;
}

void stored_tables_free(struct stored_tables *k)
{
	if (!k)
		return;
	clear(k);
	VEC_FREE(&k->v);
	free(k);
}

size_t stored_tables_n(const struct stored_tables *k)
{
	return k->v.n;
}

/* ---- tables ------------------------------------------------------------------------------------------------ */

static struct stored_tables_item *find(struct stored_tables *k, const char *view, const struct scope *sc)
{
	for (size_t i = 0; i < k->v.n; i++)
		if (!strcmp(k->v.a[i].h.view, view) && !memcmp(&k->v.a[i].h.scope, sc, sizeof(*sc)))
			return &k->v.a[i];
	return NULL;
}

struct table *stored_tables_find(struct stored_tables *k, const char *view, const struct scope *sc)
{
	const struct analysis *a = analysis_find(view);
	struct stored_tables_item *x = a ? find(k, view, sc) : NULL;

	if (!x)
		return NULL;
	x->used = ++k->turn;
	return table_unpack(x->bytes, x->h.bytes, a->id, a->cols, a->n_cols);
}

static void drop_oldest(struct stored_tables *k)
{
	size_t old = 0;

	for (size_t i = 1; i < k->v.n; i++)
		if (k->v.a[i].used < k->v.a[old].used)
			old = i;
	k->bytes -= k->v.a[old].h.bytes;
	free(k->v.a[old].bytes);
	k->v.a[old] = k->v.a[--k->v.n];
}

bool stored_tables_put(struct stored_tables *k, const char *view, const struct scope *sc, const struct table *t)
{
	struct stored_tables_item x = { .used = ++k->turn };
	struct sbuf b = { 0 };

	if (t->partial || strlen(view) >= sizeof(x.h.view) || find(k, view, sc))
		return false;
	/* rows cost at least 26 bytes: no need to write a huge one to know */
	if (t->n_rows < STORED_TABLE_MAX / 26)
		table_pack(t, &b);
	if (!b.n || b.n > STORED_TABLE_MAX) {
		sbuf_fini(&b);
		return false;
	}
	while (k->v.n && (k->v.n >= STORED_TABLES_MAX || k->bytes + b.n > STORED_BYTES_MAX))
		drop_oldest(k);
	x.h.scope = *sc;
	memcpy(x.h.view, view, strlen(view));
	x.h.bytes = b.n;
	x.bytes = b.s;
	VEC_PUSH(&k->v, x);
	k->bytes += b.n;
	return true;
}

/* ---- bytes --------------------------------------------------------------------------------------------------- */

/* The structs that lie in the bytes as they are. */
static uint64_t layout(void)
{
	static const uint64_t places[] = {
		sizeof(struct kept_head), sizeof(struct item_head), sizeof(struct scope), offsetof(struct scope, by),
		offsetof(struct scope, source), offsetof(struct scope, tid), offsetof(struct scope, kclass),
		offsetof(struct scope, roles), offsetof(struct scope, subclass_hash), offsetof(struct scope, partition), REF_VIEW, BY_ALL, WINDOW_TIME,
	};

	return check64(places, sizeof(places));
}

static uint64_t head_sum(struct kept_head h)
{
	h.head_sum = 0;
	return check64(&h, sizeof(h));
}

static int by_use(const void *a, const void *b)
{
	const struct stored_tables_item *const *x = a, *const *y = b;

	return ((*x)->used > (*y)->used) - ((*x)->used < (*y)->used);
}

void stored_tables_pack(const struct stored_tables *k, struct sbuf *out)
{
	struct kept_head h = { .key = k->key, .layout = layout(), .n_tables = k->v.n };
	struct stored_tables_item **order = xreallocarray(NULL, k->v.n, sizeof(*order));
	size_t at = out->n;

	memcpy(h.magic, KEPT_MAGIC, sizeof(h.magic));
	sbuf_put(out, &h, sizeof(h));
	for (size_t i = 0; i < k->v.n; i++)
		order[i] = &k->v.a[i];
	if (k->v.n)
		qsort(order, k->v.n, sizeof(*order), by_use);
	for (size_t i = 0; i < k->v.n; i++) {
		sbuf_put(out, &order[i]->h, sizeof(order[i]->h));
		sbuf_put(out, order[i]->bytes, order[i]->h.bytes);
	}
	free(order);
	h.bytes = out->n - at - sizeof(h);
	h.checksum = check64(out->s + at + sizeof(h), h.bytes);
	h.head_sum = head_sum(h);
	memcpy(out->s + at, &h, sizeof(h));
}

static bool head_ok(const struct stored_tables *k, const char *bytes, size_t n, struct kept_head *h)
{
	if (n < sizeof(*h))
		return false;
	memcpy(h, bytes, sizeof(*h));
	return !memcmp(h->magic, KEPT_MAGIC, sizeof(h->magic)) && h->head_sum == head_sum(*h) && h->key == k->key &&
		h->layout == layout() && h->bytes == n - sizeof(*h) && h->checksum == check64(bytes + sizeof(*h), h->bytes) &&
		h->n_tables <= STORED_TABLES_MAX;
}

bool stored_tables_unpack(struct stored_tables *k, const void *bytes, size_t n)
{
	const char *s = bytes;
	struct kept_head h;
	size_t left;

	if (k->v.n || !head_ok(k, s, n, &h))
		return false;
	s += sizeof(h);
	left = h.bytes;
	for (uint64_t i = 0; i < h.n_tables; i++) {
		struct stored_tables_item x = { .used = ++k->turn };

		if (left < sizeof(x.h))
			break;
		memcpy(&x.h, s, sizeof(x.h));
		s += sizeof(x.h);
		left -= sizeof(x.h);
		if (x.h.bytes > left || x.h.bytes > STORED_TABLE_MAX || x.h.view[sizeof(x.h.view) - 1])
			break;
		x.bytes = xmemdup0(s, x.h.bytes);
		VEC_PUSH(&k->v, x);
		k->bytes += x.h.bytes;
		s += x.h.bytes;
		left -= x.h.bytes;
	}
	if (k->v.n == h.n_tables && !left)
		return true;
	clear(k);
	return false;
}
