#!/bin/sh
# Findings on real profiles: which rules fire, and the share of the window that they lose, against values that a separate script
# measured (exposed communication, loader time beside an idle device, copies alone, each by an own sweep over the trace).
. "${srcdir:-.}/tests/lib/tap.sh"

test -n "$PROFDIVE_CORPUS" || skip_all "no corpus"
corpus=$PROFDIVE_CORPUS

# found FOLDER RULE: prints the share, or "no"; $window is the window
window=steady
found()
{
	"$PROFDIVE" print findings --no-cache --window "$window" --format csv "$corpus/$1" 2>/dev/null |
		awk -F, -v rule="$2" '$1 == rule { print $4; n = 1; exit } END { if (!n) print "no" }'
}

# fires FOLDER RULE [LOW HIGH]: it does, and loses between so many percent
fires()
{
	share=$(found "$1" "$2")
	if test -n "${3:-}"; then
		ok "$1: $2 ($share)" awk -v s="$share" -v a="$3" -v b="$4" 'BEGIN { exit !(s != "no" && 100 * s >= a && 100 * s <= b) }'
	else
		ok "$1: $2" test "$share" != no
	fi
}

silent()
{
	is "$1: not $2" "$(found "$1" "$2")" no
}

# loaders: with and without workers
for f in "$corpus"/torch/kineto-resnet50-w0-*; do
	fires "torch/${f##*/}" dataloader-single-process 19.5 34.5
	fires "torch/${f##*/}" no-tensor-cores
	silent "torch/${f##*/}" launch-bound
done
for f in "$corpus"/torch/kineto-resnet50-w4-*; do
	silent "torch/${f##*/}" dataloader-single-process
	silent "torch/${f##*/}" dataloader-bound
	silent "torch/${f##*/}" dataloader-workers-slow
	fires "torch/${f##*/}" no-tensor-cores
done
for f in "$corpus"/torch/kineto-resnet50-autograd-w*; do
	fires "torch/${f##*/}" no-tensor-cores
done
fires torch/kineto-resnet50-w0-a dataloader-single-process 33.4 34.4
fires torch/tl-h100-owlv2 dataloader-single-process 50.6 51.6
# few launches ahead, empty queues
for f in tl-h100-bert tl-mi300-bert tl-h100-nsfw tl-mi300-nsfw tl-b200-eager sidnb13-transformer hta-nccl; do
	fires "torch/$f" launch-bound 50 98
done
# queues that are full, or a device that is busy
for f in hta-neg-queue tl-h100-owlv2 tl-h100-timesformer; do
	silent "torch/$f" launch-bound
done
# hipFree takes nearly all of the run
fires torch/tl-mi300-ddp-resnet18 allocator 85 99
silent torch/tl-mi300-ddp-resnet18 launch-bound
# copies, and waits that cost nothing
fires nsys/fastvideo-h100 copy-bound 96.5 97.5
fires nsys/fastvideo-h100 sync-harmless
silent nsys/fastvideo-h100 sync-per-step
silent nsys/fastvideo-h100 sync-wait
# communication
fires torch/hta-nccl exposed-comm 5.7 6.1
fires torch/hta-df-index exposed-comm 20.4 20.8
fires torch/hta-neg-queue exposed-comm 14.9 15.3
for f in "$corpus"/torch/param-dlrm-8rank/*; do
	fires "torch/param-dlrm-8rank/${f##*/}" exposed-comm 12 57
done
# two broadcasts of buffers before each of three forwards, of a model wrapped in DistributedDataParallel
fires torch/hta-nccl ddp-buffers
# a memory set of 1.5 us is all that the device does; copies that block are no asynchronous ones
silent nsys/wb2-4060 copy-bound
silent nsys/mordred-2021 unpinned-async
# one step of six makes nearly all of the mean
silent torch/kineto-resnet50-w4-a unpinned-async
# a web page that is rendered loads no data
silent python/pyinstrument/generated/nontorch_v4.0.0.json slow-decode
# cuDNN tries its algorithms before the first step: up to 21 kernels in one convolution
for f in "$corpus"/torch/kineto-resnet50-autograd-w*; do
	silent "torch/${f##*/}" cudnn-autotune
	window=all
	fires "torch/${f##*/}" cudnn-autotune 4 8
	fires "torch/${f##*/}" idle-compile
	silent "torch/${f##*/}" recompilation
	window=steady
done
# one cost is told once: all that is lost is no more than the window, in every file
for f in "$corpus"/torch/* "$corpus"/nsys/*; do
	sum=$("$PROFDIVE" print findings --no-cache --format csv "$f" 2>/dev/null | sed -n 's/^[a-z0-9-]*,[a-z]*,[0-9][0-9]*,\([0-9.e-]*\),.*,\([^,]*\),[^,]*,[^,]*$/\2 \1/p' |
		awk '{ s[$1] += $2 } END { for (f in s) if (s[f] > m) m = s[f]; print m + 0 }')
	ok "${f##*/}: losses are $sum of the window" awk -v s="$sum" 'BEGIN { exit !(s <= 1.0000001) }'
done

# healthy ones, and those without a device
silent nsys/nsysai-synth gpu-idle
silent torch/hta-large-int launch-bound
fires torch/hta-cpu-only record-gpu
silent torch/hta-cpu-only gpu-idle

done_testing
