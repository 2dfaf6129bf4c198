/*
 * model_view.h - what strip and timeline read from session and facts, in session time. Cheap: binary searches and table look-ups;
 * everything also works without facts (while they are computed), then unknown is unknown.
 */
#ifndef UI_WIDGETS_MODEL_VIEW_H
#define UI_WIDGETS_MODEL_VIEW_H

#include "facts/facts.h"
#include "ui/widgets/pane.h"

/* Facts of a source, NULL when not there. */
const struct facts *mv_facts(const struct ui_ctx *ui, uint32_t source);
const struct profile *mv_profile(const struct ui_ctx *ui, uint32_t source);	/* NULL: waiting or failed */
ns_t mv_shift(const struct ui_ctx *ui, uint32_t source);
/* The source that strip and timeline show for a scope: its own, else one with GPU work and ops, of equal ones the lowest rank, else that with most events. UINT32_MAX none. */
uint32_t mv_source(const struct ui_ctx *ui, const struct scope *sc);

/* The number of the file, from 1, in the list of sources; 0: the cell names none of them. */
uint32_t mv_file_number(const struct ui_ctx *ui, const struct cell *path);
/* Steps of the source that mv_source names, of its first process with steps. NULL and *n = 0 when there are none. */
const struct step *mv_steps(const struct ui_ctx *ui, const struct scope *sc, uint32_t *n, uint32_t *source);
/* The step of a number, NULL if unknown. */
const struct step *mv_step(const struct ui_ctx *ui, const struct scope *sc, int64_t number, uint32_t *source);
bool mv_step_in_scope(const struct scope *sc, const struct step *s, ns_t shift);
/* Start and end of a scope's window in session time; false when there is nothing. */
bool mv_window(const struct ui_ctx *ui, const struct scope *sc, ns_t *start, ns_t *end);
/* "step 3", "12.5 .. 80 ms", "steady", "all": for people. Returns buf. */
char *mv_window_text(const struct scope *sc, char *buf, size_t cap);

const struct mark *mv_event_mark(const struct ui_ctx *ui, uint32_t source, ev_id e, enum layer l);
const struct kernel_class *mv_kclass(const struct ui_ctx *ui, uint32_t source, ev_id e);	/* NULL unknown */
/* Phase segment that holds t (source time): its phase and bounds; false without facts or steps. */
bool mv_phase_at(const struct facts *f, uint32_t proc, ns_t t, enum phase *phase, ns_t *from, ns_t *to);
/* The process of the source's first steps, else the first that is training; UINT32_MAX none. */
uint32_t mv_proc(const struct facts *f);
const char *mv_ev_name(const struct profile *p, ev_id e, size_t *n);

#endif
