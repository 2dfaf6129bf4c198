/*
 * views.h - one profile, loaded once, and its views as JSON documents (what `print --format json --window all` writes), made when
 * they are asked for and kept; and the sums that must hold in them.
 */
#ifndef TESTS_CORPUS_VIEWS_H
#define TESTS_CORPUS_VIEWS_H

#include "base/err.h"
#include "base/sbuf.h"
#include "scope/scope.h"
#include "tests/corpus/jtree.h"

struct views;

struct views *views_new(const char *path, struct err *e);
void views_free(struct views *v);	/* NULL is fine */
/* Root of the document; NULL (and a TAP comment) if there is no such view or it failed. `partition` of breakdown, else "". */
const struct jval *views_json(struct views *v, const char *view, enum by_dim by, const char *partition);
/* Zero of the session on the file's own axis. */
int64_t views_zero(const struct views *v);

/* Each instant of the host is in one row: the rows sum to the wall, and the wall is that of the file's events, once a process. */
bool views_cpu_sums(struct views *v);
/* gpu:N and joint:N sum to the window of device N, and each state to the figure of the gpu view. */
bool views_gpu_sums(struct views *v);
/* Phases of steps, classes and kernels, parts of an op's self time, busy and lost time of waits, classes against kernels. */
bool views_part_sums(struct views *v);

#endif
