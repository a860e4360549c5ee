# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Compares the results of IGT's tests with a list: prints a table, the differences and a summary.
#
# Input: tools/check/igt.expected, then the output of igt-in-guest.sh.
# Variables: only (the tests that were run, separated by blanks), found (a file that gets the
# results in the form of the list).
# Exit status: 0 if the subtests of these tests are those listed, with the results listed.
#
# IGT prints "Subtest NAME: SUCCESS (0.123s)", or SKIP, FAIL, CRASH, and a test without subtests
# prints "SUCCESS (0.123s)"; its subtest is called "-" here.

BEGIN {
	nr_tests = split(only, tests, " ")
	for (i = 1; i <= nr_tests; i++)
		wanted[tests[i]] = 1
}

FNR == 1 { file++ }

file == 1 {
	if (/^#/ || !NF)
		next
	split($0, part, " [|] ")
	if (!(part[1] in wanted))
		next
	key = part[1] " " part[2]
	if (key in result)
		differ(key, "is listed twice")
	else
		keys[++nr_keys] = key
	result[key] = part[3]
	why[key] = part[4]
	if (part[3] != "pass" && part[4] == "")
		differ(key, "is listed as " part[3] ", and not why")
	next
}

{ sub(/\r$/, "") }

sub(/^# test: /, "") { test = $0; next }

sub(/^# status: /, "") { status[test] = $0; test = ""; next }

test != "" && /^Subtest [^ ]+: [A-Z]+ \([0-9.]+s\)$/ {
	name = $2
	sub(/:$/, "", name)
	came(test " " name, $3)
	next
}

test != "" && /^[A-Z]+ \([0-9.]+s\)$/ { came(test " -", $1) }

function differ(key, what) { differs[++nr_differs] = key ": " what; bad[key] = 1 }

# came(KEY, WORD): note the result of a subtest, which IGT calls WORD
function came(key, word,   is)
{
	is = word == "SUCCESS" ? "pass" : word == "SKIP" ? "skip" : "fail"
	if (key in got)
		differ(key, "ended twice")
	else
		order[++nr_got] = key
	got[key] = is
	count[test, is]++
	if (!(key in result))
		differ(key, is ", and is not listed")
	else if (index(" " result[key] " ", " " is " ") == 0)
		differ(key, is ", listed is " result[key])
}

function row(name, pass, skip, fail) { printf "%-24s %6s %6s %6s\n", name, pass, skip, fail }

function record(key,   line, known)
{
	line = key
	sub(/ /, " | ", line)
	known = (key in result) && !(key in bad)
	line = line " | " (known ? result[key] : got[key])
	print line (known && why[key] != "" ? " | " why[key] : "") >found
}

# The exit status only counts where the results of the subtests do not explain it.
function check_status(name,   is)
{
	if (!(name in status))
		differ(name, "did not end")
	else if (status[name] == 124 || status[name] == 137 || status[name] == 143)
		differ(name, "was killed: it took too long")
	else if (!count[name, "fail"] && status[name] != (count[name, "pass"] ? 0 : 77))
		differ(name, "ended with status " status[name])
	for (is in word)
		total[is] += count[name, is]
	row(name, count[name, "pass"] + 0, count[name, "skip"] + 0, count[name, "fail"] + 0)
}

END {
	word["pass"]; word["skip"]; word["fail"]
	row("test", "pass", "skip", "fail")
	for (i = 1; i <= nr_tests; i++)
		check_status(tests[i])
	row("all", total["pass"], total["skip"], total["fail"])
	for (i = 1; i <= nr_keys; i++) {
		key = keys[i]
		if (!(key in got))
			differ(key, "did not run, listed is " result[key])
		else if (!(key in bad) && got[key] != "pass")
			print key ": " got[key] ", as listed: " why[key]
		good += (key in got) && !(key in bad)
	}
	for (i = 1; i <= nr_differs; i++)
		print differs[i]
	# in the order of the list, for diff
	for (i = 1; found != "" && i <= nr_keys; i++)
		if (keys[i] in got)
			record(keys[i])
	for (i = 1; found != "" && i <= nr_got; i++)
		if (!(order[i] in result))
			record(order[i])
	printf "%d subtests are as listed, %d differences\n", good, nr_differs
	exit nr_differs > 0 || good == 0
}
