/*
 * ncu_report.h - writes small reports of Nsight Compute (.ncu-rep) with known answers, and damaged ones; header only, nothing of src/.
 *
 * Three launches on a device of compute capability 9.0 with 16 multiprocessors of 64 warps:
 *
 *	0  "void scale<(int)4>(float *, int)", grid 64x2x1, block 256x1x1, 2000 ns, inside the ranges step_3 and forward
 *	   limits of occupancy: registers 6, shared memory 4, warps 8, blocks 32: 4 blocks of 8 warps = 50 %; 128 blocks = 2 waves
 *	   SM 85.5 %, memory 42 %: bound by computation
 *	   latency 10 cycles an instruction: long_scoreboard 6, wait 3, selected 1
 *	   1 fadd + 2 fmul + 4 (2 ffma) a cycle at 1 GHz = 7e9 FLOP/s, 14e9 byte/s: 0.5 FLOP/byte; roofs 32e9 FLOP/s and 16e9 byte/s,
 *	   ridge 2: 87.5 % of what memory allows
 *	   instructions at 0x1000 (executed 4) and 0x1010 (executed 8, 5 samples of long_scoreboard, 3 of them not issued)
 *	   two sections: Occupancy (order 80) and SpeedOfLight (order 10, whose bar chart has a label of its own); two messages of rules
 *	1  "plain", grid 7x1x1, block 33x1x1: values of every kind, SM 30 %, memory 70 %; a list "regex:" with a section of it
 *	2  "failed": a section, and no metric that it shows
 */
#ifndef GEN_NCU_REPORT_H
#define GEN_NCU_REPORT_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NCU_SCALE "void scale<(int)4>(float *, int)"

/* Damage, or another way to write the same. */
enum ncu_variant {
	NCU_PLAIN,
	NCU_STRINGS_LAST,	/* the table of strings stands in the last block: the same answers */
	NCU_STRINGS_SHORT,	/* the table lacks its last name: a metric is shown by its number */
	NCU_CUT,		/* the file ends inside the last result */
	NCU_ENTRY_LONG,		/* the source of block 1 says that it is longer than its block */
	NCU_ENTRIES_MISSING,	/* block 2 announces a result more than it holds */
	NCU_HEADER_BAD,		/* the header of the last block goes on with rubbish */
	NCU_RESULT_BAD,		/* a metric of launch 0 ends in a length that is longer than it */
	NCU_PAYLOAD_HUGE,	/* the last block says that it holds 2^60 bytes */
	NCU_EMPTY,		/* no block at all */
	NCU_VARIANTS
};

struct ncu_out {
	unsigned char *a;
	size_t n, cap;
};

static inline void ncu_put(struct ncu_out *o, const void *s, size_t n)
{
	if (o->n + n > o->cap) {
		o->cap = 2 * (o->n + n) + 64;
		o->a = realloc(o->a, o->cap);
		if (!o->a)
			abort();
	}
	if (n)
		memcpy(o->a + o->n, s, n);
	o->n += n;
}

static inline void ncu_varint(struct ncu_out *o, uint64_t v)
{
	do {
		unsigned char c = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));

		ncu_put(o, &c, 1);
		v >>= 7;
	} while (v);
}

static inline void ncu_u32(struct ncu_out *o, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		ncu_put(o, &(unsigned char){ (unsigned char)(v >> 8 * i) }, 1);
}

static inline void ncu_number(struct ncu_out *o, unsigned field, uint64_t v)
{
	ncu_varint(o, field << 3);
	ncu_varint(o, v);
}

static inline void ncu_bytes(struct ncu_out *o, unsigned field, const void *s, size_t n)
{
	ncu_varint(o, field << 3 | 2);
	ncu_varint(o, n);
	ncu_put(o, s, n);
}

static inline void ncu_text(struct ncu_out *o, unsigned field, const char *s)
{
	ncu_bytes(o, field, s, strlen(s));
}

static inline void ncu_double(struct ncu_out *o, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, 8);
	ncu_varint(o, field << 3 | 1);
	ncu_u32(o, (uint32_t)bits);
	ncu_u32(o, (uint32_t)(bits >> 32));
}

/* A message becomes a field; the message is emptied. */
static inline void ncu_message(struct ncu_out *o, unsigned field, struct ncu_out *m)
{
	ncu_bytes(o, field, m->a, m->n);
	free(m->a);
	*m = (struct ncu_out){ 0 };
}

/* ---- metrics: named by their index in a table of strings ------------------------------------ */

struct ncu_names {
	const char *a[128];
	size_t n;
};

static inline uint64_t ncu_name(struct ncu_names *t, const char *s)
{
	size_t i = 0;

	while (i < t->n && strcmp(t->a[i], s) != 0)
		i++;
	if (i == t->n)
		t->a[t->n++] = s;
	return i;
}

/* A metric with its instances, which the caller wrote; both are emptied. */
static inline void ncu_metric(struct ncu_out *result, struct ncu_names *t, const char *name, struct ncu_out *value, struct ncu_out *instances)
{
	struct ncu_out m = { 0 };

	ncu_number(&m, 1, ncu_name(t, name));
	ncu_message(&m, 2, value);
	if (instances) {
		ncu_put(&m, instances->a, instances->n);
		free(instances->a);
		*instances = (struct ncu_out){ 0 };
	}
	ncu_message(result, 13, &m);
}

static inline void ncu_real(struct ncu_out *result, struct ncu_names *t, const char *name, double v)
{
	struct ncu_out value = { 0 };

	ncu_double(&value, 3, v);
	ncu_metric(result, t, name, &value, NULL);
}

static inline void ncu_word(struct ncu_out *result, struct ncu_names *t, const char *name, const char *s)
{
	struct ncu_out value = { 0 };

	ncu_text(&value, 1, s);
	ncu_metric(result, t, name, &value, NULL);
}

static inline void ncu_instance(struct ncu_out *o, uint64_t at, uint64_t v)
{
	struct ncu_out where = { 0 }, value = { 0 }, both = { 0 };

	ncu_number(&where, 5, at);
	ncu_number(&value, 5, v);
	ncu_message(&both, 1, &where);
	ncu_message(&both, 2, &value);
	ncu_message(o, 3, &both);
}

/* One at 0x1000 where a > 0, one at 0x1010. */
static inline void ncu_per_instruction(struct ncu_out *result, struct ncu_names *t, const char *name, uint64_t a, uint64_t b)
{
	struct ncu_out value = { 0 }, in = { 0 };

	ncu_number(&value, 5, a + b);
	if (a)
		ncu_instance(&in, 0x1000, a);
	ncu_instance(&in, 0x1010, b);
	ncu_metric(result, t, name, &value, &in);
}

/* ---- sections and rules --------------------------------------------------------------------- */

static inline void ncu_line(struct ncu_out *header, const char *name, const char *label, unsigned min_cc, const char *option)
{
	struct ncu_out m = { 0 }, f = { 0 }, o = { 0 };

	ncu_text(&m, 1, name);
	if (label)
		ncu_text(&m, 2, label);
	if (min_cc) {
		ncu_number(&f, 1, min_cc);
		ncu_message(&m, 6, &f);
	}
	if (option) {
		ncu_text(&o, 1, option);
		ncu_message(&m, 7, &o);
	}
	ncu_message(header, 2, &m);
}

static inline void ncu_section(struct ncu_out *result, const char *id, const char *title, unsigned order, struct ncu_out *header,
	struct ncu_out *item)
{
	struct ncu_out s = { 0 }, body = { 0 };

	ncu_text(&s, 1, id);
	ncu_text(&s, 2, title);
	ncu_number(&s, 3, order);
	ncu_message(&s, 4, header);
	if (item) {
		ncu_message(&body, 1, item);
		ncu_message(&s, 5, &body);
	}
	ncu_message(result, 17, &s);
}

/* {1 metric} or, where several are to be summed and multiplied, {1 metrics, 2 cycles}. */
static inline void ncu_quantity(struct ncu_out *o, unsigned field, const char *const *metrics, size_t n, const char *cycles)
{
	struct ncu_out q = { 0 }, in = { 0 }, m = { 0 };

	if (!cycles) {
		ncu_text(&in, 1, metrics[0]);
		ncu_message(&q, 2, &in);
	} else {
		for (size_t i = 0; i < n; i++) {
			ncu_text(&m, 1, metrics[i]);
			ncu_message(&in, 1, &m);
		}
		ncu_text(&m, 1, cycles);
		ncu_message(&in, 2, &m);
		ncu_message(&q, 3, &in);
	}
	ncu_message(o, field, &q);
}

static inline void ncu_roofline(struct ncu_out *item)
{
	static const char *const peak[] = { "derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2" }, *const traffic[] = {
		"dram__bytes.sum.peak_sustained" }, *const bytes[] = { "dram__bytes.sum.per_second" }, *const work[] = {
		"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
		"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed",
		"derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2" };
	struct ncu_out chart = { 0 }, side = { 0 };

	ncu_quantity(&side, 1, peak, 1, "sm__cycles_elapsed.avg.per_second");
	ncu_quantity(&side, 2, traffic, 1, "dram__cycles_elapsed.avg.per_second");
	ncu_message(&chart, 4, &side);
	ncu_quantity(&side, 1, work, 3, "smsp__cycles_elapsed.avg.per_second");
	ncu_quantity(&side, 2, bytes, 1, NULL);
	ncu_message(&chart, 5, &side);
	ncu_message(item, 6, &chart);
}

static inline void ncu_rule(struct ncu_out *result, const char *id, const char *section, unsigned type, const char *text, double speedup,
	const char *focus)
{
	struct ncu_out r = { 0 }, body = { 0 }, item = { 0 }, m = { 0 };

	ncu_text(&r, 1, id);
	if (text) {
		ncu_text(&m, 1, text);
		ncu_number(&m, 2, type);
		ncu_message(&item, 1, &m);
		ncu_message(&body, 1, &item);
	}
	if (speedup > 0) {
		ncu_number(&m, 1, 1);
		ncu_double(&m, 2, speedup);
		ncu_message(&item, 10, &m);
		ncu_message(&body, 1, &item);
		ncu_text(&m, 2, focus);
		ncu_message(&item, 8, &m);
		ncu_message(&body, 1, &item);
	}
	if (body.n)
		ncu_message(&r, 3, &body);
	ncu_text(&r, 4, section);
	ncu_message(result, 19, &r);
}

/* ---- the launches --------------------------------------------------------------------------- */

static inline void ncu_dims(struct ncu_out *o, unsigned field, unsigned x, unsigned y, unsigned z)
{
	struct ncu_out d = { 0 };

	ncu_number(&d, 1, x);
	ncu_number(&d, 2, y);
	ncu_number(&d, 3, z);
	ncu_message(o, field, &d);
}

static inline void ncu_who(struct ncu_out *o, const char *function, const char *name)
{
	ncu_number(o, 1, 4321);
	ncu_text(o, 6, function);
	ncu_text(o, 7, name);
}

static inline void ncu_device(struct ncu_out *o, struct ncu_names *t)
{
	ncu_word(o, t, "device__attribute_display_name", "Made GPU");
	ncu_real(o, t, "device__attribute_compute_capability_major", 9);
	ncu_real(o, t, "device__attribute_compute_capability_minor", 0);
	ncu_real(o, t, "device__attribute_multiprocessor_count", 16);
	ncu_real(o, t, "device__attribute_max_warps_per_multiprocessor", 64);
}

static inline void ncu_nvtx(struct ncu_out *o)
{
	struct ncu_out state = { 0 }, thread = { 0 }, domain = { 0 }, range = { 0 };

	ncu_text(&range, 1, "step_3");
	ncu_message(&domain, 3, &range);
	ncu_text(&range, 1, "forward");
	ncu_message(&domain, 3, &range);
	ncu_message(&thread, 2, &domain);
	ncu_number(&thread, 1, 77);
	ncu_message(&state, 2, &thread);
	ncu_message(o, 21, &state);
}

static inline void ncu_launch_0(struct ncu_out *o, struct ncu_names *t)
{
	static const struct { const char *name; double v; } metrics[] = {
		{ "launch__block_size", 256 }, { "launch__grid_size", 128 }, { "launch__registers_per_thread", 40 },
		{ "launch__shared_mem_per_block_static", 1024 }, { "launch__shared_mem_per_block_dynamic", 2048 },
		{ "launch__occupancy_limit_registers", 6 }, { "launch__occupancy_limit_shared_mem", 4 },
		{ "launch__occupancy_limit_warps", 8 }, { "launch__occupancy_limit_blocks", 32 },
		{ "gpu__time_duration.sum", 2000 }, { "sm__throughput.avg.pct_of_peak_sustained_elapsed", 85.5 },
		{ "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 42 },
		{ "sm__warps_active.avg.pct_of_peak_sustained_active", 37.5 },
		{ "smsp__average_warp_latency_per_inst_issued.ratio", 10 },
		{ "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 6 },
		{ "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 3 },
		{ "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 1 },
		{ "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", 1 },
		{ "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed", 2 },
		{ "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", 4 }, { "smsp__cycles_elapsed.avg.per_second", 1e9 },
		{ "derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", 32 }, { "sm__cycles_elapsed.avg.per_second", 1e9 },
		{ "dram__bytes.sum.per_second", 14e9 }, { "dram__bytes.sum.peak_sustained", 10 },
		{ "dram__cycles_elapsed.avg.per_second", 1.6e9 }, { "launch__function_pcs", 0x1000 },
	};
	struct ncu_out header = { 0 }, item = { 0 }, bars = { 0 }, m = { 0 };

	ncu_who(o, "scale", NCU_SCALE);
	ncu_dims(o, 10, 64, 2, 1);
	ncu_dims(o, 11, 256, 1, 1);
	ncu_device(o, t);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		ncu_real(o, t, metrics[i].name, metrics[i].v);
	ncu_per_instruction(o, t, "inst_executed", 4, 8);
	ncu_per_instruction(o, t, "smsp__pcsamp_warps_issue_stalled_long_scoreboard", 0, 5);
	ncu_per_instruction(o, t, "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued", 0, 3);
	ncu_line(&header, "launch__occupancy_limit_warps", "Block Limit Warps", 0, NULL);
	ncu_line(&header, "launch__occupancy_limit_blocks", "Block Limit SM", 0, NULL);
	ncu_line(&header, "launch__registers_per_thread", "Only later devices", 100, NULL);
	ncu_section(o, "Occupancy", "Occupancy", 80, &header, NULL);
	ncu_line(&header, "gpu__none_on_this_device", "Duration", 0, "gpu__time_duration.sum");
	ncu_line(&header, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput", 0, NULL);
	ncu_text(&m, 1, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
	ncu_text(&m, 2, "Compute (SM) [%]");
	ncu_message(&bars, 5, &m);
	ncu_message(&item, 2, &bars);
	ncu_section(o, "SpeedOfLight", "GPU Speed Of Light Throughput", 10, &header, &item);
	ncu_roofline(&item);
	ncu_section(o, "SpeedOfLight_RooflineChart", "GPU Speed Of Light Roofline Chart", 11, &header, &item);
	ncu_rule(o, "Occupancy", "Occupancy", 2, "Few warps. See @section:WarpStateStats:Warp State Statistics@ and @url:the guide:https://a.b/c@.",
		12.5, "sm__warps_active.avg.pct_of_peak_sustained_active");
	ncu_rule(o, "Silent", "Occupancy", 0, NULL, 0, NULL);
	ncu_rule(o, "SOLBottleneck", "SpeedOfLight", 1, "user@host is no markup, nor is @", 0, NULL);
	ncu_nvtx(o);
	ncu_number(o, 22, 1);
	ncu_number(o, 23, 7);
}

static inline void ncu_launch_1(struct ncu_out *o, struct ncu_names *t)
{
	struct ncu_out header = { 0 }, value = { 0 };

	ncu_who(o, "plain", "");
	ncu_dims(o, 10, 7, 1, 1);
	ncu_dims(o, 11, 33, 1, 1);
	ncu_device(o, t);
	ncu_real(o, t, "sm__throughput.avg.pct_of_peak_sustained_elapsed", 30);
	ncu_real(o, t, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 70);
	ncu_real(o, t, "a__nan.avg", NAN);
	ncu_real(o, t, "a__infinite.avg", INFINITY);
	ncu_metric(o, t, "a__empty.sum", &value, NULL);
	ncu_number(&value, 4, 4000000000u);
	ncu_metric(o, t, "a__inst_u32.sum", &value, NULL);
	ncu_number(&value, 5, UINT64_MAX);
	ncu_metric(o, t, "a__inst_u64.sum", &value, NULL);
	ncu_varint(&value, 2 << 3 | 5);
	ncu_u32(&value, 0x40600000);	/* 3.5 */
	ncu_metric(o, t, "a__cycles_float.avg.per_second", &value, NULL);
	ncu_word(o, t, "regex:a__inst", "a__inst_u64.sum,a__inst_u32.sum,a__not_there.sum");
	ncu_line(&header, "regex:a__inst", NULL, 0, NULL);
	ncu_section(o, "section0", "Command line profiler metrics", 0, &header, NULL);
}

static inline void ncu_launch_2(struct ncu_out *o, struct ncu_names *t)
{
	struct ncu_out header = { 0 };

	ncu_who(o, "failed", "failed");
	ncu_device(o, t);
	ncu_line(&header, "launch__occupancy_limit_warps", "Block Limit Warps", 0, NULL);
	ncu_section(o, "Occupancy", "Occupancy", 80, &header, NULL);
	ncu_real(o, t, "the_last_name", 1);
}

/* ---- the file ------------------------------------------------------------------------------- */

static inline void ncu_strings(struct ncu_out *header, const struct ncu_names *t, size_t n)
{
	struct ncu_out m = { 0 };

	for (size_t i = 0; i < n; i++)
		ncu_text(&m, 1, t->a[i]);
	ncu_message(header, 4, &m);
}

static inline void ncu_entry(struct ncu_out *payload, struct ncu_out *entry, uint32_t more)
{
	ncu_u32(payload, (uint32_t)entry->n + more);
	ncu_put(payload, entry->a, entry->n);
	free(entry->a);
	*entry = (struct ncu_out){ 0 };
}

/* Both are emptied. */
static inline void ncu_block(struct ncu_out *o, struct ncu_out *header, struct ncu_out *payload, uint64_t payload_more)
{
	ncu_number(header, 5, payload->n + payload_more);
	ncu_u32(o, (uint32_t)header->n);
	ncu_put(o, header->a, header->n);
	ncu_put(o, payload->a, payload->n);
	free(header->a);
	free(payload->a);
	*header = *payload = (struct ncu_out){ 0 };
}

/* {1 who, 2 version} of the session; its host and address, which nobody is to see; its command line. */
static inline void ncu_session(struct ncu_out *header)
{
	struct ncu_out s = { 0 }, m = { 0 };

	ncu_text(&m, 5, "secret-host");
	ncu_message(&s, 4, &m);
	ncu_text(&m, 1, "Nsight Compute Target");
	ncu_text(&m, 2, "2099.1.0");
	ncu_message(&s, 8, &m);
	ncu_text(&m, 1, "CUDA Version");
	ncu_text(&m, 2, "13.0");
	ncu_message(&s, 8, &m);
	ncu_text(&s, 11, "ncu --set full -o report python train.py --api-key=hunter2");
	ncu_message(header, 3, &s);
}

static inline void ncu_process(struct ncu_out *header, unsigned pid)
{
	struct ncu_out p = { 0 };

	ncu_number(&p, 1, pid);
	ncu_text(&p, 2, "secret-host");
	ncu_text(&p, 3, "/home/somebody/train");
	ncu_message(header, 6, &p);
}

/* A metric whose value is longer than the metric. */
static inline void ncu_bad_metric(struct ncu_out *result)
{
	static const unsigned char bad[] = { 0x08, 0x00, 0x12, 0x7f, 0x19 };

	ncu_bytes(result, 13, bad, sizeof(bad));
}

static inline void ncu_results(struct ncu_out launches[3], struct ncu_names *t, enum ncu_variant v)
{
	ncu_launch_0(&launches[0], t);
	if (v == NCU_RESULT_BAD)
		ncu_bad_metric(&launches[0]);
	ncu_launch_1(&launches[1], t);
	ncu_launch_2(&launches[2], t);
}

/* The file; the caller frees a. *last (may be NULL): where the result of launch 2 begins. */
static inline struct ncu_out ncu_report(enum ncu_variant v, size_t *last)
{
	struct ncu_out o = { 0 }, header = { 0 }, payload = { 0 }, entry = { 0 }, launches[3] = { { 0 } };
	struct ncu_names names = { .n = 0 };
	static const unsigned char rubbish[] = { 0x3a, 0x7f, 0x01 };

	ncu_put(&o, "NVR", 4);
	ncu_number(&header, 1, 7);
	ncu_u32(&o, (uint32_t)header.n);
	ncu_put(&o, header.a, header.n);
	header.n = 0;
	if (v == NCU_EMPTY) {
		free(header.a);
		return o;
	}
	ncu_results(launches, &names, v);
	ncu_session(&header);
	ncu_block(&o, &header, &payload, 0);
	ncu_number(&header, 1, 1);
	for (unsigned i = 0; i < 300; i++)
		ncu_varint(&entry, i % 200);	/* where a cubin would be */
	ncu_entry(&payload, &entry, v == NCU_ENTRY_LONG ? 1000000 : 0);
	ncu_block(&o, &header, &payload, 0);
	ncu_number(&header, 2, v == NCU_ENTRIES_MISSING ? 3 : 2);
	if (v != NCU_STRINGS_LAST)
		ncu_strings(&header, &names, names.n - (v == NCU_STRINGS_SHORT));
	ncu_process(&header, 4321);
	ncu_entry(&payload, &launches[0], 0);
	ncu_entry(&payload, &launches[1], 0);
	ncu_block(&o, &header, &payload, 0);
	ncu_number(&header, 2, 1);
	ncu_number(&header, 10, 0);
	if (v == NCU_STRINGS_LAST)
		ncu_strings(&header, &names, names.n);
	ncu_process(&header, 4322);
	if (v == NCU_HEADER_BAD) {
		ncu_number(&header, 5, launches[2].n + 4);
		ncu_put(&header, rubbish, sizeof(rubbish));
	}
	entry = launches[2];
	if (last)
		*last = o.n;
	ncu_entry(&payload, &entry, 0);
	ncu_block(&o, &header, &payload, v == NCU_PAYLOAD_HUGE ? UINT64_C(1) << 60 : 0);
	if (v == NCU_CUT)
		o.n -= 5;
	return o;
}

#endif
