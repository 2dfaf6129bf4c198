/* py_markers.c - samples where a trace shows the marker of a step alone, see py_markers.h */
#include "measure/py_markers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/py_by_step.h"
#include "measure/py_threads.h"

/* A sampler whose samples are cut by the steps of this process; ID_NONE. */
static uint32_t find_sampler(const struct selection *k, uint32_t proc, struct pyruler *r)
{
	for (uint32_t i = 0; i < k->cx->session->n_sources; i++) {
		const struct facts *f = k->cx->facts[i];

		if (f && profile_python_samples(f->p) && !facts_few_frames(f) && pyruler_of(r, k->cx, i) && r->f == k->f && r->proc == proc)
			return i;
	}
	return ID_NONE;
}

/* The samples of the main thread: an instant has one frame. */
static void take_samples(struct py_markers *m, const struct pyruler *r)
{
	const struct profile *p = m->k.p;
	uint32_t *node_of = xreallocarray(NULL, p->n_frames, sizeof(*node_of));
	struct py_issuers w = py_issuers_of(&m->st, r->f->procs[r->proc].pid);

	memset(node_of, 0xff, p->n_frames * sizeof(*node_of));
	for (uint32_t i = 0; i < m->st.n; i++)
		if (py_issues(&w, &m->st, &m->st.a[i]) && m->st.threads.a[m->st.a[i].owner].role != ROLE_AUTOGRAD)
			node_of[m->st.a[i].source] = i;
	for (uint32_t i = 0; i < p->n_frame_samples; i++) {
		const struct frame_sample *s = &p->frame_samples[i];

		if (node_of[s->frame] != ID_NONE)
			VEC_PUSH(&m->ran, (struct owner_span){ s->start + r->ahead, s->start + s->dur + r->ahead, node_of[s->frame] });
	}
	free(node_of);
}

void py_markers_open(struct py_markers *m, const struct selection *k, uint32_t proc, struct host_leaves *ls, host_leaf_fn *fn, void *arg)
{
	struct pyruler r;
	uint32_t sampler = find_sampler(k, proc, &r);

	*m = (struct py_markers){ .ls = ls, .fn = fn, .arg = arg };
	if (sampler == ID_NONE)
		return;
	scope_init(&m->sc);
	m->sc.window = WINDOW_ALL;
	if (!pytree_pick(&m->k, &m->sc, k->cx, sampler, NULL) || !pytree_make(&m->st, &m->k, NULL))
		return;
	m->open = true;
	m->leaf_of = xreallocarray(NULL, m->st.n ? m->st.n : 1, sizeof(*m->leaf_of));
	memset(m->leaf_of, 0xff, m->st.n * sizeof(*m->leaf_of));
	take_samples(m, &r);
}

static uint32_t leaf_of_node(struct py_markers *m, uint32_t node)
{
	const struct py_node *nd = &m->st.a[node];
	const struct py_frame *f = &m->st.frames.a[nd->frame];
	char op[512];

	if (m->leaf_of[node] == ID_NONE)
		m->leaf_of[node] = host_leaf_intern(m->ls, pytree_class(&m->st, nd)->l1, pytree_operation(&m->st, nd, op, sizeof(op)),
			f->func, f->func_len, false);
	return m->leaf_of[node];
}

void py_markers_piece(void *arg, ns_t start, ns_t end, uint32_t leaf)
{
	struct py_markers *m = arg;

	if (!m->open || !leaf_is_marker(m->ls, leaf)) {
		m->fn(m->arg, start, end, leaf);
		return;
	}
	while (m->at < m->ran.n && m->ran.a[m->at].end <= start)
		m->at++;
	for (size_t i = m->at; i < m->ran.n && m->ran.a[i].start < end && start < end; i++) {
		ns_t from = m->ran.a[i].start > start ? m->ran.a[i].start : start;
		ns_t to = m->ran.a[i].end < end ? m->ran.a[i].end : end;

		if (to <= from)
			continue;
		if (from > start)
			m->fn(m->arg, start, from, leaf);
		m->fn(m->arg, from, to, leaf_of_node(m, m->ran.a[i].owner));
		start = to;
	}
	if (start < end)
		m->fn(m->arg, start, end, leaf);
}

void py_markers_close(struct py_markers *m)
{
	free(m->leaf_of);
	VEC_FREE(&m->ran);
	pytree_fini(&m->st);
	selection_fini(&m->k);
}
