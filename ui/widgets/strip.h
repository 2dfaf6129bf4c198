/* strip.h - the line of steps that is on every screen */
#ifndef UI_STRIP_H
#define UI_STRIP_H

#include "ui/widgets/pane.h"

void strip_draw(const struct ui_ctx *ui, const struct scope *sc, const struct canvas *c);

#endif
