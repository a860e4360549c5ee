#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Figures and the marks that they should reach.  Sourced.

# is_figure TEXT: a number that can be compared; "nan" is not.
is_figure() { [[ $1 =~ ^-?[0-9.]+(e[+-]?[0-9]+)?$ ]]; }

# quotient A B: A / B, 0 without B
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4g", b ? a / b : 0 }'; }

# judge NUMBER RATIO MARK: reached, MISSED, or nothing without a mark.  RATIO is to the
# other checkout; a mark "xN" is for that.
judge()
{
	awk -v number="$1" -v ratio="$2" -v mark="$3" 'BEGIN {
		if (mark == "") exit
		if (mark ~ /^x/) {
			if (ratio == "") { print "--against"; exit }
			number = ratio
			mark = ">= " substr(mark, 2)
		}
		split(mark, part, " ")
		ok = part[1] == ">=" ? number >= part[2] : number <= part[2]
		print ok ? "reached" : "MISSED"
	}'
}
