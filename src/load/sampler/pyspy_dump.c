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
#include "base/sbuf.h"
#include "load/read/head.h"
#include "load/read/json_tokens.h"
#include "load/read/loader.h"
#include "load/stacks/frame_text.h"

#define PARENTS_MAX 32

struct dumped_process {
	bool known;
	int64_t pid;
	char command[2048];
};
struct pyspy_dump_reader {
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
	/* --json */
	struct jtok t;
	struct sbuf name, file, thread_name;
};

static uint32_t label(struct pyspy_dump_reader *r, enum node_kind kind, const char *s, size_t n)
{
	str_id id = builder_command(r->lx->builder, CMDLINE_PROCESS, s, n);
	uint32_t fresh = (uint32_t)r->tree.frames.n, i = map_get_or_put(&r->frame_of, id, kind, fresh);

	if (i == fresh)
		stacktree_label(&r->tree, kind, s, n);
	return i;
}

/* A thread with what it was doing, for that is what a dump is made for. */
static uint32_t thread_label(struct pyspy_dump_reader *r, const char *id, size_t id_n, const char *name, size_t name_n, const char *state)
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
static uint32_t process_node(struct pyspy_dump_reader *r, int64_t pid, const char *command, size_t n, uint32_t parent)
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
static void end_thread(struct pyspy_dump_reader *r)
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

static bool read_process(struct pyspy_dump_reader *r, const char *s)
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
static void place_process(struct pyspy_dump_reader *r)
{
	uint32_t above = STACK_ROOT;

	if (r->process != ID_NONE)
		return;
	if (r->parent.known)
		above = process_node(r, r->parent.pid, r->parent.command, strlen(r->parent.command), above);
	r->process = process_node(r, r->own.pid, r->own.command, strlen(r->own.command), above);
}

static bool read_thread(struct pyspy_dump_reader *r, const char *s)
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

static void read_frame(struct pyspy_dump_reader *r, const char *s, size_t n)
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
static size_t take_line(struct pyspy_dump_reader *r, const char *s, size_t n)
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

static void read_line(struct pyspy_dump_reader *r, const char *s, size_t n)
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

static void read_text(struct pyspy_dump_reader *r, struct textwin *w)
{
	const char *s;
	size_t n;
	int64_t at;

	while (textwin_line(w, &s, &n, &at))
		read_line(r, s, n);
	end_thread(r);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------- */

struct json_process {
	uint32_t depth;		/* of the object */
	bool known;
	int64_t pid;
	str_id command;
};

/* The next value as a text; *b stays as it is where it is none. */
static bool copy_string(struct pyspy_dump_reader *r, struct sbuf *b)
{
	const char *s;
	size_t n;

	if (!jtok_string(&r->t, &s, &n))
		return false;
	sbuf_reset(b);
	sbuf_put(b, s, n);
	return true;
}

static void read_process_key(struct pyspy_dump_reader *r, struct json_process *p)
{
	const char *s;
	size_t n;

	if (jtok_is(&r->t, "pid"))
		p->known = jtok_scaled(&r->t, 0, &p->pid);
	else if (!jtok_is(&r->t, "command_line"))
		jtok_skip(&r->t);
	else if (jtok_string(&r->t, &s, &n))
		p->command = builder_intern(r->lx->builder, s, n);
}

/* process_info and its parents, each inside the one before; how many there are. */
static size_t read_chain(struct pyspy_dump_reader *r, struct json_process chain[PARENTS_MAX])
{
	size_t n = 0, at = 0;
	uint32_t depth;

	if (!jtok_open(&r->t, JT_OBJ, &depth))
		return 0;
	chain[n++] = (struct json_process){ .depth = depth, .command = ID_NONE };
	for (;;) {
		if (!jtok_key(&r->t, chain[at].depth)) {
			if (!at--)
				return n;
		} else if (!jtok_is(&r->t, "parent") || n == PARENTS_MAX) {
			read_process_key(r, &chain[at]);
		} else if (jtok_open(&r->t, JT_OBJ, &depth)) {
			at = n++;
			chain[at] = (struct json_process){ .depth = depth, .command = ID_NONE };
		}
	}
}

static uint32_t json_process(struct pyspy_dump_reader *r)
{
	struct json_process chain[PARENTS_MAX];
	uint32_t node = STACK_ROOT;

	for (size_t k = read_chain(r, chain), n = 0; k-- > 0; n = 0) {
		const char *s = chain[k].command == ID_NONE ? "" : builder_str(r->lx->builder, chain[k].command, &n);

		if (chain[k].known)
			node = process_node(r, chain[k].pid, s, n, node);
	}
	return node;
}

static void use_frame(struct pyspy_dump_reader *r, bool native, int32_t line)
{
	struct stack_frame f = { .file = ID_NONE, .line = line };
	const char *name = sbuf_str(&r->name), *file = sbuf_str(&r->file);

	if (r->file.n)
		f.file = builder_intern(r->lx->builder, file, r->file.n);
	f.kind = native ? NODE_NATIVE : frame_text_native(name, r->name.n, file, r->file.n);
	frame_text_name(r->lx->builder, &f, name, r->name.n, file, r->file.n);
	VEC_PUSH(&r->path, stacktree_frame(&r->tree, &f));
}

static void json_frame(struct pyspy_dump_reader *r)
{
	struct jtok *t = &r->t;
	bool named = false, native = false, shortened = false;
	int64_t line = 0, at = textwin_offset(t->w);
	uint32_t depth = t->depth;
	const char *s;
	size_t n;

	sbuf_reset(&r->file);
	while (jtok_key(t, depth)) {
		if (jtok_is(t, "name"))
			named |= copy_string(r, &r->name);
		else if (jtok_is(t, "short_filename"))
			shortened |= copy_string(r, &r->file);
		else if (jtok_is(t, "filename") && !shortened)
			copy_string(r, &r->file);
		else if (jtok_is(t, "module"))
			native |= jtok_string(t, &s, &n);
		else if (jtok_is(t, "line"))
			jtok_scaled(t, 0, &line);
		else
			jtok_skip(t);
	}
	if (named)
		use_frame(r, native, line > 0 && line <= INT32_MAX ? (int32_t)line : 0);
	else
		builder_damage(r->lx->builder, N_("frames without a name"), at, 1);
}

static void json_frames(struct pyspy_dump_reader *r)
{
	uint32_t depth;

	if (!jtok_open(&r->t, JT_ARR, &depth))
		return;
	while (jtok_element(&r->t, depth)) {
		if (r->t.kind == JT_OBJ)
			json_frame(r);
		else
			builder_damage(r->lx->builder, N_("frames without a name"), textwin_offset(r->t.w), 1);
	}
}

/* The value that comes next is true itself. */
static bool is_true(struct jtok *t)
{
	if (jtok_next(t) == JT_WORD)
		return jtok_is(t, "true");
	jtok_skip_rest(t);
	return false;
}

struct json_thread {
	bool active, gil;
	int64_t os_id, id, pid;	/* -1 unknown */
	uint32_t process;
};

static void read_thread_key(struct pyspy_dump_reader *r, struct json_thread *th)
{
	struct jtok *t = &r->t;

	if (jtok_is(t, "active"))
		th->active = is_true(t);
	else if (jtok_is(t, "owns_gil"))
		th->gil = is_true(t);
	else if (jtok_is(t, "os_thread_id"))
		jtok_scaled(t, 0, &th->os_id);
	else if (jtok_is(t, "thread_id"))
		jtok_scaled(t, 0, &th->id);
	else if (jtok_is(t, "pid"))
		jtok_scaled(t, 0, &th->pid);
	else if (jtok_is(t, "thread_name"))
		copy_string(r, &r->thread_name);
	else if (jtok_is(t, "process_info"))
		th->process = json_process(r);
	else if (jtok_is(t, "frames"))
		json_frames(r);
	else
		jtok_skip(t);
}

static void json_thread(struct pyspy_dump_reader *r)
{
	struct json_thread th = { .os_id = -1, .id = -1, .pid = -1, .process = STACK_ROOT };
	uint32_t depth = r->t.depth;
	char id[32];
	int64_t tid;

	sbuf_reset(&r->thread_name);
	while (jtok_key(&r->t, depth))
		read_thread_key(r, &th);
	tid = th.os_id != -1 ? th.os_id : th.id != -1 ? th.id : 0;
	snprintf(id, sizeof(id), "%lld", (long long)tid);
	r->process = th.process;
	if (r->process == STACK_ROOT && th.pid != -1)
		r->process = process_node(r, th.pid, "", 0, STACK_ROOT);
	r->thread = thread_label(r, id, strlen(id), sbuf_str(&r->thread_name), r->thread_name.n,
		!th.active ? "idle" : th.gil ? "active+gil" : "active");
	r->in_thread = true;
	end_thread(r);
}

static void read_json(struct pyspy_dump_reader *r, struct textwin *w)
{
	uint32_t depth;

	jtok_init(&r->t, w);
	if (jtok_open(&r->t, JT_ARR, &depth))
		while (jtok_element(&r->t, depth)) {
			if (r->t.kind == JT_OBJ)
				json_thread(r);
			else
				builder_damage(r->lx->builder, N_("threads that are no objects"), textwin_offset(w), 1);
		}
	jtok_finish(&r->t);
	jtok_behind(&r->t);
	jtok_fini(&r->t);
}

/* ---- the file --------------------------------------------------------------------------------------------------------- */

static bool use(struct pyspy_dump_reader *r, struct err *e)
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
	struct pyspy_dump_reader r = { .lx = lx, .process = STACK_ROOT };
	struct textwin w;
	bool ok = textwin_open(&w, lx, path, e);

	stacktree_init(&r.tree, lx->builder);
	while (ok && w.p < w.end && isspace((unsigned char)*w.p))
		w.p++;
	if (ok && w.p < w.end && *w.p == '[')
		read_json(&r, &w);
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
	sbuf_fini(&r.name);
	sbuf_fini(&r.file);
	sbuf_fini(&r.thread_name);
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
