/* registry.c - the formats, and which of them a file is; see loader.h */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "load/identify.h"
#include "load/read/head.h"
#include "load/read/part.h"
#include "load/recognised.h"

const struct loader *const loaders[] = {
	&loader_nsys_sqlite,
	&loader_nsys_jsonl,
	&loader_nsys_json,
	&loader_nsys_chrome,
	&loader_torch,
	&loader_pyinstrument,
	&loader_pyi_session,
	&loader_pyi_html,
	&loader_pyi_text,
	&loader_speedscope,
	&loader_collapsed,
	&loader_flame_svg,
	&loader_pyspy_chrome,
	&loader_pyspy_dump,
	&loader_ncu_rep,
	&loader_ncu_csv,
	&loader_memory_snapshot,
	NULL,
};

static void best_of(const struct loader *l, const struct probe *p, const struct loader **best, int *score)
{
	int s = l->probe(p);

	if (s <= *score)
		return;
	*score = s;
	*best = l;
}

static const struct loader *best_loader(const struct probe *p)
{
	const struct loader *best = NULL;
	int score = 0;

	for (size_t i = 0; loaders[i]; i++)
		best_of(loaders[i], p, &best, &score);
	for (const struct loader *l = loader_known; l->name; l++)
		best_of(l, p, &best, &score);
	return best;
}

bool loader_identify(const char *path, struct identity *id, struct err *e)
{
	char *head = xmalloc(FILE_HEAD_BYTES + 1);
	struct probe p = { .path = path, .head = head };
	struct head_facts facts;
	char *utf8 = NULL;
	bool ok;

	*id = (struct identity){ 0 };
	ok = file_head(path, head, FILE_HEAD_BYTES, &p.head_len, &p.gz, &p.size_bytes, e);
	if (ok) {
		utf8 = utf16_to_utf8(head, p.head_len, &p.head_len);
		if (utf8)
			p.head = utf8;
		head_facts_make(&facts, &p);
		p.facts = &facts;
		id->loader = p.head_len ? best_loader(&p) : NULL;
		id->what = id->loader ? id->loader->what : known_nothing(&p);
		id->empty = !p.head_len;
		id->size_bytes = p.size_bytes;
	}
	free(utf8);
	free(head);
	return ok;
}

const struct loader *loader_probe(const char *path, struct err *e)
{
	struct identity id;

	if (!loader_identify(path, &id, e))
		return NULL;
	if (!id.loader || !id.loader->load) {
		err_set(e, ERR_FORMAT, "%s", _(id.what));
		return NULL;
	}
	return id.loader;
}

/* Where the part lies: the file is read for its steps and times alone. */
static bool survey(const struct loader *l, const char *path, const struct load_part *part, struct job *job, ns_t *from, ns_t *to, struct err *e)
{
	struct load_ctx lx = { .builder = builder_new(), .job = job };
	const struct builder_survey *s = builder_survey_only(lx.builder);
	bool ok;

	builder_set_workers(lx.builder, job ? job->workers : 0);
	job_stage(job, N_("looking for the part"));
	ok = l->load(&lx, path, e) && load_part_window(part, s, from, to, e);
	builder_free(lx.builder);
	if (job) {
		atomic_store(&job->done, 0);
		atomic_store(&job->events, 0);
	}
	return ok;
}

static void note_part(struct builder *b, const struct load_part *part)
{
	uint64_t left_out = builder_left_out(b);
	char text[128];

	load_part_text(part, text, sizeof(text));
	builder_note(b, _("only a part of the file was loaded: %s, %" PRIu64 " of %" PRIu64 " events; what goes on beyond its ends is whole, "
		"what lies behind them (GPU work that began later, too) is in no figure"), text, builder_events(b), builder_events(b) + left_out);
}

bool loader_load_part(const char *path, const struct load_part *part, struct job *job, void (*batch)(void *, struct builder *),
	void *batch_arg, struct profile **out, struct err *e)
{
	const struct loader *l = loader_probe(path, e);
	struct load_ctx lx = { .job = job, .batch = batch, .batch_arg = batch_arg };
	ns_t from = 0, to = 0;

	*out = NULL;
	if (!l || (part && !survey(l, path, part, job, &from, &to, e)))
		return false;
	lx.builder = builder_new();
	builder_set_workers(lx.builder, job ? job->workers : 0);
	if (part)
		builder_keep_within(lx.builder, from, to);
	job_stage(job, N_("reading"));
	if (l->load(&lx, path, e)) {
		job_stage(job, N_("sorting"));
		if (part)
			note_part(lx.builder, part);
		*out = builder_finish(lx.builder);
	}
	builder_free(lx.builder);
	mem_trim();
	return *out != NULL;
}

bool loader_load(const char *path, struct job *job, void (*batch)(void *, struct builder *), void *batch_arg,
	struct profile **out, struct err *e)
{
	return loader_load_part(path, NULL, job, batch, batch_arg, out, e);
}
