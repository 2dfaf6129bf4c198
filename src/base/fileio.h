/*
 * fileio.h - reading files: a streamed source (plain or gzip), whole small files, folders. What
 * writes them is outfile.h.
 *
 * gzip is recognised by its magic 1f 8b, never by the name. Several members, zero padding behind
 * the last one and streams that end early are read as far as they go; what was wrong is told by
 * file_src_damage().
 */
#ifndef BASE_FILEIO_H
#define BASE_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define FILE_HEAD_BYTES 65536	/* what a probe gets to see */

struct file_src;

/*
 * Opens for streamed reading. NULL with ERR_IO if it cannot be opened or is a folder. The caller
 * closes.
 */
struct file_src *file_src_open(const char *path, struct err *e);
void file_src_close(struct file_src *s);	/* NULL is fine */
/*
 * Puts up to n inflated bytes into buf, fewer only at the end: *got = 0 says that nothing is left.
 * False with ERR_IO if the system refused from the beginning. Damaged gzip and a file that cannot be
 * read any further are no failure: the text ends there and file_src_damage() tells.
 */
bool file_src_read(struct file_src *s, void *buf, size_t n, size_t *got, struct err *e);
bool file_src_gz(const struct file_src *s);
/*
 * A plain file as one text in memory (*n bytes, FILE_PAD bytes of zero behind them), until file_src_close(); NULL if it has to be
 * read. Where the file is cut short meanwhile the text goes on with zeros (base/guard.h).
 */
#define FILE_PAD 64
const char *file_src_map(struct file_src *s, size_t *n);
/* The text of [at, at + n) of the map will be needed soon. */
void file_src_need(struct file_src *s, size_t at, size_t n);
/* All up to `end` is not needed any more, unless it is read again after file_src_seek(). */
void file_src_done_with(struct file_src *s, size_t end);
/* file_src_read() of a plain file that is mapped goes on at this byte. */
void file_src_seek(struct file_src *s, int64_t at);
/*
 * file_src_read() begins anew, with the same file, also where its name now is that of another one.
 * What file_src_damage() told stays. False if it is a pipe.
 */
bool file_src_rewind(struct file_src *s, struct err *e);
int64_t file_src_size(const struct file_src *s);	/* bytes on disk when it was opened */
int64_t file_src_done(const struct file_src *s); /* bytes of the file on disk consumed so far */
/*
 * NULL, or a static phrase: what is wrong with the gzip stream; that the file became shorter or was
 * written to while it was read (known when its end was reached); or that the system cannot read it
 * any further. *offset (may be NULL): how far the text came, in bytes; -1: that says nothing.
 */
const char *file_src_damage(const struct file_src *s, int64_t *offset);

/*
 * The first bytes of the (inflated) text, at most cap, into buf. *gz and *size_bytes may be NULL.
 */
bool file_head(const char *path, void *buf, size_t cap, size_t *got, bool *gz, int64_t *size_bytes,
	       struct err *e);
/*
 * The whole (inflated) text, terminated by a NUL that *n does not count; the caller frees. NULL
 * with *e set: ERR_LIMIT if it is longer than limit bytes, ERR_IO (also for what is no regular file,
 * which is not waited for), or ERR_FORMAT for a damaged gzip stream or a file that changed while it
 * was read.
 */
char *file_read_all(const char *path, size_t limit, size_t *n, struct err *e);
/*
 * The next line of a text that ends at *end, a byte that may be written: without its line end, and
 * terminated. NULL at the end. *at moves.
 */
char *file_line(char **at, char *end);

/* Paths ("dir/name") in strcmp order; folders and hidden names are left out. */
struct file_list {
	char **paths;
	size_t n, cap;
};
/*
 * The regular files of a folder (links are followed, once; deep = folders below too, at most 16
 * deep). What cannot be read below the folder itself is left out.
 */
bool file_list_dir(struct file_list *l, const char *dir, bool deep, struct err *e);
void file_list_fini(struct file_list *l);

#endif
