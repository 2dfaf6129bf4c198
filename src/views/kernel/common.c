/* common.c - see common.h */
#include "views/kernel/common.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* ---- the walk ----------------------------------------------------------------------------------- */

static bool wanted(const struct launch *x, const struct scope *sc)
{
	size_t n;
	const char *s;

	if (sc->pid != SCOPE_ANY && x->l->pid >= 0 && x->l->pid != sc->pid)
		return false;
	if (!sc->kernel_hash)
		return true;
	s = profile_str(x->p, x->l->name, &n);
	return scope_hash_name(s, n) == sc->kernel_hash;
}

bool launches_walk(const struct an_ctx *cx, const struct scope *sc, struct table *t, launch_fn fn, void *arg, struct err *e)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < cx->session->n_sources; i++) {
		const struct source *s = &cx->session->sources[i];

		if (!s->profile || !s->profile->reports.n_launches || (sc->source >= 0 && (uint32_t)sc->source != i) ||
		    (sc->clock_group >= 0 && s->clock_group != sc->clock_group))
			continue;
		table_source(t, s->path);
		t->partial |= s->profile->partial;
		for (uint32_t k = 0; k < s->profile->reports.n_launches; k++) {
			struct launch x = { s->profile, &s->profile->reports.launches[k], s->path, i, k };

			if (an_cancelled(cx, e))
				return false;
			if (!wanted(&x, sc))
				continue;
			seen++;
			fn(&x, t, arg);
		}
	}
	if (!seen)
		table_note(t, "%s", _("no report of a kernel profiler (Nsight Compute) among these sources"));
	t->window_kind = "all";
	return true;
}

/* ---- cells -------------------------------------------------------------------------------------- */

uint32_t launch_row(struct table *t, const struct launch *x)
{
	uint32_t row = table_row(t), col = t->n_cols - N_SOURCE_COLS;

	table_i64(t, row, 0, x->id);
	table_cstr(t, row, col, x->path);
	if (x->p->rank >= 0)
		table_i64(t, row, col + 1, x->p->rank);
	if (x->l->pid >= 0)
		table_i64(t, row, col + 2, x->l->pid);
	return row;
}

void launch_str(struct table *t, uint32_t row, uint32_t col, const struct launch *x, str_id id)
{
	size_t n;
	const char *s = profile_str(x->p, id, &n);

	if (id != ID_NONE)
		table_str(t, row, col, s, n);
}

void number_cell(struct table *t, uint32_t row, uint32_t col, double v)
{
	if (isfinite(v))
		table_f64(t, row, col, v);
}

void whole_cell(struct table *t, uint32_t row, uint32_t col, double v)
{
	if (v > -9e18 && v < 9e18)
		table_i64(t, row, col, (int64_t)llround(v));
}

void value_cell(struct table *t, uint32_t row, uint32_t col, const struct profile *p, uint32_t kind, uint64_t bits)
{
	size_t n;
	const char *s;

	if (kind == METRIC_TEXT) {
		s = profile_str(p, (str_id)bits, &n);
		table_str(t, row, col, s, n);
	} else if (kind == METRIC_WHOLE && bits <= INT64_MAX) {
		table_i64(t, row, col, (int64_t)bits);
	} else {
		number_cell(t, row, col, metric_number((enum metric_kind)kind, bits));
	}
}

/* ---- units -------------------------------------------------------------------------------------- */

bool metric_is_list(const char *name, size_t n)
{
	return text_starts(name, n, "regex:") || text_starts(name, n, "group:") || text_starts(name, n, "breakdown:");
}

static bool holds(const char *s, size_t n, const char *word)
{
	return memmem(s, n, word, strlen(word)) != NULL;
}

struct word_unit {
	const char *word, *unit;
};

/* Names that begin so; the first that fits. */
static const struct word_unit begins[] = {
	{ "launch__registers_per_thread", "register/thread" }, { "launch__shared_mem_per_block", "byte/block" },
	{ "launch__shared_mem_config_size", "byte" }, { "launch__block_dim", "block" }, { "launch__occupancy_limit", "block" },
	{ "launch__thread_count", "thread" }, { "launch__", "" }, { "device__", "" }, { "nvlink__", "" }, { "numa__", "" },
	{ "smsp__pcsamp_interval_cycles", "cycle" }, { "smsp__pcsamp_interval", "" }, { "smsp__pcsamp_sample_count", "" },
	{ "derived__avg_thread_executed", "thread" }, { "memory_l1_tag_requests", "sector" },
};

/* What is counted, by a word in the name: the first that fits. */
static const struct word_unit counted[] = {
	{ "_per_opcode", "" }, { "evict_type", "" }, { "thread_inst_executed_per_inst", "" }, { "thread_inst_executed_pred_on_per_inst", "" },
	{ "time_duration", "ns" }, { "bytes", "byte" }, { "cycles", "cycle" }, { "warp_latency_issue_stalled", "inst/warp" },
	{ "latency", "cycle" }, { "active_per_inst", "cycle" }, { "writeback_active", "cycle" }, { "sectors", "sector" },
	{ "memory_l1_wavefronts", "sector" }, { "requests", "request" }, { "_per_issue_active", "inst" }, { "inst", "inst" },
	{ "warps", "warp" },
};

/* A rate of a unit; the table holds all that there are, so that the result is static. */
static const char *rate(const char *unit, bool per_second)
{
	static const struct {
		const char *unit, *second, *cycle;
	} rates[] = {
		{ "byte", "byte/s", "byte/cycle" }, { "sector", "sector/s", "sector/cycle" }, { "inst", "inst/s", "inst/cycle" },
		{ "request", "request/s", "request/cycle" }, { "cycle", "Hz", "cycle/cycle" }, { "warp", "warp/s", "warp" },
	};

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		if (!strcmp(rates[i].unit, unit))
			return per_second ? rates[i].second : rates[i].cycle;
	return unit;
}

/* base.rollup.submetric: the base says what is counted, the rest what was made of it. */
const char *unit_of_metric(const char *name, size_t n)
{
	const char *dot = memchr(name, '.', n), *rest = dot ? dot + 1 : name + n;
	size_t n_base = dot ? (size_t)(dot - name) : n, n_rest = (size_t)(name + n - rest);

	if (text_starts(rest, n_rest, "pct") || holds(rest, n_rest, ".pct_of") || text_ends(name, n_base, "_pct"))
		return "%";
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (text_starts(name, n, begins[i].word))
			return begins[i].unit;
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
		const char *unit = counted[i].unit;

		if (!holds(name, n_base, counted[i].word))
			continue;
		if (text_ends(rest, n_rest, "per_second"))
			return rate(unit, true);
		return holds(rest, n_rest, ".per_cycle") || holds(rest, n_rest, ".peak_sustained") ? rate(unit, false) : unit;
	}
	return "";
}
