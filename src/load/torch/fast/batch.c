/*
 * batch.c - a batch of events: text → records on any thread, records → sink in file order; see torch_impl.h
 *
 * A record refers to names, categories, lanes and kernel details by numbers of the batch's own tables, which are filled
 * while parsing. The numbers of the builder are looked up when a record is handed over and uses one for the first time, so
 * that the builder meets everything in the order of the file. Events that are anything else than a plain span are kept
 * whole for tsink_event(): what is special about them is known there only.
 */
#include <string.h>

#include "load/torch/torch_impl.h"

#define TABLE_MAX 65536		/* a table with more entries begins anew with the next text */
#define BLOB_MAX (8u << 20)

#define AHEAD_BYTES 4096
#define AHEAD_LINES 4		/* an event is about so long */

#define RECS_FIRST 4096		/* at once, where the text is no longer than usual */

/*
 * A record is a row for the builder: with numbers of the batch's tables in place of those of the builder, and a lane in place of a track,
 * until it is handed over. In of_caller stand its kind and, 8 bits higher, its category. Of what is no span and no instant, aux alone
 * matters: which odd event, what was counted.
 */
enum rec_kind { REC_SPAN, REC_INSTANT, REC_COUNT, REC_ODD };
#define REC_CAT 8

static void ids_grow(struct tbatch *b)
{
	VEC_RESERVE(&b->name_ids, b->names.tab.n);
	while (b->name_ids.n < b->names.tab.n)
		b->name_ids.a[b->name_ids.n++] = ID_NONE;
	VEC_RESERVE(&b->kernel_ids, b->kernels.n);
	while (b->kernel_ids.n < b->kernels.n)
		b->kernel_ids.a[b->kernel_ids.n++] = ID_NONE;
}

static void names_clear(struct bnames *t)
{
	strtab_fini(&t->tab);
	memset(t->seen, 0, sizeof(t->seen));
}

static bool names_full(const struct bnames *t)
{
	return t->tab.n > TABLE_MAX || t->tab.blob_len > BLOB_MAX;
}

static void tables_clear(struct tbatch *b)
{
	names_clear(&b->names);
	names_clear(&b->dims);
	names_clear(&b->stacks);
	map_fini(&b->lane_map);
	map_fini(&b->kernel_map);
	VEC_FREE(&b->name_ids);
	VEC_FREE(&b->dim_names);
	VEC_FREE(&b->kernel_ids);
	VEC_FREE(&b->lanes);
	VEC_FREE(&b->kernels);
	memset(b->last_lane, 0, sizeof(b->last_lane));
	memset(b->copied, 0, sizeof(b->copied));
	b->last_kernel = 0;
	b->stamp++;
}

void tbatch_fini(struct tbatch *b)
{
	tables_clear(b);
	VEC_FREE(&b->recs);
	VEC_FREE(&b->odd);
	VEC_FREE(&b->copies);
	VEC_FREE(&b->waits);
	VEC_FREE(&b->ops);
	VEC_FREE(&b->stacked);
	tshapes_free(b->shapes);
	free(b->plain);
	free(b->buf);
}

/* ---- text → records ---- */

/* Most are found without hashing all of them. 8 bytes must be readable at s. */
static inline uint32_t number_of(struct bnames *t, const char *s, size_t n)
{
	uint32_t *seen = &t->seen[text_ends_hash(s, n) >> (64 - TBATCH_SEEN_BITS)];
	const char *known;
	size_t len;

	if (*seen) {
		known = strtab_get(&t->tab, *seen - 1, &len);
		if (len == n && memcmp(known, s, n) == 0)
			return *seen - 1;
	}
	*seen = strtab_intern(&t->tab, s, n) + 1;
	return *seen - 1;
}

static uint32_t text_of(struct tbatch *b, struct bnames *of, const struct jstr *t)
{
	size_t n;
	const char *s;

	if (!t->escaped)
		return number_of(of, t->s, t->n);
	s = jstr_plain(t, &b->plain, &b->plain_cap, &n);
	return strtab_intern(&of->tab, s, n);
}

/* NULL: the event goes to the sink as it is. */
static struct bcat *cat_of(struct tbatch *b, const struct tev *ev)
{
	static const struct jstr none = { "(none)", 6, false };
	const struct jstr *t = ev->have & TEV_CAT ? &ev->cat : &none;
	size_t k = t->n < sizeof(b->cats->text) ? t->n : sizeof(b->cats->text);
	struct bcat *c = &b->cats[b->last_cat];

	if (b->n_cats && c->n == k && memcmp(c->text, t->s, k) == 0)
		return c;
	for (unsigned i = 0; i < b->n_cats; i++) {
		c = &b->cats[i];
		if (c->n == k && memcmp(c->text, t->s, k) == 0) {
			b->last_cat = i;
			return c;
		}
	}
	/* the sink may have given these another layer */
	if (b->n_cats == TSINK_CATS || jstr_is(t, "CPU functions") || jstr_is(t, "CUDA functions"))
		return NULL;
	b->last_cat = b->n_cats;
	c = &b->cats[b->n_cats++];
	*c = (struct bcat){ .n = k };
	memcpy(c->text, t->s, k);
	tcat_layer(t->s, t->n, &c->layer, &c->aux);
	c->gpu = layer_on_gpu(c->layer);
	c->copy = c->layer == LAYER_MEMCPY || c->layer == LAYER_MEMSET;
	return c;
}

static uint32_t lane_for(struct tbatch *b, const struct blane *key)
{
	int64_t id[4] = { key->layer, key->a, key->b, key->c };
	uint64_t h = map_hash_bytes(id, sizeof(id));

	for (uint64_t probe = 0;; probe++) {
		uint32_t i = map_get_or_put(&b->lane_map, h, probe, (uint32_t)b->lanes.n);
		const struct blane *l;

		if (i == b->lanes.n) {
			VEC_PUSH(&b->lanes, *key);
			return i;
		}
		l = &b->lanes.a[i];
		if (l->layer == key->layer && l->a == key->a && l->b == key->b && l->c == key->c)
			return i;
	}
}

static inline uint32_t lane_of(struct tbatch *b, const struct bcat *c, const struct tev *ev, int64_t tid)
{
	enum layer layer = c->layer;
	int64_t pid = ev->have & TEV_PID ? ev->pid : -1;
	struct blane key = { layer, pid, tid, 0, ID_NONE };
	const struct blane *l;

	if (c->gpu) {
		key.a = ev->have & TEV_DEVICE ? ev->device : pid;
		key.b = ev->have & TEV_STREAM ? ev->stream : tid;
		key.c = ev->have & TEV_CONTEXT ? ev->context : -1;
	}
	if (b->last_lane[layer]) {
		l = &b->lanes.a[b->last_lane[layer] - 1];
		if (l->a == key.a && l->b == key.b && l->c == key.c)
			return b->last_lane[layer] - 1;
	}
	b->last_lane[layer] = lane_for(b, &key) + 1;
	return b->last_lane[layer] - 1;
}

static uint32_t kernel_for(struct tbatch *b, const struct kernel_detail *d)
{
	uint64_t h = map_hash_bytes(d, sizeof(*d));

	for (uint64_t probe = 0;; probe++) {
		uint32_t i = map_get_or_put(&b->kernel_map, h, probe, (uint32_t)b->kernels.n);

		if (i == b->kernels.n) {
			VEC_PUSH(&b->kernels, *d);
			return i;
		}
		if (memcmp(&b->kernels.a[i], d, sizeof(*d)) == 0)
			return i;
	}
}

/* The name that is the list of an op's shapes in short, ID_NONE if there is none. */
static uint32_t dims_of(struct tbatch *b, const struct tev *ev)
{
	uint32_t i;
	const char *s;
	size_t n;

	if (!(ev->have & TEV_SHAPE))
		return ID_NONE;
	i = number_of(&b->dims, ev->shape.s, ev->shape.n);
	if (i == b->dim_names.n) {
		s = tev_shape(ev, &b->plain, &b->plain_cap, &n);
		VEC_PUSH(&b->dim_names, s ? strtab_intern(&b->names.tab, s, n) : ID_NONE);
	}
	return b->dim_names.a[i];
}

static uint32_t op_aux(struct tbatch *b, const struct tev *ev)
{
	struct op_detail d;

	if (!tev_op(ev, &d))
		return ID_NONE;
	d.shape = dims_of(b, ev);
	VEC_PUSH(&b->ops, d);
	return (uint32_t)(b->ops.n - 1);
}

static uint32_t copy_aux(struct tbatch *b, const struct tev *ev, bool set, uint32_t name)
{
	struct bcopy *c = &b->copied[name % TBATCH_COPIES];

	/* what has escapes is looked at as it stands there, and may not be what has the same name without */
	if (ev->name.escaped || c->name != name + 1 || c->set != set) {
		c->name = ev->name.escaped ? 0 : name + 1;
		c->set = set;
		tev_copy(ev, set, &c->d);
	}
	c->d.bytes = tev_copy_bytes(ev);
	VEC_PUSH(&b->copies, c->d);
	return (uint32_t)(b->copies.n - 1);
}

/* name: of the event */
static uint32_t aux_of(struct tbatch *b, const struct bcat *c, const struct tev *ev, uint32_t name)
{
	struct kernel_detail k;

	switch (c->layer) {
	case LAYER_KERNEL:
		if (!tev_kernel(ev, &k))
			return ID_NONE;
		if (!b->last_kernel || memcmp(&b->kernels.a[b->last_kernel - 1], &k, sizeof(k)) != 0)
			b->last_kernel = kernel_for(b, &k) + 1;
		return b->last_kernel - 1;
	case LAYER_OP:
		return op_aux(b, ev);
	case LAYER_MEMCPY:
	case LAYER_MEMSET:
		return copy_aux(b, ev, c->layer == LAYER_MEMSET, name);
	case LAYER_SYNC:
		if (tev_waits_for_event(ev))
			VEC_PUSH(&b->waits, (struct tbatch_wait){ ev->corr, ev->wait_record, ev->wait_stream });
		return tev_sync(ev, c->aux);
	default:
		return c->aux;
	}
}

/* What is known of the event's shape is as it was found out for this batch. */
static void know(struct tbatch *b, struct tknown *k)
{
	if (k->stamp == b->stamp)
		return;
	k->has = 0;
	k->stamp = b->stamp;
}

/* Category, lane, details and name, from what is known of the shape or anew. False: there is something odd. */
static inline bool find_out(struct tbatch *b, const struct tev *ev, struct tknown *k)
{
	int64_t tid = ev->have & TEV_TID ? ev->tid : -1;
	struct bcat *c;

	if (k->has & TKNOWN_CAT) {
		c = &b->cats[k->cat];
	} else {
		c = cat_of(b, ev);
		if (!c)
			return false;
		k->cat = (uint8_t)(c - b->cats);
		k->has |= TKNOWN_CAT;
	}
	if (c->gpu && !ev->ts && !ev->dur)
		return false;
	if (!(k->has & TKNOWN_LANE)) {
		if ((ev->have & TEV_TID_TEXT) && !tid_number(&ev->tid_text, &tid))
			return false;
		k->lane = lane_of(b, c, ev, tid);
		k->has |= k->steady & TKNOWN_LANE;
	}
	if (!(k->has & TKNOWN_NAME)) {
		k->name = text_of(b, &b->names, &ev->name);
		k->has |= k->steady & TKNOWN_NAME;
	}
	if (!(k->has & TKNOWN_AUX)) {
		k->aux = aux_of(b, c, ev, k->name);
		if (c->layer != LAYER_MEMCPY && c->layer != LAYER_MEMSET && c->layer != LAYER_SYNC &&
		    !(c->layer == LAYER_OP && k->aux != ID_NONE))
			k->has |= k->steady & TKNOWN_AUX;
	}
	return true;
}

/* *out: an id as it stands in a row. False: it does not fit. */
static inline bool row_id(bool known, uint64_t id, uint32_t *out)
{
	*out = known && id < BUILDER_SHORT ? (uint32_t)id : ID_NONE;
	return !known || id < BUILDER_SHORT || id == CORR_NONE;
}

/* What every row needs. */
static inline bool plain_enough(const struct tev *ev)
{
	return (ev->have & (TEV_TS | TEV_NAME | TEV_PID_TEXT)) == (TEV_TS | TEV_NAME) && ev->ts > -NS_LIMIT && ev->ts < NS_LIMIT;
}

static inline struct builder_row *new_rec(struct tbatch *b)
{
	if (b->recs.n == b->recs.cap)
		VEC_RESERVE(&b->recs, b->recs.n + 1);
	return &b->recs.a[b->recs.n];
}

/* The record that is about to be made is of an op with a call stack. */
static __attribute__((noinline)) void put_stack(struct tbatch *b, const struct jstr *t)
{
	VEC_PUSH(&b->stacked, (struct bstack){ (uint32_t)b->recs.n, text_of(b, &b->stacks, t) });
}

/* A complete event with nothing odd about it. */
static bool plain_span(struct tbatch *b, const struct tev *ev, struct tknown *k)
{
	struct builder_row *r = new_rec(b);
	uint32_t corr, ext;

	/* collectives are few, and with texts of their own */
	if (!plain_enough(ev) || (ev->have & (TEV_DUR | TEV_COLLECTIVE)) != TEV_DUR || (uint64_t)ev->dur >= NS_LIMIT ||
	    !row_id(ev->have & TEV_CORR, ev->corr, &corr) || !row_id(ev->have & TEV_EXT, ev->ext, &ext) || !find_out(b, ev, k))
		return false;
	*r = (struct builder_row){ ev->ts, ev->dur, corr, ext, k->name, k->aux, k->lane, (uint32_t)k->cat << REC_CAT | REC_SPAN };
	if (ev->stack.n && b->cats[k->cat].layer == LAYER_OP && tev_has_stack(ev))
		put_stack(b, &ev->stack);
	b->recs.n++;
	return true;
}

/* The same without a length; nothing but its name, time and thread matters. */
static __attribute__((noinline)) bool plain_instant(struct tbatch *b, const struct tev *ev, struct tknown *k)
{
	static const struct bcat on_host = { .layer = LAYER_INSTANT };
	int64_t tid = ev->have & TEV_TID ? ev->tid : -1;
	struct builder_row *r = new_rec(b);
	uint32_t corr, ext;

	if (!plain_enough(ev) || !row_id(ev->have & TEV_CORR, ev->corr, &corr) || !row_id(ev->have & TEV_EXT, ev->ext, &ext) ||
	    ((ev->have & TEV_TID_TEXT) && !tid_number(&ev->tid_text, &tid)))
		return false;
	if (!(k->has & TKNOWN_LANE)) {
		k->lane = lane_of(b, &on_host, ev, tid);
		k->has |= k->steady & TKNOWN_LANE;
	}
	if (!(k->has & TKNOWN_NAME)) {
		k->name = text_of(b, &b->names, &ev->name);
		k->has |= k->steady & TKNOWN_NAME;
	}
	*r = (struct builder_row){ ev->ts, 0, corr, ext, k->name, ID_NONE, k->lane, REC_INSTANT };
	b->recs.n++;
	return true;
}

/* k: of its shape, NULL if it has none. */
static inline bool plain(struct tbatch *b, const struct tev *ev, struct tknown *k)
{
	struct tknown none;

	if (!k) {
		none = (struct tknown){ 0 };
		k = &none;
	}
	know(b, k);
	if (ev->ph == 'X')
		return plain_span(b, ev, k);
	return tev_instant(ev->ph) && plain_instant(b, ev, k);
}

/* Counted; the first one of the batch is a record, too, for its place among the categories. */
static inline void count(struct tbatch *b, enum tcount k)
{
	if (!b->counts[k]++)
		VEC_PUSH(&b->recs, (struct builder_row){ .of_caller = REC_COUNT, .aux = (uint32_t)k });
}

/* To the sink as it is. js: where it was read from; its texts are looked at later. */
static void put_odd(struct tbatch *b, const struct tparser *p, struct jscan js, const struct tev *ev)
{
	VEC_PUSH(&b->recs, (struct builder_row){ .of_caller = REC_ODD, .aux = (uint32_t)b->odd.n });
	VEC_PUSH(&b->odd, *ev);
	if (ev->ph == 'X' || tev_instant(ev->ph))
		(void)tparser_event(p, &js, &b->odd.a[b->odd.n - 1]);
}

static void begin(struct tbatch *b)
{
	VEC_RESERVE(&b->recs, RECS_FIRST);
	b->recs.n = b->odd.n = b->copies.n = b->ops.n = b->stacked.n = b->waits.n = b->used = 0;
	memset(b->counts, 0, sizeof(b->counts));
	if (names_full(&b->names) || names_full(&b->dims) || names_full(&b->stacks) ||
	    b->lanes.n > TABLE_MAX || b->kernels.n > TABLE_MAX)
		tables_clear(b);
}

/* What stood between two events last, with the bracket behind it: it is nearly always the same. */
struct between {
	uint64_t text, mask;
	unsigned n;
};

static void keep_between(struct between *w, const char *from, const char *bracket)
{
	size_t n = (size_t)(bracket - from);

	if (n > 7)
		return;
	w->n = (unsigned)n;
	w->mask = 0;
	memset(&w->mask, 0xff, n + 1);
	memcpy(&w->text, from, 8);
	w->text &= w->mask;
}

static inline bool same_between(const struct between *w, struct jscan *js, const char *enough)
{
	uint64_t text;

	memcpy(&text, js->p, 8);
	if ((text & w->mask) != w->text || !w->mask || js->p + w->n >= enough)
		return false;
	js->p += w->n;
	return true;
}

/* js is at a bracket behind a comma. */
static inline bool one_event(struct tbatch *b, const struct tparser *p, struct jscan *js)
{
	const char *at = js->p;
	const struct tev *ev;
	struct tknown *known;
	struct jscan back;

	/* a file in memory is far away: the processor's own looking ahead ends with each page */
	for (unsigned i = 0; i < AHEAD_LINES; i++)
		__builtin_prefetch(at + AHEAD_BYTES + 64 * i);
	/* what goes on behind the end is another batch's, or none */
	if (tshapes_event(b->shapes, p, js, &ev, &known) != JS_OK || js->p > js->end)
		return false;
	if (tev_only_counted(ev->ph)) {
		count(b, ev->ph == 'C' ? TCOUNT_COUNTER : TCOUNT_FLOW);
	} else if (!plain(b, ev, known)) {
		back = *js;
		back.p = at;
		put_odd(b, p, back, ev);
	}
	b->comma = false;
	b->used = (size_t)(js->p - js->begin);
	return true;
}

void tbatch_parse(struct tbatch *b, const struct tparser *p)
{
	struct between between = { 0 };
	const char *enough, *end;
	struct jscan js;
	char c;

	begin(b);
	if (!b->shapes)
		b->shapes = tshapes_new(NULL);
	jscan_init(&js, b->text, b->n, b->base, false);
	enough = b->text + b->enough;
	end = js.p;
	while ((c = jscan_peek(&js)) && js.p < enough) {
		if (c == '{' && b->comma) {
			if (end > js.begin)
				keep_between(&between, end, js.p);
			do {
				b->used = (size_t)(js.p - js.begin);
				b->comma = true;
				if (!one_event(b, p, &js))
					return;
			} while (same_between(&between, &js, enough));
			end = js.p;
		} else if (c == ',') {
			b->comma = true;
			js.p++;
			b->used = (size_t)(js.p - js.begin);
		} else {
			return;
		}
	}
	if (js.p >= enough)
		b->used = (size_t)(js.p - js.begin);
}

/* ---- records → sink ---- */

static track_id track_of(struct tsink *s, struct blane *l)
{
	if (l->track == ID_NONE)
		l->track = layer_on_gpu(l->layer) ? tsink_gpu_track(s, l->layer, l->a, l->b, l->c, 0)
						  : tsink_host_track(s, l->layer, l->a, l->b, 0, NULL);
	return l->track;
}

static str_id new_name_id(struct tbatch *b, struct tsink *s, uint32_t name)
{
	size_t n;
	const char *p = strtab_get(&b->names.tab, name, &n);

	return b->name_ids.a[name] = builder_intern(s->b, p, n);
}

static inline str_id name_id(struct tbatch *b, struct tsink *s, uint32_t name)
{
	str_id id = b->name_ids.a[name];

	return id != ID_NONE ? id : new_name_id(b, s, name);
}

static uint32_t op_id(struct tbatch *b, struct tsink *s, const struct op_detail *of)
{
	struct op_detail d = *of;

	if (d.shape != ID_NONE)
		d.shape = name_id(b, s, d.shape);
	return builder_op_detail(s->b, &d);
}

static uint32_t aux_id(struct tbatch *b, struct tsink *s, enum layer layer, uint32_t aux)
{
	uint32_t *id;

	if (layer == LAYER_OP && aux != ID_NONE)
		return op_id(b, s, &b->ops.a[aux]);
	if (layer == LAYER_MEMCPY || layer == LAYER_MEMSET)
		return builder_copy_detail(s->b, &b->copies.a[aux]);
	if (layer != LAYER_KERNEL || aux == ID_NONE)
		return aux;
	id = &b->kernel_ids.a[aux];
	if (*id == ID_NONE)
		*id = builder_kernel_detail(s->b, &b->kernels.a[aux]);
	return *id;
}

/* ---- a record becomes a row ---- */

static inline void span_row(struct tbatch *b, struct tsink *s, struct builder_row *r)
{
	struct bcat *c = &b->cats[r->of_caller >> REC_CAT];

	if (!c->sink) {
		c->sink = tsink_cat(s, c->text, c->n);
		b->sink_cats++;
	}
	c->sink->count++;
	s->known_cat += c->layer != LAYER_OTHER;
	r->name = name_id(b, s, r->name);
	r->aux = aux_id(b, s, c->layer, r->aux);
	s->frames |= c->layer == LAYER_PYTHON;
	if (c->layer != LAYER_SPAN && r->start < s->min_ts)
		s->min_ts = r->start;
	r->track = track_of(s, &b->lanes.a[r->track]);
}

/* r: not yet with what is the builder's */
static void stack_row(struct tbatch *b, struct tsink *s, const struct builder_row *r, uint32_t stack)
{
	const struct blane *l = &b->lanes.a[r->track];
	size_t n;
	const char *text = strtab_get(&b->stacks.tab, stack, &n);

	tsink_stack(s, l->a, l->b, r->start, r->dur, text, n);
}

static void instant_row(struct tbatch *b, struct tsink *s, struct builder_row *r)
{
	tsink_count(s, TCOUNT_INSTANT, 1);
	r->name = name_id(b, s, r->name);
	r->track = track_of(s, &b->lanes.a[r->track]);
}

/* To the builder, from *from on. */
static void add_rows(struct tbatch *b, struct tsink *s, size_t *from, size_t to)
{
	builder_add_rows(s->b, b->recs.a + *from, to - *from);
	*from = to;
}

/* Whether what making its row may count as damage, or undo, comes behind what the rows before it do. */
static inline bool stands_alone(const struct tbatch *b, const struct builder_row *r)
{
	return b->cats[r->of_caller >> REC_CAT].copy;
}

bool tbatch_commit(struct tbatch *b, struct tsink *s)
{
	bool one_by_one = builder_is_choosy(s->b);
	size_t from = 0, stacked = 0;

	/* in a full table categories lose their layer */
	if (s->n_cats + (b->n_cats - b->sink_cats) >= TSINK_CATS - 1)
		return false;
	ids_grow(b);
	for (size_t i = 0; i < b->waits.n; i++)
		builder_event_wait(s->b, 0, b->waits.a[i].call, (uint64_t)b->waits.a[i].record, b->waits.a[i].stream);
	for (size_t i = 0; i < b->recs.n; i++) {
		struct builder_row *r = &b->recs.a[i];
		unsigned kind = r->of_caller & ((1u << REC_CAT) - 1);

		if (kind > REC_INSTANT || one_by_one || (kind == REC_SPAN && stands_alone(b, r)))
			add_rows(b, s, &from, i);
		if (stacked < b->stacked.n && b->stacked.a[stacked].rec == i)
			stack_row(b, s, r, b->stacked.a[stacked++].stack);
		if (kind == REC_SPAN) {
			span_row(b, s, r);
		} else if (kind == REC_INSTANT) {
			instant_row(b, s, r);
		} else {
			if (kind == REC_ODD)
				tsink_event(s, &b->odd.a[r->aux]);
			else
				tsink_count(s, (enum tcount)r->aux, b->counts[r->aux]);
			from = i + 1;
		}
	}
	add_rows(b, s, &from, b->recs.n);
	return true;
}
