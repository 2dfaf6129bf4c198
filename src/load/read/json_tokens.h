/*
 * json_tokens.h - the tokens of a JSON text one after the other, out of a moving window (text_window.h): for values that are large as a
 * whole and nest as deep as they like. Without a tree, without recursion.
 *
 * Commas and colons are not told: a string before a colon is a key. Strings may hold any bytes. What is no JSON is JT_WORD if
 * it looks like one, and one damaged byte otherwise, which is skipped. A string, number or word inside brackets that the end of the
 * text cuts is none: 12 may have been 123.
 */
#ifndef LOAD_READ_JSON_TOKENS_H
#define LOAD_READ_JSON_TOKENS_H

#include "base/jscan.h"
#include "load/read/text_window.h"

enum jtok_kind { JT_END, JT_OBJ, JT_OBJ_END, JT_ARR, JT_ARR_END, JT_KEY, JT_STR, JT_NUM, JT_WORD };

struct jtok {
	struct textwin *w;
	enum jtok_kind kind;
	struct jstr s;		/* key, string (without quotes), number or word; valid until the next token */
	uint32_t depth;		/* brackets that are open behind the token */
	uint64_t junk;		/* bytes that were no JSON */
	int64_t junk_at;
	int64_t whole;		/* offset behind the last value that is whole, or the last bracket */
	const char *cut;	/* what jtok_finish() says of a text that ends early, not translated */
	char *plain;		/* of jtok_text() */
	size_t plain_cap;
};

void jtok_init(struct jtok *t, struct textwin *w);
void jtok_fini(struct jtok *t);
/* Reads the next token and returns its kind; JT_END where the text ends, whatever is open, and after a failure of the window. */
enum jtok_kind jtok_next(struct jtok *t);
/* Skips the value that comes next (all of it), as after a key that means nothing. */
void jtok_skip(struct jtok *t);
/* Skips the rest of the value whose first token was just read. */
void jtok_skip_rest(struct jtok *t);
/* Reads on to the next key of the object that is open at `depth`; false at its end (which is taken) or that of the text. */
bool jtok_key(struct jtok *t, uint32_t depth);
/*
 * The value that comes next, if it is an object (JT_OBJ) or array (JT_ARR): it is open then, at *depth for jtok_key() or jtok_element().
 * Anything else is skipped, and false.
 */
bool jtok_open(struct jtok *t, enum jtok_kind kind, uint32_t *depth);
/* Reads the next element of the array that is open at `depth`; false at its end. */
bool jtok_element(struct jtok *t, uint32_t depth);
static inline bool jtok_is(const struct jtok *t, const char *word)
{
	return jstr_is(&t->s, word);
}
/* Key or string as the bytes that it stands for; valid until the next token. */
const char *jtok_text(struct jtok *t, size_t *n);
/* The next value, if it is such a number or string; skipped and false otherwise. scaled: as decimal_scaled(). */
bool jtok_scaled(struct jtok *t, int digits, int64_t *out);
bool jtok_string(struct jtok *t, const char **s, size_t *n);
/* Number token → integer, cut off; false if the token is no number or does not fit. */
bool jtok_i64(const struct jtok *t, int64_t *out);
/* The object or array that a key's value should be: calls fn for each object in an array, open. Anything else is skipped. */
void jtok_objects(struct jtok *t, void (*fn)(void *arg), void *arg);
/* Tells what was wrong with the text as far as it was read. */
void jtok_finish(struct jtok *t);
/* With the value read: tells if something follows it. */
void jtok_behind(struct jtok *t);
/*
 * One way through a file, with t at its beginning: read(arg) takes what it wants. tell: jtok_finish() and that of the window afterwards, for
 * the last way. False with *e set where the file could not be read.
 */
bool jtok_pass(struct jtok *t, struct load_ctx *lx, const char *path, void (*read)(void *arg), void *arg, bool tell, struct err *e);

#endif
