/*
 * um.c - unified memory: `umpages` by address as um_sum of `nsys stats`, `umtotal` as um_total_sum, and `umcauses`, which tells what
 * touched the pages (CPU faults by instruction as um_cpu_page_faults_sum, GPU faults by access) and why they moved.
 *
 * nsys prints these only where all three tables are there; here each stands for itself, and what was not recorded is unknown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "measure/tally.h"
#include "scope/analysis.h"

/* A migration or a page fault, as the views take them. */
struct record {
	const struct selection *k;
	const struct um_detail *d;
	enum copy_kind kind;	/* of a migration */
	int64_t bytes, pid, split;
	str_id name;
	ns_t dur;
};
/* One row, of each of the three views. */
struct um_acc {
	struct tally_row row;	/* its durs: umcauses */
	uint64_t address, max;	/* address: the only one, or the lowest */
	int64_t bytes[COPY_KIND_N], migrations, cpu, gpu, addresses;
	ns_t time, two_way;	/* two_way: between host and device */
	bool unsized;
	/* umcauses: what tells rows apart */
	const struct um_detail *d;
	enum copy_kind kind;
	uint32_t name;
};
struct um_view {
	struct tally y;
	struct groups places;	/* row and address */
	void (*add)(struct um_view *v, const struct record *r);
	VEC(uint8_t) recorded;	/* per pick: set of the kinds of page faults that it records; where it does, none is 0 */
};

/* ---- what there is ---- */

static void migration(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	struct um_view *v = view;
	const struct copy_detail *cd = k->p->aux[e] < k->p->n_copies ? &k->p->copies[k->p->aux[e]] : NULL;

	if (cd && cd->um)
		v->add(v, &(struct record){ .k = k, .d = &k->p->ums[cd->um - 1], .kind = (enum copy_kind)cd->kind, .bytes = cd->bytes,
			.dur = k->p->dur[e], .pid = gpu_pid(k, tr, e), .split = split_gpu(k, tr, e) });
}

static void fault(struct um_view *v, const struct selection *k, const struct track *tr, ev_id e)
{
	struct record r = { .k = k, .d = &k->p->ums[k->p->aux[e]], .name = k->p->name[e], .dur = k->p->dur[e], .pid = tr->pid };

	if (k->sc->device != SCOPE_ANY && k->sc->device != r.d->device)
		return;
	r.split = k->sc->by == BY_DEVICE && r.d->device >= 0 ? r.d->device : split_host(k, tr->thread, k->p->start[e]);
	v->add(v, &r);
}

/* Whether a source records such faults: there are some, or it says so. */
static bool records(const struct profile *p, enum um_what what, const char *option)
{
	size_t n;

	for (uint32_t i = 0; i < p->n_ums; i++)
		if (p->ums[i].what == what)
			return true;
	for (uint32_t i = 0; i < p->n_options; i++)
		if (!strcmp(profile_str(p, p->options[i].key, &n), option))
			return true;
	return false;
}

static bool add_source(void *view, const struct selection *k, struct table *t, struct err *e)
{
	struct um_view *v = view;
	const struct profile *p = k->p;

	(void)t;
	VEC_PUSH(&v->recorded, (uint8_t)(records(p, UM_CPU_FAULT, "COLLECT_UVM_CPU_PAGE_FAULTS") << UM_CPU_FAULT |
		records(p, UM_GPU_FAULT, "COLLECT_UVM_GPU_PAGE_FAULTS") << UM_GPU_FAULT));
	if (!selections_gpu(k, LAYER_MEMCPY, migration, v, e))
		return false;
	for (track_id i = p->layer_track[LAYER_FAULT]; i < p->layer_track[LAYER_FAULT + 1]; i++) {
		const struct track *tr = &p->tracks[i];

		for (ev_id f = tr->first; selects_thread(k, tr->thread) && f < tr->first + tr->count; f++)
			if (p->aux[f] < p->n_ums && selects_at(k, p->start[f]))
				fault(v, k, tr, f);
	}
	return true;
}

static bool run(struct um_view *v, const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	bool ok = tally_run(&v->y, cx, sc, t, e);

	groups_fini(&v->places);
	VEC_FREE(&v->recorded);
	return ok;
}

#define NO_UM N_("neither migrations nor page faults of unified memory in these sources: record them with nsys profile " \
	"--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true")

static struct um_acc *acc_of(struct um_view *v, const struct record *r, const struct group_key *key)
{
	struct um_acc *a = tally_add(&v->y, r->k, r->split, r->pid, key);
	uint32_t place = v->places.n;

	if (!r->d->address)
		return a;
	a->address = a->address && a->address < r->d->address ? a->address : r->d->address;
	a->max = a->max > r->d->address ? a->max : r->d->address;
	a->addresses += groups_add(&v->places, TALLY_KEY(tally_index(&v->y, a), r->d->address)) == place;
	return a;
}

static void put_address(struct table *t, uint32_t row, uint32_t col, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	if (address)
		table_cstr(t, row, col, text);
}

/* ---- where, and all together ------------------------------------------------------------------------------ */

enum { C_ADDRESS, C_HTOD, C_DTOH, C_COUNT, C_TIME, C_GBPS, C_CPU, C_GPU, C_BY, C_SOURCE };
enum { T_HTOD, T_DTOH, T_COUNT, T_TIME, T_GBPS, T_CPU, T_GPU, T_MIN, T_MAX, T_PAGES, T_BY, T_SOURCE };

/* clang-format off */
#define BYTES_COLS \
	{ "htod_bytes", N_("To device"), UNIT_BYTES, 0, 0, \
		N_("bytes that migrated from the host to a device") }, \
	{ "dtoh_bytes", N_("To host"), UNIT_BYTES, 0, 0, \
		N_("bytes that migrated from a device to the host") }, \
	{ "migrations", N_("Migrations"), UNIT_COUNT, 0, 1, N_("how many, between devices too") }, \
	{ "time_ns", N_("Time"), UNIT_NS, COL_BAR, 0, \
		N_("sum of the durations of the migrations") }, \
	{ "gbps", N_("Rate"), UNIT_GBPS, 0, 2, N_("bytes of both directions by their time") }, \
	{ "cpu_faults", N_("CPU faults"), UNIT_COUNT, 0, 1, \
		N_("page faults of CPUs; none where the file recorded none") }, \
	{ "gpu_faults", N_("GPU faults"), UNIT_COUNT, 0, 1, \
		N_("page faults of devices; none where the file recorded none") }
/* clang-format on */

static const struct column_def page_cols[] = {
	[C_ADDRESS] = { "address", N_("Address"), UNIT_TEXT, COL_KEY, 0, N_("virtual address of the pages, as recorded; none: not recorded") },
	BYTES_COLS,
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};
static const struct column_def total_cols[] = {
	BYTES_COLS,
	[T_MIN] = { "min_address", N_("Lowest"), UNIT_TEXT, 0, 3, N_("lowest virtual address") },
	[T_MAX] = { "max_address", N_("Highest"), UNIT_TEXT, 0, 3, N_("highest virtual address") },
	[T_PAGES] = { "addresses", N_("Addresses"), UNIT_COUNT, 0, 2, N_("different virtual addresses") },
	[T_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

static void add(struct um_acc *a, const struct record *r)
{
	a->cpu += r->d->what == UM_CPU_FAULT ? r->d->faults : 0;
	a->gpu += r->d->what == UM_GPU_FAULT ? r->d->faults : 0;
	if (r->d->what != UM_MIGRATION)
		return;
	a->migrations++;
	a->time += r->dur;
	a->two_way += r->kind != COPY_UVM_DTOD ? r->dur : 0;
	if (r->bytes == I64_UNKNOWN)
		a->unsized = true;
	else
		a->bytes[r->kind] += r->bytes;
}

static void add_page(struct um_view *v, const struct record *r)
{
	add(acc_of(v, r, TALLY_KEY(r->d->address)), r);
}

static void add_total(struct um_view *v, const struct record *r)
{
	add(acc_of(v, r, TALLY_KEY(0)), r);
}

/* The seven columns from `col` on. */
static void put_sums(struct table *t, uint32_t row, uint32_t col, const struct um_view *v, const struct um_acc *a)
{
	int64_t both = a->bytes[COPY_UVM_HTOD] + a->bytes[COPY_UVM_DTOH];

	if (!a->unsized) {
		table_i64(t, row, col, a->bytes[COPY_UVM_HTOD]);
		table_i64(t, row, col + 1, a->bytes[COPY_UVM_DTOH]);
	}
	table_i64(t, row, col + 2, a->migrations);
	table_i64(t, row, col + 3, a->time);
	if (!a->unsized && a->two_way)
		table_f64(t, row, col + 4, (double)both / (double)a->two_way);
	if (a->cpu || v->recorded.a[a->row.pick] >> UM_CPU_FAULT & 1)
		table_i64(t, row, col + 5, a->cpu);
	if (a->gpu || v->recorded.a[a->row.pick] >> UM_GPU_FAULT & 1)
		table_i64(t, row, col + 6, a->gpu);
}

static void put_page(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct um_acc *a = acc;

	put_address(t, row, C_ADDRESS, a->address);
	put_sums(t, row, C_HTOD, view, a);
}

static void put_total(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct um_acc *a = acc;

	put_sums(t, row, T_HTOD, view, a);
	put_address(t, row, T_MIN, a->address);
	put_address(t, row, T_MAX, a->max);
	table_i64(t, row, T_PAGES, a->addresses);
}

static int64_t weight(const struct um_acc *a)
{
	return a->bytes[COPY_UVM_HTOD] + a->bytes[COPY_UVM_DTOH] + a->bytes[COPY_UVM_DTOD];
}

/* What moved most first, then what was touched most. */
static int acc_cmp(const void *pa, const void *pb)
{
	const struct um_acc *a = pa, *b = pb;
	int c = tally_cmp_down(weight(a), weight(b));

	c = c ? c : tally_cmp_down(a->cpu + a->gpu, b->cpu + b->gpu);
	return c ? c : (a->address > b->address) - (a->address < b->address);
}

static bool run_pages(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	static const struct tally_view how = {
		.kind = NEED_UM, .none = NO_UM, .source = add_source, .row_size = sizeof(struct um_acc), .cmp = acc_cmp, .put = put_page,
	};

	return run(&(struct um_view){ .y.how = &how, .add = add_page }, cx, sc, t, e);
}

static bool run_total(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	static const struct tally_view how = {
		.kind = NEED_UM, .none = NO_UM, .source = add_source, .row_size = sizeof(struct um_acc), .cmp = acc_cmp, .put = put_total,
	};

	return run(&(struct um_view){ .y.how = &how, .add = add_total }, cx, sc, t, e);
}

/* ---- why --------------------------------------------------------------------------------------------------- */

enum { W_KIND, W_NAME, W_MODULE, W_FILE, W_LINE, W_FAULTS, W_COUNT, W_BYTES, W_TOTAL, W_STATS, W_MIN_ADDRESS = W_STATS + N_STAT_COLS,
	W_MAX_ADDRESS, W_PAGES, W_BY };

static const struct column_def why_cols[] = {
	[W_KIND] = { "kind", N_("Kind"), UNIT_TEXT, COL_KEY, 0, N_("page fault of a CPU or a GPU, or migration, by direction") },
	[W_NAME] = { "name", N_("What"), UNIT_TEXT, COL_KEY | COL_NAME, 0,
		N_("function, or instruction, of the CPU that touched the page; access of the GPU; cause of the migration") },
	[W_MODULE] = { "module", N_("Module"), UNIT_TEXT, COL_KEY, 3, N_("program or library of the instruction") },
	[W_FILE] = { "file", N_("File"), UNIT_TEXT, COL_KEY, 2, N_("source file of the instruction, where recorded") },
	[W_LINE] = { "line", N_("Line"), UNIT_ID, COL_KEY, 2, N_("line in it") },
	[W_FAULTS] = { "faults", N_("Faults"), UNIT_COUNT, COL_BAR, 0, N_("page faults; a record of a GPU stands for several") },
	[W_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("records: faults, groups of faults, or migrations") },
	[W_BYTES] = { "bytes", N_("Bytes"), UNIT_BYTES, 0, 0, N_("bytes that migrated") },
	[W_TOTAL] = { "total_ns", N_("Total"), UNIT_NS, 0, 0, N_("sum of the durations; faults of CPUs have none") },
	STAT_COLS(3),
	[W_MIN_ADDRESS] = { "min_address", N_("Lowest"), UNIT_TEXT, 0, 4, N_("lowest virtual address") },
	[W_MAX_ADDRESS] = { "max_address", N_("Highest"), UNIT_TEXT, 0, 4, N_("highest virtual address") },
	[W_PAGES] = { "addresses", N_("Addresses"), UNIT_COUNT, 0, 3, N_("different virtual addresses") },
	[W_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

enum { NAMES, MODULES, FILES };

static void add_why(struct um_view *v, const struct record *r)
{
	bool cpu = r->d->what == UM_CPU_FAULT;
	struct names *nm = v->y.names;
	uint32_t name = cpu ? names_id(&nm[NAMES], r->name) : ID_NONE;
	uint64_t where = (uint64_t)names_id(&nm[MODULES], r->d->module) << 32 | names_id(&nm[FILES], r->d->file);
	struct um_acc *a = acc_of(v, r, TALLY_KEY((uint64_t)r->d->what << 48 | (uint64_t)r->kind << 40 | (cpu ? name : r->d->why),
		where, 0, (uint32_t)r->d->line));

	if (a->row.n == 1) {
		a->d = r->d;
		a->kind = r->kind;
		a->name = name;
	}
	a->cpu += r->d->faults;
	if (r->d->what != UM_CPU_FAULT)
		stats_add(&a->row.durs, r->dur);
	if (r->d->what != UM_MIGRATION)
		return;
	a->unsized |= r->bytes == I64_UNKNOWN;
	a->bytes[0] += r->bytes == I64_UNKNOWN ? 0 : r->bytes;
}

static void put_why_name(struct table *t, uint32_t row, const struct tally *y, const struct um_acc *a)
{
	static const char *const kinds[UM_WHAT_N] = { [UM_CPU_FAULT] = "CPU fault", [UM_GPU_FAULT] = "GPU fault" };

	table_cstr(t, row, W_KIND, a->d->what == UM_MIGRATION ? copy_kind_name(a->kind) : kinds[a->d->what]);
	if (a->d->what == UM_CPU_FAULT)
		names_put(t, row, W_NAME, &y->names[NAMES], a->name);
	else
		table_cstr(t, row, W_NAME, a->d->what == UM_MIGRATION ? um_cause_name(a->d->why) : um_access_name(a->d->why));
}

static void put_why(void *view, struct table *t, uint32_t row, void *acc)
{
	struct um_acc *a = acc;
	const struct selection *k = tally_source(view, &a->row);

	put_why_name(t, row, view, a);
	an_str(t, row, W_MODULE, k, a->d->module);
	an_str(t, row, W_FILE, k, a->d->file);
	if (a->d->line)
		table_i64(t, row, W_LINE, a->d->line);
	if (a->d->what != UM_MIGRATION)
		table_i64(t, row, W_FAULTS, a->cpu);
	else if (!a->unsized)
		table_i64(t, row, W_BYTES, a->bytes[0]);
	table_i64(t, row, W_COUNT, (int64_t)a->row.n);
	if (stats_n(&a->row.durs))
		table_i64(t, row, W_TOTAL, a->row.durs.total);
	stats_put(t, row, W_STATS, &a->row.durs);
	put_address(t, row, W_MIN_ADDRESS, a->address);
	put_address(t, row, W_MAX_ADDRESS, a->max);
	table_i64(t, row, W_PAGES, a->addresses);
}

static int why_cmp(const void *pa, const void *pb)
{
	const struct um_acc *a = pa, *b = pb;
	int c = tally_cmp_down(a->cpu, b->cpu);

	return c ? c : tally_cmp_down(a->bytes[0], b->bytes[0]);
}

static bool run_causes(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	static const struct tally_view how = {
		.kind = NEED_UM, .none = NO_UM, .source = add_source, .n_names = 3,
		.row_size = sizeof(struct um_acc), .cmp = why_cmp, .put = put_why,
	};

	return run(&(struct um_view){ .y.how = &how, .add = add_why }, cx, sc, t, e);
}

const struct analysis an_umpages = {
	.id = "umpages", .title = N_("Unified memory by address"), .doc = N_("pages of unified memory: what migrated, and page faults, by address"),
	.cols = page_cols, .n_cols = N_COLS(page_cols), .run = run_pages,
};
const struct analysis an_umtotal = {
	.id = "umtotal", .title = N_("Unified memory"), .doc = N_("unified memory in all: what migrated, page faults, range of addresses"),
	.cols = total_cols, .n_cols = N_COLS(total_cols), .run = run_total,
};
const struct analysis an_umcauses = {
	.id = "umcauses", .title = N_("Unified memory by cause"),
	.doc = N_("page faults by the code that touched the page, and migrations by their cause"),
	.cols = why_cols, .n_cols = N_COLS(why_cols), .run = run_causes,
};
