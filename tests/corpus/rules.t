#!/bin/sh
# rules.t - which rules fire on the real traces, against what a separate script measured in them (rules_on_corpus.tsv beside the
# corpus): the thresholds of the rules applied to its figures. Where the states differ, the reason stands below; anything else fails.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_CORPUS/torch" || skip_all "no corpus"
measured=$PROFDIVE_CORPUS/../domain/rules_on_corpus.tsv
test -f "$measured" || skip_all "no table of measures beside the corpus"

# TRACE RULE, and why the state is another one than the measures say (TRACE: a pattern)
cat >"$T/known" <<'END'
hta-cp-overlaid/* launch-bound	nearly all of the idle time is the first allocation, which makes the context: explained, so not counted
hta-cp-simpleadd/* launch-bound	the same trace under another name
hta-nccl/* layout-copies	its copies change between NCHW and NHWC: another finding, channels-last
tl-mi300-ddp-resnet18/* layout-copies	as above: MIOpen's transposes
hta-trace-filter/*-0* layout-copies	the measure's share is of all kernels, that of the rule of those that are not communication: 5.9 %
param-dlrm-8rank/* layout-copies	the same: communication is up to 90 % of the kernel time
kineto-resnet50-autograd-w0/* loader	the script found no steps, and looked at the five seconds of start-up, too
param-dlrm-8rank/worker1* loader	4.7 %: below the 5 % of loading in general, above the 2 % of loading in the training process
hta-gpu-user-annot/* cross-entropy	0.3 % of the window, for all its share of the kernels
tl-h100-timesformer/* loader	no DataLoader: the frames of the image processor are loading, too
tl-h100-timesformer/* sync-harmless	copies to pageable memory wait for the device, too: the measure counts synchronising calls alone
hta-neg-queue/* sync-wait	five pageable copies of 704 B take 139 to 147 ms each: they wait, which the measure does not count
tl-sglang-* sync-harmless	hipMemcpyWithStream is a copy that blocks, not a synchronisation
tl-vllm-decode/* gpu-bound	the window is that of the GPU's work, without the host before and behind it
END

# What the measures say: lines "TRACE RULE yes|no". A rule is left out where the measures do not decide it.
awk -F '\t' '
	function say(rule, holds) { print $1 "\t" rule "\t" (holds ? "yes" : "no") }
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	function v(name) { return $(at[name]) + 0 }
	{
		steps = v("steps") > 1 ? v("steps") : 1
		products = v("L_per_step") * v("meanK_us") * steps / 1000 / v("W_ms") * v("gemm_share") / 100
		starved = v("starved_of_idle") * v("D.idle") / 100 - v("dl_idle")
		say("loader", v("dl_idle") >= 5)
		say("exposed-comm", v("D.comm_exp") >= 5 && v("W_ms") * v("D.comm_exp") / 100 / steps >= 0.1)
		say("copies", v("D.copy_exp") >= 5)
		say("no-tensor-cores", v("simt_gemm_share") >= 20 && v("simt_gemm_share") * products >= 5)
		say("sync-wait", v("sync_bound") >= 5)
		say("sync-harmless", v("sync_H") >= 15 && v("sync_bound") < 5)
		if (starved < 15 || v("delay_med_us") < 25) say("launch-bound", starved >= 15)
		say("layout-copies", v("copy_kernel_share") >= 5)
		say("cross-entropy", v("loss_share") >= 5)
		if ($(at["recompute"]) != "-") say("recompute", v("recompute") >= 0.2)
		say("gpu-bound", v("D.compute") >= 90 && v("delay_med_us") >= 100)
	}' "$measured" >"$T/want"

# Which rules the program has for each of these words.
rules_of()
{
	case $1 in
	loader) echo '^(dataloader-bound|dataloader-single-process|dataloader-workers-slow),' ;;
	copies) echo '^(copy-not-hidden|copy-bound),' ;;
	*) echo "^$1," ;;
	esac
}

# known TRACE RULE: whether a difference is one of those above
known()
{
	while read -r pattern known_rule why; do
		# shellcheck disable=SC2254
		case $1 in $pattern) test "$known_rule" = "$2" && return 0 ;; esac
	done <"$T/known"
	return 1
}

last= agree=0 explained=0 n=0 traces=0
tab=$(printf '\t')
while IFS=$tab read -r trace rule want; do
	if test "$trace" != "$last"; then
		for f in "$PROFDIVE_CORPUS/torch/$trace"*; do break; done
		"$PROFDIVE" print checks --no-cache --format csv "$f" >"$T/checks" 2>"$T/err"
		last=$trace traces=$((traces + 1))
	fi
	got=no
	grep -E "$(rules_of "$rule")" "$T/checks" | grep -Eq '^[^,]*,(found|explained),' && got=yes
	n=$((n + 1))
	if test "$got" = "$want"; then
		agree=$((agree + 1))
	elif known "$trace" "$rule"; then
		explained=$((explained + 1))
	else
		fail "$trace: $rule: measured $want, we say $got"
	fi
done <"$T/want"
is "$traces traces, $n states: $agree agree, $explained differ for a reason" $((agree + explained)) "$n"
ok "nineteen of twenty agree" test $((20 * agree)) -ge $((19 * n))
done_testing
