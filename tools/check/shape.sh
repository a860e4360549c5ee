#!/bin/bash
# shellcheck disable=SC2034,SC2154 # the variables are those of the ring, and of lib.sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Guests with other options than that of ring 4.  Sourced by rings 6 and 7, which set here.
#
# ONLY=NAME: no other than that of this name.

. "$here/../guest/lib.sh"
. "$here/tap.sh"

swap=(--swap 1024)

# shape NAME OPTIONS... -- COMMAND...: a guest, whose exit status says it all.
shape()
{
	local name=$1
	shift
	[ "${ONLY:-$name}" = "$name" ] || return 0
	tap_test "$name" "$here/../guest/guest" --timeout 3600 \
		--console "$QUIRE_BUILD/check/console-${name// /-}.log" "$@"
}

# shapes_end: the plan.  One guest may be asked for that only another ring has; check fails if none
# has it.
shapes_end()
{
	if [ "$tap_number" = 0 ] && [ -n "${ONLY:-}" ]; then
		echo "1..0 # SKIP no guest here is called $ONLY"
	else
		tap_end
	fi
}

# more NAME OPTIONS... -- COMMAND...: the same, when all tests are to run.
more()
{
	if [ "${QUIRE_CHECK:-}" = all ] || [ -n "${ONLY:-}" ]; then
		shape "$@"
	fi
}
