/*
 * test_rules_gold.c - the built-in rules against tables of names that were labelled by hand, which
 * are not part of the tree: kernels.tsv, ops.tsv, frames.tsv, runtime_api.tsv in $PROFDIVE_DOMAIN, or
 * beside the corpus. Skipped where they are absent. The floors keep an edit of a rule from breaking
 * others.
 */
#include "base/err.h"
#include "rules/rules.h"
#include "tests/lib/tap.h"

enum {
	COLUMNS = 9
};

struct row {
	char *c[COLUMNS];
};

struct score {
	int rows, good[4], of[4]; /* of 0: all rows */
};

static struct rules *rules;

static bool open_table(const char *name, FILE **f)
{
	static const char *const beside[] = {"../shared/domain", "../../shared/domain"};
	const char *dir = getenv("PROFDIVE_DOMAIN"), *corpus = getenv("PROFDIVE_CORPUS");
	char path[4096];

	*f = NULL;
	for (size_t i = 0; i < 4 && !*f; i++) {
		if (i == 0 && dir)
			snprintf(path, sizeof(path), "%s/%s", dir, name);
		else if (i == 1 && corpus)
			snprintf(path, sizeof(path), "%s/../domain/%s", corpus, name);
		else if (i >= 2)
			snprintf(path, sizeof(path), "%s/%s", beside[i - 2], name);
		else
			continue;
		*f = fopen(path, "r");
	}
	return *f != NULL;
}

static void split(char *line, struct row *r)
{
	for (int i = 0; i < COLUMNS; i++) {
		char *tab = line + strcspn(line, "\t\n");

		r->c[i] = line;
		line = *tab == '\t' ? tab + 1 : tab;
		*tab = '\0';
	}
}

static struct score measure(const char *name, void (*judge)(const struct row *r, struct score *s))
{
	struct score s = {0, {0, 0, 0, 0}, {0, 0, 0, 0}};
	char *line = NULL;
	size_t cap = 0;
	struct row r;
	FILE *f;

	if (!open_table(name, &f)) {
		pass("%s # SKIP the table is not here", name);
		return s;
	}
	if (getline(&line, &cap, f) > 0) {
		while (getline(&line, &cap, f) > 0) {
			split(line, &r);
			s.rows++;
			judge(&r, &s);
		}
	}
	free(line);
	fclose(f);
	return s;
}

static void floor_of(const struct score *s, int which, int permille, const char *what)
{
	int of = s->of[which] ? s->of[which] : s->rows;

	if (s->rows)
		ok(s->good[which] * 1000LL >= (long long)permille * of, "%s: %d of %d", what, s->good[which], of);
}

/* class; no confident class where the label is another; tensor core */
static void judge_kernel(const struct row *r, struct score *s)
{
	struct kernel_class k;
	int tensor = r->c[5][0] == 'y' ? 1 : r->c[5][0] == 'n' ? 0 : -1;
	bool right;

	rules_kernel(rules, r->c[0], strlen(r->c[0]), &k);
	right = strcmp(kclass_name(k.class), r->c[1]) == 0;
	s->good[0] += right;
	s->good[1] += right || k.class == KCLASS_UNRESOLVED || k.class == KCLASS_UNCLASSIFIED;
	s->good[2] += k.tensor_core == tensor;
	if (r->c[3][0] != '-' && r->c[3][0]) {
		s->of[3]++;
		s->good[3] += k.layout && strcmp(k.layout, r->c[3]) == 0;
	}
}

static bool same_level2(const char *got, const char *want)
{
	/* the table writes # for a run of digits */
	while (*got && *want) {
		if (*want == '#') {
			got += strspn(got, "0123456789#");
			want++;
			continue;
		}
		if (*got++ != *want++)
			return false;
	}
	return *got == *want;
}

static void judge_op(const struct row *r, struct score *s)
{
	struct host_class h;
	char level2[1024];

	rules_op(rules, r->c[0], strlen(r->c[0]), &h);
	rules_level2(h.level2, r->c[0], strlen(r->c[0]), level2, sizeof(level2));
	s->good[0] += strcmp(r->c[2], "-") == 0 || strcmp(r->c[2], h.level1) == 0;
	s->good[1] += same_level2(level2, r->c[3]);
	s->good[2] += r->c[5][0] != 'y' || h.sync;
}

/* The label's word for a phase; "fwd/bwd" and "ctx" are those of the context, "init" and none are no phase of a step. */
static bool same_phase(const char *label, const char *got)
{
	static const char *const words[][2] = {
		{"fwd", "forward"}, {"bwd", "backward"}, {"bwd", "recompute"}, {"opt", "optimizer"}};

	for (size_t i = 0; got && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(label, words[i][0]) && !strcmp(got, words[i][1]))
			return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(label, words[i][0]))
			return false;
	return !got || !strcmp(got, "other") || !strcmp(got, "dataload") || strchr(label, '/');
}

static void judge_frame(const struct row *r, struct score *s)
{
	char path[512];
	struct host_class h;

	/* a folder stands for any file in it */
	snprintf(path, sizeof(path), "%s%s", r->c[1],
		 r->c[1][strlen(r->c[1]) - 1] == '/' ? "x.py" : "");
	rules_frame(rules, path, strlen(path), r->c[2], strlen(r->c[2]), &h);
	s->good[0] += strcmp(r->c[3], h.level1) == 0;
	s->good[1] += strcmp(r->c[4], h.level2) == 0;
	s->good[2] += h.library && strcmp(r->c[0], h.library) == 0;
	s->good[3] += same_phase(r->c[5], h.phase);
	if (!same_phase(r->c[5], h.phase))
		diag("phase of %s:%s: %s, labelled %s", r->c[1], r->c[2], h.phase ? h.phase : "none", r->c[5]);
}

static void judge_runtime(const struct row *r, struct score *s)
{
	size_t len = strlen(r->c[0]), base = rules_runtime_base(r->c[0], len);
	struct runtime_class c;

	rules_runtime_class(rules, r->c[0], len, &c);
	s->good[0] += strcmp(r->c[4], c.level1) == 0;
	s->good[1] += strcmp(r->c[2], c.category) == 0 && (r->c[3][0] == 'y') == c.blocks;
	s->good[2] += base == strlen(r->c[1]) && memcmp(r->c[0], r->c[1], base) == 0;
}

int main(void)
{
	struct err e = ERR_INIT;
	struct score s;

	rules = rules_new(&e);
	if (!ok(rules != NULL, "the built-in rules load: %s", e.text))
		return done_testing();
	s = measure("kernels.tsv", judge_kernel);
	floor_of(&s, 0, 985, "kernel class");
	floor_of(&s, 1, 998, "kernel class right or not claimed");
	floor_of(&s, 2, 980, "tensor core");
	floor_of(&s, 3, 970, "layout where given");
	s = measure("ops.tsv", judge_op);
	floor_of(&s, 0, 990, "op level 1");
	floor_of(&s, 1, 970, "op level 2");
	floor_of(&s, 2, 995, "op waits");
	s = measure("frames.tsv", judge_frame);
	floor_of(&s, 0, 995, "frame level 1");
	floor_of(&s, 1, 990, "frame level 2");
	floor_of(&s, 2, 990, "frame library");
	floor_of(&s, 3, 990, "frame phase");
	s = measure("runtime_api.tsv", judge_runtime);
	floor_of(&s, 0, 995, "runtime level 1");
	floor_of(&s, 1, 990, "runtime category");
	floor_of(&s, 2, 1000, "runtime base name");
	rules_free(rules);
	return done_testing();
}
