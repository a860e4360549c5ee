#!/bin/bash
# shellcheck disable=SC2154 # the variables are those of guest
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# How a guest ended, from what it left behind.
#
# Sourced by guest after lib.sh, which sets run, console, timeout and built_in; judge() is the
# entry.

# Of the kernel.  What starts with WARNING: is of WARN() in two shapes, or of lockdep; BUG with a
# name and a state behind it is of SLUB.
kernel_complaints='BUG: |BUG [^ ]+ \(|WARNING: (CPU: |.*, CPU#|possible|suspicious|inconsistent'
kernel_complaints+='|bad unlock|bad contention|held lock|lock held|Nested|chain_key collision'
kernel_complaints+='|.*(still has locks held|lock order detected))|KASAN: |UBSAN: '
kernel_complaints+='|INFO: task |INFO: rcu|INFO: trying to register|sleeping function called|DMA-API: |Oops: '
kernel_complaints+='|kmemleak: (unreferenced object|Kernel memory leak detector disabled)'
kernel_complaints+='|general protection fault|ODEBUG: |refcount_t: |list_(add|del) corruption'
kernel_complaints+='|Kernel panic|quire: unknown parameter'
# And of the driver: what was unmapped is used, see the test option check_dummy_page.
complaints="$kernel_complaints|something wrote to the dummy page"

# report REASON STATUS: the end of the console, one line, and exit.
report()
{
	tail -n 40 "$run/console" | tr -d '\r' >&2
	[ ! -s "$run/qemu.log" ] || tail -n 5 "$run/qemu.log" >&2
	! grep -qsE ': (iotlb_to_section|msix_table_mmio_write): Assertion' "$run/qemu.log" ||
		quire_say "guest: that is a mistake of QEMU's; see Documentation/gpu/quire/testing.rst, An emulator of your own"
	quire_say "guest: $1; the whole console is in $console"
	exit "$2"
}

# The kernel's messages since the driver could be loaded; of one that is built in, since its first
# message.
messages()
{
	if [ "$built_in" = 1 ]; then
		sed -n '/quire/,$p' "$run/console"
	else
		sed '1,/quire-guest: start/d' "$run/console"
	fi
}

# The same without what was expected: "syncobj-count" is the warning of the page allocator when
# drm_syncobj_array_find() of the DRM core asks for as many pages as a program said.  With another
# complaint between its first line and its end it stays.
unexpected_messages()
{
	[ "${expected:-}" = syncobj-count ] || { messages; return; }
	messages | complaints=$complaints awk '
		function flush() { printf "%s", held; held = "" }
		held == "" && /WARNING: .*mm\/page_alloc\.c:[0-9]+ / { held = $0 "\n"; found = 0; next }
		held == "" { print; next }
		{ held = held $0 "\n" }
		$0 ~ ENVIRON["complaints"] { flush(); next }
		/\]  drm_syncobj_array_find\+/ { found = 1 }
		/---\[ end trace / { if (found) held = ""; flush() }
		END { flush() }'
}

# judge RC: RC is the emulator's.  That the command ended well is believed only if guest
# and emulator ended, too, and the console is whole: what it lacks may be a complaint.
judge()
{
	local rc=$1 status splat
	# of a file of this guest: another one may have the same console
	: >>"$run/console"
	mkdir -p "$(dirname "$console")"
	cp "$run/console" "$console"
	status=$(cat "$run/status" 2>/dev/null || true)
	splat=$(unexpected_messages | grep -aEm1 "$complaints" || true)
	if [ -n "$splat" ]; then
		unexpected_messages | grep -aE -m1 -A30 "$complaints" | tr -d '\r' >&2
		report "the kernel complained: $splat" 126
	fi
	case $status in
	122) report "a share could not be mounted" 122 ;;
	123) report "the driver does not load" 123 ;;
	esac
	# before the time limit SIGKILL comes from outside, as from a host that is out of memory
	[ "$rc" != 137 ] || [ "${deadline:-0}" -le "$SECONDS" ] ||
		report "the emulator was killed" 121
	case $rc in
	0) ;;
	124 | 137) report "no end within $timeout s, stopped" 124 ;;
	*)
		[ -s "$run/console" ] || report "the emulator did not start" 121
		report "the emulator ended with status $rc" 125 ;;
	esac
	[ -n "$status" ] || report "died before the command ended" 125
	messages | grep -aq "quire-guest: status $status" ||
		report "the console ends early, so nobody knows whether the kernel complained" 126
	exit "$status"
}
