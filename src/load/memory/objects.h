/*
 * objects.h - what the dicts and lists of a memory snapshot are, told while they are built.
 *
 * No object is kept as such. A dict is known by its keys (a trace entry has "action", a segment "blocks", …) and becomes a record of the
 * builder when its keys come; a list is a run of records, since those of a list are made one after the other. Lists of frames become
 * stacks, shared as in the file.
 */
#ifndef LOAD_MEMORY_OBJECTS_H
#define LOAD_MEMORY_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/builder.h"
#include "model/memory.h"

enum value_kind { VALUE_NONE, VALUE_BOOL, VALUE_INT, VALUE_FLOAT, VALUE_TEXT, VALUE_TUPLE, VALUE_LIST, VALUE_DICT, VALUE_OPAQUE, VALUE_MARK };
struct value {
	uint64_t v;	/* INT: two's complement · FLOAT: bits · TEXT: str_id · TUPLE: tuple_of() · LIST, DICT: number of the object */
	uint32_t kind;	/* enum value_kind; OPAQUE: something that no snapshot needs */
};

struct object_list {
	uint32_t role, first, n;	/* role: of its items, see objects.c; first: record, or stack */
};
struct objects {
	struct builder *b;
	uint8_t *word_of;		/* by str_id: which of the words of a snapshot it is; below n_word_of */
	uint32_t n_word_of;
	VEC(uint32_t) dicts;		/* role and record */
	VEC(struct object_list) lists;
	VEC(uint32_t) children;		/* lists in lists */
	uint32_t segments, traces;	/* lists of the root; ID_NONE: not seen */
	uint32_t records;		/* entries and segments made */
	uint32_t entries, blocks_owned;	/* entries made; blocks up to here belong to segments */
	uint32_t n_texts;		/* strings of the builder */
	uint64_t held;			/* bytes of all tables, those of the builder included */
	int64_t at;			/* byte of the file where the current operation stands, for damage */
	const char *wrong;		/* N_() marked: why reading cannot go on */
};

/* The builder must be empty: words get the first ids of its strings. */
void objects_init(struct objects *o, struct builder *b);
void objects_fini(struct objects *o);

/* A text of the file, as its id. */
str_id objects_text(struct objects *o, const void *s, size_t n);
uint32_t objects_list(struct objects *o);
uint32_t objects_dict(struct objects *o);
/* A tuple of two small numbers; any other one is unknown, UINT64_MAX. */
uint64_t tuple_of(const struct value *items, size_t n);
/* False: o->wrong says why the rest of the file cannot be used. Items that do not fit are counted as damage. */
bool objects_append(struct objects *o, uint32_t list, const struct value *items, size_t n);
bool objects_set(struct objects *o, uint32_t dict, const struct value *pairs, size_t n_pairs);
/* When the file has ended: which entries are whose, clocks. False: no root of a snapshot was seen. */
bool objects_done(struct objects *o);

#endif
