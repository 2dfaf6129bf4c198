/*
 * kclass: what a GPU kernel's name says of itself.
 *
 * The class of a kernel comes from data/kernel-classes.rules (see rules.h). This module holds the
 * closed vocabulary of classes and reads the traits that stand in the name itself: matrix layout,
 * data type, tensor-core use. The spellings are those of cuBLAS, cuBLASLt (nvjet), CUTLASS, cuDNN,
 * Tensile/hipBLASLt, ATen and the fused attention kernels, in the dialects of nsys ("(int)4"),
 * ncu and libstdc++ ("4", "{lambda()#1}").
 *
 * All functions are pure, take (pointer, length), accept any bytes and never fail.
 */
#ifndef RULES_KERNEL_NAME_H
#define RULES_KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order is the order of the `class` vocabulary of the command line contract. */
enum kclass {
	KCLASS_GEMM,
	KCLASS_CONV,
	KCLASS_ATTENTION,
	KCLASS_ELEMENTWISE,
	KCLASS_REDUCTION,
	KCLASS_NORM,
	KCLASS_SOFTMAX,
	KCLASS_EMBEDDING,
	KCLASS_INDEX,
	KCLASS_SORT,
	KCLASS_MOE,
	KCLASS_OPTIMIZER,
	KCLASS_COMMUNICATION,
	KCLASS_COPY,
	KCLASS_MEMSET,
	KCLASS_RNG,
	KCLASS_LOSS,
	KCLASS_QUANTIZE,
	KCLASS_SCAN,
	KCLASS_FFT,
	KCLASS_POOLING,
	KCLASS_SSM,
	KCLASS_FUSED,
	KCLASS_OTHER,
	KCLASS_UNCLASSIFIED, /* no rule matched */
	KCLASS_UNRESOLVED,   /* a short or cut name that could be several classes */
	KCLASS_N
};

/* "GEMM", "Index/Gather/Scatter", …: verbatim in output. Static. */
const char *kclass_name(enum kclass class);

/* The inverse; KCLASS_N if the word is unknown. Exact spelling. */
enum kclass kclass_find(const char *word, size_t len);

struct kernel_traits {
	const char *layout; /* "TN", "NN", "NT", "TT", of gemv "T-", "N-", or NULL; only for GEMM */
	/* "fp32", "tf32", "bf16", "fp16", "fp8", "fp4", "int8", "fp64", "16-bit", …, or NULL */
	const char *dtype;
	int8_t tensor_core; /* 1 yes, 0 no, -1 the name does not say */
};

/*
 * Read the traits of a kernel whose class is known. The strings are static. Only GEMM kernels have
 * a layout: "_nn_v1" at the end of a cuDNN convolution is a tile form.
 */
void kclass_traits(const char *name, size_t len, enum kclass class, struct kernel_traits *out);

/*
 * "backward", "optimizer", "forward" if the name itself says so, else NULL. A forward kernel may be
 * part of a recompute: the phase of a kernel is that of its launch, this is a hint beside it.
 */
const char *kclass_phase(const char *name, size_t len, enum kclass class);

#endif
