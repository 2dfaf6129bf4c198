/*
 * gpu.c - rows of GPU tables (kernels, graphs, copies, sets, synchronisation) to events, see
 * nsys.h
 */
#include <inttypes.h>

#include "load/nsys/nsys.h"

#define COL_ID(prefix, name)   prefix##_##name,
#define COL_NAME(prefix, name) #name,

/* clang-format off */
/* The first eight columns of every GPU table. */
/* clang-format off */
#define GPU_COLS(C) \
	C(GPU, start) C(GPU, end) C(GPU, deviceId) C(GPU, contextId) C(GPU, streamId) \
	C(GPU, correlationId) C(GPU, globalPid) C(GPU, graphNodeId)
#define KERNEL_COLS(C) \
	C(KERNEL, demangledName) C(KERNEL, shortName) C(KERNEL, mangledName) \
	C(KERNEL, registersPerThread) C(KERNEL, gridX) C(KERNEL, gridY) C(KERNEL, gridZ) \
	C(KERNEL, blockX) C(KERNEL, blockY) C(KERNEL, blockZ) \
	C(KERNEL, staticSharedMemory) C(KERNEL, dynamicSharedMemory)
#define GRAPH_COLS(C) C(GRAPH, graphId) C(GRAPH, graphExecId)
#define MEMCPY_COLS(C) \
	C(MEMCPY, bytes) C(MEMCPY, copyKind) C(MEMCPY, srcKind) C(MEMCPY, dstKind) \
	C(MEMCPY, virtualAddress) C(MEMCPY, migrationCause)
#define MEMSET_COLS(C) C(MEMSET, bytes) C(MEMSET, memKind)
#define SYNC_COLS(C) C(SYNC, eventId) C(SYNC, eventSyncId)
/* clang-format on */

enum { GPU_COLS(COL_ID) GPU_N };
enum { KERNEL_BEFORE = GPU_N - 1, KERNEL_COLS(COL_ID) KERNEL_N };
enum { GRAPH_BEFORE = GPU_N - 1, GRAPH_COLS(COL_ID) GRAPH_N };
enum { MEMCPY_BEFORE = GPU_N - 1, MEMCPY_COLS(COL_ID) MEMCPY_N };
enum { MEMSET_BEFORE = GPU_N - 1, MEMSET_COLS(COL_ID) MEMSET_N };
enum { SYNC_BEFORE = GPU_N - 1, SYNC_COLS(COL_ID) SYNC_N };

static const char *const kernel_cols[] = { GPU_COLS(COL_NAME) KERNEL_COLS(COL_NAME) };
static const char *const graph_cols[] = { GPU_COLS(COL_NAME) GRAPH_COLS(COL_NAME) };
static const char *const memcpy_cols[] = { GPU_COLS(COL_NAME) MEMCPY_COLS(COL_NAME) };
static const char *const memset_cols[] = { GPU_COLS(COL_NAME) MEMSET_COLS(COL_NAME) };
static const char *const sync_cols[] = { GPU_COLS(COL_NAME) SYNC_COLS(COL_NAME) };
/* clang-format on */

/* INT_MAX stands for "none" in rows that the host started. */
static int64_t small_id(struct nsys_scan *s, unsigned col)
{
	int64_t v = nsys_int_or(s, col, -1);

	return v < 0 || v == INT32_MAX || v >= NSYS_STREAM_NONE ? -1 : v;
}

static int32_t small_int(struct nsys_scan *s, unsigned col, int32_t unknown)
{
	int64_t v = nsys_int_or(s, col, unknown);

	return v < 0 || v > INT32_MAX ? unknown : (int32_t)v;
}

/* Time and correlation of a GPU row; false when it has no place on the time line. */
static bool gpu_event(struct nsys_ctx *cx, struct nsys_scan *s, struct builder_event *ev)
{
	*ev = (struct builder_event){
		.corr = nsys_corr(s, GPU_correlationId), .ext = CORR_NONE, .aux = ID_NONE};
	if (nsys_int_or(s, GPU_start, -1) == 0 && nsys_int_or(s, GPU_end, -1) == 0) {
		cx->untimed++;
		return false;
	}
	return nsys_span(cx, s, GPU_start, GPU_end, ev);
}

static uint64_t gpu_group(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t pid;

	return nsys_int(s, GPU_globalPid, &pid) ? NSYS_GLOBAL_PID(pid) : cx->only_group;
}

static void gpu_add(struct nsys_ctx *cx, struct nsys_scan *s, enum layer l, bool uvm,
		    const struct builder_event *ev)
{
	int64_t stream = uvm ? NSYS_STREAM_UVM : small_id(s, GPU_streamId);
	uint64_t group = gpu_group(cx, s);

	builder_add(cx->b,
		    nsys_gpu_track(cx, l, group, small_id(s, GPU_deviceId),
				   small_id(s, GPU_contextId), stream),
		    ev);
}

/*
 * Demangled, else short, else mangled (definitions.md §3); an id without a string only when nothing
 * else is there.
 */
static str_id kernel_name(struct nsys_ctx *cx, struct nsys_scan *s)
{
	static const unsigned cols[] = {KERNEL_demangledName, KERNEL_shortName, KERNEL_mangledName};
	str_id name = ID_NONE;

	for (unsigned dangling_ok = 2; dangling_ok-- > 0;)
		for (size_t i = 0; i < 3 && name == ID_NONE; i++)
			name = nsys_name(cx, s, cols[i], dangling_ok);
	return name != ID_NONE ? name : nsys_intern(cx, "(unnamed)");
}

static int32_t shared_bytes(struct nsys_scan *s)
{
	int64_t fixed = nsys_int_or(s, KERNEL_staticSharedMemory, -1);
	int64_t dynamic = nsys_int_or(s, KERNEL_dynamicSharedMemory, -1);

	if ((fixed < 0 && dynamic < 0) || fixed > INT32_MAX / 2 || dynamic > INT32_MAX / 2)
		return -1;
	return (int32_t)((fixed > 0 ? fixed : 0) + (dynamic > 0 ? dynamic : 0));
}

static void kernel_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	struct kernel_detail d = {.registers = small_int(s, KERNEL_registersPerThread, -1),
				  .shared_bytes = shared_bytes(s),
				  .graph_node = (uint64_t)nsys_int_or(s, GPU_graphNodeId, 0)};
	struct builder_event ev;

	if (!gpu_event(cx, s, &ev))
		return;
	for (unsigned i = 0; i < 3; i++) {
		d.grid[i] = small_int(s, KERNEL_gridX + i, 0);
		d.block[i] = small_int(s, KERNEL_blockX + i, 0);
	}
	ev.name = kernel_name(cx, s);
	ev.aux = builder_kernel_detail(cx->b, &d);
	gpu_add(cx, s, LAYER_KERNEL, false, &ev);
}

static void graph_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	static const struct kernel_detail unknown = {.registers = -1, .shared_bytes = -1};
	struct builder_event ev;

	if (!gpu_event(cx, s, &ev))
		return;
	ev.name = nsys_intern(cx, "CUDA graph %" PRId64 " (exec %" PRId64 ")",
			      nsys_int_or(s, GRAPH_graphId, -1),
			      nsys_int_or(s, GRAPH_graphExecId, -1));
	ev.aux = builder_kernel_detail(cx->b, &unknown);
	gpu_add(cx, s, LAYER_KERNEL, false, &ev);
	cx->graph_rows++;
}

static uint8_t kind_or(struct nsys_scan *s, unsigned col, int64_t n, uint8_t unknown)
{
	int64_t v = nsys_int_or(s, col, unknown);

	return v < 0 || v >= n ? unknown : (uint8_t)v;
}

static int64_t byte_count(struct nsys_scan *s, unsigned col)
{
	int64_t v = nsys_int_or(s, col, I64_UNKNOWN);

	return v < 0 ? I64_UNKNOWN : v;
}

static uint32_t migration(struct nsys_ctx *cx, struct nsys_scan *s)
{
	struct um_detail d = {.address = (uint64_t)nsys_int_or(s, MEMCPY_virtualAddress, 0),
			      .device = -1,
			      .module = ID_NONE,
			      .file = ID_NONE,
			      .what = UM_MIGRATION,
			      .why = kind_or(s, MEMCPY_migrationCause, 256, 0)};

	return builder_um_detail(cx->b, &d);
}

static void memcpy_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	struct copy_detail d = {.bytes = byte_count(s, MEMCPY_bytes),
				.kind = kind_or(s, MEMCPY_copyKind, COPY_KIND_N, COPY_UNKNOWN),
				.src = kind_or(s, MEMCPY_srcKind, MEM_KIND_N, MEM_UNKNOWN),
				.dst = kind_or(s, MEMCPY_dstKind, MEM_KIND_N, MEM_UNKNOWN)};
	struct builder_event ev;
	bool migrates;

	if (!gpu_event(cx, s, &ev))
		return;
	migrates = d.kind >= COPY_UVM_HTOD && d.kind <= COPY_UVM_DTOD;
	if (migrates)
		d.um = migration(cx, s) + 1;
	ev.name = cx->copy_name[d.kind];
	ev.aux = builder_copy_detail(cx->b, &d);
	gpu_add(cx, s, LAYER_MEMCPY, migrates, &ev);
}

static void memset_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	struct copy_detail d = {.bytes = byte_count(s, MEMSET_bytes),
				.kind = COPY_UNKNOWN,
				.src = MEM_UNKNOWN,
				.dst = kind_or(s, MEMSET_memKind, MEM_KIND_N, MEM_UNKNOWN)};
	struct builder_event ev;

	if (!gpu_event(cx, s, &ev))
		return;
	ev.name = cx->memset_name;
	ev.aux = builder_copy_detail(cx->b, &d);
	gpu_add(cx, s, LAYER_MEMSET, false, &ev);
}

/* What syncType means has changed four times between 2020 and 2026: it is no source of the kind. */
static void sync_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	struct builder_event ev;

	if (!gpu_event(cx, s, &ev))
		return;
	ev.name = cx->sync_name;
	ev.aux = SYNC_UNKNOWN;
	gpu_add(cx, s, LAYER_SYNC, false, &ev);
	nsys_event_waited(cx, gpu_group(cx, s), ev.corr, nsys_int_or(s, SYNC_eventId, 0), nsys_int_or(s, SYNC_eventSyncId, 0));
}

const struct nsys_table nsys_kernel = {"CUPTI_ACTIVITY_KIND_KERNEL", kernel_cols, KERNEL_N,
				       kernel_row};
const struct nsys_table nsys_graph = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph_cols, GRAPH_N,
				      graph_row};
const struct nsys_table nsys_memcpy = {"CUPTI_ACTIVITY_KIND_MEMCPY", memcpy_cols, MEMCPY_N,
				       memcpy_row};
const struct nsys_table nsys_memset = {"CUPTI_ACTIVITY_KIND_MEMSET", memset_cols, MEMSET_N,
				       memset_row};
const struct nsys_table nsys_sync = {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", sync_cols, SYNC_N,
				     sync_row};
