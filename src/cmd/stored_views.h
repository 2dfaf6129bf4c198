/*
 * stored_views.h - the tables that an earlier session with the same files has computed, so that the first screen need not wait for them.
 * They belong to the reopen cache: one file per session, beside the profiles (reopen/cache.h), used only if the files, the facts beside
 * them, the language and the build are the same.
 */
#ifndef CMD_STORED_VIEWS_H
#define CMD_STORED_VIEWS_H

#include "reopen/cache.h"
#include "ui/app/app.h"

struct stored_views;

/* NULL (nothing is kept) without a cache, or where tables depend on more than the session: on rules of one's own, on another run. */
struct stored_views *stored_views_new(struct reopen *r, bool more);
/* Callbacks for the explorer; find == NULL where k is NULL. */
struct ui_tables stored_views_ops(struct stored_views *k);
/* Stores what is new, if anything, and frees. Nobody may use the callbacks any more. */
void stored_views_finish(struct stored_views *k);

#endif
