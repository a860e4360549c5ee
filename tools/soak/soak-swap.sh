#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# quire-soak with more objects than memory, so that some are in swap space.
#
# Usage, in the guest: soak-swap.sh SECONDS MIB
# Exit status: 0 if quire-soak did well, and pages really went out and came in again.

counter() { sed -n "s/^$1 //p" /proc/vmstat; }

quire-soak --seconds "$1" --mib "$2" || exit
echo "swapped out: $(counter pswpout) pages, in: $(counter pswpin)"
[ "$(counter pswpout)" -gt 1000 ] && [ "$(counter pswpin)" -gt 1000 ]
