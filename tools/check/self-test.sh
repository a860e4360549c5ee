#!/bin/bash
# shellcheck disable=SC2034,SC2317 # variables and functions are for what is sourced
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The checks themselves: what is not right must not count as passed.  Prints TAP.

set -u
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_no_arguments "$0" "$@"
. "$here/tap.sh"
tools=$here/..
testing=$QUIRE_TOP/Documentation/gpu/quire/testing.rst
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT

# counts EXPECTED TAP: what tap.awk counts of TAP, in which "; " ends a line, and "~" stands for
# the end of the ring
counts()
{
	local tap=${2//\~/# ring status: 0}
	printf '%s\n' "${tap//; /$'\n'}" |
		awk -v live=0 -v ring=0 -v now="$work/now" -v counts="$work/counts" -f "$here/tap.awk"
	[ "$(cat "$work/counts")" = "$1" ] || { echo "it counts $(cat "$work/counts")"; false; }
}

# skips LINE: does a test that prints it count as skipped?
skips() { [ "$(tap_number=0; tap_test a echo "$1")" = "ok 1 - a # SKIP no IOMMU" ]; }

# alone EXPECTED RING TAP: the line that runs alone what failed in TAP
alone()
{
	local got
	got=$(printf '%s\n' "${3//; /$'\n'}" |
		awk -v live=0 -v ring="$2" -v check="${check:-check}" -v now="$work/now" \
			-v counts="$work/counts" -f "$here/tap.awk" | sed -n 's/^ *it alone: //p')
	[ "$got" = "$1" ] || { echo "it says '$got'"; false; }
}

test_alone()
{
	local name='# program: a (b)' end='1..1; # status: 1; # ring status: 0'
	tap_test "what runs a program alone" alone "make check RINGS=4 ONLY='a (b)'" 4 \
		"$name; not ok 1; $end"
	tap_test "once for each program" alone "make check RINGS=4 ONLY='a (b)'" 4 \
		"$name; not ok 1; 1..1; # status: 1; $name, invariants; not ok 1; $end"
	tap_test "what runs a guest alone" alone "make check RINGS=6 ONLY='no IOMMU'" 6 \
		'not ok 1 - no IOMMU; 1..1; # ring status: 0'
	check=check-all tap_test "the same among all tests" alone \
		"make check-all RINGS=5 ONLY='a (b)'" 5 "$name; not ok 1; $end"
	tap_test "a ring without guests" alone '' 1 "$name; not ok 1; $end"
}

# timed EXPECTED TAP: the names in the table of times of a ring that prints TAP
timed()
{
	local got
	got=$(
		. "$here/times.sh"
		times_filter 4 "$work/times" <<<"${2//; /$'\n'}" | cmp - <(echo "${2//; /$'\n'}") || exit
		cut -f 1,2 "$work/times" | tr '\t\n' ' ;'
	)
	[ "$got" = "$1" ] || { echo "it says '$got'"; false; }
}

test_times()
{
	tap_test "times of programs" timed '4 a;4 b;' \
		'# program: a; ok 1; 1..1; # program: a, invariants; ok 1; # program: b; ok 1; # ring status: 0'
	tap_test "times of single tests" timed '4 a b;4 c;' 'ok 1 - a b; not ok 2 - c; 1..2; # ring status: 0'
}

test_counts()
{
	local name='# program: a'
	tap_test "TAP with a plan" counts '2 0 0' "$name; ok 1; ok 2; 1..2; # status: 0; ~"
	tap_test "two programs" counts '2 0 0' "$name; 1..1; ok 1; # status: 0; # program: b; ok 1; 1..1; # status: 0; ~"
	tap_test "nested results" counts '2 0 0' "1..1;     1..2;     ok 1;     ok 2; ok 1 - both; ~"
	tap_test "a skipped test" counts '1 0 1' "$name; ok 1; ok 2 # SKIP no disk; 1..2; # status: 0; ~"
	tap_test "nothing to test" counts '0 0 1' "1..0 # SKIP no kernel; ~"
	tap_test "a test that skipped itself" skips 'ok 1 /a # SKIP no IOMMU'
	tap_test "one that planned nothing" skips '1..0 # SKIP no IOMMU'
	tap_test "not ok" counts '1 1 0' "$name; ok 1; not ok 2; 1..2; # status: 1; ~"
	tap_test "fewer than planned" counts '1 1 0' "$name; 1..2; ok 1; # status: 0; ~"
	tap_test "more than planned" counts '2 1 0' "$name; 1..1; ok 1; ok 2; # status: 0; ~"
	tap_test "no plan" counts '1 1 0' "$name; ok 1; # status: 0; ~"
	tap_test "no plan of a ring" counts '1 1 0' "ok 1; ~"
	tap_test "no result" counts '0 1 0' "$name; # status: 0; ~"
	tap_test "no result beside some" counts '1 1 0' "$name; # status: 0; # program: b; ok 1; 1..1; # status: 0; ~"
	tap_test "an end before the plan" counts '2 1 0' "$name; ok 1; # status: 139; # program: b; ok 1; 1..1; # status: 0; ~"
	tap_test "nothing at all" counts '0 1 0' "~"
	tap_test "a bad status after good results" counts '1 1 0' "$name; ok 1; 1..1; # status: 139; ~"
	tap_test "a bad status of the ring" counts '1 1 0' "1..1; ok 1; # ring status: 125"
	tap_test "no end of the ring" counts '1 1 0' "$name; ok 1; 1..1; # status: 0"
	tap_test "no end" counts '1 1 0' "$name; 1..1; ok 1; ~"
	tap_test "no end before the next" counts '2 1 0' "$name; 1..1; ok 1; # program: b; 1..1; ok 1; # status: 0; ~"
	tap_test "bail out" counts '1 1 0' "$name; ok 1; Bail out! no device; # status: 2; ~"
	tap_test "results behind a program" counts '2 1 0' "$name; ok 1; 1..1; # status: 0; ok 1 - b; ~"
	tap_test "bail out of a ring" counts '1 1 0' "1..1; ok 1; Bail out!; ~"
}

# judged EXPECTED RC STATUS CONSOLE: the exit status of a guest that left STATUS and, after
# its start, CONSOLE, of an emulator that ended with RC
judged()
{
	local result=0
	run=$work console=$work/copy timeout=10 built_in=${built_in:-0} deadline=${deadline:-0}
	printf '%s\n' "WARNING: CPU: 0 at boot" "quire 0000:00:04.0: here" \
		"WARNING: CPU: 0 at quire_probe" "quire-guest: start" "$4" >"$work/console"
	printf '%s' "$3" >"$work/status"
	(
		. "$here/../guest/judge.sh"
		judge "$2"
	) || result=$?
	[ $result = "$1" ]
}

# The emulator ends with an error before the guest says anything.
unstarted()
{
	local result=0
	rm -rf "$work/unstarted"
	mkdir "$work/unstarted"
	run=$work/unstarted console=$work/copy built_in=0
	(
		. "$here/../guest/judge.sh"
		judge 1
	) || result=$?
	[ $result = 121 ]
}

test_judge()
{
	local end='quire-guest: status' complaint
	tap_test "a guest that ends well" judged 0 0 0 "$end 0"
	built_in=1 tap_test "a complaint of a driver that is built in" judged 126 0 0 "$end 0"
	tap_test "its command's status" judged 3 0 3 "$end 3"
	tap_test "no driver" judged 123 0 123 "$end 123"
	tap_test "death before the end" judged 125 0 '' ''
	tap_test "death of the emulator after the end" judged 125 134 0 "$end 0"
	tap_test "no time left" judged 124 124 '' ''
	tap_test "no time left after the end" judged 124 137 0 "$end 0"
	deadline=$((SECONDS + 1000)) tap_test "an emulator that somebody killed" judged 121 137 0 "$end 0"
	tap_test "an emulator that did not start" unstarted
	tap_test "a console that is cut off" judged 126 0 0 ''
	for complaint in 'BUG: KASAN: use-after-free in f' 'Kernel panic - not syncing: f' \
		'WARNING: CPU: 0 PID: 1 at a.c:1 f+0x1/0x2' \
		'WARNING: a.c:1 at f+0x1/0x2, CPU#0: modprobe/1' 'WARNING: at f+0x1/0x2, CPU#0: a/1' \
		'WARNING: possible circular locking dependency detected' \
		'WARNING: lock held when returning to user space!' \
		'WARNING: suspicious RCU usage' \
		'BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 61s!' \
		'BUG kmalloc-64 (Tainted: G           O      ): Redzone overwritten' \
		'WARNING: quire-test-reset/9 still has locks held!' \
		'WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected' \
		"quire: unknown parameter 'device_copy' ignored" \
		'quire 0000:00:04.0: [drm] *ERROR* after a hang: something wrote to the dummy page, 0x1 at byte 0' \
		'kmemleak: unreferenced object 0xffff888004f3c000 (size 64):' \
		'kmemleak: Kernel memory leak detector disabled'; do
		tap_test "a complaint: $complaint" judged 126 0 0 "$complaint
$end 0"
	done
	tap_test "a complaint after the end" judged 126 0 0 "$end 0
Kernel panic - not syncing: Attempted to kill init!"
	test_expected
}

# warning PLACE FRAME [LINE]: of the kernel, with LINE in the middle
warning()
{
	printf '%s\n' "[ 1.0] ------------[ cut here ]------------" \
		"[ 1.0] WARNING: CPU: 0 PID: 1 at $1 f+0x1/0x2" '[ 1.0] Call Trace:' \
		"[ 1.0]  $2+0x35/0x1a0 [drm]" ${3:+"[ 1.0] $3"} \
		'[ 1.0]  ? drm_syncobj_array_find+0x35/0x1a0 [drm]' \
		'[ 1.0] ---[ end trace 0000000000000000 ]---'
}

# What a guest may expect, and what it may not.
test_expected()
{
	local find=drm_syncobj_array_find page=mm/page_alloc.c:4817 expected=syncobj-count
	local end='quire-guest: status 0' once
	once=$(warning $page $find)
	expected='' tap_test "a warning that was not expected" judged 126 0 0 "$once
$end"
	tap_test "a warning that was expected" judged 0 0 0 "$once
$end"
	tap_test "and twice" judged 0 0 0 "$once
$once
$end"
	tap_test "another caller of the same" judged 126 0 0 "$(warning $page quire_create)
$end"
	tap_test "the same caller elsewhere" judged 126 0 0 "$(warning lib/refcount.c:25 $find)
$end"
	tap_test "another warning in the middle" judged 126 0 0 \
		"$(warning $page $find 'WARNING: possible recursive locking detected')
$end"
	tap_test "another warning behind it" judged 126 0 0 "$once
BUG: KASAN: use-after-free in f
$end"
	tap_test "an expected warning without its end" judged 126 0 0 "$(head -n 4 <<<"$once")
$end"
}

# evidence EXPECTED STATUS LOG: what counts as a failure of a test with a deliberate fault
evidence()
{
	local said
	echo "$3" >"$work/log"
	said=$(. "$here/../faults/tests.sh"; test_evidence "$2" "$work/log") || said=none
	[ "$said" = "$1" ] || { echo "it says '$said'"; false; }
}

# ends EXPECTED COMMAND...: the status of a test's program that may run for so long
ends()
{
	local status=0
	(. "$here/../faults/tests.sh"; limited "${@:2}") || status=$?
	[ $status = "$1" ] || { echo "its status is $status"; false; }
}

# make_fault WORDS: a checkout with one fault, whose test says WORDS, writes down its
# process and does not end.
make_fault()
{
	local top=$work/faults engine=qemu-device/tests/engine
	rm -rf "$top"
	mkdir -p "$top"/{drivers,include,Documentation,"$engine"} \
		"$top"/tools/{bench,check,conformance,examples,fuzz,include,libquire,faults,quire,soak,tests}
	cp "$tools"/faults/{faults,fault.py,tests.sh} "$top/tools/faults/"
	ln -s "$(readlink -f "$tools/guest")" "$top/tools/guest"
	touch "$top"/{Makefile,Kconfig}
	echo good >"$top/drivers/a"
	printf '%s\n' 'Fault: a' 'Suffers: all' 'Caught by: engine test-a' 'In: drivers/a' '-good' \
		'+bad' >"$top/tools/faults/device.faults"
	# shellcheck disable=SC2016 # for make and the test to expand
	printf '%s\n' '$(O)/test-a: test-a' '	install -D $< $@' >"$top/$engine/Makefile"
	# shellcheck disable=SC2016
	printf '%s\n' '#!/bin/bash' '! grep -q bad "$(dirname "$0")/../tree/drivers/a" || {' \
		"echo '$1'; "'echo $$ >"$(dirname "$0")/pid"; exec sleep 1000; }' >"$top/$engine/test-a"
}

# A fault's test is at work: none of its programs is left.
faults_ended()
{
	local status=0 pid=$work/faults/build/faults/engine/pid faults i
	make_fault 'ok 1 - a'
	"$work/faults/tools/faults/faults" >/dev/null 2>&1 &
	faults=$!
	for ((i = 0; i < 1000; i++)); do
		[ ! -s "$pid" ] || break
		sleep 0.1
	done
	kill $faults
	wait $faults || status=$?
	[ $status = 143 ] || { echo "its status is $status"; return 1; }
	[ -s "$pid" ] || { echo "its test did not begin"; return 1; }
	! kill -0 "$(cat "$pid")" 2>/dev/null || { echo "a program is left"; false; }
}

# What a test says first is enough, and nobody waits for its end.
faults_early()
{
	local begin=$SECONDS
	make_fault 'not ok 1 - a'
	"$work/faults/tools/faults/faults" 2>/dev/null |
		grep -qx '1/1 a: caught: not ok 1 - a' || { echo "it is not caught"; return 1; }
	[ $((SECONDS - begin)) -lt 900 ] || { echo "it waits"; false; }
}

# A test that fails without a fault: it runs once, and catches none of its faults.
faults_failing()
{
	local top=$work/faults said
	make_fault 'not ok 1 - a'
	echo bad >"$top/drivers/a"
	sed -i 's/^-good/-bad/;s/^+bad/+very bad/' "$top/tools/faults/device.faults"
	sed 's/^Fault: a/Fault: b/' "$top/tools/faults/device.faults" >"$top/tools/faults/queue.faults"
	said=$("$top/tools/faults/faults" 2>&1) && { echo "it passes"; return 1; }
	[ "$(grep -c '^[12]/2 [ab]: its test fails without it$' <<<"$said")" = 2 ] ||
		{ echo "it says: $said"; return 1; }
	[ "$(grep -c 'engine test-a, without a fault$' <<<"$said")" = 1 ] ||
		{ echo "it runs again: $said"; false; }
}

# Is each fault that only-check-all does not name caught by a test of "make check", and does the
# test of each that it names stand there?  Of the guests: that of ring 4, which leaves out what is
# long, and of ring 5, which runs a choice.
left_to_all()
{
	local long='' debug='' said
	# shellcheck disable=SC2016 # of the lists there
	eval "$(grep -E '^(long|debug)=' "$here/in-guest.sh")"
	said=$(awk -v long="$long" -v debug="$debug" '
		FILENAME ~ /only-check-all$/ {
			if (/^#/ || !sub(/: /, "\t"))
				next
			split($0, line, "\t")
			n = split(line[2], names, " ")
			for (i = 1; i <= n; i++)
				named[names[i]] = line[1]
			next
		}
		sub(/^Fault: /, "") { name = $0 }
		!sub(/^Caught by: /, "") { next }
		name in named {
			if (named[name] != $0)
				print name ": only-check-all says " named[name] ", it says " $0
			delete named[name]
			next
		}
		/^guest (--kernel debug )?-- quire-test-/ {
			program = $0
			gsub(/^.*-- quire-test-| .*/, "", program)
			in_debug = index(" " debug " ", " " program " ")
			in_stock = !/--kernel debug/ && !index(long, "|" program "|")
			if (!in_debug && !in_stock)
				print name ": make check does not run " $0
		}
		END {
			for (name in named)
				print name ": there is no such fault"
		}' "$tools/faults/only-check-all" "$tools"/faults/*.faults)
	[ -z "$said" ] || { echo "$said"; false; }
}

# same_names FIRST SECOND: do both commands print the same, each sorted?
same_names()
{
	local said
	said=$(comm -3 <("$1") <("$2"))
	[ -z "$said" ] || { echo "only $1, or (second column) only $2:"; echo "$said"; false; }
}

# Parts of faults: those of the table in testing.rst, and those that faults are in.
# shellcheck disable=SC2016 # quotation marks are looked for
parts_listed()
{
	cut -c 1-42 "$testing" | sed -n '/^parts: /,/^one /p' | grep -o '``[a-z-]*``' | tr -d '`' | sort
}

parts_used()
{
	find "$tools/faults" -name '*.faults' -printf '%f\n' | sed 's/\.faults$//' | sort
}

# Kinds of tests that a fault can name: of the table in testing.rst, of the head of tests.sh, and
# those that it runs.
# shellcheck disable=SC2016
kinds_listed()
{
	sed -n '/^``Caught by:``/,/^``none: /p' "$testing" | grep -oE '^``[a-z]+' | tr -d '`' |
		grep -vx none | sort
}

kinds_described() { sed -nE 's/^#   ([a-z]+) .*/\1/p' "$tools/faults/tests.sh" | sort; }

kinds_run()
{
	sed -n 's/^test_\([a-z]*\)()$/\1/p' "$tools/faults/tests.sh" | grep -vxE 'sources|evidence' | sort
}

test_faults()
{
	tap_test "faults: ended" faults_ended
	tap_test "faults: a program that fails" ends 3 100 bash -c 'exit 3'
	tap_test "faults: one that does not end" ends 124 1 sleep 1000
	# shellcheck disable=SC2016 # for the other shell to expand
	tap_test "faults: one that the host kills" ends 199 100 bash -c 'kill -KILL $$'
	tap_test "faults: a test that fails and does not end" faults_early
	tap_test "faults: a test that fails without a fault" faults_failing
	tap_test "each deliberate fault applies" "$tools/faults/faults" --check
	tap_test "each is caught by a test of make check, or named" left_to_all
	tap_test "the parts that faults are in are those of testing.rst" same_names parts_used parts_listed
	tap_test "the kinds of tests that faults name are those of testing.rst" \
		same_names kinds_run kinds_listed
	tap_test "they are those of the head of tests.sh, too" same_names kinds_run kinds_described
	tap_test "a fault that a test catches" evidence 'not ok 2 - b' 1 $'ok 1 - a\nnot ok 2 - b'
	tap_test "one that the kernel sees" evidence 'the kernel complained: BUG' 126 \
		'quire: guest: the kernel complained: BUG'
	tap_test "one that the kernel of KUnit dies of" evidence 'Kernel panic - not syncing: f' 1 \
		$'ok 1 - a\nKernel panic - not syncing: f'
	tap_test "one that makes a test hang" evidence 'it does not end' 124 'ok 1 - a'
	tap_test "one whose emulator was killed" evidence none 121 'quire: guest: the emulator was killed'
	tap_test "a guest that was not booted" evidence none 1 'quire: disk: 3 MiB are free'
}

# held EXPECTED USER STOCK: what results.awk says of two rules if tests of them printed that
held()
{
	local got
	printf '%s\n' '# a comment' 'a-b | 0 | a book | KUnit | all' 'c-d | 1 | a book | e | all' \
		>"$work/rules"
	echo "$2" >"$work/user"
	echo "$3" >"$work/stock"
	got=$(awk -v quiet=1 -v user=1 -v guests=stock -f "$tools/conformance/results.awk" \
		"$work/rules" place='user space' "$work/user" place=stock "$work/stock" | tail -n 1)
	[ "$got" = "$1" ] || { echo "it says '$got'"; false; }
}

test_held()
{
	local user='ok 7 - quire_conformance: a_b ' not='1 rules hold, 1 do not'
	tap_test "rules that hold" held '2 rules hold, 0 do not' "$user" $'ok 2 - c-d\r'
	tap_test "rules of splitting" held '2 rules hold, 0 do not' "${user/:/_split:}" 'ok 2 - c-d'
	tap_test "a rule that does not" held "$not" "$user" 'not ok 2 - c-d'
	tap_test "one that was not tested" held "$not" "$user" 'ok 2 - c-d-e'
	tap_test "one that was skipped" held "$not" "$user" 'ok 2 - c-d # SKIP no disk'
	tap_test "one that was skipped once" held "$not" "$user" \
		$'ok 1 - c-d # SKIP no disk\nok 2 - c-d'
	tap_test "one that was skipped the second time" held "$not" "$user" \
		$'ok 1 - c-d\nok 2 - c-d # SKIP no disk'
	tap_test "one that holds somewhere else" held "$not" $'ok 7 - x: a_b\nok 8 - c-d' 'ok 2 - c-d'
	tap_test "one that held and does not" held "$not" "$user" $'ok 1 - c-d\nnot ok 2 - c-d'
}

# used EXPECTED COUNTERS [RESULT]: what conformance says of operations if ring 4 printed COUNTERS,
# in which "; " ends a line, and RESULT is recorded of the one rule
used()
{
	local got top=$work/used
	rm -rf "$top"
	mkdir -p "$top/tools" "$top/build/check"
	cp -r "$tools/conformance" "$top/tools/"
	ln -s "$(readlink -f "$tools/guest")" "$top/tools/guest"
	echo '1 | One | QUIRE_PAGING_ONE | a move | ONE | DONE' >"$top/tools/conformance/operations"
	echo 'c-d | 1 | a book | e | all' >"$top/tools/conformance/rules"
	echo "c-d | ${3:-stock: holds, debug: holds}" >"$top/tools/conformance/results"
	printf '%s\n' 'ok 1 - c-d' "${2//; /$'\n'}" >"$top/build/check/ring-4.log"
	got=$("$top/tools/conformance/conformance" --rings 4) &&
		got+=" 0"
	[ "${got//$'\n'/; }" = "$1" ] || { echo "it says '$got'"; false; }
}

test_used()
{
	local held='1 rules hold, 0 do not' not='ONE: the driver did not use it, stock'
	tap_test "an operation that is used" used "$held 0" 'counter ONE 0 0; counter ONE 7 0'
	tap_test "one that is not" used "$not; $held" 'counter ONE 0 0; counter TWO 7 0'
	tap_test "one that is not counted" used "$not; $held" 'counter TWO 7 0'
	held='0 rules hold, 1 do not'
	not="$(printf '%-32s %-34s %s' c-d 'stock: holds (NOT RECORDED)' 'a book')"
	tap_test "a rule that has another result" used "$not; $held" 'counter ONE 7 0' \
		'stock: FAILS, debug: holds'
}

# lived EXPECTED SCRIPT: what a guest's emulators were started for, and the last status, if
# SCRIPT is what the emulator does; "ask WORD" in it asks the host as a guest does,
# "sleep_in_ram" answers QMP as a guest that sleeps, until it is woken up, and "stay_awake"
# as one that does not, until its end
lived()
{
	local got
	rm -rf "$work/life"
	mkdir "$work/life"
	# shellcheck disable=SC2016 # for the emulator to expand
	printf '%s\n' 'case "$*" in' '*guest.resume=1*) why=resume ;;' '*-incoming*) why=incoming ;;' \
		'*) why=boot ;;' 'esac' 'echo $why >>"$run/starts"' \
		'ask() { echo "$1" >"$run/host.out"; read -r answer <"$run/host.in"; }' \
		'qmp() { until [[ $line = *system_wakeup* ]]; do read -r line <&3' \
		'echo "{\"return\": {\"status\": \"$1\"}, \"id\": \"quire\"}" >&4; done; }' \
		'sleep_in_ram() { qmp suspended; }; stay_awake() { qmp running & trap "kill $!" EXIT; }' \
		'exec 3<>"$run/qmp1.in" 4<>"$run/qmp1.out"' "$2" >"$work/emulator"
	got=$(
		. "$here/../guest/qmp.sh"
		. "$here/../guest/life.sh"
		export run=$work/life
		timeout=100 append=boot hotplug=0 qemu=(bash "$work/emulator") status=0
		live || status=$?
		echo "$(xargs <"$run/starts") $status"
	)
	[ "$got" = "$1" ] || { echo "it lived: $got"; false; }
}

# plugged EXPECTED BLOCKS [HOTPLUG]: what QMP is told when the emulator has BLOCKS of memory
plugged()
(
	# shellcheck source=/dev/null
	. "$here/../guest/life.sh"
	emulator=1 hotplug=${3:-1} card=quire,bus=port1 memory=$2
	qmp()
	{
		case $3 in
		*'info ramblock'*) echo "{\"return\": \"$memory\"}" ;;
		*) echo "$3" >>"$work/plugged" ;;
		esac
	}
	: >"$work/plugged"
	plug_in
	[ "$(cat "$work/plugged")" = "$1" ] || { cat "$work/plugged"; return 1; }
)

test_plug()
{
	local card='{"command-line": "device_add quire,bus=port1"}'
	tap_test "a device that is in its slot" plugged '' 'pc.ram 0000:00:02.0:00.0/quire-vram'
	tap_test "a slot that was switched off" plugged "$card" 'pc.ram'
	tap_test "a guest without a slot" plugged '' 'pc.ram' 0
}

# shellcheck disable=SC2016 # for the emulator to expand
test_life()
{
	local boot='[ $why = boot ] || exit 0; '
	tap_test "a guest that ends is off" lived 'boot 0' 'exit 0'
	tap_test "one that hibernates is powered on again" lived 'boot resume 0' "$boot ask hibernate"
	tap_test "as often as it does so" lived 'boot resume resume 4' \
		'ask hibernate; [ "$(wc -l <"$run/starts")" -lt 3 ] || { ask awake; exit 4; }'
	tap_test "not if it died of it" lived 'boot 3' 'ask hibernate; exit 3'
	tap_test "not if it came back" lived 'boot 0' 'ask hibernate; ask awake'
	tap_test "one that sleeps is woken up" lived 'boot 0' '
		ask "suspend 2"; begin=${EPOCHREALTIME/./}; sleep_in_ram
		[ $((${EPOCHREALTIME/./} - begin)) -gt 1000000 ] || exit 1
		ask awake; [ "$answer" = ok ] || exit 2'
	tap_test "one that did not sleep is told" lived 'boot 0' '
		stay_awake; ask "suspend 0"; sleep 1
		ask awake; [ "$answer" = "it did not sleep; see dmesg" ] || exit 1
		ask awake; [ "$answer" = ok ] || exit 2'
	tap_test "nobody sleeps for a word" lived 'boot 0' '
		ask "suspend me"; [ "$answer" = "the host does not know '"'suspend me'"'" ] || exit 1'
	tap_test "nor for what would be octal" lived 'boot 0' '
		ask "suspend 08"; [ "$answer" = "the host does not know '"'suspend 08'"'" ] || exit 1'
	tap_test "each word gets an answer" lived 'boot 0' '
		ask hibernat; [ "$answer" = "the host does not know '"'hibernat'"'" ] || exit 1
		ask awake; [ "$answer" = ok ] || exit 2'
	tap_test "a word may come in pieces" lived 'boot resume 0' "$boot"'
		printf hiber >"$run/host.out"; sleep 0.5; ask nate'
	tap_test "a guest that does not arrive goes on" lived 'boot incoming 0' '
		[ $why = boot ] || exit 1
		ask migrate; [ "$answer" = "the migration failed: the other emulator did not start" ]'
}

# A checkout with rings of our own, each the lines of a script.
make_rings()
{
	mkdir -p "$work/rings/tools/check"
	cp "$here"/{check,rings.sh,run-ring,shape.sh,tap.awk,tap.sh,times.sh} \
		"$work/rings/tools/check/"
	ln -s "$(readlink -f "$tools/guest")" "$work/rings/tools/guest"
	# these rings test no rule
	mkdir "$work/rings/tools/conformance"
	ln -s "$(type -P true)" "$work/rings/tools/conformance/conformance"
}

# ring N LINES
# shellcheck disable=SC2016 # for the ring to expand
ring()
{
	printf '%s\n' '#!/bin/bash' 'now=$(dirname "$0")/now' 'has() { [ -e "$now/$1" ]; }' \
		'soon() { for i in {1..1000}; do ! has "$1" || return 0; sleep 0.1; done; false; }' \
		'touch "$now/$(basename "$0")"' "$2" >"$work/rings/tools/check/ring-$1"
	chmod +x "$work/rings/tools/check/ring-$1"
}

# rings PROCESSORS RING...: run them, in the place of this shell; two guests at once, or
# as many as the variable guests says, with the argument that is in the variable argument, and
# the program that is in the variable only
rings()
{
	exec env -u KERNEL -u KERNEL_CONFIG -u QEMU --default-signal=INT QUIRE_JOBS="$1" ONLY="${only:-}" \
		QUIRE_GUESTS="${guests:-2}" RINGS="${*:2}" "$work/rings/tools/check/check" \
		${argument:+"$argument"}
}

nothing_began() { rm -rf "$work/rings/tools/check/now" && mkdir "$work/rings/tools/check/now"; }

# ringed EXPECTED PROCESSORS RING...: the status; of each ring what passed and failed; all
ringed()
{
	local got status=0
	nothing_began
	got=$(rings "${@:2}") || status=$?
	got="$status: $(sed -nE '$p; s/^ring (.): (.*) passed, (.*) failed \(.*/\1=\2+\3/p' <<<"$got" | xargs)"
	[ "$got" = "$1" ] || { echo "it says $got"; false; }
}

# interrupted STATUS SIGNAL: rings with programs that do not end; none of them is left
interrupted()
{
	local status=0 now=$work/rings/tools/check/now check i
	nothing_began
	rings 2 4 6 >/dev/null 2>&1 &
	check=$!
	for ((i = 0; i < 1000; i++)); do
		[ ! -s "$now/4" ] || [ ! -s "$now/6" ] || break
		sleep 0.1
	done
	kill -"$2" $check
	wait $check || status=$?
	[ $status = "$1" ] || { echo "its status is $status"; return 1; }
	{ [ -s "$now/4" ] && [ -s "$now/6" ]; } || { echo "they did not begin"; return 1; }
	# a signal for any of them
	! kill -0 "$(cat "$now/4")" "$(cat "$now/6")" 2>/dev/null || { echo "a program is left"; false; }
}

# beside_another: while another check runs in the checkout
beside_another()
{
	local lock status=0
	exec {lock}>"$work/rings/build/check/.lock"
	flock "$lock"
	ringed '1: ' 2 2 || status=$?
	exec {lock}>&-
	return $status
}

# shellcheck disable=SC2016 # for the rings to expand
test_rings()
{
	local good='echo ok 1; echo 1..1' never lower=$(($(nice) + 5))
	make_rings
	ring 4 "soon ring-6 && $good"
	ring 6 "$good"
	tap_test "rings: two guests at once, in their order" \
		ringed '0: 4=1+0 6=1+0 2 passed, 0 failed' 2 4 6
	ring 2 "[ \"\$QUIRE_CHECK\" = short ] && $good"
	tap_test "rings: the short tests" ringed '0: 2=1+0 1 passed, 0 failed' 2 2
	ring 2 "[ \"\$QUIRE_CHECK\" = all ] && $good"
	argument=--all tap_test "rings: all tests" ringed '0: 2=1+0 1 passed, 0 failed' 2 2
	argument=--some tap_test "rings: an argument that does not exist" ringed '1: ' 2 2
	ring 2 "$good"
	ring 4 "echo '# program: b (c)'; $good; echo '# status: 0'"
	only='b (c)' tap_test "rings: one program" ringed '0: 4=1+0 2=1+0 2 passed, 0 failed' 2 4 2
	# shellcheck disable=SC2016 # for the ring to expand
	ring 6 'here=$(dirname "$0"); . "$here/shape.sh"; shape d; shapes_end'
	only='b (c)' tap_test "rings: one program, and guests that are not asked for" \
		ringed '0: 4=1+0 2=1+0 2 passed, 0 failed, 1 skipped' 2 4 2 6
	ring 6 "$good"
	tap_test "rings: beside another check" beside_another
	only=b tap_test "rings: a program that does not exist" ringed '1: 4=1+0 2=1+0 2 passed, 1 failed' 2 4 2
	tap_test "rings: each of them once" ringed '0: 6=1+0 1 passed, 0 failed' 2 6 6
	ring 4 "sleep 1.5; ! has ring-6 && $good"
	tap_test "rings: one after the other" ringed '0: 4=1+0 6=1+0 2 passed, 0 failed' 1 4 6
	ring 4 "$good"
	ring 5 "soon ring-4 && $good"
	ring 6 "soon ring-5 && sleep 1.5 && ! has ring-4 && $good"
	tap_test "rings: the longest begins first, and two guests are the most" \
		ringed '0: 6=1+0 4=1+0 5=1+0 3 passed, 0 failed' 4 6 4 5
	ring 5 "soon ring-8 && $good"
	ring 8 "! has ring-4 && $good"
	tap_test "rings: the second longest comes next" \
		ringed '0: 4=1+0 5=1+0 8=1+0 3 passed, 0 failed' 2 4 5 8
	ring 4 "soon ring-8 && soon ring-5 && $good"
	ring 5 "soon ring-8 && soon ring-4 && $good"
	ring 8 "soon ring-4 && soon ring-5 && $good"
	guests=3 tap_test "rings: three guests at once" \
		ringed '0: 4=1+0 5=1+0 8=1+0 3 passed, 0 failed' 2 4 5 8
	guests=0 tap_test "rings: no guest at all is refused" ringed '1: ' 2 4
	ring 4 "soon ring-2 && $good"
	ring 5 "soon ring-2 && $good"
	ring 0 "soon ring-5 && soon ring-4 && soon ring-1 && sleep 1.5 && ! has ring-2 && $good"
	ring 1 "soon ring-2 && $good"
	ring 2 "$good"
	tap_test "rings: beside them two that have no guest, once no guest waits" \
		ringed '0: 4=1+0 5=1+0 0=1+0 1=1+0 2=1+0 5 passed, 0 failed' 4 4 5 0 1 2
	ring 4 "$good"
	ring 0 "soon ring-1 && soon ring-2 && $good"
	ring 1 "soon ring-0 && soon ring-2 && $good"
	ring 2 "soon ring-0 && soon ring-1 && $good"
	tap_test "rings: one more in the place of a guest that is over" \
		ringed '0: 4=1+0 5=1+0 0=1+0 1=1+0 2=1+0 5 passed, 0 failed' 4 4 5 0 1 2
	ring 4 "soon ring-1 && $good"
	ring 5 "soon ring-1 && $good"
	ring 0 "soon ring-5 && soon ring-4 && sleep 1.5 && ! has ring-1 && $good"
	ring 1 "$good"
	ring 6 "$good"
	tap_test "rings: one alone while a guest waits" \
		ringed '0: 4=1+0 5=1+0 0=1+0 1=1+0 6=1+0 5 passed, 0 failed' 4 4 5 0 1 6
	[ $lower -le 19 ] || lower=19
	ring 1 "[ \"\$(nice)\" = $lower ] && $good"
	tap_test "rings: which gives way" ringed '0: 1=1+0 1 passed, 0 failed' 2 1
	ring 0 "[ \"\$(nice)\" = $(nice) ] && $good"
	tap_test "rings: guests wait for the builds" ringed '0: 0=1+0 1 passed, 0 failed' 2 0
	# of the ring's session, with no file of it open
	left='perl -mPOSIX -e "POSIX::close(\$_) for 0..1023; sleep 1000"'
	ring 4 "$left & echo \$! >\"\$now/left\"; $good"
	ring 6 "has left && ! kill -0 \"\$(cat \"\$now/left\")\" 2>/dev/null && $good"
	tap_test "rings: nothing of one that is over is left" \
		ringed '0: 4=1+0 6=1+0 2 passed, 0 failed' 1 4 6
	ring 0 'echo ok 1; echo not ok 2; echo 1..2'
	ring 1 "$good"
	ring 5 'exit 3'
	tap_test "rings: one that fails leaves the others" \
		ringed '1: 0=1+1 5=0+1 1=1+0 2 passed, 2 failed' 2 0 5 1
	never='timeout 1200 bash -c '\''echo $$ >"$0"; exec sleep 1000'\'' "$now/$(basename "$0" | tail -c 2)"'
	ring 4 "$never"
	ring 6 "$never"
	tap_test "rings: interrupted" interrupted 130 INT
	tap_test "rings: ended" interrupted 143 TERM
}

# A tree with what tools/into-tree looks for, and no more.
make_tree()
{
	local drm=$1/drivers/gpu/drm
	mkdir -p "$drm/ttm" "$1/Documentation/gpu" "$1/include/uapi/drm"
	touch "$1/Kbuild" "$drm/ttm/ttm_bo.c"
	printf '%s\n' 'first' 'source "drivers/gpu/drm/qxl/Kconfig"' 'last' >"$drm/Kconfig"
	# shellcheck disable=SC2016 # for make to expand
	printf '%s\n' 'obj-$(CONFIG_DRM_QXL) += qxl/' >"$drm/Makefile"
	printf '%s\n' 'DRM DRIVER FOR QXL VIRTUAL GPU' 'S:	Maintained' '' 'THE REST' >"$1/MAINTAINERS"
	printf '   %s\n' tegra >"$1/Documentation/gpu/drivers.rst"
}

into_tree() { "$tools/into-tree" "$@" "$work/tree"; }
refuses() { ! into_tree "$@" && same_tree; }
same_tree() { diff -r "$work/before" "$work/tree"; }
copy_tree() { rm -rf "$work/before" && cp -a "$work/tree" "$work/before"; }

test_into_tree()
{
	make_tree "$work/clean"
	cp -a "$work/clean" "$work/tree"
	tap_test "into-tree: in" into_tree
	tap_test "into-tree: the driver is there" cmp "$QUIRE_TOP/drivers/gpu/drm/quire/drv/quire_drv.c" \
		"$work/tree/drivers/gpu/drm/quire/drv/quire_drv.c"
	# shellcheck disable=SC2016 # for make to expand
	tap_test "into-tree: it is built" grep -qx 'obj-$(CONFIG_DRM_QUIRE) += quire/' \
		"$work/tree/drivers/gpu/drm/Makefile"
	copy_tree
	tap_test "into-tree: again" into_tree
	tap_test "into-tree: that changes nothing" same_tree
	echo '/* mine */' >>"$work/tree/drivers/gpu/drm/quire/drv/quire_drv.c"
	copy_tree
	tap_test "into-tree: an edited file stays" refuses
	tap_test "into-tree: also when all is to go" refuses --remove
	cp "$QUIRE_TOP/drivers/gpu/drm/quire/drv/quire_drv.c" "$work/tree/drivers/gpu/drm/quire/drv/"
	sed -i '/quire_drv\.c/d' "$work/tree/drivers/gpu/drm/quire/.into-tree"
	tap_test "into-tree: after an update that was stopped" into_tree
	sed -i '/^F:.include\/quire/d' "$work/tree/MAINTAINERS"
	copy_tree
	tap_test "into-tree: an edited entry takes no others with it" refuses --remove
	sed -i '/^F:.drivers\/gpu\/drm\/quire/a F:	include/quire/' "$work/tree/MAINTAINERS"
	tap_test "into-tree: out" into_tree --remove
	tap_test "into-tree: the tree is what it was" diff -r "$work/clean" "$work/tree"
}

# refused EXPECTED WANTED CONFIG: options, with a comma between
refused()
{
	local got
	. "$here/../guest/kernel-build.sh"
	got=$(kernel_refused <(tr , '\n' <<<"$2") <(tr , '\n' <<<"$3") | xargs)
	[ "$got" = "$1" ] || { echo "it refuses '$got'"; false; }
}

test_refused()
{
	tap_test "an option that is granted" refused '' 'CONFIG_A=y,CONFIG_B=n' 'CONFIG_A=y,# CONFIG_B is not set'
	tap_test "one that is not" refused CONFIG_A=y 'CONFIG_A=y' 'CONFIG_A=m'
	tap_test "one that is on against the will" refused CONFIG_B=n 'CONFIG_B=n' 'CONFIG_B=y'
	tap_test "the same, as a configuration says it" refused CONFIG_B=n '# CONFIG_B is not set' 'CONFIG_B=m'
	tap_test "the last word on an option" refused '' 'CONFIG_A=n,CONFIG_A=y' 'CONFIG_A=y'
}

# picked EXPECTED VERSIONS: what is taken of "package version", one a line; it is kept
picked()
(
	QUIRE_CACHE=$work/cache
	. "$here/../guest/apt.sh"
	quire_apt_update() { :; }
	quire_apt_search() { printf '%s\n' "${versions//, /$'\n'}"; }
	versions=$2
	got=$(quire_apt_pick package 'a|b' '.*')
	[ "$got" = "$1" ] || { echo "it picks '$got'"; return 1; }
	[ "$(cd "$work/cache/versions" && echo *)" = package ] || { echo "something else is left"; return 1; }
)

test_picked()
{
	tap_test "versions: the newest" picked 'b 2' 'a 1, b 2'
	tap_test "versions: it stays what it is" picked 'b 2' 'a 1, b 2, a 3'
}

# What installs packages, on a machine that is made up: root is who is "root", sudo wants no password
# of who is "trusted", and one at a terminal of "asked".
# shellcheck disable=SC2016 # for the other shell to expand
installer='
. "$guest/lib.sh"
. "$guest/apt.sh"
id() { [ "$me" = root ] && echo 0 || echo 1000; }
sudo()
{
	case "$me $*" in
	"asked -v") touch "$work/trusted" ;;
	"trusted -n "* | "asked -n "*)
		[ "$me" = trusted ] || [ -e "$work/trusted" ] || return
		shift
		root=1 "$@" ;;
	*) return 1 ;;
	esac
}
quire_apt_update() { mkdir -p "$QUIRE_APT/host"; }
apt-get() { [ "$me${root:-}" = root ] || [ -n "${root:-}" ] || return; echo "$*" >"$work/installed"; }
quire_apt_install_from package meson/suite
'

# install WHO [WORD...]: the status; by the words another shell runs it
install_as()
{
	rm -f "$work"/{trusted,installed}
	env me="$1" guest="$(readlink -f "$tools/guest")" work="$work" QUIRE_CACHE="$work/install" \
		installer="$installer" "${@:2}" >"$work/said" 2>&1
}

installs() { install_as "$@" && grep -q 'install package meson/suite$' "$work/installed"; }

# Without root: the line for root to run is there, and it is one that root can run.
installs_nothing()
{
	local line
	install_as "$@" && { echo "it goes on"; return 1; }
	[ ! -e "$work/installed" ] || { echo "it installs"; return 1; }
	line=$(tr -d '\r' <"$work/said" | grep '^apt-get ') || { cat "$work/said"; return 1; }
	[ "$line" = "apt-get -c $work/install/apt/host/install.conf install package meson/suite" ] ||
		{ echo "it says $line"; return 1; }
	apt-config -c "$work/install/apt/host/install.conf" dump |
		grep -qiF "Dir::State::Lists \"$work/install/apt/host/lists\";"
}

# under_sudo OWNER: a command that sudo runs in a checkout that belongs to OWNER
under_sudo()
(
	id() { echo 0; }
	stat() { echo "$owner"; }
	owner=$1
	SUDO_USER=somebody
	quire_not_sudo
)

refuses_sudo()
{
	! under_sudo 1000 2>"$work/said" || { echo "it goes on"; return 1; }
	grep -q 'run the same command as somebody, without sudo' "$work/said"
}

# shellcheck disable=SC2016 # for the other shell to expand
test_packages()
{
	local shell=(bash -euc 'eval "$installer"') terminal
	terminal=(script -qec "bash -euc 'eval \"\$installer\"'" /dev/null)
	tap_test "packages: as root" installs root "${shell[@]}"
	tap_test "packages: by sudo without a password" installs trusted "${shell[@]}"
	tap_test "packages: by sudo at a terminal" installs asked "${terminal[@]}"
	tap_test "packages: sudo wants a password, and there is no terminal" \
		installs_nothing asked setsid -w "${shell[@]}"
	tap_test "packages: one that sudo does not know" installs_nothing nobody "${terminal[@]}"
	tap_test "sudo: in a user's checkout" refuses_sudo
	tap_test "sudo: in one of root's" under_sudo 0
}

# room EXPECTED FREE HAVE [PART...]: what is said if there are so many MiB free, and in the cache, which
# has these parts; nothing is read of Debian's archive then
# shellcheck disable=SC2154 # of the variables there
room()
(
	unset KERNEL QEMU QUIRE_ROOM
	QUIRE_CACHE=$work/room
	. "$here/../guest/apt.sh"
	. "$here/../guest/host.sh"
	df() { printf '%s\n' head "disk 1 1 $disk_free 1 /"; }
	du() { echo "$disk_used	$QUIRE_CACHE"; }
	quire_apt_missing() { echo "packages are looked for"; }
	quire_apt_install_from() { exit; }
	disk_free=$2 disk_used=$3
	rm -rf "$QUIRE_CACHE"
	[ $# = 3 ] || (cd "$work" && mkdir -p room && cd room && mkdir -p "${@:4}")
	# shellcheck disable=SC2119 # nothing but what a guest needs
	(quire_host_setup) >"$work/said" 2>&1
	[[ $(<"$work/said") = "$1"* && (-n $1 || ! -s $work/said) ]] || { cat "$work/said"; false; }
)

test_room()
{
	local needs='quire: disk: the set-up needs'
	tap_test "disk: room for all" room '' 3072 0
	tap_test "disk: too little" room "$needs 3072 MiB more below $work/room but 3071 MiB are free" 3071 0
	tap_test "disk: too little, with a part there" room "$needs 2072 MiB" 2000 1000 apt/host
	tap_test "disk: enough, with a part there" room '' 2072 1000 apt/host
	tap_test "disk: too little for more, which is not needed" room '' 0 1000 emulator/a kernel-stock/b
	tap_test "disk: too little, after an interruption" room "$needs 2072 MiB" 0 1000 \
		emulator/.tmp.1 kernel-stock/b
	tap_test "disk: the table says what is looked for" rooms_listed
}

# rooms_listed: the last column of the table in CONTRIBUTING.md
rooms_listed()
{
	local lib=$tools/guest/lib.sh guest tests
	guest=$(sed -n 's/^quire_room_guest() { quire_room \([0-9]*\) .*/\1/p' "$lib")
	tests=$(sed -n 's/^quire_room_tests() { quire_room \([0-9]*\) .*/\1/p' "$lib")
	grep -q "^| .make run.*| $((guest / 1024)) GiB |\$" "$QUIRE_TOP/CONTRIBUTING.md" &&
		grep -q "^| .make check.*| $((tests / 1024)) GiB |\$" "$QUIRE_TOP/CONTRIBUTING.md"
}

# accel EXPECTED TEXT STATUS: what accel.sh prints and says (nothing, or TEXT in one line), with
# $work/accel/kvm for KVM and a trial guest that ends with STATUS; as a user who is not root
accel()
{
	local got as=() dir=$work/accel
	mkdir -p "$dir/guest" "$dir/cache"
	cp "$tools/guest/lib.sh" "$dir/guest/"
	sed "s|/dev/kvm|$dir/kvm|" "$tools/guest/accel.sh" >"$dir/guest/accel.sh"
	printf '%s\n' '#!/bin/sh' "exit $3" >"$dir/guest/guest"
	chmod -R a+rX "$dir"
	chmod +x "$dir"/guest/{accel.sh,guest}
	if [ "$(id -u)" = 0 ]; then
		chmod a+x "$work"
		chown -R nobody "$dir/cache"
		as=(setpriv --reuid nobody --regid nogroup --clear-groups)
	fi
	got=$("${as[@]}" env QUIRE_CACHE="$dir/cache" "$dir/guest/accel.sh" 2>"$work/said")
	sed -i '/trying whether/d' "$work/said"
	[ "$got" = "$1" ] || { echo "it prints $got"; cat "$work/said"; return 1; }
	if [ -z "$2" ]; then
		[ ! -s "$work/said" ] || { cat "$work/said"; false; }
	else
		[[ $(<"$work/said") = *"$2"* && $(<"$work/said") != *$'\n'* ]] ||
			{ cat "$work/said"; false; }
	fi
}

test_accel()
{
	local kvm=$work/accel/kvm
	mkdir "$work/accel"
	tap_test "KVM: there is none" accel tcg '' 0
	touch "$kvm"
	chmod 0 "$kvm"
	tap_test "KVM: of another group" accel tcg 'Permission denied: ' 0
	tap_test "KVM: said once" accel tcg '' 0
	chmod a+rw "$kvm"
	tap_test "KVM: once the user may use it" accel kvm '' 0
	rm -r "$work/accel/cache"
	tap_test "KVM: one that does not work" accel tcg 'a guest that tried it failed' 124
	rm -r "$work/accel/cache"
	tap_test "KVM: one that no guest could try" accel tcg 'no guest could try it' 1
}

# synced: what changed, came or went, and nothing else
synced()
{
	local src=$work/sources dst="$work/a copy"
	mkdir -p "$src/b c" "$dst"
	touch "$src"/{same,'b c/gone',object.o} "$dst/built"
	echo old >"$src/b c/changed"
	(quire_sync "$src" "$dst") || return
	touch -d 2001-01-01 "$dst"/{same,'b c/changed'}
	echo new >"$src/b c/changed"
	echo new >"$src/come"
	rm "$src/b c/gone"
	(quire_sync "$src" "$dst") || return
	[ "$(find "$dst" -type f ! -name '.*' -printf '%P,' | tr , '\n' | sort | xargs -d '\n')" = \
		'b c/changed built come same' ] || { find "$dst" -type f; return 1; }
	[ "$(cat "$dst/b c/changed" "$dst/come" | xargs)" = 'new new' ] || { echo "old contents"; return 1; }
	[ "$(find "$dst" -type f ! -newermt 2001-01-02 -printf '%P')" = same ] ||
		{ echo "what did not change was touched"; return 1; }
	rm "$src/object.o" "$dst/built"
	[ "$(quire_key "$src")" = "$(quire_key "$dst")" ] || { echo "its key is another one"; false; }
}

# unsynced: a disk that takes no more
unsynced() { ! (quire_sync "$work/sources" /proc/quire); }

test_synced()
{
	tap_test "copies: what changed, and no more" synced
	tap_test "copies: no room" unsynced
}

# Something to be kept: it says that it is built, waits as long as there is a file "hold", but not for
# ever, and fails if there is a file "fail".
# shellcheck disable=SC2016 # for the other shell to expand
builder='
. "$guest/lib.sh"
build()
{
	echo half >"$1/contents"
	echo "$BASHPID" >>"$work/builds"
	for i in {1..3000}; do [ -e "$work/hold" ] || break; sleep 0.1; done
	[ ! -e "$work/fail" ]
	echo whole >"$1/contents"
}
quire_artifact things "$0" 1 build
'

# artifact KEY: print its path
artifact()
{
	env QUIRE_CACHE="$work/artifacts" guest="$here/../guest" work="$work" bash -euc "$builder" "$1"
}

# is_whole PATH BUILDS: so many were built until now
is_whole()
{
	[ "$(cat "$1/contents")" = whole ] || { echo "'$1' is not whole"; return 1; }
	[ "$(wc -l <"$work/builds")" = "$2" ] || { echo "they are built anew"; return 1; }
	[ -z "$(find "$work/artifacts/things" -mindepth 1 -name '.*')" ] ||
		{ echo "something is left:"; find "$work/artifacts"; false; }
}

# building N: wait for the N-th build; set pid to its shell
building()
{
	local i
	for ((i = 0; i < 1000; i++)); do
		pid=$(sed -n "$1p" "$work/builds" 2>/dev/null)
		[ -z "$pid" ] || return 0
		sleep 0.1
	done
	echo "nothing is built"
	return 1
}

artifact_fails()
{
	local path
	touch "$work/fail"
	! path=$(artifact b 2>/dev/null) || { echo "it prints '$path'"; return 1; }
	[ ! -e "$work/artifacts/things/b" ] || { echo "it is kept"; return 1; }
	rm "$work/fail"
	is_whole "$(artifact b)" 3
}

artifact_is_killed()
{
	local pid
	touch "$work/hold"
	artifact c >/dev/null 2>&1 &
	building 4 || return
	kill -KILL "$pid"
	wait $! && { echo "it ends well"; return 1; }
	[ ! -e "$work/artifacts/things/c" ] || { echo "a half is kept"; return 1; }
	rm "$work/hold"
	is_whole "$(artifact c)" 5
}

artifact_twice()
{
	local pid first second i
	touch "$work/hold"
	artifact d >"$work/first" &
	first=$!
	building 6 || return
	artifact d >"$work/second" 2>"$work/waits" &
	second=$!
	for ((i = 0; i < 1000; i++)); do
		! grep -q waiting "$work/waits" || break
		sleep 0.1
	done
	rm "$work/hold"
	wait $first || { echo "the first fails"; return 1; }
	wait $second || { echo "the second fails"; return 1; }
	grep -q 'waiting for another run that builds things' "$work/waits" || { echo "nobody waits"; return 1; }
	is_whole "$(cat "$work/first")" 6 && is_whole "$(cat "$work/second")" 6
}

# The two that were used last stay, and what was used within the hour.
artifact_prunes()
{
	touch -d '3 hours ago' "$work/artifacts/things/"{a,b}
	touch -d '2 hours ago' "$work/artifacts/things/c"
	is_whole "$(artifact e)" 7 || return
	[ "$(cd "$work/artifacts/things" && echo *)" = 'd e' ] || { ls "$work/artifacts/things"; false; }
}

# A source was edited while a builder waited for another one.
artifact_changed()
{
	(quire_check_key "$work/artifacts/things/d" d) || { echo "it refuses what is right"; return 1; }
	! (quire_check_key "$work/artifacts/things/d" e) 2>"$work/said" || return
	grep -q 'things: its sources changed' "$work/said"
}

artifact_is_built() { is_whole "$(artifact a)" 1; }

test_artifacts()
{
	tap_test "artifacts: one that is built" artifact_is_built
	tap_test "artifacts: one that is there" artifact_is_built
	tap_test "artifacts: a build that fails" artifact_fails
	tap_test "artifacts: a build that is killed" artifact_is_killed
	tap_test "artifacts: two that want the same" artifact_twice
	tap_test "artifacts: old ones go" artifact_prunes
	tap_test "artifacts: sources that changed meanwhile" artifact_changed
}

# marked EXPECTED NUMBER RATIO MARK: what bench says of a figure
marked() { [ "$(judge "${@:2}")" = "$1" ]; }
figures() { is_figure 12.5 && is_figure 1e+06 && is_figure -0.02 && ! is_figure nan && ! is_figure -nan && ! is_figure inf; }
quotients() { [ "$(quotient 3 2) $(quotient 1 0)" = "1.5 0" ]; }

test_marks()
{
	. "$here/../bench/marks.sh"
	tap_test "bench: what is a figure" figures
	tap_test "bench: quotients" quotients
	tap_test "bench: at least, reached" marked reached 0.95 '' '>= 0.95'
	tap_test "bench: at least, missed" marked MISSED 0.9499 '' '>= 0.95'
	tap_test "bench: at most, reached" marked reached 4 '' '<= 4'
	tap_test "bench: at most, missed" marked MISSED 10 '' '<= 4'
	tap_test "bench: times as much, reached" marked reached 10 1.5 x1.5
	tap_test "bench: times as much, missed" marked MISSED 10 1.4 x1.5
	tap_test "bench: times as much as what" marked --against 10 '' x1.5
	tap_test "bench: without a mark" marked '' 10 '' ''
}

# spoilt EXPRESSION: check.sh finds what sed makes of the description of the ioctls
spoilt()
{
	local from=$here/../fuzz/syzkaller
	sed "$1" "$from/dev_quire.txt" >"$work/dev_quire.txt"
	! cmp -s "$from/dev_quire.txt" "$work/dev_quire.txt" || return
	! "$from/check.sh" "$work/dev_quire.txt" 2>/dev/null >&2
}

# igt_says EXPECTED LIST LOG [TESTS]: compare LOG with LIST, "; " ends a line.  EXPECTED: the lines
# below the table, of the last one only the numbers, and the exit status.
igt_says()
{
	local got status=0
	rm -f "$work/igt-found"
	printf '%s\n' "${2//; /$'\n'}" >"$work/igt-list"
	printf '%s\n' "${3//; /$'\n'}" |
		awk -v only="${4:-a b}" -v found="$work/igt-found" -f "$here/igt.awk" \
			"$work/igt-list" - >"$work/igt-table" || status=$?
	got=$(sed '1,/^all /d; s/ subtests are as listed, \(.*\) differences$/ \1/' "$work/igt-table" |
		paste -sd ';' | sed 's/;/; /g')
	[ "$got; $status" = "$1" ] || { echo "it says '$got; $status'"; false; }
}

# igt_found EXPECTED LIST LOG: compare LOG with LIST; EXPECTED are the results in the form of a list
igt_found()
{
	igt_says - "$2" "$3" >"$work/igt-says" || true
	diff <(printf '%s\n' "${1//; /$'\n'}") "$work/igt-found"
}
igt_finds() { igt_found "$1" "$@"; }

# The list of the repository, compared with a log of the same results.
igt_listed()
{
	awk -F ' [|] ' '/^#/ { next }
		$1 != test {
			if (test != "")
				print "# status: 0"
			print "# test: " (test = $1)
			tests = tests (tests == "" ? "" : " ") test
		}
		{ print ($2 == "-" ? "" : "Subtest " $2 ": ") ($3 == "skip" ? "SKIP" : "SUCCESS") " (0.0s)" }
		END { print "# status: 0"; print tests >out }' out="$work/igt-tests" \
		"$here/igt.expected" >"$work/igt-log"
	awk -v only="$(cat "$work/igt-tests")" -f "$here/igt.awk" "$here/igt.expected" \
		"$work/igt-log" >"$work/igt-table" || { cat "$work/igt-table"; return 1; }
}

test_igt()
{
	local list='a | x | pass; a | y | skip | no slot; b | - | pass'
	local x='Subtest x: SUCCESS (0.001s)' y='Subtest y: SKIP (0.000s)'
	local b='# test: b; SUCCESS (1.000s); # status: 0' skipped='a y: skip, as listed: no slot'
	tap_test "IGT: all results as listed" igt_says "$skipped; 3 0; 0" "$list" \
		"# test: a; Starting subtest: x; $x; $y; # status: 0; $b"
	tap_test "IGT: a table" grep -qx 'all  *2  *1  *0' "$work/igt-table"
	tap_test "IGT: a failure that is not listed" igt_says \
		"$skipped; a x: fail, listed is pass; 2 1; 1" "$list" \
		"# test: a; ${x/SUCCESS/FAIL}; $y; # status: 98; $b"
	tap_test "IGT: a crash" igt_says \
		"$skipped; a x: fail, listed is pass; 2 1; 1" "$list" \
		"# test: a; ${x/SUCCESS/CRASH}; $y; # status: 139; $b"
	tap_test "IGT: a listed skip that passes" igt_says \
		"a y: pass, listed is skip; 2 1; 1" "$list" \
		"# test: a; $x; ${y/SKIP/SUCCESS}; # status: 0; $b"
	tap_test "IGT: a test without subtests skips" igt_says \
		"$skipped; b -: skip, listed is pass; 2 1; 1" "$list" \
		"# test: a; $x; $y; # status: 0; # test: b; SKIP (0.000s); # status: 77"
	tap_test "IGT: a subtest that is not listed" igt_says \
		"$skipped; a z: pass, and is not listed; 3 1; 1" "$list" \
		"# test: a; $x; $y; ${x/ x:/ z:}; # status: 0; $b"
	tap_test "IGT: a listed subtest that did not run" igt_says \
		"$skipped; a x: did not run, listed is pass; 2 1; 1" "$list" \
		"# test: a; $y; # status: 77; $b"
	tap_test "IGT: two results of one subtest" igt_says \
		"$skipped; a x: ended twice; 2 1; 1" "$list" \
		"# test: a; $x; $x; $y; # status: 0; $b"
	tap_test "IGT: the guest dies in a test" igt_says \
		"$skipped; b: did not end; b -: did not run, listed is pass; 2 2; 1" \
		"$list" "# test: a; $x; $y; # status: 0; # test: b"
	tap_test "IGT: no output" igt_says \
		"b: did not end; b -: did not run, listed is pass; 0 2; 1" \
		"b | - | pass" '' b
	tap_test "IGT: a test hangs" igt_says \
		"$skipped; b: was killed: it took too long; 3 1; 1" "$list" \
		"# test: a; $x; $y; # status: 0; ${b/%0/124}"
	tap_test "IGT: a test crashes at its exit" igt_says \
		"$skipped; a: ended with status 134; 3 1; 1" "$list" \
		"# test: a; $x; $y; # status: 134; $b"
	tap_test "IGT: lines that look like results" igt_says \
		"$skipped; 3 0; 0" "$list" \
		"$x; # test: a; $x; say ${x/SUCCESS/FAIL}; Dynamic s${x#S}; $y; # status: 0; $b"
	tap_test "IGT: only some of the tests ran" igt_says "1 0; 0" "$list" "$b" b
	tap_test "IGT: a result that varies" igt_says "a x: fail, as listed: slow; 1 0; 0" \
		"a | x | pass or fail | slow" "# test: a; ${x/SUCCESS/FAIL}; # status: 98" a
	tap_test "IGT: a result that varies, and skips" igt_says \
		"a x: skip, listed is pass or fail; 0 1; 1" \
		"a | x | pass or fail | slow" "# test: a; ${x/SUCCESS/SKIP}; # status: 77" a
	tap_test "IGT: a listed skip without a reason" igt_says \
		"a x: is listed as skip, and not why; 0 1; 1" \
		"a | x | skip" "# test: a; ${x/SUCCESS/SKIP}; # status: 77" a
	tap_test "IGT: a subtest that is listed twice" igt_says \
		"b -: is listed twice; 0 1; 1" "b | - | pass; b | - | pass" "$b" b
	tap_test "IGT: results as listed give the same list" igt_finds "$list" "# test: a; $y; $x; # status: 0; $b"
	tap_test "IGT: a result that varies stays in the list" igt_finds "a | x | pass or fail | slow" \
		"# test: a; $x; # status: 0"
	tap_test "IGT: other results give another list" igt_found \
		'a | x | fail; a | y | skip | no slot; a | z | pass' "$list" \
		"# test: a; ${x/ x:/ z:}; ${x/SUCCESS/FAIL}; $y; # status: 98"
	tap_test "IGT: the list of the repository" igt_listed
}

test_description()
{
	local evict='/^drm_quire_evict {/,/^}/' wait='/^drm_quire_fence_wait {/,/^}/'
	tap_test "syzkaller: the description is right" "$here/../fuzz/syzkaller/check.sh"
	tap_test "syzkaller: a field is missing" spoilt '/^\tretained/d'
	tap_test "syzkaller: the last field is missing" spoilt "$evict{/refused_object/d}"
	tap_test "syzkaller: a field of a member is missing" spoilt '/^\tbase_length/d'
	tap_test "syzkaller: a field with another name" spoilt "$evict{s/refused/denied/}"
	tap_test "syzkaller: a field with another size" spoilt 's/^\tvram_size\tint64/\tvram_size\tint32/'
	tap_test "syzkaller: fields in another order" \
		spoilt "$wait{s/^\tpad/\tx/;s/^\thandle/\tpad/;s/^\tx/\thandle/}"
	tap_test "syzkaller: elements with another stride" spoilt 's/sync, 16\]/sync, 24]/'
	tap_test "syzkaller: a flag is missing" spoilt 's/, DRM_QUIRE_BO_CREATE_MMU$//'
	tap_test "syzkaller: a flag that is none" spoilt 's/QUIRE_MADV_DONTNEED/&ED/'
	tap_test "syzkaller: an ioctl is missing" spoilt '/^ioctl.DRM_IOCTL_QUIRE_FENCE_WAIT/d'
	tap_test "syzkaller: an ioctl with another structure" \
		spoilt '/^ioctl.*BO_WAIT/s/drm_quire_bo_wait/drm_quire_fence_wait/'
	tap_test "syzkaller: an ioctl in one direction" spoilt '/^ioctl.*EVICT/s/inout/in/'
	tap_test "syzkaller: a length of nothing" spoilt 's/bytesize\[commands,/bytesize[command,/'
	tap_test "syzkaller: flags of nothing" spoilt 's/\[drm_quire_advice,/[drm_quire_advices,/'
	tap_test "syzkaller: a command is missing" spoilt '/^quire_command_delay {/,/^}/d'
}

# helps COMMAND: "--help" prints its head, and starts nothing
helps()
{
	local said head
	rm -rf "$work/none"
	head=$(awk '$0 == "#" { getline; sub(/^# /, ""); print; exit }' "$QUIRE_TOP/$1")
	said=$(QUIRE_CACHE=$work/none timeout 60 "$QUIRE_TOP/$1" --help 2>&1) || return
	[[ -n $head && $said == "$head"* && $said != *quire:* ]] && [ ! -e "$work/none" ]
}

# has_none COMMAND: an unknown argument is refused, by its name, and starts nothing
has_none()
{
	local said
	rm -rf "$work/none"
	said=$(QUIRE_CACHE=$work/none timeout 60 "$QUIRE_TOP/$1" --nonsense 2>&1) && return 1
	[[ $said == *--nonsense* && $said != *Traceback* ]] && [ ! -e "$work/none" ]
}

# says TEXT COMMAND [ARGUMENT]...: the arguments are refused with that text, and nothing starts
says()
{
	local said
	said=$(env -u KERNEL -u QEMU QUIRE_CACHE="$work/none" timeout 60 "${@:2}" 2>&1) &&
		{ echo "it accepts them"; return 1; }
	[[ $said = *"$1"* ]] || { echo "it says: $said"; return 1; }
	[ ! -e "$work/none" ] || { echo "it starts"; false; }
}

# What is wrong with an option is said with its name.
test_options()
{
	local words expected
	tap_test "the tools with options are built" make_with_options
	tap_test "the guest knows each option of its help" guest_options
	while IFS='|' read -r -a words; do
		expected=${words[1]# }
		read -ra words <<<"${words[0]}"
		case ${words[0]} in
		quire | quire-soak) words[0]=$work/options/${words[0]} ;;
		*) words[0]=$tools/${words[0]} ;;
		esac
		tap_test "a wrong option: ${words[*]##*/}" says "$expected" "${words[@]}"
	done <<-'END'
		guest/guest --nonsense | unknown option '--nonsense'
		guest/guest --nonsense 1 -- true | unknown option '--nonsense'
		guest/guest nonsense | 'nonsense' is no option
		guest/guest --mem | --mem needs a value
		guest/guest --mem some -- true | --mem 'some' is not a number
		guest/guest --kernel none -- true | --kernel 'none' is unknown
		guest/guest --time none -- true | --time 'none' is unknown
		guest/guest --out | --out needs a value
		guest/guest --exporter --kernel debug -- true | --exporter are for Debian's stock kernel
		guest/other-module.sh nonsense | no module 'nonsense'
		guest/emulator.sh --version | --version needs a value
		guest/emulator.sh --version 9.0 | --version '9.0' is unknown
		guest/module.sh --headers | --headers needs a value
		guest/module.sh --kernel | --kernel needs a value
		guest/module.sh --nonsense | '--nonsense' is unknown
		bench/bench --against | --against needs a value
		bench/bench --json | --json needs a value
		bench/instructions.sh --nonsense | unknown argument '--nonsense'
		bench/instructions.sh --profile | --profile needs an operation
		bench/instructions.sh --profile place-4k some | --profile: 'some' is not a number
		into-tree --nonsense | unknown option '--nonsense'
		into-tree --remove | the kernel tree is missing
		into-tree tree nonsense | unknown argument 'nonsense'
		conformance/conformance --nonsense | '--nonsense' is unknown
		conformance/conformance --check nonsense | '--check nonsense' is unknown
		check/check --all --nonsense | --nonsense
		check/check --all nonsense | unknown argument '--all nonsense'
		check/run-ring 1 nonsense | unknown argument 'nonsense'
		guest/clean.sh --cache nonsense | unknown argument '--cache nonsense'
		guest/headers.sh deb12 nonsense | unknown argument 'nonsense'
		guest/kernel.sh stock nonsense | unknown argument 'nonsense'
		guest/module.sh --kernel directory nonsense | unknown argument 'nonsense'
		guest/other-module.sh sw_sync nonsense | unknown argument 'nonsense'
		check/pictures --check nonsense | unknown argument 'nonsense'
		quire draw --nonsense file | --nonsense: unknown option
		quire page --nonsense file | --nonsense: unknown option
		quire page -n file | -n: unknown option
		quire split --size | --size: needs a value
		quire split --size 3 file | --size: not a number from
		quire draw --virtual=1 file | --virtual=1: takes no value
		quire pack --files0-from | --files0-from: needs a value
		quire-soak --nonsense | '--nonsense'
		quire-soak --seed | '--seed' requires an argument
		quire-soak --seed some | --seed: 'some' is not a number
		quire-soak --processes 65 | --processes: '65' is not a number
		quire-soak nonsense | nonsense: unknown argument
	END
}

# variables_read: the names that scripts, Makefiles and programs take from the environment: those
# that a script reads with a default, or that none sets but the shell.
# shellcheck disable=SC2016 # names of variables are looked for
variables_read()
{
	local list scripts own='BASHPID|BASH_SOURCE|EPOCHREALTIME|PIPESTATUS|PWD|TERM|VERSION_CODENAME'
	mapfile -t list < <(cd "$QUIRE_TOP" && find tools qemu-device -type f ! -path '*/corpus/*' \
		! -name '*.faults' ! -name self-test.sh -printf "$QUIRE_TOP/%p\n")
	mapfile -t scripts < <(awk 'FNR == 1 { if (/^#!.*sh$/) print FILENAME; nextfile }' "${list[@]}")
	{
		grep -ohE '\$\{[A-Z][A-Z0-9_]*:?[-=+?]' "${scripts[@]}"
		comm -23 <(grep -ohE '\$\{?[A-Z][A-Z0-9_]+' "${scripts[@]}" | tr -d '${' | sort -u) \
			<(grep -ohE '\b[A-Z][A-Z0-9_]+(\+?=|\}[<>])' "${scripts[@]}" | tr -d '+=}<>' | sort -u)
		printf '%s\n' "$QUIRE_TOP/Makefile" "${list[@]}" | grep -E '/Makefile$|\.mk$' |
			xargs grep -ohE '^[^#]*\b[A-Z][A-Z0-9_]* *\?='
		printf '%s\n' "${list[@]}" | grep -E '\.[ch]$' |
			xargs grep -ohE '\bgetenv\("[A-Z0-9_]+' | sed 's/.*"//'
	} | sed 's/^export //' | grep -oE '[A-Z][A-Z0-9_]*' | sort -u | grep -vxE "$own"
}

# variables_listed: the names in the table of testing.rst
variables_listed()
{
	awk '/^Variables$/ { inside = 1 } inside && /^[^=].*/ && seen == 3 { exit }
		inside && /^=.* =/ { seen++; next }
		seen == 2 { print substr($0, 1, 20) }' "$testing" |
		grep -oE '[A-Z][A-Z0-9_]*' | sort -u
}

# shellcheck disable=SC2016 # for the other shell to expand
test_variables()
{
	tap_test "each variable that a tool reads is in the table, and no other" \
		same_names variables_read variables_listed
	tap_test "a number of jobs that is none" env QUIRE_JOBS=some bash -c \
		'! said=$("$0" --help 2>&1) && [[ $said = *"QUIRE_JOBS: '"'some'"'"* ]]' "$tools/run"
	tap_test "a cache that is relative" relative_cache
}

# shellcheck disable=SC2016 # for the other shell to expand
relative_cache()
{
	local guest
	guest=$(readlink -f "$tools/guest")
	[ "$(cd "$work" && QUIRE_CACHE=here bash -c '. "$0/lib.sh"; echo "$QUIRE_CACHE"' "$guest")" = \
		"$work/here" ]
}

# make_dirs FILE...: a checkout and a cache with these files, made by hand
make_dirs()
{
	local file dir=$work/clean
	rm -rf "$dir"
	mkdir -p "$dir/tools/guest"
	cp "$tools"/guest/{clean,lib}.sh "$dir/tools/guest/"
	for file in "$@"; do
		mkdir -p "$dir/$(dirname "$file")"
		echo "some text" >"$dir/$file"
	done
}

clean() { QUIRE_CACHE=$work/clean/cache "$work/clean/tools/guest/clean.sh" "$@" 2>"$work/said"; }

# keeps NAME FILE...: "make distclean" names the file for which it refuses, and removes none
keeps()
{
	local before
	make_dirs "${@:2}"
	before=$(cd "$work/clean" && find . | sort)
	! clean --cache || { echo "it removes:"; diff <(echo "$before") <(cd "$work/clean" && find . | sort); return 1; }
	grep -qF "'$1'" "$work/said" || { cat "$work/said"; return 1; }
	[ "$(cd "$work/clean" && find . | sort)" = "$before" ] || { echo "something is gone"; false; }
}

# removes FILE...: it removes build and cache
removes()
{
	make_dirs "$@"
	clean --cache || { cat "$work/said"; return 1; }
	[ ! -e "$work/clean/build" ] && [ ! -e "$work/clean/cache" ]
}

# What the tools make themselves, also with a file in it that they do not know.
# shellcheck disable=SC1091 # a copy of lib.sh
removes_own()
{
	make_dirs
	(
		QUIRE_CACHE=$work/clean/cache
		. "$work/clean/tools/guest/lib.sh"
		quire_lock a
		quire_build_dir "$QUIRE_BUILD/check"
		touch "$QUIRE_CACHE/new" "$QUIRE_BUILD/new"
	) || return
	clean && [ ! -e "$work/clean/build" ] && [ -e "$work/clean/cache/new" ] || return
	clean --cache && [ ! -e "$work/clean/cache" ]
}

# uses_no FILE...: a directory with these files is not taken as cache
# shellcheck disable=SC1091 # a copy of lib.sh
uses_no()
{
	make_dirs "$@"
	! (
		QUIRE_CACHE=$work/clean/cache
		. "$work/clean/tools/guest/lib.sh"
		quire_lock a
	) 2>"$work/said" || { echo "it is used"; return 1; }
	grep -q "which is not Quire's" "$work/said" && [ ! -e "$work/clean/cache/locks" ]
}

# shellcheck disable=SC1091 # a copy of lib.sh
uses_unmarked()
{
	make_dirs cache/locks/apt cache/letter
	(
		QUIRE_CACHE=$work/clean/cache
		. "$work/clean/tools/guest/lib.sh"
		quire_lock a
	) && ! clean --cache && [ -e "$work/clean/cache/letter" ]
}

test_clean()
{
	tap_test "clean: what the tools made" removes_own
	tap_test "clean: what an earlier version made" removes build/check/a build/quire.log \
		cache/locks/apt cache/tree/a/path cache/headers-deb12/a/b cache/locks/part cache/part/a
	tap_test "clean: nothing" removes
	tap_test "clean: a cache that is the home directory" keeps letter cache/letter cache/quire/a build/check/a
	tap_test "clean: one that has a file more" keeps letter cache/locks/apt cache/letter
	tap_test "clean: a directory with a name of ours" keeps tree cache/tree/a build/check/a
	tap_test "clean: a build directory with a file more" keeps letter build/letter build/check/a cache/locks/a
	tap_test "a cache that is the home directory is not used" uses_no cache/letter
	tap_test "nor one with a name of ours" uses_no cache/tree/a
	tap_test "a cache that has a file more is used, and gets no mark" uses_unmarked
}

# Each option that the guest's help has is one that it knows.
guest_options()
{
	local option said='' options
	options=$("$tools/guest/guest" --help | grep -oE '^  --[a-z-]+')
	[ "$(wc -l <<<"$options")" -gt 20 ] || { echo "it has only: $options"; return 1; }
	for option in $options; do
		said+=$("$tools/guest/guest" "$option" 2>&1 </dev/null | grep 'unknown option' || true)
	done
	[ -z "$said" ] || { echo "$said"; false; }
}

make_with_options()
{
	local name
	for name in quire soak; do
		make -s -C "$tools/$name" -j "$QUIRE_JOBS" O="$work/options" || return
	done
}

# is_command FILE: does somebody run it here, or another script? Not the guest, whose shell is that of
# busybox; nor kbuild, or a machine of CI; nor ring 3 with an emulator of its own.
is_command()
{
	case $1 in
	tools/tests/* | tools/soak/*.sh | tools/*/*in-guest.sh | tools/coverage/mark.sh | \
		tools/guest/init | tools/guest/guest-power) false ;;
	drivers/* | .ci/* | qemu-device/tests/*) false ;;
	esac
}

test_arguments()
{
	local command executables
	[ -e "$QUIRE_TOP/.git" ] || { tap_test "commands" echo "1..0 # SKIP not a checkout of git"; return; }
	mapfile -t executables < <(git -c safe.directory="$QUIRE_TOP" -C "$QUIRE_TOP" ls-files -s |
		sed -n 's/^100755 .*\t//p')
	tap_test "there are commands" test ${#executables[@]} -gt 0
	for command in "${executables[@]}"; do
		is_command "$command" || continue
		tap_test "$command --help" helps "$command"
		# options that it does not know are for the guest to refuse
		[ "$command" = tools/check/same-twice.sh ] ||
			tap_test "$command --nonsense" has_none "$command"
	done
}

echo "# program: the checks themselves"
test_counts
test_alone
test_times
test_judge
test_faults
test_held
test_used
test_life
test_plug
test_rings
test_into_tree
test_refused
test_picked
test_packages
test_accel
test_room
test_synced
test_artifacts
test_arguments
test_options
test_variables
test_clean
test_marks
test_igt
test_description
tap_end
echo "# status: 0"
