/* strip.c - the line of steps that is on every screen: one cell per step, its height the duration. */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "ui/widgets/model_view.h"
#include "ui/widgets/strip.h"

struct strip {
	const struct step *s;
	uint32_t n, first, per;		/* steps; first shown; steps per cell */
	ns_t longest;
	int x, cells;			/* column of the first cell, how many there are */
	ns_t shift;
	char text[160];			/* what stands behind them */
};

static ns_t period(const struct step *s)
{
	return s->next - s->start;
}

static ns_t longest_of(const struct step *s, uint32_t n)
{
	ns_t max = 1;

	/* the warm-up would flatten the rest: it is told by its letter */
	for (uint32_t i = 0; i < n; i++)
		if (!s[i].warmup && period(&s[i]) > max)
			max = period(&s[i]);
	return max;
}

static void draw_cell(const struct strip *st, const struct canvas *c, int x, uint32_t i, bool on)
{
	const struct step *s = &st->s[i];
	ns_t dur = 0;
	int level;
	unsigned attrs = on ? ATTR_REVERSE : 0;

	for (uint32_t k = i; k < i + st->per && k < st->n; k++)
		if (period(&st->s[k]) > dur)
			dur = period(&st->s[k]);
	level = dur >= st->longest ? 8 : (int)((double)dur * 8 / (double)st->longest) + 1;
	if (s->warmup || s->partial) {
		canvas_fill(c, x, 0, 1, ST_DIM, attrs, s->warmup ? "w" : "p");
	} else if (s->outlier) {
		canvas_fill(c, x, 0, 1, ST_FINDING, attrs, "!");
	} else {
		canvas_fill(c, x, 0, 1, ST_BAR, attrs, style_ramp(level, c->g->ascii));
	}
}

static void describe(const struct scope *sc, const struct step *s, uint32_t n, ns_t shift, char *buf, size_t cap)
{
	uint32_t at = 0, hits = 0;
	char dur[NUM_TEXT_MAX];

	for (uint32_t i = 0; i < n; i++) {
		if (mv_step_in_scope(sc, &s[i], shift)) {
			at = i;
			hits++;
		}
	}
	if (hits == 1)
		snprintf(buf, cap, _("step %" PRId64 " (%" PRIu32 " of %" PRIu32 ")  %s%s%s"), s[at].number, at + 1, n,
			num_ns(period(&s[at]), dur), s[at].warmup ? _("  warm-up") : s[at].partial ? _("  partial") :
			s[at].outlier ? _("  outlier") : "", s[at].why && s[at].outlier ? s[at].why : "");
	else
		snprintf(buf, cap, _("%" PRIu32 " of %" PRIu32 " steps"), hits, n);
}

/* Places the cells on a line of `width` columns. No steps: n is 0. */
static struct strip place_cells(const struct ui_ctx *ui, const struct scope *sc, int width)
{
	struct strip st = { .per = 1, .longest = 1, .x = canvas_width(_("steps"), SIZE_MAX) + 3 };
	uint32_t source;
	int room;

	st.s = mv_steps(ui, sc, &st.n, &source);
	if (!st.n)
		return st;
	st.shift = mv_shift(ui, source);
	describe(sc, st.s, st.n, st.shift, st.text, sizeof(st.text));
	room = width - st.x - canvas_width(st.text, strlen(st.text)) - 3;
	if (room < 8)
		room = width - st.x > 1 ? width - st.x : 1;	/* what is beyond the edge is clipped */
	st.per = (st.n + (uint32_t)room - 1) / (uint32_t)room;
	if (!st.per)
		st.per = 1;
	st.cells = (int)((st.n + st.per - 1) / st.per);
	st.longest = longest_of(st.s, st.n);
	return st;
}

const struct step *strip_step_at(const struct ui_ctx *ui, const struct scope *sc, int width, int x)
{
	struct strip st = place_cells(ui, sc, width);

	return x >= st.x && x < st.x + st.cells ? &st.s[(uint32_t)(x - st.x) * st.per] : NULL;
}

void strip_draw(const struct ui_ctx *ui, const struct scope *sc, const struct canvas *c)
{
	struct strip st = place_cells(ui, sc, c->w);

	canvas_puts(c, 1, 0, ST_DIM, _("steps"));
	if (!st.n) {
		canvas_puts(c, st.x, 0, ST_DIM, ui->an ? _("(no step markers: the whole capture is one window)") :
			ui->session ? _("(reading steps …)") : _("(loading …)"));
		return;
	}
	for (int i = 0; i < st.cells; i++) {
		uint32_t k = (uint32_t)i * st.per;
		bool on = (sc->window == WINDOW_STEPS || sc->window == WINDOW_TIME) && mv_step_in_scope(sc, &st.s[k], st.shift);

		draw_cell(&st, c, st.x + i, k, on);
	}
	canvas_puts(c, st.x + st.cells + 2, 0, ST_DIM, st.text);
}
