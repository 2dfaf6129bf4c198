/* The vocabulary of the generated run: CUDA calls under the name that either tool would print,
 * and the words of the tables. */
#include "gen.h"

const struct api_def gen_apis[API_COUNT] = {
	[API_LAUNCH] = { "cudaLaunchKernel", "cudaLaunchKernel_v7000", 211, 0, CALL_LAUNCH },
	[API_LAUNCH_EX] = { "cudaLaunchKernelExC", "cudaLaunchKernelExC_v11060", 430, 0,
		CALL_LAUNCH },
	[API_CU_LAUNCH_EX] = { "cuLaunchKernelEx", "cuLaunchKernelEx", 652, 1, CALL_LAUNCH },
	[API_MEMCPY] = { "cudaMemcpyAsync", "cudaMemcpyAsync_v3020", 41, 0, CALL_MEMCPY },
	[API_CU_HTOD] = { "cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync_v2", 279, 1, CALL_MEMCPY },
	[API_MEMSET] = { "cudaMemsetAsync", "cudaMemsetAsync_v3020", 51, 0, CALL_MEMCPY },
	[API_STREAM_SYNC] = { "cudaStreamSynchronize", "cudaStreamSynchronize_v3020", 131, 0,
		CALL_SYNC },
	[API_EVENT_SYNC] = { "cudaEventSynchronize", "cudaEventSynchronize_v3020", 137, 0,
		CALL_SYNC },
	[API_DEVICE_SYNC] = { "cudaDeviceSynchronize", "cudaDeviceSynchronize_v3020", 165, 0,
		CALL_SYNC },
	[API_EVENT_RECORD] = { "cudaEventRecord", "cudaEventRecord_v3020", 135, 0, CALL_OTHER },
	[API_STREAM_WAIT] = { "cudaStreamWaitEvent", "cudaStreamWaitEvent_v3020", 147, 0,
		CALL_OTHER },
	[API_EVENT_QUERY] = { "cudaEventQuery", "cudaEventQuery_v3020", 136, 0, CALL_OTHER },
	[API_MALLOC] = { "cudaMalloc", "cudaMalloc_v3020", 20, 0, CALL_OTHER },
	[API_HOST_ALLOC] = { "cudaHostAlloc", "cudaHostAlloc_v3020", 27, 0, CALL_OTHER },
	[API_LIB_LOAD] = { "cuLibraryLoadData", "cuLibraryLoadData", 701, 1, CALL_OTHER },
	[API_KERNEL_FUNC] = { "cuKernelGetFunction", "cuKernelGetFunction", 708, 1, CALL_OTHER },
	[API_GRAPH_LAUNCH] = { "cudaGraphLaunch", "cudaGraphLaunch_v10000", 311, 0, CALL_LAUNCH },
};

const char *const gen_phase_names[PH_COUNT] = { "dataload", "forward", "backward", "recompute",
	"optimizer", "other", "unattributed" };
const char *const gen_call_names[4] = { "sync", "launch", "memcpy", "other" };
const char *const gen_copy_names[COPY_KINDS] = { "HtoD", "DtoH", "DtoD" };
const char *const gen_mem_names[3] = { "pageable", "pinned", "device" };
const char *const gen_sync_names[SYNC_KINDS] = { "stream", "context", "event", "stream-wait" };
const int gen_stream_ids[ST_COUNT] = { 7, 20, 24, 28, 33 };
const int gen_tids[TH_COUNT] = { GEN_PID, GEN_PID + 61, GEN_PID + 37, GEN_PID + 12 };
const char *const gen_thread_names[TH_COUNT] = { "python3", "pt_autograd_0", "pt_nccl_watchdg",
	"python3" };
const char *const gen_thread_roles[TH_COUNT] = { "main", "autograd", "comm-watchdog", "other" };
