/* state.c - what every part of the app does to its state: the status line, the log, the focus, size and settings; see app_impl.h */
#include <stdarg.h>

#include "base/text.h"
#include "ui/app/app_impl.h"

void app_log(struct app *a, const char *text)
{
	struct log_line *l = &a->log.v[a->log.n++ % LOG_LINES];

	snprintf(l->text, sizeof(l->text), "%s", text);
}

__attribute__((format(printf, 3, 0))) static void say(struct app *a, bool error, const char *fmt,
						      va_list ap)
{
	vsnprintf(a->status, sizeof(a->status), fmt, ap);
	a->status_error = error;
	a->dirty = true;
	app_log(a, a->status);
}

void app_say(struct app *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(a, false, fmt, ap);
	va_end(ap);
}

void app_fail(struct app *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(a, true, fmt, ap);
	va_end(ap);
}

struct pane *app_focused(struct app *a)
{
	return &a->panes[a->shown[a->focus]];
}

void app_resize(struct app *a, int w, int h)
{
	grid_resize(&a->grid, w, h);
	a->dirty = a->redraw = true;
}

static void show_args(struct app *a)
{
	const struct ui_provider *pv = &a->o->provider;
	bool on = settings_on(&a->set, SET_ARGS);

	if (on == a->args_shown)
		return;
	a->args_shown = on;
	a->args_seen |= on;
	if (pv->show_args)
		pv->show_args(pv->arg, on);
}

void app_apply_settings(struct app *a)
{
	bool ascii = settings_on(&a->set, SET_ASCII) || a->term->ascii();

	/* first: what a worker begins from here on, it makes for this alphabet; what it has begun is forgotten */
	text_set_ascii(ascii);
	if (ascii != a->ctx.ascii)
		work_forget(a->work);
	a->ctx.ascii = a->grid.ascii = ascii;
	show_args(a);
	a->term->look(a->set.v[SET_COLOR], a->set.v[SET_THEME]);
	a->term->mouse(settings_on(&a->set, SET_MOUSE));
	a->dirty = a->redraw = true;
}
