/*
 * rules_view.c - view `rules`: the rules that are loaded, and which of them named the kernels of this
 * session
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "findings/finding.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/selections.h"

enum {
	C_FILE,
	C_TABLE,
	C_ID,
	C_SAMPLES,
	C_CHECK,
	C_NAMES,
	C_COUNT,
	C_TOTAL
};

static const struct column_def cols[] = {
	[C_FILE] = {"file", N_("File"), UNIT_TEXT, COL_KEY, 0, N_("rule file")},
	[C_TABLE] = {"table", N_("Decides on"), UNIT_TEXT, 0, 2,
		     N_("what kind of name the rule is for")},
	[C_ID] = {"rule", N_("Rule"), UNIT_TEXT, COL_KEY | COL_NAME | COL_WORDS, 0, N_("id of the rule")},
	[C_SAMPLES] = {"samples", N_("Samples"), UNIT_COUNT, 0, 4,
		       N_("names that the rule is tested with")},
	[C_CHECK] = {"check", N_("Check"), UNIT_TEXT, 0, 6,
		     N_("check sum of the text of the rule file: its version")},
	[C_NAMES] = {"names", N_("Names"), UNIT_COUNT, 0, 1,
		     N_("distinct kernel names of the window that the rule decided; unknown for "
			"other tables")},
	[C_COUNT] = {"count", N_("Kernels"), UNIT_COUNT, 0, 1, N_("kernels of these names")},
	[C_TOTAL] = {"total_ns", N_("Total"), UNIT_NS, COL_BAR, 0, N_("sum of their durations")},
	SOURCE_COLS};

struct rules_view_tally {
	int64_t names, count;
	ns_t total;
};
struct rules_view {
	struct table *t;
	struct map row_of;	 /* rule id pointer -> row */
	VEC(struct rules_view_tally) tally; /* per row */
	struct map seen;	 /* (pick, name) */
	uint32_t pick;
};

static void put_rule(void *arg, const struct rule_info *u)
{
	struct rules_view *v = arg;
	uint32_t row = table_row(v->t);
	char check[20];

	table_cstr(v->t, row, C_FILE, u->file);
	table_cstr(v->t, row, C_TABLE, u->table);
	table_cstr(v->t, row, C_ID, u->id);
	table_i64(v->t, row, C_SAMPLES, (int64_t)u->samples);
	snprintf(check, sizeof(check), "%016" PRIx64, u->check);
	table_cstr(v->t, row, C_CHECK, check);
	map_put(&v->row_of, (uint64_t)(uintptr_t)u->id, 0, row);
	VEC_PUSH(&v->tally, (struct rules_view_tally){!strcmp(u->table, "kernels") ? 0 : -1, 0, 0});
}

/*
 * The row of an answer's rule; kernels that no rule of a file decided have rows of their own at the
 * end.
 */
static uint32_t row_of(struct rules_view *v, const char *rule_id)
{
	uint32_t fresh = v->t->n_rows,
		 row = map_get_or_put(&v->row_of, (uint64_t)(uintptr_t)rule_id, 0, fresh);

	if (row < fresh)
		return row;
	table_row(v->t);
	table_cstr(v->t, row, C_TABLE, "kernels");
	table_cstr(v->t, row, C_ID, *rule_id ? rule_id : N_("(no rule)"));
	VEC_PUSH(&v->tally, (struct rules_view_tally){0, 0, 0});
	return row;
}

static void add(void *arg, const struct selection *k, const struct track *tr, ev_id e)
{
	struct rules_view *v = arg;
	struct rules_view_tally *x = &v->tally.a[row_of(v, facts_kclass(k->f, e)->rule_id)];

	(void)tr;
	x->count++;
	x->total += k->p->dur[e];
	if (map_find(&v->seen, v->pick, k->p->name[e]) == MAP_NONE) {
		map_put(&v->seen, v->pick, k->p->name[e], 0);
		x->names++;
	}
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct rules_view v = {.t = t};
	struct selections ps;
	bool ok;

	rules_each(cx->rules, put_rule, &v);
	finding_rules_each(cx->findings, put_rule, &v);
	ok = selections_open(&ps, cx, sc, NEED_GPU, t, _(NO_GPU_WORK), e);
	for (uint32_t i = 0; ok && i < ps.n; i++) {
		v.pick = i;
		ok = selections_gpu(&ps.a[i], LAYER_KERNEL, add, &v, e);
	}
	for (uint32_t r = 0; r < t->n_rows; r++) {
		if (v.tally.a[r].names < 0)
			continue;
		table_i64(t, r, C_NAMES, v.tally.a[r].names);
		table_i64(t, r, C_COUNT, v.tally.a[r].count);
		table_i64(t, r, C_TOTAL, v.tally.a[r].total);
	}
	VEC_FREE(&v.tally);
	map_fini(&v.row_of);
	map_fini(&v.seen);
	selections_close(&ps);
	return ok;
}

const struct analysis an_rules = {
	.id = "rules",
	.title = N_("Rules"),
	.doc = N_("the rules that are loaded, and which of them named the kernels"),
	.cols = cols,
	.n_cols = N_COLS(cols),
	.run = run,
};
