#!/bin/sh
# nsys_json.t: JSON exports of Nsight Systems say what the database of the same capture says; traces made of an export are
# repaired from it, and invent no class without it.
. "${srcdir:-.}/tests/lib/tap.sh"

nsys=$PROFDIVE_CORPUS/nsys
if test -z "$PROFDIVE_CORPUS" || test ! -d "$nsys"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi

# rows VIEW FILE OUT [OPTION...]: the rows of a view, in any order; name, format, version and size of the file are its own
rows()
{
	view=$1 file=$2 out=$3
	shift 3
	"$PROFDIVE" print "$view" --window all --format json "$@" "$file" 2>"$T/err" |
		sed -n "s#$file#FILE#g; s/FILE: nsys-[a-z]*[ 0-9.]*, /FILE: /; /^ {/p" | sed 's/}\], "notes".*/}/; s/},$/}/' | sort >"$out"
}

# same_views NAME FILE FILE ROWS: every view but that of the files themselves
same_views()
{
	n=0 views=0
	test -f "$2" && test -f "$3" || {
		skip "$1" "not in the corpus"
		return
	}
	for view in $("$PROFDIVE" help tables | sed -n 's/^view	\([a-z]*\)	.*/\1/p' | sort -u); do
		test "$view" != sources || continue
		rows "$view" "$2" "$T/a"
		rows "$view" "$3" "$T/b"
		cmp -s "$T/a" "$T/b" || same "$1: view $view" "$T/b" "$T/a"
		views=$((views + 1))
		test "$view" = rules || n=$((n + $(wc -l <"$T/a")))
	done
	ok "$1: $views views, $n rows" test "$views" -ge 20 -a "$n" -ge "$4"
}

same_views "made-nvtx-2022, sqlite and json" "$nsys/made-nvtx-2022/steps.sqlite" "$nsys/made-nvtx-2022/steps.nsys.json" 70
same_views "fuser-h100, sqlite and jsonlines" "$nsys/fuser-h100/report1.sqlite" "$nsys/jsonl-derived/fuser-h100_report1.jsonl" 300

# ---- a capture of 2022: what the ranges of its program say ------------------------------------

steps=$nsys/made-nvtx-2022/steps.nsys.json
if test -f "$steps"; then
	"$PROFDIVE" print steps --window all --format csv "$steps" 2>"$T/err" | tr -d '\r' >"$T/steps"
	is "six steps" "$(($(wc -l <"$T/steps") - 1))" 6
	# lengths of the ranges step_0, dataload, forward, backward (the work of a second thread), optimizer; then the remainder; nothing in it tells recompute, which is not known
	is "the first is warm-up, its phases are those of the ranges" "$(sed -n 's/^0,//p' "$T/steps" | cut -d, -f2,4,7-12)" \
		"259479181,true,30492479,77039429,109819977,,42119551,13766"
	is "no other is" "$(cut -d, -f1,5 "$T/steps" | grep -c true)" 1
	# step, length, dataload, forward, backward, optimizer: lengths of the ranges, asked of the database with SQL
	cat >"$T/phases" <<-EOF
		0,259479181,30492479,77039429,109819977,42119551
		1,58259477,6145869,20368707,23728344,8009974
		2,54534526,6423566,15267646,24819933,8012740
		3,55333678,6109381,15202514,26010196,8006919
		4,87816443,6111495,20728989,50288662,10681516
		5,83993884,6117476,23165311,44006760,10698928
	EOF
	sed 1d "$T/steps" | cut -d, -f1,3,8-10,12 >"$T/got"
	same "the phases of each step are its ranges" "$T/got" "$T/phases"
	"$PROFDIVE" print nvtx --window all --format csv "$nsys/made-nvtx-2022/steps.sqlite" 2>"$T/err" >"$T/want"
	"$PROFDIVE" print nvtx --window all --format csv "$steps" "$nsys/made-nvtx-2022/steps.sqlite" 2>"$T/err" >"$T/got"
	same "both exports together: each range is counted once" "$T/got" "$T/want"
else
	skip "six steps" "not in the corpus"
fi

# ---- Chrome traces ----------------------------------------------------------------------------

# kernels OUT OPTION... FILE...: name, class and times of the kernels
kernels()
{
	out=$1
	shift
	"$PROFDIVE" print kernels --window all --format json "$@" 2>"$T/err" |
		sed -n 's/, "forward_ns".*//; /^ {/p' | sort >"$out"
}

# classes FILE: class, subclass, count
classes() { "$PROFDIVE" print classes --window all --format csv "$1" 2>"$T/err" | tr -d '\r' | cut -d, -f1-3 | sed 1d; }

# conversion NAME DATABASE TRACE KERNELS
conversion()
{
	test -f "$2" && test -f "$3" || {
		skip "$1" "not in the corpus"
		return
	}
	kernels "$T/want" "$2"
	kernels "$T/got" --source 1 "$2" "$3"
	same "$1: names and classes of the kernels are those of the export" "$T/got" "$T/want"
	"$PROFDIVE" print sources --format csv "$2" "$3" 2>"$T/err" >"$T/sources"
	is "$1: all are repaired" "$(sed -n 's/.*, \([0-9]*\) kernel names were repaired from .*, \([0-9]*\) stay truncated.*/\1 \2/p' \
		"$T/sources")" "$4 0"
	kernels "$T/both" "$2" "$3"
	same "$1: kernels are counted once" "$T/both" "$T/want"
	is "$1: alone, no class is invented" "$(classes "$3")" "Unresolved,truncated,$4"
}

conversion "fastvideo-h100" "$nsys/fastvideo-h100/h100_2gpu_1s.sqlite" \
	"$nsys/json-derived/fastvideo-h100_h100_2gpu_1s.nsys2json.json" 3442
conversion "fuser-h100" "$nsys/fuser-h100/report1.sqlite" "$nsys/json-derived/fuser-h100_report1.nsys2json.json" 19

gold=$nsys/json-ncompass/gold_nsys_example.json
if test -f "$gold"; then
	is "vLLM: no class is invented" "$(classes "$gold")" "Unresolved,truncated,5398"
	"$PROFDIVE" print gpu --window all --format json "$gold" 2>"$T/err" >"$T/gpu"
	is "vLLM: every kernel has its launch" "$(sed -n 's/.*"unattributed": \([0-9]*\).*/\1/p' "$T/gpu")" 0
	is "vLLM: nothing is communication" "$(sed -n 's/.*"comm_sum_ns": \([0-9]*\).*/\1/p' "$T/gpu")" 0
	"$PROFDIVE" print runtime --window all --format json "$gold" 2>"$T/err" >"$T/runtime"
	is "vLLM: 42 graph launches" "$(sed -n '/cudaGraphLaunch/s/.*"count": \([0-9]*\).*/\1/p' "$T/runtime")" 42
	# counted with another tool: kernels whose correlation id is that of a cudaGraphLaunch
	"$PROFDIVE" print chains --window all --format json "$gold" 2>"$T/err" >"$T/chains"
	is "vLLM: kernels of the graphs" "$(sed -n '/cudaGraphLaunch/s/.*"count": \([0-9]*\).*/\1/p' "$T/chains" |
		awk '{ n += $1 } END { print n }')" 5002
else
	skip "vLLM" "not in the corpus"
fi
done_testing
