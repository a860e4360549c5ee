#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Prints how a guest can run here: kvm if a short probe guest really did, else tcg.
#
# The answer is kept until the machine starts again, unless no guest could be tried.  Of two that
# ask, one tries.  Where there is KVM and it cannot be used, a line says why, once an hour.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_no_arguments "$0" "$@"

kvm=/dev/kvm
answer=$QUIRE_CACHE/accel/$(cat /proc/sys/kernel/random/boot_id)

# kvm_refuses: print why this user cannot open it, and what helps; fails if he can
kvm_refuses()
{
	local why group
	# access() knows nothing of what a container may do
	why=$( (LC_ALL=C; exec <>"$kvm") 2>&1) && return 1
	why=${why##*: }
	group=$(stat -c %G "$kvm")
	case $why in
	'Permission denied')
		if [ "$group" = root ]; then
			why+=": have root run 'chgrp kvm $kvm && chmod g+rw $kvm', and 'usermod -aG kvm $(id -un)', and log in again"
		else
			why+=": you are not in its group; have root run 'usermod -aG $group $(id -un)', and log in again"
		fi ;;
	'Operation not permitted') why+=": start the container with --device $kvm" ;;
	*) why+=": see the kernel's messages" ;;
	esac
	echo "$kvm cannot be opened, $why"
}

# tell WHY: guests are slow
tell()
{
	[ -z "$(find "$answer.told" -mmin -60 2>/dev/null)" ] || return 0
	quire_say "KVM is not used, and guests are several times slower: $1"
	touch "$answer.told"
}

# neither of these is kept: it may change at any time
[ -e "$kvm" ] || { echo tcg; exit; }
quire_cache
mkdir -p "$QUIRE_CACHE/accel"
! why=$(kvm_refuses) || { tell "$why"; echo tcg; exit; }
[ -s "$answer" ] || { exec {lock}>"$answer.lock" && flock "$lock"; }
if [ ! -s "$answer" ]; then
	# of another start of the machine; another guest may be trying the same now
	find "$QUIRE_CACHE/accel" -ignore_readdir_race -type f ! -name "${answer##*/}*" -delete
	quire_say "trying whether KVM works"
	status=0
	env -u KERNEL -u KERNEL_CONFIG ACCEL=kvm "$here/guest" --no-device --timeout 15 \
		--console "$answer.console" -- true >"$answer.log" 2>&1 || status=$?
	# there was no guest that could have shown it, as without a network, or the host killed it
	case $status in
	0) result=kvm ;;
	1 | 121) tell "no guest could try it, see $answer.log"; echo tcg; exit ;;
	*) result=tcg ;;
	esac
	echo "$result" >"$answer.$$"
	mv "$answer.$$" "$answer"
fi
read -r result <"$answer"
[ "$result" = kvm ] ||
	tell "a guest that tried it failed, see $answer.log; after mending that, remove $answer"
echo "$result"
