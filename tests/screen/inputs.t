#!/bin/sh
# inputs.t - what is named on the command line beside the profiles: a pipe or a device is refused at once, a configuration that
# is named must be there, none of them is longer than 16 MiB.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$T" || exit 99
mkfifo pipe && ln -s /dev/zero zero || exit 99
head -c 16777217 /dev/zero | tr '\0' '#' >long
set -- "$PROFDIVE_SAMPLE/pyinstrument.json"

# Nobody writes into the pipe: who opens it for reading waits. 124 is timeout's.
for file in pipe zero; do
	status "--rules $file" 3 timeout 60 "$PROFDIVE" print ops --rules $file "$@"
	ok "says so" grep -q 'a pipe or a device' err
	status "--facts $file" 3 timeout 60 "$PROFDIVE" print ops --facts $file "$@"
	ok "says so" grep -q 'a pipe or a device' err
	status "--config $file" 2 timeout 60 "$PROFDIVE" --screen 80x24 --config $file "$@"
	ok "says so" grep -q -- '--config: cannot open .*a pipe or a device' err
	status "--script $file" 2 timeout 60 "$PROFDIVE" --script $file "$@"
	ok "says so" grep -q 'a pipe or a device' err
	status "--session $file" 3 timeout 60 "$PROFDIVE" --screen 80x24 --session $file
	ok "says so" grep -q 'a pipe or a device' err
	status "check-rules $file" 3 timeout 60 "$PROFDIVE" check-rules $file
	printf 'source %s\n' $file >script
	status "source $file of a script" 1 timeout 60 "$PROFDIVE" --script script "$@"
done
for file in nowhere . long; do
	status "--config $file" 2 "$PROFDIVE" --screen 80x24 --config $file "$@"
	ok "names it" grep -q -- "--config: .*$file" err
done
status "rules of more than 16 MiB" 4 "$PROFDIVE" print ops --rules long "$@"
status "facts of more than 4 MiB" 4 "$PROFDIVE" print ops --facts long "$@"
head -c 16777216 long >short
status "16 MiB are read" 0 "$PROFDIVE" --screen 80x24 --config short "$@"
status "no configuration of the user's is no error" 0 "$PROFDIVE" --screen 80x24 "$@"

done_testing
