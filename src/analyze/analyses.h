/* analyses.h - the analyses, one per view of the command line contract; registry.c lists them in the order of the menus */
#ifndef ANALYZE_ANALYSES_H
#define ANALYZE_ANALYSES_H

#include "analyze/analysis.h"

extern const struct analysis an_overview, an_sources, an_steps, an_threads, an_findings, an_checks, an_guide;
extern const struct analysis an_gpu, an_classes, an_kernels, an_opkernels, an_instances, an_gaps, an_memcpy, an_memset, an_sync;
extern const struct analysis an_runtime, an_ops, an_optree, an_opcallers, an_nvtx, an_stacks, an_breakdown, an_crosscheck;
extern const struct analysis an_diff, an_stepstats, an_chains, an_callers, an_coverage, an_layers, an_rules, an_streams;
extern const struct analysis an_gpustats, an_gapstats, an_gaphist, an_kernelshapes, an_kernexec, an_memops, an_osrt, an_quality, an_launches;
extern const struct analysis an_stepstats, an_chains, an_callers, an_coverage, an_layers, an_rules, an_streams;
extern const struct analysis an_gpustats, an_gapstats, an_gaphist, an_kernelshapes, an_kernexec, an_memops, an_osrt, an_quality, an_launches, an_modules;
extern const struct analysis an_nvtxsum, an_nvtxgpu, an_nvtxgpusum, an_nvtxproj, an_nvtxkern, an_nvtxkernsum;
extern const struct analysis an_leaves, an_pylines, an_frameworks, an_opframes, an_pythreads, an_pyidle, an_pyhost;

extern const struct analysis an_umtotal, an_umpages, an_umcauses, an_calls, an_nvtxtrace;
extern const struct analysis an_collectives, an_expert, an_offload, an_devices, an_copyrate, an_fwdbwd, an_opshapes, an_sched;

#endif
