#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# quire-soak where the kernel puts bounce buffers between all devices and memory.
#
# Usage, in the guest: soak-swiotlb.sh SECONDS
# Exit status: 0 if quire-soak did well, and there are such buffers.

slabs=/sys/kernel/debug/swiotlb/io_tlb_nslabs
[ "$(cat $slabs)" -gt 0 ] || { echo "there are no bounce buffers"; exit 1; }
exec quire-soak --seconds "$1"
