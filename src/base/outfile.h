/*
 * outfile.h - the one way in which the program makes a file.
 *
 * Folders are shared, and what stands under the name of an output may have been planted. So a file
 * is made anew in the same folder under a name that was free (O_EXCL, O_NOFOLLOW, relative to a
 * descriptor of the folder) and renamed over what stands there, which is neither opened nor
 * followed. Its mode is 0666 less the umask; that of an older file is kept only where that is a
 * regular file of the caller's, and without anything beyond 0666. A name at which a folder or a
 * device stands is refused.
 *
 * A folder that others may write to, without the sticky bit, is refused (ERR_USAGE): they could
 * replace what is written at any moment. So is one that is reached through another user's symbolic
 * link. Group write permission does not count where the group is the caller's own. A folder of
 * another user is only told.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Holds for the whole process; to be set before any output. force: folders are not refused. warn
 * (NULL: nobody is told) gets a line of text about a folder of another user, from any thread.
 */
void outfile_policy(bool force, void (*warn)(const char *text));

/* Makes a folder and those above it that are missing; one that is there already is fine. */
bool folder_make(const char *dir, mode_t mode, struct err *e);
#define FOLDER_MODE 0755 /* of folders for outputs: never one that others may write to */

/* Files of one folder that appear under their names together, or not at all. */
struct outset;
/* NULL with *e set. The caller frees. */
struct outset *outset_open(const char *dir, struct err *e);
enum {
	OUT_NEW = 1 /* where anything stands at the name: ERR_IO, e->sys is EEXIST */
};
/*
 * A stream for the content of one file, owned by the set: it is closed by commit. `name` has no
 * folder. NULL with *e set.
 */
FILE *outset_add(struct outset *s, const char *name, unsigned flags, struct err *e);
/*
 * Syncs all files and renames them. false with *e set (a stream failed, too): what stood under the
 * names before stands there again. Called once.
 */
bool outset_commit(struct outset *s, struct err *e);
/* Without commit before, nothing of the files is left. NULL is fine. */
void outset_free(struct outset *s);

/* A set of one file, whose stream is *f. */
struct outset *outset_of(const char *path, unsigned flags, FILE **f, struct err *e);
/* The whole content of one file. */
bool outfile_write(const char *path, const void *data, size_t n, struct err *e);
/*
 * A stream at the end of the file, which is made if it is missing; only a regular file of the
 * caller's under no second name is appended to, never through a symbolic link. The caller closes.
 */
FILE *outfile_append(const char *path, struct err *e);
/* What all of these stand on: a descriptor of a new file, -1 with errno. For reading, too. */
int outfile_create(int dir_fd, const char *name, mode_t mode);

#endif
