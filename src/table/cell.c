/* cell.c - one cell as text for people, see cell.h */
#include "table/cell.h"

#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

typedef char *(*print_i64_fn)(int64_t v, char *buf);
typedef char *(*print_f64_fn)(double v, char *buf);

/*
 * How a unit is written; an integer in a column of doubles (and the other way round) is converted.
 */
static const struct {
	print_i64_fn i64;
	print_f64_fn f64;
} printers[] = {
	[UNIT_TEXT] = {num_count, num_factor},	[UNIT_NS] = {num_ns, NULL},
	[UNIT_TIME] = {num_time, NULL},		[UNIT_BYTES] = {num_bytes, NULL},
	[UNIT_COUNT] = {num_count, num_factor}, [UNIT_ID] = {num_count, num_factor},
	[UNIT_RATIO] = {NULL, num_pct},		[UNIT_FACTOR] = {NULL, num_factor},
	[UNIT_GBPS] = {NULL, num_rate},		[UNIT_BOOL] = {num_count, num_factor},
};

/* A mean of ns or bytes may be a double; it is rounded to whole units, but never to 0. */
static int64_t to_i64(double f)
{
	if (f >= 9.2e18 || f <= -9.2e18)
		return f > 0 ? INT64_MAX : -INT64_MAX;
	if (f > 0)
		return f < 1 ? 1 : (int64_t)(f + 0.5);
	return f < 0 && f > -1 ? -1 : (int64_t)(f - 0.5);
}

static void print_number(const struct cell *c, enum unit u, char *buf)
{
	if (c->type == CELL_I64) {
		if (printers[u].i64)
			printers[u].i64(c->v.i, buf);
		else
			printers[u].f64((double)c->v.i, buf);
	} else if (printers[u].f64) {
		printers[u].f64(c->v.f, buf);
	} else {
		printers[u].i64(to_i64(c->v.f), buf);
	}
}

struct cell cell_shown(const struct cell *c, const struct column_def *col)
{
	struct cell shown = *c;

	if (c->type != CELL_STR || !(col->flags & COL_WORDS) || !c->len)
		return shown;
	shown.v.s = _(c->v.s);
	shown.len = (uint32_t)strlen(shown.v.s);
	return shown;
}

int cell_text(const struct cell *c, const struct column_def *col, int width, char *buf, size_t cap)
{
	size_t cols = width > 0 ? (size_t)width : SIZE_MAX;
	char num[NUM_TEXT_MAX] = "";
	const char *s = num;
	struct cell shown;

	if (!cap)
		return 0;
	switch ((enum cell_type)c->type) {
	case CELL_STR:
		shown = cell_shown(c, col);
		return (int)text_fit(buf, cap, shown.v.s, shown.len, cols, TEXT_CUT_MIDDLE);
	case CELL_MISSING:
		s = text_dash();
		break;
	case CELL_BOOL:
		s = c->v.b ? _("yes") : _("no");
		break;
	case CELL_I64:
	case CELL_F64:
		print_number(c, col->unit, num);
		break;
	}
	return (int)text_fit(buf, cap, s, strlen(s), cols, TEXT_CUT_END);
}
