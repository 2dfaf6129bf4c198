/*
 * term_curses.c - the terminal. The only user of curses: initscr to endwin, keys, colours, the difference of two frames.
 *
 * Everything that a terminal may lack (colour, cursor visibility, mouse) may fail here without harm.
 */
#include "ui/screen/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/guard.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/text.h"
#include "ui/screen/settings.h"
#include "ui/screen/signals.h"
#include "ui/screen/style.h"

enum { CODE_PASTE_BEGIN = KEY_MAX + 1, CODE_PASTE_END, CODE_ALT_RIGHT, CODE_ALT_LEFT, PAIR_BASE = 1 };
enum { SIZE_LIMIT = 4096 };

static struct {
	SCREEN *screen;
	struct grid last;		/* what the terminal shows */
	bool ascii, color, mouse;
	struct termios saved;
	bool have_saved;
} T;

/* Restores the terminal by hand, with async-signal-safe calls only, then dies of the same signal. */
static void on_crash(int sig)
{
	static const char reset[] = "\033[?2004l\033[?1000l\033[?1049l\033[?25h\033[0m\r\n";
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	ssize_t n;

	/* a terminal that takes nothing more must not keep us */
	fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
	n = write(STDOUT_FILENO, reset, sizeof(reset) - 1);
	(void)n;
	fcntl(STDOUT_FILENO, F_SETFL, flags);
	if (T.have_saved)
		tcsetattr(STDIN_FILENO, TCSANOW, &T.saved);
	if (!sig)
		return;
	signal(sig, SIG_DFL);
	raise(sig);
}

/* What the program does to itself; signals.c has the others. SIGBUS, or 0, comes from the guard. */
static const int deadly[] = { SIGSEGV, SIGILL, SIGFPE, SIGABRT };
enum { N_DEADLY = sizeof(deadly) / sizeof(deadly[0]) };
static struct sigaction before[N_DEADLY];
/* A stack that has run out cannot run its handler. */
static char crash_stack[65536];

static void catch_crashes(void)
{
	struct sigaction sa = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = crash_stack, .ss_size = sizeof(crash_stack) };

	sigaltstack(&stack, NULL);
	guard_otherwise(on_crash);
	signals_last_resort(on_crash);
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < N_DEADLY; i++)
		sigaction(deadly[i], &sa, &before[i]);
}

static void leave_crashes(void)
{
	guard_otherwise(NULL);
	signals_last_resort(NULL);
	for (size_t i = 0; i < N_DEADLY; i++)
		sigaction(deadly[i], &before[i], NULL);
}

static bool env_set(const char *name)
{
	const char *v = getenv(name);

	return v && *v;
}

/* Command line > configuration > NO_COLOR > CLICOLOR=0 > TERM=dumb > terminfo; the first two are one setting here. */
static int color_depth(int want)
{
	const char *clicolor = getenv("CLICOLOR"), *term = getenv("TERM");
	int have = tigetnum("colors");

	if (want == COLOR_NEVER)
		return 0;
	if (want == COLOR_16_)
		return have >= 16 ? 16 : have >= 8 ? 8 : 0;
	if (want == COLOR_AUTO && (env_set("NO_COLOR") || (clicolor && !strcmp(clicolor, "0")) ||
	    (term && !strcmp(term, "dumb"))))
		return 0;
	return have >= 256 ? 256 : have >= 16 ? 16 : have >= 8 ? 8 : 0;
}

static void init_colors(int depth, int theme)
{
	bool defaults;

	T.color = depth > 0 && theme != THEME_MONO && has_colors() && start_color() != ERR;
	if (!T.color)
		return;
	defaults = use_default_colors() != ERR;
	for (int i = 0; i < ST_N; i++) {
		struct style_color c = style_color((uint8_t)i, theme, depth);

		if (c.fg < 0)
			c.fg = defaults ? -1 : COLOR_WHITE;
		if (c.bg < 0)
			c.bg = defaults ? -1 : COLOR_BLACK;
		init_pair((short)(PAIR_BASE + i), (short)c.fg, (short)c.bg);
	}
}

/* A depth that the terminal does not have is not taken: its sequences would be wrong. */
static void curses_look(int color, int theme)
{
	init_colors(color_depth(color), theme);
	bkgdset(T.color ? (chtype)COLOR_PAIR(PAIR_BASE + ST_NORMAL) : (chtype)A_NORMAL);
}

static void set_mouse(bool on)
{
	T.mouse = on;
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	if (on)
		mouseinterval(0);
}

static void raw_write(const char *s, size_t n)
{
	fflush(stdout);
	while (n) {
		ssize_t k = write(STDOUT_FILENO, s, n);

		if (k <= 0)
			return;
		s += k;
		n -= (size_t)k;
	}
}

static void enter_modes(void)
{
	static const char paste_on[] = "\033[?2004h";

	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	meta(stdscr, TRUE);
	curs_set(0);
	leaveok(stdscr, FALSE);
	define_key("\033[200~", CODE_PASTE_BEGIN);
	define_key("\033[201~", CODE_PASTE_END);
	define_key("\033[1;3C", CODE_ALT_RIGHT);
	define_key("\033[1;3D", CODE_ALT_LEFT);
	if (!T.ascii)
		raw_write(paste_on, sizeof(paste_on) - 1);
}

enum term_kind { TERM_UNKNOWN, TERM_DUMB, TERM_GOOD };

/* curses would exit on an unknown terminal, and draw garbage on one without cursor addressing (TERM=dumb). */
static enum term_kind kind_of_term(const char *term)
{
	const char *cup;
	bool good;
	int status = 0;

	if (!term || !*term || setupterm(NULL, STDOUT_FILENO, &status) != OK)
		return TERM_UNKNOWN;
	cup = tigetstr("cup");
	good = cup && cup != (const char *)-1 && *cup;
	/* newterm makes one of its own */
	del_curterm(cur_term);
	return good ? TERM_GOOD : TERM_DUMB;
}

static bool curses_open(const struct term_opts *o, struct err *e)
{
	const char *term = getenv("TERM"), *codeset = nl_langinfo(CODESET);
	enum term_kind kind;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, ERR_USAGE, "%s", _("the explorer needs a terminal; `profdive report` and `profdive print` do not"));
	kind = kind_of_term(term);
	if (kind == TERM_UNKNOWN)
		return err_set(e, ERR_USAGE, _("unknown terminal \"%s\": try TERM=xterm-256color"), term ? term : "");
	if (kind == TERM_DUMB)
		return err_set(e, ERR_USAGE, _("terminal \"%s\" cannot show screens: try TERM=xterm-256color"), term);
	memset(&T, 0, sizeof(T));
	T.have_saved = tcgetattr(STDIN_FILENO, &T.saved) == 0;
	(void)o;
	T.ascii = strcmp(codeset, "UTF-8") != 0;
	T.screen = newterm(NULL, stdout, stdin);
	if (!T.screen)
		return err_set(e, ERR_USAGE, _("terminal \"%s\" cannot show screens: try TERM=xterm-256color"), term);
	if (!env_set("ESCDELAY"))
		set_escdelay(25);
	enter_modes();
	catch_crashes();
	grid_init(&T.last, 0, 0);
	return true;
}

static void leave_modes(void)
{
	static const char paste_off[] = "\033[?2004l";

	raw_write(paste_off, sizeof(paste_off) - 1);
	mousemask(0, NULL);
	endwin();
}

static void curses_close(void)
{
	if (!T.screen)
		return;
	leave_modes();
	delscreen(T.screen);
	T.screen = NULL;
	leave_crashes();
	grid_fini(&T.last);
}

/* curses sees no SIGWINCH. Where the line has no size, that of LINES, COLUMNS or terminfo stays. */
static void curses_size(int *w, int *h)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row && ws.ws_col) {
		int rows = ws.ws_row < SIZE_LIMIT ? ws.ws_row : SIZE_LIMIT;
		int cols = ws.ws_col < SIZE_LIMIT ? ws.ws_col : SIZE_LIMIT;

		if (is_term_resized(rows, cols))
			resize_term(rows, cols);
	}
	getmaxyx(stdscr, *h, *w);
}

static int curses_fd(void)
{
	return STDIN_FILENO;
}

static const struct {
	int code;
	ui_key key;
} special[] = {
	{ KEY_UP, UK_UP }, { KEY_DOWN, UK_DOWN }, { KEY_LEFT, UK_LEFT }, { KEY_RIGHT, UK_RIGHT }, { KEY_HOME, UK_HOME },
	{ KEY_END, UK_END }, { KEY_PPAGE, UK_PGUP }, { KEY_NPAGE, UK_PGDN }, { KEY_DC, UK_DEL }, { KEY_IC, UK_INS },
	{ KEY_BTAB, UK_BTAB }, { KEY_ENTER, KEY_ENTER_ }, { KEY_BACKSPACE, KEY_BS_ },
	{ CODE_PASTE_BEGIN, UK_PASTE_BEGIN }, { CODE_PASTE_END, UK_PASTE_END }, { CODE_ALT_RIGHT, UK_RIGHT | KEY_ALT },
	{ CODE_ALT_LEFT, UK_LEFT | KEY_ALT },
};

static struct term_event mouse_event(void)
{
	struct term_event ev = { 0, 0, 0, 0 };
	MEVENT m;

	if (getmouse(&m) != OK)
		return ev;
	ev.x = m.x;
	ev.y = m.y;
	ev.button = m.bstate & BUTTON4_PRESSED ? 4 : m.bstate & BUTTON5_PRESSED ? 5 :
		m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED) ? 1 : 0;
	ev.key = ev.button ? UK_MOUSE : 0;
	return ev;
}

static ui_key function_key(int code)
{
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].code == code)
			return special[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return UK_F1 + (ui_key)(code - KEY_F(1));
	return 0;
}

static struct term_event curses_read(void)
{
	struct term_event ev = { 0, 0, 0, 0 };
	wint_t wc = 0;
	int r = get_wch(&wc);

	if (r == ERR)
		return ev;
	if (r == KEY_CODE_YES) {
		if (wc == KEY_MOUSE)
			return mouse_event();
		ev.key = function_key((int)wc);
		return ev;
	}
	ev.key = wc == '\n' ? KEY_ENTER_ : wc == '\b' ? KEY_BS_ : (ui_key)wc;
	if (!ev.key)
		ev.key = ' ';	/* C-Space */
	return ev;
}

static attr_t cell_attrs(const struct canvas_cell *c)
{
	unsigned a = style_get(c->style)->attrs ^ (c->attrs & ATTR_REVERSE);
	attr_t t = 0;

	a |= c->attrs & ~(unsigned)ATTR_REVERSE;
	if (a & ATTR_BOLD)
		t |= A_BOLD;
	if (a & ATTR_REVERSE)
		t |= A_REVERSE;
	if (a & ATTR_UNDERLINE)
		t |= A_UNDERLINE;
	return t;
}

static void draw_cell(int x, int y, const struct canvas_cell *c)
{
	wchar_t ws[CELL_BYTES + 1];
	size_t n = c->n, k = 0, i = 0;
	cchar_t cc;

	while (i < n && k < CELL_BYTES) {
		uint32_t cp = ' ';
		size_t len = text_decode(c->s + i, n - i, &cp);

		ws[k++] = (wchar_t)cp;
		i += len ? len : 1;
	}
	ws[k] = L'\0';
	if (setcchar(&cc, ws, cell_attrs(c), T.color ? (short)(PAIR_BASE + c->style) : 0, NULL) != ERR)
		mvadd_wch(y, x, &cc);
}

static void curses_flush(const struct grid *g, bool all)
{
	if (all || g->w != T.last.w || g->h != T.last.h) {
		grid_resize(&T.last, g->w, g->h);
		clearok(curscr, TRUE);
		erase();
		all = true;
	}
	for (int y = 0; y < g->h; y++) {
		for (int x = 0; x < g->w; x++) {
			size_t i = (size_t)y * (size_t)g->w + (size_t)x;

			if (!all && !memcmp(&g->cells[i], &T.last.cells[i], sizeof(g->cells[i])))
				continue;
			T.last.cells[i] = g->cells[i];
			if (g->cells[i].n)
				draw_cell(x, y, &g->cells[i]);
		}
	}
	curs_set(g->cursor_x >= 0 ? 1 : 0);
	if (g->cursor_x >= 0)
		move(g->cursor_y, g->cursor_x);
	refresh();
}

static bool curses_ascii(void)
{
	return T.ascii;
}

/* enter_modes() sets the line first, where the system stops a program that is in the background. */
static void take_terminal(void)
{
	enter_modes();
	set_mouse(T.mouse);
	refresh();
}

static void curses_suspend(bool group)
{
	leave_modes();
	leave_crashes();
	signals_stop(group);
	catch_crashes();
	take_terminal();
}

/* Somebody else may have had the terminal since, and set it as they like. */
static void curses_resume(void)
{
	raw();
	leave_modes();
	take_terminal();
}

/* Signals of the keys are the program's; it starts with them as they are by default. */
static int spawn(char *const argv[], pid_t *pid)
{
	posix_spawnattr_t attr;
	sigset_t keys;
	int r;

	sigemptyset(&keys);
	sigaddset(&keys, SIGINT);
	sigaddset(&keys, SIGQUIT);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &keys);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	r = posix_spawnp(pid, argv[0], NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	return r;
}

static bool curses_run(char *const argv[], struct err *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was_int, was_quit;
	pid_t pid;
	int r;

	leave_modes();
	signals_close();
	sigaction(SIGINT, &ignore, &was_int);
	sigaction(SIGQUIT, &ignore, &was_quit);
	r = spawn(argv, &pid);
	while (!r && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &was_int, NULL);
	sigaction(SIGQUIT, &was_quit, NULL);
	signals_open(true);
	take_terminal();
	return !r || err_set(e, ERR_IO, _("cannot run %s: %s"), argv[0], strerror(r));
}

static char *base64(const char *s, size_t n, size_t *out_n)
{
	static const char abc[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *out = xmalloc(n / 3 * 4 + 8), *p = out;

	for (size_t i = 0; i < n; i += 3) {
		unsigned v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (i + k < n ? (unsigned char)s[i + k] : 0u);
		*p++ = abc[v >> 18 & 63];
		*p++ = abc[v >> 12 & 63];
		*p++ = i + 1 < n ? abc[v >> 6 & 63] : '=';
		*p++ = i + 2 < n ? abc[v & 63] : '=';
	}
	*out_n = (size_t)(p - out);
	return out;
}

/* OSC 52: terminals that do not know it ignore it. */
static bool curses_copy(const char *s, size_t n)
{
	const char *term = getenv("TERM");
	char *b64;
	size_t len;

	if (!term || !strcmp(term, "linux") || !strncmp(term, "vt", 2) || n > 65536)
		return false;
	b64 = base64(s, n, &len);
	raw_write("\033]52;c;", 7);
	raw_write(b64, len);
	raw_write("\007", 1);
	free(b64);
	return true;
}

const struct term_ops term_curses = {
	curses_open, curses_close, curses_size, curses_fd, curses_read, curses_flush, curses_ascii, set_mouse, curses_look, curses_suspend,
	curses_resume, curses_run, curses_copy,
};
