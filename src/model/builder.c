/* builder.c - filling a builder, see builder.h; finish.c freezes it */
#include "model/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/pages.h"
#include "model/builder_impl.h"
#include "model/order.h"

struct builder *builder_new(void)
{
	struct builder *b = xcalloc(1, sizeof(*b));

	b->producer = b->version = ID_NONE;
	b->epoch_ns = NS_UNKNOWN;
	b->rank = b->world = -1;
	b->sampled_wall_ns = b->sampled_cpu_ns = NS_UNKNOWN;
	return b;
}

void builder_free(struct builder *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->tracks.n; i++) {
		pages_free(b->tracks.a[i].ev.a, b->tracks.a[i].ev.cap * sizeof(struct raw_event));
		VEC_FREE(&b->tracks.a[i].breaks);
	}
	for (size_t i = 0; i < b->notes.n; i++)
		free(b->notes.a[i]);
	VEC_FREE(&b->survey.steps);
	VEC_FREE(&b->tracks);
	VEC_FREE(&b->threads);
	VEC_FREE(&b->processes);
	VEC_FREE(&b->devices);
	VEC_FREE(&b->copies);
	VEC_FREE(&b->kernels);
	VEC_FREE(&b->collectives);
	VEC_FREE(&b->op_details);
	VEC_FREE(&b->ums);
	VEC_FREE(&b->event_waits);
	VEC_FREE(&b->frames);
	VEC_FREE(&b->frame_lines);
	VEC_FREE(&b->frame_samples);
	VEC_FREE(&b->launches);
	VEC_FREE(&b->metrics);
	VEC_FREE(&b->metric_instances);
	VEC_FREE(&b->section_lines);
	VEC_FREE(&b->kernel_rules);
	VEC_FREE(&b->roofs);
	VEC_FREE(&b->memory_series);
	VEC_FREE(&b->memory_entries);
	VEC_FREE(&b->memory_segments);
	VEC_FREE(&b->memory_blocks);
	VEC_FREE(&b->memory_frames);
	VEC_FREE(&b->memory_stacks);
	VEC_FREE(&b->memory_stack_frames);
	VEC_FREE(&b->memory_marks);
	map_fini(&b->memory_frame_map);
	VEC_FREE(&b->damages);
	VEC_FREE(&b->contents);
	VEC_FREE(&b->options);
	VEC_FREE(&b->cmdlines);
	map_fini(&b->cmdline_map);
	VEC_FREE(&b->notes);
	map_fini(&b->track_map);
	map_fini(&b->thread_map);
	map_fini(&b->long_ids);
	map_fini(&b->kernel_map);
	map_fini(&b->collective_map);
	strtab_fini(&b->str);
	free(b);
}

void builder_set_workers(struct builder *b, unsigned workers)
{
	b->workers = workers;
}

str_id builder_intern(struct builder *b, const char *s, size_t n)
{
	return strtab_intern(&b->str, s, n);
}

const char *builder_str(const struct builder *b, str_id id, size_t *n)
{
	return strtab_get(&b->str, id, n);
}

thread_id builder_thread(struct builder *b, int64_t pid, int64_t tid)
{
	thread_id t = map_get_or_put(&b->thread_map, (uint64_t)pid, (uint64_t)tid, (uint32_t)b->threads.n);

	if (t == b->threads.n)
		VEC_PUSH(&b->threads, (struct thread){ pid, tid, ID_NONE });
	return t;
}

void builder_thread_name(struct builder *b, thread_id t, str_id name)
{
	b->threads.a[t].name = name;
}

void builder_process_name(struct builder *b, int64_t pid, str_id name)
{
	for (size_t i = 0; i < b->processes.n; i++) {
		if (b->processes.a[i].pid == pid) {
			b->processes.a[i].name = name;
			return;
		}
	}
	VEC_PUSH(&b->processes, (struct process){ pid, name });
}

static bool same_track(const struct track *a, const struct track *b)
{
	return a->layer == b->layer && a->thread == b->thread && a->pid == b->pid && a->device == b->device &&
		a->context == b->context && a->stream == b->stream && a->domain == b->domain &&
		a->link_group == b->link_group;
}

static track_id track_for(struct builder *b, const struct track *key)
{
	int64_t id[8] = { key->layer, key->thread, key->pid, key->device, key->context, key->stream, key->domain,
		(int64_t)key->link_group };
	uint64_t h = map_hash_bytes(id, sizeof(id));
	struct raw_track fresh = { .key = *key };

	for (uint64_t probe = 0;; probe++) {
		track_id t = map_get_or_put(&b->track_map, h, probe, (uint32_t)b->tracks.n);

		if (t == b->tracks.n) {
			VEC_PUSH(&b->tracks, fresh);
			return t;
		}
		if (same_track(&b->tracks.a[t].key, key))
			return t;
	}
}

track_id builder_host_track(struct builder *b, enum layer l, thread_id t, str_id domain, uint64_t link_group)
{
	struct track key = {
		.layer = (uint8_t)l, .thread = t, .pid = b->threads.a[t].pid, .device = -1, .context = -1, .stream = -1,
		.domain = domain, .link_group = link_group,
	};

	return track_for(b, &key);
}

track_id builder_gpu_track(struct builder *b, enum layer l, int64_t pid, int64_t device, int64_t context, int64_t stream,
	uint64_t link_group)
{
	struct track key = {
		.layer = (uint8_t)l, .thread = ID_NONE, .pid = pid, .device = device, .context = context,
		.stream = stream, .domain = ID_NONE, .link_group = link_group,
	};

	return track_for(b, &key);
}

/* ---- a part ---- */

const struct builder_survey *builder_survey_only(struct builder *b)
{
	b->choosy = b->surveying = true;
	b->survey.first = INT64_MAX;
	b->survey.last = INT64_MIN;
	return &b->survey;
}

void builder_keep_within(struct builder *b, ns_t from, ns_t to)
{
	b->choosy = true;
	b->surveying = false;
	b->keep_from = from;
	b->keep_to = to;
}

uint64_t builder_left_out(const struct builder *b)
{
	return b->left_out;
}

bool builder_wants(const struct builder *b, ns_t at)
{
	return !b->choosy || (!b->surveying && at >= b->keep_from && at < b->keep_to);
}

static void note_step(struct builder *b, const struct builder_event *e, ns_t end)
{
	static const char prefix[] = "ProfilerStep#";
	const size_t k = sizeof(prefix) - 1;
	int64_t number = 0;
	size_t n;
	const char *s = strtab_get(&b->str, e->name, &n);

	if (n <= k || n > k + 18 || memcmp(s, prefix, k) != 0)
		return;
	for (size_t i = k; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return;
		number = number * 10 + (s[i] - '0');
	}
	VEC_PUSH(&b->survey.steps, (struct builder_step){ number, e->start, end });
}

/* Takes note of an event while surveying. Whether it is to be kept. */
static bool wanted(struct builder *b, enum layer l, const struct builder_event *e)
{
	ns_t end = e->dur > 0 && e->dur < NS_LIMIT ? e->start + e->dur : e->start;
	struct builder_survey *s = &b->survey;

	if (!b->surveying) {
		bool in = e->start < b->keep_to && (end > b->keep_from || (end == e->start && end == b->keep_from));

		b->left_out += !in;
		return in;
	}
	if (l == LAYER_ANNOT || l == LAYER_OP)
		note_step(b, e, end);
	if (!layer_counts_for_range(l))
		return false;
	s->first = e->start < s->first ? e->start : s->first;
	s->last = end > s->last ? end : s->last;
	return false;
}

/* Ids are compared for equality alone: small ones stand for themselves, the others are numbered. */
static uint32_t short_id(struct builder *b, uint64_t id)
{
	if (id < BUILDER_SHORT)
		return (uint32_t)id;
	return id == CORR_NONE ? ID_NONE : BUILDER_SHORT + map_get_or_put(&b->long_ids, 0, id, (uint32_t)b->long_ids.n);
}

static void reserve(struct raw_track *tr)
{
	size_t cap = mem_grow(tr->ev.cap, tr->ev.n + 1);

	tr->ev.a = pages_grow(tr->ev.a, tr->ev.cap * sizeof(*tr->ev.a), cap * sizeof(*tr->ev.a));
	tr->ev.cap = cap;
}

static inline void append(struct raw_track *tr, const struct raw_event *r)
{
	if (tr->ev.n && raw_before(r, &tr->ev.a[tr->ev.n - 1]))
		VEC_PUSH(&tr->breaks, (uint32_t)tr->ev.n);
	tr->own_ext |= r->ext != r->corr && r->ext != ID_NONE;
	if (tr->ev.n == tr->ev.cap)
		reserve(tr);
	tr->ev.a[tr->ev.n++] = *r;
}

void builder_add(struct builder *b, track_id t, const struct builder_event *e)
{
	struct raw_track *tr = &b->tracks.a[t];
	bool fits = e->dur >= 0 && e->dur < NS_LIMIT - b->dur_sum;

	if (e->start <= -NS_LIMIT || e->start >= NS_LIMIT) {
		builder_damage(b, "event at an impossible time", -1, 1);
		return;
	}
	if (b->choosy && !wanted(b, (enum layer)tr->key.layer, e)) {
		/* nor is its detail, which is no other's */
		if (tr->key.layer == LAYER_OP && b->op_details.n && e->aux == b->op_details.n - 1)
			b->op_details.n--;
		return;
	}
	append(tr, &(struct raw_event){ e->start, fits ? e->dur : 0, short_id(b, e->corr), short_id(b, e->ext), e->name, e->aux });
	b->n_events++;
	if (fits)
		b->dur_sum += e->dur;
	else
		builder_damage(b, e->dur < 0 ? "negative duration" : "impossible duration", -1, 1);
}

bool builder_is_choosy(const struct builder *b)
{
	return b->choosy;
}

static uint64_t long_id(uint32_t id)
{
	return id == ID_NONE ? CORR_NONE : id;
}

void builder_add_rows(struct builder *b, const struct builder_row *r, size_t n)
{
	for (const struct builder_row *end = r + n; r < end; r++) {
		if (b->choosy || r->start <= -NS_LIMIT || r->start >= NS_LIMIT || r->dur < 0 || r->dur >= NS_LIMIT - b->dur_sum) {
			builder_add(b, r->track, &(struct builder_event){ r->start, r->dur, r->name, long_id(r->corr), long_id(r->ext), r->aux });
			continue;
		}
		append(&b->tracks.a[r->track], &(struct raw_event){ r->start, r->dur, r->corr, r->ext, r->name, r->aux });
		b->dur_sum += r->dur;
		b->n_events++;
	}
}

uint32_t builder_copy_detail(struct builder *b, const struct copy_detail *d)
{
	struct copy_detail known = *d;

	if (d->bytes != I64_UNKNOWN && (d->bytes < 0 || d->bytes > NS_LIMIT - b->byte_sum)) {
		builder_damage(b, "impossible number of bytes", -1, 1);
		known.bytes = I64_UNKNOWN;
	}
	if (known.bytes != I64_UNKNOWN)
		b->byte_sum += known.bytes;
	VEC_PUSH(&b->copies, known);
	return (uint32_t)(b->copies.n - 1);
}

/* The index of an equal detail, or `n`: it is new. */
static uint32_t find_detail(struct map *m, const void *details, size_t size, uint32_t n, const void *d)
{
	uint64_t h = map_hash_bytes(d, size);

	for (uint64_t probe = 0;; probe++) {
		uint32_t i = map_get_or_put(m, h, probe, n);

		if (i == n || !memcmp((const char *)details + (size_t)i * size, d, size))
			return i;
	}
}

uint32_t builder_kernel_detail(struct builder *b, const struct kernel_detail *d)
{
	uint32_t i = find_detail(&b->kernel_map, b->kernels.a, sizeof(*d), (uint32_t)b->kernels.n, d);

	if (i == b->kernels.n)
		VEC_PUSH(&b->kernels, *d);
	return i;
}

uint32_t builder_collective(struct builder *b, const struct collective_detail *d)
{
	uint32_t i = find_detail(&b->collective_map, b->collectives.a, sizeof(*d), (uint32_t)b->collectives.n, d);

	if (i == b->collectives.n)
		VEC_PUSH(&b->collectives, *d);
	return i;
}

uint32_t builder_op_detail(struct builder *b, const struct op_detail *d)
{
	VEC_PUSH(&b->op_details, *d);
	return (uint32_t)(b->op_details.n - 1);
}

void builder_event_wait(struct builder *b, uint64_t link_group, uint64_t call, uint64_t record, int64_t stream)
{
	VEC_PUSH(&b->event_waits, (struct raw_wait){ link_group, short_id(b, call), short_id(b, record), stream });
}

uint32_t builder_um_detail(struct builder *b, const struct um_detail *d)
{
	struct um_detail known = *d;

	if (d->faults < 0 || d->faults > NS_LIMIT - b->fault_sum) {
		builder_damage(b, "impossible number of page faults", -1, 1);
		known.faults = 0;
	}
	b->fault_sum += known.faults;
	VEC_PUSH(&b->ums, known);
	return (uint32_t)(b->ums.n - 1);
}

const char *source_format_name(enum source_format f)
{
	static const char *const names[FORMAT_N] = {
		"nsys-sqlite", "torch", "pyinstrument", "nsys-jsonlines", "nsys-json", "nsys-chrome",
		"pyinstrument-session", "pyinstrument-html", "pyinstrument-text", "speedscope", "collapsed", "flamegraph",
		"py-spy-chrome", "py-spy-dump", "ncu-rep", "ncu-csv", "ncu-text", "memory-snapshot",
	};

	return names[f];
}

int source_format_nsys(enum source_format f)
{
	static const int rank[FORMAT_N] = {
		[FORMAT_NSYS_SQLITE] = 3, [FORMAT_NSYS_JSONL] = 2, [FORMAT_NSYS_JSON] = 2, [FORMAT_NSYS_CHROME] = 1,
	};

	return f < FORMAT_N ? rank[f] : 0;
}

int source_format_pyi(enum source_format f)
{
	static const int rank[FORMAT_N] = {
		[FORMAT_PYI_SESSION] = 5, [FORMAT_PYI_HTML] = 4, [FORMAT_PYINSTRUMENT] = 3, [FORMAT_SPEEDSCOPE] = 2, [FORMAT_PYI_TEXT] = 1,
	};

	return f < FORMAT_N ? rank[f] : 0;
}

void builder_set_format(struct builder *b, enum source_format f)
{
	b->format = f;
}

static str_id intern_cstr(struct builder *b, const char *s)
{
	return s ? builder_intern(b, s, strlen(s)) : ID_NONE;
}

void builder_set_producer(struct builder *b, const char *producer, const char *version)
{
	b->producer = intern_cstr(b, producer);
	b->version = intern_cstr(b, version);
}

void builder_set_bytes(struct builder *b, int64_t file_bytes)
{
	b->bytes = file_bytes;
}

void builder_set_epoch(struct builder *b, int64_t utc_ns)
{
	b->epoch_ns = utc_ns;
}

void builder_set_rank(struct builder *b, int64_t rank, int64_t world)
{
	b->rank = rank;
	b->world = world;
}

void builder_option(struct builder *b, const char *key, const char *value)
{
	builder_option_id(b, key, intern_cstr(b, value));
}

void builder_option_id(struct builder *b, const char *key, str_id value)
{
	struct option o = { intern_cstr(b, key), value };

	VEC_PUSH(&b->options, o);
}

void builder_content(struct builder *b, const char *what, size_t len, uint64_t n)
{
	str_id id = builder_intern(b, what, len);

	for (size_t i = 0; i < b->contents.n; i++) {
		if (b->contents.a[i].what == id) {
			b->contents.a[i].count += n;
			return;
		}
	}
	VEC_PUSH(&b->contents, (struct content){ id, n });
}

void builder_device(struct builder *b, int64_t device, const char *name, int64_t sm_count, int64_t mem_bytes_per_s)
{
	struct device d = { .device = device, .name = name && *name ? intern_cstr(b, name) : ID_NONE, .sm_count = sm_count,
		.mem_bytes_per_s = mem_bytes_per_s, .board = -1 };

	for (size_t i = 0; i < b->devices.n; i++) {
		if (b->devices.a[i].device == device) {
			b->devices.a[i] = d;
			return;
		}
	}
	VEC_PUSH(&b->devices, d);
}

void builder_device_more(struct builder *b, int64_t device, int64_t capability, int64_t mem_bytes, int64_t board)
{
	for (size_t i = 0; i < b->devices.n; i++) {
		struct device *d = &b->devices.a[i];

		if (d->device != device)
			continue;
		d->capability = capability > 0 && capability < 1000 ? capability : 0;
		d->mem_bytes = mem_bytes > 0 ? mem_bytes : 0;
		d->board = board;
	}
}

void builder_caps(struct builder *b, unsigned caps)
{
	b->caps |= caps;
}

void builder_damage(struct builder *b, const char *what, int64_t offset, uint64_t n)
{
	for (size_t i = 0; i < b->damages.n; i++) {
		if (!strcmp(b->damages.a[i].what, what)) {
			b->damages.a[i].count += n;
			return;
		}
	}
	VEC_PUSH(&b->damages, (struct damage){ what, offset, n });
}

void builder_note(struct builder *b, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	VEC_PUSH(&b->notes, xstrdup(text));
}

void builder_frame(struct builder *b, const struct frame_node *f)
{
	VEC_PUSH(&b->frames, *f);
}

void builder_frame_line(struct builder *b, const struct frame_line *l)
{
	VEC_PUSH(&b->frame_lines, *l);
}

void builder_frame_sample(struct builder *b, const struct frame_sample *s)
{
	VEC_PUSH(&b->frame_samples, *s);
}

void builder_sampled_wall(struct builder *b, ns_t wall_ns, ns_t cpu_ns)
{
	b->sampled_wall_ns = wall_ns;
	b->sampled_cpu_ns = cpu_ns;
}

uint64_t builder_events(const struct builder *b)
{
	return b->n_events;
}
