/*
 * host.c - rows of host tables (API calls, OS runtime calls, overhead) to events, see nsys.h
 */
#include "load/nsys/nsys.h"

#include "model/cuda_result.h"

#define COL_ID(prefix, name)   prefix##_##name,
#define COL_NAME(prefix, name) #name,

/* clang-format off */
/* The same columns serve all four tables; those that one lacks read as NULL. */
/* clang-format off */
#define CALL_COLS(C) \
	C(CALL, start) C(CALL, end) C(CALL, globalTid) C(CALL, nameId) C(CALL, correlationId) \
	C(CALL, eventClass) C(CALL, returnValue)
/* clang-format on */
enum { CALL_COLS(COL_ID) CALL_N };
static const char *const call_cols[] = { CALL_COLS(COL_NAME) };
/* clang-format on */

/* ENUM_NSYS_EVENT_CLASS */
enum {
	CLASS_CUDA_RUNTIME = 0,
	CLASS_CUDA_DRIVER = 1,
	CLASS_OSRT_START = 31,
	CLASS_OSRT_FINISH = 32,
	CLASS_CUDA_BACKTRACE = 67
};

static bool add_call(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l, uint32_t aux,
		     str_id *name)
{
	struct builder_event ev = {.corr = CORR_NONE, .ext = CORR_NONE, .aux = aux};
	int64_t gtid = nsys_int_or(s, CALL_globalTid, 0);

	if (!nsys_span(cx, s, CALL_start, CALL_end, &ev))
		return false;
	ev.name = nsys_name(cx, s, CALL_nameId, false);
	if (ev.name == ID_NONE)
		ev.name = nsys_intern(cx, "(unnamed)");
	if (l == LAYER_RUNTIME)
		ev.corr = nsys_corr(s, CALL_correlationId);
	builder_add(cx->b, nsys_host_track(cx, l, gtid, ID_NONE), &ev);
	*name = ev.name;
	return true;
}

/*
 * Kernels of files without a globalPid column can only belong to the one process that made calls.
 */
static void note_caller(struct nsys_ctx *cx, int64_t gtid)
{
	uint64_t group = NSYS_GLOBAL_PID(gtid);

	if (cx->groups_with_calls && group == cx->only_group)
		return;
	if (cx->groups_with_calls < 2)
		cx->groups_with_calls++;
	cx->only_group = cx->groups_with_calls == 1 ? group : NSYS_GROUP_NONE;
}

static void runtime_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t class = nsys_int_or(s, CALL_eventClass, CLASS_CUDA_RUNTIME);
	int64_t code = nsys_int_or(s, CALL_returnValue, I64_UNKNOWN);
	str_id name;

	if (class == CLASS_CUDA_BACKTRACE) { /* a second row of a call, to carry its call chain */
		cx->backtraces++;
		return;
	}
	if (!add_call(cx, s, LAYER_RUNTIME, call_aux(class == CLASS_CUDA_DRIVER, code), &name))
		return;
	note_caller(cx, nsys_int_or(s, CALL_globalTid, 0));
	if (code != I64_UNKNOWN && cuda_result_failed(code) && !cx->failed_calls++) {
		cx->failed_code = code;
		cx->failed_name = name;
	}
}

/* Classes 31 and 32 are marks of the tracer's own start and finish, with times but no call. */
static void osrt_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t class = nsys_int_or(s, CALL_eventClass, 0);
	str_id name;

	if (class != CLASS_OSRT_START && class != CLASS_OSRT_FINISH)
		add_call(cx, s, LAYER_OSRT, ID_NONE, &name);
}

static void overhead_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	str_id name;

	add_call(cx, s, LAYER_OVERHEAD, ID_NONE, &name);
}

const struct nsys_table nsys_runtime = {"CUPTI_ACTIVITY_KIND_RUNTIME", call_cols, CALL_N,
					runtime_row};
const struct nsys_table nsys_osrt = {"OSRT_API", call_cols, CALL_N, osrt_row};
const struct nsys_table nsys_profiler_overhead = {"PROFILER_OVERHEAD", call_cols, CALL_N,
						  overhead_row};
const struct nsys_table nsys_cupti_overhead = {"CUPTI_ACTIVITY_KIND_OVERHEAD", call_cols, CALL_N,
					       overhead_row};
