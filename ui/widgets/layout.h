/*
 * layout.h - size of the screen → rectangles. Pure. 80x24 shows one pane, from 120 columns two, from 160x48 three; small screens give
 * up the strip, then the key bar, then the tabs, then the title: the body keeps at least one row.
 */
#ifndef UI_WIDGETS_LAYOUT_H
#define UI_WIDGETS_LAYOUT_H

#include "ui/screen/canvas.h"

enum { LAYOUT_PANES = 3 };
struct screen_layout {
	struct rect title, strip, tabs, status, keys;	/* h == 0: not shown */
	struct rect pane[LAYOUT_PANES];			/* body; with more than one pane the first row of each is its title */
	int n_panes;
};
/* want: panes that there is something to show in, 1 to 3. */
struct screen_layout layout_make(int w, int h, int want);

#endif
