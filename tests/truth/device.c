/* device.c - gaps, partitions of the device, and splits, see checks.h */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "tests/truth/checks.h"

struct gap_sums {
	int64_t count, total, longest;
};

static struct gap_sums sum_gaps(const struct table *t)
{
	struct gap_sums g = { 0, 0, 0 };

	for (uint32_t r = 0; r < t->n_rows; r++) {
		int64_t ns = cell_int(t, r, "dur_ns");

		g.count++;
		g.total += ns;
		g.longest = ns > g.longest ? ns : g.longest;
	}
	return g;
}

void check_gaps(struct trial *t, const struct place *at)
{
	struct table *gaps = trial_view(t, "gaps", at->source, at->window, BY_NONE, "");
	const struct jval *want = jval_get(at->truth, "idle_gaps");
	struct gap_sums g = { 0, 0, 0 };
	bool good = gaps != NULL;

	if (gaps)
		g = sum_gaps(gaps);
	good &= trial_equal("gaps: count", g.count, sheet_int(want, "count"));
	good &= trial_equal("gaps: sum", g.total, sheet_int(want, "total_ns"));
	good &= trial_equal("gaps: longest", g.longest, sheet_int(want, "longest_ns"));
	table_free(gaps);
	trial_verdict(t, good, "gaps, %s of %s", at->window_name, at->source_name);
}

/* State of the partition, member of the truth's gpu row. */
static const struct { const char *state, *column; } states[] = {
	{ "compute", "compute_ns" }, { "exposed communication", "exposed_comm_ns" }, { "exposed copy HtoD", "exposed_htod_ns" },
	{ "exposed copy DtoH", "exposed_dtoh_ns" }, { "exposed copy both ways", "exposed_both_ns" },
	{ "exposed copy DtoD", "exposed_dtod_ns" }, { "exposed copy PtoP", "exposed_ptop_ns" },
	{ "exposed memset", "exposed_memset_ns" }, { "idle", "idle_ns" },
};

void check_device_partition(struct trial *t, const struct place *at, const char *partition)
{
	struct table *part = trial_view(t, "breakdown", at->source, at->window, BY_NONE, partition);
	const struct jval *gpu = jval_first(jval_get(at->truth, "gpu"));
	bool good = part && part->n_rows;

	if (part) {
		good &= trial_equal("wall", part->wall_ns, sheet_int(gpu, "window_ns"));
		good &= trial_equal("sum of the rows", column_sum(part, "time_ns", NULL, NULL), sheet_int(gpu, "window_ns"));
		for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
			good &= trial_equal(states[i].state, column_sum(part, "time_ns", "level1", states[i].state),
				sheet_int(gpu, states[i].column));
	}
	table_free(part);
	trial_verdict(t, good, "breakdown %s, %s of %s", partition, at->window_name, at->source_name);
}

void check_opkernels(struct trial *t, const struct place *at)
{
	static const struct spec sp = { { "op" }, { "total_ns=device_self_ns" }, 0 };
	struct sheet got = { .width = 1, .titles = sp.cols }, want = got;
	struct table *table = trial_view(t, "opkernels", at->source, at->window, BY_NONE, "");
	char what[64];

	if (table)
		sheet_of_table(&got, table, &sp);
	/* the view has a row for kernels that no op launched, the truth has ops only */
	for (size_t i = 0; i < got.n; i++)
		if (strcmp(got.rows[i].key, "?") == 0)
			got.rows[i].v[0] = 0;
	sheet_of_truth(&want, jval_get(at->truth, "ops"), &sp);
	table_free(table);
	snprintf(what, sizeof(what), "opkernels, %s of %s", at->window_name, at->source_name);
	trial_sheets(t, what, &got, &want);
}

void check_bytes_per_step(struct trial *t, const struct place *at)
{
	struct table *copies = trial_view(t, "memcpy", at->source, at->window, BY_NONE, "");
	int64_t steps = sheet_int(at->truth, "steps");
	bool good = copies && copies->n_rows;

	for (uint32_t r = 0; copies && r < copies->n_rows; r++) {
		int64_t bytes = cell_int(copies, r, "bytes"), per_step = cell_int(copies, r, "bytes_per_step");

		/* whole bytes, rounded to either side */
		if (per_step * steps > bytes + steps || per_step * steps < bytes - steps)
			good = trial_equal("bytes_per_step", per_step, bytes / steps);
	}
	table_free(copies);
	trial_verdict(t, good, "bytes per step, %s of %s", at->window_name, at->source_name);
}

static void check_split(struct trial *t, const struct place *at, enum by_dim by, const char *name)
{
	static const struct spec gpu = { { "by" }, { "kernels", "kernel_sum_ns" }, 0 };
	static const struct spec kernels = { { "by" }, { "count", "total_ns" }, 0 };
	struct sheet got = { .width = 2, .titles = gpu.cols }, want = got;
	struct table *g = trial_view(t, "gpu", at->source, at->window, by, "");
	struct table *k = trial_view(t, "kernels", at->source, at->window, by, "");
	char what[64];

	if (g)
		sheet_of_table(&got, g, &gpu);
	if (k)
		sheet_of_table(&want, k, &kernels);
	table_free(g);
	table_free(k);
	snprintf(what, sizeof(what), "kernels by %s, %s of %s", name, at->window_name, at->source_name);
	trial_sheets(t, what, &got, &want);
}

void check_splits(struct trial *t, const struct place *at)
{
	check_split(t, at, BY_STEP, "step");
	check_split(t, at, BY_PHASE, "phase");
}

struct micro {
	int64_t number, kernels, sum_ns, htod;
};
typedef VEC(struct micro) micro_list;

static struct micro *micro_of(micro_list *l, int64_t number)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->a[i].number == number)
			return &l->a[i];
	VEC_PUSH(l, (struct micro){ .number = number });
	return &l->a[l->n - 1];
}

/* Micro-batches of the truth by the number in their name, over all steps. */
static void true_micros(const struct trial *t, micro_list *l)
{
	for (const struct jval *m = jval_first(jval_get(t->truth, "micro_batches")); m; m = jval_next(m)) {
		size_t n;
		const char *name = jval_text(jval_get(m, "name"), &n);
		struct micro *x = micro_of(l, n ? name[n - 1] - '0' : -1);

		x->kernels += sheet_int(m, "kernels");
		x->sum_ns += sheet_int(m, "kernel_sum_ns");
		x->htod += sheet_int(m, "htod_bytes");
	}
}

static void seen_micros(struct trial *t, uint32_t source, micro_list *l)
{
	struct table *k = trial_view(t, "kernels", source, WINDOW_ALL, BY_MICROBATCH, "");
	struct table *c = trial_view(t, "memcpy", source, WINDOW_ALL, BY_MICROBATCH, "");

	for (uint32_t r = 0; k && r < k->n_rows; r++) {
		if (cell_int(k, r, "by") == SHEET_UNKNOWN)
			continue;
		micro_of(l, cell_int(k, r, "by"))->kernels += cell_int(k, r, "count");
		micro_of(l, cell_int(k, r, "by"))->sum_ns += cell_int(k, r, "total_ns");
	}
	for (uint32_t r = 0; c && r < c->n_rows; r++)
		if (cell_int(c, r, "by") != SHEET_UNKNOWN && cell_is(c, r, "kind", "HtoD"))
			micro_of(l, cell_int(c, r, "by"))->htod += cell_int(c, r, "bytes");
	table_free(k);
	table_free(c);
}

void check_microbatches(struct trial *t, const char *name, uint32_t source)
{
	micro_list want = { 0 }, got = { 0 };
	bool good;

	true_micros(t, &want);
	seen_micros(t, source, &got);
	good = want.n && trial_equal("micro-batches", (int64_t)got.n, (int64_t)want.n);
	for (size_t i = 0; i < want.n; i++) {
		struct micro *g = micro_of(&got, want.a[i].number);

		good &= trial_equal("micro-batch, kernels", g->kernels, want.a[i].kernels);
		good &= trial_equal("micro-batch, kernel time", g->sum_ns, want.a[i].sum_ns);
		good &= trial_equal("micro-batch, HtoD bytes", g->htod, want.a[i].htod);
	}
	VEC_FREE(&want);
	VEC_FREE(&got);
	trial_verdict(t, good, "micro-batches of %s", name);
}
