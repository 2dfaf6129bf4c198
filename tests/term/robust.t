#!/bin/sh
# What terminals do to a program: sizes that never rest, signals, a terminal that is gone, a crash; and how much is written to it.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/tmux.sh"

# explore TEXT: starts the program, whose process number is then in $T/pid, and waits for TEXT on the screen
explore()
{
	rm -f "$T/pid"
	run "clear; sh -c 'echo \$\$ >$T/pid.new; mv $T/pid.new $T/pid; exec \$p sample'" && soon test -s "$T/pid" && shows "$1" &&
		pid=$(cat "$T/pid")
}
gone() { ! kill -0 "$pid" 2>/dev/null; }

# The sizes are the same in each run: a linear congruence. Keys fall in between. In the end the screen is the one of ^L.
storm()
{
	terminal 80x24 && note_stty && explore 'What to look at' || return 1
	seed=1 i=0
	while test $i -lt 200; do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		w=$((seed / 65536 % 200 + 20))
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		tm resize-window -t t -x $w -y $((seed / 65536 % 54 + 6)) || return 1
		case $((i % 20)) in
		3) keys 2 ;;
		7) keys 3 ;;
		11) keys j ;;
		15) keys 4 ;;
		19) keys 1 ;;
		esac
		i=$((i + 1))
	done
	# the program is told of a size when the terminal thinks fit: both lines are whole at 80 columns only; the status line, the last but
	# one, tells of the last key
	tm resize-window -t t -x 80 -y 24 && keys 1 && shows ' 7 Copies 8 Break 9 Find' && shows 'q back  Q quit  ? help' &&
		shows '[1 Overview] 2 Time' && sed 23d "$T/a" >"$T/resized" && keys C-l &&
		shows '[1 Overview] 2 Time' && sed 23d "$T/a" | cmp - "$T/resized" && keys Q && back_with 0
}
ok "200 sizes in a row" storm

# killed SIGNAL STATUS: the shell has the terminal again
killed()
{
	terminal 80x24 && note_stty && explore 'What to look at' && keys 2 && shows 'GPU0 s7' && kill -"$1" "$pid" && soon gone && back_with "$2"
}
ok "SIGHUP gives the terminal back" killed HUP 129
ok "SIGTERM" killed TERM 143
ok "SIGINT from elsewhere" killed INT 130
ok "SIGQUIT" killed QUIT 131
ok "a crash: SIGSEGV" killed SEGV 139
ok "a failed assertion: SIGABRT" killed ABRT 134

# crashed WHERE: a fault inside of the program, in a build of its own: the shell has the terminal again, and sees what it died of
crashed()
{
	rm -f "$T/now"
	terminal 80x24 && note_stty && run "clear; $top_builddir/tests/term/crash $1 $T/now" && shows 'What to look at' && keys 2 &&
		shows 'GPU0 s7' && flag alternate_on 1 && touch "$T/now" && keys j && back_with 139
}
ok "a null pointer on the thread that draws" crashed draw
ok "on another thread" crashed thread

stopped()
{
	terminal 80x24 && note_stty && explore 'What to look at' && kill -TSTP "$pid" && soon flag alternate_on 0 && same_stty && run fg && shows '[1 Overview]' &&
		flag alternate_on 1 && keys Q && back_with 0
}
ok "SIGTSTP from elsewhere, and fg" stopped

# whole: what is on the screen is what ^L would draw; the line before the last tells of the key
whole() { shows "$1" && sed '$d' "$T/a" | sed '$d' >"$T/is" && keys C-l && shows "$1" && sed '$d' "$T/a" | sed '$d' | cmp - "$T/is"; }
resized_while_stopped()
{
	terminal 80x24 && note_stty && explore 'What to look at' && kill -TSTP "$pid" && soon flag alternate_on 0 && same_stty &&
		tm resize-window -t t -x 130 -y 35 && run fg && whole ' 7 Transfers 8 Breakdown' && keys C-z && soon flag alternate_on 0 &&
		tm resize-window -t t -x 80 -y 24 && run fg && whole ' 7 Copies 8 Break 9 Find' && keys Q && back_with 0
}
ok "another size when it comes back" resized_while_stopped

# Nobody gave it time to clean up; after bg the system stops it again, before it has drawn into the shell's line.
stopped_hard()
{
	terminal 80x24 && note_stty && explore 'What to look at' && kill -STOP "$pid" && shows 'ready$' && keys -l 'stty sane; clear' && keys C-j &&
		shows 'ready$' && run bg && run 'clear; jobs' && shows 'Stopped (tty output)' && ! grep -q Overview "$T/a" && run 'clear; fg' &&
		shows ' 7 Copies 8 Break 9 Find' && flag alternate_on 1 && whole ' 7 Copies 8 Break 9 Find' && keys Q && back_with 0
}
ok "SIGSTOP, bg, fg" stopped_hard

# The editor is stopped as a job of the shell is: with all of it.
stops_in_editor()
{
	printf '#!/bin/sh\nprintf "editing\\n"\nread -r line\n' >"$T/editor" && chmod +x "$T/editor" && : >"$T/code.py" &&
		printf 'work (%s:3) 5\n' "$T/code.py" >"$T/stacks.txt" && terminal 80x24 EDITOR="$T/editor" && note_stty &&
		run "clear; \$p $T/stacks.txt" && shows '[1 Overview]' && keys 6 && shows 'code.py' && keys o && shows editing && flag alternate_on 0 &&
		keys C-z && shows 'Stopped' && run 'clear; fg' && keys Enter && shows '[6 Python]' && flag alternate_on 1 && whole '[6 Python]' &&
		keys Q && back_with 0
}
ok "^Z in the editor" stops_in_editor

lost()
{
	explore 'What to look at' && tm kill-session -t t && soon gone
}
ok "the terminal is closed: the program ends" lost

# without the signal that usually tells of it
lost_silently()
{
	terminal 80x24 && run "trap '' HUP" && lost
}
ok "also where nobody is told" lost_silently

terms()
{
	terminal 80x24 || return 1
	described=0
	for term in xterm xterm-256color screen-256color linux vt100 putty; do
		infocmp "$term" >/dev/null 2>&1 || continue
		described=$((described + 1))
		run "clear; TERM=$term \$p sample" && shows 'What to look at' && keys 2 && shows 'GPU0 s7' && keys 3 && shows 'cublasLt' &&
			keys Q && shows 'ready$' && back_with 0 || return 1
	done
	test "$described" -gt 0
}
ok "every TERM that is described here" terms

# Many keys at once: all count, though not each is drawn.
held()
{
	terminal 80x24 && note_stty && explore 'What to look at' && keys 4 && shows '[tree]' && keys t && shows '[flat]' &&
		keys G j && shows 'this is the last row' && cp "$T/a" "$T/end" && keys g k && shows 'this is the first row' &&
		keys -N 300 j && shows 'this is the last row' && cmp "$T/a" "$T/end" && keys Q && back_with 0
}
ok "300 keys at once" held

# codes TERM ARGUMENTS: starts the program so, and leaves the colours of the screen in $T/codes, one a line: 38;5;N, 3N, 9N
codes()
{
	terminal 80x24 TERM="$1" && run "clear; \$p $2 sample" && shows 'What to look at' && keys 3 && shows 'cublasLt' &&
		tm capture-pane -e -p -t t | LC_ALL=C tr '\033' '\n' | sed -n 's/^\[\([0-9;]*\)m.*/\1/p' |
		grep -oE '38;5;[0-9]+|(^|;)(3[0-7]|9[0-7])(;|$)' | tr -d ';' | sort -u >"$T/codes"
}
depths()
{
	codes screen-256color "" && grep -q '^385' "$T/codes" && codes screen-256color "--color 16" && test -s "$T/codes" && ! grep -q '^385\(1[6-9]\|[2-9][0-9]\|...\)$' "$T/codes" &&
		codes linux "" && test -s "$T/codes" && ! grep -q '^385' "$T/codes" &&
		codes screen-256color "--color never" && test ! -s "$T/codes" && printf 'set theme mono\n' >"$T/mono" && codes screen-256color "--config $T/mono" && test ! -s "$T/codes" &&
		tm capture-pane -e -p -t t | LC_ALL=C tr '\033' '^' | grep -q '\^\[[0-9;]*7m'
}
ok "256 colours, 16, 8, none, and the theme mono, which has reverse video" depths

# A pasted text is one line of the prompt: its line ends are no Enter.
pastes()
{
	terminal 80x24 && note_stty && explore 'What to look at' && keys 3 && shows 'cublasLt' && keys / &&
		tm set-buffer "$(printf 'one\ntwo')" && tm paste-buffer -p -t t && shows '/one two' && keys Escape && shows 'kernels > steady' &&
		keys Q && back_with 0
}
ok "a pasted line end does not send the prompt off" pastes

# Bytes per key: at 80x24 at most 2 KiB for a move of the cursor, 6 KiB for another page or pane. What is computed late is drawn late,
# and counted with a later key: so everything is typed three times, and the least counts.
cat >"$T/round" <<-'EOF'
	overview	1
	idle	
	overview j	j
	kernels	3
	move j	j
	move k	k
	page	\006
	last row	G
	ops	4
	move ops	j
	runtime	5
	move runtime	j
	transfers	7
	move transfers	j
	breakdown	8
	move breakdown	j
	timeline	2
	move l	l
	move lane	j
	move event	.
	move gap	)
	help	?
EOF
for round in 1 2 3; do
	cat "$T/round"
done >"$T/keys"
TERM=screen-256color "$top_builddir/tests/term/pty" 80x24 300 "$PROFDIVE" "$PROFDIVE_SAMPLE" <"$T/keys" >"$T/all"
is "every key was counted" "$(wc -l <"$T/all" | tr -d ' ')" 67
awk -F'\t' '$1 != "start" && (!($1 in least) || $2 < least[$1]) { least[$1] = $2 } END { for (k in least) print k "\t" least[k] }' \
	"$T/all" | sort >"$T/bytes"
diag_file "$T/bytes"
is "nothing is drawn while nothing happens" "$(sed -n 's/^idle.//p' "$T/bytes")" 0
ok "something is drawn for a key" awk -F'\t' '$2 > 0 { n++ } END { exit n < 15 }' "$T/bytes"
is "at most 2048 bytes for a move" "$(awk -F'\t' '$1 ~ /^move/ && $2 > 2048' "$T/bytes")" ""
is "at most 6144 for a page or a pane" "$(awk -F'\t' '$2 > 6144' "$T/bytes")" ""

done_testing
