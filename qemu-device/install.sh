#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs the Quire device into a QEMU source tree (10.0 or later): links to
# this directory's files and one-line inserts next to the ufs device. Running
# it again changes nothing, unless this directory moved; then it links anew.
#
# Usage: install.sh QEMU_SRC
set -eu

die() {
	echo "install.sh: $*" >&2
	exit 1
}

case ${1:-} in
--help | -h)
	sed -n '4,/^set/s/^# \{0,1\}//p' "$0"
	exit ;;
esac
[ $# -eq 1 ] || die "usage: install.sh QEMU_SRC"
qemu=$(cd "$1" 2>/dev/null && pwd) || die "$1: no such directory; name the source tree of QEMU"
here=$(cd "$(dirname "$0")" && pwd)
headers=$(cd "$here/.." && pwd)/include/quire

for file in hw/meson.build tests/qtest/meson.build; do
	[ -f "$qemu/$file" ] || die "$qemu: not a source tree of QEMU: no $file"
done
for file in quire_command.h quire_hw.h quire_layout.h; do
	[ -f "$headers/$file" ] || die "$headers/$file: missing; install from a complete checkout"
done

# link TARGET NAME: make NAME a symbolic link to TARGET, touch nothing if it is.
link() {
	[ "$(readlink "$2" 2>/dev/null || :)" != "$1" ] || return 0
	[ ! -e "$2" ] || [ -L "$2" ] || die "$2: in the way; remove it"
	ln -sfn "$1" "$2"
}

# insert FILE ANCHOR LINE: put LINE before the line ANCHOR, unless it is there.
insert() {
	[ -f "$qemu/$1" ] || die "$1: no such file in $qemu; is this QEMU 10.0 or later?"
	! grep -Fxq -- "$3" "$qemu/$1" || return 0
	grep -Fxq -- "$2" "$qemu/$1" ||
		die "$1: no line \"$2\" to insert at; this version of QEMU is not known"
	awk -v anchor="$2" -v line="$3" '
		$0 == anchor && !done { print line; done = 1 }
		{ print }' "$qemu/$1" >"$qemu/$1.quire"
	cat "$qemu/$1.quire" >"$qemu/$1"
	rm -f "$qemu/$1.quire"
}

# unlink_stale DIR: remove links in DIR that lead nowhere.
unlink_stale() {
	for name in "$1"/*; do
		[ ! -L "$name" ] || [ -e "$name" ] || rm -f "$name"
	done
}

# forget_tests FILE: take out the lines of tests that are no longer there.
forget_tests() {
	sed -n "s/^  '\(quire-.*\.c\)',$/\1/p" "$qemu/$1" | while read -r name; do
		[ -e "$here/tests/qtest/$name" ] || sed -i "/^  '$name',$/d" "$qemu/$1"
	done
}

# link_headers DIR: what the guest sees, for files in DIR to include.
link_headers() {
	for file in quire_command.h quire_hw.h quire_layout.h; do
		link "$headers/$file" "$1/$file"
	done
}

mkdir -p "$qemu/hw/quire/engine"
for file in "$here"/hw/quire/*; do
	link "$file" "$qemu/hw/quire/${file##*/}"
done
link_headers "$qemu/hw/quire/engine"
for folder in "$here"/engine/*/; do
	target=$qemu/hw/quire/${folder#"$here/"}
	mkdir -p "$target"
	link_headers "${target%/}"
	for file in "$folder"*.[ch]; do
		link "$file" "$target${file##*/}"
	done
	unlink_stale "${target%/}"
done
for file in "$here"/tests/qtest/quire-*.c "$here"/tests/qtest/libqos/quire.[ch]; do
	link "$file" "$qemu/${file#"$here/"}"
done
unlink_stale "$qemu/hw/quire"
unlink_stale "$qemu/hw/quire/engine"
unlink_stale "$qemu/tests/qtest"

insert hw/meson.build "subdir('ufs')" "subdir('quire')"
insert hw/Kconfig "source ufs/Kconfig" "source quire/Kconfig"
insert meson.build "    'hw/ufs'," "    'hw/quire',"
insert tests/qtest/libqos/meson.build "        'virtio-rng.c'," "        'quire.c',"
forget_tests tests/qtest/meson.build
for file in "$here"/tests/qtest/quire-*.c; do
	insert tests/qtest/meson.build "  'ufs-test.c'," "  '${file##*/}',"
done
