/* The kernels of the generated run: the name that either tool would print, and the class that the
 * generator means it to have.  The names are made up in the style of the families. */
#include "gen.h"

const struct kernel_def gen_kernels[K_COUNT] = {
	[K_GEMM_TN] = {
		.torch = "nvjet_tst_176x128_64x5_2x1_v_bz_coopB_TNN",
		.nsys = "nvjet_tst_176x128_64x5_2x1_v_bz_coopB_TNN",
		.brief = "nvjet_tst_176x128_64x5_2x1_v_bz_coopB_TNN",
		.cls = "GEMM", .grid = 264, .block = 384, .regs = 168, .shared = 214016,
	},
	[K_GEMM_NN] = {
		.torch = "nvjet_tst_208x128_64x4_2x1_v_bz_coopB_NNN",
		.nsys = "nvjet_tst_208x128_64x4_2x1_v_bz_coopB_NNN",
		.brief = "nvjet_tst_208x128_64x4_2x1_v_bz_coopB_NNN",
		.cls = "GEMM", .grid = 264, .block = 384, .regs = 168, .shared = 206848,
	},
	[K_GEMM_NT] = {
		.torch = "nvjet_tst_128x208_64x4_1x2_h_bz_coopA_NTN",
		.nsys = "nvjet_tst_128x208_64x4_1x2_h_bz_coopA_NTN",
		.brief = "nvjet_tst_128x208_64x4_1x2_h_bz_coopA_NTN",
		.cls = "GEMM", .grid = 264, .block = 384, .regs = 168, .shared = 206848,
	},
	[K_EXPERT_TN] = {
		.torch = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_"
			"32x4_tn_align8>(cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_32x4_tn_"
			"align8::Params)",
		.nsys = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_"
			"32x4_tn_align8>(T1::Params)",
		.brief = "Kernel2",
		.cls = "GEMM", .grid = 120, .block = 256, .regs = 232, .shared = 98304,
	},
	[K_EXPERT_NN] = {
		.torch = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_"
			"32x4_nn_align8>(cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_32x4_nn_"
			"align8::Params)",
		.nsys = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_"
			"32x4_nn_align8>(T1::Params)",
		.brief = "Kernel2",
		.cls = "GEMM", .grid = 120, .block = 256, .regs = 232, .shared = 98304,
	},
	[K_EXPERT_NT] = {
		.torch = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_"
			"32x4_nt_align8>(cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_32x4_nt_"
			"align8::Params)",
		.nsys = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x192_"
			"32x4_nt_align8>(T1::Params)",
		.brief = "Kernel2",
		.cls = "GEMM", .grid = 120, .block = 256, .regs = 232, .shared = 98304,
	},
	[K_GATE] = {
		.torch = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_stage5_"
			"warpsize2x2x1_tensor16x8x8_kernel_cutlass__5x_cublas",
		.nsys = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_stage5_"
			"warpsize2x2x1_tensor16x8x8_kernel_cutlass__5x_cublas",
		.brief = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_stage5_"
			"warpsize2x2x1_tensor16x8x8_kernel_cutlass__5x_cublas",
		.cls = "GEMM", .grid = 64, .block = 128, .regs = 128, .shared = 81920,
	},
	[K_FLASH_FWD] = {
		.torch = "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_"
			"traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t, pytorch_"
			"flash::Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >, "
			"false, true, false, false, true, true, false>(pytorch_flash::Flash_fwd_"
			"params)",
		.nsys = "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, ("
			"int)128, (int)64, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_"
			"kernel_traits<(int)128, (int)128, (int)64, (int)4, cutlass::bfloat16_"
			"t>>, (bool)0, (bool)1, (bool)0, (bool)0, (bool)1, (bool)1, (bool)0>("
			"pytorch_flash::Flash_fwd_params)",
		.brief = "flash_fwd_kernel",
		.cls = "Attention", .grid = 1024, .block = 128, .regs = 255, .shared = 65536,
	},
	[K_FLASH_DOT] = {
		.torch = "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, pytorch_flash::"
			"Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false, cutlass::"
			"bfloat16_t>>(pytorch_flash::Flash_bwd_params)",
		.nsys = "void pytorch_flash::flash_bwd_dot_do_o_kernel<(bool)1, Flash_bwd_kernel_"
			"traits<(int)128, (int)64, (int)128, (int)8, (int)2, (int)4, (int)2, ("
			"bool)0, (bool)0, cutlass::bfloat16_t>>(pytorch_flash::Flash_bwd_params)",
		.brief = "flash_bwd_dot_do_o_kernel",
		.cls = "Attention", .grid = 1024, .block = 256, .regs = 40, .shared = 0,
	},
	[K_FLASH_BWD] = {
		.torch = "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<"
			"pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, "
			"false, cutlass::bfloat16_t>, false, true, false, true, true>(pytorch_"
			"flash::Flash_bwd_params)",
		.nsys = "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_"
			"bwd_kernel_traits<(int)128, (int)64, (int)128, (int)8, (int)2, (int)4, ("
			"int)2, (bool)0, (bool)0, cutlass::bfloat16_t>, (bool)0, (bool)1, (bool)"
			"0, (bool)1, (bool)1>(pytorch_flash::Flash_bwd_params)",
		.brief = "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
		.cls = "Attention", .grid = 512, .block = 256, .regs = 255, .shared = 147456,
	},
	[K_FLASH_CONVERT] = {
		.torch = "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_"
			"bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false, cutlass::"
			"bfloat16_t>>(pytorch_flash::Flash_bwd_params, int)",
		.nsys = "void pytorch_flash::flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<("
			"int)128, (int)64, (int)128, (int)8, (int)2, (int)4, (int)2, (bool)0, ("
			"bool)0, cutlass::bfloat16_t>>(pytorch_flash::Flash_bwd_params, int)",
		.brief = "flash_bwd_convert_dq_kernel",
		.cls = "Attention", .grid = 1024, .block = 256, .regs = 72, .shared = 0,
	},
	[K_LN] = {
		.torch = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<"
			"c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 "
			"const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
		.nsys = "void at::native::<unnamed>::vectorized_layer_norm_kernel<c10::BFloat16, "
			"float>(int, T2, const T1 *, const T1 *, const T1 *, T2 *, T2 *, T1 *)",
		.brief = "vectorized_layer_norm_kernel",
		.cls = "Norm", .grid = 4096, .block = 128, .regs = 32, .shared = 24,
	},
	[K_LN_BWD_X] = {
		.torch = "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_"
			"vectorized<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 "
			"const*, float const*, float const*, c10::BFloat16 const*, c10::"
			"BFloat16*, int)",
		.nsys = "void at::native::<unnamed>::layer_norm_grad_input_kernel_vectorized<c10::"
			"BFloat16, float>(const T1 *, const T1 *, const T2 *, const T2 *, const "
			"T1 *, T1 *, int)",
		.brief = "layer_norm_grad_input_kernel_vectorized",
		.cls = "Norm", .grid = 4096, .block = 128, .regs = 48, .shared = 32,
	},
	[K_LN_BWD_W] = {
		.torch = "void at::native::(anonymous namespace)::"
			"GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 32u, 8u, 64u, "
			"true, true, true>(long, long, c10::BFloat16 const*, c10::BFloat16 "
			"const*, float const*, float const*, c10::BFloat16*, c10::BFloat16*)",
		.nsys = "void at::native::<unnamed>::GammaBetaBackwardCUDAKernelTemplate<c10::"
			"BFloat16, float, (unsigned int)32, (unsigned int)8, (unsigned int)64, ("
			"bool)1, (bool)1, (bool)1>(long, long, const T1 *, const T1 *, const T2 "
			"*, const T2 *, T1 *, T1 *)",
		.brief = "GammaBetaBackwardCUDAKernelTemplate",
		.cls = "Norm", .grid = 64, .block = 256, .regs = 40, .shared = 4224,
	},
	[K_GELU] = {
		.torch = "void at::native::vectorized_elementwise_kernel<4, at::native::"
			"GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::"
			"{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::"
			"{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, at::native::"
			"GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::"
			"{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::"
			"{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)",
		.nsys = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::"
			"GeluCUDAKernelImpl(at::TensorIteratorBase &, at::native::GeluType)::"
			"[lambda() (instance 1)]::operator ()() const::[lambda() (instance 4)]::"
			"operator ()() const::[lambda(c10::BFloat16) (instance 1)], std::array<"
			"char *, (unsigned long)2>>(int, T2, T3)",
		.brief = "vectorized_elementwise_kernel",
		.cls = "Elementwise", .grid = 32768, .block = 128, .regs = 26, .shared = 0,
	},
	[K_GELU_BWD] = {
		.torch = "void at::native::vectorized_elementwise_kernel<4, at::native::"
			"GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::"
			"GeluType)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() "
			"const::{lambda(c10::BFloat16)#1}, std::array<char*, 3ul> >(int, at::"
			"native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::"
			"GeluType)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() "
			"const::{lambda(c10::BFloat16)#1}, std::array<char*, 3ul>)",
		.nsys = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::"
			"GeluBackwardCUDAKernelImpl(at::TensorIteratorBase &, at::native::"
			"GeluType)::[lambda() (instance 1)]::operator ()() const::[lambda() ("
			"instance 4)]::operator ()() const::[lambda(c10::BFloat16) (instance 1)], "
			"std::array<char *, (unsigned long)3>>(int, T2, T3)",
		.brief = "vectorized_elementwise_kernel",
		.cls = "Elementwise", .grid = 32768, .block = 128, .regs = 30, .shared = 0,
	},
	[K_ADD] = {
		.torch = "void at::native::vectorized_elementwise_kernel<4, at::native::"
			"CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::"
			"native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
		.nsys = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::"
			"CUDAFunctor_add<c10::BFloat16>, std::array<char *, (unsigned long)3>>("
			"int, T2, T3)",
		.brief = "vectorized_elementwise_kernel",
		.cls = "Elementwise", .grid = 16384, .block = 128, .regs = 24, .shared = 0,
	},
	[K_MUL] = {
		.torch = "void at::native::vectorized_elementwise_kernel<4, at::native::"
			"BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::"
			"binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int, at::"
			"native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::"
			"native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul>)",
		.nsys = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::"
			"BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::"
			"binary_internal::MulFunctor<float>>, std::array<char *, (unsigned long)"
			"3>>(int, T2, T3)",
		.brief = "vectorized_elementwise_kernel",
		.cls = "Elementwise", .grid = 16384, .block = 128, .regs = 24, .shared = 0,
	},
	[K_SOFTMAX] = {
		.torch = "void (anonymous namespace)::softmax_warp_forward<float, float, float, "
			"3, false, false>(float*, float const*, int, int, int, bool const*, int, "
			"bool)",
		.nsys = "void <unnamed>::softmax_warp_forward<float, float, float, (int)3, (bool)"
			"0, (bool)0>(T2 *, const T1 *, int, int, int, const bool *, int, bool)",
		.brief = "softmax_warp_forward",
		.cls = "Softmax", .grid = 256, .block = 128, .regs = 28, .shared = 0,
	},
	[K_SOFTMAX_BWD] = {
		.torch = "void (anonymous namespace)::softmax_warp_backward<float, float, float, "
			"3, false, false>(float*, float const*, float const*, int, int, int, bool "
			"const*)",
		.nsys = "void <unnamed>::softmax_warp_backward<float, float, float, (int)3, (bool)"
			"0, (bool)0>(T2 *, const T1 *, const T1 *, int, int, int, const bool *)",
		.brief = "softmax_warp_backward",
		.cls = "Softmax", .grid = 256, .block = 128, .regs = 30, .shared = 0,
	},
	[K_TOPK] = {
		.torch = "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(at::"
			"cuda::detail::TensorInfo<float const, unsigned int>, unsigned int, "
			"unsigned int, bool, unsigned int, unsigned int, at::cuda::detail::"
			"TensorInfo<float, unsigned int>, unsigned int, at::cuda::detail::"
			"TensorInfo<long, unsigned int>, unsigned int, float*)",
		.nsys = "void at::native::sbtopk::gatherTopK<float, unsigned int, (int)2, (bool)"
			"0>(at::cuda::detail::TensorInfo<const T1, T2>, T2, T2, bool, T2, T2, at::"
			"cuda::detail::TensorInfo<T1, T2>, T2, at::cuda::detail::TensorInfo<long, "
			"T2>, T2, T1 *)",
		.brief = "gatherTopK",
		.cls = "Sort/TopK", .grid = 4096, .block = 32, .regs = 48, .shared = 264,
	},
	[K_SCAN] = {
		.torch = "void at::native::tensor_kernel_scan_innermost_dim<long, std::plus<"
			"long> >(long*, long const*, unsigned int, unsigned int, unsigned int, "
			"long, std::plus<long>)",
		.nsys = "void at::native::tensor_kernel_scan_innermost_dim<long, std::plus<long>>("
			"T1 *, const T1 *, unsigned int, unsigned int, unsigned int, T1, T2)",
		.brief = "tensor_kernel_scan_innermost_dim",
		.cls = "Scan", .grid = 8, .block = 512, .regs = 24, .shared = 8192,
	},
	[K_GATHER] = {
		.torch = "void at::native::vectorized_gather_kernel<16, long>(char*, char*, "
			"long*, int, long, long, long, long, bool)",
		.nsys = "void at::native::vectorized_gather_kernel<(int)16, long>(char *, char *, "
			"T2 *, int, long, long, long, long, bool)",
		.brief = "vectorized_gather_kernel",
		.cls = "Index/Gather/Scatter", .grid = 8192, .block = 128, .regs = 20, .shared = 0,
	},
	[K_INDEX_ADD] = {
		.torch = "void at::native::indexFuncLargeIndex<c10::BFloat16, long, unsigned int, "
			"2, 2, -2, true, at::native::ReduceAdd>(at::cuda::detail::TensorInfo<c10::"
			"BFloat16, unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16 "
			"const, unsigned int>, unsigned int, unsigned int, long, long, at::"
			"native::ReduceAdd)",
		.nsys = "void at::native::indexFuncLargeIndex<c10::BFloat16, long, unsigned int, ("
			"int)2, (int)2, (int)-2, (bool)1, at::native::ReduceAdd>(at::cuda::"
			"detail::TensorInfo<T1, T3>, at::cuda::detail::TensorInfo<const T1, T3>, "
			"T3, T3, long, long, T8)",
		.brief = "indexFuncLargeIndex",
		.cls = "Index/Gather/Scatter", .grid = 2112, .block = 128, .regs = 30, .shared = 0,
	},
	[K_EMBED_BWD] = {
		.torch = "void at::native::(anonymous namespace)::embedding_backward_feature_"
			"kernel<c10::BFloat16, float, long>(long const*, c10::BFloat16 const*, "
			"c10::BFloat16*, int, long, int)",
		.nsys = "void at::native::<unnamed>::embedding_backward_feature_kernel<c10::"
			"BFloat16, float, long>(const T3 *, const T1 *, T1 *, int, long, int)",
		.brief = "embedding_backward_feature_kernel",
		.cls = "Embedding", .grid = 64, .block = 1024, .regs = 40, .shared = 12288,
	},
	[K_CAST] = {
		.torch = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_"
			"kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::"
			"{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<"
			"char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int>, "
			"TrivialOffsetCalculator<1, unsigned int>, at::native::memory::"
			"LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int, at::native::"
			"direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::"
			"operator()() const::{lambda()#12}::operator()() const::{lambda(c10::"
			"BFloat16)#1}, std::array<char*, 2ul>, TrivialOffsetCalculator<1, "
			"unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::"
			"memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1>)",
		.nsys = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_"
			"kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 3)]::"
			"operator ()() const::[lambda() (instance 12)]::operator ()() const::"
			"[lambda(c10::BFloat16) (instance 1)], std::array<char *, (unsigned long)"
			"2>, (int)4, TrivialOffsetCalculator<(int)1, unsigned int>, "
			"TrivialOffsetCalculator<(int)1, unsigned int>, at::native::memory::"
			"LoadWithCast<(int)1>, at::native::memory::StoreWithCast<(int)1>>(int, "
			"T1, T2, T4, T5, T6, T7)",
		.brief = "unrolled_elementwise_kernel",
		.cls = "Copy", .grid = 8192, .block = 128, .regs = 38, .shared = 0,
	},
	[K_FILL] = {
		.torch = "void at::native::vectorized_elementwise_kernel<4, at::native::"
			"FillFunctor<float>, std::array<char*, 1ul> >(int, at::native::"
			"FillFunctor<float>, std::array<char*, 1ul>)",
		.nsys = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::"
			"FillFunctor<float>, std::array<char *, (unsigned long)1>>(int, T2, T3)",
		.brief = "vectorized_elementwise_kernel",
		.cls = "Memset", .grid = 16384, .block = 128, .regs = 16, .shared = 0,
	},
	[K_DROPOUT] = {
		.torch = "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<c10::"
			"BFloat16, float, unsigned int, 1, 8, bool>(at::cuda::detail::TensorInfo<"
			"c10::BFloat16 const, unsigned int>, at::cuda::detail::TensorInfo<c10::"
			"BFloat16, unsigned int>, at::cuda::detail::TensorInfo<bool, unsigned "
			"int>, unsigned int, float, at::PhiloxCudaState)",
		.nsys = "void at::native::<unnamed>::fused_dropout_kernel_vec<c10::BFloat16, "
			"float, unsigned int, (int)1, (int)8, bool>(at::cuda::detail::TensorInfo<"
			"const T1, T3>, at::cuda::detail::TensorInfo<T1, T3>, at::cuda::detail::"
			"TensorInfo<T6, T3>, T3, T2, at::PhiloxCudaState)",
		.brief = "fused_dropout_kernel_vec",
		.cls = "RNG/Dropout", .grid = 1056, .block = 256, .regs = 40, .shared = 0,
	},
	[K_LOGSOFTMAX] = {
		.torch = "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, "
			"float, float, at::native::(anonymous namespace)::"
			"LogSoftMaxForwardEpilogue>(float*, float const*, int)",
		.nsys = "void at::native::<unnamed>::cunn_SoftMaxForward<(int)8, float, float, "
			"float, at::native::<unnamed>::LogSoftMaxForwardEpilogue>(T4 *, const T2 "
			"*, int)",
		.brief = "cunn_SoftMaxForward",
		.cls = "Softmax", .grid = 4096, .block = 1024, .regs = 32, .shared = 128,
	},
	[K_NLL] = {
		.torch = "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_"
			"kernel_2d<float, double, long>(float*, float*, float const*, long "
			"const*, float const*, bool, long, long, long, long)",
		.nsys = "void at::native::<unnamed>::nll_loss_forward_reduce_cuda_kernel_2d<"
			"float, double, long>(T1 *, T1 *, const T1 *, const T3 *, const T1 *, "
			"bool, long, long, long, long)",
		.brief = "nll_loss_forward_reduce_cuda_kernel_2d",
		.cls = "Loss", .grid = 1, .block = 32, .regs = 24, .shared = 512,
	},
	[K_NLL_BWD] = {
		.torch = "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_"
			"kernel_2d<float, long>(float*, float const*, long const*, float const*, "
			"float const*, bool, int, int, long, long)",
		.nsys = "void at::native::<unnamed>::nll_loss_backward_reduce_cuda_kernel_2d<"
			"float, long>(T1 *, const T1 *, const T2 *, const T1 *, const T1 *, bool, "
			"int, int, long, long)",
		.brief = "nll_loss_backward_reduce_cuda_kernel_2d",
		.cls = "Loss", .grid = 1, .block = 32, .regs = 20, .shared = 0,
	},
	[K_NORM2] = {
		.torch = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::"
			"native::NormTwoOps<float, float, float>, unsigned int, float, 4, 4> >("
			"at::native::ReduceOp<float, at::native::NormTwoOps<float, float, float>, "
			"unsigned int, float, 4, 4>)",
		.nsys = "void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<"
			"float, at::native::NormTwoOps<float, float, float>, unsigned int, "
			"float, (int)4, (int)4>>(T3)",
		.brief = "reduce_kernel",
		.cls = "Reduction", .grid = 132, .block = 512, .regs = 32, .shared = 16,
	},
	[K_ADAM] = {
		.torch = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::"
			"native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::"
			"native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::"
			"native::ADAM_MODE)1, false>, float const*, double, double, double, "
			"double, double, bool, bool, float*, float*>(at::native::(anonymous "
			"namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
			"namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, "
			"false>, float const*, double, double, double, double, double, bool, "
			"bool, float*, float*)",
		.nsys = "void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<"
			"unnamed>::FusedOptimizerTensorListMetadata<(int)4>, at::native::<"
			"unnamed>::FusedAdamMathFunctor<float, (int)4, (at::native::ADAM_MODE)1, ("
			"bool)0>, const float *, double, double, double, double, double, bool, "
			"bool, float *, float *>(T1, T2, T3...)",
		.brief = "multi_tensor_apply_kernel",
		.cls = "Optimizer", .grid = 320, .block = 512, .regs = 56, .shared = 0,
	},
	[K_ALLGATHER] = {
		.torch = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		.nsys = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)"
			"4096>)",
		.brief = "ncclDevKernel_AllGather_RING_LL",
		.cls = "Communication", .grid = 16, .block = 512, .regs = 96, .shared = 81936,
	},
	[K_REDSCAT] = {
		.torch = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<"
			"4096ul>)",
		.nsys = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<("
			"unsigned long)4096>)",
		.brief = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL",
		.cls = "Communication", .grid = 16, .block = 512, .regs = 96, .shared = 81936,
	},
	[K_SENDRECV] = {
		.torch = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
		.nsys = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
		.brief = "ncclDevKernel_SendRecv",
		.cls = "Communication", .grid = 16, .block = 512, .regs = 96, .shared = 81936,
	},
	[K_TRITON] = {
		.torch = "triton_poi_fused_add_mul_native_dropout_7",
		.nsys = "triton_poi_fused_add_mul_native_dropout_7",
		.brief = "triton_poi_fused_add_mul_native_dropout_7",
		.cls = "Fused", .grid = 8192, .block = 256, .regs = 28, .shared = 0,
	},
};
