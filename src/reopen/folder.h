/*
 * folder.h - the folder of the reopen cache: where it is, what is in it, how much may be in it.
 *
 * $XDG_CACHE_HOME/profdive (else ~/.cache/profdive), made with mode 0700. A folder that is not ours, or that others may write to, is
 * not used. One file per source, named by a hash of the source's absolute path: 16 hexadecimal digits and ".pfc"; and one per session whose
 * tables are kept (cache.h), named by a hash of the absolute paths of its sources, ".pfv". A file that is being
 * written ends in ".tmp" and is locked by its writer (flock): without the lock its writer is dead, and it is swept away. Every file
 * comes into being under its name by rename(), whole or not at all, so writers and readers need not know of each other.
 *
 * Files may take $PROFDIVE_CACHE_MAX bytes together, by default 4 GiB or a tenth of the file system, whichever is less. The one that was
 * used longest ago (its time of change: opening sets it) goes first.
 */
#ifndef REOPEN_FOLDER_H
#define REOPEN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "reopen/profile_file.h"

#define CACHE_NAME_MAX 80

struct cache_dir {
	int fd;			/* -1: not open */
	char *path;
	int64_t cap_bytes;
};

/* create: makes the folder if there is none. false with *e set; ERR_NONE in it: there is no folder and none was wanted. */
bool cache_dir_open(struct cache_dir *d, bool create, struct err *e);
void cache_dir_close(struct cache_dir *d);

/* Name of the cache file of a source, given by its absolute path. */
void cache_dir_name(const char *path, char name[CACHE_NAME_MAX]);
/* Name of the file of tables of a session, given by the absolute paths of its sources, one behind the other. */
void cache_dir_name_tables(const char *paths, char name[CACHE_NAME_MAX]);
bool cache_dir_is_tables(const char *name);
/* Opens a file of the folder for reading; -1 with *e set. It is ours, and a plain file. */
int cache_dir_get(const struct cache_dir *d, const char *name, struct err *e);
/* Says that the file was used now. */
void cache_dir_touch(int fd);
void cache_dir_remove(const struct cache_dir *d, const char *name);

/*
 * Removes the oldest files until `bytes` more may be written, dead temporary ones, and the present one of that name. ERR_LIMIT if they
 * can never be written.
 */
bool cache_dir_make_room(const struct cache_dir *d, int64_t bytes, const char *name, struct err *e);
/* Makes a temporary file for `name` and locks it; -1 with *e set. */
int cache_dir_create(const struct cache_dir *d, const char *name, char tmp[CACHE_NAME_MAX], struct err *e);
/* Syncs and closes fd, and gives the file its name; on failure it is removed. */
bool cache_dir_commit(const struct cache_dir *d, int fd, const char *tmp, const char *name, struct err *e);

struct cache_entry {
	char name[CACHE_NAME_MAX];
	int64_t bytes, used_ns;		/* used_ns: UTC */
};
/* Cache files, the one used longest ago first; the caller frees. Temporary files are left out. */
struct cache_entry *cache_dir_list(const struct cache_dir *d, size_t *n);
/* Removes temporary files without a writer. */
void cache_dir_sweep(const struct cache_dir *d);

/*
 * The fingerprint of a source. false if it is no plain file, cannot be read, or has a journal beside it (sqlite's -wal, -journal), which
 * may change what it says without changing it.
 */
bool cache_source_read(const char *path, struct cache_source *out, struct err *e);

#endif
