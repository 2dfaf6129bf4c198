/* sheet.c - see sheet.h */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "tests/corpus/sheet.h"

int64_t *sheet_add(struct sheet *s, const char *key, size_t len)
{
	struct sheet_row *r;

	if (s->n == s->cap) {
		s->cap = mem_grow(s->cap, s->n + 1);
		s->rows = xreallocarray(s->rows, s->cap, sizeof(*s->rows));
	}
	r = &s->rows[s->n++];
	memset(r, 0, sizeof(*r));
	r->key = xmalloc(len + 1);
	memcpy(r->key, key, len);
	r->key[len] = '\0';
	r->len = len;
	return r->v;
}

static int key_cmp(const struct sheet_row *a, const struct sheet_row *b)
{
	int c = memcmp(a->key, b->key, a->len < b->len ? a->len : b->len);

	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static int row_cmp(const void *a, const void *b)
{
	return key_cmp(a, b);
}

static void row_sum(struct sheet_row *to, const struct sheet_row *from)
{
	for (unsigned i = 0; i < SHEET_VALUES; i++)
		to->v[i] = to->v[i] == SHEET_UNKNOWN || from->v[i] == SHEET_UNKNOWN ? SHEET_UNKNOWN : to->v[i] + from->v[i];
}

static bool row_zero(const struct sheet *s, const struct sheet_row *r)
{
	for (unsigned i = 0; i < s->width; i++)
		if (r->v[i])
			return false;
	return true;
}

void sheet_pack(struct sheet *s)
{
	size_t out = 0;

	if (s->n)
		qsort(s->rows, s->n, sizeof(*s->rows), row_cmp);
	for (size_t i = 0; i < s->n; i++) {
		struct sheet_row *r = &s->rows[i];

		if (out && key_cmp(&s->rows[out - 1], r) == 0) {
			row_sum(&s->rows[out - 1], r);
			free(r->key);
		} else if (row_zero(s, r)) {
			free(r->key);
		} else {
			s->rows[out++] = *r;
		}
	}
	s->n = out;
}

void sheet_fini(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->rows[i].key);
	free(s->rows);
	*s = (struct sheet){ 0 };
}

int64_t sheet_number(const struct jval *number)
{
	size_t n;
	const char *s = jval_text(number, &n);
	int64_t v;

	return jval_kind(number) == JVAL_NUMBER && num_parse_i64(s, n, &v) ? v : SHEET_UNKNOWN;
}

int64_t sheet_int(const struct jval *object, const char *key)
{
	return sheet_number(jval_get(object, key));
}

/* ---- comparison ---- */

/* A key on one line: what is not printable ASCII becomes \xNN; long ones are cut. */
static void print_key(const struct sheet_row *r)
{
	for (size_t i = 0; i < r->len && i < 120; i++) {
		unsigned char c = (unsigned char)r->key[i];

		printf(c >= ' ' && c < 127 ? "%c" : "\\x%02x", c);
	}
	if (r->len > 120)
		printf("...");
}

static void print_values(const struct sheet *s, const struct sheet_row *r)
{
	for (unsigned i = 0; i < s->width; i++) {
		if (r->v[i] == SHEET_UNKNOWN)
			printf(" %s=null", s->titles[i]);
		else
			printf(" %s=%" PRId64, s->titles[i], r->v[i]);
	}
}

static void print_only(const char *what, const char *side, const struct sheet *s, const struct sheet_row *r)
{
	printf("# %s: only %s: ", what, side);
	print_key(r);
	printf(":");
	print_values(s, r);
	printf("\n");
}

static void print_differ(const char *what, const struct sheet *s, const struct sheet_row *got, const struct sheet_row *want)
{
	printf("# %s: ", what);
	print_key(got);
	printf(":");
	for (unsigned i = 0; i < s->width; i++)
		if (got->v[i] != want->v[i])
			printf(" %s got %" PRId64 " want %" PRId64 " (%+" PRId64 ")", s->titles[i], got->v[i], want->v[i],
				(int64_t)((uint64_t)got->v[i] - (uint64_t)want->v[i]));
	printf("\n");
}

static bool same_values(const struct sheet *s, const struct sheet_row *a, const struct sheet_row *b)
{
	return memcmp(a->v, b->v, s->width * sizeof(*a->v)) == 0;
}

size_t sheet_compare(const char *what, const struct sheet *got, const struct sheet *want, bool (*extra)(const struct sheet_row *),
	size_t most)
{
	size_t i = 0, j = 0, faults = 0;

	while (i < got->n || j < want->n) {
		int c = i == got->n ? 1 : j == want->n ? -1 : key_cmp(&got->rows[i], &want->rows[j]);
		bool fault = c ? c > 0 || !extra || !extra(&got->rows[i]) : !same_values(got, &got->rows[i], &want->rows[j]);

		faults += fault;
		if (fault && faults <= most) {
			if (c)
				print_only(what, c < 0 ? "here" : "expected", c < 0 ? got : want, c < 0 ? &got->rows[i] : &want->rows[j]);
			else
				print_differ(what, got, &got->rows[i], &want->rows[j]);
		}
		i += c <= 0;
		j += c >= 0;
	}
	if (faults > most)
		printf("# %s: %zu differences in all\n", what, faults);
	return faults;
}
