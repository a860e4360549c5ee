#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Ends all processes of a session: programs like timeout make process groups of their own,
# and none of them may go on when somebody interrupts.
#
# Sourced, never run.

# session_pids SESSION...: the processes of these
session_pids()
{
	local stat line session
	for stat in /proc/[0-9]*/stat; do
		# it may have ended
		{ mapfile -d '' line <"$stat"; } 2>/dev/null || continue
		# behind the name, in which anything may be: state, parent, group, session
		read -r _ _ _ session _ <<<"${line[*]##*) }"
		[[ -z $session || " $* " != *" $session "* ]] || echo "${stat//[!0-9]/}"
	done
}

# sessions_end SESSION...: ask all processes of these to end, and those that did not in ten
# seconds no more.
sessions_end()
{
	local pids signal=TERM i
	for ((i = 0; i <= 100; i++)); do
		mapfile -t pids < <(session_pids "$@")
		[ ${#pids[@]} -gt 0 ] || return 0
		[ $i -lt 100 ] || signal=KILL
		[ $((i % 100)) != 0 ] || kill -$signal "${pids[@]}" 2>/dev/null
		sleep 0.1
	done
}
