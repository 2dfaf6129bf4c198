/* options.c - all options, in the order of --help; see base/opt.h */
#include <stddef.h>
#include <string.h>

#include "base/i18n.h"
#include "cmd/cmd.h"

#define VIEWS (CMD_OPEN | CMD_REPORT | CMD_PRINT | CMD_WHATIF | CMD_SUMMARY | CMD_DIFF)
#define AT(member) offsetof(struct options, member)

static const char *const formats[] = { "table", "csv", "json", "md", NULL };
static const char *const langs[] = { "en", "zh_CN", NULL };
static const char *const colors[] = { "auto", "always", "never", "16", "256", NULL };

const struct opt_def option_table[] = {
	{ "output", 'o', OPT_STRING, "DIR", NULL, AT(output), 0, CMD_REPORT | CMD_OPEN | CMD_DIFF,
		N_("where the reports go (default: ./profdive-report); of diff: 07_comparison.md") },
	{ "html", 0, OPT_FLAG, NULL, NULL, AT(html), 0, CMD_REPORT,
		N_("also write one page with the documents and charts: profdive-report.html") },
	{ "force", 0, OPT_FLAG, NULL, NULL, AT(force), 0, CMD_REPORT | CMD_OPEN | CMD_DIFF,
		N_("write into a folder that others may write to, too: they can replace what is written there") },
	{ "window", 'w', OPT_STRING, "W", NULL, AT(window), 0, VIEWS,
		N_("what time: steady (default), all, step:N, steps:A-B, time:A..B as in time:12.5ms..80ms") },
	{ "steps", 0, OPT_STRING, "A-B", NULL, AT(steps), 0, VIEWS,
		N_("load only these steps (ProfilerStep annotations), in less time and memory than all of a large file") },
	{ "from", 0, OPT_STRING, "T", NULL, AT(from), 0, VIEWS, N_("load only what comes so long after the first event: 1.5s") },
	{ "to", 0, OPT_STRING, "T", NULL, AT(to), 0, VIEWS, N_("load only what comes before") },
	{ "by", 0, OPT_STRING, "DIM", NULL, AT(by), 0, VIEWS,
		N_("split rows by step, phase, microbatch, thread, process, device or rank; all merges ranks") },
	{ "partition", 0, OPT_STRING, "P", NULL, AT(partition), 0, CMD_PRINT,
		N_("of breakdown: cpu (default), gpu:N, joint:N; of gaps: compute, where no kernel computes") },
	{ "change", 0, OPT_LIST, "CHANGE", NULL, AT(changes), 0, CMD_PRINT | CMD_WHATIF,
		N_("of whatif, once or more: drop KIND:NAME, scale KIND:NAME FACTOR, async KIND:NAME, overlap KIND:NAME, fuse KIND:NAME, launch NS; KIND is class, kernel, dtype, copy, op, call, level2, annotation or phase") },
	{ "rank", 0, OPT_INT, "N", NULL, AT(rank), 0, VIEWS, N_("only this rank") },
	{ "device", 0, OPT_INT, "N", NULL, AT(device), 0, VIEWS, N_("only this device") },
	{ "thread", 0, OPT_STRING, "ID", NULL, AT(thread), 0, VIEWS, N_("only this thread: TID, PID/TID, or all of a role: main, autograd, loader-worker, pin-memory, comm-watchdog, other") },
	{ "source", 0, OPT_STRING, "NAME", NULL, AT(source), 0, VIEWS,
		N_("which source feeds the view: part of its path, its format, or its number") },
	{ "facts", 0, OPT_LIST, "FILE", NULL, AT(facts), 0, VIEWS,
		N_("facts of the run (parameters, experts, tokens): JSON or lines KEY = VALUE") },
	{ "rules", 0, OPT_LIST, "FILE", NULL, AT(rules), 0, VIEWS, N_("more rules, before the built-in ones") },
	{ "recursive", 'r', OPT_FLAG, NULL, NULL, AT(recursive), 0, VIEWS,
		N_("search folders to the bottom, not one level deep") },
	{ "format", 'f', OPT_CHOICE, "F", formats, AT(format), 0, CMD_PRINT | CMD_WHATIF | CMD_DIFF | CMD_CACHE,
		N_("how rows are written (default: table)") },
	{ "csv-safe", 0, OPT_FLAG, NULL, NULL, AT(csv_safe), 0, CMD_PRINT | CMD_WHATIF | CMD_DIFF | CMD_CACHE | CMD_OPEN,
		N_("in CSV an apostrophe before each text that a spreadsheet would run as a formula") },
	{ "sort", 's', OPT_STRING, "COL[,desc]", NULL, AT(sort), 0, CMD_PRINT | CMD_WHATIF | CMD_DIFF, N_("order of the rows") },
	{ "limit", 'n', OPT_INT, "N", NULL, AT(limit), 0, CMD_PRINT | CMD_WHATIF | CMD_DIFF, N_("at most N rows (0 = all)") },
	{ "filter", 0, OPT_STRING, "EXPR", NULL, AT(filter), 0, CMD_PRINT | CMD_WHATIF | CMD_DIFF,
		N_("only rows that match, as with & in the panes: 'total_ns > 1ms and class = GEMM'") },
	{ "fail-on", 0, OPT_STRING, "EXPR", NULL, AT(fail_on), 0, CMD_DIFF, N_("exit status 5 if something grew by more: step>3%, op:aten::mm>5%, kernel>1ms, with commas") },
	{ "lang", 0, OPT_CHOICE, "LANG", langs, AT(lang), 0, 0, N_("language of screens and reports (default: locale)") },
	{ "color", 0, OPT_CHOICE, "WHEN", colors, AT(color), 0, 0, N_("colours (default: auto)") },
	{ "ascii", 'U', OPT_FLAG, NULL, NULL, AT(ascii), 0, 0, N_("nothing but ASCII on screens and in tables") },
	{ "mouse", 0, OPT_FLAG, NULL, NULL, AT(mouse), 0, CMD_OPEN | CMD_DIFF, N_("take clicks and the wheel") },
	{ "config", 0, OPT_STRING, "FILE", NULL, AT(config), 0, CMD_OPEN | CMD_DIFF,
		N_("settings and keys from here (default: $XDG_CONFIG_HOME/profdive/config; with --script none)") },
	{ "session", 0, OPT_STRING, "FILE", NULL, AT(session), 0, CMD_OPEN, N_("go on from where :w FILE was typed: files, window, pane, marks") },
	{ "script", 0, OPT_STRING, "FILE", NULL, AT(script), 0, CMD_OPEN | CMD_DIFF,
		N_("run the explorer from a key script, without a terminal") },
	{ "screen", 0, OPT_STRING, "WxH", NULL, AT(screen), 0, CMD_OPEN | CMD_DIFF, N_("size of a script's screen (default: 80x24); without a script: write the first screen and end") },
	{ "jobs", 'j', OPT_INT, "N", NULL, AT(jobs), 0, VIEWS, N_("threads that load (0 = one per processor, at most 8)") },
	{ "max-mem", 0, OPT_BYTES, "SIZE", NULL, AT(max_mem), 1, 0, N_("use no more memory than this: 4GB") },
	{ "show-args", 0, OPT_FLAG, NULL, NULL, AT(show_args), 0, VIEWS,
		N_("command lines with their arguments, on screens and in what is written; what looks like a secret stays masked") },
	{ "no-cache", 0, OPT_FLAG, NULL, NULL, AT(no_cache), 0, VIEWS, N_("neither read nor write the reopen cache") },
	{ "log", 0, OPT_STRING, "FILE", NULL, AT(log), 0, 0, N_("messages into this file as well") },
	{ "debug", 0, OPT_STRING, "DOMAINS", NULL, AT(debug), 0, 0, N_("tell more; domains: load") },
	{ "help", 'h', OPT_FLAG, NULL, NULL, AT(help), 0, 0, N_("this text; after a command, that of the command") },
	{ "version", 'V', OPT_FLAG, NULL, NULL, AT(version), 0, 0, N_("the version") },
	{ 0 }
};

const struct command *command_find(const struct command *c, const char *name)
{
	for (; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}
