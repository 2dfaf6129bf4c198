/*
 * cache.h - the reopen cache around a loader: looks for the profile of a file before it is loaded, and stores it afterwards on a thread
 * of its own. Files and their checks: reopen/profile_file.h; the folder: folder.h.
 *
 *	p = reopen_find(r, path, &t);
 *	if (!p && loader_load(path, ..., &p, &e))
 *		reopen_keep(r, &t, p, ns that it took);
 *	reopen_ticket_fini(&t);
 *
 * Kept is what is worth it: sources of 32 MiB or more, and those that took half a second or longer. $PROFDIVE_CACHE_MIN=BYTES puts
 * another size in the place of both. Never kept is what could be mistaken for a later state of the file: a source that was changed
 * less than two seconds before it was opened or while it was loaded, one with an sqlite journal beside it, one that is no plain file.
 *
 * A damaged, foreign or stale cache file is no error: the note says why, and the source is loaded. All functions may be called with
 * r = NULL (no cache) and by any thread, except new, finish and free.
 */
#ifndef REOPEN_CACHE_H
#define REOPEN_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "reopen/profile_file.h"

/*
 * Raise it when a loader makes another profile of the same file than before. (Where the linker writes build ids, profiles of another build
 * are never used anyway.)
 */
#define REOPEN_LOADERS 1u

struct reopen;
struct reopen_ticket {
	char *path;		/* absolute; NULL: not to be cached */
	char loader[CACHE_LOADER_MAX];
	struct cache_source source;
	bool settled;		/* changed long enough ago that a change from now on shows in its time */
};

/* Touches nothing yet: the folder is made when something is stored. */
struct reopen *reopen_new(void);
/* Waits until everything is stored; abandon: ends the writing, of which nothing is left. Behind it nothing more is stored. */
void reopen_finish(struct reopen *r, bool abandon);
void reopen_free(struct reopen *r);	/* abandons what is not finished; NULL is fine */

/* The profile of a file, or NULL: it must be loaded. Fills the ticket in either case. */
struct profile *reopen_find(struct reopen *r, const char *path, struct reopen_ticket *t);
/* Stores p in the background, if it is worth it; takes a reference of its own. */
void reopen_keep(struct reopen *r, const struct reopen_ticket *t, struct profile *p, int64_t took_ns);
void reopen_ticket_fini(struct reopen_ticket *t);

/*
 * Bytes that are kept for a session, whatever they are, beside the profiles: they belong to exactly these sources in exactly this state.
 * paths: as they were given to reopen_find(), in the order of the session.
 */
struct reopen_session {
	uint64_t key;		/* of sources (path as given and absolute, loader, build, content) and their order */
	char name[80];		/* of the file */
	struct reopen_ticket first;	/* of the first source: what `cache list` tells */
};
/*
 * False: the session is not to be kept: a source is unknown, has no ticket, was not settled, or is not as it was when its ticket was
 * made (all are looked at again, so that bytes never belong to another content than the profiles). reopen_session_fini() in either case.
 */
bool reopen_identify(struct reopen *r, const char *const *paths, size_t n, struct reopen_session *out);
void reopen_session_fini(struct reopen_session *s);
/* The bytes kept for the session, heap; NULL: none of this key, or damaged. They are read, not mapped, and at most `limit`. */
char *reopen_read_bytes(struct reopen *r, const struct reopen_session *s, size_t limit, size_t *n);
/* Replaces them, whole or not at all. Called by one thread; false with *e set. */
bool reopen_write_bytes(struct reopen *r, const struct reopen_session *s, const void *bytes, size_t n, struct err *e);
/* What a file of such bytes says of itself, as cache_peek(). */
bool reopen_peek_bytes(int fd, struct cache_info *out, struct err *e);

/* Who a cache file must be written by to be used for files of that loader. */
void reopen_loader_tag(const char *loader, char out[CACHE_LOADER_MAX]);
/* What happened, one sentence at a time (heap; paths as they are); NULL: nothing new. Waits for nobody. */
char *reopen_take_note(struct reopen *r);

#endif
