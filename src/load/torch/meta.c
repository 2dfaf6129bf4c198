/*
 * meta.c - the keys beside traceEvents: devices, ranks, clock, recording options, warnings;
 * see torch_impl.h
 *
 * Only keys of the tables below are read. Users can put anything beside them (whole environments
 * have been seen), so the rest is skipped and never shown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/i18n.h"
#include "load/torch/torch_impl.h"

#define WARNINGS_MAX 6
#define WARNING_BYTES 160
/* 2001: a time above is UTC, not relative to a base */
#define NS_ABSOLUTE INT64_C(1000000000000000000)

enum meta_kind { M_OPTION, M_DEVICES, M_RANKS, M_BASE, M_WARNINGS, M_MARK };

static const struct mkey {
	const char *name;
	uint8_t kind;
	bool kineto;		/* written by nobody else */
} meta_keys[] = {
	{ "schemaVersion", M_OPTION, true },
	{ "deviceProperties", M_DEVICES, true },
	{ "computeProperties", M_DEVICES, true },	/* a few weeks of 2021 */
	{ "distributedInfo", M_RANKS, true },
	{ "baseTimeNanoseconds", M_BASE, true },
	{ "displayTimeUnit", M_MARK, false },
	{ "traceName", M_MARK, true },
	{ "with_stack", M_OPTION, true },
	{ "record_shapes", M_OPTION, true },
	{ "profile_memory", M_OPTION, true },
	{ "with_modules", M_OPTION, true },
	{ "with_flops", M_OPTION, true },
	{ "cupti_version", M_OPTION, true },
	{ "cuda_runtime_version", M_OPTION, true },
	{ "cuda_driver_version", M_OPTION, true },
	{ "roctracer_version", M_OPTION, true },
	{ "rocprofiler-sdk_version", M_OPTION, true },
	{ "hip_runtime_version", M_OPTION, true },
	{ "hip_driver_version", M_OPTION, true },
	{ "xpupti_version", M_OPTION, true },
	{ "WARNING", M_WARNINGS, false },
	{ "ERROR", M_WARNINGS, false },
};

void tmeta_init(struct tmeta *m, struct builder *b)
{
	*m = (struct tmeta){ .b = b, .rank = -1, .world = -1 };
}

void tmeta_fini(struct tmeta *m)
{
	VEC_FREE(&m->devices);
	free(m->plain);
}

static const struct mkey *find_key(const char *key, size_t n)
{
	for (size_t i = 0; i < sizeof(meta_keys) / sizeof(*meta_keys); i++)
		if (strlen(meta_keys[i].name) == n && memcmp(meta_keys[i].name, key, n) == 0)
			return &meta_keys[i];
	return NULL;
}

bool tmeta_wants(const char *key, size_t n)
{
	return find_key(key, n) != NULL;
}

/* Goes to the next key of an object, js behind its {. False at the } (taken), or with *st set. */
static bool next_key(struct jscan *js, struct jstr *key, enum jstat *st)
{
	while (jscan_peek(js) == ',')
		js->p++;
	*st = JS_OK;
	if (jscan_peek(js) == '}') {
		js->p++;
		return false;
	}
	*st = jscan_key(js, key);
	return *st == JS_OK;
}

/* Goes to the next element of a list, js behind its [. */
static bool next_element(struct jscan *js, enum jstat *st)
{
	while (jscan_peek(js) == ',')
		js->p++;
	*st = JS_OK;
	if (js->p == js->end) {
		*st = jscan_at_end(js);
		return false;
	}
	if (*js->p != ']')
		return true;
	js->p++;
	return false;
}

/* A number or a word, as it stands. */
static enum jstat read_option(struct tmeta *m, const struct mkey *k, struct jscan *js)
{
	char value[64];
	struct jstr s;
	enum jstat st;
	char c = jscan_peek(js);

	if (c == '{' || c == '[')
		return jscan_skip(js);
	st = c == '"' ? jscan_string(js, &s) : jscan_word(js, &s);
	if (st != JS_OK)
		return st;
	if (s.n < sizeof(value)) {
		memcpy(value, s.s, s.n);
		value[s.n] = '\0';
		builder_option(m->b, k->name, value);
	}
	return JS_OK;
}

static enum jstat read_device(struct tmeta *m, struct jscan *js)
{
	struct device d = { .device = -1, .name = ID_NONE };
	int64_t major = 0, minor = 0, warp = 32;
	struct jstr key, s;
	enum jstat st;
	bool known;
	size_t n;

	js->p++;
	while (next_key(js, &key, &st)) {
		if (jstr_is(&key, "id")) {
			st = jscan_i64(js, &d.device, &known);
		} else if (jstr_is(&key, "numSms")) {
			st = jscan_i64(js, &d.sm_count, &known);
		} else if (jstr_is(&key, "computeMajor")) {
			st = jscan_i64(js, &major, &known);
		} else if (jstr_is(&key, "computeMinor")) {
			st = jscan_i64(js, &minor, &known);
		} else if (jstr_is(&key, "warpSize")) {
			st = jscan_i64(js, &warp, &known);
		} else if (jstr_is(&key, "totalGlobalMem")) {
			st = jscan_i64(js, &d.mem_bytes, &known);
		} else if (jstr_is(&key, "name") && jscan_peek(js) == '"') {
			st = jscan_string(js, &s);
			if (st == JS_OK) {
				const char *p = jstr_plain(&s, &m->plain, &m->plain_cap, &n);

				d.name = n ? builder_intern(m->b, p, n) : ID_NONE;
			}
		} else {
			st = jscan_skip(js);
		}
		if (st != JS_OK)
			return st;
	}
	/* ROCm numbers its architectures in the same keys: gfx90a is no compute capability 9.0 */
	if (warp == 32 && major > 0 && major < 100 && minor >= 0 && minor < 10)
		d.capability = 10 * major + minor;
	if (st == JS_OK)
		VEC_PUSH(&m->devices, d);
	return st;
}

static void put_device(struct tmeta *m, int64_t number, const struct device *d)
{
	size_t n;
	char *name = NULL;

	if (d->name != ID_NONE) {
		const char *p = builder_str(m->b, d->name, &n);

		name = xmemdup0(p, n);	/* borrowed text does not survive an intern */
	}
	builder_device(m->b, number, name, d->sm_count, 0);
	builder_device_more(m->b, number, d->capability, d->mem_bytes, -1);
	free(name);
}

static enum jstat read_devices(struct tmeta *m, struct jscan *js)
{
	enum jstat st;

	if (jscan_peek(js) != '[')
		return jscan_skip(js);
	js->p++;
	m->devices.n = 0;
	while (next_element(js, &st)) {
		st = *js->p == '{' ? read_device(m, js) : jscan_skip(js);
		if (st != JS_OK)
			return st;
	}
	for (size_t i = 0; st == JS_OK && i < m->devices.n; i++)
		put_device(m, m->devices.a[i].device, &m->devices.a[i]);
	return st;
}

static enum jstat read_ranks(struct tmeta *m, struct jscan *js)
{
	struct jstr key;
	enum jstat st;
	int64_t v;
	bool known;

	if (jscan_peek(js) != '{')
		return jscan_skip(js);
	js->p++;
	while (next_key(js, &key, &st)) {
		int64_t *out = NULL;

		if (jstr_is(&key, "rank"))
			out = &m->rank;
		else if (jstr_is(&key, "world_size"))
			out = &m->world;
		st = out ? jscan_i64(js, &v, &known) : jscan_skip(js);
		if (st != JS_OK)
			return st;
		if (out && known && v >= 0)
			*out = v;
	}
	builder_set_rank(m->b, m->rank, m->world);
	return st;
}

/* Length of the first n bytes without half a character at the end. */
static size_t whole_chars(const char *s, size_t n, size_t max)
{
	if (n <= max)
		return n;
	for (n = max; n && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
		;
	return n;
}

/* Warnings quote what they are about: environments and command lines have been seen. */
static void note_warning(struct tmeta *m, const struct mkey *k, const struct jstr *s)
{
	size_t len;
	const char *p = jstr_plain(s, &m->plain, &m->plain_cap, &len);
	char *text = xmemdup0(p, len);

	cmdline_mask(text, len);
	builder_note(m->b, _("the profiler logged %s: %.*s%s"), k->name, (int)whole_chars(text, len, WARNING_BYTES), text,
		     len > WARNING_BYTES ? "…" : "");
	free(text);
}

static enum jstat read_warnings(struct tmeta *m, const struct mkey *k, struct jscan *js)
{
	unsigned n = 0;
	enum jstat st;
	struct jstr s;

	if (jscan_peek(js) != '[')
		return jscan_skip(js);
	js->p++;
	while (next_element(js, &st)) {
		if (*js->p != '"' || n++ >= WARNINGS_MAX) {
			st = jscan_skip(js);
		} else {
			st = jscan_string(js, &s);
			if (st != JS_OK)
				return st;
			note_warning(m, k, &s);
		}
		if (st != JS_OK)
			return st;
	}
	if (n > WARNINGS_MAX)
		builder_note(m->b, _("the profiler logged %u more under %s"), n - WARNINGS_MAX,
			     k->name);
	return st;
}

enum jstat tmeta_value(struct tmeta *m, const char *key, size_t n, struct jscan *js)
{
	const struct mkey *k = find_key(key, n);

	if (!k)
		return jscan_skip(js);
	m->kineto |= k->kineto;
	switch ((enum meta_kind)k->kind) {
	case M_OPTION:
		return read_option(m, k, js);
	case M_DEVICES:
		return read_devices(m, js);
	case M_RANKS:
		return read_ranks(m, js);
	case M_BASE:
		return jscan_i64(js, &m->base_ns, &m->has_base);
	case M_WARNINGS:
		return read_warnings(m, k, js);
	default:
		return jscan_skip(js);
	}
}

/*
 * A device of a merged rank has the properties of the number that the file gives it. ROCm before its SDK numbers GPUs as
 * HSA agents, CPU sockets counted: a number that is not listed means the listed one of its place in order of appearance.
 */
static void match_devices(struct tmeta *m, const struct tsink *s)
{
	struct map listed = { 0 };
	size_t n = m->devices.n;

	for (size_t j = 0; j < n; j++)
		map_put(&listed, (uint64_t)m->devices.a[j].device, 0, (uint32_t)j);
	for (size_t i = 0; i < s->gpus.n; i++) {
		uint32_t j = map_find(&listed, (uint64_t)s->gpu_numbers.a[i], 0);

		if (j == MAP_NONE ? i < n : s->gpus.a[i] != s->gpu_numbers.a[i])
			put_device(m, s->gpus.a[i], &m->devices.a[j == MAP_NONE ? i : j]);
	}
	map_fini(&listed);
}

void tmeta_finish(struct tmeta *m, const struct tsink *s)
{
	if (s->min_ts != INT64_MAX && s->min_ts >= NS_ABSOLUTE)
		builder_set_epoch(m->b, 0);
	else if (m->has_base && m->base_ns > 0)
		builder_set_epoch(m->b, m->base_ns);
	match_devices(m, s);
	if (m->kineto || s->known_cat)
		builder_set_producer(m->b, "torch.profiler (Kineto)", NULL);
	else
		builder_set_producer(m->b, "Chrome trace", NULL);
}
