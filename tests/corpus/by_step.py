"""by_step.py PROFDIVE FILE...: what the steps and the row without a step sum to, against the whole, for views that are split by step."""
import json
import subprocess
import sys

VIEWS = {
    "gpu": ["window_ns", "kernels", "kernel_sum_ns", "kernel_busy_ns", "compute_ns", "exposed_comm_ns", "exposed_memcpy_ns", "idle_ns"],
    "ops": ["count", "self_ns", "sync_ns", "launch_ns", "memcpy_ns", "host_ns", "device_ns"],
    "sync": ["count", "time_ns", "busy_ns", "lost_ns"],
    "kernels": ["count", "total_ns"],
    "memcpy": ["count", "bytes", "time_ns"],
    "runtime": ["count", "total_ns"],
}


def sums(profdive, view, path, *options):
    """The sum of each column over all rows; None where the view has nothing to say of the file."""
    run = subprocess.run([profdive, "--no-cache", "print", view, "--window", "all", "--format", "json", *options, path],
                         capture_output=True, check=False)
    if run.returncode > 1:
        return None
    rows = json.loads(run.stdout)["rows"]
    return {c: sum(r[c] for r in rows if r.get(c) is not None) for c in VIEWS[view]}


def main():
    """One line per view and file that differs, and how many sums were compared."""
    compared = 0
    for path in sys.argv[2:]:
        for view in VIEWS:
            whole, split = sums(sys.argv[1], view, path), sums(sys.argv[1], view, path, "--by", "step")
            compared += whole is not None and any(whole.values())
            if whole != split:
                print(f"differ {path} {view}: {whole} {split}")
    print(f"compared {compared}")


main()
