#!/bin/sh
# zero3.t: ZeRO-3 on one rank with offload, experts and checkpointing, recorded twice (tests/gen, kind zero3). What the fetches, the
# recompute, the gate and the CPU optimizer cost at level 2 of the breakdown equals the intervals in which the generator ran them;
# nothing is communication; of the cross-checks the step differs, for the reason that was planted, and the kernels agree.
. "${srcdir:-.}/tests/lib/tap.sh"

# truth KIND NAME: the answer of the generator
truth() { awk -F '\t' -v k="$1" -v n="$2" '$1 == k && $2 == n { print $3 }' "$T/run/truth.tsv"; }

# level2 NAME: sum of time_ns over the rows of this level 2 in $T/cpu (levels 1 and 2 hold no comma, nor does a path of the test)
level2()
{
	awk -F, -v want="$1" 'NR > 1 { gsub(/\r/, ""); if ($2 == want) sum += $(NF - 8) } END { printf "%d\n", sum }' "$T/cpu"
}

# document NAME: the same of the complete table of document 06, its column of all digits
document()
{
	awk -F '|' -v want="$1" '/^## / { on = /^## CPU wall, complete/ } on && NF > 8 {
		for (i = 2; i < NF; i++) { gsub(/^[ `]+|[ `]+$/, "", $i) }
		if ($2 == "Time") for (i = 2; i < NF; i++) at[$i] = i
		if ($at["Level 2"] == want && $at["Source"] ~ /pt.trace.json/) sum += $at["Time, ns"] } END { printf "%d\n", sum }' \
		"$T/report/06_complete_breakdown.md"
}

for seed in 1 7; do
	rm -rf "$T/run" "$T/report"
	ok "seed $seed: generated" "$TRACEGEN" --kind zero3 --seed "$seed" --layers "$((3 + seed))" --out "$T/run" || continue
	"$PROFDIVE" print breakdown --source rank0 --format csv "$T/run" >"$T/cpu" 2>"$T/err"
	is "the column before the last eight is the time" "$(awk -F, 'NR == 1 { print $(NF - 8) }' "$T/cpu")" time_ns
	ok "seed $seed: the reports" "$PROFDIVE" report -o "$T/report" "$T/run"
	awk -F '\t' '$1 == "level2" { print $2 }' "$T/run/truth.tsv" >"$T/names"
	is "four operations are told" "$(wc -l <"$T/names" | tr -d ' ')" 4
	while read -r name; do
		is "seed $seed: $name" "$(level2 "$name")" "$(truth level2 "$name")"
		is "seed $seed: $name, document 06" "$(document "$name")" "$(truth level2 "$name")"
	done <"$T/names"
	is "seed $seed: no communication on one rank" "$(awk -F, '$1 == "communication"' "$T/cpu" | wc -l | tr -d ' ')" 0
	is "seed $seed: no communication kernel" \
		"$("$PROFDIVE" print classes --format csv "$T/run" | grep -c '^Communication')" 0

	# The directory's ds_config.json says stage 3: copies in backward are its fetches, not a stray .to(device)
	"$PROFDIVE" print findings --format csv "$T/run" >"$T/findings" 2>"$T/err"
	ok "seed $seed: recompute is found" grep -q '^recompute,' "$T/findings"
	ok "seed $seed: so is the optimizer on the CPU" grep -q '^cpu-optimizer,' "$T/findings"
	is "seed $seed: copies in backward are explained" "$(grep -c '^copy-in-backward,' "$T/findings")" 0

	"$PROFDIVE" print crosscheck --format csv "$T/run" >"$T/checks"
	line=$(grep '^median step period,' "$T/checks")
	is "seed $seed: the step differs by what the generator made of it" \
		"$(echo "$line" | cut -d, -f3,5,9)" "$(truth median torch),$(truth median nsys),differ"
	is "seed $seed: and the reason is named" "$(echo "$line" | sed 's/.*"\(observer effect\): .*rank0.pt.trace.json \(.*\), which .*/\1, \2/')" \
		"observer effect, was recorded with with_stack, record_shapes"
	is "seed $seed: kernels agree" "$(grep '^kernels per step,' "$T/checks" | cut -d, -f3,5,9)" \
		"$(truth kernels torch),$(truth kernels nsys),agree"
done
done_testing
