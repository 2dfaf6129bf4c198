/* found_on.c - the findings of several ranks as one, see found_on.h */
#include "scope/found_on.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

static const struct cell *cell_of(const struct table *t, uint32_t row, const char *id)
{
	static const struct cell missing = { CELL_MISSING, 0, { 0 } };
	int c = table_col(t, id);

	return c < 0 ? &missing : table_cell(t, row, (uint32_t)c);
}

static bool is_word(const struct table *t, uint32_t row, const char *id, const char *word)
{
	const struct cell *c = cell_of(t, row, id);

	return c->type == CELL_STR && c->len == strlen(word) && !memcmp(c->v.s, word, c->len);
}

static int64_t number(const struct table *t, uint32_t row, const char *id, int64_t none)
{
	const struct cell *c = cell_of(t, row, id);

	return c->type == CELL_I64 ? c->v.i : none;
}

/* What findings are sorted by, the largest first. */
struct weight {
	int kind;	/* 2 a fault, 0 a remark */
	int64_t loss;
};

static struct weight weight_of(const struct table *t, uint32_t row)
{
	return (struct weight){ is_word(t, row, "section", "error") ? 2 : !is_word(t, row, "severity", "info"),
		number(t, row, "window_loss_ns", -1) };
}

static bool heavier(const struct table *t, uint32_t a, uint32_t b)
{
	struct weight x = weight_of(t, a), y = weight_of(t, b);

	return x.kind != y.kind ? x.kind > y.kind : x.loss > y.loss;
}

uint32_t *found_worst(const struct table *t, uint32_t *n)
{
	uint32_t *out = xcalloc((size_t)t->n_rows + 1, sizeof(*out));
	struct map seen = { 0 };

	*n = 0;
	for (uint32_t r = 0; r < t->n_rows; r++) {
		const struct cell *id = cell_of(t, r, "id");
		uint32_t at = id->type != CELL_STR ? *n : map_get_or_put(&seen, map_hash_bytes(id->v.s, id->len), id->len, *n);

		if (at == *n)
			out[(*n)++] = r;
		else if (heavier(t, r, out[at]))
			out[at] = r;
	}
	map_fini(&seen);
	for (uint32_t i = 1; i < *n; i++)
		for (uint32_t k = i; k && heavier(t, out[k], out[k - 1]); k--) {
			uint32_t row = out[k];

			out[k] = out[k - 1];
			out[k - 1] = row;
		}
	return out;
}

static int i64_cmp(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

enum { RANGES_MAX = 12 };

/* Sorted numbers as "0-3, 6". */
static void put_ranges(const int64_t *v, size_t n, struct sbuf *out)
{
	unsigned ranges = 0;

	for (size_t i = 0, end; i < n; i = end) {
		if (ranges++ == RANGES_MAX) {
			sbuf_puts(out, ", ...");
			return;
		}
		for (end = i + 1; end < n && v[end] - v[i] == (int64_t)(end - i);)
			end++;
		sbuf_printf(out, i ? ", %" PRId64 : "%" PRId64, v[i]);
		if (end - i > 1)
			sbuf_printf(out, end - i > 2 ? "-%" PRId64 : ", %" PRId64, v[end - 1]);
	}
}

void found_on(const struct table *t, uint32_t worst, struct sbuf *out)
{
	const struct cell *id = cell_of(t, worst, "id");
	VEC(int64_t) ranks = { 0 };
	struct sbuf list = { 0 };
	uint32_t files = 0;
	bool known = true;

	for (uint32_t r = 0; r < t->n_rows; r++) {
		int64_t rank = number(t, r, "rank", -1);

		if (cell_cmp(cell_of(t, r, "id"), id))
			continue;
		files++;
		known &= rank >= 0;
		VEC_PUSH(&ranks, rank);
	}
	qsort(ranks.a, ranks.n, sizeof(*ranks.a), i64_cmp);
	for (size_t i = 1; i < ranks.n; i++)
		known &= ranks.a[i] != ranks.a[i - 1];
	put_ranges(ranks.a, ranks.n, &list);
	if (files > 1 && known && number(t, worst, "window_loss_ns", -1) <= 0)
		sbuf_printf(out, _(" (ranks %s)"), sbuf_str(&list));
	else if (files > 1 && known)
		sbuf_printf(out, _(" (ranks %s; the worst: rank %" PRId64 ")"), sbuf_str(&list), number(t, worst, "rank", -1));
	else if (files > 1)
		sbuf_printf(out, _(" (the worst of %u files)"), files);
	sbuf_fini(&list);
	VEC_FREE(&ranks);
}
