#!/bin/sh
# imports.t - what a finding says of Python frames counts no imports: a program of 1 s that imports mlflow for 480 ms and logs to it
# for 120 ms spends 120 ms with logging, as the view `frameworks` says, too.
. "${srcdir:-.}/tests/lib/tap.sh"

cat >"$T/run.speedscope.json" <<'EOT'
{"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "py-spy@0.4.0", "name": "main", "activeProfileIndex": 0,
"shared": {"frames": [
 {"name": "_run_module_as_main", "file": "<frozen runpy>", "line": 198},
 {"name": "<module>", "file": "/home/u/train.py", "line": 1},
 {"name": "_find_and_load", "file": "<frozen importlib._bootstrap>", "line": 1360},
 {"name": "<module>", "file": "/usr/lib/python3.12/site-packages/mlflow/__init__.py", "line": 33},
 {"name": "log_metrics", "file": "/usr/lib/python3.12/site-packages/mlflow/tracking/fluent.py", "line": 900},
 {"name": "train", "file": "/home/u/train.py", "line": 40}]},
"profiles": [{"type": "sampled", "name": "MainThread", "unit": "seconds", "startValue": 0, "endValue": 1,
 "samples": [[0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 5, 4], [0, 1, 5]], "weights": [0.4, 0.08, 0.12, 0.4]}]}
EOT
"$PROFDIVE" --no-cache print findings --format json "$T/run.speedscope.json" >"$T/out" 2>"$T/err"
ok "logging takes 120 ms" grep -q '"id": "saving-frames".*"saves_ns": 120000000,.*takes 120 ms of 1.00 s' "$T/out"
"$PROFDIVE" --no-cache print frameworks --format csv --filter 'operation = logging' "$T/run.speedscope.json" | tr -d '\r' >"$T/rows"
ok "and in the frameworks, too" grep -q ',120000000,' "$T/rows"
done_testing
