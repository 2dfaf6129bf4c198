/*
 * groups.h - group-by: a key becomes a group number 0, 1, 2 … in the order of first sight. What is added up per group is the
 * caller's: plain arrays indexed by the group number.
 *
 *	struct groups g = { 0 };
 *	VEC(struct acc) acc = { 0 };
 *	uint32_t i = groups_add(&g, &(struct group_key){ .k = { source, name_id } });
 *
 *	if (i == acc.n)
 *		VEC_PUSH(&acc, (struct acc){ 0 });	// a new group
 *	acc.a[i].count++;
 *
 * Not safe for concurrent use.
 */
#ifndef CALC_GROUPS_H
#define CALC_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "table/table.h"

#define GROUP_KEYS 4

struct group_key {
	uint64_t k[GROUP_KEYS];
	const char *name;	/* borrowed: must outlive the groups (strings of a profile do). NULL is not the same as "" */
	size_t name_len;
};
struct groups {
	struct group_key *keys;	/* by group number */
	uint64_t *hash;
	uint32_t n, cap;
	uint32_t *slots;	/* open addressing: group number + 1, 0 = empty */
	size_t n_slots;		/* a power of two */
};

/* The number of the key's group; a new one is g->n - 1. Keys are equal when all of k and the name's bytes are. O(1). */
uint32_t groups_add(struct groups *g, const struct group_key *key);
/* The number, or ID_NONE. */
uint32_t groups_find(const struct groups *g, const struct group_key *key);
void groups_fini(struct groups *g);

/*
 * Names over several profiles: equal bytes have one number, so that a name can be a key of its own without hashing long text per
 * event. names_enter() begins with a profile (its string ids then mean that profile's strings); it must outlive the struct.
 */
struct names {
	struct groups g;
	const struct profile *p;
	uint32_t *of;		/* per string of p: number, ID_NONE not asked for yet */
	size_t (*cut)(const char *s, size_t n);	/* if set: how much of a name counts (rules_op_base, say) */
};

void names_enter(struct names *nm, const struct profile *p);
/* The number of a string; ID_NONE for an id that names no string. */
uint32_t names_id(struct names *nm, str_id id);
/* The bytes of a number; (NULL, 0) for ID_NONE. */
const char *names_str(const struct names *nm, uint32_t number, size_t *n);
/* Writes it into a cell; that of ID_NONE stays missing. */
void names_put(struct table *t, uint32_t row, uint32_t col, const struct names *nm, uint32_t number);
void names_fini(struct names *nm);

/* `order` of n group numbers, sorted by cmp; the caller frees. Stable. */
uint32_t *groups_order(uint32_t n, int (*cmp)(uint32_t a, uint32_t b, const void *arg), const void *arg);

#endif
