/* offload.c - the trace of a mixture of experts on the host: the view `offload` per step, see checks.h */
#include "tests/truth/checks.h"

void check_offload(struct trial *t)
{
	static const struct spec spec = { { "by=step" }, { "htod_bytes", "dtoh_bytes", "htod_ns", "used_bytes", "moe_fetched_bytes",
		"moe_used_bytes", "moe_waste_bytes" }, 0 };
	struct sheet got = { .titles = spec.cols, .width = 7 }, want = got;
	struct table *rows;

	rows = trial_view(t, "offload", t->torch, WINDOW_ALL, BY_STEP, "");
	if (!rows) {
		trial_verdict(t, false, "offload: view");
		return;
	}
	sheet_of_table(&got, rows, &spec);
	sheet_of_truth(&want, jval_get(t->truth, "steps"), &spec);
	trial_sheets(t, "offload: copies, use and waste of each step", &got, &want);
	table_free(rows);
}
