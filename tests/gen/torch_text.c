/* The text of a Kineto trace: header, events, flows, metadata. */
#include "torch_text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct torch_run torch_run = { .world = 8, .late_ns = 0 };

void torch_us(FILE *f, ns_t ns)
{
	fprintf(f, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
}

void torch_ts(FILE *f, ns_t t)
{
	torch_us(f, t + torch_run.late_ns + GEN_UTC_EPOCH_NS - GEN_KINETO_BASE_NS);
}

void torch_event(
	FILE *f, const char *cat, const char *name, int pid, int tid, ns_t start, ns_t end_ns)
{
	fprintf(f, "  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": ", cat);
	json_string(f, name);
	fprintf(f, ", \"pid\": %d, \"tid\": %d,\n    \"ts\": ", pid, tid);
	torch_ts(f, start);
	fputs(", \"dur\": ", f);
	torch_us(f, end_ns - start);
	fputs(",\n    \"args\": {\n      ", f);
}

void torch_end(FILE *f)
{
	fputs("\n    }\n  },\n", f);
}

void torch_flow(FILE *f, const char *ph, const char *cat, int64_t id, int pid, int tid, ns_t t)
{
	fprintf(f, "  {\n    \"ph\": \"%s\", \"id\": %lld, \"pid\": %d, \"tid\": %d, \"ts\": ", ph,
		(long long)id, pid, tid);
	torch_ts(f, t);
	fprintf(f, ",\n    \"cat\": \"%s\", \"name\": \"%s\"%s\n  },\n", cat, cat,
		*ph == 'f' ? ", \"bp\": \"e\"" : "");
}

void torch_header(FILE *f)
{
	fputs("\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n", f);
	for (int i = 0; i < 2; i++)
		fprintf(f,
			"    {\n      \"id\": %d, \"name\": \"NVIDIA H100 80GB HBM3\", "
			"\"totalGlobalMem\": 85045477376,\n"
			"      \"computeMajor\": 9, \"computeMinor\": 0,\n      "
			"\"maxThreadsPerBlock\": 1024, "
			"\"maxThreadsPerMultiprocessor\": 2048,\n      \"regsPerBlock\": 65536, "
			"\"warpSize\": 32,\n      "
			"\"sharedMemPerBlock\": 49152, \"numSms\": 132\n      , "
			"\"regsPerMultiprocessor\": 65536, "
			"\"sharedMemPerBlockOptin\": 232448, \"sharedMemPerMultiprocessor\": "
			"233472\n    }%s\n",
			i, i ? "" : ",");
	fputs("  ],\n  \"cupti_version\": 26, \"cuda_runtime_version\": 12080, "
	      "\"cuda_driver_version\": 12080,\n"
	      "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": ",
		f);
	fprintf(f,
		"%d, \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": "
		"\"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": %d, \"ranks\": [",
		torch_run.world, torch_run.world);
	for (int i = 0; i < torch_run.world; i++)
		fprintf(f, "%s%d", i ? ", " : "", i);
	fputs("]}], \"nccl_version\": \"2.26.2\"},\n", f);
	if (!torch_run.no_stack)
		fputs("  \"record_shapes\": 1,\n  \"with_stack\": 1,\n", f);
	fputs("  \"trace_id\": "
	      "\"5A1E0000000000000000000000000001\",\n"
	      "  \"displayTimeUnit\": \"ms\",\n",
		f);
	fprintf(f, "  \"baseTimeNanoseconds\": %lld,\n  \"traceEvents\": [\n",
		(long long)GEN_KINETO_BASE_NS);
}

void torch_meta(
	FILE *f, const char *name, int pid, int tid, ns_t t, const char *key, const char *value)
{
	fprintf(f, "  {\n    \"name\": \"%s\", \"ph\": \"M\", \"ts\": ", name);
	torch_ts(f, t);
	fprintf(f, ", \"pid\": %d, \"tid\": %d,\n    \"args\": {\n      \"%s\": ", pid, tid, key);
	if (strcmp(key, "sort_index") == 0)
		fputs(value, f);
	else
		json_string(f, value);
	torch_end(f);
}

void torch_gzip(const char *path)
{
	FILE *in = fopen(path, "r");
	size_t n = strlen(path);
	char *gz_path = malloc(n + 4), buf[65536];
	gzFile out;

	if (!in || !gz_path)
		die("%s: cannot be compressed", path);
	memcpy(gz_path, path, n);
	memcpy(gz_path + n, ".gz", 4);
	out = gzopen(gz_path, "wb6");
	while (out && (n = fread(buf, 1, sizeof(buf), in)) > 0)
		if (gzwrite(out, buf, (unsigned)n) != (int)n)
			die("%s: write failed", gz_path);
	if (!out || gzclose(out) != Z_OK)
		die("%s: write failed", gz_path);
	fclose(in);
	remove(path);
	free(gz_path);
}
