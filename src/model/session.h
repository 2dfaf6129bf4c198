/*
 * session.h - the sources that are open together, above the immutable profiles.
 *
 * A session owns references to its profiles. Times of a session count from its zero: sources that carry an epoch and whose
 * time ranges touch share one clock (clock group); every other source counts from its own first event. Nothing is
 * ever aligned by a guess (definitions.md §1). A conversion of an Nsight Systems export has the clock of the export, and kernel
 * names repaired from it (copy_of_capture.h): its profile here is then a repaired copy of what was put.
 */
#ifndef MODEL_SESSION_H
#define MODEL_SESSION_H

#include "model/profile.h"

enum source_state { SOURCE_WAITING, SOURCE_LOADING, SOURCE_READY, SOURCE_FAILED };

struct source {
	char *path;		/* as given or found */
	struct profile *profile;	/* NULL while waiting or failed; a partial snapshot while loading */
	enum source_state state;
	struct err err;		/* why it failed */
	int64_t twin;		/* a more complete source of the same capture (copy_of_capture.h), -1 none */
	int clock_group;	/* sources with the same number share a clock */
	ns_t shift_ns;		/* session time = source time + shift_ns */
};
struct fact {			/* --facts, ds_config.json, config.json: flat "a.b.c" keys */
	char *key, *value, *origin;	/* origin: path of the file */
};
struct session {
	struct source *sources;
	uint32_t n_sources;
	struct fact *facts;
	uint32_t n_facts;
	uint64_t generation;	/* changes whenever a profile is put */
	bool args_shown;	/* session_show_args() */
	bool loading;		/* some source is still waiting or loading */
};

struct session *session_new(void);
void session_free(struct session *s);
/* Adds a source in state WAITING, returns its index. */
uint32_t session_add(struct session *s, const char *path);
/* Puts a profile (takes the reference) or a newer snapshot, and recomputes the clocks. */
void session_put(struct session *s, uint32_t source, struct profile *p, enum source_state state);
void session_fail(struct session *s, uint32_t source, const struct err *e);
void session_add_fact(struct session *s, const char *key, const char *value, const char *origin);
const char *session_fact(const struct session *s, const char *key);	/* NULL unknown */
/* Command lines with their arguments (profile_with_args()), in a session that nothing is put into any more. */
void session_show_args(struct session *s);
/* A copy that shares the profiles: what an analysis job works on while the original goes on changing. */
struct session *session_clone(const struct session *s);

/* What any of its sources records: CAP_*, see builder.h. */
unsigned session_caps(const struct session *s);

#endif
