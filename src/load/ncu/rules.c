/*
 * rules.c - what the rules of a report advise; see report.h
 *
 * A rule: 1 identifier, 3 body {1 items}, 4 section. An item is one of: 1 message {1 text, 2 type, 4 title}, 8 focus metric {2 name},
 * 10 speedup {1 kind, 2 percent}; the last two belong to the message before them. A rule without messages had nothing to say.
 */
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "load/ncu/report.h"

enum { RULE_ID = 1, RULE_BODY = 3, RULE_SECTION = 4 };
enum { ITEM_MESSAGE = 1, ITEM_FOCUS = 8, ITEM_SPEEDUP = 10 };

/* ---- the text: "@section:Occupancy:Occupancy@" is a link that shows its last word ----------- */

/* The marked text at `at`, behind its '@': how long it is up to the closing '@', and what is shown of it. 0: it is none. */
static size_t markup(const char *at, size_t n, const char **show, size_t *shown)
{
	static const char *const kinds[] = { "section:", "url:", "metric:" };
	const char *end = memchr(at, '@', n), *colon;
	size_t k, len;

	for (k = 0; k < 3 && !text_starts(at, n, kinds[k]); k++)
		;
	if (k == 3 || !end || memchr(at, '\n', (size_t)(end - at)))
		return 0;
	*show = at + strlen(kinds[k]);
	len = (size_t)(end - *show);
	colon = memchr(*show, ':', len);
	if (colon && k == 1) {
		len = (size_t)(colon - *show);	/* the address follows */
	} else if (colon) {
		len -= (size_t)(colon + 1 - *show);
		*show = colon + 1;
	}
	*shown = len;
	return (size_t)(end - at);
}

static str_id plain_text(const struct report *r, struct msg in)
{
	const char *s = (const char *)in.p, *end = (const char *)in.end, *show;
	struct sbuf out = { 0 };
	size_t len, shown;
	str_id id;

	while (s < end) {
		len = *s == '@' ? markup(s + 1, (size_t)(end - s - 1), &show, &shown) : 0;
		if (len) {
			sbuf_put(&out, show, shown);
			s += len + 2;
		} else {
			sbuf_putc(&out, *s++);
		}
	}
	id = out.n ? builder_intern(r->b, out.s, out.n) : ID_NONE;
	sbuf_fini(&out);
	return id;
}

/* ---- a rule ------------------------------------------------------------------------------- */

struct messages {
	struct kernel_rule now;
	bool have;
	void (*add)(void *arg, const struct kernel_rule *r);
	void *arg;
};

static void end_message(struct messages *ms)
{
	if (ms->have)
		ms->add(ms->arg, &ms->now);
	ms->have = false;
}

static void begin_message(struct messages *ms, const struct report *r, struct msg in)
{
	uint64_t type = msg_number(in, 2, RULE_NONE);

	end_message(ms);
	ms->have = true;
	ms->now.type = (uint16_t)(type < RULE_TYPE_N ? type : RULE_NONE);
	ms->now.title = report_text(r, msg_bytes(in, 4));
	ms->now.text = plain_text(r, msg_bytes(in, 1));
	ms->now.focus = ID_NONE;
	ms->now.speedup = SPEEDUP_UNKNOWN;
	ms->now.speedup_pct = NAN;
}

static void read_speedup(struct messages *ms, struct msg in)
{
	uint64_t kind = msg_number(in, 1, SPEEDUP_UNKNOWN);
	struct msg_field f;

	if (!msg_find(in, 2, &f) || f.wire != WIRE_FIXED64)
		return;
	ms->now.speedup = (uint16_t)(kind < SPEEDUP_KIND_N ? kind : SPEEDUP_UNKNOWN);
	ms->now.speedup_pct = metric_number(METRIC_REAL, f.v);
}

static void read_item(struct messages *ms, const struct report *r, struct msg in)
{
	struct msg_field f;

	while (msg_next(&in, &f)) {
		if (f.wire != WIRE_BYTES)
			continue;
		if (f.number == ITEM_MESSAGE)
			begin_message(ms, r, f.in);
		else if (f.number == ITEM_FOCUS && ms->have)
			ms->now.focus = report_text(r, msg_bytes(f.in, 2));
		else if (f.number == ITEM_SPEEDUP && ms->have)
			read_speedup(ms, f.in);
	}
	report_rest(r, in);
}

void result_rule(struct result *x, struct msg rule, void (*add)(void *arg, const struct kernel_rule *r), void *arg)
{
	struct messages ms = { .add = add, .arg = arg };
	struct msg body = msg_bytes(rule, RULE_BODY);
	struct msg_field f;

	ms.now.rule = report_text(x->r, msg_bytes(rule, RULE_ID));
	ms.now.section = report_text(x->r, msg_bytes(rule, RULE_SECTION));
	while (msg_next(&body, &f))
		if (f.number == 1 && f.wire == WIRE_BYTES)
			read_item(&ms, x->r, f.in);
	report_rest(x->r, body);
	end_message(&ms);
}
