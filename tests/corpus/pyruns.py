"""pyruns.py PROGRAM FOLDER: figures of PROGRAM on the runs in FOLDER against counts made here of the files alone. One line for each."""
import collections, csv, gzip, io, json, os, re, subprocess, sys

program, corpus = sys.argv[1:3]


def check(held, name, detail=""):
    print(("ok - " if held else "not ok - ") + name + ("" if held else ": %s" % (detail,)), flush=True)


def rows(view, *args):
    """The rows of a view as dictionaries."""
    out = subprocess.run([program, "--no-cache", "print", view, "--format", "csv", *args], stdout=subprocess.PIPE, text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def notes(view, *args):
    out = subprocess.run([program, "--no-cache", "print", view, "--format", "json", *args], stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out).get("notes", [])


def path(name):
    return os.path.join(corpus, name)


def load(name):
    opened = gzip.open(path(name), "rt") if name.endswith(".gz") else open(path(name))
    with opened as f:
        return json.load(f)


def samples_of(name):
    """(profile name, [(function, file), ...] outermost first, seconds) of each sample of a speedscope file."""
    doc = load(name)
    frames = [(f["name"], f["file"] or "") for f in doc["shared"]["frames"]]
    for p in doc["profiles"]:
        for stack, weight in zip(p["samples"], p["weights"]):
            yield p["name"], [frames[i] for i in stack], weight


# ---- forked workers ----

def forked_workers():
    whole = started = workers = 0
    for _, stack, w in samples_of("spy.speedscope.json.gz"):
        names = [f for f, _ in stack]
        whole += w
        if "DataLoader.__iter__" in names:
            if "BaseProcess._bootstrap" in names:
                workers += w
            else:
                started += w
    check(abs(workers - 5.285) < 1e-6 and abs(started - 0.145) < 1e-6, "of what lies below the start of workers, 5.285 s are theirs",
          (workers, started))
    row = [r for r in rows("checks", path("spy.speedscope.json.gz")) if r["id"] == "dataloader-restart"][0]
    want = "worker_start / frames_wall = %.1f %% (>=2%%)" % (100 * started / whole)
    check((row["state"], row["why"]) == ("not found", want), "the start of forked workers is what starting took", row)


# ---- a thread is a row ----

def threads():
    """Of a flame graph by thread: boxes "thread (N)" and "thread (N): NAME" of one number. Of five dumps: the states of each."""
    svg = gzip.open(path("spy-subprocesses.svg.gz"), "rt").read()
    want = collections.Counter()
    for number, count in re.findall(r"<title>thread \((\d+)\)[^<]*? \(([\d,]+) samples", svg):
        want[number] += int(count.replace(",", ""))
    got = collections.Counter()
    for r in rows("pythreads", path("spy-subprocesses.svg.gz")):
        if r["tid"]:
            check(r["tid"] not in got, "flame graph: one row for thread %s" % r["tid"])
            got[r["tid"]] += int(r["samples"])
    check(got == want, "flame graph: the samples of each thread", (got, want))
    states = collections.defaultdict(collections.Counter)
    for number, state in re.findall(r"^Thread (\d+) \(([a-z+]+)\)", open(path("dump5.txt")).read(), re.M):
        states[number][state] += 1
    want = {t: ", ".join("%s %d" % (k, s[k]) for k in sorted(s)) for t, s in states.items()}
    got = [(r["tid"], r["states"]) for r in rows("pythreads", path("dump5.txt"))]
    check(sorted(got) == sorted(want.items()), "five dumps: a row per thread with its states", (got, want))


# ---- a sampler whose hook another profiler held ----

def hook():
    session = load("checkpoint-session.json")
    both = [path("checkpoint-session.json"), path("checkpoint.pt.trace.json.gz")]
    share = session["root_frame"]["time"] / session["duration"]
    check(share < 0.5, "the session's frames cover %.1f %% of its duration" % (100 * share))
    row = [r for r in rows("quality", *both) if r["check"] == "time with Python frames"]
    check(len(row) == 1 and row[0]["verdict"] == "bad" and abs(float(row[0]["share"]) - share) < 1e-6 and
          "frames cover %.1f %% of the session: another profiler held the hook" % (100 * share) in row[0]["means"], "quality says so", row)
    for view in "stacks", "leaves", "frameworks":
        got = {r["source"] for r in rows(view, *both)} or {path("checkpoint.pt.trace.json.gz")}
        check(all("checkpoint.pt" in s for s in got), "%s: the trace's own frames" % view, got)
    check("checkpoint-session" in " ".join(notes("stacks", *both)), "stacks says that the session is left out")


# ---- a sampler on the clock of a trace ----

def ns(us):
    return round(us * 1000)


def steps_of(trace):
    """[(number, start, end of the period)] in ns of UTC, and base of the file's clock."""
    base = trace["baseTimeNanoseconds"]
    marks = sorted((base + ns(e["ts"]), base + ns(e["ts"]) + ns(e["dur"]), int(e["name"].split("#")[1]))
                   for e in trace["traceEvents"] if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#"))
    ends = [m[0] for m in marks[1:]] + [marks[-1][1]]
    return [(number, start, end) for (start, _, number), end in zip(marks, ends)]


def records_of(session):
    """(names of the stack, start, end) in ns of UTC of a pyinstrument session."""
    start, at = round(session["start_time"] * 1e9), 0
    for stack, seconds in session["frame_records"]:
        yield [f.split("\0")[0] for f in stack], start + round(at * 1e9), start + round((at + seconds) * 1e9)
        at += seconds


def is_backward(names):
    return any(n.endswith("run_backward") for n in names)


def is_around(names):
    """In backward(), but not in the engine."""
    return not is_backward(names) and "backward" in names


def is_forward(names):
    return not is_backward(names) and ("_wrapped_call_impl" in names or "cross_entropy" in names)


W0 = ["w0.pt.trace.json.gz", "w0.pyisession.gz"]


def windows():
    """What lies outside the steps (torch's export among it) is not in the default; the steps are cut at their own edges."""
    steps, session, both = steps_of(load(W0[0])), load(W0[1]), [path(f) for f in W0]
    of = {number: collections.Counter() for number, _, _ in steps}
    for names, a, b in records_of(session):
        for number, start, end in steps:
            inside = min(b, end) - max(a, start)
            if inside > 0:
                kind = "backward" if is_backward(names) else "forward" if is_forward(names) else "rest"
                of[number][kind] += inside
                of[number]["around"] += inside if is_around(names) else 0
                of[number]["whole"] += inside
    whole = sum(c["whole"] for c in of.values())
    check(whole < 0.52 * session["duration"] * 1e9, "of the session %.1f %% lie in the steps" % (whole / session["duration"] / 1e7))
    got = sum(int(r["self_ns"]) for r in rows("frameworks", *both))
    check(abs(got - whole) < 1e6, "the default has the samples of the steps", (got, whole))
    got = sum(int(r["self_ns"]) for r in rows("frameworks", *both) if "profiler overhead" in r["operation"])
    check(got < 0.01 * whole, "torch's own export is not in it", got)
    check(sum(int(r["self_ns"]) for r in rows("frameworks", "--window", "all", *both)) > 1.9 * whole, "with --window all it is")
    for number, c in of.items():
        step = rows("frameworks", "--window", "step:%d" % number, *both)
        got = sum(int(r["self_ns"]) for r in step)
        check(abs(got - c["whole"]) < 1e6, "step %d of the session" % number, (got, c))
        got = sum(int(r["self_ns"]) for r in step if r["phase"] in ("backward", "recompute"))
        check(abs(got - c["backward"] - c["around"]) < 1e6, "step %d: backward and recompute of the session, %.1f ms" % (number, got / 1e6), c)
        got = sum(int(r["self_ns"]) for r in step if r["phase"] == "forward")
        check(abs(got - c["forward"]) < 1e6, "step %d: forward of the session, %.1f ms" % (number, got / 1e6), c)
        tree = [r for r in rows("stacks", "--window", "all", "--by", "step", "--source", W0[1], *both) if r["by"] == str(number)]
        check(sum(int(r["self_ns"]) for r in tree) == sum(int(r["self_ns"]) for r in step), "step %d: --by step has the same" % number)
    for r in rows("steps", *both):
        c = of[int(r["step"])]
        got = int(r["backward_ns"]) + int(r["recompute_ns"])
        check(abs(got - c["backward"]) < 1e6, "step %s: backward and recompute of the trace, %.1f ms" % (r["step"], got / 1e6), c)
        check(abs(int(r["forward_ns"]) - c["forward"]) < 2e6, "step %s: forward of the trace, %.1f ms" % (r["step"], int(r["forward_ns"]) / 1e6), c)


def recompute():
    """Without a thread of autograd's: recompute is the union of the frames of unpack_hook."""
    name = "checkpoint.pt.trace.json.gz"
    spans = sorted((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])) for e in load(name)["traceEvents"]
                   if e.get("cat") == "python_function" and e["name"].endswith("unpack_hook"))
    union, last = 0, -1
    for a, b in spans:
        union += max(0, b - max(a, last))
        last = max(last, b)
    got = sum(int(r["recompute_ns"]) for r in rows("steps", path(name)))
    check(abs(got - union) < 100, "recompute is the union of unpack_hook, %.3f ms" % (got / 1e6), union)


# ---- whose samples explain the time of a trace ----

def whose():
    both = [path("spy.pt.trace.json.gz"), path("spy.speedscope.json.gz")]
    pid = {e["pid"] for e in load("spy.pt.trace.json.gz")["traceEvents"] if e.get("cat") == "cpu_op"}
    check(len(pid) == 1, "the trace is of one process", pid)
    mine = "Process %d Thread %d" % (list(pid)[0], list(pid)[0])
    shown, elsewhere = collections.Counter(), collections.Counter()
    for profile, stack, w in samples_of("spy.speedscope.json.gz"):
        (shown if profile.startswith(mine) else elsewhere)[stack[-1][0].split(".")[-1] if stack else ""] += w
    got = rows("pyhost", *both)
    check(elsewhere["select"] > 100 * shown["select"], "select is of other threads: %.2f s, %.2f s in this one" % (elsewhere["select"], shown["select"]))
    select = sum(int(r["time_ns"]) for r in got if r["function"] == "select" and r["phase"] == "other")
    check(not select, "outside of loading no time is told by it", select)
    check(got and all(r["function"] in shown for r in got if r["function"]), "every function is one of the training thread's",
          [r["function"] for r in got if r["function"] not in shown])
    check(not any("another run" in n for n in notes("pyhost", *both)), "one process is one run", notes("pyhost", *both))
    text = subprocess.run([program, "--no-cache", "summary", both[1]], stdout=subprocess.PIPE, text=True).stdout
    check("queue or pipe" not in text and "thread wait" not in text, "what workers wait for is not what the host did", text)


# ---- roles ----

def roles():
    """Neither run has threads of autograd's: the stacks show one thread with a script at its root, and no other runs backward."""
    marks = load("spy.chrometrace.json.gz")
    first = {}
    for e in marks:
        first.setdefault(e["tid"], e["name"])
    check(len(first) == 1 and list(first.values()) == ["<module>"], "chrometrace: one thread, of a script", first)
    check([r["role"] for r in rows("pythreads", path("spy.chrometrace.json.gz"))] == ["main"], "chrometrace: it is the main thread")
    dump = open(path("dump1.txt")).read()
    check("(active): \"MainThread\"\n    _engine_run_backward" in dump and dump.count("\nThread ") == 3, "dump: the main thread is active in the engine")
    got = [(r["state"], r["operation"], float(r["busy"])) for r in rows("pythreads", path("dump1.txt")) if r["role"] == "main"]
    check(got == [("runs", "autograd engine (backward)", 1.0)], "dump: it computes backward", got)
    text = subprocess.run([program, "--no-cache", "print", "frameworks", path(W0[1])], stdout=subprocess.PIPE, text=True).stdout
    check("waiting for backward" not in text, "session: nothing waits for a thread that is not known")


# ---- garbage collection ----

def collector():
    """gc.collect() is called between the ops, where the trace shows the marker of the step alone."""
    both = [path(f) for f in W0]
    steps, session = steps_of(load(W0[0])), load(W0[1])
    first, last = steps[0][1], steps[-1][2]
    inside = whole = 0
    for names, a, b in records_of(session):
        if names[-1] == "collect":
            whole += b - a
            inside += max(0, min(b, last) - max(a, first))
    got = [r for r in rows("findings", *both) if r["id"] == "gc-frames"]
    check(len(got) == 1 and abs(int(got[0]["window_loss_ns"]) - inside) < 1e6, "collection takes %.2f s of the steps" % (inside / 1e9), got)
    got = [r for r in rows("findings", both[1]) if r["id"] == "gc-frames"]
    check(len(got) == 1 and abs(int(got[0]["window_loss_ns"]) - whole) < 1e6, "and %.2f s of the session" % (whole / 1e9), got)
    got = rows("breakdown", *both)
    collect = sum(int(r["time_ns"]) for r in got if r["level2"] == "Python GC")
    rest = sum(int(r["time_ns"]) for r in got if r["level2"] == "step boundary")
    check(abs(collect - inside) < 2e6 and rest < 2e6, "the breakdown shows it where the trace has markers alone", (collect, inside, rest))
    check(sum(int(r["time_ns"]) for r in got) == last - first, "the rows sum to the wall")
    frames = [e for e in load("checkpoint.pt.trace.json.gz")["traceEvents"] if e.get("name") == "<built-in function collect>"]
    got = [r for r in rows("findings", path("checkpoint.pt.trace.json.gz")) if r["id"] == "gc-frames"]
    want = sum(ns(e["dur"]) for e in frames)
    check(len(got) == 1 and abs(int(got[0]["window_loss_ns"]) - want) < 1e6, "frames of a trace: %.2f s" % (want / 1e9), got)


# ---- runs on the CPU ----

def cpu():
    """Words of a device are not said of runs without one; what .item() and copies take is there all the same."""
    for name in "w0", "checkpoint", "spy":
        trace = path(name + ".pt.trace.json.gz")
        got = rows("breakdown", trace)
        words = {r["level2"] for r in got if r["level1"] == "sync wait" or r["level2"].endswith("dispatch") or "host sync" in r["level2"]}
        check(not words, "%s: nothing waits for a device or is dispatched to one" % name, words)
        steps = steps_of(load(name + ".pt.trace.json.gz"))
        base = load(name + ".pt.trace.json.gz")["baseTimeNanoseconds"]
        item = sum(ns(e["dur"]) for e in load(name + ".pt.trace.json.gz")["traceEvents"] if e.get("name") == "aten::item" and e.get("cat") == "cpu_op"
                   and steps[0][1] <= base + ns(e["ts"]) < steps[-1][2])
        read = sum(int(r["time_ns"]) for r in got if r["level2"] in ("value read (item)", "value read (_local_scalar_dense)"))
        check(item and read <= item, "%s: values are read for at most %.0f us" % (name, item / 1e3), read)
    created = imported = 0
    for _, stack, w in samples_of("spy.speedscope.json.gz"):
        names = [f for f, _ in stack]
        if "AdamW.__init__" in names:
            created += w
            below = stack[names.index("AdamW.__init__") + 1:]
            imported += w if any(f == "<module>" or f == "_find_and_load" and "importlib" in file for f, file in below) else 0
    check(created > 8 and imported > 0.98 * created, "AdamW.__init__: %.2f s, of these %.2f s imports" % (created, imported))
    got = rows("frameworks", path("spy.speedscope.json.gz"))
    setup = sum(int(r["self_ns"]) for r in got if r["operation"] == "optimizer set-up")
    check(setup <= (created - imported) * 1e9 + 1e6, "the rest, and no step, sets it up", setup)
    step = sum(w for _, stack, w in samples_of("spy.speedscope.json.gz")
               if any(f.endswith(("zero_grad", "profile_hook_step.<locals>.wrapper", "_use_grad_for_differentiable.<locals>._use_grad", "AdamW.step", "Adam.step"))
                      and "optim" in file for f, file in stack) and not any("Tensor.backward" == f for f, _ in stack))
    got = sum(int(r["self_ns"]) for r in got if r["phase"] == "optimizer")
    check(abs(got - step * 1e9) <= 0.05e9, "the optimizer has its steps: %.3f s" % step, got)
    got = rows("crosscheck", *[path(f) for f in W0])
    check(all(r["verdict"] != "differ" for r in got), "like is compared with like: no source differs", [r for r in got if r["verdict"] == "differ"])


forked_workers()
cpu()
collector()
roles()
whose()
windows()
recompute()
threads()
hook()
print("ok - all compared")
