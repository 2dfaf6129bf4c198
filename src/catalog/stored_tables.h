/*
 * stored_tables.h - results that outlive the process: tables by (view, scope), for one state of one session, and all of them as bytes.
 *
 * The key stands for everything that the figures depend on: the sources with their content, the facts read beside them, rules, the
 * language of the sentences, the build. Bytes with another key, another layout or a wrong checksum are refused whole; a table that is
 * not as its analysis defines it is not there. Nothing here knows files; not safe for concurrent use.
 */
#ifndef ANALYZE_KEPT_H
#define ANALYZE_KEPT_H

#include "base/sbuf.h"
#include "scope/analysis.h"

#define KEPT_TABLE_MAX ((size_t)2 << 20)	/* bytes of a table: what is larger is computed again */
#define KEPT_TABLES_MAX 96
#define KEPT_BYTES_MAX ((size_t)16 << 20)	/* of all together: those used longest ago go first */

struct kept;
struct kept *kept_new(uint64_t key);
void kept_free(struct kept *k);
/* Takes over what kept_pack() wrote with the same key; false and nothing taken if it is anything else. */
bool kept_unpack(struct kept *k, const void *bytes, size_t n);
void kept_pack(const struct kept *k, struct sbuf *out);

/* A copy of the table, owned by the caller; NULL: it is not there. */
struct table *kept_find(struct kept *k, const char *view, const struct scope *sc);
/* Copies the table. One that is partial, too large, or there already is left out; true if it was taken in. */
bool kept_put(struct kept *k, const char *view, const struct scope *sc, const struct table *t);
size_t kept_n(const struct kept *k);

#endif
