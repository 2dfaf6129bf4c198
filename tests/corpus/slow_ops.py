#!/usr/bin/env python3
"""slow_ops.py PROFDIVE TRACE...: the op table of torch traces, worked out a second time and compared.

Shares nothing with the program: the JSON is read with Python's own reader, times are integers from the digits, and who owns an
instant is found by sweeping all starts and ends with the set of what is active, not with a stack. What is compared per op name, for
the windows `all` and `steady`: count, total, self, its split into sync, launch, memcpy, other and host, device and exposed time
(doc/definitions.md, sections 2, 4 and 7). The window `steady` is the one that the program names (`print steps`); what falls into it
is found here.

Prints `agree WHAT` or `differ WHAT: HOW` per trace and window; exit status 1 if anything differs.
"""
import bisect
import gzip
import heapq
import json
import re
import subprocess
import sys

OPS = {"cpu_op", "operator"}
CALLS = {"cuda_runtime", "runtime", "cuda_driver", "xpu_runtime", "xpu_driver", "glow_runtime",
         "privateuse1_runtime", "privateuse1_driver", "hpu_op"}
DRIVER = {"cuda_driver", "xpu_driver", "privateuse1_driver"}
KERNELS = {"kernel"}
WORK = KERNELS | {"gpu_memcpy", "memcpy", "gpu_memset", "memset"}
PARTS = ["sync_ns", "launch_ns", "memcpy_ns", "other_runtime_ns"]
FIGURES = ["count", "total_ns", "self_ns"] + PARTS + ["host_ns", "device_ns", "exposed_ns"]


def nanoseconds(text):
    """Decimal microseconds to ns: the third decimal is the ns, the fourth rounds half up."""
    if text is None:
        return 0
    if "e" in text.lower():
        from decimal import Decimal
        text = format(Decimal(text), "f")
    sign = -1 if text.startswith("-") else 1
    whole, _, part = text.lstrip("+-").partition(".")
    part = (part + "0000")[:4]
    return sign * (int(whole or 0) * 1000 + int(part[:3]) + (part[3] >= "5"))


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as f:
        text = f.read().decode("utf-8", "replace")
    doc = json.loads(text, parse_float=str, parse_int=str, strict=False)
    return doc["traceEvents"] if isinstance(doc, dict) else doc


def number(value):
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


class Event:
    __slots__ = ("start", "end", "name", "corr", "ext", "driver", "thread", "order", "parent", "op")

    def __init__(self, e, category):
        args = e.get("args") or {}
        self.start = nanoseconds(e.get("ts"))
        self.end = self.start + max(0, nanoseconds(e.get("dur")))
        self.name = e.get("name", "")
        self.corr = number(args.get("correlation"))
        self.ext = number(args.get("External id", args.get("external id")))
        self.driver = category in DRIVER
        self.thread = (e.get("pid"), e.get("tid"))
        self.parent = self.op = None


def by_thread(events):
    """Per thread, in the order of the definition; order numbers are set."""
    threads = {}
    for e in events:
        threads.setdefault(e.thread, []).append(e)
    for track in threads.values():
        track.sort(key=lambda e: (e.start, -e.end))
        for i, e in enumerate(track):
            e.order = i
    return threads


def owners(track):
    """Segments (start, end, event): each instant belongs to the active event that is latest in the order."""
    edges = sorted({t for e in track for t in (e.start, e.end)})
    out, active, i = [], [], 0
    for a, b in zip(edges, edges[1:]):
        while i < len(track) and track[i].start <= a:
            heapq.heappush(active, (-track[i].order, track[i].end))
            i += 1
        while active and active[0][1] <= a:
            heapq.heappop(active)
        if active:
            out.append((a, b, track[-active[0][0]]))
    return out


def owner_at(segments, starts, t):
    i = bisect.bisect_right(starts, t) - 1
    return segments[i][2] if i >= 0 and segments[i][1] > t else None


def set_parents(track):
    """The latest in the order among those before it that are still active at its start."""
    active = []
    for e in track:
        while active and active[-1].end <= e.start:
            active.pop()
        # one that ended earlier may lie below one that is still active
        e.parent = active[-1] if active else None
        active.append(e)


def union(intervals):
    out = []
    for a, b in sorted(intervals):
        if b <= a:
            continue
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def cut(a, b, intervals, starts):
    """The parts of [a, b) inside the intervals."""
    i = max(0, bisect.bisect_right(starts, a) - 1)
    while i < len(intervals) and intervals[i][0] < b:
        lo, hi = max(a, intervals[i][0]), min(b, intervals[i][1])
        if hi > lo:
            yield lo, hi
        i += 1


def base_name(name):
    while True:
        shorter = re.sub(r"(_v\d+|_ptsz|_ptds|_spt)$", "", name)
        if shorter == name:
            return name
        name = shorter


def call_class(name):
    name = base_name(name)
    if name.endswith("Synchronize"):
        return 0
    if "Launch" in name and "LaunchHostFunc" not in name:
        return 1
    if "Memcpy" in name or "Memset" in name:
        return 2
    return 3


def choose_launch(calls, start):
    """Of calls with one correlation id: a launching name, the runtime API before the driver, the latest not after the kernel."""
    def rank(c):
        return (bool(re.search("Launch|Memcpy|Memset|Graph", c.name)), not c.driver, c.start <= start,
                c.start if c.start <= start else -c.start)
    return max(calls, key=rank)


class Trace:
    def __init__(self, path):
        self.ops, self.calls, self.kernels, self.work = [], [], [], []
        first = None
        for e in read(path):
            if not isinstance(e, dict) or e.get("ph") != "X":
                continue
            category = str(e.get("cat", "")).lower()
            ev = Event(e, category)
            if category in WORK and ev.start == 0 and ev.end == 0:
                continue
            if category in OPS:
                self.ops.append(ev)
            elif category in CALLS:
                self.calls.append(ev)
            if category in KERNELS:
                self.kernels.append(ev)
            if category in WORK:
                self.work.append(ev)
        self.op_threads = by_thread(self.ops)
        self.call_threads = by_thread(self.calls)
        self.op_owner = {t: owners(track) for t, track in self.op_threads.items()}
        self.op_starts = {t: [s[0] for s in segs] for t, segs in self.op_owner.items()}
        self.call_owner = {t: owners(track) for t, track in self.call_threads.items()}
        for track in self.op_threads.values():
            set_parents(track)
        self.busy = union([(e.start, e.end) for e in self.work])
        self.link()

    def link(self):
        by_id, by_ext = {}, {}
        for c in self.calls:
            if c.corr is not None:
                by_id.setdefault(c.corr, []).append(c)
        for op in self.ops:
            if op.ext is not None:
                by_ext[op.ext] = op
        for c in self.calls:
            segs = self.op_owner.get(c.thread)
            c.op = owner_at(segs, self.op_starts[c.thread], c.start) if segs else None
            if c.op is None and c.ext is not None and c.ext != c.corr:
                c.op = by_ext.get(c.ext)
        for k in self.kernels:
            calls = by_id.get(k.corr) if k.corr is not None else None
            k.parent = choose_launch(calls, k.start) if calls else None

    def table(self, window):
        """name -> figures; window: None for all, else disjoint sorted intervals."""
        starts = [w[0] for w in window] if window else None

        def pieces(a, b):
            return [(a, b)] if window is None else cut(a, b, window, starts)

        def inside(t):
            return window is None or any(True for _ in cut(t, t + 1, window, starts))

        rows = {}

        def row(name):
            return rows.setdefault(name, dict.fromkeys(FIGURES, 0))

        for op in self.ops:
            total, counted = sum(b - a for a, b in pieces(op.start, op.end)), inside(op.start)
            if total or counted:
                row(op.name)["total_ns"] += total
                row(op.name)["count"] += counted
        busy_starts = [b[0] for b in self.busy]
        for thread, segs in self.op_owner.items():
            calls = self.call_owner.get(thread, [])
            call_starts = [c[0] for c in calls]
            for start, end, op in segs:
                for a, b in pieces(start, end):
                    r = row(op.name)
                    r["self_ns"] += b - a
                    r["exposed_ns"] += b - a - sum(y - x for x, y in cut(a, b, self.busy, busy_starts))
                    i = max(0, bisect.bisect_right(call_starts, a) - 1)
                    while i < len(calls) and calls[i][0] < b:
                        lo, hi = max(a, calls[i][0]), min(b, calls[i][1])
                        if hi > lo:
                            r[PARTS[call_class(calls[i][2].name)]] += hi - lo
                        i += 1
        for r in rows.values():
            r["host_ns"] = r["self_ns"] - sum(r[p] for p in PARTS)
        for k in self.kernels:
            if not k.parent or not k.parent.op or not inside(k.parent.start):
                continue
            names, op = set(), k.parent.op
            while op:
                names.add(op.name)
                op = op.parent
            for name in names:
                if name in rows:
                    rows[name]["device_ns"] += k.end - k.start
        if not self.calls:
            for r in rows.values():
                for f in PARTS + ["host_ns", "device_ns", "exposed_ns"]:
                    r[f] = None
        elif not self.work:
            for r in rows.values():
                r["device_ns"] = r["exposed_ns"] = None
        return rows


def ask(profdive, view, window, path):
    out = subprocess.run([profdive, "print", view, "--no-cache", "--window", window, "--format", "json", path],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def steady_window(profdive, path):
    """The periods of the steady steps, on the trace's own axis; None where there are no steps."""
    zero = ask(profdive, "sources", "all", path)["rows"][0]["first_ns"]
    steps = ask(profdive, "steps", "all", path)["rows"]
    keep = [s for s in steps if not s["partial"] and not s["warmup"]]
    if len(keep) < 3:
        keep = [s for s in steps if not s["partial"]] or steps
    return union([(s["start_ns"] + zero, s["start_ns"] + zero + s["period_ns"]) for s in keep]) or None


def compare(profdive, path, trace, window):
    mine = trace.table(None if window == "all" else steady_window(profdive, path))
    theirs = {r["name"]: r for r in ask(profdive, "ops", window, path)["rows"]}
    wrong = sorted(set(mine) ^ set(theirs))
    if wrong:
        return "names in one table only: %s" % wrong[:3]
    for name in sorted(mine):
        for f in FIGURES:
            if mine[name][f] != theirs[name][f]:
                return "%s of %s: %s here, %s there" % (f, name, mine[name][f], theirs[name][f])
    return None


def main():
    status = 0
    for path in sys.argv[2:]:
        trace = Trace(path)
        for window in ("all", "steady"):
            wrong = compare(sys.argv[1], path, trace, window)
            what = "%s, %s" % ("/".join(path.split("/")[-2:]), window)
            print("differ %s: %s" % (what, wrong) if wrong else "agree %s, %d ops" % (what, len(trace.ops)))
            status |= wrong is not None
    return status


if __name__ == "__main__":
    sys.exit(main())
