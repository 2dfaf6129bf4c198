/* style.c - the table of styles, and which class or phase is shown how. */
#include "ui/screen/style.h"

#include <stddef.h>

#include "base/i18n.h"
#include "ui/screen/settings.h"

static const struct style styles[ST_N] = {
#define STYLE(id, letter, c256, c16, attrs) { letter, c256, c16, attrs },
	STYLES(STYLE)
#undef STYLE
};

const struct style *style_get(uint8_t id)
{
	return &styles[id < ST_N ? id : ST_NORMAL];
}

/*
 * What a colour of the default theme becomes in the others. light: at least 4.5:1 against white; contrast: at least 7:1 against
 * black, which that theme sets itself.
 */
struct shade {
	int16_t from, light, contrast;
};
static const struct shade shades256[] = {
	{ -1, -1, 231 }, { 245, 241, 252 }, { 227, 94, 227 }, { 214, 130, 214 }, { 74, 25, 117 }, { 36, 29, 49 }, { 166, 124, 209 },
	{ 175, 127, 219 }, { 25, 55, 111 },
};
/* without bright yellow, cyan and white on a light background */
static const struct shade shades16[] = {
	{ -1, -1, 15 }, { 3, 1, 11 }, { 11, 3, 3 }, { 14, 12, 14 }, { 15, 0, 15 }, { 7, -1, 7 }, { 13, 5, 13 }, { 4, 4, 12 }, { 5, 5, 13 },
};

static int shade(const struct shade *v, size_t n, int fg, int theme)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].from == fg)
			return theme == THEME_LIGHT ? v[i].light : v[i].contrast;
	return fg;
}

struct style_color style_color(uint8_t id, int theme, int depth)
{
	const struct style *s = style_get(id);
	struct style_color c = { depth >= 256 ? s->fg256 : s->fg16, -1 };

	if (theme == THEME_MONO || depth < 8)
		return (struct style_color){ -1, -1 };
	if (theme != THEME_DEFAULT && depth >= 256)
		c.fg = shade(shades256, sizeof(shades256) / sizeof(shades256[0]), c.fg, theme);
	else if (theme != THEME_DEFAULT)
		c.fg = shade(shades16, sizeof(shades16) / sizeof(shades16[0]), c.fg, theme);
	if (theme == THEME_CONTRAST)
		c.bg = depth >= 256 ? 16 : 0;
	if (depth < 16 && c.fg >= 8)
		c.fg -= 8;
	return c;
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

uint8_t style_framework(char letter)
{
	static const struct {
		char letter;
		uint8_t style;
	} colours[] = {
		{ 'N', ST_C_ATTN }, { 'B', ST_P_BWD }, { 'F', ST_C_COMM }, { 'O', ST_P_OPT }, { 'L', ST_P_LOAD }, { 'C', ST_P_REC },
		{ 'T', ST_C_ELEM }, { 'H', ST_C_ELEM }, { 'D', ST_C_COPY }, { 'M', ST_C_SET }, { 'K', ST_C_GEMM }, { 'S', ST_C_OTHER },
		{ 'X', ST_C_OTHER }, { 'R', ST_C_OTHER }, { 'G', ST_C_OTHER }, { 'V', ST_C_GEMM }, { 'U', ST_C_OTHER },
	};

	for (size_t i = 0; i < sizeof(colours) / sizeof(*colours); i++)
		if (colours[i].letter == letter)
			return colours[i].style;
	return ST_NORMAL;
}

const char *style_ramp(int eighths, bool ascii)
{
	static const char *const heights[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const inks[] = { ".", ".", ":", ":", "+", "+", "#", "#" };
	int i = eighths < 1 ? 0 : eighths > 8 ? 7 : eighths - 1;

	return ascii ? inks[i] : heights[i];
}
