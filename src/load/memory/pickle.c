/* pickle.c - see pickle.h */
#include "load/memory/pickle.h"

#include <string.h>

#include "base/fileio.h"
#include "base/i18n.h"

enum {
	PIECE = 1 << 18,
	TEXT_MAX = 1 << 16,		/* longer texts are cut: no name is as long */
	MARKS_MAX = 32,			/* a snapshot nests 8 lists and dicts */
	HELD_SLACK = 1 << 20,
};

struct machine {
	struct objects *o;
	struct file_src *src;
	struct job *job;
	struct err *e;
	unsigned char *buf;
	size_t n, pos;			/* bytes in buf; those that were used */
	int64_t base;			/* of buf[0] in the file */
	int64_t told;
	VEC(struct value) stack;
	VEC(uint64_t) memo;		/* memo_pack() */
	size_t stack_most;
	unsigned marks;
	bool ended;			/* the file */
	bool stopped;
	struct pickle_result r;
};

/* ---- bytes -------------------------------------------------------------------------------- */

static int64_t offset(const struct machine *m)
{
	return m->base + (int64_t)m->pos;
}

static bool end(struct machine *m, enum pickle_end how, const char *what)
{
	m->r.end = how;
	m->r.what = what;
	m->r.at = m->o->at;
	return false;
}

static bool broken(struct machine *m, const char *what)
{
	return end(m, PICKLE_BROKEN, what);
}

static void tell_job(struct machine *m)
{
	int64_t done = file_src_done(m->src);

	if (m->job && done > m->told)
		job_add(m->job, (uint64_t)(done - m->told), 0);
	m->told = done > m->told ? done : m->told;
}

static bool refill(struct machine *m)
{
	size_t got;

	memmove(m->buf, m->buf + m->pos, m->n - m->pos);
	m->base += (int64_t)m->pos;
	m->n -= m->pos;
	m->pos = 0;
	if (!file_src_read(m->src, m->buf + m->n, PIECE - m->n, &got, m->e))
		return end(m, PICKLE_FAILED, NULL);
	m->ended = !got;
	m->n += got;
	tell_job(m);
	if (job_cancelled(m->job))
		return err_set(m->e, ERR_CANCELLED, "cancelled") || end(m, PICKLE_FAILED, NULL);
	return true;
}

/* The next n bytes, at most half a piece; NULL: there are not so many. */
static const unsigned char *take(struct machine *m, size_t n)
{
	while (m->n - m->pos < n && !m->ended)
		if (!refill(m))
			return NULL;
	if (m->n - m->pos < n) {
		end(m, PICKLE_CUT, NULL);
		return NULL;
	}
	m->pos += n;
	return m->buf + m->pos - n;
}

static bool skip(struct machine *m, uint64_t n)
{
	while (n) {
		size_t part = n < PIECE / 2 ? (size_t)n : PIECE / 2;

		if (!take(m, part))
			return false;
		n -= part;
	}
	return true;
}

static bool take_number(struct machine *m, size_t n_bytes, uint64_t *v)
{
	const unsigned char *p = take(m, n_bytes);

	*v = 0;
	for (size_t i = 0; p && i < n_bytes; i++)
		*v |= (uint64_t)p[i] << 8 * i;
	return p != NULL;
}

/* ---- stack -------------------------------------------------------------------------------- */

static bool push(struct machine *m, enum value_kind kind, uint64_t v)
{
	VEC_PUSH(&m->stack, (struct value){ v, kind });
	if (m->stack.n > m->stack_most) {
		m->stack_most = m->stack.n;
		m->o->held += sizeof(struct value);
	}
	return true;
}

/* The topmost n values, all above the last mark; NULL: there are not so many. */
static struct value *top(struct machine *m, size_t n)
{
	if (m->stack.n < n)
		return NULL;
	for (size_t i = m->stack.n - n; i < m->stack.n; i++)
		if (m->stack.a[i].kind == VALUE_MARK)
			return NULL;
	return m->stack.a + m->stack.n - n;
}

/* The index of the value above the last mark; 0: there is none. */
static size_t above_mark(const struct machine *m)
{
	size_t i = m->stack.n;

	while (i && m->stack.a[i - 1].kind != VALUE_MARK)
		i--;
	return i;
}

static const char no_mark[] = N_("an operation that needs more values than there are");

static bool objects_wrong(struct machine *m, bool ok)
{
	return ok || broken(m, m->o->wrong);
}

/* Puts the values from `first` on into the list or dict below them, and takes them off, and the mark where there is one. */
static bool put_into(struct machine *m, size_t first, size_t mark, enum value_kind kind)
{
	size_t n = m->stack.n - first, below = first - mark;
	const struct value *to = below ? &m->stack.a[below - 1] : NULL, *items = m->stack.a + first;

	if (!to || to->kind != kind)
		return broken(m, N_("an operation on a value of another type"));
	if (kind == VALUE_DICT && n % 2)
		return broken(m, N_("a key without a value"));
	if (!objects_wrong(m, kind == VALUE_LIST ? objects_append(m->o, (uint32_t)to->v, items, n) :
		objects_set(m->o, (uint32_t)to->v, items, n / 2)))
		return false;
	m->stack.n = below;
	m->marks -= (unsigned)mark;
	return true;
}

/* ---- memo --------------------------------------------------------------------------------- */

enum { MEMO_KIND_SHIFT = 60 };
#define MEMO_NONE UINT64_MAX

/* In one word: kind above, the rest below. What needs more, large and negative numbers, pickle does not memoise. */
static uint64_t memo_pack(const struct value *v)
{
	if (v->v >> MEMO_KIND_SHIFT)
		return (uint64_t)VALUE_OPAQUE << MEMO_KIND_SHIFT;
	return (uint64_t)v->kind << MEMO_KIND_SHIFT | v->v;
}

static bool memo_put(struct machine *m, uint64_t index)
{
	const struct value *v = top(m, 1);
	uint64_t want;

	if (!v)
		return broken(m, no_mark);
	want = index < m->memo.n ? 0 : (index - m->memo.n + 1) * sizeof(uint64_t);
	if (index > UINT32_MAX || m->o->held + want > 2 * (uint64_t)offset(m) + HELD_SLACK)
		return broken(m, N_("a memo that is larger than the file"));
	m->o->held += want;
	while (m->memo.n <= index)
		VEC_PUSH(&m->memo, MEMO_NONE);
	m->memo.a[index] = memo_pack(v);
	return true;
}

static bool memo_get(struct machine *m, uint64_t index)
{
	if (index >= m->memo.n || m->memo.a[index] == MEMO_NONE)
		return broken(m, N_("a reference to an object that does not exist"));
	return push(m, (enum value_kind)(m->memo.a[index] >> MEMO_KIND_SHIFT), m->memo.a[index] & ((UINT64_C(1) << MEMO_KIND_SHIFT) - 1));
}

/* ---- operations --------------------------------------------------------------------------- */

/* An operation with its argument: of most a number of `arg` bytes. False: m->r says why the machine ends. */
typedef bool (*op_fn)(struct machine *m, uint64_t v);

static bool op_proto(struct machine *m, uint64_t v)
{
	return (v >= 2 && v <= 5) || broken(m, N_("a pickle of an unknown protocol"));
}

static bool op_nothing(struct machine *m, uint64_t v)
{
	(void)m;
	(void)v;
	return true;
}

static bool op_stop(struct machine *m, uint64_t v)
{
	(void)v;
	m->stopped = true;
	return m->stack.n == 1 || broken(m, N_("a pickle that ends inside an object"));
}

static bool op_none(struct machine *m, uint64_t v)
{
	(void)v;
	return push(m, VALUE_NONE, 0);
}

static bool op_true(struct machine *m, uint64_t v)
{
	(void)v;
	return push(m, VALUE_BOOL, 1);
}

static bool op_false(struct machine *m, uint64_t v)
{
	(void)v;
	return push(m, VALUE_BOOL, 0);
}

static bool op_unsigned(struct machine *m, uint64_t v)
{
	return push(m, VALUE_INT, v);
}

static bool op_int(struct machine *m, uint64_t v)
{
	return push(m, VALUE_INT, (uint64_t)(int64_t)(int32_t)(uint32_t)v);
}

static bool op_long(struct machine *m, uint64_t n)
{
	uint64_t v;

	if (n > 8)
		return skip(m, n) && push(m, VALUE_OPAQUE, 0);
	if (!take_number(m, (size_t)n, &v))
		return false;
	if (n && n < 8 && v >> (8 * n - 1))
		v |= UINT64_MAX << 8 * n;
	return push(m, VALUE_INT, v);
}

/* Little endian as it came; the file has it the other way round. */
static bool op_float(struct machine *m, uint64_t v)
{
	return push(m, VALUE_FLOAT, __builtin_bswap64(v));
}

static bool op_text(struct machine *m, uint64_t n)
{
	size_t kept = n < TEXT_MAX ? (size_t)n : TEXT_MAX;
	const unsigned char *p = take(m, kept);
	str_id id;

	if (!p)
		return false;
	id = objects_text(m->o, p, kept);
	if (n > kept)
		builder_damage(m->o->b, N_("texts of more than 64 KiB, which are cut"), m->o->at, 1);
	return skip(m, n - kept) && push(m, VALUE_TEXT, id);
}

static bool op_bytes(struct machine *m, uint64_t n)
{
	return skip(m, n) && push(m, VALUE_OPAQUE, 0);
}

static bool op_list(struct machine *m, uint64_t v)
{
	(void)v;
	return push(m, VALUE_LIST, objects_list(m->o));
}

static bool op_dict(struct machine *m, uint64_t v)
{
	(void)v;
	return push(m, VALUE_DICT, objects_dict(m->o));
}

static bool op_mark(struct machine *m, uint64_t v)
{
	(void)v;
	if (m->marks == MARKS_MAX)
		return broken(m, N_("lists and dicts that are nested too deep"));
	m->marks++;
	return push(m, VALUE_MARK, 0);
}

/* The topmost n values become a tuple. */
static bool tuple(struct machine *m, size_t n, size_t mark)
{
	const struct value *items = n ? top(m, n) : NULL;
	uint64_t v;

	if (n && !items)
		return broken(m, no_mark);
	v = tuple_of(items, n);
	m->stack.n -= n + mark;
	m->marks -= (unsigned)mark;
	return push(m, VALUE_TUPLE, v);
}

static bool op_tuple0(struct machine *m, uint64_t v)
{
	(void)v;
	return tuple(m, 0, 0);
}

static bool op_tuple1(struct machine *m, uint64_t v)
{
	(void)v;
	return tuple(m, 1, 0);
}

static bool op_tuple2(struct machine *m, uint64_t v)
{
	(void)v;
	return tuple(m, 2, 0);
}

static bool op_tuple3(struct machine *m, uint64_t v)
{
	(void)v;
	return tuple(m, 3, 0);
}

static bool op_tuple(struct machine *m, uint64_t v)
{
	size_t first = above_mark(m);

	(void)v;
	return first ? tuple(m, m->stack.n - first, 1) : broken(m, no_mark);
}

static bool op_append(struct machine *m, uint64_t v)
{
	(void)v;
	return top(m, 2) ? put_into(m, m->stack.n - 1, 0, VALUE_LIST) : broken(m, no_mark);
}

static bool op_setitem(struct machine *m, uint64_t v)
{
	(void)v;
	return top(m, 3) ? put_into(m, m->stack.n - 2, 0, VALUE_DICT) : broken(m, no_mark);
}

static bool op_appends(struct machine *m, uint64_t v)
{
	size_t first = above_mark(m);

	(void)v;
	return first ? put_into(m, first, 1, VALUE_LIST) : broken(m, no_mark);
}

static bool op_setitems(struct machine *m, uint64_t v)
{
	size_t first = above_mark(m);

	(void)v;
	return first ? put_into(m, first, 1, VALUE_DICT) : broken(m, no_mark);
}

static bool op_memoize(struct machine *m, uint64_t v)
{
	(void)v;
	return memo_put(m, m->memo.n);
}

static const struct opcode {
	const char *name;
	uint8_t arg;		/* bytes of its number */
	op_fn fn;		/* NULL: refused, it could run code */
} opcodes[256] = {
	[0x80] = { "PROTO", 1, op_proto }, [0x95] = { "FRAME", 8, op_nothing }, ['.'] = { "STOP", 0, op_stop },
	['N'] = { "NONE", 0, op_none }, [0x88] = { "NEWTRUE", 0, op_true }, [0x89] = { "NEWFALSE", 0, op_false },
	['K'] = { "BININT1", 1, op_unsigned }, ['M'] = { "BININT2", 2, op_unsigned }, ['J'] = { "BININT", 4, op_int },
	[0x8a] = { "LONG1", 1, op_long }, [0x8b] = { "LONG4", 4, op_long }, ['G'] = { "BINFLOAT", 8, op_float },
	[0x8c] = { "SHORT_BINUNICODE", 1, op_text }, ['X'] = { "BINUNICODE", 4, op_text }, [0x8d] = { "BINUNICODE8", 8, op_text },
	['C'] = { "SHORT_BINBYTES", 1, op_bytes }, ['B'] = { "BINBYTES", 4, op_bytes },
	[']'] = { "EMPTY_LIST", 0, op_list }, ['}'] = { "EMPTY_DICT", 0, op_dict }, ['('] = { "MARK", 0, op_mark },
	[')'] = { "EMPTY_TUPLE", 0, op_tuple0 }, [0x85] = { "TUPLE1", 0, op_tuple1 }, [0x86] = { "TUPLE2", 0, op_tuple2 },
	[0x87] = { "TUPLE3", 0, op_tuple3 }, ['t'] = { "TUPLE", 0, op_tuple },
	['a'] = { "APPEND", 0, op_append }, ['e'] = { "APPENDS", 0, op_appends },
	['s'] = { "SETITEM", 0, op_setitem }, ['u'] = { "SETITEMS", 0, op_setitems },
	['h'] = { "BINGET", 1, memo_get }, ['j'] = { "LONG_BINGET", 4, memo_get }, [0x94] = { "MEMOIZE", 0, op_memoize },
	['q'] = { "BINPUT", 1, memo_put }, ['r'] = { "LONG_BINPUT", 4, memo_put },
	['c'] = { "GLOBAL", 0, NULL }, [0x93] = { "STACK_GLOBAL", 0, NULL }, ['R'] = { "REDUCE", 0, NULL }, ['b'] = { "BUILD", 0, NULL },
	['i'] = { "INST", 0, NULL }, ['o'] = { "OBJ", 0, NULL }, [0x81] = { "NEWOBJ", 0, NULL }, [0x92] = { "NEWOBJ_EX", 0, NULL },
	[0x82] = { "EXT1", 0, NULL }, [0x83] = { "EXT2", 0, NULL }, [0x84] = { "EXT4", 0, NULL }, ['P'] = { "PERSID", 0, NULL },
	['Q'] = { "BINPERSID", 0, NULL }, [0x97] = { "NEXT_BUFFER", 0, NULL }, [0x98] = { "READONLY_BUFFER", 0, NULL },
};

/* ---- the machine -------------------------------------------------------------------------- */

static bool step(struct machine *m)
{
	const unsigned char *p;
	const struct opcode *op;
	uint64_t arg = 0;

	m->o->at = offset(m);
	p = take(m, 1);
	if (!p)
		return false;
	op = &opcodes[*p];
	if (!op->name)
		return broken(m, N_("an operation that no snapshot has"));
	if (!op->fn)
		return end(m, PICKLE_REFUSED, op->name);
	if (op->arg && !take_number(m, op->arg, &arg))
		return false;
	if (!op->fn(m, arg))
		return false;
	if (m->o->held > 2 * (uint64_t)offset(m) + HELD_SLACK)
		return broken(m, N_("more objects than a file of this size has"));
	return !m->stopped;
}

/* What lies on the stack as if every open list and dict ended here. */
static void close_open(struct machine *m)
{
	struct pickle_result r = m->r;
	size_t first;

	while ((first = above_mark(m)) >= 2) {
		struct value *to = &m->stack.a[first - 2];
		size_t n = m->stack.n - first;

		if (to->kind == VALUE_DICT)
			m->stack.n -= n % 2;
		if ((to->kind != VALUE_DICT && to->kind != VALUE_LIST) || !put_into(m, first, 1, (enum value_kind)to->kind)) {
			m->stack.n = first - 1;
			m->marks--;
		}
	}
	m->r = r;
}

struct pickle_result pickle_read(struct objects *o, struct file_src *src, struct job *job, struct err *e)
{
	struct machine m = { .o = o, .src = src, .job = job, .e = e, .buf = xmalloc(PIECE) };

	while (step(&m))
		;
	if (m.r.end == PICKLE_CUT || m.r.end == PICKLE_BROKEN)
		close_open(&m);
	m.r.at = m.r.end == PICKLE_CUT ? m.base + (int64_t)m.n : m.r.at;
	if (m.r.end == PICKLE_STOPPED && (m.pos < m.n || (refill(&m) && m.n)))
		builder_damage(o->b, N_("bytes behind the end of the pickle"), offset(&m), 1);
	free(m.buf);
	VEC_FREE(&m.stack);
	VEC_FREE(&m.memo);
	return m.r;
}
