/* cmdlines.c - command lines: kept with and without their arguments, see builder.h and profile.h */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sbuf.h"
#include "model/builder_impl.h"
#include "model/profile.h"

/* ---- into a profile ---------------------------------------------------------------------------------------------- */

/* Two command lines that differ in their arguments alone are two strings, for each has its own. */
static str_id keep(struct builder *b, const struct sbuf *shown, const struct sbuf *full)
{
	str_id f = builder_intern(b, full->s, full->n), s = builder_intern(b, shown->s, shown->n);
	uint32_t fresh = (uint32_t)b->cmdlines.n, i = map_get_or_put(&b->cmdline_map, f, 0, fresh);

	if (i < fresh)
		return b->cmdlines.a[i].shown;
	if (map_get_or_put(&b->cmdline_map, s, 1, fresh) != fresh)
		s = strtab_add(&b->str, shown->s, shown->n);
	VEC_PUSH(&b->cmdlines, (struct cmdline){s, f});
	return s;
}

static bool differ(const struct sbuf *a, const struct sbuf *b)
{
	return a->n != b->n || memcmp(a->s, b->s, a->n) != 0;
}

str_id builder_command(struct builder *b, enum cmdline_form form, const char *s, size_t n)
{
	struct sbuf shown = {0}, full = {0};
	size_t at, len = cmdline_find(form, s, n, &at);
	str_id id;

	if (!len)
		return builder_intern(b, s, n);
	sbuf_put(&full, s, n);
	cmdline_mask(full.s + at, len);
	sbuf_put(&shown, s, at);
	cmdline_short(s + at, len, &shown);
	sbuf_put(&shown, s + at + len, n - at - len);
	id = differ(&shown, &full) ? keep(b, &shown, &full) : builder_intern(b, shown.s, shown.n);
	sbuf_fini(&shown);
	sbuf_fini(&full);
	return id;
}

const char *builder_cmdline(const struct builder *b, str_id id, size_t *n)
{
	for (size_t i = 0; i < b->cmdlines.n; i++)
		if (b->cmdlines.a[i].shown == id)
			return builder_str(b, b->cmdlines.a[i].full, n);
	return builder_str(b, id, n);
}

void builder_option_command(struct builder *b, const char *key, enum cmdline_form form,
			    const char *s, size_t n)
{
	builder_option_id(b, key, builder_command(b, form, s, n));
}

/* ---- out of it ----------------------------------------------------------------------------------------------------- */

/* of[string] = the string whose text it gets. */
static str_id *texts_of(const struct profile *p)
{
	str_id *of = xreallocarray(NULL, p->n_strs, sizeof(*of));

	for (str_id i = 0; i < p->n_strs; i++)
		of[i] = i;
	for (uint32_t i = 0; i < p->n_cmdlines; i++)
		of[p->cmdlines[i].shown] = p->cmdlines[i].full;
	return of;
}

static void write_strings(struct profile *d, const struct profile *p)
{
	str_id *of = texts_of(p);
	uint64_t at = 0;
	size_t n;

	for (str_id i = 0; i < p->n_strs; i++) {
		profile_str(p, of[i], &n);
		at += n + 1;
	}
	d->str_blob = xmalloc(at);
	d->str_off = xreallocarray(NULL, (size_t)p->n_strs + 1, sizeof(*d->str_off));
	d->str_off[0] = at = 0;
	for (str_id i = 0; i < p->n_strs; i++) {
		const char *s = profile_str(p, of[i], &n);

		memcpy(d->str_blob + at, s, n + 1);
		at += n + 1;
		d->str_off[i + 1] = at;
	}
	free(of);
}

struct profile *profile_with_args(struct profile *p)
{
	struct profile *d;

	if (!p->n_cmdlines || p->args_shown)
		return profile_ref(p);
	d = xmalloc(sizeof(*d));
	memcpy(d, p, sizeof(*d));
	atomic_init(&d->refs, 1);
	d->base = profile_ref(p);
	d->args_shown = true;
	write_strings(d, p);
	d->notes = xcalloc((size_t)p->n_notes + 1, sizeof(*d->notes));
	for (uint32_t i = 0; i < p->n_notes; i++)
		d->notes[i] = xstrdup(p->notes[i]);
	return d;
}
