/* state.c - the lanes that the timeline shows, made and put in order, and what is under its cursor; see timeline/pane.h */
#include "ui/panes/timeline/pane.h"

#include <string.h>

#include "base/map.h"
#include "measure/lanes.h"

/* Lanes are known by their words, which stay when more is loaded: those of the first of a group, and how far below that they are. */
static void name_lanes(lane_list *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		struct lane *l = &v->a[i];
		bool head = l->label[0] != ' ' || !i;

		l->below = head ? 0 : v->a[i - 1].below + 1;
		l->group = head ? map_hash_bytes(l->label, strlen(l->label)) : v->a[i - 1].group;
	}
}

uint64_t lane_id(const struct lane *l)
{
	return l->group + l->below;
}

bool lane_listed(const lane_ids *v, uint64_t x)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->a[i] == x)
			return true;
	return false;
}

size_t lane_place(const lane_ids *v, uint64_t x)
{
	size_t i = 0;

	while (i < v->n && v->a[i] != x)
		i++;
	return i;
}

void lane_insert(lane_ids *v, size_t at, uint64_t x)
{
	VEC_PUSH(v, x);
	memmove(&v->a[at + 1], &v->a[at], (v->n - 1 - at) * sizeof(*v->a));
	v->a[at] = x;
}

/* A group that has come since goes behind the one that it is made behind. */
void lane_complete_order(const lane_list *lanes, lane_ids *order)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < lanes->n; i++) {
		const struct lane *l = &lanes->a[i];

		/* the first of a group may be hidden */
		if (i && l->group == lanes->a[i - 1].group)
			continue;
		if (!lane_listed(order, l->group))
			lane_insert(order, before ? lane_place(order, before) + 1 : 0, l->group);
		before = l->group;
	}
}

static void put_in_order(struct timeline *s)
{
	lane_list sorted = {NULL, 0, 0};

	if (!s->order.n)
		return;
	lane_complete_order(&s->lanes, &s->order);
	for (size_t k = 0; k < s->order.n; k++)
		for (uint32_t i = 0; i < s->lanes.n; i++)
			if (s->lanes.a[i].group == s->order.a[k])
				VEC_PUSH(&sorted, s->lanes.a[i]);
	VEC_FREE(&s->lanes);
	s->lanes = sorted;
}

void timeline_choose(struct timeline *s)
{
	lane_list shown = {NULL, 0, 0};
	const struct lane *head = NULL;

	s->n_hidden = 0;
	name_lanes(&s->lanes);
	put_in_order(s);
	for (uint32_t i = 0; i < s->lanes.n; i++) {
		const struct lane *l = &s->lanes.a[i];

		head = l->below ? head : l;
		if ((s->filter.set &&
		     !needle_match(&s->filter, head->label, strlen(head->label), NULL, NULL)) ||
		    lane_listed(&s->hidden, lane_id(l)) ||
		    (l->below && lane_listed(&s->folded, l->group))) {
			s->n_hidden++;
			continue;
		}
		VEC_PUSH(&shown, *l);
		/* the first that is left of a group says whose it is */
		if (l->below && (shown.n < 2 || shown.a[shown.n - 2].group != l->group))
			memcpy(shown.a[shown.n - 1].label, head->label, sizeof(head->label));
	}
	VEC_FREE(&s->lanes);
	s->lanes = shown;
}

/* Where nobody has chosen a lane: the first one with kernels, else the first of all. */
static uint32_t first_gpu_lane(const struct timeline *s)
{
	for (uint32_t i = 0; i < s->lanes.n; i++)
		if (s->lanes.a[i].kind == LANE_EVENTS && s->lanes.a[i].layer == LAYER_KERNEL)
			return i;
	return 0;
}

void timeline_keep_lane(struct timeline *s, uint64_t group, unsigned below)
{
	bool exact = false;

	s->lane = first_gpu_lane(s);
	for (uint32_t i = 0; i < s->lanes.n; i++) {
		const struct lane *l = &s->lanes.a[i];

		if (l->group != group || l->below > below)
			continue;
		s->lane = i;
		exact = l->below == below;
	}
	if (!exact)
		s->ev = ID_NONE; /* what the other lane shows */
}

void timeline_choose_fini(struct timeline *s)
{
	needle_fini(&s->filter);
	VEC_FREE(&s->hidden);
	VEC_FREE(&s->folded);
	VEC_FREE(&s->order);
}

const struct lane *timeline_lane(const struct timeline *s)
{
	return s->lane < s->lanes.n ? &s->lanes.a[s->lane] : NULL;
}

struct time_axis timeline_axis(const struct timeline *s)
{
	return (struct time_axis){s->t0, s->t1, s->w > 0 ? s->w : 1};
}

void timeline_pick_cursor(const struct pane *p)
{
	struct timeline *s = timeline_of(p);
	const struct lane *l = timeline_lane(s);
	struct time_axis a = timeline_axis(s);
	unsigned work = 0;
	int64_t col = axis_col(&a, s->cursor);

	s->ev = l ? timeline_pick(p->ui, l, axis_time(&a, col), axis_time(&a, col + 1), &work).ev
		  : ID_NONE;
	s->ev_picked = true;
}

void timeline_make_lanes(struct pane *p)
{
	struct timeline *s = timeline_of(p);
	const struct profile *pr = mv_profile(p->ui, s->source);
	const struct facts *f = mv_facts(p->ui, s->source);
	const struct lanes *x = f && f->p == pr ? facts_lanes(f) : NULL;
	/* before the facts are there nobody has chosen a lane: keys wait for them */
	const struct lane *l = s->lanes_facts ? timeline_lane(s) : NULL;
	uint64_t group = l ? l->group : 0;
	unsigned below = l ? l->below : 0;
	/* one step alone is looked at to see how it differs from the others */
	bool beside = p->scope.window == WINDOW_STEPS && p->scope.step_a == p->scope.step_b;

	if (pr == s->lanes_profile && f == s->lanes_facts && x == s->lanes_index &&
	    s->lanes_rows == s->h && s->lanes_beside == beside)
		return;
	if (pr != s->lanes_profile || (x != s->lanes_index && s->ev_picked))
		s->ev = ID_NONE; /* ids of another snapshot; a column may show another event now */
	/* lanes of copies come with the index: what was gone to may lie in one of them */
	if (x != s->lanes_index && s->ev != ID_NONE && s->want_ev == ID_NONE)
		s->want_ev = s->ev;
	if (!s->touched && (pr != s->lanes_profile || f != s->lanes_facts))
		s->have_window = false;
	timeline_lanes(p->ui, s->source, s->h, beside, &s->lanes);
	s->serial++;
	timeline_choose(s);
	s->lanes_profile = pr;
	s->lanes_facts = f;
	s->lanes_index = x;
	s->lanes_rows = s->h;
	s->lanes_beside = beside;
	timeline_keep_lane(s, group, below);
}

void timeline_remake(struct pane *p)
{
	timeline_of(p)->lanes_rows = -1;
	timeline_make_lanes(p);
}
