/*
 * meta.c - what an export says of itself: version, epoch, options, diagnostics, names and
 * ranks; see nsys.h
 *
 * Only the keys of the tables below are ever read: the others hold environments, command lines,
 * paths and users.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cmdline.h"
#include "base/i18n.h"
#include "load/nsys/nsys.h"

#define COL_ID(prefix, name)   prefix##_##name,
#define COL_NAME(prefix, name) #name,
#define COUNT(a)	       (sizeof(a) / sizeof(*(a)))
#define VALUE_MAX	       128
#define DIAGNOSTICS_MAX	       32

#define PAIR_COLS(C) C(PAIR, name) C(PAIR, value)
enum {
	PAIR_COLS(COL_ID) PAIR_N
};
static const char *const pair_cols[] = {PAIR_COLS(COL_NAME)};

struct meta {
	char version[VALUE_MAX], capture[VALUE_MAX * 4];
	bool normalized, cut, cuda, nvtx;
	int64_t shift_ns;
	size_t seen[64]; /* hashes of the options given so far */
	size_t n_seen;
};

/*
 * Options of META_DATA_CAPTURE that cost time or change figures; the values that mean "no" are not
 * worth a row.
 */
static const char *const option_keys[] = {
	"CUDA_GRAPH_TRACE_OPTIONS:MODE",
	"CUDA_SKIP_SOME_API_CALLS",
	"COLLECT_GPU_MEMORY_USAGE",
	"COLLECT_UVM_CPU_PAGE_FAULTS",
	"COLLECT_UVM_GPU_PAGE_FAULTS",
	"COLLECT_BLOCK_TRACE",
	"COLLECT_WARP_TRACE",
	"COLLECT_GPU_CTX_SW_TRACE",
	"COLLECT_VULKAN_TRACE",
	"COLLECT_GL_WORKLOAD",
	"SHOW_BACKTRACE",
	"CUDA_BACKTRACE_OPTIONS:COLLECT_BACKTRACES",
	"OS_RUNTIME_OPTIONS:COLLECT_BACKTRACES",
	"OS_RUNTIME_OPTIONS:BACKTRACES_THRESHOLD_NS",
	"OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS",
	"PYTHON_SAMPLING",
	"PYTHON_BACKTRACE",
	"LINUX_PERF_OPTIONS:COLLECT_IP_BACKTRACE_SAMPLES",
	"LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE",
	"LINUX_PERF_OPTIONS:SAMPLING_PERIOD",
	"USE_LBRS",
	"USE_DWARF",
};

/* The same for files without that table: what was recorded tells what was asked for. */
static const struct {
	const char *table, *option;
} option_tables[] = {
	{"COMPOSITE_EVENTS", "CPU sampling"},
	{"SCHED_EVENTS", "context switches"},
	{"SAMPLING_CALLCHAINS", "CPU sampling backtraces"},
	{"OSRT_CALLCHAINS", "OS runtime backtraces"},
	{"CUDA_CALLCHAINS", "CUDA backtraces"},
	{"CUDA_GPU_MEMORY_USAGE_EVENTS", "CUDA memory usage"},
	{"CUDA_UM_CPU_PAGE_FAULT_EVENTS", "unified memory CPU page faults"},
	{"CUDA_UM_GPU_PAGE_FAULT_EVENTS", "unified memory GPU page faults"},
	{"GPU_METRICS", "GPU metrics"},
	{"GPU_CONTEXT_SWITCH_EVENTS", "GPU context switches"},
	{"SYSCALL", "system calls"},
};

/* A terminated copy that ends at the first NUL or when it is full. */
static void copy_value(char *out, size_t cap, const char *p, size_t n)
{
	snprintf(out, cap, "%.*s", (int)(n < cap ? n : cap), p);
}

static bool off_value(const char *value)
{
	return !*value || strcasecmp(value, "false") == 0 || strcmp(value, "0") == 0;
}

static void add_option(struct nsys_ctx *cx, struct meta *m, const char *key, const char *value)
{
	size_t hash = (size_t)(map_hash_bytes(key, strlen(key)) ^
			       map_hash_bytes(value, strlen(value)) * 3);

	for (size_t i = 0; i < m->n_seen; i++)
		if (m->seen[i] == hash)
			return;
	if (m->n_seen == COUNT(m->seen))
		return;
	m->seen[m->n_seen++] = hash;
	builder_option(cx->b, key, value);
}

static void capture_type(struct meta *m, const char *value)
{
	size_t n = strlen(m->capture);

	m->cuda |= strcmp(value, "Cuda") == 0;
	m->nvtx |= strcmp(value, "NvtxEvents") == 0;
	if (n + strlen(value) + 2 < sizeof(m->capture))
		snprintf(m->capture + n, sizeof(m->capture) - n, "%s%s", n ? "," : "", value);
}

static void capture_pair(struct nsys_ctx *cx, struct meta *m, const char *key, const char *value)
{
	if (strncmp(key, "PROCESS_", 8) == 0 && strchr(key, ':'))
		key = strchr(key, ':') + 1;
	if (strcmp(key, "CAPTURE_EVENT_TYPE") == 0)
		capture_type(m, value);
	for (size_t i = 0; i < COUNT(option_keys); i++)
		if (strcmp(key, option_keys[i]) == 0 && !off_value(value))
			add_option(cx, m, key, value);
}

static void export_pair(struct nsys_ctx *cx, struct meta *m, const char *key, const char *value)
{
	static const char *const cuts[] = {"EXPORT_PARAM_TABLES_TO_EXPORT",
					   "EXPORT_PARAM_TIMES_TO_EXPORT", "DERIVED_WINDOW_NS"};

	if (strcmp(key, "EXPORT_PRODUCT_VERSION") == 0)
		copy_value(m->version, sizeof(m->version), value, strlen(value));
	if (strcmp(key, "EXPORT_PARAM_TIME_NORMALIZE") == 0)
		m->normalized = !off_value(value);
	if (strcmp(key, "EXPORT_PARAM_TIME_SHIFT") == 0)
		m->shift_ns = strtoll(value, NULL, 10);
	for (size_t i = 0; i < COUNT(cuts); i++) {
		if (strcmp(key, cuts[i]) != 0 || off_value(value))
			continue;
		m->cut = true;
		add_option(cx, m, key, value);
	}
}

static void read_pairs(struct nsys_ctx *cx, const char *table, struct meta *m,
		       void (*pair)(struct nsys_ctx *cx, struct meta *m, const char *key,
				    const char *value))
{
	struct nsys_scan *s = NULL;

	if (nsys_db_has(cx->db, table, NULL))
		s = nsys_scan_open(cx->db, table, pair_cols, PAIR_N, NULL, 0, NULL);
	while (s && nsys_scan_step(s) == NSYS_ROW) {
		char key[VALUE_MAX], value[VALUE_MAX];
		const char *p;
		size_t n;

		if (!nsys_text(s, PAIR_name, &p, &n) || n >= sizeof(key))
			continue;
		copy_value(key, sizeof(key), p, n);
		if (strstr(key, "ENVIRONMENT"))
			continue;
		*value = '\0';
		if (nsys_text(s, PAIR_value, &p, &n))
			copy_value(value, sizeof(value), p, n);
		pair(cx, m, key, value);
	}
	nsys_scan_close(s);
}

/*
 * UTC of the file's time 0. A normalised export counts from 1970, a shifted one from utcEpochNs -
 * shift.
 */
static void read_epoch(struct nsys_ctx *cx, const struct meta *m)
{
	static const char table[] = "TARGET_INFO_SESSION_START_TIME";
	static const char *const cols[] = {"utcEpochNs"};
	struct nsys_scan *s = NULL;
	int64_t utc = 0;

	if (nsys_db_has(cx->db, table, NULL))
		s = nsys_scan_open(cx->db, table, cols, 1, NULL, 0, NULL);
	if (s && nsys_scan_step(s) == NSYS_ROW)
		utc = nsys_int_or(s, 0, 0);
	nsys_scan_close(s);
	if (!nsys_time_ok(m->shift_ns))
		return;
	if (m->normalized)
		builder_set_epoch(cx->b, -m->shift_ns);
	else if (utc > 0 && nsys_time_ok(utc))
		builder_set_epoch(cx->b, utc - m->shift_ns);
	if (m->shift_ns)
		builder_note(cx->b, _("the export shifted its times by %" PRId64 " ns"),
			     m->shift_ns);
}

/* CUDA tracing worked, so a table that the (lazy) export left out had no rows. */
static void set_caps(struct nsys_ctx *cx, const struct meta *m)
{
	static const struct {
		const char *table;
		unsigned caps;
	} tables[] = {
		{"CUPTI_ACTIVITY_KIND_RUNTIME", CAP_RUNTIME},
		{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", CAP_SYNC},
		{"CUPTI_ACTIVITY_KIND_KERNEL", CAP_GPU},
		{"CUPTI_ACTIVITY_KIND_MEMCPY", CAP_GPU},
		{"CUPTI_ACTIVITY_KIND_MEMSET", CAP_GPU},
		{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", CAP_GPU},
		{"NVTX_EVENTS", CAP_NVTX},
	};
	unsigned caps = 0;

	for (size_t i = 0; i < COUNT(tables); i++)
		if (nsys_db_has(cx->db, tables[i].table, NULL))
			caps |= tables[i].caps;
	if ((caps & (CAP_RUNTIME | CAP_GPU)) && m->cuda && !m->cut)
		caps |= CAP_RUNTIME | CAP_GPU | CAP_SYNC;
	if (m->nvtx && !m->cut)
		caps |= CAP_NVTX;
	builder_caps(cx->b, caps);
}

static void table_options(struct nsys_ctx *cx)
{
	for (size_t i = 0; i < COUNT(option_tables); i++)
		if (nsys_db_rows(cx->db, option_tables[i].table, false) > 0)
			builder_option(cx->b, option_tables[i].option, "1");
}

/* ---- diagnostics ---- */

#define DIAG_COLS(C) C(DIAG, severity) C(DIAG, text)
enum {
	DIAG_COLS(COL_ID) DIAG_N
};
static const char *const diag_cols[] = {DIAG_COLS(COL_NAME)};

/* ENUM_DIAGNOSTIC_SEVERITY; some losses are reported as mere information */
static const char *severity_word(int64_t severity, const char *text)
{
	static const char *const losses[] = {"might be missing", "might not have been", "dropped",
					     "Not all", "were lost"};

	if (severity == 3)
		return _("error");
	if (severity == 2)
		return _("warning");
	for (size_t i = 0; severity == 1 && i < COUNT(losses); i++)
		if (strstr(text, losses[i]))
			return _("information");
	return NULL;
}

static void tidy_line(char *text)
{
	cmdline_mask(text, strlen(text));
	for (char *p = text; *p; p++)
		if (isspace((unsigned char)*p))
			*p = ' ';
}

static void read_diagnostics(struct nsys_ctx *cx)
{
	struct nsys_scan *s = NULL;
	struct map seen = {0};
	unsigned told = 0;

	if (nsys_db_has(cx->db, "DIAGNOSTIC_EVENT", NULL))
		s = nsys_scan_open(cx->db, "DIAGNOSTIC_EVENT", diag_cols, DIAG_N, NULL, 0, NULL);
	while (s && told < DIAGNOSTICS_MAX && nsys_scan_step(s) == NSYS_ROW) {
		char text[600];
		const char *p, *word;
		size_t n;

		if (!nsys_text(s, DIAG_text, &p, &n))
			continue;
		copy_value(text, sizeof(text), p, n);
		word = severity_word(nsys_int_or(s, DIAG_severity, 0), text);
		if (!word ||
		    map_get_or_put(&seen, map_hash_bytes(text, strlen(text)), 0, told) != told)
			continue;
		tidy_line(text);
		builder_note(cx->b, _("profiler (%s): %s"), word, text);
		told++;
	}
	nsys_scan_close(s);
	map_fini(&seen);
}

void nsys_read_meta(struct nsys_ctx *cx)
{
	struct meta m = {0};

	builder_set_format(cx->b, cx->format);
	builder_set_bytes(cx->b, cx->db->size_bytes);
	read_pairs(cx, "EXPORT_META_DATA", &m, export_pair);
	read_pairs(cx, "META_DATA_EXPORT", &m, export_pair);
	read_pairs(cx, "META_DATA_CAPTURE", &m, capture_pair);
	builder_set_producer(cx->b, "Nsight Systems", *m.version ? m.version : NULL);
	if (*m.capture)
		builder_option(cx->b, "CAPTURE_EVENT_TYPE", m.capture);
	else
		table_options(cx);
	if (m.cut)
		builder_note(cx->b, _("this export is a part of the capture"));
	read_epoch(cx, &m);
	set_caps(cx, &m);
	read_diagnostics(cx);
}

/* ---- names of what has events ---- */

#define THREAD_COLS(C) C(THREAD, globalTid) C(THREAD, nameId)
enum {
	THREAD_COLS(COL_ID) THREAD_N
};
static const char *const thread_cols[] = {THREAD_COLS(COL_NAME)};

#define PROCESS_COLS(C) C(PROCESS, globalPid) C(PROCESS, name)
enum {
	PROCESS_COLS(COL_ID) PROCESS_N
};
static const char *const process_cols[] = {PROCESS_COLS(COL_NAME)};

#define RANK_COLS(C) C(RANK, globalPid) C(RANK, rank)
enum {
	RANK_COLS(COL_ID) RANK_N
};
static const char *const rank_cols[] = {RANK_COLS(COL_NAME)};

static bool has_events(const struct nsys_ctx *cx, int64_t g)
{
	return map_find(&cx->processes, NSYS_GLOBAL_PID(g), 0) != MAP_NONE;
}

/*
 * Every thread of the machine is listed. The main thread names its process, until PROCESSES does.
 */
static void thread_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t gtid;
	str_id name = ID_NONE;
	thread_id t;

	if (!nsys_int(s, THREAD_globalTid, &gtid) || !(has_events(cx, gtid) || nsys_is_sampled(cx, gtid)))
		return;
	t = map_find(&cx->threads, (uint64_t)gtid, 0);
	if (t != MAP_NONE || NSYS_PID(gtid) == NSYS_TID(gtid) || nsys_is_sampled(cx, gtid))
		name = nsys_name(cx, s, THREAD_nameId, true);
	if (name == ID_NONE)
		return;
	nsys_sampled_name(cx, gtid, name);
	if (t != MAP_NONE)
		builder_thread_name(cx->b, t, name);
	if (NSYS_PID(gtid) == NSYS_TID(gtid) && has_events(cx, gtid))
		builder_process_name(cx->b, NSYS_PID(gtid), name);
}

static void process_row(struct nsys_ctx *cx, struct nsys_scan *s)
{
	int64_t gpid;
	const char *p;
	str_id name;
	size_t n;

	if (!nsys_int(s, PROCESS_globalPid, &gpid) || !(has_events(cx, gpid) || nsys_is_sampled(cx, gpid)) ||
	    !nsys_text(s, PROCESS_name, &p, &n) || !n)
		return;
	name = builder_command(cx->b, CMDLINE_NAME, p, n);
	nsys_sampled_process_name(cx, NSYS_GLOBAL_PID(gpid), name);
	if (has_events(cx, gpid))
		builder_process_name(cx->b, NSYS_PID(gpid), name);
}

static void read_rank(struct nsys_ctx *cx)
{
	struct nsys_scan *s = NULL;
	int64_t rank = -1, gpid, v;
	unsigned ranks = 0;

	if (nsys_db_has(cx->db, "MPI_RANKS", NULL))
		s = nsys_scan_open(cx->db, "MPI_RANKS", rank_cols, RANK_N, NULL, 0, NULL);
	while (s && nsys_scan_step(s) == NSYS_ROW) {
		if (!nsys_int(s, RANK_rank, &v) || v < 0 || v == rank)
			continue;
		if (cx->groups.n && (!nsys_int(s, RANK_globalPid, &gpid) || !has_events(cx, gpid)))
			continue;
		rank = v;
		ranks++;
	}
	nsys_scan_close(s);
	if (ranks == 1)
		builder_set_rank(cx->b, rank, -1);
	else if (ranks > 1)
		builder_note(cx->b, _("processes of %u MPI ranks are in this file"), ranks);
}

void nsys_read_names(struct nsys_ctx *cx)
{
	static const struct nsys_table threads = {"ThreadNames", thread_cols, THREAD_N, thread_row};
	static const struct nsys_table processes = {"PROCESSES", process_cols, PROCESS_N,
						    process_row};

	nsys_each_row_where(cx, &threads, NULL, 0);
	nsys_each_row_where(cx, &processes, NULL, 0);
	read_rank(cx);
}
