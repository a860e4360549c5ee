#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Ends all processes of a session.  A signal to one process group is not enough: programs like
# timeout make groups of their own.
#
# Sourced, never run.

# session_stats SESSION...: of each process of these a line: its number, and what /proc/PID/stat has
# behind its name, in which anything may be: state, parent, group, session and so on
session_stats()
{
	local stat line fields
	for stat in /proc/[0-9]*/stat; do
		# it may have ended
		{ mapfile -d '' line <"$stat"; } 2>/dev/null || continue
		read -ra fields <<<"${line[*]##*) }"
		[[ -z ${fields[3]:-} || " $* " != *" ${fields[3]} "* ]] ||
			echo "${stat//[!0-9]/} ${fields[*]}"
	done
}

# sessions_end SESSION...: ask all processes of these to end, and those that did not in ten
# seconds no more.
sessions_end()
{
	local stats signal=TERM i
	for ((i = 0; i <= 100; i++)); do
		mapfile -t stats < <(session_stats "$@")
		[ ${#stats[@]} -gt 0 ] || return 0
		[ $i -lt 100 ] || signal=KILL
		[ $((i % 100)) != 0 ] || kill -$signal "${stats[@]%% *}" 2>/dev/null
		sleep 0.1
	done
}
