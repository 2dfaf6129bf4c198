/*
 * svg.c - charts as SVG; see svg.h
 */
#include "report/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "report/escape.h"
#include "table/get.h"

enum {
	WIDTH = 960,
	STEP_HEIGHT = 160, /* of the longest step */
	STEPS_MAX = 480,   /* bars of a chart */
	CHARTS_MAX = 16,
	DEVICES_MAX = 64,
	ROW = 26,
	LETTER = 7, /* px of a column of text, about */
	COLOURS = 8
};

/* ---- parts ------------------------------------------------------------------------------------- */

static int64_t value(const struct table *t, uint32_t row, const char *id)
{
	int64_t v = get_i64(t, row, id);

	return v > 0 ? v : 0;
}

static void put_cell(struct sbuf *b, const struct cell *c)
{
	if (c->type == CELL_STR)
		html_text(b, c->v.s, c->len);
	else if (c->type == CELL_I64)
		sbuf_printf(b, "%" PRId64, c->v.i);
}

/* "12.3 ms (12345678 ns)" */
static void put_ns(struct sbuf *b, int64_t ns)
{
	char buf[NUM_TEXT_MAX];

	sbuf_printf(b, "%s (%" PRId64 " ns)", num_ns(ns, buf), ns);
}

static void svg_open(struct sbuf *b, int height)
{
	sbuf_printf(b,
		    "<figure><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
		    WIDTH, height, WIDTH, height);
}

static void svg_close(struct sbuf *b)
{
	sbuf_puts(b, "</svg></figure>\n");
}

/* The names of colours, in a row at height y. */
static void put_legend(struct sbuf *b, const char *const *names, const int *colours, int n, int y)
{
	int x = 0;

	for (int i = 0; i < n; i++) {
		const char *name = _(names[i]);

		sbuf_printf(b, "<rect class=\"k%d\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/>",
			    colours[i], x, y);
		sbuf_printf(b, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 16, y + 11, name);
		x += 34 + LETTER * (int)text_width(name, strlen(name));
	}
}

/* ---- steps ------------------------------------------------------------------------------------- */

static const char *const phases[] = {"dataload_ns",  "forward_ns",   "backward_ns",
				     "recompute_ns", "optimizer_ns", "other_ns"};
static const char *const phase_titles[] = {N_("dataload"),  N_("forward"),   N_("backward"),
					   N_("recompute"), N_("optimizer"), N_("other")};
static const int phase_colours[] = {0, 1, 2, 3, 4, 5};
enum {
	N_PHASES = 6
};

/* Rows [from, to) of one source; bar i of n stands for the longest step of its share of them. */
struct steps {
	const struct table *t;
	uint32_t from, to, n;
	int64_t max;
};

static uint32_t bar_row(const struct steps *s, uint32_t i)
{
	uint64_t rows = s->to - s->from;
	uint32_t a = s->from + (uint32_t)(rows * i / s->n),
		 z = s->from + (uint32_t)(rows * (i + 1) / s->n), best = a;

	for (uint32_t row = a; row < z; row++)
		if (value(s->t, row, "period_ns") > value(s->t, best, "period_ns"))
			best = row;
	return best;
}

static double step_px(const struct steps *s, int64_t ns)
{
	return s->max ? (double)ns / (double)s->max * STEP_HEIGHT : 0;
}

/* All bars of a phase in one path. */
static void put_phase(struct sbuf *b, const struct steps *s, const uint32_t *rows, double *top,
		      int phase)
{
	double w = (double)WIDTH / s->n, gap = w > 3 ? 1 : 0;

	sbuf_printf(b, "<path class=\"k%d\" d=\"", phase_colours[phase]);
	for (uint32_t i = 0; i < s->n; i++) {
		double h = step_px(s, value(s->t, rows[i], phases[phase]));

		top[i] -= h;
		if (h > 0)
			sbuf_printf(b, "M%.1f %.1fh%.1fv%.1fh-%.1fz", i * w, top[i], w - gap, h,
				    w - gap);
	}
	sbuf_puts(b, "\"/>\n");
}

/* What the pointer shows; steps outside the steady window are paled. */
static void put_step_title(struct sbuf *b, const struct steps *s, uint32_t row, double x, double w)
{
	bool out = get_bool(s->t, row, "warmup") || get_bool(s->t, row, "partial");

	sbuf_printf(b,
		    "<rect class=\"%s\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%d\"><title>%s ",
		    out ? "w" : "h", x, w, STEP_HEIGHT, _("step"));
	put_cell(b, get_cell(s->t, row, "step"));
	sbuf_puts(b, ": ");
	put_ns(b, value(s->t, row, "period_ns"));
	for (int p = 0; p < N_PHASES; p++) {
		sbuf_printf(b, "\n%s ", _(phase_titles[p]));
		put_ns(b, value(s->t, row, phases[p]));
	}
	sbuf_puts(b, "</title></rect>\n");
}

static void put_steps_caption(struct sbuf *b, const struct steps *s)
{
	const struct cell *rank = get_cell(s->t, s->from, "rank");

	sbuf_puts(b, "<p>");
	put_cell(b, get_cell(s->t, s->from, "source"));
	if (rank->type == CELL_I64) {
		sbuf_printf(b, ", %s ", _("rank"));
		put_cell(b, rank);
	}
	sbuf_puts(b, ". ");
	sbuf_puts(b, _("Pale: outside the steady window."));
	if (s->n < s->to - s->from)
		sbuf_printf(b, _(" %u steps in %u bars: each shows the longest of its steps."),
			    s->to - s->from, s->n);
	sbuf_puts(b, "</p>\n");
}

static void put_steps(struct sbuf *b, const struct steps *s)
{
	uint32_t *rows = xcalloc(s->n, sizeof(*rows));
	double *top = xcalloc(s->n, sizeof(*top)), w = (double)WIDTH / s->n;

	for (uint32_t i = 0; i < s->n; i++) {
		rows[i] = bar_row(s, i);
		top[i] = STEP_HEIGHT;
	}
	put_steps_caption(b, s);
	svg_open(b, STEP_HEIGHT + ROW);
	for (int p = 0; p < N_PHASES; p++)
		put_phase(b, s, rows, top, p);
	for (uint32_t i = 0; i < s->n; i++)
		put_step_title(b, s, rows[i], i * w, w);
	put_legend(b, phase_titles, phase_colours, N_PHASES, STEP_HEIGHT + 8);
	svg_close(b);
	free(rows);
	free(top);
}

void svg_steps(struct sbuf *b, const struct table *t)
{
	int charts = 0;

	for (uint32_t from = 0, to; from < t->n_rows && charts < CHARTS_MAX; from = to) {
		struct steps s = {.t = t, .from = from};

		for (to = from; to < t->n_rows && get_same(t, from, to, "source") &&
				get_same(t, from, to, "rank") && get_same(t, from, to, "process");
		     to++)
			s.max = value(t, to, "period_ns") > s.max ? value(t, to, "period_ns")
								  : s.max;
		s.to = to;
		s.n = to - from < STEPS_MAX ? to - from : STEPS_MAX;
		put_steps(b, &s);
		charts++;
	}
}

/* ---- devices ----------------------------------------------------------------------------------- */

static const char *const states[] = {"compute_ns", "exposed_comm_ns", "exposed_memcpy_ns",
				     "idle_ns"};
static const char *const state_titles[] = {N_("compute"), N_("exposed communication"),
					   N_("exposed copies"), N_("idle")};
/* Idle is grey. */
static const int state_colours[] = {0, 1, 2, 7};
enum {
	N_STATES = 4
};

static void put_part(struct sbuf *b, double x, double w, int y, int colour, const char *name,
		     int64_t ns, int64_t of)
{
	char share[NUM_TEXT_MAX];

	sbuf_printf(
		b,
		"<rect class=\"k%d\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"><title>%s ",
		colour, x, y, w, ROW - 8, name);
	put_ns(b, ns);
	sbuf_printf(b, ", %s</title></rect>\n", num_pct((double)ns / (double)of, share));
	if (w > 60)
		sbuf_printf(b, "<text class=\"in\" x=\"%.1f\" y=\"%d\">%s</text>\n", x + 4, y + 13,
			    share);
}

static void put_device(struct sbuf *b, const struct table *t, uint32_t row, int y)
{
	static const char *const ids[] = {"rank", "device", "name"};
	int64_t window = value(t, row, "window_ns");
	double x = 0;

	sbuf_printf(b, "<text x=\"0\" y=\"%d\">GPU", y + 12);
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		const struct cell *c = get_cell(t, row, ids[i]);

		if (c->type == CELL_MISSING)
			continue;
		sbuf_puts(b, i ? " " : _(" of rank "));
		put_cell(b, c);
	}
	sbuf_puts(b, "</text>\n");
	for (int i = 0; i < N_STATES && window; i++) {
		int64_t ns = value(t, row, states[i]);
		double w = (double)ns / (double)window * WIDTH;

		if (w >= SVG_MIN_PX)
			put_part(b, x, w, y + 18, state_colours[i], _(state_titles[i]), ns, window);
		x += w;
	}
}

void svg_gpu(struct sbuf *b, const struct table *t)
{
	uint32_t n = t->n_rows < DEVICES_MAX ? t->n_rows : DEVICES_MAX;

	if (!n)
		return;
	svg_open(b, (int)n * (ROW + 18) + ROW);
	for (uint32_t row = 0; row < n; row++)
		put_device(b, t, row, (int)row * (ROW + 18));
	put_legend(b, state_titles, state_colours, N_STATES, (int)n * (ROW + 18) + 8);
	svg_close(b);
}

/* ---- icicle ------------------------------------------------------------------------------------ */

enum {
	LEVELS = 3
};
struct partition_row {
	const struct cell *name[LEVELS];
	int64_t total[LEVELS]; /* of the level's node that the leaf is in */
};

static int name_order(const struct partition_row *a, const struct partition_row *b, int levels)
{
	int d = 0;

	for (int i = 0; i < levels && !d; i++)
		d = cell_cmp(a->name[i], b->name[i]);
	return d;
}

static int by_name(const void *a, const void *b)
{
	return name_order(a, b, LEVELS);
}

/* Large nodes first, at every level; nodes stay together. */
static int by_size(const void *x, const void *y)
{
	const struct partition_row *a = x, *b = y;

	for (int i = 0; i < LEVELS; i++) {
		int d = cell_cmp(a->name[i], b->name[i]);

		if (a->total[i] != b->total[i])
			return a->total[i] < b->total[i] ? 1 : -1;
		if (d)
			return d;
	}
	return 0;
}

/* The last leaf, exclusive, of the node of level `level` that leaf i begins. */
static uint32_t node_end(const struct partition_row *v, uint32_t n, uint32_t i, int level)
{
	uint32_t z = i + 1;

	while (z < n && !name_order(&v[i], &v[z], level + 1))
		z++;
	return z;
}

static void sum_level(struct partition_row *v, uint32_t n, int level)
{
	for (uint32_t i = 0, z; i < n; i = z) {
		int64_t sum = 0;

		z = node_end(v, n, i, level);
		for (uint32_t j = i; j < z; j++)
			sum += v[j].total[LEVELS - 1];
		for (uint32_t j = i; j < z; j++)
			v[j].total[level] = sum;
	}
}

/* The leaves in the order of the drawing; the caller frees. */
static struct partition_row *collect(const struct table *t, uint32_t *n)
{
	static const char *const ids[LEVELS] = {"level1", "level2", "level3"};
	struct partition_row *v = xcalloc((size_t)t->n_rows + 1, sizeof(*v));

	*n = 0;
	for (uint32_t row = 0; row < t->n_rows; row++) {
		struct partition_row *l = &v[*n];

		for (int i = 0; i < LEVELS; i++)
			l->name[i] = get_cell(t, row, ids[i]);
		l->total[LEVELS - 1] = value(t, row, "time_ns");
		*n += l->total[LEVELS - 1] > 0;
	}
	qsort(v, *n, sizeof(*v), by_name);
	for (int level = 0; level < LEVELS - 1; level++)
		sum_level(v, *n, level);
	qsort(v, *n, sizeof(*v), by_size);
	return v;
}

static void put_node_text(struct sbuf *b, const struct cell *name, double x, double w, int y)
{
	int fits = (int)(w - 8) / LETTER;
	struct sbuf cut = {0};

	if (fits < 3 || name->type != CELL_STR)
		return;
	text_put(&cut, name->v.s, name->len, (size_t)fits, TEXT_CUT_MIDDLE);
	sbuf_printf(b, "<text class=\"in\" x=\"%.1f\" y=\"%d\">", x + 4, y + 17);
	html_text(b, sbuf_str(&cut), cut.n);
	sbuf_puts(b, "</text>\n");
	sbuf_fini(&cut);
}

static void put_node(struct sbuf *b, const struct partition_row *l, int level, int colour, double x,
		     double w, int64_t ns, int64_t of)
{
	char share[NUM_TEXT_MAX];
	int y = level * ROW;

	sbuf_printf(
		b,
		"<rect class=\"k%d d%d\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"><title>",
		colour, level, x, y, w, ROW);
	for (int i = 0; i <= level; i++) {
		sbuf_puts(b, i ? " / " : "");
		put_cell(b, l->name[i]);
	}
	sbuf_putc(b, '\n');
	put_ns(b, ns);
	sbuf_printf(b, ", %s</title></rect>\n", num_pct((double)ns / (double)of, share));
	put_node_text(b, l->name[level], x, w, y);
}

static void put_level(struct sbuf *b, const struct partition_row *v, uint32_t n, int level, int64_t all)
{
	int64_t at = 0;
	int colour = -1;

	for (uint32_t i = 0, z; i < n; i = z) {
		double x = (double)at / (double)all * WIDTH, w;
		int64_t sum = 0;

		z = node_end(v, n, i, level);
		for (uint32_t j = i; j < z; j++)
			sum += v[j].total[LEVELS - 1];
		if (!i || name_order(&v[i - 1], &v[i], 1))
			colour++;
		w = (double)sum / (double)all * WIDTH;
		if (w >= SVG_MIN_PX)
			put_node(b, &v[i], level, colour % COLOURS, x, w, sum, all);
		at += sum;
	}
}

void svg_icicle(struct sbuf *b, const struct table *t)
{
	uint32_t n;
	struct partition_row *v = collect(t, &n);
	int64_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		all += v[i].total[LEVELS - 1];
	if (all) {
		svg_open(b, LEVELS * ROW);
		for (int level = 0; level < LEVELS; level++)
			put_level(b, v, n, level, all);
		svg_close(b);
	}
	free(v);
}
