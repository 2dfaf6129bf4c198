/*
 * test_part.c - parts of a file: --steps, --from and --to as they are typed, and what of a trace and of a database is loaded then,
 * with any number of threads
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/outfile.h"
#include "base/sbuf.h"
#include "load/read/loader.h"
#include "load/read/part.h"
#include "model/profile.h"
#include "tests/lib/same_profile.h"
#include "tests/lib/tap.h"

#define STEPS 40u
#define OPS 600u	/* in each step, so that a file is worth threads */

static char path[] = "test_part.XXXXXX";

/* ---- as typed ---- */

static bool parse(struct load_part *p, const char *steps, const char *from, const char *to)
{
	struct err e = ERR_INIT;
	bool ok = load_part_parse(p, steps, from, to, &e);

	ok(ok || (e.code == ERR_USAGE && e.text[0]), "a reason: %s", ok ? "none needed" : e.text);
	return ok;
}

static void typed(void)
{
	struct load_part p;
	char text[128];

	ok(parse(&p, "3-5", NULL, NULL) && p.steps && p.step_a == 3 && p.step_b == 5, "steps 3 to 5");
	load_part_text(&p, text, sizeof(text));
	is_str(text, "steps 3-5", "in words");
	ok(parse(&p, "7", NULL, NULL) && p.step_a == 7 && p.step_b == 7, "one step");
	ok(parse(&p, NULL, "1.5ms", "2s") && !p.steps && p.from == 1500000 && p.to == 2000000000, "times");
	load_part_text(&p, text, sizeof(text));
	is_str(text, "1.50 ms to 2.00 s", "in words");
	ok(parse(&p, NULL, NULL, "10us") && p.from == 0 && p.to == 10000, "up to a time");
	ok(parse(&p, NULL, "10us", NULL) && p.to == INT64_MAX, "from a time on");
	ok(!parse(&p, "5-3", NULL, NULL), "no steps: 5-3");
	ok(!parse(&p, "", NULL, NULL), "no steps: nothing");
	ok(!parse(&p, "a-b", NULL, NULL), "no steps: letters");
	ok(!parse(&p, NULL, "2s", "1s"), "no times: backwards");
	ok(!parse(&p, NULL, "-1s", NULL), "no time: before the beginning");
	ok(!parse(&p, "1-2", "1s", NULL), "not both");
}

/* ---- loaded ---- */

/* Step i takes 1000 us from 1000 i on, its marker 900 of them; each op 1 us. An annotation goes over all of it. */
static void write_trace(void)
{
	struct sbuf b = { 0 };
	struct err e = ERR_INIT;

	sbuf_printf(&b, "{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"run\",\"pid\":1,\"tid\":1,\"ts\":1000,\"dur\":%u}",
		STEPS * 1000);
	for (unsigned i = 1; i <= STEPS; i++) {
		sbuf_printf(&b, ",\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%u\",\"pid\":1,\"tid\":1,\"ts\":%u,\"dur\":900}",
			i, 1000 * i);
		for (unsigned k = 0; k < OPS; k++)
			sbuf_printf(&b, ",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::op%u\",\"pid\":1,\"tid\":1,\"ts\":%u.5,\"dur\":1}",
				k % 7, 1000 * i + k);
	}
	sbuf_puts(&b, "]}");
	ok(outfile_write(path, b.s, b.n, &e), "a trace of %zu bytes", b.n);
	sbuf_fini(&b);
}

static struct profile *load(const struct load_part *part, unsigned workers, struct err *e)
{
	struct job job = { .workers = workers };
	struct profile *p = NULL;

	*e = (struct err)ERR_INIT;
	loader_load_part(path, part, &job, NULL, NULL, &p, e);
	return p;
}

static void check(const char *steps, const char *from, const char *to, unsigned want, ns_t first_op, ns_t last_op)
{
	struct load_part part;
	struct profile *p[3];
	struct err e;
	ev_id ops;

	load_part_parse(&part, steps, from, to, &e);
	for (unsigned i = 0; i < 3; i++)
		p[i] = load(&part, (unsigned[]){ 1, 2, 7 }[i], &e);
	if (!p[0] || !p[1] || !p[2]) {
		fail("loaded: %s", e.text);
		return;
	}
	ops = p[0]->layer_first[LAYER_OP + 1] - p[0]->layer_first[LAYER_OP];
	is_uint(ops, want, "%s%s%s: ops", steps ? steps : from ? from : "", to ? " to " : "", to ? to : "");
	is_int(p[0]->start[p[0]->layer_first[LAYER_OP]], first_op, "the first one");
	is_int(p[0]->start[p[0]->layer_first[LAYER_OP] + ops - 1], last_op, "the last one");
	ok(!same_profile(p[0], p[1]) && !same_profile(p[0], p[2]), "the same with 2 and 7 workers");
	ok(p[0]->n_notes == 1 && strstr(p[0]->notes[0], "only a part of the file was loaded"), "a note says so");
	is_uint(p[0]->n_damages, 0, "nothing is damaged");
	for (unsigned i = 0; i < 3; i++)
		profile_unref(p[i]);
}

static void refused(const char *steps, const char *from, const char *why)
{
	struct load_part part;
	struct err e = ERR_INIT;
	struct profile *p;

	load_part_parse(&part, steps, from, NULL, &e);
	p = load(&part, 2, &e);
	ok(!p, "%s is not there", steps ? steps : from);
	is_int(e.code, ERR_USAGE, "which is no fault of the file");
	ok(strstr(e.text, why), "and told: %s", e.text);
	profile_unref(p);
}

static void loaded(void)
{
	const ns_t us = 1000;

	write_trace();
	/* step 3 begins at 3000 us, the one behind step 5 at 6000 */
	check("3-5", NULL, NULL, 3 * OPS, 3000 * us + 500, (5000 + OPS - 1) * us + 500);
	check("40", NULL, NULL, OPS, 40000 * us + 500, (40000 + OPS - 1) * us + 500);
	/* behind the first event, at 1000 us: the op that begins at 2099.5 and ends at 2100.5 is in, that at 2200.5 is not */
	check(NULL, "1100us", "1200.5us", 101, 2099 * us + 500, 2199 * us + 500);
	refused("41-50", NULL, "no step 41 to 50");
	refused(NULL, "1m", "ends before --from");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	typed();
	loaded();
	unlink(path);
	return done_testing();
}
