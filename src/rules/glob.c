/*
 * glob.c - globs over names of any bytes, and the search for the first rule that matches.
 *
 *   *     any run of bytes, also none
 *   ?     any one byte
 *   ^     no byte: a border of a word (letters and digits are words, all else is not, '_' neither)
 *   {n}   a whole run of digits (no digit before or after it)
 *   \x    the byte x itself
 *
 * A pattern is cut at its stars; the first part is anchored at the start, the last at the end, and
 * those between are looked for from left to right. That needs no backtracking, so the cost is
 * bounded by length × pattern. Most globs are turned away earlier: a name that holds one of the
 * glob's literals also holds the trigrams of it, and these are looked up in a small bit set.
 */
#include "rules/rules_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static unsigned char fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(unsigned char c)
{
	c = fold(c);
	return is_digit(c) || (c >= 'a' && c <= 'z');
}

static unsigned trigram(unsigned a, unsigned b, unsigned c)
{
	uint32_t h = a | b << 8 | c << 16;

	return h * 2654435761u >> (32 - 13);
}

/* ---- compiling ---- */

static void collect_trigrams(struct glob *g)
{
	for (uint32_t i = 0; i + 2 < g->n && g->n_trigrams < GLOB_TRIGRAMS; i++) {
		const uint16_t *c = g->code + i;

		if (c[0] >= GLOB_ANY || c[1] >= GLOB_ANY || c[2] >= GLOB_ANY)
			continue;
		g->trigram[g->n_trigrams++] =
			(uint16_t)trigram(fold((unsigned char)c[0]), fold((unsigned char)c[1]),
					  fold((unsigned char)c[2]));
	}
}

static uint16_t next_code(const char *p, size_t len, size_t *used)
{
	*used = 1;
	if (*p == '*')
		return GLOB_STAR;
	if (*p == '?')
		return GLOB_ANY;
	if (*p == '^')
		return GLOB_BOUNDARY;
	if (len >= 3 && memcmp(p, "{n}", 3) == 0) {
		*used = 3;
		return GLOB_NUMBER;
	}
	if (*p == '\\' && len > 1) {
		*used = 2;
		return (unsigned char)p[1];
	}
	return (unsigned char)*p;
}

void glob_add(struct globs *to, const char *pattern, size_t len, bool fold_case)
{
	struct glob g = {.code = xreallocarray(NULL, len ? len : 1, sizeof(*g.code))};
	size_t used;

	for (size_t i = 0; i < len; i += used) {
		uint16_t c = next_code(pattern + i, len - i, &used);

		if (c == GLOB_STAR && g.n && g.code[g.n - 1] == GLOB_STAR)
			continue;
		g.code[g.n++] = fold_case && c < GLOB_ANY ? fold((unsigned char)c) : c;
	}
	collect_trigrams(&g);
	if (to->n == to->cap) {
		to->cap = mem_grow(to->cap, to->n + 1);
		to->v = xreallocarray(to->v, to->cap, sizeof(*to->v));
	}
	to->v[to->n++] = g;
}

void globs_fini(struct globs *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->v[i].code);
	free(g->v);
	memset(g, 0, sizeof(*g));
}

/* ---- matching ---- */

struct glob_subject {
	const unsigned char *s;
	size_t len;
	bool fold;
	struct glob_number *num;
};

static bool at_boundary(const struct glob_subject *u, size_t pos)
{
	bool before = pos > 0 && is_word(u->s[pos - 1]);
	bool after = pos < u->len && is_word(u->s[pos]);

	return !(before && after);
}

/* A whole run of digits at pos; returns its end, or 0. */
static size_t match_number(const struct glob_subject *u, size_t pos)
{
	size_t end = pos;

	if (pos > 0 && is_digit(u->s[pos - 1]))
		return 0;
	while (end < u->len && is_digit(u->s[end]))
		end++;
	if (end == pos)
		return 0;
	if (u->num && u->num->len == 0) {
		u->num->pos = pos;
		u->num->len = end - pos;
	}
	return end;
}

/* Do the n codes (no star among them) match at pos? *end is where they stop. */
static bool match_part(const struct glob_subject *u, const uint16_t *c, size_t n, size_t pos,
		       size_t *end)
{
	for (size_t i = 0; i < n; i++) {
		if (c[i] == GLOB_BOUNDARY) {
			if (!at_boundary(u, pos))
				return false;
		} else if (c[i] == GLOB_NUMBER) {
			pos = match_number(u, pos);
			if (pos == 0)
				return false;
		} else {
			if (pos >= u->len)
				return false;
			if (c[i] != GLOB_ANY && c[i] != (u->fold ? fold(u->s[pos]) : u->s[pos]))
				return false;
			pos++;
		}
	}
	*end = pos;
	return true;
}

/* The leftmost place at or after pos where the part matches (and, if to_end, stops at the end). */
static bool find_part(const struct glob_subject *u, const uint16_t *c, size_t n, size_t *pos,
		      bool to_end)
{
	struct glob_number before = {0, 0};
	size_t end;

	if (u->num)
		before = *u->num;
	for (size_t p = *pos; p <= u->len; p++) {
		if (u->num)
			*u->num = before;
		if (match_part(u, c, n, p, &end) && (!to_end || end == u->len)) {
			*pos = end;
			return true;
		}
	}
	return false;
}

bool glob_match(const struct glob *g, const char *name, size_t len, bool fold_case,
		struct glob_number *num)
{
	struct glob_subject u = {(const unsigned char *)name, len, fold_case, num};
	size_t i = 0, pos = 0;

	if (num)
		memset(num, 0, sizeof(*num));
	for (bool first = true; i <= g->n; first = false) {
		size_t j = i;

		while (j < g->n && g->code[j] != GLOB_STAR)
			j++;
		if (first) {
			if (!match_part(&u, g->code, j, 0, &pos))
				return false;
			if (j == g->n)
				return pos == len;
		} else if (!find_part(&u, g->code + i, j - i, &pos, j == g->n)) {
			return false;
		}
		i = j + 1;
	}
	return true;
}

void name_bits_fill(struct name_bits *b, const char *name, size_t len)
{
	const unsigned char *s = (const unsigned char *)name;

	memset(b, 0, sizeof(*b));
	for (size_t i = 0; i + 2 < len; i++) {
		unsigned h = trigram(fold(s[i]), fold(s[i + 1]), fold(s[i + 2]));

		b->v[h / 64] |= (uint64_t)1 << h % 64;
	}
}

static bool may_match(const struct glob *g, const struct name_bits *b)
{
	for (unsigned i = 0; i < g->n_trigrams; i++)
		if (!(b->v[g->trigram[i] / 64] >> g->trigram[i] % 64 & 1))
			return false;
	return true;
}

static bool any_match(const struct globs *g, const struct name_bits *b, const char *name,
		      size_t len, bool fold_case, struct glob_number *num)
{
	for (size_t i = 0; i < g->n; i++)
		if (may_match(&g->v[i], b) && glob_match(&g->v[i], name, len, fold_case, num))
			return true;
	return false;
}

bool globs_match_bits(const struct globs *g, const struct name_bits *b, const char *name, size_t len)
{
	return any_match(g, b, name, len, false, NULL);
}

bool globs_match(const struct globs *g, const char *name, size_t len)
{
	struct name_bits bits;

	name_bits_fill(&bits, name, len);
	return any_match(g, &bits, name, len, false, NULL);
}

const struct rule *rule_find(const struct rule_list *t, const char *name, size_t len,
			     struct glob_number *num)
{
	struct name_bits bits;

	name_bits_fill(&bits, name, len);
	for (size_t i = 0; i < t->n; i++) {
		const struct rule *r = &t->v[i];

		if (any_match(&r->match, &bits, name, len, r->fold_case, num) &&
		    !any_match(&r->but_not, &bits, name, len, r->fold_case, NULL))
			return r;
	}
	return NULL;
}
