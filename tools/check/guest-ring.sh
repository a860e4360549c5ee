#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs programs of tools/tests in one guest; what rings 4, 5, 8 and 9 share.
#
# Usage: guest-ring.sh stock|debug CONSOLE PROGRAMS [OPTIONS]
#   CONSOLE   name of the file that keeps the guest's messages
#   PROGRAMS  which of them, see in-guest.sh; ONLY=PROGRAM: of them this one alone
#   OPTIONS   of the guest
#
# It runs in virtual time, in which each program has a limit of its own.  The one here, in seconds
# of the host, is for a guest that hangs as a whole.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_help "$0" "$@"
. "$here/tap.sh"

[[ $# -ge 3 && $1 = @(stock|debug) ]] ||
	quire_die "guest-ring.sh: '$*' are not its arguments; see tools/check/guest-ring.sh --help"
[ "$1" != debug ] || tap_skip_kernel source "debug.config needs a source tree"
# The guest does not load the driver by itself: loading is the first test. A share of the host
# would not survive that the guest's devices are suspended, so the script goes along as it is.
exec "$here/../guest/guest" --time virtual --kernel "$1" --timeout 20000 --driver-unloaded "${@:4}" \
	--console "$QUIRE_BUILD/check/console-$2.log" \
	-- sh -c "$(cat "$here/in-guest.sh")" in-guest.sh "$3" "${ONLY:-}"
