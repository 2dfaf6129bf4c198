/* context.c - string ids, threads, tracks and times of an Nsight Systems export, see nsys.h */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "load/nsys/nsys.h"


void nsys_ctx_fini(struct nsys_ctx *cx)
{
	map_fini(&cx->strings);
	map_fini(&cx->threads);
	map_fini(&cx->processes);
	map_fini(&cx->domains);
	map_fini(&cx->device_seen);
	VEC_FREE(&cx->groups);
	VEC_FREE(&cx->devices);
	VEC_FREE(&cx->switches);
	VEC_FREE(&cx->records);
	VEC_FREE(&cx->waits);
}

str_id nsys_intern(struct nsys_ctx *cx, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return builder_intern(cx->b, text, strlen(text));
}

/* Instead of a str_id; no builder gives these out. */
#define NO_STRING  (ID_NONE - 1)
#define UNREADABLE (ID_NONE - 2)

/*
 * Only ids that a name refers to are ever looked up: other rows of StringIds hold environments and
 * captured output.
 */
static str_id string_of(struct nsys_ctx *cx, int64_t id)
{
	str_id s = map_find(&cx->strings, (uint64_t)id, 0);
	enum nsys_found found;
	const char *bytes;
	size_t n;

	if (s != MAP_NONE)
		return s;
	found = nsys_db_string(cx->db, id, &bytes, &n);
	s = found == NSYS_UNREADABLE ? UNREADABLE : NO_STRING;
	if (found == NSYS_STRING)
		s = builder_intern(cx->b, bytes, n);
	map_put(&cx->strings, (uint64_t)id, 0, s);
	return s;
}

str_id nsys_name(struct nsys_ctx *cx, struct nsys_scan *s, unsigned col, bool dangling_ok)
{
	const char *bytes;
	int64_t id;
	size_t n;
	str_id name;

	if (nsys_is_text(s, col))
		return nsys_text(s, col, &bytes, &n) ? builder_intern(cx->b, bytes, n) : ID_NONE;
	if (!nsys_int(s, col, &id))
		return ID_NONE;
	name = string_of(cx, id);
	if (name != NO_STRING && name != UNREADABLE)
		return name;
	if (dangling_ok)
		return ID_NONE;
	return name == UNREADABLE ? nsys_intern(cx, "(unnamed)") : nsys_intern(cx, "?%" PRId64, id);
}

static void note_process(struct nsys_ctx *cx, uint64_t group)
{
	uint32_t fresh = (uint32_t)cx->groups.n;

	if (map_get_or_put(&cx->processes, group, 0, fresh) == fresh)
		VEC_PUSH(&cx->groups, group);
}

thread_id nsys_thread(struct nsys_ctx *cx, int64_t global_tid)
{
	thread_id t = map_find(&cx->threads, (uint64_t)global_tid, 0);

	if (t == MAP_NONE) {
		t = builder_thread(cx->b, NSYS_PID(global_tid), NSYS_TID(global_tid));
		map_put(&cx->threads, (uint64_t)global_tid, 0, t);
		note_process(cx, NSYS_GLOBAL_PID(global_tid));
	}
	return t;
}

track_id nsys_host_track(struct nsys_ctx *cx, enum layer l, int64_t global_tid, str_id domain)
{
	struct nsys_track_slot *k = &cx->slot;

	if (k->valid && k->layer == l && k->device == global_tid && k->domain == domain)
		return k->track;
	*k = (struct nsys_track_slot){
		.valid = true, .layer = l, .device = global_tid, .domain = domain};
	k->track = builder_host_track(cx->b, l, nsys_thread(cx, global_tid), domain,
				      NSYS_GLOBAL_PID(global_tid));
	return k->track;
}

static void note_device(struct nsys_ctx *cx, int64_t pid, int64_t device)
{
	if (device < 0 || map_find(&cx->device_seen, (uint64_t)pid, (uint64_t)device) != MAP_NONE)
		return;
	map_put(&cx->device_seen, (uint64_t)pid, (uint64_t)device, 0);
	VEC_PUSH(&cx->devices, (struct nsys_device_use){pid, device});
}

track_id nsys_gpu_track(struct nsys_ctx *cx, enum layer l, uint64_t group, int64_t device,
			int64_t context, int64_t stream)
{
	struct nsys_track_slot *k = &cx->slot;
	bool known = group != NSYS_GROUP_NONE;
	int64_t pid = known ? NSYS_PID(group) : -1;

	if (k->valid && k->layer == l && k->group == group && k->device == device &&
	    k->context == context && k->stream == stream)
		return k->track;
	*k = (struct nsys_track_slot){.valid = true,
				      .layer = l,
				      .group = group,
				      .device = device,
				      .context = context,
				      .stream = stream,
				      .domain = ID_NONE};
	k->track = builder_gpu_track(cx->b, l, pid, device, context, stream, known ? group : 0);
	if (l != LAYER_SYNC) /* the device of synchronisation records is unreliable */
		note_device(cx, pid, device);
	if (known)
		note_process(cx, group);
	return k->track;
}

bool nsys_time_ok(int64_t t)
{
	return t > -NS_LIMIT && t < NS_LIMIT;
}

bool nsys_span(struct nsys_ctx *cx, struct nsys_scan *s, unsigned col_start, unsigned col_end,
	       struct builder_event *ev)
{
	int64_t end;

	if (!nsys_int(s, col_start, &ev->start)) {
		builder_damage(cx->b, N_("row without a start time"), s->row, 1);
		return false;
	}
	if (!nsys_int(s, col_end, &end)) {
		builder_damage(cx->b, N_("row without an end time"), s->row, 1);
		end = ev->start;
	}
	if (!nsys_time_ok(ev->start) || !nsys_time_ok(end)) {
		builder_damage(cx->b, N_("row with an impossible time"), s->row, 1);
		return false;
	}
	if (end < ev->start)
		builder_damage(cx->b, N_("row that ends before it starts"), s->row, 1);
	ev->dur = end < ev->start ? 0 : end - ev->start;
	return true;
}

/* 0 is CUPTI's "no correlation": migrations of unified memory, rows without an API call. */
uint64_t nsys_corr(struct nsys_scan *s, unsigned col)
{
	int64_t v = nsys_int_or(s, col, 0);

	return v ? (uint64_t)v : CORR_NONE;
}
