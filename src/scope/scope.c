/* scope.c - scopes and their texts, see scope.h */
#include "scope/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/map.h"
#include "base/num.h"

void scope_init(struct scope *s)
{
	memset(s, 0, sizeof(*s));
	s->window = WINDOW_STEADY;
	s->source = -1;
	s->clock_group = -1;
	s->rank = s->device = s->pid = s->tid = SCOPE_ANY;
	s->kclass = -1;
}

void scope_set_partition(struct scope *s, const char *text, size_t n)
{
	memset(s->partition, 0, sizeof(s->partition));
	memcpy(s->partition, text, n < sizeof(s->partition) ? n : sizeof(s->partition) - 1);
}

/* "12.5ms" to ns, digit by digit; false if it is no time. A bare number is nanoseconds. */
static bool parse_time(const char *s, const char **rest, int64_t *ns)
{
	static const struct { const char *unit; int64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	int64_t whole = 0, frac = 0, scale = 1, unit = 1;
	size_t digits = 0;

	for (; *s >= '0' && *s <= '9'; s++, digits++)
		if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, *s - '0', &whole))
			return false;
	if (*s == '.' && s[1] >= '0' && s[1] <= '9')	/* the point of ".." is none */
		for (s++; *s >= '0' && *s <= '9'; s++, digits++)
			if (scale < 1000000000) {
				scale *= 10;
				frac = frac * 10 + (*s - '0');
			}
	if (!digits)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i].unit);

		if (!strncmp(s, units[i].unit, n)) {
			unit = units[i].ns;
			s += n;
			break;
		}
	}
	*rest = s;
	frac = frac * unit / scale;
	return !__builtin_mul_overflow(whole, unit, &whole) && !__builtin_add_overflow(whole, frac, ns);
}

static bool parse_steps(struct scope *s, const char *text)
{
	char *end;

	s->window = WINDOW_STEPS;
	s->step_a = s->step_b = strtoll(text, &end, 10);
	if (end == text)
		return false;
	if (*end == '-') {
		text = end + 1;
		s->step_b = strtoll(text, &end, 10);
		if (end == text)
			return false;
	}
	return !*end && s->step_a <= s->step_b;
}

static bool parse_range(struct scope *s, const char *text)
{
	s->window = WINDOW_TIME;
	return parse_time(text, &text, &s->start_ns) && !strncmp(text, "..", 2) &&
		parse_time(text + 2, &text, &s->end_ns) && !*text && s->start_ns < s->end_ns;
}

bool scope_parse_window(struct scope *s, const char *text, struct err *e)
{
	bool ok = true;

	if (!strcmp(text, "steady"))
		s->window = WINDOW_STEADY;
	else if (!strcmp(text, "all"))
		s->window = WINDOW_ALL;
	else if (!strncmp(text, "step:", 5))
		ok = parse_steps(s, text + 5) && s->step_a == s->step_b;
	else if (!strncmp(text, "steps:", 6))
		ok = parse_steps(s, text + 6);
	else if (!strncmp(text, "time:", 5))
		ok = parse_range(s, text + 5);
	else
		ok = false;
	return ok || err_set(e, ERR_USAGE, "window '%s': steady, all, step:N, steps:A-B or time:A..B is wanted", text);
}

/* In the order of enum by_dim. */
static const char *const dims[] = { "none", "step", "phase", "microbatch", "thread", "process", "device", "rank", "all" };

bool scope_parse_by(struct scope *s, const char *text, struct err *e)
{
	for (size_t i = 0; i < sizeof(dims) / sizeof(*dims); i++) {
		if (!strcmp(text, dims[i])) {
			s->by = (enum by_dim)i;
			return true;
		}
	}
	return err_set(e, ERR_USAGE, "--by '%s': step, phase, microbatch, thread, process, device, rank or all is wanted", text);
}

bool scope_parse_thread(struct scope *s, const char *text, struct err *e)
{
	const char *sep = strpbrk(text, "/:");
	size_t n = strlen(text);
	bool ok = false;

	if (role_by_name(text, n) < ROLE_N) {
		s->roles |= 1u << role_by_name(text, n);
		return true;
	}
	if (sep)
		ok = num_parse_i64(text, (size_t)(sep - text), &s->pid) && num_parse_i64(sep + 1, n - (size_t)(sep - text) - 1, &s->tid);
	else
		ok = num_parse_i64(text, n, &s->tid);
	return ok || err_set(e, ERR_USAGE, _("--thread takes TID, PID/TID or a role (main, autograd, loader-worker, pin-memory, comm-watchdog, "
		"other), not \"%s\""), text);
}

char *scope_window_text(const struct scope *s, char *buf, size_t cap)
{
	if (s->window == WINDOW_STEPS && s->step_a == s->step_b)
		snprintf(buf, cap, "step:%" PRId64, s->step_a);
	else if (s->window == WINDOW_STEPS)
		snprintf(buf, cap, "steps:%" PRId64 "-%" PRId64, s->step_a, s->step_b);
	else if (s->window == WINDOW_TIME)
		snprintf(buf, cap, "time:%" PRId64 "ns..%" PRId64 "ns", s->start_ns, s->end_ns);
	else
		snprintf(buf, cap, "%s", s->window == WINDOW_ALL ? "all" : "steady");
	return buf;
}

/* Appends one option where its value is set. */
static void put_number(char *buf, const char *option, int64_t v)
{
	size_t n = strlen(buf);

	if (v != SCOPE_ANY)
		snprintf(buf + n, SCOPE_OPTIONS_MAX - n, " --%s %" PRId64, option, v);
}

static void put_word(char *buf, const char *option, const char *word)
{
	size_t n = strlen(buf);

	if (*word)
		snprintf(buf + n, SCOPE_OPTIONS_MAX - n, " --%s %s", option, word);
}

bool scope_options(const struct scope *s, char *buf)
{
	char window[96], thread[48] = "";

	if (s->clock_group >= 0 || s->phases || s->kclass >= 0 || s->kernel_hash || s->op_hash || s->runtime_hash ||
	    (s->roles & (s->roles - 1)))
		return false;
	if (s->tid != SCOPE_ANY && s->pid != SCOPE_ANY)
		snprintf(thread, sizeof(thread), "%" PRId64 "/%" PRId64, s->pid, s->tid);
	else if (s->tid != SCOPE_ANY)
		snprintf(thread, sizeof(thread), "%" PRId64, s->tid);
	for (int r = 0; r < ROLE_N; r++)
		if (s->roles == 1u << r)
			snprintf(thread, sizeof(thread), "%s", role_name((enum role)r));
	snprintf(buf, SCOPE_OPTIONS_MAX, "--window %s", scope_window_text(s, window, sizeof(window)));
	put_word(buf, "by", s->by == BY_NONE ? "" : dims[s->by]);
	put_word(buf, "partition", s->partition);
	put_number(buf, "source", s->source < 0 ? SCOPE_ANY : s->source + 1);
	put_number(buf, "rank", s->rank);
	put_number(buf, "device", s->device);
	put_word(buf, "thread", thread);
	return true;
}

uint64_t scope_hash_name(const char *s, size_t n)
{
	uint64_t h = map_hash_bytes(s, n);

	return h ? h : 1;
}
