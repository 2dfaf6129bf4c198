/* strtab.c - interned strings, see strtab.h */
#include "model/strtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

static uint32_t *slot_of(const struct strtab *t, const char *s, size_t n)
{
	uint32_t i = (uint32_t)map_hash_bytes(s, n) & (t->n_slots - 1);

	for (; t->slots[i]; i = (i + 1) & (t->n_slots - 1)) {
		uint32_t id = t->slots[i] - 1;
		size_t len = t->off[id + 1] - t->off[id] - 1;

		if (len == n && !memcmp(t->blob + t->off[id], s, n))
			break;
	}
	return &t->slots[i];
}

static void grow_slots(struct strtab *t)
{
	t->n_slots = t->n_slots ? t->n_slots * 2 : 1024;
	free(t->slots);
	t->slots = xcalloc(t->n_slots, sizeof(*t->slots));
	for (uint32_t id = 0; id < t->n; id++)
		*slot_of(t, t->blob + t->off[id], t->off[id + 1] - t->off[id] - 1) = id + 1;
}

#define BLOB_FIRST 4096
#define OFF_FIRST 256

uint32_t strtab_add(struct strtab *t, const char *s, size_t n)
{
	if (t->blob_cap - t->blob_len < n + 1) {
		t->blob_cap = mem_grow(t->blob_cap, t->blob_len + n + 1 + (t->blob_cap ? 0 : BLOB_FIRST));
		t->blob = xrealloc(t->blob, t->blob_cap);
	}
	if (t->n + 2 > t->cap) {
		t->cap = (uint32_t)mem_grow(t->cap, t->n + 2 + (t->cap ? 0 : OFF_FIRST));
		t->off = xreallocarray(t->off, t->cap, sizeof(*t->off));
	}
	if (n)
		memcpy(t->blob + t->blob_len, s, n);
	t->blob[t->blob_len + n] = '\0';
	t->off[t->n] = t->blob_len;
	t->blob_len += n + 1;
	t->off[t->n + 1] = t->blob_len;
	return t->n++;
}

uint32_t strtab_intern(struct strtab *t, const char *s, size_t n)
{
	uint32_t *slot;

	if (2 * (t->n + 1) > t->n_slots)
		grow_slots(t);
	slot = slot_of(t, s, n);
	if (!*slot)
		*slot = strtab_add(t, s, n) + 1;
	return *slot - 1;
}

uint32_t strtab_find(const struct strtab *t, const char *s, size_t n)
{
	uint32_t v = t->n_slots ? *slot_of(t, s, n) : 0;

	return v ? v - 1 : UINT32_MAX;
}

const char *strtab_get(const struct strtab *t, uint32_t id, size_t *n)
{
	if (id >= t->n) {
		*n = 0;
		return "";
	}
	*n = t->off[id + 1] - t->off[id] - 1;
	return t->blob + t->off[id];
}

void strtab_fini(struct strtab *t)
{
	free(t->blob);
	free(t->off);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}
