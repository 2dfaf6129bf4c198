#!/bin/sh
# The reopen cache on the command line: the same output from it as from the source, in every view; list, drop, --no-cache; a
# program that is killed.
. "${srcdir:-.}/tests/lib/tap.sh"

XDG_CACHE_HOME=$T/cache
PROFDIVE_CACHE_MIN=0
export XDG_CACHE_HOME PROFDIVE_CACHE_MIN
folder=$XDG_CACHE_HOME/profdive

mkdir "$T/run" && cp "$PROFDIVE_SAMPLE"/* "$T/run" && rm -f "$T/run/truth.json" || exit 99
gzip -c "$T/run/rank0.pt.trace.json" >"$T/run/rank1.pt.trace.json.gz"
touch -t 202001010000 "$T"/run/*
cd "$T" || exit 99

count() { find "$folder" -name "$1" 2>/dev/null | wc -l | tr -d ' '; }

# ---- every view
views=$("$PROFDIVE" help views | awk '{ print $1 }')
for view in $views; do
	"$PROFDIVE" print "$view" --window all --format json --no-cache run
done >fresh 2>fresh.err
test ! -e "$XDG_CACHE_HOME"
is "--no-cache leaves no folder" $? 0
status "the first run stores" 0 "$PROFDIVE" --debug load print sources run
is "four files" "$(count '*.pfc')" 4
is "and says so" "$(grep -c 'cache: stored' err)" 4
status "the second run opens" 0 "$PROFDIVE" --debug load print sources run
is "four files again" "$(grep -c 'cache: opened' err)" 4
for view in $views; do
	"$PROFDIVE" print "$view" --window all --format json run
done >cached 2>cached.err
same "every view is the same from the cache" cached fresh
same "and the messages are" cached.err fresh.err

"$PROFDIVE" report --no-cache -o fresh-report run >/dev/null 2>&1
"$PROFDIVE" report -o cached-report run >/dev/null 2>&1
ok "the reports are the same" diff -r fresh-report cached-report

status "--no-cache reads nothing" 0 "$PROFDIVE" --debug load print sources --no-cache run
is "and says nothing of a cache" "$(grep -c 'cache:' err)" 0

# ---- damage of the source is known again
head -c 3000000 run/rank0.pt.trace.json >cut.json
touch -t 202001010000 cut.json
status "a cut source: exit status" 1 "$PROFDIVE" print ops cut.json
mv err first.err
mv out first.out
status "from the cache too" 1 "$PROFDIVE" print ops cut.json
same "with the same message" err first.err
same "and the same rows" out first.out
rm cut.json

# ---- list
status "list" 0 "$PROFDIVE" cache list
is "five rows" "$(grep -c ' [0-9]*  20[0-9-]*T' out)" 5
is "one is gone" "$(grep -c ' gone .*/cut.json$' out)" 1
is "four are ready" "$(grep -c ' ready ' out)" 4
touch run/train.sqlite
printf x | dd of="$folder/$("$PROFDIVE" cache list --format csv run/pyinstrument.json | awk -F, 'NR == 2 { sub(/\r/, ""); print $6 }')" \
	bs=1 seek=200 conv=notrunc 2>/dev/null
status "list as CSV" 0 "$PROFDIVE" cache list --format csv
is "a source that was touched is stale" "$(grep -c 'train.sqlite,.*,stale,' out)" 1
is "a file with a wrong byte is damaged" "$(grep -c '^,.*,damaged,' out)" 1
status "what is stale is loaded again" 0 "$PROFDIVE" --debug load print sources run/train.sqlite
is "the reason is given" "$(grep -c 'cache: loading the source .*has changed since it was cached' err)" 1
status "so is what is damaged" 0 "$PROFDIVE" --debug load print sources run/pyinstrument.json
is "with its reason" "$(grep -c 'cache: loading the source .*damaged' err)" 1
touch -t 202001010000 run/train.sqlite

# ---- drop
status "drop a source" 0 "$PROFDIVE" cache drop cut.json
is "it is gone" "$(cut -d, -f1 out)" "1 removed"
status "drop a folder" 0 "$PROFDIVE" cache drop run
is "with all in it" "$(cut -d, -f1 out)" "4 removed"
status "drop nothing" 0 "$PROFDIVE" cache drop run
is "is no fault" "$(cat out)" "0 removed, 0"
"$PROFDIVE" print sources run >/dev/null
status "drop all" 0 "$PROFDIVE" cache drop
is "leaves nothing" "$(count '*')" 1

# ---- a part of a file: neither kept nor taken from what is kept
"$PROFDIVE" print ops --no-cache --steps 2-3 run/rank0.pt.trace.json >part 2>/dev/null
"$PROFDIVE" print ops run/rank0.pt.trace.json >/dev/null
status "a part beside a cache of the whole" 0 "$PROFDIVE" --debug load print ops --steps 2-3 run/rank0.pt.trace.json
same "is loaded" out part
is "and says nothing of a cache" "$(grep -c 'cache:' err)" 0
is "but that it is one" "$(grep -c 'only a part of the files was loaded: steps 2-3' out)" 1
"$PROFDIVE" cache drop >/dev/null

# ---- a program that is killed at some moment
"$TRACEGEN" --kind bench --events 60000 --out big >/dev/null || exit 99
trace=big/bench.pt.trace.json
touch -t 202001010000 "$trace"
"$PROFDIVE" print kernels --no-cache "$trace" >want
wrong=0
for ms in 02 04 06 08 10 12 14 16 18 20 25 30 40 60; do
	"$PROFDIVE" print kernels "$trace" >/dev/null 2>&1 &
	sleep "0.$ms"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	"$PROFDIVE" print kernels "$trace" >got
	cmp -s got want || wrong=$((wrong + 1))
	"$PROFDIVE" print kernels "$trace" >got
	cmp -s got want || wrong=$((wrong + 1))
	"$PROFDIVE" cache drop >/dev/null
done
is "after each of 14 kills the rows are right, twice" "$wrong" 0
is "and nothing is left over" "$(count '*.tmp')" 0

# ---- two at once
"$PROFDIVE" print kernels "$trace" >one &
first=$!
"$PROFDIVE" print kernels "$trace" >two
wait $first
same "two programs at once: one" one want
same "two programs at once: the other" two want
is "and one file" "$(count '*.pfc')" 1
"$PROFDIVE" print kernels "$trace" >got
same "which is right" got want


done_testing
