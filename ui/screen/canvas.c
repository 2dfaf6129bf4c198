/* canvas.c - the cell grid: clipped text, bars, dumps. The only place where foreign bytes become cells. */
#include "ui/screen/canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ui/screen/glyph.h"

static const struct canvas_cell blank = { " ", 1, ST_NORMAL, 0 };

void grid_init(struct grid *g, int w, int h)
{
	memset(g, 0, sizeof(*g));
	grid_resize(g, w, h);
}

void grid_resize(struct grid *g, int w, int h)
{
	g->w = w > 0 ? w : 0;
	g->h = h > 0 ? h : 0;
	free(g->cells);
	g->cells = xcalloc((size_t)g->w * (size_t)g->h + 1, sizeof(*g->cells));
	grid_clear(g);
}

void grid_clear(struct grid *g)
{
	size_t n = (size_t)g->w * (size_t)g->h;

	for (size_t i = 0; i < n; i++)
		g->cells[i] = blank;
	g->work = 0;
	g->cursor_x = g->cursor_y = -1;
}

void grid_fini(struct grid *g)
{
	free(g->cells);
	g->cells = NULL;
	g->w = g->h = 0;
}

struct canvas canvas_whole(struct grid *g)
{
	return (struct canvas){ g, 0, 0, g->w, g->h };
}

struct canvas canvas_sub(const struct canvas *c, struct rect r)
{
	struct canvas s = { c->g, c->x + r.x, c->y + r.y, r.w, r.h };
	int right = c->x + c->w, bottom = c->y + c->h;

	if (s.x < c->x)
		s.x = c->x;
	if (s.y < c->y)
		s.y = c->y;
	if (s.x + s.w > right)
		s.w = right - s.x;
	if (s.y + s.h > bottom)
		s.h = bottom - s.y;
	if (s.w < 0)
		s.w = 0;
	if (s.h < 0)
		s.h = 0;
	return s;
}

static struct canvas_cell *cell_at(const struct canvas *c, int x, int y)
{
	if (x < 0 || y < 0 || x >= c->w || y >= c->h)
		return NULL;
	return &c->g->cells[(size_t)(c->y + y) * (size_t)c->g->w + (size_t)(c->x + x)];
}

/* A wide character that loses one half must not leave the other. */
static void free_neighbours(const struct canvas *c, int x, int y, const struct canvas_cell *cell)
{
	if (!cell->n) {
		struct canvas_cell *left = cell_at(c, x - 1, y);

		if (left)
			*left = blank;
	} else {
		struct canvas_cell *right = cell_at(c, x + 1, y);

		if (right && !right->n)
			*right = blank;
	}
}

static void put(const struct canvas *c, int x, int y, uint8_t style, unsigned attrs, const struct glyph *gl)
{
	struct canvas_cell *cell = cell_at(c, x, y);

	if (!cell)
		return;
	free_neighbours(c, x, y, cell);
	if (gl->width == 2 && !cell_at(c, x + 1, y)) {
		*cell = blank;
		cell->style = style;
		cell->attrs = (uint8_t)attrs;
		return;
	}
	memcpy(cell->s, gl->s, gl->n);
	cell->n = gl->n;
	cell->style = style;
	cell->attrs = (uint8_t)attrs;
	if (gl->width == 2) {
		struct canvas_cell *right = cell_at(c, x + 1, y);

		if (right->n)
			free_neighbours(c, x + 1, y, right);
		*right = (struct canvas_cell){ "", 0, style, (uint8_t)attrs };
	}
}

static void combine(const struct canvas *c, int x, int y, const struct glyph *gl)
{
	struct canvas_cell *cell = cell_at(c, x, y);

	if (!cell || !cell->n || cell->n + gl->n > CELL_BYTES || c->g->ascii)
		return;
	memcpy(cell->s + cell->n, gl->s, gl->n);
	cell->n = (uint8_t)(cell->n + gl->n);
}

static void put_escaped(const struct canvas *c, int x, int y, uint8_t style, unsigned attrs, const struct glyph *gl)
{
	struct glyph part = { .n = 1, .width = 1 };

	for (int i = 0; i < gl->width; i++) {
		part.s[0] = gl->s[i];
		put(c, x + i, y, style, attrs, &part);
	}
}

/* Half a word or figure is another one: the last column says that there is more. */
static void mark_cut(const struct canvas *c, int y, uint8_t style, unsigned attrs)
{
	const char *more = "…";
	size_t n = strlen(more);
	struct glyph gl;

	glyph_next(&more, &n, true, c->g->ascii, &gl);
	put(c, c->w - 1, y, style, attrs, &gl);
}

int canvas_text(const struct canvas *c, int x, int y, uint8_t style, unsigned attrs, const char *s, size_t n, int max_w)
{
	struct glyph gl;
	int col = 0;
	bool lost = false;

	if (n == SIZE_MAX)
		n = strlen(s);
	while (n && glyph_next(&s, &n, !col, c->g->ascii, &gl)) {
		if (gl.width == 0) {
			combine(c, x + col - 1, y, &gl);
			continue;
		}
		if (max_w >= 0 && col + gl.width > max_w)
			break;
		if (gl.escaped)
			put_escaped(c, x + col, y, style, attrs, &gl);
		else
			put(c, x + col, y, style, attrs, &gl);
		col += gl.width;
		lost |= x + col > c->w && gl.s[0] != ' ';
		if (max_w < 0 && x + col >= c->w && col > c->w)
			break;
	}
	if (max_w < 0 && lost && x >= 0 && x + 1 < c->w)
		mark_cut(c, y, style, attrs);
	return col;
}

int canvas_puts(const struct canvas *c, int x, int y, uint8_t style, const char *s)
{
	return canvas_text(c, x, y, style, 0, s, SIZE_MAX, -1);
}

int canvas_puts_right(const struct canvas *c, int x, int w, int y, uint8_t style, const char *s)
{
	int tw = canvas_width(s, strlen(s));

	canvas_puts(c, tw < w ? x + w - tw : x, y, style, s);
	return x + w;
}

int canvas_printf(const struct canvas *c, int x, int y, uint8_t style, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return canvas_puts(c, x, y, style, buf);
}

void canvas_fill(const struct canvas *c, int x, int y, int w, uint8_t style, unsigned attrs, const char *ch)
{
	struct glyph gl;
	size_t n = strlen(ch);

	if (!glyph_next(&ch, &n, true, c->g->ascii, &gl) || gl.width != 1)
		return;
	if (x < 0) {
		w += x;
		x = 0;
	}
	for (int i = 0; i < w && x + i < c->w; i++)
		put(c, x + i, y, style, attrs, &gl);
}

void canvas_attr(const struct canvas *c, int x, int y, int w, unsigned attrs)
{
	for (int i = 0; i < w; i++) {
		struct canvas_cell *cell = cell_at(c, x + i, y);

		if (cell)
			cell->attrs |= (uint8_t)attrs;
	}
}

bool canvas_blank(const struct canvas *c, int x, int y)
{
	const struct canvas_cell *cell = cell_at(c, x, y);

	return cell && cell->n == 1 && cell->s[0] == ' ';
}

void canvas_bar(const struct canvas *c, int x, int y, int w, uint8_t style, double ratio)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int units, whole;

	if (w <= 0 || !(ratio > 0))
		return;
	if (ratio > 1)
		ratio = 1;
	units = (int)(ratio * w * 8 + 0.5);
	whole = units / 8;
	if (c->g->ascii) {
		canvas_fill(c, x, y, units % 8 >= 4 || !whole ? whole + 1 : whole, style, 0, "#");
		return;
	}
	canvas_fill(c, x, y, whole, style, 0, "█");
	if (units % 8)
		canvas_fill(c, x + whole, y, 1, style, 0, eighths[units % 8]);
	else if (!whole)
		canvas_fill(c, x, y, 1, style, 0, eighths[1]);
}

int canvas_width(const char *s, size_t n)
{
	return (int)text_width(s, n == SIZE_MAX ? strlen(s) : n);
}

size_t canvas_wrap(const char *s, size_t n, int w, size_t *skip)
{
	const char *p = s;
	size_t left = n, gap = 0;
	struct glyph g;
	int cols = 0;

	if (skip)
		*skip = 0;
	while (left) {
		size_t at = n - left;

		if (*p == ' ' && at)
			gap = at;
		if (!glyph_next(&p, &left, !at, false, &g))
			break;
		cols += g.width;
		if (cols <= w)
			continue;
		if (gap) {
			if (skip)
				*skip = 1;
			return gap;
		}
		return at ? at : n - left;
	}
	return n;
}

static const struct canvas_cell *row_of(const struct grid *g, int y)
{
	return &g->cells[(size_t)y * (size_t)g->w];
}

static int text_end(const struct grid *g, int y)
{
	const struct canvas_cell *r = row_of(g, y);
	int w = g->w;

	while (w > 0 && r[w - 1].n == 1 && r[w - 1].s[0] == ' ')
		w--;
	return w;
}

void grid_dump_text(const struct grid *g, FILE *f)
{
	for (int y = 0; y < g->h; y++) {
		const struct canvas_cell *r = row_of(g, y);
		int w = text_end(g, y);

		for (int x = 0; x < w; x++)
			fwrite(r[x].s, 1, r[x].n, f);
		fputc('\n', f);
	}
}

static void dump_attrs(const struct grid *g, int y, FILE *f)
{
	const struct canvas_cell *r = row_of(g, y);
	unsigned any = 0;

	for (int x = 0; x < g->w; x++)
		any |= r[x].attrs;
	if (!any)
		return;
	fputs("  ", f);
	for (int x = 0; x < g->w; x++)
		fputc(r[x].attrs & ATTR_REVERSE ? 'R' : r[x].attrs & ATTR_UNDERLINE ? 'U' :
			r[x].attrs & ATTR_BOLD ? 'B' : '.', f);
}

void grid_dump_styles(const struct grid *g, FILE *f)
{
	for (int y = 0; y < g->h; y++) {
		const struct canvas_cell *r = row_of(g, y);

		for (int x = 0; x < g->w; x++)
			fputc(style_get(r[x].style)->letter, f);
		dump_attrs(g, y, f);
		fputc('\n', f);
	}
}

bool grid_find(const struct grid *g, const char *needle)
{
	size_t cap = (size_t)g->w * CELL_BYTES + 1;
	char *line = xmalloc(cap);
	bool found = false;

	for (int y = 0; y < g->h && !found; y++) {
		const struct canvas_cell *r = row_of(g, y);
		size_t n = 0;

		for (int x = 0; x < g->w; x++) {
			memcpy(line + n, r[x].s, r[x].n);
			n += r[x].n;
		}
		line[n] = '\0';
		found = strstr(line, needle) != NULL;
	}
	free(line);
	return found;
}

int canvas_wrapped(const struct canvas *c, int x, int y, uint8_t style, const char *s)
{
	size_t n = strlen(s), skip = 0;

	while (n && y < c->h) {
		size_t take = canvas_wrap(s, n, c->w - x - 1, &skip);

		canvas_text(c, x, y++, style, 0, s, take, -1);
		s += take + skip;
		n -= take + skip;
	}
	return y;
}
