/* distortion.c - see distortion.h */
#include "facts/distortion.h"

#include <string.h>
#include <strings.h>

#include "base/i18n.h"

static const struct distortion table[] = {
	{ "with_stack", N_("every Python call is recorded: host time of Python and ops is too long; compare the step with a run without"), true },
	{ "Call stack", N_("the Python stack is taken with each op: ops are too long"), true },
	{ "profile_memory", N_("every allocation is recorded: ops that allocate are too long"), true },
	{ "record_shapes", N_("input shapes are written down per op: adds time to each op"), true },
	{ "with_modules", N_("module names are looked up per op: adds time to each op"), true },
	{ "with_flops", N_("shapes are kept for the count of operations: adds time to each op"), true },
	{ "CUDA memory usage", N_("allocations are recorded with call stacks: allocator calls are too long"), true },
	{ "CUDA backtraces", N_("a backtrace is taken in CUDA calls: their host time is too long"), true },
	{ "OS runtime backtraces", N_("a backtrace is taken in OS calls: host time is too long"), true },
	{ "CPU sampling backtraces", N_("sampling interrupts the threads: a few percent of host time"), true },
	{ "GPU metrics", N_("counters are sampled: other profilers cannot run beside it; times stay right"), false },
	{ "GPU context switches", N_("recorded on the device: adds little"), false },
	{ "CUDA_SKIP_SOME_API_CALLS", N_("cheap CUDA calls are not recorded: calls and other runtime time are lower bounds"), false },
	{ "system calls", N_("every system call is recorded: host time is too long"), true },
};
#define N_TABLE (sizeof(table) / sizeof(*table))

static bool option_on(const struct profile *p, const struct option *o, const char *key)
{
	size_t n;
	const char *s = profile_str(p, o->key, &n), *v;

	if (n != strlen(key) || memcmp(s, key, n))
		return false;
	v = profile_str(p, o->value, &n);
	return n && !(n == 1 && *v == '0') && !(n == 5 && !strncasecmp(v, "false", 5));
}

/* What the events show, whether the file names the option or not. */
static bool implied(const struct profile *p, const char *option)
{
	if (p->format != FORMAT_TORCH || !(p->caps & CAP_PYTHON))
		return false;
	return !strcmp(option, p->caps & CAP_OP_STACKS ? "Call stack" : "with_stack");
}

void distortions(const struct profile *p, void (*fn)(void *arg, const struct distortion *d), void *arg)
{
	for (size_t c = 0; c < N_TABLE; c++) {
		bool on = implied(p, table[c].option);

		for (uint32_t i = 0; i < p->n_options && !on; i++)
			on = option_on(p, &p->options[i], table[c].option);
		if (on)
			fn(arg, &table[c]);
	}
}

struct list {
	struct arena *a;
	const char *text;
};

static void add(void *arg, const struct distortion *d)
{
	struct list *l = arg;

	if (d->host_time)
		l->text = l->text ? arena_printf(l->a, "%s, %s", l->text, d->option) : d->option;
}

const char *distortion_list(const struct profile *p, struct arena *a)
{
	struct list l = { a, NULL };

	distortions(p, add, &l);
	return l.text;
}
