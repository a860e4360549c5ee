#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# What KERNEL= names: a kernel of one's own, or another one of Debian's.
#
# Sourced after lib.sh, apt.sh and kernel-build.sh.  KERNEL is one of
#   source   a source tree, clean or never built in: built out of tree
#   built    a tree that is built (or its O= directory): taken as it is
#   package  the release of a kernel of Debian's suites, like 7.2.12+deb13-amd64

# kernel_own_check: refuse a bad KERNEL or KERNEL_CONFIG in one line; make them absolute,
# set kernel_kind ("" without KERNEL).
kernel_own_check()
{
	kernel_kind=''
	if [ -n "${KERNEL_CONFIG:-}" ]; then
		[[ -f $KERNEL_CONFIG && -r $KERNEL_CONFIG ]] ||
			quire_die "KERNEL_CONFIG: '$KERNEL_CONFIG' is not a file that can be read; give a file of lines CONFIG_...=y"
		KERNEL_CONFIG=$(readlink -f "$KERNEL_CONFIG")
		export KERNEL_CONFIG
	fi
	if [ -z "${KERNEL:-}" ]; then
		[ -z "${KERNEL_CONFIG:-}" ] ||
			quire_die "KERNEL_CONFIG: only a source tree is configured; give one with KERNEL="
		return 0
	fi
	if [ -d "$KERNEL" ]; then
		KERNEL=$(readlink -f "$KERNEL")
		kernel_kind=$(kernel_tree_kind) || exit
	elif [[ $KERNEL =~ ^[1-9][0-9.]*\+deb[0-9.]+-amd64$ ]]; then
		kernel_kind=package
		kernel_check_release
	else
		quire_die "KERNEL: '$KERNEL' is no directory and no release of a Debian kernel; give a source tree, or a release like 7.2.12+deb13-amd64"
	fi
	[ "$kernel_kind" = source ] || [ -z "${KERNEL_CONFIG:-}" ] ||
		quire_die "KERNEL_CONFIG: only a source tree is configured, and KERNEL='$KERNEL' is built already; drop KERNEL_CONFIG"
	export KERNEL
}

# kernel_tree_kind: "source" or "built", for the directory KERNEL.
kernel_tree_kind()
{
	[[ -r $KERNEL && -x $KERNEL ]] ||
		quire_die "KERNEL: '$KERNEL' cannot be read; give a tree that you can read, or run as root"
	if [ -e "$KERNEL/.config" ] && [ -e "$KERNEL/vmlinux" ]; then
		kernel_check_built
		echo built
	elif [ ! -e "$KERNEL/Kbuild" ] || [ ! -e "$KERNEL/drivers/gpu/drm/Kconfig" ]; then
		quire_die "KERNEL: '$KERNEL' is not a kernel's source tree (no Kbuild, no drivers/gpu/drm/Kconfig) and no build directory with vmlinux and .config; give one of these"
	elif [ -e "$KERNEL/.config" ] || [ -d "$KERNEL/include/config" ]; then
		quire_die "KERNEL: '$KERNEL' is configured but not built; build it (make bzImage modules) to use it as it is, or clean it (make mrproper) to have it built in the cache"
	elif [[ $KERNEL = *[[:space:]:]* ]]; then
		quire_die "KERNEL: a kernel does not build where a path has spaces or colons, as '$KERNEL'; move the tree"
	else
		echo source
	fi
}

kernel_check_built()
{
	local file lacks
	for file in Module.symvers modules.order arch/x86/boot/bzImage; do
		[ -e "$KERNEL/$file" ] ||
			quire_die "KERNEL: '$KERNEL' is not built to its end, it has no $file; run 'make bzImage modules' there"
	done
	lacks=$(kernel_lacks "$KERNEL/.config" | xargs)
	[ -z "$lacks" ] ||
		quire_die "KERNEL: '$KERNEL' is built without $lacks, which the guest needs; set these and build it, or give a clean source tree (git worktree add) to have it built in the cache"
}

# kernel_own_source CONFIG: build the source tree KERNEL, stock or debug.
kernel_own_source()
{
	local state fragments=("$here/guest.config")
	[ "$1" = stock ] || fragments+=("$here/debug.config")
	state=$(kernel_state "$KERNEL")
	(
		quire_lock "tree-${state##*/}-$1"
		kernel_build "$KERNEL" "$state/$1" "${fragments[@]}" "$here/symbols.config" >&2
		kernel_check_granted "$state/$1/build"
		[ "$1" = stock ] || kernel_check_checkers "$state/$1/build"
	)
	echo "$state/$1"
}

# kernel_check_checkers BUILD: without these options a debug kernel checks nothing.
kernel_check_checkers()
{
	local refused
	refused=$(kernel_refused <(grep -E '^CONFIG_(KASAN|PROVE_LOCKING|DEBUG_KMEMLEAK|DEBUG_ATOMIC_SLEEP|FAILSLAB)=' \
		"$here/debug.config") "$1/.config" | xargs)
	[ -z "$refused" ] ||
		quire_die "KERNEL: the tree does not grant $refused, which the debug kernel is for; mend tools/guest/debug.config"
}

# What KERNEL_CONFIG asks for must have been granted.
kernel_check_granted()
{
	local refused
	[ -n "${KERNEL_CONFIG:-}" ] || return 0
	refused=$(kernel_refused "$KERNEL_CONFIG" "$1/.config" | xargs)
	[ -z "$refused" ] ||
		quire_die "KERNEL_CONFIG: the tree does not grant $refused; add what these depend on to $KERNEL_CONFIG"
}

# kernel_own_built: the modules of the built tree KERNEL, beside its image.
kernel_own_built()
{
	local state dir
	state=$(kernel_state "$KERNEL")
	dir=$state/built
	(
		quire_lock "tree-${state##*/}-$1"
		mkdir -p "$dir"
		ln -sfn "$KERNEL" "$dir/build"
		ln -sfn build/arch/x86/boot/bzImage "$dir/vmlinuz"
		build=$KERNEL/ kernel_install >&2
	)
	echo "$dir"
}

# kernel_own_package: a Debian kernel, unpacked.  From 7.0 on image, modules and
# their lists are packages of their own.
kernel_own_package()
{
	local picked version packages=("linux-image-$KERNEL")
	# shellcheck disable=SC2034 # apt.sh reads it
	QUIRE_APT_FROM=kernels
	picked=$(quire_apt_pick "image-$KERNEL" "linux-headers-${KERNEL//[.+]/\\&}" '')
	read -r _ version <<<"$picked"
	[ -z "$(quire_apt_search "linux-binary-${KERNEL//[.+]/\\&}" '')" ] ||
		packages=(linux-{binary,modules,base}-"$KERNEL")
	quire_artifact "kernel-$KERNEL" "$(quire_key -s "$version")" 800 \
		unpack_image "${packages[@]/%/=$version}"
}

# kernel_check_release: Debian's suites must have KERNEL, or had it when it was unpacked.
kernel_check_release()
{
	# shellcheck disable=SC2034 # apt.sh reads it
	local known QUIRE_APT_FROM=kernels
	[ ! -s "$QUIRE_CACHE/versions/image-$KERNEL" ] || return 0
	quire_apt_update
	known=$(quire_apt_search 'linux-headers-[1-9][0-9.]*\+deb[0-9.]+-amd64' '' |
		sed 's/^linux-headers-\([^ ]*\) .*/\1/')
	grep -qxF "$KERNEL" <<<"$known" ||
		quire_die "KERNEL: Debian's suites have no kernel $KERNEL; the newest they have: $(tail -n 6 <<<"$known" | xargs)"
}

# What was built of trees that are gone goes.
kernel_own_prune()
{
	local path
	for path in "$QUIRE_CACHE"/tree/*/path; do
		[ ! -e "$path" ] || [ -d "$(cat "$path")" ] || rm -rf "$(dirname "$path")"
	done
}

# kernel_own CONFIG: print the directory of KERNEL: vmlinuz, lib/modules/RELEASE and, but
# for a package, build.
kernel_own()
{
	[ "$1" != debug ] || [ "$kernel_kind" = source ] ||
		quire_die "KERNEL: '$KERNEL' is built already, and not with debug.config; give a source tree for the debug kernel"
	kernel_own_prune
	"kernel_own_$kernel_kind" "$1"
}
