#!/bin/bash
# shellcheck disable=SC2154 # $quire_qemu_aborts is of lib.sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# For guests that may begin again.  Sourced after tools/guest/lib.sh.
#
# once_more GUEST...: run it; and again, but no third time, if QEMU aborted by a mistake of its
# own, see quire_qemu_aborts: that is said ("# again: ").  Prints what the last run has printed;
# returns its status.

once_more()
{
	local output rc=0
	output=$("$@" 2>&1) || rc=$?
	if qemu_aborted $rc "$output"; then
		echo "# again: $(grep -m 1 -E "$quire_qemu_aborts" <<<"$output")"
		rc=0
		output=$("$@" 2>&1) || rc=$?
	fi
	printf '%s\n' "$output"
	return $rc
}

# qemu_aborted STATUS OUTPUT: of a guest.
qemu_aborted()
{
	[ "$1" = 125 ] && grep -q 'the emulator ended with status 134' <<<"$2" &&
		grep -qE "$quire_qemu_aborts" <<<"$2"
}
