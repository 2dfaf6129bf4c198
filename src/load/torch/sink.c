/*
 * sink.c - parsed events → builder: layer by category, tracks, names, details, B/E pairs; see
 * torch_impl.h
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/i18n.h"
#include "load/torch/torch_impl.h"

/* Tids that are text count down from here, pids that name no number of their own count up, both in order of appearance. */
#define PSEUDO_TID INT64_C(-1000000)
#define PSEUDO_PID INT64_C(1000000000)
/* Devices of a rank whose number another rank has taken: so many per rank. */
#define RANK_DEVICES 1000

static const char *const count_names[TCOUNT_N] = {
	[TCOUNT_FLOW] = "(flow)", [TCOUNT_META] = "(metadata)", [TCOUNT_COUNTER] = "(counter)",
	[TCOUNT_INSTANT] = "(instant)", [TCOUNT_OTHER] = "(other phase)",
};

void tsink_init(struct tsink *s, struct builder *b)
{
	*s = (struct tsink){ .b = b, .last_kernel_id = ID_NONE, .min_ts = INT64_MAX };
}

void tsink_fini(struct tsink *s)
{
	map_fini(&s->pseudo);
	map_fini(&s->text_pids);
	map_fini(&s->pid_texts);
	map_fini(&s->rank_devices);
	map_fini(&s->device_ranks);
	map_fini(&s->ranks);
	map_fini(&s->thread_names);
	map_fini(&s->process_names);
	map_fini(&s->threads);
	map_fini(&s->processes);
	map_fini(&s->open_top);
	VEC_FREE(&s->open);
	VEC_FREE(&s->pids);
	VEC_FREE(&s->gpus);
	VEC_FREE(&s->gpu_numbers);
	map_fini(&s->gpu_map);
	tstacks_fini(&s->stacks);
	free(s->plain);
}

static str_id intern(struct tsink *s, const struct jstr *t)
{
	size_t n;
	const char *p = jstr_plain(t, &s->plain, &s->plain_cap, &n);

	return builder_intern(s->b, p, n);
}

/* A name of a process, which may be a command line. */
static str_id process_label(struct tsink *s, const struct jstr *t)
{
	size_t n;
	const char *p = jstr_plain(t, &s->plain, &s->plain_cap, &n);

	return builder_command(s->b, CMDLINE_NAME, p, n);
}

/* What is counted by its phase and not by its category. */
void tsink_count(struct tsink *s, enum tcount k, uint64_t n)
{
	if (!s->counted[k])
		builder_content(s->b, count_names[k], strlen(count_names[k]), 0);
	s->counted[k] = true;
	s->counts[k] += n;
}

/* ---- categories ---- */

static struct tcat *cat_new(struct tsink *s, const char *text, size_t n)
{
	struct tcat *c = &s->cats[s->n_cats++];

	c->n = n < sizeof(c->text) ? n : sizeof(c->text);
	if (c->n)
		memcpy(c->text, text, c->n);
	/* takes its place in the list now, and not where a batch happens to end */
	builder_content(s->b, c->text, c->n, 0);
	tcat_layer(text, n, &c->layer, &c->aux);
	return c;
}

/*
 * Long names are told apart by their first bytes only; the last entry takes all that come when the
 * table is full.
 */
struct tcat *tsink_cat(struct tsink *s, const char *text, size_t n)
{
	size_t k = n < sizeof(s->cats->text) ? n : sizeof(s->cats->text);
	struct tcat *c = &s->cats[s->last_cat];

	if (s->n_cats && c->n == k && memcmp(c->text, text, k) == 0)
		return c;
	for (unsigned i = 0; i < s->n_cats; i++) {
		c = &s->cats[i];
		if (c->n == k && memcmp(c->text, text, k) == 0) {
			s->last_cat = i;
			return c;
		}
	}
	if (s->n_cats == TSINK_CATS)
		return &s->cats[TSINK_CATS - 1];
	s->last_cat = s->n_cats;
	return s->n_cats == TSINK_CATS - 1 ? cat_new(s, "(other)", 7) : cat_new(s, text, n);
}

/* torch <= 1.7 and the legacy profiler write no category: there the process says what it is. */
static struct tcat *cat_of_event(struct tsink *s, const struct tev *ev)
{
	struct tcat *c;

	if (ev->have & TEV_CAT)
		return tsink_cat(s, ev->cat.s, ev->cat.n);
	if (!(ev->have & TEV_PID_TEXT) ||
	    !(jstr_is(&ev->pid_text, "CPU functions") || jstr_is(&ev->pid_text, "CUDA functions")))
		return tsink_cat(s, "(none)", 6);
	c = tsink_cat(s, ev->pid_text.s, ev->pid_text.n);
	c->layer = jstr_is(&ev->pid_text, "CPU functions") ? LAYER_OP : LAYER_KERNEL;
	return c;
}

/* ---- processes and threads ---- */

/* The number behind the bracket of "[TP00] 83", as mergers of several ranks write pids. */
static bool rank_number(const struct jstr *t, int64_t *v)
{
	const char *close = t->n && *t->s == '[' ? memchr(t->s, ']', t->n) : NULL;
	struct jstr rest;

	if (!close)
		return false;
	rest = (struct jstr){ .s = close + 1, .n = t->n - (size_t)(close + 1 - t->s) };
	while (rest.n && *rest.s == ' ') {
		rest.s++;
		rest.n--;
	}
	return tid_number(&rest, v) && *v >= 0;
}

/* A text names a process: by the number in it, unless another text has that already. Never negative. */
static int64_t pid_of_text(struct tsink *s, const struct jstr *t)
{
	int64_t v;
	uint32_t text, i;

	if (tid_number(t, &v) && v >= 0)
		return v;
	text = intern(s, t);
	i = map_get_or_put(&s->text_pids, text, 0, (uint32_t)s->pids.n);
	if (i < s->pids.n)
		return s->pids.a[i];
	if (!rank_number(t, &v) || map_get_or_put(&s->pid_texts, (uint64_t)v, 0, text) != text)
		v = PSEUDO_PID + (int64_t)i;
	VEC_PUSH(&s->pids, v);
	return v;
}

/* What the model calls a pid: -1 is torch's own overhead or not said, and another negative number is a name like any other. */
static int64_t model_pid(struct tsink *s, int64_t pid)
{
	char text[24];
	struct jstr t = { .s = text };

	if (pid >= -1)
		return pid;
	t.n = (size_t)snprintf(text, sizeof(text), "%" PRId64, pid);
	return pid_of_text(s, &t);
}

static int64_t pid_of(struct tsink *s, const struct tev *ev)
{
	if (ev->have & TEV_PID_TEXT)
		return pid_of_text(s, &ev->pid_text);
	return ev->have & TEV_PID ? ev->pid : -1;
}

static int64_t tid_number_of(struct tsink *s, const struct jstr *t)
{
	int64_t v;

	if (tid_number(t, &v))
		return v;
	return PSEUDO_TID - (int64_t)map_get_or_put(&s->pseudo, intern(s, t), 0, (uint32_t)s->pseudo.n);
}

static int64_t tid_of(struct tsink *s, const struct tev *ev)
{
	if (ev->have & TEV_TID_TEXT)
		return tid_number_of(s, &ev->tid_text);
	return ev->have & TEV_TID ? ev->tid : -1;
}

/*
 * Mergers of several ranks rewrite pids as "[TP00] 83": correlation ids are unique per rank only,
 * so the bracket is the space of ids. 0 for everything else.
 */
static uint64_t group_of(struct tsink *s, const struct tev *ev)
{
	const char *close;
	size_t n;

	if (!(ev->have & TEV_PID_TEXT) || !ev->pid_text.n || *ev->pid_text.s != '[')
		return 0;
	close = memchr(ev->pid_text.s, ']', ev->pid_text.n);
	if (!close)
		return 0;
	n = (size_t)(close + 1 - ev->pid_text.s);
	return 1 + (uint64_t)builder_intern(s->b, ev->pid_text.s, n);
}

static void name_process(struct tsink *s, int64_t pid, const struct tev *ev)
{
	uint32_t name = map_find(&s->process_names, (uint64_t)pid, 0);

	if (name == MAP_NONE && ev && (ev->have & TEV_PID_TEXT) && ev->pid_text.n)
		name = process_label(s, &ev->pid_text); /* the text says more than the pseudo number */
	if (name != MAP_NONE)
		builder_process_name(s->b, model_pid(s, pid), name);
}

static void name_thread(struct tsink *s, int64_t pid, int64_t tid, thread_id t)
{
	uint32_t name = map_find(&s->thread_names, (uint64_t)pid, (uint64_t)tid);

	if (name != MAP_NONE)
		builder_thread_name(s->b, t, name);
}

static thread_id thread_of(struct tsink *s, int64_t pid, int64_t tid, const struct tev *ev)
{
	thread_id t = builder_thread(s->b, model_pid(s, pid), tid);

	if (map_find(&s->threads, (uint64_t)pid, (uint64_t)tid) != MAP_NONE)
		return t;
	map_put(&s->threads, (uint64_t)pid, (uint64_t)tid, t);
	name_thread(s, pid, tid, t);
	if (map_find(&s->processes, (uint64_t)pid, 0) == MAP_NONE) {
		map_put(&s->processes, (uint64_t)pid, 0, 1);
		name_process(s, pid, ev);
	}
	return t;
}

/* process_name and thread_name; the last one wins. Labels and sort indexes are for viewers. */
static void metadata(struct tsink *s, const struct tev *ev)
{
	bool thread = (ev->have & TEV_NAME) && jstr_is(&ev->name, "thread_name");
	int64_t pid, tid;
	uint32_t t;

	tsink_count(s, TCOUNT_META, 1);
	if (!(ev->have & TEV_NAME) || !(ev->have & TEV_ARG_NAME) || !ev->arg_name.n)
		return;
	pid = pid_of(s, ev);
	if (thread) {
		tid = tid_of(s, ev);
		map_put(&s->thread_names, (uint64_t)pid, (uint64_t)tid, intern(s, &ev->arg_name));
		t = map_find(&s->threads, (uint64_t)pid, (uint64_t)tid);
		if (t != MAP_NONE)
			name_thread(s, pid, tid, t);
	} else if (jstr_is(&ev->name, "process_name")) {
		s->npu |= jstr_is(&ev->arg_name, "Ascend Hardware");
		map_put(&s->process_names, (uint64_t)pid, 0, process_label(s, &ev->arg_name));
		if (map_find(&s->processes, (uint64_t)pid, 0) != MAP_NONE)
			name_process(s, pid, NULL);
	}
}

/* ---- tracks ---- */

track_id tsink_host_track(struct tsink *s, enum layer l, int64_t pid, int64_t tid, uint64_t group, const struct tev *ev)
{
	struct tlane *k = &s->lanes[l];

	if (!k->valid || k->a != pid || k->b != tid || k->group != group) {
		*k = (struct tlane){ true, pid, tid, 0, group, 0 };
		k->track = builder_host_track(s->b, l, thread_of(s, pid, tid, ev), ID_NONE, group);
	}
	return k->track;
}

void tsink_stack(struct tsink *s, int64_t pid, int64_t tid, ns_t start, ns_t dur, const char *text, size_t n)
{
	tstacks_add(&s->stacks, thread_of(s, pid, tid, NULL), start, dur, text, n);
}

static track_id host_lane(struct tsink *s, enum layer l, const struct tev *ev)
{
	int64_t pid = pid_of(s, ev), tid = tid_of(s, ev);

	return tsink_host_track(s, l, pid, tid, group_of(s, ev), ev);
}

static void gpu_seen(struct tsink *s, int64_t device, int64_t number)
{
	if (map_get_or_put(&s->gpu_map, (uint64_t)device, 0, (uint32_t)s->gpus.n) == s->gpus.n) {
		VEC_PUSH(&s->gpus, device);
		VEC_PUSH(&s->gpu_numbers, number);
	}
}

/* Each rank of a merged file counts its devices from 0: the first to name a number keeps it, the others get numbers of their own. */
static int64_t rank_device(struct tsink *s, int64_t number, uint64_t group)
{
	uint32_t rank = map_get_or_put(&s->ranks, group, 0, (uint32_t)s->ranks.n);
	int64_t device;
	const char *text;
	size_t n;

	if (number < 0 || number >= RANK_DEVICES)
		return number;
	if (map_get_or_put(&s->device_ranks, (uint64_t)number, 0, rank) == rank)
		return number;
	device = ((int64_t)rank + 1) * RANK_DEVICES + number;
	if (group && map_find(&s->rank_devices, (uint64_t)device, 0) == MAP_NONE) {
		map_put(&s->rank_devices, (uint64_t)device, 0, 1);
		text = builder_str(s->b, (str_id)(group - 1), &n);
		builder_note(s->b, _("device %lld of %.*s is shown as GPU %lld: another rank in this file has a device of that number"),
			(long long)number, (int)n, text, (long long)device);
	}
	return device;
}

track_id tsink_gpu_track(struct tsink *s, enum layer l, int64_t device, int64_t stream, int64_t context, uint64_t group)
{
	struct tlane *k = &s->lanes[l];

	if (!k->valid || k->a != device || k->b != stream || k->c != context || k->group != group) {
		int64_t own = rank_device(s, device, group);

		*k = (struct tlane){ true, device, stream, context, group, 0 };
		k->track = builder_gpu_track(s->b, l, -1, own, context, stream, group);
		if (l == LAYER_KERNEL)
			gpu_seen(s, own, device);
	}
	return k->track;
}

/*
 * The device and stream that the args give, else pid and tid (peer copies, annotations, old files).
 */
static track_id gpu_lane(struct tsink *s, enum layer l, const struct tev *ev)
{
	/* "CUDA functions" without a category: the tid is the device */
	bool legacy = (ev->have & (TEV_PID_TEXT | TEV_CAT)) == TEV_PID_TEXT;
	int64_t stream = legacy ? -1 : tid_of(s, ev);
	int64_t context = ev->have & TEV_CONTEXT ? ev->context : -1;
	int64_t device;

	if (ev->have & TEV_DEVICE)
		device = ev->device;
	else if (!(ev->have & TEV_PID_TEXT) || !rank_number(&ev->pid_text, &device))
		device = legacy ? tid_of(s, ev) : pid_of(s, ev);
	if (ev->have & TEV_STREAM)
		stream = ev->stream;
	return tsink_gpu_track(s, l, device, stream, context, group_of(s, ev));
}

/* ---- details ---- */

static uint32_t copy_aux(struct tsink *s, const struct tev *ev, bool set)
{
	struct copy_detail d;

	tev_copy(ev, set, &d);
	return builder_copy_detail(s->b, &d);
}

/* Index of the collective that the args tell of, ID_NONE if they do not. */
static uint32_t collective_aux(struct tsink *s, const struct tev *ev)
{
	struct collective_detail d = { .dtype = ID_NONE, .group = ID_NONE, .ranks = ID_NONE };

	if (!(ev->have & TEV_COLLECTIVE))
		return ID_NONE;
	d.name = intern(s, &ev->collective);
	if (ev->have & TEV_DTYPE)
		d.dtype = intern(s, &ev->dtype);
	if (ev->have & TEV_GROUP)
		d.group = intern(s, &ev->group);
	if (ev->have & TEV_RANKS)
		d.ranks = intern(s, &ev->ranks);
	d.in_elems = (ev->have & TEV_IN_ELEMS) && ev->in_elems >= 0 ? ev->in_elems : -1;
	d.out_elems = (ev->have & TEV_OUT_ELEMS) && ev->out_elems >= 0 ? ev->out_elems : -1;
	d.group_size = (ev->have & TEV_GROUP_SIZE) && ev->group_size > 0 ? ev->group_size : -1;
	return builder_collective(s->b, &d);
}

static uint32_t kernel_aux(struct tsink *s, const struct tev *ev)
{
	uint32_t collective = collective_aux(s, ev);
	struct kernel_detail d;

	if (!tev_kernel(ev, &d) && collective == ID_NONE)
		return ID_NONE;
	d.collective = collective + 1;	/* ID_NONE becomes 0 */
	if (s->last_kernel_id == ID_NONE || memcmp(&d, &s->last_kernel, sizeof(d)) != 0) {
		s->last_kernel = d;
		s->last_kernel_id = builder_kernel_detail(s->b, &d);
	}
	return s->last_kernel_id;
}

static uint32_t op_aux(struct tsink *s, const struct tev *ev)
{
	uint32_t collective = collective_aux(s, ev);
	struct op_detail d;
	const char *shape;
	size_t n;

	if (!tev_op(ev, &d) && collective == ID_NONE)
		return ID_NONE;
	d.collective = collective + 1;	/* ID_NONE becomes 0 */
	shape = tev_shape(ev, &s->plain, &s->plain_cap, &n);
	if (shape)
		d.shape = builder_intern(s->b, shape, n);
	return builder_op_detail(s->b, &d);
}

static uint32_t aux_of(struct tsink *s, const struct tev *ev, const struct tcat *c)
{
	switch (c->layer) {
	case LAYER_KERNEL:
		return kernel_aux(s, ev);
	case LAYER_OP:
		return op_aux(s, ev);
	case LAYER_MEMCPY:
	case LAYER_MEMSET:
		return copy_aux(s, ev, c->layer == LAYER_MEMSET);
	case LAYER_SYNC:
		if (tev_waits_for_event(ev))
			builder_event_wait(s->b, group_of(s, ev), ev->corr, (uint64_t)ev->wait_record, ev->wait_stream);
		return tev_sync(ev, c->aux);
	default:
		return c->aux;
	}
}

/* ---- events ---- */

static struct builder_event event_of(struct tsink *s, const struct tev *ev)
{
	return (struct builder_event){
		.start = ev->ts,
		.dur = 0,
		.name = ev->have & TEV_NAME ? intern(s, &ev->name)
					    : builder_intern(s->b, "(unnamed)", 9),
		.corr = ev->have & TEV_CORR ? ev->corr : CORR_NONE,
		.ext = ev->have & TEV_EXT ? ev->ext : CORR_NONE,
		.aux = ID_NONE,
	};
}

static bool has_time(struct tsink *s, const struct tev *ev)
{
	if ((ev->have & TEV_TS) && ev->ts > -NS_LIMIT && ev->ts < NS_LIMIT)
		return true;
	builder_damage(s->b, ev->have & TEV_TS ? N_("events at an impossible time") : N_("events without a time"), ev->offset, 1);
	return false;
}

/* Duration of a complete event; what is no length becomes 0 and is counted. */
static ns_t length_of(struct tsink *s, const struct tev *ev)
{
	if (!(ev->have & TEV_DUR)) {
		builder_damage(s->b,
			       ev->have & TEV_DUR_BAD ? N_("durations that are no numbers")
						      : N_("spans without a duration"),
			       ev->offset, 1);
		return 0;
	}
	if (ev->dur >= 0 && ev->dur < NS_LIMIT)
		return ev->dur;
	builder_damage(s->b, ev->dur < 0 ? N_("negative durations") : N_("impossible durations"), ev->offset, 1);
	return 0;
}

/* Common part of complete (X) and begin (B) events. False: drop the event. */
static bool span(struct tsink *s, const struct tev *ev, struct builder_event *e, track_id *track, bool *op)
{
	struct tcat *c = cat_of_event(s, ev);
	bool gpu = layer_on_gpu(c->layer);

	c->count++;
	s->known_cat += c->layer != LAYER_OTHER;
	if (!has_time(s, ev))
		return false;
	if (gpu && ev->ts == 0 && ev->ph == 'X' && (ev->have & TEV_DUR) && ev->dur == 0) {
		s->untimed++;
		return false;
	}
	*e = event_of(s, ev);
	e->aux = aux_of(s, ev, c);
	*track = gpu ? gpu_lane(s, c->layer, ev) : host_lane(s, c->layer, ev);
	*op = c->layer == LAYER_OP;
	s->frames |= c->layer == LAYER_PYTHON;
	if (c->layer != LAYER_SPAN && ev->ts < s->min_ts)
		s->min_ts = ev->ts;
	return true;
}

static void complete(struct tsink *s, const struct tev *ev)
{
	struct builder_event e;
	track_id track;
	const char *text;
	size_t n;
	bool op;

	if (!span(s, ev, &e, &track, &op))
		return;
	e.dur = length_of(s, ev);
	if (op && tev_has_stack(ev)) {
		text = jstr_plain(&ev->stack, &s->plain, &s->plain_cap, &n);
		tsink_stack(s, pid_of(s, ev), tid_of(s, ev), e.start, e.dur, text, n);
	}
	builder_add(s->b, track, &e);
}

static void begin(struct tsink *s, const struct tev *ev)
{
	uint64_t pid = (uint64_t)pid_of(s, ev), tid = (uint64_t)tid_of(s, ev);
	uint32_t below = map_find(&s->open_top, pid, tid);
	struct topen o = { .offset = ev->offset, .below = below == MAP_NONE ? 0 : below };
	bool op;

	if (!span(s, ev, &o.ev, &o.track, &op))
		return;
	VEC_PUSH(&s->open, o);
	map_put(&s->open_top, pid, tid, (uint32_t)s->open.n);
}

static void end(struct tsink *s, const struct tev *ev)
{
	uint64_t pid = (uint64_t)pid_of(s, ev), tid = (uint64_t)tid_of(s, ev);
	uint32_t top = map_find(&s->open_top, pid, tid);
	struct topen *o;

	if (top == MAP_NONE || !top) {
		builder_damage(s->b, N_("ends (E) without a begin"), ev->offset, 1);
		return;
	}
	if (!has_time(s, ev))
		return;
	o = &s->open.a[top - 1];
	map_put(&s->open_top, pid, tid, o->below);
	if (ev->ts < o->ev.start || __builtin_sub_overflow(ev->ts, o->ev.start, &o->ev.dur)) {
		builder_damage(s->b, N_("negative durations"), ev->offset, 1);
		o->ev.dur = 0;
	}
	builder_add(s->b, o->track, &o->ev);
	o->track = ID_NONE;
	while (s->open.n && s->open.a[s->open.n - 1].track == ID_NONE)
		s->open.n--;
}

static void instant(struct tsink *s, const struct tev *ev)
{
	struct builder_event e;

	tsink_count(s, TCOUNT_INSTANT, 1);
	if (!has_time(s, ev))
		return;
	e = event_of(s, ev);
	builder_add(s->b, host_lane(s, LAYER_INSTANT, ev), &e);
}

/* One row per ph that is more than counted. */
static const struct sink_phase {
	char ph;
	uint8_t count;
	void (*take)(struct tsink *s, const struct tev *ev);
} phases[] = {
	{ 'X', TCOUNT_OTHER, complete },
	{ 's', TCOUNT_FLOW, NULL },
	{ 'f', TCOUNT_FLOW, NULL },
	{ 'M', TCOUNT_META, metadata },
	{ 'i', TCOUNT_INSTANT, instant },
	{ 'I', TCOUNT_INSTANT, instant },
	{ 't', TCOUNT_FLOW, NULL },
	{ 'C', TCOUNT_COUNTER, NULL },
	{ 'B', TCOUNT_OTHER, begin },
	{ 'E', TCOUNT_OTHER, end },
};

void tsink_event(struct tsink *s, const struct tev *ev)
{
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		if (phases[i].ph != ev->ph)
			continue;
		if (phases[i].take)
			phases[i].take(s, ev);
		else
			tsink_count(s, phases[i].count, 1);
		return;
	}
	if (!ev->ph)
		builder_damage(s->b, N_("objects that are no events (no \"ph\")"), ev->offset, 1);
	else if (strchr("bneSTpFPNODVvRc()", ev->ph))
		tsink_count(s, TCOUNT_OTHER, 1);
	else
		builder_damage(s->b, N_("events of an unknown kind (\"ph\")"), ev->offset, 1);
}

void tsink_flush(struct tsink *s)
{
	for (unsigned i = 0; i < s->n_cats; i++) {
		if (s->cats[i].n > 5 && !strncasecmp(s->cats[i].text, "mtia_", 5))
			s->mtia += s->cats[i].count;
		if (s->cats[i].count)
			builder_content(s->b, s->cats[i].text, s->cats[i].n, s->cats[i].count);
		s->cats[i].count = 0;
	}
	for (unsigned i = 0; i < TCOUNT_N; i++) {
		if (s->counts[i])
			builder_content(s->b, count_names[i], strlen(count_names[i]), s->counts[i]);
		s->counts[i] = 0;
	}
}

void tsink_finish(struct tsink *s)
{
	tsink_flush(s);
	if (!s->frames)
		tstacks_finish(&s->stacks, s->b);
	if (s->mtia)
		builder_note(s->b, ngettext("%llu MTIA event is counted, but is in no GPU or runtime figure",
			     "%llu MTIA events are counted, but are in no GPU or runtime figure", (unsigned long)s->mtia),
			     (unsigned long long)s->mtia);
	if (s->npu) {
		builder_caps(s->b, CAP_DEVICE_UNREAD);
		builder_note(s->b, "%s", _("Ascend NPU device lanes are not read: the figures are those of the host"));
	}
	for (size_t i = 0; i < s->open.n; i++)
		if (s->open.a[i].track != ID_NONE)
			builder_damage(s->b, N_("begins (B) without an end"), s->open.a[i].offset,
				       1);
	if (s->untimed)
		builder_note(s->b,
			     ngettext("%llu GPU event has no timestamp (start and end 0) and is in "
				      "no table",
				      "%llu GPU events have no timestamp (start and end 0) and are "
				      "in no table",
				      s->untimed),
			     (unsigned long long)s->untimed);
}
