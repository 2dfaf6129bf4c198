#!/bin/sh
# run.t - profdive report on the generated sample: the six documents, their headings, that the
# partitions sum to the wall, and that figures are those of `print`.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_SAMPLE" || skip_all "no generated sample"

R=$T/report
docs="01_training_overview.md 02_analysis_methods.md 03_gpu_analysis.md 04_cpu_analysis.md
	05_code_path_mapping.md 06_complete_breakdown.md"

status "report writes the documents" 0 "$PROFDIVE" report -o "$R" "$PROFDIVE_SAMPLE"
is "and names the six files" "$(sed 's|.*/||' "$T/out" | tr '\n' ' ')" "$(echo $docs) "
for d in $docs; do
	ok "$d is there" test -s "$R/$d"
	# Control bytes other than line ends, by their octal codes: names from files must not bring any.
	is "$d has no control bytes" "$(LC_ALL=C tr -d '\012\040-\377' <"$R/$d" | wc -c | tr -d ' ')" 0
done
is "no other file is left in the folder" "$(ls -A "$R" | wc -l | tr -d ' ')" 6

# has_heading DOCUMENT HEADING
has_heading() { ok "$1: $2" grep -qx "##* $2" "$R/$1"; }

while IFS='|' read -r d h; do
	has_heading "$d" "$h"
done <<END
01_training_overview.md|Verdict
01_training_overview.md|Where the wall time of GPU 0 goes
01_training_overview.md|GPU time
01_training_overview.md|Largest losses
01_training_overview.md|Step time
01_training_overview.md|Steps
01_training_overview.md|What was loaded
01_training_overview.md|What is missing
02_analysis_methods.md|Which file feeds which figures in this session
02_analysis_methods.md|Recording options and their effect
02_analysis_methods.md|Damage and what was lost
02_analysis_methods.md|Cross-checks
02_analysis_methods.md|Rule files
03_gpu_analysis.md|Wall time of each device
03_gpu_analysis.md|Kernel classes
03_gpu_analysis.md|Top kernels
03_gpu_analysis.md|Copies
03_gpu_analysis.md|Idle time by cause
03_gpu_analysis.md|Streams
04_cpu_analysis.md|Threads and their roles
04_cpu_analysis.md|Operators by self time
04_cpu_analysis.md|CUDA runtime calls
04_cpu_analysis.md|NVTX ranges
04_cpu_analysis.md|Call tree of the operators
05_code_path_mapping.md|The whole way to the kernels
05_code_path_mapping.md|Python call stacks
06_complete_breakdown.md|CPU wall, complete
06_complete_breakdown.md|GPU 0 wall, complete
06_complete_breakdown.md|GPU 0 and host, complete
06_complete_breakdown.md|Coverage
END

is "the joint partition is the first table of the overview" \
	"$(awk '/^## /{h=$0} /^\|/{print h; exit}' "$R/01_training_overview.md")" \
	"## Where the wall time of GPU 0 goes"

# section DOCUMENT HEADING: what stands below a heading
section() { awk -v want="$2" '/^#/{on = ($0 ~ "^##* " want "$")} on' "$R/$1"; }

# The column of all digits, added up here; and the wall that the line below the table states.
column_sum()
{
	awk -F'|' '
		/^\|/ && !col { for (i = 2; i < NF; i++) if ($i ~ /Time, ns/) col = i; next }
		/^\|/ && $col ~ /[0-9]/ { sum += $col }
		END { printf "%.0f", sum }'
}
stated_wall() { sed -n 's/.* Wall: \([0-9]*\) ns\..*/\1/p'; }

for part in 'CPU wall, complete' 'GPU 0 wall, complete' 'GPU 0 and host, complete'; do
	section 06_complete_breakdown.md "$part" >"$T/part"
	is "$part: the rows sum to the wall" "$(column_sum <"$T/part")" "$(stated_wall <"$T/part")"
	ok "$part: and the report says so" grep -q "The two are equal" "$T/part"
done
section 06_complete_breakdown.md 'CPU wall, complete' >"$T/part"
ok "the wall is not 0" test "$(stated_wall <"$T/part")" -gt 0
is "nothing differs by anything" "$(grep -c 'differs by' "$R/06_complete_breakdown.md")" 0

# Every table names its files and its window: "Source: ..." follows before the next heading.
is "every table has its source" "$(awk '
	FNR == 1 { open = 0 }
	/^#/ { if (open) { print FILENAME ": " h; } open = 0; h = $0 }
	/^\|/ { open = h !~ /Which file feeds/ }
	/^Source: / { open = 0 }' "$R"/*.md)" ""

# same_rows VIEW COLUMNS OPTIONS DOCUMENT HEADING: the first rows of print are rows of the document.
# Figures are compared as printed (csv has other digits), so print writes Markdown too.
same_rows()
{
	"$PROFDIVE" print "$1" --format md $3 "$PROFDIVE_SAMPLE" >"$T/print" 2>"$T/err" || return 1
	section "$4" "$5" >"$T/part"
	awk -F'|' -v names="$2" '
		function trim(s) { gsub(/^ +| +$/, "", s); return s }
		BEGIN { n = split(names, want, ",") }
		FNR == 1 { file++; head = 0 }
		!/^\|/ { next }
		!head { head = 1; for (i in at) delete at[i]; for (i = 2; i < NF; i++) at[trim($i)] = i; next }
		/^\| -|^\| *:?-+/ { next }
		{
			key = ""
			for (i = 1; i <= n; i++) key = key "|" (want[i] in at ? trim($(at[want[i]])) : "?")
			if (file == 1) shown[key] = 1
			else if (rows++ < 5) { if (!(key in shown)) { print "missing: " key; bad = 1 } else good++ }
		}
		END { exit bad || !good }' "$T/part" "$T/print"
}
ok "kernels as print shows them" same_rows kernels Kernel,Count,Total,Min,Max "--sort total_ns,desc" 03_gpu_analysis.md "Top kernels"
ok "ops as print shows them" same_rows ops Op,Count,Self,Sync,Launch,Host "--sort self_ns,desc" 04_cpu_analysis.md "Operators by self time"
ok "copies as print shows them" same_rows memcpy Kind,From,To,Count,Bytes,Time,Rate "" 03_gpu_analysis.md Copies
ok "steps as print shows them" same_rows steps Step,Period,Forward,Backward,Optimizer "--window all" 01_training_overview.md Steps
ok "the GPU partition as print shows it" same_rows gpu GPU,Window,Compute,Comm,Copy,Idle "" 01_training_overview.md "GPU time"

# json_sum VIEW FIELD OPTIONS: the sum of a field over the rows of print (one row a line).
json_sum()
{
	"$PROFDIVE" print "$1" --format json $3 "$PROFDIVE_SAMPLE" 2>"$T/err" |
	sed -n 's/^ {.*"'"$2"'": *\(-\{0,1\}[0-9]*\).*/\1/p' | awk '{ s += $1 } END { printf "%.0f", s }'
}
is "who called the runtime: all of its time" "$(json_sum callers total_ns)" \
	"$(json_sum runtime total_ns)"
is "ways to kernels: all of them" "$(json_sum chains gpu_ns '--filter kernel!~memcpy')" \
	"$(awk -v a="$(json_sum kernels total_ns)" -v b="$(json_sum memset time_ns)" \
		'BEGIN { printf "%.0f", a + b }')"
is "self times are the union of the events" "$(json_sum layers differs_ns)" 0
is "covered and untraced are the wall" "$(json_sum coverage wall_ns)" \
	"$(awk -v a="$(json_sum coverage covered_ns)" -v b="$(json_sum coverage untraced_ns)" \
		'BEGIN { printf "%.0f", a + b }')"
ok "and no figure of these is 0" test "$(json_sum callers total_ns)" -gt 0 -a \
	"$(json_sum coverage wall_ns)" -gt 0 -a "$(json_sum layers union_ns)" -gt 0

status "a second report over the first" 0 "$PROFDIVE" report -o "$R" --window all "$PROFDIVE_SAMPLE"
ok "takes the window" grep -q 'Window: all' "$R/03_gpu_analysis.md"
mkdir "$T/torch"
cp "$PROFDIVE_SAMPLE"/*.trace.json "$T/torch"
status "a torch trace alone" 0 "$PROFDIVE" report -o "$R" "$T/torch"
ok "NVTX ranges: the file that would provide them" grep -q 'nsys export recorded with `--trace=nvtx`' "$R/04_cpu_analysis.md"
mkdir "$T/stacks"
cp "$PROFDIVE_SAMPLE"/pyinstrument.json "$T/stacks"
status "stacks alone" 0 "$PROFDIVE" report -o "$R" "$T/stacks"
ok "GPU work: the file that would provide it" grep -q 'No GPU work was recorded. An nsys export' "$R/03_gpu_analysis.md"
status "a folder that cannot be made" 3 "$PROFDIVE" report -o "$R/03_gpu_analysis.md/such" "$PROFDIVE_SAMPLE"
status "a step that is not there" 2 "$PROFDIVE" report -o "$R" --window step:999 "$T/torch"

# Two runs on devices of one number: a matrix of shares is one of the wall of both.
mkdir "$T/two"
"$TRACEGEN" --kind zero3 --steps 4 --layers 2 --out "$T/zero3"
cp "$PROFDIVE_SAMPLE/rank0.pt.trace.json" "$T/two/a.json"
cp "$T/zero3/rank0.pt.trace.json" "$T/two/b.json"
ok "the report of two runs" "$PROFDIVE" report -o "$T/both" "$T/two"
is "shares of two runs sum to 100 %" \
	"$(awk -F '|' '/^## Where the wall/ { on = 1 } /^### / { on = 0 } on && $2 ~ /^ Sum / { gsub(/ /, "", $(NF - 1)); print $(NF - 1) }' "$T/both/01_training_overview.md")" "100.0%"

done_testing
