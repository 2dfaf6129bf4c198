/*
 * guard.h - mapped files that somebody may cut short while they are read.
 *
 * A page of a mapping that no longer has a place in its file raises SIGBUS where it is touched: the file was cut by another
 * program, or cannot be read. Within a guarded mapping that is not the end of the program: see guard_map() and guard_vital().
 * The handler is one for the process and stays; SIGBUS elsewhere goes to guard_otherwise()'s function.
 */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Maps the first n > 0 bytes of fd for reading, with at least `pad` (up to 4096) bytes of zero behind them. Where a page of the file
 * is missing when it is touched, that page and all behind it become zeros, and guard_was_cut() is true from then on: for text that is
 * checked while it is read. NULL if the system refuses, or too many mappings are guarded: then the file is to be read otherwise.
 */
const char *guard_map(int fd, size_t n, size_t pad);
bool guard_was_cut(const char *p);
/*
 * From now on the data is believed without being checked again: where a page is missing, `last_words` (which must stay) goes to
 * stderr, behind what guard_otherwise()'s function did, and the process ends with that status. False if it was cut before.
 */
bool guard_vital(const char *p, const char *last_words, int status);
/* n, pad: as it was mapped. p may be NULL. */
void guard_unmap(const char *p, size_t n, size_t pad);

/*
 * fn(SIGBUS) is called, within the signal handler, for SIGBUS outside of all guarded mappings, and fn(0) before last words are
 * written: it brings the terminal back. NULL: the default action.
 */
void guard_otherwise(void (*fn)(int sig));

#endif
