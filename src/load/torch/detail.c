/*
 * detail.c - what an event's category, name and args say about it: layer, copy, kernel, wait; see torch_impl.h
 *
 * Nothing here knows a builder or keeps anything: workers and the sink share it.
 */
#include <string.h>

#include "load/torch/torch_impl.h"

/* Spellings of all eras, compared without regard to case. */
static const struct cat_rule {
	const char *text;
	uint8_t layer;
	uint32_t aux;
} cat_rules[] = {
	{ "cpu_op", LAYER_OP, ID_NONE },
	{ "operator", LAYER_OP, ID_NONE },
	{ "user_annotation", LAYER_ANNOT, ID_NONE },
	{ "python_function", LAYER_PYTHON, ID_NONE },
	{ "python", LAYER_PYTHON, ID_NONE },
	{ "cuda_runtime", LAYER_RUNTIME, 0 },	/* HIP calls are written here too */
	{ "runtime", LAYER_RUNTIME, 0 },
	{ "xpu_runtime", LAYER_RUNTIME, 0 },
	{ "glow_runtime", LAYER_RUNTIME, 0 },
	{ "privateuse1_runtime", LAYER_RUNTIME, 0 },
	{ "hpu_op", LAYER_RUNTIME, 0 },
	{ "cuda_driver", LAYER_RUNTIME, RUNTIME_DRIVER },
	{ "xpu_driver", LAYER_RUNTIME, RUNTIME_DRIVER },
	{ "privateuse1_driver", LAYER_RUNTIME, RUNTIME_DRIVER },
	{ "kernel", LAYER_KERNEL, ID_NONE },
	/*
	 * MTIA work is kept and counted, but is in no GPU or runtime figure: the reference values that those figures
	 * are held against leave it out. tsink_finish() says so.
	 */
	{ "mtia_ccp_events", LAYER_OTHER, ID_NONE },
	{ "mtia_runtime", LAYER_OTHER, ID_NONE },
	{ "gpu_memcpy", LAYER_MEMCPY, ID_NONE },
	{ "memcpy", LAYER_MEMCPY, ID_NONE },
	{ "gpu_memset", LAYER_MEMSET, ID_NONE },
	{ "memset", LAYER_MEMSET, ID_NONE },
	{ "cuda_sync", LAYER_SYNC, SYNC_UNKNOWN },
	{ "xpu_sync", LAYER_SYNC, SYNC_UNKNOWN },
	{ "cuda_event", LAYER_SYNC, SYNC_OTHER },
	{ "gpu_user_annotation", LAYER_GPU_ANNOT, ID_NONE },
	{ "trace", LAYER_SPAN, ID_NONE },
	{ "overhead", LAYER_OVERHEAD, ID_NONE },
	{ "cpu_instant_event", LAYER_INSTANT, ID_NONE },
};
static bool same_word(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((a[i] >= 'A' && a[i] <= 'Z' ? a[i] | 32 : a[i]) != b[i])
			return false;
	return b[n] == '\0';
}

void tcat_layer(const char *text, size_t n, enum layer *layer, uint32_t *aux)
{
	*layer = LAYER_OTHER;
	*aux = ID_NONE;
	for (size_t i = 0; i < sizeof(cat_rules) / sizeof(*cat_rules); i++) {
		if (strlen(cat_rules[i].text) == n && same_word(text, cat_rules[i].text, n)) {
			*layer = cat_rules[i].layer;
			*aux = cat_rules[i].aux;
		}
	}
}

bool tid_number(const struct jstr *t, int64_t *v)
{
	static const char stream[] = "stream ";
	size_t k = sizeof(stream) - 1;
	uint64_t u;
	bool known = jnum_u64(t->s, t->n, &u) ||
		     (t->n > k && memcmp(t->s, stream, k) == 0 && jnum_u64(t->s + k, t->n - k, &u));

	if (known)
		*v = (int64_t)u;
	return known;
}

struct word_value {
	const char *word;
	int value;
};

/* The value of the first word that occurs in the text. */
static int find_word(const struct word_value *words, const struct jstr *t, int otherwise)
{
	for (; words->word; words++)
		if (memmem(t->s, t->n, words->word, strlen(words->word)))
			return words->value;
	return otherwise;
}

/* Kineto on CUDA and ROCm; HIP's own names; XPU (M is system memory). */
static const struct word_value copy_words[] = {
	{ "HtoD", COPY_HTOD },
	{ "DtoH", COPY_DTOH },
	{ "DtoD", COPY_DTOD },
	{ "HtoH", COPY_HTOH },
	{ "PtoP", COPY_PTOP },
	{ "HtoA", COPY_HTOA },
	{ "AtoH", COPY_ATOH },
	{ "AtoA", COPY_ATOA },
	{ "AtoD", COPY_ATOD },
	{ "DtoA", COPY_DTOA },
	{ "HostToDevice", COPY_HTOD },
	{ "DeviceToHost", COPY_DTOH },
	{ "DeviceToDevice", COPY_DTOD },
	{ "HostToHost", COPY_HTOH },
	{ "HOST_TO_DEVICE", COPY_HTOD },
	{ "DEVICE_TO_HOST", COPY_DTOH },
	{ "DEVICE_TO_DEVICE", COPY_DTOD },
	{ "PeerToPeer", COPY_PTOP },
	{ "H2D", COPY_HTOD },
	{ "M2D", COPY_HTOD },
	{ "D2H", COPY_DTOH },
	{ "D2M", COPY_DTOH },
	{ "D2D", COPY_DTOD },
	{ NULL, 0 }
};
static const struct word_value mem_words[] = {
	{ "Device Static", MEM_DEVICE_STATIC },
	{ "Managed Static", MEM_MANAGED_STATIC },
	{ "Pageable", MEM_PAGEABLE },
	{ "Pinned", MEM_PINNED },
	{ "Device", MEM_DEVICE },
	{ "Array", MEM_ARRAY },
	{ "Managed", MEM_MANAGED },
	{ NULL, 0 }
};
static const struct word_value sync_words[] = {
	{ "Stream Wait", SYNC_STREAM_WAIT },
	{ "Stream Sync", SYNC_STREAM },
	{ "Event", SYNC_EVENT },
	{ "Context", SYNC_CONTEXT },
	{ "Device", SYNC_CONTEXT },
	{ NULL, 0 }
};

int64_t tev_copy_bytes(const struct tev *ev)
{
	return ev->have & TEV_BYTES ? ev->bytes : I64_UNKNOWN;
}

void tev_copy(const struct tev *ev, bool set, struct copy_detail *d)
{
	struct jstr left = ev->name, right;
	const char *open = memchr(left.s, '(', left.n), *arrow;

	*d = (struct copy_detail){ .bytes = tev_copy_bytes(ev),
				   .src = MEM_UNKNOWN,
				   .dst = MEM_UNKNOWN };
	right = (struct jstr){ .s = open ? open : "",
			       .n = open ? left.n - (size_t)(open - left.s) : 0 };
	if (!set)
		d->kind = (uint8_t)find_word(copy_words, &left, COPY_UNKNOWN);
	arrow = memmem(right.s, right.n, "->", 2);
	if (arrow) {
		left = (struct jstr){ .s = right.s, .n = (size_t)(arrow - right.s) };
		right = (struct jstr){ .s = arrow, .n = right.n - left.n };
		d->src = (uint8_t)find_word(mem_words, &left, MEM_UNKNOWN);
	}
	d->dst = (uint8_t)find_word(mem_words, &right, MEM_UNKNOWN);
}

static int32_t small(const struct tev *ev, uint32_t bit, int64_t v)
{
	return (ev->have & bit) && v >= 0 && v <= INT32_MAX ? (int32_t)v : -1;
}

bool tev_kernel(const struct tev *ev, struct kernel_detail *d)
{
	*d = (struct kernel_detail){
		.registers = small(ev, TEV_REGISTERS, ev->registers),
		.shared_bytes = small(ev, TEV_SHARED, ev->shared),
		.graph_node = ev->have & TEV_NODE ? ev->node : 0,
	};
	if (!(ev->have & (TEV_GRID | TEV_BLOCK | TEV_REGISTERS | TEV_SHARED | TEV_NODE)))
		return false;
	if (ev->have & TEV_GRID)
		memcpy(d->grid, ev->grid, sizeof(d->grid));
	if (ev->have & TEV_BLOCK)
		memcpy(d->block, ev->block, sizeof(d->block));
	return true;
}

uint32_t tev_sync(const struct tev *ev, uint32_t otherwise)
{
	return (uint32_t)find_word(sync_words, ev->have & TEV_SYNC ? &ev->sync : &ev->name, (int)otherwise);
}

bool tev_op(const struct tev *ev, struct op_detail *d)
{
	bool seq = (ev->have & TEV_SEQ) && ev->seq >= 0;

	*d = (struct op_detail){ .shape = ID_NONE, .seq = seq ? ev->seq : -1, .backward = seq && ev->fwd_thread };
	return seq || (ev->have & TEV_SHAPE);
}

const char *tev_shape(const struct tev *ev, char **buf, size_t *cap, size_t *n)
{
	const char *s, *end;
	size_t at = 0, began = 0, keep = 0;
	unsigned depth = 0;

	if (!(ev->have & TEV_SHAPE))
		return NULL;
	if (*cap < ev->shape.n + 1) {
		*cap = 2 * ev->shape.n + 64;
		*buf = xrealloc(*buf, *cap);
	}
	end = ev->shape.s + ev->shape.n - 1;
	for (s = ev->shape.s + 1; s < end; s++) {
		if (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r')
			continue;
		if (*s == '[' && !depth++)
			began = at;
		else if (*s == ']' && !depth--)
			return NULL;
		else if (*s != '[' && *s != ']' && *s != ',' && (!depth || (*s != '-' && (unsigned char)(*s - '0') > 9)))
			return NULL;
		(*buf)[at++] = *s == ',' && !depth ? 'x' : *s;
		if (*s == ']' && !depth && at - began > 2)
			keep = at;
	}
	if (depth)
		return NULL;
	if (!keep) {
		memcpy(*buf, "[]", 2);
		keep = 2;
	}
	*n = keep;
	return *buf;
}
