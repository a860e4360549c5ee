#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# How long each program of a ring takes: wall seconds, and processor seconds of all
# processes of the ring's session, emulators among them.
#
# Sourced by run-ring after session.sh; times_filter() is the entry.

# times_cpu: ticks (1/100 s) of user and system time of this session's processes and of
# their children that have ended
times_cpu()
{
	# from the 13th field on: utime, stime, cutime, cstime
	session_stats "$times_session" | awk '{ sum += $13 + $14 + $15 + $16 } END { print sum + 0 }'
}

# times_record NAME: NAME took from the last record to now
times_record()
{
	local wall=${EPOCHREALTIME/./} cpu
	cpu=$(times_cpu)
	[ -z "$1" ] || awk -v ring="$times_ring" -v name="$1" -v wall=$((wall - times_wall)) \
		-v cpu=$((cpu - times_ticks)) 'BEGIN {
		printf "%s\t%s\t%.1f\t%.1f\n", ring, name, wall / 1e6, cpu < 0 ? 0 : cpu / 100 }' \
		>>"$times_file"
	times_wall=$wall times_ticks=$cpu
}

# times_filter RING FILE: hand on what the ring prints, and write FILE: a line "ring,
# program, wall, processor" for each program.  A result that is no program's is one itself.
times_filter()
{
	local line program=''
	times_ring=$1 times_file=$2
	read -r _ _ _ _ _ times_session _ </proc/self/stat
	: >"$times_file"
	times_record ''
	while IFS= read -r line; do
		printf '%s\n' "$line"
		case $line in
		'# program: '*', invariants') ;;
		'# program: '*)
			times_record "$program"
			program=${line#\# program: }
			;;
		'# ring status: '*) times_record "$program" ;;
		'ok '* | 'not ok '*) [ -n "$program" ] || times_record "${line#*- }" ;;
		esac
	done
}
