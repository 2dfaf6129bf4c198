/*
 * identify.h - what a file is, whether we read it or not. loader_probe() of loader.h is the short form.
 */
#ifndef LOAD_IDENTIFY_H
#define LOAD_IDENTIFY_H

#include "load/read/loader.h"

struct identity {
	const struct loader *loader;	/* NULL: of no known format; loader->load == NULL: known, not read */
	const char *what;		/* one sentence, N_() marked */
	bool empty;			/* nothing in it (or nothing that could be inflated) */
	int64_t size_bytes;
};

/* false with *e set (ERR_IO) only where the file cannot be read at all. */
bool loader_identify(const char *path, struct identity *id, struct err *e);

#endif
