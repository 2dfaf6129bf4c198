/* What pyinstrument 5.x would have written of the same run: the main thread's Python frames,
 * sampled, as its JSON renderer prints them; and ds_config.json.  Sample times are whole
 * microseconds, so nothing is lost in print. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#define INTERVAL_US 250

struct node {
	const char *func, *file;
	int line, parent, first, last, next; /* children as a list */
	int64_t us, self_us;
};

struct tree {
	struct node *v;
	size_t n, cap;
	int64_t samples, total_us;
};

static int child(struct tree *t, int parent, const struct ev *e)
{
	struct node *n;
	int c;

	for (c = t->v[parent].first; c >= 0; c = t->v[c].next)
		if (t->v[c].line == e->line && strcmp(t->v[c].func, e->alt) == 0 &&
			strcmp(t->v[c].file, e->file) == 0)
			return c;
	t->v = gen_grow(t->v, t->n, &t->cap, sizeof(*t->v));
	c = (int)t->n++;
	n = &t->v[c];
	*n = (struct node){ e->alt, e->file, e->line, parent, -1, -1, -1, 0, 0 };
	if (t->v[parent].last >= 0)
		t->v[t->v[parent].last].next = c;
	else
		t->v[parent].first = c;
	t->v[parent].last = c;
	return c;
}

/* The time since the last sample goes to the frames that are active now. */
static void sample(struct tree *t, const struct run *r, const int *stack, int depth, int64_t us)
{
	int at = 0;

	for (int i = 0; i < depth; i++) {
		const struct ev *e = &r->pys.v[stack[i]];

		if (e->kind == PY_MODULE)
			continue;
		at = child(t, at, e);
		t->v[at].us += us;
	}
	t->v[at].self_us += us;
	t->samples++;
	t->total_us += us;
}

static void sample_all(struct tree *t, struct run *r)
{
	ns_t first = r->pys.v[0].start, last = r->pys.v[0].end, now = first, step_us;
	int stack[GEN_MAX_DEPTH], depth = 0;
	size_t next = 0;

	while ((step_us = INTERVAL_US + (ns_t)run_random(r, 14), now + step_us * 1000 < last)) {
		now += step_us * 1000;
		while (next < r->pys.n && r->pys.v[next].start <= now) {
			const struct ev *e = &r->pys.v[next];

			if (e->thread == TH_MAIN) {
				while (depth > 0 && r->pys.v[stack[depth - 1]].end <= e->start)
					depth--;
				stack[depth++] = (int)next;
			}
			next++;
		}
		while (depth > 0 && r->pys.v[stack[depth - 1]].end <= now)
			depth--;
		sample(t, r, stack, depth, step_us);
	}
}

static void put_seconds(FILE *f, int64_t us)
{
	fprintf(f, "%lld.%06lld", (long long)(us / 1000000), (long long)(us % 1000000));
}

static bool application(const struct node *n)
{
	return n->file[0] != '<' && strncmp(n->file, "torch/", 6) != 0 &&
		strncmp(n->file, "deepspeed/", 10) != 0;
}

static void put_frame(FILE *f, const char *func, const char *shown, const char *file, int line,
	int64_t us, bool own)
{
	fputs("{\"function\": ", f);
	json_string(f, func);
	fputs(",\"file_path_short\": ", f);
	json_string(f, shown);
	fputs(",\"file_path\": ", f);
	json_string(f, file);
	fprintf(f, ",\"line_no\": %d,\"time\": ", line);
	put_seconds(f, us);
	fprintf(f, ",\"await_time\": 0.000000,\"is_application_code\": %s,\"children\": [",
		own ? "true" : "false");
}

/* Children largest first; the [self] pseudo-frame takes its place among them where there are other
 * children. */
static void put_node(FILE *f, const struct tree *t, int at)
{
	const struct node *n = &t->v[at];
	bool self_done = n->first < 0 || n->self_us == 0, comma = false;
	int64_t below = INT64_MAX;
	int last = -1;

	put_frame(f, n->func, n->file, n->file, n->line, n->us, application(n));
	for (;;) {
		int best = -1;

		for (int c = n->first; c >= 0; c = t->v[c].next)
			if ((t->v[c].us < below || (t->v[c].us == below && c > last)) &&
				(best < 0 || t->v[c].us > t->v[best].us))
				best = c;
		if (!self_done && (best < 0 || n->self_us >= t->v[best].us)) {
			fputs(comma ? "," : "", f);
			put_frame(f, "[self]", n->file, "", 0, n->self_us, application(n));
			fputs("]}", f);
			self_done = comma = true;
		}
		if (best < 0)
			break;
		fputs(comma ? "," : "", f);
		put_node(f, t, best);
		comma = true;
		below = t->v[best].us;
		last = best;
	}
	fputs("]}", f);
}

static bool same_frame(const struct node *a, const struct node *b)
{
	return a->line == b->line && strcmp(a->func, b->func) == 0 && strcmp(a->file, b->file) == 0;
}

static bool recursive(const struct tree *t, size_t at)
{
	for (int p = t->v[at].parent; p > 0; p = t->v[p].parent)
		if (same_frame(&t->v[p], &t->v[at]))
			return true;
	return false;
}

static bool seen_before(const struct tree *t, size_t at)
{
	for (size_t i = 1; i < at; i++)
		if (same_frame(&t->v[i], &t->v[at]))
			return true;
	return false;
}

/* Inclusive time counts a recursive frame once. */
static void truth_frames(FILE *f, const struct tree *t)
{
	fprintf(f,
		" \"pyinstrument\": {\"samples\": %lld, \"total_ns\": %lld, \"nodes\": %zu,\n  "
		"\"frames\": [",
		(long long)t->samples, (long long)t->v[t->v[0].first].us * 1000, t->n - 1);
	for (size_t i = 1; i < t->n; i++) {
		const struct node *n = &t->v[i];
		int64_t total = 0, self = 0;
		int nodes = 0;

		if (seen_before(t, i))
			continue;
		for (size_t j = i; j < t->n; j++) {
			if (!same_frame(n, &t->v[j]))
				continue;
			nodes++;
			self += t->v[j].self_us;
			if (!recursive(t, j))
				total += t->v[j].us;
		}
		fprintf(f, "%s\n   {\"function\": ", i > 1 ? "," : "");
		json_string(f, n->func);
		fputs(", \"file\": ", f);
		json_string(f, n->file);
		fprintf(f, ", \"line\": %d, \"nodes\": %d, \"total_ns\": %lld, \"self_ns\": %lld}",
			n->line, nodes, (long long)total * 1000, (long long)self * 1000);
	}
	fputs("\n  ]}", f);
}

void write_pyinstrument(struct run *r, const char *path, FILE *truth)
{
	struct tree t = { 0 };
	int64_t start_us = (GEN_UTC_EPOCH_NS + r->pys.v[0].start) / 1000;
	FILE *f = gen_create(path);

	t.v = gen_grow(NULL, 0, &t.cap, sizeof(*t.v));
	t.v[t.n++] = (struct node){ "", "", 0, -1, -1, -1, -1, 0, 0 };
	sample_all(&t, r);
	fputs("{\"start_time\": ", f);
	put_seconds(f, start_us);
	fputs(",\"duration\": ", f);
	put_seconds(f, (r->pys.v[0].end - r->pys.v[0].start) / 1000);
	fprintf(f,
		",\"sample_count\": %lld,\"target_description\": \"Program: train.py --deepspeed "
		"ds_config.json\",\"cpu_time\": ",
		(long long)t.samples);
	put_seconds(f, t.total_us * 9 / 10);
	fputs(",\"root_frame\": ", f);
	put_node(f, &t, t.v[0].first);
	fputs("}\n", f);
	gen_close(f, path);
	if (truth)
		truth_frames(truth, &t);
	free(t.v);
}

void write_ds_config(const char *path)
{
	FILE *f = gen_create(path);

	fputs("{\n  \"train_batch_size\": 64,\n  \"train_micro_batch_size_per_gpu\": 4,\n"
	      "  \"gradient_accumulation_steps\": 2,\n  \"gradient_clipping\": 1.0,\n  \"bf16\": "
	      "{\"enabled\": true},\n"
	      "  \"zero_optimization\": {\n    \"stage\": 3,\n    \"overlap_comm\": true,\n"
	      "    \"offload_param\": {\"device\": \"cpu\", \"pin_memory\": true},\n"
	      "    \"offload_optimizer\": {\"device\": \"cpu\", \"pin_memory\": true},\n"
	      "    \"stage3_prefetch_bucket_size\": 16777216,\n    \"stage3_max_live_parameters\": "
	      "100000000,\n"
	      "    \"stage3_param_persistence_threshold\": 0\n  },\n"
	      "  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 0.0003, "
	      "\"weight_decay\": 0.1}}\n}\n",
		f);
	gen_close(f, path);
}
