#!/bin/bash
# shellcheck disable=SC2154 # the variables are those of guest
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Talks QMP with emulators, each through a pair of named pipes.
#
# Sourced by life.sh's user after lib.sh.  An emulator is known by its number.

qmp_in=() qmp_out=()

# qmp_make PATH: the pipes PATH.in and PATH.out, for -chardev pipe
qmp_make() { mkfifo "$1.in" "$1.out"; }

# qmp_open N PATH: open them; nobody waits for the emulator.
qmp_open()
{
	local pipe
	exec {pipe}<>"$2.in"
	qmp_in[$1]=$pipe
	echo '{"execute": "qmp_capabilities"}' >&"$pipe"
	exec {pipe}<>"$2.out"
	qmp_out[$1]=$pipe
}

# qmp N COMMAND [ARGUMENTS]: have the N-th emulator do it; print what it answers, or, of a
# failure, why.  The answer is the line with our mark: events have none.
qmp()
{
	local line='' none='{}'
	printf '{"execute": "%s", "arguments": %s, "id": "quire"}\n' "$2" "${3:-$none}" \
		>&"${qmp_in[$1]}"
	until [[ $line = *'"id": "quire"'* ]]; do
		read -r -t 100 line <&"${qmp_out[$1]}" || { echo "the emulator does not answer"; return 1; }
	done
	line=${line%$'\r'}
	[[ $line = *'"error": '* ]] || { echo "$line"; return; }
	line=${line#*'"desc": "'}
	echo "${line%%'"'*}"
	return 1
}

# qmp_migrate N SOCKET PID: to the emulator PID, which waits at SOCKET or soon will; prints
# why not.
qmp_migrate()
{
	local status
	qmp_wait_for "$2" "$3" || { echo "the other emulator did not start"; return 1; }
	status=$(qmp "$1" migrate-set-parameters '{"max-bandwidth": 0, "downtime-limit": 3000}') ||
		{ echo "$status"; return 1; }
	status=$(qmp "$1" migrate "{\"uri\": \"unix:$2\"}") || { echo "$status"; return 1; }
	while :; do
		status=$(qmp "$1" query-migrate) || { echo "$status"; return 1; }
		case $status in
		*'"status": "completed"'*) return 0 ;;
		*'"status": "failed"'*) echo "$status"; return 1 ;;
		esac
		sleep 0.1
	done
}

# qmp_wait_for SOCKET PID: at most 100 s, and no longer than PID lives
qmp_wait_for()
{
	local i
	for ((i = 0; i < 1000; i++)); do
		[ ! -S "$1" ] || return 0
		kill -0 "$2" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}
