/*
 * test_tshape.c - events read by their shape are what the parser makes of them: every member, and where it ends; with values
 * of all kinds in every gap, and with bytes spoilt at random; for every set of instructions that this build has
 */
#include "base/mem.h"
#include "base/sbuf.h"
#include "tests/lib/same_tev.h"
#include "tests/lib/tap.h"

static uint64_t seed = 7;
static struct tparser parser;

static unsigned dice(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

/* ---- texts ---- */

/* Plain values mostly, so that events fit; the others are what a shape must not take, or must take in the parser's sense. */
static const char *value(void)
{
	static const char *const plain[] = { "7", "0", "41210", "123456", "1759276800000", "9876543210123456" };
	static const char *const odd[] = {
		"-1", "-41210", "null", "N/A", "NaN", "true", "12345678901234567", "123456789012345678901", "99999999999999999999999",
		"1e3", "1.5", "007", "-", "\"9\"", "\"\"", "\"a\\\"b\"", "[1, 2]", "{\"a\": \"}\"}", "", "0x1f", "+5", "[]", "12 ", "1\t",
	};

	return dice(8) ? plain[dice(6)] : odd[dice(sizeof(odd) / sizeof(*odd))];
}

static const char *time_value(void)
{
	static const char *const texts[] = {
		"5123200128456.789", "5123200128458.089", "5123200128458", "5123200199999.5", "12.345", "9", "0", "1.", ".5", "1.2345",
		"9223372036854775.807", "9223372036854775.9", "9999999999999999.999", "12345678.123", "1234567.12", "123456789.1",
		"-1.5", "1e6", "null", "\"5.5\"", "17122345678901234.391",
	};

	return texts[dice(3) ? dice(4) : dice(sizeof(texts) / sizeof(*texts))];
}

static const char *dim_value(void)
{
	static const char *const texts[] = {
		"[1, 1, 1]", "[128, 1, 1]", "[1,2,3]", "[ 1, 2, 3 ]", "[1, 2]", "[1, 2, 3, 4]", "[]", "[-1, 1, 1]", "[12345678, 1, 1]",
		"[1.5, 1, 1]", "null", "\"grid(1,)\"", "[1 2 3]", "[\n  336,\n  1,\n  1\n ]", "[\n  7\n  , 1,\t1 ]", "[1, 1, 1", "[, 1, 1]",
	};

	return texts[dice(4) ? dice(3) : dice(sizeof(texts) / sizeof(*texts))];
}

static const char *text_value(void)
{
	static const char *const texts[] = {
		"aten::mm", "void gemm<float, 4>(int, {lambda()#1}, char*)", "", "x", "a \\\"quoted\\\" name", "back\\\\", "caf\xc3\xa9",
		"sixteen bytes ..", "stream 7", "41210",
	};

	return texts[dice(sizeof(texts) / sizeof(*texts))];
}

/* A list or an object of up to some hundred bytes: strings with brackets in them, now and then an escape, or one bracket too few. */
static void put_nest(struct sbuf *b)
{
	static const char *const parts[] = {
		"[", "[", "{\"k\": ", "[]", "12", "-3, 4", "\"float\"", "\"\"", "\"a ] b } c\"", "\"[{\"", "\"a list of a string that is long, [1, 2\"", ", ",
	};
	static const char *const rare[] = { "\"\\\"]\"", "\"back\\\\\"", "\\", "]", "}" };
	char open[16];
	unsigned depth = 0, n = dice(24);

	sbuf_puts(b, "[");
	open[depth++] = ']';
	for (unsigned i = 0; i < n && depth; i++) {
		unsigned k = dice(sizeof(parts) / sizeof(*parts));

		if (!dice(150)) {
			sbuf_puts(b, rare[dice(sizeof(rare) / sizeof(*rare))]);
		} else if (!dice(3)) {
			sbuf_putc(b, open[--depth]);
		} else if (k > 2 || depth < sizeof(open)) {
			sbuf_puts(b, parts[k]);
			if (k < 3)
				open[depth++] = k < 2 ? ']' : '}';
		}
	}
	while (depth)
		sbuf_putc(b, open[--depth]);
}

/* One of some layouts; pretty ones have lines. */
static void put_event(struct sbuf *b)
{
	const char *nl = dice(2) ? "\n    " : "";

	switch (dice(8)) {
	case 7:
		sbuf_printf(b, "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": %s, \"tid\": %s, \"ts\": %s, \"dur\": %s, \"args\": {"
			"\"Sequence number\": %s, \"Fwd thread id\": %s, \"Concrete Inputs\": ", text_value(), value(), value(), time_value(), time_value(),
			value(), value());
		put_nest(b);
		sbuf_printf(b, ", %s\"Input Dims\": ", nl);
		put_nest(b);
		sbuf_puts(b, "}}");
		break;
	case 6:
		sbuf_printf(b, "{%s\"ph\": \"%s\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"%s\", \"pid\": %s, \"tid\": %s, \"ts\": %s, \"args\": "
			"{\"Device Type\": %s, \"Addr\": %s, \"Bytes\": %s}}", nl, dice(4) ? "i" : dice(2) ? "C" : "t", text_value(), value(), value(),
			time_value(), value(), value(), value());
		break;
	case 0:
		sbuf_printf(b, "{%s\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": %s, \"tid\": %s,%s\"ts\": %s, \"dur\": %s,%s"
			"\"args\": {%s\"External id\": %s,\"Record function id\": %s, \"Ev Idx\": %s%s}%s}", nl, text_value(), value(), value(),
			nl, time_value(), time_value(), nl, nl, value(), value(), value(), nl, nl);
		break;
	case 1:
		sbuf_printf(b, "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": %s, \"tid\": %s, \"ts\": %s, \"dur\": %s, \"args\": "
			"{\"queued\": %s, \"device\": %s, \"context\": %s, \"stream\": %s, \"correlation\": %s, \"registers per thread\": %s, ",
			text_value(), value(), value(), time_value(), time_value(), value(), value(), value(), value(), value(), value());
		sbuf_printf(b, "\"shared memory\": %s, \"grid\": %s, \"block\": %s, \"blocks per SM\": %s}}", value(), dim_value(), dim_value(),
			time_value());
		break;
	case 2:
		sbuf_printf(b, "{\"ph\": \"%s\", \"id\": %s, \"pid\": %s, \"tid\": %s, \"ts\": %s,%s\"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"}",
			dice(2) ? "s" : "f", value(), value(), value(), time_value(), nl);
		break;
	case 3:
		sbuf_printf(b, "{\"name\": \"%s\", \"ph\": \"X\", \"tid\": \"%s\", \"pid\": \"%s\", \"cat\": \"Trace\", \"dur\": %s, \"ts\": %s}",
			text_value(), text_value(), text_value(), time_value(), time_value());
		break;
	case 4:
		sbuf_printf(b, "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"%s\",\"pid\":%s,\"tid\":%s,\"ts\":%s,\"dur\":%s,\"args\":{\"Python id\":%s,"
			"\"Input Dims\":[[2,%s],[],\"[\"],\"Python parent id\":%s,\"kind\":\"%s\",\"bytes\":%s}}", text_value(), value(), value(),
			time_value(), time_value(), value(), value(), value(), text_value(), value());
		break;
	default:
		sbuf_printf(b, "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %s, \"pid\": %s, \"tid\": %s, \"args\": {\"name\": \"%s\", \"stream\": %s}}",
			value(), value(), value(), text_value(), value());
		break;
	}
}

static void spoil(struct sbuf *b)
{
	static const char bytes[] = "\"\"\\{}[],: \n0-x";
	size_t at = dice((unsigned)b->n);

	b->s[at] = dice(9) ? bytes[dice(sizeof(bytes) - 1)] : '\0';
}

/* ---- comparing ---- */

/* Both on one text; *good: the parser took it; *known: set where it has a shape. */
static const char *compare(struct tshapes *t, const char *text, size_t n, bool last, bool *good, struct tknown **known)
{
	struct jscan a, b;
	const struct tev *eb;
	struct tev ea;
	enum jstat sa, sb;

	jscan_init(&a, text, n, 1000, last);
	b = a;
	sa = tparser_event(&parser, &a, &ea);
	sb = tshapes_event(t, &parser, &b, &eb, known);
	*good = sa == JS_OK;
	if (sa != sb)
		return "status";
	if (a.p != b.p)
		return "where it ends";
	return *good ? same_tev(&ea, eb) : NULL;
}

static void many(const char *way, bool spoilt, unsigned want_good)
{
	struct tshapes *t = tshapes_new(way);
	unsigned good = 0, fits = 0, i;
	const char *bad = NULL;

	for (i = 0; i < 60000 && !bad; i++) {
		struct sbuf b = { 0 };
		struct tknown *known;
		char *text;
		bool is_good;

		/* too many shapes were learned of odd values: begin anew */
		if (i % 1000 == 999) {
			tshapes_free(t);
			t = tshapes_new(way);
		}
		put_event(&b);
		if (spoilt && dice(2))
			spoil(&b);
		sbuf_puts(&b, dice(3) ? ",\n  {" : "");
		/* a block of its own: a sanitizer sees who reads behind the padding */
		text = xcalloc(1, b.n + JSCAN_PAD);
		memcpy(text, b.s, b.n);
		bad = compare(t, text, b.n, dice(2), &is_good, &known);
		good += is_good;
		fits += is_good && known;
		if (bad)
			diag("%s differs: %.*s", bad, (int)b.n, b.s);
		free(text);
		sbuf_fini(&b);
	}
	ok(!bad, "%s, %s: %u events are the same by shape and by parser", way, spoilt ? "spoilt" : "whole", i);
	ok(good > want_good, "%u of them are events", good);
	ok(fits > good / 10, "%u of those had a shape", fits);
	tshapes_free(t);
}

int main(void)
{
	static const char *const ways[] = { "sse2", "plain" };
	unsigned usable = 0;

	tparser_init(&parser);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct tshapes *t = tshapes_new(ways[i]);

		tshapes_free(t);
		if (!t)
			continue;
		usable++;
		many(ways[i], false, 30000);
		many(ways[i], true, 15000);
	}
	ok(usable > 0, "%u sets of instructions are in this build", usable);
	return done_testing();
}
