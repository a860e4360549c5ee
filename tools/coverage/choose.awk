# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The cheapest programs that cover most of what all programs cover.
#
# Usage: awk -v percent=P -v budget=S -v slow=N -v missed=FILE -v table=FILE \
#		-f choose.awk LIST EXECUTED [TIMES]
#   LIST      "PROGRAM: REASON", those that are chosen whatever they cover, and
#             "not PROGRAM: REASON", those that are not; nor are variants, "PROGRAM (VARIANT)",
#             for which the debug guest would load the driver anew
#   EXECUTED  the output of executed.awk
#   TIMES     what programs take with the debug kernel, see tools/check/times.sh
#   slow      by how much the debug kernel's code is slower than the stock kernel's; with TIMES,
#             what they say
#   table     gets, for each program, by tabs: lines, lines of it alone, millions of
#             instructions of the kernel and of programs, seconds, seconds with the debug
#             kernel, "measured" or "estimated", name
#   missed    gets the lines that the choice does not cover
#   budget    seconds with the debug kernel that the choice may take at most, or 0
# Prints the choice.

BEGIN {
	FS = "\t"
	rate = 300e6	# instructions that the emulator executes in a second, roughly
}

FNR == 1 { file++ }

file == 1 {
	if (match($0, /^[^#:][^:]*: ./)) {
		name = substr($0, 1, RLENGTH - 3)
		if (sub(/^not /, "", name)) {
			left_out[name] = 1
		} else {
			forced[++nr_forced] = name
			reason[name] = substr($0, RLENGTH)
		}
	}
	next
}

file == 3 {
	measured[$2] = $4
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

# Lines that the same programs cover, and none that is chosen already, are one group: the sets
# are a tenth as large then.
function make_groups(at, i, line, key, group, n, list)
{
	for (at = 1; at <= programs; at++) {
		for (i = 1; i <= count[at]; i++) {
			line = covers[at, i]
			if (!times[line])
				key[line] = key[line] " " at
		}
	}
	for (line in key) {
		if (!(key[line] in group)) {
			group[key[line]] = ++groups
			n = split(key[line], list, " ")
			for (i = 1; i <= n; i++)
				has_group[list[i], ++nr_groups[list[i]]] = groups
		}
		weight[group[key[line]]]++
	}
}

function is_test(at) { return names[at] ~ /^quire-test-/ }

# The debug kernel's factor is the median of those that were measured and do in it what they do
# in the stock kernel.
function find_slow(at, n, i, value, list)
{
	for (at = 1; at <= programs; at++) {
		if (!is_test(at) || !(names[at] in measured) || names[at] in reason ||
		    kernel[at] < 20e6)
			continue
		value = 1 + (measured[names[at]] - seconds[at]) * rate / kernel[at]
		for (i = n++; i && list[i] > value; i--)
			list[i + 1] = list[i]
		list[i + 1] = value
	}
	if (n)
		slow = list[int((n + 1) / 2)]
}

# The device and the program are as fast with the debug kernel as ever.
function find_prices(at)
{
	find_slow()
	for (at = 1; at <= programs; at++) {
		if (names[at] in measured)
			price[at] = measured[names[at]] + 0.01
		else
			price[at] = seconds[at] + (slow - 1) * kernel[at] / rate + 0.01
	}
}

# add PROGRAM, of those that are in the choice whatever it covers
function add_forced(at, i)
{
	chosen[at] = 1
	for (i = 1; i <= count[at]; i++) {
		if (!times[covers[at, i]]++)
			covered++
	}
	if (is_test(at))
		whole += price[at]
}

function add(at, i)
{
	chosen[at] = 1
	for (i = 1; i <= nr_groups[at]; i++) {
		if (!taken[has_group[at, i]]++)
			covered += weight[has_group[at, i]]
	}
	whole += price[at]
}

function remove(at, i)
{
	delete chosen[at]
	for (i = 1; i <= nr_groups[at]; i++) {
		if (!--taken[has_group[at, i]])
			covered -= weight[has_group[at, i]]
	}
	whole -= price[at]
}

# What would be lost without it.
function loss(at, i, sum)
{
	for (i = 1; i <= nr_groups[at]; i++) {
		if (taken[has_group[at, i]] == 1)
			sum += weight[has_group[at, i]]
	}
	return sum + 0
}

# What it would cover that no other does, as far as that is needed.
function gain(at, i, sum, need)
{
	need = target - covered
	for (i = 1; i <= nr_groups[at] && sum < need; i++) {
		if (!taken[has_group[at, i]])
			sum += weight[has_group[at, i]]
	}
	return sum + 0
}

# The one with the most new lines for what it costs.
function best(at, value, most, which)
{
	for (at = 1; at <= programs; at++) {
		if (at in chosen || at in barred || !is_test(at) || names[at] in left_out ||
		    names[at] ~ / \(/ || (budget && whole + price[at] > budget))
			continue
		value = gain(at) / price[at]
		if (value > most) {
			most = value
			which = at
		}
	}
	return which + 0
}

function is_free(at) { return is_test(at) && !(names[at] in reason) }

# Fill up to the target, and drop what later ones have made superfluous, the dearest first.
function fill(at, kept, dearest)
{
	while (covered < target && (at = best()))
		add(at)
	for (;;) {
		dearest = 0
		for (at in chosen) {
			at += 0
			if (is_free(at) && !(at in kept) && (!dearest || price[at] > price[dearest]))
				dearest = at
		}
		if (!dearest)
			return
		kept[dearest] = 1
		if (covered - loss(dearest) >= target || !loss(dearest))
			remove(dearest)
	}
}

# Try without each one, as long as that makes the choice cheaper.
function improve(at, other, better, before, was)
{
	do {
		better = 0
		for (at = 1; at <= programs; at++) {
			if (!(at in chosen) || !is_free(at))
				continue
			split("", was)
			for (other in chosen)
				was[other] = 1
			before = whole
			barred[at] = 1
			remove(at)
			fill()
			delete barred[at]
			if (covered >= target && whole < before - 0.05) {
				better = 1
				continue
			}
			for (other = 1; other <= programs; other++) {
				if (other in chosen && !(other in was))
					remove(other)
				else if (!(other in chosen) && other in was)
					add(other)
			}
		}
	} while (better)
}

function row(at, i)
{
	for (i = 1; i <= count[at]; i++)
		shown += !seen[covers[at, i]]++
	if (is_test(at)) {
		stock += seconds[at]
		debug += price[at]
	}
	printf "%6.2f %% %7.1f %7.1f   %7.1f %7.1f  %s%s\n", 100 * shown / lines, stock, debug,
		seconds[at], price[at], names[at],
		names[at] in reason ? " (" reason[names[at]] ")" : ""
	printed[at] = 1
}

# The choice: what is forced, then what adds most for what it costs.
function print_choice(at, i, n, sum, most, next_one)
{
	for (at = 1; at <= programs; at++) {
		if (at in chosen && !is_test(at))
			row(at)
	}
	for (i = 1; i <= nr_forced; i++) {
		if (forced[i] in number)
			row(number[forced[i]])
	}
	for (;;) {
		next_one = most = 0
		for (at in chosen) {
			at += 0
			if (at in printed)
				continue
			sum = 0
			for (i = 1; i <= count[at]; i++)
				sum += !seen[covers[at, i]]
			if (!next_one || sum / price[at] > most) {
				most = sum / price[at]
				next_one = at
			}
		}
		if (!next_one)
			return
		row(next_one)
	}
}

END {
	target = percent / 100 * lines
	find_prices()
	for (at = 1; at <= programs; at++) {
		only = 0
		for (i = 1; i <= count[at]; i++)
			only += by[covers[at, i]] == 1
		printf "%d\t%d\t%.0f\t%.0f\t%.1f\t%.1f\t%s\t%s\n", count[at], only,
			kernel[at] / 1e6, user[at] / 1e6, seconds[at], price[at],
			names[at] in measured ? "measured" : "estimated", names[at] > table
		# without the guests' boots
		if (is_test(at)) {
			stock += seconds[at]
			debug += price[at]
		}
	}
	printf "all programs: %d lines, %.1f s, %.1f s with the debug kernel, whose code is %.0f times slower\n\n",
		lines, stock, debug, slow
	stock = debug = 0
	printf "covered  so far, debug   program, debug\n"
	# what loads and unloads the driver runs anyway
	for (at = 1; at <= programs; at++) {
		if (!is_test(at) && names[at] !~ /\(/)
			add_forced(at)
	}
	for (i = 1; i <= nr_forced; i++) {
		if (!(forced[i] in number))
			printf "choose: %s was not measured\n", forced[i] > "/dev/stderr"
		else if (!(number[forced[i]] in chosen))
			add_forced(number[forced[i]])
	}
	make_groups()
	fill()
	if (!budget)
		improve()
	print_choice()
	printf "" > missed
	for (i = 1; i <= lines; i++) {
		if (!seen[i])
			print text[i] > missed
	}
}
