/*
 * peer.h - what every contender of the race does alike: reads the file, adds up the same fields of each event, prints one line.
 *
 * Of every object in traceEvents: ph, name, cat, ts, dur, pid, tid, args.correlation. Sums go over the events with ph "X", so that
 * two programs that read the same file print the same sums; ts may differ by what a double loses. C and C++; no file of ../../../src.
 */
#ifndef PERF_PEER_H
#define PERF_PEER_H

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct peer_event {
	int span;		/* ph is "X" */
	size_t name_bytes, cat_bytes;
	double ts_us, dur_us;
	int64_t pid, tid, corr;
};

struct peer_sums {
	uint64_t events, spans, name_bytes, cat_bytes, ts_ns, dur_ns, pid, tid, corr;
};

enum peer_field { PF_NONE, PF_PH, PF_NAME, PF_CAT, PF_TS, PF_DUR, PF_PID, PF_TID, PF_ARGS };

/* Which field a key of an event is. */
static inline enum peer_field peer_field_of(const char *key, size_t n)
{
	static const struct {
		const char *key;
		size_t n;
		enum peer_field field;
	} fields[] = { { "ph", 2, PF_PH }, { "name", 4, PF_NAME }, { "cat", 3, PF_CAT }, { "ts", 2, PF_TS }, { "dur", 3, PF_DUR },
		{ "pid", 3, PF_PID }, { "tid", 3, PF_TID }, { "args", 4, PF_ARGS } };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].n == n && memcmp(fields[i].key, key, n) == 0)
			return fields[i].field;
	return PF_NONE;
}

static inline void peer_string(struct peer_event *e, enum peer_field f, const char *s, size_t n)
{
	if (f == PF_PH)
		e->span = n == 1 && *s == 'X';
	else if (f == PF_NAME)
		e->name_bytes = n;
	else if (f == PF_CAT)
		e->cat_bytes = n;
}

static inline void peer_integer(struct peer_event *e, enum peer_field f, int64_t v)
{
	if (f == PF_PID)
		e->pid = v;
	else if (f == PF_TID)
		e->tid = v;
	else if (f == PF_TS)
		e->ts_us = (double)v;
	else if (f == PF_DUR)
		e->dur_us = (double)v;
}

static inline void peer_double(struct peer_event *e, enum peer_field f, double v)
{
	if (f == PF_TS)
		e->ts_us = v;
	else if (f == PF_DUR)
		e->dur_us = v;
	else
		peer_integer(e, f, (int64_t)v);
}

static inline int peer_is_corr(const char *key, size_t n)
{
	return n == 11 && memcmp(key, "correlation", 11) == 0;
}

static inline void peer_add(struct peer_sums *s, const struct peer_event *e)
{
	s->events++;
	if (!e->span)
		return;
	s->spans++;
	s->name_bytes += e->name_bytes;
	s->cat_bytes += e->cat_bytes;
	s->ts_ns += (uint64_t)llround(e->ts_us * 1000);
	s->dur_ns += (uint64_t)llround(e->dur_us * 1000);
	s->pid += (uint64_t)e->pid;
	s->tid += (uint64_t)e->tid;
	s->corr += (uint64_t)e->corr;
}

static inline double peer_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void peer_die(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(1);
}

/* The whole file, with `pad` zero bytes behind it. */
static inline char *peer_slurp(const char *path, size_t pad, size_t *n)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	ssize_t got = 1;
	char *buf;

	if (fd < 0 || fstat(fd, &st) != 0 || !(buf = (char *)malloc((size_t)st.st_size + pad + 1)))
		peer_die("cannot read the file");
	for (*n = 0; got > 0 && *n < (size_t)st.st_size; *n += got > 0 ? (size_t)got : 0)
		got = read(fd, buf + *n, (size_t)st.st_size - *n);
	memset(buf + *n, 0, pad + 1);
	close(fd);
	return buf;
}

static inline long peer_anon_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "RssAnon:", 8) == 0)
			kib = atol(line + 8);
	if (f)
		fclose(f);
	return kib;
}

/* Names and versions without blanks. */
static inline void peer_report(const char *name, const char *version, const char *impl, double since, const struct peer_sums *s)
{
	double seconds = peer_now() - since;

	printf("peer=%s version=%s impl=%s seconds=%.6f anon_kib=%ld events=%llu spans=%llu name_bytes=%llu cat_bytes=%llu ts_ns=%llu "
	       "dur_ns=%llu pid=%llu tid=%llu corr=%llu\n",
		name, version, impl, seconds, peer_anon_kib(), (unsigned long long)s->events, (unsigned long long)s->spans,
		(unsigned long long)s->name_bytes, (unsigned long long)s->cat_bytes, (unsigned long long)s->ts_ns,
		(unsigned long long)s->dur_ns, (unsigned long long)s->pid, (unsigned long long)s->tid, (unsigned long long)s->corr);
}

#endif
