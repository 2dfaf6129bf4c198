/* schema.c - names of layers and kinds, see schema.h */
#include "model/schema.h"

const char *layer_name(enum layer l)
{
	static const char *const names[] = {
#define LAYER(id, name, gpu, doc) name,
		LAYERS(LAYER)
#undef LAYER
	};

	return names[l];
}

bool layer_counts_for_range(enum layer l)
{
	return l != LAYER_SPAN && l != LAYER_INSTANT && l != LAYER_COUNTER && l != LAYER_NVTX_OPEN && l != LAYER_SCHED &&
		l != LAYER_FAULT;
}

bool layer_on_gpu(enum layer l)
{
	static const bool gpu_layers[] = {
#define LAYER(id, name, gpu, doc) gpu,
		LAYERS(LAYER)
#undef LAYER
	};

	return gpu_layers[l];
}

const char *copy_kind_name(enum copy_kind k)
{
	static const char *const names[COPY_KIND_N] = {
		"unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP",
		"UVM-HtoD", "UVM-DtoH", "UVM-DtoD",
	};

	return names[k < COPY_KIND_N ? k : COPY_UNKNOWN];
}

const char *mem_kind_name(enum mem_kind k)
{
	static const char *const names[MEM_KIND_N] = {
		"pageable", "pinned", "device", "array", "managed", "device-static", "managed-static", "unknown",
	};

	return names[k < MEM_KIND_N ? k : MEM_UNKNOWN];
}

const char *um_cause_name(unsigned why)
{
	static const char *const names[] = {
		"unknown", "user prefetch", "page fault", "speculative prefetch", "eviction", "access counters",
	};

	return names[why < sizeof(names) / sizeof(*names) ? why : 0];
}

const char *um_access_name(unsigned why)
{
	static const char *const names[] = { "unknown", "read", "write", "atomic", "prefetch" };

	return names[why < sizeof(names) / sizeof(*names) ? why : 0];
}

const char *sync_kind_name(enum sync_kind k)
{
	static const char *const names[SYNC_KIND_N] = {
		"unknown", "stream", "context", "event", "stream-wait", "other", "copy",
	};

	return names[k < SYNC_KIND_N ? k : SYNC_UNKNOWN];
}
