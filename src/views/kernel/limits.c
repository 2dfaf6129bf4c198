/* limits.c - see limits.h */
#include "views/kernel/limits.h"

#include <math.h>

const char *limit_name(enum limit_kind k)
{
	static const char *const names[LIMIT_N] = { "registers", "smem", "warps", "blocks", "barriers" };

	return names[k];
}

void limits_of(struct limits *s, const struct launch *x)
{
	static const char *const metrics[LIMIT_N] = {
		"launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps",
		"launch__occupancy_limit_blocks", "launch__occupancy_limit_barriers",
	};
	double threads = launch_number(x->p, x->l, "launch__block_size");
	double most = launch_number(x->p, x->l, "device__attribute_max_warps_per_multiprocessor");
	double grid = launch_number(x->p, x->l, "launch__grid_size");
	double sms = launch_number(x->p, x->l, "device__attribute_multiprocessor_count");

	*s = (struct limits){ .least = NAN, .block_warps = ceil(threads / 32), .share = NAN, .waves = NAN };
	for (unsigned k = 0; k < LIMIT_N; k++) {
		s->blocks[k] = launch_number(x->p, x->l, metrics[k]);
		if (!(s->blocks[k] >= s->least))
			s->least = isfinite(s->blocks[k]) ? s->blocks[k] : s->least;
	}
	if (most > 0)
		s->share = s->least * s->block_warps / most;
	if (s->least > 0 && sms > 0)
		s->waves = grid / (sms * s->least);
	if (!isfinite(s->waves))
		s->waves = launch_number(x->p, x->l, "launch__waves_per_multiprocessor");
	if (!isfinite(s->share))
		s->share = launch_number(x->p, x->l, "sm__maximum_warps_per_active_cycle_pct") / 100;
}
