/* kernelshapes.c - view `kernelshapes`: kernels by name, grid and block, as cuda_gpu_kern_gb_sum of `nsys stats` groups them */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "calc/groups.h"
#include "calc/stats.h"
#include "facts/occupancy.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

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

struct acc {
	struct stats durs;
	const struct kernel_detail *shape;
	int64_t split, source, pid;
	uint32_t name, pick;
	ev_id example;
	int64_t device;		/* OWNER_MIXED: several */
	bool same;		/* registers and shared memory are those of `shape` */
};
struct view {
	const struct picks *ps;
	struct groups shapes, groups;	/* shapes: number of a grid and block */
	struct names names;
	VEC(struct acc) acc;
	ns_t total;
};

static uint64_t pair(int32_t a, int32_t b)
{
	return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

static void add(void *arg, const struct pick *k, const struct track *tr, ev_id e)
{
	struct view *v = arg;
	const struct kernel_detail *d = k->p->aux[e] < k->p->n_kernels ? &k->p->kernels[k->p->aux[e]] : &unknown;
	uint32_t name = names_id(&v->names, k->p->name[e]), pick = (uint32_t)(k - v->ps->a);
	uint32_t shape = groups_add(&v->shapes, &(struct group_key){ .k = { pair(d->grid[0], d->grid[1]), pair(d->grid[2], d->block[0]),
		pair(d->block[1], d->block[2]) } });
	int64_t split = split_gpu(k, tr, e);
	uint32_t g = groups_add(&v->groups, &(struct group_key){ .k = { name, shape, (uint64_t)split, k->sc->by == BY_ALL ? 0 : pick } });

	if (g == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .shape = d, .split = split, .source = OWNER_NEW, .pid = OWNER_NEW, .name = name,
			.pick = pick, .example = e, .device = OWNER_NEW, .same = true });
	owner_add(&v->acc.a[g].source, pick);
	owner_add(&v->acc.a[g].pid, gpu_pid(k, tr, e));
	owner_add(&v->acc.a[g].device, tr->device);
	v->acc.a[g].same &= d->registers == v->acc.a[g].shape->registers && d->shared_bytes == v->acc.a[g].shape->shared_bytes;
	stats_add(&v->acc.a[g].durs, k->p->dur[e]);
	v->total += k->p->dur[e];
}

static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct acc *x = (const struct acc *)arg + a, *y = (const struct acc *)arg + b;

	return (x->durs.total < y->durs.total) - (x->durs.total > y->durs.total);
}

static void put_xyz(struct table *t, uint32_t row, uint32_t col, const int32_t v[3])
{
	char buf[48];

	if (!v[0])
		return;
	snprintf(buf, sizeof(buf), "%" PRId32 "x%" PRId32 "x%" PRId32, v[0], v[1], v[2]);
	table_cstr(t, row, col, buf);
}

static const struct device *device_info(const struct pick *k, int64_t device)
{
	for (uint32_t i = 0; i < k->p->n_devices; i++)
		if (k->p->devices[i].device == device)
			return &k->p->devices[i];
	return NULL;
}

static void put_occupancy(struct table *t, uint32_t row, const struct pick *k, const struct acc *a)
{
	struct occupancy o;

	if (!a->same)
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

static void put(const struct view *v, struct table *t, struct acc *a)
{
	const struct pick *k = &v->ps->a[a->pick];
	uint32_t row = table_row(t);
	size_t n;
	const char *s = names_str(&v->names, a->name, &n);

	table_str(t, row, C_NAME, s ? s : "", n);
	put_xyz(t, row, C_GRID, a->shape->grid);
	put_xyz(t, row, C_BLOCK, a->shape->block);
	table_i64(t, row, C_COUNT, (int64_t)stats_n(&a->durs));
	table_i64(t, row, C_TOTAL, a->durs.total);
	stats_put(t, row, C_STATS, &a->durs);
	if (v->total)
		table_share(t, row, C_SHARE, (double)a->durs.total, (double)v->total);
	table_cstr(t, row, C_CLASS, kclass_name(facts_kclass(k->f, a->example)->class));
	put_occupancy(t, row, k, a);
	split_set(t, row, C_BY, k, a->split);
	an_ref(t, row, REF_KERNEL, k->f->source, 0, 0, C_NAME);
	picks_row_owner(t, row, v->ps, a->source, a->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct view v = { .ps = &ps };
	bool ok = picks_open(&ps, cx, sc, VIEW_GPU, t, _("no GPU work in these sources"), e);
	uint32_t *order;

	for (uint32_t i = 0; ok && i < ps.n; i++) {
		names_enter(&v.names, ps.a[i].p);
		ok = picks_gpu(&ps.a[i], LAYER_KERNEL, add, &v, e);
	}
	order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(&v, t, &v.acc.a[order[i]]);
	free(order);
	for (size_t i = 0; i < v.acc.n; i++)
		stats_fini(&v.acc.a[i].durs);
	VEC_FREE(&v.acc);
	groups_fini(&v.groups);
	groups_fini(&v.shapes);
	names_fini(&v.names);
	picks_close(&ps);
	return ok;
}

const struct analysis an_kernelshapes = {
	.id = "kernelshapes", .title = N_("Launch shapes"), .doc = N_("kernels by name, grid and block, with their statistics"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
