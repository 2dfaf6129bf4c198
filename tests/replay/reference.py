#!/usr/bin/env python3
"""A plain replay of a trace with one thing changed: the second, independent program beside profdive's own.

    reference.py TRACE CHANGE...     for each change a line: change, recorded and replayed median step in ns, tab-separated

It is written for the traces of `tracegen --kind whatif`: one device, one process, host threads that take turns. No code is shared
with profdive; speed and damaged input are no concern. Every time is a pair: as the graph explains it for the recorded run, and for
the changed one. What was recorded and the graph does not explain is added to the second."""
import fnmatch, json, re, sys
from collections import defaultdict
from decimal import Decimal

SYNCS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")
LAUNCHES = ("cudaLaunchKernel", "cudaGraphLaunch")
FAR, NEAR, FULL = 20000, 5000, 1024  # ns: has waited; followed an operation of another stream; operations the device holds
CLASSES = (("GEMM", "nvjet|gemm"), ("Attention", "flash"), ("Communication", "nccl"), ("Norm", "layer_norm|LayerNorm"),
           ("Softmax", "oftmax"), ("Optimizer", "dam"), ("Loss", "nll_loss"), ("Elementwise", "elementwise"))


def ns(us):
    return int(Decimal(us) * 1000)


def later(*pairs):
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


def plus(pair, n):
    return pair[0] + n, pair[1] + n


def periods(marks):
    """From the start of a step to the start of the next; the last to its own end."""
    return [b - a for a, b in zip(marks[0::2], marks[2::2] + [marks[-1]])]


def median(values):
    return sorted(values)[(len(values) - 1) // 2]


class Work:
    """One operation of the device; after: what it waits for beside its stream's order."""

    def __init__(self, event):
        args, name = event["args"], event["name"]
        self.start, self.stream, self.corr = ns(event["ts"]), args["stream"], args["correlation"]
        self.end = self.start + ns(event["dur"])
        self.copy = name.split()[1] if event["cat"] == "gpu_memcpy" else ""
        self.kind = self.copy or ("graph" if "graph node id" in args else "kernel")
        self.label = "" if self.copy else next((c for c, pattern in CLASSES if re.search(pattern, name)), "other")


class Trace:
    def __init__(self, path):
        events = json.load(open(path), parse_float=str, parse_int=str)["traceEvents"]
        events = [e for e in events if e.get("ph") == "X"]
        of = lambda cat: [e for e in events if e["cat"] == cat]
        span = lambda e: (ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]))
        self.ranges = sorted(span(e) + (k, e["name"]) for k, c in (("op", "cpu_op"), ("annotation", "user_annotation")) for e in of(c))
        self.sync = {e["args"]["correlation"]: e["args"] for e in of("cuda_sync")}
        self.source = {a["wait_on_cuda_event_record_corr_id"]: a["wait_on_stream"] for a in self.sync.values()
                       if a.get("wait_on_cuda_event_record_corr_id", "-1") != "-1"}  # which stream an event was recorded on
        work = defaultdict(list)
        for e in sorted(of("kernel") + of("gpu_memcpy"), key=lambda e: ns(e["ts"])):
            work[e["args"]["correlation"]].append(Work(e))
        # what the host does, in order: start, end, call or mark, its work, its number
        self.acts = [span(e) + (e["name"], work[e["args"]["correlation"]], e["args"]["correlation"]) for e in of("cuda_runtime")]
        for start, end, _, name in self.ranges:
            if name.startswith("ProfilerStep"):
                self.acts += [(t, t, "step", [], "") for t in (start, end)]
            elif "_MultiProcessingDataLoaderIter" in name:
                self.acts.append((start, end, "batch", [], ""))
        self.acts.sort(key=lambda a: a[:2])
        self.costs()

    def costs(self):
        """Latencies, the gap between operations, costs of calls, depth of the queue: the smallest that were recorded."""
        last, gaps, self.latency, launches = {}, [], {}, []
        self.least = {}  # the shortest call of a name
        for start, end, what, work, _ in self.acts:
            self.least[what] = min(self.least.get(what, end - start), end - start)
            if work and max(last.values(), default=0) <= start:
                self.latency[work[0].kind] = min(self.latency.get(work[0].kind, FAR), work[0].start - start)
            elif work and last.get(work[0].stream, 0) > end + FAR:
                gaps.append(work[0].start - last[work[0].stream])
            for w in work:
                last[w.stream] = w.end
            if what in LAUNCHES:
                launches.append(end - start)
        self.gap = max(0, min(gaps, default=0))
        self.launch = sorted(launches)[len(launches) // 10]  # of one that finds room
        self.batch = min([a[1] - a[0] for a in self.acts if a[2] == "batch"] + [5 * FAR])
        ops = [a for a in self.acts if a[3]]
        held = [sum(b[3][-1].end > end - self.launch for b in ops[:i]) for i, (_, end, what, _, _) in enumerate(ops)
                if what in LAUNCHES and end - ops[i][0] > 4 * self.launch + FAR]
        self.depth = sorted(held)[len(held) // 2] + 1 if held else FULL
        self.back = {}
        for call, start, end, done in self.replay(("learn", "", "", 1)):
            if start < done <= end:
                self.back[call] = min(self.back.get(call, FAR), end - done)

    def changed_ranges(self, change):
        cut = []
        for start, end, kind, name in self.ranges:
            if change[0] in ("drop", "scale") and kind == change[1] and fnmatch.fnmatchcase(name, change[2]):
                if not cut or start >= cut[-1][1]:
                    cut.append((start, end))
        return cut

    def place(self, r, w, at, first, change):
        """Gives one operation its place on its stream."""
        verb, kind, glob, factor = change
        it = fnmatch.fnmatchcase(w.copy, glob) if kind == "copy" else kind == "class" and not w.copy and fnmatch.fnmatchcase(w.label, glob)
        gap, moved = self.gap if first else 0, verb == "overlap" and it and w.copy
        ready = plus(at, self.latency.get(w.kind, min(self.latency.values()))) if first else (0, 0)
        base = later(ready, plus(r.end[w.stream], gap), plus(r.held[w.stream], gap))
        near = [r.end[s] for s in r.end if s != w.stream and 0 <= w.start - r.end[s][0] <= NEAR]
        if not self.source and first and near and w.start - base[0] > NEAR // 2:
            base = later(base, plus(max(near), gap))  # a wait across streams that was not recorded
        if moved:
            before = r.end[w.stream] if w.copy == "DtoH" else (0, 0)
            base = base[0], later(ready, plus(r.held[w.stream], gap), plus(r.away[w.copy], gap), plus(before, gap))[1]
        begin = base[1] + w.start - base[0]
        done = w.end, begin + round((w.end - w.start) * (factor if it and verb in ("drop", "scale") else 1))
        if moved:
            r.away[w.copy] = done
            side = r.held if w.copy == "HtoD" else r.tail
            side[w.stream] = later(side[w.stream], done)
        else:
            r.end[w.stream] = done
        return done

    def waited_for(self, r, start, end, what, work, corr):
        """The work whose end a call waits for, as recorded and as replayed."""
        info, done = self.sync.get(corr, {}), lambda s: later(r.end[s], r.held[s], r.tail[s])
        if work and work[0].copy == "DtoH" and end >= work[0].end:
            return r.last
        if what == "cudaStreamSynchronize":
            return done(info["stream"])
        if what == "cudaDeviceSynchronize":
            return later((0, 0), *[done(s) for s in list(r.end)])
        if what == "cudaEventSynchronize" and self.source:
            return r.event[info.get("wait_on_cuda_event_record_corr_id")]
        if what == "cudaEventSynchronize":
            return max([p for p in r.ends if start < p[0] <= end], default=(0, 0))
        return None

    def replay(self, change):
        """Periods of the steps under the change (learn: the waits of the host)."""
        verb, kind, glob, factor = change
        cut = self.changed_ranges(change)
        inside = lambda t: any(s <= t < e for s, e in cut)
        left = lambda s, e: e - s - round((1 - factor) * sum(max(0, min(e, b) - max(s, a)) for a, b in cut))
        r = type("Run", (), {})()
        r.end, r.held, r.tail, r.away, r.event = (defaultdict(lambda: (0, 0)) for _ in range(5))
        r.ends, marks, waits, now = [], [], [], (self.acts[0][0],) * 2
        for start, end, what, work, corr in self.acts:
            if start >= now[0]:
                now = start, now[1] + left(now[0], start)
            own, wait, back, room = end - start, None, 0, now
            if what == "step":
                marks.append(now[1])
            elif what == "batch" and own > 2 * self.batch:  # a worker that nothing holds up: as late as recorded
                wait, own = (end, end), self.batch
            elif work and len(r.ends) >= self.depth:
                room = later(now, r.ends[-self.depth])
                own = min(own, self.least[what]) if room[0] > start else own
            for i, w in enumerate(work):
                r.last = self.place(r, w, room, i == 0, change)
            if work:
                r.ends.append(r.last)
            done = self.waited_for(r, start, end, what, work, corr)
            if done:
                wait, back = done, self.back.get(what, 3000) if verb != "learn" else 0
                own = min(self.least[what], back, own)
                waits.append((what, start, end, done[0]))
            elif what == "cudaEventRecord" and corr in self.source:
                s = self.source[corr]
                r.event[corr] = later(now, r.end[s], r.held[s], r.tail[s])
            elif what == "cudaStreamWaitEvent" and corr in self.sync:
                s = self.sync[corr]["stream"]
                r.held[s] = later(r.held[s], r.event[self.sync[corr]["wait_on_cuda_event_record_corr_id"]])
            name = work[0].copy if work and kind == "copy" else what if kind == "call" else ""
            free = verb == "async" and fnmatch.fnmatchcase(name, glob) or verb == "drop" and inside(start)
            explained = max(room[0] + own, wait[0] + back if wait else 0)
            if verb == "launch" and what in LAUNCHES:
                own = factor
            elif verb in ("drop", "scale") and inside(start):
                own = round(own * factor)
            if free:
                now = end, room[1] + own
            else:
                now = end, max(room[1] + own, wait[1] + back if wait else 0) + end - explained
            if verb == "learn":
                now = end, end
        return waits if verb == "learn" else periods(marks)


def parse(text):
    words = text.split(" ")
    if words[0] in ("launch", "none"):
        return words[0], "", "", int(words[1]) if words[1:] else 1
    factor = float(words.pop()) if words[0] == "scale" else 0 if words[0] == "drop" else 1
    kind, glob = " ".join(words[1:]).split(":", 1)
    return words[0], kind, glob, factor


def main():
    trace = Trace(sys.argv[1])
    recorded = periods([a[0] for a in trace.acts if a[2] == "step"])
    if trace.replay(parse("none")) != recorded:
        sys.exit("the unchanged replay is not the recorded run")
    for text in sys.argv[2:]:
        print("%s\t%d\t%d" % (text, median(recorded), median(trace.replay(parse(text)))))


if __name__ == "__main__":
    main()
