#!/bin/sh
# programs.t: random programs (tests/gen, kind whatif), each with five changes. How long a step then takes was simulated; profdive and
# a plain second program (reference.py) predict it from the trace of the unchanged run. 99 of 100 predictions are within 3 % of the
# recorded step, 95 of 100 within 1 %; which programs a seed makes depends on the compiler (order of arguments), so the worst is told only. PROGRAMS=N takes N programs, FIRST=N begins with seed N.
. "${srcdir:-.}/tests/lib/tap.sh"

programs=${PROGRAMS:-40} first=${FIRST:-1}
trace=program.pt.trace.json

# program SEED OPTION...: into $T/p, its changes and true medians into $T/truth
program()
{
	seed=$1
	shift
	rm -rf "$T/p"
	"$TRACEGEN" --kind whatif --seed "$seed" --steps 9 "$@" --out "$T/p" || return 1
	awk -F '\t' '$1 == "median" { print $2 "\t" $3 }' "$T/p/truth.tsv" >"$T/truth"
}

# judge WHO FILE: of lines "seed change recorded truth predicted" (tab-separated): what is wrong, and the checks
judge()
{
	awk -F '\t' -v who="$1" '
		{ e = ($5 - $4) / $3; e = (e < 0) ? -e : e; n++; near += (e <= 0.01); fair += (e <= 0.03); if (e > worst) worst = e }
		e > 0.01 { printf "# %s: %.1f %% off, seed %d, %s: step %d, true %d, predicted %d\n", who, 100 * e, $1, $2, $3, $4, $5 }
		END { printf "predictions %d near %d worst %.4f fair %d\n", n, near, worst, fair }' "$2" >"$T/judged"
	grep '^#' "$T/judged"
	sed -n 's/^predictions/# &/p' "$T/judged"
	ok "$1: 99 of 100 are within 3 % of the step" awk '/^predictions/ { exit !($2 > 0 && $8 >= 0.99 * $2) }' "$T/judged"
	ok "$1: 95 of 100 are within 1 %" awk '/^predictions/ { exit !($2 > 0 && $4 >= 0.95 * $2) }' "$T/judged"
}

# column NAME: of the first row of the CSV in $T/csv (the change's own text may be quoted, and holds no comma)
column()
{
	awk -F , -v name="$1" '{ sub(/\r$/, "") } NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 && at { print $at }' "$T/csv"
}

# ask_profdive SEED FILE: its predictions to $T/predicted; what it does not answer, to $T/unanswered
ask_profdive()
{
	recorded=$(awk -F '\t' '$1 == "none" { print $2 }' "$T/truth")
	while IFS='	' read -r change true; do
		test "$change" != none || continue
		"$PROFDIVE" print whatif --change "$change" --format csv "$2" >"$T/csv" 2>"$T/err" </dev/null || cat "$T/err" >>"$T/unanswered"
		got=$(column replayed_ns)
		if test -n "$got" && test "$(column trusted)" = true; then
			printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$change" "$recorded" "$true" "$got" >>"$T/predicted"
		else
			echo "seed $1, $change: $(column why_not)" >>"$T/unanswered"
		fi
		test "$(column step_ns)" = "$recorded" || echo "seed $1: recorded $recorded, not $(column step_ns)" >>"$T/steps"
	done <"$T/truth"
}

# predictions WHO: the checks on what was collected
predictions()
{
	is "$1: every change is answered and trusted" "$(wc -l <"$T/unanswered" | tr -d ' ')" 0
	diag_file "$T/unanswered"
	is "$1: the recorded step is the program's" "$(wc -l <"$T/steps" | tr -d ' ')" 0
	judge "$1" "$T/predicted"
}

# The same seed is the same program, and a change is seen
program "$first" && cp "$T/p/truth.tsv" "$T/once" && program "$first"
same "a seed gives one program" "$T/p/truth.tsv" "$T/once"
is "it has five changes" "$(sed 1d "$T/truth" | wc -l | tr -d ' ')" 5

# Every tenth program: the plain replay, which is slow
if command -v python3 >/dev/null 2>&1; then
	: >"$T/reference"
	seed=$first
	while test "$seed" -lt "$((first + programs))"; do
		program "$seed" && cut -f1 "$T/truth" | sed 1d | tr '\n' '\000' |
			xargs -0 python3 "$top_srcdir/tests/replay/reference.py" "$T/p/$trace" >"$T/lines" 2>"$T/err" || diag_file "$T/err"
		sed 1d "$T/truth" | cut -f2 | paste "$T/lines" - |
			awk -F '\t' -v seed="$seed" '{ print seed "\t" $1 "\t" $2 "\t" $4 "\t" $3 }' >>"$T/reference"
		seed=$((seed + 10))
	done
	judge reference.py "$T/reference"
else
	skip "the plain replay" "needs python3"
fi

if ! "$PROFDIVE" help views | grep -q '^whatif '; then
	skip "profdive's predictions" "this profdive has no view whatif"
	done_testing
fi

: >"$T/predicted"
: >"$T/unanswered"
: >"$T/steps"
seed=$first
while test "$seed" -lt "$((first + programs))"; do
	program "$seed" && ask_profdive "$seed" "$T/p/$trace"
	seed=$((seed + 1))
done
predictions profdive
done_testing
