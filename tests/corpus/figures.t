#!/bin/sh
# figures.t: what is known of a few real runs, through the program: a run bound by copies from the host, and one by its
# DataLoader, before and after.
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi

# column NAME: that column of the CSV on stdin, without its title (the columns before it hold no commas)
column()
{
	tr -d '\r' | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }'
}

print() { "$PROFDIVE" print "$@" --format csv; }

# FSDP with CPU offload on two H100: 97 % of the second are exposed copies, all from pinned memory.
file=$PROFDIVE_CORPUS/nsys/fastvideo-h100/h100_2gpu_1s.sqlite
if test -f "$file"; then
	print gpu --window all "$file" >"$T/gpu"
	for what in compute_ns:2.3 exposed_memcpy_ns:97.0 idle_ns:0.7; do
		column window_ns <"$T/gpu" >"$T/window"
		column "${what%:*}" <"$T/gpu" | paste "$T/window" - | awk '{ printf "%.1f\n", 100 * $2 / $1 }' >"$T/share"
		is "offload: ${what%:*} of the window in percent, both devices" "$(sort -u "$T/share") x $(wc -l <"$T/share" | tr -d ' ')" \
			"${what#*:} x 2"
	done
	print memcpy --window all --filter 'kind = HtoD and src = pinned' "$file" >"$T/memcpy"
	column bytes <"$T/memcpy" >"$T/bytes"
	column time_ns <"$T/memcpy" >"$T/time"
	is "offload: bytes and rate of pinned HtoD" "$(paste "$T/bytes" "$T/time" | awk '{ printf "%.2f GB, %.1f GB/s", $1 / 1e9, $1 / $2 }')" \
		"50.95 GB, 27.7 GB/s"
	print sync --window all --filter 'type = stream' "$file" >"$T/sync"
	is "offload: stream synchronisation in ms" "$(column time_ns <"$T/sync" | awk '{ printf "%.0f", $1 / 1e6 }')" 857
else
	skip "offload" "not in the corpus"
fi

# graphs FILE KERNELS ALL: kernels of CUDA graphs, counted in Python: those of a correlation id of a cudaGraphLaunch
graphs()
{
	file=$PROFDIVE_CORPUS/torch/$1
	test -f "$file" || {
		skip "$1" "not in the corpus"
		return
	}
	is "$1: kernels of CUDA graphs" "$(print quality --window all "$file" | tr -d '\r' |
		sed -n 's/^kernels of CUDA graphs,note,\([0-9]*\),\([0-9]*\),.*/\1 of \2/p')" "$2 of $3"
}

graphs tl-sglang-decode/sglang_Qwen3-8B_decode.json.gz 544 555
graphs tl-vllm-decode/graph_execution.json.gz 421 425
graphs hta-neg-queue/rank0.json.gz 135 6080

# dataload FOLDER LEAST MOST: every step of the run spends so much of its period loading data, in percent
dataload()
{
	set -- "$PROFDIVE_CORPUS"/torch/"$1"/*.json.gz "$1" "$2" "$3"
	test -f "$1" || {
		skip "$2" "not in the corpus"
		return
	}
	print steps --window all "$1" >"$T/steps"
	column period_ns <"$T/steps" >"$T/period"
	column dataload_ns <"$T/steps" | paste "$T/period" - | awk '{ printf "%.2f\n", 100 * $2 / $1 }' >"$T/share"
	diag "$2: $(tr '\n' ' ' <"$T/share")"
	is "$2: steps with $3 to $4 percent in dataload" \
		"$(awk -v a="$3" -v b="$4" '$1 >= a && $1 <= b { n++ } END { print n + 0 }' "$T/share") of $(wc -l <"$T/share" | tr -d ' ')" "6 of 6"
}

dataload kineto-resnet50-w0-a 38 42
dataload kineto-resnet50-w4-a 0 2.5
done_testing
