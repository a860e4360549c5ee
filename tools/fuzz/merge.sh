#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Takes into the repository what the fuzzers learned.
#
# Usage: merge.sh DIR
# DIR is what the Makefile built; its corpora are read, those beside this script are written. One of
# a fuzzer of user space is made anew: the 60 inputs that reach most together, of all that there are
# and of others that are made of them for two minutes. To those of QEMU's fuzzer, which starts from
# seeds, inputs are added that reach code which neither they nor the seeds reach.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_help "$0" "$@"
[[ $# = 1 && -d $1 ]] || quire_die "merge.sh: '$*' is no directory; see tools/fuzz/merge.sh --help"
out=$1

# distil NAME
distil()
{
	mkdir -p "$out/corpus/$1"
	quire_run "$out/merge-$1.log" "merge of $1" \
		"$out/${1}_distil" 60 120 "$here/corpus/$1" "$out/corpus/$1"
	echo "$1: $(sed -n 's/^improved: //p' "$out/merge-$1.log")"
}

# merge SHAPE: a seed is not taken: it is made anew each time.
merge()
{
	local name=$1 all=$out/merge/$1 known
	rm -rf "$all"
	mkdir -p "$all" "$out/corpus/$name"
	cp "$here/corpus/$name"/* "$out/seeds.d"/* "$all"
	known=$(find "$all" -type f | wc -l)
	# how often, and with which values, is no new code
	quire_run "$out/merge-$name.log" "merge of $name" "$here/generic.sh" "$name" -use_value_profile=0 \
		-use_counters=0 -merge=1 "$all" "$out/corpus/$name"
	# libFuzzer names what it adds by its SHA-1
	find "$all" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' \
		-exec cp -n -t "$here/corpus/$name" {} +
	echo "$name: $(($(find "$all" -type f | wc -l) - known)) inputs taken"
}

for name in paging command submit device mmu; do
	distil $name
done
merge express
merge conventional
