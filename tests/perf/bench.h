/*
 * bench.h - the words of the bench. Each gets what stands behind it and returns the exit status, or BENCH_USAGE.
 *
 * load, scan and step are contenders of a race: they print one line "peer=NAME … seconds=S …" as peers/peer.h does.
 */
#ifndef TESTS_PERF_BENCH_H
#define TESTS_PERF_BENCH_H

#include "model/profile.h"

enum { BENCH_USAGE = -1 };

int bench_files(int argc, char **argv);		/* files.c */
int bench_work(int argc, char **argv);
int bench_load(int argc, char **argv);		/* contend.c */
int bench_scan(int argc, char **argv);		/* scan.c */
int bench_step(int argc, char **argv);		/* step.c */
int bench_race(int argc, char **argv);		/* race.c */
int bench_aggregate(int argc, char **argv);	/* aggregate.c */
int bench_draw(int argc, char **argv);		/* draw.c */
int bench_flame(int argc, char **argv);		/* flame.c */

/* A profile of about that many events, made without a file (synth.c): a step every 12,000 events, two threads with nested ops, calls,
 * kernels on two streams, copies. The caller owns it. */
struct profile *synth_profile(uint64_t events);
struct session;
/* A session of that profile alone; the caller frees it. */
struct session *synth_session(uint64_t events);
/* The optional argument of `aggregate` and `draw`; 0: it is none. */
uint64_t synth_events(int argc, char **argv);

#endif
