/*
 * gpu.c - view `gpu`: the wall time of each device as compute, exposed communication, exposed copies by kind, and idle
 * (definitions.md §5). The states of device_state.h partition the window, so the parts sum to it exactly.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/records.h"
#include "measure/device_state.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/device_window.h"

enum { DOUBTS_MAX = 8 };	/* notes, of which each step may have one */

enum { C_DEVICE, C_WINDOW, C_KERNELS, C_SUM, C_BUSY, C_COMPUTE, C_COMM, C_MEMCPY, C_IDLE, C_HTOD, C_DTOH, C_BOTH, C_DTOD, C_PTOP,
	C_MEMSET, C_REST, C_SHARE, C_UTIL, C_SM, C_COMM_SUM, C_UNATTR, C_NAME, C_BY, C_DOUBT };

static const struct column_def cols[] = {
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, COL_KEY, 0, N_("number of the device in the file") },
	[C_WINDOW] = { "window_ns", N_("Window"), UNIT_NS, 0, 1, N_("wall time that the parts divide") },
	[C_KERNELS] = { "kernels", N_("Kernels"), UNIT_COUNT, 0, 4, N_("kernels launched in the window (without a launch record: started)") },
	[C_SUM] = { "kernel_sum_ns", N_("Kernel sum"), UNIT_NS, 0, 5, N_("their whole durations added up: more than the wall where streams overlap") },
	[C_BUSY] = { "kernel_busy_ns", N_("Kernel busy"), UNIT_NS, 0, 4, N_("time in which at least one kernel runs") },
	[C_COMPUTE] = { "compute_ns", N_("Compute"), UNIT_NS, 0, 0, N_("time with a kernel that is not communication") },
	[C_COMM] = { "exposed_comm_ns", N_("Comm"), UNIT_NS, 0, 1, N_("communication kernels outside compute") },
	[C_MEMCPY] = { "exposed_memcpy_ns", N_("Copy"), UNIT_NS, 0, 1, N_("copies and memory sets outside both") },
	[C_IDLE] = { "idle_ns", N_("Idle"), UNIT_NS, 0, 0, N_("nothing runs on the device; with the three before it sums to the window") },
	[C_HTOD] = { "exposed_htod_ns", N_("HtoD"), UNIT_NS, 0, 5, N_("exposed: only copies from the host") },
	[C_DTOH] = { "exposed_dtoh_ns", N_("DtoH"), UNIT_NS, 0, 5, N_("exposed: only copies to the host") },
	[C_BOTH] = { "exposed_both_ns", N_("Both ways"), UNIT_NS, 0, 6, N_("exposed: copies from and to the host at once") },
	[C_DTOD] = { "exposed_dtod_ns", N_("DtoD"), UNIT_NS, 0, 6, N_("exposed: copies inside the device") },
	[C_PTOP] = { "exposed_ptop_ns", N_("PtoP"), UNIT_NS, 0, 6, N_("exposed: copies between devices") },
	[C_MEMSET] = { "exposed_memset_ns", N_("Memset"), UNIT_NS, 0, 6, N_("exposed: memory sets") },
	[C_REST] = { "exposed_rest_ns", N_("Rest"), UNIT_NS, 0, 9, N_("exposed: copies of other kinds; the seven sum to the exposed copies") },
	[C_SHARE] = { "compute_share", N_("Compute %"), UNIT_RATIO, COL_BAR, 0, N_("compute by window: the headline") },
	[C_UTIL] = { "utilization", N_("Util"), UNIT_RATIO, 0, 3, N_("kernel busy by window: what is commonly quoted as GPU utilization") },
	[C_SM] = { "sm_use", N_("SM est."), UNIT_RATIO, 0, 4, N_("estimate over kernel time: blocks of the grid against multiprocessors, at most 1 each; a kernel of one block counts as busy, not as use") },
	[C_COMM_SUM] = { "comm_sum_ns", N_("Comm sum"), UNIT_NS, 0, 6, N_("durations of all communication kernels, exposed or not") },
	[C_UNATTR] = { "unattributed", N_("Unattr."), UNIT_COUNT, 0, 8, N_("kernels without a launch record") },
	[C_NAME] = { "name", N_("Device"), UNIT_TEXT, COL_NAME, 3, N_("name of the device") },
	[C_BY] = SPLIT_COL(""),
	[C_DOUBT] = { "doubt", N_("Doubt"), UNIT_TEXT, COL_JSON_ONLY, 9,
		N_("why idle time is not known: work of the device is missing in the file, or cannot have run as it is recorded; empty where it is known") },
	SOURCE_COLS
};

/* ---- the partition ---- */

/* What of s may touch w, borrowed: one step of many must not walk the whole capture. */
static struct spans slice(const struct spans *s, const struct spans *w)
{
	size_t lo = w->n ? spans_seek(s, w->a[0].start) : s->n;
	size_t hi = w->n ? spans_seek(s, w->a[w->n - 1].end) : s->n;

	return (struct spans){ s->n ? s->a + lo : NULL, (hi < s->n ? hi + 1 : hi) - lo, 0 };
}

/* ns of each state of the device in the window; they sum to its measure. */
static void partition(const struct device_facts *d, const struct spans *window, ns_t out[GPU_STATE_N])
{
	struct spans states[GPU_STATE_N];
	struct device_facts part = *d;

	for (int i = 0; i < BUSY_N; i++)
		part.busy[i] = slice(&d->busy[i], window);
	gpu_state_spans(&part, window, states);
	for (int i = 0; i < GPU_STATE_N; i++) {
		out[i] = spans_measure(&states[i]);
		spans_fini(&states[i]);
	}
}

/* ---- sums over the kernels of a device in a window ---- */

struct gpu_kernel_sums {
	int64_t count, unattributed;
	ns_t sum, comm, known;		/* known: time of kernels whose grid is known */
	double used;			/* of it: ns x share of the multiprocessors with a block */
};

static double grid_share(const struct profile *p, ev_id e, int64_t sm_count)
{
	const struct kernel_detail *d;
	double blocks;

	if (!sm_count || p->aux[e] >= p->n_kernels)
		return -1;
	d = &p->kernels[p->aux[e]];
	blocks = (double)d->grid[0] * d->grid[1] * d->grid[2];
	return blocks <= 0 ? -1 : blocks >= (double)sm_count ? 1 : blocks / (double)sm_count;
}

/* The window that a kernel belongs to: that of its launch, without one that of its start. ws->n: none. */
static size_t window_of(const struct selection *k, const struct device_windows *ws, ev_id e, size_t guess)
{
	ev_id call = k->p->link[e];
	ns_t at = k->p->start[call == ID_NONE ? e : call];

	/* step and phase are those of the launch: without one never guessed, and outside of all others */
	if (call == ID_NONE && k->sc->phases)
		return ws->n;
	if (call == ID_NONE && ws->rest)
		return k->all || spans_contain(&k->window, at) ? ws->n - 1 : ws->n;
	for (size_t i = 0; i < ws->n; i++)
		if (spans_contain(&ws->a[(guess + i) % ws->n].launched, at))
			return (guess + i) % ws->n;
	return ws->n;
}

static void add_kernel(const struct selection *k, ev_id e, int64_t sm_count, struct gpu_kernel_sums *out)
{
	const struct profile *p = k->p;
	double share = grid_share(p, e, sm_count);

	out->count++;
	out->unattributed += p->link[e] == ID_NONE;
	out->sum += p->dur[e];
	if (facts_kclass(k->f, e)->class == KCLASS_COMMUNICATION)
		out->comm += p->dur[e];
	if (share >= 0) {
		out->known += p->dur[e];
		out->used += share * (double)p->dur[e];
	}
}

/* The kernels of a device, whole and by launch as in the tables of kernels and classes; out: one per window. */
static void sum_kernels(const struct selection *k, const struct device_facts *d, const struct device_windows *ws, struct gpu_kernel_sums *out)
{
	const struct profile *p = k->p;
	int64_t sm_count = d->info == ID_NONE ? 0 : p->devices[d->info].sm_count;
	uint32_t n;
	const track_id *t = facts_device_tracks(k->f, d, &n);
	size_t w = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct track *tr = &p->tracks[t[i]];

		for (ev_id e = tr->first; tr->layer == LAYER_KERNEL && e < tr->first + tr->count; e++) {
			size_t at = window_of(k, ws, e, w);

			if (at == ws->n)
				continue;
			add_kernel(k, e, sm_count, &out[at]);
			w = at;
		}
	}
}

static ns_t kernel_busy(const struct device_facts *d, const struct spans *w)
{
	struct spans all = { 0 }, in = { 0 };
	struct spans compute = slice(&d->busy[BUSY_COMPUTE], w), comm = slice(&d->busy[BUSY_COMM], w);
	ns_t busy;

	spans_union(&all, &compute, &comm);
	spans_intersect(&in, &all, w);
	busy = spans_measure(&in);
	spans_fini(&all);
	spans_fini(&in);
	return busy;
}

/* ---- rows ---- */

static void put_parts(struct table *t, uint32_t row, const ns_t ns[GPU_STATE_N], ns_t window, ns_t busy)
{
	static const struct { uint8_t col, state; } parts[] = {
		{ C_COMPUTE, GPU_COMPUTE }, { C_COMM, GPU_COMM }, { C_IDLE, GPU_IDLE }, { C_HTOD, GPU_HTOD }, { C_DTOH, GPU_DTOH },
		{ C_BOTH, GPU_BOTH }, { C_DTOD, GPU_DTOD }, { C_PTOP, GPU_PTOP }, { C_MEMSET, GPU_MEMSET }, { C_REST, GPU_COPY_REST },
	};

	table_i64(t, row, C_WINDOW, window);
	table_i64(t, row, C_BUSY, busy);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		table_i64(t, row, parts[i].col, ns[parts[i].state]);
	table_i64(t, row, C_MEMCPY, window - ns[GPU_COMPUTE] - ns[GPU_COMM] - ns[GPU_IDLE]);
	if (window > 0) {
		table_share(t, row, C_SHARE, (double)ns[GPU_COMPUTE], (double)window);
		table_f64(t, row, C_UTIL, (double)busy / (double)window);
	}
}

static void put_doubt(const struct device_facts *d, const struct spans *w, struct table *t, uint32_t row)
{
	struct gpu_records r;
	struct sbuf b = { 0 };

	gpu_records_count(d, w, &r);
	gpu_records_say(&r, &b);
	if (b.n)
		table_str(t, row, C_DOUBT, b.s, b.n);
	if (b.n && t->n_notes < DOUBTS_MAX)
		table_note(t, _("GPU %" PRId64 ": idle time is not known: %s"), d->device, b.s);
	sbuf_fini(&b);
}

static void put_window(const struct selection *k, const struct device_facts *d, const struct device_window *w, const struct gpu_kernel_sums *ks,
	struct table *t)
{
	const struct device *info = d->info == ID_NONE ? NULL : &k->p->devices[d->info];
	uint32_t row = table_row(t), proc = device_proc(k, d->device);
	ns_t parts[GPU_STATE_N];

	partition(d, &w->w, parts);
	put_parts(t, row, parts, spans_measure(&w->w), kernel_busy(d, &w->w));
	table_i64(t, row, C_DEVICE, d->device);
	table_i64(t, row, C_KERNELS, ks->count);
	table_i64(t, row, C_SUM, ks->sum);
	table_i64(t, row, C_COMM_SUM, ks->comm);
	table_i64(t, row, C_UNATTR, ks->unattributed);
	if (ks->known > 0)
		table_f64(t, row, C_SM, ks->used / (double)ks->known);
	if (info)
		an_str(t, row, C_NAME, k, info->name);
	put_doubt(d, &w->w, t, row);
	split_set(t, row, C_BY, k, w->by);
	an_ref(t, row, REF_DEVICE, k->f->source, d->device, 0, C_DEVICE);
	an_row_source(t, row, k, proc == ID_NONE ? -1 : k->f->procs[proc].pid);
}

static bool put_source(const struct selection *k, struct table *t, struct err *e)
{
	for (uint32_t i = 0; i < k->f->n_devices; i++) {
		const struct device_facts *d = &k->f->devices[i];
		struct device_windows ws;
		struct gpu_kernel_sums *ks;

		if (an_cancelled(k->cx, e))
			return false;
		if (!device_in_scope(k, d))
			continue;
		device_windows_make(&ws, k, d);
		ks = xcalloc(ws.n, sizeof(*ks));
		sum_kernels(k, d, &ws, ks);
		for (size_t w = 0; w < ws.n; w++)
			if (!ws.rest || w + 1 < ws.n || ws.a[w].w.n || ks[w].count)
				put_window(k, d, &ws.a[w], &ks[w], t);
		free(ks);
		device_windows_fini(&ws);
	}
	return true;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	bool ok = selections_open(&ps, cx, sc, NEED_GPU, t, _(NO_GPU_WORK), e);

	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = put_source(&ps.a[i], t, e);
	selections_close(&ps);
	if (ok && sc->by == BY_THREAD)
		table_note(t, _("the wall time of a device is not split by thread"));
	return ok;
}

const struct analysis an_gpu = {
	.id = "gpu", .title = N_("GPU time"), .doc = N_("wall time of each device: compute, exposed communication and copies, idle"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
