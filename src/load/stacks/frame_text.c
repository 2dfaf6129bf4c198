/* frame_text.c - frames that are printed in one text, see frame_text.h */
#include "load/stacks/frame_text.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes ":123" off the end; false and *line untouched where there is none. */
static bool take_line(const char *s, size_t *n, int32_t *line)
{
	size_t d = *n;
	int64_t v = 0;

	while (d && digit(s[d - 1]))
		d--;
	if (d == *n || !d || s[d - 1] != ':' || *n - d > 10)
		return false;
	for (size_t i = d; i < *n; i++)
		v = v * 10 + (s[i] - '0');
	*line = v <= INT32_MAX ? (int32_t)v : 0;
	*n = d - 1;
	return true;
}

enum node_kind frame_text_native(const char *name, size_t name_n, const char *file, size_t file_n)
{
	static const char *const native[] = {
		".so", ".dll", ".dylib", ".c", ".cc", ".cpp", ".cxx", ".cu", ".h", ".hpp", ".pyx", ".rs",
	};

	if (text_starts(name, name_n, "0x"))
		return NODE_NATIVE;
	for (size_t i = 0; i < sizeof(native) / sizeof(*native); i++)
		if (text_ends(file, file_n, native[i]))
			return NODE_NATIVE;
	return file_n && !text_ends(file, file_n, ".py") && memmem(file, file_n, ".so.", 4) ? NODE_NATIVE : NODE_CODE;
}

/* py-spy: process 7:"python x.py", thread (8): Main; austin: Process 7, P7, Thread 7f01, T8, T0:8 (of interpreter 0). */
static enum node_kind label_kind(const char *s, size_t n)
{
	static const struct { const char *word; enum node_kind kind; } labels[] = {
		{ "process ", NODE_PROCESS }, { "Process ", NODE_PROCESS }, { "thread (", NODE_THREAD }, { "Thread ", NODE_THREAD },
		{ "P", NODE_PROCESS }, { "T", NODE_THREAD },
	};

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		size_t at = strlen(labels[i].word);
		bool all = n > at;

		if (!text_starts(s, n, labels[i].word) || !all || !isxdigit((unsigned char)s[at]))
			continue;
		for (size_t k = at; at == 1 && k < n; k++)
			all &= digit(s[k]) || (s[k] == ':' && k > at && k + 1 < n && !memchr(s, ':', k));
		if (all)
			return labels[i].kind;
	}
	return NODE_CODE;
}

/* The parenthesis that the last byte closes. */
static size_t opening(const char *s, size_t n)
{
	size_t depth = 0, at = n;

	while (at-- > 0) {
		depth += s[at] == ')';
		if (s[at] == '(' && !--depth)
			return at;
	}
	return 0;
}

static void austin_line(const char *s, size_t *n, int32_t *line)
{
	size_t d = *n;
	int64_t v = 0;

	while (d && digit(s[d - 1]))
		d--;
	if (d == *n || *n - d > 10 || d < 3 || s[d - 1] != 'L' || s[d - 2] != ';' || s[d - 3] != ')')
		return;
	for (size_t i = d; i < *n; i++)
		v = v * 10 + (s[i] - '0');
	*line = v <= INT32_MAX ? (int32_t)v : 0;
	*n = d - 2;
}

static bool in_parentheses(const char *s, size_t n, struct frame_text *out)
{
	size_t at = n && s[n - 1] == ')' ? opening(s, n) : 0;

	if (at < 2 || s[at - 1] != ' ')
		return false;
	out->name_n = at - 1;
	out->file = s + at + 1;
	out->file_n = n - at - 2;
	take_line(out->file, &out->file_n, &out->line);
	return true;
}

/* "path:name:line" of austin 3. */
static bool in_austin3(const char *s, size_t n, struct frame_text *out)
{
	int32_t line = 0;
	const char *colon;

	if (!take_line(s, &n, &line))
		return false;
	colon = memrchr(s, ':', n);
	if (!colon || colon + 1 == s + n || !(text_ends(s, (size_t)(colon - s), ".py") || text_starts(s, n, "<frozen ") || text_starts(s, n, "<string>")))
		return false;
	out->file = s;
	out->file_n = (size_t)(colon - s);
	out->name = colon + 1;
	out->name_n = n - out->file_n - 1;
	out->line = line;
	return true;
}

/* "name:path:line"; the path must look like one, for C++ names hold colons too. */
static bool in_colons(const char *s, size_t n, struct frame_text *out)
{
	size_t rest = n, at = 0;
	bool py = text_starts(s, n, "py::");
	int32_t line = 0;

	if (!take_line(s, &rest, &line) && !py)
		return false;
	for (at = py ? 4 : 0; at < rest; at++)
		if (s[at] == ':' && at + 1 < rest && s[at + 1] != ':' && (py || !at || s[at - 1] != ':'))
			break;
	if (at >= rest || (!py && !memmem(s + at, rest - at, ".py", 3) && !memmem(s + at, rest - at, "<frozen ", 8)))
		return false;
	out->name = s + (py ? 4 : 0);
	out->name_n = at - (py ? 4 : 0);
	out->file = s + at + 1;
	out->file_n = rest - at - 1;
	out->line = line;
	return true;
}

void frame_text_parse(const char *s, size_t n, struct frame_text *out)
{
	int32_t line = 0;

	*out = (struct frame_text){ .name = s, .name_n = n, .kind = label_kind(s, n) };
	if (out->kind != NODE_CODE)
		return;
	austin_line(s, &n, &line);
	out->name_n = n;
	if (!in_parentheses(s, n, out) && !in_austin3(s, n, out))
		in_colons(s, n, out);
	if (line)
		out->line = line;
	out->kind = frame_text_native(out->name, out->name_n, out->file ? out->file : "", out->file_n);
}

size_t frame_text_class(const char *name, size_t n, const char *file, size_t file_n)
{
	const char *dot;

	if (!text_ends(file, file_n, ".py") && !text_starts(file, file_n, "<frozen "))
		return 0;
	dot = memrchr(name, '.', n);
	return dot && dot > name && dot + 1 < name + n && !memchr(name, ' ', n) ? (size_t)(dot - name) : 0;
}

void frame_text_name(struct builder *b, struct stack_frame *f, const char *name, size_t n, const char *file, size_t file_n)
{
	size_t k = f->kind == NODE_CODE ? frame_text_class(name, n, file, file_n) : 0;

	f->class_name = k ? builder_intern(b, name, k) : ID_NONE;
	k += k > 0;
	f->function = f->kind == NODE_PROCESS ? builder_command(b, CMDLINE_PROCESS, name, n) : builder_intern(b, name + k, n - k);
}

uint32_t frame_text_add(struct stacktree *t, const struct frame_text *f)
{
	struct stack_frame out = { .file = ID_NONE, .line = f->line, .kind = f->kind };

	frame_text_name(t->b, &out, f->name, f->name_n, f->file ? f->file : "", f->file_n);
	if (f->file_n)
		out.file = builder_intern(t->b, f->file, f->file_n);
	return stacktree_frame(t, &out);
}

/* Behind the quotes of a process frame, which close before a semicolon or the end. */
static size_t quoted(const char *s, size_t n)
{
	size_t at = 8;

	while (at < n && digit(s[at]))
		at++;
	if (at + 1 >= n || s[at] != ':' || s[at + 1] != '"')
		return 0;
	for (at += 2; at < n; at++)
		if (s[at] == '"' && (at + 1 == n || s[at + 1] == ';'))
			return at + 1;
	return 0;
}

static size_t line_element(const char *s, size_t n, size_t at)
{
	size_t d = at + 2;

	if (at + 2 >= n || !at || s[at - 1] != ')' || s[at + 1] != 'L')
		return at;
	while (d < n && digit(s[d]))
		d++;
	return d > at + 2 && (d == n || s[d] == ';') ? d : at;
}

size_t frame_text_first(const char *s, size_t n)
{
	size_t at = text_starts(s, n, "process ") ? quoted(s, n) : 0;
	const char *semi;

	if (at)
		return at;
	semi = memchr(s, ';', n);
	return semi ? line_element(s, n, (size_t)(semi - s)) : n;
}
