/*
 * flame_svg.c - reads flame graphs (SVG) of py-spy, inferno and flamegraph.pl: the stacks are recovered from the boxes.
 *
 * A box: <g><title>NAME (1,234 samples, 2.77%)</title><rect x= y= width= … fg:x="100" fg:w="1234"/>…. The title has name and exact
 * count (what is drawn inside is cut short). y is the level: that of "all" is the outermost, at the top (inverted, py-spy) or at the
 * bottom. fg:x and fg:w are sample offsets, so that the box above which contains it is the parent, exactly; older files have
 * pixels with a decimal or none, where the parent is the box with the largest overlap whose samples are not all given away yet.
 * What a box has beyond its children is its own: boxes narrower than 0.1 % were not drawn, their samples are in those above.
 *
 * What is no XML ends the reading: the boxes before it are used.
 *
 * The heading of py-spy's graphs is its command line: the rate is there, 100 per second where it does not say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "base/decimal.h"
#include "base/i18n.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "base/sorted.h"
#include "base/text.h"
#include "load/read/head.h"
#include "load/read/loader.h"
#include "load/read/text_window.h"
#include "load/stacks/frame_text.h"

#define PYSPY_RATE 100
#define TEXT_MAX (1u << 20)	/* of a title */

struct box {
	uint32_t frame;
	int64_t x, w, y;	/* samples, or thousandths of a pixel or percent */
	int64_t count, left;	/* left: not given to children */
	uint32_t level, node;
};
struct flame_svg_reader {
	struct load_ctx *lx;
	struct textwin w;
	struct stacktree tree;
	struct map frame_of;	/* string of the builder -> frame */
	VEC(struct box) boxes;
	XML_Parser xml;
	int64_t begin;		/* offset of its text in the file */
	bool declares;		/* entities: the file is refused */
	enum { WANT_NOTHING, WANT_TITLE, WANT_HEADING } want;	/* what the text is that is being read */
	struct sbuf text;
	uint64_t bad;		/* bytes that were replaced */
	int64_t bad_at;
	/* the title that was read last, if no box has taken it */
	bool named;
	struct sbuf name;
	int64_t count;
	char unit[16];
	bool exact;		/* all boxes have sample offsets */
	char *command;		/* py-spy's; NULL unknown */
	int64_t total;		/* total_samples of the file, -1 unknown */
	uint32_t all;		/* box "all" */
};

/* ---- attributes ---------------------------------------------------------------------------------------------- */

/* Value of an attribute; NULL if there is none. */
static const char *attr(const char *const *atts, const char *name)
{
	for (; *atts; atts += 2)
		if (strcmp(atts[0], name) == 0)
			return atts[1];
	return NULL;
}

/* A number, times 10^digits; % is left out. */
static bool attr_number(const char *const *atts, const char *name, int digits, int64_t *out)
{
	const char *v = attr(atts, name);
	size_t len = v ? strlen(v) : 0;

	if (len && v[len - 1] == '%')
		len--;
	return v && decimal_scaled(v, len, digits, out, NULL);
}

/* ---- boxes ---------------------------------------------------------------------------------------------------- */

/* "NAME (1,234 samples, 2.77%)": from the right, for names have parentheses too. */
static bool read_title(struct flame_svg_reader *r, const char *s, size_t n)
{
	char digits[24];
	size_t k = 0, i = n, u = 0;
	bool exact;

	while (i && !(s[i - 1] == '(' && i > 1 && s[i - 2] == ' '))
		i--;
	if (!i || n - i > 80)
		return false;
	sbuf_reset(&r->name);
	sbuf_put(&r->name, s, i - 2);
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

static uint32_t frame_of(struct flame_svg_reader *r)
{
	str_id id = builder_command(r->lx->builder, CMDLINE_PROCESS, sbuf_str(&r->name), r->name.n);
	uint32_t fresh = (uint32_t)r->tree.frames.n, i = map_get_or_put(&r->frame_of, id, 0, fresh);
	struct frame_text f;

	if (i == fresh) {
		frame_text_parse(sbuf_str(&r->name), r->name.n, &f);
		frame_text_add(&r->tree, &f);
	}
	return i;
}

static void take_rect(struct flame_svg_reader *r, const char *const *atts)
{
	struct box b = { .count = r->count, .left = r->count };
	bool exact;

	if (!r->named)
		return;
	r->named = false;
	exact = attr_number(atts, "fg:x", 0, &b.x) && attr_number(atts, "fg:w", 0, &b.w);
	if ((!exact && !(attr_number(atts, "x", 3, &b.x) && attr_number(atts, "width", 3, &b.w))) || !attr_number(atts, "y", 3, &b.y) ||
	    b.x < 0 || b.w < 0 || b.x >= NS_LIMIT || b.w >= NS_LIMIT) {
		builder_damage(r->lx->builder, N_("boxes without a place"), r->begin + XML_GetCurrentByteIndex(r->xml), 1);
		return;
	}
	r->exact &= exact;
	b.frame = frame_of(r);
	if (text_is(sbuf_str(&r->name), r->name.n, "all") && (r->all == ID_NONE || b.count > r->boxes.a[r->all].count))
		r->all = (uint32_t)r->boxes.n;
	VEC_PUSH(&r->boxes, b);
}

/* ---- XML -------------------------------------------------------------------------------------------------------- */

static void take_text(struct flame_svg_reader *r)
{
	if (r->want == WANT_TITLE && r->text.n)
		r->named = read_title(r, sbuf_str(&r->text), r->text.n);
	else if (r->want == WANT_HEADING && r->text.n)
		r->command = xstrdup(sbuf_str(&r->text));
	sbuf_reset(&r->text);
	r->want = WANT_NOTHING;
}

static void XMLCALL on_start(void *arg, const char *tag, const char **list)
{
	const char *const *atts = (const char *const *)list;
	struct flame_svg_reader *r = arg;
	const char *id;

	take_text(r);
	if (strcmp(tag, "title") == 0) {
		r->want = WANT_TITLE;
	} else if (strcmp(tag, "rect") == 0) {
		take_rect(r, atts);
	} else if (strcmp(tag, "svg") == 0) {
		attr_number(atts, "total_samples", 0, &r->total);
	} else if (strcmp(tag, "text") == 0 && !r->command) {
		id = attr(atts, "id");
		r->want = id && strcmp(id, "title") == 0 ? WANT_HEADING : WANT_NOTHING;
	}
}

static void XMLCALL on_end(void *arg, const char *tag)
{
	(void)tag;
	take_text(arg);
}

static void XMLCALL on_text(void *arg, const char *s, int n)
{
	struct flame_svg_reader *r = arg;

	if (r->want != WANT_NOTHING && r->text.n < TEXT_MAX)
		sbuf_put(&r->text, s, (size_t)n);
}

/* An entity that the DTD of SVG may have, which is not read: stays as it is. */
static void XMLCALL on_skipped(void *arg, const char *name, int parameter)
{
	if (parameter)
		return;
	on_text(arg, "&", 1);
	on_text(arg, name, (int)strlen(name));
	on_text(arg, ";", 1);
}

/* Entities that a file declares can grow without bound, and no flame graph has any. */
static void XMLCALL on_doctype(void *arg, const char *name, const char *system, const char *public, int internal)
{
	struct flame_svg_reader *r = arg;

	(void)name, (void)system, (void)public;
	r->declares = internal;
	if (internal)
		XML_StopParser(r->xml, XML_FALSE);
}

/*
 * What no XML may hold, and what is no UTF-8, becomes '?' byte by byte, so that one name does not end the file. Returns how many bytes
 * are whole characters.
 */
static size_t clean(struct flame_svg_reader *r, char *s, size_t n, bool last)
{
	uint32_t cp;

	for (size_t i = 0, len; i < n; i += len) {
		len = text_decode(s + i, n - i, &cp);
		if (len && (cp >= ' ' || cp == '\t' || cp == '\n' || cp == '\r') && cp != 0xfffe && cp != 0xffff)
			continue;
		if (!len) {
			len = text_bad_length(s + i, n - i);
			if (!last && len == n - i)
				return i;
		}
		if (!r->bad)
			r->bad_at = textwin_offset(&r->w) + (int64_t)i;
		r->bad += len;
		memset(s + i, '?', len);
	}
	return n;
}

/* Hands the window to the parser; false where it stops, or holds back more than a tag may have. */
static bool parse(struct flame_svg_reader *r, bool last)
{
	struct textwin *w = &r->w;
	size_t n = clean(r, w->p, (size_t)(w->end - w->p), last);
	bool good = XML_Parse(r->xml, w->p, (int)n, last) == XML_STATUS_OK;

	w->p += n;
	return good && textwin_offset(w) - r->begin - XML_GetCurrentByteIndex(r->xml) < TEXTWIN_LONGEST;
}

static void read_boxes(struct flame_svg_reader *r)
{
	bool good;

	r->begin = textwin_offset(&r->w);
	do
		good = parse(r, false);
	while (good && textwin_more(&r->w));
	if (r->w.failed || r->declares)
		return;
	if (!good || !parse(r, true))
		builder_damage(r->lx->builder, N_("no XML from here on: what follows is left out"),
			r->begin + XML_GetCurrentByteIndex(r->xml), 1);
	if (r->bad)
		builder_damage(r->lx->builder, N_("bytes that are no text, shown as ?"), r->bad_at, r->bad);
}

static XML_Parser parser_new(struct flame_svg_reader *r)
{
	static const XML_Memory_Handling_Suite memory = { .malloc_fcn = xmalloc, .realloc_fcn = xrealloc, .free_fcn = free };
	XML_Parser x = XML_ParserCreate_MM("UTF-8", &memory, NULL);

	if (!x)
		abort();	/* only for want of memory, which does not return */
	XML_SetUserData(x, r);
	XML_SetElementHandler(x, on_start, on_end);
	XML_SetCharacterDataHandler(x, on_text);
	XML_SetSkippedEntityHandler(x, on_skipped);
	XML_SetStartDoctypeDeclHandler(x, on_doctype);
	return x;
}

/* ---- the tree -------------------------------------------------------------------------------------------------- */

/* Levels by y, counted from the row of "all". False where the boxes are no flame graph. */
static bool set_levels(struct flame_svg_reader *r)
{
	size_t n = r->boxes.n, rows = 0;
	int64_t *y = xcalloc(n, sizeof(*y)), zero;
	bool down;

	for (size_t i = 0; i < n; i++)
		y[i] = r->boxes.a[i].y;
	i64_sort(y, n);
	for (size_t i = 0; i < n; i++)
		if (!i || y[i] != y[rows - 1])
			y[rows++] = y[i];
	zero = r->boxes.a[r->all].y;
	down = zero == y[0];
	for (size_t i = 0; i < n; i++) {
		const int64_t *row = bsearch(&r->boxes.a[i].y, y, rows, sizeof(*y), i64_cmp);

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
static struct box *parent_of(struct flame_svg_reader *r, const struct box *b, size_t lo, size_t hi, size_t *hint)
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
static void connect(struct flame_svg_reader *r)
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

	return text_ends(command, n, "py-spy") && (n == 6 || command[n - 7] == '/' || command[n - 7] == '\\') &&
		strncmp(command + n, verb, k) == 0;
}

/* ns of a count; 0: the file does not say. */
static ns_t ns_of_unit(struct flame_svg_reader *r)
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

static void add_own(struct flame_svg_reader *r, ns_t each, bool counted)
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
			ns = NS_LIMIT + 1;	/* saturate; stacktree_add() counts it as damage */
		stacktree_add(&r->tree, b->node, ns, counted ? b->left : 0);
	}
	if (over)
		builder_damage(r->lx->builder, N_("boxes whose children have more samples than they"), -1, over);
}

static void say(struct flame_svg_reader *r, bool pyspy, bool timed)
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

static bool use(struct flame_svg_reader *r, struct err *e)
{
	bool pyspy = of_pyspy(r->command, ""), counted = strncmp(r->unit, "sample", 6) == 0;
	ns_t each;

	if (r->declares)
		return err_set(e, ERR_FORMAT, _("an SVG that declares entities of its own is not read"));
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
	struct flame_svg_reader r = { .lx = lx, .exact = true, .total = -1, .all = ID_NONE };
	bool ok = textwin_open(&r.w, lx, path, e);

	stacktree_init(&r.tree, lx->builder);
	r.xml = parser_new(&r);
	if (ok) {
		read_boxes(&r);
		ok = !r.w.failed && use(&r, e);
	}
	if (ok)
		textwin_finish(&r.w);
	ok = ok && !r.w.failed;
	textwin_close(&r.w);
	XML_ParserFree(r.xml);
	stacktree_fini(&r.tree);
	map_fini(&r.frame_of);
	VEC_FREE(&r.boxes);
	sbuf_fini(&r.text);
	sbuf_fini(&r.name);
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
