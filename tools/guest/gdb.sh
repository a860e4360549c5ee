#!/bin/bash
# shellcheck disable=SC2154 # the variables are those of guest
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# gdb on the guest: QEMU's stub on a socket, and what to type.
#
# Sourced by guest, which sets run, kernel_dir, driver and the array qemu.

# The stub listens on a socket of this user and not on a port of the machine.
gdb_arguments()
{
	qemu+=(-chardev "socket,id=gdb,path=${run//,/,,}/gdb,server=on,wait=off" -gdb chardev:gdb -S)
}

# gdb_explain: the lines to type, with symbols where there are some.
gdb_explain()
{
	local build=$kernel_dir/build
	quire_say "guest: it waits for gdb; in another terminal type (apt install gdb)"
	if [ -e "$build/vmlinux-gdb.py" ]; then
		gdb_explain_tree "$(readlink -f "$build")"
	else
		gdb_explain_module
	fi
	echo "  (gdb) continue" >&2
}

# A tree's scripts give the modules their symbols as they load; for this the kernel must
# have begun.
gdb_explain_tree()
{
	local places=$1
	[ "$driver" = - ] || [ "$driver" = in-tree ] || places+=" $(dirname "$driver")"
	cat >&2 <<-END
	  cd $1
	  gdb -iex 'add-auto-load-safe-path $1' -ex 'target remote $run/gdb' -ex 'hbreak start_kernel' -ex continue -ex 'lx-symbols $places' vmlinux
	END
}

# Debian's kernels have no symbols here, the driver has.
gdb_explain_module()
{
	echo "  gdb -ex 'target remote $run/gdb'" >&2
	[ "$driver" = - ] || [ "$driver" = in-tree ] || cat >&2 <<-END
	  (once the driver is loaded, in the guest)  cat /sys/module/quire/sections/.text
	  (gdb) add-symbol-file $driver ADDRESS
	END
}
