# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The cheapest programs that cover most of what all programs cover.
#
# Usage: awk -v percent=P -v slow=N -v missed=FILE -v table=FILE -f choose.awk LIST EXECUTED
#   LIST      "PROGRAM: REASON", those that are chosen whatever they cover
#   EXECUTED  the output of executed.awk
#   slow      by how much the debug kernel is slower than the stock kernel
#   table     gets, for each program, by tabs: lines, lines of it alone, millions of
#             instructions of the kernel and of programs, seconds, estimated seconds with the
#             debug kernel, name
#   missed    gets the lines that the choice does not cover
# Prints the choice.

BEGIN {
	FS = "\t"
	rate = 300e6	# instructions that the emulator executes in a second, roughly
}

FNR == 1 { file++ }

file == 1 {
	if (match($0, /^[^#:][^:]*: ./)) {
		forced[++nr_forced] = substr($0, 1, RLENGTH - 3)
		reason[forced[nr_forced]] = substr($0, RLENGTH)
	}
	next
}

$1 == "p" {
	name = $2
	if (!(name in number)) {
		number[name] = ++programs
		names[programs] = name
	}
	at = number[name]
	kernel[at] += $3
	user[at] += $4
	seconds[at] += $5 / 1e6
	next
}

{
	if (!($2 in index_of)) {
		index_of[$2] = ++lines
		text[lines] = $2
	}
	line = index_of[$2]
	if (!((at, line) in has)) {
		has[at, line] = 1
		covers[at, ++count[at]] = line
		by[line]++
	}
}

# What the debug kernel makes of it: the device and the program are as fast as ever.
function price(at) { return seconds[at] + (slow - 1) * kernel[at] / rate }

# add PROGRAM, which covers now what it has and no other does
function add(at, i)
{
	chosen[at] = ++nr_chosen
	order[nr_chosen] = at
	for (i = 1; i <= count[at]; i++) {
		if (!times[covers[at, i]]++)
			covered++
	}
}

# What would be lost without it.
function loss(at, i, sum)
{
	for (i = 1; i <= count[at]; i++)
		sum += times[covers[at, i]] == 1
	return sum + 0
}

function remove(at, i)
{
	delete chosen[at]
	for (i = 1; i <= count[at]; i++) {
		if (!--times[covers[at, i]])
			covered--
	}
}

function gain(at, i, sum)
{
	for (i = 1; i <= count[at]; i++)
		sum += !times[covers[at, i]]
	return sum + 0
}

# The one with the most new lines for what it costs; a module that is loaded costs nothing more.
function best(at, value, most, which)
{
	for (at = 1; at <= programs; at++) {
		if (at in chosen || names[at] !~ /^quire-test-/)
			continue
		value = gain(at) / price(at)
		if (value > most) {
			most = value
			which = at
		}
	}
	return which + 0
}

# Those that later ones have made superfluous, the dearest first.
function tidy(at, dearest)
{
	for (;;) {
		dearest = 0
		for (at in chosen) {
			at += 0
			if (names[at] in reason || names[at] !~ /^quire-test-/ || at in kept)
				continue
			if (!dearest || price(at) > price(dearest))
				dearest = at
		}
		if (!dearest)
			return
		kept[dearest] = 1
		if (covered - loss(dearest) >= target)
			remove(dearest)
	}
}

function row(at, i)
{
	for (i = 1; i <= count[at]; i++)
		shown += !seen[covers[at, i]]++
	if (names[at] ~ /^quire-test-/) {
		stock += seconds[at]
		debug += price(at)
	}
	printf "%6.2f %% %7.1f %7.1f   %7.1f %7.1f  %s%s\n", 100 * shown / lines, stock, debug,
		seconds[at], price(at), names[at],
		names[at] in reason ? " (" reason[names[at]] ")" : ""
}

END {
	target = percent / 100 * lines
	for (at = 1; at <= programs; at++) {
		only = 0
		for (i = 1; i <= count[at]; i++)
			only += by[covers[at, i]] == 1
		printf "%d\t%d\t%.0f\t%.0f\t%.1f\t%.1f\t%s\n", count[at], only,
			kernel[at] / 1e6, user[at] / 1e6, seconds[at], price(at), names[at] > table
		# without the guests' boots
		if (names[at] ~ /^quire-test-/) {
			stock += seconds[at]
			debug += price(at)
		}
	}
	printf "all programs: %d lines, %.1f s, %.1f s with the debug kernel\n\n", lines, stock, debug
	stock = debug = 0
	printf "covered  so far, debug   program, debug\n"
	# what loads and unloads the driver is no program, and runs anyway
	for (at = 1; at <= programs; at++) {
		if (names[at] !~ /^quire-test-/ && names[at] !~ /\(/)
			add(at)
	}
	for (i = 1; i <= nr_forced; i++) {
		if (!(forced[i] in number))
			printf "choose: %s was not measured\n", forced[i] > "/dev/stderr"
		else if (!(number[forced[i]] in chosen))
			add(number[forced[i]])
	}
	while (covered < target && (at = best()))
		add(at)
	tidy()
	for (n = 1; n <= nr_chosen; n++) {
		if (order[n] in chosen)
			row(order[n])
	}
	printf "" > missed
	for (i = 1; i <= lines; i++) {
		if (!times[i])
			print text[i] > missed
	}
}
