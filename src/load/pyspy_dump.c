/*
 * pyspy_dump.c - reads what py-spy dump prints, as text or with --json: a profile of one sample for each thread.
 *
 *	Process 7114: python train.py
 *	Python v3.10.12 (/usr/bin/python3.10)
 *	Parent Process 7100: …			(only with --subprocesses)
 *
 *	Thread 4888 (active+gil): "MainThread"	active+gil, active or idle; the name may be missing
 *	    func (short/file.py:123)		innermost first, four blanks; native frames without a line
 *	        Arguments: / Locals:		with --locals: left out
 *
 * Dumps are pasted into issues: several in one file, between fences and prose, without their Process lines. Several dumps of a
 * process count as several samples. --json: [{pid, thread_id, thread_name, os_thread_id, active, owns_gil, frames [{name,
 * filename, module, short_filename, line, …}], process_info {pid, command_line, parent}}].
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "base/jdom.h"
#include "load/frame_text.h"
#include "load/head.h"
#include "load/loader.h"
#include "load/textwin.h"

#define PARENTS_MAX 32

struct dumped_process {
	bool known;
	int64_t pid;
	char command[2048];
};
struct reader {
	struct load_ctx *lx;
	struct stacktree tree;
	struct dumped_process own, parent;
	struct map frame_of;		/* (string of the builder, kind) -> frame */
	struct map process_node;	/* pid -> node */
	VEC(uint32_t) path;		/* frames of the thread that is being read, innermost first */
	uint32_t process, thread;	/* node, ID_NONE not placed yet; frame */
	bool in_thread;
	uint64_t threads, idle, active, gil;
	char version[32], line[4096];
};

static uint32_t label(struct reader *r, enum node_kind kind, const char *s, size_t n)
{
	str_id id = builder_command(r->lx->builder, CMDLINE_PROCESS, s, n);
	uint32_t fresh = (uint32_t)r->tree.frames.n, i = map_get_or_put(&r->frame_of, id, kind, fresh);

	if (i == fresh)
		stacktree_label(&r->tree, kind, s, n);
	return i;
}

/* A thread with what it was doing, for that is what a dump is made for. */
static uint32_t thread_label(struct reader *r, const char *id, size_t id_n, const char *name, size_t name_n, const char *state)
{
	char text[512];

	if (name_n)
		snprintf(text, sizeof(text), "thread (%.*s): %.*s [%s]", (int)id_n, id, (int)(name_n < 256 ? name_n : 256), name, state);
	else
		snprintf(text, sizeof(text), "thread (%.*s) [%s]", (int)id_n, id, state);
	r->threads++;
	r->idle += strcmp(state, "idle") == 0;
	r->active += strncmp(state, "active", 6) == 0;
	r->gil += strstr(state, "gil") != NULL;
	return label(r, NODE_THREAD, text, strlen(text));
}

/* The node of a process, below that of its parent where that is known. */
static uint32_t process_node(struct reader *r, int64_t pid, const char *command, size_t n, uint32_t parent)
{
	char text[2048];
	uint32_t node = map_find(&r->process_node, (uint64_t)pid, 0);

	if (node != MAP_NONE)
		return node;
	if (n)
		snprintf(text, sizeof(text), "process %lld:\"%.*s\"", (long long)pid, (int)(n < 1900 ? n : 1900), command);
	else
		snprintf(text, sizeof(text), "process %lld", (long long)pid);
	node = stacktree_child(&r->tree, parent, label(r, NODE_PROCESS, text, strlen(text)));
	map_put(&r->process_node, (uint64_t)pid, 0, node);
	return node;
}

/* One thread is one sample. */
static void end_thread(struct reader *r)
{
	uint32_t node;

	if (!r->in_thread)
		return;
	node = stacktree_child(&r->tree, r->process, r->thread);
	for (size_t i = r->path.n; i-- > 0;)
		node = stacktree_child(&r->tree, node, r->path.a[i]);
	stacktree_add(&r->tree, node, 0, 1);
	r->path.n = 0;
	r->in_thread = false;
}

/* ---- text ------------------------------------------------------------------------------------------------------------ */

/* "Process 7: COMMAND" behind the prefix; false if the line is none. */
static bool is_process(const char *s, const char *prefix, int64_t *pid, const char **command)
{
	size_t k = strlen(prefix), d = 0;

	if (strncmp(s, prefix, k) != 0)
		return false;
	while (isdigit((unsigned char)s[k + d]))
		d++;
	if (!d || s[k + d] != ':' || !decimal_scaled(s + k, d, 0, pid, NULL))
		return false;
	*command = s + k + d + 1 + (s[k + d + 1] == ' ');
	return true;
}

static void keep_process(struct dumped_process *p, int64_t pid, const char *command)
{
	p->known = true;
	p->pid = pid;
	snprintf(p->command, sizeof(p->command), "%s", command);
}

static bool read_process(struct reader *r, const char *s)
{
	const char *command;
	int64_t pid;

	if (is_process(s, "Process ", &pid, &command)) {
		end_thread(r);
		keep_process(&r->own, pid, command);
		r->parent.known = false;
	} else if (is_process(s, "Parent Process ", &pid, &command)) {
		end_thread(r);
		keep_process(&r->parent, pid, command);
	} else {
		return false;
	}
	r->process = ID_NONE;
	return true;
}

/* The node of the process whose threads follow: now its parent has been named, if it has one. */
static void place_process(struct reader *r)
{
	uint32_t above = STACK_ROOT;

	if (r->process != ID_NONE)
		return;
	if (r->parent.known)
		above = process_node(r, r->parent.pid, r->parent.command, strlen(r->parent.command), above);
	r->process = process_node(r, r->own.pid, r->own.command, strlen(r->own.command), above);
}

static bool read_thread(struct reader *r, const char *s)
{
	const char *id = s + 7, *open = strstr(s, " ("), *close, *name, *end;
	char state[16];

	if (strncmp(s, "Thread ", 7) != 0 || !open || !(close = strchr(open, ')')) || close - open > 14)
		return false;
	snprintf(state, sizeof(state), "%.*s", (int)(close - open - 2), open + 2);
	if (strncmp(state, "active", 6) != 0 && strcmp(state, "idle") != 0)
		return false;
	end_thread(r);
	place_process(r);
	name = strchr(close, '"');
	end = name ? strrchr(name + 1, '"') : NULL;
	r->thread = thread_label(r, id, (size_t)(open - id), name ? name + 1 : "", name && end ? (size_t)(end - name - 1) : 0, state);
	r->in_thread = true;
	return true;
}

static void read_frame(struct reader *r, const char *s, size_t n)
{
	size_t indent = strspn(s, " \t");
	struct frame_text f;
	uint32_t fresh = (uint32_t)r->tree.frames.n, i;

	if (!indent || indent >= 8)
		return;
	if (indent == n || s[n - 1] != ')') {
		end_thread(r);
		return;
	}
	i = map_get_or_put(&r->frame_of, builder_intern(r->lx->builder, s + indent, n - indent), NODE_CODE, fresh);
	if (i == fresh) {
		frame_text_parse(s + indent, n - indent, &f);
		frame_text_add(&r->tree, &f);
	}
	VEC_PUSH(&r->path, i);
}

/* The line without colours, fences' quotes and what does not fit. */
static size_t take_line(struct reader *r, const char *s, size_t n)
{
	size_t o = 0;

	for (size_t i = 0; i < n && o < sizeof(r->line) - 1; i++) {
		if (s[i] == 27 && i + 1 < n && s[i + 1] == '[') {
			while (i < n && !isalpha((unsigned char)s[i]))
				i++;
			continue;
		}
		if (s[i])
			r->line[o++] = s[i];
	}
	while (o && r->line[o - 1] == ' ')
		o--;
	r->line[o] = '\0';
	return o;
}

static void read_line(struct reader *r, const char *s, size_t n)
{
	n = take_line(r, s, n);
	if (read_process(r, r->line) || read_thread(r, r->line))
		return;
	if (strncmp(r->line, "Python v", 8) == 0 && !r->version[0])
		snprintf(r->version, sizeof(r->version), "%.*s", (int)strcspn(r->line + 8, " "), r->line + 8);
	if (!r->in_thread)
		return;
	if (n && isspace((unsigned char)r->line[0]))
		read_frame(r, r->line, n);
	else
		end_thread(r);
}

static void read_text(struct reader *r, struct textwin *w)
{
	const char *s;
	size_t n;
	int64_t at;

	while (textwin_line(w, &s, &n, &at))
		read_line(r, s, n);
	end_thread(r);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------- */

static uint32_t json_process(struct reader *r, const struct jval *info)
{
	const struct jval *chain[PARENTS_MAX];
	uint32_t node = STACK_ROOT;
	size_t k = 0, n;
	const char *s;
	int64_t pid;

	for (; jval_kind(info) == JDOM_OBJECT && k < PARENTS_MAX; info = jval_get(info, "parent"))
		chain[k++] = info;
	while (k-- > 0)
		if (jval_get_i64(chain[k], "pid", &pid) == JGET_OK) {
			if (jval_get_str(chain[k], "command_line", &s, &n) != JGET_OK)
				s = "", n = 0;
			node = process_node(r, pid, s, n, node);
		}
	return node;
}

static void json_frame(struct reader *r, const struct jval *v)
{
	struct stack_frame f = { .file = ID_NONE };
	const char *s, *file = "";
	size_t n, file_n = 0;
	int64_t line;

	if (jval_get_str(v, "name", &s, &n) != JGET_OK) {
		builder_damage(r->lx->builder, N_("frames without a name"), -1, 1);
		return;
	}
	if (jval_get_str(v, "short_filename", &file, &file_n) == JGET_OK || jval_get_str(v, "filename", &file, &file_n) == JGET_OK)
		f.file = builder_intern(r->lx->builder, file, file_n);
	f.kind = jval_kind(jval_get(v, "module")) == JDOM_STRING ? NODE_NATIVE : frame_text_native(s, n, file, file_n);
	frame_text_name(r->lx->builder, &f, s, n, file, file_n);
	if (jval_get_i64(v, "line", &line) == JGET_OK && line > 0 && line <= INT32_MAX)
		f.line = (int32_t)line;
	VEC_PUSH(&r->path, stacktree_frame(&r->tree, &f));
}

static void json_thread(struct reader *r, const struct jval *v)
{
	const char *name = "", *state = "idle";
	char id[32];
	int64_t tid, pid;
	size_t n = 0;

	if (jval_true(jval_get(v, "active")))
		state = jval_true(jval_get(v, "owns_gil")) ? "active+gil" : "active";
	if (jval_get_i64(v, "os_thread_id", &tid) != JGET_OK && jval_get_i64(v, "thread_id", &tid) != JGET_OK)
		tid = 0;
	snprintf(id, sizeof(id), "%lld", (long long)tid);
	jval_get_str(v, "thread_name", &name, &n);
	r->process = json_process(r, jval_get(v, "process_info"));
	if (r->process == STACK_ROOT && jval_get_i64(v, "pid", &pid) == JGET_OK)
		r->process = process_node(r, pid, "", 0, STACK_ROOT);
	r->thread = thread_label(r, id, strlen(id), name, n, state);
	r->in_thread = true;
	for (const struct jval *f = jval_first(jval_get(v, "frames")); f; f = jval_next(f))
		json_frame(r, f);
	end_thread(r);
}

static bool read_json(struct reader *r, struct textwin *w, struct err *e)
{
	const struct jdom_opts opts = { .mend = true };
	struct jdom_report rep;
	struct jdom *doc;

	while (w->end - w->p < (int64_t)TEXTWIN_LONGEST && textwin_more(w))
		;
	if (w->failed)
		return false;
	doc = jdom_parse(w->p, (size_t)(w->end - w->p), &opts, &rep, e);
	if (!doc)
		return false;
	for (const struct jval *v = jval_first(jdom_root(doc)); v; v = jval_next(v))
		if (jval_kind(v) == JDOM_OBJECT)
			json_thread(r, v);
	if (rep.cut_at >= 0)
		builder_damage(r->lx->builder, N_("the JSON text ends early: what follows is missing"), rep.cut_at, 1);
	if (rep.junk_at >= 0)
		builder_damage(r->lx->builder, N_("something follows the JSON value"), rep.junk_at, 1);
	jdom_free(doc);
	return true;
}

/* ---- the file --------------------------------------------------------------------------------------------------------- */

static bool use(struct reader *r, struct err *e)
{
	struct builder *b = r->lx->builder;

	if (!r->threads)
		return err_set(e, ERR_FORMAT, _("a dump of py-spy without a thread"));
	builder_set_format(b, FORMAT_PYSPY_DUMP);
	builder_set_producer(b, "py-spy dump", NULL);
	builder_caps(b, CAP_SAMPLES);
	if (r->version[0])
		builder_option(b, "python", r->version);
	stacktree_emit(&r->tree, STACKS_COUNTED);
	builder_content(b, "threads", 7, r->threads);
	builder_content(b, "threads active", 14, r->active);
	builder_content(b, "threads idle", 12, r->idle);
	builder_content(b, "threads with the GIL", 20, r->gil);
	builder_note(b, "%s", _("a dump: one sample of each thread, at one moment; no times"));
	return true;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct reader r = { .lx = lx, .process = STACK_ROOT };
	struct textwin w;
	bool ok = textwin_open(&w, lx, path, e);

	stacktree_init(&r.tree, lx->builder);
	while (ok && w.p < w.end && isspace((unsigned char)*w.p))
		w.p++;
	if (ok && w.p < w.end && *w.p == '[')
		ok = read_json(&r, &w, e);
	else if (ok)
		read_text(&r, &w);
	ok = ok && !w.failed && use(&r, e);
	if (ok)
		textwin_finish(&w);
	textwin_close(&w);
	stacktree_fini(&r.tree);
	map_fini(&r.frame_of);
	map_fini(&r.process_node);
	VEC_FREE(&r.path);
	return ok;
}

/* A line "Thread 12 (active+gil): …" with an indented frame below it, anywhere: dumps are pasted between other text. */
static int probe(const struct probe *p)
{
	static const char *const marks[] = { " (active", " (idle)" };

	if (head_first(p) == '[')
		return head_has(p, "\"owns_gil\"") && head_has(p, "\"frames\"") ? 98 : 0;
	if (!head_is_text(p) || head_first(p) == '{' || head_first(p) == '<')
		return 0;
	for (size_t i = 0; i < 2; i++) {
		const char *at = memmem(p->head, p->head_len, marks[i], strlen(marks[i])), *line = at;

		while (line && line > p->head && line[-1] != '\n')
			line--;
		while (line && line < at && !(at - line > 7 && memcmp(line, "Thread ", 7) == 0 && isxdigit((unsigned char)line[7])))
			line++;
		if (line && line < at && !memchr(line + 7, ' ', (size_t)(at - line - 7)))
			return 80;
	}
	return 0;
}

const struct loader loader_pyspy_dump = {
	.name = "pyspy-dump",
	.what = N_("stack dumps of py-spy (dump, dump --json)"),
	.probe = probe,
	.load = load,
};
