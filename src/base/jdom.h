/*
 * jdom.h - small JSON documents as a tree: pyinstrument files, ds_config.json. Traces never come here (jscan.h).
 *
 * The text is checked and rewritten by a scanner of our own before the library builds the tree, which gives what the library
 * does not: byte offsets of faults, numbers as they are written (no double: integers and decimals are exact), NUL inside
 * strings (pyinstrument writes \u0000), lone surrogates (U+FFFD), bare NaN and Infinity (null), unknown escapes (kept), and
 * the use of a text that ends early. Keys may hold NUL too, as the bytes C0 80: nobody looks one up.
 *
 * Values belong to the document and live until jdom_free(). Every function takes NULL for a value that is absent.
 */
#ifndef BASE_JDOM_H
#define BASE_JDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define JDOM_DEPTH_MAX 1000		/* what the library follows: 500 Python frames, each an object in an array */
#define JDOM_BYTES_MAX (256u << 20)	/* a tree takes about ten times its text */

struct jdom;
struct jval;

enum jkind { JDOM_ABSENT, JDOM_NULL, JDOM_BOOL, JDOM_NUMBER, JDOM_STRING, JDOM_ARRAY, JDOM_OBJECT };
enum jget { JGET_OK, JGET_ABSENT, JGET_WRONG };	/* WRONG: null, another type, or a number out of range */

struct jdom_opts {
	size_t bytes_max;	/* 0 = JDOM_BYTES_MAX */
	unsigned depth_max;	/* 0 = JDOM_DEPTH_MAX */
	bool mend;		/* use a text that ends early or has something behind its value, and tell in the report */
};

struct jdom_report {
	int64_t cut_at;		/* the text ended early: offset behind the last whole value; -1 = it did not */
	int64_t junk_at;	/* offset of what follows the value; -1 = nothing does */
	int64_t pruned_at;	/* offset of the first value that was nested too deep (it became null); -1 = none was */
	uint64_t pruned;
};

/*
 * Parses n bytes (UTF-8, a BOM is skipped). NULL with *e set: ERR_FORMAT with the byte offset in e->offset, ERR_LIMIT if the
 * text is too long. Values that are nested too deep become null and are counted. r may be NULL, o too.
 */
struct jdom *jdom_parse(const char *text, size_t n, const struct jdom_opts *o, struct jdom_report *r, struct err *e);
void jdom_free(struct jdom *d);		/* NULL is fine */
const struct jval *jdom_root(const struct jdom *d);

enum jkind jval_kind(const struct jval *v);
/* Member of an object by its exact key; of equal keys the first. NULL if there is none or v is no object. */
const struct jval *jval_get(const struct jval *v, const char *key);
/* First element or member, and the next one after it. NULL at the end. */
const struct jval *jval_first(const struct jval *v);
const struct jval *jval_next(const struct jval *v);
const char *jval_key(const struct jval *v);	/* NULL for elements of arrays */
/* Text of a string or a number as written (borrowed), *n its length; NULL for other kinds. */
const char *jval_text(const struct jval *v, size_t *n);
bool jval_true(const struct jval *v);		/* is true itself */

/* ---- members of an object; *out is written on JGET_OK only ---- */
enum jget jval_get_str(const struct jval *v, const char *key, const char **s, size_t *n);
/* An integer, exactly; 12.0 and 1e3 are integers, 1.5 is WRONG. */
enum jget jval_get_i64(const struct jval *v, const char *key, int64_t *out);
/*
 * A decimal number times 10^digits, digit by digit, rounded half away from zero: seconds → ns with digits = 9. The file's own
 * precision is kept; beyond int64 is WRONG.
 */
enum jget jval_get_scaled(const struct jval *v, const char *key, int digits, int64_t *out);

#endif
