/* test_out.c - tables on streams: text, CSV, JSON, Markdown (report/out.h) */
#include "report/out.h"

#include <errno.h>

#include "base/text.h"
#include "tests/lib/tap.h"

static const struct column_def cols[] = {
	{"name", "Name", UNIT_TEXT, COL_NAME | COL_KEY, 0, ""},
	{"class", "Class", UNIT_TEXT, 0, 0, ""},
	{"total_ns", "Total", UNIT_NS, 0, 0, ""},
	{"share", "Share|%", UNIT_RATIO, 0, 0, ""},
	{"tc", "TC", UNIT_BOOL, 0, 0, ""},
	{"source", "Source", UNIT_TEXT, COL_JSON_ONLY, 0, ""},
};
enum {
	C_NAME,
	C_CLASS,
	C_TOTAL,
	C_SHARE,
	C_TC,
	C_SOURCE,
	N_COLS
};

static struct table *make(void)
{
	struct table *t = table_new("kernels", cols, N_COLS);
	uint32_t r = table_row(t);

	table_cstr(t, r, C_NAME, "gemm<4, a|b>");
	table_cstr(t, r, C_CLASS, "GEMM");
	table_i64(t, r, C_TOTAL, 12340000);
	table_f64(t, r, C_SHARE, 0.97);
	table_bool(t, r, C_TC, true);
	table_cstr(t, r, C_SOURCE, "a,b");
	r = table_row(t);
	table_str(t, r, C_NAME, "x\0\xff\"q\"\n", 7);
	table_i64(t, r, C_TOTAL, 0);
	table_cstr(t, r, C_CLASS, "");
	table_note(t, "one \"note\"");
	table_source(t, "dir/a.sqlite");
	t->window_kind = "steady";
	t->start_ns = 5;
	t->end_ns = 105;
	t->wall_ns = 90;
	return t;
}

/* What out_table writes; the caller frees nothing, the text lives until the next call. */
static const char *written(enum out_format fmt, const struct table *t, const struct table_view *v,
			   size_t *n)
{
	static char buf[65536];
	FILE *f = tmpfile();
	struct err e = ERR_INIT;

	if (!out_table(f, fmt, t, v, &e))
		diag("%s", e.text);
	rewind(f);
	*n = fread(buf, 1, sizeof(buf) - 1, f);
	buf[*n] = '\0';
	fclose(f);
	return buf;
}

static void is_written(enum out_format fmt, const struct table *t, const char *want,
		       const char *name)
{
	size_t n;
	const char *got = written(fmt, t, NULL, &n);

	is_str(got, want, "%s", name);
	is_uint(n, strlen(want), "%s: length", name);
}

static void test_json(void)
{
	struct table *t = make();

	is_written(OUT_JSON, t,
		   "{\"view\": \"kernels\", \"window\": {\"kind\": \"steady\", \"start_ns\": 5, "
		   "\"end_ns\": 105, \"wall_ns\": 90}, "
		   "\"sources\": [\"dir/a.sqlite\"], \"columns\": [{\"id\": \"name\", \"title\": "
		   "\"Name\", \"unit\": \"\"}, "
		   "{\"id\": \"class\", \"title\": \"Class\", \"unit\": \"\"}, {\"id\": "
		   "\"total_ns\", \"title\": \"Total\", \"unit\": \"ns\"}, "
		   "{\"id\": \"share\", \"title\": \"Share|%\", \"unit\": \"ratio\"}, {\"id\": "
		   "\"tc\", \"title\": \"TC\", \"unit\": \"\"}, "
		   "{\"id\": \"source\", \"title\": \"Source\", \"unit\": \"\"}], \"rows\": [\n"
		   " {\"name\": \"gemm<4, a|b>\", \"class\": \"GEMM\", \"total_ns\": 12340000, "
		   "\"share\": 0.97, \"tc\": true, \"source\": \"a,b\"},\n"
		   " {\"name\": \"x\\u0000\xef\xbf\xbd\\\"q\\\"\\n\", \"class\": \"\", "
		   "\"total_ns\": 0, \"share\": null, \"tc\": null, \"source\": null}], "
		   "\"notes\": [\"one \\\"note\\\"\"]}\n",
		   "JSON");
	table_free(t);
	t = table_new("x", cols, 1);
	is_written(OUT_JSON, t,
		   "{\"view\": \"x\", \"window\": {\"kind\": null, \"start_ns\": 0, \"end_ns\": 0, "
		   "\"wall_ns\": 0}, \"sources\": [], "
		   "\"columns\": [{\"id\": \"name\", \"title\": \"Name\", \"unit\": \"\"}], "
		   "\"rows\": [], \"notes\": []}\n",
		   "JSON of nothing");
	table_free(t);
}

static void test_csv(void)
{
	struct table *t = make();

	is_written(OUT_CSV, t,
		   "name,class,total_ns,share,tc,source\r\n"
		   "\"gemm<4, a|b>\",GEMM,12340000,0.97,true,\"a,b\"\r\n"
		   "\"x\\x00\\xff\"\"q\"\"\n\",\"\",0,,,\r\n",
		   "CSV: commas, quotes and line breaks quoted, unknown empty");
	table_free(t);
}

/* What a spreadsheet would run gets an apostrophe, figures do not; nothing changes without the option. */
static void test_csv_safe(void)
{
	static const char *const names[] = { "=1+1", "+a", "-b", "@c", "\td", "\re", "\n=f", "g=1", " =h", "" };
	struct table *t = table_new("kernels", cols, C_TOTAL + 1);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint32_t r = table_row(t);

		table_cstr(t, r, C_NAME, names[i]);
		table_i64(t, r, C_TOTAL, -5);
	}
	is_written(OUT_CSV, t,
		   "name,class,total_ns\r\n=1+1,,-5\r\n+a,,-5\r\n-b,,-5\r\n@c,,-5\r\n\td,,-5\r\n"
		   "\"\re\",,-5\r\n\"\n=f\",,-5\r\ng=1,,-5\r\n\" =h\",,-5\r\n\"\",,-5\r\n",
		   "CSV: names are as they are");
	out_csv_set_safe(true);
	is_written(OUT_CSV, t,
		   "name,class,total_ns\r\n'=1+1,,-5\r\n'+a,,-5\r\n'-b,,-5\r\n'@c,,-5\r\n'\td,,-5\r\n"
		   "\"'\re\",,-5\r\n\"'\n=f\",,-5\r\ng=1,,-5\r\n\" =h\",,-5\r\n\"\",,-5\r\n",
		   "CSV, safe: an apostrophe before what would be run");
	out_csv_set_safe(false);
	table_free(t);
}

static void test_text(void)
{
	struct table *t = make();

	is_written(OUT_TABLE, t,
		   "Class     Total  Share|%  TC   Name\n"
		   "GEMM   12.34 ms   97.0 %  yes  gemm<4, a|b>\n"
		   "              0        \xe2\x80\x93  \xe2\x80\x93    x\\x00\\xff\"q\"\\x0a\n"
		   "\n"
		   "* one \"note\"\n",
		   "text: figures to the right, names last, notes below");
	table_free(t);
}

static void test_md(void)
{
	struct table *t = make();

	is_written(OUT_MD, t,
		   "| Class |    Total | Share\\|% | TC  | Name               |\n"
		   "| ----- | -------: | -------: | --- | ------------------ |\n"
		   "| GEMM  | 12.34 ms |   97.0 % | yes | `gemm<4, a\\|b>`    |\n"
		   "|       |        0 |        \xe2\x80\x93 | \xe2\x80\x93   | "
		   "`x\\x00\\xff\"q\"\\x0a` |\n"
		   "\n"
		   "* one \"note\"\n",
		   "Markdown");
	table_free(t);
}

static void test_md_name(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{"cudaLaunchKernel", "cudaLaunchKernel"},
		{"aten::_to_copy", "`aten::_to_copy`"},
		{"a`b", "`` a`b ``"},
		{"`", "`` ` ``"},
		{"a``b`", "``` a``b` ```"},
		{"a|b", "`a\\|b`"},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sbuf b = {0};

		out_md_name(&b, cases[i].in, strlen(cases[i].in));
		is_str(sbuf_str(&b), cases[i].want, "Markdown name %s", cases[i].in);
		sbuf_fini(&b);
	}
}

static struct table *make_tree(void)
{
	static const struct column_def tree_cols[] = {
		{"name", "Name", UNIT_TEXT, COL_NAME, 0, ""},
		{"count", "Count", UNIT_COUNT, 0, 0, ""},
	};
	static const char *const names[] = {"root", "kid", "grandkid", "second"};
	static const uint32_t parents[] = {ROW_NONE, 0, 1, 0};
	struct table *t = table_new("optree", tree_cols, 2);

	for (uint32_t i = 0; i < 4; i++) {
		table_cstr(t, table_row(t), 0, names[i]);
		table_i64(t, i, 1, i + 1);
		table_set_parent(t, i, parents[i]);
	}
	return t;
}

static void test_tree(void)
{
	struct table *t = make_tree();
	struct table_view v;
	size_t n;

	is_written(OUT_TABLE, t,
		   "Count  Name\n    1  root\n    2    kid\n    3      grandkid\n    4    second\n",
		   "a tree is indented");
	is_written(OUT_MD, t,
		   "| Count | Name         |\n| ----: | ------------ |\n|     1 | root         "
		   "|\n|     2 | \xc2\xb7 kid        |\n"
		   "|     3 | \xc2\xb7 \xc2\xb7 grandkid |\n|     4 | \xc2\xb7 second     |\n",
		   "in Markdown by dots");
	table_view_make(&v, t, 1, true, NULL, 2);
	is_str(written(OUT_CSV, t, &v, &n), "name,count\r\nroot,1\r\nsecond,4\r\n",
	       "the rows of a view, in its order");
	table_view_fini(&v);
	table_free(t);
}

static void test_wide(void)
{
	static const struct column_def wide_cols[] = {
		{"op", "Op", UNIT_TEXT, COL_NAME, 0, ""},
		{"kernel", "Kernel", UNIT_TEXT, COL_NAME, 0, ""},
	};
	struct table *t = table_new("x", wide_cols, 2);
	char name[101], want[256];

	memset(name, 'k', 100);
	name[100] = '\0';
	table_row(t);
	table_cstr(t, 0, 0, name);
	table_cstr(t, 0, 1, name);
	/* 48 columns: 24, the ellipsis, 23 */
	snprintf(want, sizeof(want), "Op%46s  Kernel\n%.24s\xe2\x80\xa6%.23s  %s\n", "", name, name,
		 name);
	is_written(OUT_TABLE, t, want, "the last name is whole, the others are cut");
	table_cstr(t, 0, 0, "\xe7\xae\x97\xe5\xad\x90");
	snprintf(want, sizeof(want), "Op    Kernel\n\xe7\xae\x97\xe5\xad\x90  %s\n", name);
	is_written(OUT_TABLE, t, want, "wide characters are aligned by columns");
	table_free(t);
}

static void test_errors(void)
{
	struct table *t = make();
	struct err e = ERR_INIT;
	enum out_format fmt = OUT_MD;

	ok(out_format_find("json", &fmt) && fmt == OUT_JSON, "format by name");
	ok(!out_format_find("xml", &fmt) && fmt == OUT_JSON, "no such format");
	for (int i = OUT_TABLE; i <= OUT_MD; i++) {
		FILE *full = fopen("/dev/full", "w");

		if (!full) {
			skip(1, "no /dev/full");
			continue;
		}
		ok(!out_table(full, (enum out_format)i, t, NULL, &e) && e.code == ERR_IO &&
			   e.sys == ENOSPC,
		   "format %d: a full disk is reported", i);
		fclose(full);
	}
	table_free(t);
}

int main(void)
{
	test_json();
	test_csv();
	test_csv_safe();
	test_text();
	test_md();
	test_md_name();
	test_tree();
	test_wide();
	test_errors();
	return done_testing();
}
