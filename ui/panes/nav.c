/* nav.c - row references to places; the one table that says which pane is below which kind of row. */
#include "ui/panes/nav.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "table/get.h"
#include "ui/widgets/frame_find.h"
#include "ui/widgets/model_view.h"

void nav_event(struct place *to, uint32_t source, ev_id ev)
{
	to->pane = PANE_TIMELINE;
	to->source = source;
	to->ev = ev;
	to->lane = UINT32_MAX;
	to->t0 = to->t1 = to->cursor = 0;
}

/* ---- what a row refers to ---------------------------------------------------------------------- */

static bool cell_i64(const struct table *t, uint32_t row, const char *id, int64_t *v)
{
	const struct cell *cell = get_maybe(t, row, id);

	if (cell->type != CELL_I64)
		return false;
	*v = cell->v.i;
	return true;
}

static bool cell_str(const struct table *t, uint32_t row, const char *id, const char **s, size_t *n)
{
	const struct cell *cell = get_maybe(t, row, id);

	if (cell->type != CELL_STR)
		return false;
	*s = cell->v.s;
	*n = cell->len;
	return true;
}

/* Which column of which view names what: for rows whose analysis gave no reference. */
static const struct {
	const char *view, *col;
	enum ref_kind kind;
} by_view[] = {
	{ "classes", "class", REF_CLASS }, { "kernels", "name", REF_KERNEL }, { "opkernels", "kernel", REF_KERNEL },
	{ "ops", "name", REF_OP }, { "optree", "name", REF_OP }, { "runtime", "name", REF_RUNTIME },
	{ "stacks", "function", REF_FRAME }, { "steps", "step", REF_STEP }, { "gaps", "start_ns", REF_TIME },
	{ "gpu", "device", REF_DEVICE }, { "sources", "path", REF_SOURCE },
};

static struct row_ref ref_of(const struct table *t, uint32_t row)
{
	struct row_ref ref = t->refs ? t->refs[row] : (struct row_ref){ REF_NONE, UINT32_MAX, 0, 0, 0 };

	for (size_t i = 0; ref.kind == REF_NONE && i < sizeof(by_view) / sizeof(by_view[0]); i++) {
		int col = table_col(t, by_view[i].col);

		if (strcmp(t->view, by_view[i].view) != 0 || col < 0)
			continue;
		ref.kind = (uint8_t)by_view[i].kind;
		ref.name_col = (uint16_t)col;
		ref.source = UINT32_MAX;
		if (ref.kind == REF_TIME && cell_i64(t, row, "start_ns", &ref.a) && cell_i64(t, row, "dur_ns", &ref.b))
			ref.b += ref.a;
		else if (ref.kind == REF_STEP || ref.kind == REF_DEVICE)
			cell_i64(t, row, by_view[i].col, &ref.a);
		else if (ref.kind == REF_SOURCE)
			ref.source = row;
	}
	return ref;
}

static void ref_name(const struct table *t, uint32_t row, const struct row_ref *ref, const char **s, size_t *n)
{
	const struct cell *c = ref->name_col < t->n_cols ? table_cell(t, row, ref->name_col) : NULL;

	*s = "";
	*n = 0;
	if (c && c->type == CELL_STR) {
		*s = c->v.s;
		*n = c->len;
	}
}

static void narrow_time(const struct row_ref *ref, struct scope *sc)
{
	sc->window = WINDOW_TIME;
	sc->start_ns = ref->a;
	sc->end_ns = ref->b > ref->a ? ref->b : ref->a + 1;
}

static bool narrow(const struct table *t, uint32_t row, const struct row_ref *ref, struct scope *sc)
{
	const char *name;
	size_t n;
	int64_t step = ref->a;
	enum kclass k;

	ref_name(t, row, ref, &name, &n);
	switch ((enum ref_kind)ref->kind) {
	case REF_STEP:
		cell_i64(t, row, "step", &step);
		sc->window = WINDOW_STEPS;
		sc->step_a = sc->step_b = step;
		return true;
	case REF_TIME:
		narrow_time(ref, sc);
		return true;
	case REF_DEVICE:
		sc->device = ref->a;
		return true;
	case REF_THREAD:
		sc->pid = ref->a;
		sc->tid = ref->b;
		return true;
	case REF_CLASS:
		if (cell_str(t, row, "class", &name, &n) && (k = kclass_find(name, n)) != KCLASS_N)
			sc->kclass = (int32_t)k;
		else
			sc->kclass = (int32_t)ref->a;
		sc->subclass_hash = cell_str(t, row, "subclass", &name, &n) ? scope_hash_name(name, n) : 0;
		return true;
	case REF_KERNEL:
		sc->kernel_hash = n ? scope_hash_name(name, n) : 0;
		return n > 0;
	case REF_OP:
		sc->op_hash = n ? scope_hash_name(name, n) : 0;
		return n > 0;
	case REF_RUNTIME:
		sc->runtime_hash = n ? scope_hash_name(name, n) : 0;
		return n > 0;
	case REF_SOURCE:
		sc->source = (int32_t)ref->source;
		return true;
	case REF_NONE:
	case REF_FRAME:
	case REF_EVENT:
	case REF_VIEW:
		break;
	}
	return false;
}

/* Rows that stand for more than one name: a call made by an op or on a thread, a kernel launched by an op. */
static void narrow_second(const struct table *t, uint32_t row, struct scope *sc)
{
	static const struct {
		const char *view, *col;
		enum ref_kind kind;
	} also[] = {
		{"callers", "op", REF_OP},
		{"chains", "op", REF_OP},
		{"opkernels", "kernel", REF_KERNEL},
	};
	const char *name;
	size_t n;

	for (size_t i = 0; i < sizeof(also) / sizeof(also[0]); i++) {
		if (strcmp(t->view, also[i].view) != 0 || !cell_str(t, row, also[i].col, &name, &n))
			continue;
		if (also[i].kind == REF_OP)
			sc->op_hash = scope_hash_name(name, n);
		else
			sc->kernel_hash = scope_hash_name(name, n);
	}
	if (!strcmp(t->view, "launches"))
		cell_i64(t, row, "tid", &sc->tid);
}

/* A row of a split table is of one step, device or thread only. */
static void narrow_split(const struct table *t, uint32_t row, struct scope *sc)
{
	int64_t v;

	if (sc->by == BY_NONE || !cell_i64(t, row, "by", &v))
		return;
	if (sc->by == BY_STEP) {
		sc->window = WINDOW_STEPS;
		sc->step_a = sc->step_b = v;
	} else if (sc->by == BY_DEVICE) {
		sc->device = v;
	} else if (sc->by == BY_THREAD) {
		sc->tid = v;
	}
}

bool nav_event_of(const struct table *t, uint32_t row, uint32_t *source, ev_id *ev)
{
	struct row_ref ref = ref_of(t, row);

	if (ref.kind != REF_EVENT || ref.a < 0 || ref.a >= ID_NONE)
		return false;
	*source = ref.source;
	*ev = (ev_id)ref.a;
	return true;
}

bool nav_narrow(const struct pane *pane, const struct table *t, uint32_t row, struct scope *sc)
{
	struct row_ref ref = ref_of(t, row);

	(void)pane;
	/* other sources show their own windows: only what holds for the whole session narrows beside */
	if (ref.kind == REF_SOURCE || !narrow(t, row, &ref, sc))
		return false;
	narrow_split(t, row, sc);
	return true;
}

/* ---- below a row ---------------------------------------------------------------------------------- */

/* Pane and table below each kind of row. */
static const struct {
	enum pane_id pane;
	int sub;
} below[] = {
	[REF_NONE] = { PANE_N, 0 }, [REF_STEP] = { PANE_TIMELINE, -1 }, [REF_TIME] = { PANE_TIMELINE, -1 },
	[REF_DEVICE] = { PANE_KERNELS, 0 }, [REF_THREAD] = { PANE_OPS, 0 }, [REF_CLASS] = { PANE_KERNELS, 1 },
	[REF_KERNEL] = { PANE_KERNELS, 2 }, [REF_OP] = { PANE_PYTHON, 0 }, [REF_RUNTIME] = { PANE_RUNTIME, 1 },
	[REF_FRAME] = { PANE_N, 0 }, [REF_EVENT] = { PANE_TIMELINE, -1 }, [REF_SOURCE] = { PANE_TIMELINE, -1 },
	[REF_VIEW] = { PANE_N, 0 },
};

static void label(const struct table *t, uint32_t row, const struct row_ref *ref, struct place *to)
{
	char buf[64];
	const char *name;
	size_t n;

	ref_name(t, row, ref, &name, &n);
	switch ((enum ref_kind)ref->kind) {
	case REF_STEP:
	case REF_TIME:
		return;		/* the window's own text says it */
	case REF_DEVICE:
		snprintf(buf, sizeof(buf), "GPU %" PRId64, ref->a);
		break;
	case REF_THREAD:
		snprintf(buf, sizeof(buf), _("thread %" PRId64), ref->b);
		break;
	case REF_CLASS:
		if (!cell_str(t, row, "subclass", &name, &n))
			n = 0;
		snprintf(buf, sizeof(buf), "%s%s%.*s", kclass_name((enum kclass)to->scope.kclass), n ? " " : "", (int)n, name);
		break;
	default:
		place_crumb(to, name, n);
		return;
	}
	place_crumb(to, buf, strlen(buf));
}

bool nav_instants(const struct table *t, uint32_t row, struct place *to)
{
	struct row_ref ref = ref_of(t, row);
	int64_t around = (ref.b - ref.a) / 2 + 1000;

	if (ref.kind != REF_TIME || ref.b < ref.a)
		return false;
	to->pane = PANE_TIMELINE;
	to->sub = -1;
	to->source = ref.source;
	to->ev = ID_NONE;
	to->lane = UINT32_MAX;
	to->row_key = 0;
	to->t0 = ref.a - around;
	to->t1 = ref.b + around;
	to->cursor = ref.a;
	return true;
}

static bool goto_view(const struct ui_ctx *ui, const struct table *t, uint32_t row, const struct row_ref *ref, struct place *to, struct outcome *out)
{
	const char *name;
	size_t n;
	enum pane_id id;

	ref_name(t, row, ref, &name, &n);
	id = pane_by_name(ui, name, n);
	if (id == PANE_N) {
		outcome_say(out, "%s", _("there is no pane for this row"));
		return false;
	}
	to->pane = id;
	to->sub = -1;
	return true;
}

bool nav_down(const struct pane *pane, const struct table *t, uint32_t row, struct place *to, struct outcome *out)
{
	struct row_ref ref = ref_of(t, row);

	if (ref.kind == REF_VIEW)
		return goto_view(pane->ui, t, row, &ref, to, out);
	if (ref.kind == REF_EVENT) {
		nav_event(to, ref.source, (ev_id)ref.a);
		return true;
	}
	if (ref.kind == REF_NONE || below[ref.kind].pane == PANE_N || !narrow(t, row, &ref, &to->scope)) {
		outcome_say(out, "%s", ref.kind == REF_FRAME ? _("a Python frame: the innermost level") : _("nothing below this row"));
		return false;
	}
	narrow_second(t, row, &to->scope);
	narrow_split(t, row, &to->scope);
	to->pane = below[ref.kind].pane;
	to->sub = below[ref.kind].sub;
	to->ev = ID_NONE;
	/* the stacks of a thread of Python, not its ops; what called the call of an op */
	if (!strcmp(t->view, "pythreads") || !strcmp(t->view, "callers")) {
		to->pane = PANE_PYTHON;
		to->sub = 0;
	}
	if (ref.kind == REF_OP)
		to->ev = frame_of_op(pane->ui, &to->scope, to->scope.op_hash, &to->source);
	if (ref.kind == REF_OP && to->ev == ID_NONE)
		outcome_say(out, "%s", _("no Python frame is recorded around this op"));
	to->lane = UINT32_MAX;
	to->t0 = to->t1 = to->cursor = 0;
	to->row_key = 0;
	/* a gap is seen in the lane of its GPU */
	if (ref.kind == REF_TIME && !strcmp(t->view, "gaps") && cell_i64(t, row, "device", &to->idle_gpu))
		to->source = ref.source;
	label(t, row, &ref, to);
	return true;
}
