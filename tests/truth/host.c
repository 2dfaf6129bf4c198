/* host.c - clocks, windows, the host partition, Python, steps, threads, contents, see checks.h */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sbuf.h"
#include "tests/truth/checks.h"

ns_t truth_zero(const struct trial *t)
{
	return t->session->sources[t->nsys].shift_ns;
}

void check_clock(struct trial *t)
{
	const struct source *nsys = &t->session->sources[t->nsys], *torch = &t->session->sources[t->torch];
	const struct jval *clock = jval_get(t->truth, "clock");
	ns_t first = nsys->profile->first_ns + nsys->shift_ns, other = torch->profile->first_ns + torch->shift_ns;
	bool good = trial_equal("clock group", torch->clock_group, nsys->clock_group);

	good &= trial_equal("torch's zero from nsys's zero", torch->shift_ns - nsys->shift_ns,
		sheet_int(clock, "kineto_base_ns") - sheet_int(clock, "utc_epoch_ns"));
	good &= trial_equal("the earliest event is at 0", first < other ? first : other, 0);
	trial_verdict(t, good, "one clock");
}

void check_walls(struct trial *t, const struct place *at)
{
	struct table *ops = trial_view(t, "ops", at->source, at->window, BY_NONE, "");
	const struct jval *cpu = jval_get(at->truth, "cpu");
	bool good = ops != NULL;

	if (ops) {
		good &= trial_equal("window, start", ops->start_ns, sheet_int(cpu, "start_ns") + truth_zero(t));
		good &= trial_equal("window, end", ops->end_ns, sheet_int(cpu, "end_ns") + truth_zero(t));
		good &= trial_equal("window, wall", ops->wall_ns, sheet_int(cpu, "wall_ns"));
	}
	table_free(ops);
	trial_verdict(t, good, "window, %s of %s", at->window_name, at->source_name);
}

void check_host_partition(struct trial *t, const struct place *at)
{
	struct table *part = trial_view(t, "breakdown", at->source, at->window, BY_NONE, "cpu");
	const struct jval *cpu = jval_get(at->truth, "cpu");
	bool good = part && part->n_rows;

	if (part) {
		int64_t sum = column_sum(part, "time_ns", NULL, NULL), untraced = column_sum(part, "time_ns", "level2", "untraced");

		good &= trial_equal("wall", part->wall_ns, sheet_int(cpu, "wall_ns"));
		good &= trial_equal("sum of the rows", sum, sheet_int(cpu, "wall_ns"));
		good &= trial_equal("untraced", untraced, sheet_int(cpu, "untraced_ns"));
		good &= trial_equal("covered", sum - untraced, sheet_int(cpu, "covered_ns"));
	}
	table_free(part);
	trial_verdict(t, good, "breakdown cpu, %s of %s", at->window_name, at->source_name);
}

/* ---- Python ---- */

/* The number of a module and the address of an object are no part of a name: "nn.Module: Embedding_0", "<… at 0x7f30>". */
static size_t frame_key(const char *s, size_t n)
{
	static const char module[] = "nn.Module: ";
	const char *address = strstr(s, " at 0x");

	if (s[0] == '<' && address)
		return (size_t)(address - s);
	if (n < sizeof(module) || memcmp(s, module, sizeof(module) - 1) != 0)
		return n;
	while (n && s[n - 1] >= '0' && s[n - 1] <= '9')
		n--;
	return n && s[n - 1] == '_' ? n - 1 : n;
}

static void true_frames(struct sheet *s, const struct jval *python)
{
	for (const struct jval *m = jval_first(python); m; m = jval_next(m)) {
		const char *name = jval_key(m);
		int64_t *v = sheet_add(s, name, frame_key(name, strlen(name)));

		v[0] = sheet_int(m, "count");
		v[1] = sheet_int(m, "total_ns");
		v[2] = sheet_int(m, "self_ns");
	}
}

static void put_text(struct sbuf *b, const struct table *t, uint32_t row, const char *col)
{
	const struct cell *x = table_cell(t, row, (uint32_t)table_col(t, col));

	sbuf_put(b, x->type == CELL_STR ? x->v.s : "", x->type == CELL_STR ? x->len : 0);
}

/* "file(line): function" again, as torch writes it. */
static void seen_frames(struct sheet *s, const struct table *t)
{
	struct sbuf key = { 0 };

	for (uint32_t r = 0; r < t->n_rows; r++) {
		int64_t *v;

		sbuf_reset(&key);
		put_text(&key, t, r, "file");
		if (key.n)
			sbuf_printf(&key, "(%" PRId64 "): ", cell_int(t, r, "line"));
		put_text(&key, t, r, "function");
		v = sheet_add(s, sbuf_str(&key), key.n);
		v[0] = cell_int(t, r, "samples");
		v[1] = cell_int(t, r, "total_ns");
		v[2] = cell_int(t, r, "self_ns");
	}
	sbuf_fini(&key);
}

void check_python(struct trial *t, const struct place *at)
{
	static const char *const titles[] = { "count", "total_ns", "self_ns" };
	struct sheet got = { .width = 3, .titles = titles }, want = got;
	struct table *stacks = trial_view(t, "stacks", at->source, at->window, BY_NONE, "");
	char what[64];

	if (stacks)
		seen_frames(&got, stacks);
	true_frames(&want, jval_get(at->truth, "python"));
	table_free(stacks);
	snprintf(what, sizeof(what), "stacks, %s of %s", at->window_name, at->source_name);
	trial_sheets(t, what, &got, &want);
}

/* ---- a sampler's tree ---- */

/* Built-ins have no line: written as 0, unknown here. */
static int64_t line_of(const struct jval *frame)
{
	int64_t line = sheet_int(frame, "line");

	return line ? line : SHEET_UNKNOWN;
}

/* Whether a caller of the node is the same function: its time is in the caller's already. */
static bool recursive(const struct jval *frame, const struct table *t, uint32_t row)
{
	size_t n, m;
	const char *func = jval_text(jval_get(frame, "function"), &n), *file = jval_text(jval_get(frame, "file"), &m);
	int64_t line = line_of(frame);

	for (uint32_t up = t->parents[row]; up != ROW_NONE; up = t->parents[up])
		if (cell_is(t, up, "function", func) && cell_is(t, up, "file", file) && cell_int(t, up, "line") == line)
			return true;
	return false;
}

static bool check_frame(const struct jval *frame, const struct table *t, int64_t *nodes)
{
	size_t n;
	const char *func = jval_text(jval_get(frame, "function"), &n), *file = jval_text(jval_get(frame, "file"), &n);
	int64_t count = 0, total = 0, self = 0;
	bool good;

	for (uint32_t r = 0; r < t->n_rows; r++) {
		if (!cell_is(t, r, "function", func) || !cell_is(t, r, "file", file) || cell_int(t, r, "line") != line_of(frame))
			continue;
		count++;
		self += cell_int(t, r, "self_ns");
		total += recursive(frame, t, r) ? 0 : cell_int(t, r, "total_ns");
	}
	*nodes += count;
	good = trial_equal(func, count, sheet_int(frame, "nodes"));
	good &= trial_equal(func, total, sheet_int(frame, "total_ns"));
	return trial_equal(func, self, sheet_int(frame, "self_ns")) && good;
}

void check_sampler(struct trial *t)
{
	struct table *stacks = trial_view(t, "stacks", t->sampler, WINDOW_ALL, BY_NONE, "");
	const struct jval *want = jval_get(t->truth, "pyinstrument");
	int64_t nodes = 0;
	bool good = stacks && stacks->parents;

	for (const struct jval *f = good ? jval_first(jval_get(want, "frames")) : NULL; f; f = jval_next(f))
		good &= check_frame(f, stacks, &nodes);
	good &= trial_equal("frames that are known", nodes, sheet_int(want, "nodes"));
	good &= trial_equal("frames in all", stacks ? stacks->n_rows : 0, sheet_int(want, "nodes"));
	if (stacks)
		good &= trial_equal("sum of the own times", column_sum(stacks, "self_ns", NULL, NULL), sheet_int(want, "total_ns"));
	table_free(stacks);
	trial_verdict(t, good, "stacks of pyinstrument");
}

/* ---- steps, threads, contents ---- */

void check_steps(struct trial *t, const char *name, uint32_t source)
{
	struct spec sp = { { "step" }, { "start_ns", "dur_ns", "period_ns", "warmup", "partial", "outlier", "dataload_ns",
		"forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns", "microbatches" }, truth_zero(t) };
	char what[64];

	snprintf(what, sizeof(what), "steps of %s", name);
	trial_view_sheets(t, what, "steps", source, WINDOW_ALL, jval_get(t->truth, "steps"), &sp);
}

/* Kineto wraps the name that the system has: "thread 41210 (python3)". */
static void true_threads(struct sheet *s, const struct jval *threads, bool kineto)
{
	struct sbuf key = { 0 };

	for (const struct jval *m = jval_first(threads); m; m = jval_next(m)) {
		const char *name = jval_text(jval_get(m, "name"), &(size_t){ 0 }), *role = jval_text(jval_get(m, "role"), &(size_t){ 0 });
		int64_t *v, tid = sheet_int(m, "tid");

		sbuf_reset(&key);
		sbuf_printf(&key, "%" PRId64 " | %" PRId64 " | ", sheet_int(m, "pid"), tid);
		if (kineto)
			sbuf_printf(&key, "thread %" PRId64 " (%s)", tid, name);
		else
			sbuf_puts(&key, name);
		sbuf_printf(&key, " | %s", role);
		v = sheet_add(s, sbuf_str(&key), key.n);
		v[0] = sheet_int(m, "events");
		v[1] = sheet_int(m, "busy_ns");
	}
	sbuf_fini(&key);
}

void check_threads(struct trial *t, const char *name, uint32_t source)
{
	static const struct spec sp = { { "pid", "tid", "name", "role" }, { "events", "busy_ns" }, 0 };
	struct sheet got = { .width = 2, .titles = sp.cols }, want = got;
	struct table *table = trial_view(t, "threads", source, WINDOW_ALL, BY_NONE, "");
	char what[64];

	if (table)
		sheet_of_table(&got, table, &sp);
	true_threads(&want, jval_get(jval_get(t->truth, name), "threads"), source == t->torch);
	table_free(table);
	snprintf(what, sizeof(what), "threads of %s", name);
	trial_sheets(t, what, &got, &want);
}

static int64_t content(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_contents; i++) {
		size_t n;
		const char *s = profile_str(p, p->contents[i].what, &n);

		if (n == strlen(name) && memcmp(s, name, n) == 0)
			return (int64_t)p->contents[i].count;
	}
	return 0;
}

void check_contents(struct trial *t, const char *name, uint32_t source)
{
	const struct profile *p = t->session->sources[source].profile;
	const struct jval *events = jval_get(jval_get(t->truth, "events"), name);
	int64_t flows = 0;
	bool good = jval_first(events) != NULL;

	for (const struct jval *m = jval_first(events); m; m = jval_next(m)) {
		/* both ends of an arrow, of any category, are counted together */
		if (strcmp(jval_key(m), "ac2g") == 0 || strcmp(jval_key(m), "fwdbwd") == 0)
			flows += sheet_number(m);
		else
			good &= trial_equal(jval_key(m), content(p, jval_key(m)), sheet_number(m));
	}
	good &= trial_equal("arrows", content(p, "(flow)"), flows);
	good &= trial_equal("damage", p->n_damages, 0);
	trial_verdict(t, good, "contents of %s", name);
}
