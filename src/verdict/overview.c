/*
 * overview.c - view `overview`: why is my step slow, answered in sentences. Every figure is taken from a table of another
 * analysis; this file only chooses and words.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sbuf.h"
#include "base/sorted.h"
#include "base/text.h"
#include "base/vec.h"
#include "calc/groups.h"
#include "measure/device_state.h"
#include "measure/py_dump.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "scope/found_on.h"
#include "table/get.h"
#include "table/shape.h"
#include "verdict/loss_rank.h"
#include "verdict/no_verdict.h"
#include "verdict/overview_impl.h"
#include "verdict/session_runs.h"

static const struct column_def cols[] = {
	[C_SECTION] = { "section", N_("Section"), UNIT_TEXT, COL_KEY, 1,
		N_("verdict, dump, step, gpu, copies, joint, cpu, loss, source, damaged or missing") },
	[C_TEXT] = { "text", N_("What"), UNIT_TEXT, COL_NAME, 0, N_("a finished sentence") },
	[C_VALUE] = { "value_ns", N_("Time"), UNIT_NS, 0, 0, N_("the time behind the sentence; for losses an upper bound of the gain, per step where there are steps") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 0, N_("of the window") },
	[C_GOTO] = { "goto", N_("Pane"), UNIT_ID, 0, 1, N_("the pane that shows it in detail") },
	[C_TITLE] = { "title", N_("Title"), UNIT_TEXT, COL_JSON_ONLY, 9, N_("of a loss: the sentence without its figures") },
	[C_SOURCE] = { "source", N_("Source"), UNIT_TEXT, 0, 9, N_("file that the figures come from") },
};

/* roles: of the threads, where the scope chooses none; 0 all. */
static struct table *view_of_roles(const struct say *s, const char *id, const char *partition, uint32_t roles)
{
	struct scope sc = *s->sc;

	sc.by = BY_NONE;
	if (!scope_of_threads(&sc))
		sc.roles = roles;
	scope_set_partition(&sc, partition, strlen(partition));
	return analysis_table(context_view(s->cx, id), s->cx, &sc, NULL);
}

static struct table *view(const struct say *s, const char *id, const char *partition)
{
	return view_of_roles(s, id, partition, 0);
}

/* Whether the table has rows of several, and this row's is known. */
static bool one_of_several(const struct table *t, uint32_t row, const char *col)
{
	int64_t own = get_i64(t, row, col);

	for (uint32_t r = 0; r < t->n_rows && own != I64_UNKNOWN; r++)
		if (get_i64(t, r, col) != own && get_i64(t, r, col) != I64_UNKNOWN)
			return true;
	return false;
}

/* Whose row it is, where the table has rows of several ranks: figures of one rank must not pass for those of all. */
static const char *rank_of(const struct say *s, const struct table *t, uint32_t row)
{
	return one_of_several(t, row, "rank") ? arena_printf(&s->t->arena, _("rank %" PRId64 ": "), get_i64(t, row, "rank")) : "";
}

/* The same of rows per process; ranks are processes that have a better name. */
static const char *process_of(const struct say *s, const struct table *t, uint32_t row)
{
	bool named = one_of_several(t, row, "rank") || !one_of_several(t, row, "process");

	return named ? rank_of(s, t, row) : arena_printf(&s->t->arena, _("process %" PRId64 ": "), get_i64(t, row, "process"));
}

/* Sum of a column; unknown cells count nothing. */
static int64_t total(const struct table *t, const char *col)
{
	int64_t sum = 0, v;

	for (uint32_t r = 0; r < t->n_rows; r++)
		if ((v = get_i64(t, r, col)) != I64_UNKNOWN)
			sum += v;
	return sum;
}

/* ---- losses: the findings ---- */

struct loss {
	uint32_t row;		/* of the table of findings: that with the largest loss of its rule */
};
typedef VEC(struct loss) loss_list;

/* One line per rule, the files of a run together; remarks are left to the pane of findings. */
static void collect_losses(const struct table *t, loss_list *out)
{
	for (uint32_t r = 0; r < t->n_rows; r++) {
		size_t i = 0;

		if (get_is(t, r, "severity", "info"))
			continue;
		while (i < out->n && !get_same(t, out->a[i].row, r, "id"))
			i++;
		if (i == out->n)
			VEC_PUSH(out, (struct loss){ r });
		else if (loss_ranks_before(t, r, out->a[i].row))
			out->a[i].row = r;
	}
	for (size_t i = 1; i < out->n; i++)
		for (size_t k = i; k && loss_ranks_before(t, out->a[k].row, out->a[k - 1].row); k--) {
			struct loss x = out->a[k];

			out->a[k] = out->a[k - 1];
			out->a[k - 1] = x;
		}
}

static enum pane first_pane(const struct table *t, uint32_t row)
{
	int n;
	const char *s = get_str(t, row, "panes", &n);

	return n && *s >= '1' && *s <= '9' ? (enum pane)(*s - '0') : PANE_FINDINGS;
}

enum { WHO_MAX = 256 };

/* On which ranks, or in how many files, the finding is. */
static void put_who(const struct table *t, uint32_t row, char *out)
{
	struct sbuf b = { 0 };

	found_on(t, row, &b);
	snprintf(out, WHO_MAX, "%s", sbuf_str(&b));
	sbuf_fini(&b);
}

static void say_losses(const struct say *s, const struct table *t, const loss_list *losses)
{
	for (size_t i = 0; i < losses->n; i++) {
		uint32_t r = losses->a[i].row, row;
		int64_t ns = get_i64(t, r, "saves_ns"), gain = get_i64(t, r, "gain_ns");
		enum gain_rank told = loss_gain_rank(t, r);
		int n;
		const char *title = get_str(t, r, "title", &n);
		char a[NUM_TEXT_MAX], files[WHO_MAX];
		double share = loss_share(t, r, "share");

		put_who(t, r, files);
		if (told == GAIN_TOLD)
			row = overview_say(s, "loss", gain, loss_share(t, r, "gain_share"), first_pane(t, r),
				_("%.*s: %s shorter per step when replayed without it%s"), n, title, num_ns(gain, a), files);
		else if (told == GAIN_NONE)
			row = overview_say(s, "loss", 0, 0, first_pane(t, r),
				_("%.*s: hidden behind others, no gain when replayed without it%s"), n, title, files);
		else if (ns == I64_UNKNOWN)
			row = overview_say(s, "loss", ns, share, first_pane(t, r), "%.*s%s", n, title, files);
		else if (get_is(t, r, "per", "step"))
			row = overview_say(s, "loss", ns, share, first_pane(t, r), _("%.*s: at most %s per step%s"), n, title, num_ns(ns, a), files);
		else
			row = overview_say(s, "loss", ns, share, first_pane(t, r), _("%.*s: at most %s%s"), n, title, num_ns(ns, a), files);
		table_str(s->t, row, C_TITLE, title, (size_t)n);
		s->t->refs[row] = t->refs[r].kind == REF_TIME ? t->refs[r] : s->t->refs[row];
	}
}

/* Several sources of a run see the same steps: those of the first source and process count. */
static bool steady_step(const struct table *steps, uint32_t r)
{
	return get_same(steps, r, 0, "source") && get_same(steps, r, 0, "process") && !get_bool(steps, r, "warmup") &&
		!get_bool(steps, r, "partial");
}

/* ---- verdict ---- */

#define VERDICT_SHARE 0.15	/* of the window: a smaller loss does not bind the step */

static bool binds(const struct table *t, uint32_t row)
{
	enum gain_rank told = loss_gain_rank(t, row);
	double share = loss_share(t, row, told == GAIN_UNKNOWN ? "share" : "gain_share");

	return told != GAIN_NONE && (share < 0 || share >= VERDICT_SHARE);
}

/* The largest finding that has a sentence for it speaks; what makes it no verdict is said behind. */
static bool say_finding(const struct say *s, const struct table *t, const loss_list *losses)
{
	for (uint32_t i = 0; i < losses->n + t->n_rows; i++) {
		uint32_t r = i < losses->n ? losses->a[i].row : i - (uint32_t)losses->n;
		int n, m;
		const char *text = get_str(t, r, "verdict", &n), *caution = get_str(t, r, "caution", &m);

		char files[WHO_MAX] = "";

		if (!n || !binds(t, r))
			continue;
		if (get_is(t, r, "section", "error"))
			m = 0;	/* an error is one, however few steps there are */
		if (i < losses->n)
			put_who(t, r, files);
		if (m)
			overview_say(s, "verdict", get_i64(t, r, "window_loss_ns"), -1, PANE_FINDINGS, get_is(t, r, "confidence", "low") ?
				_("%.*s%s (No verdict yet: %.*s.)") : _("%.*s%s (Doubtful: %.*s.)"), n, text, files, m, caution);
		else
			overview_say(s, "verdict", get_i64(t, r, "window_loss_ns"), -1, PANE_FINDINGS, "%.*s%s", n, text, files);
		return true;
	}
	return false;
}

/* The damage that took the durations of events; NULL: none did. */
static const struct damage *lost_durations(const struct say *s)
{
	for (uint32_t i = 0; i < s->cx->session->n_sources; i++) {
		const struct profile *p = s->cx->session->sources[i].profile;

		for (uint32_t d = 0; p && d < p->n_damages; d++)
			if (strstr(p->damages[d].what, "duration") || strstr(p->damages[d].what, "end before"))
				return &p->damages[d];
	}
	return NULL;
}

/*
 * GPU work that takes no time at all, for its durations were refused, or the window is none: no share of it is known, and no finding
 * about idle time true.
 */
static bool say_no_time(const struct say *s, int64_t window, int64_t idle_ns)
{
	const struct damage *d = lost_durations(s);

	if (window > 0 && (!d || idle_ns < window))
		return false;
	if (d)
		overview_say(s, "verdict", I64_UNKNOWN, -1, PANE_NONE, _("No verdict: all GPU work was refused as damaged (%s: %" PRIu64 ")."), _(d->what),
			d->count);
	else
		overview_say(s, "verdict", I64_UNKNOWN, -1, PANE_NONE, _("No verdict: the GPU work takes no time."));
	return true;
}

/* A fault that has a sentence for the verdict comes before all others. */
static bool has_fault(const struct table *t)
{
	int n;

	for (uint32_t r = 0; r < t->n_rows; r++) {
		get_str(t, r, "verdict", &n);
		if (n && get_is(t, r, "section", "error"))
			return true;
	}
	return false;
}

/* Where nothing that is recorded can bind the run: it failed, the GPU does next to nothing, or it is not known what it does. */
static bool say_no_bound(const struct say *s, const struct table *gpu, const struct table *t, const loss_list *losses)
{
	struct sbuf b = { 0 };
	bool said = has_fault(t) && say_finding(s, t, losses);

	if (!said && (no_verdict_small(s->cx, s->sc, gpu, &b) || no_verdict_doubt(gpu, &b))) {
		overview_say(s, "verdict", I64_UNKNOWN, -1, PANE_FINDINGS, "%s", sbuf_str(&b));
		said = true;
	}
	sbuf_fini(&b);
	return said;
}

static void say_verdict(const struct say *s, const struct table *gpu, const struct table *t, const loss_list *losses)
{
	int64_t window = total(gpu, "window_ns"), compute = total(gpu, "compute_ns"), idle_ns = total(gpu, "idle_ns");
	bool many = gpu->n_rows > 1;
	char pct[NUM_TEXT_MAX], pct2[NUM_TEXT_MAX];
	double w = (double)window;
	int n = 0;
	const char *first = "", *lead = "";
	struct sbuf but = { 0 };

	if (say_no_time(s, window, idle_ns) || say_no_bound(s, gpu, t, losses) || say_finding(s, t, losses))
		return;
	for (size_t i = 0; i < losses->n && !n; i++)	/* an error loses no time */
		if (!get_is(t, losses->a[i].row, "section", "error") && loss_gain_rank(t, losses->a[i].row) != GAIN_NONE) {
			first = get_str(t, losses->a[i].row, "title", &n);
			lead = loss_gain_rank(t, losses->a[i].row) == GAIN_TOLD ? _(" What gains most: ") : _(" Largest loss: ");
		}
	no_verdict_caution(s->cx, s->sc, &but);
	if (compute >= window / 10 * 9)
		overview_say(s, "verdict", compute, (double)compute / w, PANE_FINDINGS,
			many ? _("GPU-bound: %s of the time the GPUs compute.%s%.*s%s%s") : _("GPU-bound: %s of the time the GPU computes.%s%.*s%s%s"),
			num_pct((double)compute / w, pct), n ? lead : "", n, first, n ? "." : "", sbuf_str(&but));
	else
		overview_say(s, "verdict", compute, (double)compute / w, PANE_FINDINGS,
			many ? _("No single cause stands out: the GPUs compute %s of the time and are idle %s.%s%.*s%s%s") :
			_("No single cause stands out: the GPU computes %s of the time and is idle %s.%s%.*s%s%s"),
			num_pct((double)compute / w, pct), num_pct((double)idle_ns / w, pct2), n ? lead : "", n, first, n ? "." : "",
			sbuf_str(&but));
	sbuf_fini(&but);
}

/* ---- the lines below it ---- */

/* The phases with their shares; those that no step has are left out, and of a training step it is said what cannot be told. */
static void put_phases(struct sbuf *b, const int64_t sum[PHASE_N], const bool known[PHASE_N], int64_t all)
{
	static const char *const words[PHASE_N] = { N_("dataload"), N_("forward"), N_("backward"), N_("recompute"), N_("optimizer"), N_("other") };
	char pct[NUM_TEXT_MAX];

	for (int i = 0; i < PHASE_N && all; i++) {
		if (!sum[i])
			continue;
		sbuf_puts(b, b->n ? _(", ") : "");
		sbuf_printf(b, "%s %s", _(words[i]), num_pct((double)sum[i] / (double)all, pct));
	}
	if (all && sum[PHASE_OTHER] == all) {
		sbuf_reset(b);
		sbuf_puts(b, _("nothing tells their phases"));
	} else if (sum[PHASE_BACKWARD] && !known[PHASE_FORWARD]) {
		sbuf_puts(b, _(", among it forward, which nothing tells"));
	}
}

static void say_steps(struct say *s, const struct table *steps)
{
	static const char *const phases[] = { "dataload_ns", "forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns" };
	int per = table_col(steps, "period_ns");
	int64_t sum[PHASE_N] = { 0 }, all = 0;
	bool known[PHASE_N] = { false };
	char med[NUM_TEXT_MAX], p90[NUM_TEXT_MAX];
	struct sbuf told = { 0 };
	VEC(int64_t) v = { 0 };

	for (uint32_t r = 0; r < steps->n_rows; r++) {
		if (!steady_step(steps, r))
			continue;
		VEC_PUSH(&v, table_cell(steps, r, (uint32_t)per)->v.i);
		all += v.a[v.n - 1];
		for (int i = 0; i < PHASE_N; i++) {
			int64_t ns = get_i64(steps, r, phases[i]);

			known[i] |= ns != I64_UNKNOWN;
			sum[i] += ns == I64_UNKNOWN ? 0 : ns;
		}
	}
	if (!v.n) {
		overview_say(s, "step", I64_UNKNOWN, -1, PANE_NONE, _("no complete steady step: the whole capture is one window"));
		return;
	}
	i64_sort(v.a, v.n);
	put_phases(&told, sum, known, all);
	s->rank = rank_of(s, steps, 0);
	overview_say(s, "step", sorted_median(v.a, v.n), -1, PANE_TIMELINE,
		ngettext("step: median %s, p90 %s over %zu steady step; %s", "step: median %s, p90 %s over %zu steady steps; %s", v.n),
		num_ns(sorted_median(v.a, v.n), med), num_ns(sorted_p90(v.a, v.n), p90), v.n, sbuf_str(&told));
	sbuf_fini(&told);
	s->rank = "";
	VEC_FREE(&v);
}

static void say_gpus(const struct say *s, const struct table *gpu)
{
	for (uint32_t r = 0; r < gpu->n_rows; r++) {
		int64_t w = get_i64(gpu, r, "window_ns");
		char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX], c[NUM_TEXT_MAX], d[NUM_TEXT_MAX], e[NUM_TEXT_MAX];
		double f = 1.0 / (double)(w > 0 ? w : 1);
		int n, m, k;
		const char *name = get_str(gpu, r, "name", &n), *source = get_str(gpu, r, "source", &m);
		uint32_t row;

		if (w <= 0) {
			row = overview_say(s, "gpu", I64_UNKNOWN, -1, PANE_KERNELS, _("GPU %" PRId64 "%s%.*s: no work that takes time"),
				get_i64(gpu, r, "device"), n ? " " : "", n, name);
			table_str(s->t, row, C_SOURCE, source, (size_t)m);
			continue;
		}
		get_str(gpu, r, "doubt", &k);
		row = overview_say(s, "gpu", get_i64(gpu, r, "compute_ns"), (double)get_i64(gpu, r, "compute_ns") * f, PANE_KERNELS, k ?
			_("GPU %" PRId64 "%s%.*s: compute %s, communication %s, copies %s, idle or not recorded %s of %s") :
			_("GPU %" PRId64 "%s%.*s: compute %s, communication %s, copies %s, idle %s of %s"), get_i64(gpu, r, "device"), n ? " " : "",
			n, name,
			num_pct((double)get_i64(gpu, r, "compute_ns") * f, a), num_pct((double)get_i64(gpu, r, "exposed_comm_ns") * f, b),
			num_pct((double)get_i64(gpu, r, "exposed_memcpy_ns") * f, c), num_pct((double)get_i64(gpu, r, "idle_ns") * f, d), num_ns(w, e));

		table_str(s->t, row, C_SOURCE, source, (size_t)m);
	}
}

/* Rows of a table in falling order of a column. */
static uint32_t *ranked(const struct table *t, const char *col, struct table_view *v)
{
	table_view_make(v, t, table_col(t, col), true, NULL, 0);
	return v->rows;
}

static void say_copies(struct say *s)
{
	struct table *t = view(s, "memcpy", "");
	struct table_view v = { 0 };

	for (uint32_t i = 0; t && i < t->n_rows && i < 4; i++) {
		uint32_t r = ranked(t, "time_ns", &v)[i];
		int64_t ns = get_i64(t, r, "time_ns"), bytes = get_i64(t, r, "bytes");
		char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX];
		int nk, ns_, nd;
		const char *kind = get_str(t, r, "kind", &nk), *src = get_str(t, r, "src", &ns_), *dst = get_str(t, r, "dst", &nd);

		s->rank = rank_of(s, t, r);
		if (bytes == I64_UNKNOWN || ns <= 0)
			overview_say(s, "copies", ns, -1, PANE_TRANSFERS, ngettext("%.*s: %" PRId64 " copy of unknown size or rate, %s",
				"%.*s: %" PRId64 " copies of unknown size or rate, %s", (unsigned long)get_i64(t, r, "count")), nk, kind,
				get_i64(t, r, "count"), num_ns(ns, a));
		else
			overview_say(s, "copies", ns, -1, PANE_TRANSFERS, _("%.*s %s, %.*s to %.*s, at %s"), nk, kind, num_bytes(bytes, a), ns_, src,
				nd, dst, num_rate((double)bytes / (double)ns, b));
		table_view_fini(&v);
	}
	s->rank = "";
	table_free(t);
}

/* Device state x level 1 of the host, the largest ones. doubt: it is not known when the device is idle. */
static void say_joint(const struct say *s, bool doubt)
{
	struct table *t = view(s, "breakdown", "joint");
	struct { const char *l1, *l2; int n1, n2; int64_t ns; } sums[GPU_STATE_N * L1_N];
	size_t n = 0;

	for (uint32_t r = 0; t && r < t->n_rows; r++) {
		int n1, n2;
		const char *l1 = get_str(t, r, "level1", &n1), *l2 = get_str(t, r, get_is(t, r, "level3", "untraced") ? "level3" : "level2", &n2);
		size_t i = 0;

		while (i < n && (sums[i].n1 != n1 || sums[i].n2 != n2 || memcmp(sums[i].l1, l1, (size_t)n1) || memcmp(sums[i].l2, l2, (size_t)n2)))
			i++;
		if (i == sizeof(sums) / sizeof(*sums))
			continue;
		if (i == n) {
			sums[n].l1 = l1;
			sums[n].l2 = l2;
			sums[n].n1 = n1;
			sums[n].n2 = n2;
			sums[n++].ns = 0;
		}
		sums[i].ns += get_i64(t, r, "time_ns");
	}
	for (int shown = 0; shown < 6; shown++) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (sums[i].ns > 0 && (best == n || sums[i].ns > sums[best].ns))
				best = i;
		if (best == n)
			break;
		if (doubt && sums[best].n1 == 4 && !memcmp(sums[best].l1, "idle", 4)) {
			sums[best].l1 = _("idle or not recorded");
			sums[best].n1 = (int)strlen(sums[best].l1);
		}
		overview_say(s, "joint", sums[best].ns, t->wall_ns > 0 ? (double)sums[best].ns / (double)t->wall_ns : -1, PANE_BREAKDOWN,
			_("device: %.*s while the host: %.*s"), sums[best].n1, sums[best].l1, sums[best].n2, sums[best].l2);
		sums[best].ns = 0;
	}
	table_free(t);
}

static void say_waits(struct say *s)
{
	struct scope sc = *s->sc;
	struct table *t;

	sc.by = BY_PROCESS;	/* two processes wait at the same time: no sum of them is a time */
	t = analysis_table(context_view(s->cx, "sync"), s->cx, &sc, NULL);
	for (uint32_t r = 0; t && r < t->n_rows; r++) {
		char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX], c[NUM_TEXT_MAX];
		int n;
		const char *type = get_str(t, r, "type", &n);
		int64_t ns = get_i64(t, r, "time_ns"), busy = get_i64(t, r, "busy_ns"), lost = get_i64(t, r, "lost_ns");

		s->rank = process_of(s, t, r);
		if (ns > 0 && !get_is(t, r, "type", "stream-wait"))
			overview_say(s, "cpu", ns, -1, PANE_TRANSFERS, ngettext("host waits %s in %.*s synchronisation (%" PRId64 " call): device busy %s, idle %s",
				"host waits %s in %.*s synchronisation (%" PRId64 " calls): device busy %s, idle %s", (unsigned long)get_i64(t, r, "count")),
				num_ns(ns, a), n, type, get_i64(t, r, "count"), busy == I64_UNKNOWN ? "?" : num_ns(busy, b),
				lost == I64_UNKNOWN ? "?" : num_ns(lost, c));
	}
	s->rank = "";
	table_free(t);
}

/* What the host did, in two words: of events, of a sampler's timed frames, of frames that are only counted. */
static const struct host_words {
	const char *view, *partition, *l2, *sum;
	enum pane pane;
} host_words[] = {
	{ "breakdown", "cpu", "level2", "time_ns", PANE_BREAKDOWN },
	{ "frameworks", "", "operation", "self_ns", PANE_PYTHON },
	{ "frameworks", "", "operation", "samples", PANE_PYTHON },
};

/* Of a sampler those of the threads that issue work, where one is known: what workers and feeders wait says nothing of the step. */
static struct table *host_rows(const struct say *s, const struct host_words *w)
{
	struct table *t = view_of_roles(s, w->view, w->partition, 1u << ROLE_MAIN | 1u << ROLE_AUTOGRAD);

	if (t && !t->n_rows) {
		table_free(t);
		t = view(s, w->view, w->partition);
	}
	return t;
}

/* The largest ones, each once, with their share of all. False where the view knows nothing. */
static bool say_largest(const struct say *s, const struct host_words *w)
{
	struct table *rows = host_rows(s, w), *t = NULL;
	struct table_view v = { 0 };
	int64_t all = rows && rows->n_rows ? total(rows, w->sum) : 0;

	if (all > 0) {
		const uint32_t keys[] = { (uint32_t)table_col(rows, "level1"), (uint32_t)table_col(rows, w->l2) };
		const uint32_t sum = (uint32_t)table_col(rows, w->sum);

		t = table_group(rows, NULL, keys, 2, &sum, 1, NULL);
		table_view_make(&v, t, table_col(t, w->sum), true, NULL, 0);
	}
	for (uint32_t i = 0; i < v.n && i < 5; i++) {
		bool timed = strcmp(w->sum, "samples") != 0;
		int n1, n2;
		const char *l1 = get_str(t, v.rows[i], "level1", &n1), *l2 = get_str(t, v.rows[i], w->l2, &n2);
		int64_t x = get_i64(t, v.rows[i], w->sum);
		char shown[128], a[NUM_TEXT_MAX];

		text_fit(shown, sizeof(shown), l2, (size_t)n2, 60, TEXT_CUT_MIDDLE);
		if (timed)
			overview_say(s, "cpu", x, (double)x / (double)all, w->pane, "%.*s: %s, %s", n1, l1, shown, num_ns(x, a));
		else
			overview_say(s, "cpu", I64_UNKNOWN, (double)x / (double)all, w->pane,
				ngettext("%.*s: %s, %" PRId64 " sample", "%.*s: %s, %" PRId64 " samples", (unsigned long)x), n1, l1, shown, x);
	}
	table_view_fini(&v);
	table_free(t);
	table_free(rows);
	return all > 0;
}

static uint64_t profiled_launches(const struct session *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->n_sources; i++)
		n += s->sources[i].profile ? s->sources[i].profile->reports.n_launches : 0;
	return n;
}

static void say_host_only(const struct say *s)
{
	uint64_t profiled = profiled_launches(s->cx->session);
	struct sbuf b = { 0 };
	bool told = false, any = no_verdict_host(s->cx, s->sc, &b);

	if (!any && profiled)
		overview_say(s, "verdict", I64_UNKNOWN, -1, PANE_NONE, ngettext("%" PRIu64 " kernel launch was measured by Nsight Compute (print ncu); no "
			"recording of the run is beside it.", "%" PRIu64 " kernel launches were measured by Nsight Compute (print ncu); no "
			"recording of the run is beside them.", (unsigned long)profiled), profiled);
	else
		overview_say(s, "verdict", I64_UNKNOWN, -1, any ? PANE_OPS : PANE_NONE, "%s", sbuf_str(&b));
	sbuf_fini(&b);
	for (size_t i = 0; i < sizeof(host_words) / sizeof(*host_words) && !told; i++)
		told = say_largest(s, &host_words[i]);
}

static void say_dump_line(void *arg, const char *text)
{
	overview_say(arg, "dump", I64_UNKNOWN, -1, PANE_PYTHON, "%s", text);
}

/* Of a hung job: who waits where. False where no source is a dump. */
static bool say_dumps(struct say *s)
{
	bool any = false;

	for (uint32_t i = 0; i < s->cx->session->n_sources; i++) {
		const struct facts *f = s->cx->facts[i];
		struct scope own = *s->sc;
		struct pytree st;
		struct pydump d;
		struct selection k;

		if (!f || f->p->format != FORMAT_PYSPY_DUMP || !f->p->n_frames || (s->sc->source >= 0 && (uint32_t)s->sc->source != i))
			continue;
		if (pytree_pick(&k, &own, s->cx, i, NULL)) {
			if (pytree_make(&st, &k, NULL)) {
				pydump_read(&d, &st);
				pydump_say(&d, &st, f->p, say_dump_line, s);
				pydump_fini(&d);
				any = true;
			}
			pytree_fini(&st);
		}
		selection_fini(&k);
	}
	return any;
}

/* The window of the first run with GPU work, else of the first whose host time is known: any view has that of its first source. */
static void describe_window(struct say *s, const struct table *from, bool worked)
{
	if (s->windowed || !from->window_kind || (!worked && (s->t->window_kind || from->wall_ns <= 0)))
		return;
	s->windowed = worked;
	s->t->window_kind = arena_strndup(&s->t->arena, from->window_kind, strlen(from->window_kind));
	s->t->start_ns = from->start_ns;
	s->t->end_ns = from->end_ns;
	s->t->wall_ns = from->wall_ns;
}

static void take_notes(const struct say *s, const struct table *from)
{
	for (uint32_t i = 0; i < from->n_notes; i++)
		table_note(s->t, "%s", from->notes[i]);
}

/* ---- one run after the other ---- */

static const char *run_name(const struct say *s, const struct run *r)
{
	int n;
	const char *name = run_short_name(r, &n);

	return arena_printf(&s->t->arena, "%.*s: ", n, name);
}

/* False when the run has no GPU work, so that only its host time could be told. */
static bool say_run(struct say *s)
{
	struct table *gpu = view(s, "gpu", ""), *steps = view(s, "steps", ""), *found = view(s, "findings", "");
	bool worked = gpu && gpu->n_rows;
	loss_list losses = { 0 };

	if (found)
		collect_losses(found, &losses);
	if (worked) {
		describe_window(s, gpu, true);
		take_notes(s, gpu);
	} else if (found)
		describe_window(s, found, false);
	if (worked && found)
		say_verdict(s, gpu, found, &losses);
	else if (found && has_fault(found))
		say_finding(s, found, &losses);
	if (steps && steps->n_rows)
		say_steps(s, steps);
	if (worked) {
		say_gpus(s, gpu);
		say_copies(s);
		say_joint(s, no_verdict_doubt(gpu, NULL));
		say_waits(s);
	}
	if (found)
		say_losses(s, found, &losses);
	VEC_FREE(&losses);
	table_free(gpu);
	table_free(steps);
	table_free(found);
	return worked;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct scope one = *sc;
	struct say s = { cx, &one, t, "", "", false };
	run_list runs = { 0 };
	bool worked = false, many;

	session_runs(cx, &runs);
	many = runs.n > 1 && sc->source < 0 && sc->clock_group < 0;
	for (size_t i = 0; many && i < runs.n; i++) {
		one.clock_group = runs.a[i].group;
		s.run = run_name(&s, &runs.a[i]);
		worked |= say_run(&s);
	}
	VEC_FREE(&runs);
	one = *sc;
	s.run = "";
	if (!many)
		worked = say_run(&s);
	if (!say_dumps(&s) && !worked)
		say_host_only(&s);
	if (!t->window_kind)
		t->window_kind = "all";
	overview_files(&s);
	return !an_cancelled(cx, e);
}

const struct analysis an_overview = {
	.id = "overview", .title = N_("Overview"), .doc = N_("why the step is slow, in sentences, with the panes that show more"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
