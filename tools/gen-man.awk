# gen-man.awk TABLES PAGE: the page with fresh generated parts, for tools/gen-docs.

BEGIN { FS = "\t" }

function fail(what)
{
	print "gen-docs: " what >"/dev/stderr"
	failed = 1
	exit 1
}

# Text as roff: no character means anything to it.
function roff(s)
{
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	gsub(/'/, "\\(aq", s)
	gsub(/`/, "\\(ga", s)
	gsub(/\^/, "\\(ha", s)
	gsub(/~/, "\\(ti", s)
	gsub(/…/, "...", s)
	return s ~ /^[.]/ ? "\\&" s : s
}

# A sentence: a capital first, unless it begins with a list of words or a name; a full stop last.
function sentence(s)
{
	if (s ~ /^[a-z]+( |:|;|$)/ && s !~ /^(nsys|pyinstrument) /)
		s = toupper(substr(s, 1, 1)) substr(s, 2)
	return roff(s ~ /[.?!]$/ ? s : s ".")
}

# An item: what it is called (roff already), what it says.
function item(tag, text)
{
	print ".TP"
	print tag
	print text
}

function bold(s) { return "\\fB" roff(s) "\\fR" }
function italic(s) { return "\\fI" roff(s) "\\fR" }

# PATH... and [FILE...] with the words in italics
function args(s)
{
	s = roff(s)
	gsub(/[A-Z]+/, "\\fI&\\fR", s)
	return s
}

NR == FNR {
	n[$1]++
	for (i = 2; i <= NF; i++)
		f[$1, n[$1], i] = $i
	next
}

function put_synopsis(i, name)
{
	for (i = 1; i <= n["command"]; i++) {
		name = f["command", i, 2]
		print "\\fBprofdive" (i > 1 ? " " roff(name) : "") "\\fR [\\fIOPTIONS\\fR] " args(f["command", i, 3])
	}
	print "\\fBprofdive\\fR \\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR"
}

function put_commands(i, name)
{
	for (i = 1; i <= n["command"]; i++) {
		name = f["command", i, 2]
		item(bold(name) " " args(f["command", i, 3]), sentence(f["command", i, 4]))
	}
}

# The commands that an option is for, in words; "" = all.
function only_for(list, k, words, w, text)
{
	k = split(list, words, " ")
	for (w = 1; w <= k; w++)
		text = text (text == "" ? "" : ", ") bold(words[w])
	return text == "" ? "" : "(" text ")"
}

function put_options(i, tag, words)
{
	for (i = 1; i <= n["option"]; i++) {
		tag = f["option", i, 3] == "" ? "" : bold("-" f["option", i, 3]) ", "
		tag = tag bold("--" f["option", i, 2])
		if (f["option", i, 4] != "")
			tag = tag " " italic(f["option", i, 4])
		item(tag, sentence(f["option", i, 7]))
		words = f["option", i, 6]
		if (words != "" && words !~ /:|^load$/ && f["option", i, 2] != "by") {
			gsub(/ /, ", ", words)
			print "One of " roff(words) "."
		}
		if (f["option", i, 5] != "")
			print only_for(f["option", i, 5])
	}
}

function put_formats(i)
{
	for (i = 1; i <= n["format"]; i++)
		item(bold(f["format", i, 2]), sentence(f["format", i, 3]))
}

function put_known(i)
{
	for (i = 1; i <= n["known"]; i++)
		item(bold(f["known", i, 2]), sentence(f["known", i, 3]))
}

function put_views(i)
{
	for (i = 1; i <= n["view"]; i++)
		item(bold(f["view", i, 2]), sentence(f["view", i, 4]))
}

function put_columns(i, k, unit)
{
	for (i = 1; i <= n["view"]; i++) {
		print ".SS " roff(f["view", i, 2])
		print f["view", i, 3] == "" ? "" : roff(f["view", i, 3]) ": " roff(f["view", i, 4]) "."
		for (k = 1; k <= n["column"]; k++) {
			if (f["column", k, 2] != f["view", i, 2])
				continue
			unit = f["column", k, 4] (f["column", k, 5] == "machine" ? "; JSON and CSV only" : "")
			item(bold(f["column", k, 3]) " (" roff(unit) ")", sentence(f["column", k, 6]))
		}
	}
}

function put_names(kind, i, s)
{
	for (i = 1; i <= n[kind]; i++)
		s = s (i > 1 ? ", " : "") roff(f[kind, i, 2])
	print s "."
}

function put_panes(i, digit)
{
	for (i = 1; i <= n["pane"]; i++)
		item(bold(f["pane", i, 2]) (i <= 9 ? " (" i ")" : ""), sentence(f["pane", i, 4]))
}

function put_settings(i, words)
{
	for (i = 1; i <= n["setting"]; i++) {
		words = f["setting", i, 3]
		gsub(/ /, ", ", words)
		item(bold(f["setting", i, 2]) " (" roff(words) ")", sentence(f["setting", i, 4]))
	}
}

function keys(s, k, part, i, out)
{
	k = split(s, part, " ")
	for (i = 1; i <= k; i++)
		out = out (i > 1 ? ", " : "") bold(part[i])
	return out == "" ? "" : out "  "
}

function put_actions(group, i, where, note)
{
	for (i = 1; i <= n["action"]; i++) {
		where = f["action", i, 3]
		if (group == "all" ? where != "all" : group == "time" ? where !~ /time/ : group == "stacks" ? where !~ /stacks|flame/ : where !~ /table|tree/)
			continue
		note = ""
		if (group == "rows" && where !~ /tree/)
			note = " Tables only."
		if (group == "rows" && where !~ /table/)
			note = " Trees only."
		if (group == "stacks" && where ~ /flame/)
			note = " Flame graphs."
		item(keys(f["action", i, 4]) italic(":" f["action", i, 2]), sentence(f["action", i, 5]) note)
	}
}


function put(name)
{
	if (name == "synopsis") put_synopsis()
	else if (name == "commands") put_commands()
	else if (name == "options") put_options()
	else if (name == "formats") put_formats()
	else if (name == "known") put_known()
	else if (name == "views") put_views()
	else if (name == "columns") put_columns()
	else if (name == "classes") put_names("class")
	else if (name == "level1") put_names("level1")
	else if (name == "settings") put_settings()
	else if (name == "panes") put_panes()
	else if (name == "keys-all") put_actions("all")
	else if (name == "keys-time") put_actions("time")
	else if (name == "keys-stacks") put_actions("stacks")
	else if (name == "keys-rows") put_actions("rows")
	else fail(FILENAME ": no generated part is called " name)
}

/^\.\\" #@ end/ {
	skipping = 0
}

!skipping {
	print
}

/^\.\\" #@ / && !/#@ end/ {
	skipping = 1
	put(substr($0, 8))
}

END {
	if (skipping && !failed)
		fail(FILENAME ": a generated part without its end mark")
}
