#!/bin/sh
# partial.t - steps whose GPU work is not in the file are partial, as many as there are at either end (definitions.md section 4):
# eight steps of 1 ms with three launches each. lost: the first two and the last three have no kernel. graphs: the same of graph
# launches, which often have no work of their own: no sign. all: no step has a kernel, and nothing bounds the run.
. "${srcdir:-.}/tests/lib/tap.sh"

# trace CALL FIRST LAST: steps below FIRST and from LAST on call CALL, without work; the others launch kernels
trace()
{
	awk -v call="$1" -v first="$2" -v last="$3" 'BEGIN {
		x = "{\"ph\": \"X\", \"pid\": 7, \"tid\": 7, \"ts\": "
		printf "{\"schemaVersion\": 1, \"traceEvents\": ["
		for (i = 0; i < 8; i++) {
			t = 1000 + 1000 * i
			printf "%s%s%d, \"dur\": 1000, \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\"}", i ? "," : "", x, t, i + 3
			for (k = 0; k < 3; k++) {
				lost = i < first || i >= last
				printf ",%s%d, \"dur\": 5, \"cat\": \"cuda_runtime\", \"name\": \"%s\", \"args\": {\"correlation\": %d}}",
					x, t + 10 + 10 * k, lost ? call : "cudaLaunchKernel", 3 * i + k + 1
				if (!lost)
					printf ",{\"ph\": \"X\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 300, \"cat\": \"kernel\", \"name\": \"k\", \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}}",
						t + 60 + 305 * k, 3 * i + k + 1
			}
		}
		# one kernel of nobody, so that there is a device
		print ",{\"ph\": \"X\", \"pid\": 0, \"tid\": 7, \"ts\": 900, \"dur\": 1, \"cat\": \"kernel\", \"name\": \"k\", \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": 999}}]}"
	}'
}
partial() { "$PROFDIVE" --no-cache print steps --window all --format csv --filter 'partial = true' "$1" 2>"$T/err" | tail -n +2 | cut -d , -f 1 | tr '\n' ' '; }

trace cudaLaunchKernel 2 5 >"$T/lost.json"
trace cudaGraphLaunch 2 5 >"$T/graphs.json"
trace cudaLaunchKernel 8 8 >"$T/all.json"
is "both runs" "$(partial "$T/lost.json")" "3 4 8 9 10 "
# of 1000 us the device computes 900 in the three steps that are left
is "what is left is the steady window" "$("$PROFDIVE" --no-cache print gpu --format csv "$T/lost.json" 2>"$T/err" | sed -n 2p | cut -d , -f 2,6)" 3000000,2700000
is "launches of graphs are no sign of a run" "$(partial "$T/graphs.json" | wc -w | tr -d ' ')" "$(partial "$T/graphs.json" | tr ' ' '\n' | grep -c -e '^3$' -e '^10$')"
is "no step has work: nothing bounds the run" "$(partial "$T/all.json" | wc -w | tr -d ' ')" 0
done_testing
