/* order.c - a merge sort over the stretches that are in order, see order.h */
#include "model/order.h"

#include "base/search.h"

#include <string.h>

struct ordering {
	struct raw_event *ev;
	const uint32_t *at;		/* where the stretches begin, but for the first, and where the last one ends */
	VEC(struct raw_event) left;
};

/* The first of [lo, hi), which are in order, that does not belong before e, or with `equal` the first that belongs behind it. */
static size_t first_behind(const struct raw_event *ev, size_t lo, size_t hi, const struct raw_event *e, bool equal)
{
	size_t i;

	LOWER_BOUND(i, lo, hi, equal ? !raw_before(e, &ev[i]) : raw_before(&ev[i], e));
	return i;
}

/* Of [lo, mid) and [mid, hi) only those move that do not stand in their place already. */
static void merge(struct ordering *o, size_t lo, size_t mid, size_t hi)
{
	struct raw_event *ev = o->ev, *left, *left_end;
	size_t right = mid;

	lo = first_behind(ev, lo, mid, &ev[mid], true);
	if (lo == mid)
		return;
	hi = first_behind(ev, mid, hi, &ev[mid - 1], false);
	VEC_RESERVE(&o->left, mid - lo);
	left = o->left.a;
	left_end = left + (mid - lo);
	memcpy(left, ev + lo, (mid - lo) * sizeof(*ev));
	while (left < left_end && right < hi)
		ev[lo++] = raw_before(&ev[right], left) ? ev[right++] : *left++;
	memcpy(ev + lo, left, (size_t)(left_end - left) * sizeof(*ev));
}

static size_t begin(const struct ordering *o, size_t stretch)
{
	return stretch ? o->at[stretch - 1] : 0;
}

static void order_stretches(struct ordering *o, size_t first, size_t end)
{
	size_t mid = first + (end - first) / 2;

	if (end - first < 2)
		return;
	order_stretches(o, first, mid);
	order_stretches(o, mid, end);
	merge(o, begin(o, first), begin(o, mid), begin(o, end));
}

void raw_order(struct raw_track *r)
{
	struct ordering o = { .ev = r->ev.a };
	size_t stretches = r->breaks.n + 1;

	if (!r->breaks.n)
		return;
	VEC_PUSH(&r->breaks, (uint32_t)r->ev.n);
	o.at = r->breaks.a;
	order_stretches(&o, 0, stretches);
	VEC_FREE(&o.left);
	VEC_FREE(&r->breaks);
}
