/* overlap.c - the trace with events that overlap without nesting: parents, own times and their split to the ns, see checks.h */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/profile.h"
#include "tests/truth/checks.h"

/* The op of a name that the trace has once. */
static ev_id find_op(const struct profile *p, const char *name, size_t len)
{
	ev_id found = ID_NONE;

	for (ev_id e = p->layer_first[LAYER_OP]; e < p->layer_first[LAYER_OP + 1]; e++) {
		size_t n;
		const char *s = profile_str(p, p->name[e], &n);

		if (n != len || memcmp(s, name, n) != 0)
			continue;
		if (found != ID_NONE)
			return ID_NONE;
		found = e;
	}
	return found;
}

static bool check_event(const struct profile *p, const struct jval *want, ns_t zero)
{
	size_t n, m = 0;
	const char *name = jval_text(jval_get(want, "name"), &n), *parent = jval_text(jval_get(want, "parent"), &m);
	ev_id e = find_op(p, name, n);
	bool good;

	if (e == ID_NONE) {
		printf("# %s: not there\n", name);
		return false;
	}
	good = trial_equal(name, p->start[e] - zero, sheet_int(want, "start_ns"));
	good &= trial_equal(name, p->dur[e], sheet_int(want, "dur_ns"));
	good &= trial_equal(name, p->self[e], sheet_int(want, "self_ns"));
	if (p->parent[e] != (parent ? find_op(p, parent, m) : ID_NONE)) {
		printf("# %s: has another parent than %s\n", name, parent ? parent : "none");
		good = false;
	}
	return good;
}

/* Start of the earliest event: the file's zero does not say where the truth's is. */
static ns_t earliest(const struct trial *t)
{
	ns_t first = INT64_MAX;

	for (const struct jval *m = jval_first(jval_get(t->truth, "events")); m; m = jval_next(m))
		first = sheet_int(m, "start_ns") < first ? sheet_int(m, "start_ns") : first;
	return first;
}

static void check_events(struct trial *t, const struct profile *p, ns_t zero)
{
	int64_t sum = 0, overlaps = 0, known = 0;
	bool good = true;

	for (const struct jval *m = jval_first(jval_get(t->truth, "events")); m; m = jval_next(m), known++)
		good &= check_event(p, m, zero);
	for (ev_id e = p->layer_first[LAYER_OP]; e < p->layer_first[LAYER_OP + 1]; e++)
		sum += p->self[e];
	for (track_id i = p->layer_track[LAYER_OP]; i < p->layer_track[LAYER_OP + 1]; i++)
		overlaps += p->tracks[i].overlaps;
	trial_verdict(t, good && known, "overlap: start, length, parent and own time of each event");
	good = trial_equal("events", p->layer_first[LAYER_OP + 1] - p->layer_first[LAYER_OP], known);
	good &= trial_equal("sum of own times", sum, sheet_int(t->truth, "self_sum_ns"));
	good &= trial_equal("overlapping events", overlaps, sheet_int(t->truth, "overlapping"));
	trial_verdict(t, good, "overlap: sums");
}

static void check_sums(struct trial *t, const char *partition, const char *member)
{
	struct table *part = trial_view(t, "breakdown", t->torch, WINDOW_ALL, BY_NONE, partition);
	bool good = part && part->n_rows;

	if (part) {
		good &= trial_equal("wall", part->wall_ns, sheet_int(t->truth, member));
		good &= trial_equal("sum of the rows", column_sum(part, "time_ns", NULL, NULL), sheet_int(t->truth, member));
	}
	table_free(part);
	trial_verdict(t, good, "overlap: breakdown %s", partition);
}

void check_overlap(struct trial *t)
{
	static const struct spec ops = { { "name" }, { "count", "total_ns", "self_ns", "sync_ns", "launch_ns", "memcpy_ns",
		"other_runtime_ns", "host_ns", "exposed_ns", "device_ns" }, 0 };
	static const struct spec tree = { { "name" }, { "count", "total_ns", "self_ns", "sync_ns", "launch_ns", "memcpy_ns",
		"other_runtime_ns", "host_ns" }, 0 };
	const struct profile *p;

	if (!trial_verdict(t, t->torch != TRIAL_NONE, "overlap: the trace is there"))
		return;
	p = t->session->sources[t->torch].profile;
	check_events(t, p, p->first_ns - earliest(t));
	trial_view_sheets(t, "overlap: ops", "ops", t->torch, WINDOW_ALL, jval_get(t->truth, "events"), &ops);
	trial_view_sheets(t, "overlap: optree", "optree", t->torch, WINDOW_ALL, jval_get(t->truth, "events"), &tree);
	check_sums(t, "cpu", "cpu_window_ns");
	check_sums(t, "gpu:0", "gpu_window_ns");
	check_sums(t, "joint:0", "gpu_window_ns");
}
