/*
 * profile_file.h - a profile as one file that is mapped instead of loaded. doc/cache-format.md has the layout byte by byte.
 *
 * A cache file says of which source it is (path, loader, size, time, hashes of head and tail), and of which layout. What does not fit
 * the key is refused, and so is a file with a wrong byte in it: header, directory and every section have checksums, which are all
 * compared before the profile is handed out. Behind that everything by which a reader could leave its arrays is checked (string
 * offsets, ids, parents, tracks, links, order), so that a file made with intent crashes nobody. Nothing of a file is used before.
 *
 * The functions work on open files and know nothing of names and folders: reopen/cache.h does.
 */
#ifndef REOPEN_PROFILE_FILE_H
#define REOPEN_PROFILE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"

#define CACHE_LOADER_MAX 120

struct cache_source {			/* fingerprint of the source file */
	uint64_t bytes;
	int64_t mtime_ns;
	uint64_t head, tail;		/* hashes of the first and last part */
};
struct cache_key {
	const char *path;		/* of the source, as the file says it must be */
	const char *loader;		/* loader, its version, and the build: shorter than CACHE_LOADER_MAX */
	struct cache_source source;
};

/* Bytes that cache_write() would write. */
int64_t cache_bytes(const struct profile *p, const struct cache_key *k);
/*
 * Writes the profile into the empty file. ERR_FORMAT if the profile breaks a rule that cache_open() would refuse, ERR_CANCELLED as soon
 * as *stop (may be NULL) is true, ERR_IO. The file is not synced.
 */
bool cache_write(int fd, const struct profile *p, const struct cache_key *k, const atomic_bool *stop, struct err *e);
/*
 * Maps and verifies the file. The profile keeps the map, fd may be closed, the file removed or replaced; it must not be written to.
 * NULL with ERR_FORMAT and the reason where the file is of another key or version, or damaged; ERR_IO.
 */
struct profile *cache_open(int fd, const struct cache_key *k, struct err *e);

struct cache_info {
	char *path;			/* heap; any bytes but NUL */
	char loader[CACHE_LOADER_MAX];
	struct cache_source source;
	uint64_t events, file_bytes;
};
/* What a cache file says of itself: header, directory and path are verified, no more. *out is filled only where true is returned. */
bool cache_peek(int fd, struct cache_info *out, struct err *e);

#endif
