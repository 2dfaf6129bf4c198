/*
 * collapsed.c - reads collapsed stacks: "frame;frame;frame COUNT", outermost first, as py-spy -f raw, austin, perf with
 * stackcollapse, flamegraph.pl and others write them.
 *
 * COUNT is behind the last blank. It counts samples, whose interval the file does not say: such a source has no times. Austin
 * writes microseconds (1.x begins each stack with "Process PID;Thread ID", 3.x has header lines "# key: value"), and with -f
 * two more numbers behind them. Two numbers elsewhere are those of a differential: the second is that of the later run. Lines
 * that begin with # or // are comments; what is no stack is counted and skipped. A count alone, behind a blank, is that of samples
 * without a frame (py-spy).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "base/text.h"
#include "load/read/head.h"
#include "load/read/loader.h"
#include "load/read/text_window.h"
#include "load/stacks/frame_text.h"
#include "model/strtab.h"

enum { NUMBERS_MAX = 3 };

struct collapsed_reader {
	struct load_ctx *lx;
	struct stacktree tree;
	struct strtab texts;	/* frame number -> its text */
	int numbers;		/* behind each stack */
	bool austin, memory;	/* memory: the numbers are bytes */
	uint64_t stacks, bad, rounded;
	int64_t bad_at, rounded_at;
};

/* ---- a line ---------------------------------------------------------------------------------------------- */

/* Takes a number and the blanks before it off the end of the text; NULL if there is none. */
static const char *take_number(const char *s, size_t *n, size_t *len)
{
	size_t end = *n, at;

	while (end && (s[end - 1] == ' ' || s[end - 1] == '\t'))
		end--;
	for (at = end; at && s[at - 1] != ' ' && s[at - 1] != '\t'; at--)
		if (!isdigit((unsigned char)s[at - 1]) && !strchr("+-.eE", s[at - 1]))
			return NULL;
	if (text_ends(s, at, ";Thread "))
		return NULL;	/* austin: an id of digits alone */
	if (at == end || !at || !(isdigit((unsigned char)s[at]) || ((s[at] == '-' || s[at] == '.') && end - at > 1)))
		return NULL;
	*len = end - at;
	while (at && (s[at - 1] == ' ' || s[at - 1] == '\t'))
		at--;
	*n = at;
	return s + at + strspn(s + at, " \t");
}

/* The numbers at the end, first to last; how many there are, and *n shortened to the stack. */
static int take_numbers(const char *s, size_t *n, int max, const char *num[NUMBERS_MAX], size_t len[NUMBERS_MAX])
{
	const char *back[NUMBERS_MAX];
	size_t back_len[NUMBERS_MAX];
	int k = 0;

	while (k < max && (back[k] = take_number(s, n, &back_len[k])))
		k++;
	for (int i = 0; i < k; i++) {
		num[i] = back[k - 1 - i];
		len[i] = back_len[k - 1 - i];
	}
	return k;
}

static bool is_text(const struct collapsed_reader *r, uint32_t frame, const char *s, size_t n, size_t *len)
{
	const char *text = strtab_get(&r->texts, frame, len);

	return *len <= n && memcmp(text, s, *len) == 0 && (*len == n || s[*len] == ';');
}

static uint32_t frame_of(struct collapsed_reader *r, const char *s, size_t n)
{
	uint32_t id = strtab_intern(&r->texts, s, n);
	struct frame_text f;

	if (id == r->tree.frames.n) {
		frame_text_parse(s, n, &f);
		frame_text_add(&r->tree, &f);
	}
	return id;
}

/* The node of a stack. The next stack often begins like the one before: then a comparison finds each frame. */
static uint32_t node_of(struct collapsed_reader *r, const char *s, size_t n)
{
	uint32_t node = STACK_ROOT;

	while (n) {
		const struct stack_node *at = &r->tree.nodes.a[node];
		size_t len;

		if (!at->latest || !is_text(r, r->tree.nodes.a[at->latest].frame, s, n, &len) ||
		    (len + 1 < n && s[len + 1] == 'L' && frame_text_first(s, n) != len)) {
			len = frame_text_first(s, n);
			if (len)
				node = stacktree_child(&r->tree, node, frame_of(r, s, len));
		} else {
			node = at->latest;
		}
		len += len < n;
		s += len;
		n -= len;
	}
	return node;
}

/* Whether a line is to be read at all. *lead: blanks in front. */
static bool is_remark(const char *s, size_t n, size_t *lead)
{
	for (*lead = 0; *lead < n && (s[*lead] == ' ' || s[*lead] == '\t');)
		++*lead;
	s += *lead;
	n -= *lead;
	return !n || s[0] == '#' || (n > 1 && s[0] == '/' && s[1] == '/');
}

/* How many numbers follow the stacks: what all lines of the window have that have any. */
static void count_numbers(struct collapsed_reader *r, const struct textwin *w)
{
	const char *num[NUMBERS_MAX], *nl;
	size_t len[NUMBERS_MAX], lead;

	for (const char *s = w->p; s < w->end; s = nl + 1) {
		size_t n;
		int k;

		nl = memchr(s, '\n', (size_t)(w->end - s));
		nl = nl ? nl : w->end;
		n = (size_t)(nl - s);
		while (n && s[n - 1] == '\r')
			n--;
		if (is_remark(s, n, &lead))
			continue;
		r->austin |= text_starts(s, n, "Process ") && memmem(s, n, ";Thread ", 8);
		k = take_numbers(s, &n, r->austin ? NUMBERS_MAX : 2, num, len);
		if (k && n && (!r->numbers || k < r->numbers))
			r->numbers = k;
	}
	if (!r->numbers)
		r->numbers = 1;
}

static bool add_stack(struct collapsed_reader *r, const char *s, size_t n, int64_t offset)
{
	const char *num[NUMBERS_MAX];
	size_t len[NUMBERS_MAX];
	int64_t v;
	bool exact;
	int k;

	k = take_numbers(s, &n, r->numbers, num, len);
	if (k != r->numbers)
		return false;	/* none of n left: a sample without frames, as py-spy writes it */
	k = r->austin || k == 1 ? 0 : 1;
	if (!decimal_scaled(num[k], len[k], r->austin ? 3 : 0, &v, &exact) || v < 0)
		return false;
	if (!exact && !r->rounded++)
		r->rounded_at = offset;
	r->stacks++;
	r->tree.offset = offset;
	if (!stacktree_room(&r->tree, r->austin ? v : 0, r->austin ? 0 : v))
		return true;
	stacktree_add(&r->tree, node_of(r, s, n), r->austin ? v : 0, r->austin ? 0 : v);
	return true;
}

/* "# interval: 100": austin 3 says so what it did. */
static void read_header(struct collapsed_reader *r, const char *s, size_t n)
{
	const char *colon = memchr(s, ':', n);
	char key[32], value[64];

	if (!colon || n < 3 || s[0] != '#' || s[1] != ' ')
		return;
	snprintf(key, sizeof(key), "%.*s", (int)(colon - s - 2), s + 2);
	snprintf(value, sizeof(value), "%.*s", (int)(n - (size_t)(colon - s) - 1), colon + 1);
	if (strcmp(key, "austin") == 0)
		r->austin = true;
	if (r->austin && strcmp(key, "mode") == 0)
		r->memory = strstr(value, "memory") != NULL;
	if (r->austin && (strcmp(key, "interval") == 0 || strcmp(key, "mode") == 0))
		builder_option(r->lx->builder, key, value + (value[0] == ' '));
}

static void read_lines(struct collapsed_reader *r, struct textwin *w)
{
	const char *s;
	size_t n, lead;
	int64_t at;

	count_numbers(r, w);
	while (textwin_line(w, &s, &n, &at)) {
		if (is_remark(s, n, &lead))
			read_header(r, s + lead, n - lead);
		else if (!add_stack(r, s, n, at) && !r->bad++)
			r->bad_at = at;
	}
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static bool use(struct collapsed_reader *r, struct err *e)
{
	struct builder *b = r->lx->builder;

	if (!r->stacks)
		return err_set(e, ERR_FORMAT, _("no line is a collapsed stack with a count"));
	if (r->memory)
		return err_set(e, ERR_FORMAT, _("austin recorded memory here, not time"));
	builder_set_format(b, FORMAT_COLLAPSED);
	builder_set_producer(b, r->austin ? "austin" : "collapsed stacks", NULL);
	builder_caps(b, CAP_SAMPLES);
	stacktree_emit(&r->tree, r->austin ? STACKS_TIMED : STACKS_COUNTED);
	builder_content(b, "stacks", 6, r->stacks);
	if (!r->austin) {
		builder_content(b, "samples", 7, (uint64_t)r->tree.samples);
		builder_note(b, "%s", _("counts of samples without an interval: shares are known, times are not"));
	}
	if (!r->austin && r->numbers == 2)
		builder_note(b, "%s", _("two counts for each stack: the second, of the later run, was read"));
	if (r->bad)
		builder_damage(b, N_("lines that are no stack with a count"), r->bad_at, r->bad);
	if (r->rounded)
		builder_damage(b, N_("fractions of a count, which were rounded"), r->rounded_at, r->rounded);
	return true;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct collapsed_reader r = { .lx = lx };
	struct textwin w;
	bool ok = textwin_open(&w, lx, path, e);

	stacktree_init(&r.tree, lx->builder);
	if (ok) {
		read_lines(&r, &w);
		ok = !w.failed && use(&r, e);
	}
	if (ok)
		textwin_finish(&w);
	textwin_close(&w);
	stacktree_fini(&r.tree);
	strtab_fini(&r.texts);
	return ok && !w.failed;
}

/* ---- is it one? ------------------------------------------------------------------------------------------ */

/* Prose that ends in a number has blanks behind its semicolons. */
static bool is_stack_line(const char *s, size_t n, bool *several, bool *python)
{
	const char *num[NUMBERS_MAX];
	size_t len[NUMBERS_MAX];

	if (memmem(s, n, "; ", 2) && n > 8 && !text_starts(s, n, "process "))
		return false;
	if (!take_numbers(s, &n, NUMBERS_MAX, num, len) || !n)
		return false;
	*several |= memchr(s, ';', n) != NULL;
	*python |= s[n - 1] == ')' && memmem(s, n, ".py:", 4);
	return true;
}

static int probe(const struct probe *p)
{
	const char *at = p->head, *end = p->head + p->head_len;
	size_t good = 0, other = 0;
	bool several = false, python = false;

	if (!head_is_text(p) || head_first(p) == '{' || head_first(p) == '[' || head_begins(p, "<?") || head_begins(p, "<!"))
		return 0;
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((nl ? nl : end) - at);
		/* of UTF-16 the head holds half as many bytes as the file */
		bool whole = nl || 2 * (int64_t)p->head_len + 2 >= p->size_bytes;

		while (n && (at[n - 1] == '\r' || at[n - 1] == ' '))
			n--;
		if (n && at[0] != '#' && memcmp(at, "//", n < 2 ? n : 2) != 0 && whole) {
			bool is = is_stack_line(at, n, &several, &python);

			good += is;
			other += !is;
		} else if (!whole && !good && memchr(at, ';', n)) {
			several = true;	/* one stack that is longer than the head */
			good = 1;
		}
		at = nl ? nl + 1 : end;
	}
	return good && several && good >= other ? 60 : good && python ? 50 : 0;
}

const struct loader loader_collapsed = {
	.name = "collapsed",
	.what = N_("collapsed stacks (py-spy -f raw, austin, perf)"),
	.probe = probe,
	.load = load,
};
