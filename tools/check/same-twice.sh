#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# A guest in virtual time, twice: the consoles, both outputs of the programs, and all trace events
# of the device, its fences among them, are the same, byte by byte.
#
# Usage: same-twice.sh OPTIONS... -- COMMAND...    as of tools/guest/guest
# Exit status: 0 if the command did well and the guests were the same.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_help "$0" "$@"

# not in TMPDIR: QEMU's options know no blanks and commas in names
work=$(mktemp -d /tmp/quire-same.XXXXXX)
trap '[ "$status" = 1 ] || rm -rf "$work"' EXIT
status=0

for run in 1 2; do
	"$here/../guest/guest" --time virtual --console "$work/console-$run" \
		--emulator-args "-trace enable=quire_*,file=$work/trace-$run" \
		"$@" >"$work/output-$run" 2>"$work/errors-$run" </dev/null || {
		tail -n 20 "$work/output-$run" "$work/errors-$run"
		status=1
		exit 1
	}
	if grep -q 'icount-idle.patch.*is left out' "$work/errors-$run"; then
		echo "ok 1 - # SKIP the patch that makes them the same does not fit this QEMU"
		exit 0
	fi
	# how long a build took
	sed -i '/^quire: /d' "$work/errors-$run"
done
grep -q quire_complete "$work/trace-1" || { echo "the device says nothing"; status=1; }
for what in console output errors trace; do
	cmp "$work/$what-1" "$work/$what-2" && continue
	status=1
	diff "$work/$what-1" "$work/$what-2" | head -n 6
done
[ $status = 0 ] || echo "what they said is in $work"
exit $status
