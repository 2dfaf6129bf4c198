/*
 * html.c - the page: head, charts, documents; see html.h
 */
#include "report/html.h"

#include <md4c-html.h>
#include <string.h>

#include "base/i18n.h"
#include "report/svg.h"

static const char style[] =
	":root{color-scheme:light dark}"
	"body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;padding:1em;max-width:75em}"
	"nav a{margin-right:1em}"
	"table{border-collapse:collapse;display:block;overflow-x:auto;font-size:13px}"
	"th,td{border:1px solid #8886;padding:2px 8px;white-space:nowrap}"
	"th[align=right],td[align=right]{text-align:right;font-variant-numeric:tabular-nums}"
	"code,pre{font-family:ui-monospace,monospace}"
	"pre{overflow-x:auto;line-height:1.2;font-size:13px}"
	"figure{margin:1em 0}svg{max-width:100%;height:auto}"
	"svg text{font:12px system-ui,sans-serif;fill:currentColor}"
	"svg text.in{fill:#000}svg .w{fill:Canvas;opacity:.6}svg .h{fill:transparent}"
	"svg .k0{fill:#56b4e9}svg .k1{fill:#e69f00}svg .k2{fill:#009e73}svg .k3{fill:#f0e442}"
	"svg .k4{fill:#cc79a7}svg .k5{fill:#d55e00}svg .k6{fill:#0072b2}svg .k7{fill:#999}"
	"svg .d1{opacity:.8}svg .d2{opacity:.6}svg rect{stroke:Canvas;stroke-width:.5}";

typedef void (*chart_fn)(struct sbuf *b, const struct table *t);

static const struct chart {
	const char *heading, *view, *partition;
	bool whole;
	chart_fn draw;
} charts[] = {
	{N_("Step times"), "steps", "", true, svg_steps},
	{N_("GPU time"), "gpu", "", false, svg_gpu},
	{N_("CPU wall"), "breakdown", "cpu", false, svg_icicle},
};

static bool put_chart(struct sbuf *b, struct report *r, const struct chart *c, struct err *e)
{
	const struct section s = {.partition = c->partition, .whole = c->whole};
	struct sbuf svg = {0};
	const struct table *t;
	struct scope sc;

	section_scope(r, &s, SCOPE_ANY, &sc);
	t = report_table(r, c->view, &sc, e);
	if (!t)
		return false;
	c->draw(&svg, t);
	sbuf_printf(b, "<h2>%s</h2>\n", _(c->heading));
	sbuf_puts(b, svg.n ? svg.s : _("<p>There are no such rows.</p>"));
	sbuf_putc(b, '\n');
	sbuf_fini(&svg);
	return true;
}

/* The anchor of a document: its file name without the end. */
static int anchor_length(const struct document *d)
{
	return (int)strcspn(d->file, ".");
}

bool html_begin(struct sbuf *b, struct report *r, struct err *e)
{
	sbuf_printf(b,
		    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n"
		    "<style>%s</style>\n</head>\n<body>\n<nav>",
		    _("en"), PACKAGE_NAME, style);
	for (const struct document *const *d = documents; *d; d++)
		sbuf_printf(b, "<a href=\"#%.*s\">%s</a>", anchor_length(*d), (*d)->file,
			    _((*d)->title));
	sbuf_puts(b, "</nav>\n");
	for (size_t i = 0; i < sizeof(charts) / sizeof(*charts); i++)
		if (!put_chart(b, r, &charts[i], e))
			return false;
	return true;
}

static void append(const MD_CHAR *s, MD_SIZE n, void *arg)
{
	sbuf_put(arg, s, n);
}

void html_document(struct sbuf *b, const struct document *d, const char *md, size_t n)
{
	sbuf_printf(b, "<section id=\"%.*s\">\n<h1>%s</h1>\n", anchor_length(d), d->file,
		    _(d->title));
	md_html(md, (MD_SIZE)n, append, b, MD_FLAG_TABLES | MD_FLAG_NOHTML, 0);
	sbuf_puts(b, "</section>\n");
}

void html_end(struct sbuf *b)
{
	sbuf_puts(b, "</body>\n</html>\n");
}
