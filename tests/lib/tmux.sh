# tmux.sh - a real terminal for a test: tmux is the terminal, a shell in it is the one that the user comes from and goes back to.
# Nothing is slept for: a screen counts when it shows what is waited for and two looks at it are the same. The server has a
# socket of its own and ends with the test. Sourced after tap.sh.

command -v tmux >/dev/null || skip_all "tmux is not installed"
TMUX_TMPDIR=$(mktemp -d) || exit 99	# the path of a socket must be short
export TMUX_TMPDIR
unset TMUX
socket=profdive-$$
limit=300	# looks, a tenth of a second apart: a machine may be busy

tm() { tmux -L "$socket" -f /dev/null "$@"; }
tm_end()
{
	tm kill-server 2>/dev/null
	rm -rf "$TMUX_TMPDIR"
	tap_cleanup
}
trap tm_end EXIT

# terminal WxH [NAME=VALUE...]: a new terminal with a shell in it; its variables are those given. LANG, TERM have defaults.
terminal()
{
	size=$1
	shift
	tm kill-session -t t 2>/dev/null
	cat >"$T/shell" <<-EOF
		cd "$PROFDIVE_SAMPLE/.." || exit
		exec env -i PATH="$PATH" HOME="$HOME" ASAN_OPTIONS="$ASAN_OPTIONS" UBSAN_OPTIONS="$UBSAN_OPTIONS" \\
			TERM=screen-256color LC_ALL=C.UTF-8 PS1='ready\$ ' p="$PROFDIVE" $* sh -i
	EOF
	tm new-session -d -s t -x "${size%x*}" -y "${size#*x}" "sh $T/shell" && shows 'ready$'
}

keys() { tm send-keys -t t "$@"; }
# run LINE: typed into the shell
run() { keys -l "$1" && keys Enter; }
look() { tm capture-pane -p -t t >"$T/$1" 2>/dev/null; }
blink() { sleep 0.1 2>/dev/null || sleep 1; }

# soon COMMAND...: within the limit the command succeeds
soon()
{
	looks=0
	until "$@"; do
		looks=$((looks + 1))
		test "$looks" -lt "$limit" || return 1
		blink
	done
}

at_rest()
{
	look a && grep -Fq -e "$1" "$T/a" && blink && look b && cmp -s "$T/a" "$T/b"
}

# shows TEXT: the screen comes to rest with TEXT on it
shows()
{
	soon at_rest "$1" && return
	diag "not on the screen: $1"
	diag_file "$T/a"
	return 1
}

seen() { look a && grep -Eq -e "$1" "$T/a"; }
flag() { test "$(tm display-message -p -t t "#{$1}")" = "$2"; }
# back_with STATUS: the shell has the terminal again, as it was, and the program's status
back_with()
{
	soon flag alternate_on 0 && run 'echo "status $?"' && shows "status $1" && same_stty
}
# The terminal's settings are those from before. The shell writes in its own time: the file appears whole or not at all.
same_stty()
{
	rm -f "$T/after"
	run "stty -g >$T/new && mv $T/new $T/after" && soon test -s "$T/after" && cmp "$T/before" "$T/after"
}
note_stty() { rm -f "$T/before" "$T/after"; run 'stty -g >'"$T/before" && soon test -s "$T/before"; }

