/*
 * session_file.c - `:w FILE` and --session: what is open, where one is, and the marks, as lines of text:
 *
 *	# profdive session
 *	open PATH			absolute; escaped as in C where a byte is not printed as it is
 *	lanes hidden=N,... folded=N,... order=N,...	of the timeline; see timeline/pane.h
 *	place PANE NAME=VALUE... crumb=TEXT
 *	filter TEXT			of the pane of the place
 *	sort +COLUMN, sort -COLUMN	of its table, upwards or downwards
 *	mark LETTER PANE NAME=VALUE...
 *
 * A line that is not understood is told and left out: the files may have changed since.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/outfile.h"
#include "base/text.h"
#include "base/vec.h"
#include "rules/kernel_name.h"
#include "ui/app/app_impl.h"
#include "ui/panes/timeline/pane.h"
#include "ui/widgets/model_view.h"

static const char head[] = "# profdive session";

/* ---- a place as words -------------------------------------------------------------------------------- */

enum session_file_kind { AS_INT, AS_I32, AS_I64, AS_U64 };
/* Members of a place that are plain numbers; those that are as place_init() leaves them are not written. */
static const struct {
	const char *name;
	enum session_file_kind kind;
	size_t at;
} members[] = {
	{ "sub", AS_INT, offsetof(struct place, sub) },
	{ "file", AS_I32, offsetof(struct place, scope.source) },
	{ "group", AS_I32, offsetof(struct place, scope.clock_group) },
	{ "rank", AS_I64, offsetof(struct place, scope.rank) },
	{ "device", AS_I64, offsetof(struct place, scope.device) },
	{ "pid", AS_I64, offsetof(struct place, scope.pid) },
	{ "tid", AS_I64, offsetof(struct place, scope.tid) },
	{ "phases", AS_I32, offsetof(struct place, scope.phases) },
	{ "roles", AS_I32, offsetof(struct place, scope.roles) },
	{ "subclass", AS_U64, offsetof(struct place, scope.subclass_hash) },
	{ "kernel", AS_U64, offsetof(struct place, scope.kernel_hash) },
	{ "op", AS_U64, offsetof(struct place, scope.op_hash) },
	{ "call", AS_U64, offsetof(struct place, scope.runtime_hash) },
	{ "t0", AS_I64, offsetof(struct place, t0) },
	{ "t1", AS_I64, offsetof(struct place, t1) },
	{ "cursor", AS_I64, offsetof(struct place, cursor) },
	{ "row", AS_U64, offsetof(struct place, row_key) },
};
enum { N_MEMBERS = sizeof(members) / sizeof(members[0]) };

static int64_t get(const struct place *pl, size_t m)
{
	const char *p = (const char *)pl + members[m].at;
	int64_t v;
	int32_t v32;

	if (members[m].kind == AS_I64 || members[m].kind == AS_U64) {
		memcpy(&v, p, sizeof(v));
		return v;
	}
	memcpy(&v32, p, sizeof(v32));
	return v32;
}

static bool put(struct place *pl, size_t m, int64_t v)
{
	char *p = (char *)pl + members[m].at;
	int32_t v32 = (int32_t)v;

	if (members[m].kind == AS_I64 || members[m].kind == AS_U64) {
		memcpy(p, &v, sizeof(v));
		return true;
	}
	if (v != v32)
		return false;
	memcpy(p, &v32, sizeof(v32));
	return true;
}

/* What a terminal would take for a command must not reach it from the file either: as \ooo, byte by byte. */
static void put_text(FILE *f, const char *s)
{
	size_t n = strlen(s);

	for (size_t len; n; s += len, n -= len) {
		uint32_t cp = 0;

		len = text_decode(s, n, &cp);
		if (len && cp != '\\' && text_printable(cp)) {
			fwrite(s, 1, len, f);
			continue;
		}
		len = len ? len : 1;
		for (size_t i = 0; i < len; i++)
			fprintf(f, "\\%03o", (unsigned char)s[i]);
	}
}

/* In place: \ooo becomes a byte. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++, to++) {
		unsigned v;

		*to = *s;
		if (*s != '\\' || sscanf(s + 1, "%3o", &v) != 1 || !v || v > 255)
			continue;
		*to = (char)v;
		s += 3;
	}
	*to = '\0';
}

static void write_event(const struct app *a, const struct place *pl, FILE *f)
{
	const struct profile *p = mv_profile(&a->ctx, pl->source);

	if (p && pl->pane == PANE_TIMELINE && pl->ev < p->n)
		fprintf(f, " event=%" PRIu32 ":%" PRIu32 ":%" PRId64, pl->source, pl->ev, p->start[pl->ev]);
	else if (pl->lane != UINT32_MAX)
		fprintf(f, " lane=%" PRIu32, pl->lane);
}

static void write_place(const struct app *a, const struct place *pl, FILE *f)
{
	char window[96];
	struct place plain;

	place_init(&plain, pl->pane, &pl->scope);
	scope_init(&plain.scope);
	fprintf(f, "%s window=%s", pane_registry[pl->pane]->id, scope_window_text(&pl->scope, window, sizeof(window)));
	if (pl->scope.by != BY_NONE)
		fprintf(f, " by=%d", (int)pl->scope.by);
	if (pl->scope.kclass >= 0)
		fprintf(f, " class=%" PRIu64, scope_hash_name(kclass_name((enum kclass)pl->scope.kclass), strlen(kclass_name((enum kclass)pl->scope.kclass))));
	for (size_t m = 0; m < N_MEMBERS; m++) {
		if (get(pl, m) != get(&plain, m) && members[m].kind == AS_U64)
			fprintf(f, " %s=%" PRIu64, members[m].name, (uint64_t)get(pl, m));
		else if (get(pl, m) != get(&plain, m))
			fprintf(f, " %s=%" PRId64, members[m].name, get(pl, m));
	}
	write_event(a, pl, f);
	if (pl->crumb[0] && (!a->args_seen || a->o->write_args)) {	/* may be a command line with its arguments */
		fputs(" crumb=", f);
		put_text(f, pl->crumb);
	}
	putc('\n', f);
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static void write_paths(const struct app *a, FILE *f)
{
	for (size_t i = 0; i < a->o->n_paths; i++) {
		char *whole = realpath(a->o->paths[i], NULL);

		fputs("open ", f);
		put_text(f, whole ? whole : a->o->paths[i]);
		putc('\n', f);
		free(whole);
	}
}

/* The text of a session of *n bytes, which the caller frees. NULL with *e set; ERR_USAGE: it is something else. */
static char *read_session(const char *path, size_t *n, struct err *e)
{
	char *text = file_read_all(path, UI_FILE_MAX, n, e);

	if (!text || (*n >= strlen(head) && !memcmp(text, head, strlen(head))))
		return text;
	free(text);
	err_set(e, ERR_USAGE, _("%s is no session"), path);
	return NULL;
}

/* A file that is there must be a session: nothing else is written over. */
static bool may_write(const char *path, struct err *e)
{
	struct err why = ERR_INIT;
	size_t n;
	char *text = read_session(path, &n, &why);
	bool ours = text != NULL;

	free(text);
	if (ours || why.sys == ENOENT)
		return true;
	if (why.code == ERR_USAGE || why.code == ERR_FORMAT || why.code == ERR_LIMIT)
		return err_set(e, ERR_USAGE, _("%s is there and is no session; nothing was written"), path);
	return err_set(e, why.code, _("cannot write: %s"), why.text);
}

static void write_order(const struct pane *p, FILE *f)
{
	bool desc;
	const char *column = p->ops->sorted ? p->ops->sorted(p, &desc) : NULL;

	if (column)
		fprintf(f, "sort %c%s\n", desc ? '-' : '+', column);
}

static void write_session(struct app *a, FILE *f)
{
	const struct pane *p = &a->panes[a->here.pane];
	const char *filter = p->ops->filter_text ? p->ops->filter_text(p) : "";

	fprintf(f, "%s\n", head);
	write_paths(a, f);
	timeline_lanes_write(&a->panes[PANE_TIMELINE], f);
	fputs("place ", f);
	write_place(a, &a->here, f);
	if (*filter) {
		fputs("filter ", f);
		put_text(f, filter);
		putc('\n', f);
	}
	write_order(p, f);
	for (int i = 0; i < 26; i++) {
		if (!(a->mark_set & 1u << i))
			continue;
		fprintf(f, "mark %c ", 'a' + i);
		write_place(a, &a->marks[i], f);
	}
}

bool session_file_write(struct app *a, const char *path, struct err *e)
{
	const struct pane *p = &a->panes[a->here.pane];
	struct outset *set;
	FILE *f;
	bool done;

	if (!may_write(path, e))
		return false;
	set = outset_of(path, 0, &f, e);
	if (!set)
		return false;
	if (p->ops->save)
		p->ops->save(p, &a->here);
	write_session(a, f);
	done = outset_commit(set, e);
	outset_free(set);
	return done;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

/* The event, if it is still the one that it was. */
static bool read_event(struct app *a, struct place *pl, const char *s)
{
	const struct profile *p;
	uint32_t source, ev;
	int64_t start;

	if (sscanf(s, "%" SCNu32 ":%" SCNu32 ":%" SCNd64, &source, &ev, &start) != 3)
		return false;
	p = mv_profile(&a->ctx, source);
	if (p && ev < p->n && p->start[ev] == start) {
		pl->source = source;
		pl->ev = ev;
		pl->t0 = pl->t1 = 0;
	}
	return true;
}

static bool read_class(struct place *pl, const char *s)
{
	uint64_t want = strtoull(s, NULL, 10);

	for (int k = 0; k < KCLASS_N; k++)
		if (scope_hash_name(kclass_name((enum kclass)k), strlen(kclass_name((enum kclass)k))) == want)
			pl->scope.kclass = k;
	return true;
}

static bool is(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(word, name, n);
}

static bool read_member(struct app *a, struct place *pl, const char *word, size_t n, const char *value)
{
	struct err e = ERR_INIT;
	int64_t v = 0;

	if (is(word, n, "window"))
		return scope_parse_window(&pl->scope, value, &e);
	if (is(word, n, "event"))
		return read_event(a, pl, value);
	if (is(word, n, "class"))
		return read_class(pl, value);
	for (size_t m = 0; m < N_MEMBERS; m++) {
		if (!is(word, n, members[m].name))
			continue;
		if (members[m].kind == AS_U64)
			return put(pl, m, (int64_t)strtoull(value, NULL, 10));
		return num_parse_i64(value, strlen(value), &v) && put(pl, m, v);
	}
	if (!num_parse_i64(value, strlen(value), &v) || v < 0)
		return false;
	if (is(word, n, "lane"))
		pl->lane = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
	else if (is(word, n, "by") && v <= BY_ALL)
		pl->scope.by = (enum by_dim)v;
	else
		return false;
	return true;
}

/* A file that is no longer among those open is left to the views. */
static void settle_place(struct app *a, struct place *pl)
{
	if (pl->scope.source >= 0 && !mv_profile(&a->ctx, (uint32_t)pl->scope.source))
		pl->scope.source = -1;
	if (pl->t0 >= pl->t1 || pl->t0 <= -NS_LIMIT || pl->t1 >= NS_LIMIT)
		pl->t0 = pl->t1 = 0;
	if (pl->cursor <= -NS_LIMIT || pl->cursor >= NS_LIMIT)
		pl->cursor = 0;
	pl->scope.phases &= (1u << PHASE_N) - 1;
}

/* "PANE NAME=VALUE..."; the line is taken apart. */
static bool read_place(struct app *a, char *s, struct place *pl)
{
	size_t n = strcspn(s, " ");
	enum pane_id pane = pane_by_name(&a->ctx, s, n);
	struct scope sc;

	if (pane == PANE_N)
		return false;
	scope_init(&sc);
	place_init(pl, pane, &sc);
	for (s += n; *s; s += n) {
		const char *value;
		size_t name;

		s += strspn(s, " ");
		if (!strncmp(s, "crumb=", 6)) {
			unescape(s + 6);
			snprintf(pl->crumb, sizeof(pl->crumb), "%s", s + 6);
			break;
		}
		n = strcspn(s, " ");
		name = strcspn(s, "=");
		if (name >= n)
			return !n;
		value = s + name + 1;
		if (s[n])
			s[n++] = '\0';
		if (!read_member(a, pl, s, name, value))
			return false;
	}
	settle_place(a, pl);
	return true;
}

static bool read_line(struct app *a, char *line)
{
	struct place pl;

	if (!strncmp(line, "open ", 5) || *line == '#' || !*line)
		return true;
	if (!strncmp(line, "place ", 6) && read_place(a, line + 6, &pl)) {
		app_go(a, &pl);
		app_want(a);
		a->n_back = 0;
		return true;
	}
	if (!strncmp(line, "lanes ", 6))
		return timeline_lanes_read(&a->panes[PANE_TIMELINE], line + 6);
	if (!strncmp(line, "filter ", 7)) {
		unescape(line + 7);
		app_filter(a, line + 7);
		return true;
	}
	if (!strncmp(line, "sort ", 5)) {
		const struct pane_ops *ops = app_focused(a)->ops;

		return ops->sort && ops->sort(app_focused(a), line + 5, &(struct err)ERR_INIT);
	}
	if (strncmp(line, "mark ", 5) != 0 || line[5] < 'a' || line[5] > 'z' || line[6] != ' ' || !read_place(a, line + 7, &pl))
		return false;
	a->marks[line[5] - 'a'] = pl;
	a->mark_set |= 1u << (line[5] - 'a');
	return true;
}

void session_file_read(struct app *a, const char *path)
{
	struct err e = ERR_INIT;
	size_t n, at = 0, wrong = 0;
	char *text = file_read_all(path, UI_FILE_MAX, &n, &e), *next = text, *line;

	if (!text) {
		app_fail(a, "%s", e.text);
		return;
	}
	while ((line = file_line(&next, text + n))) {
		at++;
		if (!read_line(a, line) && !wrong)
			wrong = at;
	}
	if (wrong)
		app_fail(a, _("line %zu of the session is not understood; it and the like are left out"), wrong);
	else
		app_say(a, _("session %s"), path);
	free(text);
}

bool ui_session_paths(const char *path, char ***paths_out, size_t *n, struct err *e)
{
	VEC(char *) paths = { 0 };
	size_t bytes;
	char *text = read_session(path, &bytes, e), *next = text, *line;

	while (text && (line = file_line(&next, text + bytes))) {
		if (strncmp(line, "open ", 5) != 0)
			continue;
		unescape(line + 5);
		VEC_PUSH(&paths, xstrdup(line + 5));
	}
	*paths_out = paths.a;
	*n = paths.n;
	if (!text)
		return e->code == ERR_USAGE ? false : err_wrap(e, _("session %s"), path);
	free(text);
	return paths.n || err_set(e, ERR_USAGE, _("session %s names no file"), path);
}
