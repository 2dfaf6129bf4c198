/* The model: transformer blocks whose MLP is dense or a mixture of experts, as tables of operators
 * with what each launches in forward and in backward.  The forward table runs again inside the
 * backward (gradient checkpointing). */
#include "gen.h"

#include <string.h>

struct grad_op {
	const char *op;
	enum gen_kernel k;
	int us;
};

struct fwd_op {
	const char *op, *inner; /* as nested operators; inner may be NULL */
	int k, us; /* kernel (-1: none) and its duration */
	const char *grad; /* autograd node; NULL: no gradient */
	struct grad_op bwd[3]; /* op NULL ends the list */
	int weight_mb; /* gradient of a parameter: megabytes */
};

#define LINEAR(us, mb) \
	{ \
		"aten::linear", "aten::mm", K_GEMM_TN, us, "MmBackward0", \
			{ { "aten::mm", K_GEMM_NN, us }, { "aten::mm", K_GEMM_NT, us }, { 0 } }, \
			mb \
	}
#define EXPERT(us, mb) \
	{ \
		"aten::linear", "aten::mm", K_EXPERT_TN, us, "MmBackward0", \
			{ { "aten::mm", K_EXPERT_NN, us }, { "aten::mm", K_EXPERT_NT, us }, \
				{ 0 } }, \
			mb \
	}
#define LAYERNORM \
	{ \
		"aten::layer_norm", "aten::native_layer_norm", K_LN, 14, \
			"NativeLayerNormBackward0", \
			{ { "aten::native_layer_norm_backward", K_LN_BWD_X, 22 }, \
				{ "aten::native_layer_norm_backward", K_LN_BWD_W, 11 }, { 0 } }, \
			0 \
	}
#define ADD \
	{ \
		"aten::add", NULL, K_ADD, 13, "AddBackward0", { { 0 } }, 0 \
	}
#define GELU \
	{ \
		"aten::gelu", NULL, K_GELU, 19, "GeluBackward0", \
			{ { "aten::gelu_backward", K_GELU_BWD, 27 }, { 0 } }, 0 \
	}

static const struct fwd_op attention_ops[] = {
	LAYERNORM,
	LINEAR(105, 6),
	{ "aten::scaled_dot_product_attention", "aten::_flash_attention_forward", K_FLASH_FWD, 132,
		"ScaledDotProductFlashAttentionBackward0",
		{ { "aten::_flash_attention_backward", K_FLASH_DOT, 12 },
			{ "aten::_flash_attention_backward", K_FLASH_BWD, 288 },
			{ "aten::_flash_attention_backward", K_FLASH_CONVERT, 9 } },
		0 },
	LINEAR(48, 2),
	{ "aten::native_dropout", NULL, K_DROPOUT, 16, "NativeDropoutBackward0",
		{ { "aten::native_dropout_backward", K_MUL, 13 }, { 0 } }, 0 },
	ADD,
};

static const struct fwd_op dense_ops[] = { LAYERNORM, LINEAR(146, 8), GELU, LINEAR(138, 8), ADD };

static const struct fwd_op moe_ops[] = {
	LAYERNORM,
	{ "aten::linear", "aten::mm", K_GATE, 21, "MmBackward0",
		{ { "aten::mm", K_GATE, 24 }, { 0 } }, 0 },
	{ "aten::softmax", "aten::_softmax", K_SOFTMAX, 6, "SoftmaxBackward0",
		{ { "aten::_softmax_backward_data", K_SOFTMAX_BWD, 7 }, { 0 } }, 0 },
	{ "aten::topk", NULL, K_TOPK, 17, "TopkBackward0",
		{ { "aten::scatter_", K_INDEX_ADD, 6 }, { 0 } }, 0 },
	{ "aten::cumsum", NULL, K_SCAN, 8, NULL, { { 0 } }, 0 },
	{ "aten::index_select", NULL, K_GATHER, 23, "IndexSelectBackward0",
		{ { "aten::index_add_", K_INDEX_ADD, 31 }, { 0 } }, 0 },
	{ "c10d::alltoall_base_", NULL, K_SENDRECV, 95, "_AllToAllBackward",
		{ { "c10d::alltoall_base_", K_SENDRECV, 97 }, { 0 } }, 0 },
	EXPERT(88, 5),
	GELU,
	EXPERT(86, 5),
	EXPERT(71, 5),
	GELU,
	EXPERT(69, 5),
	{ "c10d::alltoall_base_", NULL, K_SENDRECV, 93, "_AllToAllBackward",
		{ { "c10d::alltoall_base_", K_SENDRECV, 96 }, { 0 } }, 0 },
	{ "aten::index_add", NULL, K_INDEX_ADD, 29, "IndexAddBackward0",
		{ { "aten::index_select", K_GATHER, 22 }, { 0 } }, 0 },
	{ "aten::mul", NULL, K_MUL, 14, "MulBackward0", { { "aten::mul", K_MUL, 15 }, { 0 } }, 0 },
	ADD,
};

static const struct fwd_op head_ops[] = {
	LAYERNORM,
	LINEAR(310, 16),
	{ "aten::to", "aten::_to_copy", K_CAST, 36, "ToCopyBackward0",
		{ { "aten::_to_copy", K_CAST, 35 }, { 0 } }, 0 },
	{ "aten::cross_entropy_loss", "aten::log_softmax", K_LOGSOFTMAX, 74, "LogSoftmaxBackward0",
		{ { "aten::_log_softmax_backward_data", K_SOFTMAX_BWD, 81 }, { 0 } }, 0 },
	{ "aten::nll_loss", "aten::nll_loss_forward", K_NLL, 5, "NllLossBackward0",
		{ { "aten::nll_loss_backward", K_NLL_BWD, 6 }, { 0 } }, 0 },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MODEL "model/moe_transformer.py"
#define MODULE "torch/nn/modules/module.py"

bool layer_is_moe(int layer)
{
	return layer % 2 == 1;
}

static void nccl_range(struct run *r, enum gen_thread th, enum gen_kernel k, ns_t start)
{
	static const char *const names[] = { "ncclAllGather", "ncclReduceScatter", "ncclGroupEnd" };
	struct ev *e = evs_add(&r->nvtx);

	e->kind = NV_NCCL;
	e->thread = (int)th;
	e->name = names[k - K_ALLGATHER];
	e->start = start;
	e->end = r->th[th].now;
}

/* A collective: the communication stream waits for its input, the compute stream for its output if
 * it must. */
static void collective(struct run *r, enum gen_thread th, enum gen_kernel k, ns_t dur,
	enum gen_stream from, bool wait)
{
	ns_t ready = event_record(r, th, from), start;

	stream_wait(r, th, ST_COMM, ready);
	start = r->th[th].now;
	host(r, th, 2600);
	launch(r, th, API_LAUNCH_EX, k, ST_COMM, dur);
	host(r, th, 300);
	nccl_range(r, th, k, start);
	ready = event_record(r, th, ST_COMM);
	if (wait)
		stream_wait(r, th, ST_COMPUTE, ready);
}

static void run_kernel(struct run *r, enum gen_thread th, enum gen_kernel k, int us)
{
	if (k == K_SENDRECV) {
		op_begin(r, th, "record_param_comms", 0);
		collective(r, th, k, (ns_t)us * 1000, ST_COMPUTE, true);
		end(r, th);
		return;
	}
	launch(r, th, k <= K_GEMM_NT ? API_LAUNCH_EX : API_LAUNCH, k, ST_COMPUTE, (ns_t)us * 1000);
}

static void warm_alloc(struct run *r, enum gen_thread th)
{
	if (r->step != 0 || run_random(r, 6) != 0)
		return;
	op_begin(r, th, "aten::empty", 0);
	call_plain(r, th, API_MALLOC, 430000);
	end(r, th);
}

static void forward_one(struct run *r, enum gen_thread th, const struct fwd_op *f)
{
	host(r, th, 3600);
	op_begin(r, th, f->op, f->grad && r->grad_enabled ? r->next_seq++ : 0);
	if (f->k == K_GEMM_TN || f->k == K_EXPERT_TN) {
		op_begin(r, th, "aten::t", 0);
		end(r, th);
	}
	warm_alloc(r, th);
	if (f->inner)
		op_begin(r, th, f->inner, 0);
	host(r, th, 2100);
	run_kernel(r, th, (enum gen_kernel)f->k, f->us);
	if (f->inner)
		end(r, th);
	end(r, th);
}

static void evaluate(struct run *r, const char *node, int64_t seq)
{
	host(r, TH_AUTOGRAD, 1500);
	op_begin(r, TH_AUTOGRAD, run_str(r, "autograd::engine::evaluate_function: %s", node), 0);
	op_begin(r, TH_AUTOGRAD, node, seq);
}

static void evaluated(struct run *r)
{
	end(r, TH_AUTOGRAD);
	end(r, TH_AUTOGRAD);
}

/* The hook of ZeRO-3 on a parameter's gradient: reduce-scatter, then to the host. */
void accumulate_grad(struct run *r, int64_t bytes)
{
	enum gen_thread th = TH_AUTOGRAD;
	ns_t ready;

	evaluate(r, "torch::autograd::AccumulateGrad", 0);
	py_begin(r, th, PY_FRAME, "deepspeed/runtime/zero/stage3.py", 1264,
		"reduce_ready_partitions_and_remove_grads");
	if (!r->solo) {
		op_begin(r, th, "c10d::_reduce_scatter_base_", 0);
		op_begin(r, th, "record_param_comms", 0);
		collective(r, th, K_REDSCAT, 4000 + bytes / 90, ST_COMPUTE, false);
		end(r, th);
		end(r, th);
	}
	py_begin(r, th, PY_FRAME, "deepspeed/runtime/zero/stage3.py", 1418, "partition_grads");
	ready = event_record(r, th, r->solo ? ST_COMPUTE : ST_COMM);
	stream_wait(r, th, ST_DTOH, ready);
	op_begin(r, th, "aten::copy_", 0);
	copy(r, th, COPY_DTOH, MEM_DEVICE, MEM_PINNED, bytes / 2, ST_DTOH);
	end(r, th);
	end(r, th);
	end(r, th);
	evaluated(r);
}

/* Launches under one operator, except that each matrix product is an operator of its own. */
static void backward_one(struct run *r, const struct fwd_op *f, int64_t seq)
{
	enum gen_thread th = TH_AUTOGRAD;
	size_t i;

	evaluate(r, f->grad, seq);
	for (i = 0; i < COUNT(f->bwd) && f->bwd[i].op; i++) {
		if (i == 0 || strcmp(f->bwd[i].op, "aten::mm") == 0) {
			if (i > 0)
				end(r, th);
			host(r, th, 900);
			op_begin(r, th, f->bwd[i].op, 0);
		}
		host(r, th, 1400);
		run_kernel(r, th, f->bwd[i].k, f->bwd[i].us);
	}
	if (i > 0)
		end(r, th);
	evaluated(r);
	if (f->weight_mb)
		accumulate_grad(r, (int64_t)f->weight_mb << 20);
}

static void forward_list(struct run *r, enum gen_thread th, const struct fwd_op *f, size_t n)
{
	for (int64_t again = 0; again < r->opt.scale; again++)
		for (size_t i = 0; i < n; i++)
			if (!r->solo || f[i].k != K_SENDRECV)
				forward_one(r, th, &f[i]);
}

static void backward_list(struct run *r, const struct fwd_op *f, size_t n, int64_t *seq)
{
	for (int64_t again = 0; again < r->opt.scale; again++)
		for (size_t i = n; i-- > 0;)
			if (f[i].grad && !(r->solo && f[i].k == K_SENDRECV))
				backward_one(r, &f[i], --*seq);
}

static void module_begin(
	struct run *r, enum gen_thread th, const char *name, const char *func, int line)
{
	py_begin(r, th, PY_SAMPLER, MODULE, 1751, "_call_impl");
	py_begin(r, th, PY_MODULE, MODULE, 1751, name);
	py_begin(r, th, PY_FRAME, MODEL, line, func);
}

static void module_end(struct run *r, enum gen_thread th)
{
	end(r, th);
	end(r, th);
	end(r, th);
}

/* One rank's mixture of experts: the gate is a module of its own, as in DeepSpeed. moe_ops: norm, four of the gate, the rest. */
static void moe_forward(struct run *r, enum gen_thread th, int layer)
{
	enum { GATE = 1, EXPERTS = 5 };

	if (!r->solo) {
		forward_list(r, th, moe_ops, COUNT(moe_ops));
		return;
	}
	forward_list(r, th, moe_ops, GATE);
	py_begin(r, th, PY_SAMPLER, MODULE, 1751, "_call_impl");
	py_begin(r, th, PY_MODULE, MODULE, 1751, run_str(r, "TopKGate_%d", layer));
	py_begin(r, th, PY_FRAME, "deepspeed/moe/sharded_moe.py", 433, "forward");
	forward_list(r, th, moe_ops + GATE, 1);
	py_begin(r, th, PY_FRAME, "deepspeed/moe/sharded_moe.py", 374, "topkgating");
	forward_list(r, th, moe_ops + GATE + 1, EXPERTS - GATE - 1);
	end(r, th);
	module_end(r, th);
	forward_list(r, th, moe_ops + EXPERTS, COUNT(moe_ops) - EXPERTS);
}

void block_forward(struct run *r, enum gen_thread th, int layer)
{
	bool moe = layer_is_moe(layer);

	module_begin(r, th, run_str(r, "Block_%d", layer), "forward", 168);
	module_begin(r, th, run_str(r, "Attention_%d", layer), "forward", 41);
	forward_list(r, th, attention_ops, COUNT(attention_ops));
	module_end(r, th);
	module_begin(
		r, th, run_str(r, moe ? "MoE_%d" : "MLP_%d", layer), "forward", moe ? 112 : 79);
	if (moe)
		moe_forward(r, th, layer);
	else
		forward_list(r, th, dense_ops, COUNT(dense_ops));
	module_end(r, th);
	module_end(r, th);
}

void block_backward(struct run *r, int layer)
{
	int64_t seq = r->next_seq;

	if (layer_is_moe(layer))
		backward_list(r, moe_ops, COUNT(moe_ops), &seq);
	else
		backward_list(r, dense_ops, COUNT(dense_ops), &seq);
	backward_list(r, attention_ops, COUNT(attention_ops), &seq);
}

void embed_forward(struct run *r)
{
	module_begin(r, TH_MAIN, "Embedding_0", "embed", 152);
	op_begin(r, TH_MAIN, "aten::embedding", r->next_seq++);
	op_begin(r, TH_MAIN, "aten::index_select", 0);
	launch(r, TH_MAIN, API_LAUNCH, K_GATHER, ST_COMPUTE, 21000);
	end(r, TH_MAIN);
	end(r, TH_MAIN);
	module_end(r, TH_MAIN);
	/* a compiled region: Triton launches through the driver, outside every operator */
	host(r, TH_MAIN, 4000);
	launch(r, TH_MAIN, API_CU_LAUNCH_EX, K_TRITON, ST_COMPUTE, 18000);
}

void embed_backward(struct run *r, int64_t seq)
{
	evaluate(r, "EmbeddingBackward0", seq);
	op_begin(r, TH_AUTOGRAD, "aten::embedding_dense_backward", 0);
	launch(r, TH_AUTOGRAD, API_LAUNCH, K_EMBED_BWD, ST_COMPUTE, 92000);
	end(r, TH_AUTOGRAD);
	evaluated(r);
	accumulate_grad(r, INT64_C(24) << 20);
}

void head_forward(struct run *r)
{
	module_begin(r, TH_MAIN, "LMHead_0", "forward", 201);
	r->grad_enabled = true;
	forward_list(r, TH_MAIN, head_ops, COUNT(head_ops));
	r->grad_enabled = false;
	r->head_seq = r->next_seq;
	module_end(r, TH_MAIN);
}

void head_backward(struct run *r)
{
	int64_t seq = r->head_seq;

	backward_list(r, head_ops, COUNT(head_ops), &seq);
}
