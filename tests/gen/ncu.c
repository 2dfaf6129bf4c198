/* Kind ncu: small reports of Nsight Compute, a sound one and damaged ones; ncu_report.h has the answers. */
#include "gen.h"

#include <stdlib.h>

#include "ncu_report.h"

void make_ncu(const struct gen_opts *opt)
{
	static const char *const names[NCU_VARIANTS] = {
		"report", "strings-last", "strings-short", "cut", "entry-long", "entries-missing", "header-bad", "result-bad",
		"payload-huge", "empty",
	};

	for (unsigned v = 0; v < NCU_VARIANTS; v++) {
		struct ncu_out o = ncu_report((enum ncu_variant)v, NULL);
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s.ncu-rep", opt->out, names[v]);
		f = fopen(path, "wb");
		if (!f || fwrite(o.a, 1, o.n, f) != o.n || fclose(f) != 0)
			die("%s: cannot be written", path);
		free(o.a);
	}
}
