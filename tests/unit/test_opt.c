/* test_opt.c - option tables: parsing, messages with a hint, help, completion data */
#include "base/opt.h"

#include <stddef.h>

#include "base/err.h"
#include "tests/lib/tap.h"

struct values {
	bool flag, quiet;
	const char *name, *mode;
	struct opt_list files;
	int64_t count, mem;
};

enum { CMD_A = 1, CMD_B = 2 };

static const char *const modes[] = { "table", "csv", NULL };
static const struct opt_def defs[] = {
	{ "flag", 'f', OPT_FLAG, NULL, NULL, offsetof(struct values, flag), 0, 0, "a flag" },
	{ "quiet", 'q', OPT_FLAG, NULL, NULL, offsetof(struct values, quiet), 0, CMD_A, "another one" },
	{ "name", 'n', OPT_STRING, "NAME", NULL, offsetof(struct values, name), 0, 0, "a name that needs some words to be explained" },
	{ "file", 0, OPT_LIST, "FILE", NULL, offsetof(struct values, files), 0, 0, "files" },
	{ "count", 'c', OPT_INT, "N", NULL, offsetof(struct values, count), 1, CMD_B, "a number" },
	{ "max-mem", 0, OPT_BYTES, "SIZE", NULL, offsetof(struct values, mem), 1, 0, "a size" },
	{ "mode", 'm', OPT_CHOICE, "M", modes, offsetof(struct values, mode), 0, 0, "a choice" },
	{ 0 }
};

static struct values v;
static struct opt_list operands;
static struct err e;

/* The words of a command line, split at blanks; they live until the next call. */
static bool parse(unsigned command, const char *line)
{
	static char buf[256];
	char *argv[32];
	int argc = 0;

	snprintf(buf, sizeof(buf), "%s", line);
	for (char *w = strtok(buf, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	opt_list_fini(&v.files);
	opt_list_fini(&operands);
	v = (struct values){ 0 };
	e = (struct err)ERR_INIT;
	return opt_parse(defs, command, argc, argv, &v, &operands, &e);
}

static void test_forms(void)
{
	ok(parse(0, "--name x -c7 in --file=a out --file b -fq -m csv --max-mem=4GB"), "all forms at once: %s", e.text);
	is_str(v.name, "x", "--name VALUE");
	is_int(v.count, 7, "-cVALUE");
	ok(v.flag && v.quiet, "two flags in one word");
	is_str(v.mode, "csv", "-m VALUE");
	is_int(v.mem, 4000000000, "a size with a unit");
	ok(v.files.n == 2 && !strcmp(v.files.a[0], "a") && !strcmp(v.files.a[1], "b"), "a list keeps its order");
	ok(operands.n == 2 && !strcmp(operands.a[0], "in") && !strcmp(operands.a[1], "out"), "operands between options");
	ok(parse(0, "-n -x --name= - -- --flag -f"), "odd values and operands");
	is_str(v.name, "", "a value may be empty, and the last one counts");
	ok(operands.n == 3 && !strcmp(operands.a[0], "-") && !strcmp(operands.a[1], "--flag"), "- is an operand, -- ends the options");
	ok(!v.flag, "behind -- nothing is an option");
	ok(parse(0, "") && operands.n == 0, "an empty line");
}

static void test_faults(void)
{
	static const struct {
		unsigned command;
		const char *line, *want;
	} cases[] = {
		{ 0, "--nmae x", "unknown option --nmae (did you mean --name?)" },
		{ 0, "--max x", "unknown option --max (did you mean --max-mem?)" },
		{ 0, "--zzz", "unknown option --zzz" },
		{ 0, "-x", "unknown option -x" },
		{ 0, "-fx", "unknown option -x" },
		{ 0, "--flag=1", "--flag takes no value" },
		{ 0, "--name", "--name needs a value: NAME" },
		{ 0, "-n", "--name needs a value: NAME" },
		{ 0, "--count 0", "--count takes a whole number from 1 on, not \"0\"" },
		{ 0, "--count=5x", "--count takes a whole number from 1 on, not \"5x\"" },
		{ 0, "--count 99999999999999999999", "--count takes a whole number from 1 on, not \"99999999999999999999\"" },
		{ 0, "--max-mem lots", "--max-mem takes a size such as 4GB, not \"lots\"" },
		{ 0, "--mode xml", "--mode takes one of table, csv, not \"xml\"" },
		{ CMD_A, "--count 3", "--count has no meaning for this command" },
		{ CMD_B, "-q", "--quiet has no meaning for this command" },
		/* an option of another command is no hint */
		{ CMD_B, "--quite", "unknown option --quite" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool held = parse(cases[i].command, cases[i].line);

		ok(!held && e.code == ERR_USAGE, "\"%s\" is a usage error", cases[i].line);
		is_str(e.text, cases[i].want, "and says why");
	}
	ok(parse(CMD_B, "--count 3") && v.count == 3, "the command that has it takes it");
}

static void test_help(void)
{
	struct sbuf b = { 0 };

	opt_help(&b, defs, CMD_B, 50);
	is_str(sbuf_str(&b),
		"  -f, --flag            a flag\n"
		"  -n, --name NAME       a name that needs some\n"
		"                        words to be explained\n"
		"      --file FILE       files\n"
		"  -c, --count N         a number\n"
		"      --max-mem SIZE    a size\n"
		"  -m, --mode table|csv  a choice\n", "help of one command, wrapped");
	sbuf_reset(&b);
	opt_completion(&b, defs, CMD_A);
	is_str(sbuf_str(&b),
		"--flag\t-f\t\t\ta flag\n"
		"--quiet\t-q\t\t\tanother one\n"
		"--name\t-n\tNAME\t\ta name that needs some words to be explained\n"
		"--file\t\tFILE\t\tfiles\n"
		"--max-mem\t\tSIZE\t\ta size\n"
		"--mode\t-m\tM\ttable csv\ta choice\n", "completion data");
	sbuf_fini(&b);
}

static void test_nearest(void)
{
	static const char *const views[] = { "kernels", "memcpy", "memset", "gpu", NULL };

	is_str(opt_nearest("kernals", views), "kernels", "one letter wrong");
	is_str(opt_nearest("mem", views), "memcpy", "a beginning");
	is_str(opt_nearest("gpus", views), "gpu", "one letter too many");
	is_str(opt_nearest("timeline", views), NULL, "nothing is near");
	is_str(opt_nearest("a-word-that-is-far-too-long-to-be-compared", views), NULL, "long words are left alone");
}

int main(void)
{
	test_forms();
	test_faults();
	test_help();
	test_nearest();
	opt_list_fini(&v.files);
	opt_list_fini(&operands);
	return done_testing();
}
