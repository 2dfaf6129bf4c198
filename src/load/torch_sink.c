/*
 * torch_sink.c - parsed events → builder: layer by category, tracks, names, details, B/E pairs; see
 * torch_impl.h
 */
#include <string.h>
#include <strings.h>

#include "base/i18n.h"
#include "load/torch_impl.h"

/* pids and tids that are text count down from here, in order of appearance */
#define PSEUDO_BASE INT64_C(-1000000)

static const char *const count_names[TCOUNT_N] = {
	[TCOUNT_FLOW] = "(flow)", [TCOUNT_META] = "(metadata)", [TCOUNT_COUNTER] = "(counter)",
	[TCOUNT_INSTANT] = "(instant)", [TCOUNT_OTHER] = "(other phase)",
};

/* Spellings of all eras, compared without regard to case. */
static const struct cat_rule {
	const char *text;
	uint8_t layer;
	uint32_t aux;
} cat_rules[] = {
	{ "cpu_op", LAYER_OP, ID_NONE },
	{ "operator", LAYER_OP, ID_NONE },
	{ "user_annotation", LAYER_ANNOT, ID_NONE },
	{ "python_function", LAYER_PYTHON, ID_NONE },
	{ "python", LAYER_PYTHON, ID_NONE },
	{ "cuda_runtime", LAYER_RUNTIME, 0 },	/* HIP calls are written here too */
	{ "runtime", LAYER_RUNTIME, 0 },
	{ "xpu_runtime", LAYER_RUNTIME, 0 },
	{ "glow_runtime", LAYER_RUNTIME, 0 },
	{ "privateuse1_runtime", LAYER_RUNTIME, 0 },
	{ "hpu_op", LAYER_RUNTIME, 0 },
	{ "cuda_driver", LAYER_RUNTIME, RUNTIME_DRIVER },
	{ "xpu_driver", LAYER_RUNTIME, RUNTIME_DRIVER },
	{ "privateuse1_driver", LAYER_RUNTIME, RUNTIME_DRIVER },
	{ "kernel", LAYER_KERNEL, ID_NONE },
	/*
	 * MTIA work is kept and counted, but is in no GPU or runtime figure: the reference values that those figures
	 * are held against leave it out. tsink_finish() says so.
	 */
	{ "mtia_ccp_events", LAYER_OTHER, ID_NONE },
	{ "mtia_runtime", LAYER_OTHER, ID_NONE },
	{ "gpu_memcpy", LAYER_MEMCPY, ID_NONE },
	{ "memcpy", LAYER_MEMCPY, ID_NONE },
	{ "gpu_memset", LAYER_MEMSET, ID_NONE },
	{ "memset", LAYER_MEMSET, ID_NONE },
	{ "cuda_sync", LAYER_SYNC, SYNC_UNKNOWN },
	{ "xpu_sync", LAYER_SYNC, SYNC_UNKNOWN },
	{ "cuda_event", LAYER_SYNC, SYNC_OTHER },
	{ "gpu_user_annotation", LAYER_GPU_ANNOT, ID_NONE },
	{ "trace", LAYER_SPAN, ID_NONE },
	{ "overhead", LAYER_OVERHEAD, ID_NONE },
	{ "cpu_instant_event", LAYER_INSTANT, ID_NONE },
};
#define N_RULES (sizeof(cat_rules) / sizeof(*cat_rules))

struct word_value {
	const char *word;
	int value;
};

void tsink_init(struct tsink *s, struct builder *b)
{
	*s = (struct tsink){ .b = b, .last_kernel_id = ID_NONE, .min_ts = INT64_MAX };
}

void tsink_fini(struct tsink *s)
{
	map_fini(&s->pseudo);
	map_fini(&s->thread_names);
	map_fini(&s->process_names);
	map_fini(&s->threads);
	map_fini(&s->processes);
	map_fini(&s->open_top);
	VEC_FREE(&s->open);
	VEC_FREE(&s->gpus);
	free(s->plain);
}

static str_id intern(struct tsink *s, const struct jstr *t)
{
	size_t n;
	const char *p = jstr_plain(t, &s->plain, &s->plain_cap, &n);

	return builder_intern(s->b, p, n);
}

/* What is counted by its phase and not by its category. */
static void count(struct tsink *s, enum tcount k)
{
	if (!s->counted[k])
		builder_content(s->b, count_names[k], strlen(count_names[k]), 0);
	s->counted[k] = true;
	s->counts[k]++;
}

/* ---- categories ---- */

static bool same_word(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((a[i] >= 'A' && a[i] <= 'Z' ? a[i] | 32 : a[i]) != b[i])
			return false;
	return b[n] == '\0';
}

static struct tcat *cat_new(struct tsink *s, const char *text, size_t n)
{
	struct tcat *c = &s->cats[s->n_cats++];

	c->n = n < sizeof(c->text) ? n : sizeof(c->text);
	if (c->n)
		memcpy(c->text, text, c->n);
	/* takes its place in the list now, and not where a batch happens to end */
	builder_content(s->b, c->text, c->n, 0);
	c->layer = LAYER_OTHER;
	c->aux = ID_NONE;
	for (size_t i = 0; i < N_RULES; i++) {
		if (strlen(cat_rules[i].text) == n && same_word(text, cat_rules[i].text, n)) {
			c->layer = cat_rules[i].layer;
			c->aux = cat_rules[i].aux;
		}
	}
	return c;
}

/*
 * Long names are told apart by their first bytes only; the last entry takes all that come when the
 * table is full.
 */
static struct tcat *cat_of(struct tsink *s, const char *text, size_t n)
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
		return cat_of(s, ev->cat.s, ev->cat.n);
	if (!(ev->have & TEV_PID_TEXT) ||
	    !(jstr_is(&ev->pid_text, "CPU functions") || jstr_is(&ev->pid_text, "CUDA functions")))
		return cat_of(s, "(none)", 6);
	c = cat_of(s, ev->pid_text.s, ev->pid_text.n);
	c->layer = jstr_is(&ev->pid_text, "CPU functions") ? LAYER_OP : LAYER_KERNEL;
	return c;
}

/* ---- processes and threads ---- */

static int64_t number_of(struct tsink *s, const struct jstr *t)
{
	static const char stream[] = "stream ";
	size_t k = sizeof(stream) - 1;
	uint64_t v;
	str_id id;
	uint32_t i;

	if (jnum_u64(t->s, t->n, &v))
		return (int64_t)v;
	if (t->n > k && memcmp(t->s, stream, k) == 0 && jnum_u64(t->s + k, t->n - k, &v))
		return (int64_t)v;
	id = intern(s, t);
	i = map_get_or_put(&s->pseudo, id, 0, (uint32_t)s->pseudo.n);
	return PSEUDO_BASE - (int64_t)i;
}

static int64_t pid_of(struct tsink *s, const struct tev *ev)
{
	if (ev->have & TEV_PID_TEXT)
		return number_of(s, &ev->pid_text);
	return ev->have & TEV_PID ? ev->pid : -1;
}

static int64_t tid_of(struct tsink *s, const struct tev *ev)
{
	if (ev->have & TEV_TID_TEXT)
		return number_of(s, &ev->tid_text);
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
		name = intern(s, &ev->pid_text); /* the text says more than the pseudo number */
	if (name != MAP_NONE)
		builder_process_name(s->b, pid, name);
}

static void name_thread(struct tsink *s, int64_t pid, int64_t tid, thread_id t)
{
	uint32_t name = map_find(&s->thread_names, (uint64_t)pid, (uint64_t)tid);

	if (name != MAP_NONE)
		builder_thread_name(s->b, t, name);
}

static thread_id thread_of(struct tsink *s, int64_t pid, int64_t tid, const struct tev *ev)
{
	thread_id t = builder_thread(s->b, pid, tid);

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

	count(s, TCOUNT_META);
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
		map_put(&s->process_names, (uint64_t)pid, 0, intern(s, &ev->arg_name));
		if (map_find(&s->processes, (uint64_t)pid, 0) != MAP_NONE)
			name_process(s, pid, NULL);
	}
}

/* ---- tracks ---- */

static track_id host_lane(struct tsink *s, enum layer l, const struct tev *ev)
{
	int64_t pid = pid_of(s, ev), tid = tid_of(s, ev);
	uint64_t group = group_of(s, ev);
	struct tlane *k = &s->lanes[l];

	if (!k->valid || k->a != pid || k->b != tid || k->group != group) {
		*k = (struct tlane){ true, pid, tid, 0, group, 0 };
		k->track = builder_host_track(s->b, l, thread_of(s, pid, tid, ev), ID_NONE, group);
	}
	return k->track;
}

static void gpu_seen(struct tsink *s, int64_t device)
{
	for (size_t i = 0; i < s->gpus.n; i++)
		if (s->gpus.a[i] == device)
			return;
	VEC_PUSH(&s->gpus, device);
}

/*
 * The device and stream that the args give, else pid and tid (peer copies, annotations, old files).
 */
static track_id gpu_lane(struct tsink *s, enum layer l, const struct tev *ev)
{
	/* "CUDA functions" without a category: the tid is the device */
	bool legacy = (ev->have & (TEV_PID_TEXT | TEV_CAT)) == TEV_PID_TEXT;
	int64_t device = legacy ? tid_of(s, ev) : pid_of(s, ev);
	int64_t stream = legacy ? -1 : tid_of(s, ev);
	int64_t context = ev->have & TEV_CONTEXT ? ev->context : -1;
	uint64_t group = group_of(s, ev);
	struct tlane *k = &s->lanes[l];

	if (ev->have & TEV_DEVICE)
		device = ev->device;
	if (ev->have & TEV_STREAM)
		stream = ev->stream;
	if (!k->valid || k->a != device || k->b != stream || k->c != context || k->group != group) {
		*k = (struct tlane){ true, device, stream, context, group, 0 };
		k->track = builder_gpu_track(s->b, l, -1, device, context, stream, group);
		if (l == LAYER_KERNEL)
			gpu_seen(s, device);
	}
	return k->track;
}

/* ---- details ---- */

/* The value of the first word that occurs in the text. */
static int find_word(const struct word_value *words, const struct jstr *t, int otherwise)
{
	for (; words->word; words++)
		if (memmem(t->s, t->n, words->word, strlen(words->word)))
			return words->value;
	return otherwise;
}

/* Kineto on CUDA and ROCm; HIP's own names; XPU (M is system memory). */
static const struct word_value copy_words[] = {
	{ "HtoD", COPY_HTOD },
	{ "DtoH", COPY_DTOH },
	{ "DtoD", COPY_DTOD },
	{ "HtoH", COPY_HTOH },
	{ "PtoP", COPY_PTOP },
	{ "HtoA", COPY_HTOA },
	{ "AtoH", COPY_ATOH },
	{ "AtoA", COPY_ATOA },
	{ "AtoD", COPY_ATOD },
	{ "DtoA", COPY_DTOA },
	{ "HostToDevice", COPY_HTOD },
	{ "DeviceToHost", COPY_DTOH },
	{ "DeviceToDevice", COPY_DTOD },
	{ "HostToHost", COPY_HTOH },
	{ "HOST_TO_DEVICE", COPY_HTOD },
	{ "DEVICE_TO_HOST", COPY_DTOH },
	{ "DEVICE_TO_DEVICE", COPY_DTOD },
	{ "PeerToPeer", COPY_PTOP },
	{ "H2D", COPY_HTOD },
	{ "M2D", COPY_HTOD },
	{ "D2H", COPY_DTOH },
	{ "D2M", COPY_DTOH },
	{ "D2D", COPY_DTOD },
	{ NULL, 0 }
};
static const struct word_value mem_words[] = {
	{ "Device Static", MEM_DEVICE_STATIC },
	{ "Managed Static", MEM_MANAGED_STATIC },
	{ "Pageable", MEM_PAGEABLE },
	{ "Pinned", MEM_PINNED },
	{ "Device", MEM_DEVICE },
	{ "Array", MEM_ARRAY },
	{ "Managed", MEM_MANAGED },
	{ NULL, 0 }
};
static const struct word_value sync_words[] = {
	{ "Stream Wait", SYNC_STREAM_WAIT },
	{ "Stream Sync", SYNC_STREAM },
	{ "Event", SYNC_EVENT },
	{ "Context", SYNC_CONTEXT },
	{ "Device", SYNC_CONTEXT },
	{ NULL, 0 }
};

/*
 * "Memcpy HtoD (Pinned -> Device)", "Memset (Device)": kind before the bracket, memory kinds
 * inside.
 */
static uint32_t copy_aux(struct tsink *s, const struct tev *ev, bool set)
{
	struct copy_detail d = {.bytes = ev->have & TEV_BYTES ? ev->bytes : I64_UNKNOWN,
				.src = MEM_UNKNOWN,
				.dst = MEM_UNKNOWN};
	struct jstr left = ev->name, right;
	const char *open = memchr(left.s, '(', left.n), *arrow;

	right = (struct jstr){.s = open ? open : "",
			      .n = open ? left.n - (size_t)(open - left.s) : 0};
	if (!set)
		d.kind = (uint8_t)find_word(copy_words, &left, COPY_UNKNOWN);
	arrow = memmem(right.s, right.n, "->", 2);
	if (arrow) {
		left = (struct jstr){ .s = right.s, .n = (size_t)(arrow - right.s) };
		right = (struct jstr){ .s = arrow, .n = right.n - left.n };
		d.src = (uint8_t)find_word(mem_words, &left, MEM_UNKNOWN);
	}
	d.dst = (uint8_t)find_word(mem_words, &right, MEM_UNKNOWN);
	return builder_copy_detail(s->b, &d);
}

static int32_t small(const struct tev *ev, uint32_t bit, int64_t v)
{
	return (ev->have & bit) && v >= 0 && v <= INT32_MAX ? (int32_t)v : -1;
}

static uint32_t kernel_aux(struct tsink *s, const struct tev *ev)
{
	struct kernel_detail d = {
		.registers = small(ev, TEV_REGISTERS, ev->registers),
		.shared_bytes = small(ev, TEV_SHARED, ev->shared),
		.graph_node = ev->have & TEV_NODE ? ev->node : 0,
	};

	if (!(ev->have & (TEV_GRID | TEV_BLOCK | TEV_REGISTERS | TEV_SHARED | TEV_NODE)))
		return ID_NONE;
	if (ev->have & TEV_GRID)
		memcpy(d.grid, ev->grid, sizeof(d.grid));
	if (ev->have & TEV_BLOCK)
		memcpy(d.block, ev->block, sizeof(d.block));
	if (s->last_kernel_id == ID_NONE || memcmp(&d, &s->last_kernel, sizeof(d)) != 0) {
		s->last_kernel = d;
		s->last_kernel_id = builder_kernel_detail(s->b, &d);
	}
	return s->last_kernel_id;
}

static uint32_t aux_of(struct tsink *s, const struct tev *ev, const struct tcat *c)
{
	switch (c->layer) {
	case LAYER_KERNEL:
		return kernel_aux(s, ev);
	case LAYER_MEMCPY:
	case LAYER_MEMSET:
		return copy_aux(s, ev, c->layer == LAYER_MEMSET);
	case LAYER_SYNC:
		return (uint32_t)find_word(sync_words, ev->have & TEV_SYNC ? &ev->sync : &ev->name,
					   (int)c->aux);
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

/* What X and B share. False: not to be added. */
static bool span(struct tsink *s, const struct tev *ev, struct builder_event *e, track_id *track)
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
	if (c->layer != LAYER_SPAN && ev->ts < s->min_ts)
		s->min_ts = ev->ts;
	return true;
}

static void complete(struct tsink *s, const struct tev *ev)
{
	struct builder_event e;
	track_id track;

	if (!span(s, ev, &e, &track))
		return;
	e.dur = length_of(s, ev);
	builder_add(s->b, track, &e);
}

static void begin(struct tsink *s, const struct tev *ev)
{
	uint64_t pid = (uint64_t)pid_of(s, ev), tid = (uint64_t)tid_of(s, ev);
	uint32_t below = map_find(&s->open_top, pid, tid);
	struct topen o = { .offset = ev->offset, .below = below == MAP_NONE ? 0 : below };

	if (!span(s, ev, &o.ev, &o.track))
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

	count(s, TCOUNT_INSTANT);
	if (!has_time(s, ev))
		return;
	e = event_of(s, ev);
	builder_add(s->b, host_lane(s, LAYER_INSTANT, ev), &e);
}

/* One row per ph that is more than counted. */
static const struct phase {
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
			count(s, phases[i].count);
		return;
	}
	if (!ev->ph)
		builder_damage(s->b, N_("objects that are no events (no \"ph\")"), ev->offset, 1);
	else if (strchr("bneSTpFPNODVvRc()", ev->ph))
		count(s, TCOUNT_OTHER);
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
	if (s->mtia)
		builder_note(s->b, _("%llu MTIA events are counted, but are in no GPU or runtime figure"),
			     (unsigned long long)s->mtia);
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
