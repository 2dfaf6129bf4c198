/*
 * trace.c - the torch.profiler loader: reads a trace through a window of some MiB and hands
 * its events to the parser.
 *
 * There is no DOM and no copy of the file: the window is filled, whole events are taken from it,
 * what is left of the last one moves to the front. Damage costs the event that has it: the strict
 * parser fails, the lenient one tries again (unescaped quotes), and then the next thing that looks
 * like an event is searched.
 *
 * In a large file most events are taken by pipeline.c, many at a time; here is read what stands before and behind them,
 * and whatever is unusual among them. Each time that it stops for something of that kind, more is read here before it
 * starts again, so that a file full of damage costs little more than one without it.
 */
#include <string.h>

#include "base/i18n.h"
#include "base/par.h"
#include "load/read/file_damage.h"
#include "load/read/head.h"
#include "load/torch/torch_impl.h"

#ifndef TORCH_WINDOW_BYTES
/* a build with a tiny one has every value cut by the window's end: for tests */
#define TORCH_WINDOW_BYTES (1u << 20)
#endif
#define VALUE_MAX (32u << 20)	/* longer events and metadata values are damage */
#define KEY_MAX 64
#define AHEAD_PAYS 64		/* after this many steps of bulk reading the back-off is reset */
#define AHEAD_MIN (1 << 20)	/* shorter files are not worth threads */

struct trace_reader {
	struct load_ctx *lx;
	struct file_src *src;
	struct tfeed feed;
	const struct torch_opts *opts;
	int64_t ahead_at;	/* where pipeline.c may begin */
	int64_t step;		/* how much further that is when it stops, doubled when it stops soon */
	struct jscan js;
	char *buf;
	size_t cap;
	struct tparser parser;
	struct tsink sink;
	struct tmeta meta;
	struct err *e;
	bool failed;		/* *e is set: the system refused, or cancelled */
	bool events_seen;	/* a list of events was entered */
	bool comma;		/* an event may follow */
	uint64_t reported_events;
};

static void damage(struct trace_reader *r, const char *what, int64_t offset)
{
	builder_damage(r->lx->builder, what, offset, 1);
}

/* The text ends too early: where the file does, that is the cause, and finish() tells it. */
static void damage_end(struct trace_reader *r, const char *what, int64_t offset)
{
	if (!file_src_damage(r->src, NULL))
		damage(r, what, offset);
}

/* ---- the window ---- */

/* Between batches: progress, cancel, and whoever wants to look at what there is. */
static bool batch(void *arg)
{
	struct trace_reader *r = arg;
	uint64_t events = builder_events(r->lx->builder);

	job_add(r->lx->job, 0, events - r->reported_events);
	r->reported_events = events;
	if (job_cancelled(r->lx->job)) {
		r->failed = true;
		return err_set(r->e, ERR_CANCELLED, _("cancelled"));
	}
	tsink_flush(&r->sink);
	if (r->lx->batch)
		r->lx->batch(r->lx->batch_arg, r->lx->builder);
	return true;
}

/*
 * Brings more text behind what is left in the window. False if there is none, if what is left is
 * too long for one value, or after a failure. Pointers into the window are void afterwards.
 */
static bool more(struct trace_reader *r)
{
	size_t left = (size_t)(r->js.end - r->js.p), got;
	int64_t at = jscan_offset(&r->js);

	if (r->failed || r->js.last || left >= VALUE_MAX || !batch(r))
		return false;
	if (left)
		memmove(r->buf, r->js.p, left);
	if (left > r->cap / 2) {
		r->cap *= 2;
		r->buf = xrealloc(r->buf, r->cap + JSCAN_PAD);
	}
	if (!tfeed_read(&r->feed, r->buf + left, r->cap - left, &got, r->e)) {
		r->failed = true;
		got = 0;
	}
	memset(r->buf + left + got, 0, JSCAN_PAD);
	jscan_init(&r->js, r->buf, left + got, at, got < r->cap - left);
	return !r->failed;
}

/* The next byte that is no blank, 0 at the end of the text. */
static char peek(struct trace_reader *r)
{
	char c;

	while (!(c = jscan_peek(&r->js)) && r->js.p == r->js.end && more(r))
		;
	return c;
}

/* ---- finding the way again ---- */

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

/* Whether p (behind blanks) is at "key": with a key of the list, or with one of the top level. */
static bool at_key(const char *p, const char *end, bool top)
{
	const char *q, *colon;

	p = skip_blanks(p, end);
	if (p == end || *p != '"')
		return false;
	p++;
	q = memchr(p, '"', (size_t)(end - p));
	colon = q ? skip_blanks(q + 1, end) : NULL;
	if (!colon || colon == end || *colon != ':')
		return false;
	if (top)
		return tmeta_wants(p, (size_t)(q - p));
	for (const char *const *k = tev_key_names; *k; k++)
		if (strlen(*k) == (size_t)(q - p) && memcmp(*k, p, (size_t)(q - p)) == 0)
			return true;
	return false;
}

/*
 * { "ph": …: an event. Not behind a colon, where it is the args of one, and not behind a quote,
 * where it is part of a name. before: the last byte in front of p that is no blank.
 */
static bool begins_event(char before, const char *p, const char *end)
{
	return *p == '{' && before != ':' && before != '"' && at_key(p + 1, end, false);
}

/* ] and then a key of the top level, or the end of the object and of the text. */
static bool ends_events(const char *p, const char *end, bool last)
{
	if (*p != ']')
		return false;
	p = skip_blanks(p + 1, end);
	if (p < end && *p == ',')
		return at_key(p + 1, end, true);
	return p < end && *p == '}' && skip_blanks(p + 1, end) == end && last;
}

#define LOOK_AHEAD 256

/* Moves to the next event or to the end of the list; false at the end of the text. */
static bool resync(struct trace_reader *r)
{
	char before = '\0';

	r->comma = true;
	do {
		const char *p = r->js.p, *end = r->js.end;
		const char *stop = r->js.last ? end : end - p > LOOK_AHEAD ? end - LOOK_AHEAD : p;

		for (; p < stop; p++) {
			if (begins_event(before, p, end) || ends_events(p, end, r->js.last)) {
				r->js.p = p;
				return true;
			}
			if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t')
				before = *p;
		}
		r->js.p = stop;
	} while (more(r));
	return false;
}

/* ---- events ---- */

/* Parses at js->p, which stays there unless it is JS_OK; *fault: where it went wrong. */
static enum jstat parse(struct trace_reader *r, bool lenient, struct tev *ev, int64_t *fault)
{
	const char *start = r->js.p;
	enum jstat st;

	r->js.lenient = lenient;
	st = tparser_event(&r->parser, &r->js, ev);
	if (st != JS_OK) {
		*fault = jscan_offset(&r->js);
		r->js.p = start;
	}
	r->js.lenient = false;
	r->js.keys = NULL;
	return st;
}

/* As parse, with more text where the window ends; a value that never ends is bad. */
static enum jstat parse_whole(struct trace_reader *r, bool lenient, struct tev *ev, int64_t *fault)
{
	enum jstat st;

	while ((st = parse(r, lenient, ev, fault)) == JS_MORE)
		if (!more(r))
			return JS_BAD;
	return st;
}

/* js is at a {. False when there is nothing more to read. */
static bool one_event(struct trace_reader *r)
{
	int64_t start = jscan_offset(&r->js), fault = 0, again, end;
	struct tev ev;

	if (parse_whole(r, false, &ev, &fault) == JS_OK) {
		tsink_event(&r->sink, &ev);
		return true;
	}
	if (r->failed)
		return false;
	if (parse_whole(r, true, &ev, &again) == JS_OK) {
		damage(r, N_("unescaped quotes in a name (event kept)"), start);
		tsink_event(&r->sink, &ev);
		return true;
	}
	r->js.p++;
	if (!r->failed && resync(r)) {
		damage(r, N_("malformed events, skipped"), start);
		return true;
	}
	end = jscan_offset(&r->js);
	if (r->failed)
		return false;
	if (fault == end)
		damage_end(r, N_("the text ends inside an event"), end);
	else
		damage(r, N_("malformed events, skipped"), start);
	return false;
}

static void skip_line(struct trace_reader *r)
{
	const char *nl;

	do {
		nl = memchr(r->js.p, '\n', (size_t)(r->js.end - r->js.p));
		r->js.p = nl ? nl : r->js.end;
	} while (!nl && more(r));
}

/* ---- many events at once ---- */

static bool worth_threads(const struct trace_reader *r)
{
	int64_t size = file_src_size(r->src);

	if (r->opts->one_by_one)
		return false;
	return r->opts->batch_bytes || (file_src_gz(r->src) ? size * 8 : size) >= AHEAD_MIN;
}

static int64_t step_min(const struct trace_reader *r)
{
	return r->opts->batch_bytes ? (int64_t)r->opts->batch_bytes : 1 << 20;
}

/* Lets pipeline.c take what it can. Pointers into the window are void afterwards. */
static void read_ahead(struct trace_reader *r)
{
	struct tahead a = {
		.feed = &r->feed, .sink = &r->sink, .parser = &r->parser, .batch = batch, .batch_arg = r, .e = r->e,
		.workers = par_workers(r->opts->workers), .batch_bytes = r->opts->batch_bytes,
	};
	int64_t from = jscan_offset(&r->js);

	tahead_run(&a, r->js.p, (size_t)(r->js.end - r->js.p), from);
	r->failed |= a.failed;
	r->comma = a.comma;
	jscan_init(&r->js, r->buf, 0, a.offset, false);
	memset(r->buf, 0, JSCAN_PAD);
	r->step = a.offset - from > AHEAD_PAYS * step_min(r) ? step_min(r) : r->step * 2;
	r->ahead_at = a.drained ? INT64_MAX : a.offset + r->step;
}

/* js is behind the [ of the list, or where it goes on; goes to its ]. */
static void read_list(struct trace_reader *r, bool bare)
{
	char c;

	r->events_seen = r->comma = true;
	r->step = step_min(r);
	r->ahead_at = worth_threads(r) ? jscan_offset(&r->js) : INT64_MAX;
	if (r->ahead_at != INT64_MAX && !r->feed.map)
		r->feed.map = file_src_map(r->src, &r->feed.map_n);
	while ((c = peek(r)) != ']') {
		if (c == '{') {
			if (!r->comma)
				damage(r, N_("commas missing between events"),
				       jscan_offset(&r->js));
			r->comma = false;
			if (!one_event(r))
				return;
		} else if (c == ',') {
			r->comma = true;
			r->js.p++;
			if (jscan_offset(&r->js) >= r->ahead_at)
				read_ahead(r);
		} else if (c == '#') {
			damage(r, N_("comments in the list of events"), jscan_offset(&r->js));
			skip_line(r);
		} else if (r->js.p == r->js.end) {
			if (!bare && !r->failed)
				damage_end(r, N_("the list of events is not closed"),
					   jscan_offset(&r->js));
			return;
		} else {
			damage(r, N_("text between events, skipped"), jscan_offset(&r->js));
			r->js.p++;
			if (!resync(r))
				return;
		}
		if (r->failed)
			return;
	}
}

/* Whether an event follows where none can: then a bracket before it was wrong. Takes commas. */
static bool goes_on(struct trace_reader *r)
{
	char c;

	while ((c = peek(r)) == ',')
		r->js.p++;
	return c == '{';
}

/*
 * js is behind the [ of the list; goes behind its ]. bare: the list is the whole text, and may
 * legally stay open.
 */
static void read_events(struct trace_reader *r, bool bare)
{
	for (;;) {
		int64_t at;

		read_list(r, bare);
		if (r->failed || peek(r) != ']')
			return;
		at = jscan_offset(&r->js);
		r->js.p++;
		if (!goes_on(r))
			return;
		damage(r, N_("brackets that close too early"), at);
	}
}

/* ---- top level ---- */

/* Skips a value of any length. */
static bool skip_value(struct trace_reader *r)
{
	struct jscan_skipper k = { 0 };
	enum jstat st;

	while ((st = jscan_skip_some(&r->js, &k)) == JS_MORE)
		if (!more(r))
			return false;
	return st == JS_OK;
}

static bool wanted_value(struct trace_reader *r, const char *key, size_t n)
{
	struct jscan js;
	const char *end;
	enum jstat st;

	for (;;) {
		js = r->js;
		st = jscan_skip(&js);
		if (st != JS_MORE || !more(r))
			break;
	}
	if (st != JS_OK)
		return false;
	/* it is whole: its reader sees nothing else and need not care for the window's end */
	end = js.p;
	js = r->js;
	js.end = end;
	js.last = true;
	if (tmeta_value(&r->meta, key, n, &js) != JS_OK)
		damage(r, N_("malformed values beside the events"), jscan_offset(&js));
	r->js.p = end;
	return true;
}

/* One "key": value of the top level. False if it cannot be read. */
static bool top_entry(struct trace_reader *r)
{
	char key[KEY_MAX];
	struct jscan js;
	struct jstr s;
	enum jstat st;

	for (;;) {
		js = r->js;
		st = jscan_key(&js, &s);
		if (st != JS_MORE || !more(r))
			break;
	}
	if (st != JS_OK)
		return false;
	r->js.p = js.p;
	if (s.n > sizeof(key))
		return skip_value(r);
	memcpy(key, s.s, s.n);
	if (s.n == 11 && memcmp(key, "traceEvents", 11) == 0 && peek(r) == '[') {
		r->js.p++;
		read_events(r, false);
		return !r->failed;
	}
	return tmeta_wants(key, s.n) ? wanted_value(r, key, s.n) : skip_value(r);
}

/* Damage before the list of events: looks for it. */
static bool find_events(struct trace_reader *r)
{
	static const char word[] = "\"traceEvents\"";

	do {
		char *hit = memmem(r->js.p, (size_t)(r->js.end - r->js.p), word, sizeof(word) - 1);

		if (hit) {
			r->js.p = hit;
			return true;
		}
		if (r->js.end - r->js.p >= (ptrdiff_t)sizeof(word))
			r->js.p = r->js.end - sizeof(word);
	} while (more(r));
	return false;
}

static void read_object(struct trace_reader *r)
{
	char c;

	while ((c = peek(r)) != '}' && r->js.p < r->js.end) {
		if (c == ',') {
			r->js.p++;
		} else if (!top_entry(r)) {
			if (r->failed)
				return;
			damage(r, N_("malformed text outside the list of events"),
			       jscan_offset(&r->js));
			r->js.p += r->js.p < r->js.end;
			if (r->events_seen || !find_events(r))
				return;
		}
	}
}

/* js is at the bracket that ends the text: what follows is damage, but may be events. */
static void read_tail(struct trace_reader *r)
{
	char c = peek(r);

	r->js.p += c == '}' && r->js.p < r->js.end;
	if (!peek(r))
		return;
	damage(r, N_("text behind the end of the trace"), jscan_offset(&r->js));
	if (goes_on(r))
		read_events(r, false);
}

static void read_text(struct trace_reader *r)
{
	char c = peek(r);

	if (c == '\xef' && r->js.end - r->js.p >= 3 && memcmp(r->js.p, "\xef\xbb\xbf", 3) == 0) {
		r->js.p += 3;
		c = peek(r);
	}
	if (c != '{' && c != '[')
		return;
	r->js.p++;
	if (c == '[')
		read_events(r, true);
	else
		read_object(r);
	if (!r->failed && r->events_seen)
		read_tail(r);
}

static bool finish(struct trace_reader *r)
{
	/* to the end of the file, whatever is there: only then gzip has checked its sum */
	do
		r->js.p = r->js.end;
	while (more(r));
	if (r->failed)
		return false;
	file_damage_tell(r->lx->builder, r->src);
	if (!r->events_seen)
		return err_set(r->e, ERR_FORMAT,
			       file_src_size(r->src)
				       ? _("this is no trace: it has no list of events")
				       : _("the file is empty"));
	if (!r->meta.kineto && r->sink.counted[TCOUNT_OTHER] && !builder_events(r->lx->builder) && !builder_left_out(r->lx->builder))
		return err_set(r->e, ERR_FORMAT, "%s",
			_("a Chrome trace of another program, whose events are of phases that are not read: traces of torch.profiler are read"));
	tsink_finish(&r->sink);
	tmeta_finish(&r->meta, &r->sink);
	return batch(r);
}

bool torch_load_with(struct load_ctx *lx, const char *path, const struct torch_opts *o, struct err *e)
{
	struct trace_reader r = { .lx = lx, .opts = o, .e = e, .cap = TORCH_WINDOW_BYTES };
	bool ok;

	r.src = file_src_open(path, e);
	if (!r.src)
		return false;
	r.feed = (struct tfeed){ .src = r.src, .job = lx->job };
	r.buf = xcalloc(1, r.cap + JSCAN_PAD);
	jscan_init(&r.js, r.buf, 0, 0, false);
	tparser_init(&r.parser);
	tsink_init(&r.sink, lx->builder);
	tmeta_init(&r.meta, lx->builder);
	builder_set_format(lx->builder, FORMAT_TORCH);
	builder_set_bytes(lx->builder, file_src_size(r.src));
	job_stage(lx->job, N_("reading"));
	atomic_store(&lx->job->total, (uint64_t)file_src_size(r.src));
	read_text(&r);
	ok = finish(&r);
	tmeta_fini(&r.meta);
	tsink_fini(&r.sink);
	free(r.buf);
	tfeed_fini(&r.feed);
	file_src_close(r.src);
	return ok;
}

static bool torch_load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct torch_opts o = { .workers = lx->job->workers };

	return torch_load_with(lx, path, &o, e);
}

static int torch_probe(const struct probe *p)
{
	switch (head_json(p)) {
	case JSON_TORCH:
		return 90;
	case JSON_CHROME:
		return 60;
	default:
		return 0;
	}
}

const struct loader loader_torch = {
	.name = "torch",
	.what = N_("torch.profiler trace (Chrome trace JSON, plain or gzip)"),
	.probe = torch_probe,
	.load = torch_load,
};
