/*
 * sections.c - the section files that a result carries: which metrics they show, in which order and under which label; see report.h
 *
 * A section: 1 identifier, 2 display name, 3 order, 4 header {2 metrics}, 5 bodies {1 items}. A metric: 1 name, 2 label, 6 filter,
 * 7 options {1 name, 2 label, 3 filter}: the first of them that the launch has and whose filter lets the device pass; the first that
 * passes, without a value, where the launch has none (a kernel that failed under the profiler). Lines stand in order of the metrics' names, sections in their own order, as NVIDIA's command line prints them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "load/ncu/report.h"

enum { RESULT_SECTION = 17, RESULT_RULE = 19 };
enum { SECTION_ID = 1, SECTION_NAME = 2, SECTION_ORDER = 3, SECTION_HEADER = 4, SECTION_BODY = 5 };
enum { ITEM_BARS = 2, BARS_METRIC = 5 };
enum { LINE_NAME = 1, LINE_LABEL = 2, LINE_FILTER = 6, LINE_OPTION = 7, OPTION_FILTER = 3 };

/* ---- filters ------------------------------------------------------------------------------ */

/* {1 lowest, 2 highest} of compute capabilities; 0 and missing: no limit. */
static bool in_range(const struct result *x, struct msg in)
{
	uint64_t lo = msg_number(in, 1, 0), hi = msg_number(in, 2, 0);

	return !x->cc || (x->cc >= lo && (!hi || x->cc <= hi));
}

/* A range, and 3 more of which one has to fit. */
static bool passes(const struct result *x, struct msg filter)
{
	bool any = false, fits = false;
	struct msg_field f;

	if (!in_range(x, filter))
		return false;
	while (msg_next(&filter, &f)) {
		if (f.number != 3 || f.wire != WIRE_BYTES)
			continue;
		any = true;
		fits |= in_range(x, f.in);
	}
	return !any || fits;
}

/* ---- lines -------------------------------------------------------------------------------- */

struct sections_line {
	struct msg name;	/* of the metric */
	struct section_line out;
};
struct sections_lines {
	struct result *x;
	struct section_line of;	/* section and title */
	struct map labels;	/* of bar charts: (metric, 0) -> label */
	VEC(struct sections_line) a;
	VEC(char *) lists;	/* that names lie in */
};

static bool add_line(struct sections_lines *ls, struct msg name, struct msg label)
{
	struct section_line l = ls->of;
	const struct kernel_metric *m;
	str_id id = report_text(ls->x->r, name);
	uint32_t bars;

	m = id == ID_NONE ? NULL : result_metric(ls->x, id, &l.metric);
	if (!m)
		return false;
	bars = map_find(&ls->labels, id, 0);
	l.label = bars != MAP_NONE ? bars : msg_len(label) ? report_text(ls->x->r, label) : id;
	VEC_PUSH(&ls->a, (struct sections_line){ name, l });
	return true;
}

/*
 * "regex:…": the metric's value is the list of the names that it stands for. A list may be referred to often: all of them together are
 * not followed for longer than the result is.
 */
static void add_list(struct sections_lines *ls, struct msg name)
{
	struct result *x = ls->x;
	const struct kernel_metric *m;
	const char *s;
	char *list;
	uint32_t index;
	size_t n;

	m = result_metric(x, report_text(x->r, name), &index);
	if (!m || m->kind != METRIC_TEXT)
		return;
	s = builder_str(x->r->b, (str_id)m->bits, &n);
	if (n > msg_len(x->r->entry) - x->lists) {
		report_damage(x->r, N_("lists of metrics that are longer than their result"), name.p);
		return;
	}
	x->lists += n;
	list = xmemdup0(s, n);	/* what builder_str() gives does not outlive the next name */
	VEC_PUSH(&ls->lists, list);
	for (char *at = list, *next; at; at = next) {
		const unsigned char *p = (unsigned char *)at;
		size_t len;

		next = strchr(at, ',');
		len = next ? (size_t)(next - at) : strlen(at);
		next = next ? next + 1 : NULL;
		add_line(ls, (struct msg){ p, p + len }, (struct msg){ p, p });
	}
}

static bool is_list(struct msg name)
{
	return msg_len(name) > 6 && memcmp(name.p, "regex:", 6) == 0;
}

static void read_line(struct sections_lines *ls, struct msg in)
{
	struct msg name = msg_bytes(in, LINE_NAME), label = msg_bytes(in, LINE_LABEL), lacking = { 0 };
	struct msg_field f;

	if (is_list(name)) {
		add_list(ls, name);
		return;
	}
	if (passes(ls->x, msg_bytes(in, LINE_FILTER))) {
		if (add_line(ls, name, label))
			return;
		lacking = name;
	}
	while (msg_next(&in, &f)) {
		struct msg own;

		if (f.number != LINE_OPTION || f.wire != WIRE_BYTES || !passes(ls->x, msg_bytes(f.in, OPTION_FILTER)))
			continue;
		own = msg_bytes(f.in, LINE_LABEL);
		name = msg_bytes(f.in, LINE_NAME);
		if (add_line(ls, name, msg_len(own) ? own : label))
			return;
		lacking = msg_len(lacking) ? lacking : name;
	}
	if (msg_len(lacking)) {
		result_lacks(ls->x, report_text(ls->x->r, lacking));
		add_line(ls, lacking, label);
	}
}

/* The bar charts of a body name the same metrics once more, with the labels that are shown. */
static void read_labels(struct sections_lines *ls, struct msg body)
{
	struct msg_field item, bars, f;

	while (msg_next(&body, &item)) {
		if (item.number != 1 || item.wire != WIRE_BYTES)
			continue;
		while (msg_next(&item.in, &bars)) {
			if (bars.number != ITEM_BARS || bars.wire != WIRE_BYTES)
				continue;
			while (msg_next(&bars.in, &f)) {
				str_id id, label;

				if (f.number != BARS_METRIC || f.wire != WIRE_BYTES)
					continue;
				id = report_text(ls->x->r, msg_bytes(f.in, LINE_NAME));
				label = report_text(ls->x->r, msg_bytes(f.in, LINE_LABEL));
				if (id != ID_NONE && label != ID_NONE)
					map_put(&ls->labels, id, 0, label);
			}
		}
	}
}

static int line_cmp(const void *va, const void *vb)
{
	const struct sections_line *a = va, *b = vb;
	size_t n = msg_len(a->name), m = msg_len(b->name);
	int c = n && m ? memcmp(a->name.p, b->name.p, n < m ? n : m) : 0;

	c = c ? c : (n > m) - (n < m);
	return c ? c : (a->out.metric > b->out.metric) - (a->out.metric < b->out.metric);
}

void result_section_lines(struct result *x, struct msg section)
{
	struct sections_lines ls = { .x = x, .of = { .section = report_text(x->r, msg_bytes(section, SECTION_ID)),
		.title = report_text(x->r, msg_bytes(section, SECTION_NAME)) } };
	struct msg header = msg_bytes(section, SECTION_HEADER);
	struct msg_field f;

	while (msg_next(&section, &f))
		if (f.number == SECTION_BODY && f.wire == WIRE_BYTES)
			read_labels(&ls, f.in);
	report_rest(x->r, section);
	while (msg_next(&header, &f))
		if (f.number == 2 && f.wire == WIRE_BYTES)
			read_line(&ls, f.in);
	report_rest(x->r, header);
	if (ls.a.n)
		qsort(ls.a.a, ls.a.n, sizeof(*ls.a.a), line_cmp);
	for (size_t i = 0; i < ls.a.n; i++)
		builder_section_line(x->r->b, &ls.a.a[i].out);
	map_fini(&ls.labels);
	for (size_t i = 0; i < ls.lists.n; i++)
		free(ls.lists.a[i]);
	VEC_FREE(&ls.lists);
	VEC_FREE(&ls.a);
}

/* ---- sections and rules in order ---------------------------------------------------------- */

struct sections_part {			/* a section, or a message of a rule */
	uint64_t order;
	size_t nr;		/* as it stands in the file */
	struct msg in;
	struct kernel_rule rule;
};
struct sections_parts {
	VEC(struct sections_part) a;
	const struct map *places;	/* of rules: (section, 0) -> its place */
};

static int part_cmp(const void *va, const void *vb)
{
	const struct sections_part *a = va, *b = vb;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return (a->nr > b->nr) - (a->nr < b->nr);
}

static void sort_parts(struct sections_parts *ps)
{
	if (ps->a.n)
		qsort(ps->a.a, ps->a.n, sizeof(*ps->a.a), part_cmp);
}

static void add_rule(void *arg, const struct kernel_rule *r)
{
	struct sections_parts *ps = arg;

	VEC_PUSH(&ps->a, (struct sections_part){ .order = map_find(ps->places, r->section, 0), .nr = ps->a.n, .rule = *r });
}

void result_sections(struct result *x, struct msg entry)
{
	struct map places = { 0 };
	struct sections_parts sections = { 0 }, rules = { .places = &places };
	struct msg_field f;

	for (struct msg in = entry; msg_next(&in, &f);)
		if (f.number == RESULT_SECTION && f.wire == WIRE_BYTES)
			VEC_PUSH(&sections.a, (struct sections_part){ .order = msg_number(f.in, SECTION_ORDER, 0), .nr = sections.a.n, .in = f.in });
	sort_parts(&sections);
	for (size_t i = 0; i < sections.a.n; i++) {
		map_put(&places, report_text(x->r, msg_bytes(sections.a.a[i].in, SECTION_ID)), 0, (uint32_t)i);
		result_section_lines(x, sections.a.a[i].in);
		result_roofs(x, sections.a.a[i].in);
	}
	for (struct msg in = entry; msg_next(&in, &f);)
		if (f.number == RESULT_RULE && f.wire == WIRE_BYTES)
			result_rule(x, f.in, add_rule, &rules);
	sort_parts(&rules);
	for (size_t i = 0; i < rules.a.n; i++)
		builder_kernel_rule(x->r->b, &rules.a.a[i].rule);
	map_fini(&places);
	VEC_FREE(&sections.a);
	VEC_FREE(&rules.a);
}
