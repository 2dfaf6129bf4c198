/* main.c - finds the command, parses its options, prepares the process, runs it */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "report/out.h"

/* ---- the process ------------------------------------------------------------------------------- */

/* Memory has ended: nothing here may ask for any. */
static void out_of_memory(size_t wanted)
{
	static const char text[] = "profdive: out of memory\n";

	(void)wanted;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_MEMORY);
	_exit(EXIT_MEMORY);
}

/* A closed stdin, stdout or stderr must not become the number of a file that we open. Writing to it fails, as it should. */
static void fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* LANGUAGE chooses the catalogue, but counts only outside the C locale. */
static void set_language(const char *lang)
{
	const char *now;

	setenv("LANGUAGE", lang, 1);
	now = setlocale(LC_MESSAGES, NULL);
	if (now && strcmp(now, "C") != 0 && strcmp(now, "POSIX") != 0)
		return;
	if (!setlocale(LC_MESSAGES, "C.UTF-8"))
		setlocale(LC_MESSAGES, "en_US.UTF-8");
}

/* Data only: maps of files and shared libraries do not count. */
static bool limit_memory(int64_t bytes, struct err *e)
{
	struct rlimit r = { .rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes };

	return setrlimit(RLIMIT_DATA, &r) == 0 || err_sys(e, errno, _("cannot limit the memory"));
}

static bool prepare(const struct options *o, struct err *e)
{
	if (o->lang)
		set_language(o->lang);
	/* what other programs read is not translated, whatever the user's language */
	if (o->format && (!strcmp(o->format, "csv") || !strcmp(o->format, "json")))
		setlocale(LC_MESSAGES, "C");
	if (o->ascii)
		text_set_ascii(true);
	out_csv_set_safe(o->csv_safe);
	outfile_policy(o->force, msg_warn);
	if (o->log && !msg_open_log(o->log, e))
		return false;
	return o->max_mem == I64_UNKNOWN || limit_memory(o->max_mem, e);
}

/* ---- the command line -------------------------------------------------------------------------- */

static void options_init(struct options *o)
{
	*o = (struct options){ .rank = I64_UNKNOWN, .device = I64_UNKNOWN, .max_mem = I64_UNKNOWN };
}

static void options_fini(struct options *o)
{
	opt_list_fini(&o->facts);
	opt_list_fini(&o->rules);
	opt_list_fini(&o->changes);
}

/* The first operand decides, so the line is read twice: which options a command takes is known afterwards only. */
static const struct command *choose(int argc, char **argv, struct err *e)
{
	struct opt_list operands = { 0 };
	struct options o;
	const struct command *c = NULL;

	options_init(&o);
	if (opt_parse(option_table, 0, argc, argv, &o, &operands, e))
		c = operands.n ? command_find(commands, operands.a[0]) : NULL;
	opt_list_fini(&operands);
	options_fini(&o);
	return c ? c : &commands[0];
}

static int run(struct invocation *in, const struct opt_list *operands, bool named)
{
	struct err e = ERR_INIT;

	in->args = named ? operands->a + 1 : operands->a;	/* no operand: a is NULL */
	in->n_args = operands->n - named;
	if (!prepare(&in->opt, &e))
		return msg_fail(in->opt.log, &e);
	if (in->opt.version)
		return help_version();
	if (in->opt.help) {
		help_command(in->all, named ? in->command : NULL);
		return EXIT_DONE;
	}
	return in->command->run(in);
}

int main(int argc, char **argv)
{
	struct invocation in = { 0 };
	struct opt_list operands = { 0 };
	struct err e = ERR_INIT;
	int status;

	fill_standard_fds();
	i18n_init();
	text_set_ascii(strcmp(nl_langinfo(CODESET), "UTF-8") != 0);
	mem_set_oom_handler(out_of_memory);
	signal(SIGPIPE, SIG_DFL);	/* a reader that has enough ends us, as with any tool */
	options_init(&in.opt);
	in.all = commands;
	in.command = choose(argc - 1, argv + 1, &e);
	if (e.code || !opt_parse(option_table, in.command->bit, argc - 1, argv + 1, &in.opt, &operands, &e))
		status = msg_fail(NULL, &e);
	else
		status = run(&in, &operands, operands.n && command_find(commands, operands.a[0]) == in.command);
	opt_list_fini(&operands);
	options_fini(&in.opt);
	status = msg_finish_output(status);
	if (in.ended_by) {
		signal(in.ended_by, SIG_DFL);
		raise(in.ended_by);
	}
	return status;
}
