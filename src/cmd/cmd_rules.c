/* cmd_rules.c - profdive check-rules [FILE...]: every rule against its samples */
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "findings/rulebook.h"

static void tell_failure(void *ctx, const struct rules_failure *f)
{
	size_t *failures = ctx;
	struct sbuf sample = { 0 };

	(*failures)++;
	text_put(&sample, f->sample, f->sample_len, 200, TEXT_CUT_MIDDLE);
	if (f->is_not)
		msg_line(_("%s:%d: \"%s\" must not be won by %s"), f->file, f->line, sbuf_str(&sample), f->rule_id);
	else
		msg_line(_("%s:%d: \"%s\" is won by %s, not by %s"), f->file, f->line, sbuf_str(&sample),
			 *f->got ? f->got : _("no rule"), f->rule_id);
	sbuf_fini(&sample);
}

int cmd_rules(struct invocation *in)
{
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);
	size_t samples = 0, failures = 0;
	bool ok;

	if (!r)
		return msg_fail(NULL, &e);
	for (size_t i = 0; i < in->n_args; i++) {
		if (rulebook_add_file(r, in->args[i], &e))
			continue;
		rulebook_free(r);
		return msg_fail(in->args[i], &e);
	}
	ok = rulebook_check(r, tell_failure, &failures, &samples);
	printf(_("%zu rules, %zu samples, %zu failed\n"), rulebook_count(r), samples, failures);
	rulebook_free(r);
	return ok ? EXIT_DONE : EXIT_DAMAGED;
}
