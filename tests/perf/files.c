/*
 * files.c - `bench files`: a table of seconds, events/s, MB/s, bytes per event, and how often as long as the base; `bench --work`: one
 * line of counts that do not depend on the clock: events, bytes read, allocations, …
 *
 * The base is the plainest way to get at the same bytes in the same run: a text read (and inflated) once from end to end, a
 * database with every column of every row selected. Ratios to it compare between machines; seconds do not. Rounds are
 * interleaved (every measurement once per round, each in a process of its own), figures are medians, and a ratio is the median of
 * the ratios of the rounds. One round goes before and is not counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/perf/bench.h"
#include "tests/perf/measure.h"

#define ROUNDS_MAX 99

struct series {
	double base[ROUNDS_MAX], load[ROUNDS_MAX], first[ROUNDS_MAX], ratio[ROUNDS_MAX];
	struct figures last_base, last_load;
};

static bool run(measure_fn fn, const char *path, struct figures *f)
{
	struct err e = ERR_INIT;

	if (!measure(fn, path, f, &e)) {
		printf("%s: %s\n", path, e.text);
		return false;
	}
	if (!f->ok)
		printf("%s: %s\n", path, f->why);
	return f->ok;
}

static bool one_round(const char *path, struct series *s, size_t i)
{
	struct figures base, load, first;

	if (!run(work_base, path, &base) || !run(work_load, path, &load) || !run(work_first, path, &first))
		return false;
	if (load.events != first.events || (i && load.events != s->last_load.events)) {
		printf("%s: the rounds differ in their events: void\n", path);
		return false;
	}
	s->base[i] = base.load_s;
	s->load[i] = load.load_s;
	s->first[i] = first.first_s;
	s->ratio[i] = base.load_s > 0 ? load.load_s / base.load_s : 0;
	s->last_base = base;
	s->last_load = load;
	return true;
}

static double per_event(int64_t bytes, const struct figures *f)
{
	return f->events ? (double)bytes / (double)f->events : 0;
}

static void print_file(const char *path, struct series *s, size_t rounds)
{
	const struct figures *f = &s->last_load;
	const char *slash = strrchr(path, '/');
	uint64_t seen = f->seen > f->events ? f->seen : f->events;
	double load = median(s->load, rounds), mb;
	struct stat st;

	if (stat(path, &st) != 0)
		return;
	mb = (double)(s->last_base.text_bytes ? (int64_t)s->last_base.text_bytes : (int64_t)st.st_size) / 1e6;
	printf("%-30.30s %9" PRIu64 " %9" PRIu64 " %8.1f %7.3f %7.3f %8.2f %7.0f %7.3f %6.2f %6.1f %6.1f %6.1f\n", slash ? slash + 1 : path,
		seen, f->events, mb, load, median(s->first, rounds), (double)seen / load / 1e6, mb / load, median(s->base, rounds),
		median(s->ratio, rounds), per_event((int64_t)f->column_bytes, f), per_event(f->resident_bytes, f),
		per_event(f->peak_bytes, f));
	fflush(stdout);
}

static bool bench_file(const char *path, size_t rounds)
{
	static struct series s;
	struct series warm;

	if (!one_round(path, &warm, 0))
		return false;
	for (size_t i = 0; i < rounds; i++)
		if (!one_round(path, &s, i))
			return false;
	print_file(path, &s, rounds);
	return true;
}

static int all_files(char **paths, size_t n, size_t rounds)
{
	bool ok = true;

	printf("# %zu rounds, load average %.2f%s; text inflated; seconds, MB = 10^6 bytes of text\n", rounds, load_average(),
		load_average() > 1.5 ? " (the machine is busy: trust the ratios only)" : "");
	printf("# events of the file, flows and metadata among them, and those kept; Mev/s counts all, bytes per event the kept ones\n");
	printf("# ratio: load by base: how often as long as reading the file once (a database: as selecting everything)\n");
	printf("# bytes per event: columns of the profile, memory after loading, most memory while loading (mapped files count)\n");
	printf("%-30s %9s %9s %8s %7s %7s %8s %7s %7s %6s %6s %6s %6s\n", "file", "events", "kept", "MB", "load", "first", "Mev/s", "MB/s", "base",
		"ratio", "col/ev", "mem/ev", "peak");
	for (size_t i = 0; i < n; i++)
		ok &= bench_file(paths[i], rounds);
	return ok ? 0 : 1;
}

/* A sanitizer keeps what was freed: then memory says nothing. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

int bench_work(int argc, char **argv)
{
	const char *path = argc == 1 ? argv[0] : NULL;
	struct figures f, indexed;
	struct stat st;

	if (!path)
		return BENCH_USAGE;
	if (stat(path, &st) != 0 || !run(work_load_alone, path, &f) || !run(work_indexed, path, &indexed))
		return 1;
	printf("events %" PRIu64 " size %lld read %" PRIu64 " allocations %" PRIu64 " columns %" PRIu64 " resident %" PRId64 " sanitized %d "
		"indexed %" PRId64 "\n",
		f.events, (long long)st.st_size, f.read_bytes, f.allocations, f.column_bytes, f.resident_bytes, SANITIZED, indexed.resident_bytes);
	return 0;
}

int bench_files(int argc, char **argv)
{
	size_t rounds = 5;
	int first = 0;

	if (argc > 1 && strcmp(argv[0], "--rounds") == 0) {
		rounds = (size_t)strtoul(argv[1], NULL, 10);
		first = 2;
	}
	if (first >= argc || !rounds || rounds > ROUNDS_MAX)
		return BENCH_USAGE;
	return all_files(argv + first, (size_t)(argc - first), rounds);
}
