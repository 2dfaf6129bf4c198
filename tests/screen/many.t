#!/bin/sh
# Findings of several files: what all of them say stands once, the rest with the number of its file, what loses most first.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99
mkdir stacks runs
for i in 1 2 3; do
	printf 'main;step_%s 5\nmain;load_%s 3\n' $i $i >stacks/$i.txt
done
printf 'key 9\nsave-screen said\n' >script
status "three files of stacks" 0 "$PROFDIVE" --no-cache --script script stacks
is "none has GPU work, which is said once" "$(grep -c 'GPU work is missing  ' said)" 1
ok "for all three" grep -q 'GPU work is missing  *3 files ' said

for seed in 1 2 3; do
	mkdir $seed && "$TRACEGEN" --kind run --seed $seed --out $seed && mv $seed/*.pt.trace.json runs/rank$seed.pt.trace.json || exit 99
done
printf 'key 9\nsave-screen first\nkey j\nsave-screen second\nkey t\nsave-screen path\n' >script
status "three traces" 0 "$PROFDIVE" --no-cache --script script --screen 120x60 runs
# severity, then what it costs, in ns
awk '{
	for (i = 2; i < NF; i++)
		if ($i ~ /^f[0-9]+$/ && $(i + 2) ~ /^(ns|µs|ms|s)$/) {
			u = $(i + 2)
			printf "%d %.0f\n", ($1 == "critical") * 4 + ($1 == "major") * 3 + ($1 == "minor") * 2 + ($1 == "info"),
				$(i + 1) * (u == "s" ? 1e9 : u == "ms" ? 1e6 : u == "µs" ? 1e3 : 1)
		}
}' first >losses
ok "there are many" test "$(wc -l <losses)" -ge 9
is "the worst first, then what loses most" "$(sort -s -k1,1nr -k2,2nr losses)" "$(cat losses)"
ok "of every file" grep -q ' f3 ' first
ok "the first is the selected one" sh -c 'grep -A1 "What to fix" first | tail -n 1 | grep -q "^ [a-z]" && grep -A2 "What to fix" first | tail -n 1 | grep -q "^  Seen"'
ok "j goes to the next" sh -c 'grep -A3 "What to fix" second | tail -n 1 | grep -q "^  Seen"'
is "each file has its own guided path" "$(grep -c ' 1  .*Do the steps differ?' path)" 3

done_testing
