/*
 * strtab.h - interned strings: bytes to dense ids and back. One writer. Strings may hold any bytes, NUL among them;
 * each is followed by a NUL that is not counted.
 */
#ifndef MODEL_STRTAB_H
#define MODEL_STRTAB_H

#include <stddef.h>
#include <stdint.h>

struct strtab {
	char *blob;
	size_t blob_len, blob_cap;
	uint64_t *off;		/* n + 1 entries once anything is interned */
	uint32_t n, cap;
	uint32_t *slots;	/* hash slots: id + 1, 0 = empty */
	uint32_t n_slots;	/* power of two */
};

/* Zero-initialise to begin. The id of the string, made on first use. */
uint32_t strtab_intern(struct strtab *t, const char *s, size_t n);
/* A string of its own, though there may be an equal one. */
uint32_t strtab_add(struct strtab *t, const char *s, size_t n);
/* UINT32_MAX if it is not there. */
uint32_t strtab_find(const struct strtab *t, const char *s, size_t n);
const char *strtab_get(const struct strtab *t, uint32_t id, size_t *n);	/* borrowed until the next intern */
void strtab_fini(struct strtab *t);

#endif
