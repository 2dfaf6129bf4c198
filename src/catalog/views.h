/*
 * views.h - the list of all views, in the order of the menus. A view is one name here: it then exists as `print VIEW`, pane, report
 * section, CSV, JSON, completion and manual entry. What is listed here knows nothing of the list: analyses ask for each other by
 * context_view().
 */
#ifndef CATALOG_VIEWS_H
#define CATALOG_VIEWS_H

#include "findings/rulebook.h"
#include "scope/analysis.h"

/* V(NAME): the analysis an_NAME, whose id is NAME */
/* clang-format off */
#define VIEWS(V) \
	V(overview) \
	V(findings) \
	V(guide) \
	V(checks) \
	V(sources) \
	V(steps) \
	V(stepstats) \
	V(threads) \
	V(gpu) \
	V(gpustats) \
	V(devices) \
	V(classes) \
	V(kernels) \
	V(kernelshapes) \
	V(kernexec) \
	V(opkernels) \
	V(chains) \
	V(callers) \
	V(instances) \
	V(gaps) \
	V(gapstats) \
	V(gaphist) \
	V(memcpy) \
	V(memset) \
	V(memops) \
	V(umtotal) \
	V(umpages) \
	V(umcauses) \
	V(copyrate) \
	V(sync) \
	V(offload) \
	V(expert) \
	V(collectives) \
	V(streams) \
	V(runtime) \
	V(calls) \
	V(launches) \
	V(osrt) \
	V(sched) \
	V(ops) \
	V(opshapes) \
	V(optree) \
	V(opcallers) \
	V(fwdbwd) \
	V(modules) \
	V(nvtx) \
	V(nvtxsum) \
	V(nvtxtrace) \
	V(nvtxgpu) \
	V(nvtxgpusum) \
	V(nvtxproj) \
	V(nvtxkern) \
	V(nvtxkernsum) \
	V(stacks) \
	V(leaves) \
	V(pylines) \
	V(frameworks) \
	V(pythreads) \
	V(opframes) \
	V(pyidle) \
	V(pyhost) \
	V(breakdown) \
	V(stragglers) \
	V(skew) \
	V(ranks) \
	V(plan) \
	V(critical) \
	V(whatif) \
	V(ncu) \
	V(ncusections) \
	V(ncumetrics) \
	V(ncustalls) \
	V(roofline) \
	V(ncuoccupancy) \
	V(ncusource) \
	V(ncurules) \
	V(memory) \
	V(mempeak) \
	V(memalloc) \
	V(memcurve) \
	V(memsegments) \
	V(oom) \
	V(crosscheck) \
	V(quality) \
	V(coverage) \
	V(layers) \
	V(rules) \
	V(diff)
/* clang-format on */

#define V(name) extern const struct analysis an_##name;
VIEWS(V)
#undef V

/* All of them, NULL-terminated. */
extern const struct analysis *const analyses[];
const struct analysis *analysis_find(const char *id); /* NULL: there is none */

/* context_new() and context_bare() with all views. */
struct an_ctx *an_ctx_new(const struct session *s, const struct rulebook *r, struct job *job,
			  const struct an_ctx *reuse);
struct an_ctx *an_ctx_bare(const struct session *s, const struct rulebook *r, struct job *job);

#endif
