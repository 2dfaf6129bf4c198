/*
 * um.c - unified memory: `umpages` by address as um_sum of `nsys stats`, `umtotal` as um_total_sum, and `umcauses`, which tells what
 * touched the pages (CPU faults by instruction as um_cpu_page_faults_sum, GPU faults by access) and why they moved.
 *
 * nsys prints these only where all three tables are there; here each stands for itself, and what was not recorded is unknown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc/groups.h"
#include "calc/stats.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

/* A migration or a page fault, as the views take them. */
struct record {
	const struct pick *k;
	const struct um_detail *d;
	enum copy_kind kind;	/* of a migration */
	int64_t bytes, pid, split;
	str_id name;
	ns_t dur;
};
typedef void (*record_fn)(void *arg, const struct record *r);

struct walk {
	record_fn fn;
	void *arg;
};

static void migration(void *arg, const struct pick *k, const struct track *tr, ev_id e)
{
	const struct walk *w = arg;
	const struct copy_detail *cd = k->p->aux[e] < k->p->n_copies ? &k->p->copies[k->p->aux[e]] : NULL;
	struct record r = { .k = k };

	if (!cd || !cd->um)
		return;
	r.d = &k->p->ums[cd->um - 1];
	r.kind = (enum copy_kind)cd->kind;
	r.bytes = cd->bytes;
	r.dur = k->p->dur[e];
	r.pid = gpu_pid(k, tr, e);
	r.split = split_gpu(k, tr, e);
	w->fn(w->arg, &r);
}

static void fault(const struct walk *w, const struct pick *k, const struct track *tr, ev_id e)
{
	struct record r = { .k = k, .d = &k->p->ums[k->p->aux[e]], .name = k->p->name[e], .dur = k->p->dur[e], .pid = tr->pid };

	if (k->sc->device != SCOPE_ANY && k->sc->device != r.d->device)
		return;
	r.split = k->sc->by == BY_DEVICE && r.d->device >= 0 ? r.d->device : split_host(k, tr->thread, k->p->start[e]);
	w->fn(w->arg, &r);
}

static bool each_record(const struct picks *ps, const struct walk *w, struct err *e)
{
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct pick *k = &ps->a[i];
		const struct profile *p = k->p;
		struct walk own = *w;

		if (!picks_gpu(k, LAYER_MEMCPY, migration, &own, e))
			return false;
		for (track_id t = p->layer_track[LAYER_FAULT]; t < p->layer_track[LAYER_FAULT + 1]; t++)
			for (ev_id v = p->tracks[t].first; pick_thread(k, p->tracks[t].thread) && v < p->tracks[t].first + p->tracks[t].count; v++)
				if (p->aux[v] < p->n_ums && pick_at(k, p->start[v]))
					fault(w, k, &p->tracks[t], v);
	}
	return true;
}

static bool open_sources(struct picks *ps, const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return picks_open(ps, cx, sc, VIEW_UM, t, _("neither migrations nor page faults of unified memory in these sources: record them with "
		"nsys profile --cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true"), e);
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

struct acc {
	uint64_t address, max;	/* address: the only one, or the lowest */
	int64_t bytes[COPY_KIND_N], migrations, cpu, gpu;
	ns_t time, two_way;	/* two_way: between host and device */
	int64_t split, source, pid, addresses;
	bool unsized;
};
struct view {
	const struct picks *ps;
	struct groups groups, places;
	VEC(struct acc) acc;
	bool by_address;
	bool *cpu, *gpu;	/* per pick: such faults are recorded; where they are, none is 0 */
};

static struct acc *acc_of(struct view *v, const struct record *r)
{
	uint32_t pick = (uint32_t)(r->k - v->ps->a);
	struct group_key key = { .k = { v->by_address ? r->d->address : 0, (uint64_t)r->split, r->k->sc->by == BY_ALL ? 0 : pick } };
	uint32_t g = groups_add(&v->groups, &key), place;
	struct acc *a;

	if (g == v->acc.n)
		VEC_PUSH(&v->acc, (struct acc){ .split = r->split, .source = OWNER_NEW, .pid = OWNER_NEW });
	a = &v->acc.a[g];
	owner_add(&a->source, pick);
	owner_add(&a->pid, r->pid);
	if (!r->d->address)
		return a;
	a->address = a->address && a->address < r->d->address ? a->address : r->d->address;
	a->max = a->max > r->d->address ? a->max : r->d->address;
	place = v->places.n;
	a->addresses += groups_add(&v->places, &(struct group_key){ .k = { g, r->d->address } }) == place;
	return a;
}

static void add(void *arg, const struct record *r)
{
	struct acc *a = acc_of(arg, r);

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

/* The seven columns from `col` on. */
static void put_sums(struct table *t, uint32_t row, uint32_t col, const struct view *v, const struct acc *a)
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
	if (a->cpu || v->cpu[a->source == OWNER_MIXED ? 0 : a->source])
		table_i64(t, row, col + 5, a->cpu);
	if (a->gpu || v->gpu[a->source == OWNER_MIXED ? 0 : a->source])
		table_i64(t, row, col + 6, a->gpu);
}

static void put(const struct view *v, struct table *t, const struct acc *a)
{
	const struct pick *k = &v->ps->a[a->source == OWNER_MIXED ? 0 : a->source];
	uint32_t row = table_row(t);

	if (v->by_address) {
		put_address(t, row, C_ADDRESS, a->address);
		put_sums(t, row, C_HTOD, v, a);
		split_set(t, row, C_BY, k, a->split);
	} else {
		put_sums(t, row, T_HTOD, v, a);
		put_address(t, row, T_MIN, a->address);
		put_address(t, row, T_MAX, a->max);
		table_i64(t, row, T_PAGES, a->addresses);
		split_set(t, row, T_BY, k, a->split);
	}
	picks_row_owner(t, row, v->ps, a->source, a->pid);
}

static int64_t weight(const struct acc *a)
{
	return a->bytes[COPY_UVM_HTOD] + a->bytes[COPY_UVM_DTOH] + a->bytes[COPY_UVM_DTOD];
}

/* What moved most first, then what was touched most. */
static int acc_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct acc *x = (const struct acc *)arg + a, *y = (const struct acc *)arg + b;
	int64_t mine = weight(x), other = weight(y);

	if (mine != other)
		return mine < other ? 1 : -1;
	if (x->cpu + x->gpu != y->cpu + y->gpu)
		return x->cpu + x->gpu < y->cpu + y->gpu ? 1 : -1;
	return (x->address > y->address) - (x->address < y->address);
}

static bool sums(const struct an_ctx *cx, const struct scope *sc, struct table *t, bool by_address, struct err *e)
{
	struct picks ps;
	struct view v = { .ps = &ps, .by_address = by_address };
	bool ok = open_sources(&ps, cx, sc, t, e) && each_record(&ps, &(struct walk){ add, &v }, e);
	uint32_t *order = groups_order((uint32_t)v.acc.n, acc_cmp, v.acc.a);

	v.cpu = xcalloc(ps.n + 1, sizeof(*v.cpu));
	v.gpu = xcalloc(ps.n + 1, sizeof(*v.gpu));
	for (uint32_t i = 0; i < ps.n; i++) {
		v.cpu[i] = records(ps.a[i].p, UM_CPU_FAULT, "COLLECT_UVM_CPU_PAGE_FAULTS");
		v.gpu[i] = records(ps.a[i].p, UM_GPU_FAULT, "COLLECT_UVM_GPU_PAGE_FAULTS");
	}
	for (size_t i = 0; i < v.acc.n && ok; i++)
		put(&v, t, &v.acc.a[order[i]]);
	free(order);
	free(v.cpu);
	free(v.gpu);
	VEC_FREE(&v.acc);
	groups_fini(&v.groups);
	groups_fini(&v.places);
	picks_close(&ps);
	return ok;
}

static bool run_pages(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return sums(cx, sc, t, true, e);
}

static bool run_total(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	return sums(cx, sc, t, false, e);
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

struct why {
	struct acc sum;
	struct stats durs;
	const struct um_detail *d;	/* of the first */
	enum copy_kind kind;
	uint32_t name;
};
struct why_view {
	struct view v;		/* its groups and places; acc is not used */
	struct names names, modules, files;
	const struct profile *entered;
	VEC(struct why) why;
};

static void enter(struct why_view *w, const struct profile *p)
{
	if (w->entered == p)
		return;
	w->entered = p;
	names_enter(&w->names, p);
	names_enter(&w->modules, p);
	names_enter(&w->files, p);
}

static struct why *why_of(struct why_view *w, const struct record *r)
{
	uint32_t pick = (uint32_t)(r->k - w->v.ps->a), name, g, place = w->v.places.n;
	bool cpu = r->d->what == UM_CPU_FAULT;
	uint64_t where;
	struct why *y;

	enter(w, r->k->p);
	name = cpu ? names_id(&w->names, r->name) : ID_NONE;
	where = (uint64_t)names_id(&w->modules, r->d->module) << 32 | names_id(&w->files, r->d->file);
	g = groups_add(&w->v.groups, &(struct group_key){ .k = { (uint64_t)r->d->what << 48 | (uint64_t)r->kind << 40 |
		(cpu ? name : r->d->why), where, (uint64_t)r->split, (uint64_t)(uint32_t)r->d->line << 32 |
		(r->k->sc->by == BY_ALL ? 0 : pick) } });
	if (g == w->why.n)
		VEC_PUSH(&w->why, (struct why){ .sum = { .split = r->split, .source = OWNER_NEW, .pid = OWNER_NEW }, .d = r->d,
			.kind = r->kind, .name = name });
	y = &w->why.a[g];
	owner_add(&y->sum.source, pick);
	owner_add(&y->sum.pid, r->pid);
	if (r->d->address) {
		y->sum.address = y->sum.address && y->sum.address < r->d->address ? y->sum.address : r->d->address;
		y->sum.max = y->sum.max > r->d->address ? y->sum.max : r->d->address;
		y->sum.addresses += groups_add(&w->v.places, &(struct group_key){ .k = { g, r->d->address } }) == place;
	}
	return y;
}

static void add_why(void *arg, const struct record *r)
{
	struct why *y = why_of(arg, r);

	y->sum.cpu += r->d->faults;
	y->sum.migrations++;
	if (r->d->what != UM_CPU_FAULT)
		stats_add(&y->durs, r->dur);
	if (r->d->what != UM_MIGRATION)
		return;
	y->sum.unsized |= r->bytes == I64_UNKNOWN;
	y->sum.bytes[0] += r->bytes == I64_UNKNOWN ? 0 : r->bytes;
}

static void put_why_name(struct table *t, uint32_t row, const struct why_view *w, const struct why *y)
{
	static const char *const kinds[UM_WHAT_N] = { [UM_CPU_FAULT] = "CPU fault", [UM_GPU_FAULT] = "GPU fault" };
	const char *s;
	size_t n;

	table_cstr(t, row, W_KIND, y->d->what == UM_MIGRATION ? copy_kind_name(y->kind) : kinds[y->d->what]);
	if (y->d->what == UM_CPU_FAULT && (s = names_str(&w->names, y->name, &n)))
		table_str(t, row, W_NAME, s, n);
	else if (y->d->what != UM_CPU_FAULT)
		table_cstr(t, row, W_NAME, y->d->what == UM_MIGRATION ? um_cause_name(y->d->why) : um_access_name(y->d->why));
}

static void put_why(const struct why_view *w, struct table *t, struct why *y)
{
	const struct pick *k = &w->v.ps->a[y->sum.source == OWNER_MIXED ? 0 : y->sum.source];
	uint32_t row = table_row(t);

	put_why_name(t, row, w, y);
	an_str(t, row, W_MODULE, k, y->d->module);
	an_str(t, row, W_FILE, k, y->d->file);
	if (y->d->line)
		table_i64(t, row, W_LINE, y->d->line);
	if (y->d->what != UM_MIGRATION)
		table_i64(t, row, W_FAULTS, y->sum.cpu);
	else if (!y->sum.unsized)
		table_i64(t, row, W_BYTES, y->sum.bytes[0]);
	table_i64(t, row, W_COUNT, y->sum.migrations);
	if (stats_n(&y->durs))
		table_i64(t, row, W_TOTAL, y->durs.total);
	stats_put(t, row, W_STATS, &y->durs);
	put_address(t, row, W_MIN_ADDRESS, y->sum.address);
	put_address(t, row, W_MAX_ADDRESS, y->sum.max);
	table_i64(t, row, W_PAGES, y->sum.addresses);
	split_set(t, row, W_BY, k, y->sum.split);
	picks_row_owner(t, row, w->v.ps, y->sum.source, y->sum.pid);
}

static int why_cmp(uint32_t a, uint32_t b, const void *arg)
{
	const struct why *x = (const struct why *)arg + a, *y = (const struct why *)arg + b;

	if (x->sum.cpu != y->sum.cpu)
		return x->sum.cpu < y->sum.cpu ? 1 : -1;
	if (x->sum.bytes[0] != y->sum.bytes[0])
		return x->sum.bytes[0] < y->sum.bytes[0] ? 1 : -1;
	return (a > b) - (a < b);
}

static bool run_causes(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct picks ps;
	struct why_view w = { .v = { .ps = &ps } };
	bool ok = open_sources(&ps, cx, sc, t, e) && each_record(&ps, &(struct walk){ add_why, &w }, e);
	uint32_t *order = groups_order((uint32_t)w.why.n, why_cmp, w.why.a);

	for (size_t i = 0; i < w.why.n && ok; i++)
		put_why(&w, t, &w.why.a[order[i]]);
	free(order);
	for (size_t i = 0; i < w.why.n; i++)
		stats_fini(&w.why.a[i].durs);
	VEC_FREE(&w.why);
	groups_fini(&w.v.groups);
	groups_fini(&w.v.places);
	names_fini(&w.names);
	names_fini(&w.modules);
	names_fini(&w.files);
	picks_close(&ps);
	return ok;
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
