#!/bin/sh
# The program makes files in one way only: src/base/outfile.c.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$top_srcdir" || exit 99

# makers FILE...: lines that make a file. A stream is opened for reading, with its mode in the same line.
makers()
{
	cat "$@" /dev/null | grep -nE \
		'O_CREAT|O_TMPFILE|SQLITE_OPEN_(CREATE|READWRITE)|(^|[^a-z0-9_])((f|fre|gz|gzd)open(64)? ?\(|(creat|mkd?temp|mko?stemps?|tmpfile|tmpnam|tempnam|mknod|mkfifo|posix_spawn_file_actions_addopen)(at|64)? ?\()' |
		grep -vE 'f(re)?open(64)? ?\([^"]*, "r[be]*"\)'
}

find src ui -name '*.[ch]' ! -path src/base/outfile.c | sort >"$T/files"
ok "there are files" test "$(wc -l <"$T/files")" -gt 100
while IFS= read -r file; do
	makers "$file" | sed "s|^|$file:|"
done <"$T/files" >"$T/found"
is "no second way to make a file" "$(cat "$T/found")" ""
is "one place in the first" "$(grep -c O_CREAT src/base/outfile.c) $(makers src/base/outfile.c | wc -l)" "1 1"

found() { printf '%s\n' "$1" >"$T/sample.c" && makers "$T/sample.c" >"$T/out"; }
while IFS= read -r line; do
	ok "found: $line" found "$line"
done <<-'EOF'
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
			  O_RDWR | O_CREAT | O_EXCL, mode);
	FILE *f = fopen(path, "w");
	f = fopen(path, "ae");
	f = fopen(path, "wx");
	f = fopen (path, "r+");
	f = fopen(path, mode);
	f = fopen(path,
	f = freopen(path, "w", stdout);
	int fd = mkstemp(tmp);
	fd = mkostemp(tmp, O_CLOEXEC);
	FILE *f = tmpfile();
	fd = creat(path, 0644);
	g = gzopen(path, "wb");
EOF
while IFS= read -r line; do
	found "$line"
	is "left alone: $line" "$(cat "$T/out")" ""
done <<-'EOF'
	FILE *f = fopen(path, "rb");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	f = fdopen(fd, "w");
	recreate(x);
EOF

done_testing
