/* event_wait.c - which record of a CUDA event a call waits for, see nsys.h */
#include <stdlib.h>

#include "load/nsys/nsys.h"

enum {
	OLDER = 64 /* recordings of a handle that are looked at */
};

enum {
	RECORD_streamId,
	RECORD_correlationId,
	RECORD_globalPid,
	RECORD_eventId,
	RECORD_eventSyncId,
	RECORD_N
};

static const char *const record_cols[] = {"streamId", "correlationId", "globalPid", "eventId", "eventSyncId"};

static void record_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t pid, stream = nsys_int_or(s, RECORD_streamId, -1);
	struct nsys_event r = {.corr = nsys_corr(s, RECORD_correlationId),
			       .event = nsys_int_or(s, RECORD_eventId, 0),
			       .sync = nsys_int_or(s, RECORD_eventSyncId, 0),
			       .stream = stream >= NSYS_STREAM_NONE ? -1 : stream};

	r.group = nsys_int(s, RECORD_globalPid, &pid) ? NSYS_GLOBAL_PID(pid) : cx->only_group;
	if (r.corr != CORR_NONE)
		VEC_PUSH(&cx->records, r);
}

const struct nsys_table nsys_event_record = {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", record_cols, RECORD_N, record_row};

void nsys_event_waited(struct nsys_ctx *cx, uint64_t group, uint64_t corr, int64_t event, int64_t sync)
{
	if (corr != CORR_NONE && event)
		VEC_PUSH(&cx->waits, (struct nsys_event){group, corr, event, sync, -1});
}

static int by_event(const void *pa, const void *pb)
{
	const struct nsys_event *a = pa, *b = pb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return (a->corr > b->corr) - (a->corr < b->corr);
}

/*
 * The handle's latest record before the wait: calls of a process are numbered as they begin. Where recordings have numbers of their own,
 * it is to be the one of that number.
 */
static const struct nsys_event *record_of(const struct nsys_ctx *cx, const struct nsys_event *w)
{
	const struct nsys_event *r = cx->records.a;
	size_t a = 0, b = cx->records.n;

	while (a < b) {
		size_t m = a + (b - a) / 2;

		if (by_event(&r[m], w) < 0)
			a = m + 1;
		else
			b = m;
	}
	for (size_t end = a; a && end - a < OLDER && r[a - 1].group == w->group && r[a - 1].event == w->event; a--)
		if (!w->sync || !r[a - 1].sync || r[a - 1].sync == w->sync)
			return &r[a - 1];
	return NULL;
}

void nsys_put_event_waits(struct nsys_ctx *cx)
{
	if (cx->records.n)
		qsort(cx->records.a, cx->records.n, sizeof(*cx->records.a), by_event);
	for (size_t i = 0; i < cx->waits.n && cx->records.n; i++) {
		const struct nsys_event *w = &cx->waits.a[i], *r = record_of(cx, w);

		if (r)
			builder_event_wait(cx->b, w->group == NSYS_GROUP_NONE ? 0 : w->group, w->corr, r->corr, r->stream);
	}
}
