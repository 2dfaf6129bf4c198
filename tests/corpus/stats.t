#!/bin/sh
# stats.t: tables that the vendor's own tool (nsys stats 2022.4) printed of the same databases, where both have the column.
# Only what the reference values of run.t do not hold: averages and medians of API calls, and transfers by operation.
. "${srcdir:-.}/tests/lib/tap.sh"

stats=$PROFDIVE_CORPUS/expected/nsys-stats
if test -z "$PROFDIVE_CORPUS" || test ! -d "$stats"; then
	skip_all "no corpus (PROFDIVE_CORPUS)"
fi

# columns NAME...: these columns of the CSV on stdin, tab-separated, without titles; no field before them holds a comma
columns()
{
	tr -d '\r' | awk -F, -v want="$*" '
	NR == 1 { n = split(want, name, "|"); for (i = 1; i <= NF; i++) for (k = 1; k <= n; k++) if ($i == name[k]) at[k] = i; next }
	{ for (k = 1; k <= n; k++) printf "%s%s", $(at[k]), k < n ? "\t" : "\n" }'
}

# Their API names are cut before the last six characters where these are _v and four more (cudaMalloc_v3020). Where two names
# become one, neither can be compared.
calls_here()
{
	columns "name|count|total_ns|min_ns|max_ns|avg_ns|p50_ns" | awk -F'\t' -v OFS='\t' '
	{ sub(/_v....$/, "", $1); seen[$1]++; row[$1] = $0 }
	END { for (name in row) if (seen[name] == 1) print row[name] }' | sort
}

calls_there() { columns "Name|Num Calls|Total Time (ns)|Min (ns)|Max (ns)|Avg (ns)|Med (ns)" | sort; }

copies_here()
{
	columns "kind|count|time_ns" | awk -F'\t' -v OFS='\t' '{ n[$1] += $2; t[$1] += $3 } END { for (k in n) print k, n[k], t[k] }' | sort
}

copies_there() { columns "Operation|Count|Total Time (ns)" | sed -n 's/^\[CUDA memcpy \(.*\)\]/\1/p' | sort; }

# differences: what the file $T/there has and $T/here has not. Averages and medians, which are whole numbers here and have one
# decimal there, may be off by one. Event class 67 repeats calls as the user saw them: those tables have two rows of a name
# (nsys stats does not tell them apart, the figures here are those of class 0), and one of them must agree.
differences()
{
	awk -F'\t' '
	NR == FNR { here[$1] = $0; next }
	$1 == "" { next }
	{
		n = split(here[$1], mine, "\t"); bad = n ? "" : " is not here"
		for (i = 2; n && i <= NF; i++) { d = mine[i] - $i; if (d > (i > 5) || d < -(i > 5)) bad = bad " " mine[i] ", want " $i ";" }
		if (!($1 in fault) || bad == "") fault[$1] = bad
	}
	END { for (name in fault) { rows++; if (fault[name] != "") { odd++; print "# " name ":" fault[name] } } print rows + 0, odd + 0 }' \
		"$T/here" "$T/there" >"$T/diff"
	grep '^#' "$T/diff" | head -n 10
}

# compare NAME: the verdict on $T/here and $T/there
compare()
{
	differences
	set -- "$1" "$(tail -n 1 "$T/diff")"
	is "$1: ${2% *} rows" "${2#* }" 0
}

for csv in "$stats"/*.cudaapisum.csv "$stats"/*.gpumemtimesum.csv; do
	test -f "$csv" || continue
	base=${csv##*/} && base=${base%.csv}
	file=$PROFDIVE_CORPUS/nsys/$(echo "${base%.*}" | sed 's#__#/#').sqlite
	test -f "$file" || {
		skip "$base" "no database"
		continue
	}
	case $base in
	*.cudaapisum)
		"$PROFDIVE" print runtime --window all --format csv "$file" 2>"$T/err" | calls_here >"$T/here"
		calls_there <"$csv" >"$T/there"
		;;
	*)
		"$PROFDIVE" print memcpy --window all --format csv "$file" 2>"$T/err" | copies_here >"$T/here"
		copies_there <"$csv" >"$T/there"
		;;
	esac
	compare "$base"
done
done_testing
