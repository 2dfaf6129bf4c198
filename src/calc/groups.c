/* groups.c - group-by on small keys and on names, see groups.h */
#include "calc/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/work.h"

static uint64_t key_hash(const struct group_key *key)
{
	uint64_t h = key->name ? map_hash_bytes(key->name, key->name_len) : 0;

	for (int i = 0; i < GROUP_KEYS; i++) {
		h = (h ^ key->k[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h;
}

static bool key_equal(const struct group_key *a, const struct group_key *b)
{
	if (memcmp(a->k, b->k, sizeof(a->k)) || a->name_len != b->name_len || !a->name != !b->name)
		return false;
	return !a->name_len || !memcmp(a->name, b->name, a->name_len);
}

/* The slot of the key, or the empty one where it belongs. */
static size_t slot_of(const struct groups *g, const struct group_key *key, uint64_t h)
{
	size_t i = h & (g->n_slots - 1);

	for (; g->slots[i]; i = (i + 1) & (g->n_slots - 1)) {
		uint32_t n = g->slots[i] - 1;

		if (g->hash[n] == h && key_equal(&g->keys[n], key))
			break;
	}
	return i;
}

static void grow_slots(struct groups *g)
{
	size_t n = g->n_slots ? g->n_slots * 2 : 64;

	free(g->slots);
	g->slots = xcalloc(n, sizeof(*g->slots));
	g->n_slots = n;
	for (uint32_t i = 0; i < g->n; i++) {
		size_t s = g->hash[i] & (n - 1);

		while (g->slots[s])
			s = (s + 1) & (n - 1);
		g->slots[s] = i + 1;
	}
}

uint32_t groups_find(const struct groups *g, const struct group_key *key)
{
	size_t s;

	if (!g->n)
		return ID_NONE;
	s = slot_of(g, key, key_hash(key));
	return g->slots[s] ? g->slots[s] - 1 : ID_NONE;
}

uint32_t groups_add(struct groups *g, const struct group_key *key)
{
	uint64_t h = key_hash(key);
	size_t s;

	work_count(1);
	if ((size_t)g->n * 2 >= g->n_slots)
		grow_slots(g);
	s = slot_of(g, key, h);
	if (g->slots[s])
		return g->slots[s] - 1;
	if (g->n == g->cap) {
		g->cap = (uint32_t)mem_grow(g->cap, (size_t)g->n + 1);
		g->keys = xreallocarray(g->keys, g->cap, sizeof(*g->keys));
		g->hash = xreallocarray(g->hash, g->cap, sizeof(*g->hash));
	}
	g->keys[g->n] = *key;
	g->hash[g->n] = h;
	g->slots[s] = ++g->n;
	return g->n - 1;
}

void groups_fini(struct groups *g)
{
	free(g->keys);
	free(g->hash);
	free(g->slots);
	memset(g, 0, sizeof(*g));
}

void names_enter(struct names *nm, const struct profile *p)
{
	free(nm->of);
	nm->p = p;
	nm->of = xreallocarray(NULL, p->n_strs, sizeof(*nm->of));
	for (uint32_t i = 0; i < p->n_strs; i++)
		nm->of[i] = ID_NONE;
}

uint32_t names_id(struct names *nm, str_id id)
{
	if (id >= nm->p->n_strs)
		return ID_NONE;
	if (nm->of[id] == ID_NONE) {
		struct group_key key = { { 0 }, NULL, 0 };

		key.name = profile_str(nm->p, id, &key.name_len);
		if (nm->cut)
			key.name_len = nm->cut(key.name, key.name_len);
		nm->of[id] = groups_add(&nm->g, &key);
	}
	return nm->of[id];
}

const char *names_str(const struct names *nm, uint32_t number, size_t *n)
{
	*n = number < nm->g.n ? nm->g.keys[number].name_len : 0;
	return number < nm->g.n ? nm->g.keys[number].name : NULL;
}

void names_put(struct table *t, uint32_t row, uint32_t col, const struct names *nm, uint32_t number)
{
	size_t n;
	const char *s = names_str(nm, number, &n);

	table_str(t, row, col, s, n);
}

void names_fini(struct names *nm)
{
	groups_fini(&nm->g);
	free(nm->of);
	memset(nm, 0, sizeof(*nm));
}

typedef int (*group_cmp)(uint32_t a, uint32_t b, const void *arg);

static void merge(uint32_t *a, uint32_t *tmp, uint32_t n, group_cmp cmp, const void *arg)
{
	uint32_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	merge(a, tmp, half, cmp, arg);
	merge(a + half, tmp, n - half, cmp, arg);
	while (i < half || j < n)
		tmp[k++] = j == n || (i < half && cmp(a[i], a[j], arg) <= 0) ? a[i++] : a[j++];
	memcpy(a, tmp, n * sizeof(*a));
}

uint32_t *groups_order(uint32_t n, group_cmp cmp, const void *arg)
{
	uint32_t *order = xreallocarray(NULL, n, sizeof(*order)), *tmp = xreallocarray(NULL, n, sizeof(*tmp));

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	merge(order, tmp, n, cmp, arg);
	free(tmp);
	return order;
}
