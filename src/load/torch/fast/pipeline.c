/*
 * pipeline.c - batches of events, parsed on several threads and handed to the sink in file order; see torch_impl.h
 *
 * Every thread does whatever is to be done next: hand over the batch whose turn it is, or read and cut the next batch and
 * parse it. Reading is done by one thread at a time (a gzip stream is inflated there, while others parse), so is handing
 * over; parsing, which is most of the work, by all. The scanner that cuts only proposes: a batch that does not end where it
 * was cut is where this ends, and what was read behind it goes back into the feed.
 *
 * A plain file is mapped, and nothing is copied: batches are parts of it, and a cut is only guessed, at something that looks
 * like the beginning of an event behind a comma. If it is none the batch before does not end there, and that shows.
 */
#include <pthread.h>
#include <string.h>

#include "base/jcut.h"
#include "base/par.h"
#include "load/torch/torch_impl.h"

#ifndef BATCH_BYTES
#define BATCH_BYTES (1u << 20)
#endif
#define BATCH_MAX (32u << 20)	/* longer pieces without a cut are read event by event */
#define GUESS_BYTES (4 << 20)	/* how far a beginning of an event is looked for in a mapped file */
#define CUT_BYTES (32u << 10)	/* where the cut is looked for at first: this much before the end */

enum pipeline_slot_state { SLOT_FREE, SLOT_BUSY, SLOT_PARSED };

struct pipeline_slot {
	struct tbatch b;
	enum pipeline_slot_state state;
	uint64_t seq;
};

struct pipeline_line {
	struct tahead *a;
	struct pipeline_slot *slots;
	unsigned n_slots;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock */
	bool reading, committing, no_more, stop, failed;
	unsigned waiting;
	uint64_t next_read, next_commit;
	/* the reader's own */
	size_t at;		/* in the mapped file: where the next batch begins */
	struct jcut cut;
	char *carry;		/* text behind the last cut, scanned already */
	size_t carry_n, carry_cap;
	int64_t offset;		/* of carry */
	bool text_ended, read_failed, comma;
	struct err read_err;
};

/* ---- the feed ---- */

static void report(struct tfeed *f)
{
	int64_t done = file_src_done(f->src);

	job_add(f->job, (uint64_t)(done - f->reported), 0);
	f->reported = done;
}

bool tfeed_read(struct tfeed *f, char *buf, size_t n, size_t *got, struct err *e)
{
	size_t k = f->left_n < n ? f->left_n : n;
	bool ok;

	if (k)
		memcpy(buf, f->left + f->left_at, k);
	f->left_at += k;
	f->left_n -= k;
	ok = k == n || file_src_read(f->src, buf + k, n - k, got, e);
	*got = ok ? k + (k < n ? *got : 0) : 0;
	report(f);
	if (!f->left_n) {
		free(f->left);
		f->left = NULL;
		f->left_at = 0;
	}
	return ok;
}

void tfeed_fini(struct tfeed *f)
{
	free(f->left);
}

/* ---- reading and cutting ---- */

static void text_reserve(struct tbatch *b, size_t n)
{
	if (b->cap >= n + JSCAN_PAD)
		return;
	b->cap = n + JSCAN_PAD;
	b->buf = xrealloc(b->buf, b->cap);
}

/* The text from `cut` on waits for the next batch. */
static void put_carry(struct pipeline_line *l, const struct tbatch *b, size_t cut, size_t n)
{
	if (l->carry_cap < n - cut) {
		l->carry_cap = n - cut;
		l->carry = xrealloc(l->carry, l->carry_cap);
	}
	l->carry_n = n - cut;
	if (l->carry_n)
		memcpy(l->carry, b->buf + cut, l->carry_n);
	l->offset += (int64_t)cut;
}

static void put_text(struct tbatch *b, int64_t base, const char *text, size_t n, bool comma)
{
	b->base = base;
	b->text = text;
	b->n = b->enough = n;
	b->comma = comma;
}

/* Appends what the feed has to the n bytes; false at its end or after a failure. */
static bool read_some(struct pipeline_line *l, struct tbatch *b, size_t *n)
{
	struct tahead *a = l->a;
	size_t got, want = a->batch_bytes;

	text_reserve(b, *n + want);
	if (!tfeed_read(a->feed, b->buf + *n, want, &got, &l->read_err)) {
		l->read_failed = true;
		got = 0;
	}
	*n += got;
	l->text_ended = got < want;
	return !l->text_ended;
}

/*
 * Fills a batch up to a cut. False if there is none: all text is in carry then. *more: whether there may be another batch.
 */
static bool fill(struct pipeline_line *l, struct tbatch *b, bool *more)
{
	size_t n = l->carry_n, cut = JCUT_NONE, scanned = n, from;
	bool first = true;

	text_reserve(b, n);
	if (n)
		memcpy(b->buf, l->carry, n);
	l->carry_n = 0;
	do {
		*more = read_some(l, b, &n);
		/* what grows without a cut is looked at closely, and so is the end of the text */
		from = first && *more && n - scanned > CUT_BYTES ? n - scanned - CUT_BYTES : 0;
		cut = jcut_scan(&l->cut, b->buf + scanned, n - scanned, from);
		if (cut != JCUT_NONE)
			cut += scanned;
		scanned = n;
		first = false;
		*more &= !l->cut.ended && n < BATCH_MAX;
	} while (cut == JCUT_NONE && *more);
	put_text(b, l->offset, b->buf, cut == JCUT_NONE ? 0 : cut, true);
	put_carry(l, b, b->n, n);
	memset(b->buf + b->n, 0, JSCAN_PAD);
	return b->n > 0 && !l->read_failed;
}

/* Behind p, back to from: the comma that stands before these blanks, or NULL. */
static const char *comma_before(const char *p, const char *from)
{
	while (p > from && (p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\r' || p[-1] == '\t'))
		p--;
	return p > from && p[-1] == ',' ? p : NULL;
}

/* Whether an event stands at p: an object that says what kind of event it is. */
static bool event_at(const struct pipeline_line *l, const char *p, const char *end)
{
	struct jscan js;
	struct tev ev;

	jscan_init(&js, p, (size_t)(end - p), 0, false);
	return tparser_event(l->a->parser, &js, &ev) == JS_OK && ev.ph && (ev.have & (TEV_PID | TEV_TID));
}

/* Behind a comma at `from` or later, in front of an event; the end of the map if none is near. */
static size_t guess_cut(const struct pipeline_line *l, size_t from)
{
	const struct tfeed *f = l->a->feed;
	const char *p = f->map + from, *end = f->map + f->map_n, *near = end - p > GUESS_BYTES ? p + GUESS_BYTES : end, *comma;

	for (const char *q = p; (q = memchr(q, '{', (size_t)(near - q))); q++) {
		comma = comma_before(q, p);
		if (comma && event_at(l, q, end))
			return (size_t)(comma - f->map);
	}
	return f->map_n;
}

/* The next batch of a mapped file. */
static bool take_part(struct pipeline_line *l, struct tbatch *b, bool *more)
{
	struct tfeed *f = l->a->feed;
	size_t at = l->at, end = f->map_n;

	if (f->map_n - at > l->a->batch_bytes)
		end = guess_cut(l, at + l->a->batch_bytes);
	put_text(b, (int64_t)at, f->map + at, end - at, true);
	l->at = end;
	*more = end < f->map_n;
	l->text_ended = !*more;
	return end > at;
}

/* What was done with a part of a mapped file. */
static void done_part(struct pipeline_line *l, const struct tbatch *b)
{
	struct tfeed *f = l->a->feed;

	file_src_done_with(f->src, (size_t)b->base + b->used);
	file_src_seek(f->src, b->base + (int64_t)b->used);
	report(f);
}

/* One thread alone need not cut: what it could not parse to the end waits for the next batch. */
static bool fill_whole(struct pipeline_line *l, struct tbatch *b, bool *more)
{
	size_t n = l->carry_n;

	text_reserve(b, n);
	if (n)
		memcpy(b->buf, l->carry, n);
	*more = read_some(l, b, &n) && n < BATCH_MAX;
	put_text(b, l->offset, b->buf, n, l->comma);
	memset(b->buf + n, 0, JSCAN_PAD);
	tbatch_parse(b, l->a->parser);
	put_carry(l, b, b->used, n);
	b->n = b->used;
	return b->n > 0 && !l->read_failed;
}

/* The same with a mapped file. */
static bool parse_part(struct pipeline_line *l, struct tbatch *b, bool *more)
{
	struct tfeed *f = l->a->feed;

	put_text(b, (int64_t)l->at, f->map + l->at, f->map_n - l->at, l->comma);
	if (b->n > l->a->batch_bytes)
		b->enough = l->a->batch_bytes;
	file_src_need(f->src, l->at, b->enough);
	tbatch_parse(b, l->a->parser);
	l->at += b->used;
	l->text_ended = f->map_n - l->at <= l->a->batch_bytes;
	*more = b->used >= b->enough && l->at < f->map_n;
	return b->used > 0;
}

/* True while text is taken: what ends it are damage, the end of the list or of the text. */
static void work_alone(struct pipeline_line *l)
{
	struct tbatch *b = &l->slots[0].b;
	bool mapped = l->a->feed->map, more = true;

	while (more && !l->failed && (mapped ? parse_part : fill_whole)(l, b, &more)) {
		if (!tbatch_commit(b, l->a->sink)) {
			l->slots[0].state = SLOT_PARSED;
			l->next_read = 1;
			b->used = 0;
			break;
		}
		if (mapped)
			done_part(l, b);
		l->comma = l->a->comma = b->comma;
		l->failed = !l->a->batch(l->a->batch_arg);
	}
	l->stop = !l->text_ended;
}

/* ---- the threads ---- */

/* Under the lock: something has changed that another thread may wait for. */
static void tell(struct pipeline_line *l)
{
	if (l->waiting)
		pthread_cond_broadcast(&l->changed);
}

static void wait(struct pipeline_line *l)
{
	l->waiting++;
	pthread_cond_wait(&l->changed, &l->lock);
	l->waiting--;
}

static struct pipeline_slot *find(struct pipeline_line *l, enum pipeline_slot_state state)
{
	for (unsigned i = 0; i < l->n_slots; i++) {
		struct pipeline_slot *s = &l->slots[i];

		if (s->state == state && (state == SLOT_FREE || s->seq == l->next_commit))
			return s;
	}
	return NULL;
}

/* Called with the lock, which it gives up while it works; as do the others. */
static void commit(struct pipeline_line *l, struct pipeline_slot *s)
{
	struct tahead *a = l->a;
	bool taken, whole, ok;

	l->committing = true;
	pthread_mutex_unlock(&l->lock);
	taken = tbatch_commit(&s->b, a->sink);
	whole = s->b.used == s->b.n && s->b.comma;
	if (!taken) {
		s->b.used = 0;
		s->b.comma = true;
	}
	if (a->feed->map)
		done_part(l, &s->b);
	ok = a->batch(a->batch_arg);
	a->comma = s->b.comma;
	pthread_mutex_lock(&l->lock);
	l->committing = false;
	l->failed |= !ok;
	if (!taken || !whole || !ok) {
		l->stop = true;
	} else {
		s->state = SLOT_FREE;
		l->next_commit++;
	}
	tell(l);
}

static void read_and_parse(struct pipeline_line *l, struct pipeline_slot *s)
{
	bool more, got;

	l->reading = true;
	s->state = SLOT_BUSY;
	pthread_mutex_unlock(&l->lock);
	got = (l->a->feed->map ? take_part : fill)(l, &s->b, &more);
	pthread_mutex_lock(&l->lock);
	l->reading = false;
	l->no_more = !more;
	l->stop |= l->read_failed;
	if (got)
		s->seq = l->next_read++;
	else
		s->state = SLOT_FREE;
	tell(l);
	if (!got)
		return;
	pthread_mutex_unlock(&l->lock);
	if (l->a->feed->map)
		file_src_need(l->a->feed->src, (size_t)s->b.base, s->b.n);
	tbatch_parse(&s->b, l->a->parser);
	pthread_mutex_lock(&l->lock);
	s->state = SLOT_PARSED;
	tell(l);
}

static void work(void *arg)
{
	struct pipeline_line *l = arg;
	struct pipeline_slot *s;

	pthread_mutex_lock(&l->lock);
	while (!l->stop && !(l->no_more && l->next_commit == l->next_read)) {
		s = l->committing ? NULL : find(l, SLOT_PARSED);
		if (s) {
			commit(l, s);
			continue;
		}
		s = l->reading || l->no_more ? NULL : find(l, SLOT_FREE);
		if (s)
			read_and_parse(l, s);
		else
			wait(l);
	}
	tell(l);
	pthread_mutex_unlock(&l->lock);
}

/* ---- loading a file ---- */

static void put(char *left, size_t *at, const char *text, size_t n)
{
	if (n)
		memcpy(left + *at, text, n);
	*at += n;
}

/* Text that nobody took, in front of what the feed has left (nothing, unless it was never read). */
static void give_back(struct pipeline_line *l)
{
	struct tfeed *f = l->a->feed;
	size_t n = l->carry_n + f->left_n, at = 0;
	char *left;

	l->a->offset = l->offset;
	for (unsigned i = 0; i < l->n_slots; i++)
		n += l->slots[i].state == SLOT_FREE ? 0 : l->slots[i].b.n;
	left = xmalloc(n);
	for (uint64_t seq = l->next_commit; seq < l->next_read; seq++) {
		for (unsigned i = 0; i < l->n_slots; i++) {
			const struct pipeline_slot *s = &l->slots[i];
			size_t skip = seq == l->next_commit ? s->b.used : 0;

			if (s->state == SLOT_FREE || s->seq != seq)
				continue;
			if (seq == l->next_commit)
				l->a->offset = s->b.base + (int64_t)skip;
			put(left, &at, s->b.text + skip, s->b.n - skip);
		}
	}
	put(left, &at, l->carry, l->carry_n);
	put(left, &at, f->left ? f->left + f->left_at : NULL, f->left_n);
	free(f->left);
	f->left = left;
	f->left_n = at;
	f->left_at = 0;
}

/* The feed of a mapped file goes on behind what was taken. */
static void go_on(struct pipeline_line *l)
{
	struct tfeed *f = l->a->feed;

	l->a->offset = (int64_t)l->at;
	for (unsigned i = 0; i < l->n_slots; i++) {
		const struct pipeline_slot *s = &l->slots[i];

		if (s->state != SLOT_FREE && s->seq == l->next_commit)
			l->a->offset = s->b.base + (int64_t)s->b.used;
	}
	file_src_seek(f->src, l->a->offset);
	report(f);
}

void tahead_run(struct tahead *a, const char *begun, size_t n, int64_t offset)
{
	struct tfeed *f = a->feed;
	/* whoever inflates does not parse meanwhile */
	unsigned threads = a->workers + file_src_gz(f->src);
	struct pipeline_line l = { .a = a, .n_slots = threads + threads / 2 + 1, .offset = offset, .at = (size_t)offset, .read_err = ERR_INIT };

	if (!a->batch_bytes)
		a->batch_bytes = BATCH_BYTES;
	a->comma = l.comma = true;
	l.slots = xcalloc(l.n_slots, sizeof(*l.slots));
	if (!f->map) {
		/* what is in the window goes back: all text comes from one place */
		l.carry_n = n;
		l.carry = n ? xmalloc(n) : NULL;
		if (n)
			memcpy(l.carry, begun, n);
		give_back(&l);
		l.carry_n = 0;
	}
	pthread_mutex_init(&l.lock, NULL);
	pthread_cond_init(&l.changed, NULL);
	if (threads > 1)
		par_run(threads, work, &l);
	else
		work_alone(&l);
	a->drained = !l.stop && (l.cut.ended || l.text_ended);
	if (l.read_failed && !l.failed)
		*a->e = l.read_err;
	a->failed = l.failed || l.read_failed;
	(f->map ? go_on : give_back)(&l);
	pthread_cond_destroy(&l.changed);
	pthread_mutex_destroy(&l.lock);
	for (unsigned i = 0; i < l.n_slots; i++)
		tbatch_fini(&l.slots[i].b);
	free(l.slots);
	free(l.carry);
}
