/* result.c - one profiled launch of a report: who it is; see report.h */
#include <string.h>

#include "base/sbuf.h"
#include "load/ncu/report.h"

/* Field numbers. */
enum { RESULT_FUNCTION = 6, RESULT_DEMANGLED = 7, RESULT_GRID = 10, RESULT_BLOCK = 11, RESULT_METRIC = 13, RESULT_WHEN = 14,
	RESULT_NVTX = 21, RESULT_CONTEXT = 22, RESULT_STREAM = 23 };

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
			result_read_metric(x, f->in);
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
