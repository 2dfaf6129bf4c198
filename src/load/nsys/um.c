/*
 * um.c - page faults of unified memory (CUDA_UM_CPU_PAGE_FAULT_EVENTS, CUDA_UM_GPU_PAGE_FAULT_EVENTS), see nsys.h
 *
 * A fault of a CPU is a moment of a process, whose thread is not told; one of a GPU has a length and stands for several.
 */
#include "base/i18n.h"
#include "load/nsys/nsys.h"

#define COL_ID(prefix, name)   prefix##_##name,
#define COL_NAME(prefix, name) #name,

/* clang-format off */
/* The two tables share what they have in common; sourceFile has had a capital letter for a time. */
/* clang-format off */
#define FAULT_COLS(C) \
	C(FAULT, start) C(FAULT, end) C(FAULT, globalPid) C(FAULT, address) \
	C(FAULT, CpuInstruction) C(FAULT, module) \
	C(FAULT, sourceFile) C(FAULT, SourceFile) C(FAULT, sourceLine) C(FAULT, SourceLine) \
	C(FAULT, deviceId) C(FAULT, numberOfPageFaults) C(FAULT, faultAccessType)
/* clang-format on */
enum { FAULT_COLS(COL_ID) FAULT_N };
static const char *const fault_cols[] = { FAULT_COLS(COL_NAME) };
/* clang-format on */

static void put_fault(struct nsys_ctx *cx, struct nsys_scan *s, struct um_detail *d, struct builder_event *ev)
{
	d->address = (uint64_t)nsys_int_or(s, FAULT_address, 0);
	ev->corr = ev->ext = CORR_NONE;
	ev->aux = builder_um_detail(cx->b, d);
	builder_add(cx->b, nsys_host_track(cx, LAYER_FAULT, nsys_int_or(s, FAULT_globalPid, 0), ID_NONE), ev);
}

static str_id either(struct nsys_ctx *cx, struct nsys_scan *s, unsigned a, unsigned b)
{
	str_id id = nsys_name(cx, s, a, true);

	return id != ID_NONE ? id : nsys_name(cx, s, b, true);
}

static void cpu_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t line = nsys_int_or(s, FAULT_sourceLine, nsys_int_or(s, FAULT_SourceLine, 0));
	struct builder_event ev = {0};
	struct um_detail d = {.faults = 1, .device = -1, .what = UM_CPU_FAULT};

	if (!nsys_int(s, FAULT_start, &ev.start) || !nsys_time_ok(ev.start)) {
		builder_damage(cx->b, N_("row without a start time"), s->row, 1);
		return;
	}
	d.module = nsys_name(cx, s, FAULT_module, true);
	d.file = either(cx, s, FAULT_sourceFile, FAULT_SourceFile);
	d.line = line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
	ev.name = nsys_name(cx, s, FAULT_CpuInstruction, false);
	if (ev.name == ID_NONE)
		ev.name = nsys_intern(cx, "(unnamed)");
	put_fault(cx, s, &d, &ev);
}

static void gpu_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t access = nsys_int_or(s, FAULT_faultAccessType, 0);
	struct builder_event ev = {0};
	struct um_detail d = {.faults = nsys_int_or(s, FAULT_numberOfPageFaults, 1),
			      .device = nsys_int_or(s, FAULT_deviceId, -1),
			      .module = ID_NONE,
			      .file = ID_NONE,
			      .what = UM_GPU_FAULT,
			      .why = access > 0 && access < 256 ? (uint8_t)access : 0};

	if (!nsys_span(cx, s, FAULT_start, FAULT_end, &ev))
		return;
	ev.name = nsys_intern(cx, "%s", um_access_name(d.why));
	put_fault(cx, s, &d, &ev);
}

const struct nsys_table nsys_cpu_fault = {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", fault_cols, FAULT_N, cpu_row};
const struct nsys_table nsys_gpu_fault = {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", fault_cols, FAULT_N, gpu_row};
