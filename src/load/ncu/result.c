/* result.c - one profiled launch of a report: who it is, and its metrics; see report.h */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/sbuf.h"
#include "load/ncu/report.h"

/* Field numbers. */
enum { RESULT_FUNCTION = 6, RESULT_DEMANGLED = 7, RESULT_GRID = 10, RESULT_BLOCK = 11, RESULT_METRIC = 13, RESULT_WHEN = 14,
	RESULT_NVTX = 21, RESULT_CONTEXT = 22, RESULT_STREAM = 23 };
enum { METRIC_NAME = 1, METRIC_VALUE = 2, METRIC_INSTANCE = 3 };
enum { VALUE_STRING = 1, VALUE_FLOAT = 2, VALUE_DOUBLE = 3, VALUE_U32 = 4, VALUE_U64 = 5 };

void report_damage(const struct report *r, const char *what, const unsigned char *at)
{
	builder_damage(r->b, what, r->entry_at + (at - r->entry.p), 1);
}

void report_rest(const struct report *r, struct msg rest)
{
	if (rest.p != rest.end)
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

static void read_metric(struct result *x, struct msg in)
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

static double number_of(const struct result *x, const char *name)
{
	const unsigned char *s = (const unsigned char *)name;

	return result_number(x, (struct msg){ s, s + strlen(name) });
}

static unsigned capability(const struct result *x)
{
	double cc = 10 * number_of(x, "device__attribute_compute_capability_major") +
		number_of(x, "device__attribute_compute_capability_minor");

	return cc >= 10 && cc < 1000 ? (unsigned)cc : 0;
}

/* ---- the launch --------------------------------------------------------------------------- */

static uint32_t as_dim(uint64_t v)
{
	return v <= UINT32_MAX ? (uint32_t)v : 0;
}

static void read_dims(uint32_t out[3], struct msg in)
{
	for (uint32_t i = 0; i < 3; i++)
		out[i] = as_dim(msg_number(in, i + 1, 0));
}

/* A thread: {1 id, 2 domains: {1 id, 3 ranges: {1 name}}}. Appends its open ranges. */
static void read_ranges(struct msg in, struct sbuf *out)
{
	struct msg_field domain, range;

	while (msg_next(&in, &domain)) {
		if (domain.number != 2 || domain.wire != WIRE_BYTES)
			continue;
		while (msg_next(&domain.in, &range)) {
			struct msg name = range.wire == WIRE_BYTES && range.number == 3 ? msg_bytes(range.in, 1) : domain.in;

			if (range.number != 3 || range.wire != WIRE_BYTES || !msg_len(name))
				continue;
			if (out->n)
				sbuf_put(out, "/", 1);
			sbuf_put(out, (const char *)name.p, msg_len(name));
		}
	}
}

/* The ranges of the first thread that has any: the launch says its process, not which thread it was. */
static str_id read_nvtx(const struct report *r, struct msg in)
{
	struct sbuf text = { 0 };
	struct msg_field f;
	str_id id;

	while (!text.n && msg_next(&in, &f))
		if (f.number == 2 && f.wire == WIRE_BYTES)
			read_ranges(f.in, &text);
	id = text.n ? builder_intern(r->b, text.s, text.n) : ID_NONE;
	sbuf_fini(&text);
	return id;
}

static int64_t as_id(uint64_t v)
{
	return v <= INT64_MAX ? (int64_t)v : -1;
}

static void read_field(struct result *x, const struct msg_field *f, struct profiled_launch *l)
{
	const struct report *r = x->r;

	if (f->wire == WIRE_VARINT) {
		if (f->number == RESULT_WHEN)
			l->when_s = as_id(f->v);
		else if (f->number == RESULT_CONTEXT)
			l->context = as_id(f->v);
		else if (f->number == RESULT_STREAM)
			l->stream = as_id(f->v);
	} else if (f->wire == WIRE_BYTES) {
		if (f->number == RESULT_FUNCTION)
			l->function = report_text(r, f->in);
		else if (f->number == RESULT_DEMANGLED)
			l->name = report_text(r, f->in);
		else if (f->number == RESULT_GRID)
			read_dims(l->grid, f->in);
		else if (f->number == RESULT_BLOCK)
			read_dims(l->block, f->in);
		else if (f->number == RESULT_NVTX)
			l->nvtx = read_nvtx(r, f->in);
		else if (f->number == RESULT_METRIC)
			read_metric(x, f->in);
	}
}

bool report_result(struct report *r, struct msg entry)
{
	struct profiled_launch l = { .pid = r->pid, .context = -1, .stream = -1, .when_s = -1, .offset = r->entry_at,
		.name = ID_NONE, .function = ID_NONE, .nvtx = ID_NONE };
	struct result x = { .r = r };
	struct msg rest = entry;
	struct msg_field f;
	bool any;

	while (msg_next(&rest, &f))
		read_field(&x, &f, &l);
	report_rest(r, rest);
	any = x.own.n || l.name != ID_NONE || l.function != ID_NONE;
	if (any) {
		x.cc = capability(&x);
		result_sections(&x, entry);
		if (l.name == ID_NONE)
			l.name = l.function;
		builder_launch(r->b, &l);
		r->launches++;
	}
	map_fini(&x.metrics);
	VEC_FREE(&x.own);
	return any;
}
