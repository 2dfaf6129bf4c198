/* The kind whatif: a random program, the trace of its run, and how long its steps take when one thing is changed. */
#include "program.h"
#include "torch_text.h"

#include <stdlib.h>
#include <string.h>

const struct change no_change = { .verb = CHANGE_NONE, .glob = "" };

static const struct change drops[] = {
	{ CHANGE_DROP, OF_ANNOTATION, "enumerate(DataLoader)*", 0, 0 },
	{ CHANGE_DROP, OF_ANNOTATION, "augment", 0, 0 },
	{ CHANGE_DROP, OF_ANNOTATION, "Optimizer.step*", 0, 0 },
	{ CHANGE_DROP, OF_OP, "autograd::engine::evaluate_function: *", 0, 0 },
	{ CHANGE_DROP, OF_OP, "aten::add", 0, 0 },
	{ CHANGE_SCALE, OF_ANNOTATION, "forward", 500, 0 },
};
static const struct change scales[] = {
	{ CHANGE_SCALE, OF_CLASS, "GEMM", 500, 0 },
	{ CHANGE_SCALE, OF_CLASS, "GEMM", 1500, 0 },
	{ CHANGE_SCALE, OF_CLASS, "Attention", 250, 0 },
	{ CHANGE_SCALE, OF_CLASS, "Elementwise", 500, 0 },
	{ CHANGE_SCALE, OF_CLASS, "*", 550, 0 },
	{ CHANGE_DROP, OF_CLASS, "GEMM", 0, 0 },
	{ CHANGE_DROP, OF_CLASS, "Communication", 0, 0 },
	{ CHANGE_SCALE, OF_COPY, "HtoD", 500, 0 },
};
static const struct change asyncs[] = {
	{ CHANGE_ASYNC, OF_COPY, "DtoH", 0, 0 },
	{ CHANGE_ASYNC, OF_CALL, "cudaStreamSynchronize", 0, 0 },
	{ CHANGE_ASYNC, OF_CALL, "cudaDeviceSynchronize", 0, 0 },
	{ CHANGE_ASYNC, OF_CALL, "cudaEventSynchronize", 0, 0 },
};
static const struct change launches[] = {
	{ CHANGE_LAUNCH, OF_CALL, "", 0, 0 },
	{ CHANGE_LAUNCH, OF_CALL, "", 0, 500 },
	{ CHANGE_LAUNCH, OF_CALL, "", 0, 1000 },
	{ CHANGE_LAUNCH, OF_CALL, "", 0, 10000 },
};
static const struct change overlaps[] = {
	{ CHANGE_OVERLAP, OF_COPY, "HtoD", 0, 0 },
	{ CHANGE_OVERLAP, OF_COPY, "DtoH", 0, 0 },
};
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* Whether the program has what the change is about. */
static bool has_it(const struct program *p, const struct change *c)
{
	const struct {
		const char *glob;
		bool there;
	} need[] = {
		{ "enumerate(DataLoader)*", p->loader },
		{ "augment", p->augment },
		{ "cudaStreamSynchronize", p->stream_syncs },
		{ "cudaDeviceSynchronize", p->device_syncs },
		{ "cudaEventSynchronize", p->event_syncs },
		{ "DtoH", p->items },
	};

	for (size_t i = 0; i < COUNT(need); i++)
		if (strcmp(c->glob, need[i].glob) == 0)
			return need[i].there;
	return true;
}

/* One of the list that the program has; where it has none, one without anything to change. */
static struct change draw(const struct program *p, struct run *r, const struct change *list, size_t n)
{
	size_t at = run_random(r, n);

	for (size_t i = 0; i < n; i++)
		if (has_it(p, &list[(at + i) % n]))
			return list[(at + i) % n];
	return list[at];
}

void choose_changes(const struct program *p, struct run *r, struct change *out)
{
	out[0] = draw(p, r, drops, COUNT(drops));
	out[1] = draw(p, r, scales, COUNT(scales));
	out[2] = draw(p, r, asyncs, COUNT(asyncs));
	out[3] = draw(p, r, launches, COUNT(launches));
	out[4] = draw(p, r, overlaps, COUNT(overlaps));
}

/* The change as the program's command line takes it. */
static void put_change(FILE *f, const struct change *c)
{
	static const char *const verbs[] = { "none", "drop", "scale", "async", "launch", "overlap" };
	static const char *const kinds[] = { "class", "op", "annotation", "call", "copy" };

	fputs(verbs[c->verb], f);
	if (c->verb == CHANGE_LAUNCH)
		fprintf(f, " %lld", (long long)c->ns);
	else if (c->verb != CHANGE_NONE)
		fprintf(f, " %s:%s", kinds[c->kind], c->glob);
	if (c->verb == CHANGE_SCALE)
		fprintf(f, " %d.%03d", c->permille / 1000, c->permille % 1000);
}

static int by_value(const void *a, const void *b)
{
	const ns_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A step lasts until the next begins, the last until its own end. */
static void put_steps(FILE *f, const struct change *c, const ns_t *start, const ns_t *end, int n)
{
	ns_t *v = calloc((size_t)n, sizeof(*v));

	if (!v)
		die("out of memory");
	for (int i = 0; i < n; i++)
		v[i] = (i + 1 < n ? start[i + 1] : end[i]) - start[i];
	fputs("steps\t", f);
	put_change(f, c);
	for (int i = 0; i < n; i++)
		fprintf(f, "%c%lld", i ? ' ' : '\t', (long long)v[i]);
	qsort(v, (size_t)n, sizeof(*v), by_value);
	fputs("\nmedian\t", f);
	put_change(f, c);
	fprintf(f, "\t%lld\n", (long long)v[(n - 1) / 2]);
	free(v);
}

static void write_files(struct run *r, const struct gen_opts *opt)
{
	char *path = gen_path(opt->out, opt->nsys ? "program.sqlite" : "program.pt.trace.json");
	struct torch_counts n = { 0 };

	torch_run = (struct torch_run){ .world = 2, .late_ns = 0, .no_stack = true };
	if (opt->nsys)
		write_nsys(r, path);
	else
		write_torch(r, path, opt->gz, &n);
	free(path);
}

/* The program, twice made: with the step's length known its loader gets its own. A queue that was never seen full has the depth that
 * a replay takes for granted. */
static void make_program(struct program *p, struct run *r, ns_t *start, ns_t *end)
{
	uint64_t seed = run_random(r, UINT64_MAX); /* neighbouring seeds would share their numbers */

	r->rng = seed;
	program_make(p, r, 0);
	machine_run(p, &no_change, NULL, start, end);
	program_free(p);
	r->rng = seed;
	program_make(p, r, (end[r->opt.steps - 1] - start[0]) / r->opt.steps);
	if (!machine_run(p, &no_change, NULL, start, end))
		p->depth = PROGRAM_DEPTH;
}

void make_whatif(const struct gen_opts *opt)
{
	char *truth = gen_path(opt->out, "truth.tsv");
	FILE *f = gen_create(opt->truth ? opt->truth : truth);
	ns_t *start = calloc((size_t)opt->steps, sizeof(*start)), *end = calloc((size_t)opt->steps, sizeof(*end));
	struct change c[PROGRAM_CHANGES];
	struct program p;
	struct run r;

	if (!start || !end)
		die("out of memory");
	run_init(&r, opt);
	make_program(&p, &r, start, end);
	choose_changes(&p, &r, c);
	machine_run(&p, &no_change, &r, start, end);
	put_steps(f, &no_change, start, end, p.steps);
	r.th[TH_MAIN].now = end[p.steps - 1];
	write_files(&r, opt);
	for (int i = 0; i < PROGRAM_CHANGES; i++) {
		machine_run(&p, &c[i], NULL, start, end);
		put_steps(f, &c[i], start, end, p.steps);
	}
	gen_close(f, opt->truth ? opt->truth : truth);
	program_free(&p);
	run_free(&r);
	free(start);
	free(end);
	free(truth);
}
