/* frame_find.c - Python frames by name: from events and ops to rows of a call tree, see frame_find.h */
#include "ui/widgets/frame_find.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "rules/rules.h"
#include "table/get.h"

struct text {
	const char *s;
	size_t n;
};

/* What is compared of a frame; pointers into the table or the profile. */
struct frame {
	struct text func, file;
	int64_t line;		/* -1 unknown */
};

static struct text cell_of(const struct table *t, uint32_t row, const char *id)
{
	const struct cell *c = get_maybe(t, row, id);

	return c->type == CELL_STR ? (struct text){ c->v.s, c->len } : (struct text){ "", 0 };
}

static struct frame frame_of_row(const struct table *t, uint32_t row)
{
	const struct cell *line = get_maybe(t, row, "line");

	return (struct frame){ cell_of(t, row, "function"), cell_of(t, row, "file"), line->type == CELL_I64 ? line->v.i : -1 };
}

/* As the analysis writes it: the function of a Python frame, else the name without what changes from call to call. */
static struct frame frame_of_event(const struct profile *p, ev_id e)
{
	struct frame_name fn;
	size_t n;
	const char *s = mv_ev_name(p, e, &n);

	rules_frame_name(s, n, &fn);
	if (fn.kind != FRAME_PYTHON)
		return (struct frame){ { fn.key, fn.key_len }, { "", 0 }, -1 };
	return (struct frame){ { fn.func, fn.func_len }, { fn.file, fn.file_len }, fn.line > 0 ? fn.line : -1 };
}

/* One profiler writes whole paths, another what is below sys.path. */
static bool ends_alike(struct text a, struct text b)
{
	struct text lng = a.n > b.n ? a : b, sht = a.n > b.n ? b : a;

	if (!sht.n)
		return !lng.n;
	if (memcmp(lng.s + lng.n - sht.n, sht.s, sht.n) != 0)
		return false;
	return lng.n == sht.n || sht.s[0] == '/' || lng.s[lng.n - sht.n - 1] == '/';
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->func.n == b->func.n && !memcmp(a->func.s, b->func.s, a->func.n) && ends_alike(a->file, b->file);
}

/* How many callers of the row are callers of the event, in this order. */
static unsigned agreeing_callers(const struct table *t, uint32_t row, const struct profile *p, ev_id e)
{
	unsigned n = 0;

	e = p->parent[e];
	for (uint32_t up = t->parents[row]; up < t->n_rows && e != ID_NONE; up = t->parents[up]) {
		struct frame want = frame_of_row(t, up);

		for (ev_id c = e; c != ID_NONE; c = p->parent[c]) {
			struct frame have = frame_of_event(p, c);

			if (!same_frame(&want, &have))
				continue;
			n++;
			e = p->parent[c];
			break;
		}
	}
	return n;
}

static uint32_t best_row(const struct table *t, const struct profile *p, ev_id e)
{
	struct frame want = frame_of_event(p, e);
	uint32_t best = ROW_NONE, best_score = 0;

	for (uint32_t row = 0; row < t->n_rows; row++) {
		struct frame have = frame_of_row(t, row);
		uint32_t score;

		if (!same_frame(&want, &have))
			continue;
		/* two functions of one name in a file differ by their line; else the callers decide */
		score = 1 + agreeing_callers(t, row, p, e);
		if (want.line >= 0 && want.line == have.line)
			score += 1u << 16;
		if (score > best_score) {
			best_score = score;
			best = row;
		}
	}
	return best;
}

uint32_t frame_find_row(const struct table *t, const struct profile *p, ev_id e, bool *exact)
{
	*exact = true;
	for (; t->parents && e != ID_NONE; e = p->parent[e], *exact = false) {
		uint32_t row = best_row(t, p, e);

		if (row != ROW_NONE)
			return row;
	}
	return ROW_NONE;
}

char *frame_name_text(const struct profile *p, ev_id e, char *buf, size_t cap)
{
	struct frame f = frame_of_event(p, e);
	char func[96], file[96];

	for (size_t i = 0; i < f.file.n; i++) {
		if (f.file.s[i] != '/')
			continue;
		f.file.s += i + 1;
		f.file.n -= i + 1;
		i = (size_t)-1;
	}
	text_fit(func, sizeof(func), f.func.s, f.func.n, 40, TEXT_CUT_MIDDLE);
	text_fit(file, sizeof(file), f.file.s, f.file.n, 40, TEXT_CUT_MIDDLE);
	if (!f.file.n)
		snprintf(buf, cap, "%s", func);
	else if (f.line < 0)
		snprintf(buf, cap, "%s (%s)", func, file);
	else
		snprintf(buf, cap, "%s (%s:%" PRId64 ")", func, file, f.line);
	return buf;
}

ev_id frame_at(const struct profile *p, thread_id thread, ns_t t)
{
	track_id k = profile_host_track(p, LAYER_PYTHON, thread);

	return k == ID_NONE ? ID_NONE : track_event_at(p, &p->tracks[k], t);
}

/* Per string: is it the op's name? */
static uint8_t *names_of_op(const struct profile *p, uint64_t op_hash)
{
	uint8_t *is = xcalloc((size_t)p->n_strs + 1, 1);

	for (str_id i = 0; i < p->n_strs; i++) {
		size_t n;
		const char *s = profile_str(p, i, &n);

		is[i] = scope_hash_name(s, rules_op_base(s, n)) == op_hash;
	}
	return is;
}

/* The window of the scope in a source, session time: steps are the source's own. false: it is a time of another clock. */
static bool window_in(const struct ui_ctx *ui, const struct scope *sc, uint32_t source, ns_t *from, ns_t *to)
{
	struct scope own = *sc;
	uint32_t shown = mv_source(ui, sc);

	if (sc->window == WINDOW_TIME && shown < ui->session->n_sources &&
	    ui->session->sources[shown].clock_group != ui->session->sources[source].clock_group)
		return false;
	own.source = (int32_t)source;
	if (!mv_window(ui, &own, from, to)) {
		*from = INT64_MIN;
		*to = INT64_MAX;
	} else {
		*from -= mv_shift(ui, source);
		*to -= mv_shift(ui, source);
	}
	return true;
}

static ev_id frame_of_op_in(const struct ui_ctx *ui, const struct scope *sc, uint64_t op_hash, uint32_t source)
{
	const struct facts *f = mv_facts(ui, source);
	const struct profile *p = f ? f->p : NULL;
	ns_t from, to, longest = -1;
	ev_id best = ID_NONE;
	uint8_t *is;

	if (!p || !f->ops.n || p->layer_track[LAYER_PYTHON] == p->layer_track[LAYER_PYTHON + 1] || !window_in(ui, sc, source, &from, &to))
		return ID_NONE;
	is = names_of_op(p, op_hash);
	for (uint32_t t = 0; t < f->ops.n_tracks; t++) {
		const struct op_track *tr = &f->ops.tracks[t];

		for (uint32_t i = tr->first; i < tr->first + tr->count; i++) {
			ev_id e;

			if (!is[f->ops.name[i]] || f->ops.dur[i] <= longest || f->ops.start[i] < from || f->ops.start[i] >= to)
				continue;
			e = frame_at(p, tr->thread, f->ops.start[i]);
			if (e == ID_NONE)
				continue;
			best = e;
			longest = f->ops.dur[i];
		}
	}
	free(is);
	return best;
}

ev_id frame_of_op(const struct ui_ctx *ui, const struct scope *sc, uint64_t op_hash, uint32_t *source)
{
	for (uint32_t i = 0; ui->session && i < ui->session->n_sources; i++) {
		ev_id e = frame_of_op_in(ui, sc, op_hash, i);

		if (e == ID_NONE)
			continue;
		*source = i;
		return e;
	}
	return ID_NONE;
}
