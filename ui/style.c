/* style.c - the table of styles, and which class or phase is shown how. */
#include "ui/style.h"

#include <stddef.h>

#include "base/i18n.h"

static const struct style styles[ST_N] = {
#define STYLE(id, letter, c256, c16, attrs) { letter, c256, c16, attrs },
	STYLES(STYLE)
#undef STYLE
};

const struct style *style_get(uint8_t id)
{
	return &styles[id < ST_N ? id : ST_NORMAL];
}

enum { M_GEMM, M_ATTN, M_ELEM, M_RED, M_COMM, M_COPY, M_SET, M_OTHER, M_N };
static const struct mark class_marks[M_N] = {
	{ ST_C_GEMM, 'G', "█", "#", N_("GEMM") },
	{ ST_C_ATTN, 'A', "▓", "%", N_("attention") },
	{ ST_C_ELEM, 'E', "▒", "+", N_("elementwise") },
	{ ST_C_RED, 'R', "░", "-", N_("reduction, norm") },
	{ ST_C_COMM, 'N', "≡", "=", N_("communication") },
	{ ST_C_COPY, 'C', "═", "~", N_("copy") },
	{ ST_C_SET, 'S', "─", "_", N_("memset") },
	{ ST_C_OTHER, 'o', "·", ".", N_("other") },
};

static const uint8_t class_to_mark[KCLASS_N] = {
	[KCLASS_GEMM] = M_GEMM, [KCLASS_CONV] = M_GEMM, [KCLASS_ATTENTION] = M_ATTN, [KCLASS_ELEMENTWISE] = M_ELEM,
	[KCLASS_REDUCTION] = M_RED, [KCLASS_NORM] = M_RED, [KCLASS_SOFTMAX] = M_RED, [KCLASS_EMBEDDING] = M_OTHER,
	[KCLASS_INDEX] = M_OTHER, [KCLASS_SORT] = M_OTHER, [KCLASS_MOE] = M_OTHER, [KCLASS_OPTIMIZER] = M_ELEM,
	[KCLASS_COMMUNICATION] = M_COMM, [KCLASS_COPY] = M_COPY, [KCLASS_MEMSET] = M_SET, [KCLASS_RNG] = M_ELEM,
	[KCLASS_LOSS] = M_RED, [KCLASS_QUANTIZE] = M_ELEM, [KCLASS_SCAN] = M_RED, [KCLASS_FFT] = M_OTHER,
	[KCLASS_POOLING] = M_RED, [KCLASS_SSM] = M_OTHER, [KCLASS_FUSED] = M_ELEM, [KCLASS_OTHER] = M_OTHER,
	[KCLASS_UNCLASSIFIED] = M_OTHER, [KCLASS_UNRESOLVED] = M_OTHER,
};

const struct mark *style_class_mark(enum kclass k)
{
	return &class_marks[(unsigned)k < KCLASS_N ? class_to_mark[k] : M_OTHER];
}

const struct mark *style_copy_mark(bool memset_work)
{
	return &class_marks[memset_work ? M_SET : M_COPY];
}

const struct mark *style_class_marks(unsigned *n)
{
	*n = M_N;
	return class_marks;
}

static const struct mark phase_marks[PHASE_N + 1] = {
	[PHASE_DATALOAD] = { ST_P_LOAD, 'D', "▒", "d", N_("dataload") },
	[PHASE_FORWARD] = { ST_P_FWD, 'F', "█", "f", N_("forward") },
	[PHASE_BACKWARD] = { ST_P_BWD, 'B', "▓", "b", N_("backward") },
	[PHASE_RECOMPUTE] = { ST_P_REC, 'R', "░", "r", N_("recompute") },
	[PHASE_OPTIMIZER] = { ST_P_OPT, 'O', "▚", "o", N_("optimizer") },
	[PHASE_OTHER] = { ST_P_OTHER, '.', "·", ".", N_("other") },
	[PHASE_N] = { ST_NORMAL, ' ', " ", " ", "" },
};

const struct mark *style_phase_mark(enum phase p)
{
	return &phase_marks[(unsigned)p < PHASE_N ? p : PHASE_N];
}
