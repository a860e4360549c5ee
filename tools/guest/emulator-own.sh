#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# A QEMU tree of one's own (QEMU=DIR), which is not written to.
#
# Sourced after lib.sh.  The tree is seen through a farm of links in the cache, where the
# files that the device's installer edits are copies; the build directory is in there, too.

# emulator_own_check: refuse a bad QEMU in one line; make it absolute.
emulator_own_check()
{
	local file
	[ -n "${QEMU:-}" ] || return 0
	[[ -d $QEMU && -r $QEMU && -x $QEMU ]] ||
		quire_die "QEMU: '$QEMU' is not a directory that can be read; give QEMU's source tree"
	for file in VERSION configure hw/meson.build tests/qtest/meson.build; do
		[ -e "$QEMU/$file" ] ||
			quire_die "QEMU: '$QEMU' is not QEMU's source tree, it has no $file; give that tree"
	done
	QEMU=$(readlink -f "$QEMU")
	export QEMU
}

# emulator_own_tree: the directory of the cache that stands for the tree QEMU.
emulator_own_tree()
{
	local name=${QEMU##*/}
	name=$QUIRE_CACHE/qemu-own/${name//[^A-Za-z0-9._-]/_}-$(quire_key -s "$QEMU")
	quire_space 1500 "an emulator"
	mkdir -p "$name/src/build"
	echo "$name"
}

# emulator_own_link TREE: bring TREE/src up to date, and beside it what the installer edits
# (the array "edited" of emulator.sh).  Directories that get a file of ours are real ones.
emulator_own_link()
{
	local dir file
	# shellcheck disable=SC2154 # emulator.sh has it
	(cd "$QEMU" && cp --parents "${edited[@]}" "$1/")
	for file in "${edited[@]}"; do
		[ -e "$1/src/$file" ] || (cd "$QEMU" && cp --parents "$file" "$1/src/")
	done
	[ ! -L "$1/src/configs" ] || rm "$1/src/configs"
	mkdir -p "$1/src/hw/quire" "$1/src/configs/devices/x86_64-softmmu"
	for dir in . configs configs/devices configs/devices/x86_64-softmmu hw tests tests/qtest \
		tests/qtest/libqos; do
		quire_link_directory "$QEMU/$dir" "$1/src/$dir"
	done
}
