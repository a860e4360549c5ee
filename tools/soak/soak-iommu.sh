#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# quire-soak with a device behind an IOMMU that translates.
#
# Usage, in the guest: soak-iommu.sh SECONDS
# Exit status: 0 if quire-soak did well, and its device is behind one.

group=$(dirname "$(grep -lx 0x7175 /sys/bus/pci/devices/*/device)")/iommu_group
case $(cat "$group/type") in
DMA*) exec quire-soak --seconds "$1" ;;
esac
echo "there is no IOMMU, or it does not translate"
exit 1
