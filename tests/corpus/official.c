/*
 * official.c - compares views with tables of nsys stats, cell by cell as printed, see official.h
 *
 * Rows are matched by their keys; every cell of a column that is named below must be what nsys printed, to the last digit. Rows that
 * one side has alone are differences, but for the faults of their tool:
 *
 *	calls twice	event class 67 repeats calls to carry a backtrace, and nsys counts it as calls of its own: two rows of one
 *			name. One must agree. Their percentages are of the sum with both. Launches in kernexecsum are joined with both:
 *			twice the count, the same kernel times.
 *	empty		the deviation of no queue time at all is printed as 0.0; here it is unknown
 *	nesting		nvtxgpuproj nests ranges by coordinates rounded to 32-bit floats (those of SQLite's R*Tree). Level, children
 *			and parent are compared with what this rounding makes of our ranges.
 */
#include "tests/corpus/official.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "base/vec.h"
#include "tests/corpus/csv.h"
#include "tests/corpus/sheet.h"
#include "tests/corpus/views.h"

#define MOST 6
#define N_KEYS 6
#define N_VALUES 24

/* ---- keys: both sides write one text ---- */

typedef void (*word_fn)(struct sbuf *b, const char *s);

static void word_plain(struct sbuf *b, const char *s)
{
	sbuf_puts(b, s);
}

/* cudaMalloc_v3020: their names lose the last six characters where these are _v and four more */
static void word_call(struct sbuf *b, const char *s)
{
	size_t n = strlen(s);

	sbuf_put(b, s, n > 6 && s[n - 6] == '_' && s[n - 5] == 'v' ? n - 6 : n);
}

/* "   2   66    1": ours is 2x66x1 */
static void word_xyz(struct sbuf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == ' ')
			continue;
		sbuf_putc(b, *s);
		if (s[1] == ' ')
			sbuf_putc(b, 'x');
	}
}

/* "[CUDA memcpy HtoD]", "[CUDA Unified Memory memcpy HtoD]", "[CUDA memset]" */
static void word_operation(struct sbuf *b, const char *s)
{
	const char *kind = strstr(s, "memcpy ");

	if (strstr(s, "Unified Memory"))
		sbuf_puts(b, "UVM-");
	kind = kind ? kind + 7 : strstr(s, "mem");
	sbuf_put(b, kind ? kind : s, strcspn(kind ? kind : s, "]"));
}

/* "[CUDA memcpy Device-to-Host]", as later versions call it */
static void word_new_operation(struct sbuf *b, const char *s)
{
	const char *from = strstr(s, "memcpy "), *to = from ? strstr(from, "-to-") : NULL;

	if (!to) {
		word_operation(b, s);
		return;
	}
	if (strstr(s, "Unified"))
		sbuf_puts(b, "UVM-");
	sbuf_printf(b, "%cto%c", from[7], to[4]);
}

/* Terminal tables cut names to 100 characters, the last an ellipsis. */
static void word_cut(struct sbuf *b, const char *s)
{
	if (strlen(s) <= 100)
		sbuf_puts(b, s);
	else
		sbuf_printf(b, "%.99s\xe2\x80\xa6", s);
}

static void word_cut_range(struct sbuf *b, const char *s)
{
	struct sbuf whole = { 0 };

	sbuf_printf(&whole, ":%s", s);	/* the default domain is shown */
	word_cut(b, sbuf_str(&whole));
	sbuf_fini(&whole);
}

/* "None" of rows without a range */
static void word_none(struct sbuf *b, const char *s)
{
	sbuf_puts(b, strcmp(s, "None") == 0 ? "" : s);
}

/* ---- reports ---- */

struct key {
	const char *title;	/* of their column */
	word_fn theirs;
	const char *col;	/* of our view; "domain:name" the two and a colon, where there is a domain */
	word_fn ours;
};
struct value {
	const char *title, *col;
	char format;		/* i integer, 1 one decimal, 0 the same and 0.0 for unknown, M MB of 10^6 with three, % per cent with one, t time of the file */
};
struct report {
	const char *name, *view;
	struct key keys[N_KEYS];
	struct value values[N_VALUES];
	const char *only_col, *only;	/* rows of our view: those with this text in this column */
	bool calls_twice, nested;
};

#define DURATIONS { "Avg (ns)", "avg_ns", '1' }, { "Med (ns)", "median_ns", '1' }, { "Min (ns)", "min_ns", 'i' },	\
	{ "Max (ns)", "max_ns", 'i' }, { "StdDev (ns)", "stddev_ns", '1' }
#define SUMS { "Time (%)", "share", '%' }, { "Total Time (ns)", "total_ns", 'i' }
#define CALLS SUMS, { "Num Calls", "count", 'i' }, { "Avg (ns)", "avg_ns", '1' }, { "Med (ns)", "p50_ns", '1' },		\
	{ "Min (ns)", "min_ns", 'i' }, { "Max (ns)", "max_ns", 'i' }, { "StdDev (ns)", "stddev_ns", '1' }
#define SIZES { "Total (MB)", "bytes", 'M' }, { "Count", "count", 'i' }, { "Avg (MB)", "avg_bytes", 'M' },		\
	{ "Med (MB)", "median_bytes", 'M' }, { "Min (MB)", "min_bytes", 'M' }, { "Max (MB)", "max_bytes", 'M' },	\
	{ "StdDev (MB)", "stddev_bytes", 'M' }
#define TIMES(letter, id)											\
	{ letter "Avg (ns)", id "_avg_ns", '1' }, { letter "Med (ns)", id "_median_ns", '1' },			\
	{ letter "Min (ns)", id "_min_ns", 'i' }, { letter "Max (ns)", id "_max_ns", 'i' }, { letter "StdDev (ns)", id "_stddev_ns", '0' }
#define RANGES { "Range", word_plain, "domain:name", word_plain }

static const struct report reports[] = {
	{ "gpukernsum", "kernelshapes", { { "Name", word_plain, "name", word_plain }, { "GridXYZ", word_xyz, "grid", word_plain },
		{ "BlockXYZ", word_xyz, "block", word_plain } }, { SUMS, { "Instances", "count", 'i' }, DURATIONS }, NULL, NULL, false, false },
	{ "gpumemtimesum", "memops", { { "Operation", word_operation, "operation", word_plain } },
		{ SUMS, { "Count", "count", 'i' }, DURATIONS }, NULL, NULL, false, false },
	{ "gpumemsizesum", "memops", { { "Operation", word_operation, "operation", word_plain } },
		{ SIZES }, NULL, NULL, false, false },
	{ "cudaapisum", "runtime", { { "Name", word_plain, "name", word_call } },
		{ CALLS }, NULL, NULL, true, false },
	{ "kernexecsum", "kernexec", { { "PID", word_plain, "process", word_plain }, { "TID", word_plain, "tid", word_plain },
		{ "DevId", word_plain, "device", word_plain }, { "API Name", word_plain, "call", word_call },
		{ "Kernel Name", word_plain, "kernel", word_plain } },
		{ { "Count", "count", 'i' }, { "QCount", "queued", 'i' }, TIMES("T", "total"), TIMES("A", "api"), TIMES("Q", "queue"),
		  TIMES("K", "kernel") }, NULL, NULL, true, false },
	{ "nvtxsum", "nvtxsum", { RANGES, { "Style", word_plain, "style", word_plain } },
		{ SUMS, { "Instances", "count", 'i' }, DURATIONS }, NULL, NULL, false, false },
	{ "nvtxppsum", "nvtxsum", { RANGES }, { { "Time (%)", "style_share", '%' }, { "Total Time (ns)", "total_ns", 'i' },
		{ "Instances", "count", 'i' }, DURATIONS }, "style", "PushPop", false, false },
	{ "nvtxsesum", "nvtxsum", { RANGES }, { { "Time (%)", "style_share", '%' }, { "Total Time (ns)", "total_ns", 'i' },
		{ "Instances", "count", 'i' }, DURATIONS }, "style", "StartEnd", false, false },
	{ "nvtxgpuproj", "nvtxproj", { { "Name", word_plain, "domain:name", word_plain }, { "Style", word_plain, "style", word_plain },
		{ "PID", word_plain, "process", word_plain }, { "TID", word_plain, "tid", word_plain },
		{ "Orig Duration (ns)", word_plain, "range_ns", word_plain } },
		{ { "Orig Start (ns)", "range_start_ns", 't' }, { "Projected Start (ns)", "start_ns", 't' },
		  { "Projected Duration (ns)", "proj_ns", 'i' }, { "NumGPUOps", "calls", 'i' } }, NULL, NULL, false, true },
	{ "nvtxkernsum", "nvtxkernsum", { { "NVTX Range", word_none, "domain:name", word_plain }, { "Style", word_none, "style", word_plain },
		{ "PID", word_none, "process", word_plain }, { "TID", word_none, "tid", word_plain },
		{ "Kernel Name", word_plain, "kernel", word_plain } },
		{ { "NVTX Inst", "ranges", 'i' }, { "Kern Inst", "count", 'i' }, { "Total Time (ns)", "total_ns", 'i' }, DURATIONS },
		NULL, NULL, false, false },
	/* later versions, from the text of a terminal */
	{ "cuda_gpu_kern_sum", "kernels", { { "Name", word_plain, "name", word_cut } }, { SUMS, { "Instances", "count", 'i' }, DURATIONS },
		NULL, NULL, false, false },
	{ "cuda_gpu_mem_time_sum", "memops", { { "Operation", word_new_operation, "operation", word_plain } },
		{ SUMS, { "Count", "count", 'i' }, DURATIONS }, NULL, NULL, false, false },
	{ "cuda_gpu_mem_size_sum", "memops", { { "Operation", word_new_operation, "operation", word_plain } }, { SIZES }, NULL, NULL, false,
		false },
	{ "cuda_api_sum", "runtime", { { "Name", word_plain, "name", word_call } }, { CALLS }, NULL, NULL, true, false },
	{ "nvtx_sum", "nvtxsum", { { "Range", word_plain, "name", word_cut_range }, { "Style", word_plain, "style", word_plain } },
		{ SUMS, { "Instances", "count", 'i' }, DURATIONS }, NULL, NULL, false, false },
	{ "osrtsum", "osrt", { { "Name", word_plain, "name", word_plain } }, { SUMS, { "Num Calls", "count", 'i' }, DURATIONS },
		NULL, NULL, false, false },
};

/* ---- rows ---- */

struct line {
	char *key;
	char *values;		/* tab-separated, as printed */
	bool used;
	size_t row;		/* theirs: in the CSV */
	const struct jval *json;	/* ours */
};
struct lines {
	VEC(struct line) v;
};

static int line_cmp(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;
	int c = strcmp(a->key, b->key);

	c = c ? c : strcmp(a->values, b->values);
	return c ? c : (a->row > b->row) - (a->row < b->row);
}

static void lines_fini(struct lines *l)
{
	for (size_t i = 0; i < l->v.n; i++) {
		free(l->v.a[i].key);
		free(l->v.a[i].values);
	}
	VEC_FREE(&l->v);
}

static char *take(struct sbuf *b)
{
	char *s = strdup(sbuf_str(b));

	if (!s)
		abort();
	sbuf_reset(b);
	return s;
}

/* Text of one of our cells, "" if unknown; a name that holds NUL ends there, as in their tables. */
static void cell_word(struct sbuf *b, const struct jval *row, const char *col, word_fn word)
{
	size_t n;
	const char *s = jval_text(jval_get(row, col), &n);

	if (s)
		word(b, s);
}

/* "domain:" before a range. Where a file that was cut has no name of it, ours is "domain 1", theirs none. */
static void put_domain(struct sbuf *b, const struct jval *row)
{
	size_t n;
	const char *s = jval_text(jval_get(row, "domain"), &n);

	if (!s || strncmp(s, "domain ", 7) == 0)
		return;
	sbuf_puts(b, s);
	sbuf_putc(b, ':');
}

/* Kernels without a launch have a process here, of the device's record, and none there. */
static bool no_launch(const struct report *r, const struct key *k, const struct jval *row)
{
	size_t n;

	return strcmp(r->view, "nvtxkernsum") == 0 && strcmp(k->col, "process") == 0 && !jval_text(jval_get(row, "tid"), &n);
}

static void our_key(struct sbuf *b, const struct report *r, const struct jval *row)
{
	for (int i = 0; i < N_KEYS && r->keys[i].title; i++) {
		const struct key *k = &r->keys[i];
		const char *colon = strchr(k->col, ':');

		if (i)
			sbuf_putc(b, '\t');
		if (colon)
			put_domain(b, row);
		if (!no_launch(r, k, row))
			cell_word(b, row, colon ? colon + 1 : k->col, k->ours);
	}
}

/* As SQLite's round() and printf() do it: half away from zero, seen at 15 digits. */
static void put_rounded(struct sbuf *b, double v, int digits)
{
	char text[64], *end;
	double scale = pow(10, digits);

	snprintf(text, sizeof(text), "%.15g", v * scale);
	v = strtod(text, &end);
	sbuf_printf(b, "%.*f", digits, floor(v + 0.5) / scale);
}

struct official {
	struct views *views;
	double their_total;	/* Σ of their column of totals */
	bool exact_share;	/* their sum is that of our rows */
};

static void our_value(struct sbuf *b, const struct official *o, const struct value *v, const struct jval *row)
{
	size_t n;
	const char *s = jval_text(jval_get(row, v->col), &n);

	if (!s && v->format == '0')
		sbuf_puts(b, "0.0");
	if (!s)
		return;
	switch (v->format) {
	case 'i':
		sbuf_put(b, s, n);
		break;
	case 't':
		sbuf_printf(b, "%" PRId64, sheet_int(row, v->col) + views_zero(o->views));
		break;
	case '0':
	case '1':
		put_rounded(b, strtod(s, NULL), 1);
		break;
	case 'M':
		put_rounded(b, strtod(s, NULL) / 1e6, 3);
		break;
	default:
		if (o->exact_share)
			put_rounded(b, 100 * strtod(s, NULL), 1);
		else
			put_rounded(b, 100 * (double)sheet_int(row, "total_ns") / o->their_total, 1);
	}
}

static void read_ours(struct lines *out, const struct official *o, const struct report *r)
{
	const struct jval *root = views_json(o->views, r->view, BY_NONE, "");
	struct sbuf b = { 0 };

	for (const struct jval *row = jval_first(jval_get(root, "rows")); row; row = jval_next(row)) {
		struct line line = { .json = row };
		size_t n;
		const char *only = r->only ? jval_text(jval_get(row, r->only_col), &n) : NULL;

		if (r->only && (!only || strcmp(only, r->only) != 0))
			continue;
		our_key(&b, r, row);
		line.key = take(&b);
		for (int i = 0; i < N_VALUES && r->values[i].title; i++) {
			if (i)
				sbuf_putc(&b, '\t');
			our_value(&b, o, &r->values[i], row);
		}
		line.values = take(&b);
		VEC_PUSH(&out->v, line);
	}
	sbuf_fini(&b);
	if (out->v.n)
		qsort(out->v.a, out->v.n, sizeof(*out->v.a), line_cmp);
}

static void read_theirs(struct lines *out, const struct report *r, const struct csv *csv)
{
	struct sbuf b = { 0 };

	for (size_t row = 0; row < csv->n_rows; row++) {
		struct line line = { .row = row };

		for (int i = 0; i < N_KEYS && r->keys[i].title; i++) {
			if (i)
				sbuf_putc(&b, '\t');
			r->keys[i].theirs(&b, csv_at(csv, row, csv_col(csv, r->keys[i].title)));
		}
		line.key = take(&b);
		for (int i = 0; i < N_VALUES && r->values[i].title; i++) {
			if (i)
				sbuf_putc(&b, '\t');
			word_none(&b, csv_at(csv, row, csv_col(csv, r->values[i].title)));
		}
		line.values = take(&b);
		VEC_PUSH(&out->v, line);
	}
	sbuf_fini(&b);
	if (out->v.n)
		qsort(out->v.a, out->v.n, sizeof(*out->v.a), line_cmp);
}

/* ---- comparison ---- */

static void show(const char *what, const struct line *l)
{
	printf("# %s: ", what);
	for (const char *s = l->key; *s && s < l->key + 160; s++)
		printf((unsigned char)*s < ' ' || (unsigned char)*s > 126 ? "|" : "%c", *s);
	printf(": ");
	for (const char *s = l->values; *s; s++)
		putchar(*s == '\t' ? ' ' : *s);
	putchar('\n');
}

/* Marks lines that both sides have. Sorted: a merge. */
static void match(struct lines *ours, struct lines *theirs)
{
	size_t i = 0, j = 0;

	while (i < ours->v.n && j < theirs->v.n) {
		struct line *a = &ours->v.a[i], *b = &theirs->v.a[j];
		int c = strcmp(a->key, b->key);

		c = c ? c : strcmp(a->values, b->values);
		if (!c) {
			a->used = b->used = true;
			b->json = a->json;
			a->row = b->row;
		}
		i += c <= 0;
		j += c >= 0;
	}
}

/* Another line of this key agrees. */
static bool twin_agrees(const struct lines *l, size_t i)
{
	for (size_t j = i; j-- && strcmp(l->v.a[j].key, l->v.a[i].key) == 0;)
		if (l->v.a[j].used)
			return true;
	for (size_t j = i + 1; j < l->v.n && strcmp(l->v.a[j].key, l->v.a[i].key) == 0; j++)
		if (l->v.a[j].used)
			return true;
	return false;
}

/* Field i of tab-separated values, "" behind the last. */
static const char *field(const char *values, int i, size_t *n)
{
	while (i-- && values)
		values = strchr(values, '\t') ? strchr(values, '\t') + 1 : NULL;
	*n = values ? strcspn(values, "\t") : 0;
	return values ? values : "";
}

/* A row of kernexecsum whose launches were joined twice: Count and QCount double, average to maximum of the kernels equal. */
static bool launched_twice(const struct line *a, const struct line *b)
{
	size_t n, m;

	for (int i = 0; i < 2; i++)
		if (2 * strtoll(field(a->values, i, &n), NULL, 10) != strtoll(field(b->values, i, &m), NULL, 10))
			return false;
	for (int i = 17; i < 21; i++) {
		const char *s = field(a->values, i, &n), *t = field(b->values, i, &m);

		if (!n || n != m || memcmp(s, t, n) != 0)
			return false;
	}
	return true;
}

/* Their line i has a line of ours with its key that says half. Both are then done with. */
static bool ours_is_half(struct lines *ours, const struct line *theirs)
{
	for (size_t i = 0; i < ours->v.n; i++) {
		struct line *a = &ours->v.a[i];

		if (a->used || strcmp(a->key, theirs->key) != 0 || !launched_twice(a, theirs))
			continue;
		a->used = true;
		return true;
	}
	return false;
}

struct tally {
	size_t bad, faults;
};

static void tell_rest(struct tally *t, const struct report *r, struct lines *ours, const struct lines *theirs)
{
	bool launches = strcmp(r->view, "kernexec") == 0;

	for (size_t i = 0; i < theirs->v.n; i++) {
		if (theirs->v.a[i].used)
			continue;
		if (r->calls_twice && (launches ? ours_is_half(ours, &theirs->v.a[i]) : twin_agrees(theirs, i))) {
			t->faults++;
		} else if (t->bad++ < MOST) {
			show("want", &theirs->v.a[i]);
		}
	}
	for (size_t i = 0; i < ours->v.n; i++)
		if (!ours->v.a[i].used && t->bad++ < 2 * MOST)
			show("got ", &ours->v.a[i]);
	if (t->faults)
		printf("# %s: %zu rows count calls that event class 67 repeats as calls of their own (nsys-stats.md, fault 12)\n",
			r->name, t->faults);
}

/* Rows that agree but for the deviation of an empty sample. */
static void tell_empty(struct tally *t, const struct report *r, const struct lines *ours)
{
	size_t rows = 0;

	for (size_t i = 0; i < ours->v.n && strcmp(r->view, "kernexec") == 0; i++)
		rows += ours->v.a[i].used && sheet_int(ours->v.a[i].json, "queued") == 0;
	if (rows)
		printf("# %s: %zu rows print the deviation of no queue time at all as 0.0\n", r->name, rows);
	t->faults += rows;
}

/* Their percentages are of their own sum, which may hold calls twice. */
static void read_sum(struct official *o, const struct report *r, const struct csv *csv)
{
	const struct jval *rows;
	int64_t theirs = 0, ours = 0;

	if (r->values[0].format != '%')
		return;
	for (size_t i = 0; i < csv->n_rows; i++)
		theirs += strtoll(csv_at(csv, i, csv_col(csv, "Total Time (ns)")), NULL, 10);
	rows = jval_get(views_json(o->views, r->view, BY_NONE, ""), "rows");
	for (const struct jval *row = jval_first(rows); row; row = jval_next(row)) {
		size_t n;
		const char *only = r->only ? jval_text(jval_get(row, r->only_col), &n) : NULL;

		if (!r->only || (only && strcmp(only, r->only) == 0))
			ours += sheet_int(row, "total_ns");
	}
	o->their_total = (double)theirs;
	o->exact_share = ours == theirs;
}

/* ---- nesting of projected ranges ---- */

struct proj {
	int64_t tid, pid, start, end;
	double lo, hi;		/* the same, or what an R*Tree of SQLite keeps of them */
	int64_t our_level, our_children;
	const char *id, *parent, *level, *children;	/* theirs */
	size_t nest, level_n, children_n;	/* made of the rounded coordinates; nest: index, SIZE_MAX none */
};
typedef VEC(struct proj) proj_list;

/*
 * SQLite rounds the coordinates of an R*Tree to 32-bit floats, away from the inside (https://www.sqlite.org/rtree.html, 3.1): by a
 * factor, so not always to the next one. Of two starts in one step of the floats the later may become the earlier.
 */
static float float_down(double d)
{
	float f = (float)d;

	return (double)f > d ? (float)(d * (1.0 - 1.0 / 8388608.0)) : f;
}

static float float_up(double d)
{
	float f = (float)d;

	return (double)f < d ? (float)(d * (1.0 + 1.0 / 8388608.0)) : f;
}

static int proj_cmp(const void *pa, const void *pb)
{
	const struct proj *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* The shortest range of the thread around range i: one that contains it, and whose kept coordinates contain its own. */
static void nest_one(proj_list *l, size_t i, size_t first)
{
	struct proj *c = &l->a[i];

	c->nest = SIZE_MAX;
	for (size_t j = i; j-- > first;) {
		const struct proj *p = &l->a[j];

		if (p->end < c->end || !(p->lo <= c->lo && p->hi >= c->hi))
			continue;
		if (c->nest == SIZE_MAX || p->end - p->start < l->a[c->nest].end - l->a[c->nest].start)
			c->nest = j;
	}
	if (c->nest != SIZE_MAX) {
		c->level_n = l->a[c->nest].level_n + 1;
		l->a[c->nest].children_n++;
	}
}

static void nest(proj_list *l, bool rounded)
{
	size_t first = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct proj *p = &l->a[i];

		p->lo = rounded ? (double)float_down((double)p->start) : (double)p->start;
		p->hi = rounded ? (double)float_up((double)p->end) : (double)p->end;
		p->level_n = p->children_n = 0;
		if (i && (p->tid != p[-1].tid || p->pid != p[-1].pid))
			first = i;
		nest_one(l, i, first);
	}
}

static void read_proj(proj_list *out, const struct csv *csv, const struct lines *theirs)
{
	size_t pid = csv_col(csv, "PID"), tid = csv_col(csv, "TID"), start = csv_col(csv, "Orig Start (ns)");
	size_t dur = csv_col(csv, "Orig Duration (ns)"), id = csv_col(csv, "RangeId"), parent = csv_col(csv, "ParentId");
	size_t level = csv_col(csv, "Lvl"), children = csv_col(csv, "NumChild");

	for (size_t i = 0; i < theirs->v.n; i++) {
		const struct line *l = &theirs->v.a[i];
		struct proj p = { .tid = strtoll(csv_at(csv, l->row, tid), NULL, 10), .pid = strtoll(csv_at(csv, l->row, pid), NULL, 10),
			.start = strtoll(csv_at(csv, l->row, start), NULL, 10), .id = csv_at(csv, l->row, id),
			.parent = csv_at(csv, l->row, parent), .level = csv_at(csv, l->row, level),
			.children = csv_at(csv, l->row, children) };

		p.end = p.start + strtoll(csv_at(csv, l->row, dur), NULL, 10);
		p.our_level = l->json ? sheet_int(l->json, "level") : -1;
		p.our_children = l->json ? sheet_int(l->json, "children") : -1;
		VEC_PUSH(out, p);
	}
	if (out->n)
		qsort(out->a, out->n, sizeof(*out->a), proj_cmp);
}

/* Ours: by the ranges as they are. */
static void check_ours(struct tally *t, const proj_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct proj *p = &l->a[i];

		if (p->our_level == (int64_t)p->level_n && p->our_children == (int64_t)p->children_n)
			continue;
		if (t->bad++ < MOST)
			printf("# range %s: level %" PRId64 ", %" PRId64 " children; want %zu, %zu\n", p->id, p->our_level, p->our_children,
				p->level_n, p->children_n);
	}
}

/* Theirs: what the rounding makes of them. Counts the rows that it changes. */
static void check_theirs(struct tally *t, const proj_list *l)
{
	size_t changed = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct proj *p = &l->a[i];
		const char *parent = p->nest == SIZE_MAX ? "None" : l->a[p->nest].id;
		int64_t level = strtoll(p->level, NULL, 10), children = strtoll(p->children, NULL, 10);

		changed += level != p->our_level || children != p->our_children;
		if (strcmp(parent, p->parent) == 0 && level == (int64_t)p->level_n && children == (int64_t)p->children_n)
			continue;
		if (t->bad++ < MOST)
			printf("# range %s: parent %s, level %s, %s children by nsys; rounding makes it %s, %zu, %zu\n", p->id, p->parent,
				p->level, p->children, parent, p->level_n, p->children_n);
	}
	if (changed)
		printf("# nvtxgpuproj: %zu rows have another level or number of children: nested by times rounded to 32-bit floats\n", changed);
	t->faults += changed;
}

static void compare_nesting(struct tally *t, const struct csv *csv, const struct lines *theirs)
{
	proj_list l = { 0 };

	read_proj(&l, csv, theirs);
	nest(&l, false);
	check_ours(t, &l);
	nest(&l, true);
	check_theirs(t, &l);
	VEC_FREE(&l);
}

/* ---- */

static const struct report *report_of(const char *path)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		char part[32];

		snprintf(part, sizeof(part), ".%s.csv", reports[i].name);
		if (strstr(path, part))
			return &reports[i];
	}
	return NULL;
}

static int compare_one(struct official *o, const char *path)
{
	const struct report *r = report_of(path);
	struct lines ours = { 0 }, theirs = { 0 };
	struct err e = ERR_INIT;
	struct tally t = { 0, 0 };
	struct csv csv = { 0 };

	if (!r || !csv_read(&csv, path, &e)) {
		printf("# %s: %s\n", path, r ? e.text : "no such report is known");
		csv_fini(&csv);
		return 2;
	}
	read_sum(o, r, &csv);
	read_ours(&ours, o, r);
	read_theirs(&theirs, r, &csv);
	match(&ours, &theirs);
	tell_rest(&t, r, &ours, &theirs);
	tell_empty(&t, r, &ours);
	if (r->nested)
		compare_nesting(&t, &csv, &theirs);
	printf("%s %zu %zu %zu\n", r->name, csv.n_rows, t.bad, t.faults);
	lines_fini(&ours);
	lines_fini(&theirs);
	csv_fini(&csv);
	return t.bad != 0;
}

int official_compare(const char *profile, char *const *csv, int n_csv)
{
	struct err e = ERR_INIT;
	struct official o = { .views = views_new(profile, &e) };
	int status = 0;

	if (!o.views) {
		printf("# %s\n", e.text);
		return 2;
	}
	for (int i = 0; i < n_csv; i++) {
		int s = compare_one(&o, csv[i]);

		status = s > status ? s : status;
	}
	views_free(o.views);
	return status;
}
