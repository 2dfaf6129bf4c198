/*
 * profile_open.c - from a cache file to a profile: nothing of the file is used before it was found right; see profile_file.h.
 *
 * The order matters: header and directory (checksum, then every bound), the key, the small sections, the tables in them, and last all
 * columns, block by block on a few threads: each block is summed and looked through while it is in the processor's cache.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check64.h"
#include "base/guard.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/vec.h"
#include "reopen/profile_file_impl.h"

#define THREADS_MAX 4
#define THREAD_EVENTS 500000		/* below it a thread costs more than it brings */

/* No memory and no translation can be had when it is said. */
#define CUT_WORDS "profdive: a cache file was cut short or cannot be read any more, and what is shown would be wrong: " \
	"profdive cache drop, then open the profile again\n"

struct opening {
	const char *map;
	uint64_t bytes;
	const struct cache_header *head;
	const struct cache_section *dir;
	struct profile *p;
};

static bool damaged(struct err *e, const char *what)
{
	return err_set(e, ERR_FORMAT, _("the cache file is damaged: %s"), what);
}

static const void *section(const struct opening *o, unsigned id)
{
	return o->map + o->dir[id].offset;
}

/* ---- header and directory ---------------------------------------------------------------------------- */

static bool map_file(struct opening *o, int fd, struct err *e)
{
	struct stat st;
	const char *m;

	if (fstat(fd, &st) < 0)
		return err_sys(e, errno, _("cannot read the cache file"));
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)CACHE_HEAD_BYTES)
		return damaged(e, _("it is too short"));
	m = guard_map(fd, (size_t)st.st_size, 0);
	if (!m)
		return err_set(e, ERR_IO, _("cannot map the cache file"));
	o->map = m;
	o->bytes = (uint64_t)st.st_size;
	o->head = (const void *)m;
	o->dir = (const struct cache_section *)(o->head + 1);
	return true;
}

static bool check_head(const struct opening *o, struct err *e)
{
	const struct cache_header *h = o->head;

	if (memcmp(h->magic, CACHE_MAGIC, sizeof(h->magic)) != 0)
		return damaged(e, _("it does not begin as one"));
	if (h->byte_order != CACHE_BYTE_ORDER || h->format != CACHE_FORMAT || h->layout != cache_layout() || h->n_sections != SEC_N)
		return err_set(e, ERR_FORMAT, _("the cache file is of another version"));
	if (cache_head_sum(h) != h->checksum)
		return damaged(e, _("wrong checksum of the header"));
	if (h->file_bytes != o->bytes)
		return damaged(e, _("it is cut short, or something follows it"));
	if (h->loader[CACHE_LOADER_MAX - 1] || h->reserved)
		return damaged(e, _("impossible header"));
	return true;
}

/* One section behind the other, on pages, inside the file. */
static bool check_dir(const struct opening *o, struct err *e)
{
	uint64_t at = CACHE_HEAD_BYTES;

	for (unsigned i = 0; i < SEC_N; i++) {
		const struct cache_section *s = &o->dir[i];
		uint64_t bytes;

		if (s->id != i || s->size != cache_sections[i].size || s->offset % CACHE_PAGE || s->offset < at ||
		    s->offset - at >= CACHE_PAGE || __builtin_mul_overflow(s->count, s->size, &bytes) ||
		    __builtin_add_overflow(s->offset, bytes, &at) || at > o->bytes)
			return damaged(e, _("impossible directory"));
		if (i != SEC_STR_BLOB && s->count > UINT32_MAX - CACHE_SLACK)
			return damaged(e, _("impossible directory"));
	}
	return at == o->bytes || damaged(e, _("impossible directory"));
}

static uint64_t section_sum(const struct opening *o, unsigned id)
{
	uint64_t n = o->dir[id].count, size = o->dir[id].size;
	VEC(uint64_t) sums = { 0 };
	uint64_t h;

	for (uint64_t i = 0; i < n; i += CACHE_BLOCK)
		VEC_PUSH(&sums, check64((const char *)section(o, id) + i * size, (n - i < CACHE_BLOCK ? n - i : CACHE_BLOCK) * size));
	h = check64(sums.a, sums.n * sizeof(*sums.a));
	VEC_FREE(&sums);
	return h;
}

static bool begin(struct opening *o, int fd, struct err *e)
{
	*o = (struct opening){ 0 };
	if (!map_file(o, fd, e) || !check_head(o, e) || !check_dir(o, e))
		return false;
	return section_sum(o, SEC_PATH) == o->dir[SEC_PATH].checksum || damaged(e, _("wrong checksum"));
}

static bool check_key(const struct opening *o, const struct cache_key *k, struct err *e)
{
	const struct cache_header *h = o->head;
	size_t n = strlen(k->path);

	if (o->dir[SEC_PATH].count != n || memcmp(section(o, SEC_PATH), k->path, n) != 0)
		return err_set(e, ERR_FORMAT, _("the cache file is that of another file"));
	if (strcmp(h->loader, k->loader) != 0)
		return err_set(e, ERR_FORMAT, _("the cache file was written by another version of the program"));
	if (memcmp(&h->source, &k->source, sizeof(h->source)) != 0)
		return err_set(e, ERR_FORMAT, _("the file has changed since it was cached"));
	return true;
}

/* ---- the small sections -------------------------------------------------------------------------------- */

static bool check_small(const struct opening *o, struct err *e)
{
	for (unsigned i = 0; i < SEC_SMALL_N; i++)
		if (section_sum(o, i) != o->dir[i].checksum)
			return damaged(e, _("wrong checksum"));
	return true;
}

/* Pointers and counts, from the table. Counts that several sections share must agree. */
static bool set_members(struct opening *o, struct err *e)
{
	char *p = (char *)o->p;

	for (unsigned i = 0; i < SEC_N; i++) {
		const struct section_def *d = &cache_sections[i];
		const void *data = section(o, i);
		uint32_t n = (uint32_t)o->dir[i].count;

		if (d->at == CACHE_NO_MEMBER)
			continue;
		memcpy(p + d->at, &data, sizeof(data));
		memcpy(p + d->count_at, &n, sizeof(n));
		if (i > SEC_START && i <= SEC_AUX && o->dir[i].count != o->dir[SEC_START].count)
			return damaged(e, _("columns of different lengths"));
	}
	memcpy(&o->p->str_off, &(const void *){ section(o, SEC_STR_OFF) }, sizeof(void *));
	memcpy(&o->p->str_blob, &(const void *){ section(o, SEC_STR_BLOB) }, sizeof(void *));
	if (o->dir[SEC_STR_OFF].count == 1 || (!o->dir[SEC_STR_OFF].count && o->dir[SEC_STR_BLOB].count))
		return damaged(e, _("impossible strings"));
	o->p->n_strs = o->dir[SEC_STR_OFF].count ? (uint32_t)o->dir[SEC_STR_OFF].count - 1 : 0;
	return true;
}

static bool set_meta(struct opening *o, struct err *e)
{
	const struct cache_meta *m = section(o, SEC_META);
	struct profile *p = o->p;

	if (o->dir[SEC_META].count != 1 || m->format >= FORMAT_N || m->n_damages != o->dir[SEC_DAMAGES].count)
		return damaged(e, _("impossible values"));
	p->bytes = m->bytes;
	p->epoch_ns = m->epoch_ns;
	p->rank = m->rank;
	p->world = m->world;
	p->sampled_wall_ns = m->sampled_wall_ns;
	p->sampled_cpu_ns = m->sampled_cpu_ns;
	p->first_ns = m->first_ns;
	p->last_ns = m->last_ns;
	p->format = (enum source_format)m->format;
	p->producer = m->producer;
	p->version = m->version;
	p->caps = m->caps;
	return true;
}

/* Phrases of the damages, then notes; exactly as many as there are NULs, and the last byte is one. */
static bool set_texts(struct opening *o, struct err *e)
{
	const struct cache_meta *m = section(o, SEC_META);
	const struct cache_damage *d = section(o, SEC_DAMAGES);
	const char *s = section(o, SEC_TEXTS), *end = s + o->dir[SEC_TEXTS].count;
	struct profile *p = o->p;
	uint64_t n = 0;

	for (const char *c = s; c < end; c++)
		n += !*c;
	if (n != (uint64_t)m->n_damages + m->n_notes || (end > s && end[-1]))
		return damaged(e, _("impossible notes"));
	p->damages = xcalloc(m->n_damages, sizeof(*p->damages));
	p->notes = xcalloc(m->n_notes, sizeof(*p->notes));
	for (; p->n_damages < m->n_damages; d++, s += strlen(s) + 1)
		p->damages[p->n_damages++] = (struct damage){ s, d->offset, d->count };
	for (; p->n_notes < m->n_notes; s += strlen(s) + 1)
		memcpy(&p->notes[p->n_notes++], &s, sizeof(s));
	return true;
}

/* ---- the columns ----------------------------------------------------------------------------------------- */

struct profile_open_group {			/* sections that are looked through together: their counts are equal */
	unsigned first, n;
};
static const struct profile_open_group groups[] = {
	{ SEC_START, SEC_EVENT_N }, { SEC_STR_OFF, 1 }, { SEC_STR_BLOB, 1 }, { SEC_BY_LAUNCH, 1 }, { SEC_COPIES, 1 },
	{ SEC_KERNELS, 1 }, { SEC_COLLECTIVES, 1 }, { SEC_OP_DETAILS, 1 }, { SEC_UMS, 1 }, { SEC_EVENT_WAITS, 1 }, { SEC_FRAMES, 1 }, { SEC_FRAME_LINES, 1 },
	{ SEC_FRAME_SAMPLES, 1 }, { SEC_PROFILED, 1 }, { SEC_METRICS, 1 }, { SEC_INSTANCES, 1 }, { SEC_LINES, 1 }, { SEC_KERNEL_RULES, 1 },
	{ SEC_ROOFS, 1 }, { SEC_MEMORY_SERIES, 1 }, { SEC_MEMORY_ENTRIES, 1 }, { SEC_MEMORY_SEGMENTS, 1 },
	{ SEC_MEMORY_BLOCKS, 1 }, { SEC_MEMORY_FRAMES, 1 }, { SEC_MEMORY_STACKS, 1 }, { SEC_MEMORY_STACK_FRAMES, 1 },
	{ SEC_MEMORY_MARKS, 1 },
};
#define GROUP_N (sizeof(groups) / sizeof(*groups))

struct verify {
	const struct opening *o;
	uint64_t first_unit[GROUP_N + 1];	/* a unit is one block of a group */
	uint64_t *sums[SEC_N];			/* per block */
	_Atomic uint64_t next;
	atomic_bool bad;
	pthread_mutex_t lock;
	struct check_sum sum;			/* under the lock */
};

static bool look_through(const struct opening *o, unsigned sec, uint64_t a, uint64_t b, struct check_stack *st, struct check_sum *sum)
{
	const struct profile *p = o->p;
	uint32_t x = (uint32_t)a, y = (uint32_t)b;

	switch (sec) {
	case SEC_START:
		return check_events(p, x, y, st, sum);
	case SEC_STR_OFF:
		return check_strings(p, o->dir[SEC_STR_BLOB].count, x, y);
	case SEC_BY_LAUNCH:
		return check_launches(p, x, y);
	case SEC_COPIES:
		return check_copies(p, x, y);
	case SEC_KERNELS:
		return check_kernels(p, x, y);
	case SEC_COLLECTIVES:
		return check_collectives(p, x, y);
	case SEC_OP_DETAILS:
		return check_op_details(p, x, y);
	case SEC_UMS:
		return check_ums(p, x, y);
	case SEC_EVENT_WAITS:
		return check_event_waits(p, x, y);
	case SEC_FRAMES:
		return check_frames(p, x, y, st);
	case SEC_FRAME_LINES:
		return check_frame_lines(p, x, y);
	case SEC_FRAME_SAMPLES:
		return check_frame_samples(p, x, y);
	case SEC_PROFILED:
	case SEC_METRICS:
	case SEC_INSTANCES:
	case SEC_LINES:
	case SEC_KERNEL_RULES:
	case SEC_ROOFS:
		return check_reports(p, (enum section)sec, x, y);
	case SEC_MEMORY_SERIES:
	case SEC_MEMORY_ENTRIES:
	case SEC_MEMORY_SEGMENTS:
	case SEC_MEMORY_BLOCKS:
	case SEC_MEMORY_FRAMES:
	case SEC_MEMORY_STACKS:
	case SEC_MEMORY_STACK_FRAMES:
	case SEC_MEMORY_MARKS:
		return check_memory(p, (enum section)sec, x, y);
	default:
		return true;
	}
}

static bool verify_unit(struct verify *v, uint64_t unit, struct check_stack *st, struct check_sum *sum)
{
	size_t g = 0;
	uint64_t block, a, b;

	while (unit >= v->first_unit[g + 1])
		g++;
	block = unit - v->first_unit[g];
	a = block * CACHE_BLOCK;
	b = v->o->dir[groups[g].first].count;
	b = b - a < CACHE_BLOCK ? b : a + CACHE_BLOCK;
	for (unsigned s = groups[g].first; s < groups[g].first + groups[g].n; s++) {
		uint64_t size = v->o->dir[s].size;

		v->sums[s][block] = check64((const char *)section(v->o, s) + a * size, (b - a) * size);
	}
	return look_through(v->o, groups[g].first, a, b, st, sum);
}

static void *verify_units(void *arg)
{
	struct check_sum sum = { 0, INT64_MAX, INT64_MIN };
	struct check_stack st = { 0 };
	struct verify *v = arg;
	uint64_t unit;

	while (!atomic_load(&v->bad) && (unit = atomic_fetch_add(&v->next, 1)) < v->first_unit[GROUP_N])
		if (!verify_unit(v, unit, &st, &sum))
			atomic_store(&v->bad, true);
	free(st.a);
	pthread_mutex_lock(&v->lock);
	v->sum.linked += sum.linked;
	if (sum.first_ns < v->sum.first_ns)
		v->sum.first_ns = sum.first_ns;
	if (sum.last_ns > v->sum.last_ns)
		v->sum.last_ns = sum.last_ns;
	pthread_mutex_unlock(&v->lock);
	return NULL;
}

static void run_units(struct verify *v, uint64_t events)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t want = events / THREAD_EVENTS, n = 0;
	pthread_t threads[THREADS_MAX];

	if (cpus > 0 && want > (uint64_t)cpus - 1)
		want = (uint64_t)cpus - 1;
	if (want > THREADS_MAX)
		want = THREADS_MAX;
	while (n < want && par_thread(&threads[n], NULL, verify_units, v))
		n++;
	verify_units(v);
	while (n)
		pthread_join(threads[--n], NULL);
}

static void plan_units(struct verify *v)
{
	for (size_t g = 0; g < GROUP_N; g++) {
		uint64_t blocks = (v->o->dir[groups[g].first].count + CACHE_BLOCK - 1) / CACHE_BLOCK;

		v->first_unit[g + 1] = v->first_unit[g] + blocks;
		for (unsigned s = groups[g].first; s < groups[g].first + groups[g].n; s++)
			v->sums[s] = xcalloc(blocks, sizeof(*v->sums[s]));
	}
}

static bool check_columns(const struct opening *o, struct err *e)
{
	struct verify v = { .o = o, .sum = { 0, INT64_MAX, INT64_MIN } };
	bool sums = true, rules;

	pthread_mutex_init(&v.lock, NULL);
	plan_units(&v);
	run_units(&v, o->p->n);
	rules = !atomic_load(&v.bad) && v.sum.linked == o->p->n_by_launch && v.sum.first_ns == o->p->first_ns &&
		v.sum.last_ns == o->p->last_ns;
	for (unsigned s = SEC_SMALL_N; s < SEC_N; s++) {
		uint64_t blocks = (o->dir[s].count + CACHE_BLOCK - 1) / CACHE_BLOCK;

		sums &= check64(v.sums[s], blocks * sizeof(*v.sums[s])) == o->dir[s].checksum;
		free(v.sums[s]);
	}
	pthread_mutex_destroy(&v.lock);
	if (!rules)
		return damaged(e, _("columns that contradict each other"));
	return sums || damaged(e, _("wrong checksum"));
}

/* ---- together ---------------------------------------------------------------------------------------------- */

static bool fill(struct opening *o, const struct cache_key *k, struct err *e)
{
	if (!check_key(o, k, e) || !check_small(o, e) || !set_members(o, e) || !set_meta(o, e) || !set_texts(o, e))
		return false;
	if (!check_tables(o->p))
		return damaged(e, _("impossible tables"));
	/* cut meanwhile: what was looked through as zeros would not be right; from now on nothing is looked at twice */
	return check_columns(o, e) && (guard_vital(o->map, CUT_WORDS, 4) || damaged(e, _("it was cut short just now")));
}

struct profile *cache_open(int fd, const struct cache_key *k, struct err *e)
{
	struct opening o;
	struct profile *p;

	if (!begin(&o, fd, e)) {
		guard_unmap(o.map, o.bytes, 0);
		return NULL;
	}
	p = o.p = xcalloc(1, sizeof(*p));
	p->refs = 1;
	p->map = (void *)(uintptr_t)o.map;
	p->map_bytes = o.bytes;
	if (fill(&o, k, e))
		return p;
	profile_unref(p);
	return NULL;
}

bool cache_peek(int fd, struct cache_info *out, struct err *e)
{
	struct opening o;
	bool ok = begin(&o, fd, e);

	if (ok) {
		*out = (struct cache_info){ .source = o.head->source, .events = o.dir[SEC_START].count, .file_bytes = o.bytes };
		out->path = xmemdup0(section(&o, SEC_PATH), o.dir[SEC_PATH].count);
		memcpy(out->loader, o.head->loader, sizeof(out->loader));
	}
	guard_unmap(o.map, o.bytes, 0);
	return ok;
}
