/* frame_find.h - from an event of the timeline, or an op by name, to the row of a call tree (view `stacks`) that is its Python frame. */
#ifndef UI_WIDGETS_FRAME_FIND_H
#define UI_WIDGETS_FRAME_FIND_H

#include "ui/widgets/model_view.h"

/*
 * The row of a table of view `stacks` that stands for Python event e: same function, files that end alike, the same line where both
 * tell it; among several the one whose callers agree best. Where the tree has no such row that of the nearest caller, then *exact is
 * false. ROW_NONE: neither.
 */
uint32_t frame_find_row(const struct table *t, const struct profile *p, ev_id e, bool *exact);
/* "forward (transformer.py:41)" of a Python event, into buf. Returns buf. */
char *frame_name_text(const struct profile *p, ev_id e, char *buf, size_t cap);
/*
 * The Python event around the longest op of that name (scope_hash_name) that starts in the window of the scope, and its source;
 * ID_NONE if there is none.
 */
ev_id frame_of_op(const struct ui_ctx *ui, const struct scope *sc, uint64_t op_hash, uint32_t *source);
/* The innermost Python event of the thread at t (source time), ID_NONE. */
ev_id frame_at(const struct profile *p, thread_id thread, ns_t t);

#endif
