/* labels.c - see labels.h */
#include "load/ncu/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Labels of versions 2020 to 2026; section: how its display name begins, NULL where the label is the same in all. */
static const struct { const char *section, *label, *metric; } labels[] = {
	{ NULL, "Duration", "gpu__time_duration.sum" },
	{ NULL, "Elapsed Cycles", "gpc__cycles_elapsed.max" },
	{ NULL, "SM Frequency", "gpc__cycles_elapsed.avg.per_second" },
	{ NULL, "DRAM Frequency", "dram__cycles_elapsed.avg.per_second" },
	{ NULL, "Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "Compute (SM) [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "SM [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "SOL SM", "sm__throughput.avg.pct_of_peak_sustained_elapsed" },
	{ "GPU Speed Of Light", "Memory Throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "Memory [%]", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "SOL Memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active" },
	{ NULL, "L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "SM Active Cycles", "sm__cycles_active.avg" },
	{ NULL, "Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active" },
	{ NULL, "Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed" },
	{ NULL, "Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active" },
	{ NULL, "SM Busy", "sm__instruction_throughput.avg.pct_of_peak_sustained_active" },
	{ NULL, "Issue Slots Busy", "sm__inst_issued.avg.pct_of_peak_sustained_active" },
	{ "Memory Workload", "Memory Throughput", "dram__bytes.sum.per_second" },
	{ NULL, "Mem Busy", "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "Max Bandwidth", "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "Mem Pipes Busy", "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed" },
	{ NULL, "L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct" },
	{ NULL, "L2 Hit Rate", "lts__t_sector_hit_rate.pct" },
	{ NULL, "Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active" },
	{ NULL, "Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active" },
	{ NULL, "Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active" },
	{ NULL, "One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active" },
	{ NULL, "No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active" },
	{ NULL, "Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio" },
	{ NULL, "Warp Cycles Per Executed Instruction", "smsp__average_warps_active_per_inst_executed.ratio" },
	{ NULL, "Avg. Active Threads Per Warp", "smsp__thread_inst_executed_per_inst_executed.ratio" },
	{ NULL, "Avg. Not Predicated Off Threads Per Warp", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio" },
	{ NULL, "Executed Instructions", "smsp__inst_executed.sum" },
	{ NULL, "Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg" },
	{ NULL, "Issued Instructions", "smsp__inst_issued.sum" },
	{ NULL, "Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg" },
	{ NULL, "Grid Size", "launch__grid_size" },
	{ NULL, "Block Size", "launch__block_size" },
	{ NULL, "Threads", "launch__thread_count" },
	{ NULL, "Registers Per Thread", "launch__registers_per_thread" },
	{ NULL, "Static Shared Memory Per Block", "launch__shared_mem_per_block_static" },
	{ NULL, "Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic" },
	{ NULL, "Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver" },
	{ NULL, "Shared Memory Configuration Size", "launch__shared_mem_config_size" },
	{ NULL, "Waves Per SM", "launch__waves_per_multiprocessor" },
	{ NULL, "Function Cache Configuration", "launch__func_cache_config" },
	{ NULL, "# SMs", "device__attribute_multiprocessor_count" },
	{ NULL, "Cluster Size", "launch__cluster_size" },
	{ NULL, "Block Limit Registers", "launch__occupancy_limit_registers" },
	{ NULL, "Block Limit Shared Mem", "launch__occupancy_limit_shared_mem" },
	{ NULL, "Block Limit Warps", "launch__occupancy_limit_warps" },
	{ NULL, "Block Limit SM", "launch__occupancy_limit_blocks" },
	{ NULL, "Block Limit Barriers", "launch__occupancy_limit_barriers" },
	{ NULL, "Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct" },
	{ NULL, "Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active" },
	{ NULL, "Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle" },
	{ NULL, "Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active" },
};

const char *label_metric(const char *section, size_t section_n, const char *label, size_t n)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (strlen(labels[i].label) == n && memcmp(labels[i].label, label, n) == 0 &&
		    (!labels[i].section || text_starts(section, section_n, labels[i].section)))
			return labels[i].metric;
	return NULL;
}

double label_scale(const char *unit, size_t n)
{
	static const struct { const char *begin; double scale; } units[] = {
		{ "Kbyte", 1e3 }, { "Mbyte", 1e6 }, { "Gbyte", 1e9 }, { "Tbyte", 1e12 },
		{ "Khz", 1e3 }, { "Mhz", 1e6 }, { "Ghz", 1e9 },
		{ "cycle/nsecond", 1e9 }, { "cycle/usecond", 1e6 }, { "cycle/msecond", 1e3 },
		{ "cycle/ns", 1e9 }, { "cycle/us", 1e6 }, { "cycle/ms", 1e3 },
		{ "sector/ns", 1e9 }, { "sector/us", 1e6 }, { "sector/ms", 1e3 },
		{ "nsecond", 1 }, { "usecond", 1e3 }, { "msecond", 1e6 }, { "second", 1e9 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (text_starts(unit, n, units[i].begin))
			return units[i].scale;
	if (n == 2 && unit[1] == 's')
		return unit[0] == 'u' ? 1e3 : unit[0] == 'm' ? 1e6 : 1;
	return n == 1 && unit[0] == 's' ? 1e9 : 1;
}

bool label_number(const char *s, size_t n, double *v)
{
	char text[64], *rest;
	size_t point = n, m = 0;

	if (!n || n >= sizeof(text))
		return false;
	for (size_t i = n; i-- && point == n;)
		if (s[i] == '.' || s[i] == ',')
			point = i;
	/* a comma alone is one between thousands */
	if (point < n && s[point] == ',' && !memchr(s, '.', n))
		point = n;
	for (size_t i = 0; i < n; i++) {
		if (i == point)
			text[m++] = '.';
		else if (s[i] != ',' && s[i] != '.')
			text[m++] = s[i];
	}
	text[m] = '\0';
	if (!m || !strchr("0123456789-+", text[0]) || (text[0] == '0' && m > 1 && (text[1] == 'x' || text[1] == 'X')))
		return false;
	*v = strtod(text, &rest);
	return *rest == '\0';
}
