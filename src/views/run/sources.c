/* sources.c - view `sources`: what was loaded, from which producer, with what in it and what was lost */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "scope/analysis.h"
#include "scope/columns.h"

enum { C_PATH, C_FORMAT, C_PRODUCER, C_VERSION, C_BYTES, C_EVENTS, C_TRACKS, C_FIRST, C_LAST, C_DAMAGED, C_OPTIONS, C_CONTENTS, C_CLOCK,
	C_STATE, C_NOTES };

static const struct column_def cols[] = {
	[C_PATH] = { "path", N_("Path"), UNIT_TEXT, COL_KEY | COL_NAME, 0, N_("the file") },
	[C_FORMAT] = { "format", N_("Format"), UNIT_TEXT, 0, 1, N_("the format, recognised by content") },
	[C_PRODUCER] = { "producer", N_("Producer"), UNIT_TEXT, 0, 3, N_("the tool that wrote it") },
	[C_VERSION] = { "version", N_("Version"), UNIT_TEXT, 0, 4, N_("version of the tool, as the file says it") },
	[C_BYTES] = { "bytes", N_("Size"), UNIT_BYTES, 0, 2, N_("size on disk") },
	[C_EVENTS] = { "events", N_("Events"), UNIT_COUNT, 0, 1, N_("events kept (call tree nodes of a sampler)") },
	[C_TRACKS] = { "tracks", N_("Tracks"), UNIT_COUNT, 0, 5, N_("threads and streams, one per layer") },
	[C_FIRST] = { "first_ns", N_("First"), UNIT_TIME, 0, 6, N_("first event, on the file's own time axis") },
	[C_LAST] = { "last_ns", N_("Last"), UNIT_TIME, 0, 6, N_("last end, on the file's own time axis") },
	[C_DAMAGED] = { "damaged", N_("Damaged"), UNIT_COUNT, 0, 2, N_("places where the input was damaged; the notes say what was lost") },
	[C_OPTIONS] = { "options", N_("Options"), UNIT_TEXT, 0, 7, N_("recording options that cost time or change figures") },
	[C_CONTENTS] = { "contents", N_("Contents"), UNIT_TEXT, 0, 8, N_("tables or categories with their counts") },
	[C_CLOCK] = { "clock", N_("Clock"), UNIT_ID, 0, 7, N_("sources with the same number share one clock") },
	[C_STATE] = { "state", N_("State"), UNIT_TEXT, 0, 7, N_("ready, loading or failed") },
	[C_NOTES] = { "remarks", N_("Remarks"), UNIT_TEXT, 0, 9, N_("what the loader has to say") },
};

static void join(struct table *t, char **text, const char *a, const char *sep, const char *b)
{
	*text = arena_printf(&t->arena, "%s%s%s%s%s", *text ? *text : "", *text ? ", " : "", a, sep, b);
}

static void put_lists(struct table *t, uint32_t row, const struct profile *p)
{
	char *opts = NULL, *contents = NULL, *notes = NULL;
	size_t n;

	for (uint32_t i = 0; i < p->n_options; i++)
		join(t, &opts, profile_str(p, p->options[i].key, &n), "=", profile_str(p, p->options[i].value, &n));
	for (uint32_t i = 0; i < p->n_contents; i++) {
		char count[32];

		snprintf(count, sizeof(count), "%" PRIu64, p->contents[i].count);
		join(t, &contents, profile_str(p, p->contents[i].what, &n), " ", count);
	}
	for (uint32_t i = 0; i < p->n_notes; i++)
		join(t, &notes, p->notes[i], "", "");
	if (opts)
		table_cstr(t, row, C_OPTIONS, opts);
	if (contents)
		table_cstr(t, row, C_CONTENTS, contents);
	if (notes)
		table_cstr(t, row, C_NOTES, notes);
}

static void put_damage(struct table *t, uint32_t row, const struct source *s, const struct profile *p)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->n_damages; i++) {
		const struct damage *d = &p->damages[i];

		sum += (int64_t)d->count;
		if (d->offset >= 0)
			table_note(t, ngettext("%s: %s: %" PRIu64 " time, at %" PRId64, "%s: %s: %" PRIu64 " times, first at %" PRId64,
				(unsigned long)d->count), s->path, d->what, d->count, d->offset);
		else
			table_note(t, ngettext("%s: %s: %" PRIu64 " time", "%s: %s: %" PRIu64 " times", (unsigned long)d->count), s->path, d->what, d->count);
	}
	table_i64(t, row, C_DAMAGED, sum);
}

static void put_profile(struct table *t, uint32_t row, const struct source *s, const struct profile *p)
{
	size_t n;
	const char *str;

	table_cstr(t, row, C_FORMAT, source_format_name(p->format));
	str = profile_str(p, p->producer, &n);
	table_str(t, row, C_PRODUCER, p->producer == ID_NONE ? NULL : str, n);
	str = profile_str(p, p->version, &n);
	table_str(t, row, C_VERSION, p->version == ID_NONE ? NULL : str, n);
	table_i64(t, row, C_BYTES, p->bytes);
	table_i64(t, row, C_EVENTS, p->n ? p->n : p->n_frames);
	table_i64(t, row, C_TRACKS, p->n_tracks);
	if (p->first_ns <= p->last_ns) {
		table_i64(t, row, C_FIRST, p->first_ns);
		table_i64(t, row, C_LAST, p->last_ns);
	}
	table_i64(t, row, C_CLOCK, s->clock_group);
	put_damage(t, row, s, p);
	put_lists(t, row, p);
	t->partial |= p->partial;
}

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	static const char *const states[] = { N_("waiting"), N_("loading"), N_("ready"), N_("failed") };

	(void)sc;
	(void)e;
	for (uint32_t i = 0; i < cx->session->n_sources; i++) {
		const struct source *s = &cx->session->sources[i];
		uint32_t row = table_row(t);

		table_cstr(t, row, C_PATH, s->path);
		table_cstr(t, row, C_STATE, states[s->state]);
		an_ref(t, row, REF_SOURCE, i, 0, 0, C_PATH);
		table_source(t, s->path);
		if (s->profile)
			put_profile(t, row, s, s->profile);
		if (s->state == SOURCE_FAILED)
			table_note(t, "%s: %s", s->path, s->err.text);
	}
	t->window_kind = "all";
	return true;
}

const struct analysis an_sources = {
	.id = "sources", .title = N_("Sources"), .doc = N_("what was loaded, what is in it, and what was lost"),
	.cols = cols, .n_cols = N_COLS(cols), .bare = true, .run = run,
};
