/* event_text.c - one event in lines: times, track, what it is linked with, details of kernels and copies. */
#include "ui/widgets/event_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/num.h"
#include "base/text.h"
#include "ui/widgets/model_view.h"

void event_text_line(struct wtext *w, int cols, const char *name, const char *value, size_t n)
{
	struct sbuf b = { NULL, 0, 0 };
	int hang = cols < 3 * EVENT_HANG ? EVENT_HANG / 5 : EVENT_HANG, pad = hang - canvas_width(name, strlen(name));

	sbuf_printf(&b, "%s%*s", name, pad > 1 ? pad : 1, "");
	text_put(&b, value, n, SIZE_MAX, TEXT_CUT_END);
	wtext_wrap(w, ST_NORMAL, cols - 2, hang, b.s);
	sbuf_fini(&b);
}

static void put(struct wtext *w, int cols, const char *name, const char *value)
{
	event_text_line(w, cols, name, value, strlen(value));
}

static void put_i64(struct wtext *w, int cols, const char *name, int64_t v)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%" PRId64, v);
	put(w, cols, name, buf);
}

static void put_ns(struct wtext *w, int cols, const char *name, ns_t v)
{
	char buf[96], num[NUM_TEXT_MAX];

	snprintf(buf, sizeof(buf), "%s  (%" PRId64 " ns)", num_ns(v, num), v);
	put(w, cols, name, buf);
}

static void put_event(struct wtext *w, int cols, const char *name, const struct profile *p, ev_id e)
{
	size_t n;
	const char *s;

	if (e == ID_NONE)
		return;
	s = mv_ev_name(p, e, &n);
	event_text_line(w, cols, name, s, n);
}

static void put_track(struct wtext *w, int cols, const struct profile *p, const struct track *t)
{
	size_t n;
	const char *s;

	put(w, cols, _("Layer"), layer_name((enum layer)t->layer));
	if (t->thread != ID_NONE) {
		put_i64(w, cols, _("Process"), p->threads[t->thread].pid);
		put_i64(w, cols, _("Thread"), p->threads[t->thread].tid);
		if (p->threads[t->thread].name != ID_NONE) {
			s = profile_str(p, p->threads[t->thread].name, &n);
			event_text_line(w, cols, _("Thread name"), s, n);
		}
		return;
	}
	if (t->pid >= 0)
		put_i64(w, cols, _("Process"), t->pid);
	if (t->device >= 0)
		put_i64(w, cols, _("Device"), t->device);
	if (t->context >= 0)
		put_i64(w, cols, _("Context"), t->context);
	if (t->stream >= 0)
		put_i64(w, cols, _("Stream"), t->stream);
}

static void put_dims(struct wtext *w, int cols, const char *name, const int32_t d[3])
{
	char buf[64];

	if (!d[0])
		return;
	snprintf(buf, sizeof(buf), "%" PRId32 " x %" PRId32 " x %" PRId32, d[0], d[1], d[2]);
	put(w, cols, name, buf);
}

static void put_kernel(struct wtext *w, const struct ui_ctx *ui, uint32_t source, const struct profile *p, ev_id e, int cols)
{
	const struct kernel_class *k = mv_kclass(ui, source, e);
	const struct kernel_detail *d = p->aux[e] < p->n_kernels ? &p->kernels[p->aux[e]] : NULL;

	if (k)
		put(w, cols, _("Class"), kclass_name(k->class));
	if (k && k->layout)
		put(w, cols, _("Layout"), k->layout);
	if (k && k->dtype)
		put(w, cols, _("Type"), k->dtype);
	if (k && k->tensor_core >= 0)
		put(w, cols, _("Tensor cores"), k->tensor_core ? _("yes") : _("no"));
	if (!d)
		return;
	put_dims(w, cols, _("Grid"), d->grid);
	put_dims(w, cols, _("Block"), d->block);
	if (d->registers >= 0)
		put_i64(w, cols, _("Registers/thread"), d->registers);
	if (d->shared_bytes >= 0)
		put_i64(w, cols, _("Shared memory B"), d->shared_bytes);
	if (d->graph_node)
		put_i64(w, cols, _("Graph node"), (int64_t)d->graph_node);
}

static void put_copy(struct wtext *w, const struct profile *p, ev_id e, int cols)
{
	const struct copy_detail *d = p->aux[e] < p->n_copies ? &p->copies[p->aux[e]] : NULL;
	char num[NUM_TEXT_MAX], buf[96];

	if (!d)
		return;
	put(w, cols, _("Direction"), copy_kind_name((enum copy_kind)d->kind));
	snprintf(buf, sizeof(buf), "%s > %s", mem_kind_name((enum mem_kind)d->src), mem_kind_name((enum mem_kind)d->dst));
	put(w, cols, _("Memory"), buf);
	if (d->bytes == I64_UNKNOWN)
		return;
	snprintf(buf, sizeof(buf), "%s  (%" PRId64 " B)", num_bytes(d->bytes, num), d->bytes);
	put(w, cols, _("Size"), buf);
}

static void put_payload(struct wtext *w, const struct profile *p, ev_id e, int cols)
{
	size_t n;
	const char *s;

	if (p->aux[e] >= p->n_strs)
		return;
	s = profile_str(p, p->aux[e], &n);
	event_text_line(w, cols, _("Payload"), s, n);
}

void event_text(struct wtext *w, const struct ui_ctx *ui, uint32_t source, ev_id ev, int cols)
{
	const struct profile *p = mv_profile(ui, source);
	const struct track *t;

	if (!p || ev >= p->n)
		return;
	t = &p->tracks[profile_track_of(p, ev)];
	wtext_add(w, ST_TITLE, "%s", _("The event"));
	put_event(w, cols, _("Name"), p, ev);
	put_ns(w, cols, _("Start"), p->start[ev] + mv_shift(ui, source));
	put_ns(w, cols, _("End"), p->start[ev] + p->dur[ev] + mv_shift(ui, source));
	put_ns(w, cols, _("Duration"), p->dur[ev]);
	if (!layer_on_gpu((enum layer)t->layer))
		put_ns(w, cols, _("Self"), p->self[ev]);
	put_track(w, cols, p, t);
	put(w, cols, _("File"), ui->session->sources[source].path);
	if (t->layer == LAYER_KERNEL)
		put_kernel(w, ui, source, p, ev, cols);
	if (t->layer == LAYER_MEMCPY)
		put_copy(w, p, ev, cols);
	if (t->layer == LAYER_NVTX || t->layer == LAYER_NVTX_SE || t->layer == LAYER_NVTX_OPEN)
		put_payload(w, p, ev, cols);
	if (p->link[ev] != ID_NONE)
		put_event(w, cols, layer_on_gpu((enum layer)t->layer) ? _("Launched by") : _("Called in"), p, p->link[ev]);
	for (ev_id up = p->parent[ev]; up != ID_NONE; up = p->parent[up])
		put_event(w, cols, _("Inside"), p, up);
}
