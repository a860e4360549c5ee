#!/bin/bash
# shellcheck disable=SC2154 # the variables are those of check
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Rings side by side: which of them run now, how far they are, how they end.
#
# Sourced by check after lib.sh, which sets here, logs and live (1: somebody looks).
# rings_begin() comes first, then rings_go_on() until ring_is_over(); rings_stop() at last.
#
# A guest keeps one processor busy, and now and then a second one; it and its emulator need
# 1 to 3 GiB.  So where there are two processors, two rings run at once, and no more.
#
# Each ring is a session of its own: programs like timeout make process groups, and none of
# them may go on when somebody interrupts.

ring_pid=() rings_waiting=() rings_shown=''

# rings_begin RING...: run these.  The longest one begins first, the others beside it.
rings_begin()
{
	local ring
	rings_at_once=$((QUIRE_JOBS > 1 ? 2 : 1))
	rings_waiting=("$@")
	if [ $rings_at_once = 2 ] && [[ " $* " = *' 5 '* ]]; then
		rings_waiting=(5)
		for ring in "$@"; do
			[ "$ring" = 5 ] || rings_waiting+=("$ring")
		done
	fi
	for ring in "$@"; do
		rm -f "$logs/ring-$ring".*
		: >"$logs/ring-$ring.report"
	done
	rings_start
}

# Start as many as may run at once.  What has no guest has no limits of time, and gives way.
rings_start()
{
	local ring way
	while [ ${#rings_waiting[@]} -gt 0 ] && [ ${#ring_pid[@]} -lt "$rings_at_once" ]; do
		ring=${rings_waiting[0]} way=()
		rings_waiting=("${rings_waiting[@]:1}")
		[ "$ring" -ge 4 ] || way=(nice)
		setsid "${way[@]}" "$here/run-ring" "$ring" &
		ring_pid[ring]=$!
	done
}

ring_is_over() { [[ -z ${ring_pid[$1]:-} && " ${rings_waiting[*]} " != *" $1 "* ]]; }

# Let them run for a second, and start others in the place of those that are over.
rings_go_on()
{
	local ring
	sleep 1
	for ring in "${!ring_pid[@]}"; do
		kill -0 "${ring_pid[$ring]}" 2>/dev/null || unset "ring_pid[$ring]"
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

# session_pids SESSION...: the processes of these
session_pids()
{
	local stat line session
	for stat in /proc/[0-9]*/stat; do
		{ read -r line <"$stat"; } 2>/dev/null || continue
		# behind the name, in which anything may be: state, parent, group, session
		read -r _ _ _ session _ <<<"${line##*) }"
		[[ " $* " != *" $session "* ]] || echo "${stat//[!0-9]/}"
	done
}

# Ask all processes of all rings to end, and those that did not in ten seconds no more.
rings_stop()
{
	local pids signal=TERM i
	for ((i = 0; i <= 100; i++)); do
		mapfile -t pids < <(session_pids "${ring_pid[@]}")
		[ ${#pids[@]} -gt 0 ] || return 0
		[ $i -lt 100 ] || signal=KILL
		[ $((i % 100)) != 0 ] || kill -$signal "${pids[@]}" 2>/dev/null
		sleep 0.1
	done
}
