#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# TAP for ring scripts.  Sourced.
#
# tap_test NAME CMD...: run CMD; "ok" if it ends well, else its output as comments.

tap_number=0

tap_test()
{
	local name=$1 output
	shift
	tap_number=$((tap_number + 1))
	if output=$("$@" 2>&1); then
		echo "ok $tap_number - $name"
	else
		printf '%s\n' "$output" | tail -n 40 | sed 's/^/# /'
		echo "not ok $tap_number - $name"
	fi
}

tap_end() { echo "1..$tap_number"; }
