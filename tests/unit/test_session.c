/* test_session.c - clocks of a session (who shares one, where zero is), facts, clones */
#include "model/session.h"

#include "tests/lib/tap.h"

#define SEC 1000000000LL

/* A source with one op at [start, end) of its own axis; epoch NS_UNKNOWN = none. */
static struct profile *events(ns_t epoch, ns_t start, ns_t end)
{
	struct builder *b = builder_new();
	struct builder_event ev = { .start = start, .dur = end - start, .corr = CORR_NONE, .ext = CORR_NONE, .aux = ID_NONE };
	struct profile *p;

	ev.name = builder_intern(b, "op", 2);
	builder_add(b, builder_host_track(b, LAYER_OP, builder_thread(b, 1, 1), ID_NONE, 0), &ev);
	if (epoch != NS_UNKNOWN)
		builder_set_epoch(b, epoch);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

/* A sampler's file: no events, only a start and a length. */
static struct profile *sampled(ns_t epoch, ns_t wall)
{
	struct builder *b = builder_new();
	struct profile *p;

	builder_set_epoch(b, epoch);
	builder_sampled_wall(b, wall, NS_UNKNOWN);
	p = builder_finish(b);
	builder_free(b);
	return p;
}

static void put(struct session *s, struct profile *p)
{
	session_put(s, session_add(s, "x"), p, SOURCE_READY);
}

static void test_one(void)
{
	struct session *s = session_new();

	put(s, events(NS_UNKNOWN, 500, 900));
	is_int(s->sources[0].shift_ns, -500, "a source alone counts from its first event");
	session_free(s);
	s = session_new();
	put(s, events(1700000000 * SEC, -500, 900));
	is_int(s->sources[0].shift_ns, 500, "with an epoch too, also where that lies before its zero");
	session_free(s);
}

static void test_touching(void)
{
	struct session *s = session_new();
	ns_t t = 1700000000 * SEC;

	put(s, events(t, 2 * SEC, 5 * SEC));			/* t+2 .. t+5 */
	put(s, events(0, t + 4 * SEC, t + 9 * SEC));		/* absolute times: t+4 .. t+9 */
	put(s, events(t + 100 * SEC, SEC, 2 * SEC));		/* t+101 .. t+102: another run */
	put(s, events(NS_UNKNOWN, 7, 8));
	put(s, events(t + 9 * SEC, 0, 1));			/* touches the second at t+9 */
	is_int(s->sources[0].clock_group, s->sources[1].clock_group, "ranges that overlap share a clock");
	is_int(s->sources[1].clock_group, s->sources[4].clock_group, "ranges that touch do, through a third one");
	ok(s->sources[2].clock_group != s->sources[0].clock_group, "ranges apart do not");
	ok(s->sources[3].clock_group != s->sources[0].clock_group && s->sources[3].clock_group != s->sources[2].clock_group,
		"nor does a source without an epoch");
	is_int(s->sources[0].shift_ns, -2 * SEC, "zero is the earliest event of the group");
	is_int(s->sources[1].shift_ns, -t - 2 * SEC, "an absolute time t + 4 s is 2 s of the session");
	is_int(s->sources[4].shift_ns, 7 * SEC, "the third starts at 7 s");
	is_int(s->sources[2].shift_ns, -SEC, "the other run has its own zero");
	is_int(s->sources[3].shift_ns, -7, "the one without an epoch too");
	session_free(s);
}

static void test_sampler(void)
{
	struct session *s = session_new();
	ns_t t = 1700000000 * SEC;

	put(s, sampled(t, 10 * SEC));
	put(s, events(t, 3 * SEC, 4 * SEC));
	put(s, sampled(t + 50 * SEC, SEC));
	is_int(s->sources[0].clock_group, s->sources[1].clock_group, "a sampler that ran at the same time shares the clock");
	is_int(s->sources[1].shift_ns, -3 * SEC, "but does not move zero");
	is_int(s->sources[0].shift_ns, -3 * SEC, "its own time 0 is 3 s before");
	ok(s->sources[2].clock_group != s->sources[0].clock_group, "one that ran later does not");
	session_free(s);
}

static void test_absurd(void)
{
	struct session *s = session_new();

	put(s, events(INT64_MAX - 5, 10, 20));
	put(s, events(1700000000 * SEC, 10, 20));
	ok(s->sources[0].clock_group != s->sources[1].clock_group, "an epoch beyond any date is none");
	is_int(s->sources[0].shift_ns, -10, "the source counts from its first event");
	session_free(s);
}

static void test_states(void)
{
	struct session *s = session_new(), *c;
	struct err e = ERR_INIT;
	uint64_t g;

	session_add(s, "a");
	session_add(s, "b");
	ok(s->loading && s->sources[1].state == SOURCE_WAITING, "new sources wait");
	session_put(s, 0, events(NS_UNKNOWN, 1, 2), SOURCE_LOADING);
	g = s->generation;
	c = session_clone(s);
	session_put(s, 0, events(NS_UNKNOWN, 1, 3), SOURCE_READY);
	ok(s->generation != g && s->loading, "a newer profile is a new generation; the other source is still to come");
	ok(c->sources[0].profile->last_ns == 2 && s->sources[0].profile->last_ns == 3, "the copy keeps the old profile");
	err_set(&e, ERR_FORMAT, "no profile");
	session_fail(s, 1, &e);
	ok(!s->loading && s->sources[1].state == SOURCE_FAILED && !s->sources[1].profile, "a failed source ends the loading");
	is_str(s->sources[1].err.text, "no profile", "and says why");
	is_str(c->sources[1].path, "b", "the copy has paths of its own");
	session_free(s);
	is_int(c->sources[0].profile->n, 1, "and outlives the original");
	session_free(c);
}

static void test_facts(void)
{
	struct session *s = session_new(), *c;

	session_add_fact(s, "zero_optimization.stage", "3", "ds_config.json");
	session_add_fact(s, "tokens", "10", "ds_config.json");
	session_add_fact(s, "tokens", "20", "facts.txt");
	c = session_clone(s);
	session_free(s);
	is_str(session_fact(c, "zero_optimization.stage"), "3", "a fact");
	is_str(session_fact(c, "tokens"), "20", "of equal keys the last wins");
	is_str(session_fact(c, "stage"), NULL, "unknown is no fact");
	session_free(c);
}

int main(void)
{
	test_one();
	test_touching();
	test_sampler();
	test_absurd();
	test_states();
	test_facts();
	return done_testing();
}
