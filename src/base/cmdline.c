/* cmdline.c - command lines that stand in profiles, see cmdline.h */
#include "base/cmdline.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static bool blank(char c)
{
	return !c || isspace((unsigned char)c);
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool begins(const char *s, const char *end, const char *word)
{
	size_t k = strlen(word);

	return (size_t)(end - s) >= k && memcmp(s, word, k) == 0;
}

/* ---- secrets ------------------------------------------------------------------------------------------------- */

#define TOKEN_MIN  16
#define RANDOM_MIN 24
#define HEX_MIN	   32

/* What a name of a secret holds: these, and some that end there, for an author, a tokenizer or the number of tokens are none. */
static bool secret_word(const char *s, const char *end)
{
	static const struct {
		const char *text;
		bool whole;
	} words[] = {
		{"token", true},	  {"auth", true},	 {"pass", true},
		{"passw", false},	  {"passphrase", false}, {"pwd", false},
		{"secret", false},	  {"key", false},	 {"credential", false},
		{"authorization", false},
	};

	for (size_t i = 0; i < COUNT(words); i++) {
		size_t k = strlen(words[i].text);

		if ((size_t)(end - s) >= k && strncasecmp(s, words[i].text, k) == 0 &&
		    (!words[i].whole || (size_t)(end - s) == k || !islower((unsigned char)s[k])))
			return true;
	}
	return false;
}

int cmdline_secret_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (secret_word(s + i, s + n))
			return 1;
	return 0;
}

/* Behind bytes of `set`, and NULs, which stand between words as blanks do. */
static char *behind(char *s, char *end, const char *set)
{
	while (s < end && strchr(set, *s))
		s++;
	return s;
}

/* Overwrites a word, up to the closing quote if it began with one; returns what follows it. */
static char *hide(char *s, char *end, char quote)
{
	char *to = s;

	while (to < end && (quote ? *to != quote : !blank(*to) && *to != '"' && *to != '\''))
		to++;
	while (!quote && to > s + 1 && strchr(",;)}]", to[-1]))
		to--;
	memset(s, '*', (size_t)(to - s));
	return to;
}

/* The value that follows a name: "NAME=VALUE", "NAME: VALUE", or "--NAME VALUE" of an option. NULL: none does. */
static char *assigned(char *s, char *end, bool option)
{
	char *at, *sign;

	if (!secret_word(s, end))
		return NULL;
	for (at = s; at < end && word_char(*at);)
		at++;
	sign = behind(at, end, " \"'");
	if (sign < end && (*sign == '=' || *sign == ':') && !begins(sign, end, "://"))
		return behind(sign + 1, end, " \"'");
	return option && sign > at && sign < end && *sign != '-' ? sign : NULL;
}

/* "Bearer", "Basic", "Token": the secret is behind the word. */
static char *behind_scheme(char *s, char *end)
{
	static const char *const schemes[] = {"bearer ", "basic ", "token "};

	for (size_t i = 0; i < COUNT(schemes); i++)
		if ((size_t)(end - s) >= strlen(schemes[i]) &&
		    strncasecmp(s, schemes[i], strlen(schemes[i])) == 0)
			return behind(s + strlen(schemes[i]), end, " ");
	return s;
}

/* Tokens that tell their kind by their first letters. */
static bool known_token(const char *s, const char *end)
{
	static const char *const heads[] = {
		"hf_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "sk-",
		"sk_", "AKIA", "ASIA", "AIza", "xox",  "npm_",	      "pypi-",	"eyJ"};
	size_t n = 0;

	while (s + n < end && word_char(s[n]))
		n++;
	for (size_t i = 0; n >= TOKEN_MIN && i < COUNT(heads); i++)
		if (begins(s, end, heads[i]))
			return true;
	return false;
}

static int class_of(char c)
{
	return isdigit((unsigned char)c)   ? 1
	       : isupper((unsigned char)c) ? 2
	       : islower((unsigned char)c) ? 4
					   : 8;
}

/*
 * A long word of one piece that goes to capitals or digits and back as often as random letters do (45 % of its letters; NamesOfWords
 * 20 %, for their capitals are followed by small ones); or one of many hexadecimal digits.
 */
static bool random_word(const char *s, const char *end)
{
	size_t n = 0, changes = 0;
	int seen = 0;
	bool hex = true;

	for (; s + n < end && (isalnum((unsigned char)s[n]) || s[n] == '+' || s[n] == '_'); n++) {
		seen |= class_of(s[n]);
		changes += n && class_of(s[n]) != class_of(s[n - 1]) &&
			   !(class_of(s[n]) == 4 && class_of(s[n - 1]) == 2);
		hex &= isxdigit((unsigned char)s[n]) != 0;
	}
	if (hex && n >= HEX_MIN && seen & 1 && seen & 6)
		return true;
	return n >= RANDOM_MIN && (seen & 7) == 7 && 10 * changes >= 3 * n;
}

/* User and password of a URL, at its "://"; what follows them, or NULL. */
static char *url_user(char *s, char *end)
{
	char *at = NULL;

	if (!begins(s, end, "://"))
		return NULL;
	for (char *p = s + 3; p < end && !blank(*p) && !strchr("/\"'?#", *p); p++)
		if (*p == '@')
			at = p;
	if (at)
		memset(s + 3, '*', (size_t)(at - s - 3));
	return at;
}

void cmdline_mask(char *s, size_t n)
{
	char *end = s + n, *value, *next;
	bool option = false; /* inside a word that begins with '-' */

	for (char *p = s; p < end;) {
		bool first = p == s || !word_char(p[-1]), piece = first || p[-1] == '-';

		if (p == s || blank(p[-1]) || p[-1] == '"' || p[-1] == '\'')
			option = *p == '-';
		value = assigned(p, end, option);
		next = url_user(p, end);
		if (value) {
			value = behind_scheme(value, end);
			p = hide(value, end,
				 value > s && strchr("\"'", value[-1]) ? value[-1] : '\0');
		} else if (next) {
			p = next;
		} else if ((first && known_token(p, end)) || (piece && random_word(p, end))) {
			p = hide(p, end, '\0');
		} else {
			p++;
		}
	}
}

/* ---- what is shown --------------------------------------------------------------------------------------------- */

struct cmdline_word {
	const char *s;
	size_t n;
};

/* The next word of [*s, end), quotes kept together; false at the end. */
static bool next_word(const char **s, const char *end, struct cmdline_word *w)
{
	char quote = '\0';
	const char *p = *s;

	while (p < end && blank(*p))
		p++;
	w->s = p;
	for (; p < end && (quote || !blank(*p)); p++) {
		if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? '\0' : *p;
	}
	w->n = (size_t)(p - w->s);
	*s = p;
	return w->n > 0;
}

static bool is(const struct cmdline_word *w, const char *text)
{
	return w->n == strlen(text) && memcmp(w->s, text, w->n) == 0;
}

static struct cmdline_word base_name(const struct cmdline_word *w)
{
	size_t at = w->n;

	while (at && w->s[at - 1] != '/' && w->s[at - 1] != '\\')
		at--;
	return (struct cmdline_word){w->s + at, w->n - at};
}

/* python, python3.12, Python, pypy3, pythonw.exe: one that runs the script behind its options. */
static bool is_interpreter(const struct cmdline_word *w)
{
	struct cmdline_word b = base_name(w);
	size_t at = b.n >= 6 && strncasecmp(b.s, "python", 6) == 0 ? 6
		    : b.n >= 4 && strncasecmp(b.s, "pypy", 4) == 0 ? 4
								   : 0;

	if (b.n > at + 4 && memcmp(b.s + b.n - 4, ".exe", 4) == 0)
		b.n -= 4;
	for (size_t i = at; at && i < b.n; i++)
		if (!isdigit((unsigned char)b.s[i]) && !strchr(".wtdm", b.s[i]))
			return false;
	return at > 0;
}

/* Those whose operands are again a command. */
static bool is_launcher(const struct cmdline_word *w)
{
	static const char *const names[] = {"torchrun", "deepspeed",	"accelerate", "mpirun",
					    "mpiexec",	"srun",		"nsys",	      "ncu",
					    "py-spy",	"pyinstrument", "numactl",    "env"};
	struct cmdline_word b = base_name(w);

	for (size_t i = 0; i < COUNT(names); i++)
		if (is(&b, names[i]))
			return true;
	return false;
}

/* The first place of a byte of `set`, n if there is none. */
static size_t first_of(const char *s, size_t n, const char *set)
{
	size_t i = 0;

	while (i < n && !(s[i] && strchr(set, s[i])))
		i++;
	return i;
}

static bool is_script(const struct cmdline_word *w)
{
	return w->n > 3 && *w->s != '-' && memcmp(w->s + w->n - 3, ".py", 3) == 0 &&
	       !memchr(w->s, '=', w->n);
}

/* NAME=VALUE before a program. */
static bool is_assignment(const struct cmdline_word *w)
{
	const char *sign = memchr(w->s, '=', w->n);

	for (const char *p = w->s; sign && p < sign; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return sign && sign > w->s;
}

struct cmdline_shown {
	struct cmdline_word program, option, script; /* n 0: none; option: "-m", "-c" before the script */
	size_t hidden;
};

/*
 * An option word of Python: letters may be joined ("-um MODULE"), the text of -c, -m, -W and -X may follow at once. Returns whether the
 * command goes on behind it; the others say what runs, and what follows are its arguments.
 */
static bool take_option(const char **s, const char *end, const struct cmdline_word *w, struct cmdline_shown *c)
{
	bool is_long = w->s[1] == '-';
	size_t at = is_long ? w->n : first_of(w->s, w->n, "cmWX");
	struct cmdline_word value = {w->s + at + 1, at < w->n ? w->n - at - 1 : 0};
	char letter = at < w->n ? w->s[at] : '\0';
	bool joined = value.n > 0;

	if (letter == 'm') {
		c->option = (struct cmdline_word){"-m", 2};
		if (!joined)
			next_word(s, end, &value);
		c->script = value;
		return false;
	}
	if (letter == 'c') {
		c->option = (struct cmdline_word){"-c", 2};
		c->hidden += joined;
		return false;
	}
	c->hidden++;
	if (letter && !joined)
		c->hidden += next_word(s, end, &value);
	return !is_long; /* what follows "--help" or an option of no Python is no script */
}

/* What an interpreter runs; *s is behind what was taken. */
static void find_script(const char **s, const char *end, struct cmdline_shown *c)
{
	struct cmdline_word w;

	while (next_word(s, end, &w)) {
		if (*w.s != '-' || w.n == 1) {
			c->script = w;
			return;
		}
		if (!take_option(s, end, &w, c))
			return;
	}
}

static void take_apart(const char *s, const char *end, struct cmdline_shown *c)
{
	struct cmdline_word w, before = {"", 0};
	bool launcher;

	*c = (struct cmdline_shown){.hidden = 0};
	while (next_word(&s, end, &c->program) && is_assignment(&c->program))
		c->hidden++;
	if (c->program.n && is_interpreter(&c->program))
		find_script(&s, end, c);
	launcher = c->program.n && is_launcher(&c->program);
	for (; next_word(&s, end, &w); before = w) {
		if (launcher && !c->script.n && is_script(&w) &&
		    (!before.n || *before.s != '-' || is(&before, "--")))
			c->script = w;
		else
			c->hidden++;
	}
}

static void put_word(struct sbuf *out, const struct cmdline_word *w, const char *before)
{
	if (!w->n)
		return;
	sbuf_puts(out, before);
	sbuf_put(out, w->s, w->n);
}

void cmdline_short(const char *s, size_t n, struct sbuf *out)
{
	size_t was = out->n;
	struct cmdline_shown c;

	take_apart(s, s + n, &c);
	if (!c.hidden) {
		sbuf_put(out, s, n);
	} else {
		put_word(out, &c.program, "");
		put_word(out, &c.option, " ");
		put_word(out, &c.script, " ");
		sbuf_printf(out, "%s… (%zu argument%s: --show-args)", out->n > was ? " " : "",
			    c.hidden, c.hidden == 1 ? "" : "s");
	}
	if (out->n > was)
		cmdline_mask(out->s + was, out->n - was);
}

/* ---- where it is ------------------------------------------------------------------------------------------------ */

/* process 7:"COMMAND" */
static size_t find_process(const char *s, size_t n, size_t *at)
{
	size_t i = 8;

	if (!begins(s, s + n, "process "))
		return 0;
	while (i < n && isdigit((unsigned char)s[i]))
		i++;
	if (i == 8 || i + 3 > n || s[i] != ':' || s[i + 1] != '"')
		return 0;
	*at = i + 2;
	return n - *at - (n > *at && s[n - 1] == '"');
}

static size_t find_target(const char *s, size_t n, size_t *at)
{
	static const char *const places[] = {"Profile at ", "Block at ", "Function "};
	static const char lead[] = "Program: ";

	for (size_t i = 0; i < COUNT(places); i++)
		if (begins(s, s + n, places[i]))
			return 0;
	*at = begins(s, s + n, lead) ? sizeof(lead) - 1 : 0;
	return n - *at;
}

/* An interpreter or a launcher with arguments, or any program with options. */
static bool looks_like_one(const char *s, size_t n)
{
	const char *p = s, *end = s + n;
	struct cmdline_word w;
	bool program;

	if (!next_word(&p, end, &w))
		return false;
	program = is_interpreter(&w) || is_launcher(&w) || is_script(&w) || is_assignment(&w);
	while (next_word(&p, end, &w))
		if (program || (w.n > 2 && w.s[0] == '-' && w.s[1] == '-'))
			return true;
	return false;
}

size_t cmdline_find(enum cmdline_form form, const char *s, size_t n, size_t *at)
{
	*at = 0;
	switch (form) {
	case CMDLINE_TARGET:
		return find_target(s, n, at);
	case CMDLINE_PROCESS:
		return find_process(s, n, at);
	case CMDLINE_NAME:
		return looks_like_one(s, n) ? n : 0;
	default:
		return n;
	}
}
