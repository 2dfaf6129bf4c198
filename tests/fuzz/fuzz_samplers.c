/* fuzz_samplers.c - the formats of Python samplers: each reader gets the bytes, whatever they look like */
#include "load/identify.h"
#include "tests/fuzz/fuzz.h"

/* Times and counts are known or not, never below 0; the lines of a frame have no more than it. */
static void check_stacks(const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_frames; i++) {
		const struct frame_node *f = &p->frames[i];

		fuzz_hold(f->kind < NODE_KIND_N, "frame %u: kind %u", i, f->kind);
		fuzz_hold(f->total_ns == NS_UNKNOWN || (f->total_ns >= 0 && f->self_ns >= 0 && f->self_ns <= f->total_ns),
			"frame %u: self %lld of %lld", i, (long long)f->self_ns, (long long)f->total_ns);
		fuzz_hold(f->samples == I64_UNKNOWN || f->samples >= 0, "frame %u: samples", i);
		fuzz_hold(f->samples == I64_UNKNOWN || f->parent < 0 || p->frames[f->parent].samples >= f->samples, "frame %u: more than its parent", i);
	}
	for (uint32_t i = 0; i < p->n_frame_samples; i++) {
		fuzz_hold(p->frame_samples[i].frame < p->n_frames && p->frame_samples[i].dur > 0 && p->frame_samples[i].start >= 0, "sample %u", i);
		fuzz_hold(!i || p->frame_samples[i - 1].start <= p->frame_samples[i].start, "sample %u is out of order", i);
	}
	for (uint32_t i = 0; i < p->n_frame_lines; i++) {
		fuzz_hold(p->frame_lines[i].frame < p->n_frames && p->frame_lines[i].line > 0, "line %u", i);
		fuzz_hold(!i || p->frame_lines[i - 1].frame <= p->frame_lines[i].frame, "line %u is out of order", i);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct loader *const all[] = {
		&loader_collapsed, &loader_speedscope, &loader_flame_svg, &loader_pyi_session, &loader_pyi_html, &loader_pyi_text,
		&loader_pyspy_dump, &loader_pyspy_chrome,
	};
	struct profile *p;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bool loaded = fuzz_load(all[i], data, size, &p);

		if (loaded)
			check_stacks(p);
		if (loaded && p->n_frames < 1000)
			fuzz_check_views(p, size);
		else
			profile_unref(p);
	}
	return 0;
}
