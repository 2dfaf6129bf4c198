/* sampler.h - what the unit tests of the sampler formats share: load a text as a file, and look at the call tree; header only */
#ifndef TESTS_LIB_SAMPLER_H
#define TESTS_LIB_SAMPLER_H

#include <unistd.h>

#include "base/fileio.h"
#include "base/outfile.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "tests/lib/tap.h"

/* Loads these bytes as a file of the current folder; NULL with *e set. */
static inline struct profile *sampler_load(const struct loader *l, const void *text, size_t n, struct err *e)
{
	char path[] = "sampler.XXXXXX";
	int fd = mkstemp(path);
	struct job job = { 0 };
	struct load_ctx lx = { .builder = builder_new(), .job = &job };
	struct profile *p = NULL;

	if (fd >= 0)
		close(fd);
	outfile_write(path, text, n, NULL);
	if (l->load(&lx, path, e))
		p = builder_finish(lx.builder);
	builder_free(lx.builder);
	unlink(path);
	return p;
}

static inline struct profile *sampler_text(const struct loader *l, const char *text, struct err *e)
{
	return sampler_load(l, text, strlen(text), e);
}

static inline int sampler_probe(const struct loader *l, const char *text)
{
	struct probe p = { .path = "x", .head = text, .head_len = strlen(text), .size_bytes = (int64_t)strlen(text) };

	return l->probe(&p);
}

static inline bool sampler_named(const struct profile *p, str_id id, const char *want, size_t n)
{
	size_t len;
	const char *s = profile_str(p, id, &len);

	return len == n && memcmp(s, want, n) == 0;
}

/* The frame at "a;b;c" from a root (names hold no semicolon here); NULL if there is none. */
static inline const struct frame_node *sampler_at(const struct profile *p, const char *path)
{
	int32_t at = -1;

	while (p && *path) {
		size_t n = strcspn(path, ";");
		uint32_t i;

		for (i = 0; i < p->n_frames; i++)
			if (p->frames[i].parent == at && sampler_named(p, p->frames[i].function, path, n))
				break;
		if (i == p->n_frames)
			return NULL;
		at = (int32_t)i;
		path += n + (path[n] == ';');
	}
	return at < 0 ? NULL : &p->frames[at];
}

/* Own samples and times, summed: each sample once. */
static inline int64_t sampler_roots(const struct profile *p, bool times)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->n_frames; i++)
		if (p->frames[i].parent < 0)
			sum += times ? p->frames[i].total_ns : p->frames[i].samples;
	return sum;
}

static inline ns_t sampler_self(const struct profile *p)
{
	ns_t sum = 0;

	for (uint32_t i = 0; i < p->n_frames; i++)
		sum += p->frames[i].self_ns;
	return sum;
}

static inline int64_t sampler_line(const struct profile *p, const struct frame_node *f, int32_t line, bool time)
{
	for (uint32_t i = 0; f && i < p->n_frame_lines; i++)
		if (&p->frames[p->frame_lines[i].frame] == f && p->frame_lines[i].line == line)
			return time ? p->frame_lines[i].total_ns : p->frame_lines[i].samples;
	return -1;
}

static inline const char *sampler_str(const struct profile *p, str_id id)
{
	size_t n;

	return id == ID_NONE ? NULL : profile_str(p, id, &n);
}

static inline uint64_t sampler_damage(const struct profile *p)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < p->n_damages; i++)
		n += p->damages[i].count;
	return n;
}

#endif
