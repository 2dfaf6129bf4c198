/* The generator's own model of a training run: what the simulation (sim.c, run.c) makes, what the
 * writers (out_*.c) print, and what truth*.c computes its answers from.  Nothing of src/ is used
 * here: the files and the answers are an independent witness.  All times are integer nanoseconds
 * from the run's zero. */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int64_t ns_t;

#define GEN_PID 41210
#define GEN_DEVICE 0
#define GEN_UTC_EPOCH_NS INT64_C(1764400000123456789) /* wall clock of the run's zero */
#define GEN_KINETO_BASE_NS \
	INT64_C(1759276800000000000) /* start of that quarter of a year, as Kineto does */
#define GEN_MAX_THREADS 4
#define GEN_MAX_DEPTH 64

enum gen_thread { TH_MAIN, TH_AUTOGRAD, TH_WATCHDOG, TH_MONITOR, TH_COUNT };
enum gen_stream { ST_COMPUTE, ST_HTOD, ST_DTOH, ST_COMM, ST_STRAY, ST_COUNT };
enum gen_phase {
	PH_DATALOAD,
	PH_FORWARD,
	PH_BACKWARD,
	PH_RECOMPUTE,
	PH_OPTIMIZER,
	PH_OTHER,
	PH_UNATTRIBUTED,
	PH_COUNT
};
enum gen_call { CALL_SYNC, CALL_LAUNCH, CALL_MEMCPY, CALL_OTHER };
enum gen_copy { COPY_HTOD, COPY_DTOH, COPY_DTOD, COPY_KINDS };
enum gen_mem { MEM_PAGEABLE, MEM_PINNED, MEM_DEVICE };
enum gen_sync { SYNC_STREAM, SYNC_CONTEXT, SYNC_EVENT, SYNC_STREAM_WAIT, SYNC_KINDS };
enum gen_annot {
	AN_STEP,
	AN_MICRO,
	AN_FORWARD,
	AN_BACKWARD,
	AN_OPTIMIZER,
	AN_OPTSTEP,
	AN_DATALOAD
};
enum gen_py {
	PY_FRAME,
	PY_MODULE,
	PY_SAMPLER
}; /* both files; torch trace only; pyinstrument only */
enum gen_nvtx { NV_OP, NV_MARKER, NV_NCCL, NV_STARTEND, NV_OPEN, NV_MARK };

enum gen_api {
	API_LAUNCH,
	API_LAUNCH_EX,
	API_CU_LAUNCH_EX,
	API_MEMCPY,
	API_CU_HTOD,
	API_MEMSET,
	API_STREAM_SYNC,
	API_EVENT_SYNC,
	API_DEVICE_SYNC,
	API_EVENT_RECORD,
	API_STREAM_WAIT,
	API_EVENT_QUERY,
	API_MALLOC,
	API_HOST_ALLOC,
	API_LIB_LOAD,
	API_KERNEL_FUNC,
	API_GRAPH_LAUNCH,
	API_COUNT
};

struct api_def {
	const char *torch; /* name in the torch trace */
	const char *nsys; /* name in the nsys export: the ABI suffix is kept there */
	int cbid, driver;
	enum gen_call cls;
};

enum gen_kernel {
	K_GEMM_TN,
	K_GEMM_NN,
	K_GEMM_NT,
	K_EXPERT_TN,
	K_EXPERT_NN,
	K_EXPERT_NT,
	K_GATE,
	K_FLASH_FWD,
	K_FLASH_DOT,
	K_FLASH_BWD,
	K_FLASH_CONVERT,
	K_LN,
	K_LN_BWD_X,
	K_LN_BWD_W,
	K_GELU,
	K_GELU_BWD,
	K_ADD,
	K_MUL,
	K_SOFTMAX,
	K_SOFTMAX_BWD,
	K_TOPK,
	K_SCAN,
	K_GATHER,
	K_INDEX_ADD,
	K_EMBED_BWD,
	K_CAST,
	K_FILL,
	K_DROPOUT,
	K_LOGSOFTMAX,
	K_NLL,
	K_NLL_BWD,
	K_NORM2,
	K_ADAM,
	K_ALLGATHER,
	K_REDSCAT,
	K_SENDRECV,
	K_TRITON,
	K_COUNT
};

struct kernel_def {
	const char *torch; /* as libstdc++ demangles it */
	const char *nsys; /* as nsys demangles it */
	const char *brief; /* nsys short name */
	const char *cls; /* kernel class that is meant */
	int grid, block, regs, shared;
};

extern const struct api_def gen_apis[API_COUNT];
extern const struct kernel_def gen_kernels[K_COUNT];
extern const char *const gen_phase_names[PH_COUNT];
extern const char *const gen_call_names[4];
extern const char *const gen_copy_names[COPY_KINDS];
extern const char *const gen_mem_names[3];
extern const char *const gen_sync_names[SYNC_KINDS];
extern const int gen_stream_ids[ST_COUNT];
extern const int gen_tids[TH_COUNT];
extern const char *const gen_thread_names[TH_COUNT];
extern const char *const gen_thread_roles[TH_COUNT];

/* One event of any kind; which fields mean something depends on the vector it is in. */
struct ev {
	ns_t start, end;
	const char *name; /* ops, annotations, NVTX, Python frames (torch form) */
	const char *alt; /* annotations: the NVTX form; Python frames: the bare function */
	const char *file; /* Python frames */
	int line, thread, def, kind, stream, src, dst, micro, parent;
	int64_t corr, ext, seq, bytes;
};

struct evs {
	struct ev *v;
	size_t n, cap;
};

struct open_ev {
	struct evs *vec;
	size_t index;
};

struct thread_state {
	ns_t now;
	struct open_ev open[GEN_MAX_DEPTH];
	int depth;
};

struct gen_opts {
	const char *kind, *out, *truth;
	uint64_t seed;
	int64_t steps, layers, scale, events;
	int noise;
	bool gz, nsys;
};

struct run {
	struct gen_opts opt;
	uint64_t rng;
	struct thread_state th[TH_COUNT];
	ns_t stream_ready[ST_COUNT], engine_ready[COPY_KINDS];
	bool loaded[K_COUNT];
	struct evs ops, annots, calls, pys, kernels, copies, sets, syncs, records, nvtx; /* records: of events, dst: which */
	int64_t next_ext, next_corr, next_seq;
	char **strings;
	size_t nstrings, cap_strings;
	bool grad_enabled; /* forward gives sequence numbers (checkpointed forward does not) */
	int64_t head_seq; /* next sequence number when the head's forward ended */
	ns_t *fetched; /* per module: when its fetched parameters are there; 0: not fetched */
	int step; /* step that is being made, for the warm-up's extra work */
	bool solo; /* one rank: parameters come from the host alone, nothing is sent to anybody */
	int host_percent; /* how long host work takes; 100 = as written */
};

/* sim.c: the machine */
void run_init(struct run *r, const struct gen_opts *opt);
void run_free(struct run *r);
void *gen_grow(void *p, size_t n, size_t *cap, size_t size);
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
const char *run_str(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct ev *evs_add(struct evs *s);
uint64_t run_random(struct run *r, uint64_t below);
ns_t run_jitter(struct run *r, ns_t base, int percent);
void host(struct run *r, enum gen_thread th, ns_t base);
void op_begin(struct run *r, enum gen_thread th, const char *name, int64_t seq);
void annot_begin(struct run *r, enum gen_annot kind, const char *name, const char *nvtx);
void py_begin(struct run *r, enum gen_thread th, enum gen_py kind, const char *file, int line,
	const char *func);
void py_builtin(struct run *r, enum gen_thread th, const char *torch_name, const char *func);
void end(struct run *r, enum gen_thread th);
size_t call_plain(struct run *r, enum gen_thread th, enum gen_api api, ns_t dur);
void launch(struct run *r, enum gen_thread th, enum gen_api api, enum gen_kernel k,
	enum gen_stream st, ns_t dur);
void copy(struct run *r, enum gen_thread th, enum gen_copy kind, enum gen_mem src, enum gen_mem dst,
	int64_t bytes, enum gen_stream st);
void set_memory(struct run *r, enum gen_thread th, int64_t bytes, enum gen_stream st);
void sync_stream(struct run *r, enum gen_thread th, enum gen_stream st);
void sync_event(struct run *r, enum gen_thread th, ns_t ready);
void sync_device(struct run *r, enum gen_thread th);
#define GEN_FIRST_CORR 1000
ns_t event_record(struct run *r, enum gen_thread th, enum gen_stream st);
void stream_wait(struct run *r, enum gen_thread th, enum gen_stream st, ns_t ready);

const struct ev *run_call(const struct run *r, int64_t corr); /* NULL: no call has this number */

/* run.c, block.c: the training script */
void make_run(struct run *r);
void block_forward(struct run *r, enum gen_thread th, int layer);
void block_backward(struct run *r, int layer);
void embed_forward(struct run *r);
void embed_backward(struct run *r, int64_t seq);
void head_forward(struct run *r);
void head_backward(struct run *r);
void accumulate_grad(struct run *r, int64_t bytes);
bool layer_is_moe(int layer);

/* writers */
struct torch_counts {
	size_t gpu_annotations, ac2g, fwdbwd; /* what the writer adds to the model */
};

void write_torch(const struct run *r, const char *path, bool gz, struct torch_counts *n);
void write_nsys(const struct run *r, const char *path);
void write_pyinstrument(struct run *r, const char *path, FILE *truth);
void write_ds_config(const char *path);
void write_nvtx_name(
	const struct ev *e, char *buf, size_t size); /* whole text, with emit_nvtx's tail */

/* truth.c */
void write_truth(struct run *r, const char *path, const char *pyinstrument_path,
	const struct torch_counts *n);

/* other kinds */
void make_zero3(const struct gen_opts *opt);
void make_overlap(const struct gen_opts *opt);
void make_offload(const struct gen_opts *opt);
void make_whatif(const struct gen_opts *opt);
void make_ncu(const struct gen_opts *opt);
void make_bench(const struct gen_opts *opt);
void make_bench_nsys(const struct gen_opts *opt);

/* json.c: enough to write JSON */
void json_string(FILE *f, const char *s);
char *gen_path(const char *dir, const char *name);
FILE *gen_create(const char *path);
void gen_close(FILE *f, const char *path);

#endif
