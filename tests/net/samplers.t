#!/bin/sh
# samplers.t: real runs. A small training on the CPU, with two processes that feed it as DataLoader workers do, is recorded by
# pyinstrument and by py-spy in all their formats, and read: the function that takes the time is found on top by both. Needs the
# network (pip): runs only with PROFDIVE_NET_TESTS=1. The same with DataLoader workers of torch, where PROFDIVE_TORCH_PYTHON is a Python that
# has torch and pyinstrument, or pip finds a torch for CPUs.
. "${srcdir:-.}/tests/lib/tap.sh"

test "${PROFDIVE_NET_TESTS:-}" = 1 || { echo "1..0 # SKIP PROFDIVE_NET_TESTS is not 1"; exit 0; }
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
python3 -m venv "$T/venv" >"$T/log" 2>&1 && "$T/venv/bin/pip" install -q pyinstrument py-spy >>"$T/log" 2>&1 ||
	{ echo "1..0 # SKIP pip does not reach pyinstrument and py-spy"; exit 0; }
PATH=$T/venv/bin:$PATH

cat >"$T/train.py" <<'EOF'
import multiprocessing, signal, sys

def decode_sample(seed):
    x = seed
    for i in range(60000):
        x = (x * 1103515245 + 12345) % 2147483648
    return x

def worker_loop(inbox, outbox):
    while True:
        seed = inbox.get()
        if seed is None:
            return
        outbox.put(decode_sample(seed))

def hot_matmul(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total

class Model:
    def forward(self, n):
        return hot_matmul(n)

def train(steps):
    inbox, outbox = multiprocessing.Queue(), multiprocessing.Queue()
    workers = [multiprocessing.Process(target=worker_loop, args=(inbox, outbox), daemon=True) for _ in range(2)]
    for w in workers:
        w.start()
    model = Model()
    for step in range(steps):
        for k in range(2):
            inbox.put(step + k)
        for k in range(2):
            outbox.get()
        model.forward(900000)
    for w in workers:
        inbox.put(None)
    for w in workers:
        w.join()

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *a: sys.exit())	# which ends the workers, too
    train(int(sys.argv[1]))
EOF
cd "$T" || exit 99

# rows FILE: the stacks as CSV in $T/rows, with a status that is 0: nothing was damaged
rows() { "$PROFDIVE" --no-cache print stacks --format csv "$1" >"$T/rows" 2>"$T/err"; }

# top COLUMN: the function with most of its own, by self_ns or by samples
top()
{
	python3 - "$T/rows" "$1" <<'EOF'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
kids = {}
for r in rows:
    kids.setdefault(r["parent"], []).append(r)
def own(r):
    if sys.argv[2] == "self_ns":
        return int(r["self_ns"])
    return int(r["samples"]) - sum(int(k["samples"]) for k in kids.get(r["id"], []))
total = {}
for r in rows:
    total[r["function"]] = total.get(r["function"], 0) + own(r)
names = sorted((n for n in total if n in ("hot_matmul", "decode_sample", "get", "train", "forward", "read", "_recv")), key=lambda n: -total[n])
print(names[0] if names and total[names[0]] > 0 else "nothing")
EOF
}

# ---- pyinstrument: one run, five forms ----

ok "pyinstrument records" pyinstrument -r session -o run.pyisession train.py 30
for form in json html speedscope text; do
	pyinstrument --load run.pyisession -r $form -o "run.$form" >>log 2>&1
done
for form in pyisession json html speedscope text; do
	ok "pyinstrument $form: read without damage" rows "run.$form"
	is "pyinstrument $form: the hot function is on top" "$(top self_ns)" hot_matmul
done
duration=$(python3 -c 'import json; print(round(json.load(open("run.json"))["duration"] * 1e9))')
"$PROFDIVE" --no-cache print sources --format csv run.pyisession >sources
rows run.pyisession
ok "session: own times sum to the duration within 0.1 %" python3 -c "
import csv
s = sum(int(r['self_ns']) for r in csv.DictReader(open('rows')))
assert abs(s - $duration) <= $duration / 1000, (s, $duration)"
mkdir one && cp run.* one/
ok "all forms together" rows one
ok "the stacks are those of the session" sh -c "cut -d, -f3 rows | sort | uniq -c | sort -n >/dev/null; \
	$PROFDIVE --no-cache print stacks one | grep -q '^\\* source .*run.pyisession'"

# ---- py-spy: a run for each format, workers below their parent ----

spy() { py-spy record -r 200 "$@" -- python train.py 30 >>log 2>&1; }

spy -f raw --subprocesses -o spy.raw || { echo "# py-spy may not trace here"; done_testing; exit; }
spy -f speedscope --subprocesses -o spy.speedscope
spy -f flamegraph --subprocesses -o spy.svg
spy -f chrometrace -o spy.chrome
spy -f raw --native --threads --subprocesses -o spy.native
spy -f raw --idle --threads --subprocesses -o spy.idle
spy -f raw --gil -o spy.gil
for f in raw speedscope svg native gil; do
	ok "py-spy $f: read without damage" rows "spy.$f"
	is "py-spy $f: the hot function is on top" "$(top samples)" hot_matmul
done
ok "py-spy idle: read without damage" rows spy.idle
ok "py-spy idle: more samples than of those that ran" test "$(awk '{ n += $NF } END { print n }' spy.idle)" -gt \
	"$(awk '{ n += $NF } END { print n }' spy.native)"
ok "py-spy chrometrace: read without damage" rows spy.chrome
is "py-spy chrometrace: the hot function is on top" "$(top self_ns)" hot_matmul
want=$(awk '{ n += $NF } END { print n }' spy.raw)
rows spy.raw
is "raw: samples, exactly" "$(python3 -c "import csv; print(sum(int(r['samples']) for r in csv.DictReader(open('rows')) if r['parent'] == ''))")" "$want"
ok "a worker lies below its parent" python3 -c "
import csv
rows = {r['id']: r for r in csv.DictReader(open('rows'))}
assert any(r['function'].startswith('process ') and r['parent'] and rows[r['parent']]['function'].startswith('process ') for r in rows.values())
assert any(r['function'] == 'decode_sample' for r in rows.values())"

# ---- dumps of the run as it goes ----

python train.py 200 &
pid=$!
sleep 2
py-spy dump --subprocesses --pid $pid >dump.txt 2>>log
py-spy dump --json --pid $pid >dump.json 2>>log
kill $pid
wait $pid 2>/dev/null
for f in dump.txt dump.json; do
	ok "py-spy $f: read without damage" rows $f
	ok "py-spy $f: shows what the main thread does" grep -q ',train,.*train.py,' rows
done
# ---- torch's own workers, and a sampler on the clock of a trace ----

torch=${PROFDIVE_TORCH_PYTHON:-}
if test -z "$torch" && pip install -q --timeout 10 --retries 0 torch --index-url https://download.pytorch.org/whl/cpu >>log 2>&1; then
	torch=$T/venv/bin/python
fi
cat >loader.py <<'EOF'
import sys, torch
from torch.utils.data import DataLoader, Dataset

def decode_sample(i):
    x = i
    for _ in range(60000):
        x = (x * 1103515245 + 12345) % 2147483648
    return torch.tensor([float(x % 97)] * 64)

class Data(Dataset):
    def __len__(self):
        return 400
    def __getitem__(self, i):
        return decode_sample(i)

def hot_matmul(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total * 0.0

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(64, 64)
    def forward(self, x):
        return self.a(x).sum() + hot_matmul(400000)

def train(steps, after_step):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    batches = iter(DataLoader(Data(), batch_size=4, num_workers=2))
    for step in range(steps):
        batch = next(batches)
        optimizer.zero_grad()
        net(batch).backward()
        optimizer.step()
        after_step()

if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1] == "both":
        import pyinstrument
        sampler = pyinstrument.Profiler()
        sampler.start()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as trace:
            train(10, trace.step)
        sampler.stop().save("both/run.pyisession")
        trace.export_chrome_trace("both/run.pt.trace.json")
    else:
        train(int(sys.argv[1]), lambda: None)
EOF
if test -n "$torch" && "$torch" -c 'import torch, pyinstrument' 2>>log; then
	py-spy record -r 100 -f raw --subprocesses -o workers.raw -- "$torch" loader.py 30 >>log 2>&1
	ok "DataLoader workers, py-spy: read without damage" rows workers.raw
	"$PROFDIVE" --no-cache print pythreads --format csv workers.raw >threads
	ok "two of the processes are DataLoader workers, each in decode_sample" python3 -c "
import csv
w = [r for r in csv.DictReader(open('threads')) if r['role'] == 'loader-worker']
assert len(w) == 2 and all(r['function'] == 'decode_sample' and 0 < float(r['busy_of_run']) <= 1 for r in w), w"
	ok "the hot function is on top of the process that trains" python3 -c "
import csv
assert [r for r in csv.DictReader(open('threads')) if r['role'] != 'loader-worker'][0]['function'] == 'hot_matmul'"
	mkdir both && "$torch" loader.py both >>log 2>&1
	"$PROFDIVE" --no-cache print stacks --by step --source run.pyisession --format csv both >rows 2>err
	"$PROFDIVE" --no-cache print steps --format csv both >steps
	ok "on one clock, what a step has of the samples is its period" python3 -c "
import csv
of = {}
for r in csv.DictReader(open('rows')):
    if r['parent'] == '' and r['by'] != '':
        of[r['by']] = of.get(r['by'], 0) + int(r['total_ns'])
steps = [r for r in csv.DictReader(open('steps')) if r['step'] in of][:-1]
assert len(steps) >= 8, steps
assert all(abs(of[r['step']] - int(r['period_ns'])) <= int(r['period_ns']) / 100 for r in steps), (of, steps)"
else
	skip "torch's own workers" "no Python with torch and pyinstrument"
fi

is "a sample for each thread of the dump" "$(grep -c '^Thread ' dump.txt)" \
	"$(rows dump.txt; "$PROFDIVE" --no-cache print sources --format csv dump.txt | grep -o 'threads [0-9]*' | head -n 1 | cut -d' ' -f2)"
done_testing
