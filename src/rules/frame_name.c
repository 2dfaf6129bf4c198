/*
 * frame_name.c - Python frames: taking torch's python_function names apart, and looking frames up.
 *
 * torch writes "file.py(123): func" (the file relative to a sys.path entry where it can),
 * "nn.Module: Linear_0" (the number counts instances), and for C functions
 * "<built-in method item of Tensor object at 0x7f…>" or "<built-in function linear>".
 */
#include "rules/rules_impl.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */

/* Where `what` begins in s, or len. */
static size_t find(const char *s, size_t len, const char *what)
{
	const char *p = s ? memmem(s, len, what, strlen(what)) : NULL;

	return p ? (size_t)(p - s) : len;
}

/* "file.py(123): func": the last "(digits): ". */
static bool split_python(const char *s, size_t len, struct frame_name *out)
{
	size_t close = find(s, len, "): ");
	size_t open = close;
	int64_t line = 0;

	if (close == len)
		return false;
	while (open && s[open - 1] >= '0' && s[open - 1] <= '9')
		open--;
	if (open == close || open < 2 || s[open - 1] != '(' || close - open > 9)
		return false;
	for (size_t i = open; i < close; i++)
		line = line * 10 + (s[i] - '0');
	out->kind = FRAME_PYTHON;
	out->file = s;
	out->file_len = open - 1;
	out->line = line;
	out->func = s + close + 3;
	out->func_len = len - close - 3;
	return true;
}

static bool split_module(const char *s, size_t len, struct frame_name *out)
{
	static const char prefix[] = "nn.Module: ";
	size_t end = len;

	if (!text_starts(s, len, prefix))
		return false;
	while (end > sizeof(prefix) && s[end - 1] >= '0' && s[end - 1] <= '9')
		end--;
	if (end == len || s[end - 1] != '_')
		end = len;
	else
		end--;
	out->kind = FRAME_MODULE;
	out->func = s + sizeof(prefix) - 1;
	out->func_len = end - (sizeof(prefix) - 1);
	out->key_len = end;
	return true;
}

/* The word after "method " or "function ", up to " of" or the end. */
static bool split_builtin(const char *s, size_t len, struct frame_name *out)
{
	static const char *const kinds[] = {"<built-in method ", "<built-in function ", "<method ",
					    "<function "};
	size_t skip = 0, end;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !skip; i++)
		if (text_starts(s, len, kinds[i]))
			skip = strlen(kinds[i]);
	if (!skip)
		return false;
	end = find(s, len, " of ");
	if (end == len)
		end = find(s, len, " at 0x");
	if (end == len && s[len - 1] == '>')
		end--;
	if (end <= skip)
		return false;
	out->kind = FRAME_BUILTIN;
	out->func = s + skip;
	out->func_len = end - skip;
	if (out->func[0] == '\'' && out->func_len > 2) {
		out->func++;
		out->func_len -= 2;
	}
	out->key_len = find(s, len, " at 0x");
	return true;
}

void rules_frame_name(const char *name, size_t len, struct frame_name *out)
{
	*out = (struct frame_name){.kind = FRAME_OTHER,
				   .file = name,
				   .file_len = 0,
				   .func = name,
				   .func_len = len,
				   .line = -1,
				   .key = name,
				   .key_len = len};
	if (len == 0)
		return;
	if (!split_module(name, len, out) && !split_builtin(name, len, out))
		split_python(name, len, out);
}

/* ---- lookup ---- */

enum {
	SUBJECT_MAX = 1024
};

/* What follows the last of site-packages/, dist-packages/, lib/python3.x/ in the path. */
static void strip_prefix(const char **file, size_t *len)
{
	static const char *const marks[] = {"site-packages/", "dist-packages/", "lib/python3"};

	for (size_t i = 0; i < 3; i++) {
		for (size_t at; (at = find(*file, *len, marks[i])) < *len;) {
			size_t skip = at + strlen(marks[i]);

			while (i == 2 && skip < *len && (*file)[skip - 1] != '/')
				skip++;
			*file += skip;
			*len -= skip;
		}
	}
}

/* "/" path ":" func; an over-long path loses its start, an over-long function its end. */
static size_t build_subject(char buf[SUBJECT_MAX], const char *file, size_t flen, const char *func,
			    size_t n)
{
	size_t at = 0;

	if (n > SUBJECT_MAX / 2)
		n = SUBJECT_MAX / 2;
	if (flen > SUBJECT_MAX / 2 - 2) {
		file += flen - (SUBJECT_MAX / 2 - 2);
		flen = SUBJECT_MAX / 2 - 2;
	}
	buf[at++] = '/';
	for (size_t i = flen && file[0] == '/' ? 1 : 0; i < flen; i++)
		buf[at++] = file[i] == '\\' ? '/' : file[i];
	buf[at++] = ':';
	memcpy(buf + at, func, n);
	return at + n;
}

void rules_frame(const struct rules *r, const char *file, size_t file_len, const char *func,
		 size_t func_len, struct host_class *out)
{
	static const struct host_class unknown = {
		.l1 = L1_FRAMEWORK, .level2 = "Python", .framework = 'P'};
	char subject[SUBJECT_MAX];
	size_t len;

	strip_prefix(&file, &file_len);
	len = build_subject(subject, file, file_len, func, func_len);
	rules_host_fill(rule_find(&r->table[TABLE_FRAMES], subject, len, NULL), &unknown, "python",
			out);
}

bool rules_frame_imports(const char *file, size_t file_len, const char *func, size_t func_len)
{
	return (text_holds(file, file_len, "importlib._bootstrap") && text_starts(func, func_len, "_find_and_load")) ||
		(text_ends(file, file_len, "importlib/__init__.py") && text_ends(func, func_len, "import_module"));
}

void rules_python(const struct rules *r, const char *name, size_t len, struct host_class *out)
{
	static const char module[] = "<nn.Module>";
	struct frame_name f;

	rules_frame_name(name, len, &f);
	if (f.kind == FRAME_BUILTIN) {
		f.file = f.key;
		f.file_len = f.key_len;
	} else if (f.kind == FRAME_MODULE) {
		f.file = module;
		f.file_len = sizeof(module) - 1;
	}
	rules_frame(r, f.file, f.file_len, f.func, f.func_len, out);
}
