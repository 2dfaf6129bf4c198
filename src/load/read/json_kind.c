/* json_kind.c - tells kinds of JSON apart by their first bytes; see json_kind.h */
#include "load/read/json_kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/jscan.h"
#include "base/mem.h"
#include "base/text.h"

/* What was seen while walking over the head. */
struct json_kind_seen {
	unsigned events;	/* objects with "ph" */
	unsigned nsys_pid, nsys_cat, torch_cat;
	bool trace_events, schema, nodes, speedscope, torch_key, sampler_key;
};

static bool any_of(const struct jstr *s, const char *const *words)
{
	for (; *words; words++)
		if (jstr_is(s, *words))
			return true;
	return false;
}

static void look_at_cat(const struct jstr *s, struct json_kind_seen *k)
{
	static const char *const nsys[] = {
		"cuda", "nvtx", "cuda_api", "nvtx-kernel", "osrt", "sched", "cuda_flow", NULL
	};
	static const char *const torch[] = {
		"cpu_op", "Operator", "user_annotation", "python_function", "cuda_runtime",
		"cuda_driver", "Runtime", "kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset",
		"Memset", "Trace", "cpu_instant_event", "ac2g", "fwdbwd", "cpu_to_cuda", NULL
	};

	k->nsys_cat += any_of(s, nsys);
	k->torch_cat += any_of(s, torch);
}

static void look_at_pid(const struct jstr *s, struct json_kind_seen *k)
{
	static const char *const torch[] = {
		"CPU functions", "CUDA functions", "Spans", "Traces", NULL
	};

	k->nsys_pid += text_starts(s->s, s->n, "Device ") || text_starts(s->s, s->n, "Process ");
	k->torch_cat += any_of(s, torch);
}

/* One event; false at the end of what can be read. */
static bool look_at_event(struct jscan *js, struct json_kind_seen *k)
{
	struct jstr key, s;
	char c;

	js->p++;
	for (;;) {
		c = jscan_peek(js);
		if (c == '}') {
			js->p++;
			return true;
		}
		if (c == ',') {
			js->p++;
			continue;
		}
		if (jscan_key(js, &key) != JS_OK)
			return false;
		k->events += jstr_is(&key, "ph");
		if (jscan_peek(js) != '"' || (!jstr_is(&key, "cat") && !jstr_is(&key, "pid"))) {
			if (jscan_skip(js) != JS_OK)
				return false;
			continue;
		}
		if (jscan_string(js, &s) != JS_OK)
			return false;
		(*key.s == 'c' ? look_at_cat : look_at_pid)(&s, k);
	}
}

/* js is behind the bracket of a list of events. */
static void look_at_events(struct jscan *js, struct json_kind_seen *k)
{
	char c;

	while ((c = jscan_peek(js))) {
		if (c == ',')
			js->p++;
		else if (c != '{' || !look_at_event(js, k))
			return;
	}
}

static void look_at_key(const struct jstr *key, struct json_kind_seen *k)
{
	static const char *const torch[] = {
		"schemaVersion", "deviceProperties", "computeProperties", "distributedInfo",
		"traceName", "baseTimeNanoseconds", "trace_id", "record_shapes", "with_stack", NULL
	};
	static const char *const sampler[] = { "root_frame", "sample_count", "cpu_time", NULL };

	k->trace_events |= jstr_is(key, "traceEvents");
	k->schema |= jstr_is(key, "schema");
	k->nodes |= jstr_is(key, "nodes");
	k->torch_key |= any_of(key, torch);
	k->sampler_key |= any_of(key, sampler);
}

/* A value of the file itself, of any depth: jscan_skip() goes only so deep. */
static bool skip_value(struct jscan *js)
{
	struct jscan_skipper k = { 0 };

	return jscan_skip_some(js, &k) == JS_OK;
}

static void look_at_object(struct jscan *js, struct json_kind_seen *k)
{
	struct jstr key, s;

	js->p++;
	for (;;) {
		while (jscan_peek(js) == ',')
			js->p++;
		if (jscan_key(js, &key) != JS_OK)
			return;
		look_at_key(&key, k);
		if (jstr_is(&key, "traceEvents") && jscan_peek(js) == '[') {
			js->p++;
			look_at_events(js, k);
			return;
		}
		if (jstr_is(&key, "$schema") && jscan_string(js, &s) == JS_OK)
			k->speedscope |= memmem(s.s, s.n, "speedscope", 10) != NULL;
		else if (!skip_value(js))
			return;
	}
}

static enum json_kind kind_of_array(struct jscan *js, struct json_kind_seen *k)
{
	char c;

	js->p++;
	c = jscan_peek(js);
	if (c == '{') {
		look_at_events(js, k);
		return k->events ? JSON_CHROME : JSON_UNKNOWN;
	}
	if (c != '[')
		return JSON_UNKNOWN;
	js->p++;
	c = jscan_peek(js);
	return c == '-' || c == '[' || (c >= '0' && c <= '9') ? JSON_MEMORY_TIMELINE : JSON_UNKNOWN;
}

static enum json_kind kind_of_object(struct jscan *js, struct json_kind_seen *k)
{
	look_at_object(js, k);
	if (k->speedscope)
		return JSON_SPEEDSCOPE;
	if (k->trace_events)
		return JSON_CHROME;
	if (k->sampler_key)
		return JSON_PYINSTRUMENT;
	if (k->schema || k->nodes)
		return JSON_EXEC_TRACE;
	/* what precedes the events may be longer than the head: a whole environment */
	return k->torch_key ? JSON_CHROME : JSON_UNKNOWN;
}

static enum json_kind kind_of(struct jscan *js)
{
	struct json_kind_seen k = { 0 };
	char c = jscan_peek(js);
	enum json_kind kind;

	if (c != '{' && c != '[')
		return JSON_NOT;
	kind = c == '{' ? kind_of_object(js, &k) : kind_of_array(js, &k);
	if (kind != JSON_CHROME)
		return kind;
	if (k.nsys_pid && k.nsys_cat && !k.torch_cat && !k.torch_key)
		return JSON_NSYS_CHROME;
	return k.torch_cat || k.torch_key ? JSON_TORCH : JSON_CHROME;
}

enum json_kind probe_json(const char *head, size_t n)
{
	static const char bom[3] = { '\xef', '\xbb', '\xbf' };
	struct jscan js;
	enum json_kind kind;
	char *text;

	if (n >= sizeof(bom) && memcmp(head, bom, sizeof(bom)) == 0) {
		head += sizeof(bom);
		n -= sizeof(bom);
	}
	/* the scanner wants zero bytes behind its window */
	text = xcalloc(1, n + JSCAN_PAD);
	if (n)
		memcpy(text, head, n);
	jscan_init(&js, text, n, 0, true);
	kind = kind_of(&js);
	free(text);
	return kind;
}
