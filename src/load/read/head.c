/* head.c - what probes ask about the first bytes of a file, see head.h */
#include "load/read/head.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"

bool head_starts(const struct probe *p, const void *magic, size_t n)
{
	return p->head_len >= n && memcmp(p->head, magic, n) == 0;
}

bool head_has(const struct probe *p, const char *text)
{
	return memmem(p->head, p->head_len, text, strlen(text)) != NULL;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_blanks(const struct probe *p, size_t at)
{
	while (at < p->head_len && blank(p->head[at]))
		at++;
	return at;
}

static size_t text_begin(const struct probe *p)
{
	return skip_blanks(p, head_starts(p, "\xef\xbb\xbf", 3) ? 3 : 0);
}

char head_first(const struct probe *p)
{
	size_t at = text_begin(p);

	return at < p->head_len ? p->head[at] : '\0';
}

bool head_begins(const struct probe *p, const char *text)
{
	size_t at = text_begin(p);

	for (; *text; text++, at = skip_blanks(p, at + 1))
		if (at >= p->head_len || p->head[at] != *text)
			return false;
	return true;
}

/* Keys of the outermost object, as far as the head goes; true when take() said that it has seen enough. */
static bool each_key(const struct probe *p, bool (*take)(void *arg, const char *s, size_t n), void *arg)
{
	size_t at = text_begin(p), start = 0;
	unsigned depth = 0;
	bool in_string = false;

	if (at >= p->head_len || p->head[at] != '{')
		return false;
	for (; at < p->head_len; at++) {
		char c = p->head[at];

		if (in_string && c == '\\') {
			at++;
		} else if (in_string && c == '"') {
			in_string = false;
			if (depth == 1) {
				size_t colon = skip_blanks(p, at + 1);

				if (colon < p->head_len && p->head[colon] == ':' && take(arg, p->head + start, at - start))
					return true;
			}
		} else if (in_string) {
			continue;
		} else if (c == '"') {
			in_string = true;
			start = at + 1;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && !--depth) {
			return false;
		}
	}
	return false;
}

static bool is_key(void *arg, const char *s, size_t n)
{
	const char *key = arg;

	return text_is(s, n, key);
}

static bool keep_key(void *arg, const char *s, size_t n)
{
	struct head_facts *f = arg;

	if (f->n_keys == HEAD_KEYS_MAX)
		return true;
	f->keys[f->n_keys].s = s;
	f->keys[f->n_keys++].n = n;
	return false;
}

bool head_key(const struct probe *p, const char *key)
{
	char *arg = (char *)(uintptr_t)key;	/* is_key() only reads it */

	if (!p->facts || p->facts->more_keys)
		return each_key(p, is_key, arg);
	for (size_t i = 0; i < p->facts->n_keys; i++)
		if (is_key(arg, p->facts->keys[i].s, p->facts->keys[i].n))
			return true;
	return false;
}

static bool looks_like_text(const struct probe *p)
{
	for (size_t i = 0; i < p->head_len; i++) {
		unsigned char c = (unsigned char)p->head[i];

		if ((c < 32 && !blank((char)c) && c != 27 && c != '\f' && c != '\b') || c == 127)
			return false;
	}
	return p->head_len > 0;
}

void head_facts_make(struct head_facts *f, const struct probe *p)
{
	f->n_keys = 0;
	f->more_keys = each_key(p, keep_key, f);
	f->text = looks_like_text(p);
	f->json = probe_json(p->head, p->head_len);
}

enum json_kind head_json(const struct probe *p)
{
	return p->facts ? p->facts->json : probe_json(p->head, p->head_len);
}

bool head_is_text(const struct probe *p)
{
	return p->facts ? p->facts->text : looks_like_text(p);
}

bool path_ends(const char *path, const char *ext)
{
	size_t n = strlen(path), k = strlen(ext);

	if (n > 3 && strcasecmp(path + n - 3, ".gz") == 0)
		n -= 3;
	return n > k && strncasecmp(path + n - k, ext, k) == 0;
}

/* ---- UTF-16 ------------------------------------------------------------------------------------ */

static uint32_t unit(const unsigned char *s, bool big)
{
	return big ? (uint32_t)s[0] << 8 | s[1] : (uint32_t)s[1] << 8 | s[0];
}

char *utf16_to_utf8(const char *s, size_t n, size_t *out_n)
{
	const unsigned char *u = (const unsigned char *)s;
	bool big = n >= 2 && u[0] == 0xfe && u[1] == 0xff;
	char *out;
	size_t o = 0;

	if (!big && !(n >= 2 && u[0] == 0xff && u[1] == 0xfe))
		return NULL;
	out = xmalloc(n / 2 * 3 + 4);
	for (size_t i = 2; i < n; i += 2) {
		uint32_t c = i + 1 < n ? unit(u + i, big) : 0xfffd, low;

		if (c >= 0xd800 && c < 0xe000) {
			low = c < 0xdc00 && i + 3 < n ? unit(u + i + 2, big) : 0;
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		o += text_encode(out + o, c);
	}
	*out_n = o;
	return out;
}
