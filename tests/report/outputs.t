#!/bin/sh
# outputs.t - what is written into a shared folder, where another user has planted files of all kinds under the names of the
# outputs: each output is a new file of the caller's with mode 0644, nothing is written through a link, what was planted is
# as it was. The part with two users needs root.
. "${srcdir:-.}/tests/lib/tap.sh"

test -d "$PROFDIVE_SAMPLE" || skip_all "no generated sample"
umask 022
documents="01_training_overview.md 02_analysis_methods.md 03_gpu_analysis.md 04_cpu_analysis.md 05_code_path_mapping.md
	06_complete_breakdown.md"
sample=$PROFDIVE_SAMPLE/rank0.pt.trace.json

# kind FILE: mode, owner and kind, not followed
kind() { stat -c '%a %u %F' "$1"; }
# entries FOLDER: how many, hidden ones too
entries() { ls -A "$1" | wc -l; }

# ---- as anybody

me=$(id -u)
mkdir "$T/own" && cd "$T/own" || exit 99
echo mine >victim
echo old >01_training_overview.md && chmod 6777 01_training_overview.md
echo old >02_analysis_methods.md && chmod 640 02_analysis_methods.md
ln -s victim 03_gpu_analysis.md
ln -s nowhere 04_cpu_analysis.md
mkfifo 05_code_path_mapping.md
status "report over files of one's own" 0 "$PROFDIVE" report -o . "$sample"
is "setuid and beyond 0666 are dropped" "$(kind 01_training_overview.md)" "666 $me regular file"
is "a mode is kept" "$(kind 02_analysis_methods.md)" "640 $me regular file"
is "a link is replaced" "$(kind 03_gpu_analysis.md)" "644 $me regular file"
is "a broken one, too" "$(kind 04_cpu_analysis.md)" "644 $me regular file"
is "and a pipe" "$(kind 05_code_path_mapping.md)" "644 $me regular file"
is "not written through the link" "$(cat victim)" mine
is "six documents and the file, nothing else" "$(entries .)" 7

status "folders are made with those above" 0 "$PROFDIVE" report -o "$T/a/b/c" "$sample"
is "six documents" "$(entries "$T/a/b/c")" 6

# All new or all old: the last document cannot be written.
mkdir "$T/partly" && cd "$T/partly" && mkdir 06_complete_breakdown.md || exit 99
echo old >01_training_overview.md
status "a report that fails" 3 "$PROFDIVE" report -o . "$sample"
is "leaves the old one" "$(cat 01_training_overview.md)" old
is "and nothing else" "$(entries .)" 2

mkdir "$T/wide" && chmod 777 "$T/wide" && cd "$T" || exit 99
for command in "report -o wide $sample" "diff -o wide $sample $sample"; do
	status "$command: others may write there" 2 "$PROFDIVE" $command
	ok "and it says so" grep -q 'others may write to the folder wide' "$T/err"
	is "nothing is written" "$(entries wide)" 0
done
status "by force" 0 "$PROFDIVE" report --force -o wide "$sample"
is "six documents" "$(entries wide)" 6
mkdir "$T/sticky" && chmod 1777 "$T/sticky"
status "with the sticky bit" 0 "$PROFDIVE" report -o sticky "$sample"

# ---- two users

two_users() { test "$me" -eq 0 && setpriv --reuid 60001 --regid 60001 --clear-groups true; }
if ! two_users 2>/dev/null; then
	skip "two users" "needs root and setpriv"
	done_testing
fi
D=$(mktemp -d "${TMPDIR:-/tmp}/profdive-outputs.XXXXXX") || exit 99
trap 'cd / && rm -rf "$D"; tap_cleanup' EXIT
chmod 755 "$D" && mkdir "$D/home" "$D/attacker" && cp "$PROFDIVE" "$D/profdive" && cp "$sample" "$D/a.json" || exit 99
cp "$D/a.json" "$D/b.json"
chown 60001 "$D/home" && chown 60002 "$D/attacker" || exit 99
victim()
{
	HOME=$D/home XDG_CACHE_HOME=$D/home/.cache setpriv --reuid 60001 --regid 60001 --clear-groups "$@"
}
attacker() { setpriv --reuid 60002 --regid 60002 --clear-groups "$@"; }
if ! victim "$D/profdive" --version >/dev/null 2>&1; then
	skip "two users" "the program does not run for another user"
	done_testing
fi

# folder NAME OWNER MODE: a new one, the current one from then on
folder() { mkdir "$D/$1" && chown "$2" "$D/$1" && chmod "$3" "$D/$1" && cd "$D/$1" || exit 99; }
# plant_file NAME: setuid, and anybody may write; the attacker keeps a second name
plant_file()
{
	attacker sh -c 'printf "# profdive session\nplanted\n" >"$1" && chmod 6777 "$1" && ln "$1" "$2"' - "$1" "$D/attacker/$1"
}
# plant_link NAME: to a file of the victim's
plant_link() { attacker ln -s "$D/home/secret" "$1"; }
# plant_all NAME...: of each kind, in turn
plant_all()
{
	i=0
	for name in "$@"; do
		case $((i % 6)) in
		0) plant_file "$name" ;;
		1) plant_link "$name" ;;
		2) ln "$D/home/secret" "$name" ;;	# as where the kernel lets anybody
		3) attacker mkfifo -m 666 "$name" ;;
		4) attacker ln -s nowhere "$name" ;;
		5) attacker ln "$D/attacker/$1" "$name" ;;
		esac || fail "planting $name"
		i=$((i + 1))
	done
}
# harmless NAME...: all are files of the victim's with plain modes, what was planted is as it was, and nothing else is left
harmless()
{
	bad=
	for name in "$@"; do
		test "$(kind "$name")" = "644 60001 regular file" || bad="$bad $name: $(kind "$name");"
	done
	is "new files of mode 644" "$bad" ""
	is "not written through a link" "$(cat "$D/home/secret")" "# profdive session"
	is "what was planted is as it was" "$(kind "$D/attacker/$1") $(tail -n 1 "$D/attacker/$1")" "6777 60002 regular file planted"
	is "nothing else is left" "$(entries .)" $#
	is "no setuid file of the victim's" "$(find "$D" -user 60001 -perm /7022 -type f)" ""
}
echo "# profdive session" >"$D/home/secret" && chown 60001 "$D/home/secret" || exit 99

folder report 60001 1777
plant_all $documents
status "report over planted files" 0 victim "$D/profdive" report -o . "$D/a.json"
harmless $documents
rm -f "$D"/attacker/*

folder html 60001 1777
plant_all profdive-report.html $documents
status "report --html over planted files" 0 victim "$D/profdive" report --html -o . "$D/a.json"
harmless profdive-report.html $documents
rm -f "$D"/attacker/*

folder diff 60001 1777
plant_all 07_comparison.md
status "diff -o over a planted file" 0 victim "$D/profdive" diff -o . "$D/a.json" "$D/b.json"
harmless 07_comparison.md
rm 07_comparison.md "$D"/attacker/* && plant_link 07_comparison.md
status "diff -o over a planted link" 0 victim "$D/profdive" diff -o . "$D/a.json" "$D/b.json"
is "a new file" "$(kind 07_comparison.md)" "644 60001 regular file"
is "not written through the link" "$(cat "$D/home/secret")" "# profdive session"

# The explorer: a session and a screen over planted files; w and write-pane take free names only.
folder explorer 60001 1777
plant_all s.session l.session h.session
plant_link screen.txt
plant_link profdive-runtime-1.csv
attacker mkfifo -m 666 profdive-runtime-2.csv
plant_link pane.csv
cat >"$D/script" <<-EOF
	w s.session
	w l.session
	w h.session
	save-screen screen.txt
	key 5
	key w
	expect written to profdive-runtime-3.csv
	write-pane pane.csv
	expect cannot write pane.csv
EOF
status "what the explorer writes" 0 victim "$D/profdive" --script "$D/script" "$D/a.json"
ok "a session" grep -q '^open ' s.session
is "a link stays at the name of a pane" "$(kind pane.csv)" "777 60002 symbolic link"
rm pane.csv profdive-runtime-1.csv profdive-runtime-2.csv
harmless s.session l.session h.session screen.txt profdive-runtime-3.csv
attacker mkfifo -m 666 pipe.session
echo "w pipe.session" >"$D/script"
status "a session is not looked for in a pipe" 1 victim timeout 60 "$D/profdive" --script "$D/script" "$D/a.json"
rm -f pipe.session "$D"/attacker/*

# Logs are appended to, so they are not replaced either.
plant_file file.log && plant_link link.log && attacker mkfifo -m 666 pipe.log || fail "planting logs"
for name in file.log link.log pipe.log; do
	status "no log into $name" 3 victim timeout 60 "$D/profdive" --log $name print sources "$D/a.json"
done
is "the file is as it was" "$(tail -n 1 file.log)" planted
is "not written through the link" "$(cat "$D/home/secret")" "# profdive session"
rm -f "$D"/attacker/*

# Where the sticky bit keeps what is planted, nothing is replaced.
folder root 0 1777
plant_file 04_cpu_analysis.md
echo old >01_training_overview.md && chown 60001 01_training_overview.md
status "a planted file that cannot be moved" 3 victim "$D/profdive" report -o . "$D/a.json"
is "the old document stays" "$(cat 01_training_overview.md)" old
is "and nothing is left" "$(entries .)" 2
rm -f "$D"/attacker/*

folder theirs 60002 1777
status "a folder of another user" 0 victim "$D/profdive" report -o . "$D/a.json"
is "is told in one line" "$(cat "$T/err")" "profdive: .: the folder belongs to another user (uid 60002)"
chmod 777 .
status "others may write" 2 victim "$D/profdive" report -o . "$D/a.json"
plant_file planted.session
status "by force" 0 victim "$D/profdive" report --force -o . "$D/a.json"
is "a plain file" "$(kind 01_training_overview.md)" "644 60001 regular file"

# A link at the place of the folder, to a folder of the victim's.
folder linked 0 1777
mkdir "$D/home/notes" && chown 60001 "$D/home/notes"
attacker ln -s "$D/home/notes" profdive-report
status "a folder behind another user's link" 2 victim "$D/profdive" report "$D/a.json"
is "nothing is written there" "$(entries "$D/home/notes")" 0

done_testing
