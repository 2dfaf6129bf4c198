/*
 * test_cache.c - cache files: what is written comes back; every wrong byte is refused; and where the checksums are made right again behind
 * the wrong byte, the profile that opens is one that all readers can walk.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check64.h"
#include "base/mem.h"
#include "reopen/profile_file_impl.h"
#include "tests/lib/cache_fake.h"
#include "tests/lib/tap.h"

static const struct cache_key key = {
	.path = "/data/run.json", .loader = "torch 1 0.1.0 abcdef", .source = { 1000, 1700000000123456789, 11, 22 },
};

/* A file without a name. */
static int scratch(void)
{
	char path[] = "test_cache.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0) {
		perror("mkstemp");
		exit(99);
	}
	unlink(path);
	return fd;
}

static int written(const struct profile *p)
{
	struct err e = ERR_INIT;
	int fd = scratch();

	if (!cache_write(fd, p, &key, NULL, &e)) {
		fail("cannot write: %s", e.text);
		exit(1);
	}
	return fd;
}

static unsigned char *whole(int fd, size_t *n)
{
	struct stat st;
	unsigned char *s;

	fstat(fd, &st);
	*n = (size_t)st.st_size;
	s = xmalloc(*n);
	if (pread(fd, s, *n, 0) != (ssize_t)*n)
		exit(99);
	return s;
}

static int refill(int fd, const unsigned char *s, size_t n)
{
	if (ftruncate(fd, 0) < 0 || pwrite(fd, s, n, 0) != (ssize_t)n)
		exit(99);
	return fd;
}

static void poke(int fd, size_t at, unsigned char c)
{
	if (pwrite(fd, &c, 1, (off_t)at) != 1)
		exit(99);
}

/* ---- what is written comes back --------------------------------------------------------------------------- */

static void test_round_trip(void)
{
	static const unsigned sizes[] = { 0, 1, 2, 10, 100, 3000, 20000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct profile *p = fake_profile(i + 1, sizes[i]), *q;
		struct err e = ERR_INIT;
		int fd = written(p);
		struct stat st;

		fstat(fd, &st);
		is_int(st.st_size, cache_bytes(p, &key), "%u events per track: the size is foretold", sizes[i]);
		q = cache_open(fd, &key, &e);
		close(fd);
		if (ok(q != NULL, "it opens")) {
			is_str(fake_differ(p, q), NULL, "and all of it is equal");
			profile_unref(profile_ref(q));
			is_str(fake_differ(p, q), NULL, "references are counted");
			profile_unref(q);
		} else {
			diag("%s", e.text);
		}
		profile_unref(p);
	}
}

static void test_empty(void)
{
	struct builder *b = builder_new();
	struct profile *p = builder_finish(b), *q;
	int fd = written(p);

	q = cache_open(fd, &key, NULL);
	ok(q && !fake_differ(p, q), "a profile without anything");
	profile_unref(q);
	profile_unref(p);
	builder_free(b);
	close(fd);
}

static void test_same_bytes(void)
{
	struct profile *p = fake_profile(5, 300), *q = fake_profile(5, 300);
	unsigned char *a, *b;
	size_t n, m;
	int x, y;

	memset(&q->tracks[1].layer + 1, 0xa5, offsetof(struct track, thread) - 1);
	memset(q->ums[0].pad, 0xa5, sizeof(q->ums[0].pad));
	memset(&q->copies[1].pad, 0xa5, sizeof(q->copies[1].pad));
	x = written(p);
	y = written(q);
	a = whole(x, &n);
	b = whole(y, &m);
	is_mem(a, n, b, m, "equal profiles make equal files: nothing of the gaps of structs is written");
	free(a);
	free(b);
	close(x);
	close(y);
	profile_unref(p);
	profile_unref(q);
}

static void test_peek(void)
{
	struct profile *p = fake_profile(6, 50);
	int fd = written(p);
	struct cache_info ci;
	struct err e = ERR_INIT;

	if (ok(cache_peek(fd, &ci, &e), "a file says of itself")) {
		is_str(ci.path, key.path, "its source");
		is_str(ci.loader, key.loader, "its loader");
		is_uint(ci.events, p->n, "its events");
		free(ci.path);
	}
	poke(fd, CACHE_PAGE * 2, 'x');	/* the path stands in the second section */
	ok(!cache_peek(fd, &ci, &e), "but not with a wrong path");
	close(fd);
	profile_unref(p);
}

/* ---- keys ------------------------------------------------------------------------------------------------- */

static void refused(int fd, const struct cache_key *k, const char *why, const char *name)
{
	struct err e = ERR_INIT;
	struct profile *p = cache_open(fd, k, &e);

	if (ok(!p, "%s: refused", name))
		ok(strstr(e.text, why) != NULL, "%s: and the reason given is \"%s\"", name, e.text);
	profile_unref(p);
}

static void test_keys(void)
{
	struct profile *p = fake_profile(7, 20);
	int fd = written(p);
	struct cache_key k = key;

	k.path = "/data/run.json2";
	refused(fd, &k, "of another file", "another path");
	k.path = "/data/run.jso";
	refused(fd, &k, "of another file", "a shorter path");
	k = key;
	k.loader = "torch 1 0.1.0 abcdee";
	refused(fd, &k, "another version of the program", "another build");
	k = key;
	k.source.bytes++;
	refused(fd, &k, "has changed", "another size");
	k = key;
	k.source.mtime_ns++;
	refused(fd, &k, "has changed", "a nanosecond later");
	k = key;
	k.source.head++;
	refused(fd, &k, "has changed", "another beginning");
	k = key;
	k.source.tail++;
	refused(fd, &k, "has changed", "another end");
	close(fd);
	profile_unref(p);
}

/* ---- damage ----------------------------------------------------------------------------------------------- */

/* Number of opens that gave a profile although a byte of [a, b) was wrong. */
static unsigned opened_with_wrong_byte(int fd, const unsigned char *good, size_t a, size_t b)
{
	static const unsigned char flips[] = { 0x01, 0x80, 0xff };
	unsigned opened = 0;

	for (size_t at = a; at < b; at++) {
		for (size_t f = 0; f < sizeof(flips); f++) {
			struct profile *p;

			poke(fd, at, good[at] ^ flips[f]);
			p = cache_open(fd, &key, NULL);
			opened += p != NULL;
			profile_unref(p);
		}
		poke(fd, at, good[at]);
	}
	return opened;
}

static void test_wrong_bytes(void)
{
	struct profile *p = fake_profile(8, 3), *q;
	int fd = written(p);
	size_t n;
	unsigned char *good = whole(fd, &n);
	const struct cache_header *h = (const void *)good;
	const struct cache_section *dir = (const void *)(h + 1);
	unsigned opened = 0;

	is_uint(opened_with_wrong_byte(fd, good, 0, CACHE_HEAD_BYTES), 0, "every byte of header and directory counts");
	for (unsigned i = 0; i < SEC_N; i++)
		opened += opened_with_wrong_byte(fd, good, dir[i].offset, dir[i].offset + dir[i].count * dir[i].size);
	is_uint(opened, 0, "every byte of every section counts");
	for (unsigned i = 0; i + 1 < SEC_N; i++) {	/* between them nothing does */
		size_t gap = dir[i].offset + dir[i].count * dir[i].size;

		if (gap < dir[i + 1].offset)
			poke(fd, gap, 0x5a);
	}
	q = cache_open(fd, &key, NULL);
	ok(q && !fake_differ(p, q), "what lies between the sections is of no concern");
	profile_unref(q);
	free(good);
	close(fd);
	profile_unref(p);
}

static void test_cut(void)
{
	struct profile *p = fake_profile(9, 5), *q;
	int fd = written(p);
	size_t n;
	unsigned char *good = whole(fd, &n);
	const struct cache_section *dir = (const void *)(good + sizeof(struct cache_header));
	unsigned opened = 0;

	for (unsigned i = 0; i < SEC_N; i++)
		for (int d = -1; d <= 1; d++) {
			size_t to = dir[i].offset + (size_t)(d + 1) - 1;

			if (to >= n)
				continue;
			refill(fd, good, to);
			q = cache_open(fd, &key, NULL);
			opened += q != NULL;
			profile_unref(q);
		}
	for (size_t to = 0; to <= CACHE_HEAD_BYTES; to += 7) {
		refill(fd, good, to);
		q = cache_open(fd, &key, NULL);
		opened += q != NULL;
		profile_unref(q);
	}
	refill(fd, good, n);
	poke(fd, n, 0);
	q = cache_open(fd, &key, NULL);
	opened += q != NULL;
	profile_unref(q);
	is_uint(opened, 0, "cut at any border, or longer than it says: refused");
	free(good);
	close(fd);
	profile_unref(p);
}

/* ---- damage behind right checksums: files made with intent ---------------------------------------------------- */

static void forge_head(unsigned char *s)
{
	struct cache_header *h = (void *)s;

	h->checksum = cache_head_sum(s);
}

/* The sum of a section as cache-format says it: that of the sums of its blocks. */
static void forge_section(unsigned char *s, unsigned id)
{
	struct cache_section *d = (struct cache_section *)(void *)(s + sizeof(struct cache_header)) + id;
	uint64_t blocks = (d->count + CACHE_BLOCK - 1) / CACHE_BLOCK, *sums = xcalloc(blocks, sizeof(*sums));

	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t left = d->count - i * CACHE_BLOCK;

		sums[i] = check64(s + d->offset + i * CACHE_BLOCK * d->size, (left < CACHE_BLOCK ? left : CACHE_BLOCK) * d->size);
	}
	d->checksum = check64(sums, blocks * sizeof(*sums));
	free(sums);
	forge_head(s);
}

static volatile uint64_t sink;

static void use_str(const struct profile *p, str_id id)
{
	size_t n;
	const char *s = profile_str(p, id, &n);

	for (size_t i = 0; i <= n; i++)
		sink += (unsigned char)s[i];
}

static void use_event(const struct profile *p, const struct track *tr, ev_id e)
{
	uint32_t first;

	use_str(p, p->name[e]);
	sink += profile_depth(p, e);
	sink += track_event_at(p, tr, p->start[e]);
	sink += (uint64_t)ev_end(p, e) + profile_track_of(p, e);
	if (tr->layer == LAYER_RUNTIME)
		for (uint32_t k = profile_launched_by(p, e, &first); k--;)
			sink += (uint64_t)p->start[p->by_launch[first + k]];
	if (p->link[e] != ID_NONE)
		sink += (uint64_t)p->start[p->link[e]];
	if (tr->layer == LAYER_KERNEL && p->aux[e] != ID_NONE)
		sink += (uint64_t)p->kernels[p->aux[e]].registers;
	if (tr->layer == LAYER_MEMCPY && p->aux[e] != ID_NONE)
		sink += p->copies[p->aux[e]].kind;
}

/* Walks everything as readers do; the sanitizers watch. */
static void use(const struct profile *p)
{
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *tr = &p->tracks[t];

		if (tr->thread != ID_NONE)
			use_str(p, p->threads[tr->thread].name);
		for (ev_id e = tr->first; e < tr->first + tr->count; e++)
			use_event(p, tr, e);
	}
	for (uint32_t i = 0; i < p->n_frames; i++) {
		use_str(p, p->frames[i].function);
		for (int32_t f = p->frames[i].parent; f >= 0; f = p->frames[f].parent)
			sink++;
	}
	for (str_id i = 0; i < p->n_strs; i++)
		use_str(p, i);
	for (uint32_t i = 0; i < p->n_damages; i++)
		sink += strlen(p->damages[i].what);
	for (uint32_t i = 0; i < p->n_notes; i++)
		sink += strlen(p->notes[i]);
}

/* Opens s; 1 if that gave a profile, which is then walked. */
static unsigned try(int fd, const unsigned char *s, size_t n)
{
	struct profile *p = cache_open(refill(fd, s, n), &key, NULL);

	if (!p)
		return 0;
	use(p);
	profile_unref(p);
	return 1;
}

static void test_forged_head(void)
{
	static const unsigned char flips[] = { 0x01, 0x40, 0xff };
	struct profile *p = fake_profile(10, 4), *q;
	int fd = written(p);
	size_t n;
	unsigned char *s = whole(fd, &n), *good = whole(fd, &n);
	unsigned wrong = 0;

	for (size_t at = 0; at < CACHE_HEAD_BYTES; at++)
		for (size_t f = 0; f < sizeof(flips); f++) {
			memcpy(s, good, CACHE_HEAD_BYTES);
			s[at] ^= flips[f];
			forge_head(s);
			q = cache_open(refill(fd, s, n), &key, NULL);
			if (!q)
				continue;
			use(q);
			wrong += fake_differ(p, q) != NULL;
			profile_unref(q);
		}
	is_uint(wrong, 0, "header and directory with a right checksum over a wrong byte: refused, or without effect");
	free(s);
	free(good);
	close(fd);
	profile_unref(p);
}

static void test_forged_sections(void)
{
	static const unsigned char flips[] = { 0x01, 0x10, 0x80, 0xff };
	struct profile *p = fake_profile(11, 4);
	int fd = written(p);
	size_t n;
	unsigned char *s = whole(fd, &n);
	struct cache_section *dir = (void *)(s + sizeof(struct cache_header));
	unsigned opened = 0, tried = 0;

	for (unsigned i = 0; i < SEC_N; i++) {
		size_t end = dir[i].offset + dir[i].count * dir[i].size;

		for (size_t at = dir[i].offset; at < end; at++)
			for (size_t f = 0; f < sizeof(flips); f++, tried++) {
				s[at] ^= flips[f];
				forge_section(s, i);
				opened += try(fd, s, n);
				s[at] ^= flips[f];
			}
		forge_section(s, i);
	}
	ok(tried > 10000, "%u wrong bytes under right checksums: nobody crashed", tried);
	ok(opened > 100 && opened < tried, "%u of them were only other values, the others refused", opened);
	is_uint(try(fd, s, n), 1, "and the file was good in the end");
	free(s);
	close(fd);
	profile_unref(p);
}

/* A word of a column replaced by values that are likely to hurt. */
static void test_forged_words(void)
{
	static const uint32_t words[] = { 0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 50, 1000 };
	struct profile *p = fake_profile(12, 40);
	struct fake_random r = { 99 };
	int fd = written(p);
	size_t n;
	unsigned char *s = whole(fd, &n);
	struct cache_section *dir = (void *)(s + sizeof(struct cache_header));
	unsigned tried = 0;

	while (tried < 6000) {
		unsigned i = fake_below(&r, SEC_N);
		size_t bytes = dir[i].count * dir[i].size, at;
		unsigned char old[4];

		if (bytes < 4)
			continue;
		at = dir[i].offset + fake_below(&r, (uint32_t)(bytes / 4)) * 4;
		memcpy(old, s + at, 4);
		memcpy(s + at, &words[fake_below(&r, sizeof(words) / sizeof(*words))], 4);
		forge_section(s, i);
		try(fd, s, n);
		memcpy(s + at, old, 4);
		forge_section(s, i);
		tried++;
	}
	is_uint(try(fd, s, n), 1, "%u words that are likely to hurt: nobody crashed", tried);
	free(s);
	close(fd);
	profile_unref(p);
}

/* One section said to be longer, shorter or empty, with the checksums that belong to that. */
static void test_forged_counts(void)
{
	struct profile *p = fake_profile(15, 30);
	int fd = written(p);
	size_t n;
	unsigned char *s = whole(fd, &n);
	struct cache_section *dir = (void *)(s + sizeof(struct cache_header));
	unsigned opened = 0, tried = 0;

	for (unsigned i = 0; i + 1 < SEC_N; i++) {
		const uint64_t count = dir[i].count, counts[] = { count + 1, count - 1, 0, 1, count / 2 };

		for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
			if (counts[k] == count || dir[i].offset + counts[k] * dir[i].size > n)
				continue;
			dir[i].count = counts[k];
			forge_section(s, i);
			opened += try(fd, s, n);
			tried++;
		}
		dir[i].count = count;
		forge_section(s, i);
	}
	diag("%u of %u opened", opened, tried);
	is_uint(try(fd, s, n), 1, "wrong counts under right checksums: nobody crashed");
	free(s);
	close(fd);
	profile_unref(p);
}

/* Rules that no reader depends on today, or that only one broken value in millions would touch. */
static void test_rules(void)
{
	struct profile *p = fake_profile(16, 30);
	const ev_id op = p->layer_first[LAYER_OP], kernel = p->layer_first[LAYER_KERNEL];
	const struct {
		const char *name;
		enum section sec;
		size_t at;		/* of the value, in bytes of the section */
		uint64_t value;
		size_t size;
	} rules[] = {
		{ "a name beyond the strings", SEC_NAME, op * 4, p->n_strs, 4 },
		{ "a duration below 0", SEC_DUR, op * 8, UINT64_MAX, 8 },
		{ "an end beyond all times", SEC_DUR, op * 8, INT64_MAX, 8 },
		{ "more self time than time", SEC_SELF, op * 8, (uint64_t)p->dur[op] + 1, 8 },
		{ "an event inside itself", SEC_PARENT, (op + 5) * 4, op + 5, 4 },
		{ "an event inside a later one", SEC_PARENT, (op + 5) * 4, op + 6, 4 },
		{ "an event inside one of another track", SEC_PARENT, kernel * 4, op, 4 },
		{ "a start before the one before", SEC_START, (op + 5) * 8, 0, 8 },
		{ "an op with a link", SEC_LINK, op * 4, op, 4 },
		{ "a kernel launched by an op", SEC_LINK, kernel * 4, op, 4 },
		{ "a detail beyond the details", SEC_AUX, kernel * 4, p->n_kernels, 4 },
		{ "a collective beyond the collectives", SEC_KERNELS, offsetof(struct kernel_detail, collective), p->n_collectives + 1, 4 },
		{ "an op with details beyond them", SEC_AUX, op * 4, p->n_op_details, 4 },
		{ "an op with a collective beyond them", SEC_OP_DETAILS, offsetof(struct op_detail, collective), p->n_collectives + 1, 4 },
		{ "a shape beyond the strings", SEC_OP_DETAILS, offsetof(struct op_detail, shape), p->n_strs, 4 },
		{ "a name of a collective beyond the strings", SEC_COLLECTIVES, offsetof(struct collective_detail, name), p->n_strs, 4 },
		{ "a string without a NUL", SEC_STR_BLOB, p->str_off[3] - 1, 'x', 1 },
		{ "strings that overlap", SEC_STR_OFF, 3 * 8, p->str_off[2], 8 },
		{ "a string beyond the end", SEC_STR_OFF, (size_t)p->n_strs * 8, p->str_off[p->n_strs] + 1, 8 },
		{ "a last note without an end", SEC_TEXTS, strlen("rows of no kind") + 1 + strlen("cut short") + 1 +
			strlen("a note of 5 words") + 1, 'x', 1 },
		{ "a damage too many", SEC_META, offsetof(struct cache_meta, n_damages), 3, 4 },
		{ "a note too few", SEC_META, offsetof(struct cache_meta, n_notes), 1, 4 },
		{ "no known format", SEC_META, offsetof(struct cache_meta, format), FORMAT_N, 4 },
		{ "another first time", SEC_META, offsetof(struct cache_meta, first_ns), 1, 8 },
		{ "another last time", SEC_META, offsetof(struct cache_meta, last_ns), 1, 8 },
		{ "a producer beyond the strings", SEC_META, offsetof(struct cache_meta, producer), p->n_strs, 4 },
		{ "a kind of copy that is none", SEC_COPIES, offsetof(struct copy_detail, kind), COPY_KIND_N, 1 },
		{ "a migration beyond its details", SEC_COPIES, offsetof(struct copy_detail, um), p->n_ums + 1, 4 },
		{ "a place in memory of no kind", SEC_UMS, offsetof(struct um_detail, what), UM_WHAT_N, 1 },
		{ "a wait of what is no call", SEC_EVENT_WAITS, offsetof(struct event_wait, call), op, 4 },
		{ "a wait for what no call recorded", SEC_EVENT_WAITS, offsetof(struct event_wait, record), kernel, 4 },
		{ "a module beyond the strings", SEC_UMS, offsetof(struct um_detail, module), p->n_strs, 4 },
		{ "a frame of no kind", SEC_FRAMES, offsetof(struct frame_node, kind), NODE_KIND_N, 4 },
		{ "a line of no frame", SEC_FRAME_LINES, 0, 7, 4 },
		{ "a frame inside a later one", SEC_FRAMES, sizeof(struct frame_node), 5, 4 },
		{ "a layer that is none", SEC_TRACKS, offsetof(struct track, layer), LAYER_N, 1 },
		{ "a thread beyond the threads", SEC_TRACKS, offsetof(struct track, thread), p->n_threads, 4 },
		{ "a track that begins elsewhere", SEC_TRACKS, offsetof(struct track, first), 1, 4 },
		{ "a track that ends beyond the events", SEC_TRACKS, offsetof(struct track, count), UINT32_MAX, 4 },
		{ "a track that is deeper than it says", SEC_TRACKS, offsetof(struct track, depth_max), 0, 4 },
		{ "a device that is not listed", SEC_DEVICES, 0, 77, 8 },
		{ "a launch that is none", SEC_BY_LAUNCH, 0, op, 4 },
		{ "a launch twice", SEC_BY_LAUNCH, 4, p->by_launch[0], 4 },
		{ "a command line beyond the strings", SEC_CMDLINES, offsetof(struct cmdline, shown), p->n_strs, 4 },
		{ "arguments beyond the strings", SEC_CMDLINES, offsetof(struct cmdline, full), ID_NONE, 4 },
		{ "metrics that belong to no launch", SEC_PROFILED, offsetof(struct profiled_launch, first_metric), 1, 4 },
		{ "a launch with more metrics than there are", SEC_PROFILED, sizeof(struct profiled_launch) +
			offsetof(struct profiled_launch, n_metrics), UINT32_MAX, 4 },
		{ "lines that belong to two launches", SEC_PROFILED, sizeof(struct profiled_launch) +
			offsetof(struct profiled_launch, first_line), 0, 4 },
		{ "a rule that no launch owns", SEC_PROFILED, sizeof(struct profiled_launch) + offsetof(struct profiled_launch, n_rules), 0, 4 },
		{ "a launch with a name beyond the strings", SEC_PROFILED, offsetof(struct profiled_launch, name), p->n_strs, 4 },
		{ "a metric of no kind", SEC_METRICS, offsetof(struct kernel_metric, kind), METRIC_KIND_N, 4 },
		{ "a metric whose text is beyond the strings", SEC_METRICS, 0, p->n_strs, 4 },
		{ "a metric with instances beyond them", SEC_METRICS, 5 * sizeof(struct kernel_metric) +
			offsetof(struct kernel_metric, n_instances), 9, 4 },
		{ "an instance of no kind", SEC_INSTANCES, offsetof(struct metric_instance, kind), METRIC_KIND_N, 4 },
		{ "an instance at a text beyond the strings", SEC_INSTANCES, sizeof(struct metric_instance), p->n_strs, 4 },
		{ "a line of a metric that is none", SEC_LINES, offsetof(struct section_line, metric), p->reports.n_metrics, 4 },
		{ "a rule of no type", SEC_KERNEL_RULES, offsetof(struct kernel_rule, type), RULE_TYPE_N, 2 },
		{ "a roof at no level", SEC_ROOFS, offsetof(struct kernel_roof, level), LEVEL_N, 4 },
		{ "a series with more entries than there are", SEC_MEMORY_SERIES, offsetof(struct memory_series, n_entries), 99, 4 },
		{ "a series of entries of another one", SEC_MEMORY_SERIES, sizeof(struct memory_series) +
			offsetof(struct memory_series, first_entry), 1, 4 },
		{ "an entry that does nothing there is", SEC_MEMORY_ENTRIES, offsetof(struct memory_entry, action), MEMORY_ACTION_N, 4 },
		{ "an entry of bytes below 0", SEC_MEMORY_ENTRIES, offsetof(struct memory_entry, bytes), UINT64_MAX, 8 },
		{ "an entry of no stack", SEC_MEMORY_ENTRIES, offsetof(struct memory_entry, stack), p->memory.n_stacks, 4 },
		{ "a segment with more blocks than there are", SEC_MEMORY_SEGMENTS, offsetof(struct memory_segment, n_blocks), 3, 4 },
		{ "a block in no state", SEC_MEMORY_BLOCKS, offsetof(struct memory_block, state), BLOCK_STATE_N, 4 },
		{ "a frame with a name beyond the strings", SEC_MEMORY_FRAMES, offsetof(struct memory_frame, function), p->n_strs, 4 },
		{ "a stack with more frames than there are", SEC_MEMORY_STACKS, offsetof(struct memory_stack, n), 3, 4 },
		{ "a frame that is none", SEC_MEMORY_STACK_FRAMES, 0, p->memory.n_frames, 4 },
		{ "a mark with a name beyond the strings", SEC_MEMORY_MARKS, offsetof(struct memory_mark, name), p->n_strs, 4 },
		{ "a name of a thread beyond the strings", SEC_THREADS, offsetof(struct thread, name), p->n_strs, 4 },
	};
	int fd = written(p);
	size_t n;
	unsigned char *s = whole(fd, &n), old[8];
	const struct cache_section *dir = (void *)(s + sizeof(struct cache_header));

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		unsigned char *at = s + dir[rules[i].sec].offset + rules[i].at;
		struct err e = ERR_INIT;

		memcpy(old, at, 8);
		memcpy(at, &rules[i].value, rules[i].size);
		forge_section(s, rules[i].sec);
		ok(!cache_open(refill(fd, s, n), &key, &e) && strstr(e.text, "damaged") && !strstr(e.text, "checksum"),
		   "%s: refused (%s)", rules[i].name, e.text);
		memcpy(at, old, 8);
		forge_section(s, rules[i].sec);
	}
	{	/* as many ends as before, but not one at the end */
		unsigned char *t = s + dir[SEC_TEXTS].offset;

		t[2] = '\0';
		t[dir[SEC_TEXTS].count - 1] = 'x';
		forge_section(s, SEC_TEXTS);
		is_uint(try(fd, s, n), 0, "notes whose last has no end: refused");
		t[2] = 'w';
		t[dir[SEC_TEXTS].count - 1] = '\0';
		forge_section(s, SEC_TEXTS);
	}
	is_uint(try(fd, s, n), 1, "and without them it opens");
	free(s);
	close(fd);
	profile_unref(p);
}

static void forged_version(size_t at, const char *name)
{
	struct profile *p = fake_profile(13, 2);
	int fd = written(p);
	size_t n;
	unsigned char *s = whole(fd, &n);

	s[at]++;
	forge_head(s);
	refused(refill(fd, s, n), &key, "another version", name);
	free(s);
	close(fd);
	profile_unref(p);
}

/* ---- writing what would be refused ----------------------------------------------------------------------- */

static void test_not_written(void)
{
	struct profile *p = fake_profile(14, 10);
	ev_id e = p->layer_first[LAYER_KERNEL] + 1;
	atomic_bool stop = true;
	struct err er = ERR_INIT;
	int fd = scratch();
	ns_t dur = p->dur[e];

	p->dur[e] = -1;
	ok(!cache_write(fd, p, &key, NULL, &er) && er.code == ERR_FORMAT, "a profile that breaks the rules is not written");
	p->dur[e] = dur;
	p->partial = true;
	ok(!cache_write(fd, p, &key, NULL, &er) && er.code == ERR_FORMAT, "nor is half a profile");
	p->partial = false;
	ok(!cache_write(fd, p, &key, &stop, &er) && er.code == ERR_CANCELLED, "writing can be stopped");
	ok(!cache_open(fd, &key, NULL), "and what is there then is nothing");
	stop = false;
	ok(cache_write(fd, p, &key, &stop, &er), "without a stop it goes on");
	close(fd);
	profile_unref(p);
}

/* ---- the checksum ---------------------------------------------------------------------------------------------- */

static void test_sum(void)
{
	unsigned char s[200] = { 0 };
	unsigned same = 0;

	for (size_t n = 0; n < sizeof(s); n++) {
		uint64_t h = check64(s, n);

		for (size_t bit = 0; bit < 8 * n; bit++) {
			s[bit / 8] ^= (unsigned char)(1u << bit % 8);
			same += check64(s, n) == h;
			s[bit / 8] ^= (unsigned char)(1u << bit % 8);
		}
		same += check64(s, n + 1 < sizeof(s) ? n + 1 : 0) == h;
	}
	is_uint(same, 0, "the checksum tells every single bit, and how many zeros there are");
}

int main(void)
{
	test_sum();
	test_round_trip();
	test_empty();
	test_same_bytes();
	test_peek();
	test_keys();
	test_wrong_bytes();
	test_cut();
	test_forged_head();
	test_forged_sections();
	test_forged_words();
	test_forged_counts();
	test_rules();
	forged_version(offsetof(struct cache_header, format), "a later format");
	forged_version(offsetof(struct cache_header, layout), "other structs");
	forged_version(offsetof(struct cache_header, byte_order), "another byte order");
	test_not_written();
	return done_testing();
}
