/*
 * devices.c - view `devices`: each device number of each process that uses it, the board behind it and what is known of it, with the
 * work in the window. Occupancy is the theoretical one (occupancy.h), over kernel time.
 */
#include <inttypes.h>
#include <stdio.h>

#include "facts/occupancy.h"
#include "measure/tally.h"
#include "scope/analysis.h"
#include "scope/device_window.h"

enum { C_DEVICE, C_BOARD, C_NAME, C_CAPABILITY, C_SM, C_MEMORY, C_PEAK, C_STREAMS, C_KERNELS, C_COPIES, C_KERNEL_SUM, C_OCCUPANCY, C_SMALL,
	C_KNOWN };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, COL_KEY, 0, N_("number of the device inside the process") },
	[C_BOARD] = { "board", N_("Board"), UNIT_ID, 0, 1, N_("the board that it is, as the source counts boards; unknown where processes may mean different ones") },
	[C_NAME] = { "name", N_("Device"), UNIT_TEXT, COL_NAME, 0, N_("name of the device") },
	[C_CAPABILITY] = { "capability", N_("Capability"), UNIT_TEXT, 0, 2, N_("compute capability") },
	[C_SM] = { "sm_count", N_("SMs"), UNIT_COUNT, 0, 1, N_("multiprocessors") },
	[C_MEMORY] = { "memory_bytes", N_("Memory"), UNIT_BYTES, 0, 2, N_("memory of the device") },
	[C_PEAK] = { "peak_gbps", N_("Peak"), UNIT_GBPS, 0, 1, N_("peak bandwidth of that memory") },
	[C_STREAMS] = { "streams", N_("Streams"), UNIT_COUNT, 0, 3, N_("streams with work, in the whole source") },
	[C_KERNELS] = { "kernels", N_("Kernels"), UNIT_COUNT, 0, 1, N_("kernels in the window") },
	[C_COPIES] = { "copies", N_("Copies"), UNIT_COUNT, 0, 2, N_("copies and memory sets in the window") },
	[C_KERNEL_SUM] = { "kernel_sum_ns", N_("Kernel sum"), UNIT_NS, COL_BAR, 1, N_("sum of the durations of the kernels") },
	[C_OCCUPANCY] = { "occupancy", N_("Occupancy"), UNIT_RATIO, 0, 1, N_("theoretical occupancy over the kernel time in which it is known") },
	[C_SMALL] = { "below_one_wave", N_("< 1 wave"), UNIT_RATIO, 0, 3, N_("share of that time in kernels whose grid does not fill the device once") },
	[C_KNOWN] = { "occupancy_known", N_("Known"), UNIT_RATIO, 0, 4, N_("share of the kernel time in which occupancy is known") },
	SOURCE_COLS
};

struct devices_acc {
	struct tally_row row;
	int64_t device, kernels, copies;
	uint32_t streams;
	ns_t kernel_sum, known, small;
	double occupied;	/* ns x share */
};

static struct devices_acc *acc_of(struct tally *y, const struct selection *k, const struct track *tr)
{
	uint32_t proc = device_proc(k, tr->device);
	int64_t pid = tr->pid >= 0 ? tr->pid : proc == ID_NONE ? -1 : k->f->procs[proc].pid;
	struct devices_acc *a = tally_add(y, k, SPLIT_NONE, pid, TALLY_KEY((uint64_t)pid, (uint64_t)tr->device));

	a->device = tr->device;
	return a;
}

static const struct device *info_of(const struct selection *k, int64_t device)
{
	const struct device_facts *d = facts_device(k->f, device);

	return !d || d->info == ID_NONE ? NULL : &k->p->devices[d->info];
}

static void add_kernel(struct devices_acc *a, const struct selection *k, ev_id e)
{
	const struct profile *p = k->p;
	struct occupancy o;

	a->kernels++;
	a->kernel_sum += p->dur[e];
	if (p->aux[e] >= p->n_kernels || !occupancy_of(&o, info_of(k, a->device), &p->kernels[p->aux[e]]))
		return;
	a->known += p->dur[e];
	a->occupied += o.share * (double)p->dur[e];
	if (o.waves < 1)
		a->small += p->dur[e];
}

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct devices_acc *a = acc_of(view, k, tr);

	if (tr->layer == LAYER_KERNEL)
		add_kernel(a, k, e);
	else
		a->copies++;
}

/* Devices without work in the window have rows, too. */
static void add_tracks(struct tally *y, const struct selection *k)
{
	const struct profile *p = k->p;
	struct groups streams = { 0 };

	for (track_id t = p->layer_track[LAYER_WORK]; t < p->layer_track[LAYER_WORK_LAST + 1]; t++) {
		const struct track *tr = &p->tracks[t];
		const struct device_facts *d = facts_device(k->f, tr->device);
		uint32_t n = streams.n;

		if (!d || !device_in_scope(k, d))
			continue;
		groups_add(&streams, TALLY_KEY((uint64_t)tr->pid, (uint64_t)tr->device, (uint64_t)tr->context, (uint64_t)tr->stream));
		acc_of(y, k, tr)->streams += streams.n - n;
	}
	groups_fini(&streams);
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	(void)t;
	add_tracks(view, k);
	return picks_work(k, add, view, e);
}

static void put_info(struct table *t, uint32_t row, const struct selection *k, const struct device *d)
{
	char cc[48];

	if (d->board >= 0)
		table_i64(t, row, C_BOARD, d->board);
	an_str(t, row, C_NAME, k, d->name);
	if (d->capability) {
		snprintf(cc, sizeof(cc), "%" PRId64 ".%" PRId64, d->capability / 10, d->capability % 10);
		table_cstr(t, row, C_CAPABILITY, cc);
	}
	if (d->sm_count)
		table_i64(t, row, C_SM, d->sm_count);
	if (d->mem_bytes)
		table_i64(t, row, C_MEMORY, d->mem_bytes);
	if (d->mem_bytes_per_s)
		table_f64(t, row, C_PEAK, (double)d->mem_bytes_per_s / 1e9);
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct devices_acc *a = acc;
	const struct selection *k = tally_source(view, &a->row);
	const struct device *d = info_of(k, a->device);

	table_i64(t, row, C_DEVICE, a->device);
	if (d)
		put_info(t, row, k, d);
	table_i64(t, row, C_STREAMS, a->streams);
	table_i64(t, row, C_KERNELS, a->kernels);
	table_i64(t, row, C_COPIES, a->copies);
	table_i64(t, row, C_KERNEL_SUM, a->kernel_sum);
	if (a->known) {
		table_f64(t, row, C_OCCUPANCY, a->occupied / (double)a->known);
		table_f64(t, row, C_SMALL, (double)a->small / (double)a->known);
	}
	if (a->kernel_sum)
		table_f64(t, row, C_KNOWN, (double)a->known / (double)a->kernel_sum);
	an_ref(t, row, REF_DEVICE, k->f->source, a->device, 0, C_DEVICE);
}

static int acc_cmp(const void *pa, const void *pb)
{
	const struct devices_acc *a = pa, *b = pb;

	if (a->row.source != b->row.source)
		return tally_cmp_place(&a->row, &b->row);
	return a->device != b->device ? tally_cmp_down(b->device, a->device) : tally_cmp_down(b->row.pid, a->row.pid);
}

static const struct tally_view how = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .source = add_source, .apart = true,
	.row_size = sizeof(struct devices_acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct tally y = { .how = &how };

	return tally_run(&y, cx, sc, t, e);
}

const struct analysis an_devices = {
	.id = "devices", .title = N_("Devices"), .doc = N_("the boards behind device numbers: multiprocessors, memory, peak bandwidth, occupancy"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
