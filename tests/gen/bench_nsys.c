/* A database of any size for the bench: per kernel a range, two calls, every fourth time a copy. */
#include "out_nsys.h"

#include <stdlib.h>

static const char kernel_shape[] = "iiiiniiiiiiiiiiiiiiiiiiiiini", call_shape[] = "iiiiiiin",
		  copy_shape[] = "iiiiniiiiiniinnnnnnn",
		  range_shape[] = "iiinnnsi"
				  "nni"
				  "nnnnnnnnn";

struct bench {
	struct db db;
	sqlite3_stmt *kernel, *call, *copy, *range;
	int64_t calls, copies, ranges, kernel_ns;
	ns_t gpu;
};

static void put_call(struct bench *b, enum gen_api api, ns_t start, ns_t dur, int64_t corr)
{
	const struct api_def *a = &gen_apis[api];

	db_row(&b->db, b->call, call_shape, start, start + dur, (int64_t)a->driver,
		NSYS_GID(gen_tids[TH_MAIN]), corr, db_string(&b->db, a->nsys), INT64_C(0));
	b->calls++;
}

static void put_kernel(struct bench *b, int64_t i, int64_t corr, ns_t after)
{
	const struct kernel_def *k = &gen_kernels[i % K_COUNT];
	ns_t start = after > b->gpu + 900 ? after : b->gpu + 900, dur = 3000 + i * 7919 % 9973;
	int64_t full = db_string(&b->db, k->nsys), one = 1, zero = 0;

	db_row(&b->db, b->kernel, kernel_shape, start, start + dur, (int64_t)GEN_DEVICE, one,
		(int64_t)gen_stream_ids[ST_COMPUTE], corr, NSYS_GID(0), full,
		db_string(&b->db, k->brief), full, one, zero, (int64_t)k->regs, (int64_t)k->grid,
		one, one, (int64_t)k->block, one, one, (int64_t)k->shared, zero, zero, zero, i + 1,
		(int64_t)k->shared, zero);
	b->gpu = start + dur;
	b->kernel_ns += dur;
}

static void put_copy(struct bench *b, int64_t i, int64_t corr, ns_t start)
{
	db_row(&b->db, b->copy, copy_shape, start, start + 1700, (int64_t)GEN_DEVICE, INT64_C(1),
		(int64_t)gen_stream_ids[ST_HTOD], corr, NSYS_GID(0), 4096 + i % 61 * 512,
		INT64_C(1), (int64_t)MEM_PINNED, (int64_t)MEM_DEVICE);
	b->copies++;
}

static void put_group(struct bench *b, int64_t i)
{
	static const char *const names[] = { "aten::linear", "aten::layer_norm", "aten::gelu",
		"aten::add", "aten::softmax", "aten::index_select", "aten::mul" };
	ns_t t = 1000000 + i * 12000;
	int64_t corr = GEN_FIRST_CORR + 2 * i;

	db_row(&b->db, b->range, range_shape, t, t + 10000, INT64_C(59), names[i % 7],
		NSYS_GID(gen_tids[TH_MAIN]), INT64_C(0));
	b->ranges++;
	put_call(b, API_LAUNCH, t + 500, 4200 + i % 97, corr);
	put_kernel(b, i, corr, t + 2600);
	put_call(b, i % 4 ? API_EVENT_RECORD : API_MEMCPY, t + 5200, 1900, corr + 1);
	if (i % 4 == 0)
		put_copy(b, i, corr + 1, t + 6100);
}

static void put_counts(const struct bench *b, int64_t kernels, const char *path)
{
	FILE *f = gen_create(path);

	fprintf(f,
		"{\n \"format\": \"tracegen-truth-1\",\n \"kind\": \"bench-nsys\",\n \"events\": "
		"{\"kernel\": %lld, \"runtime\": %lld, \"memcpy\": %lld, \"nvtx\": %lld},\n"
		" \"kernel_sum_ns\": %lld\n}\n",
		(long long)kernels, (long long)b->calls, (long long)b->copies,
		(long long)b->ranges, (long long)b->kernel_ns);
	gen_close(f, path);
}

void make_bench_nsys(const struct gen_opts *opt)
{
	char *path = gen_path(opt->out, "bench.sqlite"), *truth = gen_path(opt->out, "truth.json");
	int64_t kernels = opt->events ? opt->events : 100000;
	struct bench b = { .gpu = 0 };

	db_open(&b.db, path);
	b.kernel = db_prepare(&b.db, "CUPTI_ACTIVITY_KIND_KERNEL", kernel_shape);
	b.call = db_prepare(&b.db, "CUPTI_ACTIVITY_KIND_RUNTIME", call_shape);
	b.copy = db_prepare(&b.db, "CUPTI_ACTIVITY_KIND_MEMCPY", copy_shape);
	b.range = db_prepare(&b.db, "NVTX_EVENTS", range_shape);
	for (int64_t i = 0; i < kernels; i++)
		put_group(&b, i);
	sqlite3_finalize(b.kernel);
	sqlite3_finalize(b.call);
	sqlite3_finalize(b.copy);
	sqlite3_finalize(b.range);
	put_session(&b.db, b.gpu + 9000000);
	db_close(&b.db);
	put_counts(&b, kernels, opt->truth ? opt->truth : truth);
	free(path);
	free(truth);
}
