/* escape.c - see escape.h */
#include "report/escape.h"

#include "base/text.h"

void html_text(struct sbuf *b, const char *s, size_t n)
{
	struct sbuf plain = {0};

	text_put(&plain, s, n, SIZE_MAX, TEXT_CUT_END);
	for (size_t i = 0; i < plain.n; i++) {
		char c = plain.s[i];

		if (c == '&')
			sbuf_puts(b, "&amp;");
		else if (c == '<')
			sbuf_puts(b, "&lt;");
		else if (c == '>')
			sbuf_puts(b, "&gt;");
		else if (c == '"')
			sbuf_puts(b, "&quot;");
		else
			sbuf_putc(b, c);
	}
	sbuf_fini(&plain);
}
