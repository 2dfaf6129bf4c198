/*
 * flame_svg.c - reads flame graphs (SVG) of py-spy, inferno and flamegraph.pl: the stacks are recovered from the boxes.
 *
 * A box: <g><title>NAME (1,234 samples, 2.77%)</title><rect x= y= width= … fg:x="100" fg:w="1234"/>…. The title has name and exact
 * count (what is drawn inside is cut short). y is the level: that of "all" is the outermost, at the top (inverted, py-spy) or at the
 * bottom. fg:x and fg:w are sample offsets, so that the box above which contains it is the parent, exactly; older files have
 * pixels with a decimal or none, where the parent is the box with the largest overlap whose samples are not all given away yet.
 * What a box has beyond its children is its own: boxes narrower than 0.1 % were not drawn, their samples are in those above.
 *
 * The heading of py-spy's graphs is its command line: the rate is there, 100 per second where it does not say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "base/map.h"
#include "load/frame_text.h"
#include "load/head.h"
#include "load/loader.h"
#include "load/textwin.h"

#define PYSPY_RATE 100

struct box {
	uint32_t frame;
	int64_t x, w, y;	/* samples, or thousandths of a pixel or percent */
	int64_t count, left;	/* left: not given to children */
	uint32_t level, node;
};
struct reader {
	struct load_ctx *lx;
	struct textwin w;
	struct stacktree tree;
	struct map frame_of;	/* string of the builder -> frame */
	VEC(struct box) boxes;
	char *name;		/* of the title that was read last, unescaped; NULL none */
	size_t name_n;
	int64_t count;
	char unit[16];
	bool heading, exact;	/* heading: the next text is that of the graph; exact: all boxes have sample offsets */
	char *command;		/* py-spy's; NULL unknown */
	int64_t total;		/* total_samples of the file, -1 unknown */
	uint32_t all;		/* box "all" */
};

/* ---- XML, as far as it is needed ---------------------------------------------------------------------------- */

enum xml { XML_END, XML_TAG, XML_TEXT };

/* Bytes up to and with `word`; 0 where the text ends before it. */
static size_t upto(struct textwin *w, const char *word)
{
	size_t n = strlen(word), looked = 0;

	for (;;) {
		const char *at = memmem(w->p + looked, (size_t)(w->end - w->p) - looked, word, n);

		if (at)
			return (size_t)(at - w->p) + n;
		looked = (size_t)(w->end - w->p);
		looked = looked > n ? looked - n : 0;
		if (!textwin_more(w))
			return 0;
	}
}

static bool at(struct textwin *w, const char *word)
{
	size_t n = strlen(word);

	while ((size_t)(w->end - w->p) < n && textwin_more(w))
		;
	return (size_t)(w->end - w->p) >= n && memcmp(w->p, word, n) == 0;
}

/* Skips one comment or CDATA section; false if there is none, or it does not end. */
static bool skip_other(struct textwin *w)
{
	size_t len = at(w, "<!--") ? upto(w, "-->") : at(w, "<![CDATA[") ? upto(w, "]]>") : 0;

	w->p += len;
	return len > 0;
}

/* The next tag (without its brackets) or piece of text. */
static enum xml next(struct textwin *w, const char **s, size_t *n)
{
	size_t len;

	while (skip_other(w))
		;
	if (!at(w, "<")) {
		len = upto(w, "<");
		if (!len)
			return XML_END;
		*s = w->p;
		*n = len - 1;
		w->p += len - 1;
		return XML_TEXT;
	}
	len = upto(w, ">");
	if (!len)
		return XML_END;
	*s = w->p + 1;
	*n = len - 2;
	w->p += len;
	return XML_TAG;
}

static bool is_tag(const char *s, size_t n, const char *name)
{
	size_t k = strlen(name);

	return n >= k && memcmp(s, name, k) == 0 && (n == k || s[k] == ' ' || s[k] == '/' || s[k] == '\n' || s[k] == '\t');
}

/* Value of an attribute; NULL if there is none. */
static const char *attr(const char *s, size_t n, const char *name, size_t *len)
{
	size_t k = strlen(name);
	const char *from = s, *end = s + n, *hit, *quote;

	while ((hit = memmem(from, (size_t)(end - from), name, k))) {
		from = hit + k;
		if (hit == s || (hit[-1] != ' ' && hit[-1] != '\n' && hit[-1] != '\t') || end - from < 2 || from[0] != '=' || from[1] != '"')
			continue;
		quote = memchr(from + 2, '"', (size_t)(end - from - 2));
		if (!quote)
			return NULL;
		*len = (size_t)(quote - from - 2);
		return from + 2;
	}
	return NULL;
}

/* A number, times 10^digits; % is left out. */
static bool attr_number(const char *s, size_t n, const char *name, int digits, int64_t *out)
{
	size_t len;
	const char *v = attr(s, n, name, &len);

	if (v && len && v[len - 1] == '%')
		len--;
	return v && decimal_scaled(v, len, digits, out, NULL);
}

static size_t put_code(char *to, unsigned long c)
{
	if (c < 0x80) {
		*to = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c > 0xffff)
		c = 0xfffd;
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 0x3f));
	to[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* Takes an entity at *s; the bytes that it stands for are never more than its own. */
static size_t entity(const char **s, const char *end, char *to)
{
	static const struct { const char *text; char c; } known[] = {
		{ "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' }, { "&apos;", '\'' },
	};
	char digits[12];
	size_t n = 0;
	bool hex;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t k = strlen(known[i].text);

		if ((size_t)(end - *s) < k || memcmp(*s, known[i].text, k) != 0)
			continue;
		*s += k;
		*to = known[i].c;
		return 1;
	}
	if (end - *s > 3 && (*s)[1] == '#') {
		hex = (*s)[2] == 'x';
		for (const char *d = *s + 2 + hex; d < end && n < sizeof(digits) - 1 && *d != ';'; d++)
			digits[n++] = *d;
		digits[n] = '\0';
		if (n && *s + 2 + hex + n < end && (*s)[2 + hex + n] == ';' && strspn(digits, "0123456789abcdefABCDEF") == n) {
			*s += 3 + hex + n;
			return put_code(to, strtoul(digits, NULL, hex ? 16 : 10));
		}
	}
	*to = *(*s)++;
	return 1;
}

static char *unescape(const char *s, size_t n, size_t *out_n)
{
	char *out = xmalloc(n + 4);
	const char *end = s + n;
	size_t o = 0;

	while (s < end) {
		if (*s == '&')
			o += entity(&s, end, out + o);
		else
			out[o++] = *s++;
	}
	out[o] = '\0';
	*out_n = o;
	return out;
}

/* ---- boxes ---------------------------------------------------------------------------------------------------- */

/* "NAME (1,234 samples, 2.77%)": from the right, for names have parentheses too. */
static bool read_title(struct reader *r, char *s, size_t n)
{
	char digits[24];
	size_t k = 0, i = n, u = 0;
	bool exact;

	while (i && !(s[i - 1] == '(' && i > 1 && s[i - 2] == ' '))
		i--;
	if (!i || n - i > 80)
		return false;
	r->name_n = i - 2;
	for (; i < n && ((s[i] >= '0' && s[i] <= '9') || s[i] == ',' || s[i] == '.'); i++)
		if (s[i] != ',' && k < sizeof(digits) - 1)
			digits[k++] = s[i];
	if (!k || i >= n || s[i] != ' ' || !memchr(s + i, ',', n - i))
		return false;
	for (i++; i < n && s[i] != ',' && u < sizeof(r->unit) - 1; i++)
		r->unit[u++] = s[i];
	r->unit[u] = '\0';
	return decimal_scaled(digits, k, 0, &r->count, &exact) && exact;
}

static void take_title(struct reader *r, const char *s, size_t n)
{
	free(r->name);
	r->name = unescape(s, n, &r->name_n);
	if (read_title(r, r->name, r->name_n))
		return;
	free(r->name);
	r->name = NULL;
}

static uint32_t frame_of(struct reader *r)
{
	str_id id = builder_command(r->lx->builder, CMDLINE_PROCESS, r->name, r->name_n);
	uint32_t fresh = (uint32_t)r->tree.frames.n, i = map_get_or_put(&r->frame_of, id, 0, fresh);
	struct frame_text f;

	if (i == fresh) {
		frame_text_parse(r->name, r->name_n, &f);
		frame_text_add(&r->tree, &f);
	}
	return i;
}

static void take_rect(struct reader *r, const char *s, size_t n)
{
	struct box b = { .count = r->count, .left = r->count };
	bool exact;

	if (!r->name)
		return;
	exact = attr_number(s, n, "fg:x", 0, &b.x) && attr_number(s, n, "fg:w", 0, &b.w);
	if ((exact || (attr_number(s, n, "x", 3, &b.x) && attr_number(s, n, "width", 3, &b.w))) && attr_number(s, n, "y", 3, &b.y) &&
	    b.x >= 0 && b.w >= 0 && b.x < NS_LIMIT && b.w < NS_LIMIT) {
		r->exact &= exact;
		b.frame = frame_of(r);
		if (r->name_n == 3 && memcmp(r->name, "all", 3) == 0 && (r->all == ID_NONE || b.count > r->boxes.a[r->all].count))
			r->all = (uint32_t)r->boxes.n;
		VEC_PUSH(&r->boxes, b);
	} else {
		builder_damage(r->lx->builder, N_("boxes without a place"), textwin_offset(&r->w), 1);
	}
	free(r->name);
	r->name = NULL;
}

static void take_tag(struct reader *r, const char *s, size_t n, bool *title)
{
	size_t len;
	const char *v;

	*title = is_tag(s, n, "title");
	r->heading = false;
	if (is_tag(s, n, "rect")) {
		take_rect(r, s, n);
	} else if (is_tag(s, n, "svg")) {
		attr_number(s, n, "total_samples", 0, &r->total);
	} else if (is_tag(s, n, "text") && !r->command) {
		v = attr(s, n, "id", &len);
		r->heading = v && len == 5 && memcmp(v, "title", 5) == 0;
	}
}

static void read_boxes(struct reader *r)
{
	bool title = false;
	const char *s;
	size_t n;
	enum xml x;

	while ((x = next(&r->w, &s, &n)) != XML_END) {
		if (x == XML_TAG) {
			take_tag(r, s, n, &title);
			continue;
		}
		if (title)
			take_title(r, s, n);
		else if (r->heading)
			r->command = unescape(s, n, &n);
		title = r->heading = false;
	}
}

/* ---- the tree -------------------------------------------------------------------------------------------------- */

static int y_cmp(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* Levels by y, counted from the row of "all". False where the boxes are no flame graph. */
static bool set_levels(struct reader *r)
{
	size_t n = r->boxes.n, rows = 0;
	int64_t *y = xcalloc(n, sizeof(*y)), zero;
	bool down;

	for (size_t i = 0; i < n; i++)
		y[i] = r->boxes.a[i].y;
	qsort(y, n, sizeof(*y), y_cmp);
	for (size_t i = 0; i < n; i++)
		if (!i || y[i] != y[rows - 1])
			y[rows++] = y[i];
	zero = r->boxes.a[r->all].y;
	down = zero == y[0];
	for (size_t i = 0; i < n; i++) {
		const int64_t *row = bsearch(&r->boxes.a[i].y, y, rows, sizeof(*y), y_cmp);

		r->boxes.a[i].level = (uint32_t)(down ? row - y : y + rows - 1 - row);
	}
	down |= zero == y[rows - 1];
	free(y);
	return down;
}

static int box_cmp(const void *pa, const void *pb)
{
	const struct box *a = pa, *b = pb;

	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return (a->w < b->w) - (a->w > b->w);
}

static int64_t overlap(const struct box *a, const struct box *b)
{
	int64_t from = a->x > b->x ? a->x : b->x, to = a->x + a->w < b->x + b->w ? a->x + a->w : b->x + b->w;

	return to - from;	/* below 0: so far apart */
}

/* Among the boxes [lo, hi) of the level above, around *hint: the one that has room and overlaps most. */
static struct box *parent_of(struct reader *r, const struct box *b, size_t lo, size_t hi, size_t *hint)
{
	struct box *best = NULL;
	int64_t most = 0;

	while (*hint + 1 < hi && r->boxes.a[*hint + 1].x <= b->x)
		++*hint;
	for (size_t i = *hint > lo + 8 ? *hint - 8 : lo; i < hi && i < *hint + 8; i++) {
		struct box *up = &r->boxes.a[i];
		int64_t o = overlap(up, b);

		if (r->exact ? !(b->x >= up->x && b->x < up->x + up->w) : up->left < b->count || (o < 0 && b->w))
			continue;
		if (!best || o > most) {
			best = up;
			most = o;
		}
	}
	return best;
}

/* Gives each box its node, level by level: boxes are sorted. */
static void connect(struct reader *r)
{
	size_t lo = 0, hi = 0, orphans = 0;

	for (size_t i = 0; i < r->boxes.n; hi = i) {
		uint32_t level = r->boxes.a[i].level;
		size_t above = lo, hint = lo;

		lo = i;
		for (; i < r->boxes.n && r->boxes.a[i].level == level; i++) {
			struct box *b = &r->boxes.a[i], *up = level ? parent_of(r, b, above, hi, &hint) : NULL;

			if (level && !up) {
				orphans++;
				b->left = b->count = 0;
				continue;
			}
			b->node = level ? stacktree_child(&r->tree, up->node, b->frame) : STACK_ROOT;
			if (up)
				up->left -= b->count;
		}
	}
	if (orphans)
		builder_damage(r->lx->builder, N_("boxes that lie below none: left out"), -1, orphans);
}

/* "--rate 10", "-r 10", "--rate=10" of py-spy, before the command that it ran. */
static int64_t rate_of(const char *command, bool *given)
{
	const char *p = strstr(command, " -- ");
	size_t n = p ? (size_t)(p - command) : strlen(command);
	static const char *const words[] = { " --rate ", " --rate=", " -r " };
	long v;

	*given = true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *hit = memmem(command, n, words[i], strlen(words[i]));

		v = hit ? strtol(hit + strlen(words[i]), NULL, 10) : 0;
		if (v > 0 && v <= 1000000000)
			return v;
	}
	*given = false;
	return PYSPY_RATE;
}

/* Whether the heading is a command line of py-spy, whatever path it was called by. */
static bool of_pyspy(const char *command, const char *verb)
{
	size_t n = command ? strcspn(command, " ") : 0, k = strlen(verb);

	return n >= 6 && memcmp(command + n - 6, "py-spy", 6) == 0 && (n == 6 || command[n - 7] == '/' || command[n - 7] == '\\') &&
		strncmp(command + n, verb, k) == 0;
}

/* ns of a count; 0: the file does not say. */
static ns_t ns_of_unit(struct reader *r)
{
	static const struct { const char *unit; ns_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "seconds", 1000000000 },
	};
	struct builder *b = r->lx->builder;
	char text[32];
	int64_t rate;
	bool given;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(r->unit, units[i].unit) == 0)
			return units[i].ns;
	if (!of_pyspy(r->command, " record"))
		return 0;
	rate = rate_of(r->command, &given);
	snprintf(text, sizeof(text), "%" PRId64, rate);
	builder_option(b, "rate", text);
	if (!given)
		builder_note(b, "%s", _("py-spy's command line names no rate: times are of its default, 100 samples a second"));
	return (1000000000 + rate / 2) / rate;
}

static void add_own(struct reader *r, ns_t each, bool counted)
{
	uint64_t over = 0;

	for (size_t i = 0; i < r->boxes.n; i++) {
		const struct box *b = &r->boxes.a[i];
		ns_t ns;

		if (b->left < 0)
			over++;
		if (b->left <= 0)
			continue;
		if (__builtin_mul_overflow(b->left, each, &ns))
			ns = NS_LIMIT + 1;	/* too large: it will be said */
		stacktree_add(&r->tree, b->node, ns, counted ? b->left : 0);
	}
	if (over)
		builder_damage(r->lx->builder, N_("boxes whose children have more samples than they"), -1, over);
}

static void say(struct reader *r, bool pyspy, bool timed)
{
	struct builder *b = r->lx->builder;

	builder_set_format(b, FORMAT_FLAMEGRAPH);
	builder_set_producer(b, pyspy ? "py-spy" : r->exact ? "inferno" : "flamegraph.pl", NULL);
	builder_caps(b, CAP_SAMPLES);
	builder_content(b, "boxes", 5, r->boxes.n);
	if (r->command && pyspy)
		builder_option_command(b, "command", CMDLINE_PLAIN, r->command, strlen(r->command));
	if (!timed)
		builder_note(b, "%s", _("counts of samples without an interval: shares are known, times are not"));
	else if (pyspy)
		builder_note(b, "%s", _("py-spy counts the samples of running threads unless --idle was given: its times are active time, "
			"not wall time"));
	builder_note(b, "%s", _("a flame graph leaves out frames below 0.1 %: their samples are those of the frame above"));
}

static bool use(struct reader *r, struct err *e)
{
	bool pyspy = of_pyspy(r->command, ""), counted = strncmp(r->unit, "sample", 6) == 0;
	ns_t each;

	if (r->all == ID_NONE)
		return err_set(e, ERR_FORMAT, _("an SVG without the boxes of a flame graph"));
	if (strcmp(r->unit, "bytes") == 0)
		return err_set(e, ERR_FORMAT, _("a flame graph of bytes: memory, not time"));
	if (!set_levels(r))
		return err_set(e, ERR_FORMAT, _("the box \"all\" is neither on top nor at the bottom of this SVG"));
	qsort(r->boxes.a, r->boxes.n, sizeof(*r->boxes.a), box_cmp);
	connect(r);
	each = ns_of_unit(r);
	counted |= !each;
	add_own(r, each, counted);
	say(r, pyspy, each > 0);
	stacktree_emit(&r->tree, (each ? STACKS_TIMED : 0u) | (counted ? STACKS_COUNTED : 0u));
	if (counted)
		builder_content(r->lx->builder, "samples", 7, (uint64_t)r->tree.samples);
	if (r->total >= 0 && counted && r->total != r->tree.samples)
		builder_damage(r->lx->builder, N_("samples that the file counts and its boxes do not have"), -1,
			(uint64_t)(r->total > r->tree.samples ? r->total - r->tree.samples : r->tree.samples - r->total));
	return true;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct reader r = { .lx = lx, .exact = true, .total = -1, .all = ID_NONE };
	bool ok = textwin_open(&r.w, lx, path, e);

	stacktree_init(&r.tree, lx->builder);
	if (ok) {
		read_boxes(&r);
		ok = !r.w.failed && use(&r, e);
	}
	if (ok)
		textwin_finish(&r.w);
	ok = ok && !r.w.failed;
	textwin_close(&r.w);
	stacktree_fini(&r.tree);
	map_fini(&r.frame_of);
	VEC_FREE(&r.boxes);
	free(r.name);
	free(r.command);
	return ok;
}

static int probe(const struct probe *p)
{
	return head_first(p) == '<' && head_has(p, "<svg") && (head_has(p, "flamegraph") || head_has(p, "fg:w") ||
		head_has(p, "samples")) ? 90 : 0;
}

const struct loader loader_flame_svg = {
	.name = "flamegraph",
	.what = N_("flame graphs (SVG) of py-spy, inferno and flamegraph.pl"),
	.probe = probe,
	.load = load,
};
