/*
 * copy_of_capture.h - two sources of one capture: an export of Nsight Systems and a conversion of it, or two forms
 * of one run of pyinstrument. The session joins their clocks, and repairs the short kernel names of
 * the conversion (definitions.md §1, §3).
 */
#ifndef MODEL_COPY_OF_CAPTURE_H
#define MODEL_COPY_OF_CAPTURE_H

#include "model/profile.h"

/*
 * Whether both are of one capture: by their contents, since a conversion has no epoch and no name.
 * Start and length, in ns on the axis that both have from the capture, agree for at least half of
 * the events looked at (some hundreds, spread over one of them; the other may be a cut).
 */
bool twin_same_run(const struct profile *a, const struct profile *b);

/*
 * Whether both are of one run of pyinstrument, in other forms: the walls are equal (to a microsecond,
 * to a millisecond if one is a text), and starts and numbers of samples where both have them.
 */
bool twin_same_sampling(const struct profile *a, const struct profile *b);

/*
 * A profile like `cut`, whose kernels have the names of `whole`: those of the launch with the same
 * process and correlation id (the same call: thread and start), else those of the kernel with the
 * same stream and start. A name is taken only if the short one is part of it. What has no match
 * keeps its short name. The result shares the columns of `cut` and holds a reference to it. NULL if
 * nothing can be repaired.
 */
struct profile *twin_repair(struct profile *cut, const struct profile *whole, const char *whole_path);

#endif
