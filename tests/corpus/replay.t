#!/bin/sh
# replay.t - the unchanged replay of real profiles gives back every recorded step to the ns, and changes whose outcome is known
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS/torch"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi

# rows FILE CHANGE...: columns trusted, step_ns, replayed_ns, low_ns, high_ns, why_not of the last change
rows()
{
	file=$1
	shift
	for change; do
		set -- "$@" --change "$change"
		shift
	done
	timeout 300 "$PROFDIVE" whatif --no-cache -f csv "$@" "$file" 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		function known(name) { return $at[name] == "" ? "-" : $at[name] }
		{ print known("trusted"), known("step_ns"), known("replayed_ns"), known("low_ns"), known("high_ns"), known("why_not") }'
}

# sum COLUMN ARGUMENTS...: of a column of a view
sum()
{
	column=$1
	shift
	timeout 300 "$PROFDIVE" print --no-cache -f csv "$@" 2>/dev/null | awk -F, -v column="$column" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
		{ sum += $at }
		END { printf("%.0f\n", sum) }'
}
critical_sum() { sum time_ns critical --window all "$1"; }

# the periods of all steps, or without steps the time from the first event to the last for each process that trains
steps_sum()
{
	n=$(timeout 300 "$PROFDIVE" print --no-cache -f csv steps --window all "$1" 2>/dev/null | wc -l)
	if test "$n" -gt 1; then
		sum period_ns steps --window all "$1"
	else
		timeout 300 "$PROFDIVE" whatif --no-cache -f csv --window all --change 'drop class:no such class' "$1" 2>/dev/null |
			awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "step_ns") at = i; next } { sum += $at } END { printf("%.0f\n", sum) }'
	fi
}

trusted=0 refused=0
(cd "$PROFDIVE_CORPUS" && find torch nsys runs-2026 -type f | sort) >"$T/files"
while read -r file; do
	rows "$PROFDIVE_CORPUS/$file" 'drop class:no such class' >"$T/rows"
	while read -r yes step then low high why; do
		if test "$yes" != true; then
			refused=$((refused + 1))
			diag "$file: not trusted: $why"
			continue
		fi
		trusted=$((trusted + 1))
		is "$file: as recorded" "$then $low $high" "$step 0 0"
	done <"$T/rows"
	grep -q ^true "$T/rows" || continue
	is "$file: the critical paths sum to the steps" "$(critical_sum "$PROFDIVE_CORPUS/$file")" "$(steps_sum "$PROFDIVE_CORPUS/$file")"
done <"$T/files"
ok "some are trusted" test "$trusted" -gt 0
diag "$trusted rows are trusted, $refused are not"

# median FILE CHANGE...: the step after the changes, ms
median() { rows "$@" | awk 'END { printf("%.1f", $3 / 1e6) }'; }

loader='drop annotation:enumerate(DataLoader)*'
w0=$PROFDIVE_CORPUS/torch/kineto-resnet50-w0-a
if test -d "$w0"; then
	# two separate replays by other programs: 114.7 and 116.0 of 176.1 ms without the loader, products free gain nothing
	is "resnet50 without its loader" "$(rows "$w0" "$loader" | awk '{ print ($3 > 114.0e6 && $3 < 117.0e6) ? "114 to 117 ms" : $3 }')" "114 to 117 ms"
	is "resnet50 with products for nothing" "$(rows "$w0" 'drop class:GEMM' | awk '{ print ($2 - $3 < $2 * 0.02) ? "below 2 %" : $3 }')" "below 2 %"
	plan=$("$PROFDIVE" print plan --no-cache -f csv "$w0" 2>/dev/null | cut -d, -f1 | sed -n 3p)
	is "the plan of resnet50 begins with its loader" "$plan" "drop phase:dataload"
	is "resnet50 without its loader, products at half their time" \
		"$(median "$w0" "$loader" 'scale class:GEMM 0.5' 'scale class:Conv 0.5' | awk '{ print ($1 > 103.5 && $1 < 107) ? "about 105.3 ms" : $1 }')" \
		"about 105.3 ms"
fi
done_testing
