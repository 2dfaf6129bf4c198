/*
 * loader.h - a format that we read: one struct of functions per file, one line in registry.c.
 */
#ifndef LOAD_READ_LOADER_H
#define LOAD_READ_LOADER_H

#include <stddef.h>

#include "base/err.h"
#include "base/job.h"
#include "model/builder.h"

struct head_facts;
struct probe {
	const char *path;
	const char *head;	/* the first bytes of the file, inflated where it is gzip; at most 64 KiB */
	size_t head_len;
	int64_t size_bytes;	/* of the file on disk */
	bool gz;
	const struct head_facts *facts;	/* of head.h; NULL: every question looks at the head itself */
};

/* What a loader gets; it writes into `builder` and nothing else. */
struct load_ctx {
	struct builder *builder;
	struct job *job;			/* progress and cancel; never NULL */
	/* Called by loaders after each batch (NULL: nobody listens): the listener decides whether to take a snapshot. */
	void (*batch)(void *arg, struct builder *b);
	void *batch_arg;
};

struct loader {
	const char *name;			/* "nsys-sqlite" */
	const char *what;			/* one line for --help and sources */
	/* 0 = no … 100 = certain */
	int (*probe)(const struct probe *p);
	/*
	 * Reads the file into lx->builder. Damaged input that can be used is no failure (builder_damage); false only when
	 * nothing could be read, or cancelled. NULL load: a format that we know and do not read; `what` then says what to do.
	 */
	bool (*load)(struct load_ctx *lx, const char *path, struct err *e);
};

extern const struct loader loader_nsys_sqlite, loader_nsys_jsonl, loader_nsys_json, loader_nsys_chrome, loader_torch, loader_pyinstrument,
	loader_pyi_session, loader_pyi_html, loader_pyi_text, loader_speedscope, loader_collapsed, loader_flame_svg,
	loader_pyspy_chrome, loader_pyspy_dump, loader_ncu_rep, loader_ncu_csv, loader_memory_snapshot;

/* All formats that are read, NULL-terminated. Those that are known and not read (py-spy, ncu, …) are in recognised.h. */
extern const struct loader *const loaders[];

/* Opens, reads the head (inflated) and finds the best loader; NULL with *e set (ERR_FORMAT names what it looks like). */
const struct loader *loader_probe(const char *path, struct err *e);
/* probe + load + builder_finish. *out is owned by the caller. */
struct profile;
bool loader_load(const char *path, struct job *job, void (*batch)(void *, struct builder *), void *batch_arg,
	struct profile **out, struct err *e);
/* Only a part of the file, which a note of the profile says; part NULL: all. */
struct load_part;
bool loader_load_part(const char *path, const struct load_part *part, struct job *job, void (*batch)(void *, struct builder *),
	void *batch_arg, struct profile **out, struct err *e);

#endif
