/*
 * stored_tables.h - results that outlive the process: tables by (view, scope), for one state of one session, and all of them as bytes.
 *
 * The key stands for everything that the figures depend on: the sources with their content, the facts read beside them, rules, the
 * language of the sentences, the build. Bytes with another key, another layout or a wrong checksum are refused whole; a table that is
 * not as its analysis defines it is not there. Nothing here knows files; not safe for concurrent use.
 */
#ifndef CATALOG_STORED_TABLES_H
#define CATALOG_STORED_TABLES_H

#include "base/sbuf.h"
#include "scope/analysis.h"

#define STORED_TABLE_MAX ((size_t)2 << 20)	/* bytes of a table: what is larger is computed again */
#define STORED_TABLES_MAX 96
#define STORED_BYTES_MAX ((size_t)16 << 20)	/* of all together: those used longest ago go first */

struct stored_tables;
struct stored_tables *stored_tables_new(uint64_t key);
void stored_tables_free(struct stored_tables *k);
/* Takes over what stored_tables_pack() wrote with the same key; false and nothing taken if it is anything else. */
bool stored_tables_unpack(struct stored_tables *k, const void *bytes, size_t n);
void stored_tables_pack(const struct stored_tables *k, struct sbuf *out);

/* A copy of the table, owned by the caller; NULL: it is not there. */
struct table *stored_tables_find(struct stored_tables *k, const char *view, const struct scope *sc);
/* Copies the table. One that is partial, too large, or there already is left out; true if it was taken in. */
bool stored_tables_put(struct stored_tables *k, const char *view, const struct scope *sc, const struct table *t);
size_t stored_tables_n(const struct stored_tables *k);

#endif
