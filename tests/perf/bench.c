/*
 * bench.c - measurements by hand and for tests/perf/bench.sh; each is a word of its own, see usage().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/perf/bench.h"

static const struct {
	const char *word, *arguments;
	int (*run)(int argc, char **argv);	/* the arguments behind the word */
} words[] = {
	{ "files", "[--rounds N] FILE...", bench_files },
	{ "--work", "FILE", bench_work },
	{ "load", "[--workers N] FILE", bench_load },
	{ "scan", "[--with avx2|sse2|plain] FILE", bench_scan },
	{ "step", "FILE.sqlite", bench_step },
	{ "race", "[--rounds N] MB <JOBS", bench_race },
	{ "aggregate", "[EVENTS]", bench_aggregate },
	{ "draw", "[EVENTS]", bench_draw },
	{ "flame", "", bench_flame },
};

static int usage(void)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		fprintf(stderr, "%s bench %s %s\n", i ? "      " : "usage:", words[i].word, words[i].arguments);
	return 2;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, argv[1]) == 0) {
			int status = words[i].run(argc - 2, argv + 2);

			return status == BENCH_USAGE ? usage() : status;
		}
	return usage();
}
