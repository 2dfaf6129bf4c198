/* describe.c - what is under the cursor in words, and which event is below which: kernel, launch, op, Python frame. */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "table/get.h"
#include "ui/panes/timeline/pane.h"

static enum layer layer_of(const struct profile *p, ev_id e)
{
	return (enum layer)p->tracks[profile_track_of(p, e)].layer;
}

static ev_id owner_at(const struct profile *p, enum layer l, thread_id t, ns_t at)
{
	uint32_t n;
	track_id first = profile_host_tracks(p, l, t, &n);

	for (track_id k = first; k < first + n; k++) {
		ev_id e = track_event_at(p, &p->tracks[k], at);

		if (e != ID_NONE)
			return e;
	}
	return ID_NONE;
}

/* A call's op: by its link, else by the op layer of the facts (NVTX ranges named like ops), else any range around it. */
static ev_id op_of_call(const struct ui_ctx *ui, uint32_t source, const struct profile *p, ev_id call)
{
	const struct facts *f = mv_facts(ui, source);
	thread_id t = p->tracks[profile_track_of(p, call)].thread;
	ev_id e = p->link[call];
	uint32_t op;

	if (e != ID_NONE)
		return e;
	if (f && f->p == p && f->call_op && (op = facts_op_of_call(f, call)) != ID_NONE)
		return f->ops.ev ? f->ops.ev[op] : op;
	e = owner_at(p, LAYER_NVTX, t, p->start[call]);
	if (e == ID_NONE)
		e = owner_at(p, LAYER_ANNOT, t, p->start[call]);
	return e;
}

ev_id timeline_below(const struct ui_ctx *ui, uint32_t source, ev_id e, enum layer l)
{
	const struct profile *p = mv_profile(ui, source);
	thread_id t = p->tracks[profile_track_of(p, e)].thread;
	ev_id op;

	if (layer_on_gpu(l))
		return p->link[e];
	if (l == LAYER_RUNTIME && (op = op_of_call(ui, source, p, e)) != ID_NONE)
		return op;
	return l == LAYER_PYTHON ? ID_NONE : owner_at(p, LAYER_PYTHON, t, p->start[e]);
}

/* ---- words ------------------------------------------------------------------------------------------------ */

static void put_name(struct sbuf *b, const struct profile *p, ev_id e, size_t cols)
{
	size_t n;
	const char *s = mv_ev_name(p, e, &n);

	text_put(b, s, n, cols, TEXT_CUT_MIDDLE);
}

/* When, how long, of which class; the name gets what that leaves of the line, on which something is already. */
static void first_line(const struct pane *p, const struct profile *pr, const struct lane *l, ev_id e, struct sbuf *b)
{
	const struct timeline *s = timeline_of(p);
	char dur[NUM_TEXT_MAX], at[NUM_TEXT_MAX];
	ns_t zero = p->ui->absolute ? 0 : s->t0, start = pr->start[e] + mv_shift(p->ui, l->source);
	const struct kernel_class *k = l->layer == LAYER_KERNEL ? mv_kclass(p->ui, l->source, e) : NULL;
	struct sbuf rest = { NULL, 0, 0 };
	int room;

	sbuf_printf(&rest, _("  at %s%s  %s"), start >= zero ? "+" : "", num_ns(start - zero, at), num_ns(pr->dur[e], dur));
	if (k) {
		sbuf_printf(&rest, "  %s", kclass_name(k->class));
		if (k->layout)
			sbuf_printf(&rest, " %s", k->layout);
		if (k->dtype)
			sbuf_printf(&rest, " %s", k->dtype);
		if (k->tensor_core >= 0 && (k->class == KCLASS_GEMM || k->class == KCLASS_CONV || k->class == KCLASS_ATTENTION))
			sbuf_puts(&rest, k->tensor_core ? _(", tensor cores") : _(", no tensor cores"));
	}
	if (pr->self[e] != pr->dur[e] && !layer_on_gpu(l->layer))
		sbuf_printf(&rest, _(", self %s"), num_ns(pr->self[e], dur));
	room = p->cols - 2 - canvas_width(sbuf_str(b), SIZE_MAX) - canvas_width(sbuf_str(&rest), SIZE_MAX);
	put_name(b, pr, e, room > 12 ? (size_t)room : 12);
	sbuf_puts(b, sbuf_str(&rest));
	sbuf_fini(&rest);
}

static void thread_word(const struct ui_ctx *ui, uint32_t source, const struct profile *p, thread_id t, struct sbuf *b)
{
	const struct facts *f = mv_facts(ui, source);

	if (f && f->p == p && f->threads && f->threads[t].role != ROLE_OTHER)
		sbuf_puts(b, role_name(f->threads[t].role));
	else
		sbuf_printf(b, _("thread %" PRId64), p->threads[t].tid);
}

static void launch_line(const struct ui_ctx *ui, uint32_t source, const struct profile *p, ev_id e, struct sbuf *b)
{
	ev_id call = p->link[e], op;
	char num[NUM_TEXT_MAX];

	if (call == ID_NONE) {
		sbuf_puts(b, _("launch not recorded"));
		return;
	}
	sbuf_puts(b, _("launched by "));
	put_name(b, p, call, 32);
	sbuf_puts(b, _(" on "));
	thread_word(ui, source, p, p->tracks[profile_track_of(p, call)].thread, b);
	sbuf_printf(b, _(" %s earlier"), num_ns(p->start[e] - p->start[call], num));
	op = op_of_call(ui, source, p, call);
	if (op == ID_NONE)
		return;
	sbuf_puts(b, _(" in "));
	put_name(b, p, op, 36);
	if (p->parent[op] != ID_NONE) {
		sbuf_puts(b, _(" in "));
		put_name(b, p, p->parent[op], 30);
	}
}

static void copy_line(const struct profile *p, ev_id e, struct sbuf *b)
{
	const struct copy_detail *d = p->aux[e] < p->n_copies ? &p->copies[p->aux[e]] : NULL;
	char num[NUM_TEXT_MAX];

	if (!d)
		return;
	sbuf_printf(b, "%s", copy_kind_name((enum copy_kind)d->kind));
	if (d->bytes != I64_UNKNOWN) {
		sbuf_printf(b, " %s", num_bytes(d->bytes, num));
		if (p->dur[e] > 0)
			sbuf_printf(b, _(" at %s"), num_rate((double)d->bytes / (double)p->dur[e], num));
	}
	sbuf_printf(b, _(", from %s to %s memory"), mem_kind_name((enum mem_kind)d->src), mem_kind_name((enum mem_kind)d->dst));
}

static void kernel_line(const struct profile *p, ev_id e, struct sbuf *b)
{
	const struct kernel_detail *d = p->aux[e] < p->n_kernels ? &p->kernels[p->aux[e]] : NULL;

	if (!d || !d->grid[0])
		return;
	sbuf_printf(b, _("grid %dx%dx%d, block %dx%dx%d"), d->grid[0], d->grid[1], d->grid[2], d->block[0], d->block[1], d->block[2]);
	if (d->registers >= 0)
		sbuf_printf(b, ngettext(", %d register", ", %d registers", (unsigned long)d->registers), d->registers);
	if (d->shared_bytes >= 0)
		sbuf_printf(b, _(", %d B shared"), d->shared_bytes);
	if (d->graph_node)
		sbuf_puts(b, _(", from a CUDA graph"));
}

static void call_line(const struct ui_ctx *ui, uint32_t source, const struct profile *p, ev_id e, struct sbuf *b)
{
	ev_id op = op_of_call(ui, source, p, e);
	uint32_t first, n = profile_launched_by(p, e, &first);
	char num[NUM_TEXT_MAX];

	if (op != ID_NONE) {
		sbuf_puts(b, _("in "));
		put_name(b, p, op, 40);
	}
	if (n) {
		sbuf_puts(b, b->n ? _(", launched ") : _("launched "));
		put_name(b, p, p->by_launch[first], 40);
		sbuf_printf(b, _(" %s later"), num_ns(p->start[p->by_launch[first]] - p->start[e], num));
	}
}

static void parents_line(const struct profile *p, ev_id e, struct sbuf *b)
{
	int n = 0;

	for (ev_id up = p->parent[e]; up != ID_NONE && n < 4; up = p->parent[up], n++) {
		sbuf_puts(b, n ? _(" in ") : _("in "));
		put_name(b, p, up, 30);
	}
}

static void gap_cause(const struct timeline *s, const struct lane *l, ns_t from, struct sbuf *b)
{
	const struct table *t = s->gaps ? s->gaps->table : NULL;
	const char *text;
	int n;

	if (!t || t->n_rows > 20000)
		return;
	for (uint32_t i = 0; i < t->n_rows; i++) {
		if (get_i64(t, i, "start_ns") != from || get_i64(t, i, "device") != l->device)
			continue;
		text = get_str(t, i, "cause", &n);
		if (!n)
			continue;
		sbuf_printf(b, _("cause: %.*s"), n, text);
		text = get_str(t, i, "evidence", &n);
		if (n)
			sbuf_printf(b, "  %.*s", n, text);
		return;
	}
}

static void median_kernel(const struct pane *p, const struct lane *l, ns_t since, struct sbuf *b)
{
	const struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, l->source);
	char a[NUM_TEXT_MAX], d[NUM_TEXT_MAX];

	if (!pr || s->ev >= pr->n) {
		sbuf_printf(b, _("at %s from its start no kernel runs on this stream"), num_ns(since, a));
		return;
	}
	sbuf_printf(b, _("at %s from its start: "), num_ns(since, a));
	put_name(b, pr, s->ev, p->cols > 110 ? 70 : 40);
	sbuf_printf(b, "  %s", num_ns(pr->dur[s->ev], d));
}

static void median_lines(const struct pane *p, const struct lane *l, struct sbuf *one, struct sbuf *two)
{
	const struct timeline *s = timeline_of(p);
	const struct facts *f = mv_facts(p->ui, l->source);
	const struct step *median = NULL;
	enum phase ph;
	char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX];
	ns_t from = 0, to = 0, at;
	bool in = timeline_median_at(p->ui, l, s->cursor, &at, &median);

	if (!median || !f || !timeline_step_at(p->ui, l, s->cursor, &from, &to)) {
		sbuf_puts(one, _("no step here"));
		return;
	}
	sbuf_printf(one, _("median step %" PRId64 ": %s; this one takes %s"), median->number, num_ns(median->next - median->start, a),
		num_ns(to - from, b));
	if (!in)
		sbuf_printf(two, _("at %s from its start it is over"), num_ns(s->cursor - from, a));
	else if (l->kind == LANE_MEDIAN_GPU)
		median_kernel(p, l, s->cursor - from, two);
	else if (timeline_median_phase(p->ui, l, s->cursor, &ph))
		sbuf_printf(two, _("at %s from its start it is in %s"), num_ns(s->cursor - from, a), phase_name(ph));
}

static void queue_line(const struct pane *p, const struct lane *l, struct sbuf *one, struct sbuf *two)
{
	const struct timeline *s = timeline_of(p);
	unsigned work = 0;
	int64_t n = timeline_queue(p->ui, l->source, s->cursor, &work);
	char at[NUM_TEXT_MAX];
	ns_t zero = p->ui->absolute ? 0 : s->t0;

	if (n < 0) {
		sbuf_puts(one, _("not known yet"));
		return;
	}
	sbuf_printf(one, _("%s  at %s%s: %" PRId64 " launched and not begun (kernels, copies, sets)"), l->label,
		s->cursor >= zero ? "+" : "", num_ns(s->cursor - zero, at), n);
	sbuf_puts(two, n ? _("the host is ahead: the device need not wait for it") :
		_("the host is not ahead: once done, the device waits for the next launch"));
}

static void span_lines(const struct pane *p, const struct lane *l, struct sbuf *one, struct sbuf *two)
{
	const struct timeline *s = timeline_of(p);
	const struct facts *f = mv_facts(p->ui, l->source);
	char a[NUM_TEXT_MAX], d[NUM_TEXT_MAX];
	ns_t from, to, zero = p->ui->absolute ? 0 : s->t0, lo, hi;
	enum phase ph;

	if (!timeline_span(p->ui, l, s->cursor, &from, &to)) {
		sbuf_puts(one, l->kind == LANE_IDLE ? _("the device is busy here") : _("nothing here"));
		return;
	}
	if (from == INT64_MIN || to == INT64_MAX) {
		sbuf_puts(one, _("before the first or after the last work"));
		return;
	}
	if (l->kind == LANE_PHASE && mv_phase_at(f, l->proc, s->cursor - mv_shift(p->ui, l->source), &ph, &lo, &hi))
		sbuf_printf(one, "%s  ", phase_name(ph));
	sbuf_printf(one, _("%s  at %s%s  %s"), l->label, from >= zero ? "+" : "", num_ns(from - zero, a), num_ns(to - from, d));
	if (l->kind == LANE_IDLE)
		gap_cause(s, l, from, two);
}

static void event_lines(const struct pane *p, const struct profile *pr, const struct lane *l, ev_id e, struct sbuf b[DETAIL_ROWS])
{
	sbuf_printf(&b[0], "%s  ", l->label + strspn(l->label, " "));
	first_line(p, pr, l, e, &b[0]);
	if (layer_on_gpu(l->layer)) {
		launch_line(p->ui, l->source, pr, e, &b[1]);
		if (l->layer == LAYER_KERNEL)
			kernel_line(pr, e, &b[2]);
		else
			copy_line(pr, e, &b[2]);
	} else if (l->layer == LAYER_RUNTIME) {
		call_line(p->ui, l->source, pr, e, &b[1]);
	} else {
		parents_line(pr, e, &b[1]);
	}
}

void timeline_detail(const struct pane *p, const struct canvas *c)
{
	const struct timeline *s = timeline_of(p);
	const struct lane *l = timeline_lane(s);
	const struct profile *pr = l ? mv_profile(p->ui, l->source) : NULL;
	struct sbuf b[DETAIL_ROWS] = { { NULL, 0, 0 }, { NULL, 0, 0 }, { NULL, 0, 0 } };
	char num[NUM_TEXT_MAX];

	if (s->ranging) {
		ns_t w = s->cursor > s->mark ? s->cursor - s->mark : s->mark - s->cursor;

		sbuf_printf(&b[2], _("range of %s: Enter zooms to it, Esc drops it"), num_ns(w, num));
	}
	if (!l)
		sbuf_puts(&b[0], _("no lanes"));
	else if (l->kind == LANE_MEDIAN || l->kind == LANE_MEDIAN_GPU)
		median_lines(p, l, &b[0], &b[1]);
	else if (l->kind == LANE_QUEUE)
		queue_line(p, l, &b[0], &b[1]);
	else if (l->kind != LANE_EVENTS)
		span_lines(p, l, &b[0], &b[1]);
	else if (pr && s->ev != ID_NONE && s->ev < pr->n && layer_of(pr, s->ev) == l->layer)
		event_lines(p, pr, l, s->ev, b);
	else
		sbuf_printf(&b[0], _("%s  nothing at the cursor; . and , go to the next event"), l->label + strspn(l->label, " "));
	for (int i = 0; i < DETAIL_ROWS; i++) {
		canvas_puts(c, 1, i, i ? ST_DIM : ST_NORMAL, sbuf_str(&b[i]));
		sbuf_fini(&b[i]);
	}
}
