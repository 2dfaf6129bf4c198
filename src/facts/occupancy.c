/* occupancy.c - theoretical occupancy, see occupancy.h */
#include "facts/occupancy.h"

#include <math.h>

#define WARP 32
#define REGISTERS 65536
#define REGISTER_UNIT 256
#define WARP_UNIT 4
#define KIB 1024

static const struct occupancy_limits {
	int16_t capability, warps, blocks, shared_kib, reserved, unit;	/* reserved, unit: bytes of shared memory per block */
} limits[] = {
	{ 60, 64, 32, 64, 0, 256 }, { 61, 64, 32, 96, 0, 256 }, { 62, 64, 32, 64, 0, 256 }, { 70, 64, 32, 96, 0, 256 },
	{ 72, 64, 32, 96, 0, 256 }, { 75, 32, 16, 64, 0, 256 }, { 80, 64, 32, 164, KIB, 128 }, { 86, 48, 16, 100, KIB, 128 },
	{ 87, 48, 16, 164, KIB, 128 }, { 89, 48, 24, 100, KIB, 128 }, { 90, 64, 32, 228, KIB, 128 }, { 100, 64, 32, 228, KIB, 128 },
	{ 103, 64, 32, 228, KIB, 128 }, { 120, 48, 24, 100, KIB, 128 }, { 121, 48, 24, 100, KIB, 128 },
};

static const struct occupancy_limits *limits_of(int64_t capability)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (limits[i].capability == capability)
			return &limits[i];
	return NULL;
}

static int64_t round_up(int64_t v, int64_t unit)
{
	return (v + unit - 1) / unit * unit;
}

static int64_t by_registers(int64_t registers, int64_t warps)
{
	return registers ? REGISTERS / round_up(registers * WARP, REGISTER_UNIT) / WARP_UNIT * WARP_UNIT / warps : INT64_MAX;
}

static int64_t by_shared(const struct occupancy_limits *l, int64_t bytes)
{
	int64_t used = round_up(bytes + l->reserved, l->unit);

	return used ? (int64_t)l->shared_kib * KIB / used : INT64_MAX;
}

bool occupancy_of(struct occupancy *out, const struct device *d, const struct kernel_detail *k)
{
	static const char *const names[] = { "warps", "blocks", "registers", "shared memory" };
	const struct occupancy_limits *l = d ? limits_of(d->capability) : NULL;
	double threads = (double)k->block[0] * k->block[1] * k->block[2], grid = (double)k->grid[0] * k->grid[1] * k->grid[2];
	int64_t warps, max[4];
	int tight = 0;

	if (!l || threads < 1 || threads > 1024 || k->registers < 0 || k->shared_bytes < 0)
		return false;
	warps = ((int64_t)threads + WARP - 1) / WARP;
	max[0] = l->warps / warps;
	max[1] = l->blocks;
	max[2] = by_registers(k->registers, warps);
	max[3] = by_shared(l, k->shared_bytes);
	for (int i = 1; i < 4; i++)
		if (max[i] < max[tight])
			tight = i;
	if (max[tight] < 1)
		return false;
	out->blocks = max[tight];
	out->share = (double)(max[tight] * warps) / l->warps;
	out->waves = grid >= 1 && d->sm_count > 0 ? grid / ((double)max[tight] * (double)d->sm_count) : (double)NAN;
	out->limit = names[tight];
	return true;
}
