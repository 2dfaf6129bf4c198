#!/bin/sh
# capture.t - the command that a finding proposes measures a kernel that the finding is about, not whichever costs most: four steps of
# 1 ms, each with an elementwise kernel of 300 us and, three times, a product in fp32 of 80 us.
. "${srcdir:-.}/tests/lib/tap.sh"

awk 'BEGIN {
	printf "{\"schemaVersion\": 1, \"traceEvents\": ["
	x = "{\"ph\": \"X\", \"pid\": 7, \"tid\": 7, \"ts\": "
	for (i = 0; i < 4; i++) {
		t = 1000 + 1000 * i
		printf "%s%s%d, \"dur\": 1000, \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\"}", i ? "," : "", x, t, i + 1
		for (k = 0; k < 4; k++) {
			c = 4 * i + k + 1
			printf ",%s%d, \"dur\": 5, \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"args\": {\"correlation\": %d}}", x, t + 10 + 10 * k, c
			printf ",{\"ph\": \"X\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": %d, \"cat\": \"kernel\", \"name\": \"%s\", \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}}",
				t + (k ? 300 + 100 * k : 60), k ? 80 : 300,
				k ? "volta_sgemm_128x64_nn" : "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)", c
		}
	}
	print "]}"
}' >"$T/run.json"

"$PROFDIVE" --no-cache print findings --format json --filter 'id = no-tensor-cores' "$T/run.json" >"$T/out" 2>"$T/err"
capture=$(sed -n 's/.*"capture": "\([^"]*\)".*/\1/p' "$T/out")
is "the costliest kernel is another one" "$("$PROFDIVE" --no-cache print kernels --format csv --sort total_ns,desc --limit 1 "$T/run.json" | grep -c CUDAFunctor_add)" 1
# three products of the first step run before the first one of the second
is "the product is measured, in the second step" "${capture%% --launch-count*}" "ncu -k regex:volta_sgemm_128x64_nn --launch-skip 3"
"$PROFDIVE" --no-cache print guide --format json "$T/run.json" >"$T/out" 2>"$T/err"
ok "so on the way down: products" grep -q '"stage": "kernels".*regex:volta_sgemm_128x64_nn --launch-skip 3' "$T/out"
ok "and what reads memory" grep -q '"stage": "memory".*regex:vectorized_elementwise_kernel --launch-skip 1' "$T/out"
done_testing
