/* editor.c - argument vectors for editors, see editor.h */
#include "ui/screen/editor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/i18n.h"
#include "base/sbuf.h"
#include "base/vec.h"

/* Editors that do not take "+LINE PATH", by the name of the program. */
static const struct {
	const char *program, *option;	/* option: before PATH:LINE; NULL none */
} with_colon[] = {
	{ "code", "--goto" }, { "codium", "--goto" }, { "code-insiders", "--goto" }, { "subl", NULL }, { "hx", NULL }, { "zed", NULL },
};

static char *copy_of(const char *s, size_t n)
{
	char *out = xmalloc(n + 1);

	memcpy(out, s, n);
	out[n] = '\0';
	return out;
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *base_of(const char *program)
{
	const char *slash = strrchr(program, '/');

	return slash ? slash + 1 : program;
}

static size_t colon_style(const char *program)
{
	size_t i = 0, n = sizeof(with_colon) / sizeof(*with_colon);

	while (i < n && strcmp(base_of(program), with_colon[i].program) != 0)
		i++;
	return i;
}

void editor_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

char **editor_argv(const char *editor, const char *path, size_t n, int64_t line, struct err *e)
{
	VEC(char *) v = { 0 };
	struct sbuf file = { 0 }, at = { 0 };
	size_t style;

	if (!editor || !editor[strspn(editor, " \t")]) {
		err_set(e, ERR_USAGE, "%s", _("no editor: set VISUAL or EDITOR"));
		return NULL;
	}
	sbuf_printf(&file, "%s", n && path[0] != '/' ? "./" : "");
	sbuf_put(&file, path, n);
	if (!n || memchr(path, '\0', n) || !is_file(sbuf_str(&file))) {
		err_set(e, ERR_USAGE, _("there is no such file here: %.*s"), (int)n, path);
		sbuf_fini(&file);
		return NULL;
	}
	for (const char *s = editor + strspn(editor, " \t"); *s; s += strspn(s, " \t")) {
		size_t len = strcspn(s, " \t");

		VEC_PUSH(&v, copy_of(s, len));
		s += len;
	}
	style = v.n ? colon_style(v.a[0]) : 0;
	if (style < sizeof(with_colon) / sizeof(*with_colon)) {
		if (with_colon[style].option)
			VEC_PUSH(&v, copy_of(with_colon[style].option, strlen(with_colon[style].option)));
		if (line > 0)
			sbuf_printf(&file, ":%" PRId64, line);
	} else if (line > 0) {
		sbuf_printf(&at, "+%" PRId64, line);
		VEC_PUSH(&v, copy_of(at.s, at.n));
	}
	VEC_PUSH(&v, copy_of(file.s, file.n));
	VEC_PUSH(&v, NULL);
	sbuf_fini(&file);
	sbuf_fini(&at);
	return v.a;
}
