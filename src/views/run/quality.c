/*
 * quality.c - view `quality`: what the files themselves make doubtful (definitions.md §9): lost and unlinked records, short
 * names, overlapping events, the profiler's own time, coverage, and recording options that change what is measured. Each row says
 * what is counted, how much of the whole it is, and what it means for the figures; the worst come first. Whole sources; coverage
 * and idle time of the GPU follow the window.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/vec.h"
#include "facts/distortion.h"
#include "facts/records.h"
#include "measure/quality.h"
#include "scope/analysis.h"
#include "scope/columns.h"
#include "views/figures.h"

enum { C_CHECK, C_VERDICT, C_COUNT, C_OF, C_TIME, C_SHARE, C_MEANS };

static const struct column_def cols[] = {
	[C_CHECK] = { "check", N_("What"), UNIT_TEXT, COL_KEY | COL_WORDS, 0, N_("what is looked at") },
	[C_VERDICT] = { "verdict", N_("Verdict"), UNIT_TEXT, COL_KEY, 0,
		N_("ok; note: figures are right, but know this; bad: figures of this source are off; unknown: the source cannot tell") },
	[C_COUNT] = { "count", N_("Count"), UNIT_COUNT, 0, 1, N_("how many") },
	[C_OF] = { "of", N_("Of"), UNIT_COUNT, 0, 2, N_("of how many") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_NS, 0, 2, N_("how long, where it is a time") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, 0, 1, N_("count by of, or time by the wall") },
	[C_MEANS] = { "means", N_("Means"), UNIT_TEXT, COL_NAME, 0, N_("what follows for the figures, and what to record instead") },
	SOURCE_COLS
};

static const char *const verdicts[] = { "ok", "note", "bad", "unknown" };

/* Rows to come: those of a source are written with the worst first. */
struct quality_findings {
	const struct selection *k;
	struct table *t;
	VEC(struct quality) rows;
};

static struct quality *put(struct quality_findings *r, const char *check, enum quality_verdict v, const char *means)
{
	VEC_PUSH(&r->rows, (struct quality){ check, means, v, I64_UNKNOWN, I64_UNKNOWN, I64_UNKNOWN, (double)NAN });
	return &r->rows.a[r->rows.n - 1];
}

static void put_measured(void *arg, const struct quality *q)
{
	struct quality_findings *r = arg;

	VEC_PUSH(&r->rows, *q);
}

static void write_row(const struct quality_findings *r, const struct quality *f)
{
	uint32_t row = table_row(r->t);

	table_cstr(r->t, row, C_CHECK, f->check);
	table_cstr(r->t, row, C_VERDICT, verdicts[f->verdict]);
	table_i64(r->t, row, C_COUNT, f->count);
	table_i64(r->t, row, C_OF, f->of);
	table_i64(r->t, row, C_TIME, f->time_ns);
	table_f64(r->t, row, C_SHARE, f->share);
	table_cstr(r->t, row, C_MEANS, f->means);
	an_row_source(r->t, row, r->k, -1);
}

static void write_rows(struct quality_findings *r)
{
	static const enum quality_verdict order[] = { QUALITY_BAD, QUALITY_NOTE, QUALITY_UNKNOWN, QUALITY_OK };

	for (size_t v = 0; v < N_COLS(order); v++)
		for (size_t i = 0; i < r->rows.n; i++)
			if (r->rows.a[i].verdict == order[v])
				write_row(r, &r->rows.a[i]);
	VEC_FREE(&r->rows);
}

/* ---- rows ---- */

static void put_damage(struct quality_findings *r)
{
	const struct profile *p = r->k->p;
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->n_damages; i++) {
		const struct damage *d = &p->damages[i];

		put(r, N_("damaged input"), QUALITY_BAD, d->offset < 0 ? d->what :
			arena_printf(&r->t->arena, _("%s; first at %" PRId64), d->what, d->offset))->count = (int64_t)d->count;
		sum += (int64_t)d->count;
	}
	if (!sum)
		put(r, N_("damaged input"), QUALITY_OK, _("every event of the file could be used"))->count = 0;
	if (p->partial)
		put(r, N_("complete"), QUALITY_NOTE, _("the file is still being loaded"));
}

/* Whether the records of each device tell when it is idle, in the window that the verdict is about. */
static void put_idle(struct quality_findings *r, const struct selection *k)
{
	for (uint32_t i = 0; i < k->f->n_devices; i++) {
		const struct device_facts *d = &k->f->devices[i];
		struct spans window = { 0 };
		struct gpu_records x;
		struct sbuf b = { 0 };

		selection_device_window(k, d, &window);
		gpu_records_count(d, &window, &x);
		gpu_records_say(&x, &b);
		if (b.n)
			put(r, N_("idle time of the GPU"), QUALITY_BAD, arena_printf(&r->t->arena, _("GPU %" PRId64 ": not known, no loss is taken from it: %s"),
				d->device, b.s));
		else
			put(r, N_("idle time of the GPU"), QUALITY_OK, arena_printf(&r->t->arena,
				_("GPU %" PRId64 ": known: no work of it is missing, and no stream runs two kernels at once"), d->device));
		sbuf_fini(&b);
		spans_fini(&window);
	}
}

static void put_coverage(struct quality_findings *r)
{
	struct table *cv = view_of_source(r->k->cx, r->k->sc, "coverage", r->k->f->source, "");
	int64_t wall = table_sum_where(cv, "wall_ns", NULL, NULL), covered = table_sum_where(cv, "covered_ns", NULL, NULL);
	double share = wall > 0 ? (double)covered / (double)wall : 0;
	struct quality *f;

	table_free(cv);
	if (wall == I64_UNKNOWN || wall <= 0)
		return;
	f = put(r, N_("host time with an event"), share < 0.8 ? QUALITY_BAD : share < 0.95 ? QUALITY_NOTE : QUALITY_OK, share < 0.8 ?
		_("the issuing thread has no event for more than a fifth of the wall: no safe verdict about the host; add Python stacks") :
		_("share of the wall in which the issuing thread has an event; the rest is untraced"));
	f->time_ns = covered;
	f->share = share;
}

/* What a source with GPU work or ops does not have at all. */
static void put_missing(struct quality_findings *r)
{
	const struct facts *f = r->k->f;
	unsigned caps = r->k->p->caps;

	if (caps & (CAP_OPS | CAP_GPU) && !(caps & CAP_RUNTIME))
		put(r, N_("runtime calls"), QUALITY_UNKNOWN,
			_("none recorded: launches, delays, waits and the split of self time are unknown; record CUDA activity"));
	if (caps & (CAP_OPS | CAP_RUNTIME) && !(caps & CAP_GPU))
		put(r, N_("GPU work"), QUALITY_UNKNOWN, _("none recorded: device time, idle time and what is exposed are unknown"));
	for (uint32_t i = 0; i < f->n_procs; i++)
		if (f->procs[i].n_steps && f->procs[i].too_few)
			put(r, N_("steady steps"), QUALITY_NOTE, _("fewer than 3: medians and outliers mean little"))->of = f->procs[i].n_steps;
}

/* Whether a trace of the same time has every Python call, for which torch takes the interpreter's profile hook. */
static bool hook_taken(const struct selection *k)
{
	const struct session *s = k->cx->session;
	bool taken = false;

	for (uint32_t i = 0; i < s->n_sources; i++)
		taken |= k->cx->facts[i] && k->cx->facts[i]->p->caps & CAP_PYTHON && s->sources[i].clock_group == k->src->clock_group;
	return taken;
}

/* A sampler beside another profiler sees little. */
static void put_frames(struct quality_findings *r)
{
	const struct facts *f = r->k->f;
	double share = f->framed_ns == NS_UNKNOWN ? 1 : (double)f->framed_ns / (double)f->p->sampled_wall_ns;
	char num[NUM_TEXT_MAX];
	struct quality *x;

	if (!facts_few_frames(f))
		return;
	x = put(r, N_("time with Python frames"), QUALITY_BAD, arena_printf(&r->t->arena, hook_taken(r->k) ?
		_("frames cover %s of the session: another profiler held the hook (torch.profiler with_stack=True). Its own frames serve the "
		"Python views; record the sampler without it") :
		_("frames cover %s of the session: another profiler held the hook, or most of it ran without Python. With other files this one "
		"serves no Python view"), num_pct(share, num)));
	x->time_ns = f->framed_ns;
	x->share = share;
}

static void put_option(void *arg, const struct distortion *d)
{
	struct quality_findings *r = arg;

	put(r, arena_printf(&r->t->arena, "recording option %s", d->option), QUALITY_NOTE, _(d->means));
}

/* own: the selection of the scope's own window, NULL where the source lacks it. */
static void put_source(const struct selection *k, const struct selection *own, struct table *t)
{
	struct quality_findings r = { .k = k, .t = t };

	put_damage(&r);
	quality_measure(k, put_measured, &r);
	put_coverage(&r);
	put_frames(&r);
	if (own)
		put_idle(&r, own);
	put_missing(&r);
	distortions(k->p, put_option, &r);
	write_rows(&r);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct scope whole = *sc;
	uint32_t n, *src = view_sources(cx, sc, NEED_ANY, &n, t);
	bool ok = true;

	whole.window = WINDOW_ALL;	/* what was lost is lost for every window */
	for (uint32_t i = 0; ok && i < n; i++) {
		struct selection k, own;
		bool has_own;

		if (!selection_init(&k, cx, &whole, src[i], NULL))
			continue;
		has_own = selection_init(&own, cx, sc, src[i], NULL);
		k.sc = sc;
		selection_describe(&k, t);
		put_source(&k, has_own ? &own : NULL, t);
		selection_fini(&k);
		selection_fini(&own);
		ok = !an_cancelled(cx, e);
	}
	free(src);
	return ok;
}

const struct analysis an_quality = {
	.id = "quality", .title = N_("Data quality"), .doc = N_("what the files themselves make doubtful, and what it means for the figures"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
