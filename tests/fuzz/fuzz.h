/*
 * fuzz.h - what the fuzzers share. Each fuzz_NAME.c has LLVMFuzzerTestOneInput(), which takes any bytes and ends with abort()
 * when a promise of a header is broken; crashes, leaks and undefined behaviour are the sanitizers' part.
 *
 * With --enable-fuzzing (clang) each is linked with libFuzzer: `make fuzz FUZZ_SECONDS=60`. Without, fuzz_main.c replays
 * files: `make check` runs every seed through its fuzzer (replay.t).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "findings/rulebook.h"
#include "load/read/loader.h"
#include "model/profile.h"
#include "report/out.h"
#include "scope/analysis.h"
#include "table/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* libFuzzer's own mutation; fuzz_main.c has one that changes nothing. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Ends the program with a message unless cond holds. */
#define fuzz_hold(cond, ...) ((cond) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #cond, __VA_ARGS__))
_Noreturn void fuzz_broken(const char *file, int line, const char *cond, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A file with these bytes, in TMPDIR or in memory; its path in path. fuzz_file_close() removes it. */
#define FUZZ_PATH_MAX 256
void fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH_MAX]);
void fuzz_file_close(const char *path);

/*
 * Loads a file of these bytes with the loader, in any state of damage, and checks the profile. False with an empty or partly
 * filled profile when the loader gave up; *out is the caller's in both cases.
 */
bool fuzz_load(const struct loader *l, const uint8_t *data, size_t size, struct profile **out);
/* By so many threads; 0: one for each processor. */
bool fuzz_load_on(const struct loader *l, unsigned workers, const uint8_t *data, size_t size, struct profile **out);

/* The built-in rules, read once. */
const struct rulebook *fuzz_rules(void);

/* What every profile must hold: order, nesting, selfs that sum to the union, ids within their tables. */
void fuzz_check_profile(const struct profile *p);
/* Every view in one of four scopes, its identities, and its output in one format. Takes the reference. */
void fuzz_check_views(struct profile *p, size_t choice);
/* Some views of a profile that was made with intent: its figures may contradict each other, but nothing may crash. */
void fuzz_show_views(struct profile *p, size_t choice);
/* The output of a table: JSON parses back to the rows, the others are valid UTF-8 without a control byte. */
void fuzz_check_format(const struct table *t, enum out_format fmt);
/* In every format. */
void fuzz_check_output(const struct table *t);
/* Printed text: valid UTF-8, every character printable; newlines and tabs only where allowed. */
void fuzz_check_printed(const char *s, size_t n, const char *allowed);

#endif
