#!/bin/bash
# shellcheck disable=SC2034,SC2154 # the variables are those of coverage
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Counts in guests: the kernel's own gcov, of the module alone.
#
# Sourced by coverage; coverage_guests() is the entry.  Each guest leaves an archive of its
# counts, see tools/guest/guest.

# The KUnit tests that user space has, and those that it has not: they run when their module
# is loaded.
guests_kunit()
{
	local module
	module=$("$here/../guest/module.sh" --kernel "$kernel")
	quire_run "$dir/kunit.log" "KUnit tests in a guest" \
		"$here/../guest/guest" --console "$dir/kunit.console" --append kunit.enable=1 \
		--share "${module%/*}" -- sh -ec '
			insmod /share/quire_kunit.ko
			cat /sys/kernel/debug/kunit/quire*/results
			! grep -l "^not ok" /sys/kernel/debug/kunit/quire*/results'
}

coverage_guests()
{
	local dir=$coverage/guests kernel
	kernel=$("$here/../guest/kernel.sh" coverage)
	rm -rf "$dir"
	mkdir -p "$dir"
	export QUIRE_COVERAGE=$dir
	guests_kunit
	RINGS='5 6 7 8 9' "$here/../check/check" --all || failed=1
}
