/* nsys_mask.c - hides values that look like secrets in messages of a file, see nsys.h */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "load/nsys.h"

#define TOKEN_MIN 16

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/*
 * Overwrites what may be part of a secret, up to the closing quote if it began with one; returns
 * what follows it.
 */
static char *blank(char *p, char quote)
{
	while (*p && (quote ? *p != quote : !isspace((unsigned char)*p) && !strchr("\"',;)}]", *p)))
		*p++ = '*';
	return p;
}

/*
 * "…token…=VALUE" or "…: VALUE": the start of VALUE, NULL if there is no such assignment at `word`.
 */
static char *assigned(char *word)
{
	static const char *const keys[] = {"token", "secret", "passw", "key", "credential"};
	size_t n = 0, i = 0;

	while (i < sizeof(keys) / sizeof(*keys) && strncasecmp(word, keys[i], strlen(keys[i])) != 0)
		i++;
	if (i == sizeof(keys) / sizeof(*keys))
		return NULL;
	while (word_char(word[n]))
		n++;
	n += strspn(word + n, " \"'");
	if (word[n] != '=' && word[n] != ':')
		return NULL;
	n++;
	return word + n + strspn(word + n, " \"'");
}

/* Tokens that name their kind in their first letters. */
static bool known_token(const char *p)
{
	static const char *const heads[] = {"hf_",    "ghp_", "gho_", "ghs_", "github_pat_",
					    "glpat-", "sk-",  "AKIA", "xox"};
	size_t n = 0;

	while (word_char(p[n]))
		n++;
	for (size_t i = 0; n >= TOKEN_MIN && i < sizeof(heads) / sizeof(*heads); i++)
		if (strncmp(p, heads[i], strlen(heads[i])) == 0)
			return true;
	return false;
}

void nsys_mask_secrets(char *text)
{
	for (char *p = text; *p;) {
		char *value = assigned(p);
		bool begins = p == text || !word_char(p[-1]);

		if (value)
			p = blank(value, strchr("\"'", value[-1]) ? value[-1] : '\0');
		else if (begins && known_token(p))
			p = blank(p, '\0');
		else
			p++;
	}
}
