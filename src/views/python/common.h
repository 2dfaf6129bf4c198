/*
 * common.h - what the views of Python stacks share: the walk over the sources that have stacks, and the cells of a frame's class.
 */
#ifndef VIEWS_PYTHON_COMMON_H
#define VIEWS_PYTHON_COMMON_H

#include "measure/pytree.h"
#include "scope/columns.h"
#include "scope/selections.h"

/* Writes the rows of one source; false when cancelled. */
typedef bool (*py_rows_fn)(struct table *t, const struct selection *k, const struct pytree *st, struct err *e);
/* Calls fn with the call tree of every source of the view, and notes what a scope could not narrow. As analysis.run. */
bool py_sources(const struct an_ctx *cx, const struct scope *sc, struct table *t, py_rows_fn fn, struct err *e);

struct py_class_cols {
	uint32_t framework, phase, operation;
};
/* Letter of the framework, phase, and what the frame does where it says so itself. */
void py_put_class(struct table *t, uint32_t row, const struct pytree *st, const struct py_node *nd, struct py_class_cols at);

#endif
