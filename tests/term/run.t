#!/bin/sh
# The explorer in a real terminal; see tmux.sh.
. "${srcdir:-.}/tests/lib/tap.sh"

. "$top_srcdir/tests/lib/tmux.sh"

mkdir "$T/big"
printf '{"traceEvents": [\n{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5.000, "dur": 9.000}' | gzip >"$T/head.gz"
awk 'BEGIN { for (i = 0; i < 16384; i++)
	printf ",\n{\"ph\": \"s\", \"id\": %d, \"pid\": 1, \"tid\": 1, \"ts\": %d.250, \"cat\": \"ac2g\", \"name\": \"ac2g\"}", i, i }' |
	gzip >"$T/flows.gz"
printf '\n]}\n' | gzip >"$T/tail.gz"

twice_the_flows() { cat "$T/flows.gz" "$T/flows.gz" >"$T/more.gz" && mv "$T/more.gz" "$T/flows.gz"; }

# reading: the program is started and seen while it reads. Were it so fast that it was done before one looked, it gets twice as much: up to
# 16384 times the 16384 events.
reading()
{
	more=0
	while test "$more" -lt 15; do
		cat "$T/head.gz" "$T/flows.gz" "$T/tail.gz" >"$T/big/rank0.pt.trace.json.gz"
		run "clear; \$p --no-cache $T/big" && soon seen 'events?  \(Esc stops\)|GPU work is missing' || return 1
		! grep -Eq 'events?  \(Esc stops\)' "$T/a" || return 0
		keys Q && soon flag alternate_on 0 && twice_the_flows || return 1
		more=$((more + 1))
	done
	return 1
}
for more in 1 2 3 4 5; do twice_the_flows; done

loads()
{
	terminal 80x24 && note_stty && reading && grep -Fq '[1 Overview]' "$T/a" && shows 'window all (no steps)  9.00 µs' && shows 'GPU work is missing' &&
		! grep -Fq '(partial)' "$T/a"
}
ok "the first frame comes while the file is read, the figures when it is" loads

leaves() { flag alternate_on 1 && keys q && back_with 0; }
ok "q at the root gives the terminal back as it was" leaves

# twice as long as it takes to be seen, and more
interrupts() { twice_the_flows && twice_the_flows && reading && keys C-c C-c && back_with 130; }
ok "^C twice while a file is read ends with 130" interrupts

resizes()
{
	run "\$p sample" && shows 'q back  Q quit' && tm resize-window -t t -x 130 -y 35 && shows ' 7 Transfers 8 Breakdown' &&
		tm resize-window -t t -x 20 -y 6 && shows '[1 Overview]' && tm resize-window -t t -x 80 -y 24 &&
		shows 'Enter down  Backspace up' && shows '[1 Overview] 2 Time' && cp "$T/a" "$T/resized" && keys C-l &&
		shows '[1 Overview]' && cmp "$T/resized" "$T/a"
}
ok "a resize at any time, down to 20x6, and the screen is whole again" resizes

stops()
{
	keys C-z && soon flag alternate_on 0 && same_stty && run fg && shows '[1 Overview]' && flag alternate_on 1 && cmp "$T/resized" "$T/a" &&
		keys 3 && shows '[3 Kernels]' && keys Q && back_with 0
}
ok "C-z gives the shell the terminal, fg brings the screen back" stops

# F5: nothing changed, a file changed, all files gone
reloads()
{
	cp -R "$PROFDIVE_SAMPLE" "$T/again" && run "clear; \$p $T/again" && shows 'What to look at' && keys F5 && shows 'no file has changed' &&
		touch -t 203001010000 "$T/again/train.sqlite" && keys F5 && shows 'files have changed: reading them again' &&
		shows 'What to look at' && rm -r "$T/again" && keys F5 && shows 'what is shown is what was read' && keys 3 &&
		shows 'cublasLt' && keys Q && back_with 0
}
ok "F5 reads files again that have changed, and keeps what was read when they are gone" reloads

refuses()
{
	run "TERM=dumb \$p sample" && shows 'terminal "dumb" cannot show screens: try TERM=xterm-256color' && back_with 2 &&
		run clear && run "TERM=nonesuch \$p sample" &&
		shows 'unknown terminal "nonesuch": try TERM=xterm-256color' && back_with 2
}
ok "a terminal that cannot show screens is named, with a way out" refuses

other_terms()
{
	for term in linux xterm-256color; do
		run "clear; TERM=$term \$p sample" && shows '[1 Overview]' && shows 'What to look at' && keys 2 && shows 'GPU0 s7' &&
			keys Q && shows 'ready$' && back_with 0 || return 1
	done
}
ok "TERM=linux and TERM=xterm-256color" other_terms

# what is not printable ASCII, as LC_ALL=C tells it
foreign() { LC_ALL=C grep -q '[^ -~]' "$1"; }
plain()
{
	terminal 80x24 LC_ALL=C && run "\$p sample" && shows 'What to look at' && ! foreign "$T/a" && keys 2 && shows 'GPU0 s7' &&
		! foreign "$T/a" && keys 4 && shows '[4 Ops]' && ! foreign "$T/a" && keys Q
}
ok "LC_ALL=C: every screen is ASCII" plain

# colours that are set: 30-37, 38, 90-97
colored()
{
	tm capture-pane -e -p -t t >"$T/e" && LC_ALL=C tr '\033' '^' <"$T/e" | grep -Eq '\^\[([0-9]+;)*(3[0-8]|9[0-7])[;m]'
}
colors()
{
	terminal 80x24 && run "\$p sample" && shows 'What to look at' && colored && keys Q && shows 'ready$' &&
		run "clear; NO_COLOR=1 \$p sample" && shows 'What to look at' && ! colored && keys Q && shows 'ready$' &&
		run "clear; CLICOLOR=0 \$p sample" && shows 'What to look at' && ! colored && keys Q && shows 'ready$' &&
		run "clear; NO_COLOR=1 \$p --color 256 sample" && shows 'What to look at' && colored
}
ok "colours, none with NO_COLOR or CLICOLOR=0, but where --color asks for them" colors

# A tree and a flame graph of stacks where the terminal has 16 colours or fewer: letters and colours of the frameworks, none of 256.
beyond_16() { LC_ALL=C tr '\033' '^' <"$T/e" | grep -Eq '[34]8;[25];'; }
stacks_16()
{
	terminal 80x24 TERM=linux && run "\$p sample/pyinstrument.json" && shows '[1 Overview]' && keys 6 && shows 'call tree]' && colored &&
		! beyond_16 && keys t t && shows '[flame]' && colored && ! beyond_16 &&
		grep -Eq '[|>][A-Z] ' "$T/a" && keys Q
}
ok "TERM=linux: call tree and flame graph in its colours" stacks_16
stacks_ascii()
{
	terminal 200x60 TERM=vt100 LC_ALL=C && run "\$p sample/pyinstrument.json" && shows '[1 Overview]' && keys 6 && shows 'call tree]' &&
		! foreign "$T/a" && keys t t && shows '[flame]' && ! foreign "$T/a" && ! colored && grep -Eq '[|>][A-Z] ' "$T/a" && keys Q
}
ok "TERM=vt100 without UTF-8: both in ASCII, without colour" stacks_ascii

# The folder's path is longer than the screen is wide: that there are six reports is read first.
reports()
{
	run_dir=$T/a-path-that-is-longer-than-the-screen/so-that-a-message-with-it-must-be-cut/reports
	mkdir -p "${run_dir%/*}" && keys Q && shows 'ready$' && run "clear; \$p -o $run_dir sample" && shows 'What to look at' &&
		keys '?' && shows '[Help]' && shows 'Keys everywhere' && keys q && shows '[1 Overview]' && keys R && shows '6 reports in /' &&
		test "$(cd "$run_dir" && echo *.md | wc -w)" -eq 6 && keys q && back_with 0
}
ok "? explains, R writes the six reports and shows where, however long the path" reports

done_testing
