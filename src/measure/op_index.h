/*
 * op_index.h - per-block prefix sums of op times by name, so that any window costs two blocks.
 *
 * The source's time is cut into blocks of about OP_BLOCK starts of ops. For each block there is what op_pass_window() finds in it, by
 * (name, process), only for those that are in it; and every so many blocks the sums of all before. A window is then the difference of
 * two such sums, and a pass over what sticks out at either end: the same integers as one pass over all of it, since each figure is a
 * sum over instants, starts or launches.
 *
 * Device time of ops is by launch, and counts once for each name from the launching op to the root. It is part of the sums only where
 * the launch lies inside all of these ops; others (ops that are named by an External id, parents that end before) are kept one by one,
 * because whether an op is in depends on the window as a whole.
 *
 * About 3 bytes per op with 60 names. Built once per source when first needed, on all processors; immutable then.
 */
#ifndef MEASURE_OP_INDEX_H
#define MEASURE_OP_INDEX_H

#include "calc/groups.h"
#include "facts/facts.h"
#include "measure/op_time.h"

#define OP_BLOCK 2048

struct op_index;
/* block: starts of ops in a block; OP_BLOCK but in tests. NULL: too many names times processes to keep sums of. */
struct op_index *op_index_new(const struct facts *f, uint32_t block);
void op_index_free(struct op_index *ix);
/* That of a source, made at the first call; any thread may ask. NULL as above. */
const struct op_index *facts_op_index(const struct facts *f);

/* Slots: one per name and process. The name's number in names that were entered with the same profile, the process (index in facts). */
uint32_t op_index_slots(const struct op_index *ix);
uint32_t op_index_name_id(const struct op_index *ix, uint32_t slot, struct names *nm);
uint32_t op_index_proc(const struct op_index *ix, uint32_t slot);
/*
 * Adds what the windows (source time, ascending, disjoint) hold to acc, an array of all slots. `device` is that of op and everything
 * below, as view ops shows it. Returns the work: events and sums looked at.
 */
uint64_t op_index_sum(const struct op_index *ix, const struct span *windows, size_t n, struct op_split *acc);
size_t op_index_bytes(const struct op_index *ix);

#endif
