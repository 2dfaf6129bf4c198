/*
 * kernel_name.c - reads layout, data type and tensor-core use from a kernel's name.
 *
 * Each trait is a table of cues, tried in order. Names are cut into pieces of letters and digits
 * where a cue is a word of its own ("tn" in "_64x5_tn", not in "stn"), and searched for substrings
 * where the vendor glues it to others ("s16816gemm").
 */
#include "rules/kernel_name.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const class_names[KCLASS_N] = {
	"GEMM",		 "Conv",       "Attention",
	"Elementwise",	 "Reduction",  "Norm",
	"Softmax",	 "Embedding",  "Index/Gather/Scatter",
	"Sort/TopK",	 "MoE",	       "Optimizer",
	"Communication", "Copy",       "Memset",
	"RNG/Dropout",	 "Loss",       "Quantize",
	"Scan",		 "FFT",	       "Pooling",
	"SSM",		 "Fused",      "Other",
	"Unclassified",	 "Unresolved",
};

const char *kclass_name(enum kclass class)
{
	return class_names[class];
}

enum kclass kclass_find(const char *word, size_t len)
{
	for (int c = 0; c < KCLASS_N; c++)
		if (strlen(class_names[c]) == len && memcmp(class_names[c], word, len) == 0)
			return (enum kclass)c;
	return KCLASS_N;
}

/* ---- searching ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool equal_folded(const char *s, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(s[i]) != word[i])
			return false;
	return true;
}

/* The lower-case word anywhere, in any case; NULL if absent. */
static const char *find(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (equal_folded(s + i, word, n))
			return s + i;
	return NULL;
}

/* The same, but with no letter or digit before and after it. */
static const char *find_word(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++) {
		if (!equal_folded(s + i, word, n) || (i > 0 && is_alnum(s[i - 1])))
			continue;
		if (i + n == len || !is_alnum(s[i + n]))
			return s + i;
	}
	return NULL;
}

/* One cue: a word, or (glued) a substring, and what it means. */
struct cue {
	const char *word;
	bool glued;
	const char *means;
	int8_t yes;
};

static const struct cue *find_cue(const struct cue *c, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (c[i].glued ? find(s, len, c[i].word) : find_word(s, len, c[i].word))
			return &c[i];
	return NULL;
}

/* ---- layout ---- */

static const char *layout_of(char a, char b)
{
	if (a == 'T')
		return b == 'N' ? "TN" : b == 'T' ? "TT" : NULL;
	if (a == 'N')
		return b == 'N' ? "NN" : b == 'T' ? "NT" : NULL;
	return NULL;
}

/*
 * Tensile: Cijk_Alik_Bljk, l is the index of the sum: A is transposed if l comes first, B if it
 * comes second.
 */
static const char *tensile_layout(const char *s, size_t len)
{
	const char *p = find(s, len, "cijk_a");

	if (!p || (size_t)(s + len - p) < 14 || p[9] != '_' || p[10] != 'B')
		return NULL;
	return layout_of(p[6] == 'l' ? 'T' : 'N', p[11] == 'l' ? 'N' : 'T');
}

static char upper_tn(char c)
{
	return c == 't' || c == 'T' ? 'T' : c == 'n' || c == 'N' ? 'N' : '\0';
}

/* A piece that is "tn", "tnn" (the third letter is the order of C) or "tnnn", all in one case. */
static const char *piece_layout(const char *s, size_t n)
{
	bool small = n > 0 && s[0] >= 'a';

	if (n < 2 || n > 4)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!upper_tn(s[i]) || (s[i] >= 'a') != small)
			return NULL;
	return layout_of(upper_tn(s[0]), upper_tn(s[1]));
}

/* gemv2T_kernel_val, rocblas_gemvn_kernel: the matrix alone has a letter. gemvNSP is another word. */
static const char *gemv_layout(const char *s, size_t len)
{
	const char *p = find(s, len, "gemv");
	size_t i = p ? (size_t)(p - s) + 4 : len;

	while (i < len && s[i] >= '0' && s[i] <= '9')
		i++;
	if (i >= len || !upper_tn(s[i]) || (i + 1 < len && is_alnum(s[i + 1])))
		return NULL;
	return upper_tn(s[i]) == 'T' ? "T-" : "N-";
}

static const char *find_layout(const char *s, size_t len)
{
	const char *layout = tensile_layout(s, len);

	for (size_t i = 0; i < len && !layout;) {
		size_t n = 0;

		while (i + n < len && is_alnum(s[i + n]))
			n++;
		layout = piece_layout(s + i, n);
		i += n + 1;
	}
	return layout ? layout : gemv_layout(s, len);
}

/* ---- data type ---- */

/* Types in vendor names, the narrow ones first: an fp4 GEMM also names its fp8 scales. */
static const struct cue matmul_types[] = {
	{"e2m1", true, "fp4", 0},	    {"nvfp4", true, "fp4", 0},
	{"mxfp4", true, "fp4", 0},	    {"e4m3", true, "fp8", 0},
	{"e5m2", true, "fp8", 0},	    {"fp8_gemm", true, "fp8", 0},
	{"tf32", true, "tf32", 0},	    {"bf16bf16", true, "bf16", 0},
	{"f16f16", true, "fp16", 0},	    {"f32f32", true, "fp32", 0},
	{"i8i8", true, "int8", 0},	    {"f64f64", true, "fp64", 0},
	{"bf16", false, "bf16", 0},	    {"bfloat16", true, "bf16", 0},
	{"df16b", true, "bf16", 0},	    {"fp16", false, "fp16", 0},
	{"f16", false, "fp16", 0},	    {"f32", false, "fp32", 0},
	{"i8816", true, "int8", 0},	    {"i16832", true, "int8", 0},
	{"h884", true, "fp16", 0},	    {"h1688", true, "fp16", 0},
	{"h16816", true, "fp16", 0},	    {"d884", true, "fp64", 0},
	{"z884", true, "complex fp64", 0},  {"cgemm", true, "complex fp32", 0},
	{"zgemm", true, "complex fp64", 0}, {"sgemm", true, "fp32", 0},
	{"dgemm", true, "fp64", 0},	    {"hgemm", true, "fp16", 0},
	{"scudnn", true, "fp32", 0},	    {"hcudnn", true, "fp16", 0},
	{"s1688gemm", true, "tf32", 0},	    {"tensorop_s1688", true, "tf32", 0},
	{"df16_", true, "fp16", 0},
};

/* nvjet_[sm90_]XYZ_…: X is the type of A and B. */
static const char *nvjet_type(const char *s, size_t len)
{
	static const struct {
		char letter;
		const char *type;
	} types[] = {
		{'t', "bf16"}, {'h', "fp16"}, {'q', "fp8"},  {'r', "fp8"},
		{'o', "fp4"},  {'u', "fp4"},  {'s', "fp32"}, {'d', "fp64"},
	};
	const char *p = find(s, len, "nvjet_"), *end = s + len;

	if (!p)
		return NULL;
	p += 6;
	if (end - p > 3 && p[0] == 's' && p[1] == 'm' && is_digit(p[2])) {
		while (p < end && *p != '_')
			p++;
		p++;
	}
	for (size_t i = 0; p < end && i < COUNT(types); i++)
		if (*p == types[i].letter)
			return types[i].type;
	return NULL;
}

/* Cijk_Ailk_Bjlk_BBS_…: the first letters after the indices. */
static const char *tensile_type(const char *s, size_t len)
{
	static const struct {
		const char *start, *type;
	} types[] = {
		{"F8", "fp8"},	       {"B8", "fp8"},	      {"I8", "int8"}, {"B", "bf16"},
		{"H", "fp16"},	       {"S", "fp32"},	      {"X", "tf32"},  {"D", "fp64"},
		{"C", "complex fp32"}, {"Z", "complex fp64"},
	};
	const char *p = find(s, len, "cijk_a");

	if (!p || (size_t)(s + len - p) < 18)
		return NULL;
	for (size_t i = 0; i < COUNT(types); i++)
		if (memcmp(p + 15, types[i].start, strlen(types[i].start)) == 0)
			return types[i].type;
	return NULL;
}

/* Types as identifiers of C++ templates and lambdas. */
static const struct type_word {
	const char *word, *type;
	/*
	 * Also used for sizes, indices and scalars: it counts only right after "<" or "lambda(",
	 * and only if there is no other type.
	 */
	bool is_weak;
} type_words[] = {
	{"float", "fp32", false},
	{"float2", "fp32", false},
	{"float4", "fp32", false},
	{"double", "fp64", true},
	{"double2", "fp64", false},
	{"Half", "fp16", false},
	{"half", "fp16", false},
	{"__half", "fp16", false},
	{"__half2", "fp16", false},
	{"half_t", "fp16", false},
	{"half2", "fp16", false},
	{"BFloat16", "bf16", false},
	{"bfloat16_t", "bf16", false},
	{"__nv_bfloat16", "bf16", false},
	{"__nv_bfloat162", "bf16", false},
	{"__hip_bfloat16", "bf16", false},
	{"nv_bfloat16", "bf16", false},
	{"bfloat16", "bf16", false},
	{"Float8_e4m3fn", "fp8", false},
	{"Float8_e5m2", "fp8", false},
	{"Float8_e4m3fnuz", "fp8", false},
	{"__nv_fp8_e4m3", "fp8", false},
	{"__nv_fp8_e5m2", "fp8", false},
	{"float_e4m3_t", "fp8", false},
	{"float_e5m2_t", "fp8", false},
	{"long", "int64", true},
	{"int", "int32", true},
	{"short", "int16", true},
	{"bool", "bool", true},
	{"signed char", "int8", true},
};

static bool is_ident(char c)
{
	return is_alnum(c) || c == '_';
}

/* Is position i right after "<" or "lambda("? */
static bool opens_type(const char *s, size_t i)
{
	if (i >= 1 && s[i - 1] == '<')
		return true;
	return i >= 7 && memcmp(s + i - 7, "lambda(", 7) == 0;
}

static const char *ident_type(const char *s, size_t i, size_t n, bool *weak)
{
	for (size_t w = 0; w < COUNT(type_words); w++) {
		const struct type_word *t = &type_words[w];

		if (strlen(t->word) != n || memcmp(t->word, s + i, n) != 0)
			continue;
		*weak = t->is_weak;
		return t->is_weak && !opens_type(s, i) ? NULL : t->type;
	}
	return NULL;
}

/* at::native::OpaqueType<(int)4>: a copy that only knows the width. */
static const char *opaque_type(const char *s, size_t len)
{
	const char *p = find(s, len, "opaquetype<"), *end = s + len;

	if (!p)
		return NULL;
	p += 11;
	if (p < end && *p == '(') {
		while (p < end && *p != ')')
			p++;
		p++;
	}
	if (p + 1 >= end || is_digit(p[1]))
		return p + 1 < end && p[0] == '1' && p[1] == '6' ? "128-bit" : NULL;
	return *p == '1'   ? "8-bit"
	       : *p == '2' ? "16-bit"
	       : *p == '4' ? "32-bit"
	       : *p == '8' ? "64-bit"
			   : NULL;
}

/* The first type in the order of reading. */
static const char *template_type(const char *s, size_t len)
{
	const char *first_weak = NULL;

	for (size_t i = 0; i < len;) {
		const char *type;
		bool weak = false;
		size_t n = 0;

		while (i + n < len && is_ident(s[i + n]))
			n++;
		type = n ? ident_type(s, i, n, &weak) : NULL;
		if (type && !weak)
			return type;
		if (!first_weak)
			first_weak = type;
		i += n ? n : 1;
	}
	return first_weak;
}

/* Casts: the type that is written stands in the name, the lambda holds the one that is read. */
static const struct cue copy_types[] = {
	{"bfloat16_copy_kernel", true, "bf16", 0},
	{"float16_copy_kernel", true, "fp16", 0},
	{"float8_copy_kernel", true, "fp8", 0},
};

/* Lower-case type words that stand between underscores in hand-written kernels. */
static const struct cue plain_types[] = {
	{"bf16", false, "bf16", 0}, {"bfloat16", false, "bf16", 0}, {"fp16", false, "fp16", 0},
	{"f16", false, "fp16", 0},  {"half", false, "fp16", 0},	    {"fp8", false, "fp8", 0},
	{"mxfp8", false, "fp8", 0}, {"nvfp4", false, "fp4", 0},	    {"mxfp4", false, "fp4", 0},
	{"fp32", false, "fp32", 0}, {"f32", false, "fp32", 0},	    {"int8", false, "int8", 0},
	{"df16b", true, "bf16", 0},
};

static bool is_matmul(enum kclass class)
{
	return class == KCLASS_GEMM || class == KCLASS_CONV || class == KCLASS_ATTENTION ||
	       class == KCLASS_MOE;
}

static const char *find_dtype(const char *s, size_t len, enum kclass class)
{
	const struct cue *c = NULL;
	const char *type = NULL;

	if (is_matmul(class)) {
		type = nvjet_type(s, len);
		if (!type)
			type = tensile_type(s, len);
		if (!type)
			c = find_cue(matmul_types, COUNT(matmul_types), s, len);
		if (c)
			type = c->means;
	} else {
		c = find_cue(copy_types, COUNT(copy_types), s, len);
		type = c ? c->means : opaque_type(s, len);
	}
	if (!type)
		type = template_type(s, len);
	if (!type) {
		c = find_cue(plain_types, COUNT(plain_types), s, len);
		type = c ? c->means : NULL;
	}
	return type;
}

/* ---- tensor core ---- */

/* In this order: what rules tensor cores out comes first, but for the instruction shapes. */
static const struct cue tensor_cues[] = {
	{"ffma", true, NULL, 0},
	{"simt", true, NULL, 0},
	{"splitkreduce", true, NULL, 0},
	{"nvjet", true, NULL, 1},
	{"_grouped_direct", true, NULL, 0},
	{"hgemm_bf16", true, NULL, 1},
	{"884gemm", true, NULL, 1},
	{"h884", true, NULL, 1},
	{"s884", true, NULL, 1},
	{"d884", true, NULL, 1},
	{"z884", true, NULL, 1},
	{"1688", true, NULL, 1},
	{"16816", true, NULL, 1},
	{"8816", true, NULL, 1},
	{"16832", true, NULL, 1},
	{"161616", true, NULL, 1},
	{"tensor16x8x", true, NULL, 1},
	{"tensor8x8x", true, NULL, 1},
	{"hmma", true, NULL, 1},
	{"imma", true, NULL, 1},
	{"gmma", true, NULL, 1},
	{"wmma", true, NULL, 1},
	{"tcgen05", true, NULL, 1},
	{"umma", true, NULL, 1},
	{"utcmma", true, NULL, 1},
	{"warpspecialized", true, NULL, 1},
	{"warpgroupsize", true, NULL, 1},
	{"tensorop", true, NULL, 1},
	{"m16n8k", true, NULL, 1},
	{"mfma", true, NULL, 1},
	{"xdl", true, NULL, 1},
	{"gtcx", true, NULL, 1},
	{"e4m3", true, NULL, 1},
	{"e5m2", true, NULL, 1},
	{"e2m1", true, NULL, 1},
	{"mxfp4", true, NULL, 1},
	{"nvfp4", true, NULL, 1},
	{"mmapipelined", true, NULL, 1},
	{"mmamultistage", true, NULL, 1},
	{"deep_gemm", true, NULL, 1},
	{"marlin::", true, NULL, 1},
	{"marlin_moe", true, NULL, 1},
	{"fmoe_", true, NULL, 1},
	{"gridwisemoegemm", true, NULL, 1},
	{"flatmm", true, NULL, 1},
	{"fused_moe_kernel_sm", true, NULL, 1},
	{"fusedmoegemmkernel", true, NULL, 1},
	{"f4gemm_", true, NULL, 1},
	{"bf16gemm_fp32", true, NULL, 1},
	{"quant_gemm_kernel", true, NULL, 1},
	{"fused_a_gemm", true, NULL, 1},
	{"blockscaledpersistent", true, NULL, 1},
	{"opclasssimt", true, NULL, 0},
	{"sgemm", true, NULL, 0},
	{"dgemm", true, NULL, 0},
	{"cgemm", true, NULL, 0},
	{"zgemm", true, NULL, 0},
	{"hgemm", true, NULL, 0},
	{"scudnn", true, NULL, 0},
	{"hcudnn", true, NULL, 0},
	{"gemv", true, NULL, 0},
	{"mul_mat_vec", true, NULL, 0},
	{"gemmsn", true, NULL, 0},
	{"gemmk1", true, NULL, 0},
	{"dot_kernel", true, NULL, 0},
	{"reduce_1block", true, NULL, 0},
	{"dgrad2d_alg", true, NULL, 0},
	{"dgrad_alg", true, NULL, 0},
	{"dgrad_engine", true, NULL, 0},
	{"wgrad_alg", true, NULL, 0},
	{"naive", true, NULL, 0},
	{"fp8", true, NULL, 1},
	{"fp4", true, NULL, 1},
	{"ck_tile", true, NULL, 1},
};

/* Matrix instructions of AMD: MI and a tile; Tensile kernels without one use vector units. */
static int8_t tensile_tensor_core(const char *s, size_t len)
{
	const char *p = find(s, len, "_mi");

	return p && p + 3 < s + len && is_digit(p[3]) ? 1 : 0;
}

static int8_t attention_tensor_core(const char *s, size_t len, const char *dtype)
{
	static const struct cue helpers[] = {
		{"combine", true, NULL, 0},	{"dot_do_o", true, NULL, 0},
		{"convert_d", true, NULL, 0},	{"preprocess", true, NULL, 0},
		{"postprocess", true, NULL, 0}, {"_reduce_kernel", true, NULL, 0},
	};

	if (find_cue(helpers, COUNT(helpers), s, len))
		return 0;
	if (dtype && strcmp(dtype, "fp32") == 0)
		return find(s, len, "mma") ? 1 : -1;
	return 1;
}

static int8_t find_tensor_core(const char *s, size_t len, enum kclass class, const char *dtype)
{
	const struct cue *c;

	switch (class) {
	case KCLASS_ATTENTION:
		return attention_tensor_core(s, len, dtype);
	case KCLASS_GEMM:
	case KCLASS_CONV:
		if (find(s, len, "cijk_a"))
			return tensile_tensor_core(s, len);
		c = find_cue(tensor_cues, COUNT(tensor_cues), s, len);
		return c ? c->yes : -1;
	case KCLASS_MOE:
		c = find_cue(tensor_cues, COUNT(tensor_cues), s, len);
		return c ? c->yes : -1;
	default:
		return 0;
	}
}

void kclass_traits(const char *name, size_t len, enum kclass class, struct kernel_traits *out)
{
	out->layout = class == KCLASS_GEMM || class == KCLASS_MOE ? find_layout(name, len) : NULL;
	out->dtype = find_dtype(name, len, class);
	out->tensor_core = find_tensor_core(name, len, class, out->dtype);
}

/* ---- phase ---- */

/* "grad_" needs a border on its left: it also ends "winograd_". */
static bool has_grad(const char *s, size_t len)
{
	const char *p = s, *end = s + len;

	while ((p = find(p, (size_t)(end - p), "grad_")) != NULL) {
		if (p == s || !is_alnum(p[-1]))
			return true;
		p++;
	}
	return false;
}

const char *kclass_phase(const char *name, size_t len, enum kclass class)
{
	static const struct cue backward[] = {
		{"backward", true, NULL, 0},  {"_bwd", true, NULL, 0},
		{"bwd_", true, NULL, 0},      {"dgrad", true, NULL, 0},
		{"wgrad", true, NULL, 0},     {"bprop", true, NULL, 0},
		{"gammabeta", true, NULL, 0}, {"bn_bw", true, NULL, 0},
		{"dot_do_o", true, NULL, 0},  {"dq_dk_dv", true, NULL, 0},
		{"cutlassb", true, NULL, 0},  {"_wrw", true, NULL, 0},
		{"_stridedb", true, NULL, 0}, {"updategradinput", true, NULL, 0},
	};
	static const struct cue forward[] = {
		{"forward", true, NULL, 0},	 {"_fwd", true, NULL, 0},
		{"fwd_", true, NULL, 0},	 {"fprop", true, NULL, 0},
		{"cutlassf", true, NULL, 0},	 {"bn_fw", true, NULL, 0},
		{"updateoutput", true, NULL, 0},
	};

	if (class == KCLASS_OPTIMIZER)
		return "optimizer";
	if (has_grad(name, len) || find_cue(backward, COUNT(backward), name, len))
		return "backward";
	if (class == KCLASS_FUSED) /* "fwd" may be an op in the list of a backward graph */
		return NULL;
	return find_cue(forward, COUNT(forward), name, len) ? "forward" : NULL;
}
