/*
 * torch_impl.h - the parts of the torch.profiler loader, private to src/load/torch_*.c.
 *
 *	trace.c	the front end: window, top level, list of events, recovery after damage
 *	pipeline.c	many events at once: the text cut into batches, parsed on all processors
 *	batch.c	one batch: its events → records in terms of tables of its own, and those → sink
 *	event.c	one event object → struct tev; knows nothing of builders
 *	torch/detail.c	category, name and args → layer, copy, kernel, wait
 *	sink.c	struct tev → builder: layers, tracks, names, details
 *	call_stack.c	the Python frames that torch 1.9 to 1.13 writes into the args of ops → frames
 *	torch/meta.c	the keys beside traceEvents
 *
 * The front end reads event by event, in file order, and is the only one that knows what to do with damage. Where the text
 * is a list of plain events it lets pipeline.c run: that takes as many whole batches as are free of anything unusual, in
 * file order, and gives back the text behind them. So the result is that of reading event by event, on any number of threads.
 * Source of the format's facts: torch.profiler's Kineto writer (libkineto output_json.cpp).
 */
#ifndef LOAD_TORCH_TORCH_IMPL_H
#define LOAD_TORCH_TORCH_IMPL_H

#include <string.h>

#include "base/fileio.h"
#include "base/jscan.h"
#include "base/map.h"
#include "base/vec.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "model/strtab.h"

/* ---- event.c ---- */

/* Which members of a struct tev are set. */
enum {
	TEV_NAME = 1 << 0,
	TEV_CAT = 1 << 1,
	TEV_PID = 1 << 2,
	TEV_TID = 1 << 3,
	TEV_PID_TEXT = 1 << 4,
	TEV_TID_TEXT = 1 << 5,
	TEV_TS = 1 << 6,
	TEV_DUR = 1 << 7,
	TEV_CORR = 1 << 8,
	TEV_EXT = 1 << 9,
	TEV_STREAM = 1 << 10,
	TEV_DEVICE = 1 << 11,
	TEV_CONTEXT = 1 << 12,
	TEV_BYTES = 1 << 13,
	TEV_GRID = 1 << 14,
	TEV_BLOCK = 1 << 15,
	TEV_REGISTERS = 1 << 16,
	TEV_SHARED = 1 << 17,
	TEV_NODE = 1 << 18,
	TEV_SYNC = 1 << 19,
	TEV_ARG_NAME = 1 << 20,
	TEV_DUR_BAD = 1 << 21,
	TEV_COLLECTIVE = 1 << 22,	/* of a collective: its name is there; the rest may be */
	TEV_DTYPE = 1 << 23,
	TEV_GROUP = 1 << 24,
	TEV_RANKS = 1 << 25,
	TEV_IN_ELEMS = 1 << 26,
	TEV_OUT_ELEMS = 1 << 27,
	TEV_GROUP_SIZE = 1 << 28,
	TEV_SHAPE = 1 << 29,
	TEV_SEQ = 1 << 30
};

struct tev {
	uint32_t have;
	char ph;			/* 0 if the event does not say */
	struct jstr name, cat, pid_text, tid_text;
	int64_t pid, tid;
	ns_t ts, dur;
	/* from args */
	struct jstr arg_name, sync;	/* args.name of metadata; cuda_sync_kind */
	uint64_t corr, ext, node;
	int64_t stream, device, context, bytes, registers, shared;
	int32_t grid[3], block[3];
	struct jstr collective, dtype, group, ranks;
	int64_t in_elems, out_elems, group_size;
	struct jstr shape;		/* the list as it stands there, brackets and all */
	int64_t seq;
	uint64_t fwd_thread;		/* of a backward node; valid with TEV_SEQ, 0 none */
	struct jstr stack;		/* Python frames of an op, innermost first: "a.py(1): f;b.py(2): g"; empty: none */
	int64_t wait_record, wait_stream;	/* of a wait for an event: id of the call that recorded it, and where; record <= 0: none */
	int64_t offset;			/* of the event in the text */
};

/* Events of these phases are counted, and nothing else of them is kept: flows and counters. */
static inline bool tev_only_counted(char ph)
{
	return ph == 's' || ph == 'f' || ph == 't' || ph == 'C';
}
static inline bool tev_instant(char ph)
{
	return ph == 'i' || ph == 'I';
}

enum tkey_kind { K_PHASE, K_TEXT, K_ID, K_US, K_I64, K_U64, K_DIM, K_LIST, K_ARGS, K_SKIP };

struct tkey {
	const char *name;
	uint8_t len;
	uint8_t kind;		/* enum tkey_kind */
	uint16_t at, text_at;	/* offsets in struct tev; text_at: K_ID given as a string */
	uint32_t have;
};
#define TKEY_SLOTS 128
struct tkeys {			/* hashed table of the keys that matter */
	const struct tkey *keys;
	uint8_t slot[TKEY_SLOTS];	/* index + 1 */
};
struct tparser {
	struct tkeys event, args;
};

void tparser_init(struct tparser *p);
/* NULL: a key that does not matter. */
const struct tkey *tkeys_find(const struct tkeys *t, const struct jstr *s);
/*
 * js is at the {. Reads the whole event; on anything but JS_OK *ev is void and js stands where it
 * went wrong.
 */
enum jstat tparser_event(const struct tparser *p, struct jscan *js, struct tev *ev);
/*
 * Names of the event's own keys, NULL-terminated: what may follow a value (jscan.keys), and what
 * begins an event.
 */
extern const char *const tev_key_names[];

/* A hash of the length, the first and the last 8 bytes of a text, its high bits the best; 8 bytes must be readable at s. */
static inline uint64_t text_ends_hash(const char *s, size_t n)
{
	uint64_t first, last;

	memcpy(&first, s, 8);
	memcpy(&last, n < 8 ? s : s + n - 8, 8);
	if (n < 8)
		first = last = n ? first << (64 - 8 * n) : 0;
	return (first ^ (last << 23 | last >> 41) ^ n) * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- fast/shape.c ---- */

/* What events looked like so far. One thread at a time. */
struct tshapes;
/* way: the set of instructions, "sse2" or "plain"; NULL: the best that this build has. NULL if it has not got that one. */
struct tshapes *tshapes_new(const char *way);
void tshapes_free(struct tshapes *t);	/* NULL is fine */
/* What the caller found out about the values of a shape that did not change since; zeroed when one did. */
enum { TKNOWN_CAT = 1, TKNOWN_LANE = 2, TKNOWN_AUX = 4, TKNOWN_NAME = 8 };
struct tknown {
	uint8_t steady;		/* what may be kept: pid, tid, device, stream, context; grid to graph node; the name */
	uint8_t has;		/* what the caller has put here */
	uint8_t cat;
	uint32_t lane, aux, name;
	uint32_t stamp;		/* the caller's own */
};
/*
 * As tparser_event() with a strict js, and with the same result: but where the event looks like one before, faster. *ev is void
 * with the next call; of a span or an instant the texts are, too, of another they lie in the window or do not change. Of what
 * tev_only_counted() nothing but ph and offset is set. *known: of its shape, NULL if it has none.
 */
enum jstat tshapes_event(struct tshapes *t, const struct tparser *p, struct jscan *js, const struct tev **ev, struct tknown **known);

/* ---- torch/detail.c ---- */

/* Layer of a category (LAYER_OTHER if it is none of the known), and the aux of its events. */
void tcat_layer(const char *text, size_t n, enum layer *layer, uint32_t *aux);
/* A pid or tid as text that is a number after all: "25738", "stream 7". */
bool tid_number(const struct jstr *t, int64_t *v);
/*
 * "Memcpy HtoD (Pinned -> Device)", "Memset (Device)": kind before the bracket, memory kinds inside.
 */
void tev_copy(const struct tev *ev, bool set, struct copy_detail *d);
int64_t tev_copy_bytes(const struct tev *ev);	/* all of it that is not said by the name; I64_UNKNOWN */
/* False if the event says nothing of that kind. */
bool tev_kernel(const struct tev *ev, struct kernel_detail *d);
uint32_t tev_sync(const struct tev *ev, uint32_t otherwise);
/* Whether it says which event is waited for. */
static inline bool tev_waits_for_event(const struct tev *ev)
{
	return ev->have & TEV_CORR && ev->wait_record > 0;
}
/*
 * The shapes of an op's inputs in short: "[[32, 128], [128, 64], []]" → "[32,128]x[128,64]". Inputs without a shape (scalars, what is
 * no tensor) are "[]", and left out at the end. In *buf, which grows; NULL if the list holds anything else than lists of integers.
 */
const char *tev_shape(const struct tev *ev, char **buf, size_t *cap, size_t *n);
/* Sequence number and what comes of it; the shape is the caller's. False: the event says neither. */
bool tev_op(const struct tev *ev, struct op_detail *d);

/* ---- call_stack.c ---- */

struct tstack_op {		/* an op that was called from Python */
	ns_t start, dur;
	thread_id thread;
	uint32_t stack;
};
/*
 * The call stacks of ops, each text once. torch writes them from 1.9 on; since 1.12 it traces the frames themselves as well, and then
 * these are not needed.
 */
struct tstacks {
	struct strtab texts;
	VEC(struct tstack_op) ops;	/* in file order */
};
/* Whether an op shows frames that are active as long as it: those of a range that the script opens are left before it ends. */
bool tev_has_stack(const struct tev *ev);
/* text: unescaped, not empty. */
void tstacks_add(struct tstacks *s, thread_id thread, ns_t start, ns_t dur, const char *text, size_t n);
/*
 * Adds the frames as events of LAYER_PYTHON, unless the file has such. A frame is known where an op shows it: it lasts as long as its
 * op, and what an op inside another one shows as well is not added again.
 */
void tstacks_finish(struct tstacks *s, struct builder *b);
void tstacks_fini(struct tstacks *s);

/* ---- sink.c ---- */

#define TSINK_CATS 128		/* more spellings than that in one file are counted together */

struct tcat {
	char text[48];
	size_t n;
	enum layer layer;
	uint32_t aux;
	uint64_t count;		/* since the last tsink_flush() */
};
struct tlane {			/* the track found last, per layer */
	bool valid;
	int64_t a, b, c;	/* pid, tid; or device, context, stream */
	uint64_t group;
	track_id track;
};
struct topen {			/* a B event that waits for its E */
	struct builder_event ev;
	track_id track;
	int64_t offset;
	uint32_t below;		/* index + 1 of the one that it interrupts */
};
enum tcount { TCOUNT_FLOW, TCOUNT_META, TCOUNT_COUNTER, TCOUNT_INSTANT, TCOUNT_OTHER, TCOUNT_N };

struct tsink {
	struct builder *b;
	struct tcat cats[TSINK_CATS];
	unsigned n_cats, last_cat;
	struct tlane lanes[LAYER_N];
	uint64_t counts[TCOUNT_N];	/* since the last tsink_flush() */
	bool counted[TCOUNT_N];
	struct map pseudo;		/* string id of a tid → its pseudo number's index */
	struct map text_pids;		/* string id of a pid → index in pids */
	struct map pid_texts;		/* pid → string id of the text that it stands for */
	VEC(int64_t) pids;
	struct map ranks;		/* group → in order of appearance */
	struct map device_ranks;	/* device number as written → the rank that keeps it */
	struct map rank_devices;	/* devices that got another number */
	struct map thread_names;	/* (pid, tid) → string id */
	struct map process_names;	/* (pid, 0) → string id */
	struct map threads;		/* (pid, tid) of host threads that exist */
	struct map processes;		/* (pid, 0) of host processes that exist */
	struct map open_top;		/* (pid, tid) → index + 1 into open, 0 none */
	VEC(struct topen) open;
	VEC(int64_t) gpus;		/* device numbers of kernels in order of appearance */
	VEC(int64_t) gpu_numbers;	/* the same as the file numbers them */
	struct map gpu_map;		/* device -> index in gpus */
	char *plain;			/* for strings with escapes */
	size_t plain_cap;
	struct kernel_detail last_kernel;
	uint32_t last_kernel_id;
	uint64_t untimed, known_cat, mtia;
	bool npu;			/* a process is an Ascend device */
	struct tstacks stacks;
	bool frames;			/* the file has Python frames of its own */
	ns_t min_ts;			/* earliest start of a span, INT64_MAX none */
};

void tsink_init(struct tsink *s, struct builder *b);
void tsink_event(struct tsink *s, const struct tev *ev);
/* The steps of tsink_event(), for who has parsed many events already. */
void tsink_count(struct tsink *s, enum tcount k, uint64_t n);
struct tcat *tsink_cat(struct tsink *s, const char *text, size_t n);
/* ev: the event that is the first on the track; NULL if its pid is no text. */
track_id tsink_host_track(struct tsink *s, enum layer l, int64_t pid, int64_t tid, uint64_t group, const struct tev *ev);
/* An op of a thread shows a call stack, unescaped and not empty. */
void tsink_stack(struct tsink *s, int64_t pid, int64_t tid, ns_t start, ns_t dur, const char *text, size_t n);
track_id tsink_gpu_track(struct tsink *s, enum layer l, int64_t device, int64_t stream, int64_t context, uint64_t group);
void tsink_flush(struct tsink *s);	/* hands the counts to the builder */
void tsink_finish(struct tsink *s);	/* what is left open, what had no time */
void tsink_fini(struct tsink *s);

/* ---- batch.c ---- */

struct bcat {
	char text[48];
	size_t n;
	enum layer layer;
	bool gpu, copy;
	uint32_t aux;
	struct tcat *sink;	/* NULL: not met in the sink */
};
struct blane {
	enum layer layer;
	int64_t a, b, c;	/* as in struct tlane */
	track_id track;		/* ID_NONE: not met in the sink */
};
#define TBATCH_SEEN_BITS 11
struct bnames {				/* texts by number */
	struct strtab tab;
	uint32_t seen[1u << TBATCH_SEEN_BITS];	/* by the ends of a text: its number + 1 */
};
struct bstack {				/* a record whose op shows a call stack */
	uint32_t rec, stack;
};
#define TBATCH_COPIES 16
struct bcopy {				/* what the name of a copy says */
	uint32_t name;			/* + 1, 0 none */
	bool set;
	struct copy_detail d;
};
/*
 * A piece of text and what was read from it. The tables stay when the next text comes; a batch is used by one thread at a
 * time, whichever it is.
 */
struct tbatch_wait {		/* as builder_event_wait() takes it, of link group 0 */
	uint64_t call;
	int64_t record, stream;
};
struct tbatch {
	const char *text;	/* n bytes, then JSCAN_PAD readable ones */
	size_t n;
	size_t enough;		/* events that begin here or later are left, up to n */
	char *buf;		/* where the text is if it is no mapped file's */
	size_t cap;
	int64_t base;		/* its offset */
	bool comma;		/* an event may stand at the beginning; after parsing: at `used` */
	size_t used;		/* bytes of whole events and what is between them */
	VEC(struct builder_row) recs;	/* records, see batch.c */
	VEC(struct tev) odd;	/* events for tsink_event() */
	VEC(struct copy_detail) copies;
	VEC(struct op_detail) ops;	/* shape: in the names */
	VEC(struct bstack) stacked;	/* records of ops with a call stack, in order */
	VEC(struct tbatch_wait) waits;
	uint64_t counts[TCOUNT_N];
	/* tables: own number → thing, and its number in the builder */
	struct bnames names;
	VEC(uint32_t) name_ids;
	struct bnames dims;		/* lists of the shapes of inputs, as they stand there */
	VEC(uint32_t) dim_names;	/* the same in short, among the names; ID_NONE: it has none */
	struct bcopy copied[TBATCH_COPIES];	/* by name */
	struct bnames stacks;		/* call stacks */
	uint32_t stamp;			/* another one after the tables began anew */
	struct bcat cats[TSINK_CATS];
	unsigned n_cats, last_cat, sink_cats;
	VEC(struct blane) lanes;
	uint32_t last_lane[LAYER_N];	/* + 1 */
	struct map lane_map;
	VEC(struct kernel_detail) kernels;
	VEC(uint32_t) kernel_ids;
	struct map kernel_map;
	uint32_t last_kernel;		/* + 1 */
	struct tshapes *shapes;
	char *plain;
	size_t plain_cap;
};

/*
 * Reads the events of the text up to the first thing that is none, the end of the text inside an event among them. b->used
 * and b->comma are set to where and behind what; the rest is to be read event by event.
 */
void tbatch_parse(struct tbatch *b, const struct tparser *p);
/* Hands the events to the sink. False, with nothing done, if they are to be read event by event. */
bool tbatch_commit(struct tbatch *b, struct tsink *s);
void tbatch_fini(struct tbatch *b);

/* ---- pipeline.c ---- */

/* Where the text comes from: the file, and what pipeline.c gave back. */
struct tfeed {
	struct file_src *src;
	struct job *job;
	const char *map;	/* the mapped file; NULL: read through src */
	size_t map_n;
	char *left;		/* to be read before the file */
	size_t left_at, left_n;
	int64_t reported;	/* bytes of the file that the job knows of */
};
bool tfeed_read(struct tfeed *f, char *buf, size_t n, size_t *got, struct err *e);
void tfeed_fini(struct tfeed *f);

struct tahead {
	struct tfeed *feed;
	struct tsink *sink;
	const struct tparser *parser;
	unsigned workers;	/* parsing at the same time */
	size_t batch_bytes;
	/* called after each batch by the thread that holds the sink; false: stop, *e is set */
	bool (*batch)(void *arg);
	void *batch_arg;
	struct err *e;
	/* results */
	bool failed;
	bool comma;		/* an event may stand there */
	bool drained;		/* the list or the text ends soon: there are no batches behind */
	int64_t offset;		/* of the text that the feed gives next */
};
/*
 * Takes batches from the text, which goes on behind a comma with the n bytes at `begun` (copied) that stand at `offset`, and
 * then with the feed. On return the feed goes on behind the last event that was taken, at a->offset. A mapped file is not
 * copied: only offset matters then.
 */
void tahead_run(struct tahead *a, const char *begun, size_t n, int64_t offset);

/* ---- torch/meta.c ---- */

struct tmeta {
	struct builder *b;
	bool kineto;			/* a key that only Kineto writes was there */
	bool has_base;
	int64_t base_ns, rank, world;
	VEC(struct device) devices;	/* as listed; name: id in the builder */
	char *plain;
	size_t plain_cap;
};

void tmeta_init(struct tmeta *m, struct builder *b);
/* Whether the value of this key is wanted (the rest, environments among it, is skipped unread). */
bool tmeta_wants(const char *key, size_t n);
/* js is at the value. */
enum jstat tmeta_value(struct tmeta *m, const char *key, size_t n, struct jscan *js);
/* Clock: gpus and min_ts come from the sink. */
void tmeta_finish(struct tmeta *m, const struct tsink *s);
void tmeta_fini(struct tmeta *m);

/* ---- trace.c ---- */

struct torch_opts {
	bool one_by_one;	/* never ahead: the reference that the rest is held against */
	unsigned workers;	/* 0 = one per processor */
	size_t batch_bytes;	/* 0 = as is best */
};
bool torch_load_with(struct load_ctx *lx, const char *path, const struct torch_opts *o, struct err *e);

#endif
