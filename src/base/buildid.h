/*
 * buildid.h - which build of the program is running: the linker's build id, which changes with every byte of code. What one build has
 * stored, another need not understand in the same way.
 */
#ifndef BASE_BUILDID_H
#define BASE_BUILDID_H

#include <stddef.h>

/* The build id in hexadecimal digits, at most cap - 1 of them; "" where the linker wrote none. Returns out. */
const char *build_id(char *out, size_t cap);

#endif
