/* loss_rank.c - the order of findings of several sources, see loss_rank.h */
#include "verdict/loss_rank.h"

#include <string.h>

static const struct cell *cell_at(const struct table *t, uint32_t row, const char *col, enum cell_type type)
{
	int c = table_col(t, col);
	const struct cell *x = c < 0 ? NULL : table_cell(t, row, (uint32_t)c);

	return x && x->type == type ? x : NULL;
}

static int64_t ns_at(const struct table *t, uint32_t row, const char *col, int64_t unknown)
{
	const struct cell *x = cell_at(t, row, col, CELL_I64);

	return x ? x->v.i : unknown;
}

double loss_share(const struct table *t, uint32_t row, const char *col)
{
	const struct cell *x = cell_at(t, row, col, CELL_F64);

	return x ? x->v.f : -1;
}

enum gain_rank loss_gain_rank(const struct table *t, uint32_t row)
{
	return cell_at(t, row, "gain_ns", CELL_I64) ? gain_rank_of(loss_share(t, row, "gain_share")) : GAIN_UNKNOWN;
}

static bool is_fault(const struct table *t, uint32_t row)
{
	const struct cell *x = cell_at(t, row, "section", CELL_STR);

	return x && x->len == strlen("error") && !memcmp(x->v.s, "error", x->len);
}

bool loss_ranks_before(const struct table *t, uint32_t a, uint32_t b)
{
	enum gain_rank ga = loss_gain_rank(t, a), gb = loss_gain_rank(t, b);
	int64_t na = ns_at(t, a, "gain_ns", 0), nb = ns_at(t, b, "gain_ns", 0);

	if (is_fault(t, a) != is_fault(t, b))
		return is_fault(t, a);
	if (ga != gb)
		return ga < gb;
	if (ga == GAIN_TOLD && na != nb)
		return na > nb;
	return ns_at(t, a, "window_loss_ns", 0) > ns_at(t, b, "window_loss_ns", 0);
}
