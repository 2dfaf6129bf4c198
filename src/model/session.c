/* session.c - the sources that are open together, and the clocks they share; see session.h */
#include "model/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/copy_of_capture.h"

struct session *session_new(void)
{
	return xcalloc(1, sizeof(struct session));
}

void session_free(struct session *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_sources; i++) {
		free(s->sources[i].path);
		if (s->sources[i].profile)
			profile_unref(s->sources[i].profile);
	}
	for (uint32_t i = 0; i < s->n_facts; i++) {
		free(s->facts[i].key);
		free(s->facts[i].value);
		free(s->facts[i].origin);
	}
	free(s->sources);
	free(s->facts);
	free(s);
}

#define DATE_MAX ((int64_t)1 << 62)	/* in the year 2116; differences of such times cannot overflow */

/* ---- clocks ------------------------------------------------------------------------------------ */

struct session_range {			/* UTC ns, closed: ranges that touch share an instant */
	int64_t start, end;
	uint32_t source;
};

static bool has_events(const struct profile *p)
{
	return p && p->first_ns <= p->last_ns;
}

/*
 * Where the source lies in UTC: its events, what its sampler saw, or what its allocator did. false without an epoch, and for times so large that they
 * are no dates.
 */
static bool utc_range(const struct profile *p, struct session_range *r)
{
	bool events = has_events(p);

	ns_t end = !p ? NS_UNKNOWN : events ? p->last_ns : p->sampled_wall_ns >= 0 ? p->sampled_wall_ns : profile_memory_end(p);

	if (!p || p->epoch_ns == NS_UNKNOWN || end == NS_UNKNOWN || (!events && end < 0))
		return false;
	return !__builtin_add_overflow(p->epoch_ns, events ? p->first_ns : 0, &r->start) &&
		!__builtin_add_overflow(p->epoch_ns, end, &r->end) &&
		r->start > -DATE_MAX && r->end < DATE_MAX;
}

static int by_start(const void *a, const void *b)
{
	const struct session_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->source < y->source ? -1 : 1;
}

/* One group: the zero is its earliest event; a source without events (a sampler) moves no other. */
static void set_group(struct session *s, const struct session_range *r, uint32_t n, int group)
{
	int64_t zero = r[0].start;

	for (uint32_t i = 0; i < n; i++)
		if (has_events(s->sources[r[i].source].profile)) {
			zero = r[i].start;
			break;
		}
	for (uint32_t i = 0; i < n; i++) {
		struct source *src = &s->sources[r[i].source];

		src->clock_group = group;
		if (__builtin_sub_overflow(src->profile->epoch_ns, zero, &src->shift_ns))
			src->shift_ns = 0;	/* an epoch before our era: only its events are dates */
	}
}

static int64_t own_shift(const struct profile *p)
{
	int64_t shift;

	return has_events(p) && !__builtin_sub_overflow((int64_t)0, p->first_ns, &shift) ? shift : 0;
}

static void set_clocks(struct session *s)
{
	struct session_range *r = xcalloc(s->n_sources, sizeof(*r));
	uint32_t n = 0, first = 0;
	int64_t end = INT64_MIN;
	int group = 0;

	for (uint32_t i = 0; i < s->n_sources; i++) {
		struct source *src = &s->sources[i];

		r[n].source = i;
		if (utc_range(src->profile, &r[n])) {
			n++;
			continue;
		}
		src->clock_group = group++;
		src->shift_ns = own_shift(src->profile);
	}
	if (n)
		qsort(r, n, sizeof(*r), by_start);
	for (uint32_t i = 0; i < n; i++) {
		if (i > first && r[i].start > end) {
			set_group(s, r + first, i - first, group++);
			first = i;
		}
		if (i == first || r[i].end > end)
			end = r[i].end;
	}
	if (n)
		set_group(s, r + first, n - first, group);
	free(r);
	for (uint32_t i = 0; i < s->n_sources; i++) {
		if (s->sources[i].twin < 0)
			continue;
		/* of a twin that has one itself, the clocks are set already: it is more complete (find_twins) */
		s->sources[i].clock_group = s->sources[s->sources[i].twin].clock_group;
		s->sources[i].shift_ns = s->sources[s->sources[i].twin].shift_ns;
	}
}

/* ---- sources of one capture -------------------------------------------------------------------- */

static int completeness(const struct source *src)
{
	if (!src->profile || src->state != SOURCE_READY)
		return 0;
	return source_format_nsys(src->profile->format) + source_format_pyi(src->profile->format);	/* one of them is 0 */
}

static bool one_capture(const struct profile *a, const struct profile *b)
{
	return source_format_pyi(a->format) ? twin_same_sampling(a, b) : twin_same_run(a, b);
}

static void forget_twin(struct source *src)
{
	struct profile *copy = src->profile;

	src->twin = -1;
	if (!copy || !copy->base)
		return;
	src->profile = profile_ref(copy->base);
	profile_unref(copy);
}

static void find_twin(struct session *s, uint32_t i)
{
	struct source *src = &s->sources[i];
	struct profile *copy;
	int best = completeness(src);

	for (uint32_t j = 0; best && j < s->n_sources; j++) {
		if (completeness(&s->sources[j]) <= best || !one_capture(src->profile, s->sources[j].profile))
			continue;
		best = completeness(&s->sources[j]);
		src->twin = j;
	}
	if (src->twin < 0 || !(src->profile->caps & CAP_SHORT_NAMES))
		return;
	copy = twin_repair(src->profile, s->sources[src->twin].profile, s->sources[src->twin].path);
	if (!copy)
		return;
	profile_unref(src->profile);
	src->profile = copy;
}

/* After a source changed. What has a twin that did not change keeps it, unless the new one is more complete. */
static void find_twins(struct session *s, uint32_t changed)
{
	for (uint32_t i = 0; i < s->n_sources; i++) {
		struct source *src = &s->sources[i];
		bool better = src->twin < 0 || completeness(&s->sources[changed]) > completeness(&s->sources[src->twin]);

		if (i != changed && src->twin != (int64_t)changed && !(better && completeness(&s->sources[changed])))
			continue;
		forget_twin(src);
		find_twin(s, i);
	}
}

/* ---- sources ----------------------------------------------------------------------------------- */

static void set_loading(struct session *s)
{
	s->loading = false;
	for (uint32_t i = 0; i < s->n_sources; i++)
		if (s->sources[i].state == SOURCE_WAITING || s->sources[i].state == SOURCE_LOADING)
			s->loading = true;
}

uint32_t session_add(struct session *s, const char *path)
{
	s->sources = xreallocarray(s->sources, (size_t)s->n_sources + 1, sizeof(*s->sources));
	s->sources[s->n_sources] = (struct source){
		.path = xstrdup(path), .state = SOURCE_WAITING, .err = ERR_INIT, .twin = -1,
	};
	s->n_sources++;
	s->loading = true;
	set_clocks(s);
	return s->n_sources - 1;
}

void session_put(struct session *s, uint32_t source, struct profile *p, enum source_state state)
{
	struct source *src = &s->sources[source];
	struct profile *old = src->profile;

	src->profile = p;
	src->state = state;
	if (old)
		profile_unref(old);
	s->generation++;
	set_loading(s);
	find_twins(s, source);
	set_clocks(s);
}

void session_fail(struct session *s, uint32_t source, const struct err *e)
{
	s->sources[source].err = *e;
	session_put(s, source, NULL, SOURCE_FAILED);
}

/* ---- facts ------------------------------------------------------------------------------------- */

void session_add_fact(struct session *s, const char *key, const char *value, const char *origin)
{
	s->facts = xreallocarray(s->facts, (size_t)s->n_facts + 1, sizeof(*s->facts));
	s->facts[s->n_facts++] = (struct fact){ xstrdup(key), xstrdup(value), xstrdup(origin) };
}

/* The last one added wins: --facts is added after what was found in the directories. */
const char *session_fact(const struct session *s, const char *key)
{
	for (uint32_t i = s->n_facts; i-- > 0;)
		if (strcmp(s->facts[i].key, key) == 0)
			return s->facts[i].value;
	return NULL;
}

void session_show_args(struct session *s)
{
	s->args_shown = true;
	for (uint32_t i = 0; i < s->n_sources; i++) {
		struct profile *p = s->sources[i].profile;

		if (!p)
			continue;
		s->sources[i].profile = profile_with_args(p);
		profile_unref(p);
	}
}

struct session *session_clone(const struct session *s)
{
	struct session *c = session_new();

	c->sources = xcalloc(s->n_sources, sizeof(*c->sources));
	for (uint32_t i = 0; i < s->n_sources; i++) {
		c->sources[i] = s->sources[i];
		c->sources[i].path = xstrdup(s->sources[i].path);
		if (c->sources[i].profile)
			profile_ref(c->sources[i].profile);
	}
	c->n_sources = s->n_sources;
	for (uint32_t i = 0; i < s->n_facts; i++)
		session_add_fact(c, s->facts[i].key, s->facts[i].value, s->facts[i].origin);
	c->generation = s->generation;
	c->loading = s->loading;
	c->args_shown = s->args_shown;
	return c;
}

unsigned session_caps(const struct session *s)
{
	unsigned caps = 0;

	for (uint32_t i = 0; i < s->n_sources; i++)
		caps |= s->sources[i].profile ? s->sources[i].profile->caps : 0;
	return caps;
}
