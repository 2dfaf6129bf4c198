/*
 * json_row.c - lines of JSON exports as rows, see json_row.h. The legacy names follow real exports
 * (2022.4) and, for CUDA records, what readers of such files rely on.
 */
#include "load/nsys/json_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/nsys/nsys.h"

#define COUNT(a)  (sizeof(a) / sizeof(*(a)))
#define DEPTH_MAX 4

/* ---- an object ---- */

/* js is behind the value's first byte's blanks. */
static enum jstat read_value(struct jscan *js, struct jpair *p, char c)
{
	struct jscan from = *js;
	enum jstat st;

	if (c == '"') {
		p->kind = JCELL_TEXT;
		return jscan_string(js, &p->value);
	}
	if (c != '{' && c != '[') {
		p->kind = JCELL_WORD;
		return jscan_word(js, &p->value);
	}
	p->kind = c == '{' ? JCELL_OBJECT : JCELL_ARRAY;
	st = jscan_skip(js);
	p->value = (struct jstr){from.p, (size_t)(js->p - from.p), false};
	return st;
}

static bool read_members(struct jrow *r, struct jscan *js, uint8_t depth);

static bool read_pair(struct jrow *r, struct jscan *js, uint8_t depth)
{
	struct jpair spare, *p = r->n < JROW_PAIRS ? &r->pair[r->n] : &spare;
	struct jscan inside;
	char c;

	if (jscan_key(js, &p->key) != JS_OK)
		return false;
	c = jscan_peek(js);
	inside = *js;
	if (read_value(js, p, c) != JS_OK)
		return false;
	p->depth = depth;
	/* NULL is what is not there */
	if (p == &spare || (p->kind == JCELL_WORD && jstr_is(&p->value, "null")))
		return true;
	r->n++;
	return c != '{' || depth == DEPTH_MAX || read_members(r, &inside, depth + 1);
}

/* Depth is at most DEPTH_MAX. */
static bool read_members(struct jrow *r, struct jscan *js, uint8_t depth)
{
	char c;

	if (jscan_take(js, '{') != JS_OK)
		return false;
	while ((c = jscan_peek(js)) != '}') {
		if (c == ',')
			js->p++;
		else if (!read_pair(r, js, depth))
			return false;
	}
	js->p++;
	return true;
}

bool jrow_read(struct jrow *r, struct jscan *js)
{
	r->n = 0;
	r->offset = jscan_offset(js);
	return read_members(r, js, 0);
}

const struct jpair *jrow_find(const struct jrow *r, const char *key, uint8_t *hint)
{
	if (*hint < r->n && jstr_is(&r->pair[*hint].key, key))
		return &r->pair[*hint];
	for (unsigned i = 0; i < r->n; i++) {
		if (jstr_is(&r->pair[i].key, key)) {
			*hint = (uint8_t)i;
			return &r->pair[i];
		}
	}
	return NULL;
}

static bool pair_int(const struct jpair *p, int64_t *v)
{
	return (p->kind == JCELL_TEXT || p->kind == JCELL_WORD) &&
	       jnum_i64(p->value.s, p->value.n, v);
}

bool jrow_int(const struct jrow *r, const char *key, int64_t *v)
{
	uint8_t hint = 0;
	const struct jpair *p = jrow_find(r, key, &hint);

	return p && pair_int(p, v);
}

/* ---- which table ---- */

/* clang-format off */
#define CALL_ALIASES \
	{"start", "startNs", false}, {"end", "endNs", false}, {"nameId", "name", true}, \
		{"eventClass", "eventClass", true}, {"returnValue", "returnValue", true}, \
		{"correlationId", "correlationId", true}
/* clang-format on */
static const struct jalias call_alias[] = {CALL_ALIASES, {0}};

/* The kind of a call is its eventClass (ENUM_NSYS_EVENT_CLASS); 6 and 7 mark begin and end of NVTX. */
static const struct {
	int64_t class;
	struct jform form;
} calls[] = {
	{0, {"CUPTI_ACTIVITY_KIND_RUNTIME", call_alias}},
	{1, {"CUPTI_ACTIVITY_KIND_RUNTIME", call_alias}},
	{13, {"CUPTI_ACTIVITY_KIND_RUNTIME", call_alias}},
	{67, {"CUPTI_ACTIVITY_KIND_RUNTIME", call_alias}},
	{3, {"PROFILER_OVERHEAD", call_alias}},
	{27, {"OSRT_API", call_alias}},
	{31, {"OSRT_API", call_alias}},
	{32, {"OSRT_API", call_alias}},
};

static const struct jform *form_of_call(const struct jrow *r)
{
	int64_t class = 0;

	jrow_int(r, "eventClass", &class);
	for (size_t i = 0; i < COUNT(calls); i++)
		if (calls[i].class == class)
			return &calls[i].form;
	return NULL;
}

/* clang-format off */
#define GPU_ALIASES \
	{"start", "startNs", false}, {"end", "endNs", false}, {"deviceId", "deviceId", true}, \
		{"contextId", "contextId", true}, {"streamId", "streamId", true}, \
		{"correlationId", "correlationId", true}
/* clang-format on */
static const struct jalias kernel_alias[] = {
	GPU_ALIASES, {"staticSharedMemory", "staticSharedMemory", true},
	{"dynamicSharedMemory", "dynamicSharedMemory", true}, {0}};
static const struct jalias memcpy_alias[] = {
	GPU_ALIASES, {"bytes", "sizebytes", true}, {"copyKind", "copyKind", true},
	{"srcKind", "srcKind", true}, {"dstKind", "dstKind", true}, {0}};
static const struct jalias memset_alias[] = {
	GPU_ALIASES, {"bytes", "sizebytes", true}, {"memKind", "memKind", true}, {0}};
static const struct jalias other_alias[] = {GPU_ALIASES, {0}};

/* A CUDA record says in a member of its own what it is. */
static const struct {
	const char *member;
	struct jform form;
} records[] = {
	{"kernel", {"CUPTI_ACTIVITY_KIND_KERNEL", kernel_alias}},
	{"memcpy", {"CUPTI_ACTIVITY_KIND_MEMCPY", memcpy_alias}},
	{"memset", {"CUPTI_ACTIVITY_KIND_MEMSET", memset_alias}},
	{"sync", {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", other_alias}},
	{"graph", {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", other_alias}},
};

static const struct jform *form_of_record(const struct jrow *r)
{
	uint8_t hint = 0;

	for (size_t i = 0; i < COUNT(records); i++) {
		const struct jpair *p = jrow_find(r, records[i].member, &hint);

		if (p && p->kind == JCELL_OBJECT)
			return &records[i].form;
	}
	return NULL;
}

static const struct jalias nvtx_alias[] = {
	{"start", "Timestamp", false},	{"end", "EndTimestamp", false}, {"eventType", "Type", true},
	{"text", "Text", false},	{"textId", "TextId", false},	{"globalTid", "GlobalTid", false},
	{"domainId", "DomainId", true}, {0}};
static const struct jform nvtx_form = {"NVTX_EVENTS", nvtx_alias};

static const struct jalias diagnostic_alias[] = {{"severity", "Level", false}, {"text", "Text", false}, {0}};
static const struct jform diagnostic_form = {"DIAGNOSTIC_EVENT", diagnostic_alias};

static const struct jalias string_alias[] = {{"id", "id", true}, {"value", "value", false}, {0}};
static const struct jform string_form = {"StringIds", string_alias};

static const struct jalias thread_alias[] = {
	{"nameId", "nameIdx", true}, {"globalTid", "globalTid", false}, {0}};
const struct jform jform_thread_names = {"ThreadNames", thread_alias};

static const struct jform *legacy_form(const struct jrow *r)
{
	uint8_t hint = 1;
	const struct jpair *type;

	if (jrow_find(r, "NvtxEvent", &hint))
		return &nvtx_form;
	if (jrow_find(r, "TraceProcessEvent", &hint))
		return form_of_call(r);
	if (jrow_find(r, "CudaEvent", &hint))
		return form_of_record(r);
	if (jrow_find(r, "DiagnosticEvent", &hint))
		return &diagnostic_form;
	type = jrow_find(r, "type", &hint);
	return type && jstr_is(&type->value, "String") ? &string_form : NULL;
}

const struct jform *jform_of(const struct jrow *r, bool legacy, struct jform *scratch, char *name,
			     size_t cap)
{
	uint8_t hint = r->n ? (uint8_t)(r->n - 1) : 0;
	const struct jpair *p;

	if (legacy)
		return legacy_form(r);
	p = jrow_find(r, "table", &hint);
	if (!p || p->kind != JCELL_TEXT || p->value.n >= cap)
		return NULL;
	memcpy(name, p->value.s, p->value.n);
	name[p->value.n] = '\0';
	*scratch = (struct jform){name, NULL};
	return scratch;
}

/* ---- a scan ---- */

static const struct jpair *cell(struct nsys_scan *base, unsigned col)
{
	struct jrow_scan *s = (struct jrow_scan *)(void *)base;

	return s->key[col] ? jrow_find(s->r, s->key[col], &s->hint[col]) : NULL;
}

static void scan_close(struct nsys_scan *base)
{
	struct jrow_scan *s = (struct jrow_scan *)(void *)base;

	jrow_scan_fini(s);
	if (s->drop)
		s->drop(s);
}

static enum nsys_step scan_step(struct nsys_scan *base)
{
	struct jrow_scan *s = (struct jrow_scan *)(void *)base;

	return s->more && s->more(s) ? NSYS_ROW : NSYS_END;
}

/* Words of the legacy form for ENUM_DIAGNOSTIC_SEVERITY. */
static bool severity(const struct jpair *p, int64_t *v)
{
	static const char *const words[] = {"Unknown", "Info", "Warning", "Error", "Verbose"};

	for (size_t i = 0; i < COUNT(words); i++) {
		if (jstr_is(&p->value, words[i])) {
			*v = (int64_t)i;
			return true;
		}
	}
	return false;
}

static bool scan_integer(struct nsys_scan *base, unsigned col, int64_t *v)
{
	const struct jrow_scan *s = (const struct jrow_scan *)(const void *)base;
	const struct jpair *p = cell(base, col);

	if (!p) {
		*v = 0;
		return s->zero[col];
	}
	if (pair_int(p, v))
		return true;
	if (s->key[col] == diagnostic_alias[0].key && severity(p, v))
		return true;
	return nsys_scan_wrong(base, col);
}

static bool scan_text(struct nsys_scan *base, unsigned col, const char **p, size_t *n)
{
	struct jrow_scan *s = (struct jrow_scan *)(void *)base;
	const struct jpair *c = cell(base, col);

	if (!c)
		return false;
	if (c->kind != JCELL_TEXT)
		return nsys_scan_wrong(base, col);
	*p = jstr_plain(&c->value, &s->plain, &s->plain_cap, n);
	return true;
}

static bool scan_is_text(struct nsys_scan *base, unsigned col)
{
	const struct jrow_scan *s = (const struct jrow_scan *)(const void *)base;
	const struct jpair *c = cell(base, col);

	return c && c->kind == JCELL_TEXT && !s->number[col];
}

static bool scan_any(struct nsys_scan *base, unsigned col, const char **p, size_t *n)
{
	struct jrow_scan *s = (struct jrow_scan *)(void *)base;
	const struct jpair *c = cell(base, col);

	if (!c)
		return false;
	*p = jstr_plain(&c->value, &s->plain, &s->plain_cap, n);
	return true;
}

static const struct nsys_scan_ops scan_ops = {
	.close = scan_close,
	.step = scan_step,
	.integer = scan_integer,
	.text = scan_text,
	.is_text = scan_is_text,
	.any = scan_any,
};

void jrow_scan_init(struct jrow_scan *s, const struct jform *f, const char *const *cols, size_t n)
{
	*s = (struct jrow_scan){.base = {.ops = &scan_ops}};
	for (size_t i = 0; i < n; i++) {
		s->key[i] = cols[i];
		s->number[i] = f->alias != NULL; /* all ids of the legacy form are strings */
		for (const struct jalias *a = f->alias; a && a->col; a++) {
			if (strcmp(a->col, cols[i]) == 0) {
				s->key[i] = a->key;
				s->zero[i] = a->number;
			}
		}
	}
}

void jrow_scan_fini(struct jrow_scan *s)
{
	free(s->plain);
	s->plain = NULL;
	s->plain_cap = 0;
}
