# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Which lines of the driver each program of a guest executed.
#
# Usage: awk -f executed.awk LINES LOG BLOCKS
#   LINES   "OFFSET FILE:LINE", the module's line table by offset; a line may have several
#   LOG     what the guest printed: lines "# mark: TEXT PROGRAM", see mark.sh
#   BLOCKS  the records of executed.c, one for each of these
# Prints "p<TAB>PROGRAM<TAB>KERNEL<TAB>USER<TAB>MICROSECONDS", as executed.c has them, and behind
# it "l<TAB>FILE:LINE" for each of its lines.

FNR == 1 { file++ }

# Rows of one offset are joined.
file == 1 {
	if (!rows || $1 != offset[rows])
		offset[++rows] = $1
	names[rows] = names[rows] " " $2
	next
}

file == 2 {
	if (/^# mark: /) {
		text[++marks] = $3
		program[marks] = substr($0, length($1 $2 $3) + 4)
	}
	next
}

# The last row at or before an offset.
function row_of(where, low, high, middle)
{
	low = 1
	high = rows
	while (low < high) {
		middle = int((low + high + 1) / 2)
		if (offset[middle] <= where)
			low = middle
		else
			high = middle - 1
	}
	return low
}

# The lines of a block, each once.
function lines_of(begin, end, i, j, n, list, known, text)
{
	for (i = row_of(begin); i <= rows && offset[i] < end; i++) {
		n = split(names[i], list, " ")
		for (j = 1; j <= n; j++) {
			if (!(list[j] in known)) {
				known[list[j]] = 1
				text = text " " list[j]
			}
		}
	}
	return text
}

$1 == "mark" {
	# a guest that has not ended
	if (++record > marks)
		exit
	printf "p\t%s\t%s\t%s\t%s\n", program[record], $2, $3, $4
	split("", done)
	# A program that loads the driver anew leaves code of both places, whose lines are unknown.
	moved = record > 1 && text[record] != text[record - 1] && program[record] !~ /^load/
	next
}

moved { next }

{
	begin = $1 - text[record]
	end = $2 - text[record]
	if (begin < 0 || begin > offset[rows])
		next
	if (!((begin, end) in block))
		block[begin, end] = lines_of(begin, end)
	n = split(block[begin, end], list, " ")
	for (i = 1; i <= n; i++) {
		if (!(list[i] in done)) {
			done[list[i]] = 1
			print "l\t" list[i]
		}
	}
}
