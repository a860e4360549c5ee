#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs all programs of tools/tests in one guest; what rings 4 and 5 share.
#
# Usage: guest-ring.sh stock|debug TIMEOUT

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"

# the guest does not load the driver by itself: loading is the first test
exec "$here/../guest/guest" --kernel "$1" --timeout "$2" --driver-unloaded \
	--console "$QUIRE_BUILD/check/console-$1.log" \
	--share "$here" -- sh /share/in-guest.sh
