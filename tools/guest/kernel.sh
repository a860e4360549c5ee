#!/bin/bash
# shellcheck disable=SC2317 # functions are called by their names
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Provides the kernels: for the guest, with and without checks, and for KUnit.
#
# Usage: kernel.sh stock   Debian's 6.12 image, unpacked: vmlinuz, lib/modules/RELEASE
#        kernel.sh debug   built from linux-source-6.12 with debug.config: vmlinuz,
#                          lib/modules/RELEASE, build (for external modules)
#        kernel.sh coverage  the same, with coverage.config after debug.config
#        kernel.sh source  the pristine source tree
#        kernel.sh uml     for kunit.py: linux, a source tree with the driver in it;
#                          build, its build directory; kunitconfig
#        kernel.sh kind    what KERNEL names: source, built, package or nothing
# Prints the directory.
# Environment: KERNEL=X  another kernel than Debian's 6.12, see kernel-own.sh.
#              KERNEL_CONFIG=FILE  options for KERNEL's configuration.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_at_most 1 "$0" "$@"
. "$here/apt.sh"
. "$here/kernel-build.sh"
. "$here/kernel-own.sh"
. "$here/kernel-uml.sh"

# The release that is known to work on this machine's Debian; else the newest.
source_package() { quire_apt_pick linux-source linux-source-6.12 6.12 6.12.95-1~bpo12+1; }

image_package()
{
	quire_apt_pick linux-image 'linux-image-6\.12\.[0-9]+\+deb12(\.[0-9]+)?-amd64' \
		6.12 6.12.95-1~bpo12+1
}

# unpack_image TMP FINAL PACKAGE=VERSION...
unpack_image()
{
	local tmp=$1 deb
	shift 2
	quire_say "unpacking $*"
	quire_apt_update
	quire_apt_download "$tmp" "$@"
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$tmp/root"
		rm "$deb"
	done
	# in boot, or since 7.0 beside the modules
	mv "$(find "$tmp/root" -type f -name 'vmlinuz*')" "$tmp/vmlinuz"
	mkdir "$tmp/lib"
	mv "$(find "$tmp/root" -type d -path '*lib/modules')" "$tmp/lib/modules"
	rm -rf "$tmp/root"
	depmod -b "$tmp" "$(ls "$tmp/lib/modules")"
}

unpack_source()
{
	local tmp=$1 package=$3 version=$4
	quire_say "unpacking $package $version"
	quire_apt_update
	quire_apt_download "$tmp" "$package=$version"
	dpkg-deb -x "$tmp"/*.deb "$tmp"
	rm "$tmp"/*.deb
	quire_run "$tmp/unpack.log" "unpacking of $package" \
		tar -C "$tmp" -xf "$tmp"/usr/src/linux-source-6.12.tar.xz
	rm -r "${tmp:?}/usr"
	mv "$tmp"/linux-source-* "$tmp/linux"
}

# build_debug TREE DIR: build once; the source does not change.  All that external modules
# do not need goes.
build_debug()
{
	local refused
	kernel_build "$1" "$2" "$here/guest.config" "$here/debug.config"
	refused=$(kernel_refused "$2/build/wanted.config" "$2/build/.config" | xargs)
	[ -z "$refused" ] ||
		quire_die "debug kernel: options not granted: $refused; mend tools/guest/*.config"
	mv "$(readlink -f "$2/vmlinuz")" "$2/image"
	ln -sfn image "$2/vmlinuz"
	rm -f "$2"/build/{vmlinux,vmlinux.o,.tmp_vmlinux*,vmlinux.a}
	find "$2/build" -name '*.o' ! -path '*/scripts/*' ! -path '*/tools/*' -delete
}

# debug_kernel TREE NAME [FRAGMENT]: print the directory of the kernel NAME, that of
# debug.config and what FRAGMENT adds to it.
debug_kernel()
{
	local tree=$1 name=$2 KERNEL_CONFIG=${3:-} state key
	state=$(kernel_state "$tree")
	key=$(quire_key "$here/guest.config" "$here/debug.config" "$here/kernel-build.sh" \
		${3:+"$3"} -s "$(kernel_selects)" -s "$(declare -f build_debug)")
	if [ "$(cat "$state/$name.key" 2>/dev/null)" != "$key" ]; then
		(
			quire_lock "tree-${state##*/}"
			[ "$(cat "$state/$name.key" 2>/dev/null)" != "$key" ] || exit 0
			rm -rf "${state:?}/$name" "$state/$name.key"
			build_debug "$tree" "$state/$name" >&2
			echo "$key" >"$state/$name.key"
		)
	fi
	echo "$state/$name"
}

source_tree()
{
	local picked package version
	picked=$(source_package) || exit
	read -r package version <<<"$picked"
	quire_artifact linux-source "$(quire_key -s "$version")" 2000 \
		unpack_source "$package" "$version"
}

stock_kernel()
{
	local picked package version
	picked=$(image_package) || exit
	read -r package version <<<"$picked"
	quire_artifact kernel-stock "$(quire_key -s "$version" -s 2)" 800 \
		unpack_image "$package=$version"
}

# A function: bash reads it whole, so that an edit of this file does no harm.
main()
{
	kernel_own_check
	case ${1:-} in
	kind) echo "$kernel_kind" ;;
	stock | debug)
		if [ -n "$kernel_kind" ]; then
			kernel_own "$1"
		elif [ "$1" = stock ]; then
			stock_kernel
		else
			dir=$(source_tree)
			debug_kernel "$dir/linux" debug
		fi
		;;
	coverage)
		[ -z "$kernel_kind" ] ||
			quire_die "KERNEL: lines are counted in Debian's 6.12 only; drop KERNEL"
		dir=$(source_tree)
		debug_kernel "$dir/linux" coverage "$here/coverage.config"
		;;
	source)
		dir=$(source_tree)
		echo "$dir/linux"
		;;
	uml)
		case $kernel_kind in
		source) kernel_uml "$KERNEL" ;;
		'')
			dir=$(source_tree)
			kernel_uml "$dir/linux"
			;;
		*) quire_die "kernel.sh: KUnit needs a source tree, and KERNEL='$KERNEL' is built already" ;;
		esac
		;;
	*) quire_die "kernel.sh: unknown kernel '${1:-}'; use stock, debug, coverage, source, uml or kind" ;;
	esac
}

main "$@"
exit
