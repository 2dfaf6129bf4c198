#!/bin/sh
# traffic.sh - what a key costs on the line to a terminal, and how long until its frame comes: the explorer beside htop and tig, each
# in a terminal of 80x24 and of 200x60. Prints a table; nothing is asserted (robust.t does that).
#
#	traffic.sh [-n PRESSES] PTY PROFDIVE PROFILE [REPOSITORY]
#
# PTY is tests/term/pty as built; htop shows the processes of the machine, tig the commits of REPOSITORY (here). Each key is pressed
# PRESSES times (20), forth and back by turns; bytes are the median, times the median and the 99th per cent.
# Tables are computed before they are counted: every place is gone to once first.
set -u
presses=20
if test "${1:-}" = -n; then
	presses=$2
	shift 2
fi
test $# -ge 3 || { sed -n 2,9p "$0"; exit 2; }
whole() { echo "$(cd "$(dirname "$1")" && pwd)/${1##*/}"; }
pty=$(whole "$1") profdive=$(whole "$2") profile=$(whole "$3") repository=${4:-.}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
tab=$(printf '\t')

# press LABEL KEYS...: the lines of a task, the keys by turns
press()
{
	label=$1 n=0
	shift
	while test $n -lt "$presses"; do
		printf '%s\t%s\n' "$label" "$1"
		set -- "$@" "$1"
		shift
		n=$((n + 1))
	done
}
# go KEYS...: to a place, uncounted
go() { for key; do printf -- '-\t%s\n' "$key"; done; }

ours()
{
	go 3 4 2 0 1 9 3
	press "cursor in a table" j k
	go t t '\006' '\006'
	press "page of all instances" '\006' '\006' '\002' '\002'
	go g '/gemm\r'
	press "next match in all instances" n N
	go '\e' 4
	press "cursor in a tree" j k
	press "pane: ops and kernels" 3 4
	go 2
	press "pane: timeline and ops" 4 2
	go 2 0
	press "cursor in the timeline" l h
	press "lane of the timeline" j k
	press "event of the timeline" . ,
	press "zoom of the timeline" + -
}
htops()
{
	go '\e[B'
	press "cursor in a table" '\e[B' '\e[A'
	go '\e[6~' '\e[6~'
	press "page of a table" '\e[6~' '\e[6~' '\e[5~' '\e[5~'
	press "pane: tree and list" t t
}
tigs()
{
	go j
	press "cursor in a table" j k
	go '\e[6~' '\e[6~'
	press "page of a table" '\e[6~' '\e[6~' '\e[5~' '\e[5~'
	press "pane: commit and log" '\r' q
}

# median and 99th per cent of the lines of each task, in their order
digest()
{
	grep -v "^[-s]" "$1" | cut -f1 | awk '!seen[$0]++' | while IFS= read -r task; do
		bytes=$(awk -F"$tab" -v t="$task" '$1 == t { print $2 }' "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
		awk -F"$tab" -v t="$task" '$1 == t && $3 != "-" { print $3 }' "$1" | sort -n |
			awk -v who="$2" -v size="$3" -v t="$task" -v b="$bytes" '{ v[NR] = $1 }
			END { i = int((99 * NR + 99) / 100)
				printf "| %s | %s | %s | %d | %.1f | %.1f |\n", size, who, t, b, v[int((NR + 1) / 2)], v[i < 1 ? 1 : i] }'
	done
}

# record WHO SIZE QUIET_MS COMMAND...: keys on stdin
record()
{
	who=$1 size=$2 quiet=$3
	shift 3
	TERM=xterm-256color "$pty" "$size" "$quiet" "$@" >"$tmp/out" && digest "$tmp/out" "$who" "$size"
}

echo "| terminal | program | key | bytes | ms to the frame, median | 99 % |"
echo "|---|---|---|---|---|---|"
for size in 80x24 200x60; do
	ours | record profdive "$size" "${QUIET:-150}" "$profdive" "$profile"
	# htop draws by itself: the shortest time that separates keys, and a delay of a minute
	! command -v htop >/dev/null || htops | record htop "$size" 150 htop -d 600
	! command -v tig >/dev/null || (cd "$repository" && tigs | record tig "$size" 150 tig)
done
