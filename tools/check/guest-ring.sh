#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs programs of tools/tests in one guest; what rings 4, 5, 8 and 9 share.
#
# Usage: guest-ring.sh stock|debug CONSOLE TIMEOUT PROGRAMS [OPTIONS]
#   CONSOLE   name of the file that keeps the guest's messages
#   TIMEOUT   in seconds, twice what a busy machine takes: each program has a limit of its own
#   PROGRAMS  which of them, see in-guest.sh
#   OPTIONS   of the guest

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"

# The guest does not load the driver by itself: loading is the first test. A share of the host
# would not survive that the guest's devices are suspended, so the script goes along as it is.
exec "$here/../guest/guest" --time "${QUIRE_TIME:-virtual}" --kernel "$1" --timeout "$3" --driver-unloaded "${@:5}" \
	--console "$QUIRE_BUILD/check/console-$2.log" \
	-- sh -c "$(cat "$here/in-guest.sh")" in-guest.sh "$4"
