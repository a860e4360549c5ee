#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Resets the device, as an administrator does.
#
# Usage, in the guest: device-reset.sh flr|bus
# Exit status: 0 if it was reset in just that way.

device=$(dirname "$(grep -lx 0x7175 /sys/bus/pci/devices/*/device)")
echo "$1" >"$device/reset_method" && echo 1 >"$device/reset"
