#!/bin/bash
# shellcheck disable=SC2154 # the variables are those of check
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Rings side by side: which of them run now, how far they are, how they end.
#
# Sourced by check after lib.sh and session.sh, with here, logs and live (1: somebody looks).
# rings_begin() comes first, then rings_go_on() until ring_is_over(); rings_stop() at last.
#
# A guest in virtual time keeps one processor busy; it and its emulator need 1 to 3 GiB.  So as
# many guests run at once as there are processors and, 3 GiB each, memory for them.  One ring
# without a guest runs beside them, and gives way; but see run-ring.  Once no guest waits, two of
# those do, and more take the places of guests that are over: else the last ones run alone.
#
# Each ring is a session of its own, see session.sh.

ring_pid=() rings_waiting=() rings_shown='' rings_guests=1

# rings_begin RING...: run these.  The longest ones begin first, the others beside them.
rings_begin()
{
	local ring
	rings_waiting=("$@")
	if [ "$QUIRE_JOBS" -gt 1 ]; then
		mapfile -t rings_waiting < <(longest_first "$@")
	fi
	rings_guests=${QUIRE_GUESTS:-$(most_guests)}
	for ring in "$@"; do
		rm -f "$logs/ring-$ring".*
		: >"$logs/ring-$ring.report"
	done
	rings_start
}

longest_first()
{
	local ring
	for ring in 5 8; do
		[[ " $* " != *" $ring "* ]] || echo "$ring"
	done
	for ring in "$@"; do
		[[ $ring = [58] ]] || echo "$ring"
	done
}

ring_has_guest() { [ "$1" -ge 4 ]; }

# How many guests may run at once, unless QUIRE_GUESTS says so.
most_guests()
{
	awk -v most="$QUIRE_JOBS" '$1 == "MemAvailable:" {
		guests = int($2 / (3 * 1048576))
		print guests < 1 ? 1 : guests < most ? guests : most
	}' /proc/meminfo
}

guests_wait()
{
	local ring
	for ring in "${rings_waiting[@]}"; do
		! ring_has_guest "$ring" || return 0
	done
	return 1
}

# ring_may_start RING: is there room for it beside those that run?
ring_may_start()
{
	local ring guests=0 others=0
	for ring in "${!ring_pid[@]}"; do
		if ring_has_guest "$ring"; then
			guests=$((guests + 1))
		else
			others=$((others + 1))
		fi
	done
	if [ "$QUIRE_JOBS" = 1 ]; then
		[ $((guests + others)) = 0 ]
	elif ring_has_guest "$1"; then
		[ $guests -lt "$rings_guests" ]
	elif [ $others = 0 ]; then
		true
	else
		[ $((guests + others)) -le $((rings_guests + 1)) ] && ! guests_wait
	fi
}

# Start as many as may run at once.
rings_start()
{
	local ring waiting=()
	for ring in "${rings_waiting[@]}"; do
		if ring_may_start "$ring"; then
			setsid "$here/run-ring" "$ring" &
			ring_pid[ring]=$!
		else
			waiting+=("$ring")
		fi
	done
	rings_waiting=("${waiting[@]}")
}

ring_is_over() { [[ -z ${ring_pid[$1]:-} && " ${rings_waiting[*]} " != *" $1 "* ]]; }

# Let them run for a second, and start others in the place of those that are over.
rings_go_on()
{
	local ring over=()
	for ring in "${!ring_pid[@]}"; do
		kill -0 "${ring_pid[$ring]}" 2>/dev/null || over+=("$ring")
	done
	sleep 1
	# with what it may have left behind, as a guest whose script was killed
	for ring in "${over[@]}"; do
		sessions_end "${ring_pid[$ring]}"
		unset "ring_pid[$ring]"
	done
	rings_start
	[ "$live" = 0 ] || rings_show
}

# One line for all that run, when there is news: a build writes there, too.
rings_show()
{
	local ring text='' columns
	for ring in "${!ring_pid[@]}"; do
		text+="${text:+; }$(cat "$logs/ring-$ring.now" 2>/dev/null)"
	done
	[ "$text" != "$rings_shown" ] || return 0
	rings_shown=$text
	read -r _ columns < <(stty -F /dev/tty size 2>/dev/null)
	[ "${columns:-0}" -gt 0 ] || columns=80
	printf '\r\033[K%s' "${text:0:columns-1}"
}

# End all processes of all rings.
rings_stop() { sessions_end "${ring_pid[@]}"; }
