/*
 * call_stack.c - "Call stack" in the args of ops, as torch 1.9 to 1.13 writes it, → Python frames; see torch_impl.h
 *
 * "/l/torch/nn/modules/conv.py(443): _conv_forward;/l/torch/nn/modules/conv.py(447): forward;train.py(47): <module>" is what was
 * active when the op began, innermost first; the number is the line that ran. Such a frame looks like the name of a
 * python_function event, and becomes one. What Python did between two ops no stack tells, so that nothing is added there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "load/torch/torch_impl.h"

/*
 * Ranges such as ProfilerStep#3 are ops in torch 1.9 (and user annotations later): their innermost frame is record_function's __enter__,
 * which ends as soon as the range is open. The ops that __enter__ itself calls are not meant.
 */
bool tev_has_stack(const struct tev *ev)
{
	static const char module[] = "autograd/profiler.py(", enter[] = "): __enter__";
	const char *semi = memchr(ev->stack.s, ';', ev->stack.n);
	size_t n = semi ? (size_t)(semi - ev->stack.s) : ev->stack.n;

	return n && (!text_ends(ev->stack.s, n, enter) || !text_holds(ev->stack.s, n, module) ||
		text_starts(ev->name.s, ev->name.n, "aten::") || text_starts(ev->name.s, ev->name.n, "profiler::"));
}

void tstacks_add(struct tstacks *s, thread_id thread, ns_t start, ns_t dur, const char *text, size_t n)
{
	VEC_PUSH(&s->ops, (struct tstack_op){ start, dur, thread, strtab_intern(&s->texts, text, n) });
}

void tstacks_fini(struct tstacks *s)
{
	strtab_fini(&s->texts);
	VEC_FREE(&s->ops);
}

/* The frames of all texts, outermost first: those of text t are ids[first[t]] to ids[first[t + 1] - 1]. */
struct frames {
	VEC(str_id) ids;
	VEC(uint32_t) first;
};

static void cut_frames(const struct strtab *texts, struct builder *b, struct frames *out)
{
	for (uint32_t t = 0; t < texts->n; t++) {
		size_t n;
		const char *s = strtab_get(texts, t, &n);

		VEC_PUSH(&out->first, (uint32_t)out->ids.n);
		while (n) {
			const char *semi = memrchr(s, ';', n);
			size_t at = semi ? (size_t)(semi + 1 - s) : 0;

			if (n > at)
				VEC_PUSH(&out->ids, builder_intern(b, s + at, n - at));
			n = semi ? at - 1 : 0;
		}
	}
	VEC_PUSH(&out->first, (uint32_t)out->ids.n);
}

/* By thread, start, and the longest first: an op comes behind those around it. */
static int by_place(const void *a, const void *b)
{
	const struct tstack_op *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->dur != y->dur)
		return x->dur > y->dur ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

/* How many of the outermost frames two stacks share. */
static uint32_t shared_frames(const struct frames *f, uint32_t a, uint32_t b)
{
	const str_id *x = f->ids.a + f->first.a[a], *y = f->ids.a + f->first.a[b];
	uint32_t n = f->first.a[a + 1] - f->first.a[a], m = f->first.a[b + 1] - f->first.a[b], i = 0;

	while (i < n && i < m && x[i] == y[i])
		i++;
	return i;
}

static void add_frames(struct builder *b, const struct frames *f, const struct tstack_op *op, uint32_t known)
{
	track_id track = builder_host_track(b, LAYER_PYTHON, op->thread, ID_NONE, 0);

	for (uint32_t i = f->first.a[op->stack] + known; i < f->first.a[op->stack + 1]; i++)
		builder_add(b, track, &(struct builder_event){ .start = op->start, .dur = op->dur, .name = f->ids.a[i],
			.corr = CORR_NONE, .ext = CORR_NONE, .aux = ID_NONE });
}

void tstacks_finish(struct tstacks *s, struct builder *b)
{
	struct frames f = { 0 };
	VEC(struct tstack_op) open = { 0 };	/* the ops around the present one */

	if (!s->ops.n)
		return;
	cut_frames(&s->texts, b, &f);
	qsort(s->ops.a, s->ops.n, sizeof(*s->ops.a), by_place);
	for (size_t i = 0; i < s->ops.n; i++) {
		const struct tstack_op *op = &s->ops.a[i], *top;
		uint32_t known = 0;

		while (open.n) {
			top = &open.a[open.n - 1];
			if (top->thread == op->thread && op->start < top->start + top->dur &&
			    op->start + op->dur <= top->start + top->dur)
				break;
			open.n--;
		}
		if (open.n)
			known = shared_frames(&f, open.a[open.n - 1].stack, op->stack);
		add_frames(b, &f, op, known);
		VEC_PUSH(&open, *op);
	}
	builder_caps(b, CAP_OP_STACKS);
	builder_note(b, "%s", _("Python frames are those of the call stacks of ops: they last as long as their op, and count as often"));
	VEC_FREE(&open);
	VEC_FREE(&f.ids);
	VEC_FREE(&f.first);
}
