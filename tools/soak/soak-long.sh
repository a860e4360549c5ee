#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# quire-soak with faults of the device; each minute something happens to the guest.
#
# Usage, in the guest: soak-long.sh SECONDS SEED
# Exit status: 0 if all of it went well.

end=$(($(date +%s) + $1))
quire-soak --seconds 0 --processes 6 --faults --seed "$2" &
soak=$!
result=0

# happen COMMAND...: after a minute, if there is as much time left
happen()
{
	[ $result = 0 ] && [ $(($(date +%s) + 60)) -lt $end ] || return 0
	sleep 60
	"$@" || result=1
	kill -0 $soak 2>/dev/null || result=1
	echo "soak-long: $*: status $result"
}

while [ $result = 0 ] && [ $(($(date +%s) + 60)) -lt $end ]; do
	happen guest-power suspend 3
	happen device-reset.sh flr
	happen guest-power migrate
	happen guest-power hibernate
done
left=$((end - $(date +%s)))
[ $result != 0 ] || [ $left -le 0 ] || sleep $left
kill -TERM $soak
wait $soak && exit $result
exit 1
