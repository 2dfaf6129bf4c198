/*
 * event_fields.h - the fields of one event as they stand in its file, read again when somebody asks for them: what no figure is
 * made of is not kept in memory.
 */
#ifndef SESSION_EVENT_FIELDS_H
#define SESSION_EVENT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/job.h"
#include "model/profile.h"

/* "ph", "cat", "args.Input Dims", …; strings decoded, everything else as it is written. Both borrowed, of any bytes. */
typedef void (*event_field_fn)(void *arg, const char *key, size_t key_len, const char *value, size_t value_len);

/* Whether events of a format have more fields than a profile keeps. */
bool event_fields_known(enum source_format format);
/*
 * Reads the file of p up to the event (of torch.profiler: in file order, without an index) and calls `take` for each field. It is
 * found by start, duration and name; of events alike in all three it is the first. false with *e set: the format has none, the file
 * does not hold it any more, cancelled.
 */
bool event_fields_read(const char *path, const struct profile *p, ev_id ev, struct job *job, event_field_fn take, void *arg, struct err *e);

#endif
