#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The picture of "quire draw", and what "quire split" says of it: as many parts, as many bytes.
#
# Usage, in the guest with 32 MiB of VRAM: draw-planned.sh
# Exit status: 0 if the picture is right, the numbers are the same, and no more is paged than
# 1.10 times the least.

drawn=$(quire draw /tmp/picture.png) || exit
planned=$(quire split /tmp/picture.svg) || exit
printf '%s\n' "$drawn" "$planned"

# parts TEXT: the number that stands before "parts".
parts() { printf '%s\n' "$1" | tr '\n' ' ' | sed -n 's/.* \([0-9]*\) parts.*/\1/p'; }

# mebibytes TEXT: what "quire split" says that comes in.
mebibytes() { printf '%s\n' "$1" | tr '\n' ' ' | sed -n 's/.* \([0-9]*\)\.[0-9] MiB *in .*/\1/p'; }

paged=$(printf '%s\n' "$drawn" | sed -n 's/.*paged in \([0-9]*\) bytes.*/\1/p')
times=$(printf '%s\n' "$drawn" | sed -n 's/.*: \([0-9]*\)\.\([0-9]*\) times that/\1\2/p')
if [ -z "$paged" ] || [ -z "$times" ] || [ -z "$(parts "$drawn")" ] ||
   [ "$(parts "$drawn")" != "$(parts "$planned")" ] ||
   [ $((paged >> 20)) != "$(mebibytes "$planned")" ]; then
	echo "the plan has other numbers"
	exit 1
fi
if [ "$times" -gt 1100 ]; then
	echo "more is paged than 1.10 times the least"
	exit 1
fi
