/*
 * timeline.h - lanes of events on one time axis. Reads the profile's columns directly; what a column of the screen shows is found by
 * binary search, so a frame costs columns x lanes x log(events), whatever the number of events.
 */
#ifndef UI_WIDGETS_TIMELINE_H
#define UI_WIDGETS_TIMELINE_H

#include "base/vec.h"
#include "ui/widgets/model_view.h"

enum lane_kind { LANE_STEP, LANE_PHASE, LANE_MEDIAN, LANE_EVENTS, LANE_MEDIAN_GPU, LANE_IDLE, LANE_QUEUE };
/* Which nesting depth of a track a lane shows. */
enum { DEPTH_INNERMOST = -1 };
struct lane {
	enum lane_kind kind;
	uint32_t source;
	track_id track;		/* LANE_EVENTS, LANE_MEDIAN_GPU */
	enum layer layer;
	int depth;		/* 0 = roots, …, DEPTH_INNERMOST */
	uint32_t row;		/* in lanes.h: shows exactly the events of this row; ID_NONE: goes by depth */
	int64_t device;		/* LANE_IDLE, GPU lanes */
	uint32_t proc;		/* LANE_STEP, LANE_PHASE, LANE_MEDIAN, LANE_MEDIAN_GPU */
	uint32_t median;	/* LANE_MEDIAN, LANE_MEDIAN_GPU: index in facts->steps */
	char label[24];
	uint64_t group;		/* hash of the label of the first of the lanes that belong together */
	unsigned below;		/* how far below the first */
};
typedef VEC(struct lane) lane_list;

/*
 * The lanes of a source, most asked-for first; `rows` says how many there is room for: deep nesting gets fewer on small screens. beside: with
 * the median step's phases and kernels below those of a step, whatever the room.
 */
void timeline_lanes(const struct ui_ctx *ui, uint32_t source, int rows, bool beside, lane_list *out);
/* The lane that shows an event, UINT32_MAX none. */
uint32_t timeline_lane_of(const struct ui_ctx *ui, const lane_list *lanes, uint32_t source, ev_id e);

struct time_axis {
	ns_t t0, t1;		/* session time, t0 < t1 */
	int w;			/* columns */
};
ns_t axis_time(const struct time_axis *a, int64_t col);		/* start of a column */
int64_t axis_col(const struct time_axis *a, ns_t t);

/* What one column of a lane holds. */
struct timeline_hit {
	ev_id ev;		/* ID_NONE: nothing; else the event that takes most of the column */
	uint32_t starts;	/* events that begin in the column */
	ns_t busy;		/* how much of the column is filled by events of the lane; -1: not known yet */
};
/*
 * [c0, c1) in session time; *work counts steps. *from: where the lane's first event at or behind c0 is, TIMELINE_SEARCH for a search; set to
 * the same of c1, so that neighbouring columns need one search each.
 */
#define TIMELINE_SEARCH UINT32_MAX
struct timeline_hit timeline_pick_next(const struct ui_ctx *ui, const struct lane *l, ns_t c0, ns_t c1, uint32_t *from, unsigned *work);
struct timeline_hit timeline_pick(const struct ui_ctx *ui, const struct lane *l, ns_t c0, ns_t c1, unsigned *work);
/*
 * The instant of the median step at the same distance from its start as t is from that of its own step, session time. The median step: the
 * lower median by period of the steady ones. false: t is in no step, or the median step is shorter, or there is none. *median (may be NULL):
 * that step, also where it is over by then.
 */
bool timeline_median_at(const struct ui_ctx *ui, const struct lane *l, ns_t t, ns_t *at, const struct step **median);
/* Its phase there. */
bool timeline_median_phase(const struct ui_ctx *ui, const struct lane *l, ns_t t, enum phase *phase);
/* The step of the lane's process at session time t: its period. */
bool timeline_step_at(const struct ui_ctx *ui, const struct lane *l, ns_t t, ns_t *from, ns_t *to);
/* GPU work that was launched before session time t and has not begun by then, over all devices of the source; -1: not known. */
int64_t timeline_queue(const struct ui_ctx *ui, uint32_t source, ns_t t, unsigned *work);
/* Next (dir 1) or previous event of the lane after the one at hand (or after time t if ev is ID_NONE); ID_NONE at the end. */
ev_id timeline_next(const struct ui_ctx *ui, const struct lane *l, ev_id ev, ns_t t, int dir);
/* The step, phase or idle interval of a lane at t; false: none. Session time. */
bool timeline_span(const struct ui_ctx *ui, const struct lane *l, ns_t t, ns_t *from, ns_t *to);

void timeline_draw_axis(const struct canvas *c, const struct time_axis *a, ns_t zero);
/* match: per string id 1 = underline; may be NULL */
void timeline_draw_lane(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int y, const struct time_axis *a,
	const uint8_t *match);
/*
 * The way from a launch at column x0 of row y0 to its work at column x1 of row y1, drawn where nothing else stands: down from the launch,
 * then along the row of the work. Rows and columns may lie outside of the canvas.
 */
void timeline_draw_link(const struct canvas *c, int64_t x0, int64_t y0, int64_t x1, int64_t y1);

#endif
