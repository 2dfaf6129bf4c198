/* recognised.c - formats that are recognised but not read, see recognised.h */
#include "load/recognised.h"

#include <string.h>

#include "base/i18n.h"
#include "load/read/head.h"

#define PROBE(name, cond)					\
	static int is_##name(const struct probe *p)		\
	{							\
		return (cond);					\
	}

/* Scores: 100 a magic number; 98 certain, and more than the readers of plain Chrome traces claim; 60 and less, looks like it. */

/* ---- Nsight Systems: all but its exports -------------------------------------------------- */

PROBE(nsys_rep, head_starts(p, "NVIDIA Tegra Profiler Report", 28) ? 100 : 0)
PROBE(qdstrm, path_ends(p->path, ".qdstrm") && !head_is_text(p) && head_first(p) != '{' ? 50 : 0)
PROBE(hdf5, head_starts(p, "\x89HDF\r\n\x1a\n", 8) ? 100 : 0)
PROBE(parquet, head_starts(p, "PAR1", 4) || head_starts(p, "ARROW1", 6) ? 100 : 0)
PROBE(nsys_stats, head_is_text(p) && head_has(p, "Time (%)") && head_has(p, "Total Time (ns)") ? 60 : 0)

/* ---- Nsight Compute ----------------------------------------------------------------------------- */

PROBE(ncu_text, head_is_text(p) && head_has(p, "    Section: ") && head_has(p, "Metric Value") ? 70 :
	head_is_text(p) && head_has(p, "    Section: ") && head_has(p, "Metric Name") ? 60 : 0)

/* ---- Python samplers ---------------------------------------------------------------------------- */

PROBE(pstats, p->head_len > 8 && (p->head[0] & 0x7f) == '{' && (p->head[1] == ')' || p->head[1] == '(' ||
	(p->head[1] & 0x7f) == ')' || (p->head[1] & 0x7f) == '(') ? 90 : 0)

PROBE(mojo, head_starts(p, "MOJ", 3) && p->head_len > 4 && (unsigned char)p->head[3] < 32 ? 98 : 0)

/* Its recordings are raw, or a frame of LZ4 that begins with what does not compress. */
static int is_memray(const struct probe *p)
{
	if (head_starts(p, "memray\0", 7) || (head_starts(p, "\x04\x22\x4d\x18", 4) && p->head_len > 64 && memmem(p->head, 64, "memray", 6)))
		return 100;
	return head_has(p, "<title>memray - ") || head_begins(p, "allocator,num_allocations,size,tid,thread_name,stack_trace") ||
		(head_is_text(p) && head_has(p, "Total allocations:") && head_has(p, "Total memory allocated:")) ? 98 : 0;
}

/* ---- PyTorch files that are no traces ----------------------------------------------------------- */

PROBE(memory_timeline, head_json(p) == JSON_MEMORY_TIMELINE ? 98 : 0)
PROBE(execution_trace, head_json(p) == JSON_EXEC_TRACE ? 98 : 0)
PROBE(torch_zip, head_starts(p, "PK\3\4", 4) ? 100 : 0)

/* ---- traces of other programs ------------------------------------------------------------------- */

static bool other_chrome(const struct probe *p)
{
	return head_json(p) == JSON_CHROME;
}

/* Binary, and a run of messages under field 1, as a protobuf stream begins: at least `least` of them, or one larger than the head. */
static bool protobuf_stream(const struct probe *p, unsigned least)
{
	const unsigned char *s = (const unsigned char *)p->head;
	size_t at = 0;
	unsigned n = 0;

	if (head_is_text(p))
		return false;
	while (at < p->head_len && s[at] == 0x0a) {
		uint64_t len = 0;

		at++;
		for (unsigned shift = 0; shift < 35 && at < p->head_len; shift += 7) {
			len |= (uint64_t)(s[at] & 0x7f) << shift;
			if (!(s[at++] & 0x80))
				break;
		}
		n += len > 0;
		if (!len || len >= p->head_len - at)
			return n >= least;
		at += (size_t)len;
	}
	return at == p->head_len && n >= least;
}

PROBE(xplane, protobuf_stream(p, 1) && (path_ends(p->path, ".xplane.pb") || head_has(p, "/host:CPU") || head_has(p, "/device:GPU:") ||
	head_has(p, "/device:TPU:")) ? 98 : 0)
PROBE(perfetto, path_ends(p->path, ".pftrace") || path_ends(p->path, ".perfetto-trace") ? (head_is_text(p) ? 0 : 90) :
	protobuf_stream(p, 3) ? 70 : 0)
PROBE(jax, other_chrome(p) && (head_has(p, "/host:CPU") || head_has(p, "/device:GPU:") || head_has(p, "/device:TPU:") ||
	head_has(p, "\"hlo_op\"") || head_has(p, "\"hlo_module\"")) ? 98 : 0)
PROBE(viztracer, other_chrome(p) && (head_has(p, "viztracer_metadata") || head_has(p, "\"FEE\"") || head_has(p, "\"cat\": \"fee\"") ||
	head_has(p, "\"cat\":\"fee\"")) ? 98 : 0)
PROBE(trace_page, head_has(p, "catapult/blob/master/tracing/LICENSE") ? 98 : 0)
PROBE(rocprof, head_has(p, "\"rocprofiler-sdk-tool\"") || (other_chrome(p) && (head_has(p, "CPU HIP API") ||
	head_has(p, "CPU HSA API"))) ? 98 : 0)
PROBE(browser, other_chrome(p) && (head_has(p, "\"devtools.timeline") || head_has(p, "\"systemTraceEvents\"") ||
	head_has(p, "\"track_event\"")) ? 98 : 0)
PROBE(nvprof, head_is_text(p) && (head_has(p, "== NVPROF is profiling process") || head_has(p, "== Profiling result:")) ? 98 : 0)

/* ---- compressed otherwise ----------------------------------------------------------------------- */

PROBE(other_zip, head_starts(p, "\x28\xb5\x2f\xfd", 4) || head_starts(p, "\xfd" "7zXZ", 5) || head_starts(p, "BZh", 3) ? 100 : 0)

const struct loader loader_known[] = {
	{ "nsys-rep", N_("an Nsight Systems report, whose format is not public: run nsys export --type sqlite FILE and open the .sqlite"),
		is_nsys_rep, NULL },
	{ "nsys-qdstrm", N_("a raw Nsight Systems capture: import it with nsys, then run nsys export --type sqlite FILE"),
		is_qdstrm, NULL },
	{ "hdf5", N_("an HDF5 file: of Nsight Systems the sqlite export is read, nsys export --type sqlite FILE.nsys-rep"),
		is_hdf5, NULL },
	{ "parquet", N_("a Parquet or Arrow file: of Nsight Systems the sqlite export is read, nsys export --type sqlite FILE.nsys-rep"),
		is_parquet, NULL },
	{ "nsys-stats", N_("statistics that nsys printed: open the .sqlite that they were made from"),
		is_nsys_stats, NULL },
	{ "ncu-text", N_("Nsight Compute output (text), not read yet: open the report that it was made from (.ncu-rep)"),
		is_ncu_text, NULL },
	{ "pstats", N_("a cProfile file: of Python profilers, pyinstrument -r json is read"),
		is_pstats, NULL },
	{ "memory-timeline", N_("a memory timeline of torch.profiler, not read yet: the trace itself (export_chrome_trace) is read"),
		is_memory_timeline, NULL },
	{ "execution-trace", N_("a PyTorch execution trace, not read yet: the trace of torch.profiler (export_chrome_trace) is read"),
		is_execution_trace, NULL },
	{ "jax", N_("a trace of JAX, XLA or TensorFlow, which is not read: record the program with nsys and open the sqlite export"),
		is_jax, NULL },
	{ "xplane", N_("an XPlane file of JAX, XLA or TensorFlow, which is not read: record the program with nsys and open the sqlite export"),
		is_xplane, NULL },
	{ "austin-mojo", N_("a recording of Austin in binary form (MOJO): run mojo2austin FILE stacks.txt and open that"),
		is_mojo, NULL },
	{ "memray", N_("output of memray, which counts bytes and not time, and is not read"),
		is_memray, NULL },
	{ "trace-page", N_("a page of Chrome's trace viewer (VizTracer's HTML?), which is not read: of Python profilers, py-spy and pyinstrument -r json are"),
		is_trace_page, NULL },
	{ "viztracer", N_("a VizTracer trace, which is not read: of Python profilers, py-spy and pyinstrument -r json are"),
		is_viztracer, NULL },
	{ "rocprof", N_("output of rocprof (rocprofiler), which is not read: of programs on ROCm the trace of torch.profiler is"),
		is_rocprof, NULL },
	{ "nvprof", N_("output of nvprof, which is not read: record with nsys and open the sqlite export"),
		is_nvprof, NULL },
	{ "perfetto", N_("a Perfetto trace (protobuf), which is not read: the JSON that torch.profiler wrote is (export_chrome_trace)"),
		is_perfetto, NULL },
	{ "chrome-other", N_("a trace of Chrome or Perfetto, which is not read: traces of torch.profiler are (export_chrome_trace)"),
		is_browser, NULL },
	{ "zip", N_("a zip archive: unpack it and open what is inside"),
		is_torch_zip, NULL },
	{ "compressed", N_("compressed with zstd, xz or bzip2: unpack it first (gzip is read as it is)"),
		is_other_zip, NULL },
	{ 0 }
};

const char *known_nothing(const struct probe *p)
{
	char c = head_first(p);

	if (!p->size_bytes)
		return N_("the file is empty");
	if (!p->head_len)
		return N_("the compressed file holds nothing");
	if (!head_is_text(p))
		return N_("binary data of no known format");
	if (c == '{' || c == '[')
		return N_("JSON, but of no kind that profdive knows");
	if (!c)
		return N_("the file holds only blanks");
	return N_("plain text, not a profile");
}
