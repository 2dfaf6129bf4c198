/*
 * run_facts.h - facts of a run that no profile holds (parameter count, experts, tokens, batch sizes), from a file.
 *
 * A JSON object (ds_config.json, config.json) becomes flat keys: {"a": {"b": 3}, "c": [1, "x"]} is a.b = 3, c.0 = 1, c.1 = x;
 * null is no fact. Numbers are printed anew: 7e9 is 7000000000. Any other text is read as lines "key = value", # begins a comment line.
 */
#ifndef SESSION_RUN_FACTS_H
#define SESSION_RUN_FACTS_H

#include "base/err.h"
#include "model/session.h"

/*
 * Adds the facts of the file to the session, with its path as origin. False with *e set where the file is none (ERR_FORMAT), or a fact
 * had to be left out (ERR_LIMIT): a number beyond 2^53, which a double does not hold exactly, a name of over 1024 bytes, or what comes
 * after 10,000 facts. The others stay in the session.
 */
bool run_facts_read(struct session *s, const char *path, struct err *e);

#endif
