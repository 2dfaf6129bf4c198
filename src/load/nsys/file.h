/* file.h - what can be told of an SQLite file without opening it as a database. */
#ifndef LOAD_NSYS_FILE_H
#define LOAD_NSYS_FILE_H

#include <stdbool.h>
#include <stdint.h>

int64_t nsys_file_bytes(const char *path); /* -1: there is none */
/* Whether a journal with something in it lies beside it. */
bool nsys_file_journal(const char *path);
/*
 * Whether a write-ahead log was left beside it by a program that is gone: whoever has such a database
 * open keeps an index of the log in shared memory (-shm).
 */
bool nsys_file_lone_wal(const char *path);
/* Whether it begins as a gzip stream. */
bool nsys_file_gzip(const char *path);
/*
 * The size that the header promises, 0 if it does not say: page size (offset 16) times pages (28),
 * which hold only if the change counter (24) is the one for which they were written (92).
 * https://www.sqlite.org/fileformat2.html
 */
int64_t nsys_file_promised(const char *path);
/*
 * RFC 3986: everything but unreserved characters and '/' is written as %XX. Read-only, by way of a
 * query that makes SQLite create nothing beside the file: one that nobody writes is immutable; with
 * -wal and -shm the locks of a writer hold, and a -shm that nobody uses is not trusted; a lone -wal is
 * read without locks, to be opened with locking_mode=EXCLUSIVE, which keeps its index in the heap
 * (https://www.sqlite.org/wal.html#noshm). The caller frees.
 */
char *nsys_file_uri(const char *path);

#endif
