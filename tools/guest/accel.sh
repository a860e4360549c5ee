#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Prints how a guest can run here: kvm if a short probe guest really did, else tcg.
#
# The answer is kept until the machine starts again, unless no guest could be tried.  Of two that
# ask, one tries.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"

answer=$QUIRE_CACHE/accel/$(cat /proc/sys/kernel/random/boot_id)
quire_cache
mkdir -p "$QUIRE_CACHE/accel"
[ -s "$answer" ] || { exec {lock}>"$answer.lock" && flock "$lock"; }
if [ ! -s "$answer" ]; then
	# of another start of the machine; another guest may be trying the same now
	find "$QUIRE_CACHE/accel" -ignore_readdir_race -type f ! -name "${answer##*/}*" -delete
	result=tcg status=''
	if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
		quire_say "trying whether KVM works"
		status=0
		env -u KERNEL -u KERNEL_CONFIG ACCEL=kvm "$here/guest" --no-device --timeout 15 \
			--console "$answer.console" -- true >/dev/null 2>&1 || status=$?
		[ $status != 0 ] || result=kvm
	fi
	# there was no guest that could have shown it, as without a network, or the host killed it
	case $status in
	1 | 121) echo tcg; exit ;;
	esac
	echo "$result" >"$answer.$$"
	mv "$answer.$$" "$answer"
fi
cat "$answer"
