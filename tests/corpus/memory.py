#!/usr/bin/env python3
"""memory.py PROFDIVE SNAPSHOTS EXPECTED: what the views say of memory snapshots, against the expected figures and a replay made here.

Prints "differ FILE WHAT GOT WANTED" for each figure that differs, and last how many of each kind were compared.
"""
import glob
import json
import os
import pickle
import re
import subprocess
import sys
from collections import Counter

COUNTS = Counter()


class PlainData(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError("code")


def view(profdive, name, path, *more):
    out = subprocess.run([profdive, "print", name, "--format", "json", *more, path], capture_output=True, timeout=120, check=True)
    return json.loads(out.stdout)["rows"]


def compare(kind, path, what, got, want):
    COUNTS[kind] += 1
    if got != want:
        print("differ", os.path.basename(path), what, got, want)


def owner(entry):
    """The innermost frame of the program itself, as text; None where there is none."""
    for f in entry["frames"]:
        name = f["filename"].replace("\\", "/")
        if name.endswith(".py") and not re.search(r"(site|dist)-packages/|/lib/python3", name):
            return "%s:%d %s" % (name.rsplit("/", 1)[-1], f["line"], f["name"])
    return None


def live_at_peak(snapshot, device):
    """The first peak, its entry, and the bytes of each owner then, without those from before the recording."""
    trace = snapshot["device_traces"][device]
    blocks = {b["address"]: b for s in snapshot["segments"] if s["device"] == device for b in s["blocks"] if b["state"] != "inactive"}
    live, made, base = {}, {}, Counter()
    for e in trace:  # the base first: what is freed without having been made, and what is active at the end likewise
        if e["action"] == "alloc":
            made[e["addr"]] = e
        elif e["action"] == "free_completed" and made.pop(e["addr"], None) is None:
            base[e["addr"]] = e["size"]
    for address, b in blocks.items():
        if address not in made:
            base[address] = b["requested_size"]
    level = peak = sum(base.values())
    at = -1
    for i, e in enumerate(trace):
        if e["action"] == "alloc":
            level += e["size"]
        elif e["action"] == "free_completed":
            level -= e["size"]
        if level > peak:
            peak, at = level, i
    for e in trace[:at + 1]:
        if e["action"] == "alloc":
            live[e["addr"]] = (owner(e), e["size"])
        elif e["action"] == "free_completed":
            live.pop(e["addr"], None)
    owners = Counter()
    for name, size in live.values():
        owners[name] += size
    return peak, at, owners


def check_figures(profdive, path, want):
    columns = {"segments": "segments", "blocks": "blocks", "reserved": "reserved_end", "allocated": "allocated_end", "active": "active_end",
               "active_blocks": "active_blocks", "requested_active": "requested_end", "rounding_loss": "rounding_loss",
               "inactive": "inactive", "freeable": "freeable", "fragmented": "fragmented", "largest_inactive": "largest_inactive",
               "base_live": "base_bytes", "peak_live": "peak_allocated", "peak_entry": "peak_entry"}
    rows = {str(r["device"]): r for r in view(profdive, "memory", path) if r["entries"]}
    compare("devices", path, "devices", sorted(rows), sorted(want))
    for device, figures in want.items():
        row = rows.get(device, {})
        for key, column in columns.items():
            compare("figures", path, key, row.get(column), figures[key])
        compare("figures", path, "allocs", row.get("allocs"), figures["actions"]["alloc"])
        compare("figures", path, "frees", row.get("frees"), figures["actions"]["free_completed"])
        compare("figures", path, "oom", row.get("oom"), len(figures["oom"]))
        with open(path, "rb") as f:
            first = PlainData(f).load()["device_traces"][int(device)][0]["time_us"]
        compare("figures", path, "peak time", row.get("peak_time_ns"), (figures["peak_time_us"] - first) * 1000)


def check_owners(profdive, path, want):
    rows = view(profdive, "memalloc", path)
    for device, figures in want.items():
        mine = [r for r in rows if str(r["device"]) == device]
        ends = Counter()
        for r in mine:
            ends[r["owner"]] += r["alive_at_end"]
        for name, size in figures["top_end"]:
            compare("owners at the end", path, name, ends[name], size)
        compare("sums", path, "end", sum(ends.values()), figures["end_live"])
        compare("sums", path, "made here", sum(r["alive_at_end"] for r in mine if not r["base"]), figures["live_made_here_bytes"])


def check_peak(profdive, path, want):
    with open(path, "rb") as f:
        snapshot = PlainData(f).load()
    rows = view(profdive, "mempeak", path)
    for device, figures in want.items():
        peak, at, owners = live_at_peak(snapshot, int(device))
        compare("sums", path, "peak", (peak, at), (figures["peak_live"], figures["peak_entry"]))
        mine = [r for r in rows if str(r["device"]) == device]
        got = Counter()
        for r in mine:
            if not r["base"]:
                got[r["owner"]] += r["bytes"]
        for key in set(got) | set(owners):
            compare("owners at the peak", path, key, got[key], owners[key])
        compare("sums", path, "rows of the peak", sum(r["bytes"] for r in mine), figures["peak_live"])
    curve = view(profdive, "memcurve", path)
    for device, figures in want.items():
        compare("sums", path, "curve", max(r["allocated"] for r in curve if str(r["device"]) == device), figures["peak_live"])
        segments = [r for r in view(profdive, "memsegments", path) if str(r["device"]) == device]
        for column, key in (("bytes", "reserved"), ("used", "block_active"), ("inactive", "inactive"), ("blocks", "blocks")):
            compare("sums", path, column, sum(r[column] for r in segments), figures[key])


def main():
    profdive, snapshots, expected = sys.argv[1:4]
    for path in sorted(glob.glob(os.path.join(snapshots, "*.pickle"))):
        with open(os.path.join(expected, os.path.basename(path)[:-len("pickle")] + "json"), encoding="utf-8") as f:
            want = json.load(f)
        check_figures(profdive, path, want)
        check_owners(profdive, path, want)
        check_peak(profdive, path, want)
        COUNTS["snapshots"] += 1
    for kind, n in sorted(COUNTS.items()):
        print(kind.replace(" ", "-"), n)


main()
