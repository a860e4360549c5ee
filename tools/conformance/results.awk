# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# What became of each rule, from the logs of the tests; a table, and a last line.
#
# Input: the file rules, then logs, each after place=NAME on the command line: "user space" for
# that of KUnit, else a guest.
# Variables: quiet (1: only what does not hold); guests (names of the places where programs
# should have run, separated by commas), user (1: KUnit should have); record (a file: gets
# "RULE | PLACE: RESULT, ..." for each); recorded (such a file: nothing else may come of them).
# Exit status: 0 if each rule holds wherever its test should have run, as is recorded.

BEGIN {
	FS = " [|] "
	nr_guests = split(guests, guest, ",")
	while (recorded != "" && (getline < recorded) > 0)
		known[$1] = ", " $2 ","
}

function wanted(i, at) { return test[i] == "KUnit" ? at == "user space" : at != "user space" }

FILENAME ~ /\/rules$/ {
	if (/^#/ || !NF)
		next
	names[++count] = $1
	written[count] = $3
	test[count] = $4
	key = $1
	if (test[count] == "KUnit")
		gsub(/-/, "_", key)
	number[key] = count
	next
}

# "ok N - NAME" of a program, "ok N - SUITE: CASE" of KUnit in user space
/^(not )?ok [0-9]+ - / {
	sub(/\r$/, "")
	name = $0
	sub(/^(not )?ok [0-9]+ - (quire_conformance(_split)?: )?/, "", name)
	sub(/ *$/, "", name)
	sub(/ # SKIP.*/, "", name)
	if (!(name in number) || !wanted(number[name], place))
		next
	what = /^not/ ? "FAILS" : / # SKIP/ ? "skipped" : "holds"
	i = number[name]
	# of several the worst
	if (!((i, place) in result) || what == "FAILS" || result[i, place] == "holds")
		result[i, place] = what
}

function add(i, at,	what) {
	what = at ": " ((i, at) in result ? result[i, at] : "DID NOT RUN")
	all = all (all == "" ? "" : ", ") what
	if (what !~ /: holds$/)
		bad = 1
	else if (recorded != "" && !index(known[names[i]], ", " what ",")) {
		all = all " (NOT RECORDED)"
		bad = 1
	}
}

END {
	for (i = 1; i <= count; i++) {
		all = ""
		bad = 0
		if (test[i] == "KUnit" && user)
			add(i, "user space")
		for (g = 1; test[i] != "KUnit" && g <= nr_guests; g++)
			add(i, guest[g])
		if (all == "")
			continue
		if (record != "")
			print names[i] " | " all > record
		if (bad)
			failed++
		else
			held++
		if (bad || !quiet)
			printf "%-32s %-34s %s\n", names[i], all, written[i]
	}
	printf "%d rules hold, %d do not\n", held, failed
	exit failed > 0 || !held
}
