/*
 * torch_impl.h - the parts of the torch.profiler loader, private to src/load/torch_*.c.
 *
 *	torch_trace.c	the front end: window, top level, list of events, recovery after damage
 *	torch_event.c	one event object → struct tev; knows nothing of builders
 *	torch_sink.c	struct tev → builder: layers, tracks, names, details
 *	torch_meta.c	the keys beside traceEvents
 *
 * The front end hands whole events to the event parser, one after another, in file order; the
 * parser needs nothing but a window and its key tables, so several of them may later work on
 * batches.
 * Source of the format's facts: torch.profiler's Kineto writer (libkineto output_json.cpp).
 */
#ifndef LOAD_TORCH_IMPL_H
#define LOAD_TORCH_IMPL_H

#include "base/fileio.h"
#include "base/jscan.h"
#include "base/map.h"
#include "base/vec.h"
#include "load/loader.h"
#include "model/profile.h"

/* ---- torch_event.c ---- */

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
	TEV_DUR_BAD = 1 << 21
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
	int64_t offset;			/* of the event in the text */
};

struct tkey;
#define TKEY_SLOTS 128
struct tkeys {			/* hashed table of the keys that matter */
	const struct tkey *keys;
	uint8_t slot[TKEY_SLOTS];	/* index + 1 */
};
struct tparser {
	struct tkeys event, args;
};

void tparser_init(struct tparser *p);
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

/* ---- torch_sink.c ---- */

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
	struct map pseudo;		/* string id of a pid or tid → its pseudo number's index */
	struct map thread_names;	/* (pid, tid) → string id */
	struct map process_names;	/* (pid, 0) → string id */
	struct map threads;		/* (pid, tid) of host threads that exist */
	struct map processes;		/* (pid, 0) of host processes that exist */
	struct map open_top;		/* (pid, tid) → index + 1 into open, 0 none */
	VEC(struct topen) open;
	VEC(int64_t) gpus;		/* device numbers of kernels in order of appearance */
	char *plain;			/* for strings with escapes */
	size_t plain_cap;
	struct kernel_detail last_kernel;
	uint32_t last_kernel_id;
	uint64_t untimed, known_cat, mtia;
	ns_t min_ts;			/* earliest start of a span, INT64_MAX none */
};

void tsink_init(struct tsink *s, struct builder *b);
void tsink_event(struct tsink *s, const struct tev *ev);
void tsink_flush(struct tsink *s);	/* hands the counts to the builder */
void tsink_finish(struct tsink *s);	/* what is left open, what had no time */
void tsink_fini(struct tsink *s);

/* ---- torch_meta.c ---- */

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

#endif
