#!/usr/bin/env python3
"""identities.py PROFDIVE FILE...: what must sum up in every profile, to the nanosecond, in the windows `all` and `steady`.

  layers      the self times of each layer of each source = the union of its events
  crosscheck  its exact rows: self against union, and the three partitions against the wall
  ops         self = sync + launch + memcpy + other runtime + host, and none below 0
  gpu         compute + exposed communication + exposed copies + idle = window; the seven kinds of copies = exposed copies
  steps       the six phases = the period
  stacks      of a trace, total of a frame = its self and the totals below; self = first level of leaves = frameworks
  opframes    self = that of ops, where there are Python frames
  pyidle      the rows of a device = its idle time, by step, too

Prints `holds FILE: N identities` or `broken FILE: WHAT` per file; files that cannot be read are passed over (`left FILE`).
"""
import json
import subprocess
import sys

SUMS = {
    "ops": [("self_ns", ["sync_ns", "launch_ns", "memcpy_ns", "other_runtime_ns", "host_ns"])],
    "gpu": [("window_ns", ["compute_ns", "exposed_comm_ns", "exposed_memcpy_ns", "idle_ns"]),
            ("exposed_memcpy_ns", ["exposed_htod_ns", "exposed_dtoh_ns", "exposed_both_ns", "exposed_ptop_ns",
                                   "exposed_dtod_ns", "exposed_memset_ns", "exposed_rest_ns"])],
    "steps": [("period_ns", ["dataload_ns", "forward_ns", "backward_ns", "recompute_ns", "optimizer_ns", "other_ns"])],
}


def ask(profdive, view, window, path, *more):
    p = subprocess.run([profdive, "print", view, "--window", window, "--format", "json", *more, path],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(p.stdout)["rows"] if p.returncode in (0, 1) else None


def row_sums(view, row):
    for whole, parts in SUMS[view]:
        values = [row[p] for p in parts]
        if None in values:
            continue
        what = "%s of %s" % (whole, row.get("name", row.get("device", row.get("step"))))
        yield what, sum(values) == row[whole] and min(values) >= 0


def total(rows, col):
    values = [row[col] for row in rows]
    return None if None in values else sum(values)


def stack_identities(profdive, window, path):
    def view(name, *more):
        return ask(profdive, name, window, path, *more)

    stacks, leaves, frameworks = view("stacks"), view("leaves"), view("frameworks")
    col = "self_ns" if stacks and stacks[0]["self_ns"] is not None else "samples"
    below = {row["id"]: 0 for row in stacks}
    for row in stacks:
        if row["parent"] is not None and col == "self_ns":
            below[row["parent"]] += row["total_ns"]
    if col == "self_ns":
        yield "totals of stacks", all(row["total_ns"] == row["self_ns"] + below[row["id"]] for row in stacks)
        own = total(stacks, col)
    else:
        own = total([row for row in stacks if row["parent"] is None], col)
    if stacks and window == "all":
        yield "stacks against leaves", own == total([row for row in leaves if row["parent"] is None], col)
        yield "stacks against frameworks", own == total(frameworks, col)
    opframes = view("opframes")
    if opframes:
        yield "opframes against ops", total(opframes, "self_ns") == total(view("ops"), "self_ns")
    for row in view("gpu"):
        idle = [r["time_ns"] for r in view("pyidle") if r["device"] == row["device"] and r["source"] == row["source"]]
        yield "pyidle of device %s" % row["device"], sum(idle) == row["idle_ns"]
    by_step = view("pyidle", "--by", "step")
    for row in view("gpu", "--by", "step") if window == "steady" else []:
        idle = [r["time_ns"] for r in by_step if (r["device"], r["source"], r["by"]) == (row["device"], row["source"], row["by"])]
        yield "pyidle of device %s, step %s" % (row["device"], row["by"]), sum(idle) == row["idle_ns"]


def identities(profdive, path):
    for row in ask(profdive, "layers", "all", path):
        yield "self of layer %s" % row["layer"], row["differs_ns"] == 0 and row["self_ns"] == row["union_ns"]
    for window in ("all", "steady"):
        for row in ask(profdive, "crosscheck", window, path):
            if row["tolerance"] == 0 and row["unit"] == "ns":
                yield row["quantity"], row["a"] == row["b"] and row["verdict"] == "agree"
        for view in SUMS:
            for row in ask(profdive, view, window, path):
                for what, holds in row_sums(view, row):
                    yield "%s, %s, %s" % (view, window, what), holds
        for what, holds in stack_identities(profdive, window, path):
            yield "%s, %s" % (window, what), holds


def main():
    status = 0
    for path in sys.argv[2:]:
        name = "/".join(path.split("/")[-3:])
        if ask(sys.argv[1], "sources", "all", path) is None:
            print("left", name)
            continue
        found = list(identities(sys.argv[1], path))
        broken = [what for what, holds in found if not holds]
        print("broken %s: %s" % (name, broken[:3]) if broken else "holds %s: %d identities" % (name, len(found)))
        status |= bool(broken)
    return status


if __name__ == "__main__":
    sys.exit(main())
