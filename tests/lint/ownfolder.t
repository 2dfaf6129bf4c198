#!/bin/sh
# ownfolder.t - every shell test has a scratch folder of its own, and in it its home and reopen cache.
. "${srcdir:-.}/tests/lib/tap.sh"

# where: the folders that another test gets, run beside this one
where() { sh -c '. "$top_srcdir/tests/lib/tap.sh"; echo "$XDG_CACHE_HOME $XDG_CONFIG_HOME $XDG_STATE_HOME $HOME" | sed "s|$T|T|g"; echo "$XDG_CACHE_HOME"'; }

where >"$T/other"
is "a test's folders lie in its scratch folder" "$(head -n 1 "$T/other")" "T/.home/.cache T/.home/.config T/.home/.local/state T/.home"
ok "another test's are others" test "$(tail -n 1 "$T/other")" != "$XDG_CACHE_HOME"
ok "programs get them" test "$(sh -c 'echo "$XDG_CACHE_HOME"')" = "$T/.home/.cache"
done_testing
