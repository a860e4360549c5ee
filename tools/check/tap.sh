#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# TAP for ring scripts.  Sourced.
#
# tap_test NAME CMD...: run CMD; "ok" if it ends well, else its output as comments.  If
# CMD prints TAP and skipped something, so is this test.
# tap_skip_kernel KIND WHY: end the ring here if KERNEL is one, but not of KIND.

tap_number=0

tap_test()
{
	local name=$1 output skipped
	shift
	tap_number=$((tap_number + 1))
	if output=$("$@" 2>&1); then
		skipped=$(grep -m 1 -oE '^(ok |1\.\.0 ).*# SKIP.*' <<<"$output" || true)
		echo "ok $tap_number - $name${skipped:+ # SKIP${skipped#*# SKIP}}"
	else
		printf '%s\n' "$output" | tail -n 40 | sed 's/^/# /'
		echo "not ok $tap_number - $name"
	fi
}

tap_end() { echo "1..$tap_number"; }

tap_skip_kernel()
{
	local kind
	kind=$("$QUIRE_TOP/tools/guest/kernel.sh" kind)
	case $kind in
	'' | "$1") return ;;
	esac
	echo "1..0 # SKIP $2, and KERNEL=$KERNEL is built already"
	exit 0
}
