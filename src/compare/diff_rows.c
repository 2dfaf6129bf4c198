/* diff_rows.c - what all rows of a comparison are made with, see diff_impl.h */
#include "compare/diff_impl.h"

#include <string.h>

bool diff_is_text(const struct cell *c, const char *s, size_t n)
{
	return c->type == CELL_STR && c->len == n && !memcmp(c->v.s, s, n);
}

/* Times on a grid of r are off by up to r / 2 at both ends of each event: a variance of r^2 / 6 an event. */
double diff_rounding(const struct diff *d, int side, int64_t events)
{
	double grid = (double)d->grid[side],
	       per_step = (double)(events > 0 ? events : 0) / d->steps[side].n;

	return grid > 1 ? grid * grid / 6 * (per_step > 1 ? per_step : 1) : 0;
}

void diff_put_change(struct table *t, uint32_t row, int64_t before, int64_t after, bool known,
		     int64_t noise)
{
	int64_t delta = after - before; /* both are non-negative */

	table_i64(t, row, C_BEFORE, before);
	table_i64(t, row, C_AFTER, after);
	table_i64(t, row, C_DELTA, delta);
	if (before)
		table_f64(t, row, C_RATIO, (double)after / (double)before);
	if (!known)
		return;
	table_i64(t, row, C_NOISE, noise);
	table_bool(t, row, C_SIGNIFICANT, delta > noise || delta < -noise);
}
