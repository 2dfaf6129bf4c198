#!/bin/sh
# Screens of the explorer, by key script and without a terminal, against reviewed copies.
# Each NAME.script says in its first line at which sizes it runs: "# sizes: 80x24 200x60", in the second may
# stand options, in the third arguments instead of the sample; what it saves with `save-screen -` must equal NAME-SIZE.screen. After a wanted change: UPDATE=1 sh
# tests/screen/run.t, and read the difference before it is committed.
. "${srcdir:-.}/tests/lib/tap.sh"

here=$top_srcdir/tests/screen
cd "$PROFDIVE_SAMPLE/.." || exit 99
sample=${PROFDIVE_SAMPLE##*/}

for script in "$here"/*.script; do
	name=${script##*/}
	name=${name%.script}
	sizes=$(sed -n '1s/^# sizes: *//p' "$script")
	options=$(sed -n '2s/^# options: *//p' "$script")
	arguments=$(sed -n '3s/^# arguments: *//p' "$script")
	for size in $sizes; do
		# shellcheck disable=SC2086 # options are words
		status "$name at $size runs" 0 "$PROFDIVE" ${arguments:-"$sample"} $options --script "$script" --screen "$size"
		test -s "$T/err" && diag_file "$T/err"
		golden=$here/$name-$size.screen
		if test -n "${UPDATE:-}"; then
			cp "$T/out" "$golden"
		fi
		if cmp -s "$T/out" "$golden"; then
			pass "$name at $size: screens as reviewed"
		else
			fail "$name at $size: screens as reviewed"
			diff -u "$golden" "$T/out" >"$T/diff"
			diag_file "$T/diff"
		fi
	done
done

done_testing
