/*
 * breakdown.c - view `breakdown`: each nanosecond of the window once (definitions.md §5, §8). Partitions: "cpu" (the issuing
 * thread of each training process), "gpu:N" (states of a device), "joint:N" (states of a device x what the issuing thread did).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "measure/device_state.h"
#include "measure/host_partition.h"
#include "measure/py_markers.h"
#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_L1, C_L2, C_L3, C_TIME, C_SHARE, C_PARTITION, C_PIECES, C_LONGEST_START, C_LONGEST };

static const struct column_def cols[] = {
	[C_L1] = { "level1", N_("Level 1"), UNIT_TEXT, COL_KEY, 0, N_("kind of work; for a device its state") },
	[C_L2] = { "level2", N_("Level 2"), UNIT_TEXT, COL_NAME, 0, N_("concrete operation") },
	[C_L3] = { "level3", N_("Level 3"), UNIT_TEXT, 0, 2, N_("function, op, call or kernel") },
	[C_TIME] = { "time_ns", N_("Time"), UNIT_NS, 0, 0, N_("wall time; the rows sum to the wall") },
	[C_SHARE] = { "share", N_("Share"), UNIT_RATIO, COL_BAR, 1, N_("of the wall") },
	[C_PARTITION] = { "partition", N_("Partition"), UNIT_TEXT, 0, 8, N_("cpu, gpu:N or joint:N") },
	[C_PIECES] = { "pieces", N_("Pieces"), UNIT_COUNT, 0, 7, N_("uninterrupted stretches that the time consists of") },
	[C_LONGEST_START] = { "longest_start_ns", N_("Longest at"), UNIT_TIME, 0, 8, N_("where the longest of them begins") },
	[C_LONGEST] = { "longest_ns", N_("Longest"), UNIT_NS, 0, 7, N_("how long it is") },
	SOURCE_COLS
};

/* A sum per (a, b, c), which are whatever the partition groups by. */
struct breakdown_sum {
	uint64_t a;
	uint32_t b, c;
	ns_t ns;
	ns_t start, end;	/* the stretch at hand */
	ns_t longest_start, longest_ns;
	int64_t pieces;
};
struct breakdown_sums {
	struct map index;
	VEC(struct breakdown_sum) rows;
};

/* Pieces come in the order of time: what touches the one before goes on with it. */
static void sum_add(struct breakdown_sums *s, uint64_t a, uint32_t b, uint32_t c, ns_t start, ns_t end)
{
	uint32_t i = map_get_or_put(&s->index, a, (uint64_t)b << 32 | c, (uint32_t)s->rows.n);
	struct breakdown_sum *x;

	if (i == s->rows.n)
		VEC_PUSH(&s->rows, (struct breakdown_sum){ .a = a, .b = b, .c = c, .end = NS_UNKNOWN });
	x = &s->rows.a[i];
	if (x->end != start) {
		x->start = start;
		x->pieces++;
	}
	x->end = end;
	x->ns += end - start;
	if (end - x->start > x->longest_ns) {
		x->longest_ns = end - x->start;
		x->longest_start = x->start;
	}
}

static int sum_cmp(const void *pa, const void *pb)
{
	const struct breakdown_sum *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b != b->b ? (a->b < b->b ? -1 : 1) : (a->c > b->c) - (a->c < b->c);
}

static void sums_sort(struct breakdown_sums *s)
{
	if (s->rows.n)
		qsort(s->rows.a, s->rows.n, sizeof(*s->rows.a), sum_cmp);
}

static void sums_fini(struct breakdown_sums *s)
{
	map_fini(&s->index);
	VEC_FREE(&s->rows);
}

/* One partition being written: the wall that its rows sum to. */
struct breakdown_part {
	const struct selection *k;
	struct table *t;
	const char *name;
	ns_t wall;
	int64_t pid;
};

static uint32_t put_row(const struct breakdown_part *pt, const struct breakdown_sum *x)
{
	uint32_t row = table_row(pt->t);
	ns_t longest = selection_session_time(pt->k, x->longest_start);

	table_i64(pt->t, row, C_TIME, x->ns);
	if (pt->wall > 0)
		table_share(pt->t, row, C_SHARE, (double)x->ns, (double)pt->wall);
	table_i64(pt->t, row, C_PIECES, x->pieces);
	table_i64(pt->t, row, C_LONGEST_START, longest);
	table_i64(pt->t, row, C_LONGEST, x->longest_ns);
	an_ref(pt->t, row, REF_TIME, pt->k->f->source, longest, longest + x->longest_ns, C_L2);
	table_cstr(pt->t, row, C_PARTITION, pt->name);
	an_row_source(pt->t, row, pt->k, pt->pid);
	return row;
}

static void put_leaf_str(struct table *t, uint32_t row, uint32_t col, const struct host_leaves *ls, uint32_t id)
{
	size_t n;
	const char *s = host_leaves_str(ls, id, &n);

	if (id != ID_NONE)
		table_str(t, row, col, s, n);
}

/* ---- cpu ---- */

enum { WAIT_NONE, WAIT_BUSY, WAIT_IDLE };	/* sync waits are told apart by what the device did */

struct cpu_fill {
	struct breakdown_sums *sums;
	const struct host_leaves *ls;
	const struct spans *busy;
};

static void add_wait(struct cpu_fill *f, ns_t start, ns_t end, uint32_t leaf)
{
	for (size_t i = spans_seek(f->busy, start); start < end; i++) {
		ns_t from = i < f->busy->n && f->busy->a[i].start < end ? f->busy->a[i].start : end;
		ns_t to = i < f->busy->n && f->busy->a[i].end < end ? f->busy->a[i].end : end;

		if (from > start)
			sum_add(f->sums, leaf, WAIT_IDLE, 0, start, from);
		from = from > start ? from : start;
		if (to > from)
			sum_add(f->sums, leaf, WAIT_BUSY, 0, from, to);
		start = to;
	}
}

static void add_leaf(void *arg, ns_t start, ns_t end, uint32_t leaf)
{
	struct cpu_fill *f = arg;

	if (f->ls->a[leaf].l1 == L1_SYNC)
		add_wait(f, start, end, leaf);
	else
		sum_add(f->sums, leaf, WAIT_NONE, 0, start, end);
}

/* Level 3 of a wait says what the device did meanwhile, so that level 2 sums to the whole operation. */
static void put_wait(struct table *t, uint32_t row, const struct host_leaves *ls, const struct host_leaf *lf, uint32_t wait)
{
	size_t n;
	const char *s = host_leaves_str(ls, lf->l3 == ID_NONE ? lf->l2 : lf->l3, &n);

	table_cstr(t, row, C_L3, arena_printf(&t->arena, "%.*s (device %s)", (int)n, s, wait == WAIT_BUSY ? "busy" : "idle"));
}

static void put_cpu_rows(const struct breakdown_part *pt, const struct host_leaves *ls, const struct breakdown_sums *s)
{
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct breakdown_sum *x = &s->rows.a[i];
		const struct host_leaf *lf = &ls->a[x->a];
		uint32_t row = put_row(pt, x);

		table_cstr(pt->t, row, C_L1, level1_name(lf->l1));
		put_leaf_str(pt->t, row, C_L2, ls, lf->l2);
		put_leaf_str(pt->t, row, C_L3, ls, lf->l3);
		if (x->b != WAIT_NONE)
			put_wait(pt->t, row, ls, lf, x->b);
	}
}

static ns_t cpu_partition(const struct selection *k, uint32_t proc, const struct spans *busy, struct table *t)
{
	struct breakdown_part pt = { k, t, "cpu", 0, k->f->procs[proc].pid };
	struct host_leaves ls;
	struct breakdown_sums sums = { 0 };
	struct spans window = { 0 };
	struct py_markers m;

	host_leaves_init(&ls, k->cx->rules);
	selection_proc_window(k, proc, &window);
	py_markers_open(&m, k, proc, &ls, add_leaf, &(struct cpu_fill){ &sums, &ls, busy });
	host_partition_each(&ls, k, proc, &window, py_markers_piece, &m);
	if (m.open)
		table_note(t, _("%s: what ran while nothing but the marker of a step is known is told by the samples of %s, on one clock"),
			k->src->path, m.k.src->path);
	py_markers_close(&m);
	sums_sort(&sums);
	pt.wall = spans_measure(&window);
	put_cpu_rows(&pt, &ls, &sums);
	spans_fini(&window);
	sums_fini(&sums);
	host_leaves_fini(&ls);
	return pt.wall;
}

static ns_t cpu_source(const struct selection *k, struct table *t)
{
	struct proc_busies busy;
	uint32_t parts = 0;
	ns_t wall = 0;

	proc_busies_init(&busy, k->f);
	for (uint32_t i = 0; i < k->f->n_procs; i++) {
		const struct proc_facts *pf = &k->f->procs[i];

		if (!pf->training || pf->main == ID_NONE || (k->sc->pid != SCOPE_ANY && pf->pid != k->sc->pid))
			continue;
		wall += cpu_partition(k, i, proc_busy(&busy, i), t);
		parts++;
	}
	proc_busies_fini(&busy);
	if (parts > 1)
		table_note(t, _("%s: %u processes, each with a partition of its own: the rows sum to the sum of their walls"),
			k->src->path, parts);
	return wall;
}

/* ---- gpu and joint ---- */

struct gpu_fill {
	const struct selection *k;
	struct breakdown_sums *sums;
	struct strtab *names;
	const struct gpu_states *st;
	const struct host_leaves *ls;
};

/* Level 2 and 3 of a device instant: class and phase, op (or kernel without one). */
static void add_gpu_piece(void *arg, ns_t start, ns_t end, uint32_t state, uint32_t ev)
{
	struct gpu_fill *f = arg;
	uint32_t l2 = ID_NONE, l3 = ID_NONE;
	char text[128];

	if (ev != ID_NONE) {
		ev_id call = f->k->p->link[ev];
		uint32_t op = call == ID_NONE ? ID_NONE : facts_op_of_call(f->k->f, call);
		size_t n;
		const char *s = profile_str(f->k->p, op != ID_NONE ? f->k->f->ops.name[op] : f->k->p->name[ev], &n);

		snprintf(text, sizeof(text), "%s, %s", gpu_work_class(f->k, ev), phase_name(selection_gpu_phase(f->k, ev)));
		l2 = strtab_intern(f->names, text, strlen(text));
		l3 = strtab_intern(f->names, s, op != ID_NONE ? rules_op_base(s, n) : n);
	}
	sum_add(f->sums, state, l2, l3, start, end);
}

static void add_joint_piece(void *arg, ns_t start, ns_t end, uint32_t state, uint32_t leaf)
{
	struct gpu_fill *f = arg;

	sum_add(f->sums, state, leaf == ID_NONE ? HOST_UNTRACED : leaf, 0, start, end);
}

static void put_gpu_rows(const struct breakdown_part *pt, const struct gpu_fill *f)
{
	for (size_t i = 0; i < f->sums->rows.n; i++) {
		const struct breakdown_sum *x = &f->sums->rows.a[i];
		uint32_t row = put_row(pt, x);
		size_t n;
		const char *s;

		table_cstr(pt->t, row, C_L1, gpu_state_name((enum gpu_state)x->a));
		s = strtab_get(f->names, x->b, &n);
		table_str(pt->t, row, C_L2, x->b == ID_NONE ? NULL : s, n);
		s = strtab_get(f->names, x->c, &n);
		table_str(pt->t, row, C_L3, x->c == ID_NONE ? NULL : s, n);
	}
}

static void put_joint_rows(const struct breakdown_part *pt, const struct gpu_fill *f)
{
	for (size_t i = 0; i < f->sums->rows.n; i++) {
		const struct breakdown_sum *x = &f->sums->rows.a[i];
		const struct host_leaf *lf = &f->ls->a[x->b];
		uint32_t row = put_row(pt, x);
		size_t n2, n3;
		const char *l2 = host_leaves_str(f->ls, lf->l2, &n2), *l3 = host_leaves_str(f->ls, lf->l3, &n3);

		table_cstr(pt->t, row, C_L1, gpu_state_name((enum gpu_state)x->a));
		table_cstr(pt->t, row, C_L2, level1_name(lf->l1));
		table_cstr(pt->t, row, C_L3, lf->l3 == ID_NONE ? arena_strndup(&pt->t->arena, l2, n2) :
			arena_printf(&pt->t->arena, "%.*s: %.*s", (int)n2, l2, (int)n3, l3));
	}
}

/* The process whose issuing thread stands against the device: the owner of its streams, else the only or first training one. */
static uint32_t partition_proc(const struct selection *k, const struct device_facts *d)
{
	uint32_t n;
	const track_id *t = facts_device_tracks(k->f, d, &n);

	for (uint32_t i = 0; i < n; i++) {
		int64_t pid = k->p->tracks[t[i]].pid;
		uint32_t proc = pid >= 0 ? facts_proc_of_pid(k->f, pid) : ID_NONE;

		if (proc != ID_NONE && k->f->procs[proc].main != ID_NONE)
			return proc;
	}
	for (uint32_t i = 0; i < k->f->n_procs; i++)
		if (k->f->procs[i].training && k->f->procs[i].main != ID_NONE)
			return i;
	return ID_NONE;
}

/* The host partition of one process over the windows of all devices: most devices share it. */
struct host_side {
	uint32_t proc;		/* ID_NONE: of none so far */
	struct host_leaves ls;
	struct owner_list segs;
};

static void host_side_init(struct host_side *h, const struct selection *k)
{
	*h = (struct host_side){ .proc = ID_NONE };
	host_leaves_init(&h->ls, k->cx->rules);
}

static void host_side_fini(struct host_side *h)
{
	owner_list_fini(&h->segs);
	host_leaves_fini(&h->ls);
}

static void host_side_make(struct host_side *h, const struct selection *k, uint32_t proc)
{
	struct spans all = { 0 };
	struct py_markers m;

	if (h->proc == proc)
		return;
	host_side_fini(h);
	host_side_init(h, k);
	h->proc = proc;
	if (proc == ID_NONE)
		return;
	for (uint32_t i = 0; k->all && i < k->f->n_devices; i++)
		spans_add(&all, k->f->devices[i].first, k->f->devices[i].last);
	spans_norm(&all);
	py_markers_open(&m, k, proc, &h->ls, leaf_keep, &h->segs);
	host_partition_each(&h->ls, k, proc, k->all ? &all : &k->window, py_markers_piece, &m);
	py_markers_close(&m);
	spans_fini(&all);
}

static ns_t device_partition(const struct selection *k, const struct device_facts *d, struct host_side *joint, struct table *t)
{
	struct breakdown_part pt = { k, t, arena_printf(&t->arena, "%s:%lld", joint ? "joint" : "gpu", (long long)d->device), 0, -1 };
	struct spans window = { 0 };
	struct gpu_states st = { 0 };
	struct strtab names = { 0 };
	struct breakdown_sums sums = { 0 };
	struct gpu_fill f = { k, &sums, &names, &st, joint ? &joint->ls : NULL };
	uint32_t proc = partition_proc(k, d);

	selection_device_window(k, d, &window);
	gpu_states_make(k, d, &window, !joint, &st);
	pt.wall = spans_measure(&window);
	if (proc != ID_NONE)
		pt.pid = k->f->procs[proc].pid;
	if (joint) {
		host_side_make(joint, k, proc);
		owner_list_cross(&st.states, &joint->segs, add_joint_piece, &f);
	} else {
		owner_list_cross(&st.states, &st.owners, add_gpu_piece, &f);
	}
	sums_sort(&sums);
	if (joint)
		put_joint_rows(&pt, &f);
	else
		put_gpu_rows(&pt, &f);
	spans_fini(&window);
	gpu_states_fini(&st);
	strtab_fini(&names);
	sums_fini(&sums);
	return pt.wall;
}

static ns_t device_source(const struct selection *k, bool joint, int64_t device, struct table *t)
{
	struct host_side host;
	ns_t wall = 0;

	host_side_init(&host, k);
	for (uint32_t i = 0; i < k->f->n_devices; i++)
		if (device == SCOPE_ANY || k->f->devices[i].device == device)
			wall += device_partition(k, &k->f->devices[i], joint ? &host : NULL, t);
	host_side_fini(&host);
	return wall;
}

/* "cpu", "gpu", "gpu:N", "joint", "joint:N" */
static bool parse_partition(const char *s, bool *gpu, bool *joint, int64_t *device, struct err *e)
{
	const char *num;
	char *end;

	*gpu = !strncmp(s, "gpu", 3) && (!s[3] || s[3] == ':');
	*joint = !strncmp(s, "joint", 5) && (!s[5] || s[5] == ':');
	*device = SCOPE_ANY;
	if (!*s || !strcmp(s, "cpu"))
		return true;
	num = *gpu ? s + 3 : *joint ? s + 5 : NULL;
	if (!num)
		return err_set(e, ERR_USAGE, "partition '%s': cpu, gpu:N or joint:N is wanted", s);
	if (!*num)
		return true;
	*device = strtoll(num + 1, &end, 10);
	return (num[1] && !*end) || err_set(e, ERR_USAGE, "partition '%s': a device number is wanted after the colon", s);
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	bool gpu, joint;
	int64_t device;
	uint32_t n = 0, *src;
	ns_t wall = 0;

	if (!parse_partition(sc->partition, &gpu, &joint, &device, e))
		return false;
	if (device == SCOPE_ANY && sc->device != SCOPE_ANY)
		device = sc->device;
	src = view_sources(cx, sc, gpu ? NEED_GPU : joint ? NEED_JOINT : NEED_HOST, &n, t);
	for (uint32_t i = 0; i < n; i++) {
		struct selection k;

		if (!selection_init(&k, cx, sc, src[i], e)) {
			if (n > 1)
				continue;
			free(src);
			return false;
		}
		selection_describe(&k, t);
		wall += gpu || joint ? device_source(&k, joint, device, t) : cpu_source(&k, t);
		selection_fini(&k);
	}
	t->wall_ns = wall;
	if (!t->n_rows)
		table_note(t, gpu ? _(NO_GPU_WORK) : joint ? _("no source with GPU work and host events on one clock") :
			_("no process with ops, runtime calls or NVTX ranges: a sampler's call tree has no time axis"));
	free(src);
	return !an_cancelled(cx, e);
}

const struct analysis an_breakdown = {
	.id = "breakdown", .title = N_("Breakdown"), .doc = N_("every nanosecond of the window once; the rows sum to the wall"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
