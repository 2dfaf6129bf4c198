/* fuzz_ncu.c - reports of Nsight Compute, and its pages as text: the reader gets the bytes, whatever they look like */
#include <string.h>

#include "reopen/profile_file_impl.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;
	bool loaded = fuzz_load(size > 3 && !memcmp(data, "NVR", 4) ? &loader_ncu_rep : &loader_ncu_csv, data, size, &p);
	const struct kernel_reports *r = &p->reports;

	fuzz_hold(check_profile(p), "runs, kinds or strings of the tables");
	/* what is kept was in the file: a metric takes 2 bytes there, an instance 6, a line 3, a message 2, a roof 6 */
	fuzz_hold(2 * (uint64_t)r->n_metrics + 6 * (uint64_t)r->n_instances <= size, "%u metrics and %u instances of %zu bytes", r->n_metrics,
		r->n_instances, size);
	fuzz_hold((uint64_t)r->n_lines <= 2 * size && (uint64_t)r->n_rules <= size && (uint64_t)r->n_roofs <= size,
		"%u lines, %u messages, %u roofs of %zu bytes", r->n_lines, r->n_rules, r->n_roofs, size);
	if (loaded && r->n_metrics < 2000)
		fuzz_check_views(p, size);
	else
		profile_unref(p);
	return 0;
}
