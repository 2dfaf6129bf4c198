/* test_base.c - errors, arena, vectors, growing buffers, values made once, JSON writer (base/) */
#include "base/arena.h"
#include "base/err.h"
#include "base/jout.h"
#include "base/lazy.h"
#include "base/sbuf.h"
#include "base/vec.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "tests/lib/tap.h"

static void test_err(void)
{
	struct err e = ERR_INIT;
	char text[512];
	char full[600];

	ok(!err_set(&e, ERR_FORMAT, "column %s is missing", "end"), "err_set is false");
	is_str(e.text, "column end is missing", "text");
	is_int(e.code, ERR_FORMAT, "code");
	is_int(e.offset, -1, "no place yet");
	e.offset = 17;
	ok(!err_wrap(&e, "reading %s", "a.sqlite"), "err_wrap is false");
	is_str(e.text, "reading a.sqlite: column end is missing", "the chain");
	is_int(e.offset, 17, "the place stays");
	is_int(e.code, ERR_FORMAT, "so does the code");
	ok(!err_sys(&e, ENOENT, "opening %s", "x"), "err_sys is false");
	snprintf(text, sizeof(text), "opening x: %s", strerror(ENOENT));
	is_str(e.text, text, "with the system's words");
	ok(e.code == ERR_IO && e.sys == ENOENT && e.offset == -1, "and its number");
	ok(!err_set(NULL, ERR_IO, "x") && !err_sys(NULL, 1, "x") && !err_wrap(NULL, "x"),
	   "not interested");
	memset(full, 'x', sizeof(full));
	full[sizeof(full) - 1] = '\0';
	err_set(&e, ERR_IO, "%s", full);
	is_uint(strlen(e.text), sizeof(e.text) - 1, "too long: cut");
	err_wrap(&e, "p");
	ok(strlen(e.text) < sizeof(e.text) && !strncmp(e.text, "p: xxx", 6), "and wrapped");
	err_wrap(&e, "%s", full);
	ok(strlen(e.text) < sizeof(e.text), "a prefix without end");
}

static void test_exit_status(void)
{
	is_int(err_exit_status(ERR_NONE), 0, "done");
	is_int(err_exit_status(ERR_USAGE), 2, "usage");
	is_int(err_exit_status(ERR_IO), 3, "io");
	is_int(err_exit_status(ERR_FORMAT), 3, "format");
	is_int(err_exit_status(ERR_LIMIT), 4, "limit");
	is_int(err_exit_status(ERR_NOMEM), 4, "memory");
	is_int(err_exit_status(ERR_CANCELLED), 130, "cancelled");
}

static void test_arena(void)
{
	struct arena a = {0};
	char *p[300];
	int bad = 0;

	for (size_t i = 0; i < 300; i++) {
		p[i] = arena_alloc(&a, i * 7 % 1000 + 1);
		memset(p[i], (int)(i & 0xff), i * 7 % 1000 + 1);
		bad += (uintptr_t)p[i] % 16 != 0;
	}
	for (size_t i = 0; i < 300; i++)
		bad += p[i][0] != (char)i || p[i][i * 7 % 1000] != (char)i;
	is_int(bad, 0, "300 objects: aligned, none overlaps another");
	p[0] = arena_alloc(&a, 1 << 20);
	memset(p[0], 1, 1 << 20);
	pass("one larger than a block");
	is_mem(arena_strndup(&a, "a\0b", 3), 4, "a\0b", 4, "a copy with NUL inside, terminated");
	is_str(arena_printf(&a, "%d-%s", 7, "x"), "7-x", "printf");
	is_mem(arena_zalloc(&a, 5), 5, "\0\0\0\0\0", 5, "zeroed");
	ok(a.used_bytes > 1 << 20, "counts what it gave");
	arena_free(&a);
	ok(!a.head && !a.used_bytes, "empty after free");
	is_str(arena_strndup(&a, "again", 5), "again", "and usable");
	arena_free(&a);
}

static void test_vec(void)
{
	VEC(int) v = {0};
	int bad = 0;

	for (int i = 0; i < 1000; i++)
		VEC_PUSH(&v, i * 3);
	for (int i = 0; i < 1000; i++)
		bad += v.a[i] != i * 3;
	is_int(bad, 0, "1000 pushed");
	is_uint(v.n, 1000, "counted");
	ok(v.cap >= 1000 && v.cap < 2000, "capacity %zu grows in proportion", v.cap);
	VEC_RESERVE(&v, 5000);
	ok(v.cap >= 5000 && v.n == 1000 && v.a[999] == 2997, "reserve keeps what is there");
	VEC_FREE(&v);
	ok(!v.a && !v.n && !v.cap, "freed");
}

static void test_sbuf(void)
{
	struct sbuf b = {0};

	is_str(sbuf_str(&b), "", "empty");
	sbuf_puts(&b, "ab");
	sbuf_putc(&b, 'c');
	sbuf_fill(&b, '-', 3);
	sbuf_printf(&b, "%04d", 42);
	is_str(sbuf_str(&b), "abc---0042", "all kinds of put");
	sbuf_put(&b, "\0x", 2);
	is_uint(b.n, 12, "NUL counts");
	sbuf_reset(&b);
	is_str(sbuf_str(&b), "", "reset");
	for (int i = 0; i < 1000; i++)
		sbuf_printf(&b, "%d,", i);
	is_uint(b.n, 10 * 2 + 90 * 3 + 900 * 4, "a thousand pieces");
	sbuf_fini(&b);
}

static void quoted(const char *s, size_t n, const char *want, const char *name)
{
	struct sbuf b = {0};

	jout_quote(&b, s, n);
	is_str(sbuf_str(&b), want, "JSON string: %s", name);
	sbuf_fini(&b);
}

static void test_quote(void)
{
	quoted("", 0, "\"\"", "empty");
	quoted("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"", "quote and backslash");
	quoted("\0\x1f\n\t\x1b", 5, "\"\\u0000\\u001f\\n\\t\\u001b\"", "controls");
	quoted("\xe7\xae\x97", 3, "\"\xe7\xae\x97\"", "UTF-8 as it is");
	quoted("\xff"
	       "a\xe7\xae",
	       4,
	       "\"\xef\xbf\xbd"
	       "a\xef\xbf\xbd\"",
	       "invalid: one U+FFFD for a cut character");
	quoted("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
	       "a surrogate is three faults");
	quoted("\xe2\x80\xae", 3, "\"\\u202e\"", "bidi override");
	quoted("\xc2\x9b\x7f", 3, "\"\\u009b\\u007f\"", "C1 and DEL");
	quoted("\xf3\xa0\x80\x81", 4, "\"\\udb40\\udc01\"", "U+E0001 as a pair");
}

static void test_jout(void)
{
	struct sbuf b = {0};
	struct err e = ERR_INIT;
	struct jout j;

	jout_init(&j, NULL, &b);
	jout_object(&j);
	jout_key(&j, "a");
	jout_array(&j);
	jout_i64(&j, INT64_MIN);
	jout_f64(&j, 0.5);
	jout_f64(&j, NAN);
	jout_f64(&j, INFINITY);
	jout_bool(&j, true);
	jout_null(&j);
	jout_cstr(&j, NULL);
	jout_array(&j);
	jout_end(&j);
	jout_object(&j);
	jout_end(&j);
	jout_end(&j);
	jout_key(&j, "b");
	jout_str(&j, "x", 1);
	jout_end(&j);
	ok(jout_finish(&j, &e), "finish");
	is_str(sbuf_str(&b),
	       "{\"a\": [-9223372036854775808, 0.5, null, null, true, null, null, [], {}], \"b\": "
	       "\"x\"}",
	       "document");
	sbuf_reset(&b);
	jout_init(&j, NULL, &b);
	for (int i = 0; i < JOUT_DEPTH_MAX + 1; i++)
		jout_array(&j);
	ok(!jout_finish(&j, &e) && e.code == ERR_LIMIT, "too deep is an error");
	sbuf_fini(&b);
}

static void test_jout_stream(void)
{
	struct err e = ERR_INIT;
	FILE *full = fopen("/dev/full", "w"), *f = tmpfile();
	struct jout j;

	jout_init(&j, f, NULL);
	jout_array(&j);
	for (int i = 0; i < 50000; i++)
		jout_i64(&j, 10000 + i);
	jout_end(&j);
	ok(jout_finish(&j, &e), "to a stream");
	/* 50000 numbers of 5 digits, ", " between them, two brackets */
	is_int(ftell(f), 50000 * 7 - 2 + 2, "all of it");
	fclose(f);
	if (!full) {
		skip(1, "no /dev/full");
		return;
	}
	jout_init(&j, full, NULL);
	jout_null(&j);
	ok(!jout_finish(&j, &e) && e.code == ERR_IO && e.sys == ENOSPC, "a full disk is reported");
	fclose(full);
}

struct counted {
	struct lazy lazy;
	atomic_int made, dropped;
	bool none;
};

static struct counted *counted_now;

static void drop_counted(void *made)
{
	atomic_fetch_add((atomic_int *)made, 1);
}

/* Slow, so that the other threads come while it is under way. */
static void *make_counted(const void *of)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	atomic_fetch_add(&counted_now->made, 1);
	return ((const struct counted *)of)->none ? NULL : &counted_now->dropped;
}

static void *ask_counted(void *arg)
{
	struct counted *c = arg;

	return lazy_make(&c->lazy, make_counted, c, drop_counted);
}

static void test_lazy(void)
{
	struct counted c = { .none = false };
	pthread_t t[4];
	void *got[4];

	counted_now = &c;
	lazy_init(&c.lazy);
	ok(!lazy_peek(&c.lazy), "lazy: nothing is there before somebody asks");
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, ask_counted, &c);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], &got[i]);
	is_int(c.made, 1, "lazy: four threads, made once");
	for (int i = 0; i < 4; i++)
		ok(got[i] == &c.dropped, "lazy: thread %d has it", i);
	ok(lazy_peek(&c.lazy) == &c.dropped && !c.dropped, "lazy: it is there");
	lazy_fini(&c.lazy);
	is_int(c.dropped, 1, "lazy: dropped once");
	c.none = true;
	c.made = c.dropped = 0;
	lazy_init(&c.lazy);
	ok(!ask_counted(&c) && !ask_counted(&c), "lazy: what cannot be made");
	is_int(c.made, 1, "lazy: is tried once");
	lazy_fini(&c.lazy);
	is_int(c.dropped, 0, "lazy: and not dropped");
}

int main(void)
{
	test_err();
	test_exit_status();
	test_arena();
	test_vec();
	test_sbuf();
	test_quote();
	test_lazy();
	test_jout();
	test_jout_stream();
	return done_testing();
}
