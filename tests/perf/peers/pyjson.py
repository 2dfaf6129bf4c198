# pyjson.py FILE: Python's json, the whole text as a tree; the line and the sums as in peer.h
import json
import os
import platform
import sys
import time

since = time.perf_counter()
with open(sys.argv[1], encoding="utf-8") as file:
    root = json.load(file)
M = (1 << 64) - 1
events = spans = name = cat = ts = dur = pid = tid = corr = 0
for e in root["traceEvents"]:
    events += 1
    if e.get("ph") != "X":
        continue
    spans += 1
    s = e.get("name", "")
    name += len(s) if s.isascii() else len(s.encode("utf-8", "surrogatepass"))
    s = e.get("cat", "")
    cat += len(s) if s.isascii() else len(s.encode("utf-8", "surrogatepass"))
    ts += round(e.get("ts", 0) * 1000)
    dur += round(e.get("dur", 0) * 1000)
    v = e.get("pid", 0)
    pid += v if type(v) is int else 0
    v = e.get("tid", 0)
    tid += v if type(v) is int else 0
    v = e.get("args", {}).get("correlation", 0)
    corr += v if type(v) is int else 0
seconds = time.perf_counter() - since
anon = 0
with open("/proc/self/status", encoding="ascii", errors="replace") as file:
    for line in file:
        if line.startswith("RssAnon:"):
            anon = int(line.split()[1])
print(f"peer=Python version={platform.python_version()} impl=tree seconds={seconds:.6f} anon_kib={anon} events={events} spans={spans} "
      f"name_bytes={name} cat_bytes={cat} ts_ns={ts & M} dur_ns={dur & M} pid={pid & M} tid={tid & M} corr={corr & M}", flush=True)
os._exit(0)
