/*
 * found_on.h - the findings of several ranks as one: of each rule the worst row, and on which ranks it is found. For tables of the view
 * `findings`.
 */
#ifndef SCOPE_FOUND_ON_H
#define SCOPE_FOUND_ON_H

#include "base/sbuf.h"
#include "table/table.h"

/*
 * One row per rule, that of the largest loss: faults first, remarks last, then falling by loss. *n of them, the caller frees. Of rows that
 * lose the same the first.
 */
uint32_t *found_worst(const struct table *t, uint32_t *n);
/*
 * Appends who else tells of the rule of a row: " (ranks 0-3, 6; the worst: rank 2)", " (ranks 0-3)" where nothing is lost, and, where
 * ranks are not known or the same, " (the worst of 8 files)"; nothing where it is told once.
 */
void found_on(const struct table *t, uint32_t worst, struct sbuf *out);

#endif
