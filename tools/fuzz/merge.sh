#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Takes from what the fuzzers learned those inputs that reach code which nothing in the
# repository reaches.
#
# Usage: merge.sh DIR
# DIR is what the Makefile built; its corpora are read, those beside this script are added to.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_help "$0" "$@"
[[ $# = 1 && -d $1 ]] || quire_die "merge.sh: '$*' is no directory; see tools/fuzz/merge.sh --help"
out=$1

# merge NAME COMMAND...: a seed is not taken: it is made anew each time.
merge()
{
	local name=$1 all=$out/merge/$1 known
	shift
	rm -rf "$all"
	mkdir -p "$all" "$out/corpus/$name" "$here/corpus/$name"
	cp "$here/corpus/$name"/* "$all" 2>/dev/null || true
	case $name in
	express | conventional) cp "$out/seeds.d"/* "$all" ;;
	esac
	known=$(find "$all" -type f | wc -l)
	# how often, and with which values, is no new code
	quire_run "$out/merge-$name.log" "merge of $name" "$@" -use_value_profile=0 \
		-use_counters=0 -merge=1 "$all" "$out/corpus/$name"
	# libFuzzer names what it adds by its SHA-1
	find "$all" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' \
		-exec cp -n -t "$here/corpus/$name" {} +
	echo "$name: $(($(find "$all" -type f | wc -l) - known)) inputs taken"
}

merge paging "$out/paging_fuzz" -max_len=1024
merge command "$out/command_fuzz" -max_len=1024
merge submit "$out/submit_fuzz" -max_len=1024
merge device "$out/device_fuzz" -max_len=1024
merge mmu "$out/mmu_fuzz" -max_len=1024
merge express "$here/generic.sh" express
merge conventional "$here/generic.sh" conventional
