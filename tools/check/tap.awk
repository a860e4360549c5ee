# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Reads one ring's TAP or KTAP, shows what failed, counts.
#
# Input: the output of tools/check/ring-N.  Beside TAP it knows three comments:
#   "# program: NAME"     another program's TAP begins
#   "# status: N"         it ended with exit status N
#   "# ring status: N"    so did the ring itself
# Variables: ring; check (what runs it: "check" or "check-all"); live (1: a terminal has a line
# of progress, which what is shown replaces); now (file for that line); counts (file for the
# result "PASSED FAILED SKIPPED").
#
# These are failures: a plan that is not met, none at all, a program without a test, one without
# an end.
#
# Only leaves count: a result line after deeper results is their summary.  It counts
# as a failure of its own when it failed and none of the deeper ones did.

function show(text)
{
	if (live)
		printf "\r\033[K"
	print "  " text
}

function progress(	name)
{
	name = program
	sub(/^quire-test-/, "", name)
	printf "ring %s: %d passed%s%s\n", ring, passed, failed ? ", " failed " failed" : "",
		name != "" ? ", " substr(name, 1, 30) : "" >now
	close(now)
	fflush()
}

function fail(text)
{
	failed++
	level_failed++
	program_failed++
	show("not ok: " (program != "" ? program ": " : "") text)
	again(program != "" ? program : text)
}

# how to run alone what failed, once for each program
function again(name)
{
	sub(/, invariants$/, "", name)
	sub(/^(not )?ok [0-9]+ - /, "", name)
	if (ring < 4 || name in told || name ~ /^ring [0-9]/)
		return
	told[name] = 1
	show("  it alone: make " check " RINGS=" ring " ONLY='" name "'")
}

# every plan "1..N" deeper than, or as deep as, INDENT must have had its N results
function check_plans(indent,	i)
{
	for (i in plan) {
		if (i + 0 < indent)
			continue
		if (plan[i] != seen[i] + 0)
			fail("planned " plan[i] " tests, saw " seen[i] + 0)
		delete plan[i]
		delete seen[i]
	}
}

# the plan, as well as the status, says that nothing is missing at the end
function check_whole()
{
	check_plans(0)
	if (program_tests && !planned && !program_failed)
		fail("there is no plan")
}

function begin_program(name)
{
	check_end()
	check_plans(0)
	# of a program that ended before its plan
	delete seen
	program = name
	program_failed = program_tests = last = level_failed = planned = bailed_out = 0
	notes = ""
}

# a program that is named has to end
function check_end()
{
	if (program != "")
		fail("its end is missing")
}

function end_program(status)
{
	if (status == 0)
		check_whole()
	else
		check_plans(0)
	if (!program_failed && (status != 0 || !program_tests)) {
		fail(status != 0 ? "ended with status " status : "no test ran")
		printf "%s", notes
	}
	program = ""
	program_tests = planned = explain = 0
}

BEGIN { progress() }

{
	sub(/\r$/, "")
	match($0, /^ */)
	indent = RLENGTH
	line = substr($0, indent + 1)
}

line ~ /^# program: / { begin_program(substr(line, 12)); next }
line ~ /^# status: /  { end_program(substr(line, 11) + 0); next }
line ~ /^# ring status: / { ring_status = substr(line, 16) + 0; next }

line ~ /^1\.\.[0-9]+/ {
	plan[indent] = substr(line, 4) + 0
	if (indent == 0)
		planned = 1
	# a plan may also come last
	if (plan[indent] == 0 && line ~ /[Ss][Kk][Ii][Pp]/) {
		skipped++
		program_tests++
		show("skipped: " (program != "" ? program ": " : "") line)
	}
	next
}

line ~ /^(not )?ok( |$)/ {
	seen[indent]++
	program_tests++
	bad = line ~ /^not /
	parent = last > indent
	if (parent) {
		check_plans(indent + 1)
		if (bad && !level_failed)
			fail(line)
		if (indent == 0)
			level_failed = 0
	} else if (line ~ /# *[Ss][Kk][Ii][Pp]/) {
		skipped++
		show("skipped: " (program != "" ? program ": " : "") line)
	} else if (bad && line !~ /# *TODO/) {
		fail(line)
		printf "%s", notes
	} else {
		passed++
	}
	last = indent
	explain = bad ? 20 : 0
	notes = ""
	progress()
	next
}

line ~ /^Bail out!/ {
	if (!bailed_out)
		fail(line)
	bailed_out = 1
	next
}

# what a test said after its failure, or before its result
explain > 0 && line ~ /^#/ {
	explain--
	print "    " line
	next
}
{
	notes = notes "    " $0 "\n"
	if (length(notes) > 4000)
		notes = substr(notes, length(notes) - 3000)
}

END {
	check_end()
	check_whole()
	program = ""
	if (ring_status == "")
		fail("ring " ring ": its end is missing")
	else if (ring_status != 0 && !failed)
		fail("ring " ring " ended with status " ring_status)
	if (passed + failed + skipped == 0)
		fail("ring " ring ": no test ran")
	print passed + 0, failed + 0, skipped + 0 >counts
}
