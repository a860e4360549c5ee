#!/bin/bash
# shellcheck disable=SC2034 # TEST_NOT_BUILT and TEST_NOT_RUN are for who sources this
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The tests that a deliberate fault can name, each of which builds what it needs in the copy of
# the checkout that it is given.
#
#   engine PROGRAM              a unit test of the engine, in user space
#   library PROGRAM             a unit test of libquire, or of what tests use, in user space
#   builder                     the KUnit tests of builder and commands, in user space
#   fuzz NAME                   a fuzzer of user space, with its corpus and inputs made of it
#   kunit                       all KUnit tests, in user-mode Linux
#   qtest NAME                  one qtest of the device, in QEMU
#   stream                      can streams of earlier versions be loaded?
#   guest [OPTIONS] -- PROGRAM  one program in a guest, as for tools/guest/guest; in virtual time,
#                               unless OPTIONS or what the host does (guest-power) want real time
#   rules                       the tests of all rules of the paging model and of splitting, in
#                               user space and in a guest
#   pictures                    are those of the documentation what the command-line tool draws?
#
# Sourced after lib.sh.

# Statuses beside the test's own. Not built: the fault does not compile. Not run: there is no
# verdict.
TEST_NOT_BUILT=198
TEST_NOT_RUN=199

# test_is_known TEST
test_is_known()
{
	local words
	read -ra words <<<"$1"
	case $1 in
	builder | kunit | rules | pictures | stream) ;;
	engine\ test-* | library\ test-* | qtest\ * | fuzz\ *) [ ${#words[@]} = 2 ] ;;
	guest\ *--\ *) ;;
	*) false ;;
	esac
}

# test_sources TEST: what of the checkout the test is made of.
test_sources()
{
	case $1 in
	engine*) echo qemu-device/{engine,tests/{engine,host}} include ;;
	library*) echo include drivers/gpu/drm/quire/commands tools/{include,libquire,quire,tests/lib,tests/library} ;;
	builder) echo qemu-device/{engine,tests/{engine,host}} include drivers tools/{fuzz,include} ;;
	fuzz*) echo qemu-device/{engine,tests/{engine,host}} include drivers \
		tools/{fuzz,include,libquire,tests/lib} ;;
	kunit) echo drivers include tools/guest tools/check/ring-2 ;;
	rules) echo qemu-device/{engine,hw,tests/{engine,host}} include drivers Makefile Kconfig \
		tools/{conformance/in-guest.sh,conformance/rules,fuzz,guest,libquire,include}
		rules_sources ;;
	pictures) echo drivers/gpu/drm/quire/commands Documentation/gpu/quire \
		tools/{check/pictures,include,libquire,quire} include ;;
	qtest* | stream) echo qemu-device include tools/guest ;;
	guest*) echo qemu-device/{engine,hw} include drivers Makefile Kconfig tools/{guest,libquire,include}
		program_sources "${1##*-- }" ;;
	esac
}

# program_sources PROGRAM: what of tools/soak it is made of, or of tools/tests: all but the
# other programs; and those that it runs.
program_sources()
{
	local own=${1%% *}
	if [ "$own" = quire-soak ] || [ -e "$QUIRE_TOP/tools/soak/$own" ]; then
		# its Makefile takes files from the tests; a script runs one of them
		echo tools/soak
		own=${1##* }
	fi
	own=${own#quire-test-}
	case $own in
	draw* | examples | hello | page.sh) echo tools/quire tools/examples ;;
	esac
	(cd "$QUIRE_TOP" && find tools/tests -type f ! -path '*/library/*' \
		\( ! -name 'test_*.c' -o -name "test_${own//-/_}.c" \))
}

# rules_sources: what the programs are made of, without those of other tests.
rules_sources()
{
	(cd "$QUIRE_TOP" && find tools/tests -type f ! -path '*/library/*' \
		\( ! -name 'test_*.c' -o -name 'test_conformance_*' \))
}

# rules_failed LOG: the rules whose tests say so, or have no result.
rules_failed()
{
	awk -F ' [|] ' -v OFS='\n' '
		FILENAME ~ /rules$/ { if (!/^#/ && NF) order[++n] = $1; next }
		/^(not )?ok [0-9]+ - / {
			sub(/\r$/, "")
			name = $0
			sub(/^(not )?ok [0-9]+ - (quire_conformance(_split)?: )?/, "", name)
			sub(/ *$/, "", name)
			gsub(/_/, "-", name)
			if (/^ok/)
				holds[name] = 1
			else
				fails[name] = 1
		}
		END {
			for (i = 1; i <= n; i++)
				if (!holds[order[i]] || fails[order[i]])
					print order[i]
		}' "$QUIRE_TOP/tools/conformance/rules" "$1"
}

# run_test TREE TEST LOG: 0 if it passes.
run_test()
{
	local words
	read -ra words <<<"$2"
	"test_${words[0]}" "$1" "${words[@]:1}" >"$3" 2>&1
}

# What a test says when it fails.
test_complaints='^ *not ok|^Bail out!|^# ERROR:|^soak: process |Sanitizer: |runtime error: '
test_complaints+='|: finding: |ERROR: libFuzzer: |the kernel complained|the driver does not load'
test_complaints+='|Kernel panic - not syncing|is not what quire split draws'

# test_evidence STATUS LOG: print what the test says of its failure, if it does: a guest that
# could not be booted has found nothing.
test_evidence()
{
	local line
	line=$(grep -aEm1 "$test_complaints" "$2")
	case $1-$line in
	*-?*) ;;
	124- | 137-) line='it does not end' ;;
	125-) line='the guest dies' ;;
	13[0-9]- | 14[0-9]- | 15[0-9]-) line='it crashes' ;;
	*) return 1 ;;
	esac
	line=${line#quire: guest: }
	tr -d '\r' <<<"${line#==*==}"
}

# limited SECONDS COMMAND...: run it for so long at most.  What is killed before that, as by the OOM
# killer of the host, was not run.
limited()
{
	local begin=$SECONDS status=0
	timeout -k 5 "$@" || status=$?
	[ $status != 137 ] || [ $((SECONDS - begin)) -ge "$1" ] || status=$TEST_NOT_RUN
	return $status
}

test_engine()
{
	local build=$1/../engine
	make -s -C "$1/qemu-device/tests/engine" -j "$QUIRE_JOBS" O="$build" "$build/$2" ||
		return $TEST_NOT_BUILT
	limited 600 "$build/$2"
}

test_library()
{
	local build=$1/../library
	make -s -C "$1/tools/tests/library" -j "$QUIRE_JOBS" O="$build" "$build/$2" ||
		return $TEST_NOT_BUILT
	limited 600 "$build/$2"
}

test_builder()
{
	local build=$1/../fuzz
	make -s -C "$1/tools/fuzz" -j "$QUIRE_JOBS" O="$build" "$build/unit_test" ||
		return $TEST_NOT_BUILT
	limited 600 "$build/unit_test"
}

# As in "make check": what it learns is forgotten, the corpus finds the fault, or inputs that are
# soon made of it.
test_fuzz()
{
	local build=$1/../fuzz kept=$1/../fuzz/kept
	make -s -C "$1/tools/fuzz" -j "$QUIRE_JOBS" O="$build" "$build/${2}_fuzz" ||
		return $TEST_NOT_BUILT
	rm -rf "$kept"
	mkdir "$kept" || return $TEST_NOT_RUN
	limited 3600 "$build/${2}_fuzz" -seed=1 -runs=4000 -max_len=1024 -timeout=120 \
		-artifact_prefix="$build/" "$kept" "$1/tools/fuzz/corpus/$2"
}

test_pictures()
{
	make -s -C "$1/tools/quire" -j "$QUIRE_JOBS" O="$1/build/pictures" >/dev/null ||
		return $TEST_NOT_BUILT
	"$1/tools/check/pictures" --check
}

# kunit.py does not tell by its status.
test_kunit()
{
	local results status=0
	results=$("$1/tools/check/ring-2") || status=$?
	printf '%s\n' "$results"
	grep -q '^1\.\.' <<<"$results" || return $TEST_NOT_BUILT
	[ $status = 0 ] && [ "$(grep -c '^ok ' <<<"$results")" = "$(sed -n 's/^1\.\.//p' <<<"$results")" ]
}

# find_emulator TREE [--qtests]: set emulator. One that is built with a fault leaves the cache when
# this shell ends, also early; the checkout's stays.
find_emulator()
{
	local own
	own=$("$QUIRE_TOP/tools/guest/emulator.sh" "${@:2}") || return $TEST_NOT_RUN
	emulator=$("$1/tools/guest/emulator.sh" "${@:2}") || return $TEST_NOT_BUILT
	[ "$emulator" = "$own" ] || trap 'quire_forget "$emulator"' EXIT
}

test_qtest()
{
	local path status=0
	find_emulator "$1" --qtests || return
	export QTEST_QEMU_BINARY=$emulator/qemu-system-x86_64
	path=$("$emulator/qos-test" -l 2>/dev/null | sed 's/^# //' | grep -m 1 "/$2\$") ||
		status=$TEST_NOT_RUN
	[ -z "$path" ] || limited 600 "$emulator/qos-test" --tap -p "$path" || status=$?
	return $status
}

test_stream()
{
	find_emulator "$1" --qtests || return
	limited 120 /usr/bin/python3 "$1/qemu-device/tests/stream.py" "$emulator/qemu-system-x86_64"
}

# test_guest TREE [OPTIONS] -- PROGRAM...
test_guest()
{
	local tree=$1 kernel=stock time=virtual
	shift
	[[ " $* " != *" --kernel debug "* ]] || kernel=debug
	# what the host does to a guest takes real time
	[[ " $* " != *" guest-power "* ]] || time=real
	find_emulator "$tree" || return
	kernel=$("$QUIRE_TOP/tools/guest/kernel.sh" "$kernel") || return $TEST_NOT_RUN
	"$tree/tools/guest/module.sh" --kernel "$kernel" || return $TEST_NOT_BUILT
	"$tree/tools/guest/guest" --time $time --timeout 3600 "$@" </dev/null
}

test_rules()
{
	local build=$1/../fuzz status=0
	make -s -C "$1/tools/fuzz" -j "$QUIRE_JOBS" O="$build" "$build/unit_test" ||
		return $TEST_NOT_BUILT
	limited 600 "$build/unit_test" 'quire_conformance*' || status=1
	test_guest "$1" -- sh -c "$(cat "$1/tools/conformance/in-guest.sh")" || status=$?
	return $status
}
