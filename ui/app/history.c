/* history.c - places: history, marks, steps, findings. */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "table/get.h"
#include "ui/app/app_impl.h"
#include "ui/panes/nav.h"
#include "ui/widgets/model_view.h"

static void save_here(struct app *a)
{
	const struct pane *p = &a->panes[a->here.pane];

	if (p->ops->save)
		p->ops->save(p, &a->here);
}

static void restore_here(struct app *a)
{
	struct pane *p = &a->panes[a->here.pane];

	a->focus = 0;
	a->dirty = true;
	p->scope = a->here.scope;
	if (p->ops->restore)
		p->ops->restore(p, &a->here);
	a->here.idle_gpu = SCOPE_ANY;
	a->here.ranging = false;
}

static void push(struct place *stack, unsigned *n, const struct place *pl)
{
	if (*n == HISTORY_MAX) {
		memmove(stack, stack + 1, sizeof(*stack) * (HISTORY_MAX - 1));
		--*n;
	}
	stack[(*n)++] = *pl;
}

static void remember_last(struct app *a)
{
	a->last = a->here;
	a->have_last = true;
}

void app_go(struct app *a, const struct place *to)
{
	save_here(a);
	remember_last(a);
	push(a->back, &a->n_back, &a->here);
	a->n_fwd = 0;
	a->here = *to;
	a->here.jump = false;
	restore_here(a);
}

/* Jumps in a row leave one place in the history, so that q needs no more presses than there were decisions. */
static void jump_to(struct app *a, const struct place *to)
{
	remember_last(a);
	if (!a->here.jump || !a->n_back)
		push(a->back, &a->n_back, &a->here);
	a->n_fwd = 0;
	a->here = *to;
	a->here.jump = true;
	restore_here(a);
}

void app_jump(struct app *a, enum pane_id id)
{
	struct place to;

	if (a->here.pane == id) {
		if (a->focus) {
			a->focus = 0;
			return;
		}
		app_say(a, _("%s is shown already"), _(pane_registry[id]->title));
		return;
	}
	save_here(a);
	to = a->here;
	to.pane = id;
	to.sub = -1;
	to.row_key = 0;
	to.lane = UINT32_MAX;
	to.ev = ID_NONE;
	to.t0 = to.t1 = to.cursor = 0;
	jump_to(a, &to);
}

void app_set_scope(struct app *a, const struct scope *sc)
{
	save_here(a);
	a->here.scope = *sc;
	a->here.t0 = a->here.t1 = 0;
	restore_here(a);
}

bool app_back(struct app *a)
{
	if (!a->n_back)
		return false;
	save_here(a);
	remember_last(a);
	push(a->fwd, &a->n_fwd, &a->here);
	a->here = a->back[--a->n_back];
	restore_here(a);
	return true;
}

bool app_forward(struct app *a)
{
	if (!a->n_fwd)
		return false;
	save_here(a);
	remember_last(a);
	push(a->back, &a->n_back, &a->here);
	a->here = a->fwd[--a->n_fwd];
	restore_here(a);
	return true;
}

static void goto_place(struct app *a, const struct place *pl)
{
	struct place to = *pl;

	app_go(a, &to);
}

void app_mark(struct app *a, ui_key letter, bool set)
{
	unsigned i = letter - 'a';

	if (!set && letter == '\'') {
		if (a->have_last)
			goto_place(a, &a->last);
		else
			app_say(a, "%s", _("there is no last place yet"));
		return;
	}
	if (letter < 'a' || letter > 'z') {
		app_say(a, "%s", _("marks are named a to z"));
		return;
	}
	if (set) {
		save_here(a);
		a->marks[i] = a->here;
		a->mark_set |= 1u << i;
		app_say(a, _("mark %c set"), (int)letter);
	} else if (a->mark_set & 1u << i) {
		goto_place(a, &a->marks[i]);
	} else {
		app_say(a, _("mark %c is not set"), (int)letter);
	}
}

/* Session time of a mark or of the cursor; false: that is no instant. */
static bool instant_of(struct app *a, ui_key letter, ns_t *t)
{
	const struct place *at = &a->here;

	if (letter == '.') {
		save_here(a);
	} else if (letter < 'a' || letter > 'z') {
		app_say(a, "%s", _("marks are named a to z; . is the cursor"));
		return false;
	} else if (a->mark_set & 1u << (letter - 'a')) {
		at = &a->marks[letter - 'a'];
	} else {
		app_say(a, _("mark %c is not set"), (int)letter);
		return false;
	}
	if (at->pane != PANE_TIMELINE) {
		app_say(a, _("%c is no instant of the timeline"), (int)letter);
		return false;
	}
	*t = at->cursor;
	return true;
}

void app_measure(struct app *a, ui_key from, ui_key to)
{
	struct place there = a->here;
	char num[NUM_TEXT_MAX];
	ns_t t0, t1, lo, air;

	if (!instant_of(a, from, &t0) || !instant_of(a, to, &t1))
		return;
	lo = t0 < t1 ? t0 : t1;
	air = (t1 - lo + t0 - lo) / 10 + 1;
	there.pane = PANE_TIMELINE;
	there.ev = ID_NONE;
	/* what is in sight stays as it is */
	if (a->here.pane != PANE_TIMELINE || a->here.t0 > lo || a->here.t1 <= t0 + t1 - lo) {
		there.t0 = lo - air;
		there.t1 = t0 + t1 - lo + air;
	} else {
		there.t0 = a->here.t0;
		there.t1 = a->here.t1;
	}
	there.lane = a->here.pane == PANE_TIMELINE ? a->here.lane : UINT32_MAX;
	there.cursor = t1;
	there.ranging = true;
	there.range = t0;
	app_go(a, &there);
	app_say(a, _("%c to %c: %s; Enter zooms to it"), (int)from, (int)to, num_ns(t1 - t0, num));
}

void app_goto_step(struct app *a, int64_t number)
{
	struct scope sc = a->here.scope;

	sc.window = WINDOW_STEPS;
	sc.step_a = sc.step_b = number;
	app_set_scope(a, &sc);
	app_say(a, _("step %" PRId64), number);
}

/* From one step to its neighbour; from a wider window to its first or last step. */
void app_step(struct app *a, int dir)
{
	const struct scope *sc = &a->here.scope;
	uint32_t n, source;
	const struct step *s = mv_steps(&a->ctx, sc, &n, &source);
	int64_t at = -1;

	if (!n) {
		app_say(a, "%s", a->ctx.an ? _("no step markers: the whole capture is one window") : _("steps are not known yet"));
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		bool in = mv_step_in_scope(sc, &s[i], mv_shift(&a->ctx, source));

		if (in && (at < 0 || dir < 0))
			at = i;
	}
	if (sc->window == WINDOW_STEPS && sc->step_a == sc->step_b && at >= 0)
		at += dir;
	if (at < 0 || at >= (int64_t)n) {
		app_say(a, "%s", dir > 0 ? _("this is the last step") : _("this is the first step"));
		return;
	}
	app_goto_step(a, s[at].number);
}

/* ---- findings --------------------------------------------------------------------------------------- */

static enum pane_id row_pane(const struct ui_ctx *ui, const struct table *t, uint32_t row)
{
	const struct cell *cell = get_cell(t, row, "panes");

	return cell->type == CELL_STR && cell->len ? pane_by_name(ui, cell->v.s, 1) : PANE_N;
}

/*
 * ] and [ move the choice with them: where the chosen steps or time do not hold the instance, the step that does is chosen; where it lies
 * in none, the window is what it was at the start. The steady window and the whole capture stay.
 */
static void choose_step_of(const struct app *a, struct place *to)
{
	struct scope *sc = &to->scope, of = *sc;
	ns_t start, end, at = to->cursor, shift;
	uint32_t n, source;
	const struct step *s;

	if ((sc->window != WINDOW_STEPS && sc->window != WINDOW_TIME) || (mv_window(&a->ctx, sc, &start, &end) && at >= start && at < end))
		return;
	of.source = to->source == UINT32_MAX ? sc->source : (int32_t)to->source;
	s = mv_steps(&a->ctx, &of, &n, &source);
	shift = mv_shift(&a->ctx, source);
	sc->window = a->o->scope.window;
	sc->step_a = a->o->scope.step_a;
	sc->step_b = a->o->scope.step_b;
	sc->start_ns = a->o->scope.start_ns;
	sc->end_ns = a->o->scope.end_ns;
	for (uint32_t i = 0; i < n; i++) {
		if (at < s[i].start + shift || at >= s[i].next + shift)
			continue;
		sc->window = WINDOW_STEPS;
		sc->step_a = sc->step_b = s[i].number;
	}
}

/* Where a finding is seen: its largest instance in the timeline, else the first pane that it names. */
static void show_finding(struct app *a, const struct table *t, uint32_t row)
{
	enum pane_id id = row_pane(&a->ctx, t, row);
	struct place to = a->here;

	if (nav_instants(t, row, &to)) {
		save_here(a);
		choose_step_of(a, &to);
		jump_to(a, &to);
	} else if (id != PANE_N && id != a->here.pane) {
		app_jump(a, id);
	}
}

void app_finding(struct app *a, int dir)
{
	bool pending = false;
	const struct result *r = work_want(a->work, "findings", &a->o->scope, &pending);
	const struct table *t = r ? r->table : NULL;
	int n = t ? (int)t->n_rows : 0;
	const struct cell *cell;

	if (!n) {
		app_say(a, "%s", pending ? _("findings are still being computed") : _("there are no findings"));
		return;
	}
	a->finding = a->finding < 0 ? (dir > 0 ? 0 : n - 1) : (a->finding + dir + n) % n;
	show_finding(a, t, (uint32_t)a->finding);
	cell = get_cell(t, (uint32_t)a->finding, "title");
	if (cell->type == CELL_STR)
		app_say(a, "%d/%d %.*s", a->finding + 1, n, (int)cell->len, cell->v.s);
}
