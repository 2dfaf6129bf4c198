/*
 * test_ahead.c - traces read in batches by several threads are what the reader gets that goes event by event: names, ids,
 * links, damage and its offsets; plain, gzip, whole, damaged in many ways, and the corpus where it is there
 */
#include <unistd.h>

#include "base/fileio.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/sbuf.h"
#include "load/torch/torch_impl.h"
#include "tests/lib/same_profile.h"
#include "tests/lib/tap.h"

static const char *scratch;
static uint64_t seed = 1;

static unsigned dice(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

static struct profile *load(const char *path, bool one_by_one, unsigned workers, size_t batch)
{
	struct job job = { 0 };
	struct load_ctx lx = { .builder = builder_new(), .job = &job };
	struct torch_opts o = { .one_by_one = one_by_one, .workers = workers, .batch_bytes = batch };
	struct profile *p = NULL;
	struct err e = ERR_INIT;

	if (torch_load_with(&lx, path, &o, &e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	return p;
}

/* NULL, or what differs from the reference. */
static const char *compare(const char *path, const struct profile *want, unsigned workers, size_t batch)
{
	struct profile *got = load(path, false, workers, batch);
	const char *bad;

	if (!want || !got)
		bad = !want && !got ? NULL : "only one of them could be read";
	else
		bad = same_profile(want, got);
	if (got)
		profile_unref(got);
	return bad;
}

/* ---- texts ---- */

static const char *const names[] = {
	"aten::mm", "aten::add_", "cudaLaunchKernel", "void gemm<float, 4>(int, {lambda()#1}, char*)", "a \\\"quoted\\\" name",
	"back\\\\slash", "Memcpy HtoD (Pinned -> Device)", "", "caf\xc3\xa9 \\u00e9", "torch/nn.py(12): forward", "]}, {", "stream 7",
};
#define N_NAMES (sizeof(names) / sizeof(*names))

static const char *const stacks[] = {
	"", ", \"Call stack\": \"a.py(1): f;t.py(7): <module>\"", ", \"Call stack\": \"\"", ", \"Call stack\": \"b\\\\c.py(2): g;t.py(7): <module>\"",
	", \"Call stack\": null", ", \"Call stack\": \"d.py(3): h;a.py(1): f;t.py(7): <module>\"", ", \"Call stack\": \";;a.py(1): f;\"",
};
#define N_STACKS (sizeof(stacks) / sizeof(*stacks))

static void put_args(struct sbuf *b, unsigned kind, unsigned i)
{
	if (kind == 2 || kind == 3)
		sbuf_printf(b, "\"args\": {\"External id\": %u, \"correlation\": %u, \"cbid\": 211}", i / 3, i);
	else if (kind == 4)
		sbuf_printf(b, "\"args\": {\"device\": %u, \"context\": 1, \"stream\": %u, \"correlation\": %u, \"grid\": [%u, 1, 1], "
			"\"block\": [128, 1, 1], \"registers per thread\": 32, \"shared memory\": %u}", i % 2, i % 3, i - 1, i % 5, i % 4);
	else if (kind == 5)
		sbuf_printf(b, "\"args\": {\"device\": 0, \"stream\": 7, \"bytes\": %u, \"memory bandwidth (GB/s)\": N/A}", i);
	else if (i % 2)
		sbuf_printf(b, "\"args\": {\"Sequence number\": %d, \"Fwd thread id\": %u, \"Input Dims\": [[%u, 2], [], [[3], [4]],[]]%s%s}",
			i % 5 ? (int)i / 3 : -1, i % 3, i % 9 / 4, i % 11 ? "" : ", \"Sequence number\": 7", stacks[i % N_STACKS]);
	else
		sbuf_printf(b, "\"args\": {\"Input Dims\": [[2, %u], [], \"[\"], \"Ev Idx\": %u, \"more\": {\"a\": [1, {}]}}", i % 9, i);
}

static void put_span(struct sbuf *b, unsigned i)
{
	static const char *const cats[] = { "cpu_op", "user_annotation", "cuda_runtime", "cuda_driver", "kernel", "gpu_memcpy", "own" };
	unsigned kind = i % 7;

	sbuf_printf(b, "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %u, \"ts\": %u.%03u, \"dur\": %u, ",
		cats[kind], names[i * 7 % N_NAMES], i % 50 == 49 ? -3 : 100, i / 100 % 3, 1000 + i * 10, i % 1000, i % 97);
	put_args(b, kind, i);
	sbuf_puts(b, "}");
}

/* What is not a plain span. */
static void put_odd(struct sbuf *b, unsigned i)
{
	static const char *const odd[] = {
		"{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 100, \"tid\": 1, \"args\": {\"name\": \"worker\"}}",
		"{\"ph\": \"s\", \"id\": 5, \"pid\": 100, \"tid\": 1, \"ts\": 4, \"cat\": \"ac2g\", \"name\": \"ac2g\"}",
		"{\"ph\": \"B\", \"cat\": \"own\", \"name\": \"open\", \"pid\": 100, \"tid\": 5, \"ts\": 1000}",
		"{\"ph\": \"E\", \"pid\": 100, \"tid\": 5, \"ts\": 2000}",
		"{\"ph\": \"i\", \"name\": \"[memory]\", \"pid\": 100, \"tid\": 1, \"ts\": 4, \"s\": \"t\"}",
		"{\"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"PyTorch Profiler (0)\", \"pid\": \"Spans\", \"tid\": \"0\", \"ts\": 1, \"dur\": 9}",
		"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"untimed\", \"pid\": 0, \"tid\": 7, \"ts\": 0, \"dur\": 0, \"args\": {}}",
		"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"negative\", \"pid\": 100, \"tid\": 1, \"ts\": 40, \"dur\": -1}",
		"{\"ph\": \"X\", \"name\": \"no category\", \"pid\": \"CPU functions\", \"tid\": \"3\", \"ts\": 40, \"dur\": 1}",
		"{\"ph\": \"C\", \"name\": \"counter\", \"pid\": 100, \"ts\": 4, \"args\": {\"v\": 1}}",
		"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"no time\", \"pid\": 100, \"tid\": \"stream 4\", \"dur\": 1}",
		"{}",
	};

	sbuf_puts(b, odd[i % (sizeof(odd) / sizeof(*odd))]);
}

/* pretty: a line per event, else all on one line. */
static void put_trace(struct sbuf *b, unsigned n, bool pretty)
{
	sbuf_puts(b, "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"GPU\", \"numSms\": 4}], \"traceEvents\": [");
	for (unsigned i = 0; i < n; i++) {
		sbuf_puts(b, !i ? "" : pretty ? ",\n  " : ",");
		if (dice(9))
			put_span(b, i);
		else
			put_odd(b, dice(1000));
	}
	sbuf_puts(b, "], \"traceName\": \"x\", \"traceEvents\": [{\"ph\": \"M\", \"name\": \"second list\"}], \"with_stack\": 1}\n");
}

static bool write_text(const char *text, size_t n)
{
	struct err e = ERR_INIT;

	return outfile_write(scratch, text, n, &e);
}

static const struct way { unsigned workers; size_t batch; } ways[] = {
	{ 1, 700 }, { 1, 8000 }, { 2, 300 }, { 2, 4096 }, { 7, 1000 }, { 7, 20000 },
};
#define N_WAYS (sizeof(ways) / sizeof(*ways))

static void whole(bool pretty)
{
	struct sbuf b = { 0 };
	struct profile *want;

	put_trace(&b, 1200, pretty);
	write_text(b.s, b.n);
	want = load(scratch, true, 1, 0);
	ok(want && want->n > 900, "%s: the reference has %u events", pretty ? "pretty" : "one line", want ? want->n : 0);
	for (size_t i = 0; i < N_WAYS; i++)
		is_str(compare(scratch, want, ways[i].workers, ways[i].batch), NULL, "%s: %u workers, batches of %zu bytes",
			pretty ? "pretty" : "one line", ways[i].workers, ways[i].batch);
	if (want)
		profile_unref(want);
	sbuf_fini(&b);
}

/* ---- damage ---- */

/* Replaces, removes or inserts some bytes, cuts the end off, or repeats a piece. */
static void spoil(struct sbuf *b)
{
	static const char bytes[] = "\"\"\\{}[],:# \n\x01z0-";
	size_t at = dice((unsigned)b->n), len = 1 + dice(dice(3) ? 3 : 3000);
	char c = bytes[dice(sizeof(bytes) - 1)];

	if (len > b->n - at)
		len = b->n - at;
	switch (dice(5)) {
	case 0:
		b->s[at] = c;
		break;
	case 1:
		memmove(b->s + at, b->s + at + len, b->n - at - len);
		b->n -= len;
		break;
	case 2:
		sbuf_putc(b, ' ');
		memmove(b->s + at + 1, b->s + at, b->n - at - 1);
		b->s[at] = c;
		break;
	case 3:
		if (!dice(4))
			b->n = at;
		break;
	default:
		memset(b->s + at, c, len);
		break;
	}
}

static void damaged(void)
{
	unsigned bad = 0, hurt = 0;

	for (unsigned i = 0; i < 400; i++) {
		struct sbuf b = { 0 };
		const struct way *w = &ways[i % N_WAYS];
		struct profile *want;
		const char *what;

		put_trace(&b, 250, i % 2);
		for (unsigned k = 0; k <= i % 4; k++)
			spoil(&b);
		write_text(b.s, b.n);
		want = load(scratch, true, 1, 0);
		hurt += want && want->n_damages > 0;
		what = compare(scratch, want, w->workers, w->batch);
		if (what && !bad++)
			diag("text %u: %s differ(s) with %u workers, batches of %zu", i, what, w->workers, w->batch);
		if (want)
			profile_unref(want);
		sbuf_fini(&b);
	}
	ok(hurt > 200, "most of the texts are damaged (%u)", hurt);
	is_uint(bad, 0, "damaged texts are read the same");
}

/* Too many spellings of categories for the sink's table: they lose their layers there. */
static void many_categories(void)
{
	struct sbuf b = { 0 };
	struct profile *want;

	sbuf_puts(&b, "[");
	for (unsigned i = 0; i < 600; i++)
		sbuf_printf(&b, "%s{\"ph\": \"X\", \"cat\": \"%s%u\", \"name\": \"n\", \"pid\": 1, \"tid\": 1, \"ts\": %u, \"dur\": 1}",
			i ? "," : "", i == 300 ? "CPU functions" : "c", i % 150, i);
	sbuf_puts(&b, ",{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"n\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 1}]");
	write_text(b.s, b.n);
	want = load(scratch, true, 1, 0);
	for (size_t i = 0; i < N_WAYS; i++)
		is_str(compare(scratch, want, ways[i].workers, ways[i].batch), NULL, "600 categories, %u workers", ways[i].workers);
	if (want)
		profile_unref(want);
	sbuf_fini(&b);
}

/* An event that is longer than a batch, between others. */
static void long_event(void)
{
	struct sbuf b = { 0 };
	struct profile *want;

	sbuf_puts(&b, "{\"traceEvents\": [");
	for (unsigned i = 0; i < 300; i++) {
		put_span(&b, i);
		sbuf_puts(&b, ",");
		if (i % 100 != 50)
			continue;
		sbuf_puts(&b, "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"pid\": 1, \"tid\": 1, \"ts\": 5, \"dur\": 2, \"name\": \"");
		for (unsigned k = 0; k < 50000; k++)
			sbuf_putc(&b, "x{,"[k % 3]);
		sbuf_puts(&b, "\"},");
	}
	sbuf_puts(&b, "]}");
	write_text(b.s, b.n);
	want = load(scratch, true, 1, 0);
	for (size_t i = 0; i < N_WAYS; i++)
		is_str(compare(scratch, want, ways[i].workers, ways[i].batch), NULL, "events longer than a batch, %u workers, %zu bytes",
			ways[i].workers, ways[i].batch);
	if (want)
		profile_unref(want);
	sbuf_fini(&b);
}

/* ---- cancelling ---- */

static atomic_uint batches;

static void count_batch(void *arg, struct builder *b)
{
	struct job *job = arg;

	(void)b;
	if (atomic_fetch_add(&batches, 1) == 2)
		atomic_store(&job->cancel, true);
}

static void cancelled(void)
{
	struct sbuf b = { 0 };
	struct job job = { 0 };
	struct load_ctx lx = { .builder = builder_new(), .job = &job, .batch = count_batch, .batch_arg = &job };
	struct torch_opts o = { .workers = 3, .batch_bytes = 1000 };
	struct err e = ERR_INIT;

	put_trace(&b, 1000, true);
	write_text(b.s, b.n);
	ok(!torch_load_with(&lx, scratch, &o, &e), "a cancelled load fails");
	is_int(e.code, ERR_CANCELLED, "and says why");
	is_uint(atomic_load(&batches), 3, "no batch was taken afterwards");
	builder_free(lx.builder);
	sbuf_fini(&b);
}

/* ---- real files ---- */

#define CORPUS_BYTES (3 << 20)	/* larger files take too long for every day */

static void corpus(const char *folder, const char *root)
{
	struct file_list l = { 0 };
	struct err e = ERR_INIT;
	char *dir = xasprintf("%s/%s", root, folder);
	unsigned bad = 0, n = 0;

	if (!file_list_dir(&l, dir, true, &e))
		diag("%s", e.text);
	for (size_t i = 0; i < l.n; i++) {
		struct file_src *s = file_src_open(l.paths[i], &e);
		bool small = s && file_src_size(s) < (file_src_gz(s) ? CORPUS_BYTES / 6 : CORPUS_BYTES);
		struct profile *want;

		file_src_close(s);
		if (!small)
			continue;
		n++;
		want = load(l.paths[i], true, 1, 0);
		for (unsigned k = 0; k < 3; k++) {
			static const unsigned workers[] = { 1, 2, 7 };
			const char *what = compare(l.paths[i], want, workers[k], k ? 3000 : 100000);

			if (what && !bad++)
				diag("%s: %s differ(s) with %u workers", l.paths[i], what, workers[k]);
		}
		if (want)
			profile_unref(want);
	}
	ok(n && !bad, "%s: %u files are the same with 1, 2 and 7 workers (%u are not)", folder, n, bad);
	file_list_fini(&l);
	free(dir);
}

int main(void)
{
	const char *root = getenv("PROFDIVE_CORPUS");
	char path[] = "test_ahead.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	scratch = path;
	whole(true);
	whole(false);
	damaged();
	many_categories();
	long_event();
	cancelled();
	if (root && *root) {
		corpus("torch-malformed", root);
		corpus("torch", root);
	} else {
		diag("no corpus (PROFDIVE_CORPUS): generated texts only");
	}
	unlink(path);
	return done_testing();
}
