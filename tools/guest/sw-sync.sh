#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Builds sw_sync.ko for Debian's 6.12, whose own kernel has none: fences that a program signals, at
# /sys/kernel/debug/sync/sw_sync, as IGT and other suites want them.  The sources are those of
# Debian's linux-source, and are not part of this repository.
#
# Usage: sw-sync.sh      prints the path of sw_sync.ko, in the cache

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_no_arguments "$0" "$@"
[ -z "${KERNEL:-}" ] ||
	quire_die "sw-sync.sh: KERNEL='$KERNEL' is not Debian's 6.12; build it with CONFIG_SW_SYNC instead"

files=(sw_sync.c sync_debug.c sync_debug.h sync_trace.h)
source=$("$here/kernel.sh" source)/drivers/dma-buf
tree=$("$here/headers.sh" deb12)

# The module has the name of one of its files: that one gets another.  Tracepoints are looked for
# where the file is.  Names of sync_files that have none are made by a function that modules do not
# get; only "info" shows them.
stage()
{
	cp "${files[@]/#/$source/}" "$1/"
	mv "$1/sw_sync.c" "$1/sw_sync_file.c"
	sed -i 's|^#define TRACE_INCLUDE_PATH .*|#define TRACE_INCLUDE_PATH .|' "$1/sync_trace.h"
	sed -i 's|sync_file_get_name(sync_file, buf, sizeof(buf))|(strscpy(buf, sync_file->user_name), buf)|' \
		"$1/sync_debug.c"
	cat >"$1/license.c" <<-'END'
		#include <linux/module.h>
		MODULE_DESCRIPTION("Fences that a program signals, of Debian's linux-source");
		MODULE_LICENSE("GPL");
	END
	cat >"$1/Makefile" <<-'END'
		obj-m := sw_sync.o
		sw_sync-y := sw_sync_file.o sync_debug.o license.o
		ccflags-y := -I$(src) -include linux/module.h
	END
}

# make_module DIR
make_module()
{
	mkdir "$1/build"
	stage "$1/build"
	quire_run "$1/build.log" "build of sw_sync.ko" \
		make -C "$tree" M="$1/build" CC=gcc modules
	cp "$1/build/sw_sync.ko" "$1/"
	rm -r "$1/build"
}

kept=$(quire_artifact sw-sync "$(quire_key -s "$tree $(gcc --version)" "$here/sw-sync.sh" \
	"${files[@]/#/$source/}")" 30 make_module)
echo "$kept/sw_sync.ko"
