# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Writes the tables of operations and rules for Documentation/gpu/quire.
#
# Variable: table, "model": the operations, and their rules; or "splitting": its rules.
# Input: the files operations, rules and results, then lines "RULE | TEXT": what a user would
# suffer from the deliberate fault that makes the test of the rule fail.

BEGIN {
	FS = " [|] "
	print ".. SPDX-License-Identifier: GPL-2.0 OR MIT"
	print ".. Written by tools/conformance/conformance --write; do not edit."
}

function head(widths, titles,	i, n, title) {
	print "\n.. list-table::"
	print "   :header-rows: 1"
	print "   :widths: " widths "\n"
	n = split(titles, title, ",")
	for (i = 1; i <= n; i++)
		print (i == 1 ? "   * - " : "     - ") title[i]
}

function literal(text) { return "``" text "``" }

/^#/ || !NF { next }

FILENAME ~ /\/operations$/ {
	if (table != "model")
		next
	if (!operations++)
		head("4 16 26 32 14 8", "no.,original,in the driver,what causes it,packet,answers")
	print "   * - " $1
	print "     - " $2
	print "     - " literal($3)
	print "     - " $4
	print "     - " $5
	print "     - " $6
	next
}

FILENAME ~ /\/rules$/ {
	if (sub(/^split /, "", $2) != (table == "splitting"))
		next
	name[++rules] = $1
	of[rules] = $2
	written[rules] = $3
	test[rules] = $4
	says[rules] = $5
	next
}

FILENAME ~ /\/results$/ {
	result[$1] = $2
	next
}

{ fault[$1] = $2 }

END {
	head("16 5 20 22 12 10 15", "rule," (table == "splitting" ? "no." : "of") ",where it is written,what it says,test,result,fails if")
	for (i = 1; i <= rules; i++) {
		print "   * - " name[i]
		print "     - " of[i]
		print "     - " written[i]
		print "     - " says[i]
		print "     - " (test[i] == "KUnit" ? "KUnit" : literal("conformance-" test[i]))
		print "     - " result[name[i]]
		print "     - " fault[name[i]]
	}
}
