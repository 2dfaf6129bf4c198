/* event_fields.c - one event of a Chrome trace, field by field; see event_fields.h */
#include "session/event_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/i18n.h"
#include "base/sbuf.h"
#include "load/read/json_objects.h"
#include "load/torch/torch_impl.h"

bool event_fields_known(enum source_format format)
{
	return format == FORMAT_TORCH;
}

struct event_fields_wanted {
	const struct profile *p;
	ev_id ev;
	const char *name;
	size_t name_len;
	struct tparser parser;
	char *buf;		/* of decoded strings */
	size_t cap;
};

static bool is_wanted(struct event_fields_wanted *w, struct jscan obj)
{
	struct tev tev;
	const char *s;
	size_t n;

	memset(&tev, 0, sizeof(tev));
	if (jscan_peek(&obj) != '{' || tparser_event(&w->parser, &obj, &tev) != JS_OK)
		return false;
	if (!(tev.have & TEV_TS) || tev.ts != w->p->start[w->ev] || (tev.have & TEV_DUR ? tev.dur : 0) != w->p->dur[w->ev])
		return false;
	s = jstr_plain(&tev.name, &w->buf, &w->cap, &n);
	return n == w->name_len && !memcmp(s, w->name, n);
}

/* Whether a field holds a command line by its name: "cmd", "args.cmdline", "args.command", "args.argv". */
static bool names_command(const char *key, size_t n)
{
	return memmem(key, n, "cmd", 3) || memmem(key, n, "command", 7) || memmem(key, n, "argv", 4);
}

/* A command line, which may be a list of words. */
static void put_command(struct sbuf *out, const char *s, size_t n, bool whole)
{
	struct sbuf line = { NULL, 0, 0 };

	sbuf_put(&line, s, n);
	for (size_t i = 0; n && *s == '[' && i < n; i++)
		if (line.s[i] && strchr("[],\"", line.s[i]))
			line.s[i] = ' ';
	if (whole) {
		cmdline_mask(line.s, n);
		sbuf_put(out, line.s, n);
	} else {
		cmdline_short(line.s, n, out);
	}
	sbuf_fini(&line);
}

/* People put anything into the args of an event: command lines are shown as everywhere, secrets masked, environments left out. */
static void give_text(const struct event_fields_wanted *w, const struct sbuf *key, const char *s, size_t n, event_field_fn take, void *arg)
{
	struct sbuf out = { NULL, 0, 0 };
	bool plain = !n || (*s != '[' && *s != '{');

	if (memmem(key->s, key->n, "environ", 7)) {
		sbuf_puts(&out, "…");
	} else if (plain && cmdline_secret_name(key->s, key->n)) {
		sbuf_fill(&out, '*', n);
	} else if (names_command(key->s, key->n)) {
		put_command(&out, s, n, w->p->args_shown);
	} else {
		sbuf_put(&out, s, n);
		cmdline_mask(out.s, n);
	}
	take(arg, key->s, key->n, sbuf_str(&out), out.n);
	sbuf_fini(&out);
}

/* One value: a string decoded, else its text. */
static bool give_value(struct event_fields_wanted *w, struct jscan *js, const struct sbuf *key, event_field_fn take, void *arg)
{
	const char *from;
	struct jstr s;
	size_t n;

	if (jscan_peek(js) == '"') {
		if (jscan_string(js, &s) != JS_OK)
			return false;
		from = jstr_plain(&s, &w->buf, &w->cap, &n);
		give_text(w, key, from, n, take, arg);
		return true;
	}
	from = js->p;
	if (jscan_skip(js) != JS_OK)
		return false;
	if (*from == '[' || *from == '{')
		give_text(w, key, from, (size_t)(js->p - from), take, arg);
	else
		take(arg, key->s, key->n, from, (size_t)(js->p - from));
	return true;
}

/* The members of an object; those of "args" one level deeper, with the name before them. */
static bool give_members(struct event_fields_wanted *w, struct jscan *js, const char *prefix, event_field_fn take, void *arg)
{
	struct sbuf key = { NULL, 0, 0 };
	struct jstr k;
	bool ok = jscan_take(js, '{') == JS_OK;
	char c;

	while (ok && (c = jscan_peek(js)) != '}') {
		const char *s;
		size_t n;

		if (c == ',') {
			js->p++;
			continue;
		}
		ok = jscan_key(js, &k) == JS_OK;
		if (!ok)
			break;
		sbuf_reset(&key);
		sbuf_puts(&key, prefix);
		s = jstr_plain(&k, &w->buf, &w->cap, &n);
		sbuf_put(&key, s, n);
		if (!*prefix && jscan_peek(js) == '{' && jstr_is(&k, "args"))
			ok = give_members(w, js, "args.", take, arg);
		else
			ok = give_value(w, js, &key, take, arg);
	}
	if (ok)
		js->p++;
	sbuf_fini(&key);
	return ok;
}

bool event_fields_read(const char *path, const struct profile *p, ev_id ev, struct job *job, event_field_fn take, void *arg, struct err *e)
{
	struct load_ctx lx = { .builder = builder_new(), .job = job };
	struct event_fields_wanted w = { .p = p, .ev = ev };
	struct jwin win;
	struct jscan obj;
	bool found = false, open = false;

	if (!event_fields_known(p->format) || ev >= p->n) {
		err_set(e, ERR_USAGE, "%s", _("files of this kind say no more of an event"));
		goto out;
	}
	w.name = profile_str(p, p->name[ev], &w.name_len);
	tparser_init(&w.parser);
	open = true;
	if (!jwin_open(&win, &lx, path, e))
		goto out;
	win.quiet = true;
	if (jwin_enter_list(&win, "traceEvents"))
		while (!found && jwin_member(&win, &obj))
			found = is_wanted(&w, obj);
	if (found)
		give_members(&w, &obj, "", take, arg);
	else if (!win.t.failed)
		err_set(e, ERR_FORMAT, "%s", _("the file does not hold this event any more"));
out:
	if (open)
		jwin_close(&win);
	builder_free(lx.builder);
	free(w.buf);
	return found;
}
