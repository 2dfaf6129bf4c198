/* session_runs.c - the runs of a session and what each is called, see session_runs.h */
#include "verdict/session_runs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "calc/groups.h"

static int run_cmp(const void *pa, const void *pb)
{
	const struct run *a = pa, *b = pb;

	return (a->group > b->group) - (a->group < b->group);
}

enum name_part {
	NAME_STEM,
	NAME_FILE,
	NAME_FOLDER,
	NAME_PATH
};

/* The file's name up to its first dot, all of it, that and the folder above, the whole path. */
static const char *part_of(const char *path, enum name_part part, int *len)
{
	const char *from = path + strlen(path);
	int slashes = part == NAME_PATH ? INT_MAX : part == NAME_FOLDER ? 2 : 1;

	while (from > path && (from[-1] != '/' || --slashes))
		from--;
	*len = (int)(part == NAME_STEM ? strcspn(from, ".") : strlen(from));
	return from;
}

/* Runs that no smaller part of the path tells from the others and this one does get it. */
static void name_by(run_list *runs, enum name_part part)
{
	uint32_t *of = xreallocarray(NULL, runs->n, sizeof(*of)), *n = xcalloc(runs->n, sizeof(*n));
	struct groups seen = {0};

	for (size_t i = 0; i < runs->n; i++) {
		int len;
		const char *name = part_of(runs->a[i].path, part, &len);

		of[i] = groups_add(&seen,
				   &(struct group_key){.name = name, .name_len = (size_t)len});
		n[of[i]]++;
	}
	for (size_t i = 0; i < runs->n; i++)
		if (runs->a[i].part == NAME_PATH && n[of[i]] == 1)
			runs->a[i].part = (uint8_t)part;
	groups_fini(&seen);
	free(of);
	free(n);
}

void session_runs(const struct an_ctx *cx, run_list *runs)
{
	struct map known = {0};

	for (uint32_t i = 0; i < cx->session->n_sources; i++) {
		const struct source *src = &cx->session->sources[i];
		uint32_t n = (uint32_t)runs->n;

		if (cx->facts[i] && src->clock_group >= 0 &&
		    map_get_or_put(&known, (uint64_t)src->clock_group, 0, n) == n)
			VEC_PUSH(runs, (struct run){src->clock_group, src->path, NAME_PATH});
	}
	map_fini(&known);
	if (!runs->n)
		return;
	qsort(runs->a, runs->n, sizeof(*runs->a), run_cmp);
	for (int part = NAME_STEM; part < NAME_PATH; part++)
		name_by(runs, (enum name_part)part);
}

const char *run_short_name(const struct run *r, int *len)
{
	return part_of(r->path, (enum name_part)r->part, len);
}
