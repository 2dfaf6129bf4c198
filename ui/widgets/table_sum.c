/* table_sum.c - the table widget: shares, figures per step, totals of tagged rows, chosen columns. */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "table/cell.h"
#include "ui/widgets/model_view.h"
#include "ui/widgets/table.h"

/*
 * Columns whose figures add up: over the steps of a window (a mean per step means something), over the rows of a table (a total
 * of some rows does). Longest, shortest, mean and percentiles do neither; times of nested or concurrent rows do the first only.
 */
enum { OVER_STEPS = 1, OVER_ROWS = 2, OVER_BOTH = 3 };
static const struct {
	const char *id;
	int adds;
} sums[] = {
	{ "total_ns", OVER_BOTH }, { "self_ns", OVER_BOTH }, { "time_ns", OVER_BOTH }, { "dur_ns", OVER_ROWS }, { "launch_ns", OVER_BOTH },
	{ "sync_ns", OVER_BOTH }, { "memcpy_ns", OVER_BOTH }, { "other_runtime_ns", OVER_BOTH }, { "host_ns", OVER_BOTH },
	{ "busy_ns", OVER_STEPS }, { "idle_ns", OVER_STEPS }, { "compute_ns", OVER_STEPS }, { "exposed_ns", OVER_STEPS },
	{ "device_ns", OVER_STEPS }, { "gpu_ns", OVER_STEPS }, { "lost_ns", OVER_STEPS }, { "count", OVER_BOTH }, { "bytes", OVER_BOTH },
	{ "samples", OVER_BOTH }, { "kernels", OVER_STEPS }, { "calls", OVER_STEPS }, { "launches", OVER_STEPS },
};

static int adds_up(const struct column_def *col)
{
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (!strcmp(sums[i].id, col->id))
			return sums[i].adds;
	return 0;
}

bool wtable_scaled(const struct wtable *w, const struct column_def *col, const struct cell *cell, struct cell *out, struct column_def *def)
{
	const struct table *t = w->res->table;

	if (cell->type != CELL_I64)
		return false;
	*out = *cell;
	*def = *col;
	if (w->show == SHOW_SHARE && col->unit == UNIT_NS && t->wall_ns > 0) {
		out->type = CELL_F64;
		out->v.f = (double)cell->v.i / (double)t->wall_ns;
		def->unit = UNIT_RATIO;
		return true;
	}
	if (w->show != SHOW_PER_STEP || w->steps < 1 || !(adds_up(col) & OVER_STEPS))
		return false;
	if (col->unit == UNIT_COUNT) {
		out->type = CELL_F64;
		out->v.f = (double)cell->v.i / (double)w->steps;
		def->unit = UNIT_FACTOR;
	} else {
		out->v.i = (cell->v.i + w->steps / 2) / w->steps;
	}
	return true;
}

/* The file that all rows are of; -1: several, or one that is not open any more. */
static int32_t only_source(const struct pane *p, const struct table *t)
{
	const struct session *s = p->ui->session;

	for (uint32_t i = 0; s && t->n_sources == 1 && i < s->n_sources; i++)
		if (!strcmp(s->sources[i].path, t->sources[0]))
			return (int32_t)i;
	return -1;
}

/* Whether the figures are sums over whole steps: not those of a capture that has none, of a stretch of time, or of one event. */
static bool sums_steps(const struct table *t)
{
	const char *kind = t->window_kind ? t->window_kind : "";

	for (uint32_t c = 0; c < t->n_cols; c++)
		if (t->cols[c].unit == UNIT_TIME)
			return false;
	return !strcmp(kind, "steady") || !strncmp(kind, "step", 4);
}

/* Steps of the window where it is made of whole steps that all rows share; else 0. */
void wtable_count_steps(struct wtable *w, const struct pane *p)
{
	struct scope sc = w->res->scope;
	uint32_t n = 0, source;
	const struct step *s;

	w->steps = 0;
	sc.source = only_source(p, w->res->table);
	if (!sums_steps(w->res->table) || sc.source < 0 || w->prep->owner_col >= 0 || sc.by != BY_NONE)
		return;
	s = mv_steps(p->ui, &sc, &n, &source);
	for (uint32_t i = 0; i < n; i++)
		w->steps += mv_step_in_scope(&sc, &s[i], mv_shift(p->ui, source));
}

void wtable_next_show(struct wtable *w, struct outcome *out)
{
	w->show = (uint8_t)((w->show + 1) % SHOW_N);
	if (w->show == SHOW_PER_STEP && !w->steps)
		w->show = SHOW_FIGURES;
	if (w->show == SHOW_SHARE)
		outcome_say(out, "%s", _("times as share of the window"));
	else if (w->show == SHOW_PER_STEP)
		outcome_say(out, ngettext("sums of %lld step; the other columns as they are", "sums as mean of %lld steps; the other columns as they are",
			(unsigned long)w->steps), (long long)w->steps);
	else
		outcome_say(out, "%s", w->steps ? _("times as figures") : _("times as figures; these are no sums over whole steps, so no mean per step"));
}

const char *wtable_show_text(const struct wtable *w)
{
	return w->show == SHOW_SHARE ? _("shares") : w->show == SHOW_PER_STEP && w->steps ? _("per step") : "";
}

/* ---- tagged rows ----------------------------------------------------------------------------------- */

static void add_sum(const struct wtable *w, uint32_t c, char *buf, size_t cap)
{
	const struct table *t = w->res->table;
	struct cell sum = { .type = CELL_I64 };
	char num[CELL_TEXT_MAX];
	size_t at = strlen(buf);

	for (uint32_t i = 0; i < w->prep->view.n; i++) {
		uint32_t row = w->prep->view.rows[i];
		const struct cell *cell = table_cell(t, row, c);

		if (map_find(&w->tags, w->prep->keys[row], 0) != 1)
			continue;
		if (cell->type != CELL_I64 || __builtin_add_overflow(sum.v.i, cell->v.i, &sum.v.i))
			return;	/* one is unknown: so is the sum */
	}
	cell_text(&sum, &t->cols[c], 0, num, sizeof(num));
	snprintf(buf + at, cap - at, " · %s %s", _(t->cols[c].title), num);
}

/* Where there is a self time, the total of a row holds those of what ran inside it: only what is its own is summed. */
static bool sums_rows(const struct table *t, const struct column_def *col)
{
	bool nested = t->parents || table_col(t, "self_ns") >= 0;

	return adds_up(col) & OVER_ROWS && !(col->flags & COL_JSON_ONLY) &&
		!(nested && (!strcmp(col->id, "total_ns") || !strcmp(col->id, "time_ns") || !strcmp(col->id, "samples")));
}

void wtable_sum_tags(struct wtable *w)
{
	const struct table *t = w->res->table;
	unsigned n = 0;

	w->tagged[0] = '\0';
	for (uint32_t i = 0; w->tags.n && i < w->prep->view.n; i++)
		n += map_find(&w->tags, w->prep->keys[w->prep->view.rows[i]], 0) == 1;
	if (!n)
		return;
	snprintf(w->tagged, sizeof(w->tagged), _("%u tagged"), n);
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (sums_rows(t, &t->cols[c]))
			add_sum(w, c, w->tagged, sizeof(w->tagged));
}

/* ---- chosen columns ---------------------------------------------------------------------------------- */

static uint64_t col_key(const struct column_def *col)
{
	return map_hash_bytes(col->id, strlen(col->id));
}

enum col_choice wtable_choice(const struct wtable *w, const struct column_def *col)
{
	uint32_t v = w->chosen.n ? map_find(&w->chosen, col_key(col), 0) : MAP_NONE;

	if (v != MAP_NONE)
		return v ? COL_ALWAYS : COL_HIDDEN;
	return col->flags & COL_JSON_ONLY ? COL_HIDDEN : COL_IF_ROOM;
}

bool wtable_columns(struct wtable *w, const char *text, struct err *e)
{
	const struct table *t = w->res ? w->res->table : NULL;

	if (!t)
		return err_set(e, ERR_USAGE, "%s", _("there is no table yet"));
	if (!strcmp(text, "all") || !*text) {
		map_fini(&w->chosen);
		memset(&w->chosen, 0, sizeof(w->chosen));
		return true;
	}
	while (*text) {
		size_t n = strcspn(text, " ,");
		bool hide = *text == '-';
		const char *id = text + (hide || *text == '+');
		uint32_t c = 0;

		while (c < t->n_cols && (strlen(t->cols[c].id) != n - (size_t)(id - text) || memcmp(t->cols[c].id, id, n - (size_t)(id - text)) != 0))
			c++;
		if (c == t->n_cols)
			return err_set(e, ERR_USAGE, _("no column \"%.*s\""), (int)(n < 60 ? n : 60), text);
		map_put(&w->chosen, col_key(&t->cols[c]), 0, !hide);
		text += n;
		text += strspn(text, " ,");
	}
	return true;
}
