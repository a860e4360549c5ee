#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Builds the programs that run in the guest.
#
# Usage: programs.sh
# Environment: QUIRE_PROGRAMS  the folders of tools whose programs there are to be; see lib.sh
# The results are in build/NAME.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_no_arguments "$0" "$@"

quire_build_dir "$QUIRE_BUILD"
exec {lock}>"$QUIRE_BUILD/.programs.lock"
flock "$lock"
for name in $QUIRE_PROGRAMS; do
	[ -f "$QUIRE_TOP/tools/$name/Makefile" ] || continue
	quire_run "$QUIRE_BUILD/$name.log" "build of tools/$name" \
		make -C "$QUIRE_TOP/tools/$name" -j "$QUIRE_JOBS" O="$QUIRE_BUILD/$name"
done

[[ " $QUIRE_PROGRAMS " == *" tests "* ]] || exit 0
# A test that is no more would still run, and count, in the guest.
list=" $(make -s -C "$QUIRE_TOP/tools/tests" list | xargs) "
for file in "$QUIRE_BUILD"/tests/*; do
	[[ $list == *" ${file##*/} "* ]] || rm -f "$file"
done
