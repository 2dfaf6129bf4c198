/* nav.h - where Enter leads: from a row of any table to the next place of the walk step, window, kernel, API call, op, frame. */
#ifndef UI_PANES_NAV_H
#define UI_PANES_NAV_H

#include "ui/widgets/pane.h"

/*
 * Narrows *to (a copy of the present place) by the row's reference and sets pane and table. False with the reason in out->status
 * when the row leads nowhere. `pane` is where the row is shown.
 */
bool nav_down(const struct pane *pane, const struct table *t, uint32_t row, struct place *to, struct outcome *out);
/* The same narrowing of a scope alone: what the panes beside it show for the selected row. False: the row narrows nothing. */
bool nav_narrow(const struct pane *pane, const struct table *t, uint32_t row, struct scope *sc);
/*
 * The instants that a row refers to, in the timeline with some time around them; the scope stays, so that other panes go on to show
 * the whole window. False when the row has none.
 */
bool nav_instants(const struct table *t, uint32_t row, struct place *to);
/* The event that a row is; false: it is none. */
bool nav_event_of(const struct table *t, uint32_t row, uint32_t *source, ev_id *ev);
/* The place before and after an event: to->ev, to->source; scope untouched. */
void nav_event(struct place *to, uint32_t source, ev_id ev);

#endif
