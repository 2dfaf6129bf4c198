/*
 * fuzz_nsys.c - the loader of nsys exports on databases that are sound for SQLite and say anything else. The input is text:
 *
 *	T NAME COLUMN...	makes a table (columns without a type: every cell stays what it is)
 *	R CELL...		a row of it: 12, -3, 1.5, "text (to the next blank; ~ stands for one), - = NULL
 *	V NAME TABLE		a view of that name
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS_MAX = 32 };

struct line {
	char *word[WORDS_MAX];
	size_t n;
};

static void split(char *text, struct line *l)
{
	char *at = NULL;

	l->n = 0;
	for (char *w = strtok_r(text, " \t\r", &at); w && l->n < WORDS_MAX; w = strtok_r(NULL, " \t\r", &at))
		l->word[l->n++] = w;
}

/* The text of a statement that SQLite's %w made. */
static void append(struct sbuf *sql, const char *fmt, const char *word)
{
	char *s = sqlite3_mprintf(fmt, word);

	sbuf_puts(sql, s ? s : "");
	sqlite3_free(s);
}

static void make_table(sqlite3 *h, const struct line *l)
{
	struct sbuf sql = { 0 };

	append(&sql, "CREATE TABLE \"%w\" (", l->word[1]);
	for (size_t i = 2; i < l->n; i++)
		append(&sql, i > 2 ? ",\"%w\"" : "\"%w\"", l->word[i]);
	sbuf_putc(&sql, ')');
	sqlite3_exec(h, sql.s, NULL, NULL, NULL);
	sbuf_fini(&sql);
}

static void bind(sqlite3_stmt *st, int at, char *cell)
{
	if (*cell == '"') {
		for (char *c = cell; *c; c++)
			*c = *c == '~' ? ' ' : *c;
		sqlite3_bind_text(st, at, cell + 1, -1, SQLITE_TRANSIENT);
	} else if (!strcmp(cell, "-")) {
		sqlite3_bind_null(st, at);
	} else if (*cell == 'x') {
		sqlite3_bind_blob(st, at, cell + 1, (int)strlen(cell + 1), SQLITE_TRANSIENT);
	} else if (strpbrk(cell, ".eE")) {
		sqlite3_bind_double(st, at, strtod(cell, NULL));
	} else {
		sqlite3_bind_int64(st, at, strtoll(cell, NULL, 0));
	}
}

static void add_row(sqlite3 *h, const char *table, const struct line *l)
{
	struct sbuf sql = { 0 };
	sqlite3_stmt *st = NULL;

	append(&sql, "INSERT INTO \"%w\" VALUES (", table);
	for (size_t i = 1; i < l->n; i++)
		sbuf_puts(&sql, i > 1 ? ",?" : "?");
	sbuf_putc(&sql, ')');
	if (sqlite3_prepare_v2(h, sql.s, -1, &st, NULL) == SQLITE_OK) {
		for (size_t i = 1; i < l->n; i++)
			bind(st, (int)i, l->word[i]);
		sqlite3_step(st);
	}
	sqlite3_finalize(st);
	sbuf_fini(&sql);
}

static void make_view(sqlite3 *h, const struct line *l)
{
	struct sbuf sql = { 0 };

	append(&sql, "CREATE VIEW \"%w\" AS", l->word[1]);
	append(&sql, " SELECT * FROM \"%w\"", l->word[2]);
	sqlite3_exec(h, sql.s, NULL, NULL, NULL);
	sbuf_fini(&sql);
}

static void fill(sqlite3 *h, char *text)
{
	char *at = NULL, table[64] = "";
	int rows = 0;

	for (char *s = strtok_r(text, "\n", &at); s && rows < 500; s = strtok_r(NULL, "\n", &at)) {
		struct line l;

		split(s, &l);
		if (l.n < 2)
			continue;
		if (!strcmp(l.word[0], "T") && l.n > 2 && strlen(l.word[1]) < sizeof(table)) {
			make_table(h, &l);
			memcpy(table, l.word[1], strlen(l.word[1]) + 1);
		} else if (!strcmp(l.word[0], "V") && l.n > 2) {
			make_view(h, &l);
		} else if (!strcmp(l.word[0], "R")) {
			add_row(h, table, &l);
			rows++;
		}
	}
}

static void load(const uint8_t *image, size_t size)
{
	struct profile *p;

	if (fuzz_load(&loader_nsys_sqlite, image, size, &p))
		fuzz_check_views(p, size);
	else
		profile_unref(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sqlite3 *h = NULL;
	sqlite3_int64 n = 0;
	unsigned char *image = NULL;
	char *text;

	if (size > 16384 || sqlite3_open(":memory:", &h) != SQLITE_OK)
		return 0;
	text = malloc(size + 1);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	sqlite3_exec(h, "PRAGMA page_size=512; BEGIN", NULL, NULL, NULL);
	fill(h, text);
	sqlite3_exec(h, "COMMIT", NULL, NULL, NULL);
	image = sqlite3_serialize(h, "main", &n, 0);
	if (image)
		load(image, (size_t)n);
	sqlite3_free(image);
	sqlite3_close(h);
	free(text);
	return 0;
}
