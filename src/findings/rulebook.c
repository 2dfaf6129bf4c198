/* rulebook.c - reads rule files into both kinds of rules, see rulebook.h */
#include "findings/rulebook.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "findings/finding.h"

struct rulebook *rulebook_empty(void)
{
	struct rulebook *b = xcalloc(1, sizeof(*b));

	b->names = rules_empty();
	b->findings = xcalloc(1, sizeof(*b->findings));
	return b;
}

/* What is read: a file of rules about names, and what the reader made of its findings. */
struct reading {
	struct finding_rules findings;
	struct finding_reader reader;
};

static struct table_reader *reading_init(struct reading *x)
{
	*x = (struct reading){.findings = {0}};
	finding_reader_init(&x->reader, &x->findings);
	return &x->reader.t;
}

/* Adds both parts if both are sound, else none. f NULL: the file could not be read. */
static bool take(struct rulebook *b, struct rule_file *f, struct reading *x, struct err *e)
{
	bool ok = f && finding_rules_fit(b->findings, &x->findings, e) && finding_rules_link(b->findings, &x->findings, e);

	if (ok) {
		rules_take(b->names, f);
		finding_rules_prepend(b->findings, &x->findings);
	} else {
		finding_rules_fini(&x->findings);
		rule_file_free(f);
	}
	return ok;
}

bool rulebook_add_file(struct rulebook *b, const char *path, struct err *e)
{
	struct reading x;
	struct rule_file *f = rule_file_read(path, reading_init(&x), e);

	return take(b, f, &x, e);
}

bool rulebook_add_text(struct rulebook *b, const char *name, const char *text, size_t len,
		       struct err *e)
{
	struct reading x;
	struct rule_file *f = rule_file_text(name, text, len, reading_init(&x), e);

	return take(b, f, &x, e);
}

struct rulebook *rulebook_new(struct err *e)
{
	struct rulebook *b = rulebook_empty();

	for (const struct embedded_file *f = embedded_rules; f->name; f++) {
		struct reading x;
		struct rule_file *rf = rule_file_embedded(f, reading_init(&x), e);

		if (!take(b, rf, &x, e)) {
			rulebook_free(b);
			return NULL;
		}
	}
	return b;
}

void rulebook_free(struct rulebook *b)
{
	if (!b)
		return;
	finding_rules_fini(b->findings); /* its strings are in the files that names own */
	free(b->findings);
	rules_free(b->names);
	free(b);
}

size_t rulebook_count(const struct rulebook *b)
{
	return rules_count(b->names) + b->findings->n;
}

void rulebook_each(const struct rulebook *b, void (*fn)(void *arg, const struct rule_info *u),
		   void *arg)
{
	rules_each(b->names, fn, arg);
	finding_rules_each(b->findings, fn, arg);
}

bool rulebook_check(const struct rulebook *b,
		    void (*fail)(void *ctx, const struct rules_failure *f), void *ctx,
		    size_t *samples)
{
	size_t n = 0, bad;
	bool ok = rules_check(b->names, fail, ctx, &n);

	bad = finding_rules_check(b->findings, fail, ctx, &n);
	if (samples)
		*samples = n;
	return ok && !bad;
}
