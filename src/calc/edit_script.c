/* edit_script.c - the shortest edit script of two sequences; see edit_script.h */
#include "calc/edit_script.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

struct edit_script_side {
	const uint32_t *v;
	uint8_t *mark;		/* enum align_kind per element */
};
struct edit_script_work {
	struct edit_script_side a, b;
	int32_t *ahead, *back;	/* per diagonal x - y: how far a path from either end gets; index 0 is diagonal 0 */
	uint64_t left;		/* comparisons that may still be made */
};
/* The part of both that is looked at. */
struct edit_script_part {
	int32_t a0, a1, b0, b1;
};
/* Diagonals lo, lo + 2 ... hi that a search has reached. */
struct reach {
	int32_t lo, hi;
};

static bool same(const struct edit_script_work *w, int32_t x, int32_t y)
{
	return w->a.v[x] == w->b.v[y];
}

static bool spend(struct edit_script_work *w)
{
	if (w->left)
		w->left--;
	return w->left > 0;
}

/* One edit more: the diagonals at the border of the part stay outside. `worst` is what a diagonal beyond the reach holds. */
static void widen(struct reach *r, int32_t *v, int32_t min, int32_t max, int32_t worst)
{
	if (r->lo > min)
		v[--r->lo - 1] = worst;
	else
		r->lo++;
	if (r->hi < max)
		v[++r->hi + 1] = worst;
	else
		r->hi--;
}

/* A step of the search from the start. True: it meets the one from the end at (*x, *y). */
static bool step_ahead(struct edit_script_work *w, const struct edit_script_part *p, struct reach *f, const struct reach *b, bool odd, int32_t *x, int32_t *y)
{
	widen(f, w->ahead, p->a0 - p->b1, p->a1 - p->b0, INT32_MIN / 2);
	for (int32_t d = f->hi; d >= f->lo && spend(w); d -= 2) {
		int32_t low = w->ahead[d - 1], high = w->ahead[d + 1];

		*x = low < high ? high : low + 1;
		for (*y = *x - d; *x < p->a1 && *y < p->b1 && same(w, *x, *y) && spend(w); ++*x, ++*y)
			continue;
		w->ahead[d] = *x;
		if (odd && b->lo <= d && d <= b->hi && w->back[d] <= *x)
			return true;
	}
	return false;
}

/* The same from the end. */
static bool step_back(struct edit_script_work *w, const struct edit_script_part *p, const struct reach *f, struct reach *b, bool odd, int32_t *x, int32_t *y)
{
	widen(b, w->back, p->a0 - p->b1, p->a1 - p->b0, INT32_MAX / 2);
	for (int32_t d = b->hi; d >= b->lo && spend(w); d -= 2) {
		int32_t low = w->back[d - 1], high = w->back[d + 1];

		*x = low < high ? low : high - 1;
		for (*y = *x - d; *x > p->a0 && *y > p->b0 && same(w, *x - 1, *y - 1) && spend(w); --*x, --*y)
			continue;
		w->back[d] = *x;
		if (!odd && f->lo <= d && d <= f->hi && *x <= w->ahead[d])
			return true;
	}
	return false;
}

/* A point that the shortest script of the part passes, in its middle. False: the budget ends first. */
static bool middle(struct edit_script_work *w, const struct edit_script_part *p, int32_t *x, int32_t *y)
{
	int32_t from = p->a0 - p->b0, to = p->a1 - p->b1;
	struct reach f = { from, from }, b = { to, to };
	bool odd = (from - to) & 1;

	w->ahead[from] = p->a0;
	w->back[to] = p->a1;
	while (w->left)
		if (step_ahead(w, p, &f, &b, odd, x, y) || step_back(w, p, &f, &b, odd, x, y))
			return w->left > 0;
	return false;
}

static void mark(struct edit_script_side *s, int32_t from, int32_t to, enum align_kind kind)
{
	for (; from < to; from++)
		s->mark[from] = (uint8_t)kind;
}

/* Halves the number of edits with each level: the depth is its logarithm. */
static void compare(struct edit_script_work *w, struct edit_script_part p)
{
	int32_t x, y;

	for (; p.a0 < p.a1 && p.b0 < p.b1 && same(w, p.a0, p.b0); p.a0++)
		p.b0++;
	for (; p.a0 < p.a1 && p.b0 < p.b1 && same(w, p.a1 - 1, p.b1 - 1); p.a1--)
		p.b1--;
	if (p.a0 == p.a1 || p.b0 == p.b1) {
		mark(&w->a, p.a0, p.a1, ALIGN_CHANGED);
		mark(&w->b, p.b0, p.b1, ALIGN_CHANGED);
	} else if (middle(w, &p, &x, &y)) {
		compare(w, (struct edit_script_part){ p.a0, x, p.b0, y });
		compare(w, (struct edit_script_part){ x, p.a1, y, p.b1 });
	} else {
		mark(&w->a, p.a0, p.a1, ALIGN_OPEN);
		mark(&w->b, p.b0, p.b1, ALIGN_OPEN);
	}
}

static uint32_t count_kind(const uint8_t *mark, uint32_t n, uint32_t at, enum align_kind kind)
{
	uint32_t i = at;

	while (i < n && mark[i] == kind)
		i++;
	return i - at;
}

/* Elements that stay come in pairs; between two of them lies what changed on either side. */
static struct align_run *runs_of(const struct edit_script_work *w, uint32_t na, uint32_t nb, size_t *n)
{
	VEC(struct align_run) out = { 0 };
	uint32_t i = 0, j = 0;

	while (i < na || j < nb) {
		struct align_run r = { ALIGN_CHANGED, i, 0, j, 0 };

		if (i < na && j < nb && w->a.mark[i] == ALIGN_SAME && w->b.mark[j] == ALIGN_SAME) {
			r.kind = ALIGN_SAME;
			while (i + r.na < na && j + r.na < nb && w->a.mark[i + r.na] == ALIGN_SAME && w->b.mark[j + r.na] == ALIGN_SAME)
				r.na++;
			r.nb = r.na;
		} else {
			if ((i < na && w->a.mark[i] == ALIGN_OPEN) || (j < nb && w->b.mark[j] == ALIGN_OPEN))
				r.kind = ALIGN_OPEN;
			r.na = count_kind(w->a.mark, na, i, r.kind);
			r.nb = count_kind(w->b.mark, nb, j, r.kind);
		}
		i += r.na;
		j += r.nb;
		VEC_PUSH(&out, r);
	}
	*n = out.n;
	return out.a;
}

struct align_run *align(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb, uint64_t budget, size_t *n)
{
	size_t diagonals = (size_t)na + nb + 3;
	struct edit_script_work w = { .left = budget };
	struct align_run *runs;

	w.a = (struct edit_script_side){ a, xcalloc((size_t)na + 1, 1) };
	w.b = (struct edit_script_side){ b, xcalloc((size_t)nb + 1, 1) };
	w.ahead = xreallocarray(NULL, diagonals, 2 * sizeof(*w.ahead));
	w.back = w.ahead + diagonals + nb + 1;
	w.ahead += nb + 1;
	compare(&w, (struct edit_script_part){ 0, (int32_t)na, 0, (int32_t)nb });
	runs = runs_of(&w, na, nb, n);
	free(w.ahead - nb - 1);
	free(w.a.mark);
	free(w.b.mark);
	return runs;
}
