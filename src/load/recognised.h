/*
 * recognised.h - formats that we know by sight and do not read: one line each that says what the file is, and what to give instead.
 */
#ifndef LOAD_RECOGNISED_H
#define LOAD_RECOGNISED_H

#include "load/read/loader.h"

/* The known formats, ended by name == NULL. load is NULL in each; `what` is the sentence for the user (N_() marked). */
extern const struct loader loader_known[];

/* A sentence for a file that no loader knows: empty, text, JSON, binary. Static, N_() marked. */
const char *known_nothing(const struct probe *p);

#endif
