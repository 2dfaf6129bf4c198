/*
 * rules.c - the set of rules: loading, checking, and the questions that other modules ask of it.
 *
 * The file format is described at the head of rule_file.c, the globs at that of glob.c.
 */
#include "rules/rules_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- loading ---- */

/* Put `add` before what is in `to`; `add` is empty afterwards. */
static void prepend(struct rule_list *to, struct rule_list *add)
{
	size_t n = to->n + add->n;

	if (add->n == 0)
		return;
	if (n > to->cap) {
		to->cap = n;
		to->v = xreallocarray(to->v, n, sizeof(*to->v));
	}
	memmove(to->v + add->n, to->v, to->n * sizeof(*to->v));
	memcpy(to->v, add->v, add->n * sizeof(*to->v));
	to->n = n;
	free(add->v);
	memset(add, 0, sizeof(*add));
}

static void keep_text(struct rules *r, char *text)
{
	r->texts = xreallocarray(r->texts, r->n_texts + 1, sizeof(*r->texts));
	r->texts[r->n_texts++] = text;
}

void rules_take(struct rules *r, struct rule_file *f)
{
	keep_text(r, f->text);
	keep_text(r, f->name);
	for (int t = 0; t < TABLE_N; t++)
		prepend(&r->table[t], &f->table[t]);
	free(f);
}

struct rules *rules_empty(void)
{
	return xcalloc(1, sizeof(struct rules));
}

struct rules *rules_new(struct err *e)
{
	struct rules *r = rules_empty();

	for (const struct embedded_file *f = embedded_rules; f->name; f++) {
		struct rule_file *rf = rule_file_embedded(f, NULL, e);

		if (!rf) {
			rules_free(r);
			return NULL;
		}
		rules_take(r, rf);
	}
	return r;
}

void rules_free(struct rules *r)
{
	if (!r)
		return;
	for (int t = 0; t < TABLE_N; t++)
		rule_list_fini(&r->table[t]);
	for (size_t i = 0; i < r->n_texts; i++)
		free(r->texts[i]);
	free(r->texts);
	free(r);
}

size_t rules_count(const struct rules *r)
{
	size_t n = 0;

	for (int t = 0; t < TABLE_N; t++)
		n += r->table[t].n;
	return n;
}

void rules_each(const struct rules *r, void (*fn)(void *arg, const struct rule_info *u), void *arg)
{
	static const char *const tables[TABLE_N] = {
		[TABLE_KERNELS] = "kernels", [TABLE_OPS] = "ops",
		[TABLE_FRAMES] = "frames",   [TABLE_RUNTIME] = "runtime",
		[TABLE_STEPS] = "steps",     [TABLE_PHASES] = "phases",
		[TABLE_THREADS] = "threads",
	};

	for (int t = 0; t < TABLE_N; t++) {
		for (size_t i = 0; i < r->table[t].n; i++) {
			const struct rule *u = &r->table[t].v[i];
			struct rule_info info = {u->file, tables[t], u->id, u->check, u->line, u->n_samples};

			fn(arg, &info);
		}
	}
}

/* ---- checking ---- */

static bool check_sample(const struct rule_list *l, const struct rule *r,
			 const struct rule_sample *s, struct rules_failure *f)
{
	const struct rule *won = rule_find(l, s->text, s->len, NULL);

	if ((won == r) != s->is_not)
		return true;
	*f = (struct rules_failure){r->file,  s->line, r->id, s->text, s->len, won ? won->id : "",
				    s->is_not};
	return false;
}

bool rules_check(const struct rules *r, void (*fail)(void *ctx, const struct rules_failure *f),
		 void *ctx, size_t *samples)
{
	struct rules_failure f;
	size_t n = 0, bad = 0;

	for (int t = 0; t < TABLE_N; t++) {
		const struct rule_list *l = &r->table[t];

		for (size_t i = 0; i < l->n; i++) {
			for (size_t j = 0; j < l->v[i].n_samples; j++, n++) {
				if (check_sample(l, &l->v[i], &l->v[i].samples[j], &f))
					continue;
				bad++;
				if (fail)
					fail(ctx, &f);
			}
		}
	}
	if (samples)
		*samples = n;
	return bad == 0;
}

/* ---- kernels ---- */

static bool holds_folded(const char *s, size_t len, const char *lower, size_t n)
{
	for (size_t i = 0; i + n <= len; i++) {
		size_t k = 0;

		while (k < n && (s[i + k] | 0x20) == lower[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

bool rules_is_nccl(const char *name, size_t len)
{
	return holds_folded(name, len, "nccl", 4) || holds_folded(name, len, "rccl", 4);
}

static void kernel_from_rule(const struct rule *u, const char *name, size_t len,
			     struct kernel_class *out)
{
	struct kernel_traits traits;

	out->class = u->class;
	out->subclass = u->subclass ? u->subclass : "";
	out->rule_id = u->id;
	if (u->class == KCLASS_UNRESOLVED || u->class == KCLASS_UNCLASSIFIED)
		return;
	kclass_traits(name, len, u->class, &traits);
	out->layout = traits.layout;
	out->dtype = traits.dtype;
	out->tensor_core = u->tensor_core == -2 ? traits.tensor_core : u->tensor_core;
	out->phase = u->phase ? u->phase : kclass_phase(name, len, u->class);
}

void rules_kernel(const struct rules *r, const char *name, size_t len, struct kernel_class *out)
{
	const struct rule *u = rule_find(&r->table[TABLE_KERNELS], name, len, NULL);

	*out = (struct kernel_class){
		.class = KCLASS_UNCLASSIFIED, .subclass = "", .tensor_core = -1, .rule_id = ""};
	if (rules_is_nccl(name, len) && (!u || u->class != KCLASS_COMMUNICATION)) {
		/* The GPU partition is defined with this test: no rule may override it. */
		out->class = KCLASS_COMMUNICATION;
		out->tensor_core = 0;
		out->rule_id = "nccl-by-definition";
	} else if (u) {
		kernel_from_rule(u, name, len, out);
	}
}

/* ---- ops and annotations ---- */

static void host_from_rule(const struct rule *u, struct host_class *out)
{
	out->l1 = u->l1;
	out->level2 = u->level2;
	out->phase = u->phase;
	out->cause = u->cause;
	out->transparent = u->flags & RULE_TRANSPARENT;
	out->owner = u->flags & RULE_OWNER;
	out->ends_owner = u->flags & RULE_ENDS_OWNER;
	out->computes = u->flags & RULE_COMPUTES;
	out->entry = u->flags & RULE_ENTRY;
	out->sync = u->l1 == L1_SYNC || (u->flags & RULE_SYNC);
	out->known = true;
	if (u->framework)
		out->framework = u->framework;
	out->library = u->library;
	out->elsewhere = u->elsewhere;
	out->alone = u->alone;
	out->cpu = u->cpu;
	out->rule_id = u->id;
}

/* What is derived of level 1. */
static void level1_fields(struct host_class *out)
{
	out->level1 = level1_name(out->l1);
	out->comm = out->l1 == L1_COMM;
	out->dataload = out->l1 == L1_DATALOAD;
}

void rules_under(struct host_class *hc, const struct class_levels *levels)
{
	if (!levels->level2)
		return;
	hc->l1 = levels->l1;
	hc->level2 = levels->level2;
	hc->sync = hc->l1 == L1_SYNC;
	level1_fields(hc);
}

/* The gap cause of a rule that does not name one. */
static const char *default_cause(const struct host_class *h, const char *scheduling)
{
	switch (h->l1) {
	case L1_DATALOAD:
		return "dataload";
	case L1_SYNC:
		return "sync";
	case L1_COMM:
		return "communication";
	case L1_DATA_MOVEMENT:
		return "copy";
	case L1_FRAMEWORK:
	case L1_COMPUTE:
	case L1_OTHER:
	case L1_N:
		break;
	}
	if (h->transparent)
		return NULL;
	return h->phase && strcmp(h->phase, "optimizer") == 0 ? "optimizer" : scheduling;
}

void rules_host_fill(const struct rule *u, const struct host_class *fallback, const char *cause,
		     struct host_class *out)
{
	*out = *fallback;
	out->rule_id = "";
	if (u)
		host_from_rule(u, out);
	if (!out->cause)
		out->cause = default_cause(out, cause);
	level1_fields(out);
}

size_t rules_op_base(const char *name, size_t len)
{
	static const char *const tails[] = {
		", op_id", ", seq", ", sizes", ", input_op_ids", ", stack_id",
	};

	for (size_t i = 0; i + 5 <= len; i++) {
		if (name[i] != ',')
			continue;
		for (size_t t = 0; t < COUNT(tails); t++) {
			size_t n = strlen(tails[t]);

			if (n <= len - i && memcmp(name + i, tails[t], n) == 0)
				return i;
		}
	}
	return len;
}

bool rules_autograd_node(const char *name, size_t len)
{
	static const char word[] = "Backward", leaf[] = "torch::autograd::AccumulateGrad";
	size_t n = rules_op_base(name, len);

	if (n == strlen(leaf) && !memcmp(name, leaf, n))
		return true;
	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n > strlen(word) && !memmem(name, n, "::", 2) && !memcmp(name + n - strlen(word), word, strlen(word));
}

void rules_op(const struct rules *r, const char *name, size_t len, struct host_class *out)
{
	static const struct host_class unknown = {
		.l1 = L1_FRAMEWORK, .level2 = "{name}", .framework = 'N'};

	rules_host_fill(rule_find(&r->table[TABLE_OPS], name, rules_op_base(name, len), NULL),
			&unknown, "launch", out);
}

/* ---- level 2 ---- */

/* What follows the last "::" or ":" before any template or argument. */
static size_t tail_start(const char *name, size_t len)
{
	size_t start = 0;

	for (size_t i = 0; i < len && name[i] != '<' && name[i] != '('; i++)
		if (name[i] == ':' && i + 1 < len)
			start = i + 1;
	while (start < len && name[start] == ' ')
		start++;
	return start;
}

struct rules_sink {
	char *buf;
	size_t size, len;
};

static void put(struct rules_sink *k, const char *s, size_t n)
{
	if (k->len < k->size) {
		size_t room = k->size - k->len;

		memcpy(k->buf + k->len, s, n < room ? n : room);
	}
	k->len += n;
}

size_t rules_level2(const char *level2, const char *name, size_t len, char *buf, size_t size)
{
	struct rules_sink k = {buf, size ? size - 1 : 0, 0};
	size_t tail;

	len = rules_op_base(name, len);
	tail = tail_start(name, len);
	while (*level2) {
		if (strncmp(level2, "{name}", 6) == 0) {
			put(&k, name, len);
			level2 += 6;
		} else if (strncmp(level2, "{tail}", 6) == 0) {
			put(&k, name + tail, len - tail);
			level2 += 6;
		} else {
			put(&k, level2++, 1);
		}
	}
	if (size)
		buf[k.len < k.size ? k.len : k.size] = '\0';
	return k.len;
}

/* ---- runtime and driver calls ---- */

static bool holds(const char *s, size_t len, const char *what)
{
	return memmem(s, len, what, strlen(what)) != NULL;
}

/* Length without one suffix, or len if there is none. */
static size_t drop_suffix(const char *s, size_t len)
{
	static const char *const words[] = {"_ptsz", "_ptds", "_spt"};
	size_t i = len;

	for (size_t w = 0; w < COUNT(words); w++)
		if (text_ends(s, len, words[w]))
			return len - strlen(words[w]);
	while (i && s[i - 1] >= '0' && s[i - 1] <= '9')
		i--;
	if (i < len && i >= 2 && s[i - 1] == 'v' && s[i - 2] == '_')
		return i - 2;
	return len;
}

size_t rules_runtime_base(const char *name, size_t len)
{
	for (size_t n; (n = drop_suffix(name, len)) != len;)
		len = n;
	return len;
}

void rules_overhead(const struct rules *r, const char *name, size_t len, struct host_class *out)
{
	rules_op(r, name, len, out);
	if (!strcmp(out->rule_id, "op-queue-full") || !strcmp(out->rule_id, "op-lazy-loading"))
		return;
	out->l1 = L1_OTHER;
	out->level1 = level1_name(L1_OTHER);
	out->level2 = "profiler overhead";
	out->cause = "profiler";
	out->sync = out->comm = out->dataload = out->transparent = false;
}

enum rt_class rules_runtime(const char *name, size_t len)
{
	len = rules_runtime_base(name, len);
	if (text_ends(name, len, "Synchronize"))
		return RT_SYNC;
	if (holds(name, len, "Launch") && !text_ends(name, len, "LaunchHostFunc"))
		return RT_LAUNCH;
	if (holds(name, len, "Memcpy") || holds(name, len, "Memset"))
		return RT_MEMCPY;
	return RT_OTHER;
}

void rules_runtime_class(const struct rules *r, const char *name, size_t len,
			 struct runtime_class *out)
{
	const struct rule *u =
		rule_find(&r->table[TABLE_RUNTIME], name, rules_runtime_base(name, len), NULL);

	*out = (struct runtime_class){
		.rt = rules_runtime(name, len),
		.l1 = u ? u->l1 : L1_FRAMEWORK,
		.level2 = u ? u->level2 : "runtime call ({name})",
		.cause = u ? u->cause : NULL,
		.category = u && u->category ? u->category : "other",
		.blocks = u && (u->flags & RULE_BLOCKS),
		.known = u != NULL,
		.rule_id = u ? u->id : "",
	};
	out->level1 = level1_name(out->l1);
}

/* ---- steps, phases, threads ---- */

static int64_t parse_number(const char *s, size_t len)
{
	int64_t v = 0;

	for (size_t i = 0; i < len; i++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, s[i] - '0', &v))
			return -1;
	return len ? v : -1;
}

static bool find_step(const struct rules *r, const char *name, size_t len, bool micro,
		      struct step_name *out)
{
	struct glob_number num = {0, 0};
	const struct rule *u = rule_find(&r->table[TABLE_STEPS], name, len, &num);

	if (!u || (u->flags & RULE_NEVER) || micro != ((u->flags & RULE_MICROBATCH) != 0))
		return false;
	*out = (struct step_name){.head = name,
				  .head_len = len,
				  .tail = name + len,
				  .tail_len = 0,
				  .number = -1,
				  .rule_id = u->id};
	if (num.len == 0)
		return true;
	out->head_len = num.pos;
	out->tail = name + num.pos + num.len;
	out->tail_len = len - num.pos - num.len;
	out->number = parse_number(name + num.pos, num.len);
	return true;
}

bool rules_step_name(const struct rules *r, const char *name, size_t len, struct step_name *out)
{
	return find_step(r, name, len, false, out);
}

bool rules_microbatch_name(const struct rules *r, const char *name, size_t len,
			   struct step_name *out)
{
	return find_step(r, name, len, true, out);
}

bool step_name_same_family(const struct step_name *a, const struct step_name *b)
{
	return a->head_len == b->head_len && a->tail_len == b->tail_len &&
	       (a->number < 0) == (b->number < 0) && memcmp(a->head, b->head, a->head_len) == 0 &&
	       memcmp(a->tail, b->tail, a->tail_len) == 0;
}

const char *rules_phase_marker(const struct rules *r, const char *name, size_t len)
{
	const struct rule *u = rule_find(&r->table[TABLE_PHASES], name, len, NULL);

	return u && !(u->flags & RULE_NEVER) ? u->phase : NULL;
}

const char *rules_thread_role(const struct rules *r, const char *name, size_t len)
{
	const struct rule *u = rule_find(&r->table[TABLE_THREADS], name, len, NULL);

	return u ? u->role : NULL;
}
