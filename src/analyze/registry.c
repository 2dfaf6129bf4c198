/* registry.c - every analysis, in the order of the menus, see analysis.h */
#include "analyze/analyses.h"

const struct analysis *const analyses[] = {
	&an_overview,
	&an_sources,
	&an_steps,
	&an_stepstats,
	&an_threads,
	&an_gpu,
	&an_classes,
	&an_kernels,
	&an_opkernels,
	&an_chains,
	&an_callers,
	&an_instances,
	&an_gaps,
	&an_memcpy,
	&an_memset,
	&an_sync,
	&an_streams,
	&an_runtime,
	&an_ops,
	&an_optree,
	&an_opcallers,
	&an_nvtx,
	&an_stacks,
	&an_breakdown,
	&an_crosscheck,
	&an_coverage,
	&an_layers,
	&an_rules,
	NULL
};
