# tap.sh - Test Anything Protocol for the shell tests (POSIX sh). A test starts with
#	. "${srcdir:-.}/tests/lib/tap.sh"
# and ends with done_testing. It runs from `make check` and by hand from the source tree
# (sh tests/golden/run.t). See env.sh for the variables it gets.

. "${srcdir:-.}/tests/lib/env.sh"

tap_count=0
tap_failed=0

# Scratch folder of this test, removed at its end; KEEP=1 keeps it.
T=$top_builddir/tests/tmp.$$
tap_cleanup() { test -n "${KEEP:-}" || rm -rf "$T"; }
trap tap_cleanup EXIT
trap 'exit 130' INT TERM HUP
rm -rf "$T" && mkdir -p "$T/.home" || exit 99

# Its own home and reopen cache, too: what one test leaves there another one must not find.
HOME=$T/.home
XDG_CACHE_HOME=$HOME/.cache
XDG_CONFIG_HOME=$HOME/.config
XDG_STATE_HOME=$HOME/.local/state

# pass NAME / fail NAME
pass()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

fail()
{
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
}

# ok NAME COMMAND...: the command must succeed; its output is shown when it does not.
ok()
{
	tap_name=$1
	shift
	if "$@" >"$T/.ok" 2>&1; then
		pass "$tap_name"
	else
		fail "$tap_name"
		diag "command: $*"
		diag_file "$T/.ok"
		return 1
	fi
}

# status NAME WANT COMMAND...: the command must end with exit status WANT; stdout and stderr
# are left in $T/out and $T/err.
status()
{
	tap_name=$1 tap_want=$2
	shift 2
	tap_got=0
	"$@" >"$T/out" 2>"$T/err" </dev/null || tap_got=$?
	if test "$tap_got" -eq "$tap_want"; then
		pass "$tap_name"
	else
		fail "$tap_name"
		diag "command: $*"
		diag "exit status $tap_got, want $tap_want"
		diag_file "$T/err"
		return 1
	fi
}

# is NAME GOT WANT: equal as text
is()
{
	if test "$2" = "$3"; then
		pass "$1"
	else
		fail "$1"
		diag "got  $2"
		diag "want $3"
		return 1
	fi
}

# same NAME GOT-FILE WANT-FILE: equal, byte for byte
same()
{
	if cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1"
		diff -u "$3" "$2" >"$T/.diff" 2>&1
		head -n 60 "$T/.diff" | sed 's/^/# /'
		return 1
	fi
}

# skip NAME WHY: one check that cannot run here
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all WHY: nothing of this test can run here; ends the test
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }
diag_file() { head -n 40 "$1" | sed 's/^/# /'; }

done_testing()
{
	echo "1..$tap_count"
	test "$tap_count" -gt 0 || exit 1
	# the harness has read the failures and would count the status as one more
	test "$tap_failed" -eq 0 || test -n "${TAP_HARNESS:-}" || exit 1
	exit 0
}
