#!/bin/sh
# samplers.t: every file of the Python samplers in the corpus against totals that Python reads from it by itself: counts exact,
# times within 0.1 %; the same under another name, with a BOM and in UTF-16; and the forms of one pyinstrument run against each other.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_CORPUS/python" || { echo "1..0 # SKIP no corpus"; exit 0; }
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }

cat >"$T/check.py" <<'EOF'
import csv, glob, gzip, io, json, os, re, subprocess, sys, html

program, corpus = sys.argv[1:3]
failed = 0

def check(held, name, detail=""):
    global failed
    failed += not held
    print(("ok - " if held else "not ok - ") + name + ("" if held else ": " + str(detail)))

def text_of(path):
    raw = gzip.open(path).read() if path.endswith(".gz") else open(path, "rb").read()
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16")
    return raw.decode("utf-8-sig")

def collapsed(text):
    total = 0
    austin = text.startswith("Process ")
    numbers = 3 if re.match(r".* \d+ -?\d+ -?\d+\n", text) and austin else 1
    for line in text.splitlines():
        # a count alone, behind a blank: samples without a frame
        m = re.match(r"(?!\s*(#|//))(.*\S)?" + r"\s+(\d+)" + r"\s+-?\d+" * (numbers - 1) + r"\s*$", line)
        if m:
            total += int(m.group(3))
    return ("ns", total * 1000) if austin else ("samples", total)

def speedscope(doc):
    scale = {"seconds": 1e9, "milliseconds": 1e6, "microseconds": 1e3, "nanoseconds": 1, "none": 0}
    total = count = 0
    for p in doc["profiles"]:
        if p["type"] == "sampled":
            total += sum(p["weights"]) * scale[p["unit"]]
            count += len(p["weights"])
            continue
        depth, last, t = 0, None, 0
        for e in p["events"]:
            if depth:
                t += e["at"] - last
            last = e["at"]
            depth += 1 if e["type"] == "O" else -1
        if p["unit"] == "none":
            return ("samples", t)
        total += t * scale[p["unit"]]
    return ("ns", total)

def pyi_value(text):
    at = max(text.rfind("const sessionData = ") + 20, text.rfind("window.profileSession = ") + 24)
    return json.JSONDecoder().raw_decode(text[at:])[0]

def pyi(doc):
    if "frame_records" in doc:
        return ("ns", sum(t for _, t in doc["frame_records"]) * 1e9)
    if "frame_tree" in doc:
        return ("ns", doc["frame_tree"]["time"] * 1e9)
    return ("ns", doc["root_frame"]["time"] * 1e9)

def want(path):
    text = text_of(path)
    if "<svg" in text[:3000]:
        m = re.search(r"<title>all \(([\d,]+) samples", text)
        return ("samples", int(m.group(1).replace(",", "")))
    if text.lstrip()[:2] == "<!":
        return pyi(pyi_value(text))
    if text.lstrip()[:1] in "{[":
        doc = json.loads(text)
        if isinstance(doc, list):
            return ("samples", len(doc))
        return speedscope(doc) if "profiles" in doc else pyi(doc)
    if "__/__" in text[:200]:
        return ("ns", float(re.search(r"^(\d+\.\d+) ", text, re.M).group(1)) * 1e9)
    if re.search(r"^Thread \d+ \(", text, re.M):
        return ("samples", len(re.findall(r"^Thread \d+ \(", text, re.M)))
    return collapsed(text)

def rows(path):
    r = subprocess.run([program, "--no-cache", "print", "stacks", "--format", "csv", path], capture_output=True)
    return r, list(csv.DictReader(io.StringIO(r.stdout.decode())))

def number(row, col):
    return int(row[col]) if row[col] != "" else None

folder = os.path.join(corpus, "python")
files = sorted(f for f in glob.glob(folder + "/**/*", recursive=True) if os.path.isfile(f))
check(len(files) > 60, "there are files", len(files))
got_rows = {}
for f in files:
    name = os.path.relpath(f, folder)
    r, got = rows(f)
    got_rows[name] = got
    unit, total = want(f)
    check(r.returncode in (0, 1) and got, name + ": is read", r.stderr)
    col = "total_ns" if unit == "ns" else "samples"
    roots = [number(x, col) for x in got if x["parent"] == ""]
    if None in roots:
        check(False, name + ": has " + unit)
        continue
    if unit == "samples":
        check(sum(roots) == total, name + ": samples, exactly", (sum(roots), total))
    else:
        check(abs(sum(roots) - total) <= total / 1000, name + ": time within 0.1 %", (sum(roots), total))
        own = sum(number(x, "self_ns") for x in got)
        check(own == sum(roots), name + ": own times sum to the roots", (own, sum(roots)))

# ---- by content alone: under another name, with a BOM, in UTF-16 ----

def same(path, got):
    r, other = rows(path)
    return r.returncode in (0, 1) and [{k: v for k, v in x.items() if k != "source"} for x in other] == \
        [{k: v for k, v in x.items() if k != "source"} for x in got]

scratch = sys.argv[3]
for f in files:
    name = os.path.relpath(f, folder)
    text = text_of(f)
    variants = {"wrong.nsys-rep": text.encode(), "bom.sqlite": b"\xef\xbb\xbf" + text.encode(),
        "little.bin": b"\xff\xfe" + text.encode("utf-16-le"), "big.html": b"\xfe\xff" + text.encode("utf-16-be")}
    differ = []
    for k, raw in variants.items():
        with open(os.path.join(scratch, k), "wb") as out:
            out.write(raw)
        if not same(os.path.join(scratch, k), got_rows[name]):
            differ.append(k)
    check(not differ, name + ": by content alone", differ)

# ---- the forms of one run ----

def paths(got):
    """(function, file, line) from the root -> total; classes are not told apart"""
    at, total = {}, {}
    for x in got:
        key = at.get(x["parent"], ()) + ((x["function"], x["file"], x["line"]),)
        at[x["id"]] = key
        total[key] = total.get(key, 0) + int(x["total_ns"])
    return total

def near(a, b, slack):
    return abs(a - b) <= max(slack, b / 1000)

def behind(a, b):
    return b.endswith(a.lstrip("/")) if a else a == b

def subsequence(short, long):
    it = iter(long)
    return all(any(s[0] == l[0] and behind(s[1], l[1]) and s[2] == l[2] for l in it) for s in short)

for run in ("train_v5.1.2", "train_v4.4.0"):
    form = {f: paths(got_rows["pyinstrument/generated/" + run + "." + f]) for f in
        ("pyisession", "html", "json", "showall.json", "speedscope.json", "txt")}
    best = form["pyisession"]
    # --show-all keeps the import machinery, too
    shown = {}
    for k, v in form["showall.json"].items():
        key = tuple(x for x in k if not x[1].startswith("<frozen importlib._bootstrap"))
        if not k[-1][1].startswith("<frozen importlib._bootstrap"):
            shown[key] = shown.get(key, 0) + v
    form["showall.json"] = shown
    for f in ("html", "json", "showall.json"):
        miss = [k for k, v in form[f].items() if v > 1000000 and not near(v, best.get(k, -1e18), 100000)]
        check(not miss, run + ": " + f + " is the tree of the session", (len(miss), miss[:1], [(form[f][k], best.get(k)) for k in miss[:1]]))
    # the speedscope renderer drops what is below 1 % in each stretch of time: never more than the session, but for the 54 ms that
    # the events of 4.4.0 go on behind the end that the file gives
    miss = [k for k, v in form["speedscope.json"].items() if v > best.get(k, -1) + 60000000]
    check(not miss, run + ": speedscope is part of the session's tree", miss[:1])
    miss = [k for k, v in form["txt"].items() if not any(near(v, t, 1500000) and subsequence(k, p) and p[-1][0] == k[-1][0]
        for p, t in best.items())]
    check(not miss, run + ": the text is part of the session's tree", miss[:1])
    root = {f: max(v for k, v in form[f].items() if len(k) == 1) for f in form}
    check(all(near(v, root["pyisession"], 60000000 if f == "speedscope.json" else 1000000) for f, v in root.items()), run + ": all forms have the same root", root)
sys.exit(failed > 0)
EOF
mkdir "$T/variants"
python3 "$T/check.py" "$PROFDIVE" "$PROFDIVE_CORPUS" "$T/variants" >"$T/lines"
while read -r held rest; do
	case $held in
	ok) pass "${rest#- }" ;;
	*) fail "${rest#ok - }" ;;
	esac
done <"$T/lines"
ok "the checks came to their end" grep -q "train_v4.4.0: all forms" "$T/lines"
done_testing
