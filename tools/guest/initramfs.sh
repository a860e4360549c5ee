#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Assembles the guest's root file system.
#
# Usage: initramfs.sh OUTPUT KERNEL-DIR QUIRE.KO|in-tree|- COMMAND-FILE
#   KERNEL-DIR    of kernel.sh: its lib/modules is taken from
#   QUIRE.KO      the driver; in-tree: the kernel's own; -: none
#   COMMAND-FILE  a shell script, the last thing that /init runs

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
output=$1 kernel=$2 driver=$3 command=$4

# What the guest needs beside the driver's own dependencies.
wanted=(virtio_pci virtio_blk virtio_console 9pnet_virtio 9p vgem vivid)

root=$(mktemp -d "${TMPDIR:-/tmp}/quire-initramfs.XXXXXX")
trap 'rm -rf "$root"' EXIT
release=$(ls "$kernel/lib/modules")
modules=$root/lib/modules/$release

# add_module FILE: copy a kernel module, unpacked.
add_module()
{
	local to
	to=$modules/${1#"$kernel/lib/modules/$release/"}
	to=${to%.xz}
	[ ! -e "$to" ] || return 0
	mkdir -p "$(dirname "$to")"
	case $1 in
	*.xz) xz -dc "$1" >"$to" ;;
	*) cp "$1" "$to" ;;
	esac
	objcopy --strip-debug --remove-section .BTF "$to"
}

# add_modules NAME...: the modules and all they depend on.
add_modules()
{
	local kind file
	modprobe -d "$kernel" -S "$release" -a --show-depends "$@" 2>/dev/null |
	while read -r kind file _; do
		[ "$kind" != insmod ] || add_module "$file"
	done
}

add_driver()
{
	local depends
	depends=$(modinfo -F depends "$driver" | tr , ' ')
	# shellcheck disable=SC2086 # a list of names
	[ -z "$depends" ] || add_modules $depends
	mkdir -p "$modules/updates"
	objcopy --strip-debug "$driver" "$modules/updates/quire.ko"
}

# add_program FILE DIRECTORY: copy a program and the libraries it links.
add_program()
{
	local lib
	# what unpacks it may have little memory, and nobody debugs there; a script stays as it is
	objcopy --strip-debug "$1" "$root/$2/${1##*/}" 2>/dev/null || cp "$1" "$root/$2/"
	ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do
		[ ! -e "$root$lib" ] || continue
		mkdir -p "$root$(dirname "$lib")"
		cp -L "$lib" "$root$lib"
	done
}

add_programs()
{
	local dir file
	for dir in quire tests soak bench examples; do
		mkdir -p "$root/$dir"
		for file in "$QUIRE_BUILD/$dir"/* "$QUIRE_TOP/tools/$dir"/*.sh; do
			[ ! -f "$file" ] || [ ! -x "$file" ] || add_program "$file" "$dir"
		done
	done
}

mkdir -p "$root"/{bin,dev,proc,sys,tmp,share,out,etc,root} "$modules"
cp "$kernel/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$modules/"
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$here/init" "$root/init"
cp "$here/guest-power" "$root/bin/"
cp "$command" "$root/command"
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
add_modules "${wanted[@]}"
case $driver in
-) ;;
in-tree) add_modules quire ;;
*) add_driver ;;
esac
add_programs
depmod -b "$root" "$release"
(cd "$root" && find . -print0 | cpio --quiet -0 -o -H newc -R 0:0) >"$output.new"
mv "$output.new" "$output"
