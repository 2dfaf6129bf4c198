/*
 * fuzz_shape.c - events by shape are what the parser makes of them, and a trace read in batches on several threads is what the
 * reader gets that goes event by event. The input is a trace, or any text: an event is tried at every bracket.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/lib/same_profile.h"
#include "tests/lib/same_tev.h"

/* From every bracket on, twice: shapes that were learned of one event are tried on all. */
static void check_events(const char *text, size_t n, const struct tparser *parser)
{
	struct tshapes *t = tshapes_new(NULL);

	for (size_t i = 0; i < 2 * n; i++) {
		size_t at = i % n;
		struct tknown *known;
		const struct tev *eb;
		struct jscan a, b;
		enum jstat sa, sb;
		struct tev ea;

		if (text[at] != '{')
			continue;
		jscan_init(&a, text + at, n - at, (int64_t)at, at & 1);
		b = a;
		sa = tparser_event(parser, &a, &ea);
		sb = tshapes_event(t, parser, &b, &eb, &known);
		fuzz_hold(sa == sb && a.p == b.p, "at %zu: by the parser %u to %td, by shape %u to %td", at, sa, a.p - text, sb, b.p - text);
		if (sa == JS_OK)
			fuzz_hold(!same_tev(&ea, eb), "at %zu: %s", at, same_tev(&ea, eb));
	}
	tshapes_free(t);
}

static struct profile *load(const char *path, const struct torch_opts *o)
{
	struct job job = { 0 };
	struct load_ctx lx = { builder_new(), &job, NULL, NULL };
	struct profile *p = NULL;
	struct err e = ERR_INIT;

	if (torch_load_with(&lx, path, o, &e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	return p;
}

static void check_trace(const uint8_t *data, size_t size)
{
	static const struct torch_opts ways[] = {
		{ .one_by_one = true, .workers = 1 }, { .workers = 1, .batch_bytes = 300 }, { .workers = 3, .batch_bytes = 500 },
	};
	struct profile *p[3];
	char path[FUZZ_PATH_MAX];

	fuzz_file(data, size, path);
	for (size_t i = 0; i < 3; i++) {
		p[i] = load(path, &ways[i]);
		fuzz_hold(!p[0] == !p[i], "%u workers: read by one of them only", ways[i].workers);
		if (p[i])
			fuzz_hold(!same_profile(p[0], p[i]), "%u workers: %s", ways[i].workers, same_profile(p[0], p[i]));
	}
	for (size_t i = 0; i < 3; i++)
		profile_unref(p[i]);
	fuzz_file_close(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tparser parser;
	char *text;

	if (!size)
		return 0;
	if (!parser.event.keys)
		tparser_init(&parser);
	text = calloc(1, size + JSCAN_PAD);
	memcpy(text, data, size);
	check_events(text, size, &parser);
	free(text);
	check_trace(data, size);
	return 0;
}
