/* needle.h - what is searched for: a regular expression, small letters find both cases; what is no valid one is plain text. */
#ifndef UI_SCREEN_NEEDLE_H
#define UI_SCREEN_NEEDLE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct needle {
	char text[256];
	bool set, is_regex;
	regex_t re;
};
void needle_set(struct needle *n, const char *text);	/* "" clears */
void needle_fini(struct needle *n);
/* Whether s[0..len) matches; the bytes may hold anything. at and match_len (may be NULL) tell where. */
bool needle_match(const struct needle *n, const char *s, size_t len, size_t *at, size_t *match_len);

#endif
