/* needle.c - search words. */
#include "ui/screen/needle.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

void needle_fini(struct needle *n)
{
	if (n->set && n->is_regex)
		regfree(&n->re);
	n->set = n->is_regex = false;
}

void needle_set(struct needle *n, const char *text)
{
	int flags = REG_EXTENDED;

	needle_fini(n);
	snprintf(n->text, sizeof(n->text), "%s", text);
	if (!n->text[0])
		return;
	if (!text_has_upper(n->text, strlen(n->text)))
		flags |= REG_ICASE;
	n->is_regex = regcomp(&n->re, n->text, flags) == 0;
	n->set = true;
}

bool needle_match(const struct needle *n, const char *s, size_t len, size_t *at, size_t *match_len)
{
	regmatch_t m = { 0, (regoff_t)len };

	if (!n->set)
		return false;
	if (!n->is_regex) {
		if (at)
			*at = 0;
		if (match_len)
			*match_len = 0;
		return text_contains(s, len, n->text, strlen(n->text));
	}
	if (regexec(&n->re, s, 1, &m, REG_STARTEND) != 0)
		return false;
	if (at)
		*at = (size_t)m.rm_so;
	if (match_len)
		*match_len = (size_t)(m.rm_eo - m.rm_so);
	return true;
}
