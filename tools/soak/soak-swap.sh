#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# quire-soak with more objects than memory, so that some are in swap space.
#
# Usage, in the guest: soak-swap.sh SECONDS MIB
# Exit status: 0 if quire-soak did well, and pages really went out and came in again.  It runs
# once more until they did, at most ten times: how fast the disk is depends on the host.

counter() { sed -n "s/^$1 //p" /proc/vmstat; }

for _ in 1 2 3 4 5 6 7 8 9 10; do
	quire-soak --seconds "$1" --mib "$2" || exit
	echo "swapped out: $(counter pswpout) pages, in: $(counter pswpin)"
	[ "$(counter pswpout)" -le 1000 ] || [ "$(counter pswpin)" -le 1000 ] || exit 0
done
exit 1
