/*
 * glyph.h - foreign bytes, one drawable character at a time.
 *
 * Control bytes, invalid UTF-8, bidi controls and other invisible format characters come back as visible ASCII escapes
 * (\x1b, \u202e), so that no name of a trace can move the cursor or reorder a line.
 */
#ifndef UI_SCREEN_GLYPH_H
#define UI_SCREEN_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct glyph {
	char s[17];
	uint8_t n;		/* bytes in s */
	uint8_t width;		/* columns: 0 combining, 1, 2; n of an escape */
	bool escaped;		/* s is ASCII, one column per byte */
};
/*
 * Takes one character off *s (n bytes left in *n). first: nothing stands before it. ascii: our own symbols are replaced by
 * ASCII ones, everything else outside ASCII is escaped (text_set_ascii must agree).
 */
bool glyph_next(const char **s, size_t *n, bool first, bool ascii, struct glyph *g);

#endif
