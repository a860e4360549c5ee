#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Assembles the guest's root file system.
#
# Usage: initramfs.sh OUTPUT KERNEL-DIR QUIRE.KO|in-tree|- COMMAND-FILE [MODULE.KO...]
#   KERNEL-DIR    of kernel.sh: its lib/modules is taken from
#   QUIRE.KO      the driver; in-tree: the kernel's own; -: none
#   COMMAND-FILE  a shell script, the last thing that /init runs
#   MODULE.KO     a module that is not the kernel's
# All but the command is kept in build/guest, for the next guest with the same kernel, driver and
# programs; OUTPUT is that archive and behind it one with the command.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_help "$0" "$@"
[ $# -ge 4 ] ||
	quire_die "initramfs.sh: '$*' are not its arguments; see tools/guest/initramfs.sh --help"
output=$1 kernel=$2 driver=$3 command=$4
shift 4
others=("$@")

# What the guest needs beside the driver's own dependencies.
wanted=(virtio_pci virtio_blk virtio_console 9pnet_virtio 9p vgem vivid)

work=$(mktemp -d "${TMPDIR:-/tmp}/quire-initramfs.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
release=$(ls "$kernel/lib/modules")
modules=$root/lib/modules/$release

# Those of tools/quire are in /quire, and so on.
read -ra programs <<<"$QUIRE_PROGRAMS"

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

# add_other FILE: a module that is not the kernel's
add_other()
{
	local depends
	depends=$(modinfo -F depends "$1" | tr , ' ')
	# shellcheck disable=SC2086 # a list of names
	[ -z "$depends" ] || add_modules $depends
	mkdir -p "$modules/updates"
	objcopy --strip-debug "$1" "$modules/updates/${1##*/}"
}

# add_program FILE DIRECTORY: copy a program and the libraries it links.
add_program()
{
	local lib
	# the guest may have little memory, and has no debugger; a script is copied as it is
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
	for dir in "${programs[@]}"; do
		mkdir -p "$root/$dir"
		for file in "$QUIRE_BUILD/$dir"/* "$QUIRE_TOP/tools/$dir"/{,*/}*.sh; do
			[ ! -f "$file" ] || [ ! -x "$file" ] || add_program "$file" "$dir"
		done
	done
}

# archive DIR: all that is in it; the same bytes for the same contents, whenever they are made.
archive()
{
	(
		cd "$1"
		find . -exec touch -h -d @0 {} +
		find . -print0 | LC_ALL=C sort -z |
			cpio --quiet --reproducible -0 -o -H newc -R 0:0
	)
}

# Those that the programs link, by the first program of each folder.
libraries()
{
	local dir
	for dir in "${programs[@]}"; do
		find "$QUIRE_BUILD/$dir" -maxdepth 1 -type f -perm -u+x 2>/dev/null | sort | head -n 1
	done | xargs -r ldd 2>/dev/null | grep -o '/[^ ]*' | grep -v ':$' | sort -u |
		xargs -r stat -L -c '%n %s %Y'
}

# A key of all that the kept archive is made of: names, sizes and times.
key_of_root()
{
	local given=("$here"/{initramfs.sh,lib.sh,init,guest-power} "$kernel/lib/modules" "$driver"
		"${others[@]}")
	given+=("$(readlink -f "$(command -v busybox)")")
	quire_key -s "$driver ${others[*]} $(libraries) $(find "${given[@]}" "${programs[@]/#/$QUIRE_BUILD/}" \
		"${programs[@]/#/$QUIRE_TOP/tools/}" -maxdepth 9 -type f ! -path "*/.obj/*" \
		-printf '%p %s %T@\n' 2>/dev/null | sort)"
}

make_root()
{
	local module
	mkdir -p "$root"/{bin,dev,proc,sys,tmp,share,out,etc,root} "$modules"
	cp "$kernel/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$modules/"
	cp "$(command -v busybox)" "$root/bin/busybox"
	cp "$here/init" "$root/init"
	cp "$here/guest-power" "$root/bin/"
	echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
	echo 'root:x:0:' >"$root/etc/group"
	add_modules "${wanted[@]}"
	case $driver in
	-) ;;
	in-tree) add_modules quire ;;
	*) add_other "$driver" ;;
	esac
	for module in "${others[@]}"; do
		add_other "$module"
	done
	add_programs
	depmod -b "$root" "$release"
}

quire_build_dir "$QUIRE_BUILD/guest"
# programs.sh takes the same lock: no program is half linked when it is packed
exec {lock}>"$QUIRE_BUILD/.programs.lock"
flock -s "$lock"
kept=$QUIRE_BUILD/guest/root-$release-$(key_of_root).cpio
if [ ! -e "$kept" ]; then
	make_root
	archive "$root" >"$kept.$$"
	mv "$kept.$$" "$kept"
	# those of earlier programs; another guest may be about to read one
	find "$QUIRE_BUILD/guest" -name "root-$release-*.cpio*" -mmin +10 ! -path "$kept" -delete
fi
touch -c "$kept"
exec {lock}>&-
mkdir "$work/command"
cp "$command" "$work/command/"
archive "$work/command" | cat "$kept" - >"$output"
