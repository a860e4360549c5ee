#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# A short run of QEMU's generic fuzzer: each seed three times, then RUNS inputs in all: seeds, the
# corpus, and others that are made of them.  Prints TAP.
#
# Usage: check-generic.sh DIR RUNS
# DIR is what the Makefile built; what is found goes to DIR/findings.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_help "$0" "$@"
. "$here/../guest/emulator-fuzz.sh"
[[ $# = 2 && -d $1 ]] ||
	quire_die "check-generic.sh: '$*' are not its arguments; see tools/fuzz/check-generic.sh --help"
out=$1 runs=$2
shapes=(express conventional)

# seeds SHAPE: each of them reaches what it is made for, in three runs: a slice of the device
# ends after so much real time, and on a loaded machine the input can be over before the next.
seeds()
{
	local shape=$1 status=0
	echo "# program: seeds of QEMU's fuzzer: $shape"
	QEMU_FUZZ_ARGS="-trace 'quire_*'" timeout -k 5 1200 "$here/generic.sh" "$shape" \
		-runs=3 -artifact_prefix="$out/findings/$shape-" "$out"/seeds.d/* \
		>"$out/$shape-seeds.log" 2>&1 || status=$?
	awk -f "$here/reach.awk" "$out/seeds.reach" "$out/$shape-seeds.log"
	echo "# status: $status"
}

# random SHAPE: the seeds, the corpus, and inputs that are made of them.
random()
{
	local shape=$1 status=0 log=$out/$1-short.log
	echo "# program: QEMU's fuzzer: $shape"
	rm -rf "$out/short"
	mkdir "$out/short"
	timeout -k 5 3000 "$here/generic.sh" "$shape" -runs="$runs" \
		-artifact_prefix="$out/findings/$shape-" "$out/short" "$out/seeds.d" \
		"$here/corpus/$shape" >"$log" 2>&1 || status=$?
	if [ "$status" = 0 ] && grep -q "^Done $runs runs" "$log"; then
		echo "ok 1 - $shape: no finding in $runs executions"
	else
		grep -v '^#[0-9]' "$log" | tail -n 40 | sed 's/^/# /'
		find "$out/findings" -name "$shape-*" -printf "# $here/generic.sh $shape %p\\n" | sort
		echo "not ok 1 - $shape: finding or crash, status $status"
	fi
	echo '1..1'
	echo "# status: 0"
}

if ! emulator_fuzz_possible; then
	echo "# program: QEMU's fuzzer"
	echo '1..0 # SKIP there is no clang with libFuzzer; install clang and libclang-rt-dev'
	echo '# status: 0'
	exit 0
fi
# a build that fails says so, before any test
"$here/../guest/emulator.sh" --fuzz >/dev/null
mkdir -p "$out/findings"
for shape in "${shapes[@]}"; do
	seeds "$shape"
	random "$shape"
done
