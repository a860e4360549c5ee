#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Switches the slot of the device off while a program has the device open, and sees it come back:
# for a guest with --hotplug.
#
# Usage: quire-test-slot.sh COMMAND...    that must succeed before and after; without one there is
#                                         no test: a device that is plugged in for good has no slot

set -e
[ $# -gt 0 ] || { echo "1..0 # SKIP for a guest with --hotplug"; exit; }
device=$(ls -d /sys/bus/pci/drivers/quire/0000:*)
device=${device##*/}
slot=$(grep -l "^${device%.*}$" /sys/bus/pci/slots/*/address)
slot=${slot%/address}
"$@"
exec 3<"/dev/dri/$(basename "$(ls -d "/sys/bus/pci/devices/$device"/drm/renderD*)")"
before=$(stat -L -c %i "/sys/bus/pci/devices/$device")
echo 0 >"$slot/power"
exec 3<&-
# The limit only ends what hangs.
seconds=300
until [ -e "/sys/bus/pci/drivers/quire/$device" ]; do
	seconds=$((seconds - 1))
	[ $seconds -gt 0 ] || { echo "the device does not come back" >&2; exit 1; }
	sleep 1
done
after=$(stat -L -c %i "/sys/bus/pci/devices/$device")
[ "$before" != "$after" ] || { echo "it was never away" >&2; exit 1; }
"$@"
