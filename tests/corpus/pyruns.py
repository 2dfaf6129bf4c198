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


forked_workers()
threads()
hook()
print("ok - all compared")
