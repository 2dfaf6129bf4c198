/*
 * test_jcut.c - the scanner that cuts a JSON list, in every way that it can run, against one that goes byte by byte
 */
#include "base/jcut.h"
#include "base/mem.h"
#include "tests/lib/tap.h"

static uint64_t seed = 1;

static unsigned dice(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

/* The meaning of the thing, a byte at a time; cuts in front of `from` are not told. */
static size_t by_byte(struct jcut *k, const char *p, size_t n, size_t from)
{
	size_t cut = JCUT_NONE;

	for (size_t i = 0; i < n && !k->ended; i++) {
		bool escaped = k->escape;

		k->escape = !escaped && p[i] == '\\';
		if (p[i] == '"' && !escaped)
			k->in_string = !k->in_string;
		else if (k->in_string)
			continue;
		else if (p[i] == '{' || p[i] == '[')
			k->depth++;
		else if (p[i] == '}' || p[i] == ']')
			k->ended = --k->depth < 0;
		else if (p[i] == ',' && !k->depth && i >= from)
			cut = i + 1;
	}
	return cut;
}

/* Bytes that matter, mostly; deep: seldom a bracket that closes the list. */
static void scramble(char *text, size_t n)
{
	static const char bytes[] = "\"\"\\\\{}[],,  ab:;{\"\n\xc3\x80";

	for (size_t i = 0; i < n; i++)
		text[i] = i % 7 == 3 ? '{' : bytes[dice(sizeof(bytes) - 1)];
}

/* One text in pieces of random lengths. */
static const char *differs(const char *text, size_t n)
{
	struct jcut want = { 0 }, got = { 0 };

	for (size_t at = 0, len; at < n && !want.ended; at += len) {
		size_t from, a, b;

		len = 1 + dice(dice(4) ? 200 : 3);
		if (len > n - at)
			len = n - at;
		from = dice(2) ? 0 : dice((unsigned)len + 1);
		a = by_byte(&want, text + at, len, from);
		b = jcut_scan(&got, text + at, len, from);
		if (want.ended != got.ended || (!want.ended && want.depth != got.depth))
			return "depth";
		/* in front of `from` it may tell a cut of the same 64 bytes */
		if (a != JCUT_NONE ? a != b : b != JCUT_NONE && b > from)
			return "cut";
		if (!want.ended && (want.in_string != got.in_string || want.escape != got.escape))
			return "strings";
	}
	return NULL;
}

static void random_texts(const char *way)
{
	char text[2000];
	const char *bad = NULL;
	unsigned i;

	for (i = 0; i < 3000 && !bad; i++) {
		scramble(text, sizeof(text));
		bad = differs(text, sizeof(text));
	}
	ok(!bad, "%s: random texts (%s differs in text %u)", way, bad ? bad : "nothing", i);
}

static void known_texts(const char *way)
{
	static const char list[] = "{\"a\": \"},{\"}, [1, 2], {\"b\\\\\": \"\\\",\"},\n {\"open\": [";
	struct jcut k = { 0 };
	size_t n = sizeof(list) - 1;

	is_uint(jcut_scan(&k, list, n, 0), (uint64_t)(strstr(list, ",\n") + 1 - list), "%s: behind the last whole element", way);
	is_int(k.depth, 2, "%s: two brackets are open", way);
	ok(!k.ended && !k.in_string, "%s: the list goes on", way);
	is_uint(jcut_scan(&k, "1]}, 5]  , {", 12, 0), 4, "%s: up to the end of the list", way);
	ok(k.ended, "%s: which ends there", way);
}

int main(void)
{
	for (const char *const *w = jcut_ways(); *w; w++) {
		ok(jcut_use(*w), "%s can be used", *w);
		is_str(jcut_way(), *w, "%s is in use", *w);
		known_texts(*w);
		random_texts(*w);
	}
	ok(!jcut_use("none of them"), "an unknown way is refused");
	jcut_use(NULL);
	is_str(jcut_way(), jcut_ways()[0], "the best one is taken by itself");
	return done_testing();
}
