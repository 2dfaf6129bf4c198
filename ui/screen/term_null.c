/* term_null.c - no terminal: a size and nothing else. Keys come from the script. */
#include "ui/screen/term.h"

#include "base/i18n.h"

static int width = 80, height = 24;

static bool null_open(const struct term_opts *o, struct err *e)
{
	(void)e;
	width = o->width > 0 ? o->width : 80;
	height = o->height > 0 ? o->height : 24;
	return true;
}

static void null_close(void)
{
}

static void null_size(int *w, int *h)
{
	*w = width;
	*h = height;
}

static int null_fd(void)
{
	return -1;
}

static struct term_event null_read(void)
{
	return (struct term_event){ 0, 0, 0, 0 };
}

static void null_flush(const struct grid *g, bool all)
{
	(void)g;
	(void)all;
}

static void null_suspend(bool group)
{
	(void)group;
}

static bool null_ascii(void)
{
	return false;
}

static void null_mouse(bool on)
{
	(void)on;
}

static bool null_run(char *const argv[], struct err *e)
{
	return err_set(e, ERR_USAGE, _("there is no terminal for %s"), argv[0]);
}

static void null_look(int color, int theme)
{
	(void)color;
	(void)theme;
}

static bool null_copy(const char *s, size_t n)
{
	(void)s;
	(void)n;
	return false;
}

const struct term_ops term_null = {
	null_open, null_close, null_size, null_fd, null_read, null_flush, null_ascii, null_mouse, null_look, null_suspend,
	null_close, null_run, null_copy,
};
