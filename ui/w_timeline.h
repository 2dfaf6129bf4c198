/*
 * w_timeline.h - lanes of events on one time axis. Reads the profile's columns directly; what a column of the screen shows is found by
 * binary search, so a frame costs columns x lanes x log(events), whatever the number of events.
 */
#ifndef UI_W_TIMELINE_H
#define UI_W_TIMELINE_H

#include "base/vec.h"
#include "ui/model_view.h"

enum lane_kind { LANE_STEP, LANE_PHASE, LANE_EVENTS, LANE_IDLE };
/* Which nesting depth of a track a lane shows. */
enum { DEPTH_INNERMOST = -1 };
struct lane {
	enum lane_kind kind;
	uint32_t source;
	track_id track;		/* LANE_EVENTS */
	enum layer layer;
	int depth;		/* 0 = roots, …, DEPTH_INNERMOST */
	int64_t device;		/* LANE_IDLE, GPU lanes */
	uint32_t proc;		/* LANE_STEP, LANE_PHASE */
	char label[24];
};
typedef VEC(struct lane) lane_list;

/* The lanes of a source, most asked-for first; `rows` says how many there is room for: deep nesting gets fewer on small screens. */
void timeline_lanes(const struct ui_ctx *ui, uint32_t source, int rows, lane_list *out);
/* The lane that shows an event, UINT32_MAX none. */
uint32_t timeline_lane_of(const struct ui_ctx *ui, const lane_list *lanes, uint32_t source, ev_id e);

struct time_axis {
	ns_t t0, t1;		/* session time, t0 < t1 */
	int w;			/* columns */
};
ns_t axis_time(const struct time_axis *a, int64_t col);		/* start of a column */
int64_t axis_col(const struct time_axis *a, ns_t t);

/* What one column of a lane holds. */
struct pick {
	ev_id ev;		/* ID_NONE: nothing; else the event that takes most of the column */
	uint32_t starts;	/* events that begin in the column */
};
/* [c0, c1) in session time; *work counts steps. */
struct pick timeline_pick(const struct ui_ctx *ui, const struct lane *l, ns_t c0, ns_t c1, unsigned *work);
/* Next (dir 1) or previous event of the lane after the one at hand (or after time t if ev is ID_NONE); ID_NONE at the end. */
ev_id timeline_next(const struct ui_ctx *ui, const struct lane *l, ev_id ev, ns_t t, int dir);
/* The step, phase or idle interval of a lane at t; false: none. Session time. */
bool timeline_span(const struct ui_ctx *ui, const struct lane *l, ns_t t, ns_t *from, ns_t *to);

void timeline_draw_axis(const struct canvas *c, const struct time_axis *a, ns_t zero, ns_t cursor);
/* match: per string id 1 = underline; may be NULL */
void timeline_draw_lane(const struct ui_ctx *ui, const struct lane *l, const struct canvas *c, int y, const struct time_axis *a,
	const uint8_t *match);

#endif
