/* fuzz_pyinstrument.c - what is this file, small JSON documents, and pyinstrument's trees */
#include "base/decimal.h"
#include "base/jdom.h"
#include "load/identify.h"
#include "tests/fuzz/fuzz.h"

static unsigned walk(const struct jval *v, unsigned depth)
{
	unsigned deepest = depth;
	int64_t x;
	size_t n;

	fuzz_hold(depth <= JDOM_DEPTH_MAX + 1, "nested %u deep", depth);
	if (jval_text(v, &n))
		decimal_scaled(jval_text(v, &n), n, 9, &x, NULL);
	for (const struct jval *c = jval_first(v); c; c = jval_next(c)) {
		unsigned d = walk(c, depth + 1);

		deepest = d > deepest ? d : deepest;
	}
	return deepest;
}

static void check_document(const char *text, size_t n, unsigned depth_max, bool mend)
{
	struct jdom_opts o = { .depth_max = depth_max, .mend = mend };
	struct jdom_report r;
	struct err e = ERR_INIT;
	struct jdom *d = jdom_parse(text, n, &o, &r, &e);

	if (!d) {
		fuzz_hold(e.code == ERR_FORMAT || e.code == ERR_LIMIT, "fails without a reason");
		fuzz_hold(e.offset >= -1 && e.offset <= (int64_t)n, "fault at %lld of %zu", (long long)e.offset, n);
		return;
	}
	if (!mend)
		fuzz_hold(r.cut_at < 0 && r.junk_at < 0, "a damaged text is taken without mend");
	fuzz_hold(r.cut_at <= (int64_t)n && r.junk_at <= (int64_t)n && r.pruned_at <= (int64_t)n, "places beyond the text");
	walk(jdom_root(d), 0);
	jdom_free(d);
}

static void check_identity(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH_MAX];
	struct err e = ERR_INIT;
	struct identity id;

	fuzz_file(data, size, path);
	fuzz_hold(loader_identify(path, &id, &e), "%s", e.text);
	fuzz_hold(id.what && (size || id.empty), "a file that is nothing");
	fuzz_file_close(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;

	check_document((const char *)data, size, 0, false);
	check_document((const char *)data, size, 4, true);
	check_identity(data, size);
	if (fuzz_load(&loader_pyinstrument, data, size, &p))
		fuzz_check_views(p, size);
	else
		profile_unref(p);
	return 0;
}
