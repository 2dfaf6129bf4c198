/*
 * python.c - Python call stacks: of torch's with_stack, or of a sampler. A table pane of which two views are drawn as flame graphs.
 */
#include "base/i18n.h"
#include "table/get.h"
#include "ui/panes/panes.h"
#include "ui/panes/table.h"
#include "ui/widgets/flame.h"

enum { SUB_TREE, SUB_LEAVES, SUB_FLAME, SUB_INVERSE };

static const struct table_pane_def def = {
	10,
	{
		[SUB_TREE] = { "stacks", N_("call tree"), NULL },
		[SUB_LEAVES] = { "leaves", N_("by leaf"), NULL },
		[SUB_FLAME] = { "stacks", N_("flame"), NULL },
		[SUB_INVERSE] = { "leaves", N_("inverse"), NULL },
		{ "pylines", N_("lines"), NULL },
		{ "frameworks", N_("frameworks"), NULL },
		{ "pythreads", N_("threads"), NULL },
		{ "pyidle", N_("GPU idle"), NULL },
		{ "pyhost", N_("host time"), NULL },
		{ "chains", N_("ways to the GPU"), NULL },
	},
	6,
	N_("Stacks come from torch.profiler with with_stack=True, or from a sampler such as pyinstrument or py-spy."),
};

struct python_pane {
	char table[TABLE_PANE_STATE];	/* the table pane's own, first */
	struct wflame flame[2];		/* of SUB_FLAME and SUB_INVERSE */
};

/* The flame graph that is shown, NULL where it is a table. */
static struct wflame *flame(const struct pane *p)
{
	struct python_pane *s = p->state;
	int sub = table_pane_sub(p);

	return sub == SUB_FLAME || sub == SUB_INVERSE ? &s->flame[sub - SUB_FLAME] : NULL;
}

static void open(struct pane *p)
{
	struct python_pane *s = p->state;

	table_pane_open(p);
	for (int i = 0; i < 2; i++)
		s->flame[i].row = s->flame[i].zoom = ROW_NONE;
}

static void want(struct pane *p)
{
	table_pane_want(p);
	if (flame(p))
		wflame_take(flame(p), table_pane_shown(p));
}

static void draw(const struct pane *p, const struct canvas *c)
{
	struct canvas body = canvas_sub(c, (struct rect){ 0, 1, c->w, c->h - 1 });

	if (!flame(p)) {
		table_pane_draw(p, c);
		return;
	}
	table_pane_draw_views(p, c);
	wflame_draw(flame(p), table_pane_shown(p), &body, p->ui->session ? _("computing …") : _("nothing is loaded yet"));
}

/* The other way round: the flame graph or tree of callers instead of callees, and back. */
static bool turn(struct pane *p, struct outcome *out)
{
	static const int other[] = { SUB_LEAVES, SUB_TREE, SUB_INVERSE, SUB_FLAME };
	int sub = table_pane_sub(p);

	if (sub != SUB_FLAME && sub != SUB_INVERSE)
		return false;
	table_pane_choose(p, other[sub], out);
	return true;
}

static void act(struct pane *p, enum action a, struct outcome *out)
{
	if (a == ACT_INVERT && turn(p, out))
		return;
	if (!flame(p) || a == ACT_VIEW_NEXT || a == ACT_VIEW_PREV || a == ACT_SPLIT)
		table_pane_act(p, a, out);
	else
		wflame_act(flame(p), table_pane_shown(p), p, a, out);
}

static bool find(struct pane *p, const struct needle *n, int dir)
{
	return flame(p) ? wflame_find(flame(p), table_pane_shown(p), n, dir, p->say, sizeof(p->say)) : table_pane_find(p, n, dir);
}

static bool escape(struct pane *p, struct outcome *out)
{
	return (flame(p) && wflame_escape(flame(p), table_pane_shown(p), out)) || table_pane_escape(p, out);
}

static void save(const struct pane *p, struct place *pl)
{
	const struct wflame *f = flame(p);

	table_pane_save(p, pl);
	if (f)
		pl->row_key = f->row_key;
}

static void restore(struct pane *p, const struct place *pl)
{
	table_pane_restore(p, pl);
	if (flame(p) && pl->row_key)
		wflame_goto_key(flame(p), table_pane_shown(p), pl->row_key);
}

static bool preview(const struct pane *p, struct scope *sc)
{
	return !flame(p) && table_pane_preview(p, sc);
}

/* The frame under the cursor, in a table or in a flame graph. */
static uint32_t frame_row(const struct pane *p)
{
	const struct wtable *w = table_pane_shown(p);
	const struct wflame *f = flame(p);
	uint32_t row = f ? f->row : wtable_row(w);

	return w->res && w->res->table && w->prep && row < w->res->table->n_rows ? row : ROW_NONE;
}

static bool code(const struct pane *p, struct code_place *at)
{
	const struct wtable *w = table_pane_shown(p);
	uint32_t row = frame_row(p);
	const struct cell *file, *line, *ran;

	if (row == ROW_NONE)
		return false;
	file = get_maybe(w->res->table, row, "file");
	line = get_maybe(w->res->table, row, "line");
	ran = get_maybe(w->res->table, row, "ran_line");	/* where the time goes, rather than where the function begins */
	line = ran->type == CELL_I64 ? ran : line;
	if (file->type != CELL_STR || !file->len)
		return false;
	*at = (struct code_place){ file->v.s, file->len, line->type == CELL_I64 ? line->v.i : 0 };
	return true;
}

/* What an editor or a colleague wants of a frame is where it is. */
static void copy(const struct pane *p, struct sbuf *b)
{
	struct code_place at;

	if (!code(p, &at)) {
		if (!flame(p))
			table_pane_copy(p, b);
		return;
	}
	sbuf_put(b, at.path, at.n);
	if (at.line > 0)
		sbuf_printf(b, ":%lld", (long long)at.line);
}

static void click(struct pane *p, int x, int y, struct outcome *out)
{
	if (!flame(p)) {
		table_pane_click(p, x, y, out);
		return;
	}
	out->flags |= OUT_HANDLED;
	if (y >= 1)
		wflame_click(flame(p), table_pane_shown(p), x, y - 1, p->cols, p->page_rows + 1);
}

static unsigned where_now(const struct pane *p)
{
	return flame(p) ? IN_TREE | IN_STACK | IN_FLAME : IN_TABLE | IN_TREE | IN_STACK;
}

const struct pane_ops pane_python = {
	.id = "python",
	.title = N_("Python"),
	.help = N_("Which Python lines the time belongs to; letters say whose code a frame is (P yours, T trainer, N torch, B autograd, D DeepSpeed, "
		"L data loading, V CUDA, U system, E other native code, …)."),
	.where = IN_TABLE | IN_TREE | IN_STACK | IN_FLAME,
	.where_now = where_now,
	.follow = { PANE_OPS, PANE_BREAKDOWN },
	.state_size = sizeof(struct python_pane),
	.arg = &def,
	.open = open, .close = table_pane_close, .want = want, .draw = draw, .act = act, .find = find,
	.highlight = table_pane_highlight, .filter = table_pane_filter, .filter_text = table_pane_filter_text, .sort = table_pane_sort,
	.columns = table_pane_columns, .escape = escape, .save = save, .restore = restore, .preview = preview, .copy = copy, .row = frame_row, .table = table_pane_table,
	.click = click, .code = code,
};
