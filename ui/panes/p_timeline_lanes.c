/* p_timeline_lanes.c - which of the lanes are shown: filter, hiding and folding. */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "ui/panes/p_timeline.h"

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

static uint64_t own_id(const struct lane *l)
{
	return l->group + l->below;
}

static bool listed(const lane_ids *v, uint64_t x)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->a[i] == x)
			return true;
	return false;
}

static void unlist(lane_ids *v, uint64_t x)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->a[i] == x)
			v->a[i--] = v->a[--v->n];
}

void timeline_choose(struct timeline *s)
{
	lane_list shown = { NULL, 0, 0 };
	const struct lane *head = NULL;

	s->n_hidden = 0;
	name_lanes(&s->lanes);
	for (uint32_t i = 0; i < s->lanes.n; i++) {
		const struct lane *l = &s->lanes.a[i];

		head = l->below ? head : l;
		if ((s->filter.set && !needle_match(&s->filter, head->label, strlen(head->label), NULL, NULL)) ||
		    listed(&s->hidden, own_id(l)) || (l->below && listed(&s->folded, l->group))) {
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

void timeline_keep_lane(struct timeline *s, uint64_t group, unsigned below)
{
	bool exact = false;

	s->lane = 0;
	for (uint32_t i = 0; i < s->lanes.n; i++) {
		const struct lane *l = &s->lanes.a[i];

		if (l->group != group || l->below > below)
			continue;
		s->lane = i;
		exact = l->below == below;
	}
	if (!exact)
		s->ev = ID_NONE;	/* what the other lane shows */
}

void timeline_choose_fini(struct timeline *s)
{
	needle_fini(&s->filter);
	VEC_FREE(&s->hidden);
	VEC_FREE(&s->folded);
}

static void tell(const struct timeline *s, struct outcome *out)
{
	if (s->n_hidden)
		outcome_say(out, ngettext("%u lane is hidden or folded; X shows all", "%u lanes are hidden or folded; X shows all", s->n_hidden),
			s->n_hidden);
	else
		outcome_say(out, "%s", _("all lanes are shown"));
}

/* The lanes below stay where they are; the cursor goes to the lane that takes the place of its own. */
static void hide(struct pane *p, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	uint32_t at = s->lane;

	if (s->lanes.n < 2) {
		outcome_say(out, "%s", _("this is the only lane"));
		return;
	}
	VEC_PUSH(&s->hidden, own_id(&s->lanes.a[at]));
	timeline_remake(p);
	s->lane = at < s->lanes.n ? at : (uint32_t)s->lanes.n - 1;
	timeline_pick_cursor(p);
	tell(s, out);
}

static void fold(struct pane *p, bool closed, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	uint64_t group = s->lanes.a[s->lane].group;
	uint32_t was = s->lane, i = 0;

	unlist(&s->folded, group);
	if (closed)
		VEC_PUSH(&s->folded, group);
	timeline_remake(p);
	while (i < s->lanes.n && s->lanes.a[i].group != group)
		i++;
	s->lane = i < s->lanes.n ? i : was < s->lanes.n ? was : (uint32_t)s->lanes.n - 1;
	timeline_pick_cursor(p);
	tell(s, out);
}

static void fold_all(struct pane *p, struct outcome *out)
{
	struct timeline *s = timeline_of(p);

	for (uint32_t i = 0; i < s->lanes.n; i++) {
		const struct lane *l = &s->lanes.a[i];

		if (l->below && !listed(&s->folded, l->group))
			VEC_PUSH(&s->folded, l->group);
	}
	timeline_remake(p);
	tell(s, out);
}

static void show_all(struct pane *p, bool hidden_too, struct outcome *out)
{
	struct timeline *s = timeline_of(p);

	s->folded.n = 0;
	if (hidden_too)
		s->hidden.n = 0;
	timeline_remake(p);
	tell(s, out);
}

bool timeline_lane_act(struct pane *p, enum action a, struct outcome *out)
{
	struct timeline *s = timeline_of(p);

	switch (a) {
	case ACT_HIDE: hide(p, out); return true;
	case ACT_SHOW_ALL: show_all(p, true, out); return true;
	case ACT_FOLD: fold(p, true, out); return true;
	case ACT_UNFOLD: fold(p, !listed(&s->folded, s->lanes.a[s->lane].group), out); return true;
	case ACT_FOLD_ALL: fold_all(p, out); return true;
	case ACT_UNFOLD_ALL: show_all(p, false, out); return true;
	default: return false;
	}
}

bool timeline_filter(struct pane *p, const char *text, struct err *e)
{
	struct timeline *s = timeline_of(p);

	needle_set(&s->filter, text);
	timeline_remake(p);
	if (s->lanes.n) {
		timeline_pick_cursor(p);
		return true;
	}
	needle_set(&s->filter, "");
	timeline_remake(p);
	timeline_pick_cursor(p);
	return err_set(e, ERR_USAGE, _("no lane is called %s"), text);
}

const char *timeline_filter_text(const struct pane *p)
{
	const struct timeline *s = timeline_of(p);

	return s->filter.set ? s->filter.text : "";
}
