/*
 * overview.c - the first screen: why is the step slow? Sentences and losses come from the `overview` analysis, bars from `gpu`
 * and `steps`; before anything is computed it says what is being read.
 */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"
#include "table/cell.h"
#include "table/get.h"
#include "ui/panes/nav.h"
#include "ui/panes/panes.h"
#include "ui/widgets/model_view.h"
#include "ui/widgets/table.h"

enum overview_line_kind { L_BLANK, L_VERDICT, L_TEXT, L_GPU_HEAD, L_GPU, L_STEP_HEAD, L_STEP, L_LOSS_HEAD, L_LOSS, L_SOURCE, L_NOTE, L_NOTE_GPU };
struct overview_line {
	enum overview_line_kind kind;
	const struct result *res;	/* whose row; NULL for L_SOURCE: index in the session */
	uint32_t row;
	const char *label;		/* of the section, on its first line */
	uint32_t from, take;		/* bytes of the text on this line: long sentences are broken */
	bool last;			/* line of its text */
};
enum { RES_OVERVIEW, RES_GPU, RES_STEPS, RES_N };
enum { TEXT_LEFT = 10, SHARE_W = 8, LOSS_RIGHT = 17, LOSS_RIGHT_NARROW = 5, LOSS_NARROW = 48, GPUS_FEW = 3, NARROW = 60, TALL = 24,
	STEPS_FEW = 3, STEPS_TALL = 12 };

struct overview {
	struct result *res[RES_N];	/* owned references */
	bool stale;
	VEC(struct overview_line) lines;
	int cursor, top;		/* lines */
	bool moved;			/* by hand: from then on it stays */
};

static const char *const section_labels[][2] = {
	{ "gpu", N_("GPU") }, { "joint", N_("joint") }, { "copies", N_("copies") }, { "cpu", N_("CPU") }, { "step", N_("steps") },
	{ "dump", N_("Dump") }, { "source", N_("Sources") }, { "damaged", N_("Damaged") }, { "missing", N_("Missing") },
};

static int64_t ns_of(const struct result *r, uint32_t row, const char *id)
{
	int64_t v = get_i64(r->table, row, id);

	return v == I64_UNKNOWN ? 0 : v;
}

static bool selectable(const struct overview_line *l)
{
	return l->kind == L_GPU || l->kind == L_STEP || ((l->kind == L_LOSS || l->kind == L_VERDICT) && !l->from);
}

/* ---- the list of lines ------------------------------------------------------------------------------- */

static void add(struct overview *s, enum overview_line_kind k, const struct result *r, uint32_t row, const char *label)
{
	VEC_PUSH(&s->lines, (struct overview_line){ k, r, row, label, 0, 0, true });
}

static bool has_rows(const struct result *r)
{
	return r && r->table && r->table->n_rows;
}

/* Of a loss the figures stand beside it. */
static const char *text_column(enum overview_line_kind kind)
{
	return kind == L_LOSS ? "title" : "text";
}

/* A sentence, broken into at most `max` lines; the last one is cut. */
static void add_text(struct overview *s, enum overview_line_kind kind, const struct result *r, uint32_t row, const char *label, int cols, int max)
{
	const struct cell *c = get_cell(r->table, row, text_column(kind));
	uint32_t at = 0, n = c->type == CELL_STR ? c->len : 0;

	for (int i = 0; i < max && (at < n || !i); i++) {
		size_t skip = 0, take = canvas_wrap(c->v.s + at, n - at, cols, &skip);
		bool cut = i + 1 == max;

		if (!n)
			take = 0;
		VEC_PUSH(&s->lines, (struct overview_line){ kind, r, row, i ? NULL : label, at, cut ? n - at : (uint32_t)take,
			cut || at + take + skip >= n });
		at += (uint32_t)(take + skip);
	}
}

/* Columns right of a loss: its figure and its pane; on narrow screens the pane only. */
static int loss_right(int cols)
{
	return cols < LOSS_NARROW ? LOSS_RIGHT_NARROW : LOSS_RIGHT;
}

static void add_section(struct overview *s, const struct pane *p, const char *name, enum overview_line_kind kind, int max_rows, int max_lines)
{
	const struct result *r = s->res[RES_OVERVIEW];
	int cols = kind == L_VERDICT ? p->cols - 2 : kind == L_LOSS ? p->cols - 4 - loss_right(p->cols) : p->cols - TEXT_LEFT - SHARE_W, rows = 0;
	const char *label = "";

	for (size_t i = 0; i < sizeof(section_labels) / sizeof(section_labels[0]); i++)
		if (!strcmp(section_labels[i][0], name))
			label = section_labels[i][1];
	for (uint32_t row = 0; has_rows(r) && row < r->table->n_rows && rows < max_rows; row++) {
		if (!get_is(r->table, row, "section", name))
			continue;
		add_text(s, kind, r, row, rows ? NULL : label, cols > 10 ? cols : 10, max_lines);
		rows++;
	}
}

static bool same_source(const struct result *r, uint32_t a, uint32_t b)
{
	const struct cell *x = get_cell(r->table, a, "source"), *y = get_cell(r->table, b, "source");

	return x->type != CELL_STR || (y->type == CELL_STR && x->len == y->len && !memcmp(x->v.s, y->v.s, x->len));
}

static void add_steps(struct overview *s, uint32_t max)
{
	const struct result *r = s->res[RES_STEPS];
	uint32_t n = 0;

	if (!has_rows(r))
		return;
	add(s, L_STEP_HEAD, r, 0, NULL);
	for (uint32_t i = 0; i < r->table->n_rows; i++) {
		/* other files of the run tell of the same steps */
		if (!same_source(r, i, 0))
			continue;
		if (n++ < max)
			add(s, L_STEP, r, i, NULL);
	}
	if (n > max)
		add(s, L_NOTE, r, n - max, NULL);
}

static void add_losses(struct overview *s, const struct pane *p, int max_rows, int max_lines)
{
	size_t at = s->lines.n;

	add(s, L_LOSS_HEAD, NULL, 0, NULL);
	add_section(s, p, "loss", L_LOSS, max_rows, max_lines);
	if (s->lines.n == at + 1)
		s->lines.n = at;
}

static void add_files(struct overview *s, const struct session *ss)
{
	for (uint32_t i = 0; ss && i < ss->n_sources; i++)
		add(s, L_SOURCE, NULL, i, i ? NULL : N_("Files"));
}

static bool has_failed(const struct session *ss)
{
	for (uint32_t i = 0; ss && i < ss->n_sources; i++)
		if (ss->sources[i].state == SOURCE_FAILED)
			return true;
	return false;
}

static void build_lines(struct overview *s, const struct pane *p, bool tall, uint32_t steps)
{
	bool known = has_rows(s->res[RES_OVERVIEW]), narrow = p->cols < NARROW;
	int lines = tall ? 3 : 1, many = tall ? 100 : 1;

	s->lines.n = 0;
	add_section(s, p, "verdict", L_VERDICT, 4, narrow ? p->page_rows + 2 : 3);
	add_section(s, p, "dump", L_TEXT, 8, 4);
	add_section(s, p, "step", L_TEXT, many, lines);
	add_steps(s, steps);
	if (has_rows(s->res[RES_GPU])) {
		add(s, L_GPU_HEAD, s->res[RES_GPU], 0, NULL);
		for (uint32_t i = 0; i < s->res[RES_GPU]->table->n_rows && (tall || i < GPUS_FEW); i++)
			add(s, L_GPU, s->res[RES_GPU], i, NULL);
		if (!tall && s->res[RES_GPU]->table->n_rows > GPUS_FEW)
			add(s, L_NOTE_GPU, s->res[RES_GPU], s->res[RES_GPU]->table->n_rows - GPUS_FEW, NULL);
	} else {
		add_section(s, p, "gpu", L_TEXT, many, lines);
	}
	add_section(s, p, "copies", L_TEXT, many, lines);
	add_section(s, p, "joint", L_TEXT, tall ? 8 : 2, 1);
	add_section(s, p, "cpu", L_TEXT, many, lines);
	add_losses(s, p, tall ? 12 : 4, lines);
	add_section(s, p, "source", L_TEXT, 100, lines);
	add_section(s, p, "damaged", L_TEXT, 100, 2);
	add_section(s, p, "missing", L_TEXT, 100, lines);
	if (!known || p->ui->partial || has_failed(p->ui->session))
		add_files(s, p->ui->session);
}

/*
 * On a small screen each section gets what answers its question, so that the losses are in the first glance; unless all of it fits.
 * Rows that are left over show more steps.
 */
static void build(struct overview *s, const struct pane *p)
{
	uint32_t rows = p->page_rows > 0 ? (uint32_t)p->page_rows : 0;

	build_lines(s, p, true, STEPS_TALL);
	if (rows > TALL || s->lines.n <= rows)
		return;
	build_lines(s, p, false, STEPS_FEW);
	if (s->lines.n < rows)
		build_lines(s, p, false, STEPS_FEW + rows - (uint32_t)s->lines.n);
}

static void keep(struct overview *s, int i, struct result *r)
{
	if (!r || r == s->res[i])
		return;
	result_ref(r);
	result_unref(s->res[i]);
	s->res[i] = r;
}

/* The first loss if it is in the first glance, else the first row that leads anywhere. */
static void settle_cursor(struct overview *s, int rows)
{
	int n = (int)s->lines.n;

	if (s->moved && s->cursor < n && selectable(&s->lines.a[s->cursor]))
		return;
	for (int i = 0; i < n && i < rows; i++) {
		if (s->lines.a[i].kind == L_LOSS) {
			s->cursor = i;
			return;
		}
	}
	s->cursor = 0;
	for (int i = 0; i < n; i++) {
		if (selectable(&s->lines.a[i])) {
			s->cursor = i;
			return;
		}
	}
}

static void overview_want(struct pane *p)
{
	struct overview *s = p->state;
	struct scope all = p->scope;
	bool other = false;
	struct result *r;

	r = work_want(p->ui->work, "overview", &p->scope, &p->pending);
	p->unanswered = !r;
	keep(s, RES_OVERVIEW, r);
	s->stale = p->pending;
	all.window = WINDOW_ALL;
	r = work_want(p->ui->work, "gpu", &p->scope, &other);
	p->unanswered |= !r;
	keep(s, RES_GPU, r);
	r = work_want(p->ui->work, "steps", &all, &other);
	p->unanswered |= !r;
	keep(s, RES_STEPS, r);
	build(s, p);
	settle_cursor(s, p->page_rows + 2);
}

static void overview_close(struct pane *p)
{
	struct overview *s = p->state;

	for (int i = 0; i < RES_N; i++)
		result_unref(s->res[i]);
	VEC_FREE(&s->lines);
}

/* ---- drawing ------------------------------------------------------------------------------------------ */

/* The piece of the sentence that is on this line, where it is the last and too long cut in the middle; of a list the head says most. */
static void draw_words(const struct overview_line *l, const struct canvas *c, int x, int y, uint8_t style, int w)
{
	const struct cell *text = get_cell(l->res->table, l->row, text_column(l->kind));
	char buf[1024];

	if (text->type != CELL_STR || w <= 0)
		return;
	text_fit(buf, sizeof(buf), text->v.s + l->from, l->take, (size_t)w,
		get_is(l->res->table, l->row, "section", "step") ? TEXT_CUT_END : TEXT_CUT_MIDDLE);
	canvas_text(c, x, y, style, 0, buf, SIZE_MAX, w);
}

static bool several_files(const struct result *r)
{
	for (uint32_t i = 1; i < r->table->n_rows; i++)
		if (!same_source(r, i, 0))
			return true;
	return false;
}

static void draw_gpu(const struct pane *p, const struct overview_line *l, const struct canvas *c, int y)
{
	static const struct {
		const char *col;
		enum kclass kind;
	} parts[] = {
		{ "compute_ns", KCLASS_GEMM }, { "exposed_comm_ns", KCLASS_COMMUNICATION }, { "exposed_memcpy_ns", KCLASS_COPY },
		{ "idle_ns", KCLASS_N },
	};
	int64_t window = ns_of(l->res, l->row, "window_ns"), sum = 0;
	const struct cell *dev = get_cell(l->res->table, l->row, "device");
	int x = 34, w = c->w - x - 2, at = 0;

	canvas_printf(c, 1, y, ST_NORMAL, "%" PRId64, dev->type == CELL_I64 ? dev->v.i : -1);
	/* devices of several files carry the number of the file in the list of sources */
	if (several_files(l->res))
		canvas_printf(c, 4, y, ST_DIM, "f%" PRIu32, mv_file_number(p->ui, get_cell(l->res->table, l->row, "source")));
	for (size_t i = 0; i < 4 && window > 0; i++) {
		int64_t ns = ns_of(l->res, l->row, parts[i].col);
		const struct mark *m = parts[i].kind == KCLASS_N ? NULL : style_class_mark(parts[i].kind);
		int to;

		canvas_printf(c, 8 + 6 * (int)i, y, ST_NORMAL, "%6.1f", 100.0 * (double)ns / (double)window);
		sum += ns;
		to = (int)((double)sum * w / (double)window + 0.5);
		if (m && to > at)
			canvas_fill(c, x + 1 + at, y, to - at, m->style, 0, c->g->ascii ? m->fill_ascii : m->fill);
		at = to > at ? to : at;
	}
	canvas_puts(c, x, y, ST_AXIS, "|");
	canvas_puts(c, x + w, y, ST_AXIS, "|");
}

static const char *const phase_cols[PHASE_N] = {
	"dataload_ns", "forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns",
};

static bool flag(const struct result *r, uint32_t row, const char *id)
{
	const struct cell *c = get_cell(r->table, row, id);

	return c->type == CELL_BOOL && c->v.b;
}

static int64_t longest_period(const struct result *r)
{
	int64_t max = 1;

	for (uint32_t i = 0; i < r->table->n_rows; i++)
		if (ns_of(r, i, "period_ns") > max)
			max = ns_of(r, i, "period_ns");
	return max;
}

/* What stands left and right of the bar takes 52 columns. */
static int step_bar_width(int cols)
{
	return cols - 52 > 6 ? cols - 52 : 6;
}

static void draw_step(const struct overview_line *l, const struct canvas *c, int y)
{
	int64_t period = ns_of(l->res, l->row, "period_ns"), sum = 0, longest = longest_period(l->res);
	const struct cell *num = get_cell(l->res->table, l->row, "step");
	char dur[NUM_TEXT_MAX];
	int x = 26, w = step_bar_width(c->w), at = 0;
	const char *mark = flag(l->res, l->row, "warmup") ? _("warm-up") : flag(l->res, l->row, "partial") ? _("partial") :
		flag(l->res, l->row, "outlier") ? _("outlier !") : "";

	canvas_printf(c, 1, y, ST_NORMAL, "%5" PRId64, num->type == CELL_I64 ? num->v.i : -1);
	canvas_printf(c, 7, y, ST_NORMAL, "%9s", num_ns(period, dur));
	canvas_puts(c, 17, y, *mark == 'o' ? ST_FINDING : ST_DIM, mark);
	for (int i = 0; i < PHASE_N && period > 0; i++) {
		const struct mark *m = style_phase_mark((enum phase)i);
		char letter[2] = { m->letter, '\0' };
		int64_t ns = ns_of(l->res, l->row, phase_cols[i]);
		int to;

		sum += ns;
		to = (int)((double)sum * w / (double)longest + 0.5);
		if (to > at)
			canvas_fill(c, x + at, y, to - at, m->style, 0, letter);
		at = to > at ? to : at;
		if (i == PHASE_RECOMPUTE)
			continue;
		if (get_cell(l->res->table, l->row, phase_cols[i])->type == CELL_I64)
			canvas_printf(c, x + w + 1 + (i > PHASE_RECOMPUTE ? i - 1 : i) * 5, y, ST_NORMAL, "%4.0f%%",
				100.0 * (double)ns / (double)period);
		else
			canvas_puts_right(c, x + w + 1 + (i > PHASE_RECOMPUTE ? i - 1 : i) * 5, 5, y, ST_DIM, c->g->ascii ? "-" : "–");
	}
}

/* Heads of n columns of figures, each w wide, from column x on. */
static void draw_figure_heads(const struct canvas *c, int x, int w, int y, const char *const *heads, int n)
{
	for (int i = 0; i < n; i++)
		x = canvas_puts_right(c, x, w, y, ST_HEAD, _(heads[i]));
}

static void draw_heads(const struct overview_line *l, const struct canvas *c, int y)
{
	static const char *const states[] = { N_("comp."), N_("comm"), N_("copy"), N_("idle") };
	static const char *const phases[] = { N_("load"), N_("fwd"), N_("bwd"), N_("opt"), N_("rest") };
	int x = 26, w = step_bar_width(c->w);

	canvas_fill(c, 0, y, c->w, ST_HEAD, 0, " ");
	if (l->kind == L_GPU_HEAD) {
		canvas_puts(c, 1, y, ST_HEAD, _("GPU"));
		draw_figure_heads(c, 8, 6, y, states, 4);
		/* xgettext:no-c-format */
		canvas_puts(c, 34, y, ST_HEAD, _("% of the window"));
	} else if (l->kind == L_STEP_HEAD) {
		canvas_puts(c, 3, y, ST_HEAD, _("step"));
		canvas_puts(c, 8, y, ST_HEAD, _("duration"));
		canvas_puts(c, x, y, ST_HEAD, _("phases"));
		draw_figure_heads(c, x + w + 1, 5, y, phases, 5);
	} else {
		canvas_puts(c, 1, y, ST_HEAD, _("What to look at"));
		if (c->w < LOSS_NARROW)
			return;
		canvas_puts_right(c, c->w - 18, 12, y, ST_HEAD, _("may gain"));
		canvas_puts(c, c->w - 5, y, ST_HEAD, _("go to"));
	}
}

static void draw_loss(const struct overview_line *l, const struct canvas *c, int y, int nth)
{
	const struct cell *ns = get_cell(l->res->table, l->row, "value_ns"), *to = get_cell(l->res->table, l->row, "goto");
	char num[NUM_TEXT_MAX];

	draw_words(l, c, 4, y, ST_NORMAL, c->w - 4 - loss_right(c->w));
	if (l->from)
		return;
	canvas_printf(c, 1, y, ST_FINDING, "%d!", nth);
	if (c->w >= LOSS_NARROW)
		canvas_printf(c, c->w - 15, y, ST_NORMAL, "%9s", ns->type == CELL_I64 ? num_ns(ns->v.i, num) : "?");
	if (to->type == CELL_I64)
		canvas_printf(c, c->w - 4, y, ST_KEY, "%" PRId64, to->v.i);
	else if (to->type == CELL_STR)
		canvas_text(c, c->w - 4, y, ST_KEY, 0, to->v.s, to->len, 4);
}

static void draw_text(const struct overview_line *l, const struct canvas *c, int y)
{
	const struct cell *share = get_cell(l->res->table, l->row, "share");
	char num[NUM_TEXT_MAX];

	if (l->label)
		canvas_puts(c, 1, y, ST_DIM, _(l->label));
	draw_words(l, c, TEXT_LEFT, y, ST_NORMAL, c->w - TEXT_LEFT - (share->type == CELL_F64 ? SHARE_W : 0));
	if (share->type == CELL_F64 && !l->from)
		canvas_printf(c, c->w - SHARE_W, y, ST_NORMAL, "%7s", num_pct(share->v.f, num));
}

static void draw_source(const struct pane *p, const struct overview_line *l, const struct canvas *c, int y)
{
	static const char *const states[] = { N_("waiting"), N_("reading …"), N_("read"), N_("failed") };
	const struct source *src = &p->ui->session->sources[l->row];
	int x = 10;

	if (l->label)
		canvas_puts(c, 1, y, ST_DIM, _(l->label));
	x += canvas_text(c, x, y, src->state == SOURCE_FAILED ? ST_ERROR : ST_NORMAL, 0, src->path, SIZE_MAX, c->w / 2) + 2;
	x += canvas_puts(c, x, y, src->state == SOURCE_FAILED ? ST_ERROR : ST_DIM, _(states[src->state])) + 2;
	if (src->state == SOURCE_FAILED)
		canvas_puts(c, x, y, ST_ERROR, src->err.text);
	else if (src->profile)
		canvas_printf(c, x, y, ST_DIM, ngettext("%" PRIu32 " event%s", "%" PRIu32 " events%s", src->profile->n), src->profile->n,
			src->profile->partial ? _(" so far") : "");
}

static void draw_line(const struct pane *p, const struct overview_line *l, const struct canvas *c, int y, int nth)
{
	c->g->work++;
	switch (l->kind) {
	case L_BLANK:
		break;
	case L_VERDICT:
		draw_words(l, c, 1, y, ST_TITLE, c->w - 2);
		break;
	case L_TEXT:
		draw_text(l, c, y);
		break;
	case L_GPU_HEAD: case L_STEP_HEAD: case L_LOSS_HEAD:
		draw_heads(l, c, y);
		break;
	case L_GPU: draw_gpu(p, l, c, y); break;
	case L_STEP: draw_step(l, c, y); break;
	case L_LOSS: draw_loss(l, c, y, nth); break;
	case L_SOURCE: draw_source(p, l, c, y); break;
	case L_NOTE:
		canvas_printf(c, 3, y, ST_DIM, ngettext("… %" PRIu32 " more step (:sources, third table)",
			"… %" PRIu32 " more steps (:sources, third table)", l->row), l->row);
		break;
	case L_NOTE_GPU:
		canvas_printf(c, 3, y, ST_DIM, ngettext("… %" PRIu32 " more GPU (8, table devices)",
			"… %" PRIu32 " more GPUs (8, table devices)", l->row), l->row);
		break;
	}
}

static int first_line(const struct overview *s, int rows)
{
	int top = s->top, n = (int)s->lines.n;

	if (s->cursor < top)
		top = s->cursor;
	if (s->cursor >= top + rows)
		top = s->cursor - rows + 1;
	/* the verdict stays in sight as long as the cursor allows it */
	if (s->cursor < rows)
		top = 0;
	if (top > n - rows)
		top = n > rows ? n - rows : 0;
	return top;
}

/* The line in row y: the first one of the verdict stays where the others go by. */
static int line_at(const struct overview *s, int rows, int y)
{
	int top = first_line(s, rows);
	bool pinned = top > 0 && rows > 2 && s->lines.a[0].kind == L_VERDICT && s->cursor > top;

	return pinned && !y ? 0 : top + y;
}

static void draw_nothing(const struct pane *p, const struct canvas *c)
{
	const struct overview *s = p->state;
	const struct result *r = s->res[RES_OVERVIEW];

	if (r && !r->table)
		canvas_puts(c, 1, 0, ST_ERROR, r->err.text);
	else if (s->stale || !p->ui->session)
		canvas_puts(c, 1, 0, ST_DIM, p->ui->session ? _("computing …") : _("reading …"));
	else
		canvas_puts(c, 1, 0, ST_DIM, _("nothing stands out"));
}

static void overview_draw(const struct pane *p, const struct canvas *c)
{
	const struct overview *s = p->state;
	int top = first_line(s, c->h), nth = 0;

	for (int i = 0; i < (int)s->lines.n && i - top < c->h; i++) {
		const struct overview_line *l = &s->lines.a[i];
		int y = i < top ? 0 : i - top;

		nth += l->kind == L_LOSS && !l->from;
		if (line_at(s, c->h, y) != i)
			continue;
		draw_line(p, l, c, y, nth);
		if (i == s->cursor && selectable(l))
			canvas_attr(c, 0, y, c->w, p->focused ? ATTR_REVERSE : ATTR_UNDERLINE);
	}
	if (!s->lines.n || s->lines.a[0].kind == L_SOURCE)
		draw_nothing(p, &(struct canvas){ c->g, c->x, c->y + (int)s->lines.n + 1 < c->y + c->h ? c->y + (int)s->lines.n + 1 : c->y,
			c->w, 1 });
	if (s->stale && s->lines.n && c->w > 12)
		canvas_puts(c, c->w - 2, 0, ST_WARN, "…");
}

/* ---- actions -------------------------------------------------------------------------------------------- */

static void move(struct overview *s, int by, bool far, struct outcome *out)
{
	int at = s->cursor, n = (int)s->lines.n;

	out->flags |= OUT_HANDLED;
	for (int i = at + by; i >= 0 && i < n; i += by) {
		if (!selectable(&s->lines.a[i]))
			continue;
		at = i;
		if (!far)
			break;
	}
	if (at == s->cursor)
		outcome_say(out, "%s", by > 0 ? _("this is the last row") : _("this is the first row"));
	s->cursor = at;
	s->moved = true;
}

/* To the pane that proves it; in the timeline to the largest instance. */
static void enter_loss(const struct overview_line *l, struct outcome *out)
{
	const struct cell *to = get_cell(l->res->table, l->row, "goto");

	if (to->type != CELL_I64 || to->v.i < 1 || to->v.i > 9) {
		outcome_say(out, "%s", _("this line leads to no pane"));
		return;
	}
	out->flags |= OUT_GO;
	out->to.pane = (enum pane_id)(to->v.i - 1);
	out->to.sub = -1;
	if (out->to.pane == PANE_TIMELINE)
		nav_instants(l->res->table, l->row, &out->to);
}

/* The verdict is where the guided path begins; that asks about the GPU: without any, the call stacks are what there is. */
static void enter_verdict(const struct overview *s, struct outcome *out)
{
	bool no_gpu = s->res[RES_GPU] && s->res[RES_GPU]->table && !s->res[RES_GPU]->table->n_rows;

	out->flags |= OUT_GO;
	out->to.pane = no_gpu ? PANE_PYTHON : PANE_FINDINGS;
	out->to.sub = no_gpu ? 0 : 1;
	out->to.lane = UINT32_MAX;
}

static void enter(struct pane *p, struct outcome *out)
{
	const struct overview *s = p->state;
	const struct overview_line *l = s->cursor < (int)s->lines.n ? &s->lines.a[s->cursor] : NULL;

	out->flags |= OUT_HANDLED;
	if (!l || !selectable(l)) {
		outcome_say(out, "%s", _("there is no row to enter"));
		return;
	}
	out->to.scope = p->scope;
	if (l->kind == L_LOSS)
		enter_loss(l, out);
	else if (l->kind == L_VERDICT)
		enter_verdict(s, out);
	else if (nav_down(p, l->res->table, l->row, &out->to, out))
		out->flags |= OUT_GO;
}

static void overview_act(struct pane *p, enum action a, struct outcome *out)
{
	struct overview *s = p->state;

	switch (a) {
	case ACT_DOWN: move(s, 1, false, out); break;
	case ACT_UP: move(s, -1, false, out); break;
	case ACT_END: case ACT_PAGE_DOWN: case ACT_HALF_DOWN: move(s, 1, true, out); break;
	case ACT_TOP: case ACT_PAGE_UP: case ACT_HALF_UP: move(s, -1, true, out); break;
	case ACT_ENTER: enter(p, out); break;
	default: break;
	}
}

static bool overview_find(struct pane *p, const struct needle *n, int dir)
{
	struct overview *s = p->state;
	int total = (int)s->lines.n;

	for (int k = dir ? 1 : 0; k <= total && total; k++) {
		int i = ((dir < 0 ? s->cursor - k : s->cursor + k) % total + total) % total;
		const struct overview_line *l = &s->lines.a[i];
		const struct cell *c = l->kind == L_LOSS ? get_cell(l->res->table, l->row, "text") : NULL;

		if (c && c->type == CELL_STR && needle_match(n, c->v.s, c->len, NULL, NULL)) {
			s->cursor = i;
			s->moved = true;
			return true;
		}
	}
	return false;
}

static bool overview_preview(const struct pane *p, struct scope *sc)
{
	const struct overview *s = p->state;
	const struct overview_line *l = s->cursor < (int)s->lines.n ? &s->lines.a[s->cursor] : NULL;

	return l && (l->kind == L_STEP || l->kind == L_GPU) && nav_narrow(p, l->res->table, l->row, sc);
}

static const struct table *overview_told(const struct pane *p, uint32_t *row)
{
	const struct overview *s = p->state;
	const struct overview_line *l = s->cursor < (int)s->lines.n ? &s->lines.a[s->cursor] : NULL;

	if (!l || !selectable(l))
		return NULL;
	*row = l->row;
	return l->res->table;
}

/* A sentence as it is; of a step or a GPU every figure. */
static void overview_copy(const struct pane *p, struct sbuf *b)
{
	const struct overview *s = p->state;
	uint32_t row;
	const struct table *t = overview_told(p, &row);
	const struct cell *c = t ? get_maybe(s->lines.a[s->cursor].res->table, row, "text") : NULL;

	if (c && c->type == CELL_STR)
		sbuf_put(b, c->v.s, c->len);
	else if (t)
		wtable_copy_row(t, row, b);
}

static void overview_save(const struct pane *p, struct place *pl)
{
	pl->lane = (uint32_t)((const struct overview *)p->state)->cursor;
}

static void overview_restore(struct pane *p, const struct place *pl)
{
	if (pl->pane != PANE_TIMELINE && pl->lane != UINT32_MAX)
		((struct overview *)p->state)->cursor = (int)pl->lane;
}

static void overview_click(struct pane *p, int x, int y, struct outcome *out)
{
	struct overview *s = p->state;
	int i = line_at(s, p->page_rows + 2, y);

	(void)x;
	out->flags |= OUT_HANDLED;
	if (i < (int)s->lines.n && selectable(&s->lines.a[i]))
		s->cursor = i;
}

#define OVERVIEW_OPS										\
	.state_size = sizeof(struct overview), .close = overview_close, .want = overview_want, .draw = overview_draw,	\
	.act = overview_act, .find = overview_find, .preview = overview_preview, .copy = overview_copy, .told = overview_told,	\
	.save = overview_save, .restore = overview_restore, .click = overview_click

const struct pane_ops pane_overview = {
	.id = "overview",
	.title = N_("Overview"),
	.help = N_("Why is the step slow: verdict, steps, what the GPUs did, and what to look at first. Enter goes there."),
	.follow = { PANE_TIMELINE, PANE_KERNELS },
	OVERVIEW_OPS,
};
