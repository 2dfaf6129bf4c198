/* cache_impl.h - what reopen/cache.c and table_file.c share. Private to src/load. */
#ifndef REOPEN_CACHE_IMPL_H
#define REOPEN_CACHE_IMPL_H

#include "reopen/cache.h"

/* A copy of the ticket of a path that reopen_find() was asked for; false: there is none, and *out is empty. */
bool reopen_seen(struct reopen *r, const char *path, struct reopen_ticket *out);

/* One more sentence for reopen_take_note(). */
void reopen_note(struct reopen *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif