/* kernelshapes.c - view `kernelshapes`: kernels by name, grid and block, as cuda_gpu_kern_gb_sum of `nsys stats` groups them */
#include <inttypes.h>
#include <stdio.h>

#include "facts/occupancy.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_NAME, C_GRID, C_BLOCK, C_COUNT, C_TOTAL, C_STATS, C_SHARE = C_STATS + N_STAT_COLS, C_CLASS, C_REGISTERS, C_SHARED,
	C_OCCUPANCY, C_LIMIT, C_WAVES, C_BY };

static const struct column_def cols[] = {
	[C_NAME] = { "name", N_("Kernel"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("name of the kernel, whole") },
	[C_GRID] = { "grid", N_("Grid"), UNIT_TEXT, COL_KEY, 0, N_("blocks in x, y, z") },
	[C_BLOCK] = { "block", N_("Block"), UNIT_TEXT, COL_KEY, 0, N_("threads of a block in x, y, z") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("kernels of this name and launch shape") },
	[C_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of their durations") },
	STAT_COLS(4),
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 2, N_("share of all kernel time") },
	[C_CLASS] = { "class", N_("Class"), UNIT_TEXT, 0, 3, N_("what kind of work it does, told by its name") },
	[C_REGISTERS] = { "registers", N_("Regs"), UNIT_COUNT, 0, 5, N_("registers of a thread") },
	[C_SHARED] = { "shared_bytes", N_("Shared"), UNIT_BYTES, 0, 5, N_("shared memory of a block, static and dynamic") },
	[C_OCCUPANCY] = { "occupancy", N_("Occupancy"), UNIT_RATIO, 0, 3, N_("theoretical: warps that a multiprocessor can hold of this kernel by those that it can hold at all") },
	[C_LIMIT] = { "limited_by", N_("Limit"), UNIT_TEXT, 0, 4, N_("what limits it: warps, blocks, registers or shared memory of a multiprocessor") },
	[C_WAVES] = { "waves", N_("Waves"), UNIT_FACTOR, 0, 3, N_("blocks of the grid by those that the device holds at once: below 1 part of it has nothing to do") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

static const struct kernel_detail unknown = { .registers = -1, .shared_bytes = -1 };

struct kernelshapes_acc {
	struct tally_row row;
	const struct kernel_detail *shape;
	uint32_t name;
	ev_id example;
	int64_t device;		/* OWNER_MIXED: several */
	bool differ;		/* registers or shared memory are not always those of `shape` */
};
struct kernelshapes_view {
	struct tally y;
	struct groups shapes;	/* number of a grid and block */
};

static uint64_t pair(int32_t a, int32_t b)
{
	return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct kernelshapes_view *v = view;
	const struct kernel_detail *d = k->p->aux[e] < k->p->n_kernels ? &k->p->kernels[k->p->aux[e]] : &unknown;
	uint32_t name = names_id(v->y.names, k->p->name[e]);
	uint32_t shape = groups_add(&v->shapes, TALLY_KEY(pair(d->grid[0], d->grid[1]), pair(d->grid[2], d->block[0]),
		pair(d->block[1], d->block[2])));
	struct kernelshapes_acc *a = tally_gpu(&v->y, k, tr, e, TALLY_KEY(name, shape));

	if (a->row.n == 1) {
		a->shape = d;
		a->name = name;
		a->example = e;
		a->device = OWNER_NEW;
	}
	owner_add(&a->device, tr->device);
	a->differ |= d->registers != a->shape->registers || d->shared_bytes != a->shape->shared_bytes;
	stats_add(&a->row.durs, k->p->dur[e]);
}

static void put_xyz(struct table *t, uint32_t row, uint32_t col, const int32_t v[3])
{
	char buf[48];

	if (!v[0])
		return;
	snprintf(buf, sizeof(buf), "%" PRId32 "x%" PRId32 "x%" PRId32, v[0], v[1], v[2]);
	table_cstr(t, row, col, buf);
}

static const struct device *device_info(const struct selection *k, int64_t device)
{
	for (uint32_t i = 0; i < k->p->n_devices; i++)
		if (k->p->devices[i].device == device)
			return &k->p->devices[i];
	return NULL;
}

static void put_occupancy(struct table *t, uint32_t row, const struct selection *k, const struct kernelshapes_acc *a)
{
	struct occupancy o;

	if (a->differ)
		return;
	if (a->shape->registers >= 0)
		table_i64(t, row, C_REGISTERS, a->shape->registers);
	if (a->shape->shared_bytes >= 0)
		table_i64(t, row, C_SHARED, a->shape->shared_bytes);
	/* one kind of board for all of them, or none: --by device tells them apart */
	if (a->device == OWNER_MIXED || !occupancy_of(&o, device_info(k, a->device), a->shape))
		return;
	table_f64(t, row, C_OCCUPANCY, o.share);
	table_cstr(t, row, C_LIMIT, o.limit);
	table_f64(t, row, C_WAVES, o.waves);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct tally *y = view;
	struct kernelshapes_acc *a = acc;
	const struct selection *k = tally_source(y, &a->row);

	names_put(t, row, C_NAME, y->names, a->name);
	put_xyz(t, row, C_GRID, a->shape->grid);
	put_xyz(t, row, C_BLOCK, a->shape->block);
	tally_put_durs(t, row, C_COUNT, C_TOTAL, C_STATS, &a->row);
	table_share(t, row, C_SHARE, (double)a->row.durs.total, (double)y->total);
	table_cstr(t, row, C_CLASS, kclass_name(facts_kclass(k->f, a->example)->class));
	put_occupancy(t, row, k, a);
	an_ref(t, row, REF_KERNEL, k->f->source, 0, 0, C_NAME);
}

static const struct tally_view how = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .layers = 1U << LAYER_KERNEL, .add = add, .n_names = 1,
	.row_size = sizeof(struct kernelshapes_acc), .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct kernelshapes_view v = { .y.how = &how };
	bool ok = tally_run(&v.y, cx, sc, t, e);

	groups_fini(&v.shapes);
	return ok;
}

const struct analysis an_kernelshapes = {
	.id = "kernelshapes", .title = N_("Launch shapes"), .doc = N_("kernels by name, grid and block, with their statistics"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
