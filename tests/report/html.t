#!/bin/sh
# html.t - profdive report --html: one page that needs nothing from elsewhere, with the figures of
# the documents, and in which names from files stay text.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_SAMPLE" || skip_all "no generated sample"

R=$T/report
page=$R/profdive-report.html
status "report --html" 0 "$PROFDIVE" report --html -o "$R" "$PROFDIVE_SAMPLE"
is "the page is the seventh file" "$(sed -n '7s|.*/||p' "$T/out")" profdive-report.html
ok "the page is there" test -s "$page"
ok "it is below 2 MB" test "$(wc -c <"$page")" -lt 2000000
is "nothing is asked from elsewhere" "$(grep -Eic '<script|<link|<img|<iframe|src=|url\(|@import|href="[^#]' "$page")" 0
ok "and the page forbids it" grep -q "Content-Security-Policy.*default-src 'none'" "$page"

# Every row of the documents' tables is a row of the page, and every figure of a row is in it.
rows() { grep -h '^|' "$R"/0*.md | grep -cv '^| [:-]*--'; }
is "as many table rows as in the documents" "$(grep -c '<tr>' "$page")" "$(rows)"
cells() { tr '|' '\n' | sed 's/^ *//;s/ *$//' | grep -E '^[0-9.]+ (ms|µs|ns|s)$|^[0-9]+$' | sort | uniq -c; }
grep -h '^|' "$R"/0*.md | cells >"$T/md"
sed -n 's|^<t[dh][^>]*>\(.*\)</t[dh]>$|\1|p' "$page" | cells >"$T/html"
ok "with the same figures" cmp "$T/md" "$T/html"
ok "of which there are some" test "$(wc -l <"$T/md")" -gt 500

# The charts: the parts of a device in ns are those that print gives, and sum to the window.
field() { tr ',' '\n' <"$T/gpu.json" | sed -n "s/.*\"$1\": *\\([0-9]*\\).*/\\1/p"; }
"$PROFDIVE" print gpu --format json "$PROFDIVE_SAMPLE" >"$T/gpu.json"
for s in compute_ns exposed_comm_ns exposed_memcpy_ns idle_ns; do
	n=$(field $s | tail -n 1)
	ok "the chart of the GPU has $s, $n ns" grep -q "<title>[^<]*($n ns), [0-9.]* %</title>" "$page"
done
steps=$("$PROFDIVE" print steps --window all --format csv "$PROFDIVE_SAMPLE" | grep -c .)
is "a bar for each step of each source" "$(grep -c '<title>step [0-9]*: ' "$page")" $((steps - 1))

# A name that would be markup stays a name.
mkdir "$T/evil"
cat >"$T/evil/x.pt.trace.json" <<'END'
{"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "<script>alert(1)</script>&\"x", "pid": 1, "tid": 1, "ts": 1.0, "dur": 90.0},
{"ph": "X", "cat": "cpu_op", "name": "![a](http://example.invalid/b)", "pid": 1, "tid": 1, "ts": 101.0, "dur": 90.0}
]}
END
status "a trace with markup for names" 0 "$PROFDIVE" report --html -o "$T/bad" "$T/evil"
is "has no script" "$(grep -ic '<script' "$T/bad/profdive-report.html")" 0
is "and no picture or link" "$(grep -Eic '<img|href="http' "$T/bad/profdive-report.html")" 0
ok "the name is shown" grep -q '&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;x' "$T/bad/profdive-report.html"

done_testing
