/*
 * devices.c - view `devices`: each device number of each process that uses it, the board behind it and what is known of it, with the
 * work in the window. Occupancy is the theoretical one (occupancy.h), over kernel time.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/vec.h"
#include "calc/groups.h"
#include "facts/occupancy.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/device_window.h"
#include "scope/selections.h"

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

struct acc {
	const struct pick *k;
	int64_t pid, device, kernels, copies;
	uint32_t streams;
	ns_t kernel_sum, known, small;
	double occupied;	/* ns x share */
};
struct view {
	const struct picks *ps;
	struct groups g;
	VEC(struct acc) acc;
};

static struct acc *acc_of(struct view *v, const struct pick *k, const struct track *tr)
{
	uint32_t proc = device_proc(k, tr->device);
	int64_t pid = tr->pid >= 0 ? tr->pid : proc == ID_NONE ? -1 : k->f->procs[proc].pid;
	uint32_t i = groups_add(&v->g, &(struct group_key){ .k = { (uint64_t)(k - v->ps->a), (uint64_t)pid, (uint64_t)tr->device } });

	if (i == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .k = k, .pid = pid, .device = tr->device });
	return &v->acc.a[i];
}

static const struct device *info_of(const struct pick *k, int64_t device)
{
	const struct device_facts *d = facts_device(k->f, device);

	return !d || d->info == ID_NONE ? NULL : &k->p->devices[d->info];
}

static void add_kernel(struct acc *a, const struct pick *k, ev_id e)
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

static void add(void *arg, const struct pick *k, const struct track *tr, ev_id e)
{
	struct acc *a = acc_of(arg, k, tr);

	if (tr->layer == LAYER_KERNEL)
		add_kernel(a, k, e);
	else
		a->copies++;
}

/* Devices without work in the window have rows, too. */
static void add_tracks(struct view *v, const struct pick *k)
{
	static const enum layer work[] = { LAYER_KERNEL, LAYER_MEMCPY, LAYER_MEMSET };
	const struct profile *p = k->p;
	struct groups streams = { 0 };

	for (size_t l = 0; l < sizeof(work) / sizeof(*work); l++) {
		for (track_id t = p->layer_track[work[l]]; t < p->layer_track[work[l] + 1]; t++) {
			const struct track *tr = &p->tracks[t];
			const struct device_facts *d = facts_device(k->f, tr->device);
			uint32_t n = streams.n;

			if (!d || !device_in_scope(k, d))
				continue;
			groups_add(&streams, &(struct group_key){ .k = { (uint64_t)tr->pid, (uint64_t)tr->device, (uint64_t)tr->context,
				(uint64_t)tr->stream } });
			acc_of(v, k, tr)->streams += streams.n - n;
		}
	}
	groups_fini(&streams);
}

static void put_info(struct table *t, uint32_t row, const struct pick *k, const struct device *d)
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

static void put(struct table *t, const struct acc *a)
{
	const struct device *d = info_of(a->k, a->device);
	uint32_t row = table_row(t);

	table_i64(t, row, C_DEVICE, a->device);
	if (d)
		put_info(t, row, a->k, d);
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
	an_ref(t, row, REF_DEVICE, a->k->f->source, a->device, 0, C_DEVICE);
	an_row_source(t, row, a->k, a->pid);
}

static int acc_cmp(uint32_t ia, uint32_t ib, const void *arg)
{
	const struct acc *a = (const struct acc *)arg + ia, *b = (const struct acc *)arg + ib;

	if (a->k != b->k)
		return a->k < b->k ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	static const enum layer work[] = { LAYER_KERNEL, LAYER_MEMCPY, LAYER_MEMSET };
	struct picks ps;
	struct view v = { .ps = &ps };
	bool ok = picks_open(&ps, cx, sc, VIEW_GPU, t, _("no GPU work in these sources"), e);
	uint32_t *order;

	for (uint32_t i = 0; i < ps.n && ok; i++) {
		add_tracks(&v, &ps.a[i]);
		for (size_t l = 0; l < sizeof(work) / sizeof(*work) && ok; l++)
			ok = picks_gpu(&ps.a[i], work[l], add, &v, e);
	}
	order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(t, &v.acc.a[order[i]]);
	free(order);
	groups_fini(&v.g);
	VEC_FREE(&v.acc);
	picks_close(&ps);
	return ok;
}

const struct analysis an_devices = {
	.id = "devices", .title = N_("Devices"), .doc = N_("the boards behind device numbers: multiprocessors, memory, peak bandwidth, occupancy"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
