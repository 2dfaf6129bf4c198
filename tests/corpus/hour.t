#!/bin/sh
# A person's hour: three questions on real profiles, answered by keys in the explorer. The scripts are what a person would type, the
# keys are counted, and what the screen must say was worked out from the files by other programs.
. "${srcdir:-.}/tests/lib/tap.sh"

if test -z "$PROFDIVE_CORPUS" || test ! -d "$PROFDIVE_CORPUS/torch"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi
cd "$PROFDIVE_CORPUS" || exit 99

# task NAME KEYS FILE: the script on stdin presses no more than so many keys, and finds what it expects
task()
{
	cat >"$T/script"
	if test ! -e "$3"; then
		pass "$1 # SKIP no $3"
		return
	fi
	status "$1" 0 "$PROFDIVE" --no-cache --script "$T/script" "$3"
	is "with $2 keys" "$(awk '$1 == "key" { n += NF - 1 } END { print n + 0 }' "$T/script")" "$2"
}

# A run of 1.1 s per step that computes 9 % of the time. Python over the JSON: between the first and the last optimizer step the
# GPU has nothing to do 91.2 % of the time; 1088 calls of hipFree take 3.24 s of 3.27 s.
task "why is the step slow?" 1 torch/tl-mi300-ddp-resnet18 <<-EOF
	expect Bound by the allocator
	expect 0.0  91.2
	expect Memory is allocated and freed in steps
	key Enter
	expect [5 Runtime]
	expect hipFree
	expect 1088
	expect 3.24 s
EOF

# SQL over the export: 8 calls of cudaStreamSynchronize of 856 929 451 ns in two processes, all inside aten::_local_scalar_dense.
task "which op waits for the GPU?" 3 nsys/fastvideo-h100 <<-EOF
	key 5
	expect cudaStreamSynchronize
	key t
	expect [who calls]
	key i
	expect cudaStreamSynchronize
	expect aten::_local_scalar_dense
	expect 428 ms
EOF

# Python: the longest time without GPU work is 68.204 ms from 2334.807 ms on; conv2d runs meanwhile, called in resnet.py.
task "where is the longest idle gap, and which line of Python is that?" 5 torch/tl-mi300-ddp-resnet18 <<-EOF
	key 7 t t
	expect 2.334807 s 68.20 ms
	key Enter
	expect 68.20 ms wide
	key 6
	expect train_single_gpu.py
	expect nn.Module: Conv2d
	expect 68.16 ms
EOF

done_testing
