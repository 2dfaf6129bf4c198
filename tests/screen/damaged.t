#!/bin/sh
# damaged.t - what could not be read of a file stands on the first screen.
. "${srcdir:-.}/tests/lib/tap.sh"

trace=$PROFDIVE_SAMPLE/rank0.pt.trace.json
test -f "$trace" || skip_all "no generated sample"
cd "$T" || exit 99

status "a whole file" 0 "$PROFDIVE" --no-cache --screen 250x60 "$trace"
ok "says nothing of damage" sh -c '! grep -q Damaged out'
head -c 100000 "$trace" >cut.json
status "a file that ends early" 1 "$PROFDIVE" --no-cache --screen 250x60 cut.json
ok "says where" grep -q ' Damaged *cut.json: the text ends inside an event; first at 100000' out
status "so does the view" 1 "$PROFDIVE" print overview --no-cache --format csv cut.json
is "in one row" "$(grep -c '^damaged,' out)" 1

done_testing
