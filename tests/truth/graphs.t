#!/bin/sh
# graphs.t - CUDA graphs, node by node (torch) and as a whole (Nsight Systems): whose their kernels are, and what is said of them.
. "${srcdir:-.}/tests/lib/tap.sh"

# check VIEW-FILE CHECK: verdict, count and whole of a row of `quality`
check() { tr -d '\r' <"$1" | sed -n "s/^$2,\([a-z]*,[0-9]*,[0-9]*\),.*/\1/p"; }

# An op launches a graph of three kernels and, by itself, one more; a node whose launch was not recorded.
cat >"$T/torch.json" <<'EOF'
{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "replay", "pid": 1, "tid": 1, "ts": 0, "dur": 100, "args": {"External id": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {"correlation": 7}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 20, "dur": 5, "args": {"correlation": 8}},
{"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 30, "dur": 10, "args": {"device": 0, "stream": 7, "correlation": 7, "graph id": 2, "graph node id": 11}},
{"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 40, "dur": 20, "args": {"device": 0, "stream": 7, "correlation": 7, "graph id": 2, "graph node id": 12}},
{"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 7, "ts": 60, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 7}},
{"ph": "X", "cat": "kernel", "name": "c", "pid": 0, "tid": 7, "ts": 70, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 8, "graph id": 0, "graph node id": 0}},
{"ph": "X", "cat": "kernel", "name": "d", "pid": 0, "tid": 7, "ts": 80, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 9, "graph id": 2, "graph node id": 13}}
]}
EOF
"$PROFDIVE" print quality --no-cache --window all --format csv "$T/torch.json" >"$T/q" 2>"$T/err"
is "by their node, or by their launch" "$(check "$T/q" "kernels of CUDA graphs")" "note,4,5"
is "none as a whole" "$(check "$T/q" "CUDA graphs traced as a whole")" ""
"$PROFDIVE" print opkernels --no-cache --window all --format csv "$T/torch.json" 2>"$T/err" | tr -d '\r' >"$T/ops"
is "they belong to the op that launched the graph" "$(grep -c '^replay,[abc],' "$T/ops")" 3

# The same as one event of 40 ns per launch.
g=281474976710656
cat >"$T/whole.jsonl" <<EOF
{"id":1,"table":"StringIds","value":"cudaGraphLaunch_v10000"}
{"id":2,"table":"StringIds","value":"k"}
{"correlationId":7,"end":20,"eventClass":0,"globalTid":$((g + 5 * 16777216 + 5)),"nameId":1,"returnValue":0,"start":10,"table":"CUPTI_ACTIVITY_KIND_RUNTIME"}
{"contextId":1,"correlationId":7,"deviceId":0,"end":70,"globalPid":$((g + 5 * 16777216)),"graphExecId":4,"graphId":3,"start":30,"streamId":7,"table":"CUPTI_ACTIVITY_KIND_GRAPH_TRACE"}
{"contextId":1,"correlationId":9,"demangledName":2,"deviceId":0,"end":90,"globalPid":$((g + 5 * 16777216)),"shortName":2,"start":80,"streamId":7,"table":"CUPTI_ACTIVITY_KIND_KERNEL"}
EOF
"$PROFDIVE" print quality --no-cache --window all --format csv "$T/whole.jsonl" >"$T/q" 2>"$T/err"
is "a launch as a whole" "$(check "$T/q" "CUDA graphs traced as a whole")" "note,1,2"
is "and how to see more" "$(grep -c 'cuda-graph-trace=node' "$T/q")" 1
"$PROFDIVE" print classes --no-cache --window all --format csv "$T/whole.jsonl" 2>"$T/err" | tr -d '\r' | cut -d, -f1-4 >"$T/classes"
is "it is work of the device, in no class" "$(grep '^Unresolved' "$T/classes")" "Unresolved,CUDA graph,1,40"
done_testing
