/*
 * i18n.h - translation of user-visible text.
 *
 * _(s)                 translate now
 * N_(s)                mark only: for static tables, translated where the text is shown
 * ngettext(s, p, n)    singular or plural by the rules of the language
 *
 * Whole sentences go into one string. Machine output (JSON, CSV, ids) and names read from
 * files are never translated. Without NLS (no libintl, or --disable-nls) all of this is
 * the English text.
 */
#ifndef BASE_I18N_H
#define BASE_I18N_H

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <locale.h>
#include <stdlib.h>

#ifdef ENABLE_NLS
#include <libintl.h>
#define _(s) gettext(s)
#else
#define _(s) (s)
#undef ngettext
#define ngettext(s, p, n) ((n) == 1 ? (s) : (p))
#endif
#define N_(s) s

/*
 * Call once, first thing in main: takes the locale and the catalogue from the environment. A program that is not installed finds its
 * catalogues where TEXTDOMAINDIR says, as those of gettext's own tools do.
 */
static inline void i18n_init(void)
{
#if defined(ENABLE_NLS) && defined(LOCALEDIR) && defined(PACKAGE)
	const char *dir = getenv("TEXTDOMAINDIR");
#endif

	setlocale(LC_ALL, "");
	/* Figures are written with a point in every language: reports are read by programs too. */
	setlocale(LC_NUMERIC, "C");
#if defined(ENABLE_NLS) && defined(LOCALEDIR) && defined(PACKAGE)
	bindtextdomain(PACKAGE, dir && *dir ? dir : LOCALEDIR);
	bind_textdomain_codeset(PACKAGE, "UTF-8");
	textdomain(PACKAGE);
#endif
}

#endif
