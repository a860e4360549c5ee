#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs in the guest behind each program of in-guest.sh: ends a record of executed.c, and prints
# to which program it belongs and where the driver is in the module area.
#
# Usage: mark.sh PROGRAM

text=$(cat /sys/module/quire/sections/.text 2>/dev/null)
if [ -n "$text" ]; then
	echo "$((0x${text#0xffffffff} - 0xc0000000))" >/tmp/quire-text
fi
"${0%/*}/mark"
echo "# mark: $(cat /tmp/quire-text) $1"
