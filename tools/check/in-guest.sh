#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs inside the guest: load the driver, run programs of /tests, unload, load and unload
# again.  Prints TAP; see tap.awk for the comments between programs.
#
# Usage: in-guest.sh failures|commands|others|all|short|debug [ONLY [MARK]]
#   failures  those that make the device or memory fail, and wait
#   commands  those whose submissions work, hang or are refused
#   others    all others, which work; the rules of the model among them
#   short     all but the long ones
#   debug     the cheapest set that runs 99 % of the lines of the driver that all of them
#             run, by tools/coverage/choose, with those that need fault injection or lockdep
#   ONLY      the program of that name, "NAME" or "NAME (VARIANT)", alone; with "debug" it may be
#             any program
#   MARK      a command that is run behind each program, with its name as the argument

# seconds; of a program that hangs, whatever its own limit is
limit=5000
programs=$1
only=${2:-}
mark=${3:-:}
parameters=/sys/module/quire/parameters
options=/sys/kernel/debug/quire
[ -z "$only" ] || [ "$programs" != debug ] || programs=all
ran=no
failures="armed bind busy-again close context-faults debugger dummy dying executed failed-place given-up"
failures="$failures half-told held inject leaks lost mmu monitored-faults native-faults"
failures="$failures oom oom-sharing oom-submit others page-faults part-faults patch"
failures="$failures patience plug pool posted prime recovery refused reset resident"
failures="$failures resident-rivals reuse submit-lives suspend syncs turn-free unbind unload"
failures="$failures vm-half-linked vm-lives vm-oom vm-unplug wedge window"
commands="context-state contexts draw draw-rivals draw-signals draw-split draw-virtual"
commands="$commands engine-time examples libquire monitored-fence native-fence native-storm order"
commands="$commands pieces split split-ahead split-back split-claims split-debugged"
commands="$commands split-first split-hang split-locked split-newer split-planned split-rivals"
commands="$commands split-signals split-table split-taken split-turns split-virtual"
commands="$commands split-waits submit-args submit-commands submit-corrupt submit-flood"
commands="$commands submit-hang submit-limits submit-objects submit-pinned submit-processes"
commands="$commands submit-reset submit-rules submit-shared submit-syncs submit-turn trace undone"
commands="$commands undone-busy undone-commands undone-killed undone-room undone-signals"
commands="$commands undone-unplugged undone-wedged vm vm-args vm-async vm-contexts vm-copy"
commands="$commands vm-errors vm-evict vm-failed vm-faults vm-generations"
commands="$commands vm-killed vm-large vm-lru vm-notice vm-random vm-stale vm-storm"
# Of "short" these are left out: storms, and pictures that are drawn many times.  What they
# show, shorter ones show, too, or the same program without its variant.
long="|draw-rivals|draw-signals|draw-split|native-storm|turn-faults|turns"
long="$long|undone-busy|undone-killed|undone-room|undone-unplugged|undone-wedged"
long="$long|split-back|split-rivals|vm-storm|submit-processes|draw-virtual"
long="$long|contention (CPU copies)|draw-virtual (virtual addresses)|parts (patched often)|window (patched often)|"
debug="oom oom-sharing oom-submit oom-views plug-faults dying bind refused"
debug="$debug submit-shared held signals unbind submit-reset vm-lives idle"
debug="$debug split-planned renew fdinfo vm-notice submit-rules patch query"
debug="$debug split-table split-debugged native-faults args vm-args split-first"
debug="$debug page-faults context-faults submit-args offer mmu view monitored-fence"
debug="$debug slide-images given-up vm-copy resident debugfs pointers import libquire"
debug="$debug window split-taken prime contexts patience submit-pinned defaults ranges"
debug="$debug half-told split-back debugger parts split-claims context-state"
debug="$debug failed-place reset"
by_cpu="coherency images pairs working-set purge discard contiguous contention vm-random"
failures_by_cpu="oom window"
by_space="pairs coherency draw-virtual evict-all races working-set"
patched="moves images parts evict-all coherency dummy window view"

# result NAME STATUS
result()
{
	number=$((number + 1))
	[ "$2" = 0 ] && echo "ok $number - $1" || echo "not ok $number - $1"
}

built_in() { grep -q '/quire\.ko$' "/lib/modules/$(uname -r)/modules.builtin"; }
is_bound() { [ -n "$(ls -d /sys/bus/pci/drivers/quire/0000:* 2>/dev/null)" ]; }

# The driver's own: vgem has one, too.
has_node()
{
	for node in /sys/bus/pci/drivers/quire/0000:*/drm/renderD*; do
		[ ! -c "/dev/dri/${node##*/}" ] || return 0
	done
	return 1
}

# has_value DIRECTORY NAME=VALUE: those that are yes or no are shown as Y and N.
has_value()
{
	case ${2#*=} in
	0) value='[0N]' ;;
	1) value='[1Y]' ;;
	*) value=${2#*=} ;;
	esac
	grep -qx "$value" "$1/${2%%=*}"
}

# module_tests NAME STEP...: a step is "load PARAMETER=VALUE...", "set OPTION=VALUE...", "unload" or
# "in-turns".
module_tests()
{
	number=0
	module_test=$1
	echo "# program: $module_test"
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		load*)
			# shellcheck disable=SC2086 # parameters are words
			modprobe quire ${1#load}; result "the module loads" $?
			is_bound; result "it drives the device" $?
			has_node; result "there is a render node" $?
			for parameter in ${1#load}; do
				has_value $parameters "$parameter"; result "it has $parameter" $?
			done ;;
		set*)
			for option in ${1#set}; do
				echo "${option#*=}" >"$options/${option%%=*}" &&
					has_value $options "$option"
				result "it has $option" $?
			done ;;
		in-turns)
			has_value /sys/module/gpu_sched/parameters sched_policy=0
			result "the scheduler takes queues in turns" $? ;;
		unload)
			rmmod quire; result "the module unloads" $?
			[ ! -d /sys/module/quire ]; result "nothing of it is left" $? ;;
		esac
		shift
	done
	echo "1..$number"
	echo "# status: 0"
	$mark "$module_test"
}

# asked NAME: is it to run?
asked()
{
	case $only:$programs:$long in
	:short:*"|${1#quire-test-}|"*) false ;;
	:* | "$1":*) ;;
	*) false ;;
	esac
}

# asked_variant NAME: is a program of this variant?
asked_variant()
{
	case $only in
	'' | *"($1)") ;;
	*) false ;;
	esac
}

# run_program FILE SUFFIX
run_program()
{
	asked "${1##*/}$2" || return 0
	ran=yes
	echo "# program: ${1##*/}$2"
	settings_before=$(settings)
	timeout -k 5 $limit "$1" </dev/null
	echo "# status: $?"
	case $1 in */quire-test-conformance-*) print_counters ;; esac
	invariants_test "$1" "$2"
	$mark "${1##*/}$2"
}

# Is the device right about what is where?  What has died is freed, and told, a little later: a
# minute, in a debug guest.
residency_is_right()
{
	for _ in $(seq 300); do
		table=$(cat "$1") || return
		case $table in *"mismatches 0") return ;; esac
		sleep 1
	done
	echo "$table" | sed 's/^/# /'
	return 1
}

# Has everything gone that keeps the module?  What a program held goes a little after it.
nothing_keeps_it()
{
	for _ in $(seq 300); do
		[ -f /sys/module/quire/refcnt ] || return 0
		read -r users </sys/module/quire/refcnt
		[ "$users" != 0 ] || return 0
		sleep 1
	done
	echo "# users: $users; who has the device, a mapping or a dma-buf of it:"
	grep -l '^drm-driver:.quire' /proc/[0-9]*/fdinfo/* 2>/dev/null | sed 's/^/# /'
	grep -l '/dev/dri/' /proc/[0-9]*/maps 2>/dev/null | sed 's/^/# /'
	sed 's/^/# /' /sys/kernel/debug/dma_buf/bufinfo 2>/dev/null
	return 1
}

# Parameters and test options of the driver, "FILE:VALUE" each.
settings() { grep -s . $parameters/* $options/* || true; }

# Has the program left them as they were?  The next one relies on them.
settings_are_same()
{
	[ "$(settings)" != "$settings_before" ] || return 0
	echo "$settings_before" | sed 's/^/# before: /'
	settings | sed 's/^/# now: /'
	return 1
}

# What holds after every program, whatever it did.
# invariants_test FILE SUFFIX
invariants_test()
{
	echo "# program: ${1##*/}$2, invariants"
	number=0
	for file in /sys/kernel/debug/dri/*/residency; do
		[ ! -f "$file" ] || break
	done
	residency_is_right "$file"; result "the device knows what is where" $?
	nothing_keeps_it; result "nothing keeps the module" $?
	settings_are_same; result "settings are what they were" $?
	echo "1..$number"
	echo "# status: 0"
}

# Behind a program that tests rules: a line "counter NAME NUMBER ..." for each thing that the
# driver counts, for tools/conformance/conformance. Some take the device from the driver, which
# then begins anew.
print_counters()
{
	for dir in /sys/kernel/debug/dri/*; do
		[ ! -f "$dir/counters" ] || break
	done
	sed 's/^/counter /' "$dir/counters"
}

# variant NAME PARAMETERS OPTIONS PROGRAM...: programs again, with other parameters and options of
# the driver; it also looks at what reaches the dummy page.
variant()
{
	name=$1
	asked_variant "$name" || return 0
	step_load="load $2" step_set="set $3 check_dummy_page=1"
	shift 3
	module_tests "load ($name)" "$step_load" "$step_set"
	for program in "$@"; do
		run_program "/tests/quire-test-$program" " ($name)"
	done
	module_tests "unload ($name)" unload
}

# The scheduler does not take what is oldest first: what is behind something else has to say so.
in_turns_tests()
{
	asked_variant "in turns" || return 0
	[ -f /sys/module/gpu_sched/parameters/sched_policy ] || return 0
	! grep -q '/gpu-sched\.ko$' "/lib/modules/$(uname -r)/modules.builtin" || return 0
	rmmod gpu_sched
	modprobe gpu_sched sched_policy=0
	module_tests "load (in turns)" load in-turns
	run_program /tests/quire-test-monitored-fence " (in turns)"
	module_tests "unload (in turns)" unload
	rmmod gpu_sched
}

# A driver that is built in is there, and cannot go.
built_in_tests()
{
	number=0
	echo "# program: $1"
	is_bound; result "it drives the device" $?
	has_node; result "there is a render node" $?
	echo "1..$number"
	echo "# status: 0"
}

# run_those PROGRAM...
run_those()
{
	for program in "$@"; do
		run_program "/tests/quire-test-$program" ""
	done
}

is_other()
{
	case " $failures $commands " in
	*" ${1#/tests/quire-test-} "*) false ;;
	esac
}

run_others()
{
	for program in /tests/*; do
		[ ! -x "$program" ] || ! is_other "$program" || run_program "$program" ""
	done
}

# What is not as it usually is, and goes last.
# shellcheck disable=SC2086 # programs are words
run_variants()
{
	module_tests "unload and reload" unload load unload
	case $programs in
	failures | all | short) variant "CPU copies, failures" device_copies=0 "" $failures_by_cpu ;;
	esac
	case $programs in
	others | all | short)
		variant "CPU copies" device_copies=0 "" $by_cpu
		variant "virtual addresses" generation=2 "" $by_space
		variant "plain TTM" fair_placement=0 "" contention
		# more often than has to be, which neither a program nor the dummy page may notice
		variant "patched often" "" "patch_early=1 patch_twice=1" $patched
		;;
	esac
	case $programs in
	all | short) in_turns_tests ;;
	esac
}

if built_in; then
	built_in_tests "built in"
else
	module_tests load load
fi
# shellcheck disable=SC2086 # programs are words
case $programs in
failures) run_those $failures ;;
commands) run_those $commands ;;
others) run_others ;;
all | short) run_others; run_those $commands $failures ;;
debug) run_those $debug ;;
esac
built_in || run_variants
if [ -n "$only" ] && [ $ran = no ]; then
	echo "# program: ONLY"
	echo "1..0 # SKIP no program here is called $only"
	echo "# status: 0"
fi
