/*
 * finding_plans.h - for test_findings.c: what profiles are made of, and for each rule one that fires it and one that just does not.
 * See the head of that file.
 */
#ifndef TESTS_LIB_FINDING_PLANS_H
#define TESTS_LIB_FINDING_PLANS_H

#include <stdbool.h>

#include "model/builder.h"

enum { STEPS = 20, AMOUNT = -1, HOLE = -2, HEAVY = 1000 };
#define US 1000
#define STEP (10000 * US)

/* What an item is made of. */
enum what {
	ANNOT, OP, PYTHON, CALL, OVERHEAD,	/* main thread */
	BACKWARD,				/* op of an autograd thread */
	KERNEL,					/* in the hole, on the stream of the steps */
	BESIDE,					/* kernel on another stream */
	PINNED, PAGEABLE,			/* copies from the host, 2 MB, on a stream of their own */
	QUEUED,					/* pinned, on the stream of the steps */
	INSIDE,					/* copy inside the device, 2 MB */
	MIGRATION, PREFETCH,			/* of unified memory from the host, 2 MB: a page fault, or a prefetch, made it */
	TINY,					/* a call of that length that copies 100 bytes at its end */
	RECOMPUTED,				/* kernel launched by the autograd thread */
};
struct item {
	enum what what;
	const char *name;
	int at, len;		/* us from the start of the hole; AMOUNT: the amount of the case; HOLE: as long as it */
	int n;			/* so many, one after the other; 0 = 1, AMOUNT */
	int blocks;		/* of a kernel's grid, 0 unknown; HEAVY: many, of which registers let 2 of 16 run at once */
	int skip;		/* steps at the end that do not have it; AMOUNT */
};
struct plan {
	const char *rule;
	int fires, not;		/* amounts: in us, unless an item says that it is a number */
	int hole;		/* us without work of the steps' stream; AMOUNT */
	bool queued;		/* what ends the hole was launched before it began */
	int longer;		/* us that step 5 is longer; AMOUNT. The hole of that step then is, too */
	struct item items[7];
	const char *facts;	/* "key=value key=value" */
	struct {
		int first;	/* us that step 0 is longer; AMOUNT */
		int steps;	/* 0 = STEPS; AMOUNT */
		int devices;	/* 0 = 1; AMOUNT */
		int marker;	/* us of the step's own range; 0: all of its period; -1: no step is marked */
		unsigned lacks;	/* CAP_...: what the file does not record */
		int gapless;	/* so many steps at the end have no hole; AMOUNT */
		int other;	/* a second source of another tool, whose steps are so many us longer; AMOUNT */
	} x;
};

/* clang-format off */
#define BUSY "vendor_busy_kernel"
#define SGEMM "ampere_sgemm_128x64_tn"
#define HGEMM "cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align2"
#define TGEMM "cutlass_80_tensorop_s1688gemm_tf32_128x128_16x4_tn_align4"
#define ADD "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)"
#define COPYK "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}>(int)"
#define SOFTMAX "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(float*, float const*, int, int, int, bool const*, int, bool)"
#define NHWC "void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float, false, true>(float*)"
#define CONV "void cudnn::detail::implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, false, true>(int)"
#define TRIED "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, @, false, false, true>(int)"	/* @: a number, another one each time */
#define NLL "void at::native::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*)"
#define FLASH_FWD "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t> >(flash::Flash_fwd_params)"
#define FLASH_BWD "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8> >(flash::Flash_bwd_params)"
#define EMBED \
	"void at::native::embedding_backward_feature_kernel<float, float, long>(long const*)"
#define REDUCE "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
#define GATHER "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
#define BROADCAST "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
#define SENDRECV "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
#define SINGLE "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
#define MULTI "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
#define FETCH "torch/utils/data/_utils/fetch.py(49): fetch"
#define ZERO3 "deepspeed/runtime/zero/partitioned_param_coordinator.py: fetch_sub_module"
/* clang-format on */

static const struct plan plans[] = {
	/* input */
	{ "dataloader-bound", 550, 450, AMOUNT, false, 0, { { ANNOT, "enumerate(DataLoader)#_MyIter.__next__", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "dataloader-single-process", 220, 180, AMOUNT, false, 0, { { ANNOT, SINGLE, 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "dataloader-workers-slow", 550, 450, AMOUNT, false, 0, { { ANNOT, MULTI, 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "slow-decode-pil", 330, 270, 600, false, 0, { { PYTHON, FETCH, 0, 1000, 0, 0, 0 },
		{ PYTHON, "PIL/ImageFile.py(160): load", 100, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "slow-decode", 330, 270, 600, false, 0, { { PYTHON, FETCH, 0, 1000, 0, 0, 0 },
		{ PYTHON, "json/decoder.py(343): raw_decode", 100, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	/* 204 ms of steps and more: 2 % are 4.1 ms; the largest three of 20 make the p90 */
	{ "slow-first-batch", 4500, 3700, 100, false, AMOUNT, { { ANNOT, MULTI, 0, HOLE, 0, 0, 0 } }, NULL, { 0 } },
	{ "loader-jitter", 1320, 1080, 600, false, 0, { { ANNOT, MULTI, 0, 600, 0, 0, 0 }, { ANNOT, MULTI, -3000, AMOUNT, 0, 0, 17 } }, NULL, { 0 } },
	{ "dataloader-restart", 220, 180, 0, false, 0, { { PYTHON, "torch/utils/data/dataloader.py(422): _get_iterator", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "dataloader-batch-ahead", 550, 450, 0, false, 0, { { PYTHON, "transformers/trainer.py(5000): get_batch_samples", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "remote-reads", 330, 270, 600, false, 0, { { PYTHON, FETCH, 0, 1000, 0, 0, 0 },
		{ PYTHON, "fsspec/asyn.py(100): _fetch_range", 100, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	/* waits and copies: the call waits for the work before the hole */
	{ "sync-per-step", 110, 90, AMOUNT, false, 0, { { OP, "aten::_local_scalar_dense", -1000, 1000, 0, 0, 0 },
		{ CALL, "cudaStreamSynchronize", -990, 980, 0, 0, 0 } }, NULL, { 0 } },
	/* 1.1 ms are lost after a synchronize: after a read of a value, or beside one that waits for nothing */
	{ .rule = "sync-per-step", .fires = 1000, .not = 5, .hole = 1100, .items = { { OP, "aten::is_nonzero", -1000, AMOUNT, 0, 0, 0 },
		{ CALL, "cudaStreamSynchronize", -990, 980, 0, 0, 0 } } },
	{ "sync-many", 11, 9, 0, false, 0, { { OP, "aten::_local_scalar_dense", -1000, 10, AMOUNT, 0, 0 },
		{ CALL, "cudaStreamSynchronize", -995, 2, 0, 0, 0 } }, NULL, { 0 } },
	{ "sync-wait", 550, 450, AMOUNT, false, 0, { { CALL, "cudaStreamSynchronize", -1000, 990, 0, 0, 0 } }, NULL, { 0 } },
	{ "sync-harmless", 1650, 1350, 0, false, 0, { { CALL, "cudaStreamSynchronize", -2000, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "shape-sync", 110, 90, AMOUNT, false, 0, { { OP, "aten::nonzero", -1000, 1000, 0, 0, 0 },
		{ CALL, "cudaStreamSynchronize", -990, 980, 0, 0, 0 } }, NULL, { 0 } },
	{ "pageable-copies", 110, 90, AMOUNT, true, 0, { { PAGEABLE, "Memcpy HtoD (Pageable -> Device)", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "unpinned-async", 110, 90, AMOUNT, false, 0, { { TINY, "Memcpy HtoD (Pageable -> Device)", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "copy-bound", 2200, 1800, AMOUNT, true, 0, { { PINNED, "Memcpy HtoD (Pinned -> Device)", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "copy-not-hidden", 550, 450, AMOUNT, true, 0, { { PINNED, "Memcpy HtoD (Pinned -> Device)", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "htod-not-hidden", 220, 180, AMOUNT, true, 0, { { PINNED, "Memcpy HtoD (Pinned -> Device)", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ .rule = "device-copies", .fires = 550, .not = 450, .hole = AMOUNT, .queued = true,
		.items = { { INSIDE, "Memcpy DtoD (Device -> Device)", 0, AMOUNT, 0, 0, 0 } } },
	/* beside a kernel: none of it is hidden */
	{ .rule = "unified-memory", .fires = 220, .not = 180, .items = { { MIGRATION, "Unified memory HtoD", -4000, AMOUNT, 0, 0, 0 } } },
	{ "copy-in-backward", 110, 90, AMOUNT, true, 0, { { PINNED, "Memcpy HtoD (Pinned -> Device)", 0, AMOUNT, 0, 0, 0 },
		{ BACKWARD, "autograd::engine::evaluate_function: MmBackward0", -4990, 9900, 0, 0, 0 } }, NULL, { 0 } },
	{ "pinned-allocation", 55, 45, AMOUNT, false, 0, { { CALL, "cudaHostAlloc", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "blocking-copies", 110, 90, AMOUNT, false, 0, { { CALL, "cudaMemcpy", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "event-query", 110, 90, AMOUNT, false, 0, { { CALL, "cudaEventQuery", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	/* launch side */
	{ "launch-bound", 1650, 1350, AMOUNT, false, 0, { { OP, "aten::add", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	/* ends before the launch that ends the hole */
	{ "cpu-tensors", 600, 450, AMOUNT, false, 0, { { OP, "aten::randperm", -30, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "mm-dispatch", 600, 500, AMOUNT, false, 0, { { OP, "aten::mm", 0, AMOUNT, 0, 0, 0 }, { BESIDE, HGEMM, -2000, 550, 0, 0, 0 } }, NULL, { 0 } },
	/* of 600 us without work 550 are below the product, and 450 */
	{ .rule = "mm-dispatch", .fires = 550, .not = 450, .hole = 600, .items = { { OP, "aten::mm", 0, AMOUNT, 0, 0, 0 }, { BESIDE, HGEMM, -2000, 200, 0, 0, 0 } } },
	{ "python-bound", 1100, 900, AMOUNT, false, 0, { { ANNOT, "my range", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "small-batch", 550, 450, 1650, false, 0, { { OP, "aten::add", 0, 1650, 0, 0, 0 }, { BESIDE, HGEMM, -3500, AMOUNT, 0, 20, 0 },
		{ BESIDE, HGEMM, -2000, 500, 0, 500, 0 } }, NULL, { 0 } },
	/* a convolution of few blocks is no part of the products */
	{ .rule = "small-batch", .fires = 550, .not = 450, .hole = 1650, .items = { { OP, "aten::add", 0, 1650, 0, 0, 0 },
		{ BESIDE, HGEMM, -3500, AMOUNT, 0, 20, 0 }, { BESIDE, HGEMM, -2000, 500, 0, 500, 0 }, { BESIDE, CONV, -4500, 900, 0, 20, 0 } } },
	{ "optimizer-unfused", 550, 450, 300, false, 0, { { ANNOT, "Optimizer.step#SGD.step", -4960, 5300, 0, 0, 0 },
		{ BESIDE, "multi_tensor_apply_kernel", -2500, 2, AMOUNT, 0, 0 } }, NULL, { 0 } },
	{ "recompilation", 110, 90, 0, false, 0, { { OP, "_compile.compile_inner (dynamo_timed)", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "graph-rerecord", 110, 90, AMOUNT, false, 0, { { CALL, "cudaGraphInstantiate", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	/* in all steps but 18 or 19 of 20 */
	{ .rule = "graph-rerecord", .fires = 18, .not = 19, .hole = 2200, .items = { { CALL, "cudaGraphInstantiate_v12000", 0, 2200, 0, 0, AMOUNT } } },
	{ "allocator", 110, 90, AMOUNT, false, 0, { { CALL, "cudaMalloc", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "allocator", 110, 90, AMOUNT, false, 0, { { CALL, "cuMemSetAccess", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "allocator", 110, 90, AMOUNT, false, 0, { { CALL, "cudaMalloc3DArray_v3020", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "empty-cache", 11, 9, 300, false, 0, { { CALL, "cudaFree", 0, 20, AMOUNT, 0, 0 } }, NULL, { 0 } },
	{ "cudnn-autotune", 110, 90, AMOUNT, false, 0, { { OP, "cudnnFindConvolutionForwardAlgorithm", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	/* six kernels in one convolution of three steps are a search, five are none; each 250 us, of 200 ms */
	{ .rule = "cudnn-autotune", .fires = 6, .not = 5, .hole = 1600, .queued = true, .items = { { OP, "aten::cudnn_convolution", -4980, 900, 0, 0, 0 },
		{ KERNEL, TRIED, 0, 250, AMOUNT, 0, 17 } } },
	/* nor are six in more than half of the steps: in 10 of 20, in 11 */
	{ .rule = "cudnn-autotune", .fires = 10, .not = 9, .hole = 1600, .queued = true, .items = { { OP, "aten::cudnn_convolution", -4980, 900, 0, 0, 0 },
		{ KERNEL, TRIED, 0, 250, 6, 0, AMOUNT } } },
	{ "python-gc", 22000, 18000, 0, false, AMOUNT, { { PYTHON, "gc.py(10): gc_collect_main", -1000, 10, 0, 0, 0 } }, NULL, { 0 } },
	/* without a frame of the collector such a gap is not its */
	{ .rule = "python-gc", .fires = 10, .not = 0, .longer = 22000, .items = { { PYTHON, "gc.py(10): gc_collect_main", -1000, AMOUNT, 0, 0, 0 } } },
	{ "long-steps", 5500, 4500, 0, false, AMOUNT, { { 0 } }, NULL, { 0 } },
	{ "gc-frames", 55, 45, 0, false, 0, { { PYTHON, "gc.py(10): gc_collect_main", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ .rule = "saving-frames", .fires = 220, .not = 180, .items = { { PYTHON, "torch/serialization.py(600): save", 0, AMOUNT, 0, 0, 0 } },
		.x.lacks = CAP_GPU },
	{ "saving-in-steps", 220, 180, AMOUNT, false, 0, { { PYTHON, "torch/serialization.py(600): save", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "profiler-overhead", 110, 90, 0, false, 0, { { OVERHEAD, "Activity Buffer Request", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	/* compute */
	{ "no-tensor-cores", 1100, 900, 5000, true, 0, { { KERNEL, SGEMM, 0, AMOUNT, 0, 0, 0 }, { BESIDE, HGEMM, 0, 3900, 0, 0, 0 } }, NULL, { 0 } },
	{ "tf32-only", 1100, 900, 5000, true, 0, { { KERNEL, TGEMM, 0, AMOUNT, 0, 0, 0 }, { BESIDE, SGEMM, 0, 3900, 0, 0, 0 } }, NULL, { 0 } },
	{ "scaler-sync", 110, 90, AMOUNT, false, 0, { { OP, "aten::_amp_update_scale_", -1000, 1000, 0, 0, 0 },
		{ CALL, "cudaStreamSynchronize", -990, 980, 0, 0, 0 } }, NULL, { 0 } },
	{ "layout-copies", 550, 450, AMOUNT, true, 0, { { KERNEL, COPYK, 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "channels-last", 330, 270, 400, true, 0, { { KERNEL, NHWC, 0, AMOUNT, 0, 0, 0 }, { BESIDE, CONV, 0, 10, 3, 0, 0 } }, NULL, { 0 } },
	{ "unfused-attention", 550, 450, AMOUNT, true, 0, { { KERNEL, SOFTMAX, 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "embedding-sort", 220, 180, AMOUNT, true, 0, { { KERNEL, EMBED, 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "cross-entropy", 550, 450, AMOUNT, true, 0, { { KERNEL, NLL, 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "small-grids", 330, 270, AMOUNT, true, 0, { { KERNEL, NLL, 0, AMOUNT, 0, 20, 0 } }, NULL, { 0 } },
	{ "low-occupancy", 330, 270, AMOUNT, true, 0, { { KERNEL, NLL, 0, AMOUNT, 0, HEAVY, 0 } }, NULL, { 0 } },
	{ "elementwise-chains", 660, 540, 3500, true, 0, { { KERNEL, ADD, 0, AMOUNT, 5, 0, 0 } }, NULL, { 0 } },
	/* communication and offload */
	{ "exposed-comm", 550, 450, AMOUNT, true, 0, { { BESIDE, REDUCE, 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "comm-slows-compute", 530, 470, 2000, true, 0, { { KERNEL, HGEMM, 0, 200, 0, 0, 0 }, { KERNEL, HGEMM, 1000, AMOUNT, 0, 0, 0 },
		{ BESIDE, REDUCE, 900, 800, 0, 0, 0 } }, NULL, { 0 } },
	{ "straggler-suspected", 330, 270, 0, false, 0, { { BESIDE, REDUCE, -4000, 100, 8, 0, 0 }, { BESIDE, REDUCE, -2000, AMOUNT, 2, 0, 0 } }, NULL, { 0 } },
	{ "small-gathers", 110, 90, 2500, true, 0, { { BESIDE, GATHER, 0, 20, AMOUNT, 0, 0 } }, NULL, { 0 } },
	{ "pipeline-bubble", 1650, 1350, AMOUNT, true, 0, { { BESIDE, SENDRECV, 0, AMOUNT, 0, 0, 0 }, { OP, "nccl:recv 0<-1", -1000, 10, 0, 0, 0 } }, NULL, { 0 } },
	{ "zero3-offload", 2200, 1800, AMOUNT, true, 0, { { PINNED, "Memcpy HtoD (Pinned -> Device)", 0, AMOUNT, 0, 0, 0 },
		{ ANNOT, ZERO3, -2000, 100, 0, 0, 0 } }, NULL, { 0 } },
	{ "cpu-optimizer", 550, 450, AMOUNT, false, 0, { { OP, "DeepSpeedCPUAdam.step", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "zero3-fetch", 550, 450, AMOUNT, false, 0, { { ANNOT, ZERO3, 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "moe-fetch-waste", 1100, 900, AMOUNT, true, 0, { { PINNED, "Memcpy HtoD (Pinned -> Device)", 0, AMOUNT, 0, 0, 0 },
		{ ANNOT, ZERO3, -2000, 100, 0, 0, 0 }, { ANNOT, "experts.3", -1500, 100, 0, 0, 0 } }, "experts=8 top_k=2", { 0 } },
	{ "recompute", 22, 18, 0, false, 0, { { ANNOT, "forward", -4000, 2500, 0, 0, 0 }, { CALL, "cudaLaunchKernel", -3900, 5, 100, 0, 0 },
		{ BACKWARD, "autograd::engine::evaluate_function: CheckpointFunctionBackward", 0, 4000, 0, 0, 0 },
		{ BACKWARD, "CheckpointFunctionBackward", 10, 3900, 0, 0, 0 }, { BACKWARD, "aten::linear", 20, 3000, 0, 0, 0 },
		{ RECOMPUTED, HGEMM, 100, 10, AMOUNT, 0, 0 } }, NULL, { 0 } },
	{ "recompute-attention", 20, 16, 0, false, 0, { { BESIDE, FLASH_FWD, -4000, 10, AMOUNT, 0, 0 }, { BESIDE, FLASH_BWD, -2000, 20, 10, 0, 0 } }, NULL,
		{ 0 } },
	{ "recompute-gathers", 20, 16, 400, true, 0, { { ANNOT, "forward", -4970, 3000, 0, 0, 0 }, { BESIDE, GATHER, -4000, 10, 10, 0, 0 },
		{ CALL, "cudaLaunchKernel", -3900, 5, 50, 0, 0 }, { BACKWARD, "autograd::engine::evaluate_function: CheckpointFunctionBackward", 0, 4000, 0, 0, 0 },
		{ BACKWARD, "CheckpointFunctionBackward", 10, 3900, 0, 0, 0 }, { BACKWARD, "aten::linear", 20, 3000, 0, 0, 0 },
		{ RECOMPUTED, GATHER, 100, 10, AMOUNT, 0, 0 } }, NULL, { 0 } },
	{ "ddp-buffers", 0, 2, 300, true, 0, { { OP, "DistributedDataParallel.forward", -2000, 100, 0, 0, 0 },
		{ BESIDE, BROADCAST, 0, 300, 0, 0, AMOUNT } }, NULL, { 0 } },
	{ "ddp-copies", 220, 180, AMOUNT, false, 0, { { OP, "torch.distributed.ddp.reducer::copy_bucket_to_grad", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "timer-sync", 3, 2, 0, false, 0, { { CALL, "cudaDeviceSynchronize", -1000, 2, AMOUNT, 0, 0 } }, NULL, { 0 } },
	/* what remains */
	{ "idle-dependency", 550, 450, AMOUNT, true, 0, { { 0 } }, NULL, { 0 } },
	{ "idle-sync", 550, 450, AMOUNT, false, 0, { { CALL, "cudaStreamSynchronize", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "idle-copy", 550, 450, AMOUNT, false, 0, { { TINY, "Memcpy HtoD (Pageable -> Device)", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "idle-comm", 550, 450, AMOUNT, false, 0, { { OP, "c10d::barrier", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "idle-allocator", 550, 450, AMOUNT, false, 0, { { CALL, "cudaMalloc", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	{ "idle-optimizer", 550, 450, AMOUNT, false, 0, { { ANNOT, "Optimizer.step#SGD.step", 0, AMOUNT, 0, 0, 0 } }, NULL, { 0 } },
	/* in gaps of 1.1 ms, every fifth step left out: four of five, and fewer */
	{ .rule = "gaps-per-step", .fires = 4, .not = 5, .hole = 1100, .x.gapless = AMOUNT },
	{ "gpu-idle", 1650, 1350, AMOUNT, false, 0, { { CALL, "cudaMalloc", 0, 250, 0, 0, 0 }, { OP, "c10d::barrier", 260, 250, 0, 0, 0 } }, NULL, { 0 } },
	{ "gpu-bound", 300, 1100, AMOUNT, true, 0, { { 0 } }, NULL, { 0 } },
	{ .rule = "idle-unexplained", .fires = 1100, .not = 900, .hole = AMOUNT, .x.marker = 4000 },
	{ .rule = "idle-compile", .fires = 550, .not = 450, .hole = AMOUNT, .items = { { CALL, "cuModuleLoadData", 0, AMOUNT, 0, 0, 0 } }, .x.steps = 2 },
	{ .rule = "data-parallel", .fires = 2, .not = 1, .items = { { OP, "DataParallel.forward", 0, 100, 0, 0, 0 } }, .x.devices = AMOUNT },
	{ .rule = "warm-up", .fires = 2750, .not = 2250, .x.first = AMOUNT },	/* a quarter more than the others, the first has number 0 */
	{ .rule = "few-steps", .fires = 2, .not = 3, .x.steps = AMOUNT },
	{ .rule = "record-stacks", .fires = 1100, .not = 900, .hole = AMOUNT, .x.lacks = CAP_PYTHON },
	{ .rule = "record-ops", .fires = 1100, .not = 900, .hole = AMOUNT, .x.lacks = CAP_OPS },
	{ .rule = "sources-disagree", .fires = 550, .not = 450, .x.other = AMOUNT },	/* runs of different length may differ by 5 % */
};

#endif
