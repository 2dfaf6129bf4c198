#!/bin/sh
# pyruns.t: what is said of the Python side of runs that torch, pyinstrument and py-spy recorded together, against counts that Python
# makes of the files by itself.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_CORPUS/runs-2026" || skip_all "no runs with samplers in the corpus"
command -v python3 >/dev/null || skip_all "no python3"
python3 "$srcdir/tests/corpus/pyruns.py" "$PROFDIVE" "$PROFDIVE_CORPUS/runs-2026" >"$T/out" 2>"$T/err" || diag_file "$T/err"
while read -r line; do
	case $line in
	ok*) pass "${line#ok - }" ;;
	*) fail "${line#not ok - }" ;;
	esac
done <"$T/out"
is "the comparison came to its end" "$(tail -n 1 "$T/out")" "ok - all compared"
done_testing
