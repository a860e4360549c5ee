#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Programs where the kernel puts bounce buffers between all devices and memory.
#
# Usage, in the guest: behind-swiotlb.sh COMMAND... (with its arguments in one word)
# Exit status: 0 if all of them did well, and there are such buffers.

slabs=/sys/kernel/debug/swiotlb/io_tlb_nslabs
[ "$(cat $slabs)" -gt 0 ] || { echo "there are no bounce buffers"; exit 1; }
for command; do
	sh -c "$command" || exit
done
