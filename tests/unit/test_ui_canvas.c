/* test_ui_canvas.c - cells: clipping, wide characters, escapes, bars, ASCII mode, wrapping; layout; keys and actions. */
#include "tests/lib/tap.h"

#include <math.h>

#include "base/text.h"
#include "ui/screen/canvas.h"
#include "ui/screen/keymap.h"
#include "ui/screen/needle.h"
#include "ui/screen/settings.h"
#include "ui/screen/style.h"
#include "ui/widgets/layout.h"
#include "ui/widgets/prompt.h"

static char *dump(const struct grid *g)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	grid_dump_text(g, f);
	fclose(f);
	return text;
}

static void is_dump(const struct grid *g, const char *want, const char *what)
{
	char *text = dump(g);

	is_str(text, want, "%s", what);
	free(text);
}

static void test_text(void)
{
	struct grid g;
	struct canvas c, sub;

	grid_init(&g, 8, 2);
	c = canvas_whole(&g);
	is_int(canvas_puts(&c, 0, 0, ST_NORMAL, "a\033b"), 6, "an escape takes four columns");
	is_dump(&g, "a\\x1bb\n\n", "control bytes are shown, not sent");
	grid_clear(&g);
	canvas_puts(&c, 7, 0, ST_NORMAL, "\xe6\x97\xa5");
	is_dump(&g, "\n\n", "half a wide character is not drawn");
	canvas_puts(&c, 0, 0, ST_NORMAL, "\xe6\x97\xa5\xe6\x9c\xac");
	canvas_puts(&c, 1, 0, ST_NORMAL, "x");
	is_dump(&g, " x\xe6\x9c\xac\n\n", "writing on one half removes the other");
	grid_clear(&g);
	sub = canvas_sub(&c, (struct rect){ 2, 0, 3, 1 });
	canvas_puts(&sub, -1, 0, ST_NORMAL, "abcdefgh");
	canvas_puts(&sub, 0, 1, ST_NORMAL, "zzz");
	is_dump(&g, "  bcd\n\n", "nothing outside the rectangle");
	grid_fini(&g);
}

static void test_bar(void)
{
	struct grid g;
	struct canvas c;

	grid_init(&g, 10, 1);
	c = canvas_whole(&g);
	canvas_bar(&c, 0, 0, 10, ST_BAR, 0.55);
	is_dump(&g, "█████▌\n", "bars in eighths");
	g.ascii = true;
	grid_clear(&g);
	canvas_bar(&c, 0, 0, 10, ST_BAR, 0.5);
	canvas_puts(&c, 6, 0, ST_NORMAL, "–…");
	is_dump(&g, "##### -~\n", "ASCII stands in for our symbols");
	grid_clear(&g);
	canvas_bar(&c, 0, 0, 10, ST_BAR, 0.001);
	is_dump(&g, "#\n", "a bar of little is not a bar of nothing");
	grid_fini(&g);
}

static void test_wrap(void)
{
	size_t skip;

	is_int((int)canvas_wrap("one two three", 13, 8, &skip), 7, "breaks at a blank");
	is_int((int)skip, 1, "and swallows it");
	is_int((int)canvas_wrap("onetwothree", 11, 4, &skip), 4, "a long word is broken");
	is_int((int)canvas_wrap("short", 5, 8, &skip), 5, "what fits stays whole");
	is_int((int)canvas_wrap("\xe6\x97\xa5\xe6\x9c\xac", 6, 3, &skip), 3, "wide characters count two columns");
}

static void test_layout(void)
{
	int bad = 0;
	struct screen_layout l = layout_make(80, 24, 3);

	is_int(l.n_panes, 1, "80x24: one pane");
	is_int(l.pane[0].h, 19, "80x24: 19 rows of body");
	is_int(layout_make(120, 30, 3).n_panes, 2, "120 columns: two panes");
	is_int(layout_make(160, 48, 3).n_panes, 3, "160x48: three panes");
	is_int(layout_make(160, 47, 3).n_panes, 2, "160x47: two panes");
	for (int w = 0; w < 220; w += 7) {
		for (int h = 0; h < 70; h++) {
			int rows;

			l = layout_make(w, h, 3);
			rows = l.title.h + l.strip.h + l.tabs.h + l.status.h + l.keys.h + l.pane[0].h;
			bad += rows != h || (h && l.pane[0].h < 1);
			for (int i = 0; i < l.n_panes; i++)
				bad += l.pane[i].x < 0 || l.pane[i].x + l.pane[i].w > w || l.pane[i].y + l.pane[i].h > h;
		}
	}
	is_int(bad, 0, "every size is filled exactly, with at least one row of body");
}

static void test_keys(void)
{
	struct keymap m;
	char name[16], keys[64];
	int bad = 0, unnamed = 0;

	keymap_init(&m);
	/* one meaning per key: as many bindings as default keys in the table */
	for (enum action a = ACT_NONE + 1; a < ACT_N; a++) {
		const char *s = action_get(a)->keys;

		while (*s) {
			size_t n = strcspn(s, " ");
			ui_key k = keymap_key(s, n);

			bad += !k || keymap_find(&m, k) != a;
			unnamed += strlen(keymap_key_name(k, name, sizeof(name))) != n || memcmp(name, s, n) != 0;
			s += n + strspn(s + n, " ");
		}
		bad += action_find(action_get(a)->name, strlen(action_get(a)->name)) != a;
	}
	is_int(bad, 0, "every default key means one action, every name finds its action");
	is_int(unnamed, 0, "the name of a key reads back");
	is_str(keymap_keys(&m, ACT_DOWN, keys, sizeof(keys)), "j Down", "keys of an action");
	is_int(keymap_find(&m, 3), ACT_CANCEL, "C-c");
	keymap_bind(&m, 'j', ACT_UP);
	is_int(keymap_find(&m, 'j'), ACT_UP, "rebinding replaces");
}

static void press(struct prompt *p, const char *s)
{
	for (; *s; s++)
		prompt_key(p, (ui_key)*s);
}

static void test_prompt(void)
{
	static struct prompt p;

	prompt_open(&p, PROMPT_SEARCH, "");
	press(&p, "foo baar");
	prompt_key(&p, UK_LEFT);
	prompt_key(&p, KEY_BS_);
	is_str(p.text, "foo bar", "editing in the middle");
	prompt_key(&p, 23);
	is_str(p.text, "foo r", "C-w takes the word before the cursor");
	is_int(prompt_key(&p, KEY_ENTER_), PROMPT_ACCEPT, "Enter accepts");
	prompt_open(&p, PROMPT_SEARCH, "");
	prompt_key(&p, UK_UP);
	is_str(p.text, "foo r", "Up recalls");
	prompt_key(&p, UK_DOWN);
	is_str(p.text, "", "Down comes back");
	prompt_key(&p, UK_PASTE_BEGIN);
	prompt_key(&p, 'a');
	is_int(prompt_key(&p, KEY_ENTER_), PROMPT_GOES_ON, "a pasted line end does not run anything");
	prompt_key(&p, UK_PASTE_END);
	is_int(prompt_key(&p, KEY_ESC_), PROMPT_CANCEL, "Esc cancels");
	prompt_open(&p, PROMPT_COMMAND, "");
	for (int i = 0; i < 400; i++)
		prompt_key(&p, 0x65e5);
	ok(strlen(p.text) < PROMPT_BYTES && text_valid(p.text, strlen(p.text)), "a long line stays whole characters");
}

static void test_needle(void)
{
	static struct needle n;
	size_t at, len;

	needle_set(&n, "ge+mm");
	ok(needle_match(&n, "a GEMM\0x", 8, &at, &len) && at == 2 && len == 4, "small letters find both cases");
	needle_set(&n, "GEMM");
	ok(!needle_match(&n, "gemm", 4, NULL, NULL), "a capital minds the case");
	needle_set(&n, "a(b");
	ok(needle_match(&n, "xa(b", 4, NULL, NULL), "what is no expression is plain text");
	needle_fini(&n);
}

/* Red, green, blue of a colour of the 256: the cube of 6 x 6 x 6, then 24 greys. 0-15 are the user's own. */
static void rgb256(int c, double *rgb)
{
	static const int level[] = { 0, 95, 135, 175, 215, 255 };

	for (int i = 0; i < 3; i++)
		rgb[i] = c >= 232 ? 8 + 10 * (c - 232) : level[(c - 16) / (i == 0 ? 36 : i == 1 ? 6 : 1) % 6];
}

/* Relative luminance and contrast as WCAG 2 defines them (colours of this kind are never in its linear part). */
static double luminance(int c)
{
	static const double weight[] = { 0.2126, 0.7152, 0.0722 };
	double rgb[3], sum = 0;

	rgb256(c, rgb);
	for (int i = 0; i < 3; i++)
		sum += weight[i] * pow((rgb[i] / 255 + 0.055) / 1.055, 2.4);
	return sum;
}

static void test_themes(void)
{
	int pale = 0, dark = 0, colored = 0;

	for (uint8_t id = 0; id < ST_N; id++) {
		struct style_color light = style_color(id, THEME_LIGHT, 256), contrast = style_color(id, THEME_CONTRAST, 256);

		if (light.fg >= 16 && 1.05 / (luminance(light.fg) + 0.05) < 4.5)
			pale++;
		if (contrast.bg != 16 || contrast.fg < 16 || (luminance(contrast.fg) + 0.05) / 0.05 < 7)
			dark++;
		colored += style_color(id, THEME_MONO, 256).fg >= 0;
		for (int theme = 0; theme < THEME_N; theme++)
			if (style_color(id, theme, 8).fg >= 8)
				fail("style %d in theme %d has a colour that a terminal of 8 lacks", id, theme);
	}
	is_int(pale, 0, "theme light: every colour at least 4.5 : 1 on white");
	is_int(dark, 0, "theme contrast: every colour at least 7 : 1 on its black");
	is_int(colored, 0, "theme mono has none");
	is_int(style_color(ST_C_GEMM, THEME_DEFAULT, 256).fg, 214, "default: orange");
	is_int(style_color(ST_C_GEMM, THEME_DEFAULT, 16).fg, 3, "and yellow of 16");
}

int main(void)
{
	test_themes();
	test_text();
	test_bar();
	test_wrap();
	test_layout();
	test_keys();
	test_prompt();
	test_needle();
	return done_testing();
}
