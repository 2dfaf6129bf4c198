/* common.c - see common.h */
#include "views/memory/common.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "facts/facts.h"
#include "scope/selections.h"

/* ---- walks -------------------------------------------------------------------------------- */

static bool has_memory(const struct profile *p)
{
	return p && (p->memory.n_series || p->memory.n_segments);
}

static bool wanted(const struct an_ctx *cx, const struct scope *sc, uint32_t i)
{
	const struct source *s = &cx->session->sources[i];

	return has_memory(s->profile) && (sc->source < 0 || (uint32_t)sc->source == i) &&
		(sc->clock_group < 0 || s->clock_group == sc->clock_group) &&
		(sc->rank == SCOPE_ANY || s->profile->rank < 0 || s->profile->rank == sc->rank);
}

bool memory_sources_walk(const struct an_ctx *cx, const struct scope *sc, struct table *t, memory_source_fn fn, void *arg, struct err *e)
{
	bool any = false;

	for (uint32_t i = 0; i < cx->session->n_sources; i++) {
		const struct source *s = &cx->session->sources[i];

		if (!wanted(cx, sc, i))
			continue;
		if (an_cancelled(cx, e))
			return false;
		any = true;
		table_source(t, s->path);
		t->partial |= s->profile->partial;
		fn(s->profile, i, t, arg);
	}
	if (!any)
		table_note(t, "%s", _("no memory snapshot among these sources"));
	t->window_kind = "all";
	return true;
}

/* Entries keep the order of their times, but for those without one. */
static void set_window(struct history *h)
{
	h->from = 0;
	h->to = h->r.s->n_entries;
	if (h->sc->window != WINDOW_TIME)
		return;
	while (h->from < h->to && history_time(h, h->from) < h->sc->start_ns)
		h->from++;
	while (h->to > h->from && history_time(h, h->to - 1) > h->sc->end_ns)
		h->to--;
}

struct each_history {
	const struct an_ctx *cx;
	const struct scope *sc;
	history_fn fn;
	void *arg;
};

static void walk_series(const struct profile *p, uint32_t source, struct table *t, void *arg)
{
	const struct each_history *w = arg;

	for (uint32_t i = 0; i < p->memory.n_series; i++) {
		struct history h = { .cx = w->cx, .sc = w->sc, .src = &w->cx->session->sources[source], .source = source };

		if (w->sc->device != SCOPE_ANY && p->memory.series[i].device != w->sc->device)
			continue;
		replay_init(&h.r, p, &p->memory.series[i]);
		set_window(&h);
		w->fn(&h, t, w->arg);
		replay_fini(&h.r);
	}
}

bool histories_walk(const struct an_ctx *cx, const struct scope *sc, struct table *t, history_fn fn, void *arg, struct err *e)
{
	struct each_history w = { cx, sc, fn, arg };

	return memory_sources_walk(cx, sc, t, walk_series, &w, e);
}

uint32_t memory_row(struct table *t, const struct an_ctx *cx, uint32_t source)
{
	uint32_t row = table_row(t), col = t->n_cols - N_SOURCE_COLS;
	const struct source *s = &cx->session->sources[source];

	table_cstr(t, row, col, s->path);
	if (s->profile->rank >= 0)
		table_i64(t, row, col + 1, s->profile->rank);
	return row;
}

/* ---- moments ------------------------------------------------------------------------------ */

ns_t history_time(const struct history *h, uint32_t entry)
{
	ns_t at = entry == ID_NONE ? NS_UNKNOWN : replay_entry(&h->r, entry)->time;

	return at == NS_UNKNOWN ? NS_UNKNOWN : at + h->src->shift_ns;
}

/* A trace of one process on the same clock, which says steps and phases; NULL. */
static const struct facts *trace_of(const struct history *h, const struct source **src)
{
	for (uint32_t i = 0; i < h->cx->session->n_sources; i++) {
		const struct facts *f = h->cx->facts[i];

		*src = &h->cx->session->sources[i];
		if (f && i != h->source && (*src)->clock_group == h->src->clock_group && h->r.p->epoch_ns != NS_UNKNOWN && f->n_procs == 1)
			return f;
	}
	return NULL;
}

static void marked_moment(const struct history *h, uint32_t entry, struct moment *x)
{
	const struct memory_records *m = &h->r.p->memory;
	const struct memory_entry *e = replay_entry(&h->r, entry);

	for (uint32_t i = 0; i < m->n_marks && e->time != NS_UNKNOWN; i++) {
		size_t n;
		const char *s = profile_str(h->r.p, m->marks[i].name, &n);
		bool in = !m->marks[i].end;
		int64_t step = 0;

		if (m->marks[i].time == NS_UNKNOWN || m->marks[i].time > e->time)
			continue;
		if (text_starts(s, n, "Optimizer.step#")) {
			x->phase = in ? PHASE_OPTIMIZER : PHASE_N;
		} else if (text_starts(s, n, "ProfilerStep#")) {
			for (size_t k = strlen("ProfilerStep#"); k < n && k < 30 && s[k] >= '0' && s[k] <= '9'; k++)
				step = step * 10 + (s[k] - '0');
			x->step = in ? step : I64_UNKNOWN;
		}
	}
}

struct moment history_moment(const struct history *h, uint32_t entry)
{
	struct moment x = { I64_UNKNOWN, PHASE_N };
	const struct source *src;
	const struct facts *f = trace_of(h, &src);
	ns_t at = history_time(h, entry);

	if (at == NS_UNKNOWN)
		return x;
	if (!f) {
		marked_moment(h, entry, &x);
		return x;
	}
	at -= src->shift_ns;
	x.phase = facts_phase_at(f, 0, at);
	x.step = step_at(f, 0, at);	/* SPLIT_NONE is I64_UNKNOWN */
	return x;
}

/* ---- owners ------------------------------------------------------------------------------- */

static bool path_has(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= n; i++) {
		size_t k = 0;

		while (k < len && (s[i + k] == word[k] || (word[k] == '/' && s[i + k] == '\\')))
			k++;
		if (k == len)
			return true;
	}
	return false;
}

static bool is_python(const char *file, size_t n)
{
	return text_ends(file, n, ".py") || (n && file[0] == '<');
}

static bool is_users(const char *file, size_t n)
{
	return text_ends(file, n, ".py") && !path_has(file, n, "site-packages/") && !path_has(file, n, "dist-packages/") &&
		!path_has(file, n, "/lib/python3");
}

uint32_t owner_frame(const struct profile *p, uint32_t stack)
{
	const struct memory_stack *s = stack == ID_NONE ? NULL : &p->memory.stacks[stack];
	uint32_t python = ID_NONE;

	for (uint32_t i = 0; s && i < s->n; i++) {
		uint32_t frame = p->memory.stack_frames[s->first + i];
		size_t n;
		const char *file = profile_str(p, p->memory.frames[frame].file, &n);

		if (is_users(file, n))
			return frame;
		if (python == ID_NONE && is_python(file, n))
			python = frame;
	}
	return python != ID_NONE || !s || !s->n ? python : p->memory.stack_frames[s->first];
}

void owner_cell(struct table *t, uint32_t row, uint32_t col, const struct profile *p, uint32_t frame)
{
	const struct memory_frame *f = &p->memory.frames[frame];
	size_t n_file, n_name, base;
	const char *file = profile_str(p, f->file, &n_file), *name = profile_str(p, f->function, &n_name);
	char *text;
	int n;

	for (base = n_file; base && file[base - 1] != '/' && file[base - 1] != '\\'; base--)
		;
	n_file -= base;
	text = xmalloc(n_file + n_name + 32);
	memcpy(text, file + base, n_file);
	n = snprintf(text + n_file, 32, ":%" PRId64 " ", f->line == I64_UNKNOWN ? 0 : f->line);
	memcpy(text + n_file + n, name, n_name);
	table_str(t, row, col, text, n_file + (size_t)n + n_name);
	free(text);
}
