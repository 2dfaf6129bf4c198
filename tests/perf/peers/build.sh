#!/bin/sh
# build.sh FOLDER: compiles the peers whose libraries are installed into FOLDER, and prints on each line the name of one that can
# run, TAB, its command without the file. What is missing is said on stderr with its package (tools/install-bench-deps). $CC and $CXX
# are taken if set; $PEER_ARCH is the machine to compile for (-march=native). Only the bench uses this: configure knows nothing of it, and profdive needs none of it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"
: "${CC:=cc}"
flags="-O3 -DNDEBUG"

# Unlike profdive, which picks its instructions at run time, the peers are compiled for this machine: each at its best.
: "${PEER_ARCH=-march=native}"
echo 'int main(void) { return 0; }' >"$out/probe.c"
if "${CC%% *}" $PEER_ARCH -o "$out/probe" "$out/probe.c" 2>/dev/null; then
	flags="$flags $PEER_ARCH"
fi
sse=
if grep -qw sse4_2 /proc/cpuinfo 2>/dev/null; then
	sse=-DRAPIDJSON_SSE42
fi

cxx=
for c in ${CXX:-} c++ g++ clang++; do
	if test -z "$cxx" && command -v "$c" >/dev/null 2>&1; then
		cxx=$c
	fi
done

# c_peer NAME PACKAGE LIBRARY..., cxx_peer NAME PACKAGE FLAG...: compiled again only after a change
c_peer()
{
	compile "$1" "$2" "${CC%% *}" -std=gnu11 "$1.c" "$@"
}

cxx_peer()
{
	if test -z "$cxx"; then
		echo "# $1: skipped, no C++ compiler (Debian: g++)" >&2
		return 1
	fi
	compile "$1" "$2" "$cxx" -std=c++17 "$1.cpp" "$@"
}

compile()
{
	name=$1 package=$2 compiler=$3 std=$4 source=$here/$5
	shift 7
	if test -x "$out/$name" && test "$out/$name" -nt "$source" && test "$out/$name" -nt "$here/peer.h"; then
		return 0
	fi
	# shellcheck disable=SC2086 # flags are words
	"$compiler" $std $flags -I"$here" -o "$out/$name" "$source" "$@" -lm 2>"$out/$name.log" && return 0
	echo "# $name: skipped, not installed or not usable (Debian: $package; $out/$name.log)" >&2
	rm -f "$out/$name"
	return 1
}

if cxx_peer simdjson libsimdjson-dev -lsimdjson; then
	printf '%s\t%s\n' simdjson "$out/simdjson" simdjson-dom "$out/simdjson dom"
fi
# shellcheck disable=SC2086 # one flag or none
if cxx_peer rapidjson rapidjson-dev $sse; then
	printf '%s\t%s\n' rapidjson "$out/rapidjson" rapidjson-dom "$out/rapidjson dom"
fi
if c_peer yajl libyajl-dev -lyajl; then
	printf 'yajl\t%s\n' "$out/yajl"
fi
if c_peer cjson libcjson-dev -lcjson; then
	printf 'cjson\t%s\n' "$out/cjson"
fi
if c_peer jansson libjansson-dev -ljansson; then
	printf 'jansson\t%s\n' "$out/jansson"
fi
# Debian's, if it is there
for python in /usr/bin/python3 python3 ''; do
	if test -n "$python" && command -v "$python" >/dev/null 2>&1; then
		printf 'python\t%s\n' "$python $here/pyjson.py"
		break
	fi
done
test -n "$python" || echo "# python: skipped (Debian: python3)" >&2
