#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs inside the guest: all programs that test rules. Prints TAP, and behind each program a
# line "counter NAME NUMBER ..." for each thing that the driver counts; some take the device
# from the driver, which then begins anew.

for program in /tests/quire-test-conformance-*; do
	echo "# program: ${program##*/}"
	timeout -k 5 120 "$program" </dev/null
	echo "# status: $?"
	for dir in /sys/kernel/debug/dri/*; do
		[ ! -f "$dir/counters" ] || break
	done
	sed 's/^/counter /' "$dir/counters"
done
