# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# A table of the lines that run, and the check of those that do not against the list.
#
# Usage: awk -f report.awk not-run counts.tsv
# counts.tsv, sorted by file, line and kind:
#   FILE LINE f NAME              a function begins
#   FILE LINE l COUNT BRANCHES BRANCHES-TAKEN
# -v least=PERCENT   of the lines of the driver, and of those of the engine, must run
# -v rest=FILE       gets the lines that do not run and are not listed, as a list
# Ends with status 1 if anything is wrong.

BEGIN { FS = "\t" }

function wrong(text)
{
	print "coverage: " text
	failed = 1
}

function trim(text)
{
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}

# The list: "FILE FUNCTION: REASON", and below it the lines of that function, indented; none
# if none of them runs.
FILENAME ~ /not-run$/ {
	if (/^#/ || /^$/)
		next
	if (/^[ \t]/) {
		listed[entry, trim($0)]++
		lines_of[entry]++
	} else if (match($0, /^[^ ]+ [^ :]+: ./)) {
		entry = substr($0, 1, RLENGTH - 3)
		if (entry in reason)
			wrong("tools/coverage/not-run has " entry " twice; join its entries")
		reason[entry] = substr($0, RLENGTH)
	} else {
		wrong("tools/coverage/not-run: '" $0 "' is neither FILE FUNCTION: REASON nor an indented line")
	}
	next
}

$1 != file {
	if (file != "")
		close(file)
	file = $1
	at = 0
	files[++nr_files] = file
	func_name = "-"
}

$3 == "f" {
	func_name = $4
	next
}

{
	while (at < $2 && (getline text < file) > 0)
		at++
	part = file ~ /^drivers/ ? "driver" : "engine"
	lines[file]++; lines[part]++
	branches[file] += $5; branches[part] += $5
	taken[file] += $6; taken[part] += $6
	key = file " " func_name
	seen[key]++
	if ($4 > 0) {
		run[file]++; run[part]++
		runs[key]++
	} else {
		missing(key, trim(text), $2)
	}
}

# A line that does not run: is it listed?
function missing(key, text, number)
{
	where[file] = where[file] (where[file] == "" ? "" : ",") number
	if (key in reason && !(key in lines_of))
		return
	if (listed[key, text] > 0) {
		listed[key, text]--
		return
	}
	if (!(key in unlisted))
		order[++nr_unlisted] = key
	unlisted[key] = unlisted[key] "\t" text "\n"
	nr_lines_unlisted++
}

function percent(part, whole) { return whole ? 100 * part / whole : 100 }

function row(name, notes)
{
	printf "%-52s %6d %7.1f %9.1f  %s\n", name, lines[name],
		percent(run[name], lines[name]), percent(taken[name], branches[name]), notes
}

function table(i)
{
	printf "%-52s %6s %7s %9s  %s\n", "file", "lines", "run %", "branch %", "lines that do not run"
	for (i = 1; i <= nr_files; i++)
		row(files[i], where[files[i]])
	row("driver", "")
	row("engine", "")
}

# What is listed must be there, and must not run; "sometimes" may.
function check_list(key, pair, split_key)
{
	for (key in reason) {
		if (reason[key] ~ /^sometimes/)
			continue
		if (!(key in seen))
			wrong("tools/coverage/not-run: there is no " key "; take the entry out")
		else if (!(key in lines_of) && runs[key])
			wrong("tools/coverage/not-run: " key " runs; list its lines that do not, or nothing")
	}
	for (pair in listed) {
		split(pair, split_key, SUBSEP)
		if (listed[pair] > 0 && reason[split_key[1]] !~ /^sometimes/)
			wrong("tools/coverage/not-run: this line of " split_key[1] " runs, or is not there: " split_key[2])
	}
}

function check_unlisted(i)
{
	printf "" > rest
	for (i = 1; i <= nr_unlisted; i++)
		printf "%s: why?\n%s", order[i], unlisted[order[i]] > rest
	if (nr_lines_unlisted)
		wrong(nr_lines_unlisted " lines neither run nor stand in tools/coverage/not-run with a reason; they are in " rest)
}

END {
	table()
	check_list()
	check_unlisted()
	for (i = split("driver engine", parts, " "); i > 0; i--)
		if (percent(run[parts[i]], lines[parts[i]]) < least)
			wrong("less than " least " % of the lines of the " parts[i] " run; write tests for those listed above")
	exit failed
}
