/*
 * offload.c - view `offload`: what parameters on the host cost in copies (definitions.md §6). Copies are measured, parameters are told
 * by facts of the run (--facts, ds_config.json, config.json); what needs a fact that nobody told is unknown, and `reason` says which.
 *
 * Per step and process (rank):
 *	shard		parameters x bytes of an element / ranks that share them: what one fetch of everything copies to the device
 *	fetches		HtoD bytes / shard: 1 is as little as possible, 2 is forward and backward, times accumulation
 *	used		shard without the experts that no token needs
 *	efficiency	used / HtoD bytes
 *	MoE fetched	HtoD bytes x share of the experts in the parameters: each parameter is fetched as often as any other
 *	MoE used	of it, experts_used / experts; where only top_k is known: what a single token needs, so at least
 *	MoE waste	fetched - used
 */
#include <string.h>

#include "base/num.h"
#include "base/sbuf.h"
#include "measure/tally.h"
#include "scope/analysis.h"

enum { C_STEPS, C_HTOD, C_DTOH, C_HTOD_NS, C_PARAMS, C_SHARD, C_FETCHES, C_USED, C_EFFICIENCY, C_MOE_FETCHED, C_MOE_USED, C_MOE_WASTE,
	C_MOE_SHARE, C_REASON, C_BY };

static const struct column_def cols[] = {
	[C_STEPS] = { "steps", N_("Steps"), UNIT_COUNT, 0, 3, N_("steps in the window") },
	[C_HTOD] = { "htod_bytes", N_("HtoD"), UNIT_BYTES, 0, 0, N_("bytes copied to the device per step, all of them") },
	[C_DTOH] = { "dtoh_bytes", N_("DtoH"), UNIT_BYTES, 0, 1, N_("bytes copied to the host per step") },
	[C_HTOD_NS] = { "htod_ns", N_("HtoD time"), UNIT_NS, 0, 2, N_("time of the copies to the device per step") },
	[C_PARAMS] = { "parameter_bytes", N_("Parameters"), UNIT_BYTES, 0, 3, N_("bytes of all parameters of the model") },
	[C_SHARD] = { "shard_bytes", N_("Shard"), UNIT_BYTES, 0, 2, N_("of them, the part of one rank: what one fetch of everything copies") },
	[C_FETCHES] = { "fetches", N_("Fetches"), UNIT_FACTOR, 0, 1, N_("HtoD by shard: how often everything is copied per step") },
	[C_USED] = { "used_bytes", N_("Used"), UNIT_BYTES, 0, 2, N_("parameter bytes that a step needs: the shard without experts that are not used") },
	[C_EFFICIENCY] = { "efficiency", N_("Efficiency"), UNIT_RATIO, COL_BAR, 0, N_("used by HtoD") },
	[C_MOE_FETCHED] = { "moe_fetched_bytes", N_("Experts fetched"), UNIT_BYTES, 0, 2, N_("part of HtoD that is parameters of experts, if all parameters are fetched equally often") },
	[C_MOE_USED] = { "moe_used_bytes", N_("Experts used"), UNIT_BYTES, 0, 2, N_("of it, the experts that are used; told by top_k alone: those that one token needs, so at least") },
	[C_MOE_WASTE] = { "moe_waste_bytes", N_("Expert waste"), UNIT_BYTES, 0, 0, N_("fetched and not used; told by top_k alone: at most") },
	[C_MOE_SHARE] = { "moe_waste", N_("Waste"), UNIT_RATIO, COL_BAR, 1, N_("waste by the experts fetched") },
	[C_REASON] = { "reason", N_("Unknown because"), UNIT_TEXT, COL_NAME, 1, N_("why a figure is unknown, or what it rests on") },
	[C_BY] = SPLIT_COL(""),
	SOURCE_COLS
};

/* ---- facts of the run ---- */

#define NAMES_MAX 8

/* The first of the keys that has a value: our own names, those of DeepSpeed and of model configurations. */
static const char *fact(const struct session *s, const char *const keys[NAMES_MAX])
{
	const char *v = NULL;

	for (int i = 0; i < NAMES_MAX && keys[i] && !v; i++)
		v = session_fact(s, keys[i]);
	return v;
}

/* A whole number from 1 on, also written 7e9; -1 unknown. */
static int64_t count_fact(const struct session *s, const char *const keys[NAMES_MAX])
{
	const char *text = fact(s, keys);
	double v;

	return text && num_parse_f64(text, strlen(text), &v) && v >= 1 && v < 9e15 && v == (double)(int64_t)v ? (int64_t)v : -1;
}

static int64_t element_bytes(const struct session *s)
{
	static const char *const keys[NAMES_MAX] = { "dtype", "torch_dtype", "parameter_dtype" };
	static const struct { const char *name; int64_t bytes; } types[] = {
		{ "bfloat16", 2 }, { "bf16", 2 }, { "float16", 2 }, { "fp16", 2 }, { "half", 2 }, { "float32", 4 }, { "fp32", 4 }, { "float", 4 },
		{ "float8", 1 }, { "fp8", 1 }, { "int8", 1 }, { "float64", 8 }, { "fp64", 8 },
	};
	static const char *const on[] = { "bf16.enabled", "fp16.enabled" };
	const char *v;

	/* DeepSpeed keeps parameters in the type that it computes in */
	for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++)
		if ((v = session_fact(s, on[i])) && !strcmp(v, "true"))
			return 2;
	v = fact(s, keys);
	for (size_t i = 0; v && i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(v, types[i].name))
			return types[i].bytes;
	return -1;
}

static int64_t bytes_of(double v)
{
	return (int64_t)(v + 0.5);
}

struct model {
	int64_t params, expert_params, bytes, experts, top_k, experts_used, shards;	/* -1 unknown */
};

static void read_model(struct model *m, const struct session *s)
{
	static const char *const params[NAMES_MAX] = { "parameters", "num_parameters", "parameter_count", "params" };
	static const char *const expert_params[NAMES_MAX] = { "expert_parameters" };
	static const char *const experts[NAMES_MAX] = { "experts", "num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts",
		"moe.num_experts" };
	static const char *const top_k[NAMES_MAX] = { "top_k", "num_experts_per_tok", "num_experts_per_token", "moe_top_k", "experts_per_token",
		"moe.top_k" };
	static const char *const used[NAMES_MAX] = { "experts_used" };
	static const char *const shards[NAMES_MAX] = { "shards", "world_size", "data_parallel_size" };

	*m = (struct model){ count_fact(s, params), count_fact(s, expert_params), element_bytes(s), count_fact(s, experts), count_fact(s, top_k),
		count_fact(s, used), count_fact(s, shards) };
	if (m->experts_used < 0)
		m->experts_used = m->top_k;
	if (m->expert_params > m->params || m->experts_used > m->experts)
		m->expert_params = m->experts_used = -1;
}

/* ---- copies ---- */

struct offload_acc {
	struct tally_row row;
	int64_t htod, dtoh;
	ns_t htod_ns;
	bool unsized;
};
struct offload_view {
	struct tally y;
	struct model model;
};

static void add(void *view, const struct selection *k, const struct track *tr, ev_id e)
{
	const struct copy_detail *cd = k->p->aux[e] < k->p->n_copies ? &k->p->copies[k->p->aux[e]] : NULL;
	bool in = cd && (cd->kind == COPY_HTOD || cd->kind == COPY_UVM_HTOD), out = cd && (cd->kind == COPY_DTOH || cd->kind == COPY_UVM_DTOH);
	struct offload_acc *a = tally_gpu(view, k, tr, e, TALLY_KEY((uint64_t)gpu_pid(k, tr, e)));

	a->unsized |= (in || out) && cd->bytes == I64_UNKNOWN;
	if (in)
		a->htod_ns += k->p->dur[e];
	if (in && cd->bytes != I64_UNKNOWN)
		a->htod += cd->bytes;
	if (out && cd->bytes != I64_UNKNOWN)
		a->dtoh += cd->bytes;
}

/* ---- rows ---- */

static void say(struct sbuf *why, const char *text)
{
	sbuf_puts(why, why->n ? "; " : "");
	sbuf_puts(why, text);
}

static void put_experts(struct table *t, uint32_t row, const struct model *m, double htod, struct sbuf *why)
{
	double fetched, used;

	if (m->experts < 0)
		return;		/* no mixture of experts that we know of */
	if (m->expert_params < 0 || m->experts_used < 0) {
		say(why, m->expert_params < 0 ? _("experts: fact expert_parameters is missing") : _("experts: fact top_k or experts_used is missing"));
		return;
	}
	fetched = htod * (double)m->expert_params / (double)m->params;
	used = fetched * (double)m->experts_used / (double)m->experts;
	table_i64(t, row, C_MOE_FETCHED, bytes_of(fetched));
	table_i64(t, row, C_MOE_USED, bytes_of(used));
	table_i64(t, row, C_MOE_WASTE, bytes_of(fetched) - bytes_of(used));
	table_f64(t, row, C_MOE_SHARE, 1 - (double)m->experts_used / (double)m->experts);
}

/* htod: bytes per step, < 0 unknown */
static void put_model(struct table *t, uint32_t row, const struct model *m, double htod, struct sbuf *why)
{
	double all = (double)m->params * (double)m->bytes, shard, used;

	if (m->params < 0 || m->bytes < 0) {
		say(why, m->params < 0 ? _("fact parameters is missing") : _("fact dtype is missing"));
		return;
	}
	table_i64(t, row, C_PARAMS, (int64_t)all);
	if (m->shards < 0) {
		say(why, _("fact shards (ranks that share the parameters) is missing, and the source has no world size"));
		return;
	}
	shard = all / (double)m->shards;
	table_i64(t, row, C_SHARD, bytes_of(shard));
	if (htod < 0)
		return;
	table_f64(t, row, C_FETCHES, htod / shard);
	put_experts(t, row, m, htod, why);
	used = shard;
	if (m->experts >= 0 && (m->expert_params < 0 || m->experts_used < 0))
		return;
	if (m->experts >= 0)
		used -= shard * (double)m->expert_params / (double)m->params * (1 - (double)m->experts_used / (double)m->experts);
	table_i64(t, row, C_USED, bytes_of(used));
	if (htod > 0)
		table_f64(t, row, C_EFFICIENCY, used / htod);
}

/* Ranks of the run: any source of the same capture may say. */
static int64_t world_of(const struct selection *k)
{
	const struct session *s = k->cx->session;

	for (uint32_t i = 0; i < s->n_sources && k->p->world <= 0; i++)
		if (s->sources[i].profile && s->sources[i].clock_group == k->src->clock_group && s->sources[i].profile->world > 0)
			return s->sources[i].profile->world;
	return k->p->world;
}

static void put(void *view, struct table *t, uint32_t row, void *acc)
{
	const struct offload_view *v = view;
	const struct offload_acc *a = acc;
	const struct selection *k = tally_source(&v->y, &a->row);
	uint32_t steps = k->sc->by == BY_STEP ? a->row.by != SPLIT_NONE : selection_n_steps(k);
	struct model m = v->model;
	struct sbuf why = { 0 };
	double htod = -1;

	if (m.shards < 0 && world_of(k) > 0)
		m.shards = world_of(k);
	if (a->unsized) {
		say(&why, _("the source does not say how large some copies are"));
	} else if (!steps) {
		say(&why, _("no steps"));
	} else {
		htod = (double)a->htod / steps;
		table_i64(t, row, C_HTOD, (a->htod + steps / 2) / steps);
		table_i64(t, row, C_DTOH, (a->dtoh + steps / 2) / steps);
	}
	if (steps) {
		table_i64(t, row, C_STEPS, steps);
		table_i64(t, row, C_HTOD_NS, (a->htod_ns + steps / 2) / steps);
	}
	put_model(t, row, &m, htod, &why);
	if (why.n)
		table_str(t, row, C_REASON, why.s, why.n);
	sbuf_fini(&why);
}

static int acc_cmp(const void *pa, const void *pb)
{
	const struct tally_row *a = pa, *b = pb;

	return a->source == b->source && a->pid != b->pid ? tally_cmp_down(b->pid, a->pid) : tally_cmp_place(a, b);
}

static const struct tally_view how = {
	.kind = NEED_GPU, .none = NO_GPU_WORK, .layers = 1U << LAYER_MEMCPY, .add = add, .apart = true,
	.row_size = sizeof(struct offload_acc), .cmp = acc_cmp, .put = put,
};

static bool run(const struct an_ctx *cx, const struct scope *sc, struct table *t, struct err *e)
{
	struct offload_view v = { .y.how = &how };
	const struct model *m = &v.model;
	bool ok;

	read_model(&v.model, cx->session);
	ok = tally_run(&v.y, cx, sc, t, e);
	if (m->experts >= 0 && m->experts_used >= 0 && m->experts_used == m->top_k)
		table_note(t, _("experts used are those that one token needs (top_k): more tokens may use more; the fact experts_used says how many"));
	return ok;
}

const struct analysis an_offload = {
	.id = "offload", .title = N_("Offload"), .doc = N_("copies to the device per step against the parameters that a step needs; waste by experts that nobody uses"),
	.cols = cols, .n_cols = N_COLS(cols), .run = run,
};
