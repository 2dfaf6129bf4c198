/* glyph.c - one drawable character at a time: base/text.h for foreign bytes, stand-ins for our own symbols in ASCII mode. */
#include "ui/screen/glyph.h"

#include <string.h>

#include "base/text.h"

/* What stands for our own symbols where only ASCII can be shown. */
static char ascii_for(uint32_t cp)
{
	static const struct {
		uint32_t cp;
		char c;
	} map[] = {
		{ 0xb5, 'u' }, { 0xb7, '.' }, { 0xd7, 'x' }, { 0x3bc, 'u' }, { 0x2013, '-' }, { 0x2014, '-' }, { 0x2018, '\'' },
		{ 0x2019, '\'' }, { 0x201c, '"' }, { 0x201d, '"' }, { 0x2022, '*' }, { 0x2026, '~' }, { 0x2190, '<' }, { 0x2191, '^' },
		{ 0x2192, '>' }, { 0x2193, 'v' }, { 0x2194, '-' }, { 0x2248, '~' }, { 0x2261, '=' }, { 0x2264, '<' },
		{ 0x2265, '>' }, { 0x2500, '-' }, { 0x2502, '|' }, { 0x251c, '|' }, { 0x2514, '`' }, { 0x2550, '=' }, { 0x2588, '#' },
		{ 0x2591, '.' }, { 0x2592, ':' }, { 0x2593, '%' }, { 0x25b2, '^' }, { 0x25b4, '^' }, { 0x25b6, '>' }, { 0x25b8, '>' },
		{ 0x25bc, 'v' }, { 0x25be, 'v' },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].cp == cp)
			return map[i].c;
	return '\0';
}

bool glyph_next(const char **s, size_t *n, bool first, bool ascii, struct glyph *g)
{
	struct text_glyph t;
	uint32_t cp = 0;
	char stand_in;

	if (!*n)
		return false;
	if (ascii && (unsigned char)**s >= 0x80) {
		size_t len = text_decode(*s, *n, &cp);

		stand_in = len ? ascii_for(cp) : '\0';
		if (stand_in) {
			g->s[0] = stand_in;
			g->n = g->width = 1;
			g->escaped = false;
			*s += len;
			*n -= len;
			return true;
		}
	}
	text_next(*s, *n, first, &t);
	memcpy(g->s, t.out, t.len);
	g->n = t.len;
	g->width = t.width;
	g->escaped = t.width > 2;
	*s += t.src_len;
	*n -= t.src_len;
	return true;
}
