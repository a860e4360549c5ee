#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs what the Makefile built and prints TAP.
#
# Usage: check.sh DIR INPUTS
#
# Submissions are fuzzed from the check to the bytes with so many inputs, and so are check and patcher
# of command buffers, and the engine alone; builder, loop and engine together with half as many,
# virtual addresses with a sixteenth.  They are the same inputs each time, those of
# tools/fuzz/corpus and others that are made of them: what is new is found by "make fuzz".  What
# they find is in DIR/findings.

set -u
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_help "$0" "$@"
[[ $# = 2 && -d $1 ]] ||
	quire_die "check.sh: '$*' are not its arguments; see tools/fuzz/check.sh --help"
out=$1
inputs=$2
[[ $inputs =~ ^[1-9][0-9]*$ ]] ||
	quire_die "check.sh: INPUTS=$inputs is no number of inputs; use INPUTS=20000"

failed=0

unit()
{
	echo '# program: builder and commands in user space'
	"$out/unit_test"
	status=$?
	echo "# status: $status"
	[ "$status" = 0 ] || failed=1
}

# Prints one number of the fuzzer's final report.
stat_of() { sed -n "s/^stat::$1: *//p" "$2"; }

# Does the fuzzer of LOG say what its inputs reached, and is that all?
reaches()
{
	! grep '^reach: 0 ' "$1" | sed 's/^/# no input: /' | grep . || return 1
	grep -q '^reach: [1-9]' "$1"
}

fuzz()
{
	name=$1 what=$2 runs=$3
	log=$out/$name.log
	echo "# program: fuzzer: $what"
	# what it keeps goes to the first of both, and away
	rm -rf "$out/kept"
	mkdir -p "$out/findings" "$out/kept"
	# A program that hangs is a finding; one that does not even end is killed.
	timeout -k 5 3600 "$out/${name}_fuzz" -runs="$runs" -seed=1 -timeout=120 \
		-max_len=1024 -print_final_stats=1 -artifact_prefix="$out/findings/$name-" \
		"$out/kept" "$here/corpus/$name" >"$log" 2>&1
	status=$?
	runs=$(stat_of number_of_executed_units "$log")
	edges=$(sed -n 's/.*DONE *cov: \([0-9]*\) ft: \([0-9]*\).*/\1 edges, \2 features/p' "$log")

	echo "# $name: ${runs:-no} executions, coverage ${edges:-unknown}"
	if [ "$status" = 0 ] && ! reaches "$log"; then
		echo "not ok 1 - $what: inputs do not reach all that they should"
		echo "# does a change give the stored inputs another meaning? Then make them anew:"
		echo "# make -C tools/fuzz O=\$PWD/build/fuzz merge"
		failed=1
	elif [ "$status" = 0 ] && [ "${runs:-0}" -gt 0 ]; then
		echo "ok 1 - $what: no finding in $runs executions"
	else
		grep -v '^#[0-9]' "$log" | tail -n 40 | sed 's/^/# /'
		find "$out/findings" -name "$name-*" -printf "# $out/${name}_fuzz %p\\n" | sort
		echo "not ok 1 - $what: finding or crash, status $status"
		failed=1
	fi
	echo '1..1'
	echo '# status: 0'
}

unit
# each of these is up to four rounds
fuzz paging 'builder, loop and engine together' $(((inputs + 1) / 2))
fuzz submit 'submissions from the check to the bytes' "$inputs"
fuzz command 'check and patcher of command buffers' "$inputs"
fuzz device 'engine against hostile input' "$inputs"
# each of these is a hundred times as long
fuzz mmu 'virtual addresses, with and without a TLB' $(((inputs + 15) / 16))
exit "$failed"
