/* fuzz_trace.c - the loader of torch traces on any bytes, then every view of what it made of them */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;

	if (fuzz_load(&loader_torch, data, size, &p) && p->n)
		fuzz_check_views(p, size);
	else
		profile_unref(p);
	return 0;
}
