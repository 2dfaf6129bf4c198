/*
 * contend.c - `bench load`: profdive as a contender of the race. It does all that the program does when it opens a file (columns,
 * sorting, nesting, links), then adds up from the profile what the peers add up from the text. What the profile does not keep (the
 * category, correlation ids once they are links) has no sum here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/job.h"
#include "load/read/loader.h"
#include "tests/perf/bench.h"
#include "tests/perf/measure.h"

struct sums {
	uint64_t events, spans, name_bytes, ts_ns, dur_ns, pid, tid;
};

/* Ids that are text in the file got numbers far below 0 (sink.c); the peers add up numbers alone. */
static uint64_t id_of(int64_t id)
{
	return id <= -1000000 ? 0 : (uint64_t)id;
}

static void add_track(const struct profile *p, const struct track *t, struct sums *s)
{
	bool gpu = layer_on_gpu((enum layer)t->layer);
	int64_t pid = gpu ? t->device : p->threads[t->thread].pid, tid = gpu ? t->stream : p->threads[t->thread].tid;

	/* marks and counters are no spans */
	if (t->layer == LAYER_INSTANT || t->layer == LAYER_COUNTER)
		return;
	for (ev_id e = t->first; e < t->first + t->count; e++) {
		size_t n;

		profile_str(p, p->name[e], &n);
		s->name_bytes += n;
		s->ts_ns += (uint64_t)p->start[e];
		s->dur_ns += (uint64_t)p->dur[e];
	}
	s->spans += t->count;
	s->pid += id_of(pid) * t->count;
	s->tid += id_of(tid) * t->count;
}

static void print_line(const struct profile *p, unsigned workers, double seconds, int64_t anon)
{
	struct sums s = { 0 };

	for (uint32_t i = 0; i < p->n_contents; i++)
		s.events += p->contents[i].count;
	for (uint32_t i = 0; i < p->n_tracks; i++)
		add_track(p, &p->tracks[i], &s);
	printf("peer=profdive version=%s impl=workers:%u seconds=%.6f anon_kib=%" PRId64 " kept=%" PRIu32, PACKAGE_VERSION, workers, seconds,
		anon / 1024, p->n);
	/* a database has rows of many tables, and its durations are no microseconds */
	if (p->format == FORMAT_TORCH)
		printf(" events=%" PRIu64 " spans=%" PRIu64 " name_bytes=%" PRIu64 " ts_ns=%" PRIu64 " dur_ns=%" PRIu64 " pid=%" PRIu64
		       " tid=%" PRIu64 "\n",
			s.events, s.spans, s.name_bytes, s.ts_ns, s.dur_ns, s.pid, s.tid);
	else
		printf(" events=%" PRIu32 " dur_ns=%" PRIu64 "\n", p->n, s.dur_ns);
}

int bench_load(int argc, char **argv)
{
	struct job job = { 0 };
	struct err e = ERR_INIT;
	struct profile *p = NULL;
	double since;
	int64_t anon;

	job.workers = 1;
	if (argc > 2 && strcmp(argv[0], "--workers") == 0) {
		job.workers = (unsigned)strtoul(argv[1], NULL, 10);
		argc -= 2;
		argv += 2;
	}
	if (argc != 1 || !job.workers)
		return BENCH_USAGE;
	anon = anonymous_bytes();
	since = now_s();
	if (!loader_load(argv[0], &job, NULL, NULL, &p, &e)) {
		fprintf(stderr, "%s: %s\n", argv[0], e.text);
		return 1;
	}
	print_line(p, job.workers, now_s() - since, anonymous_bytes() - anon);
	profile_unref(p);
	return 0;
}
