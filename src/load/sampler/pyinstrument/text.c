/*
 * text.c - reads what pyinstrument prints on a terminal, where nothing better was kept.
 *
 * A head with Recorded, Samples, Duration, CPU time, version and target, then a tree: "│  ├─ 12.668 Tensor.backward
 * torch/_tensor.py:429". The column of the time is the depth: a frame lies below the nearest one above with a smaller column.
 * "[5 frames hidden]" stands for library frames, below which only those are printed that lead out. Frames below 1 % were cut, their
 * time is that of the frame above. Times have three decimals. Colours are left out.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "base/text.h"
#include "load/read/head.h"
#include "load/read/loader.h"
#include "load/sampler/pyinstrument/pyi.h"

#define ROUNDING_NS 20000000	/* of three decimals, for twenty children */

struct text_reader {
	struct load_ctx *lx;
	struct pyi_nodes t;
	VEC(uint32_t) column;	/* of each node */
	char *line;
	size_t cap, n;
	ns_t wall, cpu;
	int64_t samples;
	char version[24], target[256];
	uint64_t hidden;
};

/* Copies the line without colours. */
static void take_line(struct text_reader *r, const char *s, size_t n)
{
	if (r->cap < n + 1) {
		r->cap = mem_grow(r->cap, n + 1);
		r->line = xrealloc(r->line, r->cap);
	}
	r->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == 27 && i + 1 < n && s[i + 1] == '[') {
			while (i < n && !isalpha((unsigned char)s[i]))
				i++;
			continue;
		}
		r->line[r->n++] = s[i];
	}
	r->line[r->n] = '\0';
}

static const char *word_after(const struct text_reader *r, const char *label, size_t *n)
{
	const char *at = memmem(r->line, r->n, label, strlen(label)), *end = r->line + r->n;

	if (!at)
		return NULL;
	at += strlen(label);
	while (at < end && *at == ' ')
		at++;
	for (*n = 0; at + *n < end && at[*n] != ' '; )
		++*n;
	return *n ? at : NULL;
}

static void read_fact(const struct text_reader *r, const char *label, int digits, int64_t *out)
{
	size_t n;
	const char *s = word_after(r, label, &n);
	int64_t v;

	if (s && decimal_scaled(s, n, digits, &v, NULL) && v >= 0)
		*out = v;
}

static void read_head(struct text_reader *r)
{
	static const char *const targets[] = { "Program: ", "Profile at " };
	const char *v = memmem(r->line, r->n, "/   _/", 6);
	size_t n;

	read_fact(r, "Samples:", 0, &r->samples);
	read_fact(r, "Duration:", 9, &r->wall);
	read_fact(r, "CPU time:", 9, &r->cpu);
	if (v && (v = word_after(r, "/   _/", &n)) && *v == 'v')
		snprintf(r->version, sizeof(r->version), "%.*s", (int)(n - 1), v + 1);
	for (size_t i = 0; i < 2; i++)
		if (r->n > strlen(targets[i]) && text_starts(r->line, r->n, targets[i]) && !r->target[0])
			snprintf(r->target, sizeof(r->target), "%s", r->line);
}

/* ---- the tree ------------------------------------------------------------------------------------------------------- */

/* Skips what draws the branches; the column in characters. */
static const char *behind_branches(const struct text_reader *r, uint32_t *column)
{
	const char *s = r->line, *end = s + r->n;

	for (*column = 0; s < end; ++*column) {
		if (strchr(" |`-", *s) && *s)
			s++;
		else if ((unsigned char)*s == 0xe2 && end - s >= 3 && ((unsigned char)s[1] == 0x94 || (unsigned char)s[1] == 0x95))
			s += 3;		/* ─ │ ├ └ and their like: U+2500 … U+257F */
		else
			break;
	}
	return s;
}

static bool hidden_frames(struct text_reader *r, const char *s)
{
	size_t n = (size_t)(r->line + r->n - s);
	int64_t v;
	size_t d = 1;

	if (!n || *s != '[' || !memmem(s, n, " frames hidden]", 15))
		return false;
	while (d < n && isdigit((unsigned char)s[d]))
		d++;
	if (d > 1 && decimal_scaled(s + 1, d - 1, 0, &v, NULL) && v < INT32_MAX)
		r->hidden += (uint64_t)v;
	return true;
}

static str_id intern(struct text_reader *r, const char *s, size_t n)
{
	return n ? builder_intern(r->lx->builder, s, n) : ID_NONE;
}

/* "Class.function  file:line": two blanks between; built-ins have qualified names of their own. */
static void name_frame(struct text_reader *r, struct frame_node *f, const char *s)
{
	const char *end = r->line + r->n, *gap = memmem(s, (size_t)(end - s), "  ", 2), *file, *dot = NULL, *colon;
	int64_t line;

	file = gap ? gap + 2 : end;
	gap = gap ? gap : end;
	colon = memrchr(file, ':', (size_t)(end - file));
	if (colon && decimal_scaled(colon + 1, (size_t)(end - colon - 1), 0, &line, NULL) && line > 0 && line <= INT32_MAX)
		f->line = (int32_t)line;
	else
		colon = end;
	f->kind = pyi_kind(s, (size_t)(gap - s));
	if (f->kind == NODE_CODE)
		f->file = intern(r, file, (size_t)(colon - file));
	if (f->line)
		dot = memrchr(s, '.', (size_t)(gap - s));
	if (dot && dot > s && dot + 1 < gap) {
		f->class_name = intern(r, s, (size_t)(dot - s));
		s = dot + 1;
	}
	f->function = intern(r, s, (size_t)(gap - s));
}

static int32_t parent_at(const struct text_reader *r, uint32_t column)
{
	int32_t at = (int32_t)r->t.v.n - 1;

	while (at >= 0 && r->column.a[at] >= column)
		at = r->t.v.a[at].parent;
	return at;
}

static void read_node(struct text_reader *r)
{
	struct frame_node f = { .function = ID_NONE, .file = ID_NONE, .class_name = ID_NONE, .samples = I64_UNKNOWN };
	uint32_t column;
	const char *s = behind_branches(r, &column);
	size_t n = 0;

	if (hidden_frames(r, s))
		return;
	while (isdigit((unsigned char)s[n]) || s[n] == '.')
		n++;
	if (!n || s[n] != ' ' || !s[n + 1] || !decimal_scaled(s, n, 9, &f.total_ns, NULL))
		return;
	if (strncmp(s + n + 1, "[self]", 6) == 0)
		return;		/* time of the frame above */
	name_frame(r, &f, s + n + 1);
	f.parent = parent_at(r, column);
	VEC_PUSH(&r->t.v, f);
	VEC_PUSH(&r->column, column);
}

static bool use(struct text_reader *r, struct err *e)
{
	struct builder *b = r->lx->builder;

	if (!r->t.v.n)
		return err_set(e, ERR_FORMAT, _("a text of pyinstrument without a frame"));
	builder_set_format(b, FORMAT_PYI_TEXT);
	builder_set_producer(b, "pyinstrument", r->version[0] ? r->version : NULL);
	builder_caps(b, CAP_SAMPLES);
	builder_sampled_wall(b, r->wall, r->cpu);
	if (r->samples != I64_UNKNOWN)
		builder_content(b, "samples", 7, (uint64_t)r->samples);
	if (r->target[0])
		builder_option_command(b, "target", CMDLINE_TARGET, r->target, strlen(r->target));
	pyi_nodes_emit(&r->t, b, ROUNDING_NS);
	builder_content(b, "frames", 6, r->t.v.n);
	builder_note(b, ngettext("pyinstrument's text: frames below 1 %% are cut, %llu library frame is hidden, times have three decimals; "
		"-r session keeps all", "pyinstrument's text: frames below 1 %% are cut, %llu library frames are hidden, times have three decimals; "
		"-r session keeps all", (unsigned long)r->hidden), (unsigned long long)r->hidden);
	return true;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct text_reader r = { .lx = lx, .wall = NS_UNKNOWN, .cpu = NS_UNKNOWN, .samples = I64_UNKNOWN };
	struct textwin w;
	bool ok = textwin_open(&w, lx, path, e);
	const char *s;
	size_t n;
	int64_t at;

	while (ok && textwin_line(&w, &s, &n, &at)) {
		take_line(&r, s, n);
		if (!r.t.v.n)
			read_head(&r);
		read_node(&r);
	}
	ok = ok && !w.failed && use(&r, e);
	if (ok)
		textwin_finish(&w);
	textwin_close(&w);
	VEC_FREE(&r.t.v);
	VEC_FREE(&r.column);
	free(r.line);
	return ok;
}

static int probe(const struct probe *p)
{
	return head_has(p, "_     ._   __/__   _ _  _  _ _/_") ? 95 : 0;
}

const struct loader loader_pyi_text = {
	.name = "pyinstrument-text",
	.what = N_("pyinstrument's text, as a last resort"),
	.probe = probe,
	.load = load,
};
