/* open_session.c - from the paths and options of a command line to a loaded session; see cmd.h */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "findings/rulebook.h"
#include "load/read/part.h"
#include "session/discover.h"
#include "session/run_facts.h"

atomic_bool interrupted;

static void on_interrupt(int sig)
{
	(void)sig;
	atomic_store(&interrupted, true);
}

/* The first ^C ends loading; the second one, while that takes long, kills. */
static void catch_interrupt(void)
{
	struct sigaction sa = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct rulebook *open_rules(const struct options *o, struct err *e)
{
	struct rulebook *r = rulebook_new(e);

	for (size_t i = 0; r && i < o->rules.n; i++) {
		if (rulebook_add_file(r, o->rules.a[i], e))
			continue;
		rulebook_free(r);
		r = NULL;
	}
	return r;
}

/* Facts found in folders are a help, not a duty: what cannot be read is told. Those of --facts are wanted. */
static bool read_facts(struct session *s, const struct discovery *d, const struct options *o, bool quiet, const char **path, struct err *e)
{
	for (size_t i = 0; i < d->n_facts; i++) {
		struct err fe = ERR_INIT;

		if (!run_facts_read(s, d->facts[i], &fe) && !quiet)
			msg_err(d->facts[i], &fe, NULL);
	}
	for (size_t i = 0; i < o->facts.n; i++) {
		*path = o->facts.a[i];
		if (!run_facts_read(s, *path, e))
			return false;
	}
	return true;
}

/* What was found and cannot be opened; true if some of it is lost input. */
static bool tell_notes(const struct discovery *d)
{
	bool lost = false;

	for (size_t i = 0; i < d->n_notes; i++) {
		msg_err(d->notes[i].path, &d->notes[i].err, NULL);
		lost |= d->notes[i].err.code != ERR_FORMAT;
	}
	return lost;
}

/* What a file looked like when it was begun. */
struct file_stamp {
	char *path;
	int64_t size, mtime_ns;		/* size -1: not there */
};

static void free_stamps(struct opened *op)
{
	for (size_t i = 0; i < op->n_stamps; i++)
		free(op->stamps[i].path);
	free(op->stamps);
	op->stamps = NULL;
	op->n_stamps = 0;
}

static struct file_stamp stamp_of(const char *path)
{
	struct file_stamp f = { xstrdup(path), -1, 0 };
	struct stat st;

	if (stat(path, &st) == 0) {
		f.size = st.st_size;
		f.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	}
	return f;
}

static void take_stamps(struct opened *op, const struct discovery *d)
{
	free_stamps(op);
	op->stamps = xcalloc(d->n_sources + d->n_facts + 1, sizeof(*op->stamps));
	for (size_t i = 0; i < d->n_sources; i++)
		op->stamps[op->n_stamps++] = stamp_of(d->sources[i]);
	for (size_t i = 0; i < d->n_facts; i++)
		op->stamps[op->n_stamps++] = stamp_of(d->facts[i]);
}

static bool same_files(const struct opened *op, const struct discovery *d)
{
	bool same = op->n_stamps == d->n_sources + d->n_facts;

	for (size_t i = 0; same && i < op->n_stamps; i++) {
		const char *path = i < d->n_sources ? d->sources[i] : d->facts[i - d->n_sources];
		struct file_stamp f = stamp_of(path);

		same = strcmp(f.path, op->stamps[i].path) == 0 && f.size == op->stamps[i].size && f.mtime_ns == op->stamps[i].mtime_ns;
		free(f.path);
	}
	return same;
}

/* A path that was named is a source though nothing is there. */
static bool any_there(const struct discovery *d)
{
	struct stat st;

	for (size_t i = 0; i < d->n_sources; i++)
		if (stat(d->sources[i], &st) == 0)
			return true;
	return false;
}

static void begin_load(struct opened *op, const struct invocation *in, const struct discovery *d)
{
	struct session_load_opts lo = {
		.jobs = (unsigned)(in->opt.jobs > 1000 ? 1000 : in->opt.jobs),
		/* what is shown of a file that is still read is a copy: who has little memory waits */
		.snapshots = op->snapshots && in->opt.max_mem == I64_UNKNOWN,
		.reopen = op->reopen,
		.part = op->part[0] ? &op->part_of : NULL,
	};

	take_stamps(op, d);
	op->loader = session_loader_start(op->session, (const char *const *)d->sources, d->n_sources, &lo);
}

int open_begin(struct opened *op, const struct invocation *in, const char *const *paths, size_t n, bool snapshots)
{
	struct discovery d = { 0 };
	struct err e = ERR_INIT;
	const char *path = NULL;
	int status = EXIT_DONE;

	*op = (struct opened){ .session = session_new(), .began_ns = now_ns(), .snapshots = snapshots };
	op->show_args = in->opt.show_args;
	op->debug = in->opt.debug && strstr(in->opt.debug, "load");
	/* what was kept of whole files, tables among it, is not that of a part */
	if (!in->opt.no_cache && !in->opt.steps && !in->opt.from && !in->opt.to)
		op->reopen = reopen_new();
	catch_interrupt();
	op->rules = open_rules(&in->opt, &e);
	if (!op->rules)
		return msg_fail(NULL, &e);
	if (in->opt.steps || in->opt.from || in->opt.to) {
		if (!load_part_parse(&op->part_of, in->opt.steps, in->opt.from, in->opt.to, &e))
			return msg_fail(NULL, &e);
		load_part_text(&op->part_of, op->part, sizeof(op->part));
	}
	discover(&d, paths, n, in->opt.recursive);
	op->damaged = tell_notes(&d);
	if (!d.n_sources)
		status = EXIT_UNREADABLE;
	else if (!read_facts(op->session, &d, &in->opt, false, &path, &e))
		status = msg_fail(path, &e);
	else
		begin_load(op, in, &d);
	discovery_fini(&d);
	return status;
}

enum open_again open_again(struct opened *op, const struct invocation *in)
{
	struct discovery d = { 0 };
	struct session *s = session_new();
	struct err e = ERR_INIT;
	const char *path = NULL;
	enum open_again how = OPEN_SAME;

	discover(&d, in->args, in->n_args, in->opt.recursive);
	if (!any_there(&d))
		how = OPEN_FAILED;
	else if (!same_files(op, &d))
		how = read_facts(s, &d, &in->opt, true, &path, &e) ? OPEN_BEGUN : OPEN_FAILED;
	if (how == OPEN_BEGUN) {
		session_loader_free(op->loader);
		session_free(op->session);
		op->session = s;
		s = NULL;
		begin_load(op, in, &d);
	}
	session_free(s);
	discovery_fini(&d);
	return how;
}

/* ---- what was lost ----------------------------------------------------------------------------- */

static void tell_damage(const struct source *src, const struct damage *d)
{
	struct err e = ERR_INIT;
	char where[96] = "";
	bool rows = src->profile->format == FORMAT_NSYS_SQLITE;

	if (d->offset >= 0)
		snprintf(where, sizeof(where), rows ? _("row %" PRId64) : _("byte %" PRId64), d->offset);
	if (d->count > 1)
		err_set(&e, ERR_FORMAT, d->offset >= 0 ? _("%s (%" PRIu64 " times, first)") : _("%s (%" PRIu64 " times)"),
			_(d->what), d->count);
	else
		err_set(&e, ERR_FORMAT, "%s", _(d->what));
	msg_err(src->path, &e, *where ? where : NULL);
}

static void tell_source(const struct source *src)
{
	if (src->state == SOURCE_FAILED && src->err.code != ERR_CANCELLED)
		msg_err(src->path, &src->err, NULL);
	for (uint32_t i = 0; src->profile && i < src->profile->n_damages; i++)
		tell_damage(src, &src->profile->damages[i]);
}

int open_status(const struct opened *op)
{
	uint32_t ready = 0, failed = 0, damaged = op->damaged;
	int worst = EXIT_UNREADABLE;

	for (uint32_t i = 0; i < op->session->n_sources; i++) {
		const struct source *src = &op->session->sources[i];

		ready += src->profile != NULL;
		damaged += src->profile && src->profile->n_damages;
		failed += src->state == SOURCE_FAILED;
		if (src->state == SOURCE_FAILED && err_exit_status(src->err.code) > worst)
			worst = err_exit_status(src->err.code);
	}
	if (!ready)
		return worst;
	return damaged || failed ? EXIT_DAMAGED : EXIT_DONE;
}

static void tell_cache(const struct opened *op)
{
	char *s;

	while (op->debug && (s = reopen_take_note(op->reopen))) {
		msg_line("%s", s);
		free(s);
	}
}

/* For bug reports: what was read, and how long all of it took. */
static void tell_loading(const struct opened *op)
{
	char took[NUM_TEXT_MAX];

	for (uint32_t i = 0; i < op->session->n_sources; i++) {
		const struct source *src = &op->session->sources[i];
		const struct profile *p = src->profile;

		if (p)
			msg_line("load: read file path=%s bytes=%" PRId64 " events=%" PRIu32 " tracks=%" PRIu32 " strings=%" PRIu32,
				 src->path, p->bytes, p->n, p->n_tracks, p->n_strs);
	}
	msg_line("load: loaded session sources=%" PRIu32 " took=%s", op->session->n_sources,
		 num_ns(now_ns() - op->began_ns, took));
}

bool open_loading(const struct opened *op)
{
	struct load_progress p;

	session_loader_progress(op->loader, &p);
	return p.loading;
}

int open_wait(struct opened *op)
{
	struct err e = ERR_INIT;
	bool ok = session_loader_wait(op->loader, op->session, &interrupted, &e);

	session_loader_free(op->loader);
	op->loader = NULL;
	signal(SIGINT, SIG_DFL);	/* from here on ^C ends the program at once */
	if (!ok)
		return EXIT_CANCELLED;
	if (op->show_args)
		session_show_args(op->session);
	for (uint32_t i = 0; i < op->session->n_sources; i++)
		tell_source(&op->session->sources[i]);
	tell_cache(op);
	if (op->debug)
		tell_loading(op);
	return open_status(op);
}

void open_end(struct opened *op)
{
	session_loader_free(op->loader);
	session_free(op->session);
	free_stamps(op);
	if (op->rules)
		rulebook_free(op->rules);
	fflush(stdout);
	reopen_finish(op->reopen, op->leave);
	tell_cache(op);
	reopen_free(op->reopen);
	*op = (struct opened){ 0 };
}

/* ---- scope ------------------------------------------------------------------------------------- */

static bool parse_partition(struct scope *sc, const char *text, struct err *e)
{
	static const char *const kinds[] = { "gpu:", "joint:" };
	int64_t device;

	for (size_t i = 0; i < 2; i++) {
		size_t k = strlen(kinds[i]), n = strlen(text);

		if (strncmp(text, kinds[i], k) == 0 && num_parse_i64(text + k, n - k, &device) && n < sizeof(sc->partition)) {
			scope_set_partition(sc, text, n);
			return true;
		}
	}
	if (strcmp(text, "cpu") != 0 && strcmp(text, "compute") != 0)
		return err_set(e, ERR_USAGE, _("--partition takes cpu, gpu:N, joint:N or compute, not \"%s\""), text);
	scope_set_partition(sc, text, strlen(text));
	return true;
}

bool scope_from_options(struct scope *sc, const struct options *o, struct err *e)
{
	scope_init(sc);
	if (o->rank != I64_UNKNOWN)
		sc->rank = o->rank;
	if (o->device != I64_UNKNOWN)
		sc->device = o->device;
	return (!o->window || scope_parse_window(sc, o->window, e)) && (!o->by || scope_parse_by(sc, o->by, e)) &&
		(!o->thread || scope_parse_thread(sc, o->thread, e)) && (!o->partition || parse_partition(sc, o->partition, e));
}

static bool source_fits(const struct source *src, const char *name)
{
	return src->profile && (strstr(src->path, name) || strcmp(source_format_name(src->profile->format), name) == 0);
}

/* A rank that no file is of would be an empty answer to every question. */
static bool has_rank(const struct session *s, int64_t rank)
{
	for (uint32_t i = 0; i < s->n_sources; i++)
		if (s->sources[i].profile && s->sources[i].profile->rank == rank)
			return true;
	return false;
}

bool scope_set_source(struct scope *sc, const struct options *o, const struct session *s, struct err *e)
{
	int64_t number;
	uint32_t found = 0;

	if (sc->rank != SCOPE_ANY && !has_rank(s, sc->rank))
		return err_set(e, ERR_USAGE, _("--rank %" PRId64 ": no file says that it is of this rank"), sc->rank);
	if (!o->source)
		return true;
	if (num_parse_i64(o->source, strlen(o->source), &number) && number >= 1 && number <= s->n_sources) {
		sc->source = (int32_t)number - 1;
		return true;
	}
	for (uint32_t i = 0; i < s->n_sources; i++) {
		if (!source_fits(&s->sources[i], o->source))
			continue;
		sc->source = (int32_t)i;
		found++;
	}
	if (!found)
		return err_set(e, ERR_USAGE, _("--source %s: there is no such source"), o->source);
	return found == 1 || err_set(e, ERR_USAGE, _("--source %s: %u sources fit, name one of them"), o->source, found);
}
