/* commands.c - all commands, see cmd.h */
#include "base/i18n.h"
#include "cmd/cmd.h"

const struct command commands[] = {
	{"open", CMD_OPEN, "PATH...", N_("open the explorer on profile files or folders"),
	 cmd_open},
	{"report", CMD_REPORT, "PATH...", N_("write the six markdown documents"), cmd_report},
	{"print", CMD_PRINT, "VIEW PATH...",
	 N_("print one view: the same rows that the pane shows"), cmd_print},
	{"whatif", CMD_WHATIF, "--change CHANGE PATH...",
	 N_("how long a step would be with something changed, by replaying the run"), cmd_whatif},
	{"summary", CMD_SUMMARY, "PATH...",
	 N_("at most 15 lines to paste into a chat: verdict, losses, what to do"), cmd_summary},
	{"diff", CMD_DIFF, "BEFORE[@W] AFTER[@W]",
	 N_("compare two profiles, or two windows of one (run@step:3)"), cmd_diff},
	{"check-rules", CMD_RULES, "[FILE...]", N_("test the rule files against their samples"),
	 cmd_rules},
	{"cache", CMD_CACHE, "list|drop [PATH...]",
	 N_("list or remove what the reopen cache holds"), cmd_cache},
	{"help", CMD_HELP, "[COMMAND|views|options]",
	 N_("explain a command; list the views or the options"), cmd_help},
	{0}};
