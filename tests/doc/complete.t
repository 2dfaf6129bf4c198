#!/bin/sh
# Completions offer what stands in the tables, in the place where it has a meaning.
. "${srcdir:-.}/tests/lib/tap.sh"

dir=$top_srcdir/data/completions
command -v bash >/dev/null || skip_all "needs bash"
cd "$T" && mkdir runs && : >run.sqlite || exit 99

cat >"$T/complete.bash" <<'TXT'
# complete.bash WORD...: what bash offers for the last word, one a line, sorted
. "$COMPLETION"
COMP_WORDS=(profdive "$@")
COMP_CWORD=$#
_profdive
printf '%s\n' "${COMPREPLY[@]}" | sort
TXT
COMPLETION=$dir/profdive
export COMPLETION

# offers NAME WANT WORD...: exactly these, in one line
offers()
{
	name=$1 want=$2
	shift 2
	is "$name" "$(bash "$T/complete.bash" "$@" 2>&1 | tr '\n' ' ' | sed 's/ $//')" "$want"
}

offers "commands" "cache check-rules diff help open print report summary whatif" ""
offers "a command that begins, and files of that name" "report run.sqlite runs" r
offers "a view" "stacks steps stepstats stragglers streams" print st
offers "a view behind an option with a value" "gaphist gaps gapstats gpu gpustats guide" --window all print g
offers "a view is not offered twice" "run.sqlite runs" print steps r
offers "values of a choice" "csv" print steps --format c
offers "values of a choice after =" "csv" print steps --format = c
offers "all values after =" "csv json md table" print steps --format =
offers "the short option too" "json" print steps -f j
offers "windows" "steady step: steps:" print --window st
offers "splits" "phase process" print ops --by p
offers "columns of the view to sort by" "time_ns type" print sync --sort t
offers "columns of another view" "parent phase process" print stacks --sort p
offers "options of the command only" "--screen --script" --sc
offers "no options of another command" "" report --form
offers "an option of print" "--format" print steps --form
offers "files for --facts" "run.sqlite runs" --facts r
offers "folders for --output" "runs" report --output r
offers "help on commands and lists" "open options" help o
offers "no option of a command that is not there" "" print --fail

# The other shells read their files.
for shell in zsh fish; do
	file=_profdive
	test $shell = zsh || file=profdive.fish
	if command -v $shell >/dev/null; then
		ok "$shell reads $file" $shell -n "$dir/$file"
	else
		skip "$shell reads $file" "needs $shell"
	fi
done

done_testing
