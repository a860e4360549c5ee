#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs inside the guest: all programs that test rules. Prints TAP, and behind each program a
# line "counter NAME NUMBER ..." for each thing that the driver counts; some take the device
# from the driver, which then begins anew. Exit status: 1 if one of them fails.

failed=0
for program in /tests/quire-test-conformance-*; do
	echo "# program: ${program##*/}"
	status=0
	timeout -k 5 5000 "$program" </dev/null || status=$?
	[ "$status" = 0 ] || failed=1
	echo "# status: $status"
	for dir in /sys/kernel/debug/dri/*; do
		[ ! -f "$dir/counters" ] || break
	done
	sed 's/^/counter /' "$dir/counters"
done
exit $failed
