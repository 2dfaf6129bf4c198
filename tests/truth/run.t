#!/bin/sh
# run.t: every view on generated runs against the generator's answers (tests/gen/README), several seeds and sizes, the windows
# all and steady; and the trace whose events overlap without nesting. compare.c says one line per comparison.
. "${srcdir:-.}/tests/lib/tap.sh"

compare=$top_builddir/tests/truth/compare

# held NAME MINIMUM: the verdicts in $T/verdicts become checks; a program that compares less than it did is caught
held()
{
	while read -r word what; do
		case $word in
		agree) pass "$1: $what" ;;
		differ) fail "$1: $what" ;;
		*) echo "$word $what" ;;
		esac
	done <"$T/verdicts"
	held_n=$(grep -c '^agree\|^differ' "$T/verdicts")
	ok "$1: at least $2 comparisons, not $held_n" test "$held_n" -ge "$2"
}

# generated NAME MINIMUM TRACEGEN-OPTION...
generated()
{
	name=$1 minimum=$2
	shift 2
	if ! ok "$name: generated" "$TRACEGEN" "$@" --out "$T/$name"; then
		return
	fi
	got=0
	"$compare" "$T/$name" >"$T/verdicts" 2>"$T/err" || got=$?
	held "$name" "$minimum"
	is "$name: exit status" "$got" "$(grep -q '^differ' "$T/verdicts" && echo 1 || echo 0)"
	diag_file "$T/err"
	rm -rf "$T/$name"
}

generated sample 214 --seed 1
generated seed7-deep 214 --seed 7 --steps 8 --layers 7
generated seed42-few 214 --seed 42 --steps 4 --layers 2 --gz
generated seed1234-wide 214 --seed 1234 --steps 5 --layers 3 --scale 2
generated overlap 8 --kind overlap
generated overlap-gz 8 --kind overlap --gz
generated offload 1 --kind offload
done_testing
