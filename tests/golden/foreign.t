#!/bin/sh
# foreign.t - files of other programs are refused by name, with what is read in their place; Ascend's device lanes are named as not read,
# and nothing is concluded from their absence.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99

# FILE WORDS: refused with 3, and the sentence has the words
refused() {
	status "$1 is refused" 3 "$PROFDIVE" --no-cache summary "$1"
	ok "as $2" grep -q "$2" err
}
event() { printf '{"ph":"X","cat":"%s","name":"%s","pid":1,"tid":1,"ts":1,"dur":2,"args":{%s}}' "$1" "$2" "$3"; }

printf '{"displayTimeUnit":"ns","traceEvents":[{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},%s]}' \
	"$(event x fusion.1 '"hlo_op":"fusion.1","hlo_module":"jit_step"')" >jax.json
refused jax.json "JAX, XLA or TensorFlow"
printf '{"traceEvents":[%s],"viztracer_metadata":{"version":"0.16"}}' "$(event FEE 'main (a.py:1)')" >viz.json
refused viz.json "a VizTracer trace"
# as VizTracer 1.x writes it, metadata at the end of a long file
printf '{"traceEvents": [{"ph": "M", "pid": 5, "tid": 5, "name": "process_name", "args": {"name": "MainProcess"}}, %s' \
	'{"pid": 5, "tid": 5, "ts": 1.5, "ph": "X", "dur": 2, "name": "f (a.py:1)", "cat": "fee"}]}' >viz1.json
refused viz1.json "a VizTracer trace"
printf '<!DOCTYPE html>\n<!--\nOriginal LICENSE file:\nhttps://github.com/catapult-project/catapult/blob/master/tracing/LICENSE\n-->\n<head>\n' >viz.html
refused viz.html "a page of Chrome's trace viewer"
# memray: pages, its statistics, a CSV, recordings with and without LZ4; Austin's binary form
printf '\n<!DOCTYPE html>\n<html lang="en">\n<head>\n  <title>memray - flamegraph report</title>\n<svg></svg>\n' >memray-flamegraph.html
refused memray-flamegraph.html "output of memray"
printf '\n<!DOCTYPE html>\n<html lang="en">\n<head>\n  <title>memray - table report</title>\n' >memray-table.html
refused memray-table.html "output of memray"
printf '\360\237\223\217 Total allocations:\n\t306\n\n\360\237\223\246 Total memory allocated:\n\t952.264kB\n' >memray.txt
refused memray.txt "output of memray"
printf 'allocator,num_allocations,size,tid,thread_name,stack_trace\nMALLOC,1,1340,1,0x1,main;a.py;58\n' >memray.csv
refused memray.csv "output of memray"
printf 'memray\000\015\000\000\000' >memray.bin
refused memray.bin "output of memray"
{ printf '\004"M\030@@\300\021K\000\000\371\005memray\000\r\000\000\000\360\017\013'; head -c 200 /dev/zero; } >memray-lz4.bin
refused memray-lz4.bin "output of memray"
printf 'MOJ\004\001austin\0003.7.0\000' >a.mojo
refused a.mojo "mojo2austin"
printf '{"traceEvents":[{"ph":"M","pid":2,"name":"process_name","args":{"name":"0 CPU HIP API"}},%s]}' "$(event hip hipMemcpy)" >results.json
refused results.json "output of rocprof"
printf '{"rocprofiler-sdk-tool":[{"metadata":{"pid":7},"agents":[],"buffer_records":{"kernel_dispatch":[]}}]}' >rocprofv3.json
refused rocprofv3.json "output of rocprof"
printf '{"traceEvents":[%s]}' "$(event devtools.timeline RunTask)" >browser.json
refused browser.json "a trace of Chrome or Perfetto"
printf '==42== NVPROF is profiling process 42, command: ./a\n==42== Profiling result:\nGPU activities:  100.00%%  1.5ms  1  1.5ms  1.5ms  1.5ms  k\n' >nvprof.txt
refused nvprof.txt "output of nvprof"
# three packets of Perfetto: 4 bytes each, a timestamp and a sequence number; a plane of XPlane named /host:CPU
printf '\n\004\100\001\120\001\n\004\100\002\120\001\n\004\100\003\120\001' >trace.bin
refused trace.bin "a Perfetto trace (protobuf)"
printf '\n\015\010\001\022\011/host:CPU' >a.xplane.pb
refused a.xplane.pb "an XPlane file"
printf '[{"ph":"b","cat":"m","name":"1","id":"0","ts":1,"pid":0},{"ph":"e","cat":"m","name":"1","id":"0","ts":3,"pid":0}]' >async.json
refused async.json "phases that are not read"

# ---- Ascend: two ops on the host, two tasks on a device's stream
printf '[{"ph":"M","name":"process_name","pid":800,"tid":0,"args":{"name":"Ascend Hardware"}},%s,%s,%s,%s]' \
	'{"ph":"X","cat":"cpu_op","name":"aten::add","pid":100,"tid":100,"ts":"10.5","dur":60}' \
	'{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":100,"ts":"100.5","dur":40}' \
	'{"ph":"X","name":"Add","pid":800,"tid":3,"ts":"50.5","dur":90,"args":{"Task Type":"AI_CORE"}}' \
	'{"ph":"X","name":"MatMulV2","pid":800,"tid":3,"ts":"150.5","dur":90,"args":{"Task Type":"AI_CORE"}}' >ascend.json
status "an Ascend trace is read" 0 "$PROFDIVE" --no-cache summary ascend.json
cp out summary
ok "says what is not" grep -q 'Ascend NPU device lanes are not read' summary
is "no advice for CUDA, no claim that nothing was lost" "$(grep -E 'cuda|nsys|GPU work|No loss' summary)" ""
"$PROFDIVE" --no-cache print breakdown --format csv ascend.json >rows 2>/dev/null
is "no op is on the CPU" "$(grep -c 'on the CPU' rows)" 0
is "both are there" "$(grep -c 'aten::' rows)" 2
done_testing
