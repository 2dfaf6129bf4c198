#!/bin/sh
# What the explorer writes: a pane in each format is what `profdive print` gives for it; settings and keys from a file.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99

# keys NAME [OPTION...]: the script on stdin on the sample
keys()
{
	cat >"$T/script"
	name=$1
	shift
	status "$name" 0 "$PROFDIVE" --script "$T/script" "$@" "$PROFDIVE_SAMPLE"
}

keys "the pane as CSV, JSON, Markdown and screen" <<-EOF
	key 5
	write-pane a.csv
	write-pane a.json
	write-pane a.md
	write-pane a.txt
	expect written to a.txt
	write-pane a.csv
	expect cannot write a.csv
	set format json
	key w
	expect written to profdive-runtime-1.json
	key w
	expect written to profdive-runtime-2.json
	write-pane ~/home.csv
	expect written to /
EOF
for format in csv json md; do
	"$PROFDIVE" print runtime -n 0 -f $format "$PROFDIVE_SAMPLE" >"$T/want"
	ok "a.$format is print -f $format" cmp "$T/want" "$T/a.$format"
done
ok "the format of w is set" cmp "$T/a.json" "$T/profdive-runtime-1.json"
ok "~ is the home" cmp "$T/a.csv" "$HOME/home.csv"
rm -f "$HOME/home.csv"
ok "a.txt is the screen" grep -q '5 Runtime]' "$T/a.txt"

cat >"$T/config" <<-EOF
	# settings
	set ascii on
	set theme pink
	map B kernels
EOF
keys "a configuration file: settings, keys, and what is wrong in it" --config "$T/config" <<-EOF
	expect config:3: theme is one of: default light contrast mono
	key B
	expect [3 Kernels]
	settings
	expect map KEY ACTION
	save-screen screen
EOF
ok "ascii is on" sh -c "! LC_ALL=C grep -q '[^ -~]' '$T/screen'"
mkdir -p "$XDG_CONFIG_HOME/profdive" && cp "$T/config" "$XDG_CONFIG_HOME/profdive/config"
keys "a script is run without the user's own" <<-EOF
	key B
	expect B is not bound
EOF
rm -r "$XDG_CONFIG_HOME/profdive"

done_testing
