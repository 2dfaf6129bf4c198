#!/bin/sh
# findings.t: findings are ordered by what the run gains when it is replayed with the change that each names; on random programs
# (tests/gen, kind whatif) the gain is the one that view whatif tells, and for the loader the one that was simulated.
. "${srcdir:-.}/tests/lib/tap.sh"

# rows: id, gain_ns, gain_share, severity, whatif of each finding in $T/json, tab-separated, - where there is none
rows()
{
	awk '
		function field(name,  at, s) {
			at = index($0, "\"" name "\": ")
			if (!at)
				return "-"
			s = substr($0, at + length(name) + 4)
			if (substr(s, 1, 1) == "\"")
				return substr(s, 2, index(substr(s, 2), "\"") - 1)
			sub(/[,}].*/, "", s)
			return s == "null" ? "-" : s
		}
		/^ \{"id": "/ { print field("id") "\t" field("gain_ns") "\t" field("gain_share") "\t" field("severity") "\t" field("whatif") }' "$T/json"
}

# whatif_gain CHANGES: of all of them together, separated by "; "
whatif_gain()
{
	rest="$1; "
	set --
	while test -n "$rest"; do
		set -- "$@" --change "${rest%%; *}"
		rest=${rest#*; }
	done
	"$PROFDIVE" print whatif "$@" --format csv "$FILE" 2>"$T/err" </dev/null |
		awk -F , '{ sub(/\r$/, "") } NR == 1 { for (i = 1; i <= NF; i++) if ($i == "gain_ns") at = i } NR > 1 { gain = $at } END { print gain }'
}

FILE=$T/p/program.pt.trace.json
: >"$T/order"
: >"$T/all"
: >"$T/loader"
seed=1
while test "$seed" -le 40; do
	"$TRACEGEN" --kind whatif --seed "$seed" --steps 9 --out "$T/p" || break
	"$PROFDIVE" print findings --format json "$FILE" >"$T/json" 2>"$T/err"
	rows >"$T/rows"
	while IFS='	' read -r id gain share severity changes; do
		test "$gain" = - || echo "$seed $id $gain $(whatif_gain "$changes")" >>"$T/all"
		case $id in
		dataloader-*)
			awk -F '\t' -v gain="$gain" -v seed="$seed" '
				$1 == "median" && $2 == "none" { step = $3 }
				$1 == "median" && $2 == "drop annotation:enumerate(DataLoader)*" { print seed, step, step - $3, gain }' \
				"$T/p/truth.tsv" >>"$T/loader" ;;
		esac
	done <"$T/rows"
	# remarks last; within both parts: gains, the largest first; what is not replayed; what gains nothing
	awk -F '\t' -v seed="$seed" '
		{ kind = ($2 == "-") ? 1 : ($3 >= 0.01) ? 0 : 2; part = $4 == "info" }
		NR > 1 && (part < last_part || (part == last_part && (kind < last_kind || (kind == 0 && last_kind == 0 && $2 > last_gain)))) {
			print "seed", seed, $1, "stands too low" }
		{ last_part = part; last_kind = kind; last_gain = $2 + 0 }' "$T/rows" >>"$T/order"
	seed=$((seed + 1))
done
is "the order is that of the gains" "$(cat "$T/order")" ""
ok "gains were told" test "$(wc -l <"$T/all")" -ge 20
is "each is what whatif tells" "$(awk '$3 != $4' "$T/all")" ""
ok "of them are gains of the loader" test "$(wc -l <"$T/loader")" -ge 2
is "which are within 1 % of the step of those simulated" \
	"$(awk '{ e = ($3 - $4) / $2; if (e > 0.01 || e < -0.01) print }' "$T/loader")" ""
done_testing
