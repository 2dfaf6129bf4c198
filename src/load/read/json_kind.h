/*
 * json_kind.h - what kind of JSON the first bytes of a file look like. Used by the loaders' probes
 * and, for a clear refusal of formats that are not read, by the registry.
 */
#ifndef LOAD_READ_JSON_KIND_H
#define LOAD_READ_JSON_KIND_H

#include <stddef.h>

enum json_kind {
	JSON_NOT,		/* does not begin with { or [ */
	JSON_UNKNOWN,		/* JSON of no kind below */
	JSON_TORCH,		/* Chrome trace with marks of torch.profiler */
	JSON_CHROME,		/* any other Chrome trace, or events that begin behind the head */
	JSON_NSYS_CHROME,	/* made from an nsys export: pid "Device 0", cat cuda_api, … */
	JSON_MEMORY_TIMELINE,	/* torch export_memory_timeline: arrays of numbers */
	JSON_EXEC_TRACE,	/* PyTorch/Chakra execution trace: "schema" and "nodes" */
	JSON_SPEEDSCOPE,	/* "$schema" of speedscope */
	JSON_PYINSTRUMENT	/* "root_frame" beside "start_time", "sample_count" … */
};

/* head: the first n (inflated) bytes of the file; it may end anywhere. */
enum json_kind probe_json(const char *head, size_t n);

#endif
