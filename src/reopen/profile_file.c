/* profile_file.c - the sections of a cache file, and writing one; see profile_file.h */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check64.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/vec.h"
#include "reopen/profile_file_impl.h"

/* ---- the sections ---------------------------------------------------------------------------------- */

/* Structs with gaps: what lies in them is not ours to write. */
static void clean_track(void *to, const void *from)
{
	const struct track *t = from;
	struct track *o = to;

	o->layer = t->layer;
	o->thread = t->thread;
	o->pid = t->pid;
	o->device = t->device;
	o->context = t->context;
	o->stream = t->stream;
	o->domain = t->domain;
	o->link_group = t->link_group;
	o->first = t->first;
	o->count = t->count;
	o->overlaps = t->overlaps;
	o->depth_max = t->depth_max;
}

static void clean_thread(void *to, const void *from)
{
	const struct thread *t = from;
	struct thread *o = to;

	o->pid = t->pid;
	o->tid = t->tid;
	o->name = t->name;
}

static void clean_process(void *to, const void *from)
{
	const struct process *t = from;
	struct process *o = to;

	o->pid = t->pid;
	o->name = t->name;
}

static void clean_device(void *to, const void *from)
{
	const struct device *t = from;
	struct device *o = to;

	o->device = t->device;
	o->name = t->name;
	o->sm_count = t->sm_count;
	o->mem_bytes_per_s = t->mem_bytes_per_s;
	o->mem_bytes = t->mem_bytes;
	o->capability = t->capability;
	o->board = t->board;
}

static void clean_content(void *to, const void *from)
{
	const struct content *t = from;
	struct content *o = to;

	o->what = t->what;
	o->count = t->count;
}

static void clean_copy(void *to, const void *from)
{
	const struct copy_detail *t = from;
	struct copy_detail *o = to;

	o->bytes = t->bytes;
	o->kind = t->kind;
	o->src = t->src;
	o->dst = t->dst;
	o->um = t->um;
}

static void clean_um(void *to, const void *from)
{
	const struct um_detail *t = from;
	struct um_detail *o = to;

	o->address = t->address;
	o->faults = t->faults;
	o->device = t->device;
	o->module = t->module;
	o->file = t->file;
	o->line = t->line;
	o->what = t->what;
	o->why = t->why;
}

#define OWN(id, type) [SEC_##id] = { #id, sizeof(type), CACHE_NO_MEMBER, CACHE_NO_MEMBER, NULL }
#define MEMBER(id, type, at, count, clean) \
	[SEC_##id] = { #id, sizeof(type), offsetof(struct profile, at), offsetof(struct profile, count), clean }

const struct section_def cache_sections[SEC_N] = {
	OWN(META, struct cache_meta),
	OWN(PATH, char),
	MEMBER(TRACKS, struct track, tracks, n_tracks, clean_track),
	MEMBER(THREADS, struct thread, threads, n_threads, clean_thread),
	MEMBER(PROCESSES, struct process, processes, n_processes, clean_process),
	MEMBER(DEVICES, struct device, devices, n_devices, clean_device),
	MEMBER(CONTENTS, struct content, contents, n_contents, clean_content),
	MEMBER(OPTIONS, struct option, options, n_options, NULL),
	MEMBER(CMDLINES, struct cmdline, cmdlines, n_cmdlines, NULL),
	OWN(DAMAGES, struct cache_damage),
	OWN(TEXTS, char),
	OWN(STR_OFF, uint64_t),
	OWN(STR_BLOB, char),
	MEMBER(START, ns_t, start, n, NULL),
	MEMBER(DUR, ns_t, dur, n, NULL),
	MEMBER(SELF, ns_t, self, n, NULL),
	MEMBER(NAME, str_id, name, n, NULL),
	MEMBER(PARENT, ev_id, parent, n, NULL),
	MEMBER(LINK, ev_id, link, n, NULL),
	MEMBER(AUX, uint32_t, aux, n, NULL),
	MEMBER(BY_LAUNCH, ev_id, by_launch, n_by_launch, NULL),
	MEMBER(COPIES, struct copy_detail, copies, n_copies, clean_copy),
	MEMBER(KERNELS, struct kernel_detail, kernels, n_kernels, NULL),
	MEMBER(COLLECTIVES, struct collective_detail, collectives, n_collectives, NULL),
	MEMBER(OP_DETAILS, struct op_detail, op_details, n_op_details, NULL),
	MEMBER(UMS, struct um_detail, ums, n_ums, clean_um),
	MEMBER(EVENT_WAITS, struct event_wait, event_waits, n_event_waits, NULL),
	MEMBER(FRAMES, struct frame_node, frames, n_frames, NULL),
	MEMBER(FRAME_LINES, struct frame_line, frame_lines, n_frame_lines, NULL),
	MEMBER(FRAME_SAMPLES, struct frame_sample, frame_samples, n_frame_samples, NULL),
	MEMBER(PROFILED, struct profiled_launch, reports.launches, reports.n_launches, NULL),
	MEMBER(METRICS, struct kernel_metric, reports.metrics, reports.n_metrics, NULL),
	MEMBER(INSTANCES, struct metric_instance, reports.instances, reports.n_instances, NULL),
	MEMBER(LINES, struct section_line, reports.lines, reports.n_lines, NULL),
	MEMBER(KERNEL_RULES, struct kernel_rule, reports.rules, reports.n_rules, NULL),
	MEMBER(ROOFS, struct kernel_roof, reports.roofs, reports.n_roofs, NULL),
	MEMBER(MEMORY_SERIES, struct memory_series, memory.series, memory.n_series, NULL),
	MEMBER(MEMORY_ENTRIES, struct memory_entry, memory.entries, memory.n_entries, NULL),
	MEMBER(MEMORY_SEGMENTS, struct memory_segment, memory.segments, memory.n_segments, NULL),
	MEMBER(MEMORY_BLOCKS, struct memory_block, memory.blocks, memory.n_blocks, NULL),
	MEMBER(MEMORY_FRAMES, struct memory_frame, memory.frames, memory.n_frames, NULL),
	MEMBER(MEMORY_STACKS, struct memory_stack, memory.stacks, memory.n_stacks, NULL),
	MEMBER(MEMORY_STACK_FRAMES, uint32_t, memory.stack_frames, memory.n_stack_frames, NULL),
	MEMBER(MEMORY_MARKS, struct memory_mark, memory.marks, memory.n_marks, NULL),
};

static void add_words(uint64_t *h, const uint64_t *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t pair[2] = { *h, w[i] };

		*h = check64(pair, sizeof(pair));
	}
}

static void add_text(uint64_t *h, const char *s)
{
	uint64_t sum = check64(s, strlen(s));

	add_words(h, &sum, 1);
}

#define AT(type, member) offsetof(struct type, member)

/* Whoever changes a struct or a vocabulary of the model makes old files useless without having to know about them. */
uint64_t cache_layout(void)
{
	static const uint64_t places[] = {
		AT(track, layer), AT(track, thread), AT(track, pid), AT(track, device), AT(track, context), AT(track, stream),
		AT(track, domain), AT(track, link_group), AT(track, first), AT(track, count), AT(track, overlaps),
		AT(track, depth_max), AT(thread, pid), AT(thread, tid), AT(thread, name), AT(process, name), AT(device, device),
		AT(device, name), AT(device, sm_count), AT(device, mem_bytes_per_s), AT(device, mem_bytes),
		AT(device, capability), AT(device, board), AT(content, what), AT(content, count),
		AT(option, key), AT(option, value), AT(cmdline, shown), AT(copy_detail, kind), AT(copy_detail, src), AT(copy_detail, dst),
		AT(copy_detail, um), AT(um_detail, faults), AT(um_detail, device), AT(um_detail, module), AT(um_detail, file),
		AT(um_detail, line), AT(um_detail, what), AT(um_detail, why), UM_WHAT_N, AT(event_wait, record), AT(event_wait, stream),
		AT(kernel_detail, block), AT(kernel_detail, registers), AT(kernel_detail, shared_bytes),
		AT(kernel_detail, graph_node), AT(kernel_detail, collective), AT(collective_detail, dtype), AT(collective_detail, group),
		AT(collective_detail, ranks), AT(collective_detail, in_elems), AT(collective_detail, out_elems),
		AT(collective_detail, group_size), AT(op_detail, collective), AT(op_detail, seq), AT(op_detail, backward),
		AT(frame_node, parent), AT(frame_node, line), AT(frame_node, function),
		AT(frame_node, file), AT(frame_node, total_ns), AT(frame_node, self_ns), AT(frame_node, samples),
		AT(frame_node, class_name), AT(frame_node, kind), AT(frame_line, frame), AT(frame_line, line),
		AT(frame_line, total_ns), AT(frame_line, samples), AT(frame_sample, dur), AT(frame_sample, frame), NODE_KIND_N,
		AT(kernel_metric, name), AT(kernel_metric, kind), AT(kernel_metric, first_instance), AT(metric_instance, bits),
		AT(metric_instance, at_kind), AT(metric_instance, kind), AT(section_line, title), AT(section_line, label),
		AT(section_line, metric), AT(kernel_rule, rule), AT(kernel_rule, section), AT(kernel_rule, title), AT(kernel_rule, text),
		AT(kernel_rule, focus), AT(kernel_rule, type), AT(kernel_rule, speedup), AT(kernel_roof, bytes_per_s),
		AT(kernel_roof, peak_flops), AT(kernel_roof, peak_bytes_per_s), AT(kernel_roof, roof), AT(kernel_roof, level),
		AT(profiled_launch, context), AT(profiled_launch, stream), AT(profiled_launch, when_s), AT(profiled_launch, offset),
		AT(profiled_launch, name), AT(profiled_launch, function), AT(profiled_launch, nvtx), AT(profiled_launch, grid),
		AT(profiled_launch, block), AT(profiled_launch, first_metric), AT(profiled_launch, first_line),
		AT(profiled_launch, first_rule), AT(profiled_launch, first_roof), METRIC_KIND_N, RULE_TYPE_N, SPEEDUP_KIND_N, LEVEL_N,
		AT(memory_series, first_ns), AT(memory_series, last_ns), AT(memory_series, first_entry), AT(memory_series, n_entries),
		AT(memory_series, rounded), AT(memory_entry, address), AT(memory_entry, bytes), AT(memory_entry, stream),
		AT(memory_entry, stack), AT(memory_entry, action), AT(memory_segment, total), AT(memory_segment, allocated),
		AT(memory_segment, active), AT(memory_segment, requested), AT(memory_segment, stream), AT(memory_segment, pool),
		AT(memory_segment, device), AT(memory_segment, first_block), AT(memory_segment, n_blocks), AT(memory_segment, stack),
		AT(memory_segment, large), AT(memory_segment, expandable), AT(memory_block, bytes), AT(memory_block, requested),
		AT(memory_block, stack), AT(memory_block, state), AT(memory_frame, file), AT(memory_frame, line), AT(memory_stack, n),
		AT(memory_mark, device), AT(memory_mark, name), AT(memory_mark, end), MEMORY_ACTION_N, BLOCK_STATE_N,
		LAYER_N, COPY_KIND_N, MEM_KIND_N, SYNC_KIND_N, FORMAT_N, CACHE_BLOCK, SEC_N,
	};
	uint64_t h = CACHE_FORMAT;

	add_words(&h, places, sizeof(places) / sizeof(*places));
	for (unsigned i = 0; i < SEC_N; i++) {
		const uint64_t size = cache_sections[i].size;

		add_text(&h, cache_sections[i].name);
		add_words(&h, &size, 1);
	}
	for (enum layer l = 0; l < LAYER_N; l++)
		add_text(&h, layer_name(l));
	for (enum copy_kind k = 0; k < COPY_KIND_N; k++)
		add_text(&h, copy_kind_name(k));
	for (enum mem_kind k = 0; k < MEM_KIND_N; k++)
		add_text(&h, mem_kind_name(k));
	for (enum sync_kind k = 0; k < SYNC_KIND_N; k++)
		add_text(&h, sync_kind_name(k));
	for (enum source_format f = 0; f < FORMAT_N; f++)
		add_text(&h, source_format_name(f));
	return h;
}

uint64_t cache_head_sum(const void *head)
{
	unsigned char copy[CACHE_HEAD_BYTES];

	memcpy(copy, head, sizeof(copy));
	memset(copy + offsetof(struct cache_header, checksum), 0, sizeof(uint64_t));
	return check64(copy, sizeof(copy));
}

/* ---- what is to be written ------------------------------------------------------------------------- */

struct profile_file_piece {
	const void *data;
	uint64_t n;
};
struct profile_file_plan {
	struct cache_header head;
	struct cache_section dir[SEC_N];
	struct profile_file_piece piece[SEC_N];
	struct cache_meta meta;
	struct cache_damage *damages;
	VEC(char) texts;
};

static void add_note_text(struct profile_file_plan *w, const char *s)
{
	do
		VEC_PUSH(&w->texts, *s);
	while (*s++);
}

static void plan_texts(struct profile_file_plan *w, const struct profile *p)
{
	w->damages = xcalloc(p->n_damages, sizeof(*w->damages));
	for (uint32_t i = 0; i < p->n_damages; i++) {
		w->damages[i] = (struct cache_damage){ p->damages[i].offset, p->damages[i].count };
		add_note_text(w, p->damages[i].what);
	}
	for (uint32_t i = 0; i < p->n_notes; i++)
		add_note_text(w, p->notes[i]);
}

static void plan_meta(struct profile_file_plan *w, const struct profile *p)
{
	w->meta = (struct cache_meta){
		.bytes = p->bytes, .epoch_ns = p->epoch_ns, .rank = p->rank, .world = p->world,
		.sampled_wall_ns = p->sampled_wall_ns, .sampled_cpu_ns = p->sampled_cpu_ns, .first_ns = p->first_ns,
		.last_ns = p->last_ns, .format = p->format, .producer = p->producer, .version = p->version, .caps = p->caps,
		.n_damages = p->n_damages, .n_notes = p->n_notes,
	};
}

static struct profile_file_piece piece_of(const struct profile *p, const struct section_def *d)
{
	struct profile_file_piece x;
	uint32_t n;

	memcpy(&x.data, (const char *)p + d->at, sizeof(x.data));
	memcpy(&n, (const char *)p + d->count_at, sizeof(n));
	x.n = n;
	return x;
}

static void plan_pieces(struct profile_file_plan *w, const struct profile *p, const struct cache_key *k)
{
	for (unsigned i = 0; i < SEC_N; i++)
		if (cache_sections[i].at != CACHE_NO_MEMBER)
			w->piece[i] = piece_of(p, &cache_sections[i]);
	w->piece[SEC_META] = (struct profile_file_piece){ &w->meta, 1 };
	w->piece[SEC_PATH] = (struct profile_file_piece){ k->path, strlen(k->path) };
	w->piece[SEC_DAMAGES] = (struct profile_file_piece){ w->damages, p->n_damages };
	w->piece[SEC_TEXTS] = (struct profile_file_piece){ w->texts.a, w->texts.n };
	w->piece[SEC_STR_OFF] = (struct profile_file_piece){ p->str_off, p->n_strs ? (uint64_t)p->n_strs + 1 : 0 };
	w->piece[SEC_STR_BLOB] = (struct profile_file_piece){ p->str_blob, p->n_strs ? p->str_off[p->n_strs] : 0 };
}

static uint64_t page_up(uint64_t n)
{
	return (n + CACHE_PAGE - 1) / CACHE_PAGE * CACHE_PAGE;
}

static void plan_init(struct profile_file_plan *w, const struct profile *p, const struct cache_key *k)
{
	uint64_t at = CACHE_HEAD_BYTES;

	memset(w, 0, sizeof(*w));
	plan_texts(w, p);
	plan_meta(w, p);
	plan_pieces(w, p, k);
	for (unsigned i = 0; i < SEC_N; i++) {
		at = page_up(at);
		w->dir[i] = (struct cache_section){ i, cache_sections[i].size, w->piece[i].n, at, 0 };
		at += w->piece[i].n * cache_sections[i].size;
	}
	memcpy(w->head.magic, CACHE_MAGIC, sizeof(w->head.magic));
	w->head.byte_order = CACHE_BYTE_ORDER;
	w->head.format = CACHE_FORMAT;
	w->head.layout = cache_layout();
	w->head.file_bytes = at;
	w->head.n_sections = SEC_N;
	w->head.source = k->source;
	strncpy(w->head.loader, k->loader, sizeof(w->head.loader) - 1);
}

static void plan_fini(struct profile_file_plan *w)
{
	free(w->damages);
	VEC_FREE(&w->texts);
}

int64_t cache_bytes(const struct profile *p, const struct cache_key *k)
{
	struct profile_file_plan w;
	int64_t n;

	plan_init(&w, p, k);
	n = (int64_t)w.head.file_bytes;
	plan_fini(&w);
	return n;
}

/* ---- writing --------------------------------------------------------------------------------------- */

static bool put(int fd, const void *data, size_t n, uint64_t at, struct err *e)
{
	const char *s = data;

	while (n) {
		ssize_t r = pwrite(fd, s, n, (off_t)at);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return err_sys(e, r < 0 ? errno : EIO, _("cannot write the cache file"));
		s += r;
		at += (uint64_t)r;
		n -= (size_t)r;
	}
	return true;
}

/* Block by block: summed, and where the struct has gaps copied without them. */
static bool put_section(int fd, struct profile_file_plan *w, unsigned id, char *tmp, const atomic_bool *stop, struct err *e)
{
	const struct section_def *d = &cache_sections[id];
	const char *data = w->piece[id].data;
	VEC(uint64_t) sums = { 0 };
	bool ok = true;

	for (uint64_t i = 0; ok && i < w->piece[id].n; i += CACHE_BLOCK) {
		size_t n = w->piece[id].n - i < CACHE_BLOCK ? w->piece[id].n - i : CACHE_BLOCK;
		const char *from = data + i * d->size;

		if (stop && atomic_load(stop)) {
			ok = err_set(e, ERR_CANCELLED, "cancelled");
			break;
		}
		if (d->clean) {
			memset(tmp, 0, n * d->size);
			for (size_t k = 0; k < n; k++)
				d->clean(tmp + k * d->size, from + k * d->size);
			from = tmp;
		}
		VEC_PUSH(&sums, check64(from, n * d->size));
		ok = put(fd, from, n * d->size, w->dir[id].offset + i * d->size, e);
	}
	w->dir[id].checksum = check64(sums.a, sums.n * sizeof(*sums.a));
	VEC_FREE(&sums);
	return ok;
}

/* The head comes last: without it the file is nothing. */
static bool put_head(int fd, struct profile_file_plan *w, struct err *e)
{
	unsigned char head[CACHE_HEAD_BYTES];

	memcpy(head, &w->head, sizeof(w->head));
	memcpy(head + sizeof(w->head), w->dir, sizeof(w->dir));
	w->head.checksum = cache_head_sum(head);
	memcpy(head, &w->head, sizeof(w->head));
	return put(fd, head, sizeof(head), 0, e);
}

bool cache_write(int fd, const struct profile *p, const struct cache_key *k, const atomic_bool *stop, struct err *e)
{
	struct profile_file_plan w;
	char *tmp;
	bool ok = true;

	if (strlen(k->loader) >= CACHE_LOADER_MAX || p->n > UINT32_MAX - CACHE_SLACK || !check_profile(p))
		return err_set(e, ERR_FORMAT, _("the profile breaks a rule of its columns"));
	plan_init(&w, p, k);
	tmp = xmalloc(CACHE_BLOCK * sizeof(struct track));
	for (unsigned i = 0; ok && i < SEC_N; i++)
		ok = put_section(fd, &w, i, tmp, stop, e);
	if (ok && ftruncate(fd, (off_t)w.head.file_bytes) < 0)
		ok = err_sys(e, errno, _("cannot write the cache file"));
	ok = ok && put_head(fd, &w, e);
	free(tmp);
	plan_fini(&w);
	return ok;
}
