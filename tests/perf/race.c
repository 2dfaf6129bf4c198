/*
 * race.c - `bench race`: contenders against the first of them, in interleaved rounds.
 *
 * Each line of the input is NAME TAB TARGET TAB COMMAND. A command prints one line of key=value words (peers/peer.h); its seconds
 * count from opening the file. TARGET says which ratio is shown and what it must be, and aims at: "p>=4:6.5" = peer by profdive at
 * least 4, at best 6.5; "o<=10:5.5" = profdive (ours) by this one at most 10; "o>=1.6:1.75"; "-" = none.
 *
 * One round goes before and is not counted. The order is another one in each round, since who ran before leaves its mark: memory that
 * it gave back has to be fetched again. A ratio is the median of the ratios of the rounds, with the least and the greatest. A
 * contender whose sums differ from the first's is void: it did not read the same. The ratio of the processes' cpu time beside it is
 * less exact (it counts from exec to exit) but says more where others work on the same machine.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/perf/bench.h"
#include "tests/perf/measure.h"

enum { JOBS_MAX = 24, ROUNDS_MAX = 99, LINE_MAX_BYTES = 1024 };

struct target {
	bool ours_above;	/* profdive's seconds by the contender's; else the other way round */
	bool at_least;
	double must, aim;	/* must 0: none */
};
struct contender {
	char *name, *command;
	struct target target;
	char line[LINE_MAX_BYTES];	/* what it printed last */
	double seconds[ROUNDS_MAX], ratio[ROUNDS_MAX], cpu[ROUNDS_MAX], sys[ROUNDS_MAX], cpu_ratio[ROUNDS_MAX];
	bool broken;			/* did not run */
	char why[200];			/* void: what differs */
};
struct race {
	struct contender c[JOBS_MAX];
	size_t n, rounds;
	double mb;
};

/* The number behind " key=" in a line, false if there is none. */
static bool word_u64(const char *line, const char *key, uint64_t *v)
{
	char want[32];
	const char *at;

	snprintf(want, sizeof(want), " %s=", key);
	at = strstr(line, want);
	if (at)
		*v = strtoull(at + strlen(want), NULL, 10);
	return at;
}

static double word_double(const char *line, const char *key)
{
	char want[32];
	const char *at;

	snprintf(want, sizeof(want), " %s=", key);
	at = strstr(line, want);
	return at ? strtod(at + strlen(want), NULL) : 0;
}

static void word_text(const char *line, const char *key, char *buf, size_t size)
{
	const char *at = strstr(line, key);
	size_t n = at ? strcspn(at + strlen(key), " \n") : 0;

	snprintf(buf, size, "%.*s", (int)n, at ? at + strlen(key) : "");
}

static bool parse_target(const char *s, struct target *t)
{
	char who, op, eq;

	*t = (struct target){ 0 };
	if (strcmp(s, "-") == 0)
		return true;
	if (sscanf(s, "%c%c%c%lf:%lf", &who, &op, &eq, &t->must, &t->aim) != 5)
		return false;
	t->ours_above = who == 'o';
	t->at_least = op == '>';
	return true;
}

static bool read_jobs(struct race *r)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while (r->n < JOBS_MAX && (n = getline(&line, &cap, stdin)) > 0) {
		struct contender *c = &r->c[r->n];
		char *target = strchr(line, '\t'), *command = target ? strchr(target + 1, '\t') : NULL;

		line[strcspn(line, "\n")] = '\0';
		if (!command)
			continue;
		*target++ = '\0';
		*command++ = '\0';
		if (!parse_target(target, &c->target))
			return false;
		c->name = strdup(line);
		c->command = strdup(command);
		r->n++;
	}
	free(line);
	return r->n > 0;
}

/* The first line that the command prints goes to c->line; false if it fails. */
static bool run_command(struct contender *c, struct rusage *ru)
{
	int fd[2], status = 1;
	size_t got = 0;
	ssize_t n = 1;
	pid_t pid;

	if (pipe(fd) != 0)
		return false;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDOUT_FILENO);
		close(fd[0]);
		close(fd[1]);
		execl("/bin/sh", "sh", "-c", c->command, (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	while (n > 0 && got < sizeof(c->line) - 1) {
		n = read(fd[0], c->line + got, sizeof(c->line) - 1 - got);
		got += n > 0 ? (size_t)n : 0;
	}
	c->line[got] = '\0';
	close(fd[0]);
	while (pid > 0 && wait4(pid, &status, 0, ru) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && strstr(c->line, " seconds=");
}

static double ratio_of(const struct target *t, double ours, double other)
{
	return t->ours_above ? ours / other : other / ours;
}

/* The same orders in every race. */
static void shuffle(size_t *order, size_t n, size_t round)
{
	uint64_t seed = round;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t k, other;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		k = (size_t)(seed >> 33) % i;
		other = order[k];
		order[k] = order[i - 1];
		order[i - 1] = other;
	}
}

static void run_one(struct contender *c, size_t round, bool counts)
{
	struct rusage ru = { 0 };

	if (c->broken)
		return;
	c->broken = !run_command(c, &ru);
	if (c->broken || !counts)
		return;
	c->seconds[round] = word_double(c->line, "seconds");
	c->sys[round] = (double)ru.ru_stime.tv_sec + (double)ru.ru_stime.tv_usec * 1e-6;
	c->cpu[round] = c->sys[round] + (double)ru.ru_utime.tv_sec + (double)ru.ru_utime.tv_usec * 1e-6;
}

static void one_round(struct race *r, size_t round, bool counts)
{
	size_t order[JOBS_MAX];

	shuffle(order, r->n, round);
	for (size_t i = 0; i < r->n; i++)
		run_one(&r->c[order[i]], round, counts);
	for (size_t i = 0; i < r->n && counts; i++) {
		struct contender *c = &r->c[i];

		c->ratio[round] = ratio_of(&c->target, r->c[0].seconds[round], c->seconds[round]);
		c->cpu_ratio[round] = ratio_of(&c->target, r->c[0].cpu[round], c->cpu[round]);
	}
}

/* Sums that both print must be equal; of ts a double loses up to half its last place: 128 ns per event at today's dates. */
static void compare(const struct contender *ours, struct contender *c)
{
	static const char *const keys[] = { "events", "spans", "name_bytes", "cat_bytes", "dur_ns", "pid", "tid", "corr" };
	uint64_t a, b, spans = 0, far;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (word_u64(ours->line, keys[i], &a) && word_u64(c->line, keys[i], &b) && a != b)
			snprintf(c->why, sizeof(c->why), "%s %" PRIu64 ", not %" PRIu64, keys[i], b, a);
	if (!word_u64(ours->line, "ts_ns", &a) || !word_u64(c->line, "ts_ns", &b))
		return;
	word_u64(ours->line, "spans", &spans);
	far = a > b ? a - b : b - a;
	if (far > spans * 128 && -far > spans * 128)
		snprintf(c->why, sizeof(c->why), "ts_ns %" PRIu64 ", not %" PRIu64, b, a);
}

static bool holds(const struct target *t, double limit, double ratio)
{
	return t->at_least ? ratio >= limit : ratio <= limit;
}

static void print_ratio(struct contender *c, const struct race *r)
{
	const struct target *t = &c->target;
	double sorted[ROUNDS_MAX], m;

	memcpy(sorted, c->ratio, r->rounds * sizeof(*sorted));
	m = median(sorted, r->rounds);
	printf("| %s %.2f (%.2f to %.2f) | %.2f ", t->ours_above ? "ours by it" : "it by ours", m, sorted[0], sorted[r->rounds - 1],
		median(c->cpu_ratio, r->rounds));
	if (!t->must)
		printf("| | |\n");
	else
		printf("| %s %g; %g | %s |\n", t->at_least ? "≥" : "≤", t->must, t->aim,
			holds(t, t->aim, m) ? "aim" : holds(t, t->must, m) ? "yes" : "**no**");
}

static void print_contender(struct contender *c, struct race *r)
{
	char name[64], version[64], impl[96];
	uint64_t events = 0;
	double seconds;

	if (c->broken || c->why[0]) {
		printf("| %s | void: %s | | | | | | | | |\n", c->name, c->broken ? "did not run" : c->why);
		return;
	}
	seconds = median(c->seconds, r->rounds);
	word_text(c->line, "peer=", name, sizeof(name));
	word_text(c->line, "version=", version, sizeof(version));
	word_text(c->line, "impl=", impl, sizeof(impl));
	word_u64(c->line, "events", &events);
	printf("| %s: %s %s, %s | %.3f | %.0f | ", c->name, name, version, impl, seconds, r->mb / seconds);
	if (events)
		printf("%.2f ", (double)events / seconds / 1e6);
	printf("| %.3f | %.3f | %.0f ", median(c->cpu, r->rounds), median(c->sys, r->rounds), word_double(c->line, "anon_kib") / 1024);
	print_ratio(c, r);
}

static int report(struct race *r)
{
	struct contender *ours = &r->c[0];
	int status = 0;
	double load = load_average();

	printf("%zu rounds, interleaved; medians. Load average %.1f%s.\n\n", r->rounds, load,
		load > 1.5 ? ": the machine was busy with other work, the ratios alone say something" : "");
	printf("| | s | MB/s | Mev/s | cpu s | sys s | anon MiB | ratio of seconds | of cpu | must; aim | holds |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < r->n; i++) {
		if (i && !r->c[i].broken)
			compare(ours, &r->c[i]);
		print_contender(&r->c[i], r);
		status |= r->c[i].broken || r->c[i].why[0];
	}
	return status;
}

int bench_race(int argc, char **argv)
{
	static struct race r;

	r.rounds = 5;
	if (argc > 2 && strcmp(argv[0], "--rounds") == 0) {
		r.rounds = (size_t)strtoul(argv[1], NULL, 10);
		argc -= 2;
		argv += 2;
	}
	if (argc != 1 || !r.rounds || r.rounds > ROUNDS_MAX || !read_jobs(&r))
		return BENCH_USAGE;
	r.mb = strtod(argv[0], NULL);
	one_round(&r, 0, false);
	for (size_t i = 0; i < r.rounds; i++)
		one_round(&r, i, true);
	return report(&r);
}
