# env.sh - the environment of every test; sourced by `make check` and by tap.sh.
# Needs srcdir (source tree) and the build folder as the current one; leaves absolute paths in
#   top_srcdir top_builddir   the two trees
#   PROFDIVE TRACEGEN         the programs under test
#   PROFDIVE_SAMPLE           the generated sample run (tests/gen, seed 1)
#   PROFDIVE_CORPUS           real profiles, or empty where there are none
#   T                         a scratch folder of this test, empty, in the build tree

top_srcdir=$(cd "${srcdir:-.}" && pwd)
if test -n "${top_builddir:-}" && test -d "$top_builddir"; then
	top_builddir=$(cd "$top_builddir" && pwd)
elif test -f config.status; then
	top_builddir=$(pwd)
else
	top_builddir=$top_srcdir/${BUILD_DIR:-build}
fi

PROFDIVE=$top_builddir/profdive
TRACEGEN=$top_builddir/tests/gen/tracegen
PROFDIVE_SAMPLE=$top_builddir/data/sample
if test -z "${PROFDIVE_CORPUS:-}" && test -d "$top_srcdir/../shared/corpus"; then
	PROFDIVE_CORPUS=$(cd "$top_srcdir/../shared/corpus" && pwd)
fi
: "${PROFDIVE_CORPUS:=}"

# No test may read or write the user's home, and the output must not depend on the locale.
HOME=$top_builddir/tests/home
XDG_CACHE_HOME=$HOME/.cache
XDG_CONFIG_HOME=$HOME/.config
XDG_STATE_HOME=$HOME/.local/state
mkdir -p "$HOME"
umask 022
TZ=UTC
LC_ALL=C.UTF-8
unset LANGUAGE LANG NO_COLOR COLORTERM COLUMNS LINES VISUAL EDITOR

# A sanitizer's report must fail the test that caused it.
: "${ASAN_OPTIONS:=detect_leaks=1:abort_on_error=0}"
: "${UBSAN_OPTIONS:=print_stacktrace=1:halt_on_error=1}"

export top_srcdir top_builddir PROFDIVE TRACEGEN PROFDIVE_SAMPLE PROFDIVE_CORPUS
export HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_STATE_HOME TZ LC_ALL ASAN_OPTIONS UBSAN_OPTIONS
