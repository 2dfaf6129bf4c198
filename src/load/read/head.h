/*
 * head.h - questions that probes ask about the first bytes of a file. All of them take the head as it may be: cut anywhere,
 * any bytes, not terminated.
 */
#ifndef LOAD_READ_HEAD_H
#define LOAD_READ_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "load/read/json_kind.h"
#include "load/read/loader.h"

/* The head begins with these n bytes / holds this text anywhere. */
bool head_starts(const struct probe *p, const void *magic, size_t n);
bool head_has(const struct probe *p, const char *text);
/* First byte that is no blank (a UTF-8 BOM counts as one); 0 if there is none. */
char head_first(const struct probe *p);
/* The text without blanks in front is `text`, blanks between its bytes ignored: head_begins(p, "[[") for "[ \n[". */
bool head_begins(const struct probe *p, const char *text);
/* What nearly every probe asks, found out once per file: most formats are told apart by the keys of 64 KiB of JSON. */
enum { HEAD_KEYS_MAX = 128 };
struct head_facts {
	bool text, more_keys;	/* more_keys: there are more than fit here */
	enum json_kind json;
	size_t n_keys;
	struct {
		const char *s;	/* in the head */
		size_t n;
	} keys[HEAD_KEYS_MAX];
};
/* p->facts is not looked at; p->head must outlive *f. */
void head_facts_make(struct head_facts *f, const struct probe *p);
enum json_kind head_json(const struct probe *p);
/* The head is a JSON object that has the key at its top level (as far as the head goes). */
bool head_key(const struct probe *p, const char *key);
/* No control bytes but tabs, newlines and ESC, and not empty. */
bool head_is_text(const struct probe *p);
/* The path ends with this extension (".gz" behind it is ignored). A name alone proves nothing. */
bool path_ends(const char *path, const char *ext);

/*
 * UTF-16 with a byte order mark (PowerShell's > writes it) becomes UTF-8. NULL if the text does not begin with such a mark;
 * else a heap copy of *out_n bytes. Lone surrogates and a trailing half become U+FFFD.
 */
char *utf16_to_utf8(const char *s, size_t n, size_t *out_n);

#endif
