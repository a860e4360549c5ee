# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Did each seed get where it should?  Prints TAP.
#
# Input: what the program seeds printed; then what the fuzzer said when it ran these seeds with
# the trace events of the device.

function result(good, why)
{
	if (!good)
		printf "%s# %s %s\n", said, seed, why
	printf "%sok %d - seed %s\n", good ? "" : "not ", ++tests, seed
	seed = ""
}

BEGIN { FS = "\t" }

FNR == NR {
	seeds++
	line[$1] = $0
	next
}

/^Running: / {
	seed = $0
	sub(/.*\//, "", seed)
	# the first part is the name, and each is ended by a tab
	parts = split(line[seed], part, "\t") - 1
	at = 2
	said = ""
	next
}

/^Executed / {
	result(at > parts, "did not reach: " part[at])
	next
}

{
	if (at <= parts && index($0, part[at]))
		at++
	said = said "# " $0 "\n"
	said = substr(said, length(said) > 3000 ? length(said) - 3000 : 1)
}

END {
	if (seed != "")
		result(0, "ended the fuzzer")
	else if (!tests)
		printf "%s", said
	print "1.." seeds
}
