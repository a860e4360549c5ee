#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Builds a module for Debian's 6.12 that its own kernel does not have.
#
# Usage: other-module.sh NAME    prints the path of NAME.ko, in the cache
#   sw_sync         fences that a program signals, at /sys/kernel/debug/sync/sw_sync, as IGT and
#                   other suites want them; the sources are those of Debian's linux-source, and
#                   are not part of this repository
#   quire_exporter  dma-bufs that share one reservation, of tools/tests/exporter

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_at_most 1 "$0" "$@"
name=${1:-}
case $name in
sw_sync | quire_exporter) ;;
*) quire_die "other-module.sh: no module '$name'; see tools/guest/other-module.sh --help" ;;
esac
[ -z "${KERNEL:-}" ] ||
	quire_die "other-module.sh: KERNEL='$KERNEL' is not Debian's 6.12; build $name with that kernel instead"

# sources_NAME: print the files that the module is made of.
sources_sw_sync()
{
	local source
	source=$("$here/kernel.sh" source) || quire_die "other-module.sh: there is no linux-source"
	printf '%s\n' "$source"/drivers/dma-buf/{sw_sync.c,sync_debug.{c,h},sync_trace.h}
}

sources_quire_exporter() { printf '%s\n' "$QUIRE_TOP"/tools/tests/exporter/*; }

# stage_NAME DIR: make them what can be built there.
#
# The module has the name of one of its files: that one gets another.  Tracepoints are looked for
# where the file is.  Names of sync_files that have none are made by a function that modules do not
# get; only "info" shows them.
stage_sw_sync()
{
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

stage_quire_exporter() { :; }

# make_module DIR FINAL NAME
make_module()
{
	mkdir "$1/build"
	cp "${files[@]}" "$1/build/"
	"stage_$3" "$1/build"
	quire_run "$1/build.log" "build of $3.ko" \
		make -C "$tree" M="$1/build" CC=gcc modules
	cp "$1/build/$3.ko" "$1/"
	rm -r "$1/build"
}

sources=$("sources_$name")
mapfile -t files <<<"$sources"
tree=$("$here/headers.sh" deb12)
kept=$(quire_artifact "module-$name" \
	"$(quire_key -s "$tree $(gcc --version)" "$here/other-module.sh" "${files[@]}")" 30 \
	make_module "$name")
echo "$kept/$name.ko"
