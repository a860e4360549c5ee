#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# quire-soak where the kernel puts bounce buffers between the device and memory.
#
# Usage, in the guest, with the driver not loaded: soak-swiotlb.sh SECONDS
# Exit status: 0 if quire-soak did well, or the driver does not take the device and says
# that bounce buffers are why.

[ "$(cat /sys/kernel/debug/swiotlb/io_tlb_nslabs)" -gt 0 ] || { echo "there are no bounce buffers"; exit 1; }
modprobe quire || exit
for device in /sys/bus/pci/drivers/quire/0000:*; do
	[ ! -e "$device" ] || exec quire-soak --seconds "$1"
done
dmesg | grep -iE 'quire.*(bounce|swiotlb)'
