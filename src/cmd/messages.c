/* messages.c - one line per message on stderr, everything from outside escaped; see cmd.h */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "cmd/cmd.h"

static FILE *log_file;

bool msg_open_log(const char *path, struct err *e)
{
	log_file = outfile_append(path, e);
	return log_file != NULL;
}

static void put(struct sbuf *b, const char *s)
{
	text_put(b, s, strlen(s), SIZE_MAX, TEXT_CUT_END);
}

static void emit(struct sbuf *b)
{
	sbuf_putc(b, '\n');
	fwrite(b->s, 1, b->n, stderr);
	if (log_file) {
		fwrite(b->s, 1, b->n, log_file);
		fflush(log_file);
	}
	sbuf_fini(b);
}

/* Texts such as "cannot open x.json: No such file" stand behind the path already: it is taken out of them. */
static char *without_path(const char *text, const char *path)
{
	size_t n = path ? strlen(path) : 0;
	const char *at = n ? strstr(text, path) : NULL;

	if (!at)
		return xstrdup(text);
	if (at > text && at[-1] == ' ')
		return xasprintf("%.*s%s", (int)(at - text - 1), text, at + n);
	if (at == text && strncmp(at + n, ": ", 2) == 0)
		return xstrdup(at + n + 2);
	return xstrdup(text);
}

void msg_err(const char *path, const struct err *e, const char *where)
{
	struct sbuf b = { 0 };
	char *text = without_path(e->text, path);

	sbuf_puts(&b, "profdive: ");
	if (path) {
		put(&b, path);
		sbuf_puts(&b, ": ");
	}
	put(&b, text);
	if (where)
		sbuf_printf(&b, ": %s", where);
	else if (e->offset >= 0 && e->code != ERR_USAGE)
		sbuf_printf(&b, _(": byte %lld"), (long long)e->offset);
	emit(&b);
	free(text);
}

void msg_line(const char *fmt, ...)
{
	struct sbuf b = { 0 };
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sbuf_puts(&b, "profdive: ");
	put(&b, text);
	emit(&b);
}

static struct {
	pthread_mutex_t lock;
	bool held;
	char *text;
} warning = { .lock = PTHREAD_MUTEX_INITIALIZER };

void msg_warn(const char *text)
{
	pthread_mutex_lock(&warning.lock);
	if (warning.held) {
		free(warning.text);
		warning.text = xstrdup(text);
	} else {
		msg_line("%s", text);
	}
	pthread_mutex_unlock(&warning.lock);
}

void msg_hold_warning(bool on)
{
	pthread_mutex_lock(&warning.lock);
	warning.held = on;
	if (!on && warning.text) {
		msg_line("%s", warning.text);
		free(warning.text);
		warning.text = NULL;
	}
	pthread_mutex_unlock(&warning.lock);
}

int msg_fail(const char *path, const struct err *e)
{
	if (e->code == ERR_CANCELLED)
		return EXIT_CANCELLED;
	msg_err(path, e, NULL);
	if (e->code == ERR_USAGE)
		msg_line(_("profdive --help lists commands and options"));
	return err_exit_status(e->code);
}

int msg_finish_output(int status)
{
	struct err e = ERR_INIT;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (status > EXIT_DAMAGED)
		return status;	/* the cause was told */
	err_sys(&e, errno ? errno : EIO, _("cannot write"));
	msg_err(_("standard output"), &e, NULL);
	return EXIT_UNREADABLE;
}
