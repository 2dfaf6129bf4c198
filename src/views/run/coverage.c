/*
 * coverage.c - views `coverage` (how much of the wall has an event at all) and `layers` (whether
 * the self times of each layer sum to the union of its events, as definitions.md §2 demands).
 */
#include <stdlib.h>
#include <string.h>

#include "calc/groups.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"
#include "table/get.h"

enum {
	V_PROCESS,
	V_WALL,
	V_COVERED,
	V_UNTRACED,
	V_COVERAGE
};

static const struct column_def coverage_cols[] = {
	[V_PROCESS] = {"pid", N_("Process"), UNIT_ID, COL_KEY, 0, N_("training process")},
	[V_WALL] = {"wall_ns", N_("Wall"), UNIT_NS, 0, 0,
		    N_("wall time of the window: the sum of its CPU partition")},
	[V_COVERED] = {"covered_ns", N_("With an event"), UNIT_NS, 0, 0,
		       N_("time in which the issuing thread has an event")},
	[V_UNTRACED] = {"untraced_ns", N_("Untraced"), UNIT_NS, 0, 0,
			N_("the rest: the leaf \"untraced\" of the breakdown")},
	[V_COVERAGE] = {"coverage", N_("Coverage"), UNIT_RATIO, COL_BAR, 0,
			N_("with an event by wall")},
	SOURCE_COLS};

/* The row of the process and the source of a breakdown row; made when new. `seen` has a group per row. */
static uint32_t process_row(struct table *t, struct groups *seen, const struct table *from, uint32_t row)
{
	const struct cell *source = get_cell(from, row, "source"), *pid = get_cell(from, row, "process");
	bool named = source->type == CELL_STR;
	uint32_t r = groups_add(seen, &(struct group_key){
			.k = {pid->type, pid->type == CELL_I64 ? (uint64_t)pid->v.i : 0},
			.name = named ? source->v.s : NULL,
			.name_len = named ? source->len : 0});

	if (r < t->n_rows)
		return r;
	r = table_row(t);
	table_str(t, r, t->n_cols - 3, source->type == CELL_STR ? source->v.s : NULL, source->len);
	if (get_cell(from, row, "rank")->type == CELL_I64)
		table_i64(t, r, t->n_cols - 2, get_cell(from, row, "rank")->v.i);
	if (pid->type == CELL_I64) {
		table_i64(t, r, t->n_cols - 1, pid->v.i);
		table_i64(t, r, V_PROCESS, pid->v.i);
	}
	table_i64(t, r, V_WALL, 0);
	table_i64(t, r, V_COVERED, 0);
	table_i64(t, r, V_UNTRACED, 0);
	return r;
}

static void add_i64(struct table *t, uint32_t row, uint32_t col, int64_t v)
{
	table_i64(t, row, col, table_cell(t, row, col)->v.i + v);
}

static bool run_coverage(const struct an_ctx *cx, const struct scope *sc, struct table *t,
			 struct err *e)
{
	struct scope cpu = *sc;
	struct groups seen = {0};
	struct table *b;

	scope_set_partition(&cpu, "cpu", 3);
	b = analysis_table(context_view(cx, "breakdown"), cx, &cpu, e);
	if (!b)
		return false;
	for (uint32_t i = 0; i < b->n_rows; i++) {
		const struct cell *l2 = get_cell(b, i, "level2");
		uint32_t row = process_row(t, &seen, b, i);
		bool untraced = l2->type == CELL_STR && l2->len == strlen("untraced") &&
				!memcmp(l2->v.s, "untraced", l2->len);
		int64_t ns = get_cell(b, i, "time_ns")->v.i;

		add_i64(t, row, V_WALL, ns);
		add_i64(t, row, untraced ? V_UNTRACED : V_COVERED, ns);
	}
	for (uint32_t r = 0; r < t->n_rows; r++)
		if (table_cell(t, r, V_WALL)->v.i > 0)
			table_f64(t, r, V_COVERAGE,
				  (double)table_cell(t, r, V_COVERED)->v.i /
					  (double)table_cell(t, r, V_WALL)->v.i);
	for (uint32_t i = 0; i < b->n_sources; i++)
		table_source(t, b->sources[i]);
	for (uint32_t i = 0; !t->n_rows && i < b->n_notes; i++)
		table_note(t, "%s", b->notes[i]);
	t->window_kind = b->window_kind
				 ? arena_strndup(&t->arena, b->window_kind, strlen(b->window_kind))
				 : NULL;
	t->start_ns = b->start_ns;
	t->end_ns = b->end_ns;
	t->wall_ns = b->wall_ns;
	groups_fini(&seen);
	table_free(b);
	return true;
}

/*
 * ---- layers ------------------------------------------------------------------------------------
 */

enum {
	L_LAYER,
	L_TRACKS,
	L_EVENTS,
	L_OVERLAPS,
	L_DEPTH,
	L_SELF,
	L_UNION,
	L_DIFF
};

static const struct column_def layer_cols[] = {
	[L_LAYER] = {"layer", N_("Layer"), UNIT_TEXT, COL_KEY, 0,
		     N_("kind of event on host threads; each nests by itself")},
	[L_TRACKS] = {"tracks", N_("Tracks"), UNIT_COUNT, 0, 3,
		      N_("threads with such events (NVTX: per domain)")},
	[L_EVENTS] = {"events", N_("Events"), UNIT_COUNT, 0, 1, N_("events of the whole source")},
	[L_OVERLAPS] = {"overlaps", N_("Overlaps"), UNIT_COUNT, 0, 2,
			N_("events that overlap the one before without nesting")},
	[L_DEPTH] = {"depth_max", N_("Depth"), UNIT_COUNT, 0, 4, N_("deepest nesting")},
	[L_SELF] = {"self_ns", N_("Sum of self"), UNIT_NS, 0, 0,
		    N_("self times of all events added up")},
	[L_UNION] = {"union_ns", N_("Union"), UNIT_NS, 0, 0,
		     N_("measure of the union of the events, per track, added up")},
	[L_DIFF] = {"differs_ns", N_("Differs by"), UNIT_NS, 0, 0,
		    N_("sum of self less union: must be 0")},
	SOURCE_COLS};

static ns_t track_union(const struct profile *p, const struct track *tr)
{
	struct spans s = {0};
	ns_t measure;

	for (ev_id e = tr->first; e < tr->first + tr->count; e++)
		spans_append(&s, p->start[e], ev_end(p, e));
	measure = spans_measure(&s);
	spans_fini(&s);
	return measure;
}

static void put_layer(const struct selection *k, struct table *t, enum layer l)
{
	const struct profile *p = k->p;
	int64_t events = 0, overlaps = 0, depth = 0;
	ns_t self = 0, whole = 0;
	uint32_t row;

	for (track_id i = p->layer_track[l]; i < p->layer_track[l + 1]; i++) {
		const struct track *tr = &p->tracks[i];

		events += tr->count;
		overlaps += tr->overlaps;
		depth = tr->depth_max > depth ? tr->depth_max : depth;
		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			self += p->self[e];
		whole += track_union(p, tr);
	}
	if (!events)
		return;
	row = table_row(t);
	table_cstr(t, row, L_LAYER, layer_name(l));
	table_i64(t, row, L_TRACKS, p->layer_track[l + 1] - p->layer_track[l]);
	table_i64(t, row, L_EVENTS, events);
	table_i64(t, row, L_OVERLAPS, overlaps);
	table_i64(t, row, L_DEPTH, depth);
	table_i64(t, row, L_SELF, self);
	table_i64(t, row, L_UNION, whole);
	table_i64(t, row, L_DIFF, self - whole);
	an_row_source(t, row, k, -1);
}

static bool run_layers(const struct an_ctx *cx, const struct scope *sc, struct table *t,
		       struct err *e)
{
	static const enum layer layers[] = {LAYER_OP,	LAYER_ANNOT,   LAYER_PYTHON, LAYER_RUNTIME,
					    LAYER_NVTX, LAYER_NVTX_SE, LAYER_OSRT};
	struct scope whole = *sc;
	struct selections ps;
	bool ok;

	whole.window = WINDOW_ALL; /* self times belong to the whole source */
	ok = selections_open(&ps, cx, &whole, NEED_ANY, t, _("no source could be read"), e);
	for (uint32_t i = 0; ok && i < ps.n; i++)
		for (size_t l = 0; l < sizeof(layers) / sizeof(*layers); l++)
			put_layer(&ps.a[i], t, layers[l]);
	if (ok && !t->n_rows)
		table_note(t, _("no host events on a time axis"));
	selections_close(&ps);
	return ok && !an_cancelled(cx, e);
}

const struct analysis an_coverage = {
	.id = "coverage",
	.title = N_("Coverage"),
	.doc = N_("share of the wall in which the issuing thread has an event"),
	.cols = coverage_cols,
	.n_cols = N_COLS(coverage_cols),
	.run = run_coverage,
};

const struct analysis an_layers = {
	.id = "layers",
	.title = N_("Layers"),
	.doc = N_("whether the self times of each layer sum to the union of its events"),
	.cols = layer_cols,
	.n_cols = N_COLS(layer_cols),
	.run = run_layers,
};
