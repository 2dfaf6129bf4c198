"""ranks.py - arrivals of the ranks of one run by the raw times of their traces: ranks.py FILE...

All files must be of one host, with all collectives of one process group in one order. Prints, per rank: the nanoseconds of its NCCL
kernels, what it waited, and what was left; then, per collective: the rank that came last and the skew.
"""
import json
import sys


def kernels(path):
    """(rank, [(start, end) in us]) of the NCCL kernels of a trace, by start"""
    with open(path, encoding="utf-8") as f:
        trace = json.load(f)
    of = [(e["ts"], e["ts"] + e["dur"]) for e in trace["traceEvents"] if e.get("cat") == "kernel" and e["name"].startswith("nccl")]
    return trace["distributedInfo"]["rank"], sorted(of)


def main():
    ranks = dict(kernels(path) for path in sys.argv[1:])
    n = min(len(k) for k in ranks.values())
    waits = dict.fromkeys(ranks, 0)
    lines = []
    for i in range(n):
        last = max(ranks, key=lambda r: ranks[r][i][0])
        latest = ranks[last][i][0]
        for r, k in ranks.items():
            waits[r] += latest - k[i][0]
        lines.append(f"collective {i} {last} {(latest - min(k[i][0] for k in ranks.values())) * 1000}")
    for r in sorted(ranks):
        total = sum(end - start for start, end in ranks[r][:n])
        print("rank", r, total * 1000, waits[r] * 1000, (total - waits[r]) * 1000)
    print("\n".join(lines))


main()
