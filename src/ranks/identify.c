/* identify.c - which source is which rank: by the file, else by its name; see ranks_impl.h */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/sbuf.h"
#include "base/vec.h"
#include "ranks/ranks_impl.h"

const char *rank_evidence_name(enum rank_evidence by)
{
	static const char *const names[] = { "file", "file name" };

	return names[by];
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The number behind a word in s[0..n): "rank0", "rank_12", "rank-3"; -1 none. The rank within a host says nothing. */
static int64_t number_behind(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len < n; i++) {
		size_t at = i + len;
		int64_t v = 0;

		if (strncmp(s + i, word, len) != 0 || (i && is_letter(s[i - 1])))
			continue;
		if (i >= 6 && !strncmp(s + i - 6, "local", 5))
			continue;
		if (strchr("_-.=", s[at]) && s[at])
			at++;
		if (at >= n || !is_digit(s[at]))
			continue;
		for (; at < n && is_digit(s[at]) && v < INT64_C(1) << 31; at++)
			v = 10 * v + s[at] - '0';
		return v < INT64_C(1) << 31 ? v : -1;
	}
	return -1;
}

/* The name of the file says it, else that of its folder. */
static int64_t rank_of_path(const char *path)
{
	static const char *const words[] = { "rank", "worker" };
	const char *end = path + strlen(path);

	for (unsigned part = 0; part < 2 && end > path; part++) {
		const char *begin = end;

		while (begin > path && begin[-1] != '/')
			begin--;
		for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++) {
			int64_t v = number_behind(begin, (size_t)(end - begin), words[w]);

			if (v >= 0)
				return v;
		}
		end = begin > path ? begin - 1 : path;
	}
	return -1;
}

static int by_rank(const void *pa, const void *pb)
{
	const struct rank_source *a = pa, *b = pb;

	return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->pick > b->pick) - (a->pick < b->pick);
}

/* Whether two files claim one rank, or speak of runs of two sizes. */
static bool contradict(struct rank_run *r, struct table *t)
{
	for (uint32_t i = 1; i < r->n_ranks; i++)
		if (r->ranks[i].rank == r->ranks[i - 1].rank) {
			table_note(t, _("%s and %s both are rank %" PRId64 ": they are not one run (open the files of one run alone)"),
				rank_pick(r, i - 1)->src->path, rank_pick(r, i)->src->path, r->ranks[i].rank);
			return true;
		}
	for (uint32_t i = 0; i < r->n_ranks; i++) {
		int64_t world = rank_pick(r, i)->p->world;

		if (world > 0 && r->world > 0 && world != r->world) {
			table_note(t, _("%s is of a run of %" PRId64 " ranks, and others are of one of %" PRId64 ": they are not one run"),
				rank_pick(r, i)->src->path, world, r->world);
			return true;
		}
		r->world = world > 0 ? world : r->world;
	}
	return false;
}

static void add_range(struct sbuf *s, int64_t from, int64_t to)
{
	if (from > to)
		return;
	sbuf_printf(s, s->n ? ", %" PRId64 : "%" PRId64, from);
	if (to > from)
		sbuf_printf(s, "-%" PRId64, to);
}

/* Names the ranks of the world that are not open, neighbours as ranges. */
static void say_missing(struct rank_run *r, struct table *t)
{
	struct sbuf s = { 0 };
	int64_t next = 0;

	if (r->world <= (int64_t)r->n_ranks)
		return;
	for (uint32_t i = 0; i < r->n_ranks && r->ranks[i].rank < r->world; i++) {
		add_range(&s, next, r->ranks[i].rank - 1);
		next = r->ranks[i].rank + 1;
	}
	add_range(&s, next, r->world - 1);
	r->missing = (uint32_t)(r->world - r->n_ranks);
	table_note(t, _("%" PRIu32 " of %" PRId64 " ranks are open: who comes last among them may have waited for one that is not (%s)"),
		r->n_ranks, r->world, sbuf_str(&s));
	sbuf_fini(&s);
}

bool ranks_identify(struct rank_run *r, struct table *t)
{
	VEC(struct rank_source) v = { 0 };

	r->world = -1;
	for (uint32_t i = 0; i < r->ps.n; i++) {
		const struct selection *k = &r->ps.a[i];
		int64_t told = k->p->rank, rank = told >= 0 ? told : rank_of_path(k->src->path);

		if (rank >= 0)
			VEC_PUSH(&v, (struct rank_source){ .rank = rank, .pick = i, .by = told >= 0 ? RANK_BY_CONTENT : RANK_BY_FILE_NAME });
		else
			table_note(t, _("%s does not say its rank, and its name does not either: left out"), k->src->path);
	}
	r->ranks = v.a;
	r->n_ranks = (uint32_t)v.n;
	if (v.n < 2) {
		table_note(t, _("fewer than two ranks are open: how much of the communication is waiting for others is unknown (open all ranks)"));
		r->n_ranks = 0;
		return false;
	}
	qsort(v.a, v.n, sizeof(*v.a), by_rank);
	for (uint32_t i = 0; i < r->n_ranks; i++)
		r->ranks[i].clock.reference = i;
	if (contradict(r, t)) {
		r->n_ranks = 0;
		return false;
	}
	say_missing(r, t);
	return true;
}
