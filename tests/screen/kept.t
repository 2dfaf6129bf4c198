#!/bin/sh
# The second session with the same files takes its first tables from the first one's: the screens are the same byte for byte; a
# damaged, foreign or outdated file of tables changes nothing but the time it takes.
. "${srcdir:-.}/tests/lib/tap.sh"

XDG_CACHE_HOME=$T/cache PROFDIVE_CACHE_MIN=0
export XDG_CACHE_HOME PROFDIVE_CACHE_MIN
"$TRACEGEN" --kind run --seed 1 --out "$T/run" || fail "tracegen"
touch -d '10 seconds ago' "$T"/run/* 2>/dev/null || skip_all "touch knows no -d"
"$PROFDIVE" --help >/dev/null
cat >"$T/script" <<-EOF
	save-screen -
	key 3
	save-screen -
	key 4
	save-screen -
	key 7
	save-screen -
	key 2
	save-screen -
EOF

# session NAME [OPTION...]: the screens in $T/NAME, what the cache tells in $T/NAME.log
session()
{
	name=$1
	shift
	(cd "$T" && "$PROFDIVE" --debug load --script script --screen 200x60 "$@" run) >"$T/$name" 2>"$T/$name.log"
}
# same NAME: as without any cache
same() { ok "$1: the screens are the same" cmp "$T/none" "$T/$1"; }
told() { ok "$1: $2" grep -q "$3" "$T/$1.log"; }

session none --no-cache
session first
told first "tables are kept" "cache: stored tables"
same first
session second
told second "tables of the first session are used" "cache: opened tables"
ok "second: nothing new is kept" test "$(grep -c "stored tables" "$T/second.log")" -eq 0
same second
ok "the list of the cache has them" sh -c '"$PROFDIVE" cache list | grep -q " ready "'

file=$(ls "$XDG_CACHE_HOME"/profdive/*.pfv)
size=$(wc -c <"$file")
cp "$file" "$T/good"
for at in 8 40 170 250 500 $((size / 2)) $((size - 1)); do
	cp "$T/good" "$file"
	printf '\377\000\377' | dd of="$file" bs=1 seek="$at" conv=notrunc 2>/dev/null
	session damaged
	told damaged "byte $at" "not using tables"
	same damaged
done
for n in 0 100 $((size - 1)); do
	head -c "$n" "$T/good" >"$file"
	session cut
	same cut
done

# a fact beside the run, another language, and a file that has changed are other sessions
session again
echo '{"gradient_accumulation_steps": 3}' >"$T/facts.json"
session facts --facts "$T/facts.json"
told facts "other tables" "stored tables"
(cd "$T" && "$PROFDIVE" --no-cache --script script --screen 200x60 --facts "$T/facts.json" run) >"$T/facts.none"
ok "facts: the screens are theirs" cmp "$T/facts.none" "$T/facts"
for f in "$T"/run/*.json; do
	touch -d '5 seconds ago' "$f"
done
session touched
ok "touched: other tables" test "$(grep -c "opened tables" "$T/touched.log")" -eq 0
same touched
done_testing
