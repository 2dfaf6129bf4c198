/*
 * profile_check.c - whether columns and tables keep the promises of profile.h by which readers stay inside their arrays and come to an end;
 * see profile_file_impl.h. The same checks guard both ends: a profile that would be refused is not written.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "reopen/profile_file_impl.h"

static bool str_ok(const struct profile *p, str_id id)
{
	return id == ID_NONE || id < p->n_strs;
}

/* ---- tables ------------------------------------------------------------------------------------ */

static bool device_known(const struct profile *p, int64_t device)
{
	for (uint32_t i = 0; i < p->n_devices; i++)
		if (p->devices[i].device == device)
			return true;
	return false;
}

static bool track_ok(const struct profile *p, const struct track *tr, uint64_t first)
{
	bool gpu;

	if (tr->layer >= LAYER_N || tr->first != first || tr->count > p->n - first || !str_ok(p, tr->domain) ||
	    tr->overlaps > tr->count || tr->depth_max > tr->count)
		return false;
	gpu = layer_on_gpu(tr->layer);
	if (gpu ? tr->thread != ID_NONE : tr->thread >= p->n_threads)
		return false;
	return !gpu || tr->layer == LAYER_COUNTER || device_known(p, tr->device);
}

static bool check_tracks(struct profile *p)
{
	uint64_t first = 0;
	track_id t = 0;

	for (unsigned l = 0; l < LAYER_N; l++) {
		p->layer_track[l] = t;
		p->layer_first[l] = (ev_id)first;
		for (; t < p->n_tracks && p->tracks[t].layer == l; t++) {
			if (!track_ok(p, &p->tracks[t], first))
				return false;
			first += p->tracks[t].count;
		}
	}
	p->layer_track[LAYER_N] = t;
	p->layer_first[LAYER_N] = (ev_id)first;
	return t == p->n_tracks && first == p->n;
}

static bool check_names(const struct profile *p)
{
	bool ok = str_ok(p, p->producer) && str_ok(p, p->version) && p->format < FORMAT_N;

	for (uint32_t i = 0; i < p->n_threads; i++)
		ok &= str_ok(p, p->threads[i].name);
	for (uint32_t i = 0; i < p->n_processes; i++)
		ok &= str_ok(p, p->processes[i].name);
	for (uint32_t i = 0; i < p->n_devices; i++)
		ok &= str_ok(p, p->devices[i].name);
	for (uint32_t i = 0; i < p->n_contents; i++)
		ok &= str_ok(p, p->contents[i].what);
	for (uint32_t i = 0; i < p->n_options; i++)
		ok &= str_ok(p, p->options[i].key) && str_ok(p, p->options[i].value);
	for (uint32_t i = 0; i < p->n_cmdlines; i++)
		ok &= p->cmdlines[i].shown < p->n_strs && p->cmdlines[i].full < p->n_strs;
	return ok;
}

/* What no run can say: that a table without owners is empty. */
static bool reports_owned(const struct kernel_reports *r)
{
	return (r->n_launches || (!r->n_metrics && !r->n_lines && !r->n_rules && !r->n_roofs)) && (r->n_metrics || !r->n_instances);
}

bool check_tables(struct profile *p)
{
	return check_names(p) && check_tracks(p) && reports_owned(&p->reports);
}

/* ---- events ------------------------------------------------------------------------------------ */

struct profile_check_limits {			/* of one track */
	const struct track *tr;
	ev_id link_lo, link_hi;	/* what link may name */
	uint32_t aux;		/* aux is below it, or ID_NONE */
	bool work, in_range;
};

static void set_limits(struct profile_check_limits *x, const struct profile *p, const struct track *tr)
{
	enum layer to = tr->layer == LAYER_RUNTIME ? LAYER_OP : layer_on_gpu(tr->layer) ? LAYER_RUNTIME : LAYER_N;
	bool nvtx = tr->layer == LAYER_NVTX || tr->layer == LAYER_NVTX_SE || tr->layer == LAYER_NVTX_OPEN;

	*x = (struct profile_check_limits){ .tr = tr, .aux = ID_NONE };
	if (to != LAYER_N) {
		x->link_lo = p->layer_first[to];
		x->link_hi = p->layer_first[to + 1];
	}
	x->work = tr->layer == LAYER_KERNEL || tr->layer == LAYER_MEMCPY || tr->layer == LAYER_MEMSET;
	x->in_range = tr->layer != LAYER_SPAN && tr->layer != LAYER_INSTANT && tr->layer != LAYER_COUNTER &&
		tr->layer != LAYER_NVTX_OPEN && tr->layer != LAYER_SCHED && tr->layer != LAYER_FAULT;
	if (x->work)
		x->aux = tr->layer == LAYER_KERNEL ? p->n_kernels : p->n_copies;
	else if (tr->layer == LAYER_OP)
		x->aux = p->n_op_details;
	else if (tr->layer == LAYER_FAULT)
		x->aux = p->n_ums;
	else if (nvtx || tr->layer == LAYER_INSTANT)
		x->aux = p->n_strs;
}

static void push(struct check_stack *st, uint32_t v)
{
	VEC_PUSH(st, v);
}

/*
 * The elements that are open behind `last`: it and its ancestors, outermost first. parent_of must be one of the columns; a chain that does
 * not go down is cut, and found wrong where it belongs.
 */
static void open_chain(struct check_stack *st, const uint32_t *parent, uint32_t last, uint32_t lowest)
{
	uint32_t up;

	st->n = 0;
	for (;; last = up) {
		push(st, last);
		up = parent[last];
		if (up >= last || up < lowest)
			break;
	}
	for (size_t i = 0, j = st->n - 1; i < j; i++, j--) {
		uint32_t x = st->a[i];

		st->a[i] = st->a[j];
		st->a[j] = x;
	}
}

/* In preorder a parent is the element before or one of its ancestors. Leaves the stack at the parent. */
static bool pop_to(struct check_stack *st, uint32_t parent)
{
	while (st->n && st->a[st->n - 1] != parent)
		st->n--;
	return st->n || parent == ID_NONE;
}

static bool time_ok(const struct profile *p, ev_id e, ev_id first)
{
	ns_t end;

	if (p->dur[e] < 0 || __builtin_add_overflow(p->start[e], p->dur[e], &end) || p->self[e] < 0 || p->self[e] > p->dur[e])
		return false;
	if (e == first)
		return true;
	return p->start[e] > p->start[e - 1] || (p->start[e] == p->start[e - 1] && p->dur[e] <= p->dur[e - 1]);
}

/* The parent is active at the start. Its own times are checked elsewhere, perhaps later: they are compared without adding. */
static bool inside(const struct profile *p, ev_id e, ev_id parent)
{
	return p->start[parent] <= p->start[e] && (uint64_t)p->start[e] - (uint64_t)p->start[parent] < (uint64_t)p->dur[parent];
}

static bool ids_ok(const struct profile *p, ev_id e, const struct profile_check_limits *x)
{
	ev_id link = p->link[e];
	uint32_t aux = p->aux[e];

	return (p->name[e] < p->n_strs || p->name[e] == ID_NONE) && (aux < x->aux || aux == ID_NONE) &&
		(link == ID_NONE || (link >= x->link_lo && link < x->link_hi));
}

static bool check_part(const struct profile *p, ev_id a, ev_id b, const struct profile_check_limits *x, struct check_stack *st,
	struct check_sum *sum)
{
	st->n = 0;
	if (a > x->tr->first)
		open_chain(st, p->parent, a - 1, x->tr->first);
	if (a == x->tr->first && x->in_range && p->start[a] < sum->first_ns)
		sum->first_ns = p->start[a];
	for (ev_id e = a; e < b; e++) {
		if (!time_ok(p, e, x->tr->first) || !ids_ok(p, e, x) || !pop_to(st, p->parent[e]) ||
		    (st->n && !inside(p, e, p->parent[e])))
			return false;
		push(st, e);
		if (st->n > x->tr->depth_max)
			return false;
		if (x->in_range && ev_end(p, e) > sum->last_ns)
			sum->last_ns = ev_end(p, e);
		sum->linked += x->work && p->link[e] != ID_NONE;
	}
	return true;
}

bool check_events(const struct profile *p, uint32_t a, uint32_t b, struct check_stack *st, struct check_sum *sum)
{
	track_id t = a < b ? profile_track_of(p, a) : 0;

	for (; a < b; t++) {
		const struct track *tr = &p->tracks[t];
		uint32_t end = tr->first + tr->count < b ? tr->first + tr->count : b;
		struct profile_check_limits x;

		set_limits(&x, p, tr);
		if (end > a && !check_part(p, a, end, &x, st, sum))
			return false;
		a = end > a ? end : a;
	}
	return true;
}

/* ---- the other columns --------------------------------------------------------------------------- */

bool check_strings(const struct profile *p, uint64_t blob_bytes, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++) {
		uint64_t off = p->str_off[i];

		if (i == 0 ? off != 0 : off <= p->str_off[i - 1] || off > blob_bytes || p->str_blob[off - 1])
			return false;
		if (i == p->n_strs && off != blob_bytes)
			return false;
	}
	return true;
}

static bool is_work(const struct profile *p, ev_id e)
{
	return e >= p->layer_first[LAYER_WORK] && e < p->layer_first[LAYER_WORK_LAST + 1];
}

bool check_launches(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++) {
		ev_id e = p->by_launch[i], before = i ? p->by_launch[i - 1] : 0;

		if (!is_work(p, e) || p->link[e] == ID_NONE)
			return false;
		if (!i)
			continue;
		if (before >= p->n || p->link[before] > p->link[e])
			return false;
		if (p->link[before] == p->link[e] &&
		    (p->start[before] > p->start[e] || (p->start[before] == p->start[e] && before >= e)))
			return false;
	}
	return true;
}

bool check_copies(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++)
		if (p->copies[i].kind >= COPY_KIND_N || p->copies[i].src >= MEM_KIND_N || p->copies[i].dst >= MEM_KIND_N ||
			p->copies[i].um > p->n_ums)
			return false;
	return true;
}

bool check_kernels(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++)
		if (p->kernels[i].collective > p->n_collectives)
			return false;
	return true;
}

bool check_collectives(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++) {
		const struct collective_detail *d = &p->collectives[i];

		if (!str_ok(p, d->name) || !str_ok(p, d->dtype) || !str_ok(p, d->group) || !str_ok(p, d->ranks))
			return false;
	}
	return true;
}

bool check_op_details(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++)
		if (!str_ok(p, p->op_details[i].shape) || p->op_details[i].collective > p->n_collectives)
			return false;
	return true;
}

static bool is_call(const struct profile *p, ev_id e)
{
	return e >= p->layer_first[LAYER_RUNTIME] && e < p->layer_first[LAYER_RUNTIME + 1];
}

bool check_event_waits(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++) {
		const struct event_wait *w = &p->event_waits[i];

		if (!is_call(p, w->call) || !is_call(p, w->record) || (i && p->event_waits[i - 1].call >= w->call))
			return false;
	}
	return true;
}

bool check_ums(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++)
		if (p->ums[i].what >= UM_WHAT_N || !str_ok(p, p->ums[i].module) || !str_ok(p, p->ums[i].file) || p->ums[i].faults < 0)
			return false;
	return true;
}

static void open_frames(struct check_stack *st, const struct profile *p, uint32_t last)
{
	int32_t up;

	st->n = 0;
	for (;; last = (uint32_t)up) {
		push(st, last);
		up = p->frames[last].parent;
		if (up < 0 || (uint32_t)up >= last)
			break;
	}
	for (size_t i = 0, j = st->n - 1; i < j; i++, j--) {
		uint32_t x = st->a[i];

		st->a[i] = st->a[j];
		st->a[j] = x;
	}
}

bool check_frames(const struct profile *p, uint32_t a, uint32_t b, struct check_stack *st)
{
	st->n = 0;
	if (a && a < b)
		open_frames(st, p, a - 1);
	for (uint32_t i = a; i < b; i++) {
		const struct frame_node *f = &p->frames[i];

		if (f->parent < -1 || !str_ok(p, f->function) || !str_ok(p, f->file) ||
		    !str_ok(p, f->class_name) || f->kind >= NODE_KIND_N ||
		    !pop_to(st, f->parent < 0 ? ID_NONE : (uint32_t)f->parent))
			return false;
		push(st, i);
	}
	return true;
}

bool check_frame_lines(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++)
		if (p->frame_lines[i].frame >= p->n_frames || p->frame_lines[i].line <= 0 ||
		    (i && p->frame_lines[i].frame < p->frame_lines[i - 1].frame))
			return false;
	return true;
}

bool check_frame_samples(const struct profile *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++) {
		const struct frame_sample *s = &p->frame_samples[i];

		if (s->frame >= p->n_frames || s->start < 0 || s->dur <= 0 || s->start > NS_LIMIT || s->dur > NS_LIMIT ||
		    (i && s->start < s[-1].start))
			return false;
	}
	return true;
}

/* ---- launches that a kernel profiler measured ------------------------------------------------- */

/* The run [first, first + n) goes on where the one before ends; the last one ends where its table does. */
static bool run_ok(uint32_t first, uint32_t n, uint64_t before, bool last, uint32_t table)
{
	return first == before && n <= table - first && first <= table && (!last || first + n == table);
}

#define RUN_OK(t, i, n_t, first, n, table)										\
	run_ok((t)[i].first, (t)[i].n, (i) ? (uint64_t)(t)[(i) - 1].first + (t)[(i) - 1].n : 0, (i) + 1 == (n_t), table)

static bool launch_ok(const struct profile *p, uint32_t i)
{
	const struct kernel_reports *r = &p->reports;
	const struct profiled_launch *l = &r->launches[i];

	return str_ok(p, l->name) && str_ok(p, l->function) && str_ok(p, l->nvtx) &&
		RUN_OK(r->launches, i, r->n_launches, first_metric, n_metrics, r->n_metrics) &&
		RUN_OK(r->launches, i, r->n_launches, first_line, n_lines, r->n_lines) &&
		RUN_OK(r->launches, i, r->n_launches, first_rule, n_rules, r->n_rules) &&
		RUN_OK(r->launches, i, r->n_launches, first_roof, n_roofs, r->n_roofs);
}

static bool value_ok(const struct profile *p, uint32_t kind, uint64_t bits)
{
	return kind < METRIC_KIND_N && (kind != METRIC_TEXT || bits < p->n_strs);
}

static bool report_ok(const struct profile *p, enum section sec, uint32_t i)
{
	const struct kernel_reports *r = &p->reports;

	switch (sec) {
	case SEC_PROFILED:
		return launch_ok(p, i);
	case SEC_METRICS:
		return str_ok(p, r->metrics[i].name) && value_ok(p, r->metrics[i].kind, r->metrics[i].bits) &&
			RUN_OK(r->metrics, i, r->n_metrics, first_instance, n_instances, r->n_instances);
	case SEC_INSTANCES:
		return value_ok(p, r->instances[i].kind, r->instances[i].bits) &&
			value_ok(p, r->instances[i].at_kind, r->instances[i].at);
	case SEC_LINES:
		return str_ok(p, r->lines[i].section) && str_ok(p, r->lines[i].title) && str_ok(p, r->lines[i].label) &&
			r->lines[i].metric < r->n_metrics;
	case SEC_KERNEL_RULES:
		return str_ok(p, r->rules[i].rule) && str_ok(p, r->rules[i].section) && str_ok(p, r->rules[i].title) &&
			str_ok(p, r->rules[i].text) && str_ok(p, r->rules[i].focus) && r->rules[i].type < RULE_TYPE_N &&
			r->rules[i].speedup < SPEEDUP_KIND_N;
	default:
		return str_ok(p, r->roofs[i].roof) && r->roofs[i].level < LEVEL_N;
	}
}

bool check_reports(const struct profile *p, enum section sec, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++)
		if (!report_ok(p, sec, i))
			return false;
	return true;
}

/* ---- what an allocator did and held ------------------------------------------------------------ */

static bool run_in(uint32_t first, uint32_t n, uint32_t table)
{
	return first <= table && n <= table - first;
}

static bool bytes_ok(int64_t bytes)
{
	return bytes == I64_UNKNOWN || (bytes >= 0 && bytes <= NS_LIMIT);
}

static bool moment_ok(ns_t t)
{
	return t == NS_UNKNOWN || (t > -2 * NS_LIMIT && t < 2 * NS_LIMIT);
}

static bool stack_ok(const struct memory_records *m, uint32_t stack)
{
	return stack == ID_NONE || stack < m->n_stacks;
}

static bool segment_ok(const struct memory_records *m, uint32_t i)
{
	const struct memory_segment *s = &m->segments[i];

	return bytes_ok(s->total) && bytes_ok(s->allocated) && bytes_ok(s->active) && bytes_ok(s->requested) &&
		run_in(s->first_block, s->n_blocks, m->n_blocks) && stack_ok(m, s->stack) && s->large <= 2 && s->expandable <= 2 &&
		(!i || s->first_block >= s[-1].first_block + s[-1].n_blocks);
}

static bool memory_ok(const struct profile *p, enum section sec, uint32_t i)
{
	const struct memory_records *m = &p->memory;

	switch (sec) {
	case SEC_MEMORY_SERIES:
		return run_in(m->series[i].first_entry, m->series[i].n_entries, m->n_entries) && (!i ||
			m->series[i].first_entry >= m->series[i - 1].first_entry + m->series[i - 1].n_entries);
	case SEC_MEMORY_ENTRIES:
		return moment_ok(m->entries[i].time) && bytes_ok(m->entries[i].bytes) && stack_ok(m, m->entries[i].stack) &&
			m->entries[i].action < MEMORY_ACTION_N;
	case SEC_MEMORY_SEGMENTS:
		return segment_ok(m, i);
	case SEC_MEMORY_BLOCKS:
		return bytes_ok(m->blocks[i].bytes) && bytes_ok(m->blocks[i].requested) && stack_ok(m, m->blocks[i].stack) &&
			m->blocks[i].state < BLOCK_STATE_N;
	case SEC_MEMORY_FRAMES:
		return str_ok(p, m->frames[i].function) && str_ok(p, m->frames[i].file);
	case SEC_MEMORY_STACKS:
		return run_in(m->stacks[i].first, m->stacks[i].n, m->n_stack_frames);
	case SEC_MEMORY_STACK_FRAMES:
		return m->stack_frames[i] < m->n_frames;
	default:
		return str_ok(p, m->marks[i].name) && moment_ok(m->marks[i].time);
	}
}

bool check_memory(const struct profile *p, enum section sec, uint32_t a, uint32_t b)
{
	for (uint32_t i = a; i < b; i++)
		if (!memory_ok(p, sec, i))
			return false;
	return true;
}

static bool check_all_memory(const struct profile *p)
{
	const struct memory_records *m = &p->memory;

	return check_memory(p, SEC_MEMORY_SERIES, 0, m->n_series) && check_memory(p, SEC_MEMORY_ENTRIES, 0, m->n_entries) &&
		check_memory(p, SEC_MEMORY_SEGMENTS, 0, m->n_segments) && check_memory(p, SEC_MEMORY_BLOCKS, 0, m->n_blocks) &&
		check_memory(p, SEC_MEMORY_FRAMES, 0, m->n_frames) && check_memory(p, SEC_MEMORY_STACKS, 0, m->n_stacks) &&
		check_memory(p, SEC_MEMORY_STACK_FRAMES, 0, m->n_stack_frames) && check_memory(p, SEC_MEMORY_MARKS, 0, m->n_marks);
}

/* ---- all ----------------------------------------------------------------------------------------- */

bool check_profile(const struct profile *p)
{
	struct check_sum sum = { 0, INT64_MAX, INT64_MIN };
	struct check_stack st = { 0 };
	struct profile copy = { 0 };
	bool ok;

	/* the tables of layers are computed anew, and must come out the same */
	copy.n = p->n;
	copy.tracks = p->tracks;
	copy.n_tracks = p->n_tracks;
	copy.threads = p->threads;
	copy.n_threads = p->n_threads;
	copy.devices = p->devices;
	copy.n_devices = p->n_devices;
	copy.n_strs = p->n_strs;
	copy.producer = copy.version = ID_NONE;
	ok = !p->partial && check_names(p) && check_tables(&copy);
	for (unsigned l = 0; ok && l <= LAYER_N; l++)
		ok = copy.layer_track[l] == p->layer_track[l] && copy.layer_first[l] == p->layer_first[l];
	ok = ok && (!p->n_strs || check_strings(p, p->str_off[p->n_strs], 0, p->n_strs + 1)) &&
		check_events(p, 0, p->n, &st, &sum) && check_launches(p, 0, p->n_by_launch) &&
		check_copies(p, 0, p->n_copies) && check_kernels(p, 0, p->n_kernels) &&
		check_collectives(p, 0, p->n_collectives) && check_op_details(p, 0, p->n_op_details) &&
		check_ums(p, 0, p->n_ums) && check_event_waits(p, 0, p->n_event_waits) &&
		check_frames(p, 0, p->n_frames, &st) &&
		check_frame_lines(p, 0, p->n_frame_lines) && check_frame_samples(p, 0, p->n_frame_samples) && sum.linked == p->n_by_launch &&
		check_all_memory(p) && reports_owned(&p->reports) && check_reports(p, SEC_PROFILED, 0, p->reports.n_launches) &&
		check_reports(p, SEC_METRICS, 0, p->reports.n_metrics) && check_reports(p, SEC_INSTANCES, 0, p->reports.n_instances) &&
		check_reports(p, SEC_LINES, 0, p->reports.n_lines) && check_reports(p, SEC_KERNEL_RULES, 0, p->reports.n_rules) &&
		check_reports(p, SEC_ROOFS, 0, p->reports.n_roofs) &&
		sum.first_ns == p->first_ns && sum.last_ns == p->last_ns;
	free(st.a);
	return ok;
}
