/* event.c - one event of a Chrome trace, object text → struct tev; see torch_impl.h */
#include <string.h>

#include "load/torch/torch_impl.h"

#define KEY(name, kind, member, have) \
	{ name, sizeof(name) - 1, kind, offsetof(struct tev, member), 0, have }
#define ID(name, member, text, have) { name, sizeof(name) - 1, K_ID, offsetof(struct tev, member), \
	offsetof(struct tev, text), have }
#define MARK(name, kind) { name, sizeof(name) - 1, kind, 0, 0, 0 }

static const struct tkey event_keys[] = {
	KEY("ph", K_PHASE, ph, 0),
	KEY("cat", K_TEXT, cat, TEV_CAT),
	KEY("name", K_TEXT, name, TEV_NAME),
	ID("pid", pid, pid_text, TEV_PID),
	ID("tid", tid, tid_text, TEV_TID),
	KEY("ts", K_US, ts, TEV_TS),
	KEY("dur", K_US, dur, TEV_DUR),
	MARK("args", K_ARGS),
	MARK("id", K_SKIP),
	MARK("bp", K_SKIP),
	MARK("s", K_SKIP),
	{ 0 }
};
/* the same names, and what other writers of Chrome traces put into an event */
const char *const tev_key_names[] = {
	"ph", "cat", "name", "pid", "tid", "ts", "dur", "args",
	"id", "bp", "s", "tts", "tdur", "cname", "id2", "sf", NULL
};

/* Old and new spellings: "external id" until torch 1.9. */
static const struct tkey arg_keys[] = {
	KEY("correlation", K_U64, corr, TEV_CORR),
	KEY("External id", K_U64, ext, TEV_EXT),
	KEY("external id", K_U64, ext, TEV_EXT),
	KEY("stream", K_I64, stream, TEV_STREAM),
	KEY("device", K_I64, device, TEV_DEVICE),
	KEY("context", K_I64, context, TEV_CONTEXT),
	KEY("bytes", K_I64, bytes, TEV_BYTES),
	KEY("grid", K_DIM, grid, TEV_GRID),
	KEY("block", K_DIM, block, TEV_BLOCK),
	KEY("registers per thread", K_I64, registers, TEV_REGISTERS),
	KEY("shared memory", K_I64, shared, TEV_SHARED),
	KEY("graph node id", K_U64, node, TEV_NODE),
	KEY("cuda_sync_kind", K_TEXT, sync, TEV_SYNC),
	KEY("name", K_TEXT, arg_name, TEV_ARG_NAME),
	KEY("Collective name", K_TEXT, collective, TEV_COLLECTIVE),
	KEY("dtype", K_TEXT, dtype, TEV_DTYPE),
	KEY("Process Group Name", K_TEXT, group, TEV_GROUP),
	KEY("Process Group Ranks", K_TEXT, ranks, TEV_RANKS),
	KEY("In msg nelems", K_I64, in_elems, TEV_IN_ELEMS),
	KEY("Out msg nelems", K_I64, out_elems, TEV_OUT_ELEMS),
	KEY("Group size", K_I64, group_size, TEV_GROUP_SIZE),
	KEY("Input Dims", K_LIST, shape, TEV_SHAPE),
	KEY("Input dims", K_LIST, shape, TEV_SHAPE),
	KEY("Sequence number", K_I64, seq, TEV_SEQ),
	KEY("Fwd thread id", K_U64, fwd_thread, 0),
	KEY("Call stack", K_TEXT, stack, 0),
	KEY("wait_on_cuda_event_record_corr_id", K_I64, wait_record, 0),
	KEY("wait_on_stream", K_I64, wait_stream, 0),
	{ 0 }
};

static unsigned key_hash(const char *s, size_t n)
{
	return ((unsigned)n * 5 + (unsigned char)s[0] * 3u + (unsigned char)s[n - 1]) % TKEY_SLOTS;
}

static void keys_init(struct tkeys *t, const struct tkey *keys)
{
	memset(t, 0, sizeof(*t));
	t->keys = keys;
	for (unsigned i = 0; keys[i].name; i++) {
		unsigned h = key_hash(keys[i].name, keys[i].len);

		while (t->slot[h])
			h = (h + 1) % TKEY_SLOTS;
		t->slot[h] = (uint8_t)(i + 1);
	}
}

const struct tkey *tkeys_find(const struct tkeys *t, const struct jstr *s)
{
	if (!s->n)
		return NULL;
	for (unsigned h = key_hash(s->s, s->n); t->slot[h]; h = (h + 1) % TKEY_SLOTS) {
		const struct tkey *k = &t->keys[t->slot[h] - 1];

		if (k->len == s->n && memcmp(k->name, s->s, s->n) == 0)
			return k;
	}
	return NULL;
}

void tparser_init(struct tparser *p)
{
	keys_init(&p->event, event_keys);
	keys_init(&p->args, arg_keys);
}

/*
 * Lenient mode: a text that holds keys of an event begins behind a missing quote and has swallowed
 * what follows, the next events among it.
 */
static bool plausible(const struct jscan *js, const struct jstr *s)
{
	static const char *const inside[] = { "\"ts\"", "\"pid\"", "\"ph\"", NULL };

	for (const char *const *k = inside; js->lenient && *k; k++)
		if (memmem(s->s, s->n, *k, strlen(*k)))
			return false;
	return true;
}

/* "ph" is one letter; anything else is kept as "other". */
static enum jstat read_phase(struct jscan *js, char *ph)
{
	struct jstr s;
	enum jstat st;

	if (jscan_peek(js) != '"')
		return jscan_skip(js);
	st = jscan_string(js, &s);
	if (st == JS_OK)
		*ph = s.n == 1 ? *s.s : '?';
	return st == JS_OK && !plausible(js, &s) ? JS_BAD : st;
}

/* A text where one is expected; another kind of value is skipped (null names of converters). */
static enum jstat read_text(struct jscan *js, struct jstr *s, bool *known)
{
	enum jstat st;

	*known = jscan_peek(js) == '"';
	if (!*known)
		return jscan_skip(js);
	st = jscan_string(js, s);
	return st == JS_OK && !plausible(js, s) ? JS_BAD : st;
}

/*
 * pid, tid: a number (above 2^63 it becomes negative, and stays distinct), or a text that the sink
 * makes a number of.
 */
static enum jstat read_id(struct jscan *js, struct tev *ev, const struct tkey *k)
{
	char *base = (char *)ev;
	enum jstat st;
	uint64_t v;
	bool known;

	if (jscan_peek(js) == '"') {
		st = jscan_string(js, (struct jstr *)(void *)(base + k->text_at));
		/* TEV_PID becomes TEV_PID_TEXT, TEV_TID becomes TEV_TID_TEXT */
		ev->have |= k->have | k->have << 2;
		return st;
	}
	st = jscan_u64(js, &v, &known);
	if (known) {
		*(int64_t *)(void *)(base + k->at) = (int64_t)v;
		ev->have = (ev->have | k->have) & ~(k->have << 2);
	}
	return st;
}

/* [x, y, z]; fewer are filled with 1, other kinds of value ("grid(100,)") are skipped. */
static enum jstat read_dim(struct jscan *js, int32_t dim[3], bool *known)
{
	unsigned n = 0;
	enum jstat st;
	bool number;
	int64_t v;
	char c;

	*known = false;
	if (jscan_peek(js) != '[')
		return jscan_skip(js);
	js->p++;
	dim[0] = dim[1] = dim[2] = 1;
	while ((c = jscan_peek(js)) != ']') {
		if (c == ',') {
			js->p++;
			continue;
		}
		st = jscan_i64(js, &v, &number);
		if (st != JS_OK)
			return st;
		if (n < 3 && number)
			dim[n++] = v > INT32_MAX ? INT32_MAX : v < 0 ? 0 : (int32_t)v;
	}
	js->p++;
	*known = n > 0;
	return JS_OK;
}

static enum jstat read_list(struct jscan *js, struct jstr *s, bool *known)
{
	const char *from;
	enum jstat st;

	*known = jscan_peek(js) == '[';
	from = js->p;
	st = jscan_skip(js);
	*s = (struct jstr){ .s = from, .n = (size_t)(js->p - from) };
	return st;
}

static enum jstat read_us(struct jscan *js, struct tev *ev, ns_t *out, bool *known)
{
	enum jstat st = jscan_us(js, out, known);

	if (st == JS_OK && !*known && out == &ev->dur)
		ev->have |= TEV_DUR_BAD;
	return st;
}

/* One known key of the event or of its args; js is at the value. */
static enum jstat read_value(struct jscan *js, struct tev *ev, const struct tkey *k)
{
	void *at = (char *)ev + k->at;
	bool known = false;
	enum jstat st;

	switch ((enum tkey_kind)k->kind) {
	case K_PHASE:
		return read_phase(js, at);
	case K_ID:
		return read_id(js, ev, k);
	case K_TEXT:
		st = read_text(js, at, &known);
		break;
	case K_US:
		st = read_us(js, ev, at, &known);
		break;
	case K_I64:
		st = jscan_i64(js, at, &known);
		break;
	case K_U64:
		st = jscan_u64(js, at, &known);
		break;
	case K_DIM:
		st = read_dim(js, at, &known);
		break;
	case K_LIST:
		st = read_list(js, at, &known);
		break;
	default:
		st = jscan_skip(js);
		break;
	}
	if (known)
		ev->have |= k->have;
	return st;
}

/*
 * Blanks, commas (one too many is no harm) and # comments; returns the next byte, 0 at the end of
 * the window.
 */
static char next_token(struct jscan *js)
{
	char c;

	while ((c = jscan_peek(js)) == ',' || c == '#') {
		if (c == '#')
			while (js->p < js->end && *js->p != '\n')
				js->p++;
		else
			js->p++;
	}
	return c;
}

static enum jstat read_args(const struct tparser *p, struct jscan *js, struct tev *ev)
{
	const struct tkey *k;
	struct jstr key;
	enum jstat st;

	if (jscan_peek(js) != '{')
		return jscan_skip(js);
	js->p++;
	while (next_token(js) != '}') {
		st = jscan_key(js, &key);
		if (st != JS_OK)
			return st;
		k = tkeys_find(&p->args, &key);
		st = k ? read_value(js, ev, k) : jscan_skip(js);
		if (st != JS_OK)
			return st;
	}
	js->p++;
	return JS_OK;
}

enum jstat tparser_event(const struct tparser *p, struct jscan *js, struct tev *ev)
{
	const char *const *keys = js->lenient ? tev_key_names : NULL;
	const struct tkey *k;
	struct jstr key;
	enum jstat st;

	ev->have = 0;
	ev->fwd_thread = 0;
	ev->stack = (struct jstr){ .s = "" };
	ev->wait_record = ev->wait_stream = 0;
	ev->ph = '\0';
	ev->name = (struct jstr){ .s = "" };
	ev->offset = jscan_offset(js);
	js->p++;
	while (next_token(js) != '}') {
		st = jscan_key(js, &key);
		if (st != JS_OK)
			return st;
		k = tkeys_find(&p->event, &key);
		if (k && k->kind == K_ARGS) {
			js->keys = NULL;
			st = read_args(p, js, ev);
		} else {
			js->keys = keys;
			st = k ? read_value(js, ev, k) : jscan_skip(js);
		}
		if (st != JS_OK)
			return st;
	}
	js->p++;
	return JS_OK;
}
