/* objects.c - see objects.h */
#include "load/memory/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/mem.h"

/* ---- words of a snapshot ------------------------------------------------------------------ */

/* clang-format off */
#define WORDS(W)											\
	W(ACTION, "action") W(ADDR, "addr") W(SIZE, "size") W(STREAM, "stream") W(TIME, "time_us")	\
	W(FRAMES, "frames") W(DEVICE_FREE, "device_free")						\
	W(DEVICE, "device") W(ADDRESS, "address") W(TOTAL, "total_size")				\
	W(ALLOCATED, "allocated_size") W(ACTIVE_SIZE, "active_size") W(REQUESTED, "requested_size")	\
	W(TYPE, "segment_type") W(POOL, "segment_pool_id") W(EXPANDABLE, "is_expandable")		\
	W(BLOCKS, "blocks") W(STATE, "state") W(NAME, "name") W(FILENAME, "filename") W(LINE, "line")	\
	W(STAGE, "stage") W(SEGMENTS, "segments") W(TRACES, "device_traces")				\
	W(SETTINGS, "allocator_settings") W(ANNOTATIONS, "external_annotations")			\
	W(KEYS_END, "")											\
	W(ALLOC, "alloc") W(FREE_REQUESTED, "free_requested") W(FREE_COMPLETED, "free_completed")	\
	W(SEGMENT_ALLOC, "segment_alloc") W(SEGMENT_FREE, "segment_free")				\
	W(SEGMENT_MAP, "segment_map") W(SEGMENT_UNMAP, "segment_unmap") W(SNAPSHOT, "snapshot")		\
	W(OOM, "oom")											\
	W(ACTIVE, "active_allocated") W(AWAITING, "active_awaiting_free")				\
	W(PENDING, "active_pending_free") W(INACTIVE, "inactive")					\
	W(SMALL, "small") W(LARGE, "large") W(START, "START") W(END, "END")
/* clang-format on */
#define W(id, text) W_##id,
enum objects_word { W_NONE, WORDS(W) W_N };
#undef W

void objects_init(struct objects *o, struct builder *b)
{
	static const char *const words[W_N] = {
#define W(id, text) [W_##id] = text,
		WORDS(W)
#undef W
	};

	*o = (struct objects){ .b = b, .segments = ID_NONE, .traces = ID_NONE };
	for (unsigned w = 1; w < W_N; w++) {
		str_id id = builder_intern(b, words[w], strlen(words[w]));

		if (id >= o->n_word_of) {
			o->word_of = xrealloc(o->word_of, id + 1);
			memset(o->word_of + o->n_word_of, W_NONE, id + 1 - o->n_word_of);
			o->n_word_of = id + 1;
		}
		o->word_of[id] = (uint8_t)w;
	}
}

void objects_fini(struct objects *o)
{
	free(o->word_of);
	VEC_FREE(&o->dicts);
	VEC_FREE(&o->lists);
	VEC_FREE(&o->children);
}

static enum objects_word word_of(const struct objects *o, const struct value *v)
{
	return v && v->kind == VALUE_TEXT && v->v < o->n_word_of ? (enum objects_word)o->word_of[v->v] : W_NONE;
}

/* ---- dicts and lists ---------------------------------------------------------------------- */

/* What a dict is; of a list, what its items are. The records of one role are numbered as they are made. */
enum objects_role { ROLE_UNKNOWN, ROLE_FRAME, ROLE_ENTRY, ROLE_BLOCK, ROLE_SEGMENT, ROLE_MARK, ROLE_LIST, ROLE_OTHER, ROLE_ROOT, ROLE_N };
#define DICT(role, record) ((uint32_t)(role) << 28 | (record))
#define DICT_ROLE(d) ((enum objects_role)((d) >> 28))
#define DICT_RECORD(d) ((d) & (RECORD_MAX - 1))
#define RECORD_MAX (UINT32_C(1) << 28)

str_id objects_text(struct objects *o, const void *s, size_t n)
{
	str_id id = builder_intern(o->b, s, n);

	if (id >= o->n_texts) {
		o->n_texts = id + 1;
		o->held += n + 4 * sizeof(uint64_t);
	}
	return id;
}

uint32_t objects_list(struct objects *o)
{
	VEC_PUSH(&o->lists, (struct object_list){ ROLE_UNKNOWN, 0, 0 });
	o->held += sizeof(struct object_list);
	return (uint32_t)o->lists.n - 1;
}

uint32_t objects_dict(struct objects *o)
{
	VEC_PUSH(&o->dicts, DICT(ROLE_UNKNOWN, 0));
	o->held += sizeof(uint32_t);
	return (uint32_t)o->dicts.n - 1;
}

uint64_t tuple_of(const struct value *items, size_t n)
{
	if (n != 2 || items[0].kind != VALUE_INT || items[1].kind != VALUE_INT || items[0].v > INT32_MAX || items[1].v > INT32_MAX)
		return UINT64_MAX;
	return items[0].v << 32 | items[1].v;
}

static bool wrong(struct objects *o, const char *why)
{
	o->wrong = why;
	return false;
}

static void lose(struct objects *o, const char *what)
{
	builder_damage(o->b, what, o->at, 1);
}

/* Records of a list follow each other: what does not is in two lists, or was put there later than it was made. */
static bool append_record(struct objects *o, struct object_list *l, uint32_t record)
{
	if (!l->n)
		l->first = record;
	if (record != l->first + l->n)
		return wrong(o, N_("an object that stands in two lists"));
	l->n++;
	return true;
}

static bool append_frame(struct objects *o, struct object_list *l, uint32_t frame)
{
	if (!l->n)
		l->first = builder_memory_stack(o->b);
	else if (l->first + 1 != builder_memory_stacks(o->b))
		return wrong(o, N_("a list of frames that grows after the next one began"));
	builder_memory_stack_frame(o->b, frame);
	l->n++;
	o->held += sizeof(uint32_t) + (l->n == 1 ? sizeof(struct memory_stack) : 0);
	return true;
}

static bool append_list(struct objects *o, struct object_list *l, uint32_t child)
{
	if (!append_record(o, l, (uint32_t)o->children.n))
		return false;
	VEC_PUSH(&o->children, child);
	o->held += sizeof(uint32_t);
	return true;
}

static enum objects_role role_of_item(const struct objects *o, const struct value *v)
{
	if (v->kind == VALUE_LIST)
		return ROLE_LIST;
	return v->kind == VALUE_DICT ? DICT_ROLE(o->dicts.a[v->v]) : ROLE_OTHER;
}

static bool append_item(struct objects *o, uint32_t list, const struct value *v)
{
	struct object_list *l = &o->lists.a[list];
	enum objects_role role = role_of_item(o, v);

	if (v->kind == VALUE_LIST && v->v == list)
		return wrong(o, N_("a list that contains itself"));
	if (role == ROLE_OTHER && (l->role == ROLE_UNKNOWN || l->role == ROLE_OTHER)) {
		l->role = ROLE_OTHER;	/* of no interest */
		return true;
	}
	if (l->role == ROLE_UNKNOWN)
		l->role = role;
	if (role != l->role || role == ROLE_UNKNOWN || role == ROLE_ROOT) {
		lose(o, N_("items of lists that are not what the others are"));
		return true;
	}
	if (role == ROLE_FRAME)
		return append_frame(o, l, DICT_RECORD(o->dicts.a[v->v]));
	return role == ROLE_LIST ? append_list(o, l, (uint32_t)v->v) : append_record(o, l, DICT_RECORD(o->dicts.a[v->v]));
}

bool objects_append(struct objects *o, uint32_t list, const struct value *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!append_item(o, list, &items[i]))
			return false;
	return true;
}

/* ---- values of keys ----------------------------------------------------------------------- */

struct fields {
	const struct value *of[W_KEYS_END];	/* by key; NULL: the dict does not have it */
};

static int64_t number(struct objects *o, const struct value *v)
{
	if (!v || v->kind == VALUE_NONE)
		return I64_UNKNOWN;
	if (v->kind == VALUE_INT && (int64_t)v->v != I64_UNKNOWN)
		return (int64_t)v->v;
	lose(o, N_("values of another type than they should be"));
	return I64_UNKNOWN;
}

static int64_t number_or(struct objects *o, const struct value *v, int64_t otherwise)
{
	int64_t n = number(o, v);

	return n == I64_UNKNOWN ? otherwise : n;
}

static str_id text(struct objects *o, const struct value *v)
{
	if (!v || v->kind == VALUE_NONE)
		return ID_NONE;
	if (v->kind == VALUE_TEXT)
		return (str_id)v->v;
	lose(o, N_("values of another type than they should be"));
	return ID_NONE;
}

static ns_t time_of(struct objects *o, const struct value *v)
{
	int64_t us = number(o, v);

	if (us == I64_UNKNOWN)
		return NS_UNKNOWN;
	return us > -NS_LIMIT / 1000 && us < NS_LIMIT / 1000 ? us * 1000 : NS_LIMIT;	/* which the builder refuses, and counts */
}

static uint32_t stack(struct objects *o, const struct value *v)
{
	const struct object_list *l = v && v->kind == VALUE_LIST ? &o->lists.a[v->v] : NULL;

	if (!v || v->kind == VALUE_NONE || (l && l->role == ROLE_UNKNOWN))
		return ID_NONE;
	if (l && l->role == ROLE_FRAME)
		return l->first;
	lose(o, N_("values of another type than they should be"));
	return ID_NONE;
}

/* ---- records ------------------------------------------------------------------------------ */

static uint32_t make_frame(struct objects *o, const struct fields *f)
{
	o->held += sizeof(struct memory_frame) + 2 * sizeof(struct map_slot);
	return builder_memory_frame(o->b, text(o, f->of[W_NAME]), text(o, f->of[W_FILENAME]), number(o, f->of[W_LINE]));
}

static enum memory_action action_of(enum objects_word w)
{
	static const uint8_t actions[W_N] = {
		[W_ALLOC] = MEMORY_ALLOC + 1, [W_FREE_REQUESTED] = MEMORY_FREE_REQUESTED + 1,
		[W_FREE_COMPLETED] = MEMORY_FREE_COMPLETED + 1, [W_SEGMENT_ALLOC] = MEMORY_SEGMENT_ALLOC + 1,
		[W_SEGMENT_FREE] = MEMORY_SEGMENT_FREE + 1, [W_SEGMENT_MAP] = MEMORY_SEGMENT_MAP + 1,
		[W_SEGMENT_UNMAP] = MEMORY_SEGMENT_UNMAP + 1, [W_SNAPSHOT] = MEMORY_SNAPSHOT + 1, [W_OOM] = MEMORY_OOM + 1,
	};

	return actions[w] ? (enum memory_action)(actions[w] - 1) : MEMORY_OTHER;
}

static uint32_t make_entry(struct objects *o, const struct fields *f)
{
	struct memory_entry e = { .time = time_of(o, f->of[W_TIME]), .bytes = number(o, f->of[W_SIZE]),
		.address = (uint64_t)number_or(o, f->of[W_ADDR], 0), .stream = (uint64_t)number_or(o, f->of[W_STREAM], 0),
		.stack = stack(o, f->of[W_FRAMES]), .action = action_of(word_of(o, f->of[W_ACTION])) };

	if (e.action == MEMORY_OOM)
		e.address = (uint64_t)number_or(o, f->of[W_DEVICE_FREE], I64_UNKNOWN);
	else if (e.action <= MEMORY_SEGMENT_UNMAP && (!f->of[W_ADDR] || !f->of[W_SIZE]))
		lose(o, N_("allocations without their address or size"));
	o->held += sizeof(e);
	o->entries++;
	o->records++;
	return builder_memory_entry(o->b, &e);
}

static enum block_state state_of(enum objects_word w)
{
	switch (w) {
	case W_ACTIVE:
		return BLOCK_ACTIVE;
	case W_AWAITING:
	case W_PENDING:
		return BLOCK_AWAITING_FREE;
	case W_INACTIVE:
		return BLOCK_INACTIVE;
	default:
		return BLOCK_OTHER;
	}
}

static uint32_t make_block(struct objects *o, const struct fields *f)
{
	struct memory_block k = { .address = (uint64_t)number_or(o, f->of[W_ADDRESS], 0), .bytes = number(o, f->of[W_SIZE]),
		.requested = number(o, f->of[W_REQUESTED]), .stack = stack(o, f->of[W_FRAMES]), .state = state_of(word_of(o, f->of[W_STATE])) };

	o->held += sizeof(k);
	return builder_memory_block(o->b, &k);
}

/* Blocks of a segment whose list is another one's, or was owned before, are left out. */
static void own_blocks(struct objects *o, struct memory_segment *s, const struct value *v)
{
	const struct object_list *l = v && v->kind == VALUE_LIST ? &o->lists.a[v->v] : NULL;

	if (!l || l->role == ROLE_UNKNOWN)
		return;
	if (l->role != ROLE_BLOCK || l->first < o->blocks_owned) {
		lose(o, N_("blocks that belong to two segments"));
		return;
	}
	s->first_block = l->first;
	s->n_blocks = l->n;
	o->blocks_owned = l->first + l->n;
}

static uint8_t flag(const struct value *v)
{
	return v && v->kind == VALUE_BOOL ? (uint8_t)v->v : 2;
}

static uint32_t make_segment(struct objects *o, const struct fields *f)
{
	const struct value *pool = f->of[W_POOL];
	enum objects_word type = word_of(o, f->of[W_TYPE]);
	struct memory_segment s = { .address = (uint64_t)number_or(o, f->of[W_ADDRESS], 0), .total = number(o, f->of[W_TOTAL]),
		.allocated = number(o, f->of[W_ALLOCATED]), .active = number(o, f->of[W_ACTIVE_SIZE]),
		.requested = number(o, f->of[W_REQUESTED]), .stream = (uint64_t)number_or(o, f->of[W_STREAM], 0), .pool = -1, .pool_more = -1,
		.device = number_or(o, f->of[W_DEVICE], -1), .first_block = o->blocks_owned, .stack = stack(o, f->of[W_FRAMES]),
		.large = type == W_LARGE ? 1 : type == W_SMALL ? 0 : 2, .expandable = flag(f->of[W_EXPANDABLE]) };

	if (pool && pool->kind == VALUE_TUPLE && pool->v != UINT64_MAX) {
		s.pool = (int64_t)(pool->v >> 32);
		s.pool_more = (int64_t)(pool->v & UINT32_MAX);
	}
	own_blocks(o, &s, f->of[W_BLOCKS]);
	o->records++;
	o->held += sizeof(s);
	return builder_memory_segment(o->b, &s);
}

static uint32_t make_mark(struct objects *o, const struct fields *f)
{
	struct memory_mark m = { .time = time_of(o, f->of[W_TIME]), .device = number_or(o, f->of[W_DEVICE], -1),
		.name = text(o, f->of[W_NAME]), .end = word_of(o, f->of[W_STAGE]) == W_END };

	o->held += sizeof(m);
	return builder_memory_mark(o->b, &m);
}

/* ---- dicts -------------------------------------------------------------------------------- */

/* The scalars of a dict that is no record of ours, as options of the source: the settings of the allocator are such a dict. */
static void tell_option(struct objects *o, const struct value *key, const struct value *v)
{
	char name[64], buf[32];
	size_t n;
	const char *s = builder_str(o->b, (str_id)key->v, &n);
	union { uint64_t u; double f; } x = { .u = v->v };

	if (n >= sizeof(name) || memchr(s, 0, n))
		return;
	memcpy(name, s, n);
	name[n] = '\0';
	if (v->kind == VALUE_TEXT && builder_str(o->b, (str_id)v->v, &n) && n)
		builder_option_id(o->b, name, (str_id)v->v);
	else if (v->kind == VALUE_BOOL)
		builder_option(o->b, name, v->v ? "1" : "0");
	else if (v->kind == VALUE_INT && snprintf(buf, sizeof(buf), "%" PRId64, (int64_t)v->v) > 0)
		builder_option(o->b, name, buf);
	else if (v->kind == VALUE_FLOAT && snprintf(buf, sizeof(buf), "%.6g", x.f) > 0)
		builder_option(o->b, name, buf);
}

/* Of the many settings those that change what an allocator does: told while the dict of them is made. */
static void tell_settings(struct objects *o, const struct value *pairs, size_t n_pairs)
{
	static const char *const shown[] = {
		"PYTORCH_CUDA_ALLOC_CONF", "max_split_size", "garbage_collection_threshold", "expandable_segments",
	};

	for (size_t i = 0; i < n_pairs; i++) {
		size_t n;
		const char *s = pairs[2 * i].kind == VALUE_TEXT ? builder_str(o->b, (str_id)pairs[2 * i].v, &n) : NULL;

		for (size_t k = 0; s && k < sizeof(shown) / sizeof(*shown); k++)
			if (strlen(shown[k]) == n && memcmp(shown[k], s, n) == 0) {
				tell_option(o, &pairs[2 * i], &pairs[2 * i + 1]);
				break;
			}
	}
}

static bool list_of(const struct objects *o, const struct value *v, enum objects_role role)
{
	return v && v->kind == VALUE_LIST && (o->lists.a[v->v].role == role || o->lists.a[v->v].role == ROLE_UNKNOWN);
}

static void set_root(struct objects *o, const struct fields *f)
{
	if (list_of(o, f->of[W_SEGMENTS], ROLE_SEGMENT))
		o->segments = (uint32_t)f->of[W_SEGMENTS]->v;
	else if (f->of[W_SEGMENTS])
		lose(o, N_("values of another type than they should be"));
	if (list_of(o, f->of[W_TRACES], ROLE_LIST))
		o->traces = (uint32_t)f->of[W_TRACES]->v;
	else if (f->of[W_TRACES])
		lose(o, N_("values of another type than they should be"));
}

static enum objects_role role_of(const struct fields *f)
{
	static const struct {
		uint8_t key, role;
	} tells[] = {
		{ W_ACTION, ROLE_ENTRY }, { W_BLOCKS, ROLE_SEGMENT }, { W_TOTAL, ROLE_SEGMENT }, { W_STATE, ROLE_BLOCK }, { W_STAGE, ROLE_MARK },
		{ W_FILENAME, ROLE_FRAME }, { W_SEGMENTS, ROLE_ROOT }, { W_TRACES, ROLE_ROOT }, { W_SETTINGS, ROLE_ROOT },
		{ W_ANNOTATIONS, ROLE_ROOT },
	};

	for (size_t i = 0; i < sizeof(tells) / sizeof(*tells); i++)
		if (f->of[tells[i].key])
			return (enum objects_role)tells[i].role;
	return ROLE_OTHER;
}

static uint32_t make_record(struct objects *o, enum objects_role role, const struct fields *f)
{
	switch (role) {
	case ROLE_FRAME:
		return make_frame(o, f);
	case ROLE_ENTRY:
		return make_entry(o, f);
	case ROLE_BLOCK:
		return make_block(o, f);
	case ROLE_SEGMENT:
		return make_segment(o, f);
	default:
		return make_mark(o, f);
	}
}

bool objects_set(struct objects *o, uint32_t dict, const struct value *pairs, size_t n_pairs)
{
	enum objects_role had = DICT_ROLE(o->dicts.a[dict]), role;
	struct fields f = { { NULL } };
	uint32_t record = 0;

	for (size_t i = 0; i < n_pairs; i++) {
		enum objects_word w = word_of(o, &pairs[2 * i]);

		if (pairs[2 * i + 1].kind == VALUE_DICT && pairs[2 * i + 1].v == dict)
			return wrong(o, N_("a dict that contains itself"));
		if (w != W_NONE && w < W_KEYS_END)
			f.of[w] = &pairs[2 * i + 1];
	}
	role = role_of(&f);
	if (had != ROLE_UNKNOWN && had != ROLE_OTHER && had != ROLE_ROOT) {
		lose(o, N_("keys of objects that were complete"));
		return true;
	}
	if (role == ROLE_ROOT)
		set_root(o, &f);
	else if (role == ROLE_OTHER)
		tell_settings(o, pairs, n_pairs);
	else if ((record = make_record(o, role, &f)) >= RECORD_MAX)
		return wrong(o, N_("more objects than can be counted"));
	o->dicts.a[dict] = DICT(role, record);
	return true;
}

/* ---- the end ------------------------------------------------------------------------------ */

static uint32_t make_series(struct objects *o)
{
	const struct object_list *all = o->traces == ID_NONE ? NULL : &o->lists.a[o->traces];
	uint32_t told = 0;

	for (uint32_t i = 0; all && all->role == ROLE_LIST && i < all->n; i++) {
		const struct object_list *l = &o->lists.a[o->children.a[all->first + i]];

		if (l->role == ROLE_UNKNOWN)
			continue;	/* a device of which nothing was recorded */
		if (l->role != ROLE_ENTRY || l->first < told) {
			lose(o, N_("items of lists that are not what the others are"));
			continue;
		}
		builder_memory_series(o->b, i, false, l->first, l->n);
		told = l->first + l->n;
	}
	return told;
}

bool objects_done(struct objects *o)
{
	const struct object_list *segments = o->segments == ID_NONE ? NULL : &o->lists.a[o->segments];
	uint32_t n_segments = segments && segments->role == ROLE_SEGMENT ? segments->n : 0, told = make_series(o);

	if (told < o->entries)
		builder_damage(o->b, N_("entries that belong to no device"), -1, o->entries - told);
	builder_content(o->b, "segments", 8, n_segments);
	builder_content(o->b, "entries", 7, told);
	builder_memory_done(o->b);
	return o->segments != ID_NONE || o->traces != ID_NONE;
}
