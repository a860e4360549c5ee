#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Programs with a device behind an IOMMU that translates.
#
# Usage, in the guest: behind-iommu.sh COMMAND... (with its arguments in one word)
# Exit status: 0 if all of them did well, and their device is behind one.

group=$(dirname "$(grep -lx 0x7175 /sys/bus/pci/devices/*/device)")/iommu_group
case $(cat "$group/type") in
DMA*) ;;
*) echo "there is no IOMMU, or it does not translate"; exit 1 ;;
esac
for command; do
	sh -c "$command" || exit
done
