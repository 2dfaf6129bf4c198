/* nvtx.c - NVTX ranges, marks, domains and thread names, see nsys.h */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "load/nsys/nsys.h"

#define COL_ID(prefix, name)   prefix##_##name,
#define COL_NAME(prefix, name) #name,

/* clang-format off */
/* clang-format off */
#define NVTX_COLS(C) \
	C(NVTX, start) C(NVTX, end) C(NVTX, eventType) C(NVTX, text) C(NVTX, textId) \
	C(NVTX, globalTid) C(NVTX, domainId) C(NVTX, jsonTextId) C(NVTX, uint64Value) \
	C(NVTX, jsonText) \
	C(NVTX, int64Value) C(NVTX, doubleValue) C(NVTX, uint32Value) C(NVTX, int32Value) \
	C(NVTX, floatValue)
/* clang-format on */
enum { NVTX_COLS(COL_ID) NVTX_N };
static const char *const nvtx_cols[] = { NVTX_COLS(COL_NAME) };
/* clang-format on */

/* ENUM_NSYS_EVENT_TYPE */
enum {
	TYPE_MARK = 34,
	TYPE_THREAD_NAME = 39,
	TYPE_PUSH_POP = 59,
	TYPE_START_END = 60,
	TYPE_NVTXT_PUSH_POP = 70,
	TYPE_NVTXT_START_END = 71,
	TYPE_DOMAIN = 75
};

static void add_range(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l);
static void add_thread_name(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l);
static void add_domain(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l);

/* Other types (categories 33, destroyed domains 76, NVTXT meta 64 to 74) carry no event. */
static const struct {
	int64_t type;
	enum layer layer;
	void (*row)(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l);
} types[] = {
	{TYPE_PUSH_POP, LAYER_NVTX, add_range},
	{TYPE_START_END, LAYER_NVTX_SE, add_range},
	{TYPE_NVTXT_PUSH_POP, LAYER_NVTX, add_range},
	{TYPE_NVTXT_START_END, LAYER_NVTX_SE, add_range},
	{TYPE_MARK, LAYER_INSTANT, add_range},
	{TYPE_THREAD_NAME, LAYER_OTHER, add_thread_name},
	{TYPE_DOMAIN, LAYER_OTHER, add_domain},
};

/* A registered string (NCCL, TensorRT) before the text; "" when there is neither. */
static str_id nvtx_name(struct nsys_ctx *cx, struct nsys_scan *s)
{
	str_id name = nsys_name(cx, s, NVTX_textId, false);
	const char *p;
	size_t n;

	if (name != ID_NONE)
		return name;
	if (nsys_text(s, NVTX_text, &p, &n))
		return builder_intern(cx->b, p, n);
	return builder_intern(cx->b, "", 0);
}

/*
 * The payload of a range or a mark, as text; ID_NONE without one. At most one column has it: a number, or the fields of
 * an extended payload as JSON, which exports write with --include-json (TensorRT: the layer). 64 bits without a sign lie
 * in a signed column.
 */
static str_id nvtx_payload(struct nsys_ctx *cx, struct nsys_scan *s)
{
	str_id json = nsys_name(cx, s, NVTX_jsonTextId, false);
	const char *p;
	int64_t v;
	size_t n;

	if (json != ID_NONE)
		return json;
	if (nsys_int(s, NVTX_uint64Value, &v))
		return nsys_intern(cx, "%" PRIu64, (uint64_t)v);
	for (unsigned col = NVTX_jsonText; col < NVTX_N; col++) {
		if (nsys_any(s, col, &p, &n))
			return builder_intern(cx->b, p, n);
	}
	return ID_NONE;
}

static void domain_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	if (nsys_int_or(s, NVTX_eventType, TYPE_DOMAIN) == TYPE_DOMAIN)
		add_domain(cx, s, LAYER_OTHER);
}

static void add_domain(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l)
{
	uint64_t group = NSYS_GLOBAL_PID(nsys_int_or(s, NVTX_globalTid, 0));
	uint64_t id = (uint64_t)nsys_int_or(s, NVTX_domainId, 0);

	(void)l;
	map_get_or_put(&cx->domains, group, id, nvtx_name(cx, s));
}

/*
 * The name of a domain; ID_NONE for the default one. The row that creates a domain nearly always
 * comes before its ranges. Where it does not, one filtered walk fetches all such rows; files that
 * were cut have none ("domain 7").
 */
static str_id domain_name(struct nsys_ctx *cx, int64_t gtid, int64_t domain)
{
	static const struct nsys_table creations = {"NVTX_EVENTS", nvtx_cols, NVTX_N, domain_row};
	uint64_t group = NSYS_GLOBAL_PID(gtid);
	str_id name;

	if (!domain)
		return ID_NONE;
	name = map_find(&cx->domains, group, (uint64_t)domain);
	if (name == MAP_NONE && !cx->domains_read) {
		cx->domains_read = true;
		nsys_each_row_where(cx, &creations, "eventType", TYPE_DOMAIN);
		name = map_find(&cx->domains, group, (uint64_t)domain);
	}
	if (name == MAP_NONE) {
		name = nsys_intern(cx, "domain %" PRId64, domain);
		map_put(&cx->domains, group, (uint64_t)domain, name);
	}
	return name;
}

/* --python-sampling writes a mark for each sample; its stack is a payload that exports hold in binary form, if at all. */
static bool is_python_sampling(const struct nsys_ctx *cx, str_id domain)
{
	static const char name[] = "Python Periodic Sampling";
	size_t n;
	const char *s = builder_str(cx->b, domain, &n);

	return text_is(s, n, name);
}

static void add_range(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l)
{
	struct builder_event ev = {.corr = CORR_NONE, .ext = CORR_NONE, .aux = ID_NONE};
	int64_t gtid = nsys_int_or(s, NVTX_globalTid, 0), end;
	bool mark = l == LAYER_INSTANT, open = !mark && !nsys_int(s, NVTX_end, &end);
	str_id domain;

	/* a mark and an open range have no end: their start serves as one */
	if (!nsys_span(cx, s, NVTX_start, mark || open ? NVTX_start : NVTX_end, &ev))
		return;
	ev.name = nvtx_name(cx, s);
	ev.aux = nvtx_payload(cx, s);
	domain = domain_name(cx, gtid, nsys_int_or(s, NVTX_domainId, 0));
	if (mark && domain != ID_NONE && is_python_sampling(cx, domain))
		cx->python_samples++;
	builder_add(cx->b, nsys_host_track(cx, open ? LAYER_NVTX_OPEN : l, gtid, domain), &ev);
}

/* For files without ThreadNames, whose names otherwise win (nsys_read_names comes later). */
static void add_thread_name(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l)
{
	int64_t gtid;

	(void)l;
	if (nsys_int(s, NVTX_globalTid, &gtid))
		builder_thread_name(cx->b, nsys_thread(cx, gtid), nvtx_name(cx, s));
}

static void nvtx_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t type;

	if (!nsys_int(s, NVTX_eventType, &type))
		type = nsys_db_has(cx->db, "NVTX_EVENTS", "eventType") ? -1 : TYPE_PUSH_POP;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (types[i].type == type) {
			types[i].row(cx, s, types[i].layer);
			return;
		}
	}
}

const struct nsys_table nsys_nvtx = {"NVTX_EVENTS", nvtx_cols, NVTX_N, nvtx_row};
