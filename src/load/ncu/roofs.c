/*
 * roofs.c - roofline charts of a section: the roofs, and what the launch achieved below each; see report.h
 *
 * A body item 6: 4 roofs {1 peak work, 2 peak traffic, 3 {1 label}}, 5 achieved {1 work, 2 traffic, 3 {1 label}}. Work and traffic are
 * 2 {1 metric}, per second, or 3 {1 metrics {1 name}, to be summed, 2 {1 metric}, cycles per second to multiply them by}. What kind of work a
 * roof is of, and what memory its traffic is of, is told by the names of these metrics; a roof and an achieved point of the same kind
 * and level belong together.
 */
#include <math.h>
#include <string.h>

#include "load/ncu/report.h"

enum { SECTION_BODY = 5, ITEM_ROOFLINE = 6, CHART_ROOF = 4, CHART_ACHIEVED = 5 };

struct roofs_side {			/* a roof, or an achieved point */
	double work, traffic;
	const char *kind;	/* static; NULL: not told by the names */
	str_id label;
	enum memory_level level;
};

static bool has(struct msg name, const char *word)
{
	return msg_len(name) && memmem(name.p, msg_len(name), word, strlen(word));
}

static const char *work_kind(struct msg name)
{
	static const struct { const char *word, *kind; } kinds[] = {
		{ "src_bf16", "tensor-bf16" }, { "src_fp16", "tensor-fp16" }, { "src_tf32", "tensor-tf32" }, { "src_fp8", "tensor-fp8" },
		{ "src_fp64", "tensor-fp64" }, { "src_int8", "tensor-int8" }, { "tensor", "tensor" },
		{ "op_dfma", "fp64" }, { "op_dadd", "fp64" }, { "op_dmul", "fp64" },
		{ "op_ffma", "fp32" }, { "op_fadd", "fp32" }, { "op_fmul", "fp32" },
		{ "op_hfma", "fp16" }, { "op_hadd", "fp16" }, { "op_hmul", "fp16" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (has(name, kinds[i].word))
			return kinds[i].kind;
	return NULL;
}

static enum memory_level traffic_level(struct msg name)
{
	return has(name, "dram__") ? LEVEL_DRAM : has(name, "l1tex__") ? LEVEL_L1 : has(name, "lts__") ? LEVEL_L2 : LEVEL_UNKNOWN;
}

static void told_by(struct roofs_side *s, struct msg name)
{
	if (!s->kind)
		s->kind = work_kind(name);
	if (s->level == LEVEL_UNKNOWN)
		s->level = traffic_level(name);
}

/* NaN: a metric is missing. `s` learns from the names. */
static double quantity(const struct result *x, struct msg in, struct roofs_side *s)
{
	struct msg one = msg_bytes(in, 2), cycles = msg_bytes(in, 3), name;
	struct msg_field f;
	double sum = 0;

	if (msg_len(one)) {
		name = msg_bytes(one, 1);
		told_by(s, name);
		return result_number(x, name);
	}
	if (!msg_len(cycles))
		return NAN;
	for (struct msg at = cycles; msg_next(&at, &f);) {
		if (f.number != 1 || f.wire != WIRE_BYTES)
			continue;
		name = msg_bytes(f.in, 1);
		told_by(s, name);
		sum += result_number(x, name);
	}
	return sum * result_number(x, msg_bytes(msg_bytes(cycles, 2), 1));
}

static struct roofs_side read_side(const struct result *x, struct msg in)
{
	struct roofs_side s = { .level = LEVEL_UNKNOWN };

	s.work = quantity(x, msg_bytes(in, 1), &s);
	s.traffic = quantity(x, msg_bytes(in, 2), &s);
	s.label = report_text(x->r, msg_bytes(msg_bytes(in, 3), 1));
	return s;
}

static bool together(const struct roofs_side *a, const struct roofs_side *b)
{
	return a->level == b->level && a->kind && b->kind && strcmp(a->kind, b->kind) == 0;
}

/* Few: a chart has a roof for each kind of work and level. More than that are damage, and not matched against each other. */
enum { SIDES_MAX = 32 };

static void add_roof(const struct result *x, const struct roofs_side *roof, const struct roofs_side *points, size_t n, size_t nr)
{
	const struct roofs_side *of = NULL;
	struct kernel_roof out = { NAN, NAN, roof->work, roof->traffic, roof->label, roof->level };

	for (size_t i = 0; i < n && !of; i++)
		of = together(roof, &points[i]) ? &points[i] : NULL;
	if (!of && nr < n && !roof->kind)
		of = &points[nr];
	if (of) {
		out.flops = of->work;
		out.bytes_per_s = of->traffic;
	}
	if (roof->kind)
		out.roof = builder_intern(x->r->b, roof->kind, strlen(roof->kind));
	if (!isnan(out.peak_flops) || !isnan(out.peak_bytes_per_s) || !isnan(out.flops))
		builder_roof(x->r->b, &out);
}

static void read_chart(const struct result *x, struct msg chart)
{
	struct roofs_side roofs[SIDES_MAX], points[SIDES_MAX];
	size_t n_roofs = 0, n_points = 0;
	struct msg_field f;

	while (msg_next(&chart, &f)) {
		if (f.wire != WIRE_BYTES)
			continue;
		if (f.number == CHART_ROOF && n_roofs < SIDES_MAX)
			roofs[n_roofs++] = read_side(x, f.in);
		else if (f.number == CHART_ACHIEVED && n_points < SIDES_MAX)
			points[n_points++] = read_side(x, f.in);
	}
	for (size_t i = 0; i < n_roofs; i++)
		add_roof(x, &roofs[i], points, n_points, i);
}

void result_roofs(struct result *x, struct msg section)
{
	struct msg_field body, item, chart;

	while (msg_next(&section, &body)) {
		if (body.number != SECTION_BODY || body.wire != WIRE_BYTES)
			continue;
		while (msg_next(&body.in, &item)) {
			if (item.number != 1 || item.wire != WIRE_BYTES)
				continue;
			while (msg_next(&item.in, &chart))
				if (chart.number == ITEM_ROOFLINE && chart.wire == WIRE_BYTES)
					read_chart(x, chart.in);
		}
	}
}
