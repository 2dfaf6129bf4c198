/*
 * editor.h - the command that opens a file at a line in the user's editor. No shell is involved: the path, which a file from
 * somewhere names, is one argument.
 */
#ifndef UI_SCREEN_EDITOR_H
#define UI_SCREEN_EDITOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Words of `editor` (as in $VISUAL; separated by blanks, quotes mean nothing), then the line and the path as that editor wants them.
 * A relative path gets "./" before it, so that none looks like an option. line <= 0: unknown. The vector ends with NULL and
 * belongs to the caller (editor_argv_free). NULL with *e set when no editor is named or the path is no file here.
 */
char **editor_argv(const char *editor, const char *path, size_t n, int64_t line, struct err *e);
void editor_argv_free(char **argv);

#endif
