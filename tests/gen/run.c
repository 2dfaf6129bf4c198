/* The training script: steps, micro-batches, ZeRO-3 parameter fetches from the host, gradient
 * checkpointing, the CPU optimizer, the loader between the steps. */
#include "gen.h"

#include <stdlib.h>

#define MB (INT64_C(1) << 20)
#define COORD "deepspeed/runtime/zero/partitioned_param_coordinator.py"
#define OFFLOAD "deepspeed/runtime/zero/parameter_offload.py"
#define ENGINE "deepspeed/runtime/engine.py"
#define STAGE3 "deepspeed/runtime/zero/stage3.py"
#define LOADER "torch/utils/data/dataloader.py"

static int modules(const struct run *r)
{
	return (int)r->opt.layers + 2;
}

static int64_t module_bytes(const struct run *r, int module)
{
	if (module == 0 || module == modules(r) - 1)
		return 15 * MB;
	return layer_is_moe(module - 1) ? 31 * MB : 12 * MB;
}

static void all_gather(struct run *r, enum gen_thread th, int64_t bytes, ns_t ready)
{
	op_begin(r, th, "c10d::_allgather_base_", 0);
	op_begin(r, th, "record_param_comms", 0);
	stream_wait(r, th, ST_COMM, ready);
	host(r, th, 2500);
	launch(r, th, API_LAUNCH_EX, K_ALLGATHER, ST_COMM, 9000 + bytes / 240);
	end(r, th);
	end(r, th);
}

/* Own shard from pinned host memory, then the all-gather of the ranks. */
static void fetch(struct run *r, enum gen_thread th, int module)
{
	int64_t bytes = module_bytes(r, module);
	ns_t ready;

	py_begin(r, th, PY_FRAME, COORD, 513, "__all_gather_params_");
	op_begin(r, th, "aten::copy_", 0);
	copy(r, th, COPY_HTOD, MEM_PINNED, MEM_DEVICE, bytes, ST_HTOD);
	end(r, th);
	ready = event_record(r, th, ST_HTOD);
	if (!r->solo)
		all_gather(r, th, bytes, ready);
	r->fetched[module] = r->solo ? ready : event_record(r, th, ST_COMM);
	end(r, th);
}

/* Before a module runs: its parameters and those of the next one; never more than two fetches are
 * in flight. */
static void fetch_sub_module(struct run *r, enum gen_thread th, int module, int next)
{
	py_begin(r, th, PY_FRAME, OFFLOAD, 412,
		th == TH_MAIN ? "pre_sub_module_forward_function"
			      : "pre_sub_module_backward_function");
	py_begin(r, th, PY_FRAME, COORD, 286, "fetch_sub_module");
	if (!r->fetched[module])
		fetch(r, th, module);
	if (next >= 0 && next < modules(r) && !r->fetched[next]) {
		if (r->fetched[module] > r->th[th].now + 900000)
			sync_event(r, th, r->fetched[module]);
		fetch(r, th, next);
	}
	stream_wait(r, th, ST_COMPUTE, r->fetched[module]);
	r->fetched[module] = 0;
	end(r, th);
	end(r, th);
}

static void release_sub_module(struct run *r, enum gen_thread th)
{
	py_begin(r, th, PY_FRAME, COORD, 447, "release_sub_module");
	host(r, th, 9000);
	end(r, th);
}

static void forward(struct run *r)
{
	int last = modules(r) - 1;

	annot_begin(r, AN_FORWARD, "forward", "forward");
	py_begin(r, TH_MAIN, PY_FRAME, ENGINE, 2051, "forward");
	fetch_sub_module(r, TH_MAIN, 0, 1);
	embed_forward(r);
	for (int layer = 0; layer < (int)r->opt.layers; layer++) {
		py_begin(r, TH_MAIN, PY_FRAME, "torch/utils/checkpoint.py", 344, "checkpoint");
		op_begin(r, TH_MAIN, "CheckpointFunction", r->next_seq++);
		fetch_sub_module(r, TH_MAIN, layer + 1, layer + 2);
		block_forward(r, TH_MAIN, layer);
		release_sub_module(r, TH_MAIN);
		end(r, TH_MAIN);
		end(r, TH_MAIN);
	}
	fetch_sub_module(r, TH_MAIN, last, -1);
	head_forward(r);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	host(r, TH_MAIN, 15000);
}

/* A checkpointed block in backward: parameters again, forward again (recompute), then its own
 * backward. */
static void checkpoint_backward(struct run *r, int layer, int64_t seq)
{
	enum gen_thread th = TH_AUTOGRAD;

	host(r, th, 1500);
	op_begin(r, th, "autograd::engine::evaluate_function: CheckpointFunctionBackward", 0);
	host(r, th, 2000);
	op_begin(r, th, "CheckpointFunctionBackward", seq);
	py_begin(r, th, PY_FRAME, "torch/autograd/function.py", 307, "apply");
	py_begin(r, th, PY_FRAME, "torch/utils/checkpoint.py", 271, "backward");
	fetch_sub_module(r, th, layer + 1, layer);
	r->grad_enabled = true;
	block_forward(r, th, layer);
	r->grad_enabled = false;
	host(r, th, 6000);
	block_backward(r, layer);
	release_sub_module(r, th);
	end(r, th);
	end(r, th);
	end(r, th);
	end(r, th);
}

static void backward(struct run *r, int64_t first_seq)
{
	int layers = (int)r->opt.layers;
	ns_t start;

	annot_begin(r, AN_BACKWARD, "backward", "backward");
	py_begin(r, TH_MAIN, PY_FRAME, ENGINE, 2187, "backward");
	py_begin(r, TH_MAIN, PY_FRAME, "torch/_tensor.py", 592, "backward");
	py_begin(r, TH_MAIN, PY_FRAME, "torch/autograd/graph.py", 814, "_engine_run_backward");
	py_builtin(r, TH_MAIN,
		"<built-in method run_backward of torch._C._EngineBase object at 0x7f30c1e6a0b0>",
		"_EngineBase.run_backward");
	start = r->th[TH_MAIN].now + 19000;
	if (r->th[TH_AUTOGRAD].now < start)
		r->th[TH_AUTOGRAD].now = start;
	head_backward(r);
	for (int layer = layers - 1; layer >= 0; layer--)
		checkpoint_backward(r, layer, first_seq + layer);
	embed_backward(r, first_seq - 1);
	r->th[TH_MAIN].now = r->th[TH_AUTOGRAD].now + 12000;
	for (int i = 0; i < 4; i++)
		end(r, TH_MAIN);
	end(r, TH_MAIN);
	host(r, TH_MAIN, 12000);
}

static void batch_to_device(struct run *r)
{
	op_begin(r, TH_MAIN, "aten::to", 0);
	op_begin(r, TH_MAIN, "aten::_to_copy", 0);
	op_begin(r, TH_MAIN, "aten::copy_", 0);
	copy(r, TH_MAIN, COPY_HTOD, MEM_PAGEABLE, MEM_DEVICE, 196608, ST_COMPUTE);
	sync_stream(r, TH_MAIN, ST_COMPUTE);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	op_begin(r, TH_MAIN, "aten::clone", 0);
	op_begin(r, TH_MAIN, "aten::copy_", 0);
	copy(r, TH_MAIN, COPY_DTOD, MEM_DEVICE, MEM_DEVICE, 24 * MB, ST_COMPUTE);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	host(r, TH_MAIN, 9000);
}

/* Tensor.item(): a few bytes to the host, and the host waits for all of the stream. */
static void item(struct run *r)
{
	py_builtin(r, TH_MAIN, "<built-in method item of Tensor object at 0x7f30b7d4f2e0>",
		"Tensor.item");
	op_begin(r, TH_MAIN, "aten::item", 0);
	op_begin(r, TH_MAIN, "aten::_local_scalar_dense", 0);
	copy(r, TH_MAIN, COPY_DTOH, MEM_DEVICE, MEM_PAGEABLE, 4, ST_COMPUTE);
	sync_stream(r, TH_MAIN, ST_COMPUTE);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	host(r, TH_MAIN, 7000);
}

static void micro_batch(struct run *r, int micro)
{
	int64_t first_seq;
	const char *name = run_str(r, "micro_batch %d", micro);

	annot_begin(r, AN_MICRO, name, name);
	py_begin(r, TH_MAIN, PY_FRAME, "train.py", 118, "training_step");
	host(r, TH_MAIN, 14000);
	batch_to_device(r);
	first_seq = r->next_seq + 1;
	forward(r);
	item(r);
	backward(r, first_seq);
	op_begin(r, TH_MAIN, "aten::alias", 0);
	end(r, TH_MAIN);
	/* an operator of length zero: it exists, is counted, and owns no time */
	r->ops.v[r->ops.n - 1].end = r->ops.v[r->ops.n - 1].start;
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	host(r, TH_MAIN, 11000);
}

static void grad_norm(struct run *r)
{
	py_begin(r, TH_MAIN, PY_FRAME, STAGE3, 2104, "unscale_and_clip_grads");
	op_begin(r, TH_MAIN, "aten::linalg_vector_norm", 0);
	host(r, TH_MAIN, 2500);
	launch(r, TH_MAIN, API_LAUNCH, K_NORM2, ST_COMPUTE, 26000);
	end(r, TH_MAIN);
	item(r);
	end(r, TH_MAIN);
}

static void cpu_adam(struct run *r)
{
	static const char name[] = "Optimizer.step#DeepSpeedCPUAdam.step";

	annot_begin(r, AN_OPTSTEP, name, name);
	py_begin(r, TH_MAIN, PY_FRAME, "torch/optim/optimizer.py", 478, "profile_hook_step");
	py_begin(r, TH_MAIN, PY_FRAME, "deepspeed/ops/adam/cpu_adam.py", 100, "step");
	py_builtin(r, TH_MAIN,
		"<built-in method adam_update of PyCapsule object at 0x7f30a9c08d80>",
		"PyCapsule.adam_update");
	host(r, TH_MAIN, 2900000);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	op_begin(r, TH_MAIN, "aten::_fused_adamw_", 0);
	launch(r, TH_MAIN, API_LAUNCH, K_ADAM, ST_COMPUTE, 33000);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
}

static void optimizer(struct run *r)
{
	annot_begin(r, AN_OPTIMIZER, "optimizer", "optimizer");
	py_begin(r, TH_MAIN, PY_FRAME, ENGINE, 2460, "step");
	py_begin(r, TH_MAIN, PY_FRAME, STAGE3, 2230, "step");
	grad_norm(r);
	py_begin(r, TH_MAIN, PY_FRAME, STAGE3, 1502, "_optimizer_step");
	sync_stream(r, TH_MAIN, ST_DTOH);
	cpu_adam(r);
	end(r, TH_MAIN);
	op_begin(r, TH_MAIN, "aten::zero_", 0);
	set_memory(r, TH_MAIN, 48 * MB, ST_COMPUTE);
	end(r, TH_MAIN);
	op_begin(r, TH_MAIN, "aten::fill_", 0);
	host(r, TH_MAIN, 1500);
	launch(r, TH_MAIN, API_LAUNCH, K_FILL, ST_COMPUTE,
		58000); /* still runs when the step ends */
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	host(r, TH_MAIN, 6000);
}

/* The loader runs between two steps, outside their markers: the period is longer than the marker.
 */
static void dataload(struct run *r)
{
	static const char name[] = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

	host(r, TH_MAIN, 21000);
	annot_begin(r, AN_DATALOAD, name, name);
	py_begin(r, TH_MAIN, PY_FRAME, LOADER, 701, "__next__");
	py_begin(r, TH_MAIN, PY_FRAME, LOADER, 757, "_next_data");
	py_begin(r, TH_MAIN, PY_FRAME, "torch/utils/data/_utils/fetch.py", 47, "fetch");
	py_begin(r, TH_MAIN, PY_FRAME, "data/shards.py", 63, "__getitem__");
	host(r, TH_MAIN, 1350000);
	end(r, TH_MAIN);
	py_begin(
		r, TH_MAIN, PY_FRAME, "torch/utils/data/_utils/collate.py", 322, "default_collate");
	op_begin(r, TH_MAIN, "aten::stack", 0);
	op_begin(r, TH_MAIN, "aten::cat", 0);
	host(r, TH_MAIN, 240000);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	for (int i = 0; i < 4; i++)
		end(r, TH_MAIN);
	host(r, TH_MAIN, 24000);
}

/* A kernel of which no launch is in the file, on a stream of its own. */
static void stray_kernel(struct run *r)
{
	struct ev *e = evs_add(&r->kernels);

	e->def = K_ADD;
	e->stream = ST_STRAY;
	e->thread = -1;
	e->corr = 17; /* no call has this number */
	e->start = r->th[TH_MAIN].now + 40000;
	e->end = e->start + 15321;
	r->stream_ready[ST_STRAY] = e->end;
}

/* The first step's pinned memory: more for a larger run, so that the step stays a warm-up. */
static void pin_memory(struct run *r)
{
	ns_t more = r->opt.scale * r->opt.layers - 4;

	op_begin(r, TH_MAIN, "aten::_pin_memory", 0);
	call_plain(r, TH_MAIN, API_HOST_ALLOC, 2700000 + (more > 0 ? more * 5000000 : 0));
	end(r, TH_MAIN);
}

static void step(struct run *r, int number)
{
	r->step = number;
	annot_begin(
		r, AN_STEP, run_str(r, "ProfilerStep#%d", number), run_str(r, "step_%d", number));
	host(r, TH_MAIN, 17000);
	if (number == 0)
		pin_memory(r);
	for (int micro = 0; micro < 2; micro++) {
		micro_batch(r, micro);
		if (number == 3 && micro == 0)
			stray_kernel(r);
	}
	optimizer(r);
	end(r, TH_MAIN);
}

/* Threads that only look on: the collective watchdog polls events, a progress bar's monitor sleeps
 * in Python. */
static void onlookers(struct run *r, ns_t first, ns_t last)
{
	struct ev *e;

	r->th[TH_WATCHDOG].now = first + 3700000;
	while (r->th[TH_WATCHDOG].now < last - 1000000) {
		call_plain(r, TH_WATCHDOG, API_EVENT_QUERY, 1100);
		host(r, TH_WATCHDOG, 21000000);
	}
	e = evs_add(&r->pys);
	e->thread = TH_MONITOR;
	e->kind = PY_FRAME;
	e->file = "tqdm/_monitor.py";
	e->line = 69;
	e->alt = "run";
	e->name = run_str(r, "tqdm/_monitor.py(69): run");
	e->start = first;
	e->end = last;
}

/* The end of a start/end range, moved on until no CUDA call of the thread is in progress. */
static ns_t between_calls(const struct run *r, int thread, ns_t t)
{
	for (size_t i = 0; i < r->calls.n; i++)
		if (r->calls.v[i].thread == thread && r->calls.v[i].start <= t &&
			t <= r->calls.v[i].end)
			t = r->calls.v[i].end + 3;
	return t;
}

static void nvtx_extras(struct run *r)
{
	ns_t first = r->annots.v[0].start;
	struct ev *e = evs_add(&r->nvtx);

	*e = (struct ev){ .kind = NV_OPEN,
		.thread = TH_MAIN,
		.name = "train",
		.start = first + 1500,
		.end = -1 };
	e = evs_add(&r->nvtx);
	*e = (struct ev){ .kind = NV_MARK,
		.thread = TH_MAIN,
		.name = "epoch 0",
		.start = first + 2500,
		.end = -1 };
	/* start/end ranges may overlap freely: one from each HtoD copy's launch to its end, when
	 * over 0.5 ms */
	for (size_t i = 0; i < r->copies.n; i++) {
		const struct ev *c = &r->copies.v[i];

		if (c->kind != COPY_HTOD || c->end - c->start < 700000)
			continue;
		e = evs_add(&r->nvtx);
		*e = (struct ev){ .kind = NV_STARTEND,
			.thread = c->thread,
			.name = "param prefetch",
			.start = between_calls(r, c->thread, c->start - 1700),
			.end = between_calls(r, c->thread, c->end + 900) };
	}
}

void make_run(struct run *r)
{
	ns_t first;

	r->fetched = calloc((size_t)modules(r), sizeof(*r->fetched));
	if (!r->fetched)
		die("out of memory");
	r->th[TH_MAIN].now = INT64_C(1250000000) + run_jitter(r, 1000000, 50);
	first = r->th[TH_MAIN].now;
	py_begin(r, TH_MAIN, PY_SAMPLER, "train.py", 1, "<module>");
	py_begin(r, TH_MAIN, PY_SAMPLER, "train.py", 171, "main");
	py_begin(r, TH_MAIN, PY_SAMPLER, "train.py", 140, "train");
	dataload(r);
	for (int64_t i = 0; i < r->opt.steps; i++) {
		step(r, (int)i);
		if (i + 1 < r->opt.steps)
			dataload(r);
	}
	host(r, TH_MAIN, 45000);
	py_begin(r, TH_MAIN, PY_SAMPLER, "torch/cuda/__init__.py", 1040, "synchronize");
	sync_device(r, TH_MAIN);
	end(r, TH_MAIN);
	for (int i = 0; i < 3; i++)
		end(r, TH_MAIN);
	onlookers(r, first, r->th[TH_MAIN].now);
	nvtx_extras(r);
}
