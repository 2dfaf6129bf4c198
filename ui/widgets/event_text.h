/* event_text.h - all that a profile knows of one event, as lines: for the pane of i. */
#ifndef UI_WIDGETS_EVENT_TEXT_H
#define UI_WIDGETS_EVENT_TEXT_H

#include "ui/widgets/text.h"

enum { EVENT_HANG = 20 };	/* columns before the value; fewer where there is no room */
/* "Name                value", broken at `cols` columns; the value is escaped here. */
void event_text_line(struct wtext *w, int cols, const char *name, const char *value, size_t n);
/* Session times; what is unknown has no line. An event that the source does not have adds nothing. */
void event_text(struct wtext *w, const struct ui_ctx *ui, uint32_t source, ev_id ev, int cols);

#endif
