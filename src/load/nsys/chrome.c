/*
 * chrome.c - the loader of Chrome traces that scripts make of an Nsight Systems export:
 * nsys2json (https://github.com/chenyu-jiang/nsys2json) and its descendant nsys2chrome.
 *
 * pid is "Device N" (the GPU, or a process whose GPU is not known) or "Process P", tid is "Stream N",
 * "NVTX Thread T", "CUDA API Thread T", "Thread T". Kernels have their short name only; domains,
 * copies, sets and synchronisation are lost. Which process a "Device N" stands for is known where the
 * API calls say it (raw_pid); else it is a process without a number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/vec.h"
#include "load/nsys/json_row.h"
#include "load/nsys/nsys.h"
#include "load/read/head.h"
#include "load/read/json_kind.h"
#include "load/read/json_objects.h"

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))
#define PSEUDO_PID(n)	(-1000 - (int64_t)(n)) /* of "Device n" */
#define GROUP_BIT	(UINT64_C(1) << 63)    /* keeps groups of "Device n" apart from pids */
#define DEVICES_MAX	(1 << 20)

enum { K_NAME, K_PH, K_CAT, K_TS, K_DUR, K_PID, K_TID, K_CORR, K_START_NS, K_END_NS, K_RAW_PID, K_RAW_TID,
	K_GRID, K_BLOCK, K_REGISTERS, K_STATIC, K_DYNAMIC, K_RESULT, K_N };
static const char *const keys[K_N] = {
	"name", "ph", "cat", "ts", "dur", "pid", "tid", "correlationId", "start_ns", "end_ns", "raw_pid", "raw_tid",
	"grid", "block", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "returnValue",
};

struct chrome_owner { /* who calls on a device */
	int64_t device, pid;
};
struct chrome {
	struct builder *b;
	struct jrow row;
	uint8_t hint[K_N];
	char *plain;
	size_t plain_cap;
	VEC(struct chrome_owner) owners;
	uint64_t kernels, shared;
};

static const struct jpair *get(struct chrome *c, unsigned k)
{
	return jrow_find(&c->row, keys[k], &c->hint[k]);
}

static bool get_int(struct chrome *c, unsigned k, int64_t *v)
{
	const struct jpair *p = get(c, k);

	return p && (p->kind == JCELL_WORD || p->kind == JCELL_TEXT) && jnum_i64(p->value.s, p->value.n, v);
}

static int64_t int_or(struct chrome *c, unsigned k, int64_t otherwise)
{
	int64_t v;

	return get_int(c, k, &v) ? v : otherwise;
}

static bool is(struct chrome *c, unsigned k, const char *word)
{
	const struct jpair *p = get(c, k);

	return p && p->kind == JCELL_TEXT && jstr_is(&p->value, word);
}

/* The number behind a prefix: "Device 3". */
static bool numbered(struct chrome *c, unsigned k, const char *prefix, int64_t *v)
{
	const struct jpair *p = get(c, k);
	size_t n = strlen(prefix);

	return p && p->kind == JCELL_TEXT && p->value.n > n && memcmp(p->value.s, prefix, n) == 0 &&
	       jnum_i64(p->value.s + n, p->value.n - n, v) && *v >= 0;
}

static str_id name_of(struct chrome *c)
{
	static const char unnamed[] = "(unnamed)";
	const struct jpair *p = get(c, K_NAME);
	const char *s;
	size_t n;

	if (!p || p->kind != JCELL_TEXT)
		return builder_intern(c->b, unnamed, sizeof(unnamed) - 1);
	s = jstr_plain(&p->value, &c->plain, &c->plain_cap, &n);
	return builder_intern(c->b, s, n);
}

static bool time_cell(struct chrome *c, unsigned k, int64_t *ns)
{
	const struct jpair *p = get(c, k);

	return p && (p->kind == JCELL_WORD || p->kind == JCELL_TEXT) && jnum_us(p->value.s, p->value.n, ns);
}

/* Time, name and correlation; false (counted as damage) without a usable time. */
static bool event_of(struct chrome *c, struct builder_event *ev)
{
	int64_t end;

	*ev = (struct builder_event){.ext = CORR_NONE, .aux = ID_NONE};
	if (get_int(c, K_START_NS, &ev->start) && get_int(c, K_END_NS, &end)) {
		ev->dur = end - ev->start;
	} else if (!time_cell(c, K_TS, &ev->start) || !time_cell(c, K_DUR, &ev->dur)) {
		builder_damage(c->b, N_("events without a time, skipped"), c->row.offset, 1);
		return false;
	}
	if (!nsys_time_ok(ev->start) || !nsys_time_ok(ev->dur)) {
		builder_damage(c->b, N_("events with an impossible time, skipped"), c->row.offset, 1);
		return false;
	}
	ev->name = name_of(c);
	ev->corr = (uint64_t)int_or(c, K_CORR, 0);
	if (!ev->corr)
		ev->corr = CORR_NONE;
	return true;
}

/* ---- who ---- */

/* "Device N" is one process, whose number the calls may give. */
static uint64_t group_of(int64_t device)
{
	return GROUP_BIT | (uint64_t)device;
}

static bool event_device(struct chrome *c, int64_t *device)
{
	return numbered(c, K_PID, "Device ", device) && *device < DEVICES_MAX;
}

/* Correlation ids are one space per process: two behind one device would be mixed up. */
static void note_owner(struct chrome *c, int64_t device, int64_t pid)
{
	for (size_t i = 0; i < c->owners.n; i++) {
		if (c->owners.a[i].device != device)
			continue;
		c->shared += c->owners.a[i].pid != pid;
		return;
	}
	VEC_PUSH(&c->owners, (struct chrome_owner){device, pid});
}

static bool host_track(struct chrome *c, enum layer l, const char *tid_prefix, track_id *t)
{
	int64_t pid, tid, device = -1, raw;
	bool on_device = event_device(c, &device);
	thread_id th;
	bool known = numbered(c, K_PID, "Process ", &pid);

	if (!numbered(c, K_TID, tid_prefix, &tid) || (!on_device && !known)) {
		builder_damage(c->b, N_("events of no thread, skipped"), c->row.offset, 1);
		return false;
	}
	if (!known)
		pid = get_int(c, K_RAW_PID, &raw) && raw >= 0 ? raw : PSEUDO_PID(device);
	if (get_int(c, K_RAW_TID, &raw) && raw >= 0)
		tid = raw;
	th = builder_thread(c->b, pid, tid);
	if (on_device && l == LAYER_RUNTIME)
		note_owner(c, device, pid);
	*t = builder_host_track(c->b, l, th, ID_NONE, on_device ? group_of(device) : (uint64_t)pid);
	return true;
}

/* ---- events ---- */

static void dims(struct chrome *c, unsigned k, int32_t *out)
{
	const struct jpair *p = get(c, k);
	struct jscan js;

	if (!p || p->kind != JCELL_ARRAY)
		return;
	jscan_init(&js, p->value.s, p->value.n, 0, true);
	js.p++;
	for (int i = 0; i < 3; i++) {
		int64_t v;
		bool known;

		if (jscan_i64(&js, &v, &known) != JS_OK)
			return;
		out[i] = known && v > 0 && v <= INT32_MAX ? (int32_t)v : 0;
		if (jscan_take(&js, ',') != JS_OK)
			return;
	}
}

static int32_t detail_int(struct chrome *c, unsigned k)
{
	int64_t v = int_or(c, k, -1);

	return v < 0 || v > INT32_MAX / 2 ? -1 : (int32_t)v;
}

static void add_kernel(struct chrome *c)
{
	struct kernel_detail d = {.registers = detail_int(c, K_REGISTERS)};
	int32_t fixed = detail_int(c, K_STATIC), dynamic = detail_int(c, K_DYNAMIC);
	int64_t device, stream;
	struct builder_event ev;

	if (!event_of(c, &ev))
		return;
	if (!event_device(c, &device) || !numbered(c, K_TID, "Stream ", &stream)) {
		builder_damage(c->b, N_("kernels of no stream, skipped"), c->row.offset, 1);
		return;
	}
	d.shared_bytes = fixed < 0 && dynamic < 0 ? -1 : (fixed > 0 ? fixed : 0) + (dynamic > 0 ? dynamic : 0);
	dims(c, K_GRID, d.grid);
	dims(c, K_BLOCK, d.block);
	ev.aux = builder_kernel_detail(c->b, &d);
	c->kernels++;
	builder_add(c->b, builder_gpu_track(c->b, LAYER_KERNEL, -1, device, -1, stream, group_of(device)), &ev);
}

static void add_call(struct chrome *c)
{
	const struct jpair *name = get(c, K_NAME);
	struct builder_event ev;
	track_id t;

	if (!event_of(c, &ev) || !host_track(c, LAYER_RUNTIME, "CUDA API Thread ", &t))
		return;
	/* cuLaunchKernel against cudaLaunchKernel */
	ev.aux = call_aux(name && name->value.n > 2 && memcmp(name->value.s, "cu", 2) == 0 && name->value.s[2] >= 'A' &&
			  name->value.s[2] <= 'Z', int_or(c, K_RESULT, I64_UNKNOWN));
	builder_add(c->b, t, &ev);
}

static void add_range(struct chrome *c)
{
	struct builder_event ev;
	track_id t;

	if (!event_of(c, &ev) || !host_track(c, LAYER_NVTX, "NVTX Thread ", &t))
		return;
	ev.corr = CORR_NONE;
	builder_add(c->b, t, &ev);
}

/* A mark of the tracer's own start and finish is written as a call of thread 0 without length. */
static void add_osrt(struct chrome *c)
{
	struct builder_event ev;
	int64_t tid;
	track_id t;

	if (!event_of(c, &ev) || (!ev.dur && numbered(c, K_TID, "Thread ", &tid) && !tid))
		return;
	ev.corr = CORR_NONE;
	if (host_track(c, LAYER_OSRT, "Thread ", &t))
		builder_add(c->b, t, &ev);
}

/* What is derived from the others (nvtx-kernel, flows) or makes no event here is only counted. */
static const struct {
	const char *cat;
	void (*add)(struct chrome *c);
} cats[] = {
	{"cuda", add_kernel}, {"cuda_api", add_call}, {"nvtx", add_range}, {"osrt", add_osrt},
};

static void one_event(struct chrome *c, struct jscan *text)
{
	const struct jpair *cat;

	if (!jrow_read(&c->row, text)) {
		builder_damage(c->b, N_("malformed events, skipped"), c->row.offset, 1);
		return;
	}
	cat = get(c, K_CAT);
	if (!cat || cat->kind != JCELL_TEXT || is(c, K_PH, "M"))
		return;
	builder_content(c->b, cat->value.s, cat->value.n, 1);
	for (size_t i = 0; is(c, K_PH, "X") && i < COUNT(cats); i++) {
		if (jstr_is(&cat->value, cats[i].cat)) {
			cats[i].add(c);
			return;
		}
	}
}

/* ---- the whole file ---- */

static void tell(struct chrome *c)
{
	for (size_t i = 0; i < c->owners.n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "Device %" PRId64, c->owners.a[i].device);
		if (c->owners.a[i].pid < 0)
			builder_process_name(c->b, c->owners.a[i].pid, builder_intern(c->b, name, strlen(name)));
	}
	builder_set_producer(c->b, "Nsight Systems (Chrome trace)", NULL);
	builder_note(c->b, _("a conversion of an Nsight Systems export: copies, sets and synchronisation are not in it"));
	if (c->kernels)
		builder_note(c->b, _("kernels have short names: open the .sqlite beside it to have them whole"));
	if (c->shared)
		builder_note(c->b, ngettext("%" PRIu64 " call is of a second process on one device: launches may be mixed up",
			"%" PRIu64 " calls are of a second process on one device: launches may be mixed up", (unsigned long)c->shared),
			     c->shared);
	builder_caps(c->b, CAP_SHORT_NAMES);
}

static bool chrome_load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct chrome c = {.b = lx->builder};
	struct jscan text;
	struct jwin w;
	bool ok = jwin_open(&w, lx, path, e);

	if (ok) {
		builder_set_format(c.b, FORMAT_NSYS_CHROME);
		builder_set_bytes(c.b, file_src_size(w.t.src));
		if (lx->job)
			atomic_store(&lx->job->total, (uint64_t)file_src_size(w.t.src));
		job_stage(lx->job, "reading");
		ok = jwin_enter_list(&w, "traceEvents") ||
		     (!w.t.failed && err_set(e, ERR_FORMAT, _("this is no trace: it has no list of events")));
	}
	while (ok && jwin_member(&w, &text))
		one_event(&c, &text);
	if (ok && !w.t.failed)
		jwin_finish(&w);
	ok = ok && !w.t.failed;
	if (ok)
		tell(&c);
	VEC_FREE(&c.owners);
	free(c.plain);
	jwin_close(&w);
	return ok;
}

static int chrome_probe(const struct probe *p)
{
	return head_json(p) == JSON_NSYS_CHROME ? 98 : 0;
}

const struct loader loader_nsys_chrome = {
	.name = "nsys-chrome",
	.what = N_("Chrome trace made of an Nsight Systems export (nsys2json, nsys2chrome)"),
	.probe = chrome_probe,
	.load = chrome_load,
};
