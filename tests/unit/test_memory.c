/*
 * test_memory.c - memory snapshots: what is read of generated ones (tests/gen/memory_snapshot.h, which has the figures), cut at every byte,
 * changed, made to be hostile. PROFDIVE_TEST_LONG: more changed ones.
 */
#include "reopen/profile_file_impl.h"
#include "tests/gen/memory_snapshot.h"
#include "tests/lib/an_bench.h"
#include "tests/lib/sampler.h"

/* As sampler_load(), which is too slow for thousands: it waits for the disk. */
static struct profile *load_bytes(const void *s, size_t n, struct err *e)
{
	static const char path[] = "changed.pickle";
	struct job job = { 0 };
	struct load_ctx lx = { .builder = builder_new(), .job = &job };
	struct profile *p = NULL;
	FILE *f;

	unlink(path);	/* to write over a file waits for the disk */
	f = fopen(path, "wb");
	if (!f || fwrite(s, 1, n, f) != n || fclose(f) != 0) {
		fail("cannot write %s", path);
		exit(done_testing());
	}
	*e = (struct err)ERR_INIT;
	if (loader_memory_snapshot.load(&lx, path, e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	return p;
}

static struct profile *load_protocol(int protocol)
{
	struct snapshot_out o = snapshot_write(protocol, 0);
	struct err e;
	struct profile *p = load_bytes(o.a, o.n, &e);

	if (!p)
		diag("%s", e.text);
	free(o.a);
	return p;
}

static struct profile *make_snapshot(void)
{
	return load_protocol(4);
}

/* ---- what is read --------------------------------------------------------------------------- */

static void test_tables(int protocol)
{
	struct profile *p = load_protocol(protocol);
	const struct memory_records *m = &p->memory;

	if (!ok(p && m->n_series == 1 && m->n_segments == 2, "protocol %d: a series and two segments", protocol))
		return;
	is_uint(p->n_damages, 0, "nothing is lost");
	is_uint(m->series[0].n_entries, SNAPSHOT_ENTRIES, "all entries");
	is_int(m->series[0].device, 0, "of device 0");
	is_int(p->epoch_ns, INT64_C(1000001000000), "the first entry is time 0");
	is_int(m->entries[2].time, 20000, "times count from it");
	is_int(m->entries[2].bytes, 3000, "bytes");
	is_uint(m->entries[2].address, 0x1000400, "address");
	is_uint(m->entries[2].stack, m->entries[7].stack, "a list of frames that is shared is one stack");
	is_uint(m->n_stacks, 2, "there are two");
	is_uint(m->n_frames, 4, "frames that are equal are one");
	is_uint(m->entries[3].stack, ID_NONE, "no frames are no stack");
	is_int(m->entries[8].action, MEMORY_OOM, "out of memory");
	is_uint(m->entries[8].address, 4096, "what was free then");
	is_uint(m->segments[0].n_blocks, 3, "blocks of the first segment");
	is_uint(m->segments[1].first_block, 3, "those of the second come behind them");
	is_int(m->segments[0].pool, 0, "the default pool");
	is_uint(m->segments[1].large, 1, "a large one");
	is_uint(m->segments[1].expandable, 0, "not expandable");
	is_int(m->blocks[2].state, BLOCK_INACTIVE, "a hole");
	is_uint(m->n_marks, 2, "ranges of the program");
	ok(p->n_options == 1, "the setting that counts");
	ok(check_profile(p), "what the cache asks of it");
	profile_unref(p);
}

static void test_views(void)
{
	struct profile *(*make[])(void) = { make_snapshot };
	struct bench be = bench_new(make, 1);
	struct table *t = view(&be, &an_memory, "steady", "none");

	ROW_IS(t, 0, "memory", { "reserved_end", 22 << 20 }, { "allocated_end", 1024 }, { "requested_end", 1012 }, { "peak_allocated", 4712 },
		{ "peak_rounded", 5120 }, { "peak_entry", 2 }, { "base_bytes", 1212 }, { "rounding_loss", 12 },
		{ "fragmented", (2 << 20) - 1024 }, { "freeable", 20 << 20 }, { "largest_inactive", 20 << 20 }, { "allocs", 3 }, { "frees", 3 },
		{ "oom", 1 });
	is_str(text(t, 0, "peak_phase"), "optimizer", "the phase of the peak, by the program's ranges");
	ok(cell(t, 0, "peak_step")->type == CELL_MISSING, "no step is told");
	table_free(t);
	t = view(&be, &an_mempeak, "steady", "none");
	is_uint(t->n_rows, 3, "three owners at the peak");
	ROW_IS(t, 0, "the largest", { "bytes", 3000 }, { "blocks", 1 }, { "born_ns", 20000 }, { "dies_ns", 30000 });
	is_str(text(t, 0, "owner"), "model.py:20 forward", "by its innermost frame that is no library's");
	ROW_IS(t, 1, "the base", { "bytes", 1212 }, { "blocks", 2 }, { "end_bytes", 512 });
	ROW_IS(t, 2, "the last", { "bytes", 500 }, { "end_bytes", 500 });
	table_free(t);
	t = view(&be, &an_mempeak, "time:0.06ms..0.065ms", "none");
	ROW_IS(t, 0, "at the peak of a window", { "bytes", 1000 });
	table_free(t);
	t = view(&be, &an_memalloc, "steady", "none");
	ROW_IS(t, 0, "allocations of a frame", { "allocs", 2 }, { "bytes", 4000 }, { "alive_at_end", 0 }, { "mean_life_ns", 15000 });
	table_free(t);
	t = view(&be, &an_memcurve, "steady", "none");
	is_uint(t->n_rows, SNAPSHOT_ENTRIES, "the curve has every entry of a short history");
	ROW_IS(t, 0, "it begins with", { "allocated", 1212 }, { "reserved", 2 << 20 });
	ROW_IS(t, 10, "and ends with", { "allocated", 1012 }, { "reserved", 22 << 20 });
	table_free(t);
	t = view(&be, &an_memsegments, "steady", "none");
	ROW_IS(t, 0, "a segment", { "address", 0 }, { "used", 1024 }, { "inactive", (2 << 20) - 1024 }, { "holes", 1 });
	ROW_IS(t, 1, "the next", { "address", 0x1000000 }, { "used", 0 }, { "holes", 1 });
	table_free(t);
	t = view(&be, &an_oom, "steady", "none");
	ROW_IS(t, 0, "out of memory", { "asked", 1 << 30 }, { "device_free", 4096 }, { "allocated", 2012 }, { "reserved", 22 << 20 },
		{ "top_owner_bytes", 1000 });
	table_free(t);
	bench_end(&be);
}

/* ---- damage --------------------------------------------------------------------------------- */

/* At every byte: what was complete before it is there, and the cut is told. */
static void test_cuts(int protocol)
{
	struct snapshot_out o = snapshot_write(protocol, 0);
	unsigned bad = 0, silent = 0, loaded = 0;
	struct err e;

	for (size_t n = 0; n < o.n; n++) {
		struct profile *p = load_bytes(o.a, n, &e);
		uint32_t whole = 0, got = p && p->memory.n_series ? p->memory.series[0].n_entries : 0;

		while (whole < SNAPSHOT_ENTRIES && o.entry_end[whole] <= n)
			whole++;
		bad += got < whole || (p && !check_profile(p)) || (!p && loaded);
		silent += p ? !p->n_damages : e.code != ERR_FORMAT;
		loaded += p != NULL;
		profile_unref(p);
	}
	ok(o.n >= 500, "protocol %d: %zu places", protocol, o.n);
	is_uint(bad, 0, "every entry that was complete is there");
	is_uint(silent, 0, "and every cut is told");
	ok(loaded > o.n / 2, "%u are read in part", loaded);
	free(o.a);
}

static void test_changes(void)
{
	unsigned n = getenv("PROFDIVE_TEST_LONG") ? 100000 : 5000, bad = 0, loaded = 0;
	uint64_t r = 1;
	struct err e;

	for (unsigned i = 0; i < n; i++) {
		struct snapshot_out o = snapshot_write(2 + (int)(i % 4), 0);
		struct profile *p;

		for (unsigned k = 0; k <= i % 3; k++) {
			r = r * UINT64_C(6364136223846793005) + 1442695040888963407;
			o.a[(r >> 33) % o.n] = (unsigned char)(r >> 24);
		}
		p = load_bytes(o.a, o.n, &e);
		bad += p ? !check_profile(p) : e.code != ERR_FORMAT;
		loaded += p != NULL;
		profile_unref(p);
		free(o.a);
	}
	is_uint(bad, 0, "%u changed snapshots: nothing that the cache refuses", n);
	ok(loaded > n / 2, "%u are read", loaded);
}

/* ---- hostile -------------------------------------------------------------------------------- */

/* A head that is sound, then n times a piece. */
static struct profile *load_bomb(const char *head, size_t n_head, const char *piece, size_t n_piece, size_t n, struct err *e)
{
	char *s = malloc(n_head + n * n_piece);
	struct profile *p;

	memcpy(s, head, n_head);
	for (size_t i = 0; i < n; i++)
		memcpy(s + n_head + i * n_piece, piece, n_piece);
	p = load_bytes(s, n_head + n * n_piece, e);
	free(s);
	return p;
}

#define BOMB(head, piece, n, says, what) do {								\
	struct err e_;											\
	struct profile *p_ = load_bomb(head, sizeof(head) - 1, piece, sizeof(piece) - 1, n, &e_);	\
	ok(!p_ && e_.code == ERR_FORMAT && strstr(e_.text, says), "%s: %s", what, e_.text);		\
	profile_unref(p_);										\
} while (0)

static void test_bombs(void)
{
	BOMB("\x80\4", "(", 1000000, "nested too deep", "10^6 nested marks");
	BOMB("\x80\4", "]", 1000000, "more objects than a file of this size", "10^6 nested lists");
	BOMB("\x80\4]", "\x94", 3000000, "larger than the file", "a list that is memoised again and again");
	BOMB("\x80\4]r\xf0\xff\xff\xff", "N", 1, "larger than the file", "a memo index of 2^32");
	BOMB("\x80\4", "]\x94", 2000000, "than", "2 x 10^6 lists in the memo");
	BOMB("\x80\4", "N", 3000000, "more objects than a file of this size", "a stack of 3 x 10^6 values");
	BOMB("\x80\4]\x94h\0a", ".", 1, "contains itself", "a list in itself");
	BOMB("\x80\4}\x94X\1\0\0\0kh\0s", ".", 1, "contains itself", "a dict in itself");
	BOMB("\x80\4]\x94(h\0h\0e", ".", 1, "contains itself", "a list twice in itself");
	BOMB("\x80\4h\7", ".", 1, "does not exist", "a reference to nothing");
	BOMB("\x80\4e", ".", 1, "more values than there are", "items without a list");
	BOMB("\x80\4}(K\1u", ".", 1, "without a value", "a key without a value");
	BOMB("\x80\4K\1K\1a", ".", 1, "of another type", "items of a number");
	BOMB("\x80\4X\xff\xff\xff\xff", "x", 100, "no memory snapshot", "a text of 4 GiB that is not there");
	BOMB("\x80\7", "N", 1, "unknown protocol", "protocol 7");
	BOMB("\x80\4K\1", ".", 1, "no memory snapshot of PyTorch", "a sound pickle of something else");
	BOMB("\x80\4)", ".", 1, "no memory snapshot of PyTorch", "an empty tuple");
	BOMB("\x80\4\x85", ".", 1, "more values than there are", "a tuple of one value that is not there");
}

/* Whatever could run code is refused, with its name and its place, and nothing of the file is used. */
static void test_code(void)
{
	static const struct { char op; const char *name; } ops[] = {
		{ 'c', "GLOBAL" }, { '\x93', "STACK_GLOBAL" }, { 'R', "REDUCE" }, { 'b', "BUILD" }, { 'i', "INST" }, { 'o', "OBJ" },
		{ '\x81', "NEWOBJ" }, { '\x92', "NEWOBJ_EX" }, { '\x82', "EXT1" }, { '\x83', "EXT2" }, { '\x84', "EXT4" }, { 'P', "PERSID" },
		{ 'Q', "BINPERSID" }, { '\x97', "NEXT_BUFFER" }, { '\x98', "READONLY_BUFFER" },
	};
	struct snapshot_out o = snapshot_write(4, 0);
	char want[64];
	struct err e;

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		struct profile *p;

		o.a[o.n - 1] = (unsigned char)ops[i].op;	/* in the place of STOP: all that is before it is sound */
		snprintf(want, sizeof(want), "could run code is not read: %s at byte %zu", ops[i].name, o.n - 1);
		p = load_bytes(o.a, o.n, &e);
		ok(!p && e.code == ERR_FORMAT && strstr(e.text, want), "%s: %s", ops[i].name, e.text);
		profile_unref(p);
	}
	free(o.a);
}

int main(void)
{
	for (int protocol = 2; protocol <= 5; protocol++) {
		test_tables(protocol);
		test_cuts(protocol);
	}
	test_views();
	test_changes();
	test_bombs();
	test_code();
	return done_testing();
}
