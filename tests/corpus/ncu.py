"""ncu.py PROFDIVE REPORTS EXPECTED: the views of Nsight Compute reports against the tables that NVIDIA's own reader printed of them.

Prints a line `differ ...` for each cell that is another one, and a line `NAME COUNT` for each kind of cell compared.
"""
import csv
import glob
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

COUNTS = Counter()
# Spellings of units in the tables: of 2022.3 and older, and of values that it counts in sectors and calls bytes.
UNITS = {"nsecond": "ns", "cycle/second": "Hz", "byte/second": "byte/s", "sector/second": "sector/s", "sectors": "sector", "": None}
NO_UNIT = ("numa__", "memory_", "derived__")
RULE_TYPES = {"": None}
STALLS = {"dispatch": "dispatch_stall", "imc": "imc_miss", "lg": "lg_throttle", "long_sb": "long_scoreboard", "math": "math_pipe_throttle",
          "mio": "mio_throttle", "no_inst": "no_instruction", "short_sb": "short_scoreboard", "sleep": "sleeping", "tex": "tex_throttle"}
SOURCE = {"Sampling Data (All)": "samples", "Sampling Data (Not Issued)": "samples_not_issued",
          "Warp Stall Sampling (All Cycles)": "samples", "Warp Stall Sampling (Not-issued Cycles)": "samples_not_issued",
          "Instructions Executed": "executed", "Thread Instructions Executed": "threads",
          "Predicated-On Thread Instructions Executed": "threads_on", "Divergent Branches": "divergent"}


def view(profdive, name, path):
    """The rows of a view."""
    run = subprocess.run([profdive, "--no-cache", "print", name, "--format", "json", path], capture_output=True, check=True)
    return json.loads(run.stdout)["rows"]


def differ(*what):
    print("differ", *what)
    COUNTS["differ"] += 1


def same(value, text):
    """Whether a value is the printed one, at the decimals that are printed."""
    if value is None:
        return text in ("", "no data", "n/a") or "nan" in text
    if isinstance(value, str):
        return value == text
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        decimals = len(text.split(".")[1]) if "." in text else 0
        return f"{value:.{decimals}f}" == f"{float(text):.{decimals}f}"
    except ValueError:
        return False


def table(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.reader(f))


def by_id(rows):
    out = defaultdict(list)
    for r in rows:
        out[r["id"]].append(r)
    return out


def check_raw(profdive, path, want):
    head, units, rows = want[0], want[1], want[2:]
    got = by_id(view(profdive, "ncumetrics", path))
    for i, row in enumerate(rows):
        mine = {r["metric"]: r for r in got[i]}
        for k in range(6, len(head)):
            r = mine.pop(head[k], None)
            if (r is None and row[k] not in ("", "no data")) or (r is not None and not same(r["value"], row[k])):
                differ(path, i, head[k], r and r["value"], row[k])
            COUNTS["metrics"] += 1
            if r is not None and not head[k].startswith(NO_UNIT):
                unit = UNITS.get(units[k], units[k])
                if unit != r["unit"] and "op_ffma_pred_on_x2" not in head[k]:
                    differ(path, "unit of", head[k], r["unit"], units[k])
                COUNTS["units"] += 1
        for name in mine:
            differ(path, i, "not in the table:", name)
    COUNTS["launches"] += len(rows)
    names = [r["name"] for r in view(profdive, "ncu", path)]
    if names != [r[2] for r in rows]:
        differ(path, names, [r[2] for r in rows])


def check_details(profdive, path, want):
    head = want[0]
    lines, rules = by_id(view(profdive, "ncusections", path)), by_id(view(profdive, "ncurules", path))
    for row in (dict(zip(head, r)) for r in want[1:]):
        i = int(row["ID"])
        if row["Metric Name"]:
            r = lines[i].pop(0) if lines[i] else {}
            if (r.get("section"), r.get("label")) != (row["Section Name"], row["Metric Name"]) or not same(r.get("value"), row["Metric Value"]):
                differ(path, i, r, row)
            COUNTS["lines"] += 1
        else:
            r = rules[i].pop(0) if rules[i] else {}
            kind = RULE_TYPES.get(row["Rule Type"], row["Rule Type"])
            if (r.get("section"), r.get("rule"), r.get("type")) != (row["Section Name"], row["Rule Name"], kind):
                differ(path, i, r, row)
            COUNTS["rules"] += 1
    for left in (lines, rules):
        for i, r in left.items():
            if r:
                differ(path, i, "rows too many:", r[0])


def source_column(title):
    if title in SOURCE:
        return SOURCE[title]
    if not title.startswith("stall_"):
        return None
    word, _, more = title[6:].partition(" ")
    return "stall_" + STALLS.get(word, word) + ("_not_issued" if more else "")


def check_source(profdive, path, want):
    got = by_id(view(profdive, "ncusource", path))
    launch, head, first = -1, [], None
    for row in want:
        if row[0] == "Kernel Name":
            if launch >= 0 and got[launch]:
                differ(path, launch, "instructions too many")
            launch, first = launch + 1, None
        elif row[0] == "Address":
            head = row
        elif row[0]:
            address = int(row[0], 16)
            first = address if first is None else first
            if (not got[launch] or got[launch][0]["offset"] != address - first) and all(c in ("0", "-") for c in row[1:]):
                COUNTS["instructions without a figure"] += 1  # known from the disassembly alone
                continue
            r = got[launch].pop(0) if got[launch] else {}
            if r.get("offset") != address - first:
                differ(path, launch, r.get("offset"), row[0])
            for title, text in zip(head, row):
                column = source_column(title)
                if column and r.get(column) != int(text):
                    differ(path, launch, row[0], title, r.get(column), text)
                COUNTS["instruction cells"] += column is not None


def metrics_of(profdive, path):
    return {i: {r["metric"]: r["value"] for r in rows} for i, rows in by_id(view(profdive, "ncumetrics", path)).items()}


def close(a, b, tolerance=1e-6):
    return a is not None and b is not None and math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-9)


def check_derived(profdive, path):
    """Identities within the report: shares of stalls, occupancy and its limiter, waves, roofs worked out from the metrics."""
    all_of = metrics_of(profdive, path)
    shares = defaultdict(float)
    for r in view(profdive, "ncustalls", path):
        if r["cycles_per_issue"] is not None:
            shares[r["id"]] += r["share"]
    for i, total in shares.items():
        COUNTS["sums of stalls"] += 1
        if abs(total - 1) > 0.01:
            differ(path, i, "stall shares sum to", total)
    for r in view(profdive, "ncu", path):
        m = all_of[r["id"]]
        limits = {k: m.get("launch__occupancy_limit_" + v) for k, v in
                  {"registers": "registers", "smem": "shared_mem", "warps": "warps", "blocks": "blocks", "barriers": "barriers"}.items()}
        known = {k: v for k, v in limits.items() if v is not None}
        if known:
            COUNTS["limiters"] += 1
            want = {k for k, v in known.items() if v == min(known.values())}
            if set((r["occupancy_limiter"] or "").split("+")) != want:
                differ(path, r["id"], r["occupancy_limiter"], want)
        for column, metric, factor in (("occupancy_theoretical", "sm__maximum_warps_per_active_cycle_pct", 100),
                                       ("waves", "launch__waves_per_multiprocessor", 1)):
            if m.get(metric) is not None:
                COUNTS["occupancies"] += 1
                if not close(r[column] * factor, m[metric]):
                    differ(path, r["id"], column, r[column], m[metric])
    for r in view(profdive, "roofline", path):
        m = all_of[r["id"]]
        letter = {"fp32": "f", "fp64": "d"}[r["roof"]]
        per_cycle = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_cycle_elapsed"
        work = sum(n * m[per_cycle.format(letter + op)] for op, n in (("add", 1), ("mul", 1), ("fma", 2)))
        peak = 2 * m[f"sm__sass_thread_inst_executed_op_{letter}fma_pred_on.sum.peak_sustained"]
        wants = {"flops": work * m["smsp__cycles_elapsed.avg.per_second"], "bytes_per_s": m["dram__bytes.sum.per_second"],
                 "peak_flops": peak * m["sm__cycles_elapsed.avg.per_second"],
                 "peak_bytes_per_s": m["dram__bytes.sum.peak_sustained"] * m["dram__cycles_elapsed.avg.per_second"]}
        for column, want in wants.items():
            COUNTS["cells of roofs"] += 1
            if not close(r[column], want):
                differ(path, r["id"], r["roof"], column, r[column], want)
        if work > 0 and not close(r["achieved_share"], r["flops"] / min(r["peak_flops"], r["intensity"] * r["peak_bytes_per_s"])):
            differ(path, r["id"], r["roof"], "achieved", r["achieved_share"])


def page(table_rows, path):
    """The table as `ncu --csv` writes it: quoted, with the columns of the process, and output of the program before it."""
    with open(path, "w", newline="", encoding="utf-8") as f:
        f.write("==PROF== Connected to process 1\nloss 0.5, step 1\n")
        out = csv.writer(f, quoting=csv.QUOTE_ALL)
        for i, row in enumerate(table_rows):
            out.writerow(row[:2] + (["Process Name", "Host Name"] if i == 0 else ["", ""]) + row[2:])
        f.write("==PROF== Disconnected\n")


def check_pages(profdive, path, raw, details):
    """The pages that NVIDIA's reader printed of the report, as input: the same launches with the same figures."""
    of_report = view(profdive, "ncu", path)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "page.csv")
        page(raw, name)
        got = metrics_of(profdive, name)
        for i, row in enumerate(raw[2:]):
            for metric, text in list(zip(raw[0], row))[6:]:
                COUNTS["cells of raw pages"] += 1
                if not same(got[i].get(metric), text):
                    differ(path, "raw page", i, metric, got[i].get(metric), text)
        for a, b in zip(of_report, view(profdive, "ncu", name)):
            for column in ("name", "bound", "dur_ns", "occupancy_limiter", "registers", "smem_bytes", "cc", "top_stall"):
                COUNTS["launches of pages"] += column == "name"
                if a[column] != b[column]:
                    differ(path, "raw page", a["id"], column, a[column], b[column])
        page(details, name)
        lines = [r for r in details[1:] if r[7]]
        for r, row in zip(view(profdive, "ncusections", name), lines):
            COUNTS["lines of details pages"] += 1
            if (r["section"], r["label"]) != (row[6], row[7]) or not same(r["value"], row[9]):
                differ(path, "details page", r, row)
        rows = view(profdive, "ncu", name)
        if len(rows) != len({r[0] for r in details[1:]}):
            differ(path, "details page:", len(rows), "launches")
        for b in rows:
            a = of_report[b["id"]]
            for column in ("bound", "dur_ns", "occupancy_limiter", "registers"):
                if b[column] is not None and a[column] != b[column]:
                    differ(path, "details page", a["id"], column, a[column], b[column])


def main():
    profdive, reports, expected = sys.argv[1:4]
    for path in sorted(glob.glob(os.path.join(reports, "*.ncu-rep"))):
        name = os.path.join(expected, os.path.basename(path)[:-len(".ncu-rep")])
        check_raw(profdive, path, table(name + ".raw.csv"))
        check_details(profdive, path, table(name + ".details.csv"))
        if os.path.exists(name + ".source.csv"):
            check_source(profdive, path, table(name + ".source.csv"))
        check_derived(profdive, path)
        check_pages(profdive, path, table(name + ".raw.csv"), table(name + ".details.csv"))
        COUNTS["reports"] += 1
    for kind, n in sorted(COUNTS.items()):
        print(kind.replace(" ", "-"), n)


main()
