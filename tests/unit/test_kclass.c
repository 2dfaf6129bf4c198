/*
 * test_kclass.c - class words, and the traits that stand in kernel names. Expected values follow
 * the naming schemes of the libraries, not our tables.
 */
#include "rules/kernel_name.h"
#include "tests/lib/tap.h"

static const struct {
	const char *name;
	enum kclass class;
	const char *layout, *dtype;
	int tensor_core;
} cases[] = {
	{"ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x5_tn", KCLASS_GEMM, "TN",
	 "bf16", 1},
	{"volta_sgemm_128x64_nn", KCLASS_GEMM, "NN", "fp32", 0},
	{"volta_sgemm_64x64_tt", KCLASS_GEMM, "TT", "fp32", 0},
	{"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x32x8_stage3_warpsize2x2x1_ffma_5x_"
	 "cublas",
	 KCLASS_GEMM, "TN", "fp32", 0},
	{"sm90_xmma_gemm_f32f32_tf32f32_f32_nt_n_tilesize128x128x32_warpgroupsize1x1x1_kernel__5x_"
	 "cublas",
	 KCLASS_GEMM, "NT", "tf32", 1},
	{"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x64x128_warpgroupsize1x1x1_kernel__5x_"
	 "cublas",
	 KCLASS_GEMM, "TN", "fp8", 1},
	{"nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NTT", KCLASS_GEMM, "NT", "fp16", 1},
	{"nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_TNN", KCLASS_GEMM, "TN", "bf16", 1},
	{"Cijk_Alik_Bljk_BBS_BH_MT128x64x32_MI32x32x1_SN", KCLASS_GEMM, "TN", "bf16", 1},
	{"Cijk_Ailk_Bjlk_HHS_BH_MT128x64x32_MI32x32x1_SN", KCLASS_GEMM, "NT", "fp16", 1},
	{"Cijk_Ailk_Bljk_SB_MT64x64x8_SE_VW4", KCLASS_GEMM, "NN", "fp32", 0},
	{"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x4_nt_align4>(T1::Params)",
	 KCLASS_GEMM, "NT", "tf32", 1},
	{"volta_scudnn_128x128_relu_interior_nn_v1", KCLASS_CONV, NULL, "fp32", 0},
	{"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 2, 2, "
	 "false>(float)",
	 KCLASS_GEMM, "T-", "fp32", 0},
	{"rocblas_gemvn_kernel", KCLASS_GEMM, "N-", NULL, 0},
	{"void gemvNSP_kernel<float>(float)", KCLASS_GEMM, NULL, "fp32", 0},
	{"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, "
	 "cutlass::half_t>>()",
	 KCLASS_ATTENTION, NULL, "fp16", 1},
	{"void flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, "
	 "cutlass::half_t>>()",
	 KCLASS_ATTENTION, NULL, "fp16", 0},
	{"void at::native::vectorized_elementwise_kernel<4, "
	 "at::native::CUDAFunctor_add<c10::BFloat16>>(int)",
	 KCLASS_ELEMENTWISE, NULL, "bf16", 0},
	{"void at::native::CatArrayBatchedCopy<at::native::OpaqueType<(unsigned int)2>, unsigned "
	 "int>(char *)",
	 KCLASS_COPY, NULL, "16-bit", 0},
	{"my_matmul_kernel", KCLASS_GEMM, NULL, NULL, -1},
	/* four letters since the nvjet of Blackwell */
	{"nvjet_sm121_tst_mma_96x64x64_4_16x64x64_tmaAB_bz_TNNN", KCLASS_GEMM, "TN", "bf16", 1},
	/* 8 and 4 bit floats have no other unit, but a matrix times a vector needs none */
	{"_w8a8_block_fp8_matmul", KCLASS_GEMM, NULL, "fp8", 1},
	{"dsv4_fp8_gemv_batch_kernel", KCLASS_GEMM, NULL, "fp8", 0},
	{"void mul_mat_vec_q<(ggml_type)8, 1, false, false>(void const*)", KCLASS_GEMM, NULL, NULL,
	 0},
	{"hgemm_bf16_32x64x128x5_SPK8_W2x2x1_BLDS1_TN_AS1_0", KCLASS_GEMM, "TN", "bf16", 1},
	{"maxwell_hgemm_128x64_nn", KCLASS_GEMM, "NN", "fp16", 0},
	{"void cudnn::cnn::dgrad2d_grouped_direct_kernel<float, int, float, float, false, "
	 "true>(int)",
	 KCLASS_CONV, NULL, "fp32", 0},
	{"aiter::fmoe_bf16_pertokenFp8_g1u1_vs_silu_1tg_ps_32x512", KCLASS_MOE, NULL, "bf16", 1},
	{"fused_moe_kernel", KCLASS_MOE, NULL, NULL, -1},
};

static const struct {
	const char *name;
	enum kclass class;
	const char *phase;
} phases[] = {
	{"sm80_xmma_wgrad_implicit_gemm_bf16bf16", KCLASS_CONV, "backward"},
	{"void cudnn::winograd_nonfused::something<float>", KCLASS_CONV, NULL},
	{"volta_scudnn_128x64_stridedB_splitK_interior_nn_v1", KCLASS_CONV, "backward"},
	{"void gemvNSP_kernel<cublasGemvTensorStridedBatched<float>>", KCLASS_GEMM, NULL},
	{"layer_norm_grad_input_kernel", KCLASS_NORM, "backward"},
	{"pytorch_flash::flash_fwd_kernel", KCLASS_ATTENTION, "forward"},
	{"kOptimizer32bit2State", KCLASS_OPTIMIZER, "optimizer"},
	{"ampere_sgemm_128x64_tn", KCLASS_GEMM, NULL},
};

static void test_words(void)
{
	is_int(KCLASS_N, 26, "26 classes, as the contract lists");
	is_str(kclass_name(KCLASS_INDEX), "Index/Gather/Scatter", "a name with slashes");
	for (int c = 0; c < KCLASS_N; c++) {
		const char *w = kclass_name((enum kclass)c);

		is_int(kclass_find(w, strlen(w)), c, "%s is found again", w);
	}
	is_int(kclass_find("gemm", 4), KCLASS_N, "the spelling is exact");
}

int main(void)
{
	struct kernel_traits t;

	test_words();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kclass_traits(cases[i].name, strlen(cases[i].name), cases[i].class, &t);
		is_str(t.layout, cases[i].layout, "layout of %.60s", cases[i].name);
		is_str(t.dtype, cases[i].dtype, "type of %.60s", cases[i].name);
		is_int(t.tensor_core, cases[i].tensor_core, "tensor core of %.60s", cases[i].name);
	}
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		is_str(kclass_phase(phases[i].name, strlen(phases[i].name), phases[i].class),
		       phases[i].phase, "phase of %s", phases[i].name);
	kclass_traits("a\0_tn", 5, KCLASS_GEMM, &t);
	is_str(t.layout, "TN", "a NUL byte is a byte like others");
	kclass_traits("", 0, KCLASS_GEMM, &t);
	is_str(t.layout, NULL, "an empty name has no layout");
	return done_testing();
}
