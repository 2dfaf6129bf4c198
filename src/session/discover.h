/*
 * discover.h - from the paths of a command line to the files of a session.
 *
 * A file that is named is always a source, whatever it is: loading it says what is wrong with it; pipes and devices are refused.
 * A folder is searched one
 * level deep: its own files and those of its direct subfolders (DIR/FILE and DIR/SUB/FILE, no hidden names, links to files are
 * followed, links to folders are not), or everything below it when `recursive`. What is found there is taken by content:
 *
 *	a format that we read			a source
 *	a profile that we do not read		left out, with a note
 *	empty, unreadable, or of no known format	left out, without a word where the name does not look like a profile; empty
 *						and unreadable files with the name of one are sources (and fail: input is lost)
 *	ds_config.json, deepspeed_config.json, config.json	facts of the run
 *
 * Each file is taken once, however often it is reached. Order: as the paths are given, inside a folder by name.
 */
#ifndef SESSION_DISCOVER_H
#define SESSION_DISCOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct left_out {
	char *path;
	struct err err;		/* ERR_FORMAT: known, not read (no fault); others: input that is lost */
};
struct discovery {
	char **sources;
	size_t n_sources;
	char **facts;		/* files for run_facts_read() */
	size_t n_facts;
	struct left_out *notes;
	size_t n_notes;
};

void discover(struct discovery *d, const char *const *paths, size_t n, bool recursive);
void discovery_fini(struct discovery *d);

#endif
