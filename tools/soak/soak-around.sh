#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Does something to the guest or its device, again and again, while quire-soak is at work.
#
# Usage, in the guest: soak-around.sh TIMES COMMAND [ARGS...]
# Exit status: 0 if COMMAND did well each time, and quire-soak too.

times=$1
shift
result=0
quire-soak --seconds 0 &
soak=$!
sleep 2
for time in $(seq "$times"); do
	"$@" || { result=$?; break; }
	echo "$* $time: done"
	# there is something to lose, again
	sleep 2
	kill -0 "$soak" 2>/dev/null || { echo "quire-soak has ended"; result=1; break; }
done
kill -TERM "$soak"
wait "$soak" && exit $result
exit 1
