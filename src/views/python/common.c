/* common.c - what the views of Python stacks share, see common.h */
#include "views/python/common.h"

#include <stdlib.h>

#include "base/num.h"

void py_put_class(struct table *t, uint32_t row, const struct pytree *st, const struct py_node *nd, struct py_class_cols at)
{
	char letter[2] = { nd->letter, '\0' }, text[512];

	if (nd->letter)
		table_cstr(t, row, at.framework, letter);
	if (nd->phase != PHASE_N)
		table_cstr(t, row, at.phase, phase_name((enum phase)nd->phase));
	if (nd->decides == nd->frame || (nd->import && st->frames.a[nd->frame].body))
		table_cstr(t, row, at.operation, pytree_operation(st, nd, text, sizeof(text)));
}

/* What the reader must know of the tree that the figures come from. */
static void note_source(struct table *t, const struct selection *k, const struct pytree *st)
{
	char num[NUM_TEXT_MAX];

	if (st->sampled && st->timed)
		t->wall_ns += st->wall;
	if (st->native)
		table_note(t, _("%s: CPU samples of the whole capture, which no window narrows; they show native code, not Python"), k->src->path);
	else if (st->cut_by)
		table_note(t, _("%s: cut to the window of %s: clocks linked by epoch, sharp to the length of a sample"), k->src->path, st->cut_by);
	else if (st->sampled)
		table_note(t, k->p->n_frame_samples ? _("%s: sampled; the window does not narrow it") :
			_("%s: sampled; it has no time axis, so the window does not narrow it"), k->src->path);
	if (st->split_by)
		table_note(t, _("%s: its samples are split by the steps of %s: clocks linked by epoch, sharp to the length of a sample"),
			k->src->path, st->split_by);
	if (st->sampled && pytree_narrowed(k->sc))
		table_note(t, _("%s: sampled; it does not know which op, call or kernel a sample belongs to: all of it is shown"),
			k->src->path);
	if (st->sampled && !st->split_by && table_col(t, "by") >= 0 && k->sc->by != BY_NONE && k->sc->by != BY_ALL)
		table_note(t, _("%s: sampled; it is not split: it knows no steps, and its threads stand in the tree"), k->src->path);
	if (st->no_frame > 0)
		table_note(t, _("%s: %s of the selection ran on threads without a Python frame (autograd's own threads have none)"),
			k->src->path, num_ns(st->no_frame, num));
}

static bool add_source(const struct an_ctx *cx, const struct scope *sc, uint32_t source, struct table *t, py_rows_fn fn, struct err *e)
{
	struct scope own = *sc;
	struct pytree st;
	struct selection k;
	bool done = false;

	if (pytree_pick(&k, &own, cx, source, e)) {
		selection_describe(&k, t);
		if (k.p->n_frames && t->n_sources == 1)
			t->wall_ns = 0;	/* that of the tree is added: it may be longer than the window's */
		done = pytree_make(&st, &k, e) && fn(t, &k, &st, e);
		note_source(t, &k, &st);
		pytree_fini(&st);
	}
	selection_fini(&k);
	return done && !an_cancelled(cx, e);
}

/* Whether a sampler cannot say what its frames in the scope are: of an op never, of a window where it has no time axis. */
static bool cannot_tell(const struct profile *p, const struct scope *sc)
{
	return p->n_frames && (pytree_narrowed(sc) || ((sc->window == WINDOW_STEPS || sc->window == WINDOW_TIME) && profile_timeless(p)));
}

/* Such a sampler says what it has only where no trace answers. */
static uint32_t drop_samplers(const struct an_ctx *cx, const struct scope *sc, uint32_t *src, uint32_t n, struct table *t)
{
	uint32_t traced = 0, left = 0;

	for (uint32_t i = 0; i < n; i++)
		traced += !cx->facts[src[i]]->p->n_frames;
	for (uint32_t i = 0; i < n && traced; i++) {
		if (!cannot_tell(cx->facts[src[i]]->p, sc))
			src[left++] = src[i];
		else if (!pytree_narrowed(sc))
			table_note(t, _("%s: sampled; it has no time axis, so it is not of this window: left out"),
				cx->session->sources[src[i]].path);
		else
			table_note(t, _("%s: sampled; it does not know which op, call or kernel a sample belongs to: left out"),
				cx->session->sources[src[i]].path);
	}
	return traced ? left : n;
}

bool py_sources(const struct an_ctx *cx, const struct scope *sc, struct table *t, py_rows_fn fn, struct err *e)
{
	uint32_t n, *src = view_sources(cx, sc, NEED_STACKS, &n, t), done = 0;

	n = drop_samplers(cx, sc, src, n, t);
	for (uint32_t i = 0; i < n; i++)
		done += add_source(cx, sc, src[i], t, fn, e);
	free(src);
	if (!n)
		table_note(t, _("no Python stacks: add a pyinstrument file (pyinstrument -r json -o profile.json script.py) or record "
			"torch.profiler with_stack=True"));
	return (!n || done) && !an_cancelled(cx, e);
}
