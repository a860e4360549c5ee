#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The device's BARs come and go, while other processors are at work. It has no driver.
#
# Usage, in the guest: bars.sh TIMES
# An emulator that confuses its devices meanwhile ends, or loses a write to an APIC: then the
# kernel complains, or nothing goes on.

busy()
{
	while :; do
		cat /proc/self/maps >/dev/null
	done
}

# decode BITS: what of the device is there, bits of its command register
decode() { printf %b "$1" | dd of="$config" bs=1 seek=4 conv=notrunc 2>/dev/null; }

config=$(dirname "$(grep -lx 0x7175 /sys/bus/pci/devices/*/device)")/config
busy &
first=$!
busy &
i=0
while [ $i -lt "$1" ]; do
	decode '\0000' && decode '\0002' || exit 1
	i=$((i + 1))
done
kill $first $!
