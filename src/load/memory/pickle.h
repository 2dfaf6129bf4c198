/*
 * pickle.h - a machine for the pickles that memory snapshots are: of the opcodes of protocols 2 to 5 those that make plain data.
 *
 * What could run code (GLOBAL, REDUCE, BUILD, …) ends the reading: nothing of such a file is used. The file is read in pieces, and
 * what the machine and its objects hold stays below twice the bytes read so far and a megabyte.
 */
#ifndef LOAD_MEMORY_PICKLE_H
#define LOAD_MEMORY_PICKLE_H

#include "load/memory/objects.h"
#include "load/read/loader.h"

struct file_src;

enum pickle_end {
	PICKLE_STOPPED,		/* the whole of it */
	PICKLE_CUT,		/* the file ends before STOP */
	PICKLE_BROKEN,		/* `what` at byte `at`: the rest cannot be used */
	PICKLE_REFUSED,		/* opcode `what` at byte `at` could run code */
	PICKLE_FAILED		/* *e is set: the system refused, or cancelled */
};
struct pickle_result {
	enum pickle_end end;
	const char *what;	/* static; of PICKLE_BROKEN N_() marked */
	int64_t at;
};

/* Reads the file into the objects. Cut or broken: what was complete is in them, too, as if its lists and dicts had ended there. */
struct pickle_result pickle_read(struct objects *o, struct file_src *src, struct job *job, struct err *e);

#endif
