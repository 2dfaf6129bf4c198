/* strip.h - the line of steps that is on every screen */
#ifndef UI_WIDGETS_STRIP_H
#define UI_WIDGETS_STRIP_H

#include "ui/widgets/pane.h"

void strip_draw(const struct ui_ctx *ui, const struct scope *sc, const struct canvas *c);
/* The (first) step of the cell that a strip of this width has in column x; NULL: there is none. */
const struct step *strip_step_at(const struct ui_ctx *ui, const struct scope *sc, int width, int x);

#endif
