/* pane.h - state of the timeline pane, shared by its files. */
#ifndef UI_PANES_TIMELINE_PANE_H
#define UI_PANES_TIMELINE_PANE_H

#include "ui/screen/needle.h"
#include "ui/widgets/timeline.h"

enum { LANE_LABEL_W = 16, DETAIL_ROWS = 3 };

typedef VEC(uint64_t) lane_ids;
/* The lanes as they were drawn last, of what and where. */
struct picture {
	struct grid g;
	struct time_axis axis;
	uint32_t top;
	unsigned serial;
};
struct timeline {
	lane_list lanes;		/* those that are shown */
	struct needle filter;		/* of the words before a lane */
	lane_ids hidden, folded;
	lane_ids order;			/* groups from top to bottom as somebody wants them; empty: as they are made */
	unsigned n_hidden;
	const struct facts *lanes_facts;	/* what the lanes were made of */
	const struct lanes *lanes_index;
	const struct profile *lanes_profile;
	int lanes_rows;
	bool lanes_beside;
	uint32_t source;
	uint32_t chosen_source;		/* asked for by an event of another file; UINT32_MAX none */
	struct scope seen;		/* the scope whose window is shown */
	bool have_window;
	bool touched;			/* zoomed or panned by hand: new snapshots leave it alone */
	ns_t shift;			/* of shift_source when the window was taken */
	uint32_t shift_source;
	ns_t t0, t1, cursor;		/* session time */
	uint32_t lane, top;
	ev_id ev;			/* event under the cursor, ID_NONE */
	bool ev_picked;			/* it is what the column shows; else it was gone to */
	bool ranging;
	ns_t mark;			/* other end of the range */
	int64_t want_idle;		/* and to the lane "idle" of this device; SCOPE_ANY: no */
	ev_id want_ev;			/* go there as soon as the lanes exist */
	bool want_lane;			/* and to a lane on which something begins at the cursor */
	uint8_t *match;			/* per string of the profile */
	uint32_t n_match;
	const struct profile *match_profile;
	const struct result *gaps;	/* for causes; owned reference */
	int w, h;			/* of the lane area */
	unsigned serial;		/* counts changes of what is drawn in the lanes */
	struct picture picture;
	char label[40];
};

static inline struct timeline *timeline_of(const struct pane *p)
{
	return p->state;
}
struct time_axis timeline_axis(const struct timeline *s);
void timeline_draw(const struct pane *p, const struct canvas *c);
void timeline_draw_fini(struct timeline *s);
const struct lane *timeline_lane(const struct timeline *s);	/* under the cursor, NULL none */
/* Sets ev to what the column under the cursor shows. */
void timeline_pick_cursor(const struct pane *p);
/* Makes the lanes if what they are made of is another one now, and leaves out what is not wanted; timeline_remake(): in any case. */
void timeline_make_lanes(struct pane *p);
void timeline_remake(struct pane *p);
/* A lane's number, made of its words: what lists of lanes hold. */
uint64_t lane_id(const struct lane *l);
bool lane_listed(const lane_ids *v, uint64_t x);
size_t lane_place(const lane_ids *v, uint64_t x);	/* its index; v->n: not listed */
void lane_insert(lane_ids *v, size_t at, uint64_t x);
/* Adds the groups of the lanes that the order lacks, each behind the one that it is made behind. */
void lane_complete_order(const lane_list *lanes, lane_ids *order);
void timeline_choose(struct timeline *s);
/* The cursor's lane among the present ones: the one of that group that is as far below its first one, or the next above. */
void timeline_keep_lane(struct timeline *s, uint64_t group, unsigned below);
void timeline_choose_fini(struct timeline *s);
/* Hiding, folding and moving of lanes; false: the action is another one. */
bool timeline_lane_act(struct pane *p, enum action a, struct outcome *out);
/*
 * Which lanes are hidden and folded, and their order, as words of a session file: "hidden=N,N folded=N order=N,N", nothing where all is as it
 * is made; N are numbers of lanes, made of their words. Reading takes what it knows and gives false when there was anything else.
 */
void timeline_lanes_write(const struct pane *p, FILE *f);
bool timeline_lanes_read(struct pane *p, const char *text);
bool timeline_filter(struct pane *p, const char *text, struct err *e);
const char *timeline_filter_text(const struct pane *p);
/* One level down from the cursor: tells in *out where to. */
void timeline_enter(struct pane *p, struct outcome *out);
/* The lines about what is under the cursor. */
void timeline_detail(const struct pane *p, const struct canvas *c);
/* The chain below an event in its own file: its launch, op or Python frame. ID_NONE: there is none. */
ev_id timeline_below(const struct ui_ctx *ui, uint32_t source, ev_id e, enum layer l);
/* An event that the way leads to, in another file of the run maybe, and how it is known to be that one. */
enum across_by { ACROSS_NONE, ACROSS_BY_ORDER, ACROSS_BY_CLOCK };
struct across {
	uint32_t source;
	ev_id ev;
	enum across_by by;	/* ACROSS_NONE: the same file */
	int64_t step;		/* its number, I64_UNKNOWN: in none */
};
/*
 * The next level below an event: in its own file, else in another one of the run, which looks at all events of its kind. false: in none;
 * then *why (translated) says which recording would have it, NULL below Python frames.
 */
bool timeline_down(const struct ui_ctx *ui, uint32_t source, ev_id e, struct across *to, const char **why);
/* "→ rank0.pt.trace.json, step 3, by order" */
void across_text(const struct ui_ctx *ui, const struct across *to, char *buf, size_t cap);
/* Makes a place of file `from` one of the other file: its window, its crumb. */
void across_place(const struct ui_ctx *ui, uint32_t from, const struct across *to, struct place *pl);

#endif
