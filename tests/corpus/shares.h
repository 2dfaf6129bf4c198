/* shares.h - what must hold of every share in every view: it is at least 0 and at most 1. */
#ifndef TESTS_CORPUS_SHARES_H
#define TESTS_CORPUS_SHARES_H

/*
 * Loads the profile, makes each view of it in the windows `all` and `steady`, and prints "shares N" with the number of shares looked
 * at, or a line "beyond VIEW COLUMN VALUE ROW" for each that cannot be one. Returns the number of those, -1 if the file cannot be read.
 */
int shares_check(const char *path);

#endif
