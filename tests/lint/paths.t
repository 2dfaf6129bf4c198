#!/bin/sh
# No file names a folder of the machine that it was written on.
. "${srcdir:-.}/tests/lib/tap.sh"

cd "$top_srcdir" || exit 99
# the files under version control; in a release, all but what autoconf made
if test -e .git && git ls-files >"$T/files" 2>/dev/null && test -s "$T/files"; then
	:
else
	find bootstrap README HACKING NEWS configure.ac Makefile.am src ui tests data doc tools \
		.ci -type f >"$T/files"
fi

# search FOLDER: files that name an absolute path in that folder
search()
{
	while IFS= read -r file; do
		test ! -f "$file" || grep -InE "(^|[^A-Za-z0-9_.\$})])$1/" "$file" /dev/null
	done <"$T/files" >"$T/found"
	head -n 20 "$T/found"
}

for folder in root work; do
	is "no path in /$folder" "$(search "/$folder")" ""
done

# where this tree lies, if the name is long enough to tell it from text
case $top_srcdir in
/*/*) is "no path in the source folder" "$(search "$(printf '%s' "$top_srcdir" | sed 's/[][\.*^$+?(){}|]/\\&/g')")" "" ;;
*) skip "no path in the source folder" "the folder's name is too short" ;;
esac

printf 'cd /%s/x\n' root >"$T/sample"
echo "$T/sample" >"$T/files"
ok "a path would be found" test -n "$(search /root)"

done_testing
