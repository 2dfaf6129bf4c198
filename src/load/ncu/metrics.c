/* metrics.c - the metrics of one profiled launch, and what its reader shares; see report.h */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "load/ncu/report.h"

/* Field numbers. */
enum { METRIC_NAME = 1, METRIC_VALUE = 2, METRIC_INSTANCE = 3 };
enum { VALUE_STRING = 1, VALUE_FLOAT = 2, VALUE_DOUBLE = 3, VALUE_U32 = 4, VALUE_U64 = 5 };

void report_damage(const struct report *r, const char *what, const unsigned char *at)
{
	builder_damage(r->b, what, r->entry_at + (at - r->entry.p), 1);
}

void report_rest(const struct report *r, struct msg rest)
{
	if (rest.p != rest.end && !r->cut)
		report_damage(r, N_("messages that can be read in part only"), rest.p);
}

str_id report_text(const struct report *r, struct msg text)
{
	return msg_len(text) ? builder_intern(r->b, (const char *)text.p, msg_len(text)) : ID_NONE;
}

/* ---- values ------------------------------------------------------------------------------- */

static double float_of(uint64_t bits)
{
	union { uint32_t u; float f; } x = { .u = (uint32_t)bits };

	return (double)x.f;
}

/* The first kind that is present; none: an empty value, which is none. */
static enum metric_kind read_value(const struct report *r, struct msg in, uint64_t *bits)
{
	struct msg_field f;

	*bits = 0;
	while (msg_next(&in, &f)) {
		if (f.number == VALUE_STRING && f.wire == WIRE_BYTES) {
			*bits = builder_intern(r->b, (const char *)f.in.p, msg_len(f.in));
			return METRIC_TEXT;
		}
		if (f.number == VALUE_FLOAT && f.wire == WIRE_FIXED32) {
			*bits = metric_bits(float_of(f.v));
			return METRIC_REAL;
		}
		if (f.number == VALUE_DOUBLE && f.wire == WIRE_FIXED64) {
			*bits = f.v;
			return METRIC_REAL;
		}
		if ((f.number == VALUE_U32 || f.number == VALUE_U64) && f.wire == WIRE_VARINT) {
			*bits = f.v;
			return METRIC_WHOLE;
		}
	}
	report_rest(r, in);
	return METRIC_NONE;
}

static void read_instance(const struct report *r, struct msg in)
{
	struct metric_instance i = { 0 };
	struct msg_field f;

	while (msg_next(&in, &f)) {
		if (f.wire != WIRE_BYTES)
			continue;
		if (f.number == 1)
			i.at_kind = read_value(r, f.in, &i.at);
		else if (f.number == 2)
			i.kind = read_value(r, f.in, &i.bits);
	}
	report_rest(r, in);
	if (i.kind != METRIC_NONE)
		builder_instance(r->b, &i);
}

/* A name beyond the table of strings is shown by its index. */
static str_id metric_name(const struct report *r, uint64_t id)
{
	char text[40];
	int n;

	if (id < r->names.n)
		return r->names.a[id];
	n = snprintf(text, sizeof(text), "metric#%llu", (unsigned long long)id);
	return builder_intern(r->b, text, (size_t)n);
}

static void own_metric(struct result *x, str_id name, enum metric_kind kind, uint64_t bits, uint32_t index)
{
	map_put(&x->metrics, name, 0, index);
	if (!x->own.n)
		x->first = index;
	VEC_PUSH(&x->own, (struct kernel_metric){ .bits = bits, .name = name, .kind = kind });
}

void result_read_metric(struct result *x, struct msg in)
{
	const struct report *r = x->r;
	uint64_t id = msg_number(in, METRIC_NAME, UINT64_MAX), bits = 0;
	struct msg value = msg_bytes(in, METRIC_VALUE);
	enum metric_kind kind;
	struct msg_field f;
	uint32_t index;
	str_id name;

	if (id == UINT64_MAX) {
		report_damage(r, N_("metrics without a name"), in.p);
		return;
	}
	kind = read_value(r, value, &bits);
	name = metric_name(r, id);
	index = builder_metric(r->b, name, kind, bits);
	while (msg_next(&in, &f))
		if (f.number == METRIC_INSTANCE && f.wire == WIRE_BYTES)
			read_instance(r, f.in);
	report_rest(r, in);
	own_metric(x, name, kind, bits, index);
}

void result_lacks(struct result *x, str_id name)
{
	own_metric(x, name, METRIC_NONE, 0, builder_metric(x->r->b, name, METRIC_NONE, 0));
}

const struct kernel_metric *result_metric(const struct result *x, str_id name, uint32_t *index)
{
	uint32_t i = map_find(&x->metrics, name, 0);

	if (i == MAP_NONE)
		return NULL;
	*index = i;
	return &x->own.a[i - x->first];
}

double result_number(const struct result *x, struct msg name)
{
	const struct kernel_metric *m;
	uint32_t index;

	m = msg_len(name) ? result_metric(x, report_text(x->r, name), &index) : NULL;
	return m ? metric_number((enum metric_kind)m->kind, m->bits) : NAN;
}
