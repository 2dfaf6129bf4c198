/*
 * rules: the knowledge about names, read from data/(name).rules.
 *
 * A rule file is text, one rule per paragraph; see the head of rule_file.c for the format. The
 * built-in files are compiled in (tools/embed-data). In each table the first rule that matches wins.
 * The table `findings` of the same files is read elsewhere: rulebook.h holds both.
 *
 * A `struct rules` does not change after loading, and lookups keep no cache: any number of threads
 * may look up at once. A lookup costs a few microseconds: callers remember the answer per interned
 * name (thousands of names, not 10^8 events). Names are (pointer, length) and may hold any byte.
 *
 * Every string in an answer is static or owned by the rules and lives as long as they do.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/kernel_name.h"
#include "rules/words.h"

struct err;
struct rules;

/* ---- loading ---- */

/* No rules; the built-in ones. NULL and *e set if an embedded file is malformed (our own mistake). */
struct rules *rules_empty(void);
struct rules *rules_new(struct err *e);
void rules_free(struct rules *r); /* NULL is allowed */

/* Who reads the table `findings` of a rule file while the file is read. */
struct table_reader {
	/* One line of the table; false with *e set. `open` says afterwards whether `table` would be a key of what it began. */
	bool (*line)(struct table_reader *t, int line, char *key, char *value, struct err *e);
	/* A blank line, or the end of the file: what is open must be complete. */
	bool (*close)(struct table_reader *t, struct err *e);
	bool open;
	/* set before the first line: as in struct rule_info */
	const char *file;
	uint64_t check;
};

/*
 * A rule file that was read, but belongs to no set yet. `name` is used in messages, and as the file
 * of its rules. reader NULL: the table `findings` is skipped. NULL with *e set, which says the line
 * that is wrong.
 */
struct rule_file;
struct embedded_file;
struct rule_file *rule_file_text(const char *name, const char *text, size_t len, struct table_reader *reader, struct err *e);
struct rule_file *rule_file_read(const char *path, struct table_reader *reader, struct err *e);
struct rule_file *rule_file_embedded(const struct embedded_file *f, struct table_reader *reader, struct err *e);
void rule_file_free(struct rule_file *f); /* NULL is allowed */

/*
 * Puts the rules of a file before those that are there (of two files the later wins). The set owns
 * the file's texts from here on, f is gone. Not to be called while other threads look up.
 */
void rules_take(struct rules *r, struct rule_file *f);

size_t rules_count(const struct rules *r); /* rules in all tables of names */

/* One rule, as a list of them shows it; the strings live as long as the rules. */
struct rule_info {
	const char *file, *table, *id; /* id is the pointer that answers hold in rule_id */
	uint64_t check; /* of the text of its file: the same rules have the same (check64.h) */
	int line;
	size_t samples;
};
/* Calls fn for every rule, table by table, in the order in which they are tried. */
void rules_each(const struct rules *r, void (*fn)(void *arg, const struct rule_info *u), void *arg);

/* One failing sample. `got` is the id of the rule that won, "" if none did. */
struct rules_failure {
	const char *file;
	int line;	     /* of the sample */
	const char *rule_id; /* whose sample it is */
	const char *sample;
	size_t sample_len;
	const char *got;
	bool is_not; /* a `not` sample that matched */
};

/*
 * Hold every rule against its samples: a `sample` must be won by its own rule, a `not` sample must
 * not. `fail` (may be NULL) is called for each that fails. Returns true if none did; *samples
 * (may be NULL) counts the samples tried.
 */
bool rules_check(const struct rules *r, void (*fail)(void *ctx, const struct rules_failure *f),
		 void *ctx, size_t *samples);

/* ---- GPU kernels ---- */

struct kernel_class {
	enum kclass class;
	const char *subclass; /* "" if none */
	const char *layout;   /* "TN" …, or NULL */
	const char *dtype;    /* or NULL */
	int8_t tensor_core;   /* 1, 0, -1 unknown */
	/*
	 * "forward", "backward", "optimizer" where the name itself says so, or NULL; a forward
	 * name may be recompute: the phase of a kernel is that of its launch.
	 */
	const char *phase;
	const char *rule_id; /* "" if no rule matched */
};

/*
 * Class and traits of a kernel by its whole (demangled, else short, else mangled) name.
 * A base name that may be several kernels is KCLASS_UNRESOLVED, a name that no rule knows
 * KCLASS_UNCLASSIFIED; neither has traits. Every name that holds "nccl" or "rccl" in any case is
 * KCLASS_COMMUNICATION, whatever the rules say: the GPU partition is defined with that.
 */
void rules_kernel(const struct rules *r, const char *name, size_t len, struct kernel_class *out);

/*
 * True if the name holds "nccl" or "rccl" in any case. The reference values of the GPU partition
 * count only these kernels as communication; KCLASS_COMMUNICATION holds for more (DeepEP, one-shot
 * all-reduce kernels).
 */
bool rules_is_nccl(const char *name, size_t len);

/* ---- host side: ops, annotations, NVTX ranges, Python frames ---- */

/* Level 1 and 2 under a condition; level2 NULL: the same as without it. */
struct class_levels {
	enum level1 l1;
	const char *level2;
};

struct host_class {
	enum level1 l1;
	const char *level1; /* level1_name(l1) */
	const char *level2; /* may hold {name} or {tail}: see rules_level2(); never NULL */
	/*
	 * "dataload", "forward", "backward", "recompute", "optimizer", "other", or NULL: it is
	 * that of the context.
	 */
	const char *phase;
	const char *cause;   /* gap cause word, or NULL */
	bool transparent;    /* a wrapper: what lies inside decides; a leaf where nothing does */
	bool owner;	     /* ops and calls inside take its level 2: "ZeRO-3 parameter fetch" */
	bool ends_owner;     /* what lies inside is its own again, whatever owner is around */
	bool computes;	     /* does the work itself where it does not launch it: facts_on_cpu() */
	bool entry;	     /* frames: the work of another process begins here, forked below its callers */
	bool sync;	     /* waits for the device, or makes the host wait (item, nonzero …) */
	bool comm;	     /* level 1 is communication */
	bool dataload;	     /* level 1 is data loading */
	bool known;	     /* false: no rule matched, the fields hold the default */
	char framework;	     /* see rules_framework_name() */
	const char *library; /* frames: "DeepSpeed", "PyTorch FSDP1", "PIL" …; NULL if unknown */
	/*
	 * What it is under other conditions. elsewhere: of frames that load data only below a frame that does, where none is (a queue may be
	 * anybody's); alone: where no thread of autograd's is known; cpu: where there is no device. See rules_under().
	 */
	struct class_levels elsewhere, alone, cpu;
	const char *rule_id; /* "" if none matched */
};

/*
 * Classify an operator, user annotation, autograd node or NVTX range. The built-in rules end with
 * one for every name ("user range / custom Function", transparent), so `known` is true with them.
 */
void rules_op(const struct rules *r, const char *name, size_t len, struct host_class *out);

/*
 * Classify an overhead record (nsys CUPTI_ACTIVITY_KIND_OVERHEAD, torch "overhead"). Some are caused by CUDA itself (full launch
 * queue, module loading), see the rules; every other name is the profiler's own work.
 */
void rules_overhead(const struct rules *r, const char *name, size_t len, struct host_class *out);

/*
 * Classify a Python frame by its file and function. The file may be absolute, relative, or a
 * suffix; what stands before site-packages/, dist-packages/ or lib/python3.x/ does not matter.
 * Unknown: framework scheduling / "Python" of framework 'P', known = false. The caller may then let
 * the frame inherit the class of the next outer known frame.
 */
void rules_frame(const struct rules *r, const char *file, size_t file_len, const char *func,
		 size_t func_len, struct host_class *out);

/* Whether a Python frame is what an import statement calls, or import_module(): what runs below it is an import. */
bool rules_frame_imports(const char *file, size_t file_len, const char *func, size_t func_len);

/* Make of a class what it is under a condition: `levels` is one of its own. Nothing changes where that says nothing. */
void rules_under(struct host_class *hc, const struct class_levels *levels);

/*
 * Write a level 2 with its {name} and {tail} (what follows the last "::" or ":" of the name)
 * replaced into buf (always terminated, never more than size, cut if need be). Returns the full
 * length, as snprintf does. `level2` is the field of struct host_class or runtime_class.
 */
size_t rules_level2(const char *level2, const char *name, size_t len, char *buf, size_t size);

/*
 * The length of an op name without what autograd's emit_nvtx appends (", op_id = 7, seq = 3 …").
 * rules_op() does this by itself.
 */
size_t rules_op_base(const char *name, size_t len);

/*
 * Is it a node of the autograd graph: a class name that ends in Backward and perhaps a number ("ReluBackward1"), or
 * torch::autograd::AccumulateGrad. What emit_nvtx appends does not count.
 */
bool rules_autograd_node(const char *name, size_t len);

enum frame_kind {
	FRAME_OTHER,  /* not a Python frame text that we know */
	FRAME_PYTHON, /* "file.py(123): func" */
	FRAME_MODULE, /* "nn.Module: Linear_0" */
	FRAME_BUILTIN /* "<built-in method item of Tensor object at 0x7f…>" */
};

/* All pointers are into the name that was given. */
struct frame_name {
	enum frame_kind kind;
	const char *file; /* FRAME_PYTHON; else empty */
	size_t file_len;
	const char *func; /* function; "Linear" of a module; "item" of a built-in */
	size_t func_len;
	int64_t line; /* -1 if unknown */
	/* the name without what changes from call to call (address, module number) */
	const char *key;
	size_t key_len;
};

/* Split torch's python_function names. Fills *out always; FRAME_OTHER: func = the whole name. */
void rules_frame_name(const char *name, size_t len, struct frame_name *out);

/* rules_frame_name() and rules_frame() in one: classify a torch python_function event. */
void rules_python(const struct rules *r, const char *name, size_t len, struct host_class *out);

/* ---- runtime and driver calls ---- */

/* Length of the name without the suffixes _vN, _ptsz, _ptds, _spt (dropped repeatedly). */
size_t rules_runtime_base(const char *name, size_t len);

/* sync: *Synchronize; launch: *Launch* but not *LaunchHostFunc; memcpy: *Memcpy*, *Memset*. */
enum rt_class rules_runtime(const char *name, size_t len);

struct runtime_class {
	enum rt_class rt;
	enum level1 l1;
	const char *level1, *level2; /* level2: see rules_level2() */
	const char *cause; /* gap cause word (launch, copy, sync, allocator, compile), or NULL */
	/*
	 * "kernel launch", "graph", "memcpy dispatch", "sync wait", "memory management",
	 * "event/stream", "module load", "other"
	 */
	const char *category;
	bool blocks; /* the call makes the host wait by its nature */
	bool known;
	const char *rule_id;
};

void rules_runtime_class(const struct rules *r, const char *name, size_t len,
			 struct runtime_class *out);

/* ---- steps, phases, threads ---- */

/*
 * The name with its number cut out: head + "#" + tail are one family ("step_#", "train_batch #").
 * Both parts point into the name; number is -1 if the name has none (one range per step, all of
 * one name).
 */
struct step_name {
	const char *head;
	size_t head_len;
	const char *tail;
	size_t tail_len;
	int64_t number;
	const char *rule_id;
};

/* Same family: equal heads and tails. */
bool step_name_same_family(const struct step_name *a, const struct step_name *b);

/* Is this the name of a step marker? micro_batch N is not. */
bool rules_step_name(const struct rules *r, const char *name, size_t len, struct step_name *out);

/* Is this the name of a micro-batch marker (a part of a step)? */
bool rules_microbatch_name(const struct rules *r, const char *name, size_t len,
			   struct step_name *out);

/*
 * The phase that a range or annotation marks: "dataload", "forward", "backward", "recompute",
 * "optimizer", "other"; NULL if the name is no phase marker.
 */
const char *rules_phase_marker(const struct rules *r, const char *name, size_t len);

/*
 * Role by the thread's name: "main", "autograd", "loader-worker", "pin-memory", "comm-watchdog",
 * "other" (a thread known to be none of these); NULL if the name says nothing.
 */
const char *rules_thread_role(const struct rules *r, const char *name, size_t len);

/* ---- embedded files (written by tools/embed-data) ---- */

struct embedded_file {
	const char *name;
	const char *const *text; /* pieces, ended by NULL: no literal is over the limit of C11 */
};

extern const struct embedded_file embedded_rules[]; /* ended by name == NULL */

#endif
