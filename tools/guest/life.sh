#!/bin/bash
# shellcheck disable=SC2154 # the variables are those of guest
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The life of a guest, from power on to its end, through hibernation and migration.
#
# Sourced by guest after qmp.sh; live() is the entry.  It wants qemu (the command of the
# emulator), append (the kernel's command line), hotplug, card (the device in a slot, if that is 1),
# run and timeout.
#
# The guest asks by lines on its port quire.host, and each is answered by "ok", or by what
# went wrong; guest-power is the guest's side of it:
#   suspend N   once it sleeps in RAM, wake it up after N seconds
#   hibernate   the emulator's next end is not the last: power on again, with the same disk
#   awake       what was asked for is over; answered by "ok" after a suspend that was one
#   migrate     go on in another emulator; answered there

# The pipes outlive the emulators: this shell has them open, too.
life_begin()
{
	deadline=$((SECONDS + timeout)) emulator=0 asleep=0 sleep_for='' wake_at=''
	readers=() emulator_pids=()
	mkfifo "$run/stdout" "$run/stderr" "$run/host.in" "$run/host.out"
	exec {hold_stdout}<>"$run/stdout" {hold_stderr}<>"$run/stderr"
	life_read "$run/stdout"
	life_read "$run/stderr" >&2
	exec {answers}<>"$run/host.in" {words}<>"$run/host.out"
}

# life_read PIPE: to our output, until nobody writes there any more.  It is opened here: a
# reader that opens it after the last writer has gone waits for ever.
life_read()
{
	local pipe
	exec {pipe}<"$1"
	cat <&"$pipe" {hold_stdout}>&- {hold_stderr}>&- &
	readers+=($!)
	exec {pipe}<&-
}

life_end()
{
	exec {hold_stdout}>&- {hold_stderr}>&-
	wait "${readers[@]}"
}

life_is_over() { [ "$timeout" != 0 ] && [ "$SECONDS" -ge "$deadline" ]; }

# The seconds that are left, at least one; 0 without a limit.
life_left()
{
	if [ "$timeout" = 0 ]; then
		echo 0
	elif life_is_over; then
		echo 1
	else
		echo $((deadline - SECONDS))
	fi
}

# power_on ARGS...: start an emulator with more arguments; it is the one that counts now.
power_on()
{
	emulator=$((emulator + 1))
	qmp_make "$run/qmp$emulator"
	timeout -k 5 "$(life_left)" "${qemu[@]}" "$@" -mon chardev=qmp,mode=control \
		-chardev "pipe,id=qmp,path=${run//,/,,}/qmp$emulator" \
		</dev/null >>"$run/qemu.log" 2>&1 {hold_stdout}>&- {hold_stderr}>&- &
	emulator_pid=$!
	emulator_pids+=("$emulator_pid")
	qmp_open "$emulator" "$run/qmp$emulator"
}

# Until the emulator ended: do what the guest asks for.  On a busy machine the time may be
# over in the middle of a word.
serve()
{
	local word part=''
	while kill -0 "$emulator_pid" 2>/dev/null; do
		read -r -t 0.2 word <&"$words" || { part+=$word; wake_up; plug_in; continue; }
		word=$part$word part=''
		case $word in
		'suspend '[0-9] | 'suspend '[1-9][0-9]) sleep_for=${word#* }; answer ok ;;
		hibernate) asleep=1; answer ok ;;
		awake) awake ;;
		migrate) migrate ;;
		*) answer "the host does not know '$word'" ;;
		esac
	done
}

answer() { printf '%s\n' "$*" >&"$answers"; }

# QEMU takes the device out when the guest switches its slot off, as if somebody stood there.  Its
# memory goes later than its name, and has the name of the new one's.
plug_in()
{
	local blocks
	[ "$hotplug" = 1 ] || return 0
	blocks=$(qmp "$emulator" human-monitor-command '{"command-line": "info ramblock"}') || return 0
	[[ $blocks == *quire-vram* ]] ||
		qmp "$emulator" human-monitor-command "{\"command-line\": \"device_add $card\"}" >/dev/null ||
		true
}

# Wake the guest once it has been suspended for sleep_for seconds.
wake_up()
{
	[ -n "$sleep_for" ] || return 0
	if [ -z "$wake_at" ]; then
		[[ $(qmp "$emulator" query-status) != *'"suspended"'* ]] ||
			wake_at=$((SECONDS + sleep_for))
	elif [ "$SECONDS" -ge "$wake_at" ]; then
		sleep_for='' wake_at=''
		qmp "$emulator" system_wakeup >/dev/null || true
	fi
}

awake()
{
	if [ -n "$sleep_for" ]; then
		answer "it did not sleep; see dmesg"
	else
		answer ok
	fi
	asleep=0 sleep_for='' wake_at=''
}

# To another emulator, which has the same files open.  This one ends before the answer is written:
# it could read it itself.
migrate()
{
	local from=$emulator from_pid=$emulator_pid socket=$run/migrate$emulator why
	power_on -incoming "unix:${socket//,/,,}"
	if why=$(qmp_migrate "$from" "$socket" "$emulator_pid"); then
		end_emulator "$from" "$from_pid" || lost=$?
		answer ok
	else
		end_emulator "$emulator" "$emulator_pid" || true
		emulator=$from emulator_pid=$from_pid
		answer "the migration failed: $why"
	fi
}

# end_emulator N PID: returns its status
end_emulator()
{
	local status=0
	! kill -0 "$2" 2>/dev/null || qmp "$1" quit >/dev/null || kill "$2" 2>/dev/null || true
	wait "$2" || status=$?
	[ $status = 0 ] || quire_say "guest: emulator $1 ended with status $status"
	return $status
}

# live: run the guest; the command's output flows through two pipes to ours.  Returns the
# status of the last emulator, or 124 if there was no time for one more; or else the status of
# one that the guest had left well and that then ended badly.
live()
{
	local status=0 lost=0
	life_begin
	power_on
	while :; do
		serve
		wait "$emulator_pid" || status=$?
		# a guest that hibernates ends well, and is not over
		{ [ $asleep = 1 ] && [ $status = 0 ]; } || break
		! life_is_over || { status=124; break; }
		asleep=0
		power_on -append "$append guest.resume=1"
	done
	emulator_pids=()
	life_end
	[ $status != 0 ] || status=$lost
	return $status
}
