/* lanes.c - which of the lanes are shown, and in which order: filter, hiding, folding, moving. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "ui/panes/timeline/pane.h"

static void unlist(lane_ids *v, uint64_t x)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->a[i] == x)
			v->a[i--] = v->a[--v->n];
}

/* ---- order ------------------------------------------------------------------------------------------------ */

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
	VEC_PUSH(&s->hidden, lane_id(&s->lanes.a[at]));
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

		if (l->below && !lane_listed(&s->folded, l->group))
			VEC_PUSH(&s->folded, l->group);
	}
	timeline_remake(p);
	tell(s, out);
}

static void show_all(struct pane *p, bool hidden_too, struct outcome *out)
{
	struct timeline *s = timeline_of(p);

	s->folded.n = 0;
	if (hidden_too && !s->n_hidden && s->order.n) {
		s->order.n = 0;
		timeline_remake(p);
		outcome_say(out, "%s", _("all lanes are shown, in their first order"));
		return;
	}
	if (hidden_too)
		s->hidden.n = 0;
	timeline_remake(p);
	tell(s, out);
}

/* The group that is shown above or below that of the cursor; 0: none. */
static uint64_t neighbour(const struct timeline *s, int dir)
{
	uint64_t group = s->lanes.a[s->lane].group;

	for (int64_t i = s->lane; i >= 0 && i < (int64_t)s->lanes.n; i += dir)
		if (s->lanes.a[i].group != group)
			return s->lanes.a[i].group;
	return 0;
}

/* The lanes that belong together change places with those that are shown beside them; what is hidden goes with what is above it. */
static void move(struct pane *p, int dir, struct outcome *out)
{
	struct timeline *s = timeline_of(p);
	uint64_t group = s->lanes.a[s->lane].group, other = neighbour(s, dir);
	unsigned below = s->lanes.a[s->lane].below;
	size_t at;

	if (!other) {
		outcome_say(out, "%s", dir > 0 ? _("these are the last lanes") : _("these are the first lanes"));
		return;
	}
	lane_complete_order(&s->lanes, &s->order);
	at = lane_place(&s->order, group);
	memmove(&s->order.a[at], &s->order.a[at + 1], (--s->order.n - at) * sizeof(*s->order.a));
	lane_insert(&s->order, lane_place(&s->order, other) + (dir > 0), group);
	timeline_remake(p);
	timeline_keep_lane(s, group, below);
	outcome_say(out, "%s", dir > 0 ? _("moved down; :w keeps it in a session") : _("moved up; :w keeps it in a session"));
}

/* ---- in a session file -------------------------------------------------------------------------------------- */

static void write_ids(const char *name, const lane_ids *v, FILE *f)
{
	for (size_t i = 0; i < v->n; i++)
		fprintf(f, "%s%s%" PRIu64, i ? "," : " ", i ? "" : name, v->a[i]);
}

void timeline_lanes_write(const struct pane *p, FILE *f)
{
	const struct timeline *s = timeline_of(p);

	if (!s->hidden.n && !s->folded.n && !s->order.n)
		return;
	fputs("lanes", f);
	write_ids("hidden=", &s->hidden, f);
	write_ids("folded=", &s->folded, f);
	write_ids("order=", &s->order, f);
	putc('\n', f);
}

static bool read_ids(const char *text, size_t n, lane_ids *v)
{
	const char *end = text + n;

	while (text < end) {
		char *stop;
		uint64_t x = strtoull(text, &stop, 10);

		if (stop == text || (stop < end && *stop != ',') || v->n > 4096)
			return false;
		if (!lane_listed(v, x))
			VEC_PUSH(v, x);
		text = stop + 1;
	}
	return true;
}

bool timeline_lanes_read(struct pane *p, const char *text)
{
	struct timeline *s = timeline_of(p);
	const struct {
		const char *name;
		lane_ids *v;
	} lists[] = { { "hidden=", &s->hidden }, { "folded=", &s->folded }, { "order=", &s->order } };
	bool all = true;

	while (*text) {
		size_t n = strcspn(text, " "), i = 0;

		while (i < 3 && strncmp(text, lists[i].name, strlen(lists[i].name)) != 0)
			i++;
		all &= i < 3 && read_ids(text + strlen(lists[i].name), n - strlen(lists[i].name), lists[i].v);
		text += n + strspn(text + n, " ");
	}
	timeline_remake(p);
	return all;
}

bool timeline_lane_act(struct pane *p, enum action a, struct outcome *out)
{
	struct timeline *s = timeline_of(p);

	switch (a) {
	case ACT_HIDE: hide(p, out); return true;
	case ACT_SHOW_ALL: show_all(p, true, out); return true;
	case ACT_LANE_DOWN: move(p, 1, out); return true;
	case ACT_LANE_UP: move(p, -1, out); return true;
	case ACT_FOLD: fold(p, true, out); return true;
	case ACT_UNFOLD: fold(p, !lane_listed(&s->folded, s->lanes.a[s->lane].group), out); return true;
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
