/*
 * p_findings.c - what to fix first, the guided path, and every check. Three lists of the same kind: a line per row, and below the
 * selected one what the row says. All words come from the analyses `findings`, `guide` and `checks`, and from `overview` the verdict.
 */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"
#include "ui/nav.h"
#include "ui/panes/panes.h"

enum sub { SUB_FINDINGS, SUB_GUIDE, SUB_CHECKS, SUB_N };
enum line_kind { L_VERDICT, L_HEAD, L_ITEM, L_DETAIL, L_NOTE };
struct line {
	enum line_kind kind;
	uint32_t row;
	const char *label;	/* N_() marked, on the first line of a detail */
	const char *text;	/* in the result's table */
	uint32_t n;
	bool first;		/* of its text */
};
struct findings_pane {
	struct result *res[SUB_N], *overview;	/* owned references */
	bool stale;
	bool guided;		/* the guided path stands, or stood, on its first yes */
	int sub;
	VEC(struct line) lines;
	int n_head;		/* of them above the rows: the verdict and the heads of the columns, which stay in sight */
	uint32_t row[SUB_N];	/* selected */
	int top;
};
enum { DETAIL_X = 11, ITEM_RIGHT = 26, NARROW = 46 /* columns: names and shares only */ };

static const struct {
	const char *view, *title;
	const char *item;	/* column of the line */
	struct { const char *col, *label; } details[6];
} subs[SUB_N] = {
	[SUB_FINDINGS] = { "findings", N_("findings"), "title", {
		{ "seen", N_("Seen") }, { "fix", N_("Fix") }, { "capture", N_("Run next") }, { "confirm", N_("Confirm") },
		{ "largest", N_("Largest") } } },
	[SUB_GUIDE] = { "guide", N_("guided path"), "question", {
		{ "says", N_("Answer") }, { "measure", N_("Measure") }, { "capture", N_("Run next") } } },
	[SUB_CHECKS] = { "checks", N_("all checks"), "title", { { "why", N_("Because") } } },
};

static const struct cell *cell_of(const struct table *t, uint32_t row, const char *id)
{
	static const struct cell missing = { CELL_MISSING, 0, { 0 } };
	int c = table_col(t, id);

	return c < 0 ? &missing : table_cell(t, row, (uint32_t)c);
}

static const struct table *shown(const struct findings_pane *s)
{
	return s->res[s->sub] ? s->res[s->sub]->table : NULL;
}

/* ---- the list of lines ------------------------------------------------------------------------------- */

static void add_text(struct findings_pane *s, enum line_kind kind, uint32_t row, const char *label, const char *text, uint32_t n, int cols)
{
	uint32_t at = 0;
	bool first = true;

	while (at < n) {
		size_t skip = 0, take = canvas_wrap(text + at, n - at, cols > 8 ? cols : 8, &skip);

		VEC_PUSH(&s->lines, (struct line){ kind, row, label, text + at, (uint32_t)take, first });
		at += (uint32_t)(take + skip);
		first = false;
	}
}

static int detail_x(int cols)
{
	return cols < NARROW ? 2 : DETAIL_X;
}

static void add_details(struct findings_pane *s, const struct pane *p, uint32_t row)
{
	const struct table *t = shown(s);

	for (size_t i = 0; i < sizeof(subs[0].details) / sizeof(*subs[0].details) && subs[s->sub].details[i].col; i++) {
		const struct cell *c = cell_of(t, row, subs[s->sub].details[i].col);

		if (c->type == CELL_STR)
			add_text(s, L_DETAIL, row, subs[s->sub].details[i].label, c->v.s, c->len, p->cols - detail_x(p->cols) - 1);
	}
}

static void add_verdict(struct findings_pane *s, const struct pane *p)
{
	const struct table *t = s->overview ? s->overview->table : NULL;

	for (uint32_t r = 0; t && r < t->n_rows; r++) {
		const struct cell *section = cell_of(t, r, "section"), *text = cell_of(t, r, "text");

		if (section->type == CELL_STR && section->len == 7 && !memcmp(section->v.s, "verdict", 7) && text->type == CELL_STR)
			add_text(s, L_VERDICT, 0, NULL, text->v.s, text->len, p->cols - 2);
	}
}

static void build(struct findings_pane *s, const struct pane *p)
{
	const struct table *t = shown(s);

	s->lines.n = 0;
	if (s->sub != SUB_CHECKS)
		add_verdict(s, p);
	VEC_PUSH(&s->lines, (struct line){ L_HEAD, 0, NULL, NULL, 0, true });
	s->n_head = (int)s->lines.n;
	for (uint32_t r = 0; t && r < t->n_rows; r++) {
		VEC_PUSH(&s->lines, (struct line){ L_ITEM, r, NULL, NULL, 0, true });
		if (r == s->row[s->sub])
			add_details(s, p, r);
	}
	for (uint32_t i = 0; t && i < t->n_notes; i++)
		add_text(s, L_NOTE, i, NULL, t->notes[i], (uint32_t)strlen(t->notes[i]), p->cols - 2);
}

static void keep(struct result **have, struct result *r)
{
	if (!r || r == *have)
		return;
	result_ref(r);
	result_unref(*have);
	*have = r;
}

static bool is_word(const struct cell *c, const char *word)
{
	return c->type == CELL_STR && c->len == strlen(word) && !memcmp(c->v.s, word, c->len);
}

/* The first yes is where to stop; the stages before it are above. */
static void guide(struct findings_pane *s)
{
	const struct table *t = s->sub == SUB_GUIDE ? shown(s) : NULL;

	for (uint32_t r = 0; t && r < t->n_rows && !s->guided; r++) {
		if (!is_word(cell_of(t, r, "answer"), "yes"))
			continue;
		s->row[SUB_GUIDE] = r;
		s->guided = true;
	}
}

static void findings_want(struct pane *p)
{
	struct findings_pane *s = p->state;
	bool other = false;

	keep(&s->overview, work_want(p->ui->work, "overview", &p->scope, &other));
	keep(&s->res[s->sub], work_want(p->ui->work, subs[s->sub].view, &p->scope, &p->pending));
	s->stale = p->pending;
	if (shown(s) && s->row[s->sub] >= shown(s)->n_rows)
		s->row[s->sub] = 0;
	guide(s);
	build(s, p);
}

static void findings_close(struct pane *p)
{
	struct findings_pane *s = p->state;

	for (int i = 0; i < SUB_N; i++)
		result_unref(s->res[i]);
	result_unref(s->overview);
	VEC_FREE(&s->lines);
}

/* ---- drawing ------------------------------------------------------------------------------------------ */

static int put_cell(const struct canvas *c, int x, int y, uint8_t style, const struct cell *v, int w)
{
	char cut[512];

	if (v->type != CELL_STR || w <= 0)
		return 0;
	text_fit(cut, sizeof(cut), v->v.s, v->len, (size_t)w, TEXT_CUT_MIDDLE);
	return canvas_text(c, x, y, style, 0, cut, SIZE_MAX, w);
}

static void draw_finding(const struct table *t, uint32_t row, const struct canvas *c, int y)
{
	const struct cell *ns = cell_of(t, row, "saves_ns"), *share = cell_of(t, row, "share"), *severity = cell_of(t, row, "severity");
	bool remark = is_word(severity, "info");
	char num[NUM_TEXT_MAX];

	if (c->w < NARROW) {
		put_cell(c, 1, y, remark ? ST_DIM : ST_FINDING, cell_of(t, row, "title"), c->w - 10);
		if (share->type == CELL_F64)
			canvas_printf(c, c->w - 8, y, ST_NORMAL, "%7s", num_pct(share->v.f, num));
		return;
	}
	put_cell(c, 1, y, remark ? ST_DIM : ST_FINDING, severity, 8);
	put_cell(c, 10, y, ST_NORMAL, cell_of(t, row, "title"), c->w - 10 - ITEM_RIGHT);
	if (ns->type == CELL_I64)
		canvas_printf(c, c->w - 25, y, ST_NORMAL, "%9s", num_ns(ns->v.i, num));
	if (share->type == CELL_F64)
		canvas_printf(c, c->w - 15, y, ST_NORMAL, "%7s", num_pct(share->v.f, num));
	put_cell(c, c->w - 6, y, ST_KEY, cell_of(t, row, "panes"), 5);
}

static void draw_stage(const struct table *t, uint32_t row, const struct canvas *c, int y)
{
	const struct cell *answer = cell_of(t, row, "answer");

	if (c->w < NARROW) {
		put_cell(c, 1, y, is_word(answer, "yes") ? ST_FINDING : ST_DIM, answer, 3);
		put_cell(c, 5, y, ST_NORMAL, cell_of(t, row, "question"), c->w - 6);
		return;
	}
	canvas_printf(c, 1, y, ST_DIM, "%" PRIu32, row + 1);
	put_cell(c, 4, y, is_word(answer, "yes") ? ST_FINDING : ST_DIM, answer, 7);
	put_cell(c, 12, y, ST_NORMAL, cell_of(t, row, "question"), c->w - 12 - 8);
	put_cell(c, c->w - 6, y, ST_KEY, cell_of(t, row, "panes"), 5);
}

static void draw_check(const struct table *t, uint32_t row, const struct canvas *c, int y)
{
	const struct cell *state = cell_of(t, row, "state");

	int w = c->w < NARROW ? 5 : 10;

	put_cell(c, 1, y, is_word(state, "found") ? ST_FINDING : ST_DIM, state, w);
	put_cell(c, w + 3, y, ST_NORMAL, cell_of(t, row, "title"), c->w - w - 4);
}

static void draw_head(const struct findings_pane *s, const struct canvas *c, int y)
{
	const struct table *t = shown(s);
	bool steps = t && t->n_rows && s->sub == SUB_FINDINGS && is_word(cell_of(t, 0, "per"), "step");
	char next[64];
	int x;

	canvas_fill(c, 0, y, c->w, ST_HEAD, 0, " ");
	x = canvas_printf(c, 1, y, ST_HEAD, "%s", s->sub == SUB_FINDINGS ? _("What to fix first") : s->sub == SUB_GUIDE ?
		_("The way down: the first yes is where to stop") : _("Every rule, and what decided"));
	snprintf(next, sizeof(next), _("(t: %s)"), _(subs[(s->sub + 1) % SUB_N].title));
	if (x + 3 + canvas_width(next, strlen(next)) < c->w - (s->sub == SUB_FINDINGS ? 30 : s->sub == SUB_GUIDE ? 7 : 0))
		canvas_puts(c, x + 3, y, ST_HEAD, next);
	if (c->w < NARROW)
		return;
	if (s->sub == SUB_FINDINGS)
		canvas_puts_right(c, canvas_puts_right(c, c->w - 29, 13, y, ST_HEAD, steps ? _("at most/step") : _("at most")), 9, y, ST_HEAD,
			_("share"));
	if (s->sub != SUB_CHECKS)
		canvas_puts(c, c->w - 6, y, ST_HEAD, _("see"));
}

static void draw_line(const struct findings_pane *s, const struct line *l, const struct canvas *c, int y)
{
	static void (*const items[SUB_N])(const struct table *t, uint32_t row, const struct canvas *c, int y) = {
		draw_finding, draw_stage, draw_check,
	};

	c->g->work++;
	switch (l->kind) {
	case L_VERDICT:
		canvas_text(c, 1, y, ST_TITLE, 0, l->text, l->n, c->w - 2);
		break;
	case L_HEAD:
		draw_head(s, c, y);
		break;
	case L_ITEM:
		items[s->sub](shown(s), l->row, c, y);
		break;
	case L_DETAIL:
		if (l->first && c->w >= NARROW)
			canvas_puts(c, 2, y, ST_DIM, _(l->label));
		canvas_text(c, detail_x(c->w), y, ST_NORMAL, 0, l->text, l->n, c->w - detail_x(c->w));
		break;
	case L_NOTE:
		canvas_text(c, 1, y, ST_DIM, 0, l->text, l->n, c->w - 2);
		break;
	}
}

static int cursor_line(const struct findings_pane *s)
{
	for (size_t i = 0; i < s->lines.n; i++)
		if (s->lines.a[i].kind == L_ITEM && s->lines.a[i].row == s->row[s->sub])
			return (int)i;
	return 0;
}

/* Rows of the verdict that stay, a sixth of the screen at most, and of the heads. */
static int verdict_rows(const struct findings_pane *s, int rows)
{
	return s->n_head - 1 < rows / 6 ? s->n_head - 1 : rows / 6;
}

static int head_rows(const struct findings_pane *s, int rows)
{
	return rows < 5 ? 0 : verdict_rows(s, rows) + 1;
}

/* The selected row with all that it says is in sight, behind the last one the notes as well; rows: without the head. */
static int first_line(const struct findings_pane *s, int rows)
{
	int at = cursor_line(s), last = at, top;

	while (last + 1 < (int)s->lines.n && s->lines.a[last + 1].kind == L_DETAIL)
		last++;
	if (last + 1 < (int)s->lines.n && s->lines.a[last + 1].kind == L_NOTE)
		last = (int)s->lines.n - 1;
	top = last >= s->n_head + rows ? last - rows + 1 : s->n_head;
	return top > at ? at : top;
}

static void more(const struct canvas *c, int y)
{
	canvas_puts(c, c->w - 2, y, ST_DIM, "…");
}

static void draw_pinned(const struct findings_pane *s, const struct canvas *c, int rows)
{
	int verdict = verdict_rows(s, c->h);

	for (int y = 0; y < rows; y++)
		draw_line(s, &s->lines.a[y < verdict ? y : s->n_head - 1], c, y);
	if (rows && verdict && verdict < s->n_head - 1)
		more(c, verdict - 1);
}

static void draw_rows(const struct pane *p, const struct findings_pane *s, const struct canvas *c)
{
	int top = first_line(s, c->h), at = cursor_line(s), end = top + c->h < (int)s->lines.n ? top + c->h : (int)s->lines.n;

	for (int i = top; i < end; i++) {
		draw_line(s, &s->lines.a[i], c, i - top);
		if (i == at && s->lines.a[i].kind == L_ITEM)
			canvas_attr(c, 0, i - top, c->w, p->focused ? ATTR_REVERSE : ATTR_UNDERLINE);
	}
	/* a text that goes on below */
	if (end > top && end < (int)s->lines.n && s->lines.a[end].kind >= L_DETAIL && (s->lines.a[end].kind == L_DETAIL || !s->lines.a[end].first))
		more(c, end - 1 - top);
}

static void findings_draw(const struct pane *p, const struct canvas *c)
{
	const struct findings_pane *s = p->state;
	const struct result *r = s->res[s->sub];
	int head = head_rows(s, c->h);
	struct canvas rows = canvas_sub(c, (struct rect){ 0, head, c->w, c->h - head });

	draw_pinned(s, c, head);
	draw_rows(p, s, &rows);
	if (!shown(s) && c->h > 2)
		canvas_puts(&rows, 1, 0, r && !r->table ? ST_ERROR : ST_DIM, r && !r->table ? r->err.text : p->ui->session ? _("computing …") :
			_("reading …"));
	else if (shown(s) && !shown(s)->n_rows && c->h > 2)
		canvas_puts(&rows, 1, 0, ST_DIM, _("nothing found"));
	if (s->stale && shown(s) && c->w > 12)
		canvas_puts(c, c->w - 2, 0, ST_WARN, "…");
}

/* ---- actions -------------------------------------------------------------------------------------------- */

static void move(struct findings_pane *s, int64_t to, struct outcome *out)
{
	int64_t n = shown(s) ? shown(s)->n_rows : 0;

	out->flags |= OUT_HANDLED;
	to = to < 0 ? 0 : to >= n ? n - 1 : to;
	if (n && to == s->row[s->sub])
		outcome_say(out, "%s", to ? _("this is the last row") : _("this is the first row"));
	if (n)
		s->row[s->sub] = (uint32_t)to;
}

static void choose(struct findings_pane *s, int sub, struct outcome *out)
{
	out->flags |= OUT_HANDLED;
	s->sub = (sub + SUB_N) % SUB_N;
	outcome_say(out, _("table: %s"), _(subs[s->sub].title));
}

static enum pane_id first_pane(const struct table *t, uint32_t row)
{
	const struct cell *c = cell_of(t, row, "panes");

	return c->type == CELL_STR && c->len && *c->v.s >= '1' && *c->v.s <= '9' ? (enum pane_id)(*c->v.s - '1') : PANE_N;
}

static void enter(struct pane *p, struct outcome *out)
{
	struct findings_pane *s = p->state;
	const struct table *t = shown(s);
	uint32_t row = s->row[s->sub];

	out->flags |= OUT_HANDLED;
	if (!t || row >= t->n_rows) {
		outcome_say(out, "%s", _("there is no row to enter"));
		return;
	}
	out->to.scope = p->scope;
	if (nav_instants(t, row, &out->to)) {
		out->flags |= OUT_GO;
		return;
	}
	out->to.pane = first_pane(t, row);
	if (out->to.pane == PANE_N || s->sub == SUB_CHECKS) {
		outcome_say(out, "%s", _("this line leads to no pane"));
		return;
	}
	out->to.sub = -1;
	out->flags |= OUT_GO;
}

static void findings_act(struct pane *p, enum action a, struct outcome *out)
{
	struct findings_pane *s = p->state;
	int64_t at = s->row[s->sub];

	switch (a) {
	case ACT_DOWN: move(s, at + 1, out); break;
	case ACT_UP: move(s, at - 1, out); break;
	case ACT_PAGE_DOWN: case ACT_HALF_DOWN: move(s, at + 5, out); break;
	case ACT_PAGE_UP: case ACT_HALF_UP: move(s, at - 5, out); break;
	case ACT_END: move(s, INT32_MAX, out); break;
	case ACT_TOP: move(s, 0, out); break;
	case ACT_VIEW_NEXT: choose(s, s->sub + 1, out); break;
	case ACT_VIEW_PREV: choose(s, s->sub - 1, out); break;
	case ACT_ENTER: enter(p, out); break;
	default: break;
	}
}

static bool findings_find(struct pane *p, const struct needle *n, int dir)
{
	struct findings_pane *s = p->state;
	const struct table *t = shown(s);
	int64_t total = t ? t->n_rows : 0;

	for (int64_t k = dir ? 1 : 0; k <= total && total; k++) {
		int64_t i = ((dir < 0 ? s->row[s->sub] - k : s->row[s->sub] + k) % total + total) % total;
		const struct cell *c = cell_of(t, (uint32_t)i, subs[s->sub].item);

		if (c->type == CELL_STR && needle_match(n, c->v.s, c->len, NULL, NULL)) {
			s->row[s->sub] = (uint32_t)i;
			return true;
		}
	}
	return false;
}

/* The command to run next, ready for a shell; where there is none, what the row says. */
static void findings_copy(const struct pane *p, struct sbuf *b)
{
	const struct findings_pane *s = p->state;
	const struct table *t = shown(s);
	const struct cell *c = t && s->row[s->sub] < t->n_rows ? cell_of(t, s->row[s->sub], "capture") : NULL;

	if (c && c->type != CELL_STR)
		c = cell_of(t, s->row[s->sub], subs[s->sub].details[0].col);
	if (c && c->type == CELL_STR)
		sbuf_put(b, c->v.s, c->len);
}

static void findings_save(const struct pane *p, struct place *pl)
{
	const struct findings_pane *s = p->state;

	pl->sub = s->sub;
	pl->lane = s->row[s->sub];
}

static void findings_restore(struct pane *p, const struct place *pl)
{
	struct findings_pane *s = p->state;

	if (pl->sub >= 0 && pl->sub < SUB_N)
		s->sub = pl->sub;
	if (pl->lane != UINT32_MAX) {
		s->row[s->sub] = pl->lane;
		s->guided |= s->sub == SUB_GUIDE;
	}
}

static void findings_click(struct pane *p, int x, int y, struct outcome *out)
{
	struct findings_pane *s = p->state;
	int head = head_rows(s, p->rows), i = first_line(s, p->rows - head) + y - head;

	(void)x;
	out->flags |= OUT_HANDLED;
	if (y >= head && i < (int)s->lines.n && s->lines.a[i].kind == L_ITEM)
		s->row[s->sub] = s->lines.a[i].row;
}

static const char *findings_label(const struct pane *p)
{
	return _(subs[((const struct findings_pane *)p->state)->sub].title);
}

const struct pane_ops pane_findings = {
	.id = "findings",
	.title = N_("Findings"),
	.tab = N_("Find"),
	.help = N_("What loses time, the largest first, with what proves it, what to do and what to run next (y copies the command). "
		"Figures are upper bounds and do not add up. t: the guided path, then every check."),
	.where = IN_LIST,
	.follow = { PANE_TIMELINE, PANE_KERNELS },
	.state_size = sizeof(struct findings_pane), .close = findings_close, .want = findings_want, .draw = findings_draw,
	.act = findings_act, .find = findings_find, .copy = findings_copy, .save = findings_save, .restore = findings_restore,
	.click = findings_click, .label = findings_label,
};
