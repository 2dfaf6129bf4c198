/* whatif.c - view `whatif`: how long a step would be with something changed (replay.h), one row per change on top of those before it */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "calc/stats.h"
#include "replay/replay.h"
#include "scope/columns.h"
#include "scope/device_window.h"
#include "scope/selections.h"

enum { C_CHANGE, C_DEVICE, C_STEP, C_REPLAYED, C_GAIN, C_SHARE, C_LOW, C_HIGH, C_BOUND, C_TRUSTED, C_WHY, C_EXPLAINED, C_INFERRED };

static const struct column_def cols[] = {
	[C_CHANGE] = { "change", N_("Change"), UNIT_TEXT, COL_KEY, 0, N_("what is changed, on top of the rows above") },
	[C_DEVICE] = { "device", N_("GPU"), UNIT_ID, 0, 7, N_("the device that the process works with, where it is one") },
	[C_STEP] = { "step_ns", N_("Step"), UNIT_NS, 0, 1, N_("median step as recorded; without steps the whole capture") },
	[C_REPLAYED] = { "replayed_ns", N_("Then"), UNIT_NS, COL_BAR, 0, N_("median step of the replay with the changes made") },
	[C_GAIN] = { "gain_ns", N_("Gain"), UNIT_NS, 0, 0, N_("by how much it is shorter; negative: longer") },
	[C_SHARE] = { "gain_share", N_("Gain %"), UNIT_RATIO, 0, 1, N_("of the recorded step") },
	[C_LOW] = { "low_ns", N_("At least"), UNIT_NS, 0, 4, N_("the smallest gain of a step of the window") },
	[C_HIGH] = { "high_ns", N_("At most"), UNIT_NS, 0, 4, N_("the largest gain of a step of the window") },
	[C_BOUND] = { "bound_after", N_("Then bound by"), UNIT_TEXT, 0, 3, N_("what then makes up most of the critical path; the word of the view critical") },
	[C_TRUSTED] = { "trusted", N_("Trusted"), UNIT_BOOL, 0, 2, N_("whether the replay explains enough of the recorded run") },
	[C_WHY] = { "why_not", N_("Why not"), UNIT_TEXT, COL_NAME, 3, N_("why it does not") },
	[C_EXPLAINED] = { "explained_share", N_("Explained"), UNIT_RATIO, 0, 5,
		N_("share of the recorded time of the steps that what waits for what explains; below 0.9 nothing is replayed") },
	[C_INFERRED] = { "inferred_share", N_("Inferred"), UNIT_RATIO, 0, 6,
		N_("share of the waiting of device work for other streams that is inferred, not recorded") },
	SOURCE_COLS
};

struct whatif {
	const struct selection *k;
	const struct replay_graph *g;
	const struct changes *changes;
	struct table *t;
	ns_t *times;		/* per step of the graph, for each number of changes */
	uint64_t *found;	/* per change */
	struct replay_paths **paths;	/* per number of changes */
	bool whole;		/* a process without steps was seen */
};

/* Medians and gains of the steps of a process that the window holds. */
struct gains {
	struct stats recorded, replayed, gain;
};

static void add_steps(const struct whatif *v, uint32_t proc, const ns_t *times, struct gains *out)
{
	uint32_t n;
	const struct replay_step *steps = replay_steps(v->g, &n);
	struct spans w = { 0 };

	selection_proc_window(v->k, proc, &w);
	for (uint32_t i = 0; i < n; i++) {
		if (steps[i].proc != proc || (steps[i].step != ID_NONE && !spans_contain(&w, steps[i].start)))
			continue;
		stats_add(&out->recorded, steps[i].end - steps[i].start);
		stats_add(&out->replayed, times[i]);
		stats_add(&out->gain, steps[i].end - steps[i].start - times[i]);
	}
	spans_fini(&w);
}

/* The largest category of the critical paths of the steps. */
struct categories {
	const struct facts *f;
	const char *name[PATH_KIND_N + 2];
	ns_t ns[PATH_KIND_N + 2];
	unsigned n;
};

static void add_category(void *arg, const struct path_piece *piece)
{
	struct categories *cs = arg;
	const char *name = path_category(cs->f, piece);
	unsigned i = 0;

	while (i < cs->n && cs->name[i] != name && strcmp(cs->name[i], name) != 0)
		i++;
	if (i == cs->n)
		cs->name[cs->n++] = name;
	cs->ns[i] += piece->end - piece->start;
}

static const char *bound_by(const struct whatif *v, uint32_t proc, const struct replay_paths *ps)
{
	uint32_t n;
	const struct replay_step *steps = replay_steps(v->g, &n);
	struct categories cs = { .f = v->k->f };
	struct spans w = { 0 };
	unsigned best = 0;

	selection_proc_window(v->k, proc, &w);
	for (uint32_t i = 0; i < n; i++)
		if (steps[i].proc == proc && (steps[i].step == ID_NONE || spans_contain(&w, steps[i].start)))
			replay_path(ps, i, add_category, &cs);
	spans_fini(&w);
	for (unsigned i = 1; i < cs.n; i++)
		if (cs.ns[i] > cs.ns[best])
			best = i;
	return cs.n ? cs.name[best] : NULL;
}

/* The only device that the process works with; -1: none, or several. */
static int64_t only_device(const struct selection *k, uint32_t proc)
{
	int64_t device = -1;
	unsigned n = 0;

	for (uint32_t i = 0; i < k->f->n_devices; i++)
		if (device_proc(k, k->f->devices[i].device) == proc) {
			device = k->f->devices[i].device;
			n++;
		}
	return n == 1 ? device : -1;
}

static void put_row(struct whatif *v, uint32_t proc, size_t change)
{
	struct table *t = v->t;
	uint32_t n, row;
	struct gains gs = { 0 };
	struct replay_trust trust;
	int64_t device = only_device(v->k, proc);

	replay_steps(v->g, &n);
	add_steps(v, proc, v->times + change * n, &gs);
	if (!stats_n(&gs.recorded))
		return;
	row = table_row(t);
	replay_trust(v->g, v->k, proc, &trust);
	table_cstr(t, row, C_CHANGE, v->changes->a[change].text);
	if (device >= 0)
		table_i64(t, row, C_DEVICE, device);
	table_i64(t, row, C_STEP, stats_lower_median(&gs.recorded));
	if (trust.trusted) {
		ns_t step = stats_lower_median(&gs.recorded), then = stats_lower_median(&gs.replayed);

		table_i64(t, row, C_REPLAYED, then);
		table_i64(t, row, C_GAIN, step - then);
		if (step > 0)
			table_f64(t, row, C_SHARE, (double)(step - then) / (double)step);
		table_i64(t, row, C_LOW, gs.gain.min);
		table_i64(t, row, C_HIGH, gs.gain.max);
		table_cstr(t, row, C_BOUND, v->paths[change] ? bound_by(v, proc, v->paths[change]) : NULL);
	}
	table_bool(t, row, C_TRUSTED, trust.trusted);
	table_cstr(t, row, C_WHY, trust.why_not ? _(trust.why_not) : NULL);
	if (trust.window_ns > 0)
		table_f64(t, row, C_EXPLAINED, trust.explained);
	table_f64(t, row, C_INFERRED, trust.inferred);
	an_row_source(t, row, v->k, v->k->f->procs[proc].pid);
	stats_fini(&gs.recorded);
	stats_fini(&gs.replayed);
	stats_fini(&gs.gain);
}

static void put_notes(struct whatif *v)
{
	for (size_t i = 0; i < v->changes->n; i++)
		if (!v->found[i])
			table_note(v->t, _("%s: nothing of %s matches, so nothing changes"), v->changes->a[i].text, v->k->src->path);
	for (uint32_t i = 0; i < v->k->f->n_procs; i++)
		v->whole |= v->k->f->procs[i].training && !v->k->f->procs[i].n_steps;
	if (v->whole)
		table_note(v->t, _("%s: no step markers, the whole capture is one window"), v->k->src->path);
	for (uint32_t i = 0; i < v->k->f->n_devices; i++)
		if (v->k->f->devices[i].busy[BUSY_COMM].n) {
			table_note(v->t, _("%s: collectives keep their recorded length, waiting for other ranks is in it"), v->k->src->path);
			break;
		}
}

static bool put_source(const struct selection *k, struct table *t, struct err *e)
{
	struct whatif v = { .k = k, .g = replay_graph(k->f), .changes = k->cx->changes, .t = t };
	uint32_t n;
	bool ok = true;

	replay_steps(v.g, &n);
	v.times = xcalloc((size_t)n * v.changes->n + 1, sizeof(*v.times));
	v.found = xcalloc(v.changes->n + 1, sizeof(*v.found));
	v.paths = xcalloc(v.changes->n + 1, sizeof(struct replay_paths *));
	for (size_t i = 0; i < v.changes->n && ok; i++) {
		ok = replay_step_times(v.g, k, v.changes->a, i + 1, v.times + i * n, v.found, e);
		v.paths[i] = ok ? replay_paths_new(v.g, k, v.changes->a, i + 1, e) : NULL;
		ok = ok && v.paths[i];
	}
	for (uint32_t p = 0; p < k->f->n_procs && ok; p++)
		for (size_t i = 0; i < v.changes->n && k->f->procs[p].training; i++)
			put_row(&v, p, i);
	if (ok)
		put_notes(&v);
	free(v.times);
	for (size_t i = 0; i < v.changes->n; i++)
		replay_paths_free(v.paths[i]);
	free(v.paths);
	free(v.found);
	return ok;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct selections ps;
	bool ok;

	if (!cx->changes) {
		table_note(t, _("no change was asked for: profdive whatif --change 'scale class:GEMM 0.5' PATH"));
		return true;
	}
	ok = selections_open(&ps, cx, sc, NEED_JOINT, t, _("no source with both host and device work"), e);
	for (uint32_t i = 0; i < ps.n && ok; i++)
		ok = put_source(&ps.a[i], t, e);
	selections_close(&ps);
	return ok;
}

const struct analysis an_whatif = {
	.id = "whatif", .title = N_("What if"), .doc = N_("how long a step would be with something changed, by replaying the run"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
