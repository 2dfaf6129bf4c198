/*
 * frame_text.h - a frame as samplers print it in one text: "name (file:line)", "name (file)", "name", "name:path:line",
 * "path:name:line" (austin 3), "py::name:path" (perf trampoline), "name (file);L12" (austin 1), and the outermost ones that name a thread or a process.
 */
#ifndef LOAD_STACKS_FRAME_TEXT_H
#define LOAD_STACKS_FRAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "load/stacks/stacktree.h"

struct frame_text {		/* parts of the text that was given */
	const char *name, *file;
	size_t name_n, file_n;	/* file_n 0: no file */
	int32_t line;		/* 0 none */
	enum node_kind kind;
};
void frame_text_parse(const char *s, size_t n, struct frame_text *out);
/* The kind of a frame by name and file: native where the file is a shared object or a C source, or the name an address. */
enum node_kind frame_text_native(const char *name, size_t name_n, const char *file, size_t file_n);
/*
 * Length of the class in a qualified name of Python code ("Queue.get", "outer.<locals>.inner"; py-spy 0.4.3 writes them), 0 if there
 * is none. The function's own name is behind it and a dot.
 */
size_t frame_text_class(const char *name, size_t n, const char *file, size_t file_n);
/* Puts the name into a frame: class and function. */
void frame_text_name(struct builder *b, struct stack_frame *f, const char *name, size_t n, const char *file, size_t file_n);
/* Adds it, with its texts interned. */
uint32_t frame_text_add(struct stacktree *t, const struct frame_text *f);
/*
 * Length of the first frame of a collapsed stack of n bytes: up to a semicolon that is neither inside the quotes of a process
 * frame nor before austin's line element.
 */
size_t frame_text_first(const char *s, size_t n);

#endif
