/*
 * test_ncu.c - reports of Nsight Compute: what is read of generated ones (tests/gen/ncu_report.h, which has the figures), damage with its
 * place, cut at every byte, and many changed ones; real ones where there are some (PROFDIVE_CORPUS). PROFDIVE_TEST_LONG: more of them.
 */
#include <math.h>

#include "base/sbuf.h"
#include "reopen/profile_file_impl.h"
#include "tests/gen/ncu_report.h"
#include "tests/lib/an_bench.h"
#include "tests/lib/sampler.h"

/* As sampler_load(), which is too slow for thousands: it waits for the disk. */
static struct profile *load_bytes(const void *s, size_t n, struct err *e)
{
	static const char path[] = "changed.ncu-rep";
	struct job job = { 0 };
	struct load_ctx lx = { .builder = builder_new(), .job = &job };
	struct profile *p = NULL;
	FILE *f;

	unlink(path);	/* to write over a file waits for the disk */
	f = fopen(path, "wb");
	if (!f || fwrite(s, 1, n, f) != n || fclose(f) != 0) {
		fail("cannot write %s", path);
		exit(done_testing());
	}
	if (loader_ncu_rep.load(&lx, path, e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	return p;
}

static struct profile *load_variant(enum ncu_variant v, size_t *last)
{
	struct ncu_out o = ncu_report(v, last);
	struct err e = ERR_INIT;
	struct profile *p = load_bytes(o.a, o.n, &e);

	if (!p)
		diag("%s", e.text);
	free(o.a);
	return p;
}

static uint64_t lost(const struct profile *p)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < p->n_damages; i++)
		n += p->damages[i].count;
	return n;
}

static const struct kernel_metric *metric(const struct profile *p, uint32_t launch, const char *name)
{
	return launch_metric(p, &p->reports.launches[launch], name);
}

/* ---- what is read --------------------------------------------------------------------------- */

static void test_launches(const struct profile *p)
{
	const struct profiled_launch *l = p->reports.launches;

	if (!is_uint(p->reports.n_launches, 3, "three launches"))
		return;
	is_uint(lost(p), 0, "nothing is lost");
	is_str(sampler_str(p, l[0].name), NCU_SCALE, "the name");
	is_str(sampler_str(p, l[0].function), "scale", "and without arguments");
	is_str(sampler_str(p, l[1].name), "plain", "an empty name is that of the function");
	is_int(l[0].pid, 4321, "the process of its block");
	is_int(l[2].pid, 4322, "and of the next one");
	is_int(l[0].context, 1, "context");
	is_int(l[0].stream, 7, "stream");
	is_int(l[1].stream, -1, "a stream that is not told");
	is_str(sampler_str(p, l[0].nvtx), "step_3/forward", "open ranges");
	ok(l[1].nvtx == ID_NONE, "none where there are none");
	ok(l[0].grid[0] == 64 && l[0].grid[1] == 2 && l[0].grid[2] == 1 && l[0].block[0] == 256, "grid and block");
	ok(l[2].grid[0] == 0, "a grid that is not told");
	is_str(sampler_str(p, p->version), "2099.1.0", "version of the tool");
}

static void test_values(const struct profile *p)
{
	ok(isnan(launch_number(p, &p->reports.launches[1], "a__nan.avg")), "not a number");
	ok(isinf(launch_number(p, &p->reports.launches[1], "a__infinite.avg")), "infinite");
	is_int(metric(p, 1, "a__empty.sum")->kind, METRIC_NONE, "an empty value is none");
	is_uint(metric(p, 1, "a__inst_u32.sum")->bits, 4000000000u, "32 bits");
	is_uint(metric(p, 1, "a__inst_u64.sum")->bits, UINT64_MAX, "64 bits");
	ok(launch_number(p, &p->reports.launches[1], "a__cycles_float.avg.per_second") == 3.5, "a float");
	is_int(metric(p, 0, "device__attribute_display_name")->kind, METRIC_TEXT, "a text");
	is_uint(metric(p, 0, "inst_executed")->n_instances, 2, "instances");
	ok(!metric(p, 1, "inst_executed"), "of its own launch alone");
}

static void test_private(const struct profile *p)
{
	for (str_id s = 0; s < p->n_strs; s++) {
		size_t n;
		const char *t = profile_str(p, s, &n);

		if (memmem(t, n, "secret-host", 11) || memmem(t, n, "hunter2", 7) || memmem(t, n, "somebody", 8)) {
			fail("\"%s\" is kept", t);
			return;
		}
	}
	pass("no host, path or secret of the command line is kept");
}

/* ---- views ---------------------------------------------------------------------------------- */

static struct profile *make_plain(void)
{
	return load_variant(NCU_PLAIN, NULL);
}

static bool is_real(double got, double want, const char *what)
{
	return ok(fabs(got - want) < 1e-9 * fabs(want) + 1e-12, "%s: %g", what, got);
}

static void test_view_ncu(const struct bench *be)
{
	struct table *t = view(be, &an_ncu, "steady", "none");

	if (!is_uint(t->n_rows, 3, "a row for each launch"))
		return;
	is_str(text(t, 0, "grid"), "64x2x1", "grid");
	is_str(text(t, 0, "block"), "256x1x1", "block");
	is_str(text(t, 0, "cc"), "9.0", "compute capability");
	is_int(num(t, 0, "dur_ns"), 2000, "duration");
	is_str(text(t, 0, "bound"), "compute", "85.5 and 42 percent: computation");
	is_str(text(t, 1, "bound"), "memory-leaning", "30 and 70 percent: rather memory");
	ok(!text(t, 2, "bound"), "unknown where nothing was measured");
	is_real(real(t, 0, "occupancy_theoretical"), 0.5, "4 blocks of 8 warps by 64");
	is_real(real(t, 0, "occupancy_achieved"), 0.375, "achieved");
	is_str(text(t, 0, "occupancy_limiter"), "smem", "the least limit");
	is_real(real(t, 0, "waves"), 2, "128 blocks by 16 x 4");
	is_real(real(t, 0, "tail_pct"), 0, "no tail in whole waves");
	is_int(num(t, 0, "smem_bytes"), 3072, "static and dynamic");
	is_str(text(t, 0, "top_stall"), "long_scoreboard", "what warps wait for");
	is_real(real(t, 0, "top_stall_share"), 0.6, "6 of 10 cycles");
	is_int(num(t, 0, "rules"), 2, "messages of rules; a silent one is none");
	ok(cell(t, 2, "dur_ns")->type == CELL_MISSING && cell(t, 2, "waves")->type == CELL_MISSING, "what was not measured is missing");
	table_free(t);
}

static void test_view_sections(const struct bench *be)
{
	static const struct { int64_t id; const char *section, *label, *unit; double v; } want[] = {
		{ 0, "GPU Speed Of Light Throughput", "Duration", "ns", 2000 },
		{ 0, "GPU Speed Of Light Throughput", "Compute (SM) [%]", "%", 85.5 },
		{ 0, "Occupancy", "Block Limit SM", "block", 32 }, { 0, "Occupancy", "Block Limit Warps", "block", 8 },
		{ 1, "Command line profiler metrics", "a__inst_u32.sum", "inst", 4e9 },
		{ 1, "Command line profiler metrics", "a__inst_u64.sum", "inst", 0x1p64 },
		{ 2, "Occupancy", "Block Limit Warps", "block", NAN },
	};
	struct table *t = view(be, &an_ncusections, "steady", "none");

	is_uint(t->n_rows, sizeof(want) / sizeof(*want), "lines");
	for (uint32_t i = 0; i < t->n_rows && i < sizeof(want) / sizeof(*want); i++) {
		const struct cell *c = cell(t, i, "value");

		is_int(num(t, i, "id"), want[i].id, "line %u: launch", i);
		is_str(text(t, i, "section"), want[i].section, "section");
		is_str(text(t, i, "label"), want[i].label, "label");
		is_str(text(t, i, "unit"), want[i].unit, "unit");
		if (isnan(want[i].v))
			ok(c->type == CELL_MISSING, "a metric that the launch lacks has no value");
		else
			is_real(c->type == CELL_I64 ? (double)c->v.i : c->v.f, want[i].v, "value");
	}
	table_free(t);
}

static void test_view_rules(const struct bench *be)
{
	struct table *t = view(be, &an_ncurules, "steady", "none");

	if (!is_uint(t->n_rows, 2, "messages"))
		return;
	is_str(text(t, 0, "rule"), "SOLBottleneck", "in the order of the sections, not of the file");
	is_str(text(t, 0, "type"), "INF", "type");
	is_str(text(t, 0, "text"), "user@host is no markup, nor is @", "text without links is left alone");
	is_str(text(t, 1, "text"), "Few warps. See Warp State Statistics and the guide.", "links show their words");
	is_str(text(t, 1, "speedup_kind"), "local", "kind of the speedup");
	is_real(real(t, 1, "speedup_pct"), 12.5, "speedup");
	is_str(text(t, 1, "focus_metric"), "sm__warps_active.avg.pct_of_peak_sustained_active", "focus");
	table_free(t);
}

static void test_view_roofline(const struct bench *be)
{
	struct table *t = view(be, &an_roofline, "steady", "none");

	if (!is_uint(t->n_rows, 1, "one roof"))
		return;
	is_str(text(t, 0, "roof"), "fp32", "its kind, told by the metrics");
	is_str(text(t, 0, "level"), "dram", "its level");
	is_real(real(t, 0, "flops"), 7e9, "1 + 2 + 4 a cycle at 1 GHz");
	is_real(real(t, 0, "bytes_per_s"), 14e9, "traffic");
	is_real(real(t, 0, "intensity"), 0.5, "intensity");
	is_real(real(t, 0, "ridge"), 2, "ridge");
	is_real(real(t, 0, "achieved_share"), 0.875, "7 of the 8 GFLOP/s that 16 GB/s allow");
	is_str(text(t, 0, "side"), "memory", "left of the ridge");
	ok(has_note(t, "2 launches without a roofline"), "the others are counted");
	table_free(t);
}

static void test_view_source(const struct bench *be)
{
	struct table *t = view(be, &an_ncusource, "steady", "none");

	if (!is_uint(t->n_rows, 2, "two instructions"))
		return;
	ROW_IS(t, 0, "the first", { "offset", 0 }, { "executed", 4 }, { "samples", 0 }, { "stall_long_scoreboard", 0 });
	ROW_IS(t, 1, "the second", { "offset", 16 }, { "executed", 8 }, { "samples", 5 }, { "samples_not_issued", 3 },
		{ "stall_long_scoreboard", 5 }, { "stall_long_scoreboard_not_issued", 3 });
	ok(cell(t, 0, "threads")->type == CELL_MISSING && cell(t, 1, "stall_wait")->type == CELL_MISSING, "what was not counted is missing");
	table_free(t);
}

static void test_view_others(const struct bench *be)
{
	struct table *t = view(be, &an_ncustalls, "steady", "none");
	double sum = 0;
	uint32_t r;

	is_uint(t->n_rows, 3, "three reasons");
	for (uint32_t i = 0; i < t->n_rows; i++)
		sum += real(t, i, "share");
	is_real(sum, 1, "their shares sum to 1");
	is_str(text(t, 0, "reason"), "long_scoreboard", "the largest first");
	is_int(num(t, 0, "samples"), 5, "and its samples");
	ok(!t->n_notes, "nothing is missing");
	table_free(t);
	t = view(be, &an_ncuoccupancy, "steady", "none");
	is_uint(t->n_rows, 4, "four limits");
	r = find(t, "what", "smem");
	ok(cell(t, r, "limiter")->v.b && !cell(t, find(t, "what", "warps"), "limiter")->v.b, "shared memory limits, warps do not");
	ROW_IS(t, r, "shared memory", { "x", 3072 }, { "blocks", 4 }, { "warps", 32 });
	table_free(t);
	t = view(be, &an_ncumetrics, "steady", "none");
	ok(find(t, "metric", "regex:a__inst") == t->n_rows, "a list of metrics is none");
	ok(cell(t, find(t, "metric", "a__nan.avg"), "value")->type == CELL_MISSING, "NaN is missing");
	is_str(text(t, find(t, "metric", "a__cycles_float.avg.per_second"), "unit"), "Hz", "cycles a second");
	table_free(t);
}

static void test_views(void)
{
	struct profile *(*make[])(void) = { make_plain };
	struct bench be = bench_new(make, 1);

	test_view_ncu(&be);
	test_view_sections(&be);
	test_view_rules(&be);
	test_view_roofline(&be);
	test_view_source(&be);
	test_view_others(&be);
	bench_end(&be);
}

/* ---- beside a run --------------------------------------------------------------------------- */

/* scale 3 times of the report's shape, 1500, 1600 and 1700 ns, and once of another; two kernels that are called plain; no failed. */
static struct profile *make_run(enum source_format format, const char *scale)
{
	struct builder *b = builder_new();
	track_id s7 = builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 7, 0);
	uint32_t shape = builder_kernel_detail(b, &(struct kernel_detail){ .grid = { 64, 2, 1 }, .block = { 256, 1, 1 }, .registers = -1,
		.shared_bytes = -1 });
	uint32_t other = builder_kernel_detail(b, &(struct kernel_detail){ .grid = { 1, 1, 1 }, .block = { 256, 1, 1 }, .registers = -1,
		.shared_bytes = -1 });
	struct profile *p;

	builder_set_format(b, format);
	builder_caps(b, CAP_GPU);
	put(b, s7, scale, 0, 1500, CORR_NONE, shape);
	put(b, s7, scale, 2000, 3700, CORR_NONE, shape);
	put(b, s7, scale, 4000, 5600, CORR_NONE, shape);
	put(b, s7, scale, 6000, 6100, CORR_NONE, other);
	put(b, s7, "a::plain(float)", 7000, 7100, CORR_NONE, shape);
	put(b, s7, "b::plain(int)", 8000, 8100, CORR_NONE, shape);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static struct profile *make_nsys(void)
{
	return make_run(FORMAT_NSYS_SQLITE, NCU_SCALE);
}

static struct profile *make_torch(void)
{
	return make_run(FORMAT_TORCH, "void scale<4>(float*, int)");
}

static struct profile *make_short(void)
{
	return make_run(FORMAT_NSYS_CHROME, "scale");
}

static struct profile *make_other_shape(void)
{
	struct builder *b = builder_new();
	uint32_t other = builder_kernel_detail(b, &(struct kernel_detail){ .grid = { 9, 1, 1 }, .block = { 32, 1, 1 }, .registers = -1,
		.shared_bytes = -1 });
	struct profile *p;

	builder_set_format(b, FORMAT_NSYS_SQLITE);
	put(b, builder_gpu_track(b, LAYER_KERNEL, 1, 0, 1, 7, 0), NCU_SCALE, 0, 400, CORR_NONE, other);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void test_join(void)
{
	static const struct { struct profile *(*make)(void); const char *what; } runs[] = {
		{ make_nsys, "nsys, the same name" }, { make_torch, "torch, without casts and blanks" }, { make_short, "the function's name alone" },
	};
	struct profile *(*make[])(void) = { make_plain, NULL };
	struct bench be;
	struct table *t;

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		make[1] = runs[i].make;
		be = bench_new(make, 2);
		t = view(&be, &an_ncu, "all", "none");
		ROW_IS(t, 0, runs[i].what, { "run_count", 3 }, { "run_total_ns", 4800 }, { "run_median_ns", 1600 });
		is_real(real(t, 0, "clock_ratio"), 1.25, "2000 ns by 1600");
		ok(cell(t, 1, "run_count")->type == CELL_MISSING && has_note(t, "1 profiled launch has a name that several"),
			"two kernels are called plain: neither is taken, and said");
		ok(cell(t, 2, "run_count")->type == CELL_MISSING && has_note(t, "1 profiled launch is of a kernel that"), "none is called failed");
		ok(!has_note(t, "1.3"), "1.25 is near enough");
		table_free(t);
		bench_end(&be);
	}
	make[1] = make_other_shape;
	be = bench_new(make, 2);
	t = view(&be, &an_ncu, "all", "none");
	ROW_IS(t, 0, "of another shape", { "run_count", 1 }, { "run_total_ns", 400 }, { "run_median_ns", 400 });
	ok(cell(t, 0, "clock_ratio")->type == CELL_MISSING && has_note(t, "grid and block that the run does not have"),
		"its time is not compared, and that is said");
	table_free(t);
	bench_end(&be);
}

/* ---- pages as text -------------------------------------------------------------------------- */

#define WHO_HEAD "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\""
#define WHO(id) "\"" id "\",\"77\",\"python\",\"host\",\"void f<4, \"\"x\"\">(int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 2, 1)\",\"0\",\"9.0\""
#define DETAILS "==PROF== Connected to process 77\nloss, 0.5\n" WHO_HEAD ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"," \
	"\"Rule Name\",\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n"

static struct profile *load_page(const char *text, struct err *e)
{
	*e = (struct err)ERR_INIT;
	return sampler_text(&loader_ncu_csv, text, e);
}

static void test_details(void)
{
	struct err e;
	/* clang-format off */
	struct profile *p = load_page(DETAILS
		WHO("0") ",\"GPU Speed Of Light Throughput\",\"Duration\",\"us\",\"2.5\"\n"
		WHO("0")
		",\"GPU Speed Of Light Throughput\",\"Memory Throughput\",\"%\",\"42.00\"\n"
		WHO("0")
		",\"Memory Workload Analysis\",\"Memory Throughput\",\"Gbyte/s\",\"1,234.5\"\n"
		"==WARNING== something\n"
		WHO("0")
		",\"Launch Statistics\",\"Function Cache Configuration\",\"\",\"CachePreferNone\"\n"
		WHO("0") ",\"Launch Statistics\",\"Waves Per SM\",\"\",\"n/a\"\n"
		WHO("0")
		",\"SpeedOfLight\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\",\"two\nlines\",\"local\",\"12.5\"\n"
		WHO("1")
		",\"Command line profiler metrics\",\"dram__bytes.sum\",\"Kbyte\",\"3\"\n", &e);
	/* clang-format on */
	const struct profiled_launch *l;

	if (!ok(p && p->reports.n_launches == 2, "a page details: two launches %s", e.text))
		return;
	l = p->reports.launches;
	is_uint(lost(p), 0, "nothing is lost");
	is_str(sampler_str(p, l[0].name), "void f<4, \"x\">(int)", "the name, its quotes and commas");
	is_int(l[0].pid, 77, "process");
	ok(l[0].grid[0] == 64 && l[0].grid[1] == 2 && l[0].block[0] == 256, "grid and block");
	is_real(launch_number(p, &l[0], "gpu__time_duration.sum"), 2500, "2.5 us in ns");
	is_real(launch_number(p, &l[0], "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"), 42, "a label by its section");
	is_real(launch_number(p, &l[0], "dram__bytes.sum.per_second"), 1.2345e12, "the same label in another; thousands");
	is_real(launch_number(p, &l[0], "device__attribute_compute_capability_major"), 9, "the column of the capability");
	is_int(metric(p, 0, "launch__func_cache_config")->kind, METRIC_TEXT, "a word");
	is_int(metric(p, 0, "launch__waves_per_multiprocessor")->kind, METRIC_NONE, "n/a is no value");
	is_real(launch_number(p, &l[1], "dram__bytes.sum"), 3000, "a metric by its own name, in the next launch");
	is_uint(l[0].n_rules, 1, "a rule");
	is_str(sampler_str(p, p->reports.rules[0].text), "two\nlines", "a field of two lines");
	ok(p->reports.rules[0].type == RULE_OPTIMIZATION && p->reports.rules[0].speedup == SPEEDUP_LOCAL &&
		p->reports.rules[0].speedup_pct == 12.5, "its type and speedup");
	profile_unref(p);
}

static void test_pages(void)
{
	struct err e;
	struct profile *p = load_page(WHO_HEAD ",\"gpu__time_duration.sum\",\"inst_executed\",\"thread Domain:Push/Pop_Range:A\"\n"
		"\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"ms\",\"inst\",\"\"\n"
		WHO("0") ",\"1.5\",\"12\",\"3\"\n" WHO("0") ",\"2\",\"\",\"\"\n" "\"1\",\"77\"\n", &e);

	test_details();
	if (ok(p && p->reports.n_launches == 2, "a page raw: a launch for each row %s", e.text)) {
		is_real(launch_number(p, &p->reports.launches[0], "gpu__time_duration.sum"), 1.5e6, "units of the second line");
		is_real(launch_number(p, &p->reports.launches[0], "inst_executed"), 12, "a metric without a unit in front");
		ok(!metric(p, 1, "inst_executed") && !metric(p, 0, "thread Domain:Push/Pop_Range:A"), "an empty cell and a range are no metrics");
		is_uint(lost(p), 1, "a row that is cut short is counted");
	}
	profile_unref(p);
	ok(!load_page("==ERROR== Option 'x' did not match any section.\n==ERROR== Use --list-sections\n", &e) && e.code == ERR_FORMAT &&
		strstr(e.text, "did not match any section.") && strstr(e.text, "--list-sections"), "errors alone are the error: %s", e.text);
	ok(!load_page("==PROF== x\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", &e) &&
		strstr(e.text, "NVreg_RestrictProfilingToAdminUsers=0"), "how to get permission: %s", e.text);
	ok(!load_page("\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\"\n\"1\",\"a\",\"b\",\"c\"\n", &e) &&
		strstr(e.text, "summary"), "a summary: %s", e.text);
	ok(!load_page(DETAILS, &e) && e.code == ERR_FORMAT, "a header alone: %s", e.text);
}

/* ---- damage --------------------------------------------------------------------------------- */

static bool same_reports(const struct profile *a, const struct profile *b)
{
	return a->reports.n_launches == b->reports.n_launches && a->reports.n_metrics == b->reports.n_metrics &&
		a->reports.n_lines == b->reports.n_lines && a->reports.n_rules == b->reports.n_rules &&
		a->reports.n_roofs == b->reports.n_roofs;
}

static void test_damage(void)
{
	static const struct { enum ncu_variant v; uint32_t launches; const char *what; } want[] = {
		{ NCU_CUT, 3, "results that are cut short" }, { NCU_ENTRY_LONG, 3, "entries that are longer" },
		{ NCU_ENTRIES_MISSING, 3, "blocks that announce more entries" }, { NCU_HEADER_BAD, 3, "headers of blocks" },
		{ NCU_RESULT_BAD, 3, "read in part" }, { NCU_PAYLOAD_HUGE, 3, "ends inside a block" },
	};
	struct profile *plain = make_plain(), *p = load_variant(NCU_STRINGS_LAST, NULL);
	struct err e = ERR_INIT;
	size_t last;

	ok(p && same_reports(plain, p) && !lost(p), "the table of strings may stand behind what refers to it");
	profile_unref(p);
	p = load_variant(NCU_STRINGS_SHORT, NULL);
	ok(p && !lost(p) && launch_number(p, &p->reports.launches[2], "the_last_name") != 1, "a name beyond the table");
	for (uint32_t i = 0, found = 0; p && i <= p->reports.launches[2].n_metrics; i++) {
		const struct kernel_metric *m = &p->reports.metrics[p->reports.launches[2].first_metric + i];

		found += i < p->reports.launches[2].n_metrics && !strncmp(sampler_str(p, m->name), "metric#", 7);
		if (i == p->reports.launches[2].n_metrics)
			is_uint(found, 1, "is shown by its number");
	}
	profile_unref(p);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		p = load_variant(want[i].v, &last);
		if (!ok(p != NULL, "%s: is read", want[i].what))
			continue;
		is_uint(p->reports.n_launches, want[i].launches, "launches");
		ok(p->n_damages && strstr(p->damages[0].what, want[i].what), "says \"%s\"", p->n_damages ? p->damages[0].what : "");
		ok(p->n_damages && p->damages[0].offset >= 0, "with its place");
		if (want[i].v == NCU_CUT)
			ok(p->damages[p->n_damages - 1].offset > (int64_t)last, "behind %zu", last);
		profile_unref(p);
	}
	p = load_variant(NCU_EMPTY, NULL);
	ok(p && p->reports.n_launches == 0 && p->n_notes == 1, "a report without blocks holds no kernel, and says so");
	profile_unref(p);
	ok(!load_bytes("NVX\0\2\0\0\0ab", 10, &e) && e.code == ERR_FORMAT, "another file: %s", e.text);
	profile_unref(plain);
}

/* What is kept of n bytes must be sound, and not more than was in them. */
static struct profile *load_sound(const unsigned char *s, size_t n)
{
	struct err e = ERR_INIT;
	struct profile *p = load_bytes(s, n, &e);

	if (p && (!check_profile(p) || 2 * (size_t)p->reports.n_metrics > n))
		fail("%zu bytes: tables that contradict each other", n);
	return p;
}

static void test_cut(void)
{
	struct ncu_out o = ncu_report(NCU_PLAIN, NULL);
	uint32_t launches = 0;
	unsigned silent = 0, back = 0;

	for (size_t n = 8; n < o.n; n++) {
		struct profile *p = load_sound(o.a, n);

		if (!p)
			continue;
		back += p->reports.n_launches < launches;
		launches = p->reports.n_launches;
		/* between two blocks nothing shows that there were more */
		silent += !lost(p);
		profile_unref(p);
	}
	is_uint(launches, 3, "cut at each byte: what is whole is kept");
	is_uint(back, 0, "and a longer part never has less");
	ok(silent <= 4, "%u cuts without a word, of 4 borders of blocks", silent);
	free(o.a);
}

/* xorshift: the same changes in every run. */
static uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16);
}

/* n copies of the text with a few bytes changed, a part of them cut. How many still say something. */
static unsigned change(const unsigned char *text, size_t len, unsigned n)
{
	static const unsigned char hurts[] = { 0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x6a };
	unsigned char *s = malloc(len);
	uint64_t state = 88172645463325252u;
	unsigned read = 0;

	for (unsigned i = 0; i < n; i++) {
		struct profile *p;

		memcpy(s, text, len);
		for (uint32_t k = next_random(&state) % 4 + 1; k; k--)
			s[8 + next_random(&state) % (len - 8)] = next_random(&state) & 1 ? hurts[next_random(&state) % sizeof(hurts)] :
				(unsigned char)next_random(&state);
		p = load_sound(s, len - next_random(&state) % 3 * (next_random(&state) % len) / 3);
		read += p && p->reports.n_launches;
		profile_unref(p);
	}
	free(s);
	return read;
}

static void test_changed(unsigned n)
{
	struct ncu_out o = ncu_report(NCU_PLAIN, NULL);
	unsigned read = change(o.a, o.n, n);

	ok(read > n / 2, "%u changed reports: %u still say something, none crashes", n, read);
	free(o.a);
}

/* ---- real reports, where they are ----------------------------------------------------------- */

enum { CUTS = 200 };

static void test_real(const char *path, unsigned changes)
{
	struct err e = ERR_INIT;
	uint32_t launches = 0, back = 0, silent = 0;
	size_t n;
	char *s = file_read_all(path, (size_t)1 << 30, &n, &e);

	if (!s) {
		fail("%s: %s", path, e.text);
		return;
	}
	for (unsigned i = 1; i <= CUTS; i++) {
		struct profile *p = load_sound((unsigned char *)s, n * i / CUTS);

		if (!p)
			continue;
		back += p->reports.n_launches < launches;
		launches = p->reports.n_launches;
		silent += i < CUTS && !lost(p);
		profile_unref(p);
	}
	ok(launches > 0 && !back, "%s: cut at %d places: a longer part never has less; whole: %u launches", path, CUTS, launches);
	/* a cut between two blocks cannot be seen, and that it is there is an accident */
	ok(silent <= 2, "%u cuts without a word", silent);
	diag("%u of %u changed ones say something", change((unsigned char *)s, n, changes), changes);
	free(s);
}

static void test_corpus(bool longer)
{
	const char *corpus = getenv("PROFDIVE_CORPUS");
	struct file_list l = { 0 };
	struct err e = ERR_INIT;
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s/ncu/rep", corpus ? corpus : "");
	if (corpus && *corpus && file_list_dir(&l, dir, false, &e))
		for (size_t i = 0; i < l.n; i++)
			test_real(l.paths[i], longer ? 12000 : 20);
	file_list_fini(&l);
}

int main(void)
{
	const bool longer = getenv("PROFDIVE_TEST_LONG") != NULL;
	struct profile *p = make_plain();

	if (ok(p != NULL, "a report is read")) {
		test_launches(p);
		test_values(p);
		test_private(p);
	}
	profile_unref(p);
	test_views();
	test_join();
	test_pages();
	test_damage();
	test_cut();
	test_changed(longer ? 100000 : 3000);
	test_corpus(longer);
	unlink("changed.ncu-rep");
	return done_testing();
}
