/*
 * findings.c - what to fix first, the guided path, and every check. Three lists of the same kind: a line per row, and below the
 * selected one what the row says. All words come from the analyses `findings`, `guide` and `checks`, and from `overview` the verdict.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"
#include "table/get.h"
#include "ui/panes/nav.h"
#include "ui/panes/panes.h"
#include "ui/widgets/model_view.h"

enum sub { SUB_FINDINGS, SUB_GUIDE, SUB_CHECKS, SUB_N };
enum findings_line_kind { L_VERDICT, L_HEAD, L_ITEM, L_DETAIL, L_NOTE };
struct findings_line {
	enum findings_line_kind kind;
	uint32_t row;
	const char *label;	/* N_() marked, on the first line of a detail */
	const char *text;	/* in the result's table */
	uint32_t n;		/* its bytes; of an item its number */
	bool first;		/* of its text */
};
/* A row of the table, and of how many files the same is said. */
struct findings_item {
	uint32_t row, files;
	uint64_t says;
	int severity;		/* 0 the worst */
	int64_t ns;
};
struct findings_pane {
	struct result *res[SUB_N], *overview;	/* owned references */
	bool stale;
	bool guided;		/* the guided path stands, or stood, on its first yes */
	int sub;
	VEC(struct findings_item) items;
	const struct result *items_of;	/* of which table they are; compared only */
	bool several;			/* it tells of more than one file */
	VEC(struct findings_line) lines;
	int n_head;		/* of them above the rows: the verdict and the heads of the columns, which stay in sight */
	uint32_t row[SUB_N];	/* selected */
	bool moved[SUB_N];	/* by somebody: else the first one is */
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

static const struct table *shown(const struct findings_pane *s)
{
	return s->res[s->sub] ? s->res[s->sub]->table : NULL;
}

/* ---- the list of lines ------------------------------------------------------------------------------- */

static void add_text(struct findings_pane *s, enum findings_line_kind kind, uint32_t row, const char *label, const char *text, uint32_t n, int cols)
{
	uint32_t at = 0;
	bool first = true;

	while (at < n) {
		size_t skip = 0, take = canvas_wrap(text + at, n - at, cols > 8 ? cols : 8, &skip);

		VEC_PUSH(&s->lines, (struct findings_line){ kind, row, label, text + at, (uint32_t)take, first });
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
		const struct cell *c = get_cell(t, row, subs[s->sub].details[i].col);

		if (c->type == CELL_STR)
			add_text(s, L_DETAIL, row, subs[s->sub].details[i].label, c->v.s, c->len, p->cols - detail_x(p->cols) - 1);
	}
}

static void add_verdict(struct findings_pane *s, const struct pane *p)
{
	const struct table *t = s->overview ? s->overview->table : NULL;

	for (uint32_t r = 0; t && r < t->n_rows; r++) {
		const struct cell *section = get_cell(t, r, "section"), *text = get_cell(t, r, "text");

		if (cell_is_word(section, "verdict") && text->type == CELL_STR)
			add_text(s, L_VERDICT, 0, NULL, text->v.s, text->len, p->cols - 2);
	}
}

/* What a row says, whatever file it is of. */
static uint64_t saying(const struct findings_pane *s, const struct table *t, uint32_t row)
{
	static const char *const more[] = { "severity", "state", "answer", "saves_ns" };
	size_t n = sizeof(subs[0].details) / sizeof(*subs[0].details);
	uint64_t h = 0;

	for (size_t i = 0; i < n + 1 + sizeof(more) / sizeof(more[0]); i++) {
		const char *col = i < n ? subs[s->sub].details[i].col : i == n ? subs[s->sub].item : more[i - n - 1];
		const struct cell *c = col ? get_maybe(t, row, col) : NULL;

		if (c && c->type == CELL_STR)
			h = (h ^ map_hash_bytes(c->v.s, c->len)) * 0x100000001b3u;
		else if (c && c->type == CELL_I64)
			h = (h ^ (uint64_t)c->v.i) * 0x100000001b3u;
	}
	return h;
}

static int severity_of(const struct table *t, uint32_t row)
{
	static const char *const words[] = { "critical", "major", "minor", "info" };
	int i = 0;

	while (i < 4 && !cell_is_word(get_maybe(t, row, "severity"), words[i]))
		i++;
	return i;
}

static int item_cmp(const void *a, const void *b)
{
	const struct findings_item *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : (x->row > y->row) - (x->row < y->row);
}

/* Each saying once: of many files without GPU work each says so. Files have lists of their own: what loses most comes first of all. */
static void make_items(struct findings_pane *s)
{
	const struct table *t = shown(s);

	if (s->items_of == s->res[s->sub])
		return;
	s->items_of = s->res[s->sub];
	s->items.n = 0;
	s->several = false;
	for (uint32_t r = 0; t && r < t->n_rows; r++) {
		const struct cell *ns = get_maybe(t, r, "saves_ns");
		uint64_t says = s->sub == SUB_GUIDE ? r : saying(s, t, r);
		size_t i = 0;

		s->several |= !get_same(t, r, 0, "source");
		while (i < s->items.n && s->items.a[i].says != says)
			i++;
		if (i < s->items.n)
			s->items.a[i].files++;
		else
			VEC_PUSH(&s->items, (struct findings_item){ r, 1, says, severity_of(t, r), ns->type == CELL_I64 ? ns->v.i : -1 });
	}
	if (s->several && s->sub == SUB_FINDINGS)
		qsort(s->items.a, s->items.n, sizeof(*s->items.a), item_cmp);
}

/* Where the selected row is among them; the first, if it is none of them. */
static size_t selected(const struct findings_pane *s)
{
	size_t i = 0;

	while (i < s->items.n && s->items.a[i].row != s->row[s->sub])
		i++;
	return i < s->items.n ? i : 0;
}

static void build(struct findings_pane *s, const struct pane *p)
{
	const struct table *t = shown(s);

	s->lines.n = 0;
	if (s->sub != SUB_CHECKS)
		add_verdict(s, p);
	VEC_PUSH(&s->lines, (struct findings_line){ L_HEAD, 0, NULL, NULL, 0, true });
	s->n_head = (int)s->lines.n;
	for (size_t i = 0; i < s->items.n; i++) {
		VEC_PUSH(&s->lines, (struct findings_line){ L_ITEM, s->items.a[i].row, NULL, NULL, (uint32_t)i, true });
		if (s->items.a[i].row == s->row[s->sub])
			add_details(s, p, s->items.a[i].row);
	}
	if (t && !t->n_rows)
		add_text(s, L_NOTE, 0, NULL, _("nothing found"), (uint32_t)strlen(_("nothing found")), p->cols - 2);
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

/* The first yes is where to stop; the stages before it are above. */
static void guide(struct findings_pane *s)
{
	const struct table *t = s->sub == SUB_GUIDE ? shown(s) : NULL;

	for (uint32_t r = 0; t && r < t->n_rows && !s->guided; r++) {
		if (!cell_is_word(get_cell(t, r, "answer"), "yes"))
			continue;
		s->row[SUB_GUIDE] = r;
		s->moved[SUB_GUIDE] = s->guided = true;
	}
}

static void findings_want(struct pane *p)
{
	struct findings_pane *s = p->state;
	bool other = false;
	struct result *r;

	keep(&s->overview, work_want(p->ui->work, "overview", &p->scope, &other));
	r = work_want(p->ui->work, subs[s->sub].view, &p->scope, &p->pending);
	keep(&s->res[s->sub], r);
	s->stale = p->pending;
	p->unanswered = !r;
	if (shown(s) && s->row[s->sub] >= shown(s)->n_rows)
		s->row[s->sub] = 0;
	guide(s);
	make_items(s);
	if (s->items.n)
		s->row[s->sub] = s->items.a[s->moved[s->sub] ? selected(s) : 0].row;
	build(s, p);
}

static void findings_close(struct pane *p)
{
	struct findings_pane *s = p->state;

	for (int i = 0; i < SUB_N; i++)
		result_unref(s->res[i]);
	result_unref(s->overview);
	VEC_FREE(&s->items);
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

/* Before column `end`; returns what it takes of the line. */
static int put_files(const struct canvas *c, int end, int y, const char *files)
{
	int w = canvas_width(files, SIZE_MAX);

	if (!w)
		return 0;
	canvas_puts(c, end - w - 1, y, ST_DIM, files);
	return w + 2;
}

static void draw_finding(const struct table *t, uint32_t row, const char *files, const struct canvas *c, int y)
{
	const struct cell *ns = get_cell(t, row, "saves_ns"), *share = get_cell(t, row, "share"), *severity = get_cell(t, row, "severity");
	bool remark = cell_is_word(severity, "info");
	char num[NUM_TEXT_MAX];

	if (c->w < NARROW) {
		put_cell(c, 1, y, remark ? ST_DIM : ST_FINDING, get_cell(t, row, "title"), c->w - 10);
		if (share->type == CELL_F64)
			canvas_printf(c, c->w - 8, y, ST_NORMAL, "%7s", num_pct(share->v.f, num));
		return;
	}
	put_cell(c, 1, y, remark ? ST_DIM : ST_FINDING, severity, 8);
	put_cell(c, 10, y, ST_NORMAL, get_cell(t, row, "title"), c->w - 10 - ITEM_RIGHT - put_files(c, c->w - ITEM_RIGHT, y, files));
	if (ns->type == CELL_I64)
		canvas_printf(c, c->w - 25, y, ST_NORMAL, "%9s", num_ns(ns->v.i, num));
	if (share->type == CELL_F64)
		canvas_printf(c, c->w - 15, y, ST_NORMAL, "%7s", num_pct(share->v.f, num));
	put_cell(c, c->w - 6, y, ST_KEY, get_cell(t, row, "panes"), 5);
}

static void draw_stage(const struct table *t, uint32_t row, const char *files, const struct canvas *c, int y)
{
	const struct cell *answer = get_cell(t, row, "answer");
	uint32_t nth = 1;

	if (c->w < NARROW) {
		put_cell(c, 1, y, cell_is_word(answer, "yes") ? ST_FINDING : ST_DIM, answer, 3);
		put_cell(c, 5, y, ST_NORMAL, get_cell(t, row, "question"), c->w - 6);
		return;
	}
	/* each file has a path of its own */
	for (uint32_t r = 0; r < row; r++)
		nth += get_same(t, r, row, "source");
	canvas_printf(c, 1, y, ST_DIM, "%" PRIu32, nth);
	put_cell(c, 4, y, cell_is_word(answer, "yes") ? ST_FINDING : ST_DIM, answer, 7);
	put_cell(c, 12, y, ST_NORMAL, get_cell(t, row, "question"), c->w - 12 - 8 - put_files(c, c->w - 8, y, files));
	put_cell(c, c->w - 6, y, ST_KEY, get_cell(t, row, "panes"), 5);
}

static void draw_check(const struct table *t, uint32_t row, const char *files, const struct canvas *c, int y)
{
	const struct cell *state = get_cell(t, row, "state");

	int w = c->w < NARROW ? 5 : 10;

	put_cell(c, 1, y, cell_is_word(state, "found") ? ST_FINDING : ST_DIM, state, w);
	put_cell(c, w + 3, y, ST_NORMAL, get_cell(t, row, "title"), c->w - w - 4 - put_files(c, c->w, y, files));
}

static void draw_head(const struct findings_pane *s, const struct canvas *c, int y)
{
	const struct table *t = shown(s);
	bool steps = t && t->n_rows && s->sub == SUB_FINDINGS && cell_is_word(get_cell(t, 0, "per"), "step");
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

/* Which file a row is about, numbered as in the list of sources, or how many say the same. */
static const char *files_text(const struct pane *p, const struct findings_pane *s, const struct findings_line *l, char *buf, size_t cap)
{
	uint32_t n = s->items.a[l->n].files;

	buf[0] = '\0';
	if (s->several && n > 1)
		snprintf(buf, cap, ngettext("%u file", "%u files", n), n);
	else if (s->several)
		snprintf(buf, cap, "f%u", mv_file_number(p->ui, get_cell(shown(s), l->row, "source")));
	return buf;
}

static void draw_line(const struct pane *p, const struct findings_pane *s, const struct findings_line *l, const struct canvas *c, int y)
{
	static void (*const items[SUB_N])(const struct table *t, uint32_t row, const char *files, const struct canvas *c, int y) = {
		draw_finding, draw_stage, draw_check,
	};

	char files[32];

	c->g->work++;
	switch (l->kind) {
	case L_VERDICT:
		canvas_text(c, 1, y, ST_TITLE, 0, l->text, l->n, c->w - 2);
		break;
	case L_HEAD:
		draw_head(s, c, y);
		break;
	case L_ITEM:
		items[s->sub](shown(s), l->row, files_text(p, s, l, files, sizeof(files)), c, y);
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

/* The line of the selected row; where there is none the first one below the head. */
static int cursor_line(const struct findings_pane *s)
{
	for (size_t i = 0; i < s->lines.n; i++)
		if (s->lines.a[i].kind == L_ITEM && s->lines.a[i].row == s->row[s->sub])
			return (int)i;
	return s->n_head;
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

static void draw_pinned(const struct pane *p, const struct findings_pane *s, const struct canvas *c, int rows)
{
	int verdict = verdict_rows(s, c->h);

	for (int y = 0; y < rows; y++)
		draw_line(p, s, &s->lines.a[y < verdict ? y : s->n_head - 1], c, y);
	if (rows && verdict && verdict < s->n_head - 1)
		more(c, verdict - 1);
}

static void draw_rows(const struct pane *p, const struct findings_pane *s, const struct canvas *c)
{
	int top = first_line(s, c->h), at = cursor_line(s), end = top + c->h < (int)s->lines.n ? top + c->h : (int)s->lines.n;

	for (int i = top; i < end; i++) {
		draw_line(p, s, &s->lines.a[i], c, i - top);
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

	draw_pinned(p, s, c, head);
	draw_rows(p, s, &rows);
	if (!shown(s) && c->h > 2)
		canvas_puts(&rows, 1, 0, r && !r->table ? ST_ERROR : ST_DIM, r && !r->table ? r->err.text : p->ui->session ? _("computing …") :
			_("reading …"));
	if (s->stale && shown(s) && c->w > 12)
		canvas_puts(c, c->w - 2, 0, ST_WARN, "…");
}

/* ---- actions -------------------------------------------------------------------------------------------- */

static void move(struct findings_pane *s, int64_t by, struct outcome *out)
{
	int64_t n = (int64_t)s->items.n, at = (int64_t)selected(s), to = at + by < 0 ? 0 : at + by >= n ? n - 1 : at + by;

	out->flags |= OUT_HANDLED;
	if (n && to == at)
		outcome_say(out, "%s", to ? _("this is the last row") : _("this is the first row"));
	s->moved[s->sub] = true;
	if (n)
		s->row[s->sub] = s->items.a[to].row;
}

static void choose(struct findings_pane *s, int sub, struct outcome *out)
{
	out->flags |= OUT_HANDLED;
	s->sub = (sub + SUB_N) % SUB_N;
	outcome_say(out, _("table: %s"), _(subs[s->sub].title));
}

static enum pane_id first_pane(const struct table *t, uint32_t row)
{
	const struct cell *c = get_cell(t, row, "panes");

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
	switch (a) {
	case ACT_DOWN: move(s, 1, out); break;
	case ACT_UP: move(s, -1, out); break;
	case ACT_PAGE_DOWN: case ACT_HALF_DOWN: move(s, 5, out); break;
	case ACT_PAGE_UP: case ACT_HALF_UP: move(s, -5, out); break;
	case ACT_END: move(s, INT32_MAX, out); break;
	case ACT_TOP: move(s, INT32_MIN, out); break;
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
	int64_t total = t ? (int64_t)s->items.n : 0, at = (int64_t)selected(s);

	for (int64_t k = dir ? 1 : 0; k <= total && total; k++) {
		uint32_t row = s->items.a[((dir < 0 ? at - k : at + k) % total + total) % total].row;
		const struct cell *c = get_cell(t, row, subs[s->sub].item);

		if (c->type == CELL_STR && needle_match(n, c->v.s, c->len, NULL, NULL)) {
			s->row[s->sub] = row;
			s->moved[s->sub] = true;
			return true;
		}
	}
	return false;
}

static const struct table *findings_told(const struct pane *p, uint32_t *row)
{
	const struct findings_pane *s = p->state;

	if (!s->items.n || !shown(s))
		return NULL;
	*row = s->items.a[selected(s)].row;
	return shown(s);
}

/* The command to run next, ready for a shell; where there is none, what the row says. */
static void findings_copy(const struct pane *p, struct sbuf *b)
{
	const struct findings_pane *s = p->state;
	const struct table *t = shown(s);
	const struct cell *c = t && s->row[s->sub] < t->n_rows ? get_cell(t, s->row[s->sub], "capture") : NULL;

	if (c && c->type != CELL_STR)
		c = get_cell(t, s->row[s->sub], subs[s->sub].details[0].col);
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
		s->moved[s->sub] = true;
		s->guided |= s->sub == SUB_GUIDE;
	}
}

static void findings_click(struct pane *p, int x, int y, struct outcome *out)
{
	struct findings_pane *s = p->state;
	int head = head_rows(s, p->rows), i = first_line(s, p->rows - head) + y - head;

	(void)x;
	out->flags |= OUT_HANDLED;
	if (y < head || i >= (int)s->lines.n || s->lines.a[i].kind != L_ITEM)
		return;
	s->row[s->sub] = s->lines.a[i].row;
	s->moved[s->sub] = true;
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
	.act = findings_act, .told = findings_told, .find = findings_find, .copy = findings_copy, .save = findings_save, .restore = findings_restore,
	.click = findings_click, .label = findings_label,
};
