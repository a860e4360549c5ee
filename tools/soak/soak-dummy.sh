#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Programs, with a device that reports accesses to aperture pages that were unmapped.
#
# Usage, in the guest: soak-dummy.sh PROGRAM...
# Exit status: 0 if all did well, and the device saw no such access. It counts since it was
# reset, which some programs do: so it is asked behind each.

status=0

# asked NAME: has the device seen none?
asked()
{
	set -- "$1" /sys/kernel/debug/dri/0000:*/device_aperture
	# shellcheck disable=SC2046 # words
	set -- "$1" $(grep '^dummy-accesses ' "$2")
	case $3 in
	0) return ;;
	'') echo "not ok - $1: the device does not report accesses to the dummy page" ;;
	*) echo "not ok - $1: the device accessed $3 dummy pages, the last at $4" ;;
	esac
	status=1
}

for program in "$@"; do
	"$program" </dev/null || status=1
	asked "$program"
done
exit $status
