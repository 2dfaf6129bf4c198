/* jout.c - JSON writer, see jout.h */
#include "base/jout.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

enum {
	FLUSH_BYTES = 64 * 1024
};

void jout_init(struct jout *j, FILE *f, struct sbuf *b)
{
	memset(j, 0, sizeof(*j));
	j->f = f;
	j->b = f ? &j->own : b;
}

/* A failed stream keeps its error mark; jout_finish looks at it. */
static void flush(struct jout *j)
{
	if (!j->f)
		return;
	if (j->b->n)
		fwrite(j->b->s, 1, j->b->n, j->f);
	sbuf_reset(j->b);
}

/* What stands before a value or a key: a comma from the second one on. */
static void begin(struct jout *j)
{
	if (j->b->n >= FLUSH_BYTES)
		flush(j);
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->depth && j->level[j->depth - 1].filled)
		sbuf_puts(j->b, ", ");
	if (j->depth)
		j->level[j->depth - 1].filled = true;
}

static void open_level(struct jout *j, bool object)
{
	if (j->depth == JOUT_DEPTH_MAX) {
		j->too_deep = true;
		return;
	}
	begin(j);
	j->level[j->depth].object = object;
	j->level[j->depth++].filled = false;
	sbuf_putc(j->b, object ? '{' : '[');
}

void jout_object(struct jout *j)
{
	open_level(j, true);
}

void jout_array(struct jout *j)
{
	open_level(j, false);
}

void jout_end(struct jout *j)
{
	if (j->depth)
		sbuf_putc(j->b, j->level[--j->depth].object ? '}' : ']');
}

void jout_key(struct jout *j, const char *key)
{
	begin(j);
	jout_quote(j->b, key, strlen(key));
	sbuf_puts(j->b, ": ");
	j->after_key = true;
}

static void word(struct jout *j, const char *w)
{
	begin(j);
	sbuf_puts(j->b, w);
}

void jout_null(struct jout *j)
{
	word(j, "null");
}

void jout_bool(struct jout *j, bool v)
{
	word(j, v ? "true" : "false");
}

void jout_i64(struct jout *j, int64_t v)
{
	char buf[NUM_TEXT_MAX];

	word(j, num_count(v, buf));
}

void jout_f64(struct jout *j, double v)
{
	char buf[NUM_TEXT_MAX];

	word(j, isfinite(v) ? num_exact(v, buf) : "null");
}

void jout_str(struct jout *j, const char *s, size_t n)
{
	if (!s) {
		jout_null(j);
		return;
	}
	begin(j);
	jout_quote(j->b, s, n);
}

void jout_cstr(struct jout *j, const char *s)
{
	jout_str(j, s, s ? strlen(s) : 0);
}

void jout_newline(struct jout *j)
{
	if (j->depth && j->level[j->depth - 1].filled) {
		/* The comma belongs to the end of the line. */
		sbuf_puts(j->b, ",\n ");
		j->level[j->depth - 1].filled = false;
	} else {
		sbuf_puts(j->b, "\n ");
	}
}

bool jout_finish(struct jout *j, struct err *e)
{
	bool done = true;

	flush(j);
	if (j->f && (fflush(j->f) || ferror(j->f)))
		done = err_sys(e, errno, "writing JSON");
	if (j->too_deep)
		done = err_set(e, ERR_LIMIT, "JSON nested deeper than %d", JOUT_DEPTH_MAX);
	sbuf_fini(&j->own);
	return done;
}

static void quote_escaped(struct sbuf *b, uint32_t cp)
{
	static const char letters[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

	if (cp == '"' || cp == '\\')
		sbuf_printf(b, "\\%c", (int)cp);
	else if (cp < sizeof(letters) && letters[cp])
		sbuf_printf(b, "\\%c", letters[cp]);
	else if (cp > 0xffff)
		sbuf_printf(b, "\\u%04x\\u%04x", 0xd7c0 + (unsigned)(cp >> 10),
			    0xdc00 + (unsigned)(cp & 0x3ff));
	else
		sbuf_printf(b, "\\u%04x", (unsigned)cp);
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void jout_quote(struct sbuf *b, const char *s, size_t n)
{
	sbuf_putc(b, '"');
	for (size_t i = 0, len; i < n; i += len) {
		uint32_t cp = 0;

		for (len = 0; i + len < n && is_plain(s[i + len]);)
			len++;
		if (len) {
			sbuf_put(b, s + i, len);
			continue;
		}
		len = text_decode(s + i, n - i, &cp);
		if (!len) {
			sbuf_puts(b, "\xef\xbf\xbd");
			len = text_bad_length(s + i, n - i);
		} else if (cp == '"' || cp == '\\' || !text_printable(cp)) {
			quote_escaped(b, cp);
		} else {
			sbuf_put(b, s + i, len);
		}
	}
	sbuf_putc(b, '"');
}
