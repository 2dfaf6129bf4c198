/*
 * test_rules.c - the rule engine (globs, format, precedence), and what the built-in rules say of
 * names that a profiler shows. The rules' own samples are checked too.
 */
#include "findings/rulebook.h"
#include "rules/rules_impl.h"
#include "tests/lib/tap.h"

static struct rulebook *book;
static struct rules *builtin; /* its rules about names */

/* ---- globs ---- */

static bool match(const char *pattern, const char *name, bool fold)
{
	struct globs g = {NULL, 0, 0};
	struct glob_number num;
	bool m;

	glob_add(&g, pattern, strlen(pattern), fold);
	m = glob_match(&g.v[0], name, strlen(name), fold, &num);
	globs_fini(&g);
	return m;
}

static void test_globs(void)
{
	static const struct {
		const char *pattern, *name;
		bool fold, want;
	} t[] = {
		{"abc", "abc", false, true},
		{"abc", "abcd", false, false},
		{"abc", "ABC", false, false},
		{"abc", "ABC", true, true},
		{"*", "", false, true},
		{"", "", false, true},
		{"", "a", false, false},
		{"a*c", "abbbc", false, true},
		{"a*c", "ac", false, true},
		{"a*c", "acb", false, false},
		{"*ab*ab", "abab", false, true},
		{"*ab*ab", "aab", false, false},
		{"*aab", "aaaab", false, true},
		{"a?c", "abc", false, true},
		{"a?c", "ac", false, false},
		{"a\\*c", "a*c", false, true},
		{"a\\*c", "abc", false, false},
		{"*^cat*", "concat", false, false},
		{"*^cat^*", "my_cat(int)", false, true},
		{"*^cat^*", "scatter", false, false},
		{"step_{n}", "step_12", false, true},
		{"step_{n}", "step_", false, false},
		{"step_{n}", "step_12x", false, false},
		{"*{n}", "a12", false, true},
		{"x{n}2", "x12", false, false},
		{"**a**", "bab", false, true},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		is_int(match(t[i].pattern, t[i].name, t[i].fold), t[i].want, "%s against \"%s\"",
		       t[i].pattern, t[i].name);
}

/* ---- format ---- */

static void bad_text(const char *text, const char *part)
{
	struct err e = ERR_INIT;
	size_t before = rulebook_count(book);

	ok(!rulebook_add_text(book, "bad.rules", text, strlen(text), &e), "refused: %s", part);
	ok(strstr(e.text, part) != NULL, "the message names it: %s", e.text);
	is_uint(rulebook_count(book), before, "nothing was added");
}

static void test_format(void)
{
	bad_text("id a\n match *\n sample x\n", "before the first table");
	bad_text("table cats\n", "unknown table");
	bad_text("table kernels\nid a\n class Gemm\n match *\n sample x\n", "unknown class");
	bad_text("table kernels\nid a\n class GEMM\n sample x\n", "match is missing");
	bad_text("table kernels\nid a\n class GEMM\n match *\n", "sample is missing");
	bad_text("table ops\nid a\n level1 compute\n match *\n sample x\n", "level2 is missing");
	bad_text("table ops\nid a\n level1 computing\n", "unknown level1");
	bad_text("table ops\nid a\n nonsense 1\n", "unknown key");
	bad_text("table ops\nid a\n match a |  | x\n", "empty pattern");
	bad_text("table frames\nid a\n framework Z Zed\n", "framework");
	bad_text("table kernels\n\nid a\n class\n", "line 4");
}

static void count_failure(void *ctx, const struct rules_failure *f)
{
	diag("%s: line %d: rule %s: '%.80s' is won by '%s'", f->file, f->line, f->rule_id,
	     f->sample, f->got);
	++*(int *)ctx;
}

static void test_check(void)
{
	static const char wrong[] =
		"table kernels\n\nid w\n class GEMM\n match q*\n sample zzz\n not qqq\n";
	struct rulebook *r = rulebook_new(NULL);
	struct err e = ERR_INIT;
	size_t samples = 0;
	int failures = 0;

	ok(rulebook_check(book, count_failure, &failures, &samples), "built-in samples hold");
	ok(samples >= rulebook_count(book), "every rule has a sample");
	ok(rulebook_add_text(r, "wrong.rules", wrong, strlen(wrong), &e),
	   "rules with wrong samples load");
	failures = 0;
	ok(!rulebook_check(r, count_failure, &failures, NULL), "and the check finds them");
	is_int(failures, 2, "one sample and one `not` sample");
	rulebook_free(r);
}

static void test_user_rules_first(void)
{
	static const char text[] =
		"table kernels\n\r\nid mine\r\n\tclass MoE\r\n\tsubclass my experts\r\n"
		"\tmatch *nvjet* | special?\r\n\tbut-not *bias*\r\n\tsample nvjet_a\r\n";
	struct rulebook *r = rulebook_new(NULL);
	struct err e = ERR_INIT;
	struct kernel_class k;

	ok(rulebook_add_text(r, "mine.rules", text, strlen(text), &e), "a user file with CRLF: %s",
	   e.text);
	rules_kernel(r->names, "nvjet_tst_64x8_64x16_4x1_v_bz_TNT", 33, &k);
	is_str(k.rule_id, "mine", "the user's rule comes first");
	is_str(k.subclass, "my experts", "with its words");
	rules_kernel(r->names, "nvjet_tst_64x8_64x16_4x1_v_bz_bias_TNT", 38, &k);
	is_str(k.rule_id, "gemm-nvjet-bias", "but-not leaves it to the built-in one");
	rulebook_free(r);
}

/* ---- kernels ---- */

static void test_kernels(void)
{
	static const struct {
		const char *name;
		enum kclass class;
	} t[] = {
		{"Kernel2", KCLASS_UNRESOLVED},
		{"device_kernel", KCLASS_UNRESOLVED},
		{"vectorized_elementwise_kernel", KCLASS_UNRESOLVED},
		{"void at::native::vectorized_elementwise_kernel<4, at::native", KCLASS_UNRESOLVED},
		{"a_kernel_that_nobody_knows", KCLASS_UNCLASSIFIED},
		{"", KCLASS_UNCLASSIFIED},
		{"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", KCLASS_COMMUNICATION},
		{"my_RCCL_thing", KCLASS_COMMUNICATION},
		{"void vllm::cross_device_reduce_1stage<float, 2>(void*)", KCLASS_COMMUNICATION},
		{"void "
		 "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<int>>>"
		 "(T)",
		 KCLASS_ATTENTION},
		{"void at::native::elementwise_kernel<128, 4, "
		 "at::native::direct_copy_kernel_cuda(int)>(int)",
		 KCLASS_COPY},
		{"void at::native::vectorized_elementwise_kernel<4, "
		 "at::native::FillFunctor<float>>(int)",
		 KCLASS_MEMSET},
		{"void splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<float>)",
		 KCLASS_GEMM},
		{"void fbgemm_gpu::permute_2D_data_kernel<false, long, float>(int)", KCLASS_INDEX},
		{"volta_scudnn_128x64_relu_interior_nn_v1", KCLASS_CONV},
		{"void flashinfer::norm::RMSNormKernel<8, float>(float*)", KCLASS_NORM},
		{"void selective_scan_fwd_kernel<float>(int)", KCLASS_SSM},
		{"triton_poi_fused_add_cat_convolution_3", KCLASS_FUSED},
		{"Memcpy HtoD (Pageable -> Device)", KCLASS_COPY},
		{"Memset (Device)", KCLASS_MEMSET},
		{"void at::native::distribution_elementwise_grid_stride_kernel<float, 4>(long)",
		 KCLASS_RNG},
	};
	struct kernel_class k;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		rules_kernel(builtin, t[i].name, strlen(t[i].name), &k);
		is_str(kclass_name(k.class), kclass_name(t[i].class), "class of %.70s", t[i].name);
	}
	rules_kernel(builtin, "Kernel2", 7, &k);
	is_str(k.layout, NULL, "an unresolved name has no layout");
	is_int(k.tensor_core, -1, "and its tensor-core use is unknown");
	rules_kernel(builtin, "x\0nccl", 6, &k);
	is_int(k.class, KCLASS_COMMUNICATION, "bytes after a NUL count");
}

/* ---- host side ---- */

static void check_op(const char *name, const char *level1, const char *level2, const char *phase)
{
	struct host_class h;
	char buf[128];

	rules_op(builtin, name, strlen(name), &h);
	rules_level2(h.level2, name, strlen(name), buf, sizeof(buf));
	is_str(h.level1, level1, "level 1 of %s", name);
	is_str(buf, level2, "level 2 of %s", name);
	is_str(h.phase, phase, "phase of %s", name);
}

static void test_ops(void)
{
	struct host_class h;
	char small[8];

	check_op("aten::mm", "framework scheduling", "aten::mm CPU launch", NULL);
	check_op("aten::mm, op_id = 7, seq = 3, sizes = [[4, 4]]", "framework scheduling",
		 "aten::mm CPU launch", NULL);
	check_op("aten::item", "sync wait", "implicit host sync (item)", NULL);
	check_op("aten::copy_", "data movement", "aten::copy_ dispatch", NULL);
	check_op("aten::view", "framework scheduling", "tensor metadata (no kernel)", NULL);
	check_op("nccl:all_reduce", "communication", "collective launch: all_reduce", NULL);
	check_op("Optimizer.step#AdamW.step", "framework scheduling", "optimizer step",
		 "optimizer");
	check_op("autograd::engine::evaluate_function: AddmmBackward0", "framework scheduling",
		 "backward dispatch", "backward");
	check_op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "data loading",
		 "DataLoader next (single process)", "dataload");
	check_op("my range", "framework scheduling", "user range / custom Function", NULL);
	rules_op(builtin, "aten::item", 10, &h);
	ok(h.sync && !h.transparent, "item is a sync and no wrapper");
	is_str(h.cause, "sync", "and a cause of gaps");
	rules_op(builtin, "ProfilerStep#3", 14, &h);
	ok(h.transparent, "ProfilerStep is a wrapper");
	rules_op(builtin, "c10d::allreduce_", 16, &h);
	ok(h.comm, "c10d is communication");
	is_uint(rules_level2("{name} CPU launch", "aten::mm", 8, small, sizeof(small)), 19,
		"length as snprintf");
	is_str(small, "aten::m", "cut and terminated");
}

static void check_frame(const char *file, const char *func, char framework, const char *level2)
{
	struct host_class h;

	rules_frame(builtin, file, strlen(file), func, strlen(func), &h);
	ok(h.framework == framework, "framework of %s:%s is %c", file, func, h.framework);
	is_str(h.level2, level2, "level 2 of %s:%s", file, func);
}

static void test_frames(void)
{
	static const char builtin_item[] = "<built-in method item of Tensor object at 0x7f12ab>";
	struct frame_name f;
	struct host_class h;

	check_frame("/opt/venv/lib/python3.11/site-packages/torch/optim/adamw.py", "_fused_adamw",
		    'O', "optimizer step");
	check_frame("deepspeed/runtime/zero/partitioned_param_coordinator.py", "fetch_sub_module",
		    'D', "ZeRO-3 parameter fetch");
	check_frame("C:\\py\\Lib\\site-packages\\torch\\_tensor.py", "backward", 'B',
		    "autograd engine");
	check_frame("/home/me/train.py", "main", 'P', "Python");
	check_frame("torch/utils/data/dataloader.py", "_try_get_data", 'L',
		    "DataLoader wait for worker");

	rules_frame_name("torch/nn/modules/module.py(1501): _call_impl", 44, &f);
	is_int(f.kind, FRAME_PYTHON, "a Python frame");
	is_mem(f.file, f.file_len, "torch/nn/modules/module.py", 26, "its file");
	is_mem(f.func, f.func_len, "_call_impl", 10, "its function");
	is_int(f.line, 1501, "its line");
	rules_frame_name("nn.Module: Linear_12", 20, &f);
	is_mem(f.func, f.func_len, "Linear", 6, "a module without its number");
	is_mem(f.key, f.key_len, "nn.Module: Linear", 17, "and its key");
	rules_frame_name("nn.Module: Conv2d", 17, &f);
	is_mem(f.func, f.func_len, "Conv2d", 6, "digits of a class name stay");
	rules_frame_name(builtin_item, strlen(builtin_item), &f);
	is_mem(f.func, f.func_len, "item", 4, "a built-in method");
	is_mem(f.key, f.key_len, "<built-in method item of Tensor object", 38,
	       "its key has no address");
	rules_frame_name("<built-in function linear>", 26, &f);
	is_mem(f.func, f.func_len, "linear", 6, "a built-in function");
	rules_frame_name("odd): ", 6, &f);
	is_int(f.kind, FRAME_OTHER, "no frame");
	rules_python(builtin, builtin_item, strlen(builtin_item), &h);
	ok(h.sync, "item of a tensor waits");
}

static void test_runtime(void)
{
	static const struct {
		const char *name;
		enum rt_class class;
	} t[] = {
		{"cudaLaunchKernel_v7000", RT_LAUNCH},
		{"cuLaunchKernelEx", RT_LAUNCH},
		{"cudaLaunchHostFunc_v10000", RT_OTHER},
		{"cudaGraphLaunch_v10000", RT_LAUNCH},
		{"cudaStreamSynchronize_v3020_ptsz", RT_SYNC},
		{"cudaStreamSynchronize", RT_SYNC},
		{"cuMemcpyDtoHAsync_v2", RT_MEMCPY},
		{"cudaMemsetAsync", RT_MEMCPY},
		{"cudaStreamWaitEvent", RT_OTHER},
		{"cudaMalloc", RT_OTHER},
		{"cudaEventQuery", RT_OTHER},
		{"hipMemcpyWithStream", RT_MEMCPY},
	};
	struct runtime_class c;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		is_int(rules_runtime(t[i].name, strlen(t[i].name)), t[i].class, "class of %s",
		       t[i].name);
	is_uint(rules_runtime_base("cudaStreamGetCaptureInfo_v2_v11030", 34), 24,
		"suffixes are dropped repeatedly");
	is_uint(rules_runtime_base("_v2", 3), 0, "a name of nothing but a suffix");
	is_uint(rules_runtime_base("cudaX_v", 7), 7, "no digits, no suffix");
	rules_runtime_class(builtin, "cudaMalloc_v3020", 16, &c);
	is_str(c.cause, "allocator", "cudaMalloc");
	rules_runtime_class(builtin, "cuLibraryLoadData", 17, &c);
	is_str(c.cause, "compile", "a module load");
	rules_runtime_class(builtin, "cudaFree_v3020", 14, &c);
	ok(c.blocks, "cudaFree blocks");
}

/* ---- steps, phases, threads ---- */

static void test_steps(void)
{
	static const struct {
		const char *name;
		int64_t step; /* -2: no step marker */
	} t[] = {
		{"ProfilerStep#7", 7},
		{"step_3", 3},
		{"iteration 12", 12},
		{"train_batch 5", 5},
		{"Step 4", 4},
		{"epoch 2 step 15", 15},
		{"train_step", -1},
		{"micro_batch 3", -2},
		{"epoch 3", -2},
		{"optimizer_step_2", -2},
		{"aten::mm", -2},
		{"forward", -2},
		{"Optimizer.step#SGD.step", -2},
		{"step[DECODE bs=32]", -2},
		{"step_99999999999999999999", -1},
	};
	struct step_name s, other;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		bool is = rules_step_name(builtin, t[i].name, strlen(t[i].name), &s);

		is_int(is ? s.number : -2, t[i].step, "step of \"%s\"", t[i].name);
	}
	ok(rules_step_name(builtin, "step_3", 6, &s) &&
		   rules_step_name(builtin, "step_14", 7, &other) &&
		   step_name_same_family(&s, &other),
	   "step_3 and step_14 are one family");
	is_mem(s.head, s.head_len, "step_", 5, "the head of the family");
	ok(rules_step_name(builtin, "iter_3", 6, &other) && !step_name_same_family(&s, &other),
	   "iter_3 is another");
	ok(rules_microbatch_name(builtin, "micro_batch 3", 13, &s), "a micro-batch");
	is_int(s.number, 3, "and its number");
	ok(!rules_microbatch_name(builtin, "step_3", 6, &s), "a step is no micro-batch");
}

static void test_phases(void)
{
	static const char *const t[][2] = {
		{"forward", "forward"},
		{"## forward ##", "forward"},
		{"backward", "backward"},
		{"autograd::engine::evaluate_function: MmBackward0", "backward"},
		{"Optimizer.step#AdamW.step", "optimizer"},
		{"Optimizer.zero_grad#SGD.zero_grad", "optimizer"},
		{"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "dataload"},
		{"dataload", "dataload"},
		{"optimizer", "optimizer"},
		{"CheckpointFunctionBackward", "recompute"},
		{"save_checkpoint", "other"},
		{"aten::_flash_attention_forward", NULL},
		{"attention", NULL},
		{"step_3", NULL},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		is_str(rules_phase_marker(builtin, t[i][0], strlen(t[i][0])), t[i][1],
		       "phase of %s", t[i][0]);
}

static void test_threads(void)
{
	static const char *const t[][2] = {
		{"pt_autograd_0", "autograd"},
		{"thread 5 (pt_autograd_1)", "autograd"},
		{"pt_data_worker", "loader-worker"},
		{"Thread-3 (_pin_memory_loop)", "pin-memory"},
		{"pt_data_pin", "pin-memory"},
		{"pt_nccl_watchdg", "comm-watchdog"},
		{"MainThread", "main"},
		{"CUPTI worker th", "other"},
		{"python3", NULL},
		{"", NULL},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		is_str(rules_thread_role(builtin, t[i][0], strlen(t[i][0])), t[i][1],
		       "role of \"%s\"", t[i][0]);
}

/* CUDA's own overhead records were once all told as the profiler's: nearly half of a host's wall in one real capture. */
static void overhead_of_cuda(void)
{
	static const struct {
		const char *name;
		enum level1 l1;
		const char *cause;
	} want[] = {
		{"Command Buffer Full", L1_SYNC, "launch"},
		{"Runtime Triggered Module Loading", L1_FRAMEWORK, "compile"},
		{"Lazy Function Loading", L1_FRAMEWORK, "compile"},
		{"Buffer Flush", L1_OTHER, "profiler"},
		{"CUDA profiling data flush overhead", L1_OTHER, "profiler"},
		{"a name that no rule knows", L1_OTHER, "profiler"},
	};
	struct rulebook *r = rulebook_new(NULL);

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct host_class hc;

		rules_overhead(r->names, want[i].name, strlen(want[i].name), &hc);
		is_int(hc.l1, want[i].l1, "overhead %s: level 1", want[i].name);
		is_str(hc.cause, want[i].cause, "overhead %s: cause", want[i].name);
	}
	rulebook_free(r);
}

int main(void)
{
	struct err e = ERR_INIT;

	book = rulebook_new(&e);
	if (!ok(book != NULL, "the built-in rules load: %s", e.text))
		return done_testing();
	builtin = book->names;
	test_globs();
	test_format();
	test_check();
	test_user_rules_first();
	test_kernels();
	test_ops();
	test_frames();
	test_runtime();
	test_steps();
	test_phases();
	test_threads();
	ok(!rulebook_add_file(book, "/nonexistent/x.rules", &e), "a file that is not there");
	rulebook_free(book);
	overhead_of_cuda();
	return done_testing();
}
