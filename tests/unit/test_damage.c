/*
 * test_damage.c - generated damage: every byte of a trace broken in turn, values out of all range, nesting without end, and every
 * page of a database overwritten. What is sound is kept, what is lost is counted, with its place.
 */
#include <sqlite3.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sbuf.h"
#include "load/read/json_kind.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "tests/lib/tap.h"

static char scratch[64];

static void write_file(const char *text, size_t n)
{
	FILE *f = fopen(scratch, "wb");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0) {
		fail("cannot write %s", scratch);
		exit(done_testing());
	}
}

static struct profile *load_with(const struct loader *l, const char *text, size_t n, struct err *e)
{
	struct job job = { 0 };
	struct load_ctx lx = { .builder = builder_new(), .job = &job };
	struct profile *p = NULL;

	*e = (struct err)ERR_INIT;
	write_file(text, n);
	if (l->load(&lx, scratch, e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	return p;
}

static struct profile *load(const char *text, size_t n)
{
	struct err e;

	return load_with(&loader_torch, text, n, &e);
}

static const struct damage *damage(const struct profile *p, const char *part)
{
	static const struct damage none = { "", -2, 0 };

	for (uint32_t i = 0; i < p->n_damages; i++)
		if (strstr(p->damages[i].what, part))
			return &p->damages[i];
	return &none;
}

static ev_id find(const struct profile *p, const char *name)
{
	str_id id = profile_str_find(p, name, strlen(name));

	for (ev_id e = 0; e < p->n && id != ID_NONE; e++)
		if (p->name[e] == id)
			return e;
	return ID_NONE;
}

/* ---- one byte of a trace at a time ------------------------------------------------------------- */

enum { EVENTS = 8 };

/* op0 … op7, 5 us each, one every 10 us */
static void make_trace(struct sbuf *b, const char *between)
{
	sbuf_reset(b);
	sbuf_puts(b, "{\"schemaVersion\": 1, \"traceEvents\": [");
	for (int i = 0; i < EVENTS; i++)
		sbuf_printf(b, "%s%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op%d\", \"pid\": 1, \"tid\": 1, "
			"\"ts\": %d, \"dur\": 5, \"args\": {\"External id\": %d}}", i ? "," : "", between, i, 1000 + 10 * i, i + 1);
	sbuf_puts(b, "], \"traceName\": \"x\"}");
}

/* Events that are there as they were written. */
static int intact(const struct profile *p)
{
	int n = 0;

	for (int i = 0; i < EVENTS; i++) {
		char name[16];
		ev_id e;

		snprintf(name, sizeof(name), "op%d", i);
		e = find(p, name);
		n += e != ID_NONE && p->start[e] == (1000 + 10 * i) * 1000 && p->dur[e] == 5000;
	}
	return n;
}

struct tally {
	unsigned tried, unread, lost_more, silent;
	size_t first;		/* place of the first that lost more than the event at hand and its neighbour */
	char byte;
};

/* Loads a broken text; a break inside the events (from, to) may cost the event that it is in and the one behind. */
static void try_broken(struct tally *t, const char *text, size_t n, size_t at, char byte)
{
	struct profile *p = load(text, n);
	int left;

	t->tried++;
	if (!p) {
		t->unread++;
		return;
	}
	left = intact(p);
	if (left < EVENTS - 2 && !t->lost_more++) {
		t->first = at;
		t->byte = byte;
	}
	t->silent += p->n < EVENTS && !p->n_damages;
	profile_unref(p);
}

static void each_byte(const char *between, const char *what)
{
	static const char bytes[] = "\"{}[],:\\\n\x01\xff";
	struct tally over = { 0 }, in = { 0 }, out = { 0 };
	struct sbuf b = { 0 }, c = { 0 };
	size_t from, n;

	make_trace(&b, between);
	n = b.n;
	from = (size_t)(strchr(b.s, '[') - b.s) + 1;
	for (size_t at = from; at < n; at++) {
		for (size_t k = 0; k < sizeof(bytes) - 1; k++) {
			sbuf_reset(&c);
			sbuf_put(&c, b.s, n);
			c.s[at] = bytes[k];
			try_broken(&over, c.s, n, at, bytes[k]);
			sbuf_reset(&c);
			sbuf_put(&c, b.s, at);
			sbuf_putc(&c, bytes[k]);
			sbuf_put(&c, b.s + at, n - at);
			try_broken(&in, c.s, n + 1, at, bytes[k]);
		}
		sbuf_reset(&c);
		sbuf_put(&c, b.s, at);
		sbuf_put(&c, b.s + at + 1, n - at - 1);
		try_broken(&out, c.s, n - 1, at, 0);
	}
	for (int i = 0; i < 3; i++) {
		const struct tally *t = i == 0 ? &over : i == 1 ? &in : &out;
		const char *how = i == 0 ? "overwritten" : i == 1 ? "put in" : "left out";

		is_uint(t->unread, 0, "%s: a byte %s, %u times: the trace is read", what, how, t->tried);
		if (!is_uint(t->lost_more, 0, "%s: a byte %s: no more is lost than the event and its neighbour", what, how))
			diag("first at byte %zu: %#x before \"%.40s\"", t->first, (unsigned char)t->byte, b.s + t->first);
		is_uint(t->silent, 0, "%s: a byte %s: nothing is lost without a word", what, how);
	}
	sbuf_fini(&b);
	sbuf_fini(&c);
}

/* ---- values ------------------------------------------------------------------------------------ */

#define OP(ts, dur, more) "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"x\", \"pid\": 1, \"tid\": 1, \"ts\": " ts \
	", \"dur\": " dur more "}"
#define GOOD "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"good\", \"pid\": 1, \"tid\": 1, \"ts\": 5000, \"dur\": 7}"

/* What becomes of an event: dur -1 = it is not there. what: the damage, NULL none. */
static void values(void)
{
	static const struct {
		const char *event;
		ns_t start, dur;
		const char *what;
	} cases[] = {
		{ OP("100", "0", ""), 100000, 0, NULL },
		{ OP("100", "-1", ""), 100000, 0, "negative" },
		{ OP("100", "-9223372036854775808", ""), 100000, 0, "negative" },
		{ OP("100", "9223372036854775807", ""), 100000, 0, "impossible duration" },
		{ OP("100", "1e300", ""), 100000, 0, "impossible duration" },
		{ OP("100", "1e15", ""), 100000, INT64_C(1000000000000000000), NULL },	/* 31 years: absurd, but a length */
		{ OP("1e300", "5", ""), 0, -1, "impossible time" },
		{ OP("-9223372036854775808", "5", ""), 0, -1, "impossible time" },
		{ OP("18446744073709551616", "5", ""), 0, -1, "impossible time" },
		{ OP("-100.5", "5", ""), -100500, 5000, NULL },
		{ OP("NaN", "5", ""), 0, -1, "without a time" },
		{ OP("null", "5", ""), 0, -1, "without a time" },
		{ OP("{}", "5", ""), 0, -1, "without a time" },
		{ OP("100", "Infinity", ""), 100000, 0, "no numbers" },
		{ OP("100", "N/A", ""), 100000, 0, "no numbers" },
		{ OP("100", "[]", ""), 100000, 0, "no numbers" },
		{ OP("\"100.25\"", "\"2.5\"", ""), 100250, 2500, NULL },
		{ OP("100", "5", ", \"args\": {\"External id\": NaN, \"Input Dims\": [N/A, -inf]}"), 100000, 5000, NULL },
		{ OP("100", "5", ", \"args\": {,}"), 100000, 5000, NULL },
		{ OP("100", "5", ", \"args\": 7"), 100000, 5000, NULL },
		{ OP("100", "5", ", \"dur\": 9"), 100000, 9000, NULL },	/* of equal keys the last */
		{ OP("100", "5", ", \"ts\": 200, \"ts\": 300"), 300000, 5000, NULL },
		{ OP("100", "5", ", \"args\": {\"External id\": 18446744073709551615}, \"tid\": 1"), 100000, 5000, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = xasprintf("{\"schemaVersion\": 1, \"traceEvents\": [%s,%s]}", cases[i].event, GOOD);
		struct profile *p = load(text, strlen(text));
		ev_id e = p ? find(p, "x") : ID_NONE;

		ok(p && find(p, "good") != ID_NONE, "the event behind is read: %s", cases[i].event);
		if (cases[i].dur < 0)
			ok(e == ID_NONE, "it is left out");
		else if (ok(e != ID_NONE, "it is there"))
			ok(p->start[e] == cases[i].start && p->dur[e] == cases[i].dur, "at %lld for %lld ns",
				(long long)cases[i].start, (long long)cases[i].dur);
		if (cases[i].what)
			ok(damage(p, cases[i].what)->count == 1 && damage(p, cases[i].what)->offset == strchr(text, '[') + 1 - text,
				"%s: counted once, with its place", cases[i].what);
		else
			is_uint(p->n_damages, 0, "which is no damage");
		profile_unref(p);
		free(text);
	}
}

/* Ids beyond 2^63 and below 0 stay distinct, and still link a kernel to its launch. */
static void ids(void)
{
	static const char *const id[] = { "9223372036854775808", "9223372036854775813", "18446744073709551614", "4294967296", "0x1f" };

	for (size_t i = 0; i < sizeof(id) / sizeof(*id); i++) {
		char *text = xasprintf("{\"schemaVersion\": 1, \"traceEvents\": [\n"
			"{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": %s, \"tid\": %s, \"ts\": 10, "
			"\"dur\": 5, \"args\": {\"correlation\": %s}},\n"
			"{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"other\", \"pid\": 1, \"tid\": 1, \"ts\": 10, \"dur\": 5, "
			"\"args\": {\"correlation\": 7}},\n"
			"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": 20, \"dur\": 5, "
			"\"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %s}}]}", id[i], id[i], id[i], id[i]);
		struct profile *p = load(text, strlen(text));
		ev_id k = p ? find(p, "k") : ID_NONE;

		if (!ok(k != ID_NONE && p->n == 3, "%s: three events", id[i]))
			exit(done_testing());
		ok(p->link[k] == find(p, "cudaLaunchKernel"), "%s: the kernel knows its launch", id[i]);
		is_uint(p->n_threads, 2, "%s: two threads", id[i]);
		is_uint(p->n_damages, 0, "%s: which is no damage", id[i]);
		profile_unref(p);
		free(text);
	}
}

/* ---- nesting ----------------------------------------------------------------------------------- */

enum { DEEP = 10000 };

static void put_deep(struct sbuf *b, const char *open, const char *close)
{
	for (int i = 0; i < DEEP; i++)
		sbuf_puts(b, open);
	sbuf_putc(b, '1');
	for (int i = 0; i < DEEP; i++)
		sbuf_puts(b, close);
}

/* A value nested 10 000 deep at each place of the file: `kept` of its two sound events are found. */
static void nesting(void)
{
	static const struct {
		const char *before, *open, *close, *behind, *what;
		unsigned damages;
	} cases[] = {
		{ "{\"a\": ", "[", "]", ", \"schemaVersion\": 1, \"traceEvents\": [" GOOD "," OP("1", "2", "") "]}", "before the events", 0 },
		{ "{\"a\": ", "{\"a\": ", "}", ", \"schemaVersion\": 1, \"traceEvents\": [" GOOD "," OP("1", "2", "") "]}",
			"objects before the events", 0 },
		{ "{\"schemaVersion\": 1, \"traceEvents\": [" GOOD "," OP("1", "2", "") "], \"a\": ", "[", "]", "}", "behind them", 0 },
		{ "{\"schemaVersion\": 1, \"traceEvents\": [" GOOD ",", "[", "]", "," OP("1", "2", "") "]}", "between them", 1 },
		{ "{\"schemaVersion\": 1, \"traceEvents\": [" GOOD ",{\"ph\": \"X\", \"args\": ", "{\"a\": ", "}", "}," OP("1", "2", "") "]}",
			"in the args of one without a time", 1 },
		{ "{\"schemaVersion\": 1, \"traceEvents\": [" GOOD "," OP("1", "2", "") ",", "[", "", "", "never closed", 1 },
		{ "{\"schemaVersion\": 1, \"traceEvents\": [" GOOD "," OP("1", "2", "") "]}", "", "]}", "", "closed too often", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sbuf b = { 0 };
		struct profile *p;

		sbuf_puts(&b, cases[i].before);
		put_deep(&b, cases[i].open, cases[i].close);
		sbuf_puts(&b, cases[i].behind);
		p = load(b.s, b.n);
		ok(p && find(p, "good") != ID_NONE && find(p, "x") != ID_NONE, "10 000 deep %s: both events are there", cases[i].what);
		ok(p && (cases[i].damages ? p->n_damages : !p->n_damages), "10 000 deep %s: %s", cases[i].what,
			cases[i].damages ? "and what is lost is told" : "nothing is lost");
		if (p)
			profile_unref(p);
		sbuf_fini(&b);
	}
}

/* ---- a database, page by page ------------------------------------------------------------------ */

enum { ROWS = 300, PAGE = 512 };

static void make_database(void)
{
	static const char *const sql[] = {
		"PRAGMA page_size=512",
		"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)",
		"INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm')",
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER)",
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
			"correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER)",
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299) INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME "
			"SELECT 1000 * i, 1000 * i + 100, 281474993487889, i, 1 FROM n",
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
			"SELECT 1000 * i + 200, 1000 * i + 900, 0, 1, 7, i, 281474993487872, 2, 2 FROM n",
	};
	sqlite3 *h = NULL;

	unlink(scratch);
	if (sqlite3_open(scratch, &h) != SQLITE_OK)
		fail("no database in %s", scratch);
	for (size_t i = 0; i < sizeof(sql) / sizeof(*sql); i++)
		ok(sqlite3_exec(h, sql[i], NULL, NULL, NULL) == SQLITE_OK, "statement %zu", i);
	sqlite3_close(h);
}

static struct sbuf read_scratch(void)
{
	struct sbuf b = { 0 };
	FILE *f = fopen(scratch, "rb");
	size_t n;

	while (f && (n = fread(sbuf_reserve(&b, PAGE), 1, PAGE, f)) > 0)
		b.n += n;
	if (f)
		fclose(f);
	return b;
}

static uint32_t layer_count(const struct profile *p, enum layer l)
{
	return p->layer_first[l + 1] - p->layer_first[l];
}

/* Every row that is there must be one that was written: page damage loses, but does not invent. */
static unsigned invented(const struct profile *p)
{
	unsigned n = 0;

	for (ev_id e = 0; e < p->n; e++)
		n += e < p->layer_first[LAYER_KERNEL] ? p->start[e] % 1000 != 0 || p->dur[e] != 100 :
			p->start[e] % 1000 != 200 || p->dur[e] != 700;
	return n;
}

static void pages(void)
{
	static const struct {
		int fill;
		const char *what;
	} fills[] = { { 0xff, "of ff" }, { 0, "of 00" }, { 'x', "of text" } };
	struct sbuf whole;
	size_t n_pages;

	make_database();
	whole = read_scratch();
	n_pages = whole.n / PAGE;
	ok(n_pages > 30, "%zu pages", n_pages);
	for (size_t f = 0; f < sizeof(fills) / sizeof(*fills); f++) {
		unsigned refused = 0, silent = 0, wrong = 0, both_lost = 0;

		for (size_t page = 1; page < n_pages; page++) {
			struct sbuf b = { 0 };
			struct err e;
			struct profile *p;

			sbuf_put(&b, whole.s, whole.n);
			memset(b.s + page * PAGE, fills[f].fill, PAGE);
			p = load_with(&loader_nsys_sqlite, b.s, b.n, &e);
			sbuf_fini(&b);
			if (!p) {
				refused += e.code == ERR_NONE || !e.text[0];
				continue;
			}
			silent += p->n < 2 * ROWS && !p->n_damages;
			wrong += invented(p);
			both_lost += layer_count(p, LAYER_RUNTIME) < ROWS && layer_count(p, LAYER_KERNEL) < ROWS;
			profile_unref(p);
		}
		is_uint(refused, 0, "a page %s, each in turn: no file is refused without a reason", fills[f].what);
		is_uint(silent, 0, "a page %s: no row is lost without a word", fills[f].what);
		is_uint(wrong, 0, "a page %s: no row is invented", fills[f].what);
		is_uint(both_lost, 0, "a page %s: the damage of one table costs no other its rows", fills[f].what);
	}
	sbuf_fini(&whole);
}

int main(void)
{
	snprintf(scratch, sizeof(scratch), "test_damage.%ld.tmp", (long)getpid());
	each_byte("\n", "a trace with a line an event");
	each_byte("", "a trace in one line");
	values();
	ids();
	nesting();
	pages();
	unlink(scratch);
	return done_testing();
}
