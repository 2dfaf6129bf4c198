/* facts_impl.h - the parts facts are made of, in the order in which facts.c calls them. Private to src/analyze. */
#ifndef ANALYZE_FACTS_IMPL_H
#define ANALYZE_FACTS_IMPL_H

#include "analyze/facts.h"

/* Fills f->threads, f->procs (pid, main, training): roles.c */
void facts_roles(struct facts *f, const struct rules *r);
/* Fills f->ops, f->call_op, f->call_thread: oplayer.c */
void facts_ops(struct facts *f, const struct rules *r);
/* Fills phases, issue, microbatches of each process: phases.c */
void facts_phases(struct facts *f, const struct rules *r);
/* Fills f->steps, steady: steps.c */
void facts_steps(struct facts *f, const struct rules *r);

/* Which of the host layers may hold markers (steps, phases, micro-batches). */
extern const enum layer marker_layers[4];

/* A lookup on names, remembered per string of the profile. `none` says that the name was not looked at yet. */
struct memo {
	uint8_t *v;
};
#define MEMO_NONE 0xff
struct memo memo_new(const struct profile *p);

#endif
