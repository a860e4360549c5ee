#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# A guest in virtual time, twice: the consoles, what the programs print, and all trace events of
# the device, its fences among them, are the same, byte by byte.
#
# Usage: same-twice.sh OPTIONS... -- COMMAND...    as of tools/guest/guest
# Exit status: 0 if the command did well and the guests were the same.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"

work=$(mktemp -d "${TMPDIR:-/tmp}/quire-same.XXXXXX")
trap 'rm -rf "$work"' EXIT

for run in 1 2; do
	"$here/../guest/guest" --time virtual --console "$work/console-$run" \
		--emulator-args "-trace enable=quire_*,file=$work/trace-$run" \
		"$@" >"$work/output-$run" 2>&1 </dev/null || {
		tail -n 20 "$work/output-$run"
		exit 1
	}
done
grep -q quire_complete "$work/trace-1" || { echo "the device says nothing"; exit 1; }
status=0
for what in console output trace; do
	cmp "$work/$what-1" "$work/$what-2" && continue
	status=1
	diff "$work/$what-1" "$work/$what-2" | head -n 6
done
exit $status
