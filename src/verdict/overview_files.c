/* overview_files.c - the last lines of the overview: the files, what is damaged in them, what is missing */
#include <inttypes.h>
#include <stdio.h>

#include "base/i18n.h"
#include "verdict/overview_impl.h"

/* ---- what is missing, and how the tools in use record it ---- */

enum missing { MISSING_GPU, MISSING_STACKS, MISSING_OPS, MISSING_STEPS, MISSING_N };

static const struct {
	enum pane pane;
	const char *nsys, *other;	/* advice where all files are of Nsight Systems; else */
} missing_words[MISSING_N] = {
	[MISSING_STACKS] = { PANE_PYTHON, N_("Python stacks (record py-spy or pyinstrument -r json beside nsys)"),
		N_("Python stacks (add pyinstrument -r json, or torch.profiler with_stack=True)") },
	[MISSING_OPS] = { PANE_OPS, N_("operators (nsys --pytorch=autograd-nvtx)"),
		N_("operators (add a torch.profiler trace, or nsys --pytorch=autograd-nvtx)") },
	[MISSING_GPU] = { PANE_KERNELS, N_("GPU work (nsys --trace=cuda)"), N_("GPU work (record CUDA activities, or nsys --trace=cuda)") },
	[MISSING_STEPS] = { PANE_TIMELINE, N_("step markers (NVTX ranges step_N)"), N_("step markers (prof.step(), or NVTX ranges step_N)") },
};

static bool all_nsys(const struct session *x)
{
	bool any = false;

	for (uint32_t i = 0; i < x->n_sources; i++) {
		if (x->sources[i].profile && !source_format_nsys(x->sources[i].profile->format))
			return false;
		any |= x->sources[i].profile != NULL;
	}
	return any;
}

static void say_missing(const struct say *s, unsigned caps, const bool lacks[MISSING_N])
{
	bool nsys = all_nsys(s->cx->session);

	for (int i = 0; i < MISSING_N; i++) {
		if (!lacks[i])
			continue;
		if (i == MISSING_GPU && caps & CAP_RUNTIME)
			overview_say(s, "missing", I64_UNKNOWN, -1, PANE_KERNELS, _("GPU work (CUDA calls are recorded, but no kernel and no copy)"));
		else
			overview_say(s, "missing", I64_UNKNOWN, -1, missing_words[i].pane, "%s",
				_(nsys ? missing_words[i].nsys : missing_words[i].other));
	}
}

void overview_files(const struct say *s)
{
	unsigned caps = 0;
	bool steps = false, stacks = false, ops = false;

	for (uint32_t i = 0; i < s->cx->session->n_sources; i++) {
		const struct source *src = &s->cx->session->sources[i];
		const struct profile *p = src->profile;
		uint32_t n_devices, n_events;
		char events[64], devices[64];
		const char *version;
		size_t n;

		if (!p)
			continue;
		n_events = p->n ? p->n : p->n_frames;
		n_devices = s->cx->facts[i]->n_devices;
		snprintf(events, sizeof(events), ngettext("%u event", "%u events", n_events), n_events);
		devices[0] = '\0';
		if (n_devices)
			snprintf(devices, sizeof(devices), ngettext(", %u device", ", %u devices", n_devices), n_devices);
		version = profile_str(p, p->version, &n);
		caps |= p->caps;
		ops |= s->cx->facts[i]->ops.n > 0;	/* NVTX ranges named like operators, too */
		stacks |= profile_python_stacks(p);
		steps |= s->cx->facts[i]->n_steps > 0;
		table_cstr(s->t, overview_say(s, "source", I64_UNKNOWN, -1, PANE_NONE, _("%s: %s%s%.*s, %s%s%s"), src->path,
			source_format_name(p->format), n ? " " : "", (int)n, version, events, devices, p->partial ? _(", still loading") : ""), C_SOURCE, src->path);
		table_source(s->t, src->path);
		for (uint32_t k = 0; k < p->n_damages; k++) {
			const struct damage *d = &p->damages[k];

			overview_say(s, "damaged", I64_UNKNOWN, -1, PANE_NONE, "%s: %s%s", src->path, _(d->what),
				d->offset < 0 ? "" : arena_printf(&s->t->arena, _("; first at %" PRId64), d->offset));
		}
		s->t->partial |= p->partial;
	}
	say_missing(s, caps, (const bool[MISSING_N]){ !(caps & (CAP_GPU | CAP_DEVICE_UNREAD)), !stacks, !ops, !steps });
}
