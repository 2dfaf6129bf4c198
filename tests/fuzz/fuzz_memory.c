/* fuzz_memory.c - memory snapshots: the reader of pickles gets the bytes, whatever they look like */
#include "reopen/profile_file_impl.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;
	bool loaded = fuzz_load(&loader_memory_snapshot, data, size, &p);
	const struct memory_records *m = &p->memory;
	/* the promise of pickle.h */
	uint64_t held = (uint64_t)m->n_entries * sizeof(*m->entries) + (uint64_t)m->n_blocks * sizeof(*m->blocks) +
		(uint64_t)m->n_segments * sizeof(*m->segments) + (uint64_t)m->n_stack_frames * sizeof(*m->stack_frames);

	fuzz_hold(check_profile(p), "runs, kinds or strings of the tables");
	fuzz_hold(held <= 2 * (uint64_t)size + (1 << 20) + 4096, "%llu bytes of %zu", (unsigned long long)held, size);
	if (loaded && m->n_entries < 2000)
		fuzz_check_views(p, size);
	else
		profile_unref(p);
	return 0;
}
