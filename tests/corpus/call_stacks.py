# call_stacks.py TRACE: what the ops of a trace whose call stacks end in a frame take: "frame<TAB>ns", by frame. Of ops inside each other
# each moment counts once. Ranges that the script opens are left out: __enter__ is over when they are open.
import gzip, json, sys

spans = {}
for e in json.load(gzip.open(sys.argv[1]))["traceEvents"]:
    stack = e.get("args", {}).get("Call stack") if e.get("ph") == "X" else None
    if not stack:
        continue
    frames = stack.split(";")
    if "autograd/profiler.py(" in frames[0] and frames[0].endswith("__enter__") and "::" not in e["name"]:
        continue
    at = int(e["ts"]) * 1000
    spans.setdefault(frames[-1], []).append((e["tid"], at, at + int(e["dur"]) * 1000))
for frame, of in sorted(spans.items()):
    total, thread, end = 0, None, 0
    for t, a, b in sorted(of):
        if t != thread:
            thread, end = t, a
        total += max(0, b - max(a, end))
        end = max(end, b)
    print(f"{frame}\t{total}")
