/*
 * name_glob.h - globs over names of any bytes: what rule files and arguments of the command line are written in. glob.c has the
 * language. Patterns are compiled once and then read-only.
 */
#ifndef RULES_NAME_GLOB_H
#define RULES_NAME_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Codes of a compiled glob; below GLOB_ANY they are bytes. */
enum {
	GLOB_ANY = 256,
	GLOB_BOUNDARY,
	GLOB_NUMBER,
	GLOB_STAR
};

enum {
	GLOB_TRIGRAMS = 6
};

struct glob {
	uint16_t *code; /* n codes */
	uint32_t n;
	uint8_t n_trigrams;
	uint16_t trigram[GLOB_TRIGRAMS]; /* all must occur in a name that matches */
};

struct globs {
	struct glob *v;
	size_t n, cap;
};

enum {
	NAME_BITS = 8192
};

/* The trigrams of a name, folded: a filter that turns most globs away in a few instructions. */
struct name_bits {
	uint64_t v[NAME_BITS / 64];
};

struct glob_number {
	size_t pos, len; /* the digits of the first {n} that matched; len 0: none */
};

/* Compile one glob (no alternation). Appends to `to`. */
void glob_add(struct globs *to, const char *pattern, size_t len, bool fold);
void globs_fini(struct globs *g);
void name_bits_fill(struct name_bits *b, const char *name, size_t len);
bool glob_match(const struct glob *g, const char *name, size_t len, bool fold,
		struct glob_number *num);

/* True if one of them matches the name, letters as they are. */
bool globs_match(const struct globs *g, const char *name, size_t len);
/* The same with the name's bits, for who asks of one name often. */
bool globs_match_bits(const struct globs *g, const struct name_bits *b, const char *name, size_t len);

#endif
