#!/bin/sh
# The commands that README and the manual page show work: each is run on the sample, and ends well.
. "${srcdir:-.}/tests/lib/tap.sh"

# What the examples call their files, as the sample has them.
mkdir "$T/x" && cd "$T/x" || exit 99
mkdir runs out
ln -s "$PROFDIVE_SAMPLE" runs/monday
ln -s "$PROFDIVE_SAMPLE" DIRECTORY
ln -s "$PROFDIVE_SAMPLE" BEFORE
ln -s "$PROFDIVE_SAMPLE" AFTER
ln -s "$PROFDIVE_SAMPLE" sample
ln -s "$PROFDIVE_SAMPLE/train.sqlite" run.sqlite
ln -s "$PROFDIVE_SAMPLE/rank0.pt.trace.json" trace.json
gzip -c "$PROFDIVE_SAMPLE/rank0.pt.trace.json" >rank0.pt.trace.json.gz
ln -s "$PROFDIVE_SAMPLE/pyinstrument.json" host.json

# The example of the manual page on rules, as it is printed.
awk '/^\.EE/ { on = 0 } on { gsub(/\\-/, "-"); gsub(/\\\(ha/, "^"); print } /^\.EX/ { on = 1 }' \
	"$top_srcdir/doc/profdive-rules.5" >my.rules
ok "the example of profdive-rules(5) is there" grep -q '^id our-scaled-mm' my.rules

# Every line that begins with the program's name, between .EX and .EE, or indented in README;
# there two blanks or more begin a remark.
awk '/^\.EE/ { on = 0 } on && /^profdive / { gsub(/\\-/, "-"); gsub(/\\\(aq/, "'"'"'"); print } /^\.EX/ { on = 1 }' \
	"$top_srcdir/doc/profdive.1" >man.txt
awk '/^    (\$ )?profdive / { sub(/^    (\$ )?/, ""); sub(/  +.*/, ""); print }' "$top_srcdir/README" >readme.txt

# shellcheck disable=SC2016 # the inner shell expands
# run FILE NAME: each line of FILE as a shell command, `profdive` being the program under test
run()
{
	while IFS= read -r line; do
		status "$2: $line" 0 sh -c 'profdive() { "$PROFDIVE" "$@"; }; eval "$1"' sh "$line"
	done <"$1"
}

ok "profdive(1) has examples" test "$(wc -l <man.txt)" -ge 8
ok "README has examples" test "$(wc -l <readme.txt)" -ge 5
run man.txt "profdive(1)"
run readme.txt README

# They write what they say they write.
set -- out/0[1-6]_*.md
is "report -o out has written six files" $# 6
ok "and they are not empty" test -s "$1"

done_testing
