/*
 * expression.c - expressions over metrics, as rules of findings use them, and the sentences that are filled with them.
 *
 *	expr    sum of products: + - * / ( ), numbers with a unit (5%, 25us, 1MB, 0.3), names of metrics, and
 *		min(A, B)  max(A, B)	of the two that are known
 *		present(METRIC)  share of the steps in which it occurs     events(METRIC)  how many events made it up
 *		median(METRIC)  p90(METRIC)  of its values per step        largest(METRIC)  the largest event of it
 *		within(METRIC)  what of it lies in steps
 *		often(METRIC)  share of the steps that have at least half of the mean of all
 *		spikes(METRIC)  what steps have more of it than the median, of those with more than ten times as much
 *	cond    EXPR >= EXPR, also > <= < == !=; alternatives are joined by " or "
 *	text    ... {EXPR} ... {EXPR:FORMAT}: formats time, pct, count, bytes, rate (bytes by ns), factor; left out: by the unit of the
 *		expression (the ratio of two times is a percentage). {kernel} is the name of the costliest kernel, {kernel:regex} a
 *		pattern for it, {kernel:skip} how many that match run before it does in the second step; {METRIC:regex} and
 *		{METRIC:skip} the same for the largest kernel that a metric counts; {METRIC:op} is the op that it counts most
 *		of at once, {METRIC:call} the first call that it counts with its return code, {EXPR:calls} a number of CUDA calls.
 *
 * What is unknown makes the whole expression unknown, but for min and max.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sbuf.h"
#include "findings/finding_impl.h"
#include "model/cuda_result.h"

struct expr {
	const struct finding_rules *fr;
	const struct metrics *m;
	const char *all, *s;
	int depth;
	bool bad;
	struct err *e;
};

static void fail(struct expr *x, const char *what)
{
	if (!x->bad)
		err_set(x->e, ERR_FORMAT, "%s: \"%s\" in: %s", what, x->s, x->all);
	x->bad = true;
}

static void skip(struct expr *x)
{
	x->s += strspn(x->s, " \t");
}

static bool take(struct expr *x, char c)
{
	skip(x);
	if (*x->s != c)
		return false;
	x->s++;
	return true;
}

static struct value unknown(const char *why, const char *name)
{
	return (struct value){ .why = why, .name = name };
}

/* ---- operands ---- */

static struct value number(struct expr *x)
{
	struct value v = { .known = true, .unit = MU_FACTOR, .exact = true };
	size_t n = strspn(x->s, "0123456789."), u = strspn(x->s + n, "%abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	int64_t i;

	if (!u && num_parse_f64(x->s, n, &v.v)) {
		v.exact = false;
	} else if (num_parse_ratio(x->s, n + u, &v.v)) {
		v.unit = MU_RATIO;
		v.exact = false;
	} else if (num_parse_ns(x->s, n + u, &i)) {
		v.i = i;
		v.v = (double)i;
		v.unit = MU_NS;
	} else if (num_parse_bytes(x->s, n + u, &i)) {
		v.i = i;
		v.v = (double)i;
		v.unit = MU_BYTES;
	} else {
		fail(x, "not a number");
	}
	x->s += n + u;
	return v;
}

static struct value of_metric(const struct expr *x, uint32_t id)
{
	struct value v = { .unit = metric_unit(x->fr, id), .name = metric_name(x->fr, id) };

	if (!x->m)
		return v;
	v.known = x->m->v[id].known;
	v.why = x->m->v[id].why;
	if (x->m->counted && (id == METRIC_frames_wall || (id >= METRIC_N && x->fr->metrics[id - METRIC_N].family == FAMILY_FRAMES)))
		v.unit = MU_SAMPLES;
	v.exact = v.unit != MU_RATIO && v.unit != MU_FACTOR;
	v.i = x->m->v[id].i;
	v.v = v.exact ? (double)v.i : x->m->v[id].f;
	return v;
}

static struct value whole(const struct value *of, int64_t i)
{
	return (struct value){ .known = of->known && i != I64_UNKNOWN, .v = (double)i, .exact = true, .i = i, .unit = of->unit,
		.why = of->known ? N_("step markers") : of->why, .name = of->name };
}

/* present(M), often(M), events(M), median(M), p90(M), largest(M), spikes(M), within(M) */
static struct value of_steps(const struct expr *x, char kind, uint32_t id)
{
	struct value m = of_metric(x, id), v = m;
	double share;

	if (!x->m)
		return v;
	switch (kind) {
	case 'p':
	case 'o':
		share = kind == 'p' ? metric_presence(x->m, id) : metric_step_often(x->m, id);
		v = (struct value){ .known = m.known && !isnan(share), .v = share, .unit = MU_RATIO, .why = N_("step markers"), .name = m.name };
		return v;
	case 'e':
		v = whole(&m, x->m->v[id].events);
		v.unit = MU_COUNT;
		return v;
	case 'm':
		return whole(&m, metric_step_median(x->m, id));
	case '9':
		return whole(&m, metric_step_p90(x->m, id));
	case 'w':
		return whole(&m, metric_step_sum(x->m, id));
	case 's':
		return whole(&m, metric_step_spikes(x->m, id));
	default:
		return whole(&m, x->m->v[id].n_top ? x->m->v[id].top[0].amount : 0);
	}
}

static struct value sum(struct expr *x);

static struct value pick_of_two(struct expr *x, bool least)
{
	struct value a = sum(x), b;

	if (!take(x, ','))
		fail(x, "a comma is missing");
	b = sum(x);
	if (!a.known || !b.known)
		return a.known ? a : b;
	return (a.v < b.v) == least ? a : b;
}

static struct value call(struct expr *x, const char *name, size_t n)
{
	static const struct { const char *name; char kind; } of[] = {
		{ "present", 'p' }, { "events", 'e' }, { "median", 'm' }, { "p90", '9' }, { "largest", 'l' },
		{ "spikes", 's' }, { "often", 'o' }, { "within", 'w' },
	};
	struct value v = unknown(NULL, NULL);
	size_t i = 0, len;
	uint32_t id;

	if (n == 3 && (!memcmp(name, "min", 3) || !memcmp(name, "max", 3)))
		return pick_of_two(x, name[1] == 'i');
	while (i < sizeof(of) / sizeof(*of) && (strlen(of[i].name) != n || memcmp(of[i].name, name, n)))
		i++;
	if (i == sizeof(of) / sizeof(*of)) {
		fail(x, "no such function");
		return v;
	}
	skip(x);
	len = strspn(x->s, "abcdefghijklmnopqrstuvwxyz0123456789_");
	id = metric_find(x->fr, x->s, len);
	if (id == ID_NONE)
		fail(x, "no such metric");
	else
		v = of_steps(x, of[i].kind, id);
	x->s += len;
	return v;
}

static struct value operand(struct expr *x)
{
	struct value v = unknown(NULL, NULL);
	const char *name;
	size_t n;
	uint32_t id;

	skip(x);
	if (x->bad || ++x->depth > 32) {
		fail(x, "too deep");
		return v;
	}
	n = strspn(x->s, "abcdefghijklmnopqrstuvwxyz0123456789_");
	name = x->s;
	if (take(x, '(')) {
		v = sum(x);
		if (!take(x, ')'))
			fail(x, "a bracket is missing");
	} else if (*x->s >= '0' && *x->s <= '9') {
		v = number(x);
	} else if (n && x->s[n] == '(') {
		x->s += n + 1;
		v = call(x, name, n);
		if (!take(x, ')'))
			fail(x, "a bracket is missing");
	} else if (n) {
		id = metric_find(x->fr, name, n);
		if (id == ID_NONE)
			fail(x, "no such metric");
		else
			v = of_metric(x, id);
		x->s += n;
	} else {
		fail(x, "expected a number or a metric");
	}
	x->depth--;
	return v;
}

/* ---- operators ---- */

static struct value combine(char op, const struct value *a, const struct value *b)
{
	struct value v = { .known = true, .unit = a->unit == MU_FACTOR || a->unit == MU_RATIO ? b->unit : a->unit };

	if (!a->known || !b->known)
		return a->known ? *b : *a;
	v.exact = a->exact && b->exact && (op == '+' || op == '-');
	v.i = v.exact ? (op == '+' ? a->i + b->i : a->i - b->i) : 0;
	switch (op) {
	case '+': v.v = a->v + b->v; break;
	case '-': v.v = a->v - b->v; break;
	case '*': v.v = a->v * b->v; break;
	default:
		v.unit = a->unit == b->unit && a->unit != MU_COUNT ? MU_RATIO : b->unit == MU_COUNT || b->unit == MU_FACTOR ? a->unit : MU_FACTOR;
		v.v = a->v / b->v;
		if (b->v == 0)
			return unknown(N_("anything to divide by"), b->name);
		break;
	}
	return v;
}

static struct value product(struct expr *x)
{
	struct value a = operand(x);

	for (skip(x); !x->bad && (*x->s == '*' || *x->s == '/'); skip(x)) {
		char op = *x->s++;
		struct value b = operand(x);

		a = combine(op, &a, &b);
	}
	return a;
}

static struct value sum(struct expr *x)
{
	struct value a = product(x);

	for (skip(x); !x->bad && (*x->s == '+' || *x->s == '-'); skip(x)) {
		char op = *x->s++;
		struct value b = product(x);

		a = combine(op, &a, &b);
	}
	return a;
}

bool finding_eval(const struct finding_rules *fr, const struct metrics *m, const char *text, struct value *out, struct err *e)
{
	struct expr x = { .fr = fr, .m = m, .all = text, .s = text, .e = e };

	*out = sum(&x);
	skip(&x);
	if (!x.bad && *x.s)
		fail(&x, "not understood");
	return !x.bad;
}

uint32_t finding_first_metric(const struct finding_rules *fr, const char *text)
{
	for (size_t n; *text; text += n ? n : 1) {
		n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
		if (n && metric_find(fr, text, n) != ID_NONE)
			return metric_find(fr, text, n);
	}
	return ID_NONE;
}

/* ---- conditions ---- */

static void put_value(struct sbuf *b, const struct value *v, const char *format)
{
	char buf[NUM_TEXT_MAX];

	if (!v->known) {
		sbuf_puts(b, "?");
		return;
	}
	if (!*format)
		format = v->unit == MU_NS ? "time" : v->unit == MU_RATIO ? "pct" : v->unit == MU_BYTES ? "bytes" :
			v->unit == MU_SAMPLES || (v->unit == MU_COUNT && v->exact) ? "count" : "factor";
	if (!strcmp(format, "time"))
		num_ns(v->exact ? v->i : llround(v->v), buf);
	else if (!strcmp(format, "pct"))
		num_pct(v->v, buf);
	else if (!strcmp(format, "bytes"))
		num_bytes(v->exact ? v->i : llround(v->v), buf);
	else if (!strcmp(format, "rate"))
		num_rate(v->v, buf);
	else if (!strcmp(format, "count"))
		num_count(v->exact ? v->i : llround(v->v), buf);
	else
		num_factor(v->v, buf);
	if (v->unit == MU_SAMPLES && !strcmp(format, "count"))
		sbuf_printf(b, _("%s samples"), buf);
	else
		sbuf_puts(b, buf);
}

static bool compare(const char *op, double a, double b)
{
	if (op[1] == '=')
		return *op == '>' ? a >= b : *op == '<' ? a <= b : *op == '!' ? a != b : a == b;
	return *op == '>' ? a > b : a < b;
}

/* The first metric of the side decides what unit a bare number beside it has. */
static void tell_side(struct sbuf *told, const char *expr, const struct value *v, const char *op, const char *bound)
{
	sbuf_printf(told, "%s = ", expr);
	put_value(told, v, "");
	sbuf_printf(told, " (%s%s)", op, bound);
}

static bool holds_one(const struct finding_rules *fr, const struct metrics *m, char *text, enum truth *out, struct sbuf *told,
	const char **missing, struct err *e)
{
	char *op = text + strcspn(text, "<>=!"), *right, sign[3] = { 0 };
	struct value a, b;

	if (!*op)
		return err_set(e, ERR_FORMAT, "a condition needs one of >= > <= < == !=: %s", text);
	sign[0] = *op;
	right = op + 1;
	if (*right == '=')
		sign[1] = *right++;
	if ((sign[0] == '=' || sign[0] == '!') && !sign[1])
		return err_set(e, ERR_FORMAT, "a condition needs one of >= > <= < == !=: %s", text);
	*op = '\0';
	while (op > text && op[-1] == ' ')
		*--op = '\0';
	right += strspn(right, " ");
	text += strspn(text, " ");
	if (!finding_eval(fr, m, text, &a, e) || !finding_eval(fr, m, right, &b, e))
		return false;
	if (!a.known || !b.known) {
		*out = TRUTH_UNKNOWN;
		if (missing)
			*missing = a.known ? b.why : a.why;
		return true;
	}
	*out = compare(sign, a.v, b.v) ? TRUTH_YES : TRUTH_NO;
	if (told) {
		if (told->n)
			sbuf_puts(told, "; ");
		tell_side(told, text, &a, sign, right);
	}
	return true;
}

bool finding_holds(const struct finding_rules *fr, const struct metrics *m, const char *text, enum truth *out, struct sbuf *told,
	const char **missing, struct err *e)
{
	char *copy = xstrdup(text);
	bool ok = true;

	*out = TRUTH_NO;
	for (char *s = copy; s && ok; ) {
		char *next = strstr(s, " or ");
		enum truth one = TRUTH_NO;

		if (next) {
			*next = '\0';
			next += 4;
		}
		ok = holds_one(fr, m, s, &one, told, missing, e);
		if (one == TRUTH_YES || (one == TRUTH_UNKNOWN && *out == TRUTH_NO))
			*out = one;
		if (*out == TRUTH_YES && m)
			break;
		s = next;
	}
	free(copy);
	return ok;
}

/* ---- sentences ---- */

static void put_kernel_regex(struct sbuf *b, const char *s)
{
	size_t n;
	const char *base = kernel_base_name(s, strlen(s), &n);

	for (size_t i = 0; i < n; i++) {
		bool plain = base[i] == '_' || (base[i] >= '0' && base[i] <= '9') || ((base[i] | 0x20) >= 'a' && (base[i] | 0x20) <= 'z');

		sbuf_putc(b, plain ? base[i] : '.');
	}
}

/* name NULL: no kernel is known. Never fails. */
static bool put_kernel(const char *name, int64_t skip, const char *format, struct sbuf *out)
{
	struct sbuf regex = { 0 };

	if (!name && *format && strcmp(format, "skip") != 0)
		sbuf_puts(out, "KERNEL");
	else if (!strcmp(format, "skip"))
		sbuf_printf(out, "%lld", (long long)skip);
	else if (!strcmp(format, "regex"))
		put_kernel_regex(&regex, name);
	else
		sbuf_puts(out, name ? name : "?");
	sbuf_put(out, sbuf_str(&regex), regex.n);
	sbuf_fini(&regex);
	return true;
}

/* The largest kernel that a metric counts. */
static bool put_kernel_of(const struct finding_rules *fr, const struct metrics *m, const char *metric, const char *format, struct sbuf *out,
	struct err *e)
{
	uint32_t id = metric_find(fr, metric, strlen(metric));
	const struct metric *v = m && id != ID_NONE ? &m->v[id] : NULL;
	const struct profile *p = m ? m->k.p : NULL;
	ev_id ev = v && v->n_top && p ? v->top[0].ev : ID_NONE;
	char *name;
	size_t n;
	const char *s;

	if (id == ID_NONE)
		return err_set(e, ERR_FORMAT, "no such metric: %s", metric);
	if (ev == ID_NONE || ev < p->layer_first[LAYER_KERNEL] || ev >= p->layer_first[LAYER_KERNEL + 1])
		return put_kernel(NULL, 0, format, out);
	s = profile_str(p, p->name[ev], &n);
	name = xmemdup0(s, n);
	put_kernel(name, strcmp(format, "skip") ? 0 : metric_kernel_skip(m, p->name[ev]), format, out);
	free(name);
	return true;
}

/* The earliest of the calls that a metric counts, with its return code: "cudaDeviceSynchronize with 700 (illegal memory address)". */
static bool put_call_of(const struct finding_rules *fr, const struct metrics *m, const char *metric, struct sbuf *out, struct err *e)
{
	uint32_t id = metric_find(fr, metric, strlen(metric));
	const struct metric *v = m && id != ID_NONE ? &m->v[id] : NULL;
	const struct profile *p = m ? m->k.p : NULL;
	ev_id ev = v && v->n_top && p ? v->top[0].ev : ID_NONE;
	const char *name, *text;
	size_t n;

	if (id == ID_NONE)
		return err_set(e, ERR_FORMAT, "no such metric: %s", metric);
	if (ev == ID_NONE || ev < p->layer_first[LAYER_RUNTIME] || ev >= p->layer_first[LAYER_RUNTIME + 1]) {
		sbuf_puts(out, "?");
		return true;
	}
	name = profile_str(p, p->name[ev], &n);
	text = cuda_result_text(call_code(p->aux[ev]));
	sbuf_put(out, name, rules_runtime_base(name, n));
	sbuf_printf(out, _(" with %lld"), (long long)call_code(p->aux[ev]));
	if (text)
		sbuf_printf(out, " (%s)", _(text));
	return true;
}

/* The op that a metric counts most of at once. */
static bool put_op_of(const struct finding_rules *fr, const struct metrics *m, const char *metric, struct sbuf *out, struct err *e)
{
	uint32_t id = metric_find(fr, metric, strlen(metric));
	const struct metric *v = m && id != ID_NONE ? &m->v[id] : NULL;
	const struct profile *p = m ? m->k.p : NULL;
	ev_id ev = v && v->n_top && p ? v->top[0].ev : ID_NONE;
	size_t n;
	const char *s;

	if (id == ID_NONE)
		return err_set(e, ERR_FORMAT, "no such metric: %s", metric);
	if (ev == ID_NONE) {
		sbuf_puts(out, "?");
		return true;
	}
	s = profile_str(p, p->name[ev], &n);
	sbuf_put(out, s, rules_op_base(s, n));
	return true;
}

/* "1 CUDA call", "2 CUDA calls" */
static bool put_calls(const struct finding_rules *fr, const struct metrics *m, const char *expr, struct sbuf *out, struct err *e)
{
	struct value v;
	unsigned long n;

	if (!finding_eval(fr, m, expr, &v, e))
		return false;
	n = v.known && v.v > 0 ? (unsigned long)v.v : 0;
	sbuf_printf(out, ngettext("%lu CUDA call", "%lu CUDA calls", n), n);
	return true;
}

static bool known_format(const char *f)
{
	static const char *const words[] = { "", "time", "pct", "count", "bytes", "rate", "factor" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], f))
			return true;
	return false;
}

static bool put_place(const struct finding_rules *fr, const struct metrics *m, char *expr, struct sbuf *out, struct err *e)
{
	char *colon = strrchr(expr, ':');
	const char *format = colon ? colon + 1 : "";
	struct value v;

	if (colon)
		*colon = '\0';
	if (!strcmp(expr, "kernel"))
		return put_kernel(m ? m->top_kernel : NULL, m ? m->top_kernel_skip : 0, format, out);
	if (!strcmp(format, "call"))
		return put_call_of(fr, m, expr, out, e);
	if (!strcmp(format, "op"))
		return put_op_of(fr, m, expr, out, e);
	if (!strcmp(format, "regex") || !strcmp(format, "skip"))
		return put_kernel_of(fr, m, expr, format, out, e);
	if (!strcmp(format, "calls"))
		return put_calls(fr, m, expr, out, e);
	if (!known_format(format))
		return err_set(e, ERR_FORMAT, "no such format: %s", format);
	if (!finding_eval(fr, m, expr, &v, e))
		return false;
	put_value(out, &v, format);
	return true;
}

bool finding_fill(const struct finding_rules *fr, const struct metrics *m, const char *text, struct sbuf *out, struct err *e)
{
	bool ok = true;

	while (ok && *text) {
		size_t n = strcspn(text, "{"), len;
		char *expr;

		sbuf_put(out, text, n);
		text += n;
		if (!*text)
			break;
		len = strcspn(text, "}");
		if (text[len] != '}')
			return err_set(e, ERR_FORMAT, "a { without }: %s", text);
		expr = xmemdup0(text + 1, len - 1);
		ok = put_place(fr, m, expr, out, e);
		free(expr);
		text += len + 1;
	}
	return ok;
}
