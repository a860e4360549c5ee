#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Provides the kernels: Debian's own, one with checks, a source tree for UML.
#
# Usage: kernel.sh stock   Debian's image, unpacked: vmlinuz, lib/modules/RELEASE
#        kernel.sh debug   built from linux-source-6.12 with debug.config: vmlinuz,
#                          lib/modules/RELEASE, build (for external modules)
#        kernel.sh source  the pristine source tree
#        kernel.sh uml     a source tree with the driver in it, for kunit.py
# Prints the directory.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
. "$here/apt.sh"

# The release that is known to work on this machine's Debian; else the newest.
source_package() { quire_apt_pick linux-source linux-source-6.12 6.12 6.12.95-1~bpo12+1; }

image_package()
{
	quire_apt_pick linux-image 'linux-image-6\.12\.[0-9]+\+deb12(\.[0-9]+)?-amd64' \
		6.12 6.12.95-1~bpo12+1
}

unpack_image()
{
	local tmp=$1 package=$3 version=$4
	quire_say "unpacking $package"
	quire_apt_update
	quire_apt_download "$tmp" "$package=$version"
	dpkg-deb -x "$tmp"/*.deb "$tmp/root"
	rm "$tmp"/*.deb
	mv "$tmp"/root/boot/vmlinuz-* "$tmp/vmlinuz"
	mv "$tmp"/root/boot/config-* "$tmp/config"
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
	tar -C "$tmp" -xf "$tmp"/usr/src/linux-source-6.12.tar.xz
	rm -r "${tmp:?}/usr"
	mv "$tmp"/linux-source-* "$tmp/linux"
}

# The helpers of DRM have no prompt, so something must select them.
select_helpers()
{
	cat >>"$1/drivers/gpu/drm/Kconfig" <<-'END'

	config QUIRE_GUEST
		bool "What the quire module needs of DRM"
		depends on DRM=y && PCI
		select DRM_BUDDY
		select DRM_EXEC
		select DRM_GPUVM
		select DRM_SCHED
		select DRM_SUBALLOC_HELPER
		select DRM_TTM
		select DRM_TTM_HELPER
	END
}

# hardlink_tree SRC DST: a copy that shares the files; edit by replacing them.
hardlink_tree() { cp -al "$1" "$2" 2>/dev/null || cp -a "$1" "$2"; }

unlink_for_edit()
{
	local file
	for file in "$@"; do
		cp -p "$file" "$file.own"
		mv -f "$file.own" "$file"
	done
}

# The build directory names the source tree by its full path; after the build these
# names are changed to those of the final place.
build_debug()
{
	local tmp=$1 final=$2 source=$3 make
	quire_say "building the debug kernel (about 5 minutes)"
	hardlink_tree "$source" "$tmp/linux"
	unlink_for_edit "$tmp/linux/drivers/gpu/drm/Kconfig"
	select_helpers "$tmp/linux"
	make=(make -C "$tmp/linux" O="$tmp/build" ARCH=x86_64 CC=gcc)
	mkdir "$tmp/build"
	quire_run "$tmp/config.log" "configuration of the debug kernel" \
		"${make[@]}" KCONFIG_ALLCONFIG="$here/debug.config" allnoconfig
	check_config "$tmp/build/.config"
	quire_run "$tmp/build.log" "build of the debug kernel" \
		"${make[@]}" -j "$QUIRE_JOBS" bzImage modules
	cp "$tmp/build/arch/x86/boot/bzImage" "$tmp/vmlinuz"
	quire_run "$tmp/modules.log" "installation of the debug kernel's modules" \
		"${make[@]}" INSTALL_MOD_PATH="$tmp" modules_install
	rm -f "$tmp"/lib/modules/*/{build,source}
	rm -f "$tmp"/build/{vmlinux,vmlinux.o,.tmp_vmlinux*,vmlinux.a}
	find "$tmp/build" -name '*.o' ! -path '*/scripts/*' ! -path '*/tools/*' -delete
	grep -rlIF "$tmp" "$tmp/build" --include=Makefile --include='*.mk' --include=source |
		xargs -r sed -i "s|$tmp|$final|g"
	ln -sfn "$final/linux" "$tmp/build/source"
}

# Every option asked for must have been granted.
check_config()
{
	local want missing
	missing=$(grep -E '^CONFIG_.*=[^n]' "$here/debug.config" | while read -r want; do
		grep -qxF "$want" "$1" || echo "$want"
	done)
	[ -z "$missing" ] || quire_die "debug kernel: options not granted: ${missing//$'\n'/ }; mend tools/guest/debug.config"
}

# The tree for kunit.py: kept between runs, the driver's files brought up to date.
prepare_uml()
{
	local tmp=$1 source=$3 drm=drivers/gpu/drm
	quire_say "preparing the kernel tree for KUnit"
	hardlink_tree "$source" "$tmp/linux"
	unlink_for_edit "$tmp/linux/$drm/Kconfig" "$tmp/linux/$drm/Makefile"
	echo 'source "drivers/gpu/drm/quire/Kconfig"' >>"$tmp/linux/$drm/Kconfig"
	# shellcheck disable=SC2016 # for make to expand
	echo 'obj-$(CONFIG_DRM_QUIRE) += quire/' >>"$tmp/linux/$drm/Makefile"
	mkdir -p "$tmp/linux/$drm/quire"
}

sync_uml()
{
	quire_sync "$QUIRE_TOP/drivers/gpu/drm/quire" "$1/linux/drivers/gpu/drm/quire"
	quire_sync "$QUIRE_TOP/include/quire" "$1/linux/include/quire"
	quire_sync "$QUIRE_TOP/include/uapi/drm" "$1/linux/include/uapi/drm"
}

source_tree()
{
	local picked package version
	picked=$(source_package)
	read -r package version <<<"$picked"
	quire_artifact linux-source "$(quire_key -s "$version")" 2000 \
		unpack_source "$package" "$version"
}

case ${1:-} in
stock)
	picked=$(image_package)
	read -r package version <<<"$picked"
	quire_artifact kernel-stock "$(quire_key -s "$version" -s 2)" 800 \
		unpack_image "$package" "$version"
	;;
source)
	dir=$(source_tree)
	echo "$dir/linux"
	;;
debug)
	picked=$(source_package)
	key=$(quire_key -s "$picked" -s 2 "$here/debug.config" -s "$(declare -f select_helpers build_debug)")
	if [ ! -d "$QUIRE_CACHE/kernel-debug/$key" ]; then
		dir=$(source_tree)
	fi
	quire_artifact kernel-debug "$key" 3000 build_debug "${dir:-}/linux"
	;;
uml)
	picked=$(source_package)
	key=$(quire_key -s "$picked" -s "$(declare -f prepare_uml)")
	if [ ! -d "$QUIRE_CACHE/kernel-uml/$key" ]; then
		dir=$(source_tree)
	fi
	dir=$(quire_artifact kernel-uml "$key" 2500 prepare_uml "${dir:-}/linux")
	(quire_lock kernel-uml-sync; sync_uml "$dir")
	echo "$dir"
	;;
*) quire_die "kernel.sh: unknown kernel '${1:-}'; use stock, debug, source or uml" ;;
esac
