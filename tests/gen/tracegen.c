/* tracegen: writes one consistent synthetic training run in every input format, with the true
 * answers beside it. */
#include "gen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void usage(void)
{
	fputs("usage: tracegen [--kind run|zero3|overlap|offload|whatif|ncu|bench|bench-nsys] [--seed N] [--steps N] [--layers N] "
	      "[--scale N] [--events N]\n"
	      "                [--noise PERCENT] [--gz] [--nsys] [--truth FILE] --out DIR\n",
		stderr);
	exit(2);
}

static int64_t number(const char *s, int64_t low, int64_t high)
{
	char *rest;
	long long v;

	errno = 0;
	v = strtoll(s, &rest, 10);
	if (errno || rest == s || *rest || v < low || v > high)
		usage();
	return v;
}

static void numeric_option(struct gen_opts *o, const char *name, const char *value)
{
	if (strcmp(name, "--seed") == 0)
		o->seed = (uint64_t)number(value, 0, INT64_MAX);
	else if (strcmp(name, "--steps") == 0)
		o->steps = number(value, 4, 1000);
	else if (strcmp(name, "--layers") == 0)
		o->layers = number(value, 2, 200);
	else if (strcmp(name, "--scale") == 0)
		o->scale = number(value, 1, 1000);
	else if (strcmp(name, "--events") == 0)
		o->events = number(value, 1, INT64_C(100000000));
	else if (strcmp(name, "--noise") == 0)
		o->noise = (int)number(value, 0, 50);
	else
		usage();
}

static void parse(struct gen_opts *o, int argc, char **argv)
{
	*o = (struct gen_opts){ .kind = "run", .seed = 1, .steps = 6, .layers = 4, .scale = 1 };
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--gz") == 0) {
			o->gz = true;
			continue;
		}
		if (strcmp(argv[i], "--nsys") == 0) {
			o->nsys = true;
			continue;
		}
		if (i + 1 == argc)
			usage();
		if (strcmp(argv[i], "--out") == 0)
			o->out = argv[++i];
		else if (strcmp(argv[i], "--kind") == 0)
			o->kind = argv[++i];
		else if (strcmp(argv[i], "--truth") == 0)
			o->truth = argv[++i];
		else
			numeric_option(o, argv[i], argv[i + 1]), i++;
	}
	if (!o->out)
		usage();
}

static size_t run_events(const struct run *r)
{
	return r->ops.n + r->annots.n + r->pys.n + r->calls.n + r->kernels.n + r->copies.n +
		r->sets.n + r->syncs.n;
}

/* --events N: as many repetitions of each block's operators as it takes. */
static void simulate(struct run *r, const struct gen_opts *opt)
{
	struct gen_opts o = *opt;

	run_init(r, &o);
	make_run(r);
	while (o.events && run_events(r) < (size_t)o.events && o.scale < 1000) {
		int64_t more = o.scale * o.events / (int64_t)run_events(r);

		o.scale = more > o.scale ? (more < 1000 ? more : 1000) : o.scale + 1;
		run_free(r);
		run_init(r, &o);
		make_run(r);
	}
}

static void make_sample(const struct gen_opts *opt)
{
	char *torch = gen_path(opt->out, "rank0.pt.trace.json"),
	     *nsys = gen_path(opt->out, "train.sqlite");
	char *py = gen_path(opt->out, "pyinstrument.json"),
	     *ds = gen_path(opt->out, "ds_config.json");
	char *truth = opt->truth ? strdup(opt->truth) : gen_path(opt->out, "truth.json");
	struct torch_counts n = { 0 };
	struct run r;

	if (!truth)
		die("out of memory");
	simulate(&r, opt);
	write_torch(&r, torch, opt->gz, &n);
	write_nsys(&r, nsys);
	write_ds_config(ds);
	write_truth(&r, truth, py, &n);
	run_free(&r);
	free(torch);
	free(nsys);
	free(py);
	free(ds);
	free(truth);
}

int main(int argc, char **argv)
{
	struct gen_opts opt;

	parse(&opt, argc, argv);
	if (mkdir(opt.out, 0777) != 0 && errno != EEXIST)
		die("%s: %s", opt.out, strerror(errno));
	if (strcmp(opt.kind, "run") == 0)
		make_sample(&opt);
	else if (strcmp(opt.kind, "zero3") == 0)
		make_zero3(&opt);
	else if (strcmp(opt.kind, "overlap") == 0)
		make_overlap(&opt);
	else if (strcmp(opt.kind, "offload") == 0)
		make_offload(&opt);
	else if (strcmp(opt.kind, "whatif") == 0)
		make_whatif(&opt);
	else if (strcmp(opt.kind, "ncu") == 0)
		make_ncu(&opt);
	else if (strcmp(opt.kind, "bench") == 0)
		make_bench(&opt);
	else if (strcmp(opt.kind, "bench-nsys") == 0)
		make_bench_nsys(&opt);
	else
		usage();
	return 0;
}
