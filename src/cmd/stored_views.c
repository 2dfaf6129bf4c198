/* stored_views.c - tables of an earlier session, see stored_views.h */
#include "cmd/stored_views.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/buildid.h"
#include "base/check64.h"
#include "base/mem.h"
#include "base/text.h"
#include "catalog/stored_tables.h"

#define WORTH_NS 3000000	/* what takes less is computed again; PROFDIVE_CACHE_MIN=0 keeps everything */

/* The worker's alone, from the first call of find or keep on. */
struct stored_views {
	struct reopen *reopen;
	struct reopen_session id;
	struct stored_tables *kept;		/* NULL: not begun, or the session cannot be kept */
	uint64_t generation;		/* of the session that `kept` is for */
	bool news;
};

struct stored_views *stored_views_new(struct reopen *r, bool more)
{
	struct stored_views *k;
	char id[48];

	/* figures may differ from build to build: without an id of the build nobody could tell */
	if (!r || more || !*build_id(id, sizeof(id)))
		return NULL;
	k = xcalloc(1, sizeof(*k));
	k->reopen = r;
	return k;
}

static void add_word(struct sbuf *key, const char *s)
{
	sbuf_put(key, s ? s : "", s ? strlen(s) + 1 : 1);
}

/* What the tables depend on besides the sources: facts read beside them, and how sentences are written. */
static uint64_t key_of(const struct stored_views *k, const struct session *s)
{
	struct sbuf key = { 0 };
	uint64_t sum;

	sbuf_put(&key, &k->id.key, sizeof(k->id.key));
	for (uint32_t i = 0; i < s->n_facts; i++) {
		add_word(&key, s->facts[i].key);
		add_word(&key, s->facts[i].value);
		add_word(&key, s->facts[i].origin);
	}
	add_word(&key, setlocale(LC_MESSAGES, NULL));
	add_word(&key, getenv("LANGUAGE"));
	sbuf_putc(&key, text_ascii());
	sum = check64(key.s, key.n);
	sbuf_fini(&key);
	return sum;
}

static bool complete(const struct session *s)
{
	for (uint32_t i = 0; i < s->n_sources; i++)
		if (s->sources[i].state != SOURCE_READY || !s->sources[i].profile || s->sources[i].profile->partial)
			return false;
	return s->n_sources && !s->loading;
}

static void end(struct stored_views *k)
{
	stored_tables_free(k->kept);
	k->kept = NULL;
	k->news = false;
	reopen_session_fini(&k->id);
}

/* The tables of this session, read once; false: it is none that could be kept. */
static bool enter(struct stored_views *k, const struct session *s)
{
	const char **paths;
	char *bytes;
	size_t n;

	if (!complete(s) || s->args_shown)	/* what is kept is without arguments */
		return false;
	if (k->generation == s->generation)
		return k->kept != NULL;
	end(k);
	k->generation = s->generation;
	paths = xcalloc(s->n_sources, sizeof(*paths));
	for (uint32_t i = 0; i < s->n_sources; i++)
		paths[i] = s->sources[i].path;
	if (reopen_identify(k->reopen, paths, s->n_sources, &k->id)) {
		k->kept = stored_tables_new(key_of(k, s));
		bytes = reopen_read_bytes(k->reopen, &k->id, 2 * STORED_BYTES_MAX, &n);
		if (bytes)
			stored_tables_unpack(k->kept, bytes, n);
		free(bytes);
	}
	free(paths);
	return k->kept != NULL;
}

static struct table *find_table(void *arg, const struct session *s, const char *view, const struct scope *sc)
{
	struct stored_views *k = arg;

	return enter(k, s) ? stored_tables_find(k->kept, view, sc) : NULL;
}

static void keep_table(void *arg, const struct session *s, const char *view, const struct scope *sc, const struct table *t,
	int64_t took_ns)
{
	struct stored_views *k = arg;
	const char *min = getenv("PROFDIVE_CACHE_MIN");

	if ((took_ns >= WORTH_NS || (min && !strcmp(min, "0"))) && enter(k, s))
		k->news |= stored_tables_put(k->kept, view, sc, t);
}

struct ui_tables stored_views_ops(struct stored_views *k)
{
	return k ? (struct ui_tables){ k, find_table, keep_table } : (struct ui_tables){ NULL, NULL, NULL };
}

/* The source is looked at again: a table of a file that changed meanwhile would be found under the fingerprint of the old one only. */
void stored_views_finish(struct stored_views *k)
{
	struct sbuf b = { 0 };

	if (!k)
		return;
	if (k->kept && k->news) {
		stored_tables_pack(k->kept, &b);
		reopen_write_bytes(k->reopen, &k->id, b.s, b.n, NULL);
		sbuf_fini(&b);
	}
	end(k);
	free(k);
}
