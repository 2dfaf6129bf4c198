# gen-complete.awk -v shell=bash|zsh|fish TABLES: the completion file of one shell, for tools/gen-docs.

BEGIN { FS = "\t" }

function quote(s)
{
	gsub(/'/, "'\\''", s)
	return "'" s "'"
}

$1 == "command" {
	command[++commands] = $2
	command_doc[commands] = $4
}

$1 == "option" {
	option[++options] = $2
	letter[options] = $3
	arg[options] = $4
	used[options] = " " $5 " "
	words[options] = $6
	doc[options] = $7
}

$1 == "view" {
	view[++views] = $2
	view_doc[views] = $4
}

$1 == "column" {
	columns[$2] = columns[$2] (columns[$2] == "" ? "" : " ") $3
}

function has(o, c) { return used[o] == "  " || index(used[o], " " c " ") }

# Is there a command in this version that has the option?
function alive(o, i)
{
	for (i = 1; i <= commands; i++)
		if (has(o, command[i]))
			return 1
	return 0
}

function is_file(o) { return arg[o] == "FILE" }
function is_dir(o) { return arg[o] == "DIR" }
function by_column(o) { return option[o] == "sort" || option[o] == "filter" }

function join_views(i, s)
{
	for (i = 1; i <= views; i++)
		s = s (i > 1 ? " " : "") view[i]
	return s
}

function join_commands(i, s)
{
	for (i = 1; i <= commands; i++)
		s = s (i > 1 ? " " : "") command[i]
	return s
}

# "-o|--output", for a case
function names(o) { return (letter[o] == "" ? "" : "-" letter[o] " | ") "--" option[o] }

function valued(i, s)
{
	for (i = 1; i <= options; i++)
		if (arg[i] != "")
			s = s (s == "" ? "" : " | ") names(i)
	return s
}

# ---- bash

function bash_values(i)
{
	print "\tcase $prev in"
	for (i = 1; i <= options; i++) {
		if (arg[i] == "")
			continue
		print "\t" names(i) ")"
		if (is_file(i))
			print "\t\t_profdive_files -f"
		else if (is_dir(i))
			print "\t\t_profdive_files -d"
		else if (by_column(i))
			print "\t\t_profdive_words \"$(_profdive_columns \"$view\")\""
		else if (words[i] != "")
			print "\t\t_profdive_words \"" words[i] "\""
		print "\t\treturn"
		print "\t\t;;"
	}
	print "\tesac"
}

function bash_options(c, i, s)
{
	for (i = 1; i <= options; i++)
		if (has(i, c) && alive(i))
			s = s (s == "" ? "" : " ") (letter[i] == "" ? "" : "-" letter[i] " ") "--" option[i]
	return s
}

function bash(i)
{
	print "# bash completion for profdive; written by tools/gen-docs, edit the program's tables instead"
	print ""
	print "_profdive_columns()"
	print "{"
	print "\tcase $1 in"
	for (i = 1; i <= views; i++)
		print "\t" view[i] ") echo \"" columns[view[i]] "\" ;;"
	print "\tesac"
	print "}"
	print ""
	print "_profdive_options()"
	print "{"
	print "\tcase $1 in"
	for (i = 1; i <= commands; i++)
		print "\t" command[i] ") echo \"" bash_options(command[i]) "\" ;;"
	print "\tesac"
	print "}"
	print ""
	print "# Words; after one that ends in a colon its number is typed."
	print "_profdive_words()"
	print "{"
	print "\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")"
	print "\tif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]]; then"
	print "\t\tcompopt -o nospace 2>/dev/null"
	print "\tfi"
	print "}"
	print ""
	print "_profdive_files()"
	print "{"
	print "\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")"
	print "\tcompopt -o filenames 2>/dev/null"
	print "}"
	print ""
	print "_profdive()"
	print "{"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}"
	print "\tlocal cmd='' view='' skip='' word i n=0"
	print "\tlocal commands='" join_commands() "'"
	print "\tlocal views='" join_views() "'"
	print ""
	print "\tCOMPREPLY=()"
	print "\t# --name=value comes in three words"
	print "\tif [[ $cur == = ]]; then"
	print "\t\tcur=''"
	print "\telif [[ $prev == = && $COMP_CWORD -gt 2 ]]; then"
	print "\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}"
	print "\tfi"
	print "\t# the operands before the cursor"
	print "\tfor ((i = 1; i < COMP_CWORD; i++)); do"
	print "\t\tword=${COMP_WORDS[i]}"
	print "\t\tif [[ $word == = ]]; then"
	print "\t\t\tskip=1"
	print "\t\telif [[ -n $skip ]]; then"
	print "\t\t\tskip=''"
	print "\t\telse"
	print "\t\t\tcase $word in"
	print "\t\t\t" valued() ") skip=1 ;;"
	print "\t\t\t-* | :) ;;"
	print "\t\t\t*)"
	print "\t\t\t\tn=$((n + 1))"
	print "\t\t\t\tif [[ $n -eq 1 && \" $commands \" == *\" $word \"* ]]; then"
	print "\t\t\t\t\tcmd=$word"
	print "\t\t\t\telif [[ $n -eq 2 && $cmd == print ]]; then"
	print "\t\t\t\t\tview=$word"
	print "\t\t\t\tfi"
	print "\t\t\t\t;;"
	print "\t\t\tesac"
	print "\t\tfi"
	print "\tdone"
	print ""
	bash_values()
	print "\tif [[ $cur == -* ]]; then"
	print "\t\t_profdive_words \"$(_profdive_options \"${cmd:-open}\")\""
	print "\telif [[ $cmd == print && $n -eq 1 ]]; then"
	print "\t\t_profdive_words \"$views\""
	print "\telif [[ $cmd == help ]]; then"
	print "\t\t_profdive_words \"$commands views options\""
	print "\telse"
	print "\t\t_profdive_files -f"
	print "\t\tif [[ $n -eq 0 && -n $cur ]]; then"
	print "\t\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$commands\" -- \"$cur\")"
	print "\t\telif [[ $n -eq 0 ]]; then"
	print "\t\t\t_profdive_words \"$commands\""
	print "\t\tfi"
	print "\tfi"
	print "}"
	print ""
	print "complete -F _profdive profdive"
}

# ---- zsh

function zsh_action(o, w)
{
	if (is_file(o))
		return "_files"
	if (is_dir(o))
		return "_files -/"
	if (by_column(o))
		return "_profdive_columns"
	w = words[o]
	if (w ~ /:/) {
		gsub(/:/, "\\:", w)
		return "{compadd -S \"\" -- " w "}"
	}
	return w == "" ? " " : "(" w ")"
}

function zsh_spec(o, d)
{
	d = doc[o]
	gsub(/\[/, "\\[", d)
	gsub(/\]/, "\\]", d)
	d = "[" d "]" (arg[o] == "" ? "" : ":" tolower(arg[o]) ":" zsh_action(o))
	if (letter[o] == "")
		return quote("--" option[o] (arg[o] == "" ? "" : "=") d)
	return "{-" letter[o] (arg[o] == "" ? "" : "+") ",--" option[o] (arg[o] == "" ? "" : "=") "}" quote(d)
}

function zsh(i, c)
{
	print "#compdef profdive"
	print "# zsh completion for profdive; written by tools/gen-docs, edit the program's tables instead"
	print ""
	print "_profdive_columns()"
	print "{"
	print "\tcase $view in"
	for (i = 1; i <= views; i++)
		print "\t(" view[i] ") compadd -- " columns[view[i]] " ;;"
	print "\tesac"
	print "}"
	print ""
	print "_profdive()"
	print "{"
	print "\tlocal cmd=open view= word state line skip="
	print "\tlocal -i i n=0"
	print "\tlocal -a specs commands views"
	print ""
	print "\tcommands=("
	for (i = 1; i <= commands; i++)
		print "\t\t" quote(command[i] ":" command_doc[i])
	print "\t)"
	print "\tviews=("
	for (i = 1; i <= views; i++)
		print "\t\t" quote(view[i] ":" view_doc[i])
	print "\t)"
	print "\t# the operands before the cursor"
	print "\tfor ((i = 2; i < CURRENT; i++)); do"
	print "\t\tword=$words[i]"
	print "\t\tif [[ -n $skip ]]; then"
	print "\t\t\tskip="
	print "\t\t\tcontinue"
	print "\t\tfi"
	print "\t\tcase $word in"
	print "\t\t(" valued() ") skip=1 ;;"
	print "\t\t(-*) ;;"
	print "\t\t(*)"
	print "\t\t\tn+=1"
	print "\t\t\tif ((n == 1)) && (( ${commands[(I)$word:*]} )); then"
	print "\t\t\t\tcmd=$word"
	print "\t\t\telif ((n == 2)) && [[ $cmd == print ]]; then"
	print "\t\t\t\tview=$word"
	print "\t\t\tfi"
	print "\t\t\t;;"
	print "\t\tesac"
	print "\tdone"
	print ""
	print "\tcase $cmd in"
	for (c = 1; c <= commands; c++) {
		print "\t(" command[c] ")"
		print "\t\tspecs=("
		for (i = 1; i <= options; i++)
			if (has(i, command[c]) && alive(i))
				print "\t\t\t" zsh_spec(i)
		print "\t\t)"
		print "\t\t;;"
	}
	print "\tesac"
	print "\t_arguments -S -s $specs '*: :->operand' && return"
	print "\t[[ $state == operand ]] || return"
	print "\tif ((n == 0)); then"
	print "\t\t_describe command commands"
	print "\t\t_files"
	print "\telif [[ $cmd == print ]] && ((n == 1)); then"
	print "\t\t_describe view views"
	print "\telif [[ $cmd == help ]]; then"
	print "\t\t_describe command commands"
	print "\t\tcompadd views options"
	print "\telse"
	print "\t\t_files"
	print "\tfi"
	print "}"
	print ""
	print "_profdive \"$@\""
}

# ---- fish

function fish_when(o, i, s)
{
	if (used[o] == "  ")
		return ""
	for (i = 1; i <= commands; i++)
		if (has(o, command[i]))
			s = s " " command[i]
	return " -n '__profdive_is" s "'"
}

function fish(i, w)
{
	print "# fish completion for profdive; written by tools/gen-docs, edit the program's tables instead"
	print ""
	print "# The command; without a word it is open."
	print "function __profdive_is"
	print "    set -l words (commandline -opc)"
	print "    for c in " join_commands()
	print "        if contains -- $c $words"
	print "            contains -- $c $argv"
	print "            return"
	print "        end"
	print "    end"
	print "    contains -- open $argv"
	print "end"
	print ""
	print "# print without its view"
	print "function __profdive_needs_view"
	print "    __profdive_is print"
	print "    and not __fish_seen_subcommand_from " join_views()
	print "end"
	print ""
	for (i = 1; i <= commands; i++)
		print "complete -c profdive -n __fish_is_first_token -a " command[i] " -d " quote(command_doc[i])
	print "complete -c profdive -f -n '__profdive_is help' -a '" join_commands() " views options'"
	print ""
	for (i = 1; i <= views; i++)
		print "complete -c profdive -f -n __profdive_needs_view -a " view[i] " -d " quote(view_doc[i])
	print ""
	for (i = 1; i <= options; i++) {
		if (!alive(i))
			continue
		w = "complete -c profdive" fish_when(i) " -l " option[i] (letter[i] == "" ? "" : " -s " letter[i])
		if (is_dir(i))
			w = w " -x -a '(__fish_complete_directories)'"
		else if (is_file(i))
			w = w " -r -F"
		else if (arg[i] != "")
			w = w " -x" (words[i] == "" ? "" : " -a " quote(words[i]))
		print w " -d " quote(doc[i])
	}
	print ""
	for (i = 1; i <= views; i++)
		print "complete -c profdive -n '__fish_seen_subcommand_from " view[i] "' -l sort -s s -x -a '" columns[view[i]] "'"
}

END {
	if (shell == "bash") bash()
	else if (shell == "zsh") zsh()
	else fish()
}
