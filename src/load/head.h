/*
 * head.h - questions that probes ask about the first bytes of a file. All of them take the head as it may be: cut anywhere,
 * any bytes, not terminated.
 */
#ifndef LOAD_HEAD_H
#define LOAD_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "load/loader.h"

/* The head begins with these n bytes / holds this text anywhere. */
bool head_starts(const struct probe *p, const void *magic, size_t n);
bool head_has(const struct probe *p, const char *text);
/* First byte that is no blank (a UTF-8 BOM counts as one); 0 if there is none. */
char head_first(const struct probe *p);
/* The text without blanks in front is `text`, blanks between its bytes ignored: head_begins(p, "[[") for "[ \n[". */
bool head_begins(const struct probe *p, const char *text);
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
